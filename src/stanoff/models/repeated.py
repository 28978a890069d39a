"""Few items, each asked several times, right or wrong: binomial counts, logit-normal items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.items import ClusteredValues, Codes, ItemValues, RatioValues
from stanoff.data.types import Data
from stanoff.errors import InputError
from stanoff.models.base import Array, Block, Variables
from stanoff.models.predictive import Predictive, log_correlation, log_normal, numbered
from stanoff.models.priors import Priors
from stanoff.models.values import ONLY, OfValues, values_of, without_weights

MU_SCALE, TAU_SCALE, LKJ_SHAPE = 1.5, 1.5, 1.0


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


def log_odds(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-odds of a right answer to each item (chain, draw, item, system)."""
    effects = (drawn["tau"][..., None] * drawn["L_Omega"]) @ drawn["z"]
    if data["C"]:
        of_clusters = (drawn["omega"][..., None] * drawn["L_cluster"]) @ drawn["z_cluster"]
        effects = effects + of_clusters[..., np.asarray(data["cluster"]) - 1]
    return np.asarray(np.moveaxis(drawn["mu"][..., None] + effects, -1, -2))


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-likelihood of the runs of both systems on each item, given its effects."""
    from scipy.special import gammaln, log_expit

    runs, right = np.asarray(data["runs"]), np.asarray(data["right"])
    odds = log_odds(drawn, data)
    ways = gammaln(runs + 1) - gammaln(right + 1) - gammaln(runs - right + 1)
    each = ways + right * log_expit(odds) + (runs - right) * log_expit(-odds)
    return np.asarray(each.sum(axis=-1))


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior of means, standard deviations and correlations."""
    scale, shape = data["tau_scale"], data["lkj_shape"]
    spreads, correlations = [drawn["tau"]], [drawn["L_Omega"]]
    if data["C"]:
        spreads, correlations = [*spreads, drawn["omega"]], [*correlations, drawn["L_cluster"]]
    total = log_normal(drawn["mu"], data["mu_scale"]).sum(axis=-1)
    for spread, correlation in zip(spreads, correlations, strict=True):
        total = total + (np.log(2) + log_normal(spread, scale)).sum(axis=-1)
        total = total + log_correlation(correlation[..., 1, 0], shape)
    return np.asarray(total)


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Ask these items again, as often as they were."""
    from scipy.special import expit

    return {"right": rng.binomial(np.asarray(data["runs"]), expit(log_odds(drawn, data)))}


def shares(new: Variables, data: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the share of right answers of every system, the same weight for each item."""
    return {"psi": (new["right"] / np.asarray(data["runs"])).mean(axis=-2)[..., None]}


REPEATED = OfValues(
    name="repeated",
    data=data,
    observed=("right",),
    dims={"right": ("item", "system")} | dict.fromkeys(("mu", "tau", "omega"), ("system",)),
    over="new items",
    predictive=Predictive(
        log_likelihood,
        numbered("right"),
        log_prior,
        replicate,
        shares,
        needs=("mu", "tau", "L_Omega", "z"),
        unit="items",
    ),
    as_fitted=("z", "z_cluster"),
    priors=ONLY,
)
