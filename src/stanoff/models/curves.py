"""Curves of scores under the Bayesian bootstrap: ROC, precision against recall, reliability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from stanoff.data.scores import ScoredDocuments
from stanoff.measures import SCORES
from stanoff.models.base import Array
from stanoff.models.bootstrap import BOOTSTRAP, CategoryScorer, PriorDocuments, draw_gammas
from stanoff.models.priors import Priors

MAX_CURVES, MIN_CURVES, MAX_NUMBERS = 1000, 100, 20_000_000
BINS = 10


def of_category(data: ScoredDocuments, category: str) -> ScoredDocuments:
    """Keep one category alone."""
    k = data.categories.index(category)
    return replace(data, categories=(category,), truth=data.truth[[k]], score=data.score[:, [k]])


def roc_curves(data: ScoredDocuments, prior: Priors, seed: int, at: Array) -> Array:
    """Draw the share of positives found at shares of negatives that are called positive.

    Parameters
    ----------
    data : ScoredDocuments
        Of one category.
    prior : Prior
        The weights of the prior.
    seed : int
        Makes the draws reproducible.
    at : ndarray
        Shares of the negatives.

    Returns
    -------
    ndarray
        The curves of all systems (draw, system, share); the first is that of the data.
    """
    return _draw_curves(data, prior, seed, lambda pos, neg, share: np.interp(at, neg, pos))


def precision_curves(data: ScoredDocuments, prior: Priors, seed: int, at: Array) -> Array:
    """Draw the precision at shares of the positives that are found; else as :func:`roc_curves`."""

    def precision(pos: Array, neg: Array, share: float) -> Array:
        index = np.minimum(np.searchsorted(pos, at - 1e-12), len(pos) - 1)
        right, wrong = share * pos[index], (1 - share) * neg[index]
        return np.asarray(right / np.maximum(right + wrong, 1e-300))

    return _draw_curves(data, prior, seed, precision)


def reliability(data: ScoredDocuments, prior: Priors, seed: int) -> tuple[Array, Array]:
    """Draw how often what has a probability happens, in bins of equal width.

    Returns
    -------
    tuple of ndarray
        The mean probability in each bin (system, bin), and the share of positives (draw, system,
        bin), whose first draw is that of the data; NaN where there is no document.
    """
    truth, bins = data.truth[0], np.minimum((data.score[:, 0] * BINS).astype(int), BINS - 1)

    def mean_by_bin(values: Array, weight: Array, index: Array) -> Array:
        total = np.bincount(index, weights=weight, minlength=BINS)
        sums = np.bincount(index, weights=weight * values, minlength=BINS)
        return np.asarray(np.divide(sums, total, out=np.full(BINS, np.nan), where=total > 0))

    ones = np.ones(len(truth))
    mean = [mean_by_bin(p, ones, index) for p, index in zip(data.score[:, 0], bins, strict=True)]
    happened = []
    for scorer, weight, share, _ in _draw_weights(data, prior, seed):
        pos = float(weight @ scorer.positive)
        balanced = weight * np.where(truth, share / pos, (1 - share) / (weight.sum() - pos))
        happened.append([mean_by_bin(scorer.positive, balanced, index) for index in bins])
    return np.array(mean), np.array(happened)


def _draw_curves(
    data: ScoredDocuments,
    prior: Priors,
    seed: int,
    curve: Callable[[Array, Array, float], Array],
) -> Array:
    """Draw curves of the shares of positives and negatives from the highest score down."""
    curves: list[list[Array]] = []
    for scorer, weight, share, prior_documents in _draw_weights(data, prior, seed):
        curves.append([])
        for ranking in scorer.rankings:
            masses = ranking.class_weights(weight[None], prior_documents)
            pos, neg = (np.concatenate([[0.0], np.cumsum(mass[0])]) for mass in masses)
            curves[-1].append(curve(pos / pos[-1], neg / neg[-1], share))
    return np.array(curves)


def _draw_weights(
    data: ScoredDocuments, prior: Priors, seed: int
) -> Iterator[tuple[CategoryScorer, Array, float, PriorDocuments]]:
    """Draw weights of the documents, draw by draw; the first are all 1."""
    stan_data = BOOTSTRAP.stan_data(data, prior, SCORES["auc"])
    scorer = CategoryScorer(data.truth[0], data.score[:, 0], SCORES["auc"])
    yield scorer, np.ones(len(scorer.truth)), float(scorer.positive.mean()), ()
    rng = np.random.default_rng(seed)
    for _ in range(max(MIN_CURVES, min(MAX_CURVES, MAX_NUMBERS // len(scorer.truth)))):
        weight, share, documents = scorer.draw_weights(draw_gammas(data, 1, rng), stan_data, rng)
        yield scorer, weight[0], float(share[0]), documents
