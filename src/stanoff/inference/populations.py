"""Which population a verdict is about, and what else the same data can answer.

New items, the next data set, new categories, new training sets, new trainings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import models
from stanoff.data.folds import FoldValues
from stanoff.data.items import DatasetScores, ItemValues
from stanoff.data.trained import OutOfFold, TrainedCopies, TrainedLabels, TrainedValues
from stanoff.data.types import AVERAGES
from stanoff.engines.draws import Variables
from stanoff.errors import InputError
from stanoff.inference.bayes_factor import density_diverges_at_zero
from stanoff.inference.evidence import Evidence, RowInfo, summarize, summarize_rows
from stanoff.inference.posterior import Posterior, SampledPosterior, StudentTPosterior
from stanoff.models.counts import Hierarchical, HierarchicalUnpaired
from stanoff.models.folds import TRAINING_SETS, Folds, FoldsDatasets, dataset_names
from stanoff.models.items import Items
from stanoff.models.priors import Prior
from stanoff.models.seeds import linearise, scores_of_folds
from stanoff.question import Sampling

if TYPE_CHECKING:
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison

Array = NDArray[np.float64]

NEW, NEXT = "a new category", "the next data set"
THESE_COPIES = "new documents, these trained copies"
COLUMNS = ["population", "model", "mean", "std", "hdi_low", "hdi_high", "p_rope", "decision"]


def populations(result: Comparison) -> pd.DataFrame:
    """Judge data for all that they can tell about: new items, new data sets, new trainings ...

    Parameters
    ----------
    result : Comparison
        Of values per item, scores of folds, trained copies or out-of-fold predictions.

    Returns
    -------
    DataFrame
        A row per population: its model, mean, std, hdi_low, hdi_high, p_rope and decision.
    """
    own = (models.describe_population(result.model, result.data), result.model.name)
    evidence = {own: result.evidence()}
    if isinstance(result.data, TrainedCopies):
        if not isinstance(result.data, OutOfFold):
            evidence[THESE_COPIES, "items"] = judge_copies(result)
        elif (of_folds := judge_training_sets(result)) is not None:
            evidence[TRAINING_SETS, "folds"] = of_folds
        table = _as_table(evidence)
        return table.assign(wider=table["std"] == table["std"].max())
    if judges_datasets(result):
        return _as_table(evidence | {(NEXT, result.model.name): next_dataset(result)})
    if not isinstance(result.data, ItemValues | FoldValues):
        raise InputError("Only values per item have populations: pass measure='mean'.")
    evidence = {}
    default = models.for_data(result.data)
    for model in dict.fromkeys(model or default for model in models.POPULATIONS.values()):
        try:
            refitted = result.refit(Sampling(model, Prior(), "exact", seed=result.seed))
        except InputError:
            continue  # the data have no runs, or no data sets
        evidence[models.describe_population(model, result.data), model.name] = refitted.evidence()
        if "eta" in refitted.fit.draws.posterior:
            eta = SampledPosterior(refitted.fit.draws.posterior["eta"][None])
            evidence["data sets on average", model.name] = _judge(result, eta)
    return _as_table(evidence)


def _as_table(evidence: dict[tuple[str, str], Evidence]) -> pd.DataFrame:
    rows = [{"population": p, "model": m, **e.as_row()} for (p, m), e in evidence.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _judge(
    result: Comparison,
    posterior: Posterior,
    prior: Posterior | None = None,
    row: RowInfo | None = None,
) -> Evidence:
    """Judge another difference by the rule of a comparison."""
    return summarize(posterior, prior, [row or RowInfo()], **result.decision_rule)[0]


def delta_new(result: Comparison) -> Array:
    """Return draws (chain, draw) of the difference where nobody has looked yet.

    That is a new data set under the datasets model, and a new category under the hierarchical ones:
    its rates are drawn from what the categories share, eta and kappa; it is as common as one of the
    categories at hand, taken at random.

    Parameters
    ----------
    result : Comparison
        Of one of these models.
    """
    if "delta_new" in result.fit.draws.posterior:
        return np.asarray(result.fit.draws.posterior["delta_new"])
    if judges_datasets(result):
        return next_difference(result)
    psi = _new_scores(result.fit.draws.posterior, result, np.random.default_rng(result.seed))
    return np.asarray(psi[..., 0] - psi[..., 1])


def evidence_new(result: Comparison) -> Evidence:
    """Summarize the difference where nobody has looked yet; see :func:`delta_new`.

    Of the hierarchical models the sentence is ``result.sentence("a new category")``.

    Parameters
    ----------
    result : Comparison
        Of a hierarchical model, or about new data sets.
    """
    if judges_datasets(result):
        return next_dataset(result)
    rng = np.random.default_rng(result.seed)
    psi = _new_scores(result.fit.draws.posterior, result, rng)
    psi_A, psi_B = psi[..., 0], psi[..., 1]
    prior, infinite = None, False
    if result.fit.draws.prior:
        prior_psi = _new_scores(result.fit.draws.prior, result, rng)
        delta = prior_psi[..., 0] - prior_psi[..., 1]
        prior, infinite = SampledPosterior(delta[None]), density_diverges_at_zero(delta)
    row = RowInfo(NEW, float(psi_A.mean()), float(psi_B.mean()), bf_sd_defined=not infinite)
    return _judge(result, SampledPosterior((psi_A - psi_B)[None]), prior, row)


def _new_scores(draws: Variables, result: Comparison, rng: np.random.Generator) -> Array:
    """Draw the scores of A and B on a new category (chain, draw, system)."""
    model = result.model
    if not isinstance(model, Hierarchical | HierarchicalUnpaired) or "eta_pos" not in draws:
        raise InputError("There is no eta: only the hierarchical models know of new categories.")
    mu = draws["mu"]  # of the categories at hand: (chain, draw, category), or one per system
    category = rng.integers(0, mu.shape[-1], mu.shape[:2])
    mu = np.take_along_axis(mu, category.reshape(*category.shape, *(1,) * (mu.ndim - 2)), axis=-1)
    confusion = model.draw_new_category(draws, mu, rng)
    return np.asarray(result.measure(confusion)[..., list(result.pair), 0])


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
    if result.exact_differences is not None and isinstance(result.data, DatasetScores):
        t, n = result.exact_differences[0], result.data.items
        posterior = StudentTPosterior(t.df, t.loc, t.scale * np.sqrt(n + 1))
    else:
        posterior = SampledPosterior(next_difference(result)[None])
    return _judge(result, posterior, row=RowInfo(NEXT))


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


def judge_copies(result: Comparison) -> Evidence:
    """Return what the documents say of the trained copies at hand, and not of others.

    It is Student's t of the differences, each averaged over the copies.

    Parameters
    ----------
    result : Comparison
        Of trained copies.
    """
    data = result.data
    assert isinstance(data, TrainedCopies)
    if isinstance(data, TrainedLabels):
        row = 0 if result.average is None else len(data.categories) + AVERAGES.index(result.average)
        values = linearise(data, result.measure)[row]
    else:
        assert isinstance(data, TrainedValues)
        values = data.values
    a, b = (values[data.owner == system].mean(axis=0) for system in result.pair)
    scale = (a - b).std(ddof=1) / np.sqrt(data.documents)
    return _judge(result, StudentTPosterior(data.documents - 1, (a - b).mean(), scale))


def judge_training_sets(result: Comparison) -> Evidence | None:
    """Return what the scores of the folds say of new training sets, or None where they cannot.

    It is the correlated t of the folds model, as for scores of ``cross_validate``.

    Parameters
    ----------
    result : Comparison
        Of out-of-fold predictions.
    """
    if not isinstance(result.data, OutOfFold):
        return None
    try:
        folds = scores_of_folds(result.data, result.measure, result.average)
        pair = (np.array([index]) for index in result.pair)
        exact = Folds().closed_form(folds, Prior(), *pair)
    except InputError:
        return None  # too few folds, or scores that never differ
    assert exact is not None
    return _judge(result, StudentTPosterior(*exact[0]))
