"""Scores of cross-validation: the correlated t of Nadeau & Bengio (2003), as a posterior.

Scores of n test folds have the correlation rho between any two of them. Their mean then has the
variance s^2 (1/n + rho / (1 - rho)): more repeats make 1/n smaller, and not the rest. The posterior
of a difference is a t with n - 1 degrees and this scale (Corani & Benavoli, 2015).

Deviations of the folds from their mean, stretched by the square root of (1 + (n - 1) rho) / (1 -
rho), are as informative as those of independent items: the items model does all the rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds, refuse_constant
from stanoff.data.items import NO_CODES, ItemValues
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.models.base import Array, Inputs, StanData, StudentT
from stanoff.models.items import PRIOR_INPUTS, NormalValues, ValuesModel
from stanoff.models.priors import Priors, single

TRAINING_SETS = "new training sets of this size"


class Folds(NormalValues):
    """Folds of one data set, of which any two have a fixed correlation."""

    name = "folds"
    inputs = {**NormalValues.inputs, "rho": 0}
    dims = {**NormalValues.dims, "y": ("fold", "system")}
    accepts = FoldValues

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return what the sampler or the program needs."""
        if not isinstance(data, FoldValues):
            raise InputError("The folds model needs scores of folds: pass fold= or folds=.")
        if isinstance(data, (DatasetFolds, UnpairedFolds)):
            raise InputError(
                "The folds model is about systems on the same folds of one data set: leave model= "
                "out."
            )
        if measure is not None and measure.name != "mean":
            raise invalid("measure", "'mean' for scores of folds", measure.name)
        return self.values_data(data, single(prior)) | {"rho": data.rho}

    def population(self, data: Data) -> str:
        """Say what scores are averaged over."""
        return TRAINING_SETS

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system."""
        y, rho = np.asarray(stan_data["y"]), float(stan_data["rho"])
        weight, sd, degrees = (stan_data[name] for name in PRIOR_INPUTS)
        per_item = _per_item((weight, sd, degrees), len(y), rho)
        as_items = {**stan_data, **dict(zip(PRIOR_INPUTS, per_item, strict=True))}
        return super().sample_exact(as_items | {"y": stretch(y.T, rho).T}, draws, rng)

    def closed_form(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[StudentT, StudentT | None] | None:
        """Return the posterior t of differences of systems, and the prior one if there is one."""
        assert isinstance(data, FoldValues)
        if len(first) == 1:
            refuse_constant(data, int(first[0]), int(second[0]))
        informed = single(prior)
        if informed.items is not None:
            informed = replace(informed, items=_per_item(informed.items, data.resamples, data.rho))
        nothing = np.empty((len(data.systems), 0))
        values = stretch(data.values, data.rho)
        codes = nothing.astype(np.int64)
        items = ItemValues(("1",), values, codes, nothing, NO_CODES, systems=data.systems)
        return super().closed_form(items, informed, first, second)


def stretch(values: Array, rho: float) -> Array:
    """Return scores (system, fold) that would say as much if folds were independent.

    Examples
    --------
    >>> stretch(np.array([[0.7, 0.8, 0.9]]), 0.5).round(2).tolist()
    [[0.6, 0.8, 1.0]]
    """
    mean = values.mean(axis=1, keepdims=True)
    n = values.shape[1]
    return np.asarray(mean + np.sqrt((1 + (n - 1) * rho) / (1 - rho)) * (values - mean))


def _per_item(prior: tuple[float, float, float], n: int, rho: float) -> tuple[float, float, float]:
    """Return the prior of stretched scores, whose variance is 1 + (n - 1) rho times larger."""
    weight, sd, degrees = prior
    larger = 1 + (n - 1) * rho
    return weight * larger, sd * np.sqrt(larger), degrees


class FoldsUnpaired(ValuesModel):
    """Systems that were not tested on the same folds: each has the t of its own scores."""

    name = "folds_unpaired"
    accepts = UnpairedFolds
    observed = ("y",)
    dims = {"y": ("fold", "system")}
    max_systems = None

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return what the sampler needs."""
        if not isinstance(data, UnpairedFolds):
            raise InputError("The folds_unpaired model is about scores with paired=False.")
        if single(prior).items is not None:
            raise invalid("prior.items", "None with paired=False", single(prior).items)
        return {"y": data.values.T, "rho": data.rho}

    def population(self, data: Data) -> str:
        """Say what scores are averaged over."""
        return TRAINING_SETS

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system, each from its own t."""
        y, rho = np.asarray(stan_data["y"]), stan_data["rho"]
        n = len(y)
        scale = y.std(axis=0, ddof=1) * np.sqrt(1 / n + rho / (1 - rho))
        psi = y.mean(axis=0) + scale * rng.standard_t(n - 1, (draws, y.shape[1]))
        return {"psi": psi[..., None]}
