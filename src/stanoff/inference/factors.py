"""Bayes factors out of draws, what their number can show, and where they mean nothing.

No factor is infinite, or 0, because draws ran out. Where only their number bounds it, there is a
:class:`Bound` instead.
"""

from __future__ import annotations

from math import ceil, floor, log10, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff.inference.intervals import mcse, mcses

Array = NDArray[np.float64]

RULE_OF_THREE = 3.0  # what none of n draws did has a probability below 3/n, with 95 % confidence
SIGMAS = 3.0  # how far beyond its error the growth of a density must be
INNERMOST = 64  # one in so many draws is as near to 0 as it takes to look at the density there
LEAST_DRAWS, LEAST_ATOM = 40, 5


class Bound(NamedTuple):
    """A number that a factor is known to be above or below, and nothing more.

    Examples
    --------
    >>> str(Bound(">", 1327.3)), str(Bound("<", 0.00021))
    ('> 1,300', '< 0.00021')
    """

    side: str
    value: float

    def __str__(self) -> str:
        if not self.value > 0:
            return f"{self.side} {self.value:g}"
        # Two digits, rounded to the side that keeps it true.
        unit = 10.0 ** (floor(log10(self.value)) - 1)
        steps = self.value / unit
        whole = floor(steps + 1e-9) if self.side == ">" else ceil(steps - 1e-9)
        rounded = float(f"{whole * unit:.2g}")
        return f"{self.side} {rounded:,.0f}" if rounded >= 10 else f"{self.side} {rounded:g}"


class Factor(NamedTuple):
    """A Bayes factor; it is NaN where there is none, or a bound only.

    Attributes
    ----------
    value : float
        The factor.
    error : float
        Its Monte-Carlo standard error, where that is known.
    bound : Bound or None
        What the factor is above or below, if that is all the draws can show.
    """

    value: float = nan
    error: float = nan
    bound: Bound | None = None


def mass_within(draws: Array, interval: tuple[float, float]) -> float:
    """Return the share of the draws inside a closed interval."""
    return float(np.mean((draws >= interval[0]) & (draws <= interval[1])))


def interval_factor(delta: Array, prior_delta: Array, interval: tuple[float, float]) -> Factor:
    """Return the posterior odds of an interval over its prior odds.

    Examples
    --------
    >>> inside, half = np.zeros((1, 300)), np.array([[0.0, 1.0]])
    >>> interval_factor(np.array([[0.0, 0.0, 0.0, 1.0]]), half, (-0.1, 0.1)).value
    3.0
    >>> str(interval_factor(inside, half, (-0.1, 0.1)).bound)
    '> 99'
    """
    p, q = mass_within(delta, interval), mass_within(prior_delta, interval)
    return factor_of_odds(p, q, delta.size, prior_delta.size)


def factor_of_odds(p: float, q: float, n: int, prior_n: int) -> Factor:
    """Return the odds of p, a share of n draws, over those of q, a share of prior draws."""
    if 0 < p < 1 and 0 < q < 1:
        return Factor(_odds(p) / _odds(q))
    above, below = p == 1 or q == 0, p == 0 or q == 1
    if above == below:  # both have everything inside, or nothing
        return Factor()
    value = _odds(_showable(p, n)) / _odds(_showable(q, prior_n))
    return Factor(bound=Bound(">" if above else "<", value))


def _odds(p: float) -> float:
    return p / (1 - p)


def _showable(p: float, n: int) -> float:
    """Keep a share of n draws as far from 0 and 1 as their number can show."""
    least = min(RULE_OF_THREE / n, 0.5)
    if p == 0:
        return least
    return 1 - least if p == 1 else p


class Densities(NamedTuple):
    """Densities at one point, one per row of draws.

    Attributes
    ----------
    value, error : ndarray
        By a kernel, with the Monte-Carlo standard error; NaN where the draws are all the same.
    least : ndarray
        What a single draw at the point would give.
    """

    value: Array
    error: Array
    least: Array


def density_at(draws: Array, at: float = 0.0) -> tuple[float, float]:
    """Estimate a density at one point by a Gaussian kernel with Scott's bandwidth.

    The same as ``scipy.stats.gaussian_kde(draws)(at)``, together with the Monte-Carlo standard
    error that the draws give it.

    Examples
    --------
    >>> density_at(np.array([[-1.0, 0.0, 1.0]]))[0].__round__(4)
    0.3182
    """
    found = densities_at(draws[None], at)
    return float(found.value[0]), float(found.error[0])


def densities_at(draws: Array, at: float = 0.0) -> Densities:
    """Estimate the density of each row of draws (row, chain, draw), as :func:`density_at` does."""
    flat = draws.reshape(len(draws), -1)
    width = np.std(flat, axis=1, ddof=1) * flat.shape[1] ** (-1 / 5)
    width = np.where(width > 0, width, nan)
    scale = width * sqrt(2 * np.pi)
    with np.errstate(invalid="ignore"):
        kernel = np.exp(-0.5 * ((draws - at) / width[:, None, None]) ** 2) / scale[:, None, None]
        value = np.mean(kernel.reshape(flat.shape), axis=1)
        return Densities(value, mcses(kernel), 1 / (flat.shape[1] * scale))


def savage_dickey(delta: Array, prior_delta: Array, at: float = 0.0) -> Factor:
    """Return BF01, posterior over prior density of delta at the null value, and its error.

    Above 3 it speaks for equality, below 1/3 against it. The error is the Monte-Carlo standard
    error, to first order; it does not cover the bias of the kernel. A density lower than a single
    draw at the null value would give is bounded by the number of draws, and so is the factor.
    """
    return savage_dickeys(delta[None], prior_delta[None], at)[0]


def savage_dickeys(delta: Array, prior_delta: Array, at: float = 0.0) -> list[Factor]:
    """Return the factor of each row of draws (row, chain, draw), as :func:`savage_dickey` does."""
    both = densities_at(delta, at), densities_at(prior_delta, at)
    columns = [column.tolist() for found in both for column in found]
    return [_factor_of_densities(*row) for row in zip(*columns, strict=True)]


def _factor_of_densities(
    density: float, error: float, least: float, prior: float, prior_error: float, least_prior: float
) -> Factor:
    if density < least:
        return Factor() if prior < least_prior else Factor(bound=Bound("<", least / prior))
    if prior < least_prior:
        return Factor(bound=Bound(">", density / least_prior))
    factor = density / prior
    return Factor(factor, factor * sqrt((error / density) ** 2 + (prior_error / prior) ** 2))


def grows_without_bound(draws: Array) -> bool:
    """Return whether draws show that their density at 0 is infinite.

    The density within e of 0 is P(|x| < e) / 2e. Its growth from 16e to 4e is held against that
    from 4e to e. Towards a finite peak, the growth dies out. Towards an infinite one it does not:
    it stays the same where the density grows like a logarithm, and increases where it grows like
    a power. The answer is yes only where that is beyond the Monte-Carlo error, or where many
    draws are 0 exactly.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> grows_without_bound(rng.normal(size=(1, 10_000)))
    False
    >>> grows_without_bound(rng.normal(size=(1, 10_000)) ** 3)
    True
    """
    size = np.sort(np.abs(draws), axis=None)
    atom = int(np.count_nonzero(size == 0))
    if atom >= LEAST_ATOM:
        return True
    inner = max(LEAST_DRAWS, len(size) // INNERMOST)
    if inner >= len(size):
        return False
    e = size[inner - 1]
    n = np.diff([0, *np.searchsorted(size, [e, 4 * e, 16 * e], side="right")])
    # The densities are n_1 / e, (n_1 + n_2) / 4e and (n_1 + n_2 + n_3) / 16e, but for a factor: a
    # finite peak leaves half of the growth to the next step at most, even where it is a cusp.
    first, then = np.array([3 / 4, -1 / 4, 0]), np.array([3 / 16, 3 / 16, -1 / 16])
    weights = first - then / 2
    correlation = max(1.0, len(size) * (mcse(draws) / float(np.std(draws, ddof=1))) ** 2)
    error = sqrt(float(weights**2 @ n) * correlation)
    return bool(weights @ n > SIGMAS * error)
