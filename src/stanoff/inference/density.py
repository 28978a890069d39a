"""Densities of draws at one point: by a kernel, and where they may have a corner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff.inference.intervals import mcse

Array = NDArray[np.float64]

N_BINS = 40
MIN_HALF_WIDTH, MAX_OFF_CENTRE = 1.0, 1.5  # of a histogram, in standard deviations
N_STEPS = 15
RIDGE = 1e-6  # of a count: keeps a side without draws from being singular


class Density(NamedTuple):
    """Densities at one point, a value per row.

    Attributes
    ----------
    value, mcse : ndarray
        The density, and its Monte-Carlo standard error.
    floor : ndarray
        The lowest density that can be shown: that of a single draw at the point.
    """

    value: Array
    mcse: Array
    floor: Array


def kernel_density(draws: Array, x: float) -> Density:
    """Estimate densities of draws (row, chain, draw) by a Gaussian kernel of Scott's bandwidth.

    The value is that of ``scipy.stats.gaussian_kde``; it is NaN where all draws are the same.
    """
    scale = _scott_bandwidth(draws)[:, None, None] * np.sqrt(2 * np.pi)
    with np.errstate(invalid="ignore"):
        kernel = np.exp(-np.pi * ((draws - x) / scale) ** 2) / scale
    return Density(kernel.mean(axis=(1, 2)), mcse(kernel), _lowest_density(draws))


def local_density(draws: Array, x: float) -> Density:
    """Estimate densities of draws (row, chain, draw) where they may have a corner at x.

    The prior density of a difference has a corner at 0, which a kernel would round off. A Poisson
    regression of a histogram (Lindsey's method) gives each side a slope of its own: it takes the
    log-density as b0 + b1 u + b2 |u| + b3 u^2 within a standard deviation of x. Where x is far out,
    the histogram reaches to 1.5 standard deviations from the middle.

    Examples
    --------
    >>> draws = np.random.default_rng(1).laplace(size=(1, 4, 1000))
    >>> value, error, _ = local_density(draws, 0.0)
    >>> bool(abs(value[0] - 0.5) < 3 * error[0])
    True
    """
    flat = draws.reshape(len(draws), -1) - x
    n_rows, n_draws = flat.shape
    low, middle, high = np.quantile(flat, (0.16, 0.5, 0.84), axis=1)
    sd = np.where(high > low, high - low, np.nan) / 2  # whatever the tails are like
    half_width = np.maximum(MIN_HALF_WIDTH * sd, np.abs(middle) - MAX_OFF_CENTRE * sd)
    counts = np.zeros((n_rows, N_BINS))
    for row in np.flatnonzero(half_width > 0):
        counts[row] = np.histogram(flat[row], N_BINS, (-half_width[row], half_width[row]))[0]
    u = (np.arange(N_BINS) + 0.5) * 2 / N_BINS - 1
    terms = np.stack([np.ones(N_BINS), u, np.abs(u), u**2], axis=1)
    log_rate = np.log(counts + 0.5)
    for _ in range(N_STEPS):  # iteratively reweighted least squares
        rate = np.exp(log_rate)[:, None]
        covariance = np.linalg.inv((terms.T * rate) @ terms + RIDGE * np.eye(4))
        working = (rate * (log_rate[:, None] - 1) + counts[:, None]) @ terms
        coefficients = working @ covariance
        log_rate = np.clip((coefficients @ terms.T)[:, 0], -20, np.log(n_draws))
    value = np.exp(coefficients[:, 0, 0]) * N_BINS / (2 * half_width * n_draws)
    # Draws that depend on each other count as often as they do for the mean.
    with np.errstate(divide="ignore", invalid="ignore"):
        n_effective = (np.std(flat, axis=1, ddof=1) / mcse(draws)) ** 2
    inefficiency = np.maximum(1.0, n_draws / n_effective)
    return Density(
        value, value * np.sqrt(covariance[:, 0, 0] * inefficiency), _lowest_density(draws)
    )


def _lowest_density(draws: Array) -> Array:
    """Return the density that a single draw at a point has under a kernel."""
    n_draws = draws[0].size
    return np.asarray(1 / (n_draws * np.sqrt(2 * np.pi) * _scott_bandwidth(draws)))


def _scott_bandwidth(draws: Array) -> Array:
    flat = draws.reshape(len(draws), -1)
    bandwidth = np.std(flat, axis=1, ddof=1) * flat.shape[1] ** (-1 / 5)
    return np.where(bandwidth > 0, bandwidth, np.nan)
