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
