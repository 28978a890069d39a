import re
from colorsys import rgb_to_hsv
from importlib.resources import files
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import seaborn as sns
from conftest import script
from matplotlib.colors import to_rgb

from stanoff import InputError, compare, compare_counts, contest, plots
from stanoff.inference.decision import Decision
from stanoff.plots.style import DECISION_STYLE, clean, pad_limits, shorten, text_width
from stanoff.report.figures import as_bytes

planned = script(Path(__file__).parent / "images" / "make.py").planned
NAMES = [
    ("$\\frac{1}{2$ %_& \\ {", "a^b$"),
    ("עברית", "العربية"),
    ("😀🎉 emoji", "漢字漢字漢字"),
    ("x" * 300, "a classifier with a name of more than forty letters"),
]
DRAW = {
    "forest": plots.plot_forest,
    "joint": plots.plot_joint,
    "mosaic": plots.plot_mosaic,
    "priors": plots.plot_prior,
    "ropes": plots.plot_rope,
    "posterior": plots.plot_posterior,
    "factor": plots.plot_factor,
    "trace": plots.plot_trace,
    "plan": lambda result: plots.plot_plan(planned("more documents", result.names)),
}
OF_SCORES = {
    "roc": plots.plot_roc,
    "roc_difference": plots.plot_roc_difference,
    "precision_recall": plots.plot_precision_recall,
    "reliability": plots.plot_reliability,
}
OF_CONTESTS = {
    "scores": plots.plot_scores,
    "matrix": plots.plot_matrix,
    "ranks": plots.plot_ranks,
}
EXTREMES = {
    "usual": ([310, 25, 20, 43], [40, 30, 25, 7039], {}),
    "identical": ([80, 0, 0, 20], [10, 0, 0, 890], {}),
    "four draws": ([80, 5, 0, 20], [10, 0, 0, 890], {"draws": 4}),
    "odds ratios": ([5, 300, 1, 0], [0, 0, 2, 9000], {"measure": "dor", "rope": 1.0}),
    "far away": ([10, 5, 300, 3], [40, 30, 25, 7039], {"measure": "recall"}),
    "uneven ROPE": ([310, 25, 20, 43], [40, 30, 25, 7039], {"rope": (0.3, 0.5)}),
    "no ROPE": ([310, 25, 20, 43], [40, 30, 25, 7039], {"rope": 0}),
    "lower is better": ([250, 85, 20, 43], [40, 30, 25, 7039], {"measure": "error"}),
    "nothing": ([0, 0, 0, 0], [0, 0, 0, 9], {}),
}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def fitted(pos=(310, 25, 20, 43), neg=(40, 30, 25, 7039), **options):
    settings = {"engine": "exact", "draws": 800, "seed": 1} | options
    return compare_counts(list(pos), list(neg), **settings)


def cut_off(ax):
    """What is written and does not lie within the figure."""
    ax.figure.canvas.draw()
    frame = ax.figure.bbox
    shown = [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]
    low, high = sorted(ax.get_ylim())
    ticks = zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    shown += [label for place, label in ticks if low <= place <= high]
    if legend := ax.get_legend():
        shown += [legend.get_title(), *legend.get_texts()]
    boxes = [(t.get_text(), t.get_window_extent()) for t in shown if t.get_text()]
    return [
        text
        for text, box in boxes
        if box.x0 < -1 or box.y0 < -1 or box.x1 > frame.x1 + 1 or box.y1 > frame.y1 + 1
    ]


@pytest.mark.parametrize("plot", DRAW)
@pytest.mark.parametrize("names", NAMES, ids=["TeX", "right to left", "emoji", "long"])
def test_no_name_breaks_a_figure_or_is_cut_off(plot, names):
    result = fitted(names=names, categories=[names[0]])
    assert cut_off(DRAW[plot](result)) == []


def scored(kind, names=("svm", "nb")):
    """Scores of the extremes: apart, constant, in few grades, and of one document."""
    truth = np.repeat([1, 0], [1, 39] if kind == "one positive" else [15, 25])
    steps = np.linspace(0.05, 0.95, 40)
    a = {"apart": np.where(truth == 1, 0.9, 0.1) + steps / 20, "constant": np.full(40, 0.5)}
    a = a.get(kind, np.round(steps, 1))
    b = np.roll(steps, 15)
    return compare(truth, a, b, measure="auc", names=names, draws=100, seed=1)


@pytest.mark.parametrize("plot", OF_SCORES)
def test_curves_are_drawn_of_any_scores_and_names(plot):
    for kind in ("apart", "constant", "grades", "one positive"):
        ax = OF_SCORES[plot](scored(kind))
        assert cut_off(ax) == []
        assert ax.has_data()
    for names in NAMES:
        assert cut_off(OF_SCORES[plot](scored("grades", names))) == []
    with pytest.raises(InputError, match="Curves need scores of documents"):
        OF_SCORES[plot](fitted())


def contested(names=("a", "b", "c"), **options):
    truth = np.tile([1, 1, 0, 0, 0], 20)
    said = (np.roll(truth, shift) if shift < 2 else truth for shift in range(len(names)))
    settings = {"seed": 1, "draws": 300} | options
    return contest(truth, dict(zip(names, said, strict=True)), **settings)


@pytest.mark.parametrize("plot", OF_CONTESTS)
@pytest.mark.parametrize("names", NAMES, ids=["TeX", "right to left", "emoji", "long"])
def test_no_name_breaks_a_figure_of_a_contest(plot, names):
    result = contested([*names, f"{names[0]} 2"])
    assert cut_off(OF_CONTESTS[plot](result)) == []


def test_long_names_of_many_systems_are_not_cut_off():
    result = contested([f"{NAMES[3][1]} {i}" for i in range(40)])
    for plot in (plots.plot_scores, plots.plot_ranks):
        assert cut_off(plot(result)) == []


@pytest.mark.parametrize("plot", OF_CONTESTS)
@pytest.mark.parametrize(
    "options", [{"measure": "error"}, {"rope": 0}, {"rope": (0.01, 0.3)}, {"draws": 4}]
)
def test_figures_of_contests_stand_extremes_and_settings(plot, options):
    result = contested(**options)
    plain = as_bytes(OF_CONTESTS[plot](result), "png")
    assert cut_off(OF_CONTESTS[plot](result)) == []
    with plt.style.context("dark_background"):
        mpl.rcParams["text.usetex"] = True
        assert as_bytes(OF_CONTESTS[plot](result), "png") == plain
    figure, ax = plt.subplots(figsize=(2, 2))
    assert getattr(result, f"plot_{plot}")(ax=ax) is ax
    with pytest.raises(InputError, match="'ax' parameter must be matplotlib Axes"):
        OF_CONTESTS[plot](result, ax=figure)


@pytest.mark.parametrize("plot", DRAW)
@pytest.mark.parametrize("kind", EXTREMES)
def test_no_extreme_breaks_a_figure(plot, kind):
    pos, neg, options = EXTREMES[kind]
    assert cut_off(DRAW[plot](fitted(pos, neg, **options))) == []


@pytest.mark.parametrize("plot", DRAW)
def test_the_look_does_not_depend_on_the_users_settings(plot):
    result = fitted()
    plain = as_bytes(DRAW[plot](result), "png")
    with plt.style.context("dark_background"):
        sns.set_theme(context="talk", style="darkgrid", font="serif")
        mpl.rcParams["text.usetex"] = True
        before = mpl.rcParams.copy()
        assert as_bytes(DRAW[plot](result), "png") == plain
        assert mpl.rcParams == before


def test_own_axes_keep_the_users_settings():
    with plt.style.context({"font.size": 20, "axes.titlesize": "large"}):
        _, ax = plt.subplots()
        plots.plot_posterior(fitted(), ax=ax)
    assert ax.title.get_fontsize() == pytest.approx(24)


@pytest.mark.parametrize("plot", DRAW)
def test_own_axes_must_be_axes(plot):
    draw = getattr(plots, "plot_" + {"priors": "prior", "ropes": "rope"}.get(plot, plot))
    figure, ax = plt.subplots()
    shown = planned() if plot == "plan" else fitted()
    with pytest.raises(InputError, match="'ax' parameter must be matplotlib Axes"):
        draw(shown, ax=figure)
    assert draw(shown, ax=ax) is ax
    _, again = plt.subplots()
    method = shown.plot if plot == "plan" else getattr(shown, f"plot_{plot}")
    assert method(ax=again) is again


def test_a_new_figure_that_cannot_be_drawn_is_closed():
    figure, ax = plt.subplots()
    for options in ({}, {"ax": ax}):
        with pytest.raises(InputError, match="Curves need scores"):
            plots.plot_roc(fitted(), **options)
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("style", ["svg", "pdf", "png"])
def test_figures_are_the_same_bytes_in_every_format(style):
    result = fitted()
    assert as_bytes(plots.plot_mosaic(result), style) == as_bytes(plots.plot_mosaic(result), style)


def test_long_names_lose_their_middle():
    assert shorten("short", 24) == "short"
    for text in ("x" * 50, "漢字" * 20, "a\u0301" * 40, "two  spaces " * 9):
        told = shorten(text, 21)
        assert "…" in told
        assert 10 <= text_width(told) <= 21
    assert shorten("comp.sys.ibm.pc.hardware", 10).endswith("ware")


def test_names_are_written_as_they_are():
    assert clean("5$ or 6$") == r"5\$ or 6\$"
    assert clean("a\x00b\U0010ffff") == "a□b□"
    ax = plt.figure().add_subplot(title=clean("$x^2$"))
    ax.figure.canvas.draw()
    parsed = ax.title._preprocess_math(ax.title.get_text())
    assert parsed == ("$x^2$", False)


def test_a_range_is_never_empty():
    assert pad_limits(1.0, 1.0) == (0.99, 1.01)
    with pytest.raises(InputError, match="nothing to draw"):
        pad_limits(0.0, np.inf)


def luminance(color):
    """As WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


@pytest.mark.parametrize(
    ("name", "decision"),
    [("better", Decision.BETTER), ("equal", Decision.EQUIVALENT), ("worse", Decision.WORSE)],
)
def test_pages_and_figures_have_the_same_hues_and_letters_stand_out(name, decision):
    css = files("stanoff.report").joinpath("page.css").read_text()
    light, dark = re.findall(rf"--{name}: (#\w+)", css)
    hue = rgb_to_hsv(*to_rgb(DECISION_STYLE[decision][0]))[0]
    for color, back in ((light, "#ffffff"), (dark, "#15181b")):
        assert abs(rgb_to_hsv(*to_rgb(color))[0] - hue) < 0.05
        levels = sorted((luminance(color) + 0.05, luminance(back) + 0.05))
        assert levels[1] / levels[0] > 4.5
