"""The tests of Yang and Liu (1999): s-test and p-test of decisions, S-, T- and T'-test of scores.

Micro tests pool all decisions: every document in every category is a trial. Macro tests compare
scores per category: every category counts alike, however rare it is.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from stanoff import measures
from stanoff._lib.arguments import check_choice
from stanoff.data.items import ItemValues
from stanoff.data.types import Counts, Data, PairedCounts
from stanoff.errors import InputError, invalid
from stanoff.significance.result import (
    Array,
    SignificanceResult,
    check_alternative,
    check_counts,
    check_numbers,
    confusion_of,
    one_tail,
    tail_probability,
    without_test,
)

# How many trials went well, and how many there were, by cells tp, fp, fn, tn.
PROPORTIONS = {
    "recall": ((0,), (0, 2)),
    "precision": ((0,), (0, 1)),
    "accuracy": ((0, 3), (0, 1, 2, 3)),
    "error": ((0, 3), (0, 1, 2, 3)),
}
MAX_EXACT = 12  # trials; beyond, the paper's sign tests are normal
MAX_STUDENT = 40  # trials or categories; beyond, the paper's other tests are normal
ALL_TIED = "the scores tie in every category"
DIGITS = 12  # scores that differ by rounding errors only are ties


def sign_test(
    counts: Data, *, alternative: str = "two-sided", approximation: str | None = None
) -> SignificanceResult:
    """Compare how often only A and only B is right: the micro sign test, s-test.

    Where the categories are classes of which every document has exactly one, a wrong class
    is two wrong decisions, which are not independent.

    Parameters
    ----------
    counts : Data
        Of the same documents, their categories pooled.
    alternative : str
        ``"two-sided"``, ``"greater"`` (A is better), ``"less"``, or ``"one-sided"``: the side that
        the data lean to, as Yang and Liu do.
    approximation : str, optional
        None for the exact binomial p-value; ``"yang1999"`` for the normal one where n > 12.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> sign_test(PairedCounts(("1",), [[30, 8, 1, 3]], [[2, 0, 1, 55]])).p_value
    0.021484375
    """
    only_a, only_b = (int(n.sum()) for n in only_right(counts))
    return binomial_test("s-test", "accuracy", only_a, only_a + only_b, alternative, approximation)


def macro_sign_test(
    a: Data | ArrayLike,
    b: ArrayLike | None = None,
    *,
    measure: str = "f1",
    alternative: str = "two-sided",
    approximation: str | None = None,
) -> SignificanceResult:
    """Compare in how many categories A and B score higher: the macro sign test, S-test.

    Parameters
    ----------
    a, b : Data or array_like or array_like, optional
        Counts of both systems; or the scores of A and those of B, a score per category, higher
        is better.
    measure : str
        The measure of counts; of scores only its name is shown.
    alternative, approximation : str, optional
        As in :func:`sign_test`.

    Examples
    --------
    >>> macro_sign_test([0.9, 0.8, 0.7, 0.6, 0.5], [0.8, 0.7, 0.6, 0.5, 0.5]).p_value
    0.125
    """
    first, second, label = scores_of(a, b, measure)
    better = np.round(first - second, DIGITS)
    k, n = int(np.sum(better > 0)), int(np.sum(better != 0))
    note = describe_ties(len(better) - n, "left out")
    return binomial_test("S-test", label, k, n, alternative, approximation, note)


def proportion_test(
    counts: Data, measure: str = "accuracy", *, alternative: str = "two-sided"
) -> SignificanceResult:
    """Compare two proportions as if of independent samples: the p-test.

    The pooled z of Yang and Liu (section 4.5), judged by the t-distribution with n - 1 degrees
    of freedom where n = n_A + n_B is at most 40, else by the normal one. It forgets which
    documents A and B share. Its statistic is above 0 where A is better, for error too.

    Parameters
    ----------
    counts : Data
        Paired or not, their categories pooled.
    measure : str
        ``"recall"`` (of the true yes), ``"precision"`` (of the assigned yes), ``"accuracy"`` or
        ``"error"`` (of all documents and categories).
    alternative : str
        As in :func:`sign_test`.

    Examples
    --------
    >>> from stanoff import UnpairedCounts
    >>> counts = UnpairedCounts(("1",), [[80, 10, 20, 90]], [[60, 10, 40, 90]])
    >>> round(proportion_test(counts, "recall").statistic, 3)
    3.086
    """
    check_alternative(alternative)
    (k_a, k_b), (n_a, n_b) = successes_and_trials(counts, measure)
    n = n_a + n_b
    if not n_a or not n_b:
        note = no_trials(measure, n_a)
        return without_test("p-test", measure, n, nan, note, alternative=alternative)
    pooled, difference = (k_a + k_b) / n, k_a / n_a - k_b / n_b
    if pooled in (0, 1):
        note = nothing_varies(pooled)
        return without_test("p-test", measure, n, 1.0, note, alternative=alternative)
    z = difference / sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    distribution = scipy.stats.norm if n > MAX_STUDENT else scipy.stats.t(n - 1)
    p = tail_probability(distribution, z, one_tail(alternative, difference))
    direction = int(np.sign(difference))
    return SignificanceResult("p-test", measure, z, n, p, None, alternative, direction)


def macro_t_test(
    a: Data | ArrayLike,
    b: ArrayLike | None = None,
    *,
    measure: str = "f1",
    alternative: str = "two-sided",
    approximation: str | None = None,
) -> SignificanceResult:
    """Compare scores per category by the paired t-test: the macro t-test, T-test.

    Parameters
    ----------
    a, b, measure, alternative : Data or array_like or array_like or str, optional
        As in :func:`macro_sign_test`.
    approximation : str, optional
        None for the paired t-test of all categories; ``"yang1999"`` leaves out those where A and B
        tie, and takes the normal distribution where more than 40 are left.

    Examples
    --------
    >>> round(macro_t_test([0.9, 0.8, 0.7], [0.8, 0.6, 0.7]).p_value, 4)
    0.2254
    """
    first, second, label = scores_of(a, b, measure)
    return _paired_t_test("T-test", label, first - second, alternative, approximation)


def macro_rank_test(
    a: Data | ArrayLike,
    b: ArrayLike | None = None,
    *,
    measure: str = "f1",
    alternative: str = "two-sided",
    approximation: str | None = None,
) -> SignificanceResult:
    """Compare the ranks of the pooled scores by the paired t-test: T'-test.

    Parameters
    ----------
    a, b, measure, alternative, approximation : Data or array_like or array_like or str, optional
        As in :func:`macro_t_test`.

    Examples
    --------
    >>> round(macro_rank_test([0.9, 0.8, 0.75], [0.8, 0.6, 0.7]).statistic, 3)
    2.619
    """
    first, second, label = scores_of(a, b, measure)
    ranks = scipy.stats.rankdata(np.concatenate([first, second]))
    difference = ranks[: len(first)] - ranks[len(first) :]
    return _paired_t_test("T'-test", label, difference, alternative, approximation)


def binomial_test(
    test: str,
    measure: str,
    k: int,
    n: int,
    alternative: str,
    approximation: str | None = None,
    note: str = "",
) -> SignificanceResult:
    """Judge k of n that speak for A by the binomial distribution with p = 0.5."""
    check_alternative(alternative)
    _check_approximation(approximation)
    if n == 0:
        note = "A and B never differ, so that there is nothing against their being equal"
        return without_test(test, measure, 0, 1.0, note, alternative=alternative, k=0)
    direction = int(np.sign(2 * k - n))
    side = one_tail(alternative, direction)
    if approximation and n > MAX_EXACT:
        statistic = (k - 0.5 * n) / (0.5 * sqrt(n))
        p = tail_probability(scipy.stats.norm, statistic, side)
    else:
        statistic, p = float(k), float(scipy.stats.binomtest(k, n, alternative=side).pvalue)
    return SignificanceResult(test, measure, statistic, n, p, k, alternative, direction, note)


def _paired_t_test(
    test: str, label: str, difference: Array, alternative: str, approximation: str | None
) -> SignificanceResult:

    check_alternative(alternative)
    _check_approximation(approximation)
    difference = np.round(difference, DIGITS)
    differing = difference[difference != 0]
    if not len(differing):
        return without_test(test, label, 0, 1.0, ALL_TIED, alternative=alternative)
    note = describe_ties(len(difference) - len(differing), "left out" if approximation else "kept")
    used = differing if approximation else difference
    n, k, mean = len(used), int(np.sum(used > 0)), float(used.mean())
    reason = ""
    if n < 2:
        reason = "there must be two categories that differ" if approximation else "there is but one"
    elif np.ptp(used) < 10**-DIGITS:
        reason = "A and B differ by the same in every category, so that nothing varies"
    if reason:
        return without_test(test, label, n, nan, reason, alternative=alternative, k=k)
    direction = 0 if abs(mean) < 10**-DIGITS else int(np.sign(mean))
    side = one_tail(alternative, direction)
    t = scipy.stats.ttest_1samp(used, 0.0, alternative=side)
    normal = approximation and n > MAX_STUDENT
    p = tail_probability(scipy.stats.norm, t.statistic, side) if normal else float(t.pvalue)
    statistic = float(t.statistic)
    return SignificanceResult(test, label, statistic, n, p, k, alternative, direction, note)


def _check_approximation(approximation: Any) -> None:
    if approximation is not None and not (
        isinstance(approximation, str) and approximation == "yang1999"
    ):
        raise invalid("approximation", "None or 'yang1999'", approximation)


def only_right(counts: Any) -> tuple[Counts, Counts]:
    """Count, category by category, how often only A and how often only B is right."""
    pairs = check_counts(counts)
    if not isinstance(pairs, PairedCounts):
        raise InputError(
            "Sign tests need both systems on the same documents: pass PairedCounts, not "
            "UnpairedCounts."
        )
    return pairs.pos[:, 1] + pairs.neg[:, 2], pairs.pos[:, 2] + pairs.neg[:, 1]


def successes_and_trials(counts: Any, measure: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Count how many trials of A and of B went well, and how many there were of each."""
    cells = PROPORTIONS[check_choice("measure", measure, PROPORTIONS)]
    pooled = confusion_of(counts).sum(axis=1)
    (k_a, k_b), (n_a, n_b) = (pooled[:, list(cell)].sum(axis=1).tolist() for cell in cells)
    return (k_a, k_b), (n_a, n_b)


def scores_of(a: Any, b: Any, measure: Any) -> tuple[Array, Array, str]:
    """Return the scores of A and B per category or item, higher is better, and their name."""
    if isinstance(a, ItemValues) and len(a.systems) == 2 and b is None:
        first, second, label = *a.values, "mean"
    elif isinstance(a, Data):
        if b is not None:
            raise InputError("Pass counts, which are of A and B, or the scores of both.")
        score = measures.get(measure)
        if score.kind != "labels":
            raise invalid("measure", "one that takes labels", score.name)
        first, second = score(confusion_of(a)) * (1 if score.higher_is_better else -1)
        label = score.label
        if not np.isfinite([first, second]).all():
            raise InputError(f"{label} is infinite in some category: choose another measure.")
    else:
        if b is None:
            raise InputError("Pass the scores of B beside those of A, or counts of both.")
        rule = "a list of scores, one per category"
        first, second = (check_numbers(x, y, ndim=1, rule=rule) for x, y in (("a", a), ("b", b)))
        label = label_of(measure)
        if len(first) != len(second):
            raise InputError(f"a and b must be as long, but have {len(first)} and {len(second)}.")
    return np.round(first, DIGITS), np.round(second, DIGITS), label


def label_of(measure: Any) -> str:
    """Return what a table calls a measure of scores that the caller computed."""
    if not isinstance(measure, str):
        raise invalid("measure", "the name of the scores", measure)
    return "F1" if measure == "f1" else measure


def describe_ties(ties: int, treatment: str) -> str:
    """Say how many categories tie, and whether they are kept; nothing if none does."""
    if not ties:
        return ""
    subject = "1 category ties and is" if ties == 1 else f"{ties} categories tie and are"
    return f"{subject} {treatment}"


def nothing_varies(rate: float) -> str:
    """Say that both systems are always, or never, right."""
    return f"both are {'always' if rate else 'never'} right, so that nothing varies"


def no_trials(measure: str, n_a: int) -> str:
    """Say which of the systems has no trial."""
    return f"{'B' if n_a else 'A'} has no trial that {measure} counts"
