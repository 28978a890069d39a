"""Out-of-fold predictions: new documents, for the systems as they were trained.

Scores are linearised, as those of trained copies are: the mean over documents of numbers that say
what each document does to the score. Repeats are averaged document by document, so that they never
make the interval narrower than documents allow. The AUC ranks documents within their fold alone:
scores of copies that were trained on other documents have no common scale.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.folds import Design, FoldTable, FoldValues, build_folds
from stanoff.data.out_of_fold import OutOfFold, OutOfFoldLabels, OutOfFoldScores
from stanoff.data.types import AVERAGES, Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.measures.scores import LOSS, ScoreMeasure
from stanoff.models.base import Array, Inputs, StanData
from stanoff.models.priors import Priors
from stanoff.models.seeds import SeedsOfLabels, linearise, score_variable


class OutOfFoldDocuments(SeedsOfLabels):
    """Labels that were predicted out of fold: a t over documents, by linearised measures."""

    name = "out_of_fold"
    accepts: type[Data] = OutOfFoldLabels
    dims = {
        "truth": ("category", "document"),
        "said": ("copy", "category", "document"),
    }

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
            n = len(row)
            root = np.linalg.qr(row - row.mean(axis=0), mode="r")
            scale = np.sqrt(n * rng.chisquare(n - 1, draws))
            z = rng.standard_normal((draws, len(root)))
            psi.append(row.mean(axis=0) + z @ root / scale[:, None])
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
    dims = {"truth": ("document",), "score": ("copy", "document")}


def document_scores(data: Data, measure: Measure) -> list[Array]:
    """Return what each document does to the score of each system (document, system), by row."""
    if isinstance(data, OutOfFoldLabels):
        rows = linearise(data, measure)
    elif isinstance(data, OutOfFoldScores):
        rows = [_score_rows(data, measure)] * (1 + len(AVERAGES))
    else:
        raise InputError("Out-of-fold predictions are needed: pass fold=.")
    owners = range(len(data.systems))
    return [np.stack([y[data.owner == s].mean(axis=0) for s in owners], axis=1) for y in rows]


def _score_rows(data: OutOfFoldScores, measure: Measure) -> Array:
    """Return what each document does to the score of each copy (copy, document)."""
    if not isinstance(measure, ScoreMeasure):
        raise invalid("measure", "one of scores, such as 'auc'", measure.name)
    if measure.computed_from == LOSS:
        return np.stack([measure.losses(data.truth == 1, score) for score in data.score])
    if measure.name != "auc":
        rule = "'auc', 'brier' or 'log_loss' for scores out of fold"
        raise invalid("measure", rule, measure.name)
    repeats = len(data.fold)
    rows = np.empty(data.score.shape)
    for copy, score in enumerate(data.score):
        fold = data.fold[copy % repeats]
        for k in range(int(fold.max()) + 1):
            here = fold == k
            rows[copy, here] = placement_values(data.truth[here], score[here], k)
    return rows


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
    above = (np.searchsorted(np.sort(negative), positive, "left")) / len(negative)
    above = (above + np.searchsorted(np.sort(negative), positive, "right") / len(negative)) / 2
    below = np.searchsorted(np.sort(positive), negative, "left")
    below = 1 - (below + np.searchsorted(np.sort(positive), negative, "right")) / 2 / len(positive)
    auc = above.mean()
    out = np.empty(len(truth))
    out[truth == 1] = auc + (above - auc) * len(truth) / len(positive)
    out[truth == 0] = auc + (below - auc) * len(truth) / len(negative)
    return out


def scores_of_folds(data: OutOfFold, measure: Measure) -> FoldValues:
    """Return the score of every system in every fold, as cross-validation would."""
    repeats, folds = len(data.fold), int(data.fold.max()) + 1
    values = np.empty((len(data.systems), repeats * folds))
    for r in range(repeats):
        for k in range(folds):
            here = data.fold[r] == k
            for s in range(len(data.systems)):
                copy = np.flatnonzero(data.owner == s)[r]
                values[s, r * folds + k] = _score_fold(data, measure, copy, here)
    design = Design(1 / folds, folds, repeats)
    return build_folds(FoldTable(values, data.systems, design=design))


def _score_fold(data: OutOfFold, measure: Measure, copy: int, here: NDArray[np.bool_]) -> float:
    if isinstance(data, OutOfFoldLabels):
        shares = data.confusion[copy, 0][:, here].mean(axis=-1)
        return float(measure(shares))
    assert isinstance(data, OutOfFoldScores)
    truth, score = data.truth[here], data.score[copy, here]
    if isinstance(measure, ScoreMeasure) and measure.computed_from == LOSS:
        return float(measure.losses(truth == 1, score).mean())
    return float(placement_values(truth, score).mean())
