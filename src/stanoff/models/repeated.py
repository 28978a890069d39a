"""Few items, each asked several times, right or wrong: binomial counts, logit-normal items."""

from __future__ import annotations

import numpy as np

from stanoff.data.base import Data
from stanoff.data.items import ClusteredValues, Codes, ItemValues, RatioValues
from stanoff.errors import InputError
from stanoff.models.base import Block
from stanoff.models.graphs import Graph, Kind, Node, edges_of, given, plate_of
from stanoff.models.priors import Priors
from stanoff.models.values import ONLY, OfValues, values_of, without_weights

MU_SCALE, TAU_SCALE, LKJ_SHAPE = 1.5, 1.5, 1.0
NODES = (
    given("lkj_shape", r"$\eta$", 6.5, 6.2),
    given("mu_scale", r"$s_{\mu}$", 1, 6.2),
    given("tau_scale", r"$s_{\tau}$", 3.4, 6.2),
    Node("L_Omega", r"$\Omega$", 5.8, 5),
    Node("L_cluster", r"$\Omega_c$", 7.2, 5),
    Node("mu", r"$\mu$", 1, 5),
    Node("tau", r"$\tau$", 2.6, 5),
    Node("omega", r"$\omega$", 4.2, 5),
    Node("z", "$z$", 5.8, 3.4),
    Node("z_cluster", "$z_c$", 7.2, 3.4),
    Node("right", "$y$", 4.6, 2, Kind.OBSERVED),
    Node("psi", r"$\psi$", 1.8, 2, Kind.DERIVED),
    Node("delta", r"$\delta$", 1.8, 0.8, Kind.DERIVED),
)
GRAPH = Graph(
    NODES,
    edges_of(
        mu="mu_scale",
        tau="tau_scale",
        omega="tau_scale",
        L_Omega="lkj_shape",
        L_cluster="lkj_shape",
        z="L_Omega",
        z_cluster="L_cluster",
        right="mu tau omega z z_cluster",
        psi="mu tau omega",
        delta="psi",
    ),
    (plate_of("$N$", (NODES[10],)),),
)


def runs_of(seen: ItemValues) -> Codes:
    """Return how many runs each system had of every item."""
    return seen.runs if seen.repeated else np.ones(seen.values.shape, dtype=np.int64)


def right_of(seen: ItemValues, who: str = "The repeated model") -> Codes:
    """Return how many runs of every item were right, or refuse in the name of who asks."""
    if isinstance(seen, RatioValues):
        raise InputError(f"{who} takes runs that are right or wrong, not ratios.")
    runs = runs_of(seen)
    right = seen.values * runs
    scatter = seen.scatter if seen.repeated else np.zeros(seen.values.shape)
    # Runs of 0 and 1 have the scatter r p (1 - p), and nothing else between 0 and 1 has.
    binary = np.abs(scatter - right * (1 - seen.values)) <= 1e-6 * runs
    if not binary.all() or (np.abs(right - np.round(right)) > 1e-6).any():
        raise InputError(f"{who} takes runs that are right (1) or wrong (0) only.")
    return np.round(right).astype(np.int64)


def data(data: Data, prior: Priors) -> Block:
    """Count how many runs of every item were right."""
    without_weights(prior, "repeated")
    seen = values_of(data)
    right = right_of(seen)
    clusters, cluster = 0, np.empty(0, dtype=np.int64)
    if isinstance(seen, ClusteredValues):
        clusters, cluster = seen.clusters, seen.cluster + 1  # Stan counts from 1
    return {
        "N": seen.items,
        "C": clusters,
        "cluster": cluster,
        "runs": runs_of(seen).T,
        "right": right.T,
        "mu_scale": MU_SCALE,
        "tau_scale": TAU_SCALE,
        "lkj_shape": LKJ_SHAPE,
        "prior_only": 0,
    }


REPEATED = OfValues(
    name="repeated",
    data=data,
    observed=("right",),
    dims={"right": ("item", "system")} | dict.fromkeys(("mu", "tau", "omega"), ("system",)),
    over="new items",
    priors=ONLY,
    graph=GRAPH,
)
