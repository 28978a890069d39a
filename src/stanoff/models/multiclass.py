"""Single-label classes, each system by itself: confusion rows centred on its overall accuracy."""

from __future__ import annotations

import numpy as np

from stanoff.data.base import Data
from stanoff.data.classes import need_classes
from stanoff.models.base import Block, Model, kappa_data
from stanoff.models.graphs import (
    CATEGORIES,
    CLASSIFIERS,
    SHARED,
    Graph,
    Kind,
    Node,
    Plate,
    edges_of,
    given,
    plate_of,
)
from stanoff.models.priors import Priors, both, shared

NODES = (
    given("kappa_location", r"$m_{\kappa}$", 1.4, 6.4),
    given("kappa_scale", r"$s_{\kappa}$", 2.2, 6.4),
    given("beta", r"$\beta$", 4.4, 6.4),
    given("alpha_pos", r"$\alpha$", 0.4, 5.1),
    Node("eta", r"$\eta$", 0.4, 4.2),
    Node("kappa", r"$\kappa$", 1.8, 4.2),
    Node("mu", r"$\mu$", 4.4, 4.2),
    given("N", "$N$", 5.4, 3.5),
    Node("theta", r"$\theta$", 0.6, 2.7),
    Node("n", "$c$", 2.2, 2.7, Kind.OBSERVED),
    Node("n_class", "$n$", 4.4, 2.7, Kind.OBSERVED),
    Node("psi", r"$\psi$", 3.0, 1.0, Kind.DERIVED),
    Node("delta", r"$\delta$", 3.0, -0.5, Kind.DERIVED),
)
GRAPH = Graph(
    NODES,
    edges_of(
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
        plate_of(CLASSIFIERS, NODES, "delta", "beta", *SHARED),
    ),
)


def data(counts: Data, prior: Priors) -> Block:
    """Gather the cells of both confusion tables that occurred, and the diagonals."""
    classes, one = need_classes(counts), shared(prior, "beta", "kappa")
    cells = [classes.confusion(j) for j in (0, 1)]
    truth, said, n = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    return {
        "K": classes.classes,
        "R": np.array([len(part[0]) for part in cells]),
        "truth": truth + 1,  # Stan counts from 1
        "said": said + 1,
        "n": n,
        "beta": one.weights("beta", classes.classes),
        "alpha_pos": np.stack([p.weights("alpha_pos", 2) for p in both(prior)]),
        **kappa_data(one),
    }


MULTICLASS = Model(
    name="multiclass",
    data=data,
    observed=("n",),
    dims=dict.fromkeys(("eta", "kappa"), ("classifier",)) | {"n": ("confusion_cell",)},
    classes=True,
    graph=GRAPH,
)
