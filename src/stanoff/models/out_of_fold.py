"""Out-of-fold predictions: new documents, for the systems as they were trained.

Scores are linearised, as those of trained copies are: the mean over documents of numbers that say
what each document does to the score. Repeats are averaged document by document, so that they never
make the interval narrower than documents allow. The AUC ranks documents within their fold alone:
scores of copies that were trained on other documents have no common scale.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.folds import Design, FoldTable, FoldValues, build_folds
from stanoff.data.out_of_fold import OutOfFold, OutOfFoldLabels, OutOfFoldScores
from stanoff.data.types import AVERAGES, Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure, average_categories
from stanoff.measures.scores import LOSS, ScoreMeasure, share_below
from stanoff.models.base import Array, Inputs, StanData
from stanoff.models.priors import Priors
from stanoff.models.seeds import SeedsOfLabels, linearise, score_variable


class OutOfFoldDocuments(SeedsOfLabels):
    """Labels that were predicted out of fold: a t over documents, by linearised measures."""

    name = "out_of_fold"
    accepts: type[Data] = OutOfFoldLabels

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return, row by row, what each document does to the scores (document, system)."""
        if not isinstance(data, self.accepts):
            raise InputError(f"The {self.name} model needs out-of-fold predictions: pass fold=.")
        stan_data: Inputs = {name: data.arrays()[name] for name in self.observed}
        if measure is not None:
            stan_data |= {"measure": measure, "rows": document_scores(data, measure)}
        return stan_data

    def population(self, data: Data) -> str:
        """Say what is averaged over."""
        return "new documents, these trained systems"

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the scores of every system: a multivariate t, as of values of items."""
        psi = []
        for row in stan_data["rows"]:
            n, mean = len(row), row.mean(axis=0)
            order = np.lexsort((row.var(axis=0), mean))  # of the systems, whatever theirs is
            root = np.empty((min(row.shape), row.shape[1]))
            root[:, order] = np.linalg.qr((row - mean)[:, order], mode="r")
            scale = np.sqrt(n * rng.chisquare(n - 1, draws))
            z = rng.standard_normal((draws, len(root)))
            psi.append(mean + z @ root / scale[:, None])
        return {score_variable(stan_data["measure"]): np.stack(psi, axis=-1)}

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Return the scores, averaged over repeats (system, row)."""
        rows = [row.mean(axis=0) for row in document_scores(data, measure)]
        return np.stack(rows if average else rows[: len(data.categories)], axis=-1)


class OutOfFoldRankings(OutOfFoldDocuments):
    """Scores that were predicted out of fold: AUC within folds, Brier score, log loss."""

    name = "out_of_fold_scores"
    accepts = OutOfFoldScores
    observed = ("truth", "score")
    dims = {"truth": ("category", "document"), "score": ("copy", "category", "document")}


def document_scores(data: Data, measure: Measure) -> list[Array]:
    """Return what each document does to the score of each system (document, system), by row."""
    rows = _copy_scores(data, measure)
    assert isinstance(data, OutOfFold)
    owners = range(len(data.systems))
    return [np.stack([y[data.owner == s].mean(axis=0) for s in owners], axis=1) for y in rows]


def _copy_scores(data: Data, measure: Measure) -> list[Array]:
    """Return what each document does to the score of each copy (copy, document), by row."""
    if isinstance(data, OutOfFoldLabels):
        return linearise(data, measure)
    if not isinstance(data, OutOfFoldScores):
        raise InputError("Out-of-fold predictions are needed: pass fold=.")
    if not isinstance(measure, ScoreMeasure):
        raise invalid("measure", "one of scores, such as 'auc'", measure.name)
    if measure.computed_from != LOSS and measure.name != "auc":
        rule = "'auc', 'brier' or 'log_loss' for scores out of fold"
        raise invalid("measure", rule, measure.name)
    copies, categories, documents = data.score.shape
    rows, micro = np.empty((categories, copies, documents)), np.empty((copies, documents))
    for copy, score in enumerate(data.score):
        fold = data.fold[copy % len(data.fold)]
        for k in range(int(fold.max()) + 1):
            here = fold == k
            truth, predicted = data.truth[:, here], score[:, here]
            rows[:, copy, here] = [
                _document_effects(measure, *pair, k) for pair in zip(truth, predicted, strict=True)
            ]
            pooled = _document_effects(measure, truth.ravel(), predicted.ravel(), k)
            micro[copy, here] = pooled.reshape(truth.shape).mean(axis=0)
    return [*rows, rows.mean(axis=0), micro, _weighted(rows, data.truth)]


def _weighted(rows: Array, truth: NDArray[np.int64]) -> Array:
    """Average rows (category, copy, document) by the documents of the categories.

    Documents are chosen at random, so that the weights vary, too.
    """
    size = truth.mean(axis=1)
    weight = size / size.sum()
    change = (truth - weight[:, None] * truth.sum(axis=0)) / size.sum()
    averages = np.tensordot(weight, rows, axes=1)
    return np.asarray(averages + rows.mean(axis=2).T @ change)


def _document_effects(
    measure: ScoreMeasure, truth: NDArray[np.int64], score: Array, fold: int
) -> Array:
    if measure.computed_from == LOSS:
        return np.asarray(measure.losses(truth == 1, score))
    return placement_values(truth, score, fold)


def placement_values(truth: NDArray[np.int64], score: Array, fold: int = 0) -> Array:
    """Return numbers whose mean is the AUC: the AUC, and what each document adds to it.

    Examples
    --------
    >>> placement_values(np.array([1, 1, 0, 0]), np.array([0.9, 0.4, 0.5, 0.1])).tolist()
    [1.25, 0.25, 0.25, 1.25]
    """
    positive, negative = score[truth == 1], score[truth == 0]
    if not len(positive) or not len(negative):
        raise InputError(
            f"The AUC is computed within folds, and fold number {fold + 1} has documents of one "
            "class only: use stratified folds."
        )
    above = share_below(negative, positive)
    below = 1 - share_below(positive, negative)
    auc = above.mean()
    effects = np.empty(len(truth))
    effects[truth == 1] = auc + (above - auc) * len(truth) / len(positive)
    effects[truth == 0] = auc + (below - auc) * len(truth) / len(negative)
    return effects


def scores_of_folds(data: OutOfFold, measure: Measure, average: str | None) -> FoldValues:
    """Return the score of every system in every fold, as cross-validation would."""
    repeats, folds = len(data.fold), int(data.fold.max()) + 1
    scores = _fold_scores(data, measure, average)
    values = np.array(
        [
            [
                scores(copy, data.fold[copy % repeats] == k)
                for copy in np.flatnonzero(data.owner == system).tolist()
                for k in range(folds)
            ]
            for system in range(len(data.systems))
        ]
    )
    design = Design(1 / folds, folds, repeats)
    return build_folds(FoldTable(values, data.systems, design=design))


def _fold_scores(
    data: OutOfFold, measure: Measure, average: str | None
) -> Callable[[int, NDArray[np.bool_]], float]:
    """Return a function of a copy and the documents of a fold, which gives the score there."""
    if isinstance(data, OutOfFoldLabels):

        def of_labels(copy: int, documents: NDArray[np.bool_]) -> float:
            shares = data.confusion[copy][..., documents].mean(axis=-1)
            if average is None:
                return float(measure(shares[0]))
            return float(average_categories(measure, shares, average))

        return of_labels
    row = 0 if average is None else len(data.categories) + AVERAGES.index(average)
    effects = _copy_scores(data, measure)[row]
    return lambda copy, documents: float(effects[copy, documents].mean())
