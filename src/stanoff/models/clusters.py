"""Values in clusters, and ratios of sums: random weights over the clusters.

The Bayesian bootstrap of :mod:`stanoff.models.weighing`, with one weight per cluster whose shape is
uncertain where clusters are few: plain weights cover 83 to 91 % instead of 95 % at 8 clusters. A
ratio of sums is the ratio of two weighted sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stanoff.data.items import ClusteredValues, check_clusters
from stanoff.data.types import Data
from stanoff.errors import InputError
from stanoff.models.base import Array, Block
from stanoff.models.items import never_infinite
from stanoff.models.priors import Priors
from stanoff.models.values import ONLY, OfValues, no_prior, without_weights
from stanoff.models.weighing import cluster_shapes, weights

MANY = 5000  # so many clusters that weighted sums are normal to all intents
MOST_AT_ONCE = 4_000_000  # numbers per block


def data(data: Data, prior: Priors) -> Block:
    """Add the values of every cluster up, and what they are divided by."""
    without_weights(prior, "clusters")
    if not isinstance(data, ClusteredValues):
        raise InputError("The clusters model needs the clusters of the items: pass cluster=.")
    check_clusters(data.clusters, "clusters")
    return {"sums": data.sums, "sizes": data.sizes}


def draw(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the weighted mean, or ratio, of every system."""
    if no_prior(data):
        return {}
    sums, sizes = np.asarray(data["sums"]), np.asarray(data["sizes"])
    c, observed = len(sums), sums.sum(axis=0) / sizes.sum(axis=0)
    if c > MANY:
        away = (sums - observed * sizes) / sizes.mean(axis=0)
        root = np.linalg.qr(away - away.mean(axis=0), mode="r") / np.sqrt(c * (c - 1.0))
        psi = observed + rng.standard_normal((draws, len(root))) @ root
        return {"psi": psi[..., None]}
    # The systems share their weights: the one with the most uneven clusters tells how uncertain
    # their shape is.
    uneven = sizes[:, int(np.argmax((sizes**2).sum(axis=0) / sizes.sum(axis=0) ** 2))]
    psi = np.empty((draws, sums.shape[1]))
    block = max(1, MOST_AT_ONCE // c)
    for start in range(0, draws, block):
        n = min(block, draws - start)
        drawn = weights(c, n, rng, cluster_shapes(uneven, n, rng))
        psi[start : start + n] = drawn @ sums / (drawn @ sizes)
    return {"psi": psi[..., None]}


class Clusters(OfValues):
    """The clusters model, whose clusters may be the items themselves."""

    def population(self, data: Data) -> str:
        """Say whether new items or new clusters of them are meant."""
        alone = isinstance(data, ClusteredValues) and data.clusters == data.items
        return "new items" if alone else self.over


CLUSTERS = Clusters(
    name="clusters",
    data=data,
    observed=("sums", "sizes"),
    dims={"sums": ("cluster", "system"), "sizes": ("cluster", "size")},
    exact=draw,
    prior_density_infinite_at_zero=never_infinite,
    default_for=ClusteredValues,
    engine="exact",
    program=False,
    most_systems=None,
    exact_draws=20_000,
    over="new clusters of items",
    priors=ONLY,
)
