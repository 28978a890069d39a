"""Plans for AUC: scenarios of two AUCs, power, numbers of documents, more documents."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn.metrics import roc_auc_score

from stanoff import AucScenario, InputError, Prior, Scenario, compare, count, plan, power
from stanoff.cli import main
from stanoff.planning.simulate import MAX_SCORED, auc_moments, draw_auc_posteriors, draw_scores
from stanoff.significance import delong_test

SCENARIO = AucScenario(0.85, 0.75, correlation=0.5, positives=0.3, name="pilot")


def simulated(n, rng, auc_a=0.85, auc_b=0.75, correlation=0.5, positives=0.3):
    """Documents by hand: binormal scores by SciPy."""
    y = (rng.random(n) < positives).astype(int)
    shift = np.sqrt(2) * stats.norm.ppf([auc_a, auc_b])
    noise = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n)
    return y, *(noise + y[:, None] * shift).T


def test_a_scenario_has_the_aucs_and_the_correlation_it_says():
    pos, neg = draw_scores(SCENARIO, MAX_SCORED, np.random.default_rng(1))
    truth = np.repeat([1, 0], [pos.shape[1], neg.shape[1]])
    for auc, row in zip(SCENARIO.psi(), np.concatenate([pos, neg], axis=1), strict=True):
        assert roc_auc_score(truth, row) == pytest.approx(auc, abs=0.025)  # 4 standard errors
    assert np.corrcoef(pos)[0, 1] == pytest.approx(0.5, abs=0.08)
    assert pos.shape[1] / MAX_SCORED == pytest.approx(0.3, abs=0.03)
    assert SCENARIO.shift_a(0.5).delta() > SCENARIO.delta() == pytest.approx(0.1)
    assert "The AUC of A is 0.850, that of B 0.750, the difference +0.100" in " ".join(
        repr(SCENARIO).split()
    )


@pytest.mark.parametrize(("n", "error"), [(40, 0.06), (500, 0.03)])
def test_the_quick_posterior_is_that_of_the_weights_model_and_of_delong(n, error):
    rng = np.random.default_rng(n)
    for _ in range(3):
        y, a, b = simulated(n, rng, positives=0.5)
        result = compare(y, a, b, measure="auc", draws=8000, seed=1)
        said, scores = result.evidence(), np.array([a, b])
        mean, std = auc_moments(scores[:, y == 1], scores[:, y == 0], Prior())
        assert mean == pytest.approx(said.mean, abs=4 * said.std / np.sqrt(8000))
        assert std == pytest.approx(said.std, rel=error)
        if n >= 200:
            assert std == pytest.approx(delong_test(result.data).error, rel=0.03)


def test_perfect_separation_is_not_certain():
    rng = np.random.default_rng(1)
    pos, neg = rng.random((2, 8)) + 1, rng.random((2, 8))
    mean, std = auc_moments(pos, neg, Prior())
    y = np.repeat([1, 0], 8)
    said = compare(y, *np.concatenate([pos, neg], axis=1), measure="auc", seed=1).evidence()
    assert said.observed_A == said.observed_B == 1
    assert abs(mean - said.mean) < 4 * said.std / np.sqrt(4000)
    assert std == pytest.approx(said.std, rel=0.15)
    assert auc_moments(pos[:, :0], neg, Prior()) == (0.0, np.inf)


def test_power_is_what_comparing_simulated_data_sets_gives():
    table = power(SCENARIO, 150, rope=0.02, n_simulations=2000, seed=1)
    rng, sets = np.random.default_rng(3), 120
    reached = [
        compare(*simulated(150, rng), measure="auc", rope=0.02, draws=400, seed=i).decision == ">>"
        for i in range(sets)
    ]
    rate = float(table.power[0])
    assert table[["model", "goal"]].to_numpy().tolist() == [["bootstrap", ">>"]]
    assert 0.2 < rate < 0.8
    assert abs(np.mean(reached) - rate) < 3 * np.sqrt(rate * (1 - rate) / sets) + 0.02


def test_large_test_sets_are_drawn_as_they_would_come_out():
    """Their difference spreads as DeLong's variance of a large sample says."""
    rng = np.random.default_rng(1)
    posterior = draw_auc_posteriors(SCENARIO, 8 * MAX_SCORED, Prior(), 100, rng)
    mean, std = posterior.loc, posterior.scale
    y, a, b = simulated(8 * MAX_SCORED, np.random.default_rng(2))
    outcome = delong_test(compare(y, a, b, measure="auc", draws=4, seed=1).data)
    assert std.mean() == pytest.approx(outcome.error, rel=0.03)
    assert mean.std() == pytest.approx(outcome.error, rel=0.25)
    assert mean.mean() == pytest.approx(0.1, abs=4 * outcome.error / 10)


def test_plans_for_documents_and_for_a_difference():
    quick = {"rope": 0.02, "n_simulations": 200, "seed": 1}
    answer = plan(SCENARIO, **quick)
    assert "give the bootstrap model an 80 % chance of deciding A ≫ B" in str(answer)
    assert "if scenario pilot is true, with a difference in AUC of +0.1" in str(answer)
    n = int(answer.answer.value)
    assert power(SCENARIO, n, **quick).power[0] == pytest.approx(0.8, abs=0.08)
    other = plan(SCENARIO, n, **quick)
    assert other.answer.value == pytest.approx(0.1, abs=0.015)
    # twice as alike: fewer documents
    alike = AucScenario(0.85, 0.75, correlation=0.9, positives=0.3)
    assert plan(alike, **quick).answer.value < 0.7 * n


def test_more_documents_settle_a_comparison_as_futures_by_hand_say():
    rng = np.random.default_rng(4)
    y, a, b = simulated(200, rng)
    result = compare(y, a, b, measure="auc", rope=0.05, seed=1)
    answer = result.plan(goal=">>", assurance=0.5)
    more = int(answer.answer.value)
    assert "more documents give the bootstrap model a 50 % chance of A ≫ B" in str(answer)
    assert more > 20
    rng = np.random.default_rng(77)
    reached, futures = 0, 250
    for _ in range(futures):  # documents as the weighted ones are, after those at hand; DeLong
        which = np.r_[:200, rng.choice(200, more, p=rng.dirichlet(np.ones(200)))]
        data = count(y[which], a[which], b[which], kind="scores")
        reached += delong_test(data).interval[0] >= 0.05
    assert abs(reached / futures - 0.5) < 3 * np.sqrt(0.25 / futures) + 0.02
    assert "no more documents are needed" in str(result.judge(rope=0.001).plan())


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: AucScenario(1.2, 0.8, 0.5), "'auc_a' parameter must be"),
        (lambda: AucScenario(0.9, 0.8, 1.5), "'correlation' parameter must be a number from -1"),
        (lambda: AucScenario(0.9, 0.8, 0.5, positives=0), "'positives' parameter must be"),
        (lambda: power(SCENARIO, 100, measure="f1"), "'measure' parameter must be 'auc'"),
        (lambda: power(SCENARIO, 100, model="paired"), "'model' parameter must be 'bootstrap'"),
        (lambda: power(SCENARIO, 100, same_documents=False), "both score the same documents"),
        (lambda: power([SCENARIO, Scenario.named("a")], 100), "pass one kind"),
        (lambda: power("a", 100, measure="auc"), "for AUC pass a stanoff.AucScenario"),
        (lambda: plan(AucScenario(0.85, 0.8, 0.5)), "an edge of the ROPE"),
    ],
)
def test_what_cannot_be_planned_is_told(call, told):
    with pytest.raises(InputError, match=told):
        call()


def test_command_line(tmp_path):
    aucs = "--auc-a 0.85 --auc-b 0.75 --correlation 0.5 --positives 0.3 --rope 0.02 --seed 1"
    run = CliRunner().invoke(main, f"power 50 400 {aucs} --simulations 100 --format csv".split())
    assert run.exit_code == 0, run.output
    rows = [line.split(",") for line in run.stdout.splitlines()]
    assert rows[1][1] == "bootstrap"
    assert float(rows[1][4]) < float(rows[2][4])
    run = CliRunner().invoke(main, f"plan {aucs} --simulations 100".split())
    assert "give the bootstrap model an 80 % chance" in " ".join(run.stdout.split()), run.output
    run = CliRunner().invoke(main, ["plan", "--auc-a", "0.9"])
    assert "needs --auc-b" in run.stderr
    run = CliRunner().invoke(main, f"plan --scenario a {aucs}".split())
    assert "either AUCs or a scenario of labels" in run.stderr
    y, a, b = simulated(200, np.random.default_rng(4))
    pd.DataFrame({"y": y, "svm": a, "nb": b}).to_csv(tmp_path / "scores.csv")
    asked = "--truth y --a svm --b nb --measure auc --rope 0.02 --seed 1 --assurance 0.5"
    run = CliRunner().invoke(main, ["plan", str(tmp_path / "scores.csv"), *asked.split()])
    assert "svm" in run.stdout, run.output
    assert "more documents" in " ".join(run.stdout.split())
