"""What scores in several data sets say of the next one, and of each of those at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.data.items import DatasetScores
from stanoff.errors import InputError
from stanoff.inference.evidence import Evidence, RowInfo, summarize, summarize_rows
from stanoff.inference.posterior import Posterior, SampledPosterior, StudentTPosterior
from stanoff.models.folds import FoldsDatasets, dataset_names
from stanoff.models.items import Items

if TYPE_CHECKING:
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison

Array = NDArray[np.float64]

NEXT = "the next data set"


def judges_datasets(result: Result) -> bool:
    """Return whether a verdict is about the mean over new data sets."""
    return isinstance(result.model, FoldsDatasets) or isinstance(result.data, DatasetScores)


def next_scores(result: Result) -> Array:
    """Return draws of the scores of all systems on the next data set (chain, draw, system)."""
    draws = result.fit.draws.posterior
    if "psi_new" in draws:
        return np.asarray(draws["psi_new"][..., 0])
    if not judges_datasets(result):
        raise InputError("There is no next data set: pass dataset=, which names those at hand.")
    rng = np.random.default_rng(result.seed)
    stan_data = result.model.stan_data(result.data, result.prior)
    assert isinstance(result.model, Items)
    complete = result.model.complete_draws(draws, stan_data, rng)
    if "root" not in complete:
        raise InputError(
            "What the next data set may bring is learned from more data sets than systems, none of "
            "which is a function of the others."
        )
    z = rng.standard_normal(draws["psi"].shape)
    return np.asarray((draws["psi"] + complete["root"] @ z)[..., 0])


def next_difference(result: Comparison) -> Array:
    """Return draws (chain, draw) of the difference on the next data set."""
    psi = next_scores(result)
    return np.asarray(psi[..., result.pair[0]] - psi[..., result.pair[1]])


def next_dataset(result: Comparison) -> Evidence:
    """Summarize the difference on the next data set: a prediction, and not a vote.

    Of one score per data set it is Student's t, with the variance of the mean and of one more.
    """
    posterior: Posterior
    exact = result.closed_form(*(np.array([index]) for index in result.pair))
    if exact is not None and isinstance(result.data, DatasetScores):
        t, n = exact[0], result.data.items
        posterior = StudentTPosterior(t.df, t.loc, t.scale * np.sqrt(n + 1))
    else:
        posterior = SampledPosterior(next_difference(result)[None])
    return summarize(posterior, None, [RowInfo(NEXT)], **result.decision_rule)[0]


def dataset_table(result: Comparison) -> pd.DataFrame:
    """Return what is known of every data set, a row for each.

    Parameters
    ----------
    result : Comparison
        Of scores of folds, or of values, in several data sets.

    Returns
    -------
    DataFrame
        The number of scores of each system, the observed difference, and the posterior of the true
        one, which is drawn to what the data sets have in common.
    """
    model = result.model
    if not isinstance(model, FoldsDatasets):
        raise InputError(
            "Single data sets are judged by folds, or items, in each of them, with engine='stan'."
        )
    a, b = result.pair
    psi = model.dataset_scores(result.fit.draws.posterior, result.data, result.prior)
    delta = np.moveaxis(psi[..., a] - psi[..., b], -1, 0)
    posterior = SampledPosterior(np.ascontiguousarray(delta))
    stan_data = model.stan_data(result.data, result.prior)
    observed = np.asarray(stan_data["loading"]) @ np.asarray(stan_data["centre"])
    return pd.DataFrame(
        {
            "dataset": dataset_names(result.data),
            "n": np.asarray(stan_data["n"]),
            "observed": observed[a] - observed[b],
            **summarize_rows(posterior, **result.decision_rule),
        }
    )
