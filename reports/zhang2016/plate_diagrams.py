"""Figures 1 to 3 of Zhang et al. (2016): the models in plate notation.

Circles are unknown, shaded ones observed, double ones computed from their parents, dots are
constants; a frame repeats what is inside.
"""

from math import hypot
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from stanoff.plots import theme

RADIUS = {"constant": 0.07, "unknown": 0.32, "observed": 0.32, "computed": 0.32}


class Node(NamedTuple):
    """A variable: what is written in its circle, where it stands, what kind it is."""

    label: str
    x: float
    y: float
    kind: str = "unknown"


class Graph(NamedTuple):
    """Nodes by name, edges as "parent>child", and plates as label, left, bottom, right, top."""

    title: str
    nodes: dict[str, Node]
    edges: str
    plates: list[tuple[str, float, float, float, float]]


COUNTS = {
    "beta": Node(r"$\beta$", 3, 5.1, "constant"),
    "mu": Node(r"$\mu$", 3, 4),
    "alpha_pos": Node(r"$\alpha^{+}$", 1, 5.1, "constant"),
    "alpha_neg": Node(r"$\alpha^{-}$", 5, 5.1, "constant"),
    "N": Node("$N$", 2.2, 3.3, "constant"),
    "n": Node(r"$n^{\pm}$", 3, 2.6, "observed"),
    "c_pos": Node("$c^{+}$", 1, 2.6, "observed"),
    "c_neg": Node("$c^{-}$", 5, 2.6, "observed"),
}
RATES = "beta>mu alpha_pos>rho_pos alpha_neg>rho_neg mu>psi rho_pos>psi rho_neg>psi psi>delta"
DOCUMENTS = Graph(
    "documents",
    {
        "alpha_pos": Node(r"$\alpha^{+}$", 0.6, 5.1, "constant"),
        "alpha_neg": Node(r"$\alpha^{-}$", 2.2, 5.1, "constant"),
        "beta": Node(r"$\beta$", 4.2, 5.1, "constant"),
        "rho_pos": Node(r"$\rho^{+}$", 0.6, 4),
        "rho_neg": Node(r"$\rho^{-}$", 2.2, 4),
        "mu": Node(r"$\mu$", 4.2, 4),
        "predicted": Node(r"$\hat{y}$", 0.9, 2.5, "observed"),
        "y": Node("$y$", 4.2, 2.5, "observed"),
        "psi": Node(r"$\psi$", 3.1, 0.9, "computed"),
        "delta": Node(r"$\delta$", 3.1, -0.5, "computed"),
    },
    f"{RATES} mu>y rho_pos>predicted rho_neg>predicted y>predicted",
    [("$N$", 0.4, 1.74, 4.7, 3.0), ("A, B", -0.06, 0.24, 4.86, 5.76)],
)
UNPAIRED = Graph(
    "unpaired",
    {
        **COUNTS,
        "rho_pos": Node(r"$\rho^{+}$", 1, 4),
        "rho_neg": Node(r"$\rho^{-}$", 5, 4),
        "psi": Node(r"$\psi$", 2, 0.9, "computed"),
        "delta": Node(r"$\delta$", 2, -0.6, "computed"),
    },
    f"{RATES} mu>n N>n rho_pos>c_pos n>c_pos rho_neg>c_neg n>c_neg",
    [("$K$", 0.5, -1.36, 5.5, 4.5), ("A, B", 0.34, 0.24, 5.66, 5.76)],
)
PAIRED = Graph(
    "paired",
    {
        **COUNTS,
        "theta_pos": Node(r"$\theta^{+}$", 1, 4),
        "theta_neg": Node(r"$\theta^{-}$", 5, 4),
        "psi_A": Node(r"$\psi^{\mathrm{A}}$", 2, 0.9, "computed"),
        "psi_B": Node(r"$\psi^{\mathrm{B}}$", 4, 0.9, "computed"),
        "delta": Node(r"$\delta$", 3, 0, "computed"),
    },
    "alpha_pos>theta_pos alpha_neg>theta_neg beta>mu mu>n N>n theta_pos>c_pos n>c_pos "
    "theta_neg>c_neg n>c_neg mu>psi_A theta_pos>psi_A theta_neg>psi_A mu>psi_B theta_pos>psi_B "
    "theta_neg>psi_B psi_A>delta psi_B>delta",
    [("$K$", 0.5, -0.76, 5.5, 4.5)],
)


def draw_graph(graph: Graph, ax: Axes | None = None) -> Axes:
    """Draw a model in plate notation."""
    if ax is None:
        with theme():
            _, ax = plt.subplots(figsize=(3.6, 4.6), layout="constrained")
    ax.set(xlim=(-0.2, 5.8), ylim=(-1.5, 5.9), aspect="equal")
    ax.set_axis_off()
    for plate in graph.plates:
        draw_plate(ax, *plate)
    for edge in graph.edges.split():
        draw_arrow(ax, *(graph.nodes[name] for name in edge.split(">")))
    for node in graph.nodes.values():
        draw_node(ax, node)
    ax.set_title(graph.title)
    return ax


def draw_plate(ax: Axes, label: str, left: float, bottom: float, right: float, top: float) -> None:
    """Draw a frame; the label of both systems stands in its upper corner."""
    look = {"facecolor": "none", "edgecolor": "0.35", "zorder": 1}
    rounded = "round,pad=0,rounding_size=0.12"
    size = right - left, top - bottom
    ax.add_patch(FancyBboxPatch((left, bottom), *size, boxstyle=rounded, **look))
    y, va = (top - 0.06, "top") if label == "A, B" else (bottom + 0.06, "bottom")
    ax.text(right - 0.12, y, label, ha="right", va=va, fontsize=10, zorder=2)


def draw_arrow(ax: Axes, parent: Node, child: Node) -> None:
    """Draw an arrow from rim to rim."""
    length = hypot(child.x - parent.x, child.y - parent.y)
    dx, dy = (child.x - parent.x) / length, (child.y - parent.y) / length
    start, end = RADIUS[parent.kind], RADIUS[child.kind]
    tail = parent.x + start * dx, parent.y + start * dy
    tip = child.x - end * dx, child.y - end * dy
    look = {"arrowstyle": "-|>,head_length=0.45,head_width=0.2", "mutation_scale": 14}
    look |= {"shrinkA": 0, "shrinkB": 0, "color": "0.2", "zorder": 3}
    ax.add_patch(FancyArrowPatch(tail, tip, **look))


def draw_node(ax: Axes, node: Node) -> None:
    """Draw a dot with its label beside it, or a circle with its label inside."""
    centre, radius = (node.x, node.y), RADIUS[node.kind]
    if node.kind == "constant":
        ax.add_patch(Circle(centre, radius, color="black", zorder=4))
        ax.text(node.x - 0.14, node.y + 0.04, node.label, ha="right", va="center", fontsize=12)
        return
    shade = "0.8" if node.kind == "observed" else "white"
    ax.add_patch(Circle(centre, radius, facecolor=shade, edgecolor="black", zorder=4))
    if node.kind == "computed":
        ax.add_patch(Circle(centre, radius - 0.05, facecolor="none", edgecolor="black", zorder=4))
    ax.text(*centre, node.label, ha="center", va="center", fontsize=12, zorder=5)
