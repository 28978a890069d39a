"""The sign test, of decisions and of scores alike: of n that differ, k speak for A."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.significance.result import SignificanceResult, check_options, normal_p, tail

EXACT_UP_TO = 12


def binomial(
    test: str,
    measure: str,
    *,
    n: int,
    k: int,
    alternative: str,
    approximation: str | None,
    note: str = "",
) -> SignificanceResult:
    """Judge k of n by the binomial distribution with p = 0.5.

    Parameters
    ----------
    test, measure : str
        What to call it.
    n : int
        How many differ.
    k : int
        How many of them speak for A.
    alternative : str
        As in :class:`Significance`.
    approximation : str or None
        ``"yang1999"`` takes the standard normal distribution where n > 12.
    note : str
        What else to say.
    """
    from scipy.stats import binomtest

    check_options(alternative, approximation)
    direction = int(np.sign(2 * k - n))
    if n == 0:
        nothing = "A and B never differ, so that there is nothing against their being equal"
        return SignificanceResult(test, measure, 0.0, 0, 1.0, 0, alternative, note=nothing)
    side = tail(alternative, direction)
    if approximation and n > EXACT_UP_TO:
        z = (k - 0.5 * n) / (0.5 * sqrt(n))
        return SignificanceResult(
            test, measure, z, n, normal_p(z, side), k, alternative, direction, note
        )
    p = float(binomtest(k, n, alternative=side).pvalue)
    return SignificanceResult(test, measure, float(k), n, p, k, alternative, direction, note)


def binomial_p(for_a: NDArray[Any], for_b: NDArray[Any]) -> NDArray[np.float64]:
    """Return the exact two-sided p-values of :func:`binomial`, of many pairs of counts at once.

    Examples
    --------
    >>> binomial_p(np.array([9, 0]), np.array([1, 0])).tolist()
    [0.021484375, 1.0]
    """
    from scipy.special import bdtr

    fewer, n = np.minimum(for_a, for_b), for_a + for_b
    return np.asarray(np.where(2 * fewer == n, 1.0, np.minimum(1.0, 2 * bdtr(fewer, n, 0.5))))
