"""Intervals and Monte-Carlo errors of draws."""

from __future__ import annotations

from math import exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray

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
    second that its import kind, and for all rows at once.

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
        raise invalid("hdi_prob", f"one that {size} draws can show", probability)
    lowest, highest = _tails(draws, size - inside)
    with np.errstate(invalid="ignore"):  # infinite at both ends, so as narrow as can be
        widths = highest - lowest
    first = np.argmin(widths, axis=-1)
    rows = np.arange(len(draws))
    return lowest[rows, first], highest[rows, first]


def _tails(draws: Array, size: int) -> tuple[Array, Array]:
    """Return the lowest and the highest draws of each row in order; what is between is left."""
    if 3 * size > draws.shape[-1]:
        ordered = np.sort(draws, axis=-1).astype(np.float64, copy=False)
        return ordered[:, :size], ordered[:, -size:]
    parted = np.partition(draws, (size - 1, draws.shape[-1] - size), axis=-1)
    parted = parted.astype(np.float64, copy=False)
    return np.sort(parted[:, :size], axis=-1), np.sort(parted[:, -size:], axis=-1)


def mcse(draws: Array) -> float:
    """Return the Monte-Carlo standard error of the mean of (chain, draw) values."""
    return float(mcses(draws[None])[0])


def mcses(draws: Array) -> Array:
    """Return the Monte-Carlo standard error of the mean of each row's (chain, draw) values.

    The effective number of draws is that of ArviZ's ``ess(method="mean")``: Geyer's initial
    monotone sequence of the autocorrelations of half chains, here for all rows at once.

    Parameters
    ----------
    draws : ndarray
        With the axes (row, chain, draw).

    Examples
    --------
    >>> alternating = np.tile([[[0.0, 1.0]], [[3.0, 3.0]]], 50)
    >>> mcses(alternating).round(4).tolist()
    [0.0355, 0.0]
    """
    rows, size = len(draws), draws.shape[1] * (draws.shape[2] // 2) * 2
    with np.errstate(invalid="ignore"):  # an infinite draw leaves no mean, so no error
        spread = np.ptp(draws, axis=(1, 2))
        std = np.std(draws.reshape(rows, -1), axis=1, ddof=1)
        tau = np.where(spread < np.finfo(float).resolution, 1.0, _autocorrelation_time(draws))
    return np.where(spread == 0, 0.0, std / np.sqrt(size / tau))


def _autocorrelation_time(draws: Array) -> Array:
    """Return how many draws of each row tell as much of its mean as an independent one."""
    from scipy.fft import irfft, next_fast_len, rfft

    half = draws.shape[2] // 2
    if half < 2:
        return np.full(len(draws), np.nan)
    halves = np.concatenate([draws[..., :half], draws[..., -half:]], axis=1)
    centred = halves - halves.mean(axis=2, keepdims=True)
    length = next_fast_len(2 * half, real=True)
    spectrum = rfft(centred, n=length, axis=2)
    covariance = irfft(spectrum * spectrum.conj(), n=length, axis=2)[..., :half].mean(axis=1) / half
    within = covariance[:, :1] * half / (half - 1.0)
    total = covariance[:, :1] + np.var(halves.mean(axis=2), axis=1, ddof=1)[:, None]
    with np.errstate(divide="ignore"):
        correlation = 1.0 - (within - covariance) / total
    correlation[:, 0] = 1.0
    # Lags in pairs: their sums are positive and fall, as long as they are more than noise.
    pairs = max(1, -(-(half - 2) // 2))
    sums = correlation[:, 0 : 2 * pairs : 2] + correlation[:, 1 : 2 * pairs : 2]
    noise = sums <= 0
    last = np.where(noise.any(axis=1), noise.argmax(axis=1), pairs - 1)
    falling = np.minimum.accumulate(sums, axis=1) * (np.arange(pairs) < last[:, None])
    every = np.arange(len(draws))
    end = correlation[every, 2 * last]
    end = np.where((end > 0) | (sums[every, last] >= 0), end, 0.0)
    tau = np.maximum(2 * falling.sum(axis=1) + end - 1.0, 1 / np.log10(2 * draws.shape[1] * half))
    return np.where(np.isnan(correlation).any(axis=1), np.nan, tau)


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
