"""Bayes factors from draws, each with what bounds it: its error, or only the number of draws."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.inference.intervals import mcse

Array = NDArray[np.float64]

NEAR, NEARER, LEAST_NEAR = (
    0.1,
    0.004,
    100,
)  # shares of the draws nearest to 0, and how many at least


@dataclass(frozen=True)
class Factor:
    """A Bayes factor.

    Attributes
    ----------
    value : float
        Above 1 it speaks for no difference; NaN where it is not defined.
    error : float
        Its Monte-Carlo standard error, to first order; NaN where there is none.
    bound : str
        ``">"`` or ``"<"`` where the draws only bound it: the truth lies beyond ``value``.
    """

    value: float
    error: float = nan
    bound: str = ""


def savage_dickey(delta: Array, prior_delta: Array, at: float = 0.0) -> Factor:
    """Return posterior over prior density of delta at the null value.

    Above 3 it speaks for equality, below 1/3 against it. The error does not cover the bias of the
    kernel. A density that is lower than what one draw alone would give is only bounded by that.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> far, prior = rng.normal(0.5, 0.01, (4, 1000)), rng.normal(0, 1, (4, 1000))
    >>> savage_dickey(far, prior).bound
    '<'
    """
    density, density_error = density_at(delta, at)
    prior, prior_error = density_at(prior_delta, at)
    least, least_prior = _of_one_draw(delta), _of_one_draw(prior_delta)
    if density < least and prior < least_prior:
        return Factor(nan)
    if density < least:
        return Factor(least / prior, bound="<")
    if prior < least_prior:
        return Factor(density / least_prior, bound=">")
    if not np.isfinite([density, prior]).all():
        return Factor(nan)
    factor = density / prior
    relative = sqrt((density_error / density) ** 2 + (prior_error / prior) ** 2)
    return Factor(factor, factor * relative)


def interval_factor(delta: Array, prior_delta: Array, rope: Interval) -> Factor:
    """Return the posterior odds of the ROPE over its prior odds.

    Where no draw lies inside, or none outside, one draw there bounds the odds.

    Examples
    --------
    >>> inside, prior = np.full((1, 1000), 0.01), np.linspace(-1, 1, 1000)[None]
    >>> factor = interval_factor(inside, prior, (-0.05, 0.05))
    >>> factor.bound, round(factor.value)
    ('>', 18981)
    """
    p, q = mass_within(delta, rope), mass_within(prior_delta, rope)
    if p == q and p in (0, 1):
        return Factor(nan)
    above, below = p == 1 or q == 0, p == 0 or q == 1
    p, q = _inside(p, delta.size), _inside(q, prior_delta.size)
    return Factor(p * (1 - q) / (q * (1 - p)), bound=">" if above else "<" if below else "")


def piles_up(draws: Array) -> bool:
    """Return whether a density at 0 is shown to be infinite by its draws.

    The share of the draws within e of 0, over 2 e, is followed to smaller and smaller e. With a
    finite density that share shrinks in proportion to e. If it shrinks more slowly than that by
    three standard errors, or if draws are exactly 0, the density has no limit.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> piles_up(rng.normal(size=10_000)), piles_up(rng.normal(size=10_000) ** 3)
    (False, True)
    """
    distances = np.sort(np.abs(draws), axis=None)
    near, nearer = (max(LEAST_NEAR, int(share * distances.size)) for share in (NEAR, NEARER))
    if distances[0] == 0:
        return True
    if near < 2 * nearer or distances[near - 1] == inf:
        return False  # too few to tell
    slope = np.log(near / nearer) / np.log(distances[near - 1] / distances[nearer - 1])
    return bool(slope * (1 + 3 / sqrt(nearer)) < 1)


def mass_within(draws: Array, interval: Interval) -> float:
    """Return the share of the draws inside a closed interval."""
    return float(np.mean((draws >= interval[0]) & (draws <= interval[1])))


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
        return (inf if draws.flat[0] == at else 0.0), nan
    kernel = np.exp(-0.5 * ((draws - at) / width) ** 2) / (width * sqrt(2 * np.pi))
    return float(np.mean(kernel)), mcse(kernel)


def _of_one_draw(draws: Array) -> float:
    """Return the density that a single draw at the point would give."""
    width = _bandwidth(draws)
    return 1 / (draws.size * width * sqrt(2 * np.pi)) if width > 0 else 0.0


def _bandwidth(draws: Array) -> float:
    return float(np.std(draws, ddof=1) * draws.size ** (-1 / 5))


def _inside(share: float, n: int) -> float:
    """Move a share of 0 or 1 inside by one draw."""
    return min(max(share, 1 / n), 1 - 1 / n)
