"""Tests of decisions: the s-test and p-test of Yang and Liu (1999), McNemar's and Welch's.

They pool all decisions: every document in every category is a trial.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np
import scipy

from stanoff._lib.arguments import check_bool, check_choice
from stanoff.data.types import Counts, Data, PairedCounts
from stanoff.errors import InputError, invalid
from stanoff.significance.result import (
    Array,
    SignificanceResult,
    check_alternative,
    one_tail,
    tail_probability,
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
MIN_CHI2 = 25  # pairs that differ, for the chi-square form of McNemar's test


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
    only_a, only_b = (int(n.sum()) for n in only_right(counts))
    n, name = only_a + only_b, "McNemar exact" if method == "exact" else "McNemar chi-square"
    if method == "exact" or n == 0:
        return binomial_test(name, "accuracy", only_a, n, "two-sided")
    statistic = max(abs(only_a - only_b) - check_bool("correction", correction), 0) ** 2 / n
    p, direction = float(scipy.stats.chi2.sf(statistic, 1)), int(np.sign(only_a - only_b))
    note = "" if n >= MIN_CHI2 else f"with n below {MIN_CHI2} prefer the exact form"
    return SignificanceResult(
        name, "accuracy", statistic, n, p, only_a, direction=direction, note=note
    )


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
    return _two_proportions("p-test", counts, measure, alternative)


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
    return _two_proportions("Welch t-test", counts, measure, alternative)


def _two_proportions(test: str, counts: Any, measure: Any, alternative: str) -> SignificanceResult:
    check_alternative(alternative)
    cells = PROPORTIONS[check_choice("measure", measure, PROPORTIONS)]
    pooled = confusion_of(counts).sum(axis=1)
    (k_a, k_b), (n_a, n_b) = (pooled[:, list(cell)].sum(axis=1).tolist() for cell in cells)
    n, welch = n_a + n_b, test != "p-test"
    statistic, p, direction, note = nan, nan, 0, ""
    if not n_a or not n_b:
        note = f"{'B' if n_a else 'A'} has no trial that {measure} counts"
    elif welch and min(n_a, n_b) < 2:
        note = "there must be two trials of each at least"
    elif k_a + k_b in (0, n):
        statistic, p = 0.0, 1.0
        note = f"both are {'always' if k_a else 'never'} right, so that nothing varies"
    elif welch and k_a in (0, n_a) and k_b in (0, n_b):
        note = "one is always right and the other never, so that nothing varies"
    else:
        share, difference = (k_a + k_b) / n, k_a / n_a - k_b / n_b
        direction = int(np.sign(difference))
        side = one_tail(alternative, direction)
        if welch:
            statistic, p = map(float, welch_p((k_a, k_b), (n_a, n_b), side))
        else:
            statistic = difference / sqrt(share * (1 - share) * (1 / n_a + 1 / n_b))
            distribution = scipy.stats.norm if n > MAX_STUDENT else scipy.stats.t(n - 1)
            p = tail_probability(distribution, statistic, side)
    return SignificanceResult(test, measure, statistic, n, p, None, alternative, direction, note)


def welch_p(successes: Any, trials: Any, side: Any = "two-sided") -> tuple[Array, Array]:
    """Return Welch's t and p-values of proportions, of A and of B.

    Where neither system varies, p is 1 if both are alike and NaN if they are not.
    """
    trials = np.asarray(trials)
    with np.errstate(divide="ignore", invalid="ignore"):  # too few trials: NaN
        mean = successes / trials
        sd = np.sqrt(mean * (1 - mean) * trials / (trials - 1))
        t, p = scipy.stats.ttest_ind_from_stats(
            mean[0], sd[0], trials[0], mean[1], sd[1], trials[1], equal_var=False, alternative=side
        )
    constant = (sd == 0).all(axis=0)
    return np.asarray(t), np.where(constant, np.where(mean[0] == mean[1], 1.0, nan), p)


def label_columns(data: Data) -> dict[str, list[float]]:
    """Return the two-sided p-values of s-test and Welch's t-test of accuracy, by category."""
    confusion = confusion_of(data)
    _, welch = welch_p(confusion[..., [0, 3]].sum(axis=-1), confusion.sum(axis=-1))
    signs = np.full(len(welch), nan)
    if data.paired:
        only_a, only_b = only_right(data)
        fewer, n = np.minimum(only_a, only_b), only_a + only_b
        both_tails = np.minimum(1.0, 2 * scipy.special.bdtr(fewer, n, 0.5))
        signs = np.where(2 * fewer == n, 1.0, both_tails)
    return {"sign_test": signs.tolist(), "t_test": welch.tolist()}


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
    check_alternative(alternative, approximation)
    direction = int(np.sign(2 * k - n))
    side = one_tail(alternative, direction)
    statistic, p = float(k), 1.0
    if approximation and n > MAX_EXACT:
        statistic = (k - 0.5 * n) / (0.5 * sqrt(n))
        p = tail_probability(scipy.stats.norm, statistic, side)
    elif n:
        p = float(scipy.stats.binomtest(k, n, alternative=side).pvalue)
    else:
        note = "A and B never differ, so that there is nothing against their being equal"
    return SignificanceResult(test, measure, statistic, n, p, k, alternative, direction, note)


def only_right(counts: Any) -> tuple[Counts, Counts]:
    """Count, category by category, how often only A and how often only B is right."""
    pairs = two_systems(counts)
    if not isinstance(pairs, PairedCounts):
        raise InputError(
            "Sign tests need both systems on the same documents: pass PairedCounts, not "
            "UnpairedCounts."
        )
    return pairs.pos[:, 1] + pairs.neg[:, 2], pairs.pos[:, 2] + pairs.neg[:, 1]


def two_systems(counts: Any) -> Data:
    """Read counts of two systems; those of classes become one against the rest."""
    if not isinstance(counts, Data) or counts.cells is None or len(counts.systems) != 2:
        raise invalid("counts", "PairedCounts or UnpairedCounts", type(counts).__name__)
    return counts.one_vs_rest()


def confusion_of(counts: Any) -> Counts:
    """Return the observed tp, fp, fn, tn of both systems (system, category, 4)."""
    confusion = two_systems(counts).cells
    assert confusion is not None
    return confusion
