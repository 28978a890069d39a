"""Tests of values per item that are usual in information retrieval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff.data.items import ItemValues
from stanoff.errors import InputError
from stanoff.significance.macro import macro_sign_test, macro_t_test, wilcoxon_test
from stanoff.significance.result import SignificanceResult, check_options, tail

SHUFFLES = 100_000
MOST_AT_ONCE = 4_000_000


def item_tests(
    a: ItemValues | ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    higher_is_better: bool = True,
    shuffles: int = SHUFFLES,
    seed: int = 1,
) -> list[SignificanceResult]:
    """Do the four tests of differences per item.

    Parameters
    ----------
    a, b : ItemValues or array_like
        What a comparison of values holds in ``result.data``; or the values of A and those of B.
    alternative : str
        As in :class:`Significance`.
    higher_is_better : bool
        Which way is better.
    shuffles, seed : int
        How many random signs the randomization test draws, and from which seed.

    Examples
    --------
    >>> found = item_tests([0.9, 0.8, 0.7, 0.6, 0.5], [0.8, 0.7, 0.6, 0.5, 0.5])
    >>> [outcome.test for outcome in found]
    ['paired t-test', 'Wilcoxon', 'sign test', 'randomization']
    """
    check_options(alternative)
    first, second = _columns(a, b)
    if not higher_is_better:
        first, second = -first, -second
    how: dict[str, Any] = {"alternative": alternative}
    outcomes = [
        replace(macro_t_test(first, second, **how), test="paired t-test"),
        wilcoxon_test(first, second, **how),
        replace(macro_sign_test(first, second, **how), test="sign test"),
        _randomization(first - second, alternative, shuffles, seed),
    ]
    return [replace(outcome, measure="mean") for outcome in outcomes]


def columns(data: ItemValues) -> dict[str, list[float]]:
    """Return the p-values of the sign test and the paired t-test of two systems, two-sided."""
    first, second = data.values[:2]
    return {
        "sign_test": [macro_sign_test(first, second).p_value],
        "t_test": [macro_t_test(first, second).p_value],
    }


def _columns(
    a: ItemValues | ArrayLike, b: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if isinstance(a, ItemValues):
        if len(a.systems) != 2:
            raise InputError("The tests are of two systems: pass the data of a comparison.")
        return a.values[0], a.values[1]
    if b is None:
        raise InputError("Pass the values of A and those of B.")
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError(f"a and b must be as long, but have {first.shape} and {second.shape}.")
    return first, second


def _randomization(
    difference: NDArray[np.float64], alternative: str, shuffles: int, seed: int
) -> SignificanceResult:
    """Exchange A and B on every item at random, and count how often the mean is as far from 0."""
    rng = np.random.default_rng(seed)
    n, mean = len(difference), float(difference.mean())
    direction = int(np.sign(mean))
    means = np.empty(shuffles)
    block = max(1, MOST_AT_ONCE // n)
    for start in range(0, shuffles, block):
        signs = rng.integers(0, 2, (min(block, shuffles - start), n), dtype=np.int8)
        means[start : start + len(signs)] = (2.0 * signs - 1) @ difference / n
    side = tail(alternative, direction)
    slack = 1e-12 * max(float(np.abs(difference).max()), 1e-300)
    far = {
        "two-sided": np.abs(means) >= abs(mean) - slack,
        "greater": means >= mean - slack,
        "less": means <= mean + slack,
    }[side]
    p = (int(far.sum()) + 1) / (shuffles + 1)  # the signs that were observed are one of them
    note = f"{shuffles:,} random exchanges of A and B"
    return SignificanceResult(
        "randomization", "mean", mean, n, p, None, alternative, direction, note
    )
