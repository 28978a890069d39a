"""Whether ranks are uniform: ArviZ's test of their whole distribution at once, and what is wrong.

The band of Säilynoja, Bürkner and Vehtari (2022) holds at all ranks at once.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]

NUMBERS_OF_BAND = 1_000_000  # that are simulated for a band: enough for its outer probabilities


@lru_cache(maxsize=32)
def ecdf_band(n: int, probability: float) -> tuple[Array, Array, Array]:
    """Return points from 0 to 1, and between what the distribution of n uniform numbers lies there.

    Parameters
    ----------
    n : int
        How many there are.
    probability : float
        With which all of the distribution lies between.
    """
    from arviz_stats.ecdf_utils import ecdf_pit

    points, _, low, high = ecdf_pit(np.linspace(0, 1, n), probability, NUMBERS_OF_BAND // n)
    return points, low, high


def is_inside(pit: Array, probability: float) -> bool:
    """Return whether the distribution of numbers between 0 and 1 stays inside the band.

    Examples
    --------
    >>> even = (np.arange(100) + 0.5) / 100
    >>> is_inside(even, 0.95), is_inside(even / 2, 0.95)
    (True, False)
    """
    from arviz_stats.ecdf_utils import compute_ecdf

    points, low, high = ecdf_band(len(pit), probability)
    ecdf = compute_ecdf(pit, points)
    return bool(((low <= ecdf) & (ecdf <= high)).all())


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
