import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest

from stanoff import InputError, compare_counts
from stanoff.inference.decision import Decision
from stanoff.plots import plot_forest, plot_prior
from stanoff.plots.intervals import Row, _draw_rows
from stanoff.plots.style import DECISION_STYLE


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def fitted(k, **options):
    rng = np.random.default_rng(3)
    lead = rng.uniform(-0.13, 0.13, k)
    pos = [rng.multinomial(200, [0.6, 0.14 + d, 0.14 - d, 0.12]) for d in lead]
    settings = {"engine": "exact", "draws": 200, "seed": 1}
    return compare_counts(pos, [[4, 4, 4, 988]] * k, **(settings | options))


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def intervals(ax):
    return {seg[0, 1]: (seg[0, 0], seg[1, 0]) for c in ax.collections for seg in c.get_segments()}


def test_rows_are_sorted_and_tell_the_summary():
    result = fitted(12, average="macro")
    ax = plot_forest(result)
    table = result.summary()
    ordered = table[:12].sort_values("mean", ascending=False)
    assert labels(ax)[:12] == list(ordered["category"])
    assert labels(ax)[12:] == ["macro average", "micro average", "weighted average"]
    assert [t.get_fontweight() for t in ax.get_yticklabels()][-3:] == ["bold", "normal", "normal"]
    drawn, places = intervals(ax), ax.get_yticks()
    rows = [*ordered.itertuples(), *table[12:].itertuples()]
    for place, row in zip(places, rows, strict=True):
        assert drawn[place] == pytest.approx((row.hdi_low, row.hdi_high))
    symbols = [text.get_text() for text in ax.texts]
    assert symbols == [Decision(row.decision).symbol for row in rows]
    assert places[12] - places[11] > 1.2  # the averages stand apart


def test_marks_follow_the_decision_and_can_be_told_in_grey():
    assert len({style[1:] for style in DECISION_STYLE.values()}) == len(Decision)
    result = fitted(30)
    ax = plot_forest(result)
    means = {round(e.mean, 9): e.decision for e in map(result.evidence, result.categories)}
    seen = set()
    for line in ax.lines:
        for x in line.get_xdata() if line.get_linestyle() == "None" else ():
            color, marker, filled = DECISION_STYLE[means[round(float(x), 9)]]
            assert (line.get_marker(), line.get_color()) == (marker, color)
            assert (line.get_markerfacecolor() == "white") is not filled
            seen.add(marker)
    assert len(seen) > 1


def test_rope_hdi_and_order_can_be_chosen():
    result = fitted(3)
    asked = result.judge(rope=(-0.01, 0.2), hdi_prob=0.5)
    ax = plot_forest(asked, sort=False)
    assert labels(ax) == ["0", "1", "2"]
    low, high = intervals(ax)[0]
    assert (low, high) == pytest.approx(asked.evidence("0").hdi)
    assert asked.evidence("0").hdi != result.evidence("0").hdi
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "ROPE [-0.01, +0.2]" in told
    assert "50% HDI, mean marked" in told
    with pytest.raises(InputError, match="'rope'"):
        result.judge(rope="wide")
    with pytest.raises(InputError, match="'hdi_prob'"):
        result.judge(hdi_prob=95)


@pytest.mark.parametrize(("k", "average"), [(1, None), (20, "macro"), (90, "micro"), (1000, None)])
def test_labels_do_not_overlap_however_many_categories_there_are(k, average):
    result = fitted(k, average=average, draws=50)
    ax = plot_forest(result)
    ax.figure.canvas.draw()
    assert ax.figure.get_figheight() <= 14
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(above.y0 > below.y1 - 2 for above, below in itertools.pairwise(boxes))
    assert len(intervals(ax)) == len(result.categories)
    shown = "one in" in ax.get_ylabel()
    assert shown == (len(labels(ax)) < len(result.categories)) == (k == 1000)


def test_an_interval_that_reaches_far_ends_in_an_arrow():
    _, ax = plt.subplots()
    rows = [Row(str(i), 0.0, -0.1, 0.1, Decision.WORSE) for i in range(9)]
    _draw_rows(ax, [*rows, Row("far", 400.0, -0.1, 900.0, Decision.BETTER)], (-0.05, 0.05))
    assert ax.get_xlim()[1] < 1
    arrows = [line for line in ax.lines if line.get_marker() == ">" and len(line.get_xdata())]
    assert [line.get_ydata().tolist() for line in arrows] == [[9.0]]


def test_the_prior_plot_tells_every_prior(stored):
    from stanoff import Prior

    ax = plot_prior(stored, priors={"strong": Prior(alpha_pos=50.0), "weak": Prior.perks()})
    assert labels(ax) == ["as fitted", "strong", "weak"]
    table = stored.sensitivity(priors={"strong": Prior(alpha_pos=50.0)}).priors.iloc[0]
    assert intervals(ax)[1] == pytest.approx((table["hdi_low"], table["hdi_high"]))
    assert intervals(ax)[0] == pytest.approx(stored.evidence().hdi)
    with pytest.raises(InputError, match="'priors'"):
        plot_prior(stored, priors={})
