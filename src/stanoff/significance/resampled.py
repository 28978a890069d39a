"""Classical tests of cross-validated scores: Nadeau & Bengio's corrected t, and the 5x2cv F."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stanoff._lib.arguments import check_bool
from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds
from stanoff.errors import InputError, invalid
from stanoff.significance.result import (
    Array,
    SignificanceResult,
    check_alternative,
    one_tail,
    tail_probability,
    without_test,
)

FIVE_BY_TWO = (5, 2)  # repeats and folds


def corrected_t_test(data: FoldValues, *, alternative: str = "two-sided") -> SignificanceResult:
    """Compare the mean scores of two systems by the corrected t of Nadeau & Bengio (2003).

    The variance of the mean is s^2 (1/n + n_test/n_train): test folds share training documents.

    Parameters
    ----------
    data : FoldValues
        Of two systems on the same folds.
    alternative : str
        As in :class:`SignificanceResult`.

    Examples
    --------
    >>> from stanoff import count
    >>> a, b = [0.8, 0.9, 0.7, 0.9], [0.7, 0.9, 0.8, 0.6]
    >>> print(corrected_t_test(count(a, b, folds=2, repeats=2, kind="values")))
    corrected t-test of score: no significant difference, two-sided p = 0.721, n = 4.
    """
    from scipy.stats import t

    check_alternative(alternative)
    difference = _differences(data)
    n, rho = len(difference), data.rho
    name, label = "corrected t-test", data.metric
    scale = difference.std(ddof=1) * np.sqrt(1 / n + rho / (1 - rho))
    if scale == 0:
        return without_test(name, label, n, 1.0, "the difference never varies")
    statistic = float(difference.mean() / scale)
    direction = int(np.sign(statistic))
    p = tail_probability(t(n - 1), statistic, one_tail(alternative, direction))
    return SignificanceResult(
        name, label, statistic, n, p, alternative=alternative, direction=direction
    )


def five_by_two_test(data: FoldValues) -> SignificanceResult:
    """Compare two systems by the 5x2cv F-test of Alpaydin (1999), which is two-sided.

    Parameters
    ----------
    data : FoldValues
        Of two systems: two folds, repeated five times.

    Examples
    --------
    >>> from stanoff import count
    >>> a, b = [0.8, 0.9, 0.7, 0.9, 0.8] * 2, [0.7, 0.9, 0.8, 0.6, 0.7] * 2
    >>> round(five_by_two_test(count(a, b, folds=2, repeats=5, kind="values")).p_value, 3)
    0.492
    """
    from scipy.stats import f

    difference = _differences(data)
    repeats = int(data.repeats[0])
    if (repeats, len(difference) // repeats) != FIVE_BY_TWO or len(difference) != 10:
        found = f"{len(difference)} scores in {repeats} repeats"
        raise invalid("data", "two folds, repeated five times", found)
    pairs = difference.reshape(FIVE_BY_TWO)
    variance = ((pairs - pairs.mean(axis=1, keepdims=True)) ** 2).sum()
    name, label, n = "5x2cv F-test", data.metric, len(difference)
    if variance == 0:
        return without_test(name, label, n, 1.0, "the folds of a repeat never differ")
    statistic = float((pairs**2).sum() / (2 * variance))
    p = float(f.sf(statistic, 10, 5))
    return SignificanceResult(
        name, label, statistic, n, p, direction=int(np.sign(difference.mean()))
    )


def fold_tests(
    data: FoldValues, *, alternative: str = "two-sided", higher_is_better: bool = True
) -> list[SignificanceResult]:
    """Do the corrected t-test and, of two folds repeated five times, the 5x2cv F-test."""
    if not isinstance(data, FoldValues):
        raise invalid("data", "scores of test folds, as compare() counts them", data)
    if not check_bool("higher_is_better", higher_is_better):
        data = replace(data, values=0.0 - data.values)
    results = [corrected_t_test(data, alternative=alternative)]
    repeats = int(data.repeats[0])
    if (repeats, data.resamples) == (5, 10):
        results.append(five_by_two_test(data))
    return results


def _differences(data: FoldValues) -> Array:
    if not isinstance(data, FoldValues) or len(data.systems) != 2:
        raise invalid("data", "scores of folds of two systems", type(data).__name__)
    if isinstance(data, (UnpairedFolds, DatasetFolds)):
        raise InputError("This test is about two systems on the same folds of one data set.")
    return np.asarray(data.values[0] - data.values[1])
