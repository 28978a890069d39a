"""Tests of scores per category and of values per item, higher is better.

S-, T- and T'-test of Yang and Liu (1999) count every category alike, however rare it is; SciPy has
the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from stanoff import measures
from stanoff._lib.arguments import (
    Interval,
    as_seed,
    check_bool,
    check_choice,
    check_int,
    check_probability,
)
from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds
from stanoff.data.items import ItemValues
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures.scores import share_below
from stanoff.significance.labels import MAX_STUDENT, binomial_test, confusion_of
from stanoff.significance.result import (
    Array,
    SignificanceResult,
    check_alternative,
    one_tail,
    tail_probability,
)

DIGITS = 12  # scores that differ by rounding errors only are ties
ALL_TIED = "the scores tie in every category"
SAME = "differ by the same in every category, so that nothing varies"
FIVE_BY_TWO = (5, 2)  # repeats and folds
N_RESAMPLES = 100_000
MAX_RESAMPLES = 10_000_000
NUMBERS_AT_ONCE = 4_000_000  # of resampled values, about 30 MB


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
    return paired_test("S-test", *scores_of(a, b, measure), alternative, approximation)


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
    return paired_test("T-test", *scores_of(a, b, measure), alternative, approximation)


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
    return paired_test("T'-test", *scores_of(a, b, measure), alternative, approximation)


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
    return paired_test("Wilcoxon", *scores_of(a, b, measure), alternative)


def paired_test(
    test: str, scores: Array, label: str, alternative: str, approximation: str | None = None
) -> SignificanceResult:
    """Test the differences of pairs by their signs, signed ranks, mean or pooled ranks."""
    check_alternative(alternative, approximation)
    if test == "T'-test":
        scores = scipy.stats.rankdata(scores.ravel()).reshape(2, -1)
    difference = np.round(scores[0] - scores[1], DIGITS)
    all_pairs = test.startswith("T") and approximation is None  # a t-test with its ties
    x = difference if all_pairs else difference[difference != 0]
    n, k, ties = len(x), int(np.sum(x > 0)), int(np.sum(difference == 0))
    subject = "1 category ties and is" if ties == 1 else f"{ties} categories tie and are"
    note = f"{subject} {'kept' if all_pairs else 'left out'}" if ties else ""
    if test == "S-test":
        return binomial_test(test, label, k, n, alternative, approximation, note)
    if not difference.any():
        return SignificanceResult(test, label, 0.0, 0, 1.0, None, alternative, 0, ALL_TIED)
    statistic, p, direction = nan, nan, 0
    if test == "Wilcoxon":
        # The side that the ranks lean to, which need not be that of the mean.
        direction = int(np.sign(scipy.stats.rankdata(np.abs(x)) @ np.sign(x)))
        side = one_tail(alternative, direction)
        statistic, p = map(float, scipy.stats.wilcoxon(x, alternative=side))
    elif n < 2:
        note = "there must be two categories that differ" if approximation else "there is but one"
    elif np.ptp(x) < 10**-DIGITS:
        note = f"A and B {SAME}"
    else:
        direction = int(np.sign(np.round(x.mean(), DIGITS)))
        statistic = float(scipy.stats.ttest_1samp(x, 0.0).statistic)
        normal = approximation and n > MAX_STUDENT
        distribution = scipy.stats.norm if normal else scipy.stats.t(n - 1)
        p = tail_probability(distribution, statistic, one_tail(alternative, direction))
    return SignificanceResult(test, label, statistic, n, p, k, alternative, direction, note)


def friedman_test(scores: Any, *, measure: str = "f1") -> SignificanceResult:
    """Compare three systems or more by their ranks within each category or data set.

    Parameters
    ----------
    scores : array_like or Data
        A row per category or data set, a column per system; or what a contest of folds in several
        data sets holds in ``result.data``, of which the means of the data sets are compared.
    measure : str
        What the scores are, if they are an array.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.5, 0.4], [0.9, 0.6, 0.5]]
    >>> round(friedman_test(scores).p_value, 4)
    0.0183
    """
    if isinstance(scores, DatasetFolds):
        scores, measure = scores.means.T, scores.metric
    table, label = _score_table(scores, min_systems=3), _label(measure)
    if np.all(table == table[:, [0]]):
        return SignificanceResult("Friedman", label, 0.0, 0, 1.0, note=ALL_TIED)
    statistic, p = scipy.stats.friedmanchisquare(*table.T)
    return SignificanceResult("Friedman", label, float(statistic), len(table), float(p))


def anova_test(scores: Any, *, measure: str = "f1", paired: bool = True) -> SignificanceResult:
    """Compare two systems or more by the analysis of variance.

    Parameters
    ----------
    scores : array_like
        A row per category, a column per system.
    measure : str
        What the scores are.
    paired : bool
        Take the categories as blocks (repeated measures; of two systems it is the square of the
        T-test), rather than as independent samples (SciPy's ``f_oneway``).

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.8, 0.6], [0.7, 0.7]]
    >>> round(anova_test(scores).p_value, 4)
    0.2254
    """
    table, label = _score_table(scores, min_systems=2), _label(measure)
    n, systems = table.shape
    if np.all(table == table[:, [0]]):
        return SignificanceResult("ANOVA", label, 0.0, 0, 1.0, note=ALL_TIED)
    # Without the categories' own means only the systems' effects and the noise are left.
    centred = table - table.mean(axis=1, keepdims=True) if paired else table
    effects = centred.mean(axis=0)
    if np.allclose(centred, effects, rtol=0, atol=10**-DIGITS):
        return SignificanceResult("ANOVA", label, nan, n, nan, note=f"the systems {SAME}")
    # The blocks' own means cost degrees of freedom.
    free = systems - 1 if paired else systems
    statistic = scipy.stats.f_oneway(*centred.T).statistic * free / systems
    p = scipy.stats.f.sf(statistic, systems - 1, free * (n - 1))
    return SignificanceResult("ANOVA", label, float(statistic), n, float(p))


def item_tests(
    a: ItemValues | ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    higher_is_better: bool = True,
    n_resamples: int = N_RESAMPLES,
    seed: int = 1,
) -> list[SignificanceResult]:
    """Do the four tests of differences per item that are usual in information retrieval.

    Parameters
    ----------
    a, b : ItemValues or array_like
        What a comparison of values holds in ``result.data``; or the values of A and those of B.
    alternative : str
        As in :class:`SignificanceResult`.
    higher_is_better : bool
        Which way is better.
    n_resamples, seed : int
        How many random exchanges of A and B the randomization test draws, and from which seed. It
        takes all of them where they are not more.

    Examples
    --------
    >>> results = item_tests([0.9, 0.8, 0.7, 0.6, 0.5], [0.8, 0.7, 0.6, 0.5, 0.5])
    >>> [result.test for result in results]
    ['paired t-test', 'Wilcoxon', 'sign test', 'randomization']
    """
    check_alternative(alternative)
    sign = 1 if check_bool("higher_is_better", higher_is_better) else -1
    check_int("n_resamples", n_resamples, most=MAX_RESAMPLES)
    scores, label = scores_of(a, b, "mean")
    difference = sign * (scores[0] - scores[1])
    pairs = np.stack([difference, np.zeros(len(difference))])
    names = {"T-test": "paired t-test", "Wilcoxon": "Wilcoxon", "S-test": "sign test"}
    results = [
        replace(paired_test(test, pairs, label, alternative), test=name)
        for test, name in names.items()
    ]
    mean = float(difference.mean())
    direction, n = int(np.sign(mean)), len(difference)
    exchanged = scipy.stats.permutation_test(  # A and B on every item at random
        (difference,),
        np.mean,
        permutation_type="samples",
        n_resamples=n_resamples,
        batch=max(1, NUMBERS_AT_ONCE // n),
        vectorized=True,
        alternative=one_tail(alternative, direction),
        random_state=np.random.default_rng(as_seed(seed)),
    )
    p, done = float(exchanged.pvalue), len(exchanged.null_distribution)
    note = f"{done:,} {'random' if done == n_resamples else 'possible'} exchanges of A and B"
    numbers: Any = mean, n, p, None, alternative, direction, note
    return [*results, SignificanceResult("randomization", label, *numbers)]


@dataclass(frozen=True)
class DeLong(SignificanceResult):
    """The outcome of DeLong's test.

    Attributes
    ----------
    auc : tuple of float
        The AUC of A and of B.
    difference, error : float
        A - B, and its standard error.
    interval : tuple of float
        The confidence interval of the difference; it may reach beyond [-1, 1].
    level : float
        The confidence of that interval.
    """

    auc: tuple[float, float] = (nan, nan)
    difference: float = nan
    error: float = nan
    interval: Interval = (nan, nan)
    level: float = 0.95


def delong_test(
    data: Data, *, alternative: str = "two-sided", level: float = 0.95, category: str | None = None
) -> DeLong:
    """Compare two AUCs of the same documents, after DeLong, DeLong and Clarke-Pearson (1988).

    Parameters
    ----------
    data : Data
        Scored documents, as ``result.data`` or ``stanoff.count(..., kind="scores")`` has them.
    alternative : str
        As in :func:`stanoff.significance.sign_test`.
    level : float
        The confidence of the interval.
    category : str, optional
        Which one; needed where there are several.

    Examples
    --------
    >>> from stanoff import count
    >>> truth, a, b = [1, 1, 1, 0, 0, 0], [6, 5, 3, 4, 2, 1], [6, 2, 1, 5, 4, 3]
    >>> result = delong_test(count(truth, a, b, kind="scores"))
    >>> round(result.difference, 4), round(result.p_value, 4)
    (0.5556, 0.0771)
    """
    check_alternative(alternative)
    level = check_probability("level", level)
    pos, neg = _select_category(data, category)
    above = [share_below(n, p) for p, n in zip(pos, neg, strict=True)]  # the placements
    below = [share_below(p, n) for p, n in zip(pos, neg, strict=True)]
    variance = sum(np.var(x[0] - x[1], ddof=1) / len(x[0]) for x in (above, below))
    auc_a, auc_b = (float(x.mean()) for x in above)
    difference, error = auc_a - auc_b, sqrt(variance)
    z, p, note = nan, nan, "no difference"
    if error > 0:
        z, note = difference / error, ""
        p = tail_probability(scipy.stats.norm, z, alternative)
    elif difference:
        note = "the difference does not vary over documents"
    half_width = float(scipy.stats.norm.ppf((1 + level) / 2)) * error
    interval = difference - half_width, difference + half_width
    direction, n = int(np.sign(difference)), pos.shape[1] + neg.shape[1]
    fields: Any = {"difference": difference, "error": error, "interval": interval, "level": level}
    test = "DeLong", "AUC", z, n, p, None, alternative, direction, note
    return DeLong(*test, auc=(auc_a, auc_b), **fields)


def _select_category(data: Data, category: str | None) -> tuple[Array, Array]:
    """Return the scores of the positives and of the negatives of a category, a row per system."""
    if not isinstance(data, ScoredDocuments) or len(data.systems) != 2:
        raise InputError("DeLong's test compares the scores of two systems on the same documents.")
    if len(data.cluster):
        raise InputError("DeLong's test takes documents as independent; these are in clusters.")
    if category is None and len(data.categories) > 1:
        raise InputError(f"Say which category: one of {', '.join(data.categories)}.")
    name = data.categories[0] if category is None else category
    row = data.categories.index(check_choice("category", name, data.categories))
    pos, neg = (data.score[:, row, data.truth[row] == truth] for truth in (1, 0))
    if min(pos.shape[1], neg.shape[1]) < 2:
        raise invalid("data", "two positive and two negative documents at least", pos.shape[1])
    return pos, neg


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
    check_alternative(alternative)
    difference = _differences(data)
    n, shared = len(difference), data.rho / (1 - data.rho)
    scale = difference.std(ddof=1) * np.sqrt(1 / n + shared)
    statistic, p, note = 0.0, 1.0, "the difference never varies"
    if scale > 0:
        statistic, note = float(difference.mean() / scale), ""
        p = tail_probability(scipy.stats.t(n - 1), statistic, alternative)
    name, direction = "corrected t-test", int(np.sign(statistic))
    options: Any = {"alternative": alternative, "direction": direction, "note": note}
    return SignificanceResult(name, data.metric, statistic, n, p, **options)


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
    difference = _differences(data)
    if not _is_five_by_two(data):
        repeats = int(data.repeats[0])
        shape = f"{len(difference)} scores in {repeats} repeats"
        raise invalid("data", "two folds, repeated five times", shape)
    pairs = difference.reshape(FIVE_BY_TWO)
    variance = ((pairs - pairs.mean(axis=1, keepdims=True)) ** 2).sum()
    name, n = "5x2cv F-test", len(difference)
    if variance == 0:
        note = "the folds of a repeat never differ"
        return SignificanceResult(name, data.metric, 0.0, n, 1.0, note=note)
    statistic = float((pairs**2).sum() / (2 * variance))
    p, direction = float(scipy.stats.f.sf(statistic, 10, 5)), int(np.sign(difference.mean()))
    return SignificanceResult(name, data.metric, statistic, n, p, direction=direction)


def fold_tests(
    data: FoldValues, *, alternative: str = "two-sided", higher_is_better: bool = True
) -> list[SignificanceResult]:
    """Do the corrected t-test and, of two folds repeated five times, the 5x2cv F-test."""
    if not isinstance(data, FoldValues):
        raise invalid("data", "scores of test folds, as compare() counts them", data)
    if not check_bool("higher_is_better", higher_is_better):
        data = replace(data, values=0.0 - data.values)
    results = [corrected_t_test(data, alternative=alternative)]
    return [*results, five_by_two_test(data)] if _is_five_by_two(data) else results


def _is_five_by_two(data: FoldValues) -> bool:
    return (data.repeats[0], data.resamples) == (5, 10)


def _differences(data: FoldValues) -> Array:
    if not isinstance(data, FoldValues) or len(data.systems) != 2:
        raise invalid("data", "scores of folds of two systems", type(data).__name__)
    if isinstance(data, (UnpairedFolds, DatasetFolds)):
        raise InputError("This test is about two systems on the same folds of one data set.")
    return np.asarray(data.values[0] - data.values[1])


def scores_of(a: Any, b: Any, measure: Any) -> tuple[Array, str]:
    """Return the scores of A and B per category or item, higher is better, and their name."""
    if isinstance(a, ItemValues) and len(a.systems) == 2 and b is None:
        scores, label = a.values, "mean"
    elif isinstance(a, Data):
        if b is not None:
            raise InputError("Pass counts, which are of A and B, or the scores of both.")
        score = measures.get(measure)
        if score.kind != "labels":
            raise invalid("measure", "one that takes labels", score.name)
        label = score.label
        scores = score(confusion_of(a)) * (1 if score.higher_is_better else -1)
        if not np.isfinite(scores).all():
            raise InputError(f"{label} is infinite in some category: choose another measure.")
    else:
        if b is None:
            raise InputError("Pass the scores of B beside those of A, or counts of both.")
        rule, label = "a list of scores, one per category", _label(measure)
        first, second = (_numbers(x, y, ndim=1, rule=rule) for x, y in (("a", a), ("b", b)))
        if len(first) != len(second):
            raise InputError(f"a and b must be as long, but have {len(first)} and {len(second)}.")
        scores = np.stack([first, second])
    return np.round(scores, DIGITS), label


def _score_table(scores: Any, *, min_systems: int) -> Array:
    rule = f"a table with 2 categories (rows) and {min_systems} classifiers (columns) at least"
    table = _numbers("scores", scores, ndim=2, rule=rule)
    if table.shape[0] < 2 or table.shape[1] < min_systems:
        raise invalid("scores", rule, f"an array of shape {table.shape}")
    return np.round(table, DIGITS)


def _numbers(parameter: str, values: Any, *, ndim: int, rule: str) -> Array:
    """Read finite numbers in an array of so many dimensions, none of them empty."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except Exception:  # whatever a foreign object raises when it is taken for an array
        raise invalid(parameter, "made of numbers", values) from None
    if array.ndim != ndim or not array.size:
        raise invalid(parameter, rule, values)
    if not np.isfinite(array).all():
        raise invalid(parameter, f"{rule}, finite", float(array[~np.isfinite(array)][0]))
    return array


def _label(measure: Any) -> str:
    """Return what a table calls a measure of scores that the caller computed."""
    if not isinstance(measure, str):
        raise invalid("measure", "the name of the scores", measure)
    return "F1" if measure == "f1" else measure
