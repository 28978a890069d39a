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
    name : as in the Stan program
    label : what is written, in TeX
    x, y : where it stands
    kind : what it stands for
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
    label : how often, in TeX
    nodes : the names of what is inside
    on_top : whether the label stands in the upper corner
    """

    label: str
    nodes: tuple[str, ...]
    on_top: bool = False


@dataclass(frozen=True)
class Graph:
    """A model as a directed graph without cycles.

    Attributes
    ----------
    nodes : the variables
    edges : pairs of names, from parent to child
    plates : what is repeated; one that goes around others comes after them

    Examples
    --------
    >>> PAIRED.parents("delta")
    ('psi_A', 'psi_B')
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    plates: tuple[Plate, ...]

    def node(self, name: str) -> Node:
        """Find a node by its name."""
        return next(node for node in self.nodes if node.name == name)

    def parents(self, name: str) -> tuple[str, ...]:
        """Tell what a node depends on directly."""
        return tuple(parent for parent, child in self.edges if child == name)


CATEGORIES, DOCUMENTS_EACH, CLASSIFIERS = "$K$", "$N$", "A, B"


def _edges(**parents: str) -> tuple[Edge, ...]:
    """Read ``child="parent parent"``."""
    return tuple((parent, child) for child, names in parents.items() for parent in names.split())


def _given(name: str, label: str, x: float, y: float) -> Node:
    return Node(name, label, x, y, Kind.GIVEN)


def _plate(label: str, nodes: tuple[Node, ...], *without: str) -> Plate:
    """Put everything into a plate but what is named."""
    inside = tuple(node.name for node in nodes if node.name not in without)
    return Plate(label, inside, on_top=label == CLASSIFIERS)


WEIGHTS = (
    _given("alpha_pos", r"$\alpha^{+}$", 1, 5.1),
    _given("beta", r"$\beta$", 3, 5.1),
    _given("alpha_neg", r"$\alpha^{-}$", 5, 5.1),
)
DOCUMENTS = (
    _given("N", "$N$", 2.2, 3.3),
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
OF_PAIRS = _edges(
    mu="beta",
    n_class="mu N",
    c_pos="theta_pos n_class",
    c_neg="theta_neg n_class",
    psi_A="mu theta_pos theta_neg",
    psi_B="mu theta_pos theta_neg",
    delta="psi_A psi_B",
)
OF_RATES = _edges(
    mu="beta",
    n_class="mu N",
    c_pos="rho_pos n_class",
    c_neg="rho_neg n_class",
    psi="mu rho_pos rho_neg",
    delta="psi",
)


def _hierarchy(height: float) -> tuple[Node, ...]:
    """Place what the categories share above them; its constants at some height."""
    return (
        _given("alpha_pos", r"$\alpha^{+}$", 0.4, 6.2),
        _given("alpha_neg", r"$\alpha^{-}$", 5.6, 6.2),
        _given("kappa_location", r"$m_{\kappa}$", 2.6, height),
        _given("kappa_scale", r"$s_{\kappa}$", 3.4, height),
        Node("eta_pos", r"$\eta^{+}$", 0.4, 5.2),
        Node("kappa_pos", r"$\kappa^{+}$", 1.6, 5.2),
        _given("beta", r"$\beta$", 3, 5.1),
        Node("kappa_neg", r"$\kappa^{-}$", 4.4, 5.2),
        Node("eta_neg", r"$\eta^{-}$", 5.6, 5.2),
    )


_SHARED = ("kappa_location", "kappa_scale")
_ABOVE = tuple(node.name for node in _hierarchy(0))
_OF_HIERARCHY = _edges(
    eta_pos="alpha_pos",
    eta_neg="alpha_neg",
    kappa_pos="kappa_location kappa_scale",
    kappa_neg="kappa_location kappa_scale",
)

PAIRED = Graph(
    WEIGHTS + PAIRS,
    OF_PAIRS + _edges(theta_pos="alpha_pos", theta_neg="alpha_neg"),
    (_plate(CATEGORIES, PAIRS),),
)
UNPAIRED = Graph(
    WEIGHTS + RATES,
    OF_RATES + _edges(rho_pos="alpha_pos", rho_neg="alpha_neg"),
    (_plate(CATEGORIES, RATES), _plate(CLASSIFIERS, WEIGHTS + RATES, "delta")),
)
HIERARCHICAL = Graph(
    _hierarchy(6.2) + PAIRS,
    OF_PAIRS + _OF_HIERARCHY + _edges(theta_pos="eta_pos kappa_pos", theta_neg="eta_neg kappa_neg"),
    (_plate(CATEGORIES, PAIRS),),
)
HIERARCHICAL_UNPAIRED = Graph(
    _hierarchy(7.2) + RATES,
    OF_RATES + _OF_HIERARCHY + _edges(rho_pos="eta_pos kappa_pos", rho_neg="eta_neg kappa_neg"),
    (
        _plate(CATEGORIES, RATES),
        _plate(CLASSIFIERS, _hierarchy(7.2) + RATES, "delta", *_SHARED),
    ),
)

_CONFUSION = (
    _given("kappa_location", r"$m_{\kappa}$", 1.4, 6.4),
    _given("kappa_scale", r"$s_{\kappa}$", 2.2, 6.4),
    _given("beta", r"$\beta$", 4.4, 6.4),
    _given("alpha_pos", r"$\alpha$", 0.4, 5.1),
    Node("eta", r"$\eta$", 0.4, 4.2),
    Node("kappa", r"$\kappa$", 1.8, 4.2),
    Node("mu", r"$\mu$", 4.4, 4.2),
    _given("N", "$N$", 5.4, 3.5),
    Node("theta", r"$\theta$", 0.6, 2.7),
    Node("n", "$c$", 2.2, 2.7, Kind.OBSERVED),
    Node("n_class", "$n$", 4.4, 2.7, Kind.OBSERVED),
    Node("psi", r"$\psi$", 3.0, 1.0, Kind.DERIVED),
    Node("delta", r"$\delta$", 3.0, -0.5, Kind.DERIVED),
)
MULTICLASS = Graph(
    _CONFUSION,
    _edges(
        eta="alpha_pos",
        kappa="kappa_location kappa_scale",
        mu="beta",
        theta="eta kappa",
        n_class="mu N",
        n="theta n_class",
        psi="mu theta",
        delta="psi",
    ),
    (
        Plate(CATEGORIES, ("theta", "n")),
        Plate(CATEGORIES, ("psi", "delta")),
        _plate(CLASSIFIERS, _CONFUSION, "delta", "beta", *_SHARED),
    ),
)
JOINT = Graph(
    (
        _given("mass", "$m$", 1.2, 5.2),
        _given("beta", r"$\beta$", 4, 5.2),
        Node("theta", r"$\theta$", 1.2, 4.1),
        Node("mu", r"$\mu$", 4, 4.1),
        _given("N", "$N$", 5, 3.4),
        Node("n", "$c$", 1.2, 2.7, Kind.OBSERVED),
        Node("n_class", "$n$", 4, 2.7, Kind.OBSERVED),
        Node("psi_A", r"$\psi^{\mathrm{A}}$", 2.1, 1.1, Kind.DERIVED),
        Node("psi_B", r"$\psi^{\mathrm{B}}$", 3.1, 1.1, Kind.DERIVED),
        Node("delta", r"$\delta$", 2.6, 0.1, Kind.DERIVED),
    ),
    _edges(
        theta="mass",
        mu="beta",
        n_class="mu N",
        n="theta n_class",
        psi_A="mu theta",
        psi_B="mu theta",
        delta="psi_A psi_B",
    ),
    (
        Plate(CATEGORIES, ("theta", "n")),
        Plate(CATEGORIES, ("psi_A", "psi_B", "delta")),
    ),
)
_EACH = (
    _given("alpha_pos", r"$\alpha^{+}$", 0.6, 5.1),
    _given("alpha_neg", r"$\alpha^{-}$", 2.2, 5.1),
    _given("beta", r"$\beta$", 4.2, 5.1),
    Node("rho_pos", r"$\rho^{+}$", 0.6, 4),
    Node("rho_neg", r"$\rho^{-}$", 2.2, 4),
    Node("mu", r"$\mu$", 4.2, 4),
    Node("said", r"$\hat{y}$", 0.9, 2.5, Kind.OBSERVED),
    Node("y", "$y$", 4.2, 2.5, Kind.OBSERVED),
    Node("psi", r"$\psi$", 3.1, 0.9, Kind.DERIVED),
    Node("delta", r"$\delta$", 3.1, -0.5, Kind.DERIVED),
)
BY_DOCUMENT = Graph(
    _EACH,
    _edges(
        rho_pos="alpha_pos",
        rho_neg="alpha_neg",
        mu="beta",
        y="mu",
        said="rho_pos rho_neg y",
        psi="mu rho_pos rho_neg",
        delta="psi",
    ),
    (Plate(DOCUMENTS_EACH, ("said", "y")), _plate(CLASSIFIERS, _EACH, "delta")),
)
