"""What draws say of the documents themselves: densities of those observed, and new ones.

These are the twins of ``stan/functions/predictive.stanfunctions``, for the programs of stanoff
itself: computing them of the draws is quicker than writing and reading them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data

Array = NDArray[np.float64]
Variables = Mapping[str, NDArray[Any]]
Block = Mapping[str, Any]
New = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Predictive:
    """How a model sees documents; most functions take draws (chain, draw, ...) and a data block.

    Attributes
    ----------
    log_likelihood : callable
        The log-likelihood of each group of equal documents, or of each item.
    labels : callable
        Data and data block to what these groups are called, in that order.
    log_prior : callable
        The log-density of the prior (chain, draw), of what its weights are about; None where it is
        flat.
    replicate : callable
        With a random generator, too: new documents, as many as there are, by the names of those in
        the data block. Where some could be of a kind that did not occur, ``cells`` counts them all.
    scored : callable
        New documents and the data block to what ``Model.scores`` takes: cells, or psi.
    needs : tuple of str
        The variables that it takes; draws without them say nothing of documents.
    again : callable or None
        Whether the exact sampler can draw once more and keep (``keep=``) what it usually does not,
        given the data block.
    added : callable or None
        With a random generator, too: variables that follow from the draws, or are drawn given them;
        none where that cannot be.
    block : callable or None
        Data and prior to the data block, where the program's does not have every document.
    observed : tuple of str
        Which parts of that are observed, where it is another one.
    from_prior : bool
        Whether the prior can draw documents: it must be proper.
    one_by_one : bool
        Whether it says something to check every observed number.
    unit : str
        What the groups are, in the plural: a dimension of the tree.
    """

    log_likelihood: Callable[[Variables, Block], Array]
    labels: Callable[[Data, Block], Sequence[str]]
    log_prior: Callable[[Variables, Block], Array | None]
    replicate: Callable[[Variables, Block, np.random.Generator], New]
    scored: Callable[[Variables, Block], New]
    needs: tuple[str, ...]
    again: Callable[[Block], bool] | None = None
    added: Callable[[Variables, Block, np.random.Generator], New] | None = None
    block: Callable[[Any, Any], Block] | None = None
    observed: tuple[str, ...] = ()
    from_prior: bool = True
    one_by_one: bool = True
    unit: str = "documents"


def by_category(*parts: Sequence[str] | None) -> Callable[[Data, Block], list[str]]:
    """Return a function that names every combination; the part that is None are the categories."""

    def labels(data: Data, block: Block) -> list[str]:
        names = [data.categories if part is None else part for part in parts]
        return [", ".join(map(str, combination)) for combination in product(*names)]

    return labels


def numbered(name: str) -> Callable[[Data, Block], list[str]]:
    """Return a function that numbers the rows of a part of the data block."""
    return lambda data, block: [str(i + 1) for i in range(len(block[name]))]


def cells_counted(new: Variables, block: Block) -> New:
    """Return the cells that were counted along with new documents."""
    return {"cells": new["cells"]}


def left_over(theta: Array) -> Array:
    """Return what probabilities (..., part) leave to all that did not occur."""
    return np.asarray(np.maximum(1 - theta.sum(axis=-1, keepdims=True), 0))


def log_dirichlet_of_some(theta: Array, weights: Array, rest: float) -> Array:
    """Return the log-density of some parts of a Dirichlet, all others taken together.

    Parameters
    ----------
    theta, weights : ndarray
        The probabilities (..., part) and their weights.
    rest : float
        The weight of the others; 0 if there are none.
    """
    if rest <= 0:
        return log_dirichlet(theta, weights)
    others = np.maximum(left_over(theta), np.finfo(float).eps)  # what rounding leaves of it
    every = np.concatenate([theta, others], axis=-1)
    return log_dirichlet(every, np.append(weights, rest))


def elsewhere(
    n: NDArray[np.int64],
    weight: float | Array,
    seen: NDArray[Any],
    size: int,
    rng: np.random.Generator,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]]:
    """Spread documents over outcomes that did not occur, all of which have the same prior weight.

    Their probabilities are a Dirichlet whatever those of the others are. Documents of which one has
    an outcome for the first time follow it with a Beta probability, as guests follow to a table in
    the Chinese restaurant process.

    Parameters
    ----------
    n : ndarray
        How many documents there are in each draw (draw).
    weight : float or ndarray
        The weight of an outcome.
    seen : ndarray
        The outcomes that occurred.
    size : int
        How many outcomes there are, which are numbered from 0.

    Yields
    ------
    tuple of ndarray
        Places of draws, how many documents of each, and their outcome.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> parts = list(elsewhere(np.array([5, 0, 9]), 0.5, np.array([0, 2]), 4, rng))
    >>> sorted({int(outcome) for _, _, outcomes in parts for outcome in outcomes})
    [1, 3]
    >>> sum(int(count[place == 2].sum()) for place, count, _ in parts)
    9
    """
    seen = np.unique(seen)
    free, before = size - len(seen), seen - np.arange(len(seen))
    if free == 0:
        return
    left = n.copy()
    weights = np.maximum(np.broadcast_to(weight, n.shape) * free, 1e-300)
    while len(place := np.flatnonzero(left)):
        share = rng.beta(1.0, weights[place])
        count = 1 + rng.binomial(left[place] - 1, share)
        left[place] -= count
        which = rng.integers(0, free, len(place))
        yield place, count, which + np.searchsorted(before, which, side="right")


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


def log_correlation(r: NDArray[Any], shape: float) -> Array:
    """Return the log-density of the correlation of two variables under the LKJ prior."""
    from scipy.special import betaln

    return np.asarray((shape - 1) * np.log1p(-np.square(r)) - betaln(0.5, shape))


def log_lognormal(x: NDArray[Any], location: float, scale: float) -> Array:
    """Return the log-density of log-normal variables."""
    log_x = np.log(x)
    return np.asarray(
        -log_x - np.log(scale) - 0.5 * np.log(2 * np.pi) - 0.5 * ((log_x - location) / scale) ** 2
    )


def multinomials(n: NDArray[Any], p: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw counts (..., part), given how many documents there are and their probabilities."""
    total = p.sum(axis=-1, keepdims=True)
    return rng.multinomial(n, p / np.where(total > 0, total, 1.0))
