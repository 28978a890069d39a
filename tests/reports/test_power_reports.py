"""The studies in reports/validation: small ones are run again, kept tables are checked."""

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, module

verdicts = module("validation.verdicts")


@pytest.fixture(scope="module")
def kept():
    return pd.read_csv(REPORTS / "validation/verdicts.csv")


def test_scenarios_have_the_difference_they_are_made_for():
    for mu, correlation, delta in [(0.5, 0.0, 0.04), (0.1, 0.5, 0.1)]:
        scenario = verdicts.scenario_with(mu, correlation, delta)
        assert scenario.delta("f1") == pytest.approx(delta, abs=1e-9)
        assert scenario.correlation == pytest.approx((correlation, correlation), abs=1e-6)


def test_a_cell_of_the_study_can_be_run_again(kept):
    row = verdicts.judge_cell((0, 0.5, 0.5, 0.1, 2000, 150))
    asked = "mu == 0.5 and correlation == 0.5 and delta == 0.1 and n == 2000"
    before = kept.query(asked).iloc[0]
    for name in (*verdicts.DECISIONS, "coverage", "sign_test_rejects", "t_test_rejects"):
        assert row[name] == pytest.approx(before[name], abs=0.16)


def test_intervals_hold_the_truth_as_often_as_they_say(kept):
    error = np.sqrt(0.95 * 0.05 / kept.n_simulations)
    assert kept.coverage.mean() == pytest.approx(0.95, abs=0.01)
    assert ((kept.coverage - 0.95).abs() < 5 * error).mean() > 0.9


def test_settled_verdicts_are_seldom_wrong_and_hardly_ever_to_the_wrong_side(kept):
    rates = kept[verdicts.DECISIONS]
    np.testing.assert_allclose(rates.sum(axis=1), 1, atol=1e-4)
    assert kept.wrong.max() < 0.1
    assert kept.wrong_direction.max() < 0.01
    np.testing.assert_allclose(kept.right + kept.wrong + kept["<"] + kept[">"], 1, atol=1e-4)


def test_tests_keep_their_level_where_there_is_no_difference(kept):
    same = kept[kept.delta == 0]
    assert same.sign_test_rejects.max() < 0.08
    assert same.t_test_rejects.max() < 0.08
