"""A model in plate notation: what depends on what."""

from __future__ import annotations

from math import hypot

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from stanoff import models
from stanoff.errors import InputError
from stanoff.models import Model
from stanoff.models.graphs import Graph, Kind, Node, Plate
from stanoff.plots.style import literal, new_axes, shortened, themed

RADIUS, DOT, RING = 0.32, 0.07, 0.05
INCH = 0.62  # for one unit of the plane
PAD, NEST = 0.5, 0.16  # around what a plate holds, and more where it holds a plate
FOOT = 0.26  # room for a plate's label


@themed
def plot_graph(model: Model | str, *, ax: Axes | None = None) -> Axes:
    """Draw a model as a graph in plate notation, after Figures 1 to 3 of Zhang et al. (2016).

    Circles are unknown, shaded ones observed, double ones computed from their parents, dots
    constants; a frame repeats what is inside.

    Parameters
    ----------
    model : Model or str
        One of the registered models, or its name.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> len(plot_graph("paired").texts)
    14
    """
    chosen = model if isinstance(model, Model) else models.get(model)
    graph = chosen.graph
    if graph is None:
        raise InputError(
            f"There is no graph of {chosen.name}: only the models that stanoff has come with one."
        )
    frames = {plate: _frame(graph, plate) for plate in graph.plates}
    left = min([node.x - 0.5 for node in graph.nodes] + [frame[0] for frame in frames.values()])
    right = max([node.x + 0.5 for node in graph.nodes] + [frame[2] for frame in frames.values()])
    bottom = min([node.y - 0.5 for node in graph.nodes] + [frame[1] for frame in frames.values()])
    top = max([node.y + 0.4 for node in graph.nodes] + [frame[3] for frame in frames.values()])
    ax = ax or new_axes(INCH * (right - left + 0.3), INCH * (top - bottom + 0.9))
    ax.set(xlim=(left - 0.1, right + 0.1), ylim=(bottom - 0.1, top + 0.1), aspect="equal")
    ax.set_axis_off()
    for plate, frame in frames.items():
        _draw_plate(ax, plate, frame)
    for parent, child in graph.edges:
        _draw_edge(ax, graph.node(parent), graph.node(child))
    for node in graph.nodes:
        _draw_node(ax, node)
    ax.set_title(literal(shortened(chosen.name, 30)))
    return ax


def _frame(graph: Graph, plate: Plate) -> tuple[float, float, float, float]:
    """Find left, bottom, right and top of a plate; it goes around those named before it."""
    nodes = [graph.node(name) for name in plate.nodes]
    before = graph.plates[: graph.plates.index(plate)]
    pad = PAD + NEST * sum(bool(set(other.nodes) & set(plate.nodes)) for other in before)
    x, y = [node.x for node in nodes], [node.y for node in nodes]
    foot = 0 if plate.on_top else FOOT
    return min(x) - pad, min(y) - pad - foot, max(x) + pad, max(y) + pad


def _draw_plate(ax: Axes, plate: Plate, frame: tuple[float, float, float, float]) -> None:
    left, bottom, right, top = frame
    ax.add_patch(
        FancyBboxPatch(
            (left, bottom),
            right - left,
            top - bottom,
            boxstyle="round,pad=0,rounding_size=0.12",
            facecolor="none",
            edgecolor="0.35",
            linewidth=1,
            zorder=1,
        )
    )
    ax.text(
        right - 0.12,
        top - 0.06 if plate.on_top else bottom + 0.06,
        plate.label,
        ha="right",
        va="top" if plate.on_top else "bottom",
        fontsize=10,
        zorder=2,
    )


def _draw_edge(ax: Axes, parent: Node, child: Node) -> None:
    """Draw an arrow from rim to rim."""
    length = hypot(child.x - parent.x, child.y - parent.y)
    dx, dy = (child.x - parent.x) / length, (child.y - parent.y) / length
    start, end = rim(parent), rim(child)
    ax.add_patch(
        FancyArrowPatch(
            (parent.x + start * dx, parent.y + start * dy),
            (child.x - end * dx, child.y - end * dy),
            arrowstyle="-|>,head_length=0.45,head_width=0.2",
            mutation_scale=14,
            shrinkA=0,
            shrinkB=0,
            linewidth=1,
            color="0.2",
            zorder=3,
        )
    )


def rim(node: Node) -> float:
    """Return how far from its centre a node ends."""
    return DOT if node.kind is Kind.GIVEN else RADIUS


def _draw_node(ax: Axes, node: Node) -> None:
    place = node.x, node.y
    if node.kind is Kind.GIVEN:
        ax.add_patch(Circle(place, DOT, facecolor="black", edgecolor="black", zorder=4))
        ax.text(
            node.x - 0.14,
            node.y + 0.04,
            node.label,
            ha="right",
            va="center",
            fontsize=12,
            zorder=5,
        )
        return
    shade = "0.8" if node.kind is Kind.OBSERVED else "white"
    ax.add_patch(Circle(place, RADIUS, facecolor=shade, edgecolor="black", linewidth=1.1, zorder=4))
    if node.kind is Kind.DERIVED:
        ax.add_patch(Circle(place, RADIUS - RING, facecolor="none", edgecolor="black", zorder=4))
    ax.text(*place, node.label, ha="center", va="center", fontsize=12, zorder=5)
