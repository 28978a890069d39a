"""Tests of values per item against SciPy and against all exchanges."""

import itertools

import numpy as np
import pytest
from scipy import stats

from stanoff import InputError, PairedCounts, compare
from stanoff.significance import (
    all_tests,
    anova_test,
    columns,
    friedman_test,
    item_tests,
    macro_t_test,
    proportion_test,
    sign_test,
    table,
    welch_test,
)

A = np.array([0.61, 0.42, 0.77, 0.3, 0.55, 0.49, 0.88, 0.12, 0.7])
B = np.array([0.5, 0.4, 0.7, 0.35, 0.5, 0.4, 0.8, 0.1, 0.5])
LABELS = PairedCounts(("x", "y"), [[30, 8, 1, 3]] * 2, [[2, 0, 1, 55]] * 2)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_tests_are_those_of_scipy(alternative):
    t, wilcoxon, sign, shuffled = item_tests(A, B, alternative=alternative)
    assert t.p_value == pytest.approx(stats.ttest_rel(A, B, alternative=alternative).pvalue)
    assert wilcoxon.p_value == pytest.approx(
        stats.wilcoxon(np.round(A - B, 12), alternative=alternative).pvalue
    )
    assert sign.p_value == pytest.approx(stats.binomtest(8, 9, alternative=alternative).pvalue)
    d = A - B
    every = np.array([np.mean(d * signs) for signs in itertools.product((1, -1), repeat=9)])
    mean = d.mean()
    far = {"two-sided": np.abs(every) >= abs(mean) - 1e-12, "greater": every >= mean - 1e-12}
    far["less"] = every <= mean + 1e-12
    p = far[alternative].mean()
    assert abs(shuffled.p_value - p) < 4 * np.sqrt(p * (1 - p) / 100_000) + 1e-5
    assert {outcome.direction for outcome in (t, sign, shuffled)} == {1}


def test_they_take_the_data_of_a_comparison():
    result = compare(A, B, measure="mean", seed=1)
    assert [o.p_value for o in item_tests(result.data)] == [o.p_value for o in item_tests(A, B)]
    columns = result.summary()
    assert columns["t_test"][0] == pytest.approx(stats.ttest_rel(A, B).pvalue)
    assert columns["sign_test"][0] == pytest.approx(stats.binomtest(8, 9).pvalue)
    # The two-sided p-value of the t-test is twice the smaller side of the posterior.
    said = result.evidence()
    assert 2 * min(said.p_less, said.p_greater) == pytest.approx(columns["t_test"][0])


def test_losses_turn_them_round():
    assert item_tests(A, B, higher_is_better=False)[0].direction == -1
    with pytest.raises(InputError, match="must be as long"):
        item_tests(A, B[:3])
    with pytest.raises(InputError, match="scores of B beside those of A"):
        item_tests(A)


def test_all_tests_of_values_are_those_of_items():
    data = compare(A, B, measure="mean", seed=1).data
    assert all_tests(data) == item_tests(data)
    losses = all_tests(data, higher_is_better=False)
    assert [test.direction for test in losses] == [-1] * 4


@pytest.mark.parametrize(
    "call",
    [
        lambda: all_tests([]),
        lambda: columns([]),
        lambda: table([3]),
        lambda: table(None),
        lambda: item_tests(A, "x"),
        lambda: item_tests(A, [10**400] * 9),
        lambda: item_tests(A, B, n_resamples=-1),
        lambda: item_tests(A, B, n_resamples=10**12),
        lambda: item_tests(A, B, n_resamples=None),
        lambda: item_tests(A, B, seed="x"),
        lambda: item_tests(A, B, higher_is_better=None),
        lambda: macro_t_test(A, B, measure=[]),
        lambda: macro_t_test([10**400], [1.0]),
        lambda: friedman_test([[10**400] * 3] * 2),
        lambda: anova_test([[]]),
        lambda: proportion_test(LABELS, measure=[]),
        lambda: welch_test(LABELS, measure={}),
        lambda: welch_test(LABELS, alternative=[]),
        lambda: sign_test(LABELS, approximation=[]),
        lambda: all_tests(LABELS, measure="auc", average="macro"),
        lambda: all_tests(LABELS, measure=[], average="macro"),
    ],
)
def test_bad_values_are_refused_by_one_sentence(call):
    with pytest.raises(InputError):
        call()
