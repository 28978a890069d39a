"""Systems that learn from each other: the scores of a leaderboard under a common normal.

With a flat prior for each system, P(best) and ranks are those of a world in which systems may
differ by any amount: on close leaderboards they are far too sure. Here the observed scores have
errors with a known covariance V, that of the posterior, and the scores come from one normal whose
spread is learned::

    means ~ multi_normal(scores, V)    scores ~ normal(m, tau)    m flat    tau ~ half-Cauchy(s)

The prior scale s is that of the errors, the root mean variance of a difference over sqrt(2). All
but tau is integrated out; tau is drawn from a grid. ``stan/leaderboard.stan`` is the same model.

Posterior means in the place of observed scores would use a prior twice: the one of each system
draws all scores together by a few percent, and what is said of the best is then too sure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]

MIN_SYSTEMS = 4  # with fewer there is next to nothing to learn a spread from
GRID = 200  # values of tau
N_ERRORS_TO_END = 3.0  # a score nearer to an end of its range goes on the logit scale
NEAREST = 1e-9  # to an end of the range, for a finite logit


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Means of scores with the covariance of their errors, and what the spread may be.

    Attributes
    ----------
    mean, covariance : ndarray
        Of the scores, before they learn from each other.
    scale : float
        The scale of the half-Cauchy prior of tau.
    tau, probability : ndarray
        A grid of the spread, and the posterior probability of each of its values.
    """

    mean: Array
    covariance: Array
    scale: float
    tau: Array
    probability: Array

    @classmethod
    def of(cls, mean: Array, covariance: Array) -> Leaderboard:
        """Weigh a grid of tau by its posterior.

        Examples
        --------
        >>> board = Leaderboard.of(np.array([0.1, 0.2, 0.3, 0.8]), 0.01 * np.eye(4))
        >>> round(float(board.tau @ board.probability), 2)
        0.31
        """
        n = len(mean)
        variance_of_difference = 2 * (np.trace(covariance) * n - covariance.sum()) / (n * (n - 1))
        scale = float(np.sqrt(variance_of_difference / 2))
        # Equal steps of the prior probability, so that the grid needs no other weight than the
        # likelihood.
        tau = scale * np.tan(np.pi / 2 * (np.arange(GRID) + 0.5) / GRID)
        variance, vectors = _eigen(covariance)
        total = variance + tau[:, None] ** 2  # of the means, along the eigenvectors
        ones, means = vectors.sum(axis=0), mean @ vectors
        precision = (ones**2 / total).sum(axis=1)  # of m
        centre = (ones * means / total).sum(axis=1) / precision
        misfit = ((means - centre[:, None] * ones) ** 2 / total).sum(axis=1)
        log = -0.5 * (np.log(total).sum(axis=1) + np.log(precision) + misfit)
        weight = np.exp(log - log.max())
        return cls(mean, covariance, scale, tau, weight / weight.sum())

    def sample(self, n_draws: int, rng: Generator) -> Array:
        """Draw the scores (system, draw)."""
        variance, vectors = _eigen(self.covariance)
        ones, means = vectors.sum(axis=0)[:, None], (self.mean @ vectors)[:, None]
        # What depends on tau alone is computed once for each of its few values: how often each is
        # drawn is counted among sorted numbers, which is quicker than to look each of them up.
        cumulated = np.cumsum(self.probability)
        below = np.searchsorted(np.sort(rng.random(n_draws)), cumulated / cumulated[-1])
        times = np.diff(below, prepend=0)
        squared = self.tau**2
        total = variance[:, None] + squared
        precision = (ones**2 / total).sum(axis=0)
        shrink = variance[:, None] / total
        centre = np.repeat((ones * means / total).sum(axis=0) / precision, times)
        centre += rng.standard_normal(n_draws) / np.repeat(np.sqrt(precision), times)
        along = rng.standard_normal((len(self.mean), n_draws))
        along *= np.repeat(np.sqrt(shrink * squared), times, axis=1)
        away = np.repeat(shrink, times, axis=1)
        away *= means - centre * ones
        return np.asarray(vectors @ (means - away + along))


def _eigen(covariance: Array) -> tuple[Array, Array]:
    """Return eigenvalues, without the negative ones that rounding makes, and eigenvectors."""
    variance, vectors = np.linalg.eigh(covariance)
    return np.clip(variance, 0.0, None), vectors


def learn_from_each_other(
    scores: Array, observed: Array, rng: Generator, *, range_of_scores: tuple[float, float]
) -> Array | None:
    """Return draws of scores that learn from each other, as many as there are.

    Parameters
    ----------
    scores : ndarray
        Draws (system, draw) under the systems' own priors.
    observed : ndarray
        The scores that were observed. Near an end of the range, or where there are none, the means
        of the draws take their place.
    rng : Generator
        The source of randomness.
    range_of_scores : tuple of float
        The least and the largest score; infinite if there is none.

    Returns
    -------
    ndarray or None
        None where the scores do not vary, or not all are finite: there is nothing to learn.
    """
    if not np.isfinite(scores).all():
        return None
    low, high = range_of_scores
    mean, sd = scores.mean(axis=1), scores.std(axis=1)
    near_an_end = np.minimum(mean - low, high - mean) < N_ERRORS_TO_END * sd
    on_logit = bool(np.isfinite([low, high]).all() and near_an_end.any())
    if on_logit:
        share = np.clip((scores - low) / (high - low), NEAREST, 1 - NEAREST)
        scores = np.log(share) - np.log1p(-share)
    if not (np.std(scores - scores[0]) > 1e-12 * np.abs(scores).max()):
        return None  # no difference varies
    means = scores.mean(axis=1) if on_logit or not np.isfinite(observed).all() else observed
    drawn = Leaderboard.of(means, np.cov(scores)).sample(scores.shape[1], rng)
    return low + (high - low) / (1 + np.exp(-drawn)) if on_logit else drawn
