"""Posteriors of a quantity, one per row: known by draws, or in closed form as Student's t.

Both classes answer the same questions, so that evidence, ranking and decision are written once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.inference import intervals

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


class SampledPosterior:
    """Posteriors that are known by draws.

    Parameters
    ----------
    draws : ndarray
        With the axes (row, chain, draw).
    density_at_zero : ndarray, optional
        The density of each row at 0; where it is not finite, the draws tell it.

    Examples
    --------
    >>> posterior = SampledPosterior(np.array([[[-1.0, 0.0, 0.0, 1.0]]]))
    >>> posterior.below(0.0).item(), posterior.within((0.0, 1.0)).item()
    (0.25, 0.75)
    """

    def __init__(self, draws: Array, density_at_zero: Array | None = None) -> None:
        self.draws, self.density_at_zero = draws, density_at_zero
        self._flat = draws.reshape(len(draws), -1)

    @property
    def n_draws(self) -> int:
        """The number of draws of a row."""
        return self._flat.shape[1]

    def mean(self) -> Array:
        """Return the mean of each row."""
        return np.asarray(self._flat.mean(axis=1))

    def sd(self) -> Array:
        """Return the standard deviation of each row."""
        return np.asarray(np.std(self._flat, axis=1, ddof=1))

    def mcse(self) -> Array:
        """Return the Monte-Carlo standard error of each mean."""
        return intervals.mcse(self.draws)

    def hdi(self, prob: float) -> tuple[Array, Array]:
        """Return the ends of the highest density intervals."""
        return intervals.hdi(self._flat, prob)

    def below(self, x: float) -> Array:
        """Return the probability of a value lower than x."""
        return self._share(self._flat < x)

    def above(self, x: float) -> Array:
        """Return the probability of a value higher than x."""
        return self._share(self._flat > x)

    def within(self, interval: Interval) -> Array:
        """Return the probability of a closed interval."""
        return self._share((self._flat >= interval[0]) & (self._flat <= interval[1]))

    def mean_above_zero(self) -> Array:
        """Return the mean of max(0, x)."""
        return np.asarray(np.maximum(self._flat, 0).mean(axis=1))

    def mean_below_zero(self) -> Array:
        """Return the mean of max(0, -x)."""
        return np.asarray(np.maximum(-self._flat, 0).mean(axis=1))

    def _share(self, hits: NDArray[np.bool_]) -> Array:
        return np.asarray(np.count_nonzero(hits, axis=1) / self.n_draws)

    def density(self, x: float) -> Density:
        """Estimate the density at x, where it may have a corner; at 0 it may be known."""
        estimate = local_density(self.draws, x)
        if self.density_at_zero is None or x != 0:
            return estimate
        formula = np.isfinite(self.density_at_zero)
        exact = Density(self.density_at_zero, *np.zeros((2, len(self.draws))))
        return Density(*(np.where(formula, e, d) for e, d in zip(exact, estimate, strict=True)))

    def kernel_density(self, x: float) -> Density:
        """Estimate the density at x by a Gaussian kernel with Scott's bandwidth."""
        return kernel_density(self.draws, x)

    def quantiles(self, n: int) -> Array:
        """Return n values per row, in order, that are distributed as the posterior is."""
        return np.asarray(np.quantile(self._flat, (np.arange(n) + 0.5) / n, axis=1).T)

    def has_nan(self) -> NDArray[np.bool_]:
        """Return which rows are undefined in some draws."""
        return np.asarray(np.isnan(self._flat).any(axis=1))


class StudentTPosterior:
    """Posteriors that are Student's t; without a scale, all of it is at its location.

    Parameters
    ----------
    df : float
        The degrees of freedom; infinite for a normal distribution.
    loc, scale : ndarray
        Location and scale of each row.

    Examples
    --------
    >>> posterior = StudentTPosterior(9.0, np.zeros(1), np.ones(1))
    >>> [round(end.item(), 4) for end in posterior.hdi(0.95)], posterior.below(0.0).item()
    ([-2.2622, 2.2622], 0.5)
    """

    n_draws = np.inf

    def __init__(self, df: float, loc: Array, scale: Array) -> None:
        self.df = float(df)
        self.loc, self.scale = np.broadcast_arrays(*np.atleast_1d(loc, scale))

    def mean(self) -> Array:
        """Return the mean of each row."""
        return self.loc

    def sd(self) -> Array:
        """Return the standard deviation of each row; infinite for two degrees or fewer."""
        if self.df <= 2:
            return np.full(self.scale.shape, np.inf)
        return np.asarray(self.scale * np.sqrt(self.df / (self.df - 2)))

    def mcse(self) -> Array:
        """Return the Monte-Carlo standard error of each mean."""
        return np.zeros(self.loc.shape)

    def hdi(self, prob: float) -> tuple[Array, Array]:
        """Return the ends of the highest density intervals."""
        half = self._standard_quantiles(np.array((1 + prob) / 2)) * self.scale
        return self.loc - half, self.loc + half

    def below(self, x: float) -> Array:
        """Return the probability of a value lower than x."""
        return self._tail(x - self.loc)

    def above(self, x: float) -> Array:
        """Return the probability of a value higher than x."""
        return self._tail(self.loc - x)  # not 1 - below(x), which has no digits far out

    def _tail(self, distance: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            tail = scipy.special.stdtr(self.df, distance / self.scale)
        return np.where(self.scale > 0, tail, distance > 0)

    def within(self, interval: Interval) -> Array:
        """Return the probability of a closed interval."""
        return np.clip(1 - self.below(interval[0]) - self.above(interval[1]), 0, 1)

    def mean_above_zero(self) -> Array:
        """Return the mean of max(0, x); infinite with one degree of freedom or less."""
        if self.df <= 1:
            return np.full(self.loc.shape, np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = self.loc / self.scale
            tail = self.scale**2 * self.density(0.0).value * (self.df + z**2) / (self.df - 1)
        mean = self.loc * self.above(0.0) + tail
        return np.asarray(np.where(self.scale > 0, mean, np.maximum(self.loc, 0.0)))

    def mean_below_zero(self) -> Array:
        """Return the mean of max(0, -x)."""
        return StudentTPosterior(self.df, -self.loc, self.scale).mean_above_zero()

    def density(self, x: float) -> Density:
        """Return the density at x, which has no error."""
        df = self.df
        log_gammas = scipy.special.gammaln([(df + 1) / 2, df / 2])
        log_constant = log_gammas[0] - log_gammas[1] - 0.5 * np.log(df * np.pi)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (x - self.loc) / self.scale
            value = np.exp(log_constant - (df + 1) / 2 * np.log1p(z**2 / df)) / self.scale
        exact = np.zeros(self.loc.shape)
        return Density(value, exact, exact)

    kernel_density = density

    def quantiles(self, n: int) -> Array:
        """Return n values per row, in order, that are distributed as the posterior is."""
        standard = self._standard_quantiles((np.arange(n) + 0.5) / n)
        return np.asarray(self.loc[:, None] + self.scale[:, None] * standard)

    def has_nan(self) -> NDArray[np.bool_]:
        """Return that no row is undefined."""
        return np.zeros(self.loc.shape, dtype=bool)

    def _standard_quantiles(self, probs: Array) -> Array:
        if np.isinf(self.df):  # not all versions of stdtrit know the normal distribution
            return np.asarray(scipy.special.ndtri(probs))
        return np.asarray(scipy.special.stdtrit(self.df, probs))


Posterior = SampledPosterior | StudentTPosterior


def kernel_density(draws: Array, x: float) -> Density:
    """Estimate densities of draws (row, chain, draw) by a Gaussian kernel of Scott's bandwidth.

    The value is that of ``scipy.stats.gaussian_kde``; it is NaN where all draws are the same.
    """
    scale = _scott_bandwidth(draws)[:, None, None] * np.sqrt(2 * np.pi)
    with np.errstate(invalid="ignore"):
        kernel = np.exp(-np.pi * ((draws - x) / scale) ** 2) / scale
    return Density(kernel.mean(axis=(1, 2)), intervals.mcse(kernel), _lowest_density(draws))


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
        n_effective = (np.std(flat, axis=1, ddof=1) / intervals.mcse(draws)) ** 2
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
