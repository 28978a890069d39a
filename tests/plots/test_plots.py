import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.integrate import trapezoid

from stanoff import compare_counts
from stanoff.plots import plot_factor, plot_posterior, plot_trace

PLOTS = [plot_posterior, plot_factor, plot_trace]


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def texts(ax):
    return [t.get_text() for t in ax.texts]


def inside(ax):
    """Every text of the axes, and its title and labels, lies within the figure."""
    figure = ax.figure
    figure.canvas.draw()
    frame = figure.bbox
    shown = [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]
    boxes = [t.get_window_extent() for t in shown if t.get_text()]
    return all(
        box.x0 >= frame.x0 - 1
        and box.x1 <= frame.x1 + 1
        and box.y0 >= frame.y0 - 1
        and box.y1 <= frame.y1 + 1
        for box in boxes
    )


@pytest.mark.parametrize("plot", PLOTS)
def test_takes_and_returns_axes(stored, plot):
    _, (left, right) = plt.subplots(1, 2)
    assert plot(stored, ax=right) is right
    assert not left.has_data()
    assert plot(stored) is not right
    assert getattr(stored, plot.__name__)(ax=left) is left


def test_the_posterior_plot_tells_the_evidence(stored):
    ax = plot_posterior(stored)
    e = stored.evidence()
    said = " ".join(texts(ax))
    assert f"mean {e.mean:+.3f}" in said
    assert f"{100 * e.p_less:.1f}% < 0 < {100 * e.p_greater:.1f}%" in said
    assert e.p_rope > 0.999
    assert ">99.9% in ROPE [-0.05, +0.05]" in said
    assert f"95% HDI [{e.hdi[0]:+.3f}, {e.hdi[1]:+.3f}]" in said
    verticals = {float(line.get_xdata()[0]) for line in ax.lines if len(set(line.get_xdata())) == 1}
    assert verticals == {-0.05, 0.0, 0.05}
    [interval] = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 4]
    assert tuple(interval) == pytest.approx(e.hdi)
    assert ax.get_title() == "svm ≈ nb"
    [outline] = [c.get_paths()[0].vertices for c in ax.collections if len(c.get_paths()[0]) > 99]
    top = outline[outline[:, 1] > 0]
    assert trapezoid(top[:, 1], top[:, 0]) == pytest.approx(1, abs=0.01)


def test_the_factor_plot_has_its_dots_on_the_curves(stored):
    ax = plot_factor(stored)
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    title = ax.get_legend().get_title().get_text()
    curves = [line for line in ax.lines if len(line.get_xdata()) > 100]
    assert len(dots) == len(curves) == 2
    for dot, curve in zip(dots, curves, strict=True):
        assert dot.get_xdata()[0] == 0
        height = np.interp(0, *curve.get_data())
        assert dot.get_ydata()[0] == pytest.approx(height, rel=0.02)
    ratio = dots[1].get_ydata()[0] / dots[0].get_ydata()[0]
    assert ratio == pytest.approx(stored.evidence().bf_sd)
    assert f"{stored.evidence().bf_sd:.3g}" in title
    assert "infinite" in title


def test_the_trace_plot_has_a_line_per_chain(stored):
    ax = plot_trace(stored)
    lines = [line for line in ax.lines if len(line.get_xdata())]  # those of the legend are empty
    assert len(lines) == 4
    np.testing.assert_allclose(lines[2].get_ydata(), stored.draws.posterior["delta"][2, :, 0])


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(
    ("pos", "options"),
    [
        ([310, 85, 20, 43], {"names": ("my $new$ model", "a baseline with a rather long name")}),
        ([10, 5, 300, 3], {"measure": "recall"}),
        ([310, 25, 20, 43], {"rope": 0.25}),
        ([310, 25, 20, 43], {"rope": (0.3, 0.5), "categories": ["comp.sys.ibm.pc.hardware"]}),
        ([310_000, 250, 200, 4300], {"rope": 0}),
    ],
)
def test_nothing_is_cut_off(plot, pos, options):
    result = compare_counts(pos, [40, 30, 25, 7039], engine="exact", draws=4000, seed=1, **options)
    assert inside(plot(result))


def test_an_average_can_be_drawn():
    result = compare_counts(
        [[30, 4, 1, 5]] * 3, [[1, 1, 1, 90]] * 3, engine="exact", draws=500, seed=1, average="macro"
    )
    assert "macro-averaged F1" in plot_posterior(result).get_xlabel()
    assert "F1 on category 1" in plot_factor(result, "1").get_xlabel()
