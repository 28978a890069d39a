"""Log-densities of the distributions that priors and likelihoods are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def dirichlet(x: NDArray[Any], alpha: NDArray[Any]) -> Array:
    """Return the log-density of Dirichlets (..., part).

    Examples
    --------
    >>> round(float(dirichlet(np.array([0.2, 0.8]), np.array([1.0, 2.0]))), 4)
    0.47
    """
    from scipy.special import gammaln, xlogy

    weights = np.asarray(alpha, dtype=np.float64)
    scale = gammaln(weights.sum(axis=-1)) - gammaln(weights).sum(axis=-1)
    return np.asarray(scale + xlogy(weights - 1, x).sum(axis=-1))


def beta(x: NDArray[Any], weights: NDArray[Any]) -> Array:
    """Return the log-density of Betas, given two weights."""
    return dirichlet(np.stack([x, 1 - x], axis=-1), weights)


def normal(x: NDArray[Any], scale: float | Array) -> Array:
    """Return the log-density of normal variables around 0."""
    return np.asarray(-np.log(scale) - 0.5 * np.log(2 * np.pi) - 0.5 * (x / scale) ** 2)


def lognormal(x: NDArray[Any], location: float, scale: float) -> Array:
    """Return the log-density of log-normal variables."""
    return np.asarray(normal(np.log(x) - location, scale) - np.log(x))


def correlation(r: NDArray[Any], shape: float) -> Array:
    """Return the log-density of the correlation of two variables under the LKJ prior."""
    from scipy.special import betaln

    return np.asarray((shape - 1) * np.log1p(-np.square(r)) - betaln(0.5, shape))
