"""These items asked again: only the noise of the runs is uncertain, not which items there are.

The mean of an item over its runs has the variance s^2 / r, with s^2 from its own runs: no prior
pulls every item toward one half. The score of a system then is a t with Satterthwaite's degrees.
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

LEAST_DEGREES = 2.5  # with fewer there is no standard deviation


def data(data: Data, prior: Priors) -> Block:
    """Gather the mean of every system and the variance that the runs give it."""
    without_weights(prior, "runs")
    seen = values_of(data)
    if isinstance(seen, RatioValues):
        raise InputError(
            "Ratios of sums say nothing of these items asked again: leave out denominator=."
        )
    if not seen.repeated or (seen.runs < 2).any():
        raise InputError(
            "population='runs' needs two runs or more of every system on every item: what one run "
            "would have been the second time is not known."
        )
    each = seen.scatter / (seen.runs - 1) / seen.runs / seen.items**2
    variance = each.sum(axis=1)
    if not (variance > 0).any():
        raise InputError(
            "All runs of an item have the same value, for every item and system: asked again, "
            "nothing would change, and there is nothing to learn about these items."
        )
    with np.errstate(invalid="ignore"):
        degrees = variance**2 / (each**2 / (seen.runs - 1)).sum(axis=1)
    return {
        "mean": seen.observed,
        "variance": variance,
        "degrees": np.maximum(np.nan_to_num(degrees, nan=LEAST_DEGREES), LEAST_DEGREES),
    }


def draw(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the mean of every system over these items."""
    if no_prior(data):
        return {}
    t = rng.standard_t(np.asarray(data["degrees"]), (draws, len(data["mean"])))
    return {"psi": (data["mean"] + np.sqrt(data["variance"]) * t)[..., None]}


RUNS = OfValues(
    name="runs",
    data=data,
    observed=("mean", "variance"),
    dims={"mean": ("system",), "variance": ("system",)},
    exact=draw,
    prior_density_infinite_at_zero=never_infinite,
    engine="exact",
    program=False,
    most_systems=None,
    over="these items asked again",
    priors=ONLY,
)
