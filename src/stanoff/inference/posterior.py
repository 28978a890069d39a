"""Posteriors of a quantity, one per row: known by draws, or in closed form as Student's t.

Both classes answer the same questions, so that evidence, ranking and decision are written once.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.inference import intervals
from stanoff.inference.density import Density, kernel_density, local_density

Array = NDArray[np.float64]


class Posterior(Protocol):
    """What can be asked of posteriors, whether they are known by draws or not."""

    @property
    def n_draws(self) -> float:
        """The number of draws of a row; infinite where the posterior is known exactly."""

    def mean(self) -> Array:
        """Return the mean of each row."""

    def sd(self) -> Array:
        """Return the standard deviation of each row."""

    def mcse(self) -> Array:
        """Return the Monte-Carlo standard error of each mean."""

    def hdi(self, prob: float) -> tuple[Array, Array]:
        """Return the ends of the highest density intervals."""

    def below(self, x: float) -> Array:
        """Return the probability of a value lower than x."""

    def above(self, x: float) -> Array:
        """Return the probability of a value higher than x."""

    def within(self, interval: Interval) -> Array:
        """Return the probability of a closed interval."""

    def mean_above_zero(self) -> Array:
        """Return the mean of max(0, x)."""

    def mean_below_zero(self) -> Array:
        """Return the mean of max(0, -x)."""

    def density(self, x: float) -> Density:
        """Return the density at x, where it may have a corner."""

    def kernel_density(self, x: float) -> Density:
        """Return the density at x, smoothed by a kernel where it is known by draws."""

    def quantiles(self, n: int) -> Array:
        """Return n values per row, in order, that are distributed as the posterior is."""

    def has_nan(self) -> NDArray[np.bool_]:
        """Return which rows are undefined in some draws."""


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
        has_formula = np.isfinite(self.density_at_zero)
        return Density(
            np.where(has_formula, self.density_at_zero, estimate.value),
            np.where(has_formula, 0.0, estimate.mcse),
            np.where(has_formula, 0.0, estimate.floor),
        )

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
