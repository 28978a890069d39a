"""Whether ranks are uniform: a test of their whole distribution at once.

A test of Säilynoja, Bürkner and Vehtari (2022): at every rank the number of simulations at or below
it is binomial, and how extreme the most extreme of these numbers may be is found by simulation.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]

REFERENCE_SETS = 4000  # sets of uniform ranks, to see how extreme they get


def ecdf_p_value(ranks: Ranks, max_rank: int) -> float:
    """Return the p-value of ranks from 0 to ``max_rank`` being uniform, for any deviation.

    Examples
    --------
    >>> even, low = np.arange(100), np.arange(100) // 2
    >>> ecdf_p_value(even, 99) > 0.9, ecdf_p_value(low, 99) < 0.001
    (True, True)
    """
    observed = _smallest_tail(np.bincount(ranks, minlength=max_rank + 1)[None])[0]
    reference = _reference_tails(len(ranks), max_rank)
    return float((1 + np.count_nonzero(reference <= observed + 1e-12)) / (1 + len(reference)))


def ecdf_band(n: int, max_rank: int, probability: float = 0.95) -> tuple[Array, Array, Array]:
    """Return where the distribution of ``n`` uniform ranks lies, at all ranks at once.

    Returns
    -------
    tuple of ndarray
        The expected distribution, the low end and the high end of the band, each at the ranks from
        0 to ``max_rank - 1``.
    """
    from scipy.stats import binom

    level = float(np.quantile(_reference_tails(n, max_rank), 1 - probability))
    expected = np.arange(1, max_rank + 1) / (max_rank + 1)
    return expected, binom.ppf(level, n, expected) / n, binom.isf(level, n, expected) / n


@lru_cache(maxsize=8)
def _reference_tails(n: int, max_rank: int) -> Array:
    rng = np.random.default_rng(2022)
    sets = rng.multinomial(n, np.full(max_rank + 1, 1 / (max_rank + 1)), REFERENCE_SETS)
    return _smallest_tail(sets)


def _smallest_tail(counts: NDArray[np.int64]) -> Array:
    """Return the smallest binomial tail probability of each set of counts by rank (set, rank)."""
    max_rank = counts.shape[1] - 1
    n = counts.sum(axis=1, keepdims=True)
    at_most = np.cumsum(counts, axis=1)[:, :-1]
    expected = np.arange(1, max_rank + 1) / (max_rank + 1)
    below = scipy.special.bdtr(at_most, n, expected)
    above = np.where(at_most > 0, scipy.special.bdtrc(np.maximum(at_most - 1, 0), n, expected), 1.0)
    return np.asarray(np.minimum(below, above).min(axis=1))


def describe_deviation(ranks: Ranks, max_rank: int, level: float = 0.05) -> str:
    """Say in which way a posterior is off whose ranks of the truth are not uniform.

    Uniform ranks are standard normal once turned into normal scores: their mean tells whether the
    posterior lies too high or too low, their variance whether it is too narrow or too wide.

    Examples
    --------
    >>> describe_deviation(np.arange(100) // 2, 99)
    'the posterior is too high (the truth ranks low) and too wide (the truth ranks in the middle)'
    """
    scores = scipy.special.ndtri((ranks + 0.5) / (max_rank + 1))
    n, mean, variance = len(scores), scores.mean(), scores.var(ddof=1)
    limit = -scipy.special.ndtri(level / 4)  # two questions, two sides each
    ways = []
    if abs(mean) > limit * np.sqrt(variance / n):
        ways.append(
            "too low (the truth ranks high)" if mean > 0 else "too high (the truth ranks low)"
        )
    narrow = scipy.special.chdtrc(n - 1, (n - 1) * variance)
    # Ranks that pile up at one end are close together, whatever the width of the posterior.
    piled_up = ways and max((ranks == 0).mean(), (ranks == max_rank).mean()) > 0.1
    if narrow < level / 4:
        ways.append("too narrow (the truth ranks at the ends)")
    elif narrow > 1 - level / 4 and not piled_up:
        ways.append("too wide (the truth ranks in the middle)")
    return f"the posterior is {' and '.join(ways)}" if ways else "the ranks are not uniform"


def holm(p: Array) -> Array:
    """Return p-values that may be looked at together, after Holm (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    scaled = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return adjusted
