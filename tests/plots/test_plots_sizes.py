"""Figures for columns, pages and slides: no text lies on another or is cut off at any width."""

from itertools import combinations, product
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from conftest import script

from stanoff import InputError, plots
from stanoff.plots import style

make = script(Path(__file__).parent / "images" / "make.py")
NAMES = {
    "short": ("svm", "nb"),
    "long": ("a support vector machine, tuned", "naive Bayes with many features"),
    "CJK": ("サポートベクターマシン", "朴素贝叶斯分类器"),
}
FONTS = {3.3: 7, 6.9: 10, 12.0: 12}
FIGURES = {
    "posterior": lambda names, ax: plots.plot_posterior(make.categories(names=names), "3", ax=ax),
    "factor": lambda names, ax: plots.plot_factor(make.categories(names=names), "3", ax=ax),
    "trace": lambda names, ax: plots.plot_trace(make.categories(names=names), "3", ax=ax),
    "forest": lambda names, ax: plots.plot_forest(make.categories(names=names), ax=ax),
    "prior": lambda names, ax: plots.plot_prior(make.categories(names=names), "3", ax=ax),
    "joint": lambda names, ax: plots.plot_joint(make.categories(names=names), "3", ax=ax),
    "mosaic": lambda names, ax: plots.plot_mosaic(make.categories(names=names), "3", ax=ax),
    "rope": lambda names, ax: plots.plot_rope(make.categories(names=names), "17", ax=ax),
    "power": lambda names, ax: plots.plot_power(make.powers(), ax=ax),
    "plan": lambda names, ax: plots.plot_plan(make.planned("more documents", names), ax=ax),
    "roc": lambda names, ax: plots.plot_roc(make.probabilities(names), ax=ax),
    "roc_difference": lambda names, ax: plots.plot_roc_difference(make.probabilities(names), ax=ax),
    "precision_recall": lambda names, ax: plots.plot_precision_recall(
        make.probabilities(names), ax=ax
    ),
    "reliability": lambda names, ax: plots.plot_reliability(make.probabilities(names), ax=ax),
    "rank": lambda names, ax: plots.plot_rank(make.calibration(), ax=ax),
    "ecdf": lambda names, ax: plots.plot_ecdf(make.calibration(), ax=ax),
    "scores": lambda names, ax: plots.plot_scores(contested(names), ax=ax),
    "matrix": lambda names, ax: plots.plot_matrix(contested(names), ax=ax),
    "ranks": lambda names, ax: plots.plot_ranks(contested(names), ax=ax),
}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def contested(names):
    return make.contested(8, tuple(f"{name} {i}" for i in range(4) for name in names))


def own_axes(width):
    _, ax = plt.subplots(figsize=(width, 0.75 * width), layout="constrained")
    return ax


def faults(ax):
    """Pairs of texts that cover each other, and texts that are cut off."""
    ax.figure.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent()) for text in make.texts(ax)]
    covered = [
        (one, other)
        for (one, a), (other, b) in combinations(boxes, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1.5
    ]
    width, height = ax.figure.bbox.size
    cut = [
        text
        for text, box in boxes
        if min(box.x0, box.y0) < -1 or box.x1 > width + 1 or box.y1 > height + 1
    ]
    return covered + cut


def faults_at(name, width, kind):
    font = FONTS[width]
    with mpl.rc_context({"font.size": font, "legend.fontsize": 0.9 * font}):
        return faults(FIGURES[name](NAMES[kind], own_axes(width)))


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_on_another_or_is_cut_off_where_there_is_least_room(name):
    assert faults_at(name, 3.3, "long") == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_on_another_or_is_cut_off(name):
    for width, kind in product(FONTS, NAMES):
        assert faults_at(name, width, kind) == [], (width, kind)
        plt.close("all")


def test_one_warning_names_a_font_where_letters_have_none(monkeypatch):
    monkeypatch.setattr(style, "_has_glyph", lambda letter: ord(letter) < 0x2E80)
    style._warn_of_boxes.cache_clear()
    result = make.categories(names=NAMES["CJK"])
    with pytest.warns(UserWarning, match="Noto Sans CJK has Chinese, Japanese") as warned:
        titles = [
            draw(result, "3").get_title() for draw in (plots.plot_posterior, plots.plot_joint)
        ]
    assert len(warned) == 1
    assert all("□" in title for title in titles)
    assert style.clean("café 🎉") == "café □"  # a picture is no letter
    style._warn_of_boxes.cache_clear()


def test_the_fault_finder_finds_faults():
    ax = own_axes(3.3)
    ax.text(0.5, 0.5, "one")
    ax.text(0.5, 0.5, "other")
    ax.text(0.9, 0.2, "beyond the side of the figure").set_in_layout(False)
    assert faults(ax) == [("one", "other"), "beyond the side of the figure"]


def test_a_theme_sets_width_and_fonts_and_has_no_type_3():
    for medium, width, font in (("column", 3.3, 7), ("page", 6.5, 10), ("slide", 10, 16)):
        with plots.theme(medium):
            ax = plots.plot_posterior(make.categories(), "3")
            assert ax.figure.get_figwidth() == width
            assert ax.xaxis.label.get_fontsize() == font
            assert mpl.rcParams["pdf.fonttype"] == 42
            assert plt.subplots()[0].get_figwidth() == width
        assert faults(ax) == []
    assert plots.plot_posterior(make.categories(), "3").figure.get_figwidth() == 6.5
    with pytest.raises(InputError, match="'medium' parameter must be one of column, page"):
        plots.theme("poster").__enter__()


def test_a_text_comes_back_where_there_is_room():
    ax = plots.plot_mosaic(make.categories(), "3")
    ax.figure.draw_without_rendering()
    full = [text.get_text() for text in ax.texts]
    ax.figure.set_size_inches(5.5, 3.5)
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts] != full
    ax.figure.set_size_inches(7.25, 4.25)
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts] == full


def test_numbers_legend_and_title_can_be_left_out():
    ax = plots.plot_forest(make.categories(), annotate=False, legend=False, title=False)
    assert (list(ax.texts), ax.get_legend(), ax.get_title()) == ([], None, "")
    assert make.categories().plot_posterior("3", title="My 5$").get_title() == r"My 5\$"
