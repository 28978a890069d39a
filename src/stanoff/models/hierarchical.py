"""The hierarchical model: the paired one, with categories that learn from each other."""

from __future__ import annotations

from stanoff.data.base import Data
from stanoff.measures import Measure
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
from stanoff.models.singularities import equal_at_an_end

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


def infinite_at_zero(measure: Measure, prior: Priors, data: Data) -> bool | None:
    """Return whether a prevalence makes both systems equal, as in the paired model."""
    return equal_at_an_end(measure, single(prior).weights("beta", 2)) or None


HIERARCHICAL = Model(
    name="hierarchical",
    data=data,
    observed=("c_pos", "c_neg"),
    dims=paired.DIMS | dict.fromkeys(("eta_pos", "eta_neg"), ("outcome",)),
    infinite_at_zero=infinite_at_zero,
    graph=GRAPH,
)
