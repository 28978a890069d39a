"""The graphical models behind the programs: what depends on what, and where it stands.

Nodes carry the names that the variables have in the Stan programs, so that a picture can be held
against its program. Places are in a plane where a node has a radius of 0.32; y grows upwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Edge = tuple[str, str]


class Kind(StrEnum):
    """What a node stands for, which is what its picture tells."""

    GIVEN = "given"  # a constant: a dot
    FREE = "free"  # unknown: a circle
    OBSERVED = "observed"  # counted: a shaded circle
    DERIVED = "derived"  # a function of its parents: a double circle


@dataclass(frozen=True)
class Node:
    """A variable.

    Attributes
    ----------
    name : str
        As in the Stan program.
    label : str
        What is written, in TeX.
    x, y : float
        Where it stands.
    kind : Kind
        What it stands for.
    """

    name: str
    label: str
    x: float
    y: float
    kind: Kind = Kind.FREE


@dataclass(frozen=True)
class Plate:
    """A frame around what is repeated.

    Attributes
    ----------
    label : str
        How often, in TeX.
    nodes : tuple of str
        The names of what is inside.
    on_top : bool
        Whether the label stands in the upper corner.
    """

    label: str
    nodes: tuple[str, ...]
    on_top: bool = False


@dataclass(frozen=True)
class Graph:
    """A model as a directed graph without cycles.

    Attributes
    ----------
    nodes : tuple of Node
        The variables.
    edges : tuple of Edge
        Pairs of names, from parent to child.
    plates : tuple of Plate
        What is repeated; one that goes around others comes after them.

    Examples
    --------
    >>> Graph((), (("psi_A", "delta"), ("psi_B", "delta")), ()).parents("delta")
    ('psi_A', 'psi_B')
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    plates: tuple[Plate, ...]

    def node(self, name: str) -> Node:
        """Find a node by its name."""
        return next(node for node in self.nodes if node.name == name)

    def parents(self, name: str) -> tuple[str, ...]:
        """Return what a node depends on directly."""
        return tuple(parent for parent, child in self.edges if child == name)


CATEGORIES, DOCUMENTS_EACH, CLASSIFIERS, SYSTEMS = "$K$", "$N$", "A, B", "$S$"


def edges_of(**parents: str) -> tuple[Edge, ...]:
    """Read ``child="parent parent"``."""
    return tuple((parent, child) for child, names in parents.items() for parent in names.split())


def given(name: str, label: str, x: float, y: float) -> Node:
    """Make a node of a constant."""
    return Node(name, label, x, y, Kind.GIVEN)


def plate_of(label: str, nodes: tuple[Node, ...], *without: str) -> Plate:
    """Put everything into a plate but what is named."""
    inside = tuple(node.name for node in nodes if node.name not in without)
    return Plate(label, inside, on_top=label == CLASSIFIERS)


WEIGHTS = (
    given("alpha_pos", r"$\alpha^{+}$", 1, 5.1),
    given("beta", r"$\beta$", 3, 5.1),
    given("alpha_neg", r"$\alpha^{-}$", 5, 5.1),
)
DOCUMENTS = (
    given("N", "$N$", 2.2, 3.3),
    Node("n_class", r"$n^{\pm}$", 3, 2.6, Kind.OBSERVED),
    Node("c_pos", "$c^{+}$", 1, 2.6, Kind.OBSERVED),
    Node("c_neg", "$c^{-}$", 5, 2.6, Kind.OBSERVED),
)
PAIRS = (
    Node("theta_pos", r"$\theta^{+}$", 1, 4),
    Node("mu", r"$\mu$", 3, 4),
    Node("theta_neg", r"$\theta^{-}$", 5, 4),
    *DOCUMENTS,
    Node("psi_A", r"$\psi^{\mathrm{A}}$", 2, 0.9, Kind.DERIVED),
    Node("psi_B", r"$\psi^{\mathrm{B}}$", 4, 0.9, Kind.DERIVED),
    Node("delta", r"$\delta$", 3, 0, Kind.DERIVED),
)
RATES = (
    Node("rho_pos", r"$\rho^{+}$", 1, 4),
    Node("mu", r"$\mu$", 3, 4),
    Node("rho_neg", r"$\rho^{-}$", 5, 4),
    *DOCUMENTS,
    Node("psi", r"$\psi$", 2, 0.9, Kind.DERIVED),
    Node("delta", r"$\delta$", 2, -0.6, Kind.DERIVED),
)
# What all programs of outcome pairs, and all of rates, have in common.
OF_PAIRS = edges_of(
    mu="beta",
    n_class="mu N",
    c_pos="theta_pos n_class",
    c_neg="theta_neg n_class",
    psi_A="mu theta_pos theta_neg",
    psi_B="mu theta_pos theta_neg",
    delta="psi_A psi_B",
)
OF_RATES = edges_of(
    mu="beta",
    n_class="mu N",
    c_pos="rho_pos n_class",
    c_neg="rho_neg n_class",
    psi="mu rho_pos rho_neg",
    delta="psi",
)


def hierarchy(height: float) -> tuple[Node, ...]:
    """Place what the categories share above them; its constants at some height."""
    return (
        given("alpha_pos", r"$\alpha^{+}$", 0.4, 6.2),
        given("alpha_neg", r"$\alpha^{-}$", 5.6, 6.2),
        given("kappa_location", r"$m_{\kappa}$", 2.6, height),
        given("kappa_scale", r"$s_{\kappa}$", 3.4, height),
        Node("eta_pos", r"$\eta^{+}$", 0.4, 5.2),
        Node("kappa_pos", r"$\kappa^{+}$", 1.6, 5.2),
        given("beta", r"$\beta$", 3, 5.1),
        Node("kappa_neg", r"$\kappa^{-}$", 4.4, 5.2),
        Node("eta_neg", r"$\eta^{-}$", 5.6, 5.2),
    )


SHARED = ("kappa_location", "kappa_scale")
ABOVE = tuple(node.name for node in hierarchy(0))
OF_HIERARCHY = edges_of(
    eta_pos="alpha_pos",
    eta_neg="alpha_neg",
    kappa_pos="kappa_location kappa_scale",
    kappa_neg="kappa_location kappa_scale",
)
