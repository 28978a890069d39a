"""The hierarchical model: the paired one, with categories that learn from each other."""

from __future__ import annotations

from stanoff.data.base import Data
from stanoff.models import paired
from stanoff.models.base import Block, Model, kappa_data
from stanoff.models.graphs import (
    CATEGORIES,
    OF_HIERARCHY,
    OF_PAIRS,
    PAIRS,
    Graph,
    edges_of,
    hierarchy,
    plate_of,
)
from stanoff.models.priors import Priors, single

GRAPH = Graph(
    hierarchy(6.2) + PAIRS,
    OF_PAIRS
    + OF_HIERARCHY
    + edges_of(theta_pos="eta_pos kappa_pos", theta_neg="eta_neg kappa_neg"),
    (plate_of(CATEGORIES, PAIRS),),
)


def data(counts: Data, prior: Priors) -> Block:
    """Gather the data of the paired model, and the prior of the concentrations."""
    return paired.data(counts, prior) | kappa_data(single(prior))


HIERARCHICAL = Model(
    name="hierarchical",
    data=data,
    observed=("c_pos", "c_neg"),
    dims=paired.DIMS | dict.fromkeys(("eta_pos", "eta_neg"), ("outcome",)),
    graph=GRAPH,
)
