"""Joint scores, ROPEs, mosaics, power: what the figures tell is what was computed."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from stanoff import InputError, compare, compare_counts
from stanoff.plots import plot_joint, plot_mosaic, plot_power, plot_rope
from stanoff.text.numbers import percent


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def headings(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def test_the_regions_of_the_joint_plot_hold_their_share_of_the_draws(stored):
    ax = plot_joint(stored)
    draws = np.stack(
        [stored.row_draws("posterior", psi, "8").ravel() for psi in ("psi_B", "psi_A")], axis=1
    )
    contours = [c for c in ax.collections if len(c.get_paths()) == 2 and not c.get_hatch()]
    outer, inner = contours[-1].get_paths()
    assert np.mean(outer.contains_points(draws)) == pytest.approx(0.95, abs=0.02)
    assert np.mean(inner.contains_points(draws)) == pytest.approx(0.50, abs=0.03)


def test_the_joint_plot_tells_the_sides_of_the_diagonal(stored):
    ax = plot_joint(stored)
    e = stored.evidence()
    said = f"svm higher:\n{percent(e.p_greater)}", f"nb higher:\n{percent(e.p_less)}"
    assert tuple(texts(ax)) == said
    assert ax.get_xlim() == ax.get_ylim()
    low, high = ax.get_xlim()
    lines = {round(float(line.get_ydata()[0] - low), 6) for line in ax.lines[:3]}
    assert lines == {-0.05, 0.0, 0.05}
    assert f"ROPE [-0.05, +0.05]: {percent(e.p_rope)}" in [
        text.get_text() for text in ax.get_legend().get_texts()
    ]
    assert high > low


def test_the_rope_plot_has_the_curves_and_the_flips(stored):
    ax = plot_rope(stored, ropes=[0.0, 0.01, 0.02, 0.05, 0.1])
    delta = stored.row_draws("posterior", "delta", "8")
    curves = {line.get_label(): line.get_ydata() for line in ax.lines}
    for i, width in enumerate([0.0, 0.01, 0.02, 0.05, 0.1]):
        assert curves["above"][i] == pytest.approx(np.mean(delta > width))
        assert curves["below"][i] == pytest.approx(np.mean(delta < -width))
        assert curves["in the ROPE"][i] == pytest.approx(np.mean(np.abs(delta) <= width))
    ((width, before, after),) = stored.sensitivity().flips
    assert texts(ax) == [before.symbol, after.symbol, f"±{width:.4g}"]
    assert curves["in use"] is not None
    for wrong in ([0.1], [0.1, 0.1], "wide", 0.1, [0.1, -0.2]):
        with pytest.raises(InputError, match=r"'ropes?' parameter"):
            plot_rope(stored, ropes=wrong)


def test_a_rope_beside_0_is_told():
    result = compare_counts([9, 1, 0, 2], [1, 1, 1, 9], rope=(0.1, 0.3), engine="exact", seed=1)
    assert "around +0.2" in plot_rope(result).get_xlabel()


def test_the_mosaic_stacks_the_counts(stored):
    ax = plot_mosaic(stored)
    heights = [patch.get_height() for patch in ax.patches[:8]]
    pos, neg = stored.data.pos[0], stored.data.neg[0]
    np.testing.assert_allclose(heights, [*(pos / pos.sum()), *(neg / neg.sum())])
    said = texts(ax)
    assert headings(ax)[0] == "398 positive documents"
    assert "only svm: 25 (6.3%)" in said
    assert "only nb: 25 (0.4%)" in said
    # B is right where only A said yes to a negative: colours change sides.
    colors = [patch.get_facecolor() for patch in ax.patches[:8]]
    assert colors[:4] == colors[7:3:-1]


def test_labels_of_tiny_cells_stay_apart():
    result = compare_counts([1, 1, 10**6, 1], [0, 0, 0, 9], engine="exact", draws=99, seed=1)
    ax = plot_mosaic(result)
    ax.figure.canvas.draw()
    for side in (ax.texts[:4], ax.texts[4:8]):
        boxes = [text.get_window_extent() for text in side]
        assert all(a.y0 >= b.y1 - 1 for a, b in itertools.pairwise(boxes))


def test_a_mosaic_of_an_average_pools_and_one_of_separate_counts_is_refused():
    pos, neg = [[3, 1, 2, 4], [30, 0, 0, 0]], [[1, 1, 1, 9], [0, 0, 0, 5]]
    options = {"engine": "exact", "draws": 99, "seed": 1}
    pooled = plot_mosaic(compare_counts(pos, neg, average="macro", **options))
    assert headings(pooled)[0] == "40 positive\ndocument-category pairs"
    assert texts(pooled)[0] == "both said yes: 33 (82.5%)"
    assert pooled.get_ylabel() == "share of the document-category pairs"
    pooled.figure.canvas.draw()
    first, second = (label.get_window_extent() for label in pooled.get_xticklabels())
    assert headings(pooled)[1].startswith("17 negative")
    assert first.x1 < second.x0
    one = plot_mosaic(compare_counts(pos, neg, average="macro", **options), "0")
    assert headings(one)[0] == "10 positive documents"
    with pytest.raises(InputError, match="needs outcome pairs"):
        plot_mosaic(compare_counts(a=[9, 1, 1, 9], b=[8, 2, 2, 8], **options))
    classes = compare(list("abcabc"), list("abcabb"), list("abccbc"), model="joint", seed=1)
    assert headings(plot_mosaic(classes, "b"))[0] == "2 positive documents"


def powers(**columns):
    return pd.DataFrame(
        {"n": [500, 1000], "model": "paired", "power": [0.3, 0.9], "se": 0.1} | columns
    )


def test_power_has_a_line_per_model_and_scenario_with_bands():
    frame = pd.concat(
        [
            powers(scenario="(a)", goal=">>"),
            powers(scenario="(a)", goal=">>", model="unpaired", power=[0.2, 0.5]),
            powers(scenario="(b)", goal="=", power=[0.0, 0.4]),
        ]
    )
    ax = plot_power(frame.sample(frac=1, random_state=1))
    told = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert told == {
        "paired, (a), A ≫ B": [0.3, 0.9],
        "unpaired, (a), A ≫ B": [0.2, 0.5],
        "paired, (b), A ≈ B": [0.0, 0.4],
    }
    bands = [c.get_paths()[0].get_extents() for c in ax.collections]
    assert {round(float(band.y1), 6) for band in bands} == {1.0, 0.7, 0.6}  # cut at 1
    only = plot_power(frame, goal="≈")
    assert [line.get_label() for line in only.lines] == ["paired"]
    assert only.get_ylabel() == "power: probability of A ≈ B"


@pytest.mark.parametrize(
    ("frame", "goal", "said"),
    [
        ({"n": [1]}, None, "'frame' parameter must be a DataFrame"),
        (powers().drop(columns="se"), None, "one of n, model, power. Got 'se'"),
        (powers(power=[0.1, 1.5]), None, "powers between 0 and 1"),
        (powers(n=[0, 3]), None, "sizes of 1 or more"),
        (powers(), "better", "'goal' parameter must be one of"),
        (powers(goal="="), ">>", "'goal' parameter must be one of ="),
    ],
)
def test_what_power_plot_cannot_use_is_told(frame, goal, said):
    with pytest.raises(InputError, match=said):
        plot_power(frame, goal=goal)


@pytest.mark.parametrize(
    ("goal", "told"), [("settled", "a settled verdict"), ("= or >>", "A ≈ B or A ≫ B")]
)
def test_powers_of_any_goal_can_be_drawn(goal, told):
    frame = pd.DataFrame({"n": [500, 1000], "model": "paired", "power": [0.3, 0.5], "se": 0.01})
    label = plot_power(frame.assign(goal=goal)).get_ylabel()
    assert told in label.replace("\n", " ")
