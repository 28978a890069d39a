import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics as sk

from stanoff import InputError, Scenario, compare_counts
from stanoff.planning.scenario import phi_bounds

RATE = st.floats(0.01, 0.99)


def test_the_scenarios_of_the_paper_are_as_printed():
    a, b = Scenario.named("a"), Scenario.named("b")
    assert a.psi("f1") == pytest.approx((0.6, 0.5))
    assert b.psi("f1") == pytest.approx((0.5, 0.5))
    assert (a.name, b.name) == ("a", "b")


def test_given_the_class_the_classifiers_of_scenario_a_are_independent():
    assert Scenario.named("a").correlation == pytest.approx((0, 0), abs=1e-12)
    assert Scenario.named("b").correlation == pytest.approx((0.2, 0.2))


def test_the_truth_is_what_scikit_learn_computes_on_the_documents_of_a_scenario():
    scenario = Scenario(0.25, (0.6, 0.2, 0.1, 0.1), (0.1, 0.2, 0.3, 0.4))
    n = np.round(scenario.probabilities * 400).astype(int)
    truth = np.repeat([1, 1, 1, 1, 0, 0, 0, 0], n)
    said = {"A": [1, 1, 0, 0] * 2, "B": [1, 0, 1, 0] * 2}
    for name, score in (("f1", sk.f1_score), ("mcc", sk.matthews_corrcoef)):
        a, b = (score(truth, np.repeat(said[who], n)) for who in "AB")
        assert scenario.delta(name) == pytest.approx(a - b)
    assert scenario.delta("error") == pytest.approx(-scenario.delta("accuracy"))
    assert scenario.delta("f1", beta=0) == pytest.approx(scenario.delta("precision"))


@given(RATE, RATE, st.floats(0, 1))
@example(0.5273496943764949, 0.5273496943764949, 1.0)  # where rounding leads beyond 1
def test_rates_and_correlation_come_back(a, b, share):
    low, high = phi_bounds(a, b)
    phi = min(low + share * (high - low), high)
    scenario = Scenario.from_rates(0.3, rho_pos=(a, b), rho_neg=(b, a), correlation=phi)
    assert scenario.rho_pos == pytest.approx((a, b))
    assert scenario.rho_neg == pytest.approx((b, a))
    assert scenario.correlation == pytest.approx((phi, phi), abs=1e-6)


def test_a_correlation_per_class():
    scenario = Scenario.from_rates(
        0.3, rho_pos=(0.8, 0.7), rho_neg=(0.1, 0.1), correlation=(0.5, -0.1)
    )
    assert scenario.correlation == pytest.approx((0.5, -0.1))


def test_an_impossible_correlation_is_told_with_what_is_possible():
    with pytest.raises(InputError, match=r"from -0\.1667 to 0\.6667 where A and B .* Got 0\.9"):
        Scenario.from_rates(0.5, rho_pos=(0.9, 0.8), rho_neg=(0.5, 0.5), correlation=0.9)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"mu": 0}, "'mu' parameter must be a number between 0 and 1"),
        ({"mu": True}, "'mu'"),
        ({"mu": float("nan")}, "'mu'"),
        ({"theta_pos": (0.5, 0.5, 0.5, 0)}, "'theta_pos' parameter must be four probabilities"),
        ({"theta_pos": (1.5, -0.5, 0, 0)}, "'theta_pos'"),
        ({"theta_neg": (0.5, 0.5)}, "'theta_neg'"),
        ({"theta_neg": "abcd"}, "'theta_neg'"),
        ({"name": 7}, "'name'"),
    ],
)
def test_a_scenario_that_cannot_be_is_refused(change, told):
    good = {"mu": 0.5, "theta_pos": (0.25,) * 4, "theta_neg": [0.25] * 4}
    assert Scenario(**good).theta_neg == (0.25,) * 4
    with pytest.raises(InputError, match=told):
        Scenario(**good | change)


@pytest.mark.parametrize(
    "change", [{"rho_pos": (1.2, 0.5)}, {"rho_neg": 0.5}, {"correlation": 2}, {"correlation": "x"}]
)
def test_rates_that_cannot_be_are_refused(change):
    good = {"rho_pos": (0.7, 0.6), "rho_neg": (0.1, 0.1), "correlation": 0.2}
    with pytest.raises(InputError, match=next(iter(change))):
        Scenario.from_rates(0.5, **good | change)


def test_an_unknown_scenario_is_refused():
    with pytest.raises(InputError, match="must be one of a, b"):
        Scenario.named("c")


@pytest.mark.parametrize("logits", [-30, -1, 0, 0.5, 30])
def test_making_a_better_moves_a_alone(logits):
    base = Scenario.from_rates(0.3, rho_pos=(0.8, 0.7), rho_neg=(0.1, 0.2), correlation=0.4)
    moved = base.shift_a(logits)
    assert moved.mu == base.mu
    assert moved.psi("f1")[1] == pytest.approx(base.psi("f1")[1])
    assert np.sign(round(moved.delta("f1") - base.delta("f1"), 12)) == np.sign(logits)
    if abs(logits) < 1:
        assert moved.correlation == pytest.approx(base.correlation, abs=0.03)


def test_the_scenario_of_a_result_is_its_posterior_mean():
    pos, neg = np.array([310, 25, 20, 43]), np.array([40, 30, 25, 7039])
    exact = {"engine": "exact", "seed": 1}
    scenario = compare_counts(pos, neg, **exact).scenario()
    assert scenario.mu == pytest.approx((398 + 1) / (7532 + 2), rel=1e-2)
    np.testing.assert_allclose(scenario.theta_pos, (pos + 1) / (398 + 4), rtol=0.02)
    unpaired = compare_counts(pos, neg, model="unpaired", **exact).scenario()
    np.testing.assert_allclose(unpaired.theta_pos, (pos + 1) / (398 + 4))


def test_the_scenario_of_two_test_sets_has_independent_classifiers():
    a, b = [60, 10, 40, 90], [75, 30, 25, 170]
    scenario = compare_counts(a=a, b=b, engine="exact", seed=1).scenario()
    assert scenario.rho_pos == pytest.approx((61 / 102, 76 / 102))
    assert scenario.mu == pytest.approx(201 / 502)
    assert scenario.correlation == pytest.approx((0, 0), abs=1e-9)


def test_of_several_categories_one_must_be_named():
    pos, neg = [[30, 5, 4, 10], [3, 15, 4, 1]], [[3, 5, 4, 100]] * 2
    result = compare_counts(
        pos, neg, categories=["x", "y"], average="macro", engine="exact", seed=1, draws=1000
    )
    assert result.scenario("y").theta_pos[1] == pytest.approx(16 / 27, abs=0.02)
    with pytest.raises(InputError, match=r"no plan for an average.* one of x, y"):
        result.scenario()
    with pytest.raises(InputError, match=r"no plan for an average.* one of x, y"):
        result.plan("macro")
    with pytest.raises(InputError, match="must be one of x, y"):
        result.scenario("z")
