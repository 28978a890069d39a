"""Tests of scores per category: every category counts alike, however rare it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff import measures
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.significance.micro import cells_of
from stanoff.significance.result import (
    SignificanceResult,
    check_options,
    normal_p,
    tail,
    undoable,
)
from stanoff.significance.signs import binomial

Scores = NDArray[np.float64]
SMALL = 40
DIGITS = 12  # scores that differ by rounding errors only are ties


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
        Counts of both classifiers; or the scores of A and those of B, a score per category, higher
        is better.
    measure : str
        The measure of counts; of scores only its name is told.
    alternative : str
        ``"two-sided"``, ``"greater"`` (A is better), ``"less"``, or ``"one-sided"``: the side that
        the data lean to, as Yang and Liu do.
    approximation : str, optional
        None for the exact binomial p-value; ``"yang1999"`` for the normal one where n > 12.

    Examples
    --------
    >>> macro_sign_test([0.9, 0.8, 0.7, 0.6, 0.5], [0.8, 0.7, 0.6, 0.5, 0.5]).p_value
    0.125
    """
    better, label = _differences(a, b, measure)
    ties = int(np.sum(better == 0))
    return binomial(
        "S-test",
        label,
        n=len(better) - ties,
        k=int(np.sum(better > 0)),
        alternative=alternative,
        approximation=approximation,
        note=_ties(ties, "left out") if ties else "",
    )


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
    better, label = _differences(a, b, measure)
    return _t_test("T-test", label, better, alternative, approximation)


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
    from scipy.stats import rankdata

    first, second, label = _scores(a, b, measure)
    ranks = rankdata(np.concatenate([first, second]))
    better = ranks[: len(first)] - ranks[len(first) :]
    return _t_test("T'-test", label, better, alternative, approximation)


def wilcoxon_test(
    a: Data | ArrayLike,
    b: ArrayLike | None = None,
    *,
    measure: str = "f1",
    alternative: str = "two-sided",
) -> SignificanceResult:
    """Compare scores per category by Wilcoxon's signed ranks; ties are left out.

    Parameters
    ----------
    a, b, measure, alternative : Data or array_like or array_like or str, optional
        As in :func:`macro_sign_test`.

    Examples
    --------
    >>> wilcoxon_test([0.9, 0.8, 0.7, 0.6, 0.5], [0.8, 0.6, 0.4, 0.2, 0.5]).p_value
    0.125
    """
    from scipy.stats import rankdata, wilcoxon

    check_options(alternative)
    better, label = _differences(a, b, measure)
    differing = better[better != 0]
    ties = len(better) - len(differing)
    if not len(differing):
        return _all_tied("Wilcoxon", label, alternative)
    # The side that the ranks lean to, which need not be that of the mean.
    direction = int(np.sign(np.sum(rankdata(np.abs(differing)) * np.sign(differing))))
    found = wilcoxon(differing, alternative=tail(alternative, direction))
    return SignificanceResult(
        "Wilcoxon",
        label,
        float(found.statistic),
        len(differing),
        float(found.pvalue),
        int(np.sum(differing > 0)),
        alternative,
        direction,
        _ties(ties, "left out") if ties else "",
    )


def friedman_test(scores: Any, *, measure: str = "f1") -> SignificanceResult:
    """Compare three classifiers or more by their ranks within each category.

    Parameters
    ----------
    scores : object
        A row per category, a column per classifier.
    measure : str
        What the scores are.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.5, 0.4], [0.9, 0.6, 0.5]]
    >>> round(friedman_test(scores).p_value, 4)
    0.0183
    """
    from scipy.stats import friedmanchisquare

    table, label = _table(scores, least=3), _label(measure)
    if np.all(table == table[:, [0]]):
        return _all_tied("Friedman", label, "two-sided")
    found = friedmanchisquare(*table.T)
    return SignificanceResult(
        "Friedman", label, float(found.statistic), len(table), float(found.pvalue)
    )


def anova_test(scores: Any, *, measure: str = "f1", paired: bool = True) -> SignificanceResult:
    """Compare two classifiers or more by the analysis of variance.

    Parameters
    ----------
    scores : object
        A row per category, a column per classifier.
    measure : str
        What the scores are.
    paired : bool
        Take the categories as blocks (repeated measures; of two classifiers it is the square of the
        T-test), rather than as independent samples (SciPy's ``f_oneway``).

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.8, 0.6], [0.7, 0.7]]
    >>> round(anova_test(scores).p_value, 4)
    0.2254
    """
    from scipy.stats import f, f_oneway

    table, label = _table(scores, least=2), _label(measure)
    categories, classifiers = table.shape
    if np.all(table == table[:, [0]]):
        return _all_tied("ANOVA", label, "two-sided")
    # Without the categories' own means only the classifiers' effects and the noise are left.
    centred = table - table.mean(axis=1, keepdims=True) if paired else table
    effects = centred.mean(axis=0)
    if np.allclose(centred, effects, rtol=0, atol=10**-DIGITS):
        constant = "the classifiers differ by the same in every category, so that nothing varies"
        return undoable("ANOVA", label, constant, n=categories, alternative="two-sided")
    if not paired:
        found = f_oneway(*table.T)
        return SignificanceResult(
            "ANOVA", label, float(found.statistic), categories, float(found.pvalue)
        )
    free = classifiers - 1, (classifiers - 1) * (categories - 1)
    noise = float(np.sum((centred - effects) ** 2)) / free[1]
    statistic = categories * float(np.sum(effects**2)) / free[0] / noise
    p = float(f.sf(statistic, *free))
    return SignificanceResult("ANOVA", label, statistic, categories, p)


def _t_test(
    test: str, label: str, better: Scores, alternative: str, approximation: str | None
) -> SignificanceResult:
    from scipy.stats import ttest_1samp

    check_options(alternative, approximation)
    differing = better[better != 0]
    if not len(differing):
        return _all_tied(test, label, alternative)
    ties = len(better) - len(differing)
    used = differing if approximation else better
    note = _ties(ties, "left out" if approximation else "kept") if ties else ""
    n, k, mean = len(used), int(np.sum(used > 0)), float(used.mean())
    direction = 0 if abs(mean) < 10**-DIGITS else int(np.sign(mean))
    if n < 2:
        few = "there must be two categories that differ" if approximation else "there is but one"
        return undoable(test, label, few, n=n, k=k, alternative=alternative)
    if np.ptp(used) < 10**-DIGITS:
        constant = "A and B differ by the same in every category, so that nothing varies"
        return undoable(test, label, constant, n=n, k=k, alternative=alternative)
    side = tail(alternative, direction)
    found = ttest_1samp(used, 0.0, alternative=side)
    statistic, p = float(found.statistic), float(found.pvalue)
    if approximation and n > SMALL:
        p = normal_p(statistic, side)
    return SignificanceResult(test, label, statistic, n, p, k, alternative, direction, note)


def _all_tied(test: str, label: str, alternative: str) -> SignificanceResult:
    note = "the scores tie in every category"
    return SignificanceResult(test, label, 0.0, 0, 1.0, None, alternative, note=note)


def _ties(ties: int, what: str) -> str:
    return f"{ties} categories tie and are {what}" if ties > 1 else f"1 category ties and is {what}"


def _differences(a: Data | ArrayLike, b: ArrayLike | None, measure: str) -> tuple[Scores, str]:
    first, second, label = _scores(a, b, measure)
    return np.round(first - second, DIGITS), label


def _scores(a: Data | ArrayLike, b: ArrayLike | None, measure: str) -> tuple[Scores, Scores, str]:
    """Return what A and B score per category, turned so that higher is better."""
    if isinstance(a, Data):
        if b is not None:
            raise InputError("Pass counts, which are of A and B, or the scores of both.")
        chosen = measures.get(measure)
        turn = 1 if chosen.higher_is_better else -1
        of_a, of_b = turn * chosen(cells_of(a))
        pair = of_a, of_b
        label = chosen.label
    else:
        if b is None:
            raise InputError("Pass the scores of B beside those of A, or counts of both.")
        pair = _column("a", a), _column("b", b)
        label = _label(measure)
    if len(pair[0]) != len(pair[1]):
        raise InputError(
            f"a and b must have as many scores, but have {len(pair[0])} and {len(pair[1])}."
        )
    for name, column in zip("ab", pair, strict=True):
        if not np.isfinite(column).all():
            if b is None:
                raise InputError(f"{label} is infinite in some category: choose another measure.")
            raise invalid(name, "scores that are finite numbers", _first_odd(column))
    return np.round(pair[0], DIGITS), np.round(pair[1], DIGITS), label


def _label(measure: str) -> str:
    return "F1" if measure == "f1" else measure


def _column(name: str, values: Any) -> Scores:
    column = _numbers(name, values)
    if column.ndim != 1 or not len(column):
        raise invalid(name, "a list of scores, one per category", values)
    return column


def _table(scores: Any, *, least: int) -> Scores:
    table = _numbers("scores", scores)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < least:
        rule = f"a table with 2 categories (rows) and {least} classifiers (columns) at least"
        raise invalid("scores", rule, f"an array of shape {table.shape}")
    if not np.isfinite(table).all():
        raise invalid("scores", "finite numbers", _first_odd(table))
    return np.round(table, DIGITS)


def _numbers(name: str, values: Any) -> Scores:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid(name, "made of numbers", values) from None


def _first_odd(values: Scores) -> float:
    return float(values[~np.isfinite(values)][0])
