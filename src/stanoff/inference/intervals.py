"""Highest density intervals and Monte-Carlo errors of draws, for any number of rows at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stanoff.errors import invalid

Array = NDArray[np.float64]

CHERNOFF_SD = 0.52  # the standard deviation of Chernoff's distribution


def hdi(draws: Array, prob: float) -> tuple[Array, Array]:
    """Return the narrowest interval that holds this share of the draws along the last axis.

    These are the intervals of ArviZ's ``hdi(method="nearest")`` to the last digit, without the
    second that its import takes, and for all rows at once.

    Parameters
    ----------
    draws : ndarray
        One posterior, or one per row.
    prob : float
        Between 0 and 1.

    Returns
    -------
    low, high : ndarray
        The ends; of one posterior they are numbers.

    Examples
    --------
    >>> low, high = hdi(np.array([[0.0, 5.0, 6.0, 7.0, 20.0], [9.0, 1.0, 1.0, 1.0, 0.0]]), 0.5)
    >>> low.tolist(), high.tolist()
    ([5.0, 1.0], [7.0, 1.0])
    """
    n_draws = draws.shape[-1]
    n_inside = int(prob * n_draws)
    if not 1 <= n_inside < n_draws:
        raise invalid("hdi_prob", f"one that {n_draws} draws can show", prob)
    ordered = np.sort(draws, axis=-1).astype(np.float64, copy=False)
    lows, highs = ordered[..., :-n_inside], ordered[..., n_inside:]
    with np.errstate(invalid="ignore"):  # infinite at both ends: as narrow as can be
        first = np.argmin(highs - lows, axis=-1)[..., None]
    low, high = (np.take_along_axis(ends, first, axis=-1)[..., 0] for ends in (lows, highs))
    return low[()], high[()]


def mcse(draws: Array) -> Array:
    """Return the Monte-Carlo standard error of the mean of draws (..., chain, draw).

    A port of ArviZ's ``ess(method="mean")`` that takes all rows at once: Geyer's initial monotone
    sequence of the autocorrelations of half chains.

    Examples
    --------
    >>> alternating = np.tile([[[0.0, 1.0]], [[3.0, 3.0]]], 50)
    >>> mcse(alternating).round(4).tolist()
    [0.0355, 0.0]
    """
    if draws.ndim == 2:
        return np.asarray(mcse(draws[None])[0])
    rows, chains, length = draws.shape
    with np.errstate(invalid="ignore"):  # an infinite draw leaves no mean, so no error
        spread = np.ptp(draws, axis=(1, 2))
        sd = np.std(draws.reshape(rows, -1), axis=1, ddof=1)
        tau = np.where(spread < np.finfo(float).resolution, 1.0, _autocorrelation_time(draws))
    return np.where(spread == 0, 0.0, sd / np.sqrt(chains * (length // 2) * 2 / tau))


def _autocorrelation_time(draws: Array) -> Array:
    """Return how many draws of each row tell as much of its mean as an independent one."""
    half = draws.shape[2] // 2
    if half < 2:
        return np.full(len(draws), np.nan)
    halves = np.concatenate([draws[..., :half], draws[..., -half:]], axis=1)
    n_chains, means = halves.shape[1], halves.mean(axis=2, keepdims=True)
    covariance = _autocovariance(halves - means)
    within = covariance[:, :1] * half / (half - 1.0)
    between = np.var(means[..., 0], axis=1, ddof=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1.0 - (within - covariance) / (covariance[:, :1] + between)
    correlation[:, 0] = 1.0
    # Lags in pairs: their sums are positive and fall, as long as they are more than noise.
    n_pairs = max(1, -(-(half - 2) // 2))
    sums = correlation[:, 0 : 2 * n_pairs : 2] + correlation[:, 1 : 2 * n_pairs : 2]
    noise = sums <= 0
    last = np.where(noise.any(axis=1), noise.argmax(axis=1), n_pairs - 1)
    falling = np.minimum.accumulate(sums, axis=1) * (np.arange(n_pairs) < last[:, None])
    row = np.arange(len(draws))
    end = correlation[row, 2 * last]
    end = np.where((end > 0) | (sums[row, last] >= 0), end, 0.0)
    tau = np.maximum(2 * falling.sum(axis=1) + end - 1.0, 1 / np.log10(n_chains * half))
    return np.where(np.isnan(correlation).any(axis=1), np.nan, tau)


def _autocovariance(centred: Array) -> Array:
    """Return the autocovariances (row, lag) of half chains, averaged over these."""
    n_draws = centred.shape[2]
    n_fft = 2 ** (2 * n_draws - 1).bit_length()  # no lag wraps around
    power = np.abs(np.fft.rfft(centred, n=n_fft, axis=2)) ** 2
    return np.asarray(np.fft.irfft(power.mean(axis=1), n=n_fft)[:, :n_draws] / n_draws)


def hdi_midpoint_mcse(low: Array, high: Array, sd: Array, mean_mcse: Array) -> Array:
    """Return the Monte-Carlo standard error of the middle of an HDI.

    The middle of the narrowest interval scatters with the cube root of the number of draws, not
    with its square root (Kim and Pollard 1990, on the shorth). For a normal posterior this is its
    asymptotic error; draws that depend on each other count as often as their mean does.

    Parameters
    ----------
    low, high : ndarray
        The ends of the HDI.
    sd, mean_mcse : ndarray
        The standard deviation of the draws, and the Monte-Carlo standard error of their mean.

    Examples
    --------
    >>> hdi_midpoint_mcse(*np.array([-1.96, 1.96, 1.0, 0.01])).round(4).item()
    0.05
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (high - low) / (2 * sd)
        # Far out, the normal density says nothing of the draws any more.
        density = np.exp(-0.5 * np.minimum(z, 5.0) ** 2) / np.sqrt(2 * np.pi)
        error = CHERNOFF_SD * sd * np.cbrt(2 * (mean_mcse / sd) ** 2 / (density * z**2))
    return np.where((sd > 0) & (density * z**2 > 0), error, 0.0)


def hdi_end_mcse(low: Array, high: Array, sd: Array, mean_mcse: Array, prob: float) -> Array:
    """Return the Monte-Carlo standard error of an end of an HDI.

    That of its middle, and that of its half-width, which falls with the square root of the number
    of draws.

    Examples
    --------
    >>> hdi_end_mcse(*np.array([-1.96, 1.96, 1.0, 0.01]), 0.95).round(4).item()
    0.0534
    """
    middle = hdi_midpoint_mcse(low, high, sd, mean_mcse)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.minimum((high - low) / (2 * sd), 5.0)
        density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
        half_width = np.sqrt(prob * (1 - prob)) * mean_mcse / (2 * density)
    return np.where(middle > 0, np.hypot(middle, half_width), 0.0)
