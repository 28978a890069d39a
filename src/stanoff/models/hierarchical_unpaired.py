"""The unpaired model with categories that learn from each other, each system by itself."""

from __future__ import annotations

from stanoff.data.base import Data
from stanoff.models import unpaired
from stanoff.models.base import Block, Model, kappa_data
from stanoff.models.graphs import (
    CATEGORIES,
    CLASSIFIERS,
    OF_HIERARCHY,
    OF_RATES,
    RATES,
    SHARED,
    Graph,
    edges_of,
    hierarchy,
    plate_of,
)
from stanoff.models.priors import Priors, shared

GRAPH = Graph(
    hierarchy(7.2) + RATES,
    OF_RATES + OF_HIERARCHY + edges_of(rho_pos="eta_pos kappa_pos", rho_neg="eta_neg kappa_neg"),
    (
        plate_of(CATEGORIES, RATES),
        plate_of(CLASSIFIERS, hierarchy(7.2) + RATES, "delta", *SHARED),
    ),
)


def data(counts: Data, prior: Priors) -> Block:
    """Gather the data of the unpaired model, and the prior of the concentrations."""
    return unpaired.data(counts, prior) | kappa_data(shared(prior, "kappa"))


HIERARCHICAL_UNPAIRED = Model(
    name="hierarchical_unpaired",
    data=data,
    observed=("c_A", "c_B"),
    dims=unpaired.DIMS
    | dict.fromkeys(("eta_pos", "eta_neg", "kappa_pos", "kappa_neg"), ("classifier",)),
    graph=GRAPH,
)
