"""What draws say of the documents themselves: densities of those observed, and new ones.

These are the twins of ``stan/functions/predictive.stanfunctions``, for the programs of stanoff
itself: computing them of the draws is quicker than writing and reading them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Variables = Mapping[str, NDArray[Any]]
Block = Mapping[str, Any]


@dataclass(frozen=True)
class Predictive:
    """How a model sees documents; every function takes draws (chain, draw, ...) and a data block.

    Attributes
    ----------
    log_likelihood : callable
        The log-likelihood of each group of equal documents.
    dims : tuple of str
        The dimensions of that, after chain and draw.
    log_prior : callable
        The log-density of the prior (chain, draw), of what its weights are about.
    replicate : callable
        With a random generator, too: counts as new documents would give them, by the names of
        those in the data block.
    """

    log_likelihood: Callable[[Variables, Block], Array]
    dims: tuple[str, ...]
    log_prior: Callable[[Variables, Block], Array]
    replicate: Callable[[Variables, Block, np.random.Generator], dict[str, NDArray[Any]]]


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
