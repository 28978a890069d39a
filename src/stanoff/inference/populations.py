"""Which population a verdict is about, and what else the same data can answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import models
from stanoff.data.folds import FoldValues
from stanoff.data.items import ItemValues
from stanoff.data.trained import OutOfFold, TrainedCopies
from stanoff.engines.draws import Variables
from stanoff.errors import InputError
from stanoff.inference.bayes_factor import density_diverges_at_zero
from stanoff.inference.evidence import Evidence, RowInfo, summarize
from stanoff.inference.new_datasets import (
    NEXT,
    judges_datasets,
    next_dataset,
    next_difference,
)
from stanoff.inference.posterior import SampledPosterior
from stanoff.inference.training_sets import THESE_COPIES, judge_copies, judge_training_sets
from stanoff.models.counts import Hierarchical, HierarchicalUnpaired
from stanoff.models.folds import TRAINING_SETS
from stanoff.models.priors import Prior
from stanoff.question import Sampling

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

Array = NDArray[np.float64]

NEW = "a new category"
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
    if isinstance(result.data, TrainedCopies):
        evidence = {models.describe_population(result.model, result.data): result.evidence()}
        table = _as_table(result.model.name, evidence)
        if not isinstance(result.data, OutOfFold):
            table = pd.concat([table, _as_table("items", {THESE_COPIES: judge_copies(result)})])
        elif (of_folds := judge_training_sets(result)) is not None:
            table = pd.concat([table, _as_table("folds", {TRAINING_SETS: of_folds})])
        widest = table["std"] == table["std"].max()
        return table.assign(wider=widest).reset_index(drop=True)
    if judges_datasets(result):
        evidence = {models.describe_population(result.model, result.data): result.evidence()}
        evidence[NEXT] = next_dataset(result)
        return _as_table(result.model.name, evidence)
    if not isinstance(result.data, ItemValues | FoldValues):
        raise InputError("Only values per item have populations: pass measure='mean'.")
    tables = []
    default = models.for_data(result.data)
    for model in dict.fromkeys(model or default for model in models.POPULATIONS.values()):
        try:
            refitted = result.refit(Sampling(model, Prior(), "exact", seed=result.seed))
        except InputError:
            continue  # the data have no runs, or no data sets
        evidence = {models.describe_population(model, result.data): refitted.evidence()}
        if "eta" in refitted.fit.draws.posterior:
            eta = refitted.fit.draws.posterior["eta"]
            evidence["data sets on average"] = _summarize(result, eta, None, RowInfo())
        tables.append(_as_table(model.name, evidence))
    return pd.concat(tables, ignore_index=True)


def _as_table(model: str, evidence: Mapping[str, Evidence]) -> pd.DataFrame:
    rows = [
        {"population": population, "model": model, **e.as_row()}
        for population, e in evidence.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


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
    prior, infinite = None, False
    if result.fit.draws.prior:
        prior_psi = _new_scores(result.fit.draws.prior, result, rng)
        prior = prior_psi[..., 0] - prior_psi[..., 1]
        infinite = density_diverges_at_zero(prior)
    psi_A, psi_B = psi[..., 0], psi[..., 1]
    row = RowInfo(NEW, float(psi_A.mean()), float(psi_B.mean()), bf_sd_defined=not infinite)
    return _summarize(result, psi_A - psi_B, prior, row)


def _summarize(result: Comparison, delta: Array, prior: Array | None, row: RowInfo) -> Evidence:
    """Summarize draws (chain, draw) of a difference by the question of a comparison."""
    prior_delta = None if prior is None else SampledPosterior(prior[None])
    return summarize(SampledPosterior(delta[None]), prior_delta, [row], **result.decision_rule)[0]


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
