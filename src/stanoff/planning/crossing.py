"""Where a noisy curve that rises crosses a level, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

RESAMPLED = 400
LEVEL = 0.95


@dataclass(frozen=True)
class Crossing:
    """Where a curve reaches a level.

    Attributes
    ----------
    value : float or None
        The place; None if it is not reached.
    low, high : float or None
        The ends of its 95% Monte-Carlo interval; high is None if it may not be reached.
    """

    value: float | None
    low: float | None
    high: float | None


def crossing(x: ArrayLike, reached: ArrayLike, total: ArrayLike, level: float) -> Crossing:
    """Find where a rate crosses a level, from simulated successes at several places.

    The rates are made to rise by isotonic regression and joined by lines over log x, so that no
    single lucky point decides. The interval comes from drawing the successes again.

    Parameters
    ----------
    x : array_like
        The places, positive and ascending.
    reached, total : array_like
        Successes and trials at each.
    level : float
        The rate that is asked for.

    Examples
    --------
    >>> found = crossing([100, 200, 400], [2000, 5000, 8000], [10000] * 3, 0.5)
    >>> round(found.value), found.low < 200 < found.high
    (200, True)
    """
    places = np.asarray(x, dtype=np.float64)
    trials = np.asarray(total, dtype=np.float64)
    rates = rising(np.asarray(reached) / trials, trials)
    rng = np.random.default_rng(0)  # the same successes, the same interval
    smooth = (rates * trials + 0.5) / (trials + 1)  # a rate of 0 or 1 is not certain
    again = rng.binomial(trials.astype(np.int64), smooth, (RESAMPLED, len(places))) / trials
    found = np.array([_first(places, rising(one, trials), level) for one in again])
    ends = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="closest_observation")
    low, high = (float(end) if np.isfinite(end) else None for end in ends)
    value = _first(places, rates, level)
    return Crossing(float(value) if np.isfinite(value) else None, low, high)


def bracket(x: Array, reached: Array, total: Array, level: float) -> tuple[float, float] | None:
    """Return places that are surely below and above the crossing; None if it is not in sight.

    Surely means by two standard errors. Where nothing is surely below, the first place is taken.
    """
    share = (reached + 1) / (total + 2)
    error = 2 * np.sqrt(share * (1 - share) / total)
    above = np.flatnonzero(share - error > level)
    if not len(above):
        above = np.flatnonzero(rising(reached / total, total) >= level)
        if not len(above):
            return None
    high = above[0]
    below = np.flatnonzero(share[: high + 1] + error[: high + 1] < level)
    low = below[-1] if len(below) else 0
    return float(x[low]), float(x[high])


def rising(rates: Array, weights: Array) -> Array:
    """Make rates rise from place to place by isotonic regression."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(rates, weights=weights).x)


def _first(x: Array, rates: Array, level: float) -> float:
    above = np.flatnonzero(rates >= level)
    if not len(above):
        return float("inf")
    i = int(above[0])
    if i == 0:
        return float(x[0])
    share = (level - rates[i - 1]) / (rates[i] - rates[i - 1])
    return float(np.exp(np.log(x[i - 1]) + share * (np.log(x[i]) - np.log(x[i - 1]))))
