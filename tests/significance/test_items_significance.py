"""Tests of values per item against SciPy and against all exchanges."""

import itertools

import numpy as np
import pytest
from scipy import stats

from stanoff import InputError, compare
from stanoff.significance import item_tests

A = np.array([0.61, 0.42, 0.77, 0.3, 0.55, 0.49, 0.88, 0.12, 0.7])
B = np.array([0.5, 0.4, 0.7, 0.35, 0.5, 0.4, 0.8, 0.1, 0.5])


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
    with pytest.raises(InputError, match="values of A and those of B"):
        item_tests(A)
