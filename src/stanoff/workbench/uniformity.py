"""Whether ranks are uniform: bands for their distribution that hold everywhere at once.

A band of Säilynoja, Bürkner and Vehtari (2022): at every rank the number of simulations at or below
it is binomial, and how extreme the most extreme of these numbers may be is found by simulation.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SETS = 4000  # of uniform ranks, to see how extreme they get
NODES = np.linspace(-9, 9, 361)  # where a truth may lie, in standard deviations of its posterior
MOST_OFF = np.array([6.0, 2.5])  # shift and log-width: beyond, ranks look all the same


def p_uniform(ranks: NDArray[np.int64], most: int) -> float:
    """Return the p-value of ranks from 0 to ``most`` being uniform, for any kind of deviation.

    Examples
    --------
    >>> even, low = np.arange(100), np.arange(100) // 2
    >>> p_uniform(even, 99) > 0.9, p_uniform(low, 99) < 0.001
    (True, True)
    """
    seen = _extremeness(np.bincount(ranks, minlength=most + 1)[None])[0]
    usual = _usual(len(ranks), most)
    return float((1 + np.count_nonzero(usual <= seen + 1e-12)) / (1 + len(usual)))


def band(simulations: int, most: int, probability: float = 0.95) -> tuple[Array, Array, Array]:
    """Return where the distribution of uniform ranks lies, at all ranks at once.

    Parameters
    ----------
    simulations, most : int
        How many ranks there are, and the highest that a rank can be.
    probability : float
        That all of it is inside.

    Returns
    -------
    tuple of ndarray
        The expected distribution, the low end and the high end of the band, each at the ranks from
        0 to ``most - 1``.
    """
    from scipy.stats import binom

    level = float(np.quantile(_usual(simulations, most), 1 - probability))
    expected = np.arange(1, most + 1) / (most + 1)
    low, high = binom.ppf(level, simulations, expected), binom.isf(level, simulations, expected)
    return expected, low / simulations, high / simulations


@lru_cache(maxsize=8)
def _usual(simulations: int, most: int) -> Array:
    rng = np.random.default_rng(2022)
    sets = rng.multinomial(simulations, np.full(most + 1, 1 / (most + 1)), SETS)
    return _extremeness(sets)


def _extremeness(counts: NDArray[np.int64]) -> Array:
    """Return the smallest tail probability of each set of counts by rank (set, rank)."""
    from scipy.special import bdtr, bdtrc

    most = counts.shape[1] - 1
    n = counts.sum(axis=1, keepdims=True)
    at_most = np.cumsum(counts, axis=1)[:, :-1]
    expected = np.arange(1, most + 1) / (most + 1)
    below = bdtr(at_most, n, expected)
    above = np.where(at_most > 0, bdtrc(np.maximum(at_most - 1, 0), n, expected), 1.0)
    return np.asarray(np.minimum(below, above).min(axis=1))


def named_deviations(ranks: NDArray[np.int64], most: int, level: float = 0.05) -> tuple[str, ...]:
    """Name how ranks deviate from uniform ones: by their place, their width, both or neither.

    If a posterior is off by ``shift`` of its standard deviations and too narrow by the factor
    ``scale``, the truth is a normal variable with this mean and standard deviation on its scale,
    and its rank is binomial given that. Both numbers are estimated by maximum likelihood, and each
    is tested by a likelihood ratio with the other left free, so that a shift is not taken for a
    width.

    Parameters
    ----------
    ranks : ndarray
        Ranks from 0 to ``most``.
    most : int
        The highest that a rank can be.
    level : float
        How often at most one of both is named though neither is there.

    Returns
    -------
    tuple of str
        ``"high"`` or ``"low"``: the truth ranks so; ``"ends"`` or ``"middle"``: likewise.

    Examples
    --------
    >>> named_deviations(np.arange(100), 99), named_deviations(np.arange(100) // 2, 99)
    ((), ('low', 'middle'))
    """
    from scipy.stats import chi2

    counts = np.bincount(ranks, minlength=most + 1)
    both, shift, log_scale = _fitted(counts, shifted=True, scaled=True)
    in_place, _, _ = _fitted(counts, shifted=False, scaled=True)
    as_wide, _, _ = _fitted(counts, shifted=True, scaled=False)
    limit = float(chi2.isf(level / 2, 1))
    named = []
    if 2 * (both - in_place) > limit:
        named.append("high" if shift > 0 else "low")
    if 2 * (both - as_wide) > limit:
        named.append("ends" if log_scale > 0 else "middle")
    return tuple(named)


def _fitted(
    counts: NDArray[np.int64], *, shifted: bool, scaled: bool
) -> tuple[float, float, float]:
    """Return the highest log-likelihood of counts by rank, with its shift and log-scale."""
    from scipy.optimize import minimize

    rank_given = _rank_given(len(counts) - 1)
    free = np.array([shifted, scaled])

    def deviance(at: Array) -> float:
        shift, log_scale = np.clip(at, -MOST_OFF, MOST_OFF) * free
        density = np.exp(-0.5 * ((NODES - shift) * np.exp(-log_scale)) ** 2)
        p = rank_given @ (density / density.sum())
        return -float(counts @ np.log(np.maximum(p, 1e-300)))

    found = minimize(deviance, np.zeros(2), method="Nelder-Mead")
    shift, log_scale = np.clip(found.x, -MOST_OFF, MOST_OFF) * free
    return -float(found.fun), float(shift), float(log_scale)


@lru_cache(maxsize=8)
def _rank_given(most: int) -> Array:
    """Return the probability of every rank (rank, node) given where the truth lies."""
    from scipy.special import ndtr
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(most + 1)[:, None], most, ndtr(NODES)))
