"""The classical tests that SciPy has, of labels, scores per category and values per item."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from stanoff import measures
from stanoff._lib.arguments import as_seed, check_bool, check_choice, check_int
from stanoff.data.folds import DatasetFolds, FoldValues
from stanoff.data.items import ItemValues
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.significance import yang1999
from stanoff.significance.delong import delong_test
from stanoff.significance.resampled import corrected_t_test, fold_tests
from stanoff.significance.result import (
    Array,
    SignificanceResult,
    check_alternative,
    check_counts,
    check_numbers,
    confusion_of,
    one_tail,
    without_test,
)

AVERAGES = ("both", "micro", "macro")
MACRO_TESTS = ("S-test", "T-test", "T'-test", "Wilcoxon")
N_RESAMPLES = 100_000
MAX_RESAMPLES = 10_000_000
NUMBERS_AT_ONCE = 4_000_000  # of resampled values, about 30 MB
MIN_CHI2 = 25  # pairs that differ, for the chi-square form of McNemar's test


def mcnemar_test(
    counts: Data, *, method: str = "exact", correction: bool = True
) -> SignificanceResult:
    """Compare how often only A and only B is right, after McNemar; always two-sided.

    Parameters
    ----------
    counts : Data
        Of the same documents, their categories pooled.
    method : str
        ``"exact"``, which is the two-sided s-test, or ``"chi2"``.
    correction : bool
        Take 1 off the difference (Edwards' continuity correction) in ``"chi2"``.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("1",), [[30, 18, 6, 3]], [[2, 0, 0, 55]])
    >>> round(mcnemar_test(counts, method="chi2").p_value, 4)
    0.0247
    """
    check_choice("method", method, ("exact", "chi2"))
    only_a, only_b = (int(n.sum()) for n in yang1999.only_right(counts))
    n, name = only_a + only_b, "McNemar exact" if method == "exact" else "McNemar chi-square"
    if method == "exact" or n == 0:
        return yang1999.binomial_test(name, "accuracy", only_a, n, "two-sided")
    statistic = max(abs(only_a - only_b) - check_bool("correction", correction), 0) ** 2 / n
    p, direction = float(scipy.stats.chi2.sf(statistic, 1)), int(np.sign(only_a - only_b))
    note = "" if n >= MIN_CHI2 else f"with n below {MIN_CHI2} prefer the exact form"
    fields: Any = {"direction": direction, "note": note}
    return SignificanceResult(name, "accuracy", statistic, n, p, only_a, **fields)


def welch_test(
    counts: Data, measure: str = "accuracy", *, alternative: str = "two-sided"
) -> SignificanceResult:
    """Compare two proportions by Welch's t-test of 0 and 1.

    Of accuracy, category by category, it is the column "t-test" in Tables 4 to 6 of Zhang et al.
    (2016).

    Parameters
    ----------
    counts, measure, alternative : Data or str
        As in :func:`proportion_test`.

    Examples
    --------
    >>> from stanoff import UnpairedCounts
    >>> counts = UnpairedCounts(("1",), [[80, 10, 20, 90]], [[60, 10, 40, 90]])
    >>> round(welch_test(counts, "recall").p_value, 4)
    0.0019
    """
    check_alternative(alternative)
    (k_a, k_b), (n_a, n_b) = yang1999.successes_and_trials(counts, measure)
    test: Any = {"test": "Welch t-test", "measure": measure, "n": n_a + n_b}
    test["alternative"] = alternative
    if not n_a or not n_b:
        return without_test(p=nan, note=yang1999.no_trials(measure, n_a), **test)
    if min(n_a, n_b) < 2:
        return without_test(p=nan, note="there must be two trials of each at least", **test)
    direction = int(np.sign(k_a / n_a - k_b / n_b))
    if k_a in (0, n_a) and k_b in (0, n_b):
        if not direction:
            return without_test(p=1.0, note=yang1999.nothing_varies(k_a), **test)
        reason = "one is always right and the other never, so that nothing varies"
        return without_test(p=nan, note=reason, **test)
    [t], [p] = _welch(
        np.array([[k_a], [k_b]]), np.array([[n_a], [n_b]]), one_tail(alternative, direction)
    )
    return SignificanceResult(statistic=float(t), p_value=float(p), direction=direction, **test)


def _welch(successes: Any, trials: Any, side: Any = "two-sided") -> tuple[Array, Array]:
    """Return Welch's t and p-values of proportions (system, category).

    Where neither system varies, p is 1 if both are alike and NaN if they are not.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # too few trials: NaN
        mean = successes / trials
        sd = np.sqrt(mean * (1 - mean) * trials / (trials - 1))
        t, p = scipy.stats.ttest_ind_from_stats(
            mean[0], sd[0], trials[0], mean[1], sd[1], trials[1], equal_var=False, alternative=side
        )
    constant = (sd == 0).all(axis=0)
    alike = mean[0] == mean[1]
    return np.asarray(t), np.where(constant, np.where(alike, 1.0, nan), p)


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
    check_alternative(alternative)
    first, second, label = yang1999.scores_of(a, b, measure)
    difference = np.round(first - second, yang1999.DIGITS)
    differing = difference[difference != 0]
    n = len(differing)
    test: Any = {"test": "Wilcoxon", "measure": label, "n": n, "alternative": alternative}
    if not n:
        return without_test(p=1.0, note=yang1999.ALL_TIED, **test)
    # The side that the ranks lean to, which need not be that of the mean.
    direction = int(np.sign(scipy.stats.rankdata(np.abs(differing)) @ np.sign(differing)))
    side = one_tail(alternative, direction)
    statistic, p = map(float, scipy.stats.wilcoxon(differing, alternative=side))
    test["k"] = int(np.sum(differing > 0))
    test["note"] = yang1999.describe_ties(len(difference) - n, "left out")
    return SignificanceResult(statistic=statistic, p_value=p, direction=direction, **test)


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
        table, label = _score_table(scores.means.T, min_systems=3), scores.metric
    else:
        table, label = _score_table(scores, min_systems=3), yang1999.label_of(measure)
    if np.all(table == table[:, [0]]):
        return without_test("Friedman", label, 0, 1.0, yang1999.ALL_TIED)
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
    table, label = _score_table(scores, min_systems=2), yang1999.label_of(measure)
    categories, systems = table.shape
    if np.all(table == table[:, [0]]):
        return without_test("ANOVA", label, 0, 1.0, yang1999.ALL_TIED)
    # Without the categories' own means only the systems' effects and the noise are left.
    centred = table - table.mean(axis=1, keepdims=True) if paired else table
    effects = centred.mean(axis=0)
    if np.allclose(centred, effects, rtol=0, atol=10**-yang1999.DIGITS):
        reason = "the systems differ by the same in every category, so that nothing varies"
        return without_test("ANOVA", label, categories, nan, reason)
    if paired:
        df_systems, df_noise = systems - 1, (systems - 1) * (categories - 1)
        noise = np.sum((centred - effects) ** 2) / df_noise
        statistic = categories * np.sum(effects**2) / df_systems / noise
        p = scipy.stats.f.sf(statistic, df_systems, df_noise)
    else:
        statistic, p = scipy.stats.f_oneway(*table.T)
    return SignificanceResult("ANOVA", label, float(statistic), categories, float(p))


def _score_table(scores: Any, *, min_systems: int) -> Array:
    rule = f"a table with 2 categories (rows) and {min_systems} classifiers (columns) at least"
    table = check_numbers("scores", scores, ndim=2, rule=rule)
    if table.shape[0] < 2 or table.shape[1] < min_systems:
        raise invalid("scores", rule, f"an array of shape {table.shape}")
    return np.round(table, yang1999.DIGITS)


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
    resamples = check_int("n_resamples", n_resamples, most=MAX_RESAMPLES)
    first, second, label = yang1999.scores_of(a, b, "mean")
    difference = sign * (first - second)
    pair: Any = {"a": difference, "b": np.zeros(len(difference)), "alternative": alternative}
    results = [
        replace(yang1999.macro_t_test(**pair), test="paired t-test"),
        wilcoxon_test(**pair),
        replace(yang1999.macro_sign_test(**pair), test="sign test"),
        _randomization(difference, alternative, resamples, as_seed(seed)),
    ]
    return [replace(result, measure=label) for result in results]


def _randomization(
    difference: Array, alternative: str, n_resamples: int, seed: int
) -> SignificanceResult:
    """Exchange A and B on every item at random, and count how often the mean is as far from 0."""
    mean = float(difference.mean())
    direction = int(np.sign(mean))
    tested = scipy.stats.permutation_test(
        (difference,),
        np.mean,
        permutation_type="samples",
        n_resamples=n_resamples,
        batch=max(1, NUMBERS_AT_ONCE // len(difference)),
        vectorized=True,
        alternative=one_tail(alternative, direction),
        random_state=np.random.default_rng(seed),
    )
    n, p = len(tested.null_distribution), float(tested.pvalue)
    note = f"{n:,} {'random' if n == n_resamples else 'possible'} exchanges of A and B"
    fields = "randomization", "mean", mean, len(difference), p, None, alternative, direction, note
    return SignificanceResult(*fields)


def all_tests(
    data: Data,
    *,
    average: str = "both",
    measure: str = "f1",
    alternative: str = "two-sided",
    approximation: str | None = None,
    higher_is_better: bool = True,
) -> list[SignificanceResult]:
    """Do every test of two systems that the data allow.

    Parameters
    ----------
    data : Data
        Of unpaired counts there are no sign tests of decisions; with fewer than two categories
        there are no tests of scores per category. Of scored documents there is DeLong's test, of
        values per item there are those of :func:`item_tests`, of scores of folds those of
        :func:`fold_tests`, and of many data sets Wilcoxon's of their means (Demšar, 2006).
    average : str
        ``"micro"`` for the tests of pooled decisions, ``"macro"`` for those of scores per category,
        or ``"both"``.
    measure : str
        What the tests of scores per category compare.
    alternative, approximation : str, optional
        As in :func:`sign_test`; McNemar's are always two-sided.
    higher_is_better : bool
        Which way values per item are better.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("1",), [[30, 8, 1, 3]], [[2, 0, 1, 55]])
    >>> [result.test for result in all_tests(counts)][:3]
    ['s-test', 'McNemar exact', 'McNemar chi-square']
    """
    check_alternative(alternative)
    check_choice("average", average, AVERAGES)
    if isinstance(data, ItemValues):
        return item_tests(data, alternative=alternative, higher_is_better=higher_is_better)
    if isinstance(data, DatasetFolds):
        sign = 1 if higher_is_better else -1
        a, b = sign * data.means
        return [replace(wilcoxon_test(a, b, alternative=alternative), measure=data.metric)]
    if isinstance(data, FoldValues):
        return fold_tests(data, alternative=alternative, higher_is_better=higher_is_better)
    if isinstance(data, Data) and data.kind == "scores":
        return [delong_test(data, alternative=alternative)]
    counts = check_counts(data)
    several = len(counts.categories) > 1
    if average == "macro" and not several:
        raise InputError("Tests of scores per category need two categories at least; there is one.")
    options: Any = {"alternative": alternative, "approximation": approximation}
    results = []
    if average != "macro":
        if counts.paired:
            results.append(yang1999.sign_test(counts, **options))
            results += [mcnemar_test(counts, method=method) for method in ("exact", "chi2")]
        for proportion in yang1999.PROPORTIONS:
            results.append(yang1999.proportion_test(counts, proportion, alternative=alternative))
        results.append(welch_test(counts, alternative=alternative))
    if several and average != "micro":
        results += _macro_tests(counts, measure, options)
    return results


def _macro_tests(counts: Data, measure: str, options: Any) -> list[SignificanceResult]:
    score = measures.get(measure)
    if score.kind == "labels" and not np.isfinite(score(confusion_of(counts))).all():
        reason, n = f"{score.label} is infinite in some category", len(counts.categories)
        return [without_test(test, score.label, n, nan, reason) for test in MACRO_TESTS]
    tests = (yang1999.macro_sign_test, yang1999.macro_t_test, yang1999.macro_rank_test)
    results = [test(counts, measure=measure, **options) for test in tests]
    return [*results, wilcoxon_test(counts, measure=measure, alternative=options["alternative"])]


def columns(data: Data) -> dict[str, list[float]]:
    """Return the p-values of the sign test and the t-test, two-sided, a row per category.

    Of labels they are the columns "sign-test" and "t-test" of Tables 4 to 6 of Zhang et al. (2016):
    the exact s-test and Welch's t-test of accuracy. Of values per item they are the sign test and
    the paired t-test, of scores of folds there is the corrected t-test; else they are NaN.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("x", "y"), [[30, 8, 1, 3], [9, 0, 0, 1]], [[2, 0, 1, 55]] * 2)
    >>> {name: [round(p, 3) for p in column] for name, column in columns(counts).items()}
    {'sign_test': [0.021, 1.0], 't_test': [0.06, 0.701]}
    """
    if not isinstance(data, Data):
        raise invalid("data", "the data of a comparison", type(data).__name__)
    if isinstance(data, ItemValues):
        first, second = data.values[:2]
        tests = yang1999.macro_sign_test(first, second), yang1999.macro_t_test(first, second)
        return {name: [t.p_value] for name, t in zip(("sign_test", "t_test"), tests, strict=True)}
    if type(data) is FoldValues:
        return {"sign_test": [nan], "t_test": [corrected_t_test(data).p_value]}
    signs = welch = np.full(len(data.categories), nan)
    if data.cells is not None:
        confusion = confusion_of(data)
        _, welch = _welch(confusion[..., [0, 3]].sum(axis=-1), confusion.sum(axis=-1))
        if data.paired:
            signs = _exact_sign_p(*yang1999.only_right(data))
    return {"sign_test": signs.tolist(), "t_test": welch.tolist()}


def _exact_sign_p(only_a: Any, only_b: Any) -> Array:
    """Return the exact two-sided p-values of the sign test, of many pairs of counts at once."""
    fewer, n = np.minimum(only_a, only_b), only_a + only_b
    both_tails = np.minimum(1.0, 2 * scipy.special.bdtr(fewer, n, 0.5))
    return np.asarray(np.where(2 * fewer == n, 1.0, both_tails))
