"""The tests of scores per category, against SciPy and against each other."""

from math import isnan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stanoff import significance as sig
from stanoff.data.types import PairedCounts
from stanoff.errors import InputError

PAIRED = (sig.macro_sign_test, sig.macro_t_test, sig.macro_rank_test, sig.wilcoxon_test)
A = np.array([0.91, 0.85, 0.62, 0.40, 0.77, 0.30, 0.55, 0.20])
B = np.array([0.88, 0.86, 0.50, 0.31, 0.77, 0.10, 0.49, 0.28])

scores = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=30).map(
    lambda pairs: np.array(pairs) / 20
)


def test_the_t_test_is_that_of_scipy():
    for alternative in ("two-sided", "greater", "less"):
        found = sig.macro_t_test(A, B, alternative=alternative)
        assert found.p_value == pytest.approx(stats.ttest_rel(A, B, alternative=alternative).pvalue)
    assert found.n == 8
    assert found.note == "1 category ties and is kept"


def test_the_t_test_of_the_paper_leaves_ties_out_and_is_normal_beyond_forty():
    found = sig.macro_t_test(A, B, approximation="yang1999", alternative="one-sided")
    differ = A != B
    expected = stats.ttest_rel(A[differ], B[differ], alternative="greater")
    assert (found.n, found.p_value) == (7, pytest.approx(expected.pvalue))
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 41))
    many = sig.macro_t_test(a, b, approximation="yang1999")
    t = stats.ttest_rel(a, b).statistic
    assert many.p_value == pytest.approx(2 * stats.norm.sf(abs(t)))
    forty = sig.macro_t_test(a[:40], b[:40], approximation="yang1999")
    assert forty.p_value == pytest.approx(stats.ttest_rel(a[:40], b[:40]).pvalue)


def test_the_rank_test_is_a_t_test_of_pooled_ranks():
    # Pooled and sorted: 0.1 0.2 0.3 0.3 0.5 0.9, of which ranks 3 and 4 are shared.
    found = sig.macro_rank_test([0.9, 0.5, 0.3], [0.3, 0.1, 0.2])
    ranks = [6, 5, 3.5], [3.5, 1, 2]
    assert found.statistic == pytest.approx(stats.ttest_rel(*ranks).statistic)
    # Only the order of the scores matters.
    assert sig.macro_rank_test(A**3, B**3).p_value == pytest.approx(
        sig.macro_rank_test(A, B).p_value
    )


def test_the_macro_sign_test_counts_categories():
    found = sig.macro_sign_test(A, B, alternative="one-sided")
    assert (found.n, found.k) == (7, 5)
    assert found.p_value == pytest.approx(stats.binom.sf(4, 7, 0.5))
    assert found.note == "1 category ties and is left out"


def test_wilcoxon_is_that_of_scipy_without_ties():
    differ = A != B
    for alternative in ("two-sided", "greater", "less"):
        found = sig.wilcoxon_test(A, B, alternative=alternative)
        d = np.round(A - B, 12)[differ]
        assert found.p_value == pytest.approx(stats.wilcoxon(d, alternative=alternative).pvalue)
    assert found.direction == 1


def test_friedman_and_anova_compare_several():
    rng = np.random.default_rng(2)
    table = rng.random((30, 1)) + rng.normal(0, 0.1, (30, 4)) + [0, 0, 0, 0.2]
    found = sig.friedman_test(pd.DataFrame(table, columns=list("abcd")))
    assert found.p_value == pytest.approx(stats.friedmanchisquare(*table.T).pvalue)
    assert found.symbol == "!="
    assert ": significant differences, " in str(found)
    flat = sig.anova_test(table, paired=False)
    assert flat.p_value == pytest.approx(stats.f_oneway(*table.T).pvalue)
    assert sig.anova_test(table).p_value < flat.p_value  # the categories differ a lot
    two = sig.anova_test(np.stack([A, B], axis=1))
    t_test = sig.macro_t_test(A, B)
    assert two.statistic == pytest.approx(t_test.statistic**2)
    assert two.p_value == pytest.approx(t_test.p_value)


def test_repeated_measures_agree_with_a_worked_example():
    # Five subjects under three conditions; sums of squares worked by hand.
    table = np.array([[5.0, 6, 8], [4, 5, 9], [6, 6, 7], [3, 5, 8], [7, 8, 8]])
    total = ((table - table.mean()) ** 2).sum()
    blocks = 3 * ((table.mean(axis=1) - table.mean()) ** 2).sum()
    between = 5 * ((table.mean(axis=0) - table.mean()) ** 2).sum()
    statistic = (between / 2) / ((total - blocks - between) / 8)
    found = sig.anova_test(table)
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(stats.f.sf(statistic, 2, 8))


@settings(deadline=None, max_examples=60)
@given(scores, st.sampled_from(["two-sided", "one-sided"]))
def test_swapping_a_and_b_turns_the_sign_and_keeps_the_p_value(pairs, alternative):
    a, b = pairs.T
    # SciPy permutes the signs of up to 13 differences with ties, which takes seconds.
    slow = 7 < np.sum(a != b) <= 13
    for test in PAIRED[:3] if slow else PAIRED:
        for more in ({}, {"approximation": "yang1999"}):
            if test is sig.wilcoxon_test and more:
                continue
            ab, ba = (test(*x, alternative=alternative, **more) for x in ((a, b), (b, a)))
            assert ab.p_value == pytest.approx(ba.p_value, nan_ok=True)
            assert ab.direction == -ba.direction
            assert 0 <= ab.p_value <= 1 or (isnan(ab.p_value) and ab.note)


def test_counts_and_their_scores_say_the_same():
    rng = np.random.default_rng(3)
    counts = PairedCounts(tuple("vwxyz"), rng.integers(0, 30, (5, 4)), rng.integers(0, 60, (5, 4)))
    tp, fp, fn, _ = np.moveaxis(counts.cells, -1, 0)
    f1_a, f1_b = 2 * tp / (2 * tp + fp + fn)
    for test in PAIRED:
        assert test(counts) == test(f1_a, f1_b)
    error = sig.macro_t_test(counts, measure="error")
    accuracy = sig.macro_t_test(counts, measure="accuracy")
    assert (error.direction, error.p_value) == (accuracy.direction, pytest.approx(accuracy.p_value))


def test_ties_and_constant_differences_are_told():
    for test in PAIRED:
        tied = test([0.5, 0.7, 0.9], [0.5, 0.7, 0.9])
        assert tied.p_value == 1.0
        assert tied.note
    # 0.3 - 0.2 and 0.2 - 0.1 differ by a rounding error only.
    constant = sig.macro_t_test([0.3, 0.2], [0.2, 0.1])
    assert isnan(constant.p_value)
    assert "nothing varies" in constant.note
    assert "there is but one" in sig.macro_t_test([0.3], [0.2]).note
    assert "two categories" in sig.macro_t_test([0.3, 1], [0.2, 1], approximation="yang1999").note
    assert sig.friedman_test([[0.5] * 3, [0.7] * 3]).p_value == 1.0
    assert sig.anova_test([[0.5] * 2, [0.7] * 2]).p_value == 1.0
    assert isnan(sig.anova_test([[0.3, 0.2], [0.2, 0.1]]).p_value)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: sig.macro_t_test(A), "scores of B"),
        (lambda: sig.macro_t_test(A, B[:3]), "have 8 and 3"),
        (lambda: sig.macro_t_test(A, [*B[:7], np.nan]), "'b'.*finite.*nan"),
        (lambda: sig.macro_t_test(["x"], ["y"]), "'a'.*numbers"),
        (lambda: sig.macro_t_test(0.5, 0.6), "'a'.*one per category"),
        (lambda: sig.macro_t_test(A, B, alternative="up"), "'alternative'"),
        (lambda: sig.macro_sign_test(A, B, approximation="z"), "'approximation'"),
        (lambda: sig.wilcoxon_test(A, B, alternative="up"), "'alternative'"),
        (lambda: sig.friedman_test(np.stack([A, B], axis=1)), "'scores'.*3 classifiers"),
        (lambda: sig.anova_test([[0.1, np.inf], [0.2, 0.3]]), "'scores'.*finite.*inf"),
        (
            lambda: sig.macro_t_test(PairedCounts(("1",), [[1] * 4], [[1] * 4]), B),
            "Pass counts",
        ),
    ],
)
def test_wrong_scores_are_refused(call, match):
    with pytest.raises(InputError, match=match):
        call()


def test_an_infinite_score_is_said_and_does_not_stop_the_other_tests():
    counts = PairedCounts(("x", "y"), [[30, 8, 1, 3]] * 2, [[0, 0, 1, 55], [2, 3, 1, 55]])
    outcomes = {outcome.test: outcome for outcome in sig.all_tests(counts, measure="dor")}
    assert np.isnan(outcomes["T-test"].p_value)
    assert "dor is infinite in some category" in outcomes["T-test"].note
    assert outcomes["s-test"].p_value < 0.05
    with pytest.raises(InputError, match="dor is infinite in some category"):
        sig.macro_t_test(counts, measure="dor")
