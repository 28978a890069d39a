"""The micro tests, against SciPy, hand-worked examples and the printed p-values of two papers."""

from math import isnan, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stanoff import count
from stanoff import significance as sig
from stanoff.data.types import ConfusionCounts, PairedCounts, UnpairedCounts
from stanoff.errors import InputError

TOP = Path(__file__).parents[2]
PREDICTIONS = TOP / "reports/zhang2016/predictions.csv"
PRINTED = pd.read_csv(Path(__file__).parents[1] / "stored/zhang2016_tests.csv")
PAIRS = {4: ("nb_bern", "nb_mult"), 5: ("svm_l1", "svm_l2"), 6: ("nb_mult", "svm_l2")}


def counts(pos, neg):
    return PairedCounts(("1",), np.array([pos]), np.array([neg]))


def differing(k, n):
    """Counts with n decisions on which one of the two is right, k of them A."""
    return counts([20, k, n - k, 4], [3, 0, 0, 70])


def swapped(c):
    return PairedCounts(c.categories, c.pos[:, [0, 2, 1, 3]], c.neg[:, [0, 2, 1, 3]])


cells = st.lists(st.integers(0, 60), min_size=4, max_size=4)
any_counts = st.builds(counts, cells, cells)


@pytest.mark.parametrize(
    ("table", "sign", "t"), [(4, 20, 20), (5, 12, 14), (6, 20, 20)], ids="Table {}".format
)
def test_the_printed_p_values_of_zhang2016_come_out(table, sign, t):
    a, b = PAIRS[table]
    found = sig.columns(count(PREDICTIONS, truth="truth", a=a, b=b, average="macro"))
    printed = PRINTED[PRINTED["table"] == table]
    agree = {
        name: sum(f"{x:.3f}" == f"{y:.3f}" for x, y in zip(found[name], printed[name], strict=True))
        for name in ("sign_test", "t_test")
    }
    # Table 5 compares with SVM_L1, whose solver is random.
    assert agree == {"sign_test": sign, "t_test": t}


def test_the_columns_are_those_of_scipy_on_the_labels():
    rng = np.random.default_rng(1)
    truth, a, b = rng.integers(0, 4, (3, 300))
    found = sig.columns(count(truth, a, b, average="macro"))
    for k in range(4):
        right_a, right_b = ((x == k) == (truth == k) for x in (a, b))
        welch = stats.ttest_ind(right_a.astype(float), right_b.astype(float), equal_var=False)
        assert found["t_test"][k] == pytest.approx(welch.pvalue)
        only_a, only_b = int(np.sum(right_a & ~right_b)), int(np.sum(right_b & ~right_a))
        exact = stats.binomtest(only_a, only_a + only_b).pvalue
        assert found["sign_test"][k] == pytest.approx(exact)


def test_unpaired_counts_have_no_sign_test_column():
    unpaired = differing(8, 10).unpaired()
    found = sig.columns(unpaired)
    assert isnan(found["sign_test"][0])
    assert found["t_test"] == sig.columns(differing(8, 10))["t_test"]
    with pytest.raises(InputError, match="same documents"):
        sig.sign_test(unpaired)


def test_the_sign_test_is_the_binomial_sum_of_the_paper():
    # P(Z >= 9) of Bin(10, 0.5) is (10 + 1) / 2^10.
    one = sig.sign_test(differing(9, 10), alternative="one-sided")
    assert (one.n, one.k, one.p_value) == (10, 9, pytest.approx(11 / 1024))
    assert one.symbol == ">"
    other = sig.sign_test(differing(1, 10), alternative="one-sided")
    assert (other.p_value, other.symbol) == (pytest.approx(11 / 1024), "<")
    assert sig.sign_test(differing(9, 10)).p_value == pytest.approx(22 / 1024)
    assert sig.sign_test(differing(9, 10), alternative="less").p_value == pytest.approx(1023 / 1024)


def test_the_approximation_is_exact_up_to_twelve_and_normal_above():
    twelve, thirteen = differing(10, 12), differing(10, 13)
    options = {"alternative": "one-sided"}
    assert sig.sign_test(twelve, approximation="yang1999", **options) == sig.sign_test(
        twelve, **options
    )
    normal = sig.sign_test(thirteen, approximation="yang1999", **options)
    z = (10 - 6.5) / (0.5 * sqrt(13))
    assert normal.statistic == pytest.approx(z)
    assert normal.p_value == pytest.approx(stats.norm.sf(z))
    assert sig.sign_test(thirteen, **options).p_value == pytest.approx(stats.binom.sf(9, 13, 0.5))


def test_the_proportion_test_is_the_pooled_z_of_the_paper():
    both = UnpairedCounts(("1",), np.array([[80, 10, 20, 90]]), np.array([[60, 15, 40, 85]]))
    for measure, (k_a, n_a), (k_b, n_b) in [
        ("recall", (80, 100), (60, 100)),
        ("precision", (80, 90), (60, 75)),
        ("accuracy", (170, 200), (145, 200)),
    ]:
        p = (k_a + k_b) / (n_a + n_b)
        z = (k_a / n_a - k_b / n_b) / sqrt(p * (1 - p) * (1 / n_a + 1 / n_b))
        found = sig.proportion_test(both, measure)
        assert found.statistic == pytest.approx(z)
        assert found.p_value == pytest.approx(2 * stats.norm.sf(z))
        table = [[k_a, n_a - k_a], [k_b, n_b - k_b]]
        assert found.p_value == pytest.approx(
            stats.chi2_contingency(table, correction=False).pvalue
        )
    error, accuracy = (sig.proportion_test(both, m) for m in ("error", "accuracy"))
    assert (error.p_value, error.direction) == (accuracy.p_value, 1)


def test_small_samples_take_the_t_distribution():
    small = UnpairedCounts(("1",), np.array([[15, 0, 5, 0]]), np.array([[8, 0, 12, 0]]))
    found = sig.proportion_test(small, "recall", alternative="greater")
    assert found.n == 40
    assert found.p_value == pytest.approx(stats.t.sf(found.statistic, 39))
    more = UnpairedCounts(("1",), np.array([[15, 0, 5, 0]]), np.array([[8, 0, 13, 0]]))
    found = sig.proportion_test(more, "recall", alternative="greater")
    assert found.p_value == pytest.approx(stats.norm.sf(found.statistic))


def test_categories_are_pooled():
    two = PairedCounts(
        ("x", "y"), np.array([[9, 3, 1, 2], [5, 4, 2, 1]]), np.array([[1, 2, 3, 40], [0, 1, 5, 45]])
    )
    one = counts([14, 7, 3, 3], [1, 3, 8, 85])
    assert sig.sign_test(two) == sig.sign_test(one)
    assert sig.sign_test(two).n == 21
    assert sig.proportion_test(two, "precision") == sig.proportion_test(one, "precision")


def test_mcnemar_knows_the_textbook_example():
    # Agresti's approval ratings: 150 and 86 changed their minds.
    ratings = counts([794, 150, 86, 570], [0, 0, 0, 0])
    plain = sig.mcnemar_test(ratings, method="chi2", correction=False)
    assert plain.statistic == pytest.approx((150 - 86) ** 2 / 236)
    assert plain.p_value == pytest.approx(stats.chi2.sf(17.3559, 1), rel=1e-4)
    corrected = sig.mcnemar_test(ratings, method="chi2")
    assert corrected.statistic == pytest.approx(63**2 / 236)
    assert sig.mcnemar_test(ratings).p_value == sig.sign_test(ratings).p_value
    assert "prefer the exact" in sig.mcnemar_test(differing(9, 10), method="chi2").note
    with pytest.raises(InputError, match=r"'method'"):
        sig.mcnemar_test(ratings, method="chi")


@settings(deadline=None, max_examples=60)
@given(any_counts, st.sampled_from(["two-sided", "one-sided"]))
def test_swapping_a_and_b_turns_the_sign_and_keeps_the_p_value(c, alternative):
    tests = [
        lambda x: sig.sign_test(x, alternative=alternative),
        lambda x: sig.sign_test(x, alternative=alternative, approximation="yang1999"),
        lambda x: sig.mcnemar_test(x, method="chi2"),
        lambda x: sig.welch_test(x, alternative=alternative),
        *(
            lambda x, m=m: sig.proportion_test(x, m, alternative=alternative)
            for m in ("recall", "precision", "accuracy", "error")
        ),
    ]
    for test in tests:
        ab, ba = test(c), test(swapped(c))
        assert ab.p_value == pytest.approx(ba.p_value, nan_ok=True)
        assert ab.direction == -ba.direction
        assert 0 <= ab.p_value <= 1 or (isnan(ab.p_value) and ab.note)


@settings(deadline=None, max_examples=60)
@given(any_counts)
def test_the_two_sides_of_a_test_together_are_certain(c):
    for test in (sig.proportion_test, sig.welch_test):
        less, greater = (test(c, alternative=side) for side in ("less", "greater"))
        if less.note:
            continue
        assert less.p_value + greater.p_value == pytest.approx(1)
        both = test(c).p_value
        assert both == pytest.approx(2 * min(less.p_value, greater.p_value))


def test_what_cannot_be_tested_says_so():
    agree = counts([5, 0, 0, 1], [0, 0, 0, 9])
    nothing = sig.sign_test(agree)
    assert (nothing.p_value, nothing.symbol) == (1.0, "~")
    assert "never differ" in str(nothing)
    assert sig.mcnemar_test(agree, method="chi2").p_value == 1.0
    silent = counts([0, 0, 4, 4], [0, 0, 1, 9])
    precision = sig.proportion_test(silent, "precision")
    assert isnan(precision.p_value)
    assert "A has no trial" in str(precision)
    assert "cannot be done" in str(precision)
    perfect = counts([5, 0, 0, 0], [0, 0, 0, 9])
    for test in (sig.proportion_test, sig.welch_test):
        assert test(perfect).p_value == 1.0
        assert "always right" in test(perfect).note
        assert isnan(test(counts([0] * 4, [0] * 4)).p_value)
    opposite = counts([0, 5, 0, 0], [0, 0, 9, 0])
    assert isnan(sig.welch_test(opposite).p_value)
    single = counts([0, 1, 0, 0], [0, 0, 0, 0])
    assert "two trials" in sig.welch_test(single).note


@pytest.mark.parametrize(
    ("p", "direction", "symbol"),
    [
        (0.01, 1, ">>"),
        (0.0101, 1, ">"),
        (0.05, -1, "<"),
        (0.0501, -1, "~"),
        (0.001, -1, "<<"),
        (0.001, 0, "!="),
        (float("nan"), 1, "~"),
    ],
)
def test_the_sign_follows_the_limits_of_the_paper(p, direction, symbol):
    assert sig.SignificanceResult("x", "F1", 1.0, 9, p, direction=direction).symbol == symbol


def test_wrong_options_are_refused():
    c = differing(9, 10)
    with pytest.raises(InputError, match=r"'alternative'.*two-sided"):
        sig.sign_test(c, alternative="both")
    with pytest.raises(InputError, match=r"'approximation'.*yang1999"):
        sig.sign_test(c, approximation="normal")
    with pytest.raises(InputError, match=r"'measure'.*'recal'.*mean 'recall'"):
        sig.proportion_test(c, "recal")
    with pytest.raises(InputError, match=r"'counts'.*PairedCounts"):
        sig.sign_test([[1, 2, 3, 4]])


def test_counts_of_classes_are_taken_one_against_the_rest():
    labels = ([0, 1, 2, 1, 0, 2, 1], [0, 1, 1, 1, 0, 2, 0], [0, 2, 2, 1, 1, 2, 1])
    classes = count(*labels, average="macro")
    assert isinstance(classes, ConfusionCounts)
    each = [count(*labels, pos_label=k) for k in range(3)]
    pos, neg = (np.concatenate([getattr(one, kind) for one in each]) for kind in ("pos", "neg"))
    pairs = PairedCounts(("0", "1", "2"), pos, neg)
    assert sig.columns(classes) == sig.columns(pairs)
    assert [str(x) for x in sig.all_tests(classes)] == [str(x) for x in sig.all_tests(pairs)]


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
def test_columns_are_the_tests_of_each_category(rows):
    together = PairedCounts(tuple(map(str, range(len(rows)))), *np.array(rows).swapaxes(0, 1))
    found = sig.columns(together)
    each = [counts(pos, neg) for pos, neg in rows]
    np.testing.assert_allclose(found["sign_test"], [sig.sign_test(c).p_value for c in each])
    np.testing.assert_allclose(found["t_test"], [sig.welch_test(c).p_value for c in each])
