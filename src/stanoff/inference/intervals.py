"""Intervals and Monte-Carlo errors of draws."""

from __future__ import annotations

from math import exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.surroundings import check_surroundings
from stanoff.errors import invalid

Array = NDArray[np.float64]

CHERNOFF = 0.52  # the standard deviation of Chernoff's distribution


def hdi(draws: Array, probability: float) -> tuple[float, float]:
    """Return the narrowest interval that holds this share of the draws.

    Examples
    --------
    >>> hdi(np.array([0.0, 5.0, 6.0, 7.0, 20.0]), 0.5)
    (5.0, 7.0)
    """
    low, high = hdis(np.reshape(draws, (1, -1)), probability)
    return float(low[0]), float(high[0])


def hdis(draws: Array, probability: float) -> tuple[Array, Array]:
    """Return the narrowest interval that holds this share of each row's draws.

    These are the intervals of ArviZ's ``hdi(method="nearest")`` to the last digit, without the
    second that its import takes, and for all rows at once.

    Parameters
    ----------
    draws : ndarray
        One row per posterior.
    probability : float
        Between 0 and 1.

    Returns
    -------
    the low ends and the high ends, one of each per row

    Examples
    --------
    >>> low, high = hdis(np.array([[0.0, 5.0, 6.0, 7.0, 20.0], [9.0, 1.0, 1.0, 1.0, 0.0]]), 0.5)
    >>> low.tolist(), high.tolist()
    ([5.0, 1.0], [7.0, 1.0])
    """
    size = draws.shape[-1]
    inside = int(probability * size)
    if not 1 <= inside < size:
        raise invalid("hdi", f"one that {size} draws can show", probability)
    ordered = np.sort(draws, axis=-1).astype(np.float64, copy=False)
    with np.errstate(invalid="ignore"):  # infinite at both ends, so as narrow as can be
        widths = ordered[:, inside:] - ordered[:, : size - inside]
    first = np.argmin(widths, axis=-1)
    rows = np.arange(len(ordered))
    return ordered[rows, first], ordered[rows, first + inside]


def mcse(draws: Array) -> float:
    """Return the Monte-Carlo standard error of the mean of (chain, draw) values."""
    check_surroundings()
    from arviz_stats.base import array_stats

    if np.ptp(draws) == 0:
        return 0.0
    return float(array_stats.mcse(draws, method="mean", chain_axis=0, draw_axis=1))


def midpoint_error(interval: tuple[float, float], std: float, mcse: float) -> float:
    """Return the Monte-Carlo standard error of the middle of an HDI.

    The middle of the narrowest interval scatters with the cube root of the number of draws, not
    with its square root (Kim and Pollard 1990, on the shorth). For a normal posterior this is its
    asymptotic error; draws that depend on each other count as often as their mean does.

    Parameters
    ----------
    interval : tuple of float
        The HDI.
    std, mcse : float
        The standard deviation of the draws, and the Monte-Carlo standard error of their mean.

    Examples
    --------
    >>> round(midpoint_error((-1.96, 1.96), std=1.0, mcse=0.01), 4)
    0.05
    """
    z = (interval[1] - interval[0]) / (2 * std) if std > 0 else 0.0
    # Far out, the normal density says nothing of the draws any more.
    density = exp(-0.5 * min(z, 5.0) ** 2) / sqrt(2 * pi)
    if z == 0 or not density * z**2 > 0:
        return 0.0
    return float(CHERNOFF * std * (2 * (mcse / std) ** 2 / (density * z**2)) ** (1 / 3))
