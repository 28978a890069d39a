"""Curves of scores under the weights model: ROC, precision against recall, reliability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from stanoff.data.scores import ScoredDocuments
from stanoff.measures import SCORES
from stanoff.models.base import Array
from stanoff.models.priors import Priors
from stanoff.models.sorting import Extra, Room, Row
from stanoff.models.weights import WEIGHTS, documents_drawn, row_drawn

DRAWS, LEAST, MOST = 1000, 100, 20_000_000  # curves; numbers to be drawn for them
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
    return _drawn(data, prior, seed, lambda pos, neg, share: np.interp(at, neg, pos))


def precision_curves(data: ScoredDocuments, prior: Priors, seed: int, at: Array) -> Array:
    """Draw the precision at shares of the positives that are found; else as :func:`roc_curves`."""

    def precision(pos: Array, neg: Array, share: float) -> Array:
        place = np.minimum(np.searchsorted(pos, at - 1e-12), len(pos) - 1)
        found, wrong = share * pos[place], (1 - share) * neg[place]
        return np.asarray(found / np.maximum(found + wrong, 1e-300))

    return _drawn(data, prior, seed, precision)


def reliability(data: ScoredDocuments, prior: Priors, seed: int) -> tuple[Array, Array]:
    """Draw how often what has a probability happens, in bins of equal width.

    Returns
    -------
    tuple of ndarray
        The mean probability in each bin (system, bin), and the share of positives (draw, system,
        bin), whose first draw is that of the data; NaN where there is no document.
    """
    truth, bins = data.truth[0], np.minimum((data.score[:, 0] * BINS).astype(int), BINS - 1)

    def by_bin(values: Array, weight: Array, b: Array) -> Array:
        total = np.bincount(b, weights=weight, minlength=BINS)
        mean = np.full(BINS, np.nan)
        sums = np.bincount(b, weights=weight * values, minlength=BINS)
        return np.asarray(np.divide(sums, total, out=mean, where=total > 0))

    every = np.ones(len(truth))
    mean = [by_bin(p, every, b) for p, b in zip(data.score[:, 0], bins, strict=True)]
    happened = []
    for row, weight, share, _ in _weights(data, prior, seed):
        pos = float(weight @ row.yes)
        each = weight * np.where(truth, share / pos, (1 - share) / (weight.sum() - pos))
        happened.append([by_bin(row.yes, each, b) for b in bins])
    return np.array(mean), np.array(happened)


def _drawn(
    data: ScoredDocuments,
    prior: Priors,
    seed: int,
    curve: Callable[[Array, Array, float], Array],
) -> Array:
    """Draw curves of the shares of positives and negatives from the highest score down."""
    room, out = Room(), []
    for row, weight, share, extra in _weights(data, prior, seed):
        found = []
        for ranking in row.rankings:
            masses = ranking.masses(weight[None], extra, room)
            pos, neg = (np.concatenate([[0.0], np.cumsum(mass[0])]) for mass in masses)
            found.append(curve(pos / pos[-1], neg / neg[-1], share))
        out.append(found)
    return np.array(out)


def _weights(
    data: ScoredDocuments, prior: Priors, seed: int
) -> Iterator[tuple[Row, Array, float, Extra]]:
    """Draw weights of the documents, draw by draw; the first are all 1."""
    measure = SCORES["auc"]
    block = WEIGHTS.stan_data(data, prior, measure)
    row = Row(data.truth[0], data.score[:, 0], measure)
    yield row, np.ones(len(row.truth)), float(row.yes.mean()), ()
    rng, room = np.random.default_rng(seed), Room()
    for _ in range(max(LEAST, min(DRAWS, MOST // len(row.truth)))):
        every = documents_drawn(data, 1, rng, room)
        weight, share, extra = row_drawn(data, block, row, every, every, rng)
        yield row, weight[0], float(share[0]), extra
