"""Trained copies crossed with documents, and out-of-fold predictions: scores, linearised.

Seeds: what would a new training do on new documents? The mean of R copies on N documents has the
variance (MS_document + MS_seed - MS_residual) / (N R), by the mean squares of a two-way table.
Systems share their documents and not their copies, so that the variance of a difference has one
term of documents and a term of copies of each system. The degrees of freedom are Satterthwaite's.

Labels are linearised: a measure of a copy is, but for terms that vanish, the mean over the
documents of numbers which say what each of them does to it.

Out-of-fold predictions are about new documents, for the systems as they were trained. Repeats are
averaged document by document, so that they never make the interval narrower than documents allow.
The AUC ranks documents within their fold alone: scores of copies that were trained on other
documents have no common scale.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.folds import Design, FoldValues, build_folds
from stanoff.data.trained import (
    OutOfFold,
    OutOfFoldLabels,
    OutOfFoldScores,
    TrainedLabels,
    TrainedValues,
)
from stanoff.data.types import AVERAGES, Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure, ScoreMeasure, average_categories
from stanoff.measures.scores import LOSS, share_below
from stanoff.models.base import (
    Array,
    ClosedForm,
    Inputs,
    Model,
    Proven,
    StanData,
    Variables,
    require,
    score_variable,
)
from stanoff.models.items import MIN_DEGREES, ValuesModel
from stanoff.models.priors import Prior, Priors

STEP = 1e-6  # of a share, to find how a measure changes with it


class Seeds(ValuesModel):
    """Values of trained copies on items: document, copy and residual effects."""

    name = "seeds"
    inputs = {
        **dict.fromkeys(("S", "N"), 0),
        **dict.fromkeys(("copies", "centre", "seeds", "residuals", "seed_scale"), 1),
        "documents": 2,
    }
    observed = ("centre", "documents", "seeds", "residuals")
    dims = {
        **dict.fromkeys(("centre", "seeds", "residuals", "copies", "seed_scale"), ("system",)),
        **dict.fromkeys(("mu", "z", "tau", "sigma_seed", "sigma"), ("system",)),
        "documents": ("system", "other_system"),
        "L_Omega": ("margin", "factor"),
    }
    accepts = TrainedValues
    needs = "trained copies: pass trained="

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Return means and sums of squares, which are all that the values tell."""
        return crossed_squares(data.values, data.owner)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Return the mean over copies of each system (system, 1)."""
        assert isinstance(data, TrainedValues)
        return np.asarray(crossed_squares(data.values, data.owner)["centre"])[:, None]

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system over new copies."""
        return {"psi": _draw_crossed_means(stan_data, draws, rng)[..., None]}

    def closed_form(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> ClosedForm:
        """Return the posterior t of the difference of two systems."""
        if len(data.systems) > 2:
            return None  # each pair has degrees of its own
        stan_data = self.stan_data(data, prior)
        centre = np.asarray(stan_data["centre"])
        variance, degrees = variance_of_difference(stan_data, 0, 1)
        scale = np.full(len(first), np.sqrt(variance))
        return (degrees, centre[first] - centre[second], scale), None


class SeedsOfLabels(Model):
    """Labels of trained copies: measures, linearised document by document."""

    name = "seeds_labels"
    observed: tuple[str, ...] = ("truth", "predictions")
    dims = {
        "truth": ("category", "document"),
        **dict.fromkeys(("predictions", "score"), ("copy", "category", "document")),
    }
    accepts: type[Data] = TrainedLabels
    needs = "trained copies: pass trained="

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return what was observed and, with a measure, what each category and average rests on."""
        require(data, self.accepts, self.name, self.needs)
        stan_data: Inputs = {name: data.arrays()[name] for name in self.observed}
        if measure is None:
            return stan_data
        return stan_data | {"measure": measure, "rows": self.score_rows(data, measure)}

    def score_rows(self, data: Any, measure: Measure) -> list[Any]:
        """Return what the scores of every category, and of every average, rest on."""
        return [crossed_squares(y, data.owner) for y in linearise(data, measure)]

    def draw_row(self, row: Any, draws: int, rng: Generator) -> Array:
        """Draw the scores of every system (draw, system) in a category, or of an average."""
        return _draw_crossed_means(row, draws, rng)

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the scores of every system, of categories and averages."""
        psi = [self.draw_row(row, draws, rng) for row in stan_data["rows"]]
        return {score_variable(stan_data["measure"]): np.stack(psi, axis=-1)}

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Look the scores up: of the categories and, with an average, of every average."""
        psi = draws[score_variable(measure)]
        return psi if average is not None else psi[..., : psi.shape[-1] - len(AVERAGES)]

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Return the mean over copies of the scores (system, row)."""
        rows = self.score_rows(data, measure)
        means = [row["centre"] if isinstance(row, dict) else row.mean(axis=0) for row in rows]
        return np.stack(means if average else means[: len(data.categories)], axis=-1)

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return False: a t has a finite density everywhere."""
        return False


class OutOfFoldDocuments(SeedsOfLabels):
    """Labels that were predicted out of fold: a t over documents, by linearised measures."""

    name = "out_of_fold"
    accepts: type[Data] = OutOfFoldLabels
    needs = "out-of-fold predictions: pass fold="

    def score_rows(self, data: Any, measure: Measure) -> list[Any]:
        """Return what each document does to the score of each system (document, system), by row."""
        rows = _copy_scores(data, measure)
        owners = range(len(data.systems))
        return [np.stack([y[data.owner == s].mean(axis=0) for s in owners], axis=1) for y in rows]

    def draw_row(self, row: Any, draws: int, rng: Generator) -> Array:
        """Draw the scores of every system: a multivariate t, as of values of items."""
        mean = row.mean(axis=0)
        order = np.lexsort((row.var(axis=0), mean))  # of the systems, whatever theirs is
        root = np.empty((min(row.shape), row.shape[1]))
        root[:, order] = np.linalg.qr((row - mean)[:, order], mode="r")
        scale = np.sqrt(len(row) * rng.chisquare(len(row) - 1, draws))
        z = rng.standard_normal((draws, len(root)))
        return np.asarray(mean + z @ root / scale[:, None])


class OutOfFoldRankings(OutOfFoldDocuments):
    """Scores that were predicted out of fold: AUC within folds, Brier score, log loss."""

    name = "out_of_fold_scores"
    accepts = OutOfFoldScores
    observed = ("truth", "score")


def linearise(data: TrainedLabels, measure: Measure) -> list[Array]:
    """Return numbers (copy, document) whose mean over documents is the score of a copy.

    A row per category, then one per average. What a document does to the score is the derivative of
    the measure by the shares of the cells, times the cell that it is in.

    Parameters
    ----------
    data : TrainedLabels
        What every copy predicted.
    measure : Measure
        A measure of confusion matrices.
    """
    confusion = data.confusion
    shares = confusion.mean(axis=-1)  # (copy, category, cell)

    def score_category(shares: Array) -> Array:
        return measure(shares[:, 0])

    rows = [
        _linearise(score_category, shares[:, [k]], confusion[:, [k]])
        for k in range(len(data.categories))
    ]
    if len(rows) == 1:
        return rows * (1 + len(AVERAGES))
    for average in AVERAGES:
        averaged = partial(average_categories, measure, average=average)
        rows.append(_linearise(averaged, shares, confusion))
    return rows


def _linearise(
    score: Callable[[Array], Array], shares: Array, confusion: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the score of each copy, plus what each document adds to it (copy, document)."""
    scores = score(shares)
    if not np.isfinite(scores).all():
        hint = "choose another zero_division or another measure"
        raise InputError(f"The measure is 0/0 for some trained copy: {hint}.")
    slopes = np.empty_like(shares)
    for k, j in np.ndindex(shares.shape[1:]):
        up, down = shares.copy(), shares.copy()
        up[:, k, j] += STEP
        down[:, k, j] = np.maximum(down[:, k, j] - STEP, 0)
        slopes[:, k, j] = (score(up) - score(down)) / (up - down)[:, k, j]
    added = np.einsum("rkj,rkjn->rn", slopes, confusion.astype(np.float64))
    centre = (slopes * shares).sum(axis=(1, 2))
    return np.asarray(scores[:, None] + added - centre[:, None])


def crossed_squares(values: Array, owner: NDArray[np.int64]) -> Inputs:
    """Return the means and sums of squares of copies crossed with documents.

    Parameters
    ----------
    values : ndarray
        A row per copy (copy, document).
    owner : ndarray
        The system of each copy.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [1.0, 1.0, 1.0], [1.0, 1.0, 4.0]])
    >>> squares = crossed_squares(table, np.array([0, 0, 1, 1]))
    >>> squares["centre"].tolist(), squares["seeds"].tolist(), squares["residuals"].tolist()
    ([2.5, 1.5], [1.5, 1.5], [0.0, 3.0])
    """
    systems, n = int(owner.max()) + 1, values.shape[1]
    tables = [values[owner == s] for s in range(systems)]
    copies = np.array([len(table) for table in tables])
    away = [table - table.mean() for table in tables]
    documents = np.stack([table.mean(axis=0) for table in away])
    seeds = n * np.array([(table.mean(axis=1) ** 2).sum() for table in away])
    left = [table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) for table in away]
    residuals = np.array([(table**2).sum() for table in left])
    # Copies rarely differ by much more than chance would make them differ.
    noise = (seeds + residuals) / (n * (n * (copies - 1)))
    return {
        "S": systems,
        "N": n,
        "copies": copies,
        "centre": np.array([table.mean() for table in tables]),
        "documents": documents @ documents.T,
        "seeds": seeds,
        "residuals": residuals,
        "seed_scale": np.sqrt(np.maximum(noise, 1e-300)),
    }


def _variances(stan_data: StanData) -> tuple[Array, Array, Array]:
    """Return what documents (system, system), copies and residuals add to variances of means."""
    n, copies = stan_data["N"], np.asarray(stan_data["copies"])
    of_documents = np.asarray(stan_data["documents"]) / (n * (n - 1))
    of_copies = np.asarray(stan_data["seeds"]) / (copies - 1) / (n * copies)
    of_residuals = np.asarray(stan_data["residuals"]) / ((n - 1) * (copies - 1)) / (n * copies)
    return of_documents, of_copies, of_residuals


def variance_of_difference(stan_data: StanData, a: int, b: int) -> tuple[float, float]:
    """Return the variance of the difference of two systems, and its degrees of freedom."""
    n, squares = stan_data["N"], np.asarray(stan_data["documents"])
    copies = np.asarray(stan_data["copies"])[[a, b]]
    of_documents = (squares[a, a] + squares[b, b] - 2 * squares[a, b]) / (n * (n - 1))
    of_copies, of_residuals = (v[[a, b]] for v in _variances(stan_data)[1:])
    total = of_documents + (of_copies - of_residuals).sum()
    total = max(total, of_documents / 2, of_copies.sum() / 2)  # a difference may be negative
    uncertain = of_documents**2 / (n - 1) + (of_copies**2 / (copies - 1)).sum()
    uncertain += (of_residuals**2 / ((n - 1) * (copies - 1))).sum()
    if not uncertain > 0:
        raise InputError("The systems differ by the same amount on all documents: no verdict.")
    return float(total), float(max(total**2 / uncertain, MIN_DEGREES))


def _draw_crossed_means(stan_data: StanData, draws: int, rng: Generator) -> Array:
    """Draw the means of all systems (draw, system): a multivariate t.

    Its degrees are those of the pair that has the fewest. The order of the systems has no part in
    the draws.
    """
    of_documents, of_copies, of_residuals = _variances(stan_data)
    covariance = of_documents + np.diag(of_copies - of_residuals)
    centre = np.asarray(stan_data["centre"])
    order = np.lexsort((np.diag(covariance), centre))
    variances, axes = np.linalg.eigh(covariance[np.ix_(order, order)])
    root = np.empty(axes.shape)
    root[order] = axes * np.sqrt(np.maximum(variances, 0))
    pairs = combinations(range(stan_data["S"]), 2)
    degrees = min(variance_of_difference(stan_data, a, b)[1] for a, b in pairs)
    z: Array = rng.standard_normal((draws, stan_data["S"])) @ root.T
    return centre + z * np.sqrt(degrees / rng.chisquare(degrees, draws))[:, None]


def _copy_scores(data: Data, measure: Measure) -> list[Array]:
    """Return what each document does to the score of each copy (copy, document), by row."""
    if isinstance(data, OutOfFoldLabels):
        return linearise(data, measure)
    assert isinstance(data, OutOfFoldScores)
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
    return np.asarray(np.tensordot(weight, rows, axes=1) + rows.mean(axis=2).T @ change)


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
        of_one_class = f"fold number {fold + 1} has documents of one class only"
        raise InputError(f"{of_one_class}, within which AUC is computed: use stratified folds.")
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
    row = 0 if average is None else len(data.categories) + AVERAGES.index(average)
    effects = None if isinstance(data, OutOfFoldLabels) else _copy_scores(data, measure)[row]

    def score(copy: int, documents: NDArray[np.bool_]) -> float:
        if effects is not None:
            return float(effects[copy, documents].mean())
        assert isinstance(data, OutOfFoldLabels)
        shares = data.confusion[copy][..., documents].mean(axis=-1)
        if average is None:
            return float(measure(shares[0]))
        return float(average_categories(measure, shares, average))

    values = [
        [
            score(copy, data.fold[copy % repeats] == k)
            for copy in np.flatnonzero(data.owner == system).tolist()
            for k in range(folds)
        ]
        for system in range(len(data.systems))
    ]
    return build_folds(np.array(values), data.systems, Design(1 / folds, folds, repeats))
