"""A new data set: the differences of the data sets at hand are normal around a common one.

The difference of data set j is delta_j ~ Normal(eta, tau), and what was observed of it is normal
around delta_j with the variance of its mean. eta has a flat prior and tau a half-Cauchy one, whose
scale is the standard deviation of differences between items: data sets rarely differ more than
their items do. tau is drawn from a grid, eta and the difference of a new data set given tau.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stanoff.data.items import RatioValues
from stanoff.data.types import Data
from stanoff.errors import InputError
from stanoff.models.base import Array, Block
from stanoff.models.items import never_infinite
from stanoff.models.priors import Priors
from stanoff.models.values import ONLY, OfValues, no_prior, values_of, without_weights

LEAST_SETS, LEAST_IN_SET = 3, 4
GRID = 4000


def data(data: Data, prior: Priors) -> Block:
    """Gather means of levels and differences in every data set, and their variances."""
    without_weights(prior, "datasets")
    seen = values_of(data)
    if isinstance(seen, RatioValues):
        raise InputError("Ratios of sums say nothing of a new data set: leave out denominator=.")
    sets = int(seen.dataset.max(initial=-1)) + 1
    if sets < LEAST_SETS:
        raise InputError(
            f"population='datasets' needs {LEAST_SETS} data sets or more, named by dataset=; there "
            f"{'is' if sets == 1 else 'are'} {sets}."
        )
    n = np.bincount(seen.dataset)
    if n.min() < LEAST_IN_SET:
        raise InputError(
            f"population='datasets' needs {LEAST_IN_SET} items or more of every data set; the "
            f"smallest has {n.min()}."
        )
    a, b = seen.values
    block: Block = {}
    for name, values in (("difference", a - b), ("level", (a + b) / 2)):
        mean = np.bincount(seen.dataset, values) / n
        scatter = np.bincount(seen.dataset, (values - mean[seen.dataset]) ** 2)
        block[name] = mean
        block[f"{name}_variance"] = scatter / (n - 1) / n
        block[f"{name}_sd"] = float(np.sqrt(scatter.sum() / (n - 1).sum()))
    if not block["difference_variance"].sum() > 0:
        raise InputError("The differences do not vary within any data set: there is no verdict.")
    return block


def draw(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw what the data sets have in common, and the scores on a new one."""
    if no_prior(data):
        return {}
    eta, tau, delta = _new(data, "difference", draws, rng)
    *_, level = _new(data, "level", draws, rng)
    psi = np.stack([level + delta / 2, level - delta / 2], axis=1)[..., None]
    return {"eta": eta, "tau": tau, "delta_new": delta, "psi": psi}


def _new(
    data: Mapping[str, Any], name: str, draws: int, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Draw the common mean, the standard deviation of data sets, and a new data set."""
    seen, variance = np.asarray(data[name]), np.asarray(data[f"{name}_variance"])
    scale = data[f"{name}_sd"] or float(np.std(seen)) or 1.0
    # Even steps of the angle are even steps of the half-Cauchy prior.
    tau = scale * np.tan((np.arange(GRID) + 0.5) / GRID * np.pi / 2)
    precision = 1 / (variance + tau[:, None] ** 2 + 1e-300)
    total = precision.sum(axis=1)
    middle = (precision * seen).sum(axis=1) / total
    log = 0.5 * np.log(precision).sum(axis=1) - 0.5 * np.log(total)
    log -= 0.5 * (precision * (seen - middle[:, None]) ** 2).sum(axis=1)
    weights = np.exp(log - log.max())
    chosen = rng.choice(GRID, draws, p=weights / weights.sum())
    eta = middle[chosen] + rng.standard_normal(draws) / np.sqrt(total[chosen])
    return eta, tau[chosen], eta + tau[chosen] * rng.standard_normal(draws)


DATASETS = OfValues(
    name="datasets",
    data=data,
    observed=("difference", "difference_variance"),
    dims=dict.fromkeys(("difference", "difference_variance"), ("dataset",)),
    exact=draw,
    prior_density_infinite_at_zero=never_infinite,
    engine="exact",
    program=False,
    over="a new data set",
    priors=ONLY,
)
