"""What draws say of single documents: their density, and new ones.

Functions are twins of ``predictive.stanfunctions``.

Computing them from the draws is quicker than letting Stan write them and reading them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.types import Data
from stanoff.models.base import Array, Inputs, Model, StanData, Variables
from stanoff.models.priors import Priors


class LogLikelihood(NamedTuple):
    """The log-likelihood of single documents or items, equal documents once.

    Attributes
    ----------
    values : ndarray
        Of one document of each kind (chain, draw, kind).
    counts : ndarray
        How many documents there are of each kind.
    labels : sequence of str
        What the kinds are called.
    step : int
        It has every so-manieth draw.
    """

    values: Array
    counts: NDArray[np.int64]
    labels: Sequence[str]
    step: int = 1

    @classmethod
    def of_counts(cls, counts: NDArray[Any], shares: Array, labels: Iterable[str]) -> LogLikelihood:
        """Return that of kinds of documents, each with its share of all, which may have axes."""
        n, names = counts.ravel(), list(labels)
        occurred = np.flatnonzero(n)
        values = np.log(shares.reshape(*shares.shape[:2], -1)[..., occurred])
        return cls(values, n[occurred], [names[i] for i in occurred.tolist()])

    @classmethod
    def of_items(cls, values: Array) -> LogLikelihood:
        """Return that of items or documents, each by itself."""
        n = values.shape[-1]
        return cls(values, np.ones(n, dtype=np.int64), [str(i + 1) for i in range(n)])


class PredictiveModel(Model):
    """A model that says how single documents, or items, come about.

    Attributes
    ----------
    predictive_draws : tuple of str
        The variables that log-likelihoods and replicates are computed from.
    """

    predictive_draws: tuple[str, ...] = ()

    def predictive_data(self, data: Data, prior: Priors) -> Inputs:
        """Return the data block that log-likelihoods and replicates are computed with."""
        return self.stan_data(data, prior)

    def complete_draws(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Add variables that follow from the draws; return nothing where that cannot be."""
        return draws

    def can_resample(self, stan_data: StanData) -> bool:
        """Return whether ``sample_exact(..., keep=)`` can keep what it usually does not."""
        return False

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of a document of each kind that occurred, or of each item."""
        raise NotImplementedError

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array | None:
        """Return the log-density of the prior (chain, draw); None where it is flat."""
        raise NotImplementedError

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents as there are, by the names of the observed inputs.

        Where some could be of a kind that did not occur, ``cells`` counts them all.
        """
        raise NotImplementedError

    def replicate_scores(self, replicates: Variables, stan_data: StanData) -> Variables:
        """Return of new documents what :meth:`scores` takes: cells, or psi."""
        return {"cells": replicates["cells"]}


def join_labels(*names: Iterable[str]) -> list[str]:
    """Name every combination of names, the last changing fastest."""
    return [", ".join(map(str, combination)) for combination in product(*names)]


def log_dirichlet(x: NDArray[Any], alpha: NDArray[Any]) -> Array:
    """Return the log-density of Dirichlets (..., part).

    Examples
    --------
    >>> round(float(log_dirichlet(np.array([0.2, 0.8]), np.array([1.0, 2.0]))), 4)
    0.47
    """
    from scipy.special import gammaln, xlogy

    weights = np.asarray(alpha, dtype=np.float64)
    scale = gammaln(weights.sum(axis=-1)) - gammaln(weights).sum(axis=-1)
    return np.asarray(scale + xlogy(weights - 1, x).sum(axis=-1))


def log_beta(x: NDArray[Any], weights: NDArray[Any]) -> Array:
    """Return the log-density of Betas, given two weights."""
    return log_dirichlet(np.stack([x, 1 - x], axis=-1), weights)


def log_normal(x: NDArray[Any], scale: float | Array) -> Array:
    """Return the log-density of normal variables around 0."""
    return np.asarray(-np.log(scale) - 0.5 * np.log(2 * np.pi) - 0.5 * (x / scale) ** 2)


def log_lognormal(x: NDArray[Any], location: float, scale: float) -> Array:
    """Return the log-density of log-normal variables."""
    return np.asarray(log_normal(np.log(x) - location, scale) - np.log(x))


def log_correlation(r: NDArray[Any], shape: float) -> Array:
    """Return the log-density of the correlation of two variables under the LKJ prior."""
    from scipy.special import betaln

    return np.asarray((shape - 1) * np.log1p(-np.square(r)) - betaln(0.5, shape))


def multinomials(n: NDArray[Any], p: NDArray[Any], rng: Generator) -> NDArray[np.int64]:
    """Draw counts (..., part), given how many documents there are and their probabilities."""
    total = p.sum(axis=-1, keepdims=True)
    return rng.multinomial(n, p / np.where(total > 0, total, 1.0))


def remaining_mass(theta: Array) -> Array:
    """Return what probabilities (..., pattern) leave to all patterns that did not occur."""
    return np.asarray(np.maximum(1 - theta.sum(axis=-1, keepdims=True), 0))


def log_prior_of_patterns(theta: Array, total_weight: float, size: int) -> Array:
    """Return the log-density of the patterns that occurred, all others taken together.

    Parameters
    ----------
    theta : ndarray
        The probabilities of those that occurred (..., pattern).
    total_weight : float
        The prior weight of all patterns together, which they share equally.
    size : int
        How many patterns there are.
    """
    occurred = theta.shape[-1]
    weights = np.full(occurred, total_weight / size)
    rest = total_weight * (1 - occurred / size)
    if rest <= 0:
        return log_dirichlet(theta, weights)
    others = np.maximum(remaining_mass(theta), np.finfo(float).eps)  # what rounding leaves of it
    return log_dirichlet(np.concatenate([theta, others], axis=-1), np.append(weights, rest))


def replicate_patterns(
    n: NDArray[np.int64],
    theta: Array,
    codes: NDArray[Any],
    shape: tuple[int, ...],
    weight: float | Array,
    rng: Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw what systems answer to new documents of one class.

    Parameters
    ----------
    n : ndarray
        How many documents there are in each draw (draw).
    theta : ndarray
        The probabilities of the patterns of answers that occurred (draw, pattern).
    codes : ndarray
        The numbers of these patterns, as ``np.ravel_multi_index`` numbers answers.
    shape : tuple of int
        How many answers each system can give.
    weight : float or ndarray
        The prior weight of a pattern that did not occur, one for all draws or one per draw.
    rng : Generator
        The source of randomness.

    Returns
    -------
    tuple of ndarray
        Documents with each pattern that occurred (draw, pattern), and how often each system gave
        each answer to all documents (draw, system, answer).
    """
    counts = multinomials(n, np.concatenate([theta, remaining_mass(theta)], axis=-1), rng)
    answers = np.zeros((len(n), len(shape), max(shape)), dtype=np.int64)
    for system, answer_of in enumerate(np.unravel_index(codes, shape)):  # of each pattern
        is_answer = answer_of[:, None] == np.arange(max(shape))
        answers[:, system] = counts[:, :-1] @ is_answer.astype(np.int64)
    for draw, count, code in _allocate_to_unseen(counts[:, -1], weight, codes, prod(shape), rng):
        for system, answer in enumerate(np.unravel_index(code, shape)):
            answers[draw, system, answer] += count
    return counts[:, :-1], answers


def _allocate_to_unseen(
    n: NDArray[np.int64], weight: float | Array, occurred: NDArray[Any], size: int, rng: Generator
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]]:
    """Spread documents over patterns that did not occur, all of which have the same prior weight.

    Their probabilities are a Dirichlet whatever those of the others are. Documents of which one has
    a pattern for the first time follow it with a Beta probability, as guests follow to a table in
    the Chinese restaurant process. Yields draws, how many documents of each, and their pattern.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tables = list(_allocate_to_unseen(np.array([5, 0, 9]), 0.5, np.array([0, 2]), 4, rng))
    >>> sorted({int(code) for _, _, codes in tables for code in codes})
    [1, 3]
    >>> sum(int(count[draw == 2].sum()) for draw, count, _ in tables)
    9
    """
    occurred = np.unique(occurred)
    free, before = size - len(occurred), occurred - np.arange(len(occurred))
    if free == 0:
        return
    left = n.copy()
    weights = np.maximum(np.broadcast_to(weight, n.shape) * free, 1e-300)
    while len(draw := np.flatnonzero(left)):
        share = rng.beta(1.0, weights[draw])
        count = 1 + rng.binomial(left[draw] - 1, share)
        left[draw] -= count
        index = rng.integers(0, free, len(draw))
        yield draw, count, index + np.searchsorted(before, index, side="right")
