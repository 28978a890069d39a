"""Scores of cross-validation, and scores in several data sets.

Scores of n test folds have the correlation rho between any two of them. Their mean then has the
variance s^2 (1/n + rho / (1 - rho)): more repeats make 1/n smaller, and not the rest. The posterior
of a difference is a t with n - 1 degrees and this scale (Nadeau & Bengio, 2003; Corani & Benavoli,
2015). Deviations of the folds from their mean, stretched by the square root of (1 + (n - 1) rho) /
(1 - rho), are as informative as those of independent items: the items model does all the rest.

In several data sets, on folds or on items, the differences of two systems have the mean delta_i and
the standard deviation sigma_i; delta_i is Student's or normal over data sets, log sigma_i is normal
(Corani et al. 2017, whose sigma_i are not pooled). Of S systems these are S - 1 contrasts, made
uncorrelated within data sets by the covariance that all data sets share, so that one sigma_i serves
them all.

A data set whose differences are all the same, of which public data have many, has a likelihood
sigma^-n without end. Pooling does not help: the mean of sigma^-n under a log-normal of spread t
grows as exp(n^2 t^2 / 2), which no half-normal prior of t outweighs. But scores of m documents are
multiples of u = 1/m, and differences that are all in the same step of u may differ within it: such
data sets, and no others, get the variance of a uniform distribution over that step, u^2/12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds, average_by_dataset
from stanoff.data.items import SAME, ItemValues, refuse_constant
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.models.base import Array, ClosedForm, Inputs, StanData, Variables, require
from stanoff.models.items import (
    NO_DIFFERENCE,
    PRIOR_INPUTS,
    NormalValues,
    ValuesModel,
    count_per_dataset,
    difference_t,
)
from stanoff.models.priors import Prior, Priors, single

TRAINING_SETS = "new training sets of this size"
MIN_STEP = 0.01  # of scores, in their standard deviation within data sets
MIN_VARIANCE = 1e-4  # of a contrast, as of systems that are the same everywhere
DATASET_PRIORS: dict[str, dict[str, Any]] = {
    "student": {"student": 1, "pooled": 1, "mean_scale": 5.0, "spread_scale": 2.0},
    "normal": {"student": 0, "pooled": 1, "mean_scale": 5.0, "spread_scale": 2.0},
    "corani2017": {"student": 1, "pooled": 0, "mean_scale": 0.0, "spread_scale": 0.0},
}
NU = {"nu_shape": [2.0, 2.0], "nu_rate": [0.1, 0.1]}
CORANI_NU = {"nu_shape": [1.0, 2.0], "nu_rate": [0.01, 0.1]}  # as baycomp has them


class Folds(NormalValues):
    """Folds of one data set, of which any two have a fixed correlation."""

    name = "folds"
    inputs = {**NormalValues.inputs, "rho": 0}
    dims = {**NormalValues.dims, "y": ("fold", "system")}
    accepts = FoldValues
    needs = "scores of folds: pass fold= or folds="

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Return the scores, their correlation and the prior of the difference."""
        if isinstance(data, (DatasetFolds, UnpairedFolds)):
            about = "systems on the same folds of one data set"
            raise InputError(f"The folds model is about {about}: leave model= out.")
        return super().values_data(data, prior) | {"rho": data.rho}

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system."""
        y, rho = np.asarray(stan_data["y"]), float(stan_data["rho"])
        prior = _per_item([stan_data[name] for name in PRIOR_INPUTS], len(y), rho)
        as_items = {"y": stretch(y.T, rho).T, **dict(zip(PRIOR_INPUTS, prior, strict=True))}
        return super().sample_exact({**stan_data, **as_items}, draws, rng)

    def closed_form(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> ClosedForm:
        """Return the posterior t of differences of systems, and the prior one if there is one."""
        assert isinstance(data, FoldValues)
        if len(first) == 1:
            refuse_constant(data, int(first[0]), int(second[0]))
        items = single(prior).items
        informed = None if items is None else _per_item(items, data.resamples, data.rho)
        return difference_t(stretch(data.values, data.rho), informed, first, second)


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


def _per_item(prior: Any, n: int, rho: float) -> tuple[float, float, float]:
    """Return the prior of stretched scores, whose variance is 1 + (n - 1) rho times larger."""
    weight, sd, degrees = prior
    larger = 1 + (n - 1) * rho
    return weight * larger, sd * np.sqrt(larger), degrees


class FoldsUnpaired(ValuesModel):
    """Systems that were not tested on the same folds: each has the t of its own scores."""

    name = "folds_unpaired"
    accepts = UnpairedFolds
    needs = "scores with paired=False"
    observed = ("y",)
    dims = {"y": ("fold", "system")}

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Return the scores and their correlation."""
        return {"y": data.values.T, "rho": data.rho}

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system, each from its own t."""
        y, rho = np.asarray(stan_data["y"]), stan_data["rho"]
        n = len(y)
        scale = y.std(axis=0, ddof=1) * np.sqrt(1 / n + rho / (1 - rho))
        psi = y.mean(axis=0) + scale * rng.standard_t(n - 1, (draws, y.shape[1]))
        return {"psi": psi[..., None]}


class FoldsDatasets(ValuesModel):
    """New data sets: those at hand share a mean, and how much they and their folds vary."""

    name = "folds_datasets"
    inputs = {
        **dict.fromkeys(("S", "D"), 0),
        **dict.fromkeys(("n", "rho", "squares", "level"), 1),
        **dict.fromkeys(("centre", "loading"), 2),
        **dict.fromkeys(("student", "pooled", "mean_scale", "spread_scale"), 0),
        **dict.fromkeys(("nu_shape", "nu_rate"), 1),
    }
    observed = ("centre", "squares")
    dims = {
        "psi_new": ("system", "row"),
        **dict.fromkeys(("centre", "theta"), ("contrast", "dataset")),
        **dict.fromkeys(("squares", "log_sigma", "z_sigma", "n", "rho", "level"), ("dataset",)),
        **dict.fromkeys(("theta_0", "tau"), ("contrast",)),
        **dict.fromkeys(("log_sigma_mean", "log_sigma_sd"), ("pooled",)),
        "L_Omega": ("contrast", "factor"),
        "z_theta": ("factor", "dataset"),
        "loading": ("system", "contrast"),
        "nu_minus_one": ("student",),
        **dict.fromkeys(("shape", "rate"), ("uniform",)),
        **dict.fromkeys(("nu_shape", "nu_rate"), ("bound",)),
    }
    accepts = DatasetFolds

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return the sufficient statistics of every data set, and the prior."""
        if measure is not None and measure.name != "mean":
            raise invalid("measure", "'mean' for scores in several data sets", measure.name)
        name = single(prior).datasets
        nu = CORANI_NU if name == "corani2017" else NU
        return summarize_datasets(data) | DATASET_PRIORS[name] | nu

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Return the mean of each system, every data set having the same weight (system, 1)."""
        values, dataset, _ = _values_of(data)
        return np.asarray(average_by_dataset(values, dataset).mean(axis=1)[:, None])

    def dataset_scores(self, draws: Variables, data: Data, prior: Priors) -> Array:
        """Return the score of every system in every data set (chain, draw, data set, system).

        Differences are drawn to what the data sets have in common; the level of each is as it was
        observed.
        """
        stan_data = self.stan_data(data, prior)
        contrasts = np.asarray(stan_data["loading"]) @ draws["theta"]
        return np.asarray(np.moveaxis(contrasts + np.asarray(stan_data["level"]), -2, -1))


def _values_of(data: Data) -> tuple[Array, NDArray[np.int64], Array]:
    """Return scores (system, row), the data set of each row, and rho of each data set."""
    if isinstance(data, FoldValues):
        return data.values, data.dataset, data.test_share
    require(data, ItemValues, "folds_datasets", "scores or values in several data sets")
    assert isinstance(data, ItemValues)
    return data.values, data.dataset, np.zeros(len(np.bincount(data.dataset)))  # independent


def dataset_names(data: Data) -> list[str]:
    """Return what the data sets are called; those of items have numbers."""
    if isinstance(data, FoldValues):
        return list(map(str, data.dataset_names))
    return [str(i + 1) for i in range(len(_values_of(data)[2]))]


def summarize_datasets(data: Data) -> Inputs:
    """Return what the program needs of the scores: means and sums of squares of contrasts.

    The unit is the mean standard deviation within data sets, of the difference if there are two
    systems.

    Parameters
    ----------
    data : Data
        Scores of folds, or values of items, with the data set of each.
    """
    values, dataset, rho = _values_of(data)
    n = count_per_dataset(dataset, least=2)
    systems = len(values)
    means = average_by_dataset(values, dataset)
    contrasts = np.linalg.svd(np.ones((1, systems)))[2][1:].T  # orthonormal (system, contrast)
    away = (values - means[:, dataset]).T @ contrasts
    scatter = np.stack([away[dataset == i].T @ away[dataset == i] for i in range(len(n))])
    constant = np.trace(scatter, axis1=1, axis2=2) <= n * (SAME * np.abs(values).max()) ** 2
    if constant.all():
        raise InputError(NO_DIFFERENCE)
    if constant.any():
        variance = _step(values, dataset) ** 2 / 24  # of a contrast: half that of a difference
        scatter[constant] = (n * variance)[constant, None, None] * np.eye(systems - 1)
    covariance = scatter / (n - 1)[:, None, None]
    size = np.sqrt(np.trace(covariance, axis1=1, axis2=2) / (systems - 1))
    shape = (covariance / size[:, None, None] ** 2).mean(axis=0)
    variances, axes = np.linalg.eigh(shape)  # principal axes: the order of systems is no matter
    root = axes * np.sqrt(variances.clip(min=MIN_VARIANCE * variances.max())) * size.mean()
    whitened = np.linalg.solve(root, np.linalg.solve(root, scatter).swapaxes(1, 2))
    return {
        "S": systems,
        "D": len(n),
        "n": n,
        "rho": rho,
        "centre": np.linalg.solve(root, contrasts.T @ means),
        "squares": np.trace(whitened, axis1=1, axis2=2),
        "loading": contrasts @ root,
        "level": means.mean(axis=0),
    }


def _step(values: Array, dataset: NDArray[np.int64]) -> Array:
    """Return the step of the scores of each data set: the smallest difference that they have.

    Two systems have the same test set, so that their scores differ by a multiple of it. Where all
    systems agree on all folds, the scores of folds tell, and where these do, too, other data sets.
    """
    datasets = [values[:, dataset == i] for i in range(int(dataset.max()) + 1)]
    step = np.full(len(datasets), np.nan)
    for i, scores in enumerate(datasets):
        for gaps in (np.diff(np.unique(scores)), np.abs(scores[:, None] - scores[None])):
            if (gaps > 1e-12).any():
                step[i] = gaps[gaps > 1e-12].min()
    step[np.isnan(step)] = np.nanmedian(step)
    scale = np.mean([np.std(scores, axis=1).mean() for scores in datasets])
    return np.asarray(np.maximum(step, MIN_STEP * scale))
