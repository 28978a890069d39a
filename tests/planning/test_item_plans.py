"""Plans for values per item, components of variance, populations and new categories."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stanoff import InputError, Prior, compare, compare_counts
from stanoff.inference.populations import new_category
from stanoff.measures import get


def topics(n, delta, sd, seed):
    rng = np.random.default_rng(seed)
    level = rng.random(n)
    return pd.DataFrame({"a": level + rng.normal(delta, sd, n), "b": level})


ASKED = {"a": "a", "b": "b", "measure": "mean", "seed": 1}


def test_more_items_as_many_as_a_simulation_of_comparisons_needs():
    """Futures by hand: true values from the posterior, whole new items, SciPy's interval."""
    frame = topics(40, 0.06, 0.2, 3)
    result = compare(frame, rope=0.01, **ASKED)
    plan = result.plan(goal=">>", assurance=0.5)
    more = int(plan.answer.value)
    assert more > 10
    d = (frame["a"] - frame["b"]).to_numpy()
    rng = np.random.default_rng(5)
    reached, futures = 0, 1500
    for _ in range(futures):
        variance = d.var(ddof=1) * 39 / rng.chisquare(39)
        true = rng.normal(d.mean(), np.sqrt(variance / 40))
        every = np.concatenate([d, rng.normal(true, np.sqrt(variance), more)])
        low, _ = stats.t(len(every) - 1, every.mean(), stats.sem(every)).interval(0.95)
        reached += low >= 0.01
    assert abs(reached / futures - 0.5) < 4 * np.sqrt(0.25 / futures) + 0.02  # and the plan's own
    assert "more items give the items model a 50 % chance of a ≫ b" in str(plan)
    assert plan.plot().get_xlabel() == "more items"
    assert plan.summary()["value"].tolist() == [more]


def test_what_cannot_be_reached_and_what_is():
    frame = topics(60, 0.0, 0.2, 4)
    result = compare(frame, rope=0.01, **ASKED)
    told = str(result.plan(goal=">>", assurance=0.9, most=1000))
    assert "No number of items gives a chance of 90 %" in told
    done = compare(topics(60, 0.5, 0.1, 4), rope=0.01, **ASKED).plan()
    assert "no more items are needed" in str(done)
    assert done.answer.value == 0
    with pytest.raises(InputError, match="under the items model with its flat prior"):
        compare(frame, prior=Prior(items=(1, 1, 1)), **ASKED).plan()


def answers(n, runs, items_sd, run_sd, seed):
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 1, n)
    true = np.stack([level + rng.normal(0.2, items_sd, n), level])
    values = true[..., None] + rng.normal(0, run_sd / np.sqrt(2), (2, n, runs))
    system, item, _ = np.indices(values.shape).reshape(3, -1)
    names = np.array(["a", "b"])[system]
    return pd.DataFrame({"q": item, "model": names, "value": values.reshape(-1)})


LONG = {"item": "q", "system": "model", "value": "value", "measure": "mean", "seed": 1}


def test_components_of_variance_come_back():
    result = compare(answers(2000, 4, 0.3, 0.8, 5), **LONG)
    found = result.components()
    assert found.items == pytest.approx(0.09, rel=0.12)
    assert found.runs == pytest.approx(0.64, rel=0.05)
    assert (found.n, found.each) == (2000, pytest.approx(4))
    assert found.std() == pytest.approx(result.evidence().std, rel=0.01)
    again = compare(answers(2000, 1, 0.3, 0.8, 6), **LONG)
    assert found.std(runs=1) == pytest.approx(again.evidence().std, rel=0.05)
    assert found.std(items=8000) == pytest.approx(found.std() / 2)
    told = str(found)
    share = found.runs / 4 / (found.items + found.runs / 4)
    assert share == pytest.approx(0.16 / 0.25, abs=0.04)
    assert f"{100 * share:.0f} % of the variance" in told
    assert "new items tell more than more runs" in told
    # The best number of runs is the one with the least variance for the cost.
    costly = result.components(item_cost=10)
    cost = {r: (found.items + found.runs / r) * (r + 10) for r in range(1, 40)}
    assert costly.best_runs == pytest.approx(min(cost, key=cost.get), abs=1)
    assert f"{costly.best_runs} runs of each item are best" in str(costly)


def test_components_need_runs():
    with pytest.raises(InputError, match="need values per item with two runs or more"):
        compare(topics(20, 0.1, 0.1, 1), **ASKED).components()
    with pytest.raises(InputError, match="'item_cost' parameter must be a number >= 0"):
        compare(answers(20, 2, 0.3, 0.8, 5), **LONG).components(item_cost=-1)


def test_all_populations_that_the_data_can_answer():
    frame = answers(60, 3, 0.8, 0.5, 7).assign(bench=lambda f: f["q"] % 5)
    table = compare(frame, dataset="bench", **LONG).populations()
    assert table["population"].tolist() == [
        "new items",
        "these items asked again",
        "a new data set",
        "data sets on average",
    ]
    assert table["model"].tolist() == ["items", "runs", "datasets", "datasets"]
    np.testing.assert_allclose(table["mean"], table["mean"][0], atol=0.1)
    std = table["std"]
    assert std[1] < std[0] < std[2]
    assert std[3] < std[2]
    alone = compare(topics(20, 0.1, 0.1, 1), **ASKED).populations()
    assert alone["population"].tolist() == ["new items"]
    with pytest.raises(InputError, match="Only values per item have populations"):
        compare([1, 0, 1], [1, 0, 0], [0, 0, 1], engine="exact", seed=1).populations()


def test_a_new_category_has_the_moments_of_its_dirichlet():
    """With known eta and kappa the recalls of a new category are sums of a Dirichlet."""
    n, kappa = 20_000, 12.0
    eta_pos, eta_neg = np.array([0.5, 0.2, 0.1, 0.2]), np.array([0.1, 0.1, 0.2, 0.6])
    draws = {
        "eta_pos": np.broadcast_to(eta_pos, (1, n, 4)),
        "eta_neg": np.broadcast_to(eta_neg, (1, n, 4)),
        "kappa_pos": np.full((1, n), kappa),
        "kappa_neg": np.full((1, n), kappa),
        "mu": np.full((1, n, 3), 0.3),
    }
    result = SimpleNamespace(
        fit=SimpleNamespace(draws=SimpleNamespace(posterior=draws, prior={})),
        measure=get("recall"),
        pair=(0, 1),
        seed=1,
        rope=(-0.05, 0.05),
        hdi=0.95,
    )
    said = new_category(result)
    mean = eta_pos[1] - eta_pos[2]
    variance = (eta_pos[1] + eta_pos[2] - mean**2) / (kappa + 1)  # of theta_2 - theta_3
    assert said.mean == pytest.approx(mean, abs=4 * np.sqrt(variance / n))
    assert said.std == pytest.approx(np.sqrt(variance), rel=0.02)
    assert said.psi_A == pytest.approx(eta_pos[0] + eta_pos[1], abs=0.01)
    assert said.category == "a new category"


def test_only_the_hierarchical_model_knows_new_categories():
    result = compare_counts([30, 5, 2, 3], [3, 2, 2, 60], engine="exact", seed=1)
    with pytest.raises(InputError, match="only the paired hierarchical model"):
        result.evidence_new()
