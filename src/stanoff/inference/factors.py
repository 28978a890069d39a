"""Bayes factors out of draws, what their number can show, and where they mean nothing.

No factor is infinite, or 0, because draws ran out. Where only their number bounds it, there is a
:class:`Bound` instead.
"""

from __future__ import annotations

from math import ceil, floor, log10, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff.inference.intervals import mcse

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
    if 0 < p < 1 and 0 < q < 1:
        return Factor(_odds(p) / _odds(q))
    above, below = p == 1 or q == 0, p == 0 or q == 1
    if above == below:  # both have everything inside, or nothing
        return Factor()
    value = _odds(_showable(p, delta.size)) / _odds(_showable(q, prior_delta.size))
    return Factor(bound=Bound(">" if above else "<", value))


def _odds(p: float) -> float:
    return p / (1 - p)


def _showable(p: float, n: int) -> float:
    """Keep a share of n draws as far from 0 and 1 as their number can show."""
    least = min(RULE_OF_THREE / n, 0.5)
    if p == 0:
        return least
    return 1 - least if p == 1 else p


def density_at(draws: Array, at: float = 0.0) -> tuple[float, float]:
    """Estimate a density at one point by a Gaussian kernel with Scott's bandwidth.

    The same as ``scipy.stats.gaussian_kde(draws)(at)``, together with the Monte-Carlo standard
    error that the draws give it.

    Examples
    --------
    >>> density_at(np.array([[-1.0, 0.0, 1.0]]))[0].__round__(4)
    0.3182
    """
    width = _bandwidth(draws)
    if width == 0:
        return nan, nan
    kernel = np.exp(-0.5 * ((draws - at) / width) ** 2) / (width * sqrt(2 * np.pi))
    return float(np.mean(kernel)), mcse(kernel)


def _bandwidth(draws: Array) -> float:
    return float(np.std(draws, ddof=1) * draws.size ** (-1 / 5))


def savage_dickey(delta: Array, prior_delta: Array, at: float = 0.0) -> Factor:
    """Return BF01, posterior over prior density of delta at the null value, and its error.

    Above 3 it speaks for equality, below 1/3 against it. The error is the Monte-Carlo standard
    error, to first order; it does not cover the bias of the kernel. A density lower than a single
    draw at the null value would give is bounded by the number of draws, and so is the factor.
    """
    density, density_error = density_at(delta, at)
    prior, prior_error = density_at(prior_delta, at)
    least, least_prior = (
        1 / (draws.size * _bandwidth(draws) * sqrt(2 * np.pi)) if _bandwidth(draws) else nan
        for draws in (delta, prior_delta)
    )
    if density < least:
        return Factor() if prior < least_prior else Factor(bound=Bound("<", least / prior))
    if prior < least_prior:
        return Factor(bound=Bound(">", density / least_prior))
    factor = density / prior
    error = factor * sqrt((density_error / density) ** 2 + (prior_error / prior) ** 2)
    return Factor(factor, error)


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
