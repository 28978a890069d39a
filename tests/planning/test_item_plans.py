"""Plans for values per item, components of variance, populations and new categories."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from stanoff import Comparison, InputError, Prior, compare, compare_counts
from stanoff.data.items import build_items
from stanoff.data.types import PairedCounts
from stanoff.fit import fit
from stanoff.inference.intervals import mcse
from stanoff.inference.populations import evidence_new
from stanoff.measures import get
from stanoff.models import MODELS
from stanoff.planning.components import Components
from stanoff.question import Question, Sampling


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
    told = str(result.plan(goal=">>", assurance=0.9, max_n=1000))
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
    assert (found.n, found.runs_per_item) == (2000, pytest.approx(4))
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
    assert costly.best_runs == min(cost, key=cost.get)
    assert f"{costly.best_runs} runs of each item are best" in str(costly)


@pytest.mark.parametrize("item_cost", [0.1, 0.5, 1, 3, 10, 80])
@pytest.mark.parametrize("runs", [0.05, 0.3, 1.0, 4.0])
def test_the_best_runs_are_the_cheapest_and_the_textbook_s(runs, item_cost):
    """For the same money: sqrt(cost of an item / of a run x variance of runs / of items)."""
    found = Components(0.5, runs, 100, 3.0, item_cost)
    each = np.arange(1, 200)
    cost = (found.items + found.runs / each) * (each + item_cost)
    assert cost[found.best_runs - 1] == pytest.approx(cost.min(), rel=1e-12)  # there may be ties
    assert abs(found.best_runs - max(1, np.sqrt(item_cost * runs / 0.5))) < 1
    verb = "is" if found.best_runs == 1 else "are"
    assert f"of each item {verb} best." in str(found)


def test_components_of_variance_are_unbiased():
    """Over many small data sets, with other numbers of runs for each system and item."""
    rng, n, times = np.random.default_rng(8), 12, 400
    found = np.empty((times, 2))
    for i in range(times):
        runs = rng.integers(2, 5, (2, n))
        true = np.stack([rng.normal(0.2, 0.9, n), np.zeros(n)])
        every = [[rng.normal(true[j, k], 0.5, runs[j, k]) for k in range(n)] for j in range(2)]
        means = np.array([[one.mean() for one in row] for row in every])
        scatter = np.array([[((one - one.mean()) ** 2).sum() for one in row] for row in every])
        data = build_items(dict(zip("AB", means, strict=True)), runs=runs, scatter=scatter)
        asked = Question.read(measure="mean")
        fitted = fit(data, asked, Sampling.read(draws=10, seed=1))
        parts = Comparison.from_fit(fitted, "A", "B", asked).components()
        found[i] = parts.items, parts.runs
    error = found.std(axis=0) / np.sqrt(times)
    assert (np.abs(found.mean(axis=0) - [0.81, 0.5]) < 4.5 * error).all()


@pytest.mark.slow
@pytest.mark.parametrize("law", ["normal", "exponential"])
def test_planned_items_settle_as_often_as_was_said(law):
    """Gather the items that were planned, from the law that is true, whatever it is.

    True differences are spread evenly over a range far wider than any posterior, as the flat prior
    has it. Skewed items make the first interval too narrow, and so the plan a little too hopeful.
    """
    rng, n, rope = np.random.default_rng(9), 30, 0.1
    planned = settled = 0
    while planned < 400:
        true = rng.uniform(-1, 1)

        def gather(more, true=true):
            if law == "normal":
                return rng.normal(true, 1, more)
            return rng.exponential(1, more) - 1 + true

        d = gather(n)
        result = compare(d, np.zeros(n), measure="mean", rope=rope, seed=planned + 1)
        if result.decision.conclusive:
            continue
        more = result.plan(n_simulations=1000, max_n=20_000).answer.value
        if more is None or not np.isfinite(more):
            continue
        planned += 1
        every = np.concatenate([d, gather(int(more))])
        again = compare(every, np.zeros(len(every)), measure="mean", rope=rope, seed=1)
        settled += again.decision.conclusive
    slack = 0.0 if law == "normal" else 2**2 / n / 4  # of the interval, by Edgeworth
    assert abs(settled / planned - 0.8) < 4.5 * np.sqrt(0.16 / planned) + slack


def test_components_need_runs():
    with pytest.raises(InputError, match="need values per item with two runs or more"):
        compare(topics(20, 0.1, 0.1, 1), **ASKED).components()
    with pytest.raises(InputError, match="'item_cost' parameter must be a number >= 0"):
        compare(answers(20, 2, 0.3, 0.8, 5), **LONG).components(item_cost=-1)


def common_difference(each):
    """Return mean and standard deviation of eta by the trapezoidal rule over log tau."""
    seen, variance = each.mean().to_numpy(), (each.var() / each.size()).to_numpy()
    scale = np.sqrt((each.var() * (each.size() - 1)).sum() / (each.size() - 1).sum())
    log_tau = np.linspace(np.log(scale) - 16, np.log(scale) + 9, 20_001)
    tau = np.exp(log_tau)
    precision = 1 / (variance + tau[:, None] ** 2)
    middle = (precision * seen).sum(axis=1) / precision.sum(axis=1)
    log = log_tau + stats.halfcauchy.logpdf(tau, scale=scale)
    log += stats.norm.logpdf(seen, middle[:, None], 1 / np.sqrt(precision)).sum(axis=1)
    log -= 0.5 * np.log(precision.sum(axis=1))  # eta, with its flat prior, integrated out
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    mean = weights @ middle
    return mean, np.sqrt(weights @ (1 / precision.sum(axis=1) + (middle - mean) ** 2))


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
    # Each row is the comparison that asks for this population, whose error is known.
    means = frame.groupby(["q", "model"])["value"].mean().unstack()
    d = means["a"] - means["b"]
    assert table["mean"][0] == pytest.approx(d.mean())
    assert table["std"][0] == pytest.approx(stats.t(59, scale=d.sem()).std())
    again = compare(frame, population="runs", **LONG).evidence()
    assert (table["mean"][1], table["std"][1]) == pytest.approx((again.mean, again.std))
    assert abs(again.mean - d.mean()) < 4.5 * again.mcse
    new = compare(frame, dataset="bench", population="datasets", **LONG).evidence()
    assert (table["mean"][2], table["std"][2]) == pytest.approx((new.mean, new.std))
    each = d.groupby(np.arange(60) % 5)
    middle, spread = common_difference(each)
    assert abs(new.mean - middle) < 4.5 * new.mcse
    draws = compare(frame, dataset="bench", population="datasets", **LONG).delta_new().size
    assert abs(table["mean"][3] - middle) < 4.5 * spread / np.sqrt(draws)
    assert table["std"][3] == pytest.approx(spread, rel=4.5 * np.sqrt(2 / draws))  # if normal
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
        model=MODELS["hierarchical"],
        data=PairedCounts(("a", "b", "c"), np.ones((3, 4)), np.ones((3, 4))),
        prior=Prior(),
        measure=get("recall"),
        pair=(0, 1),
        seed=1,
        decision_rule={"rope": (-0.05, 0.05), "hdi_prob": 0.95, "higher_is_better": True},
    )
    said = evidence_new(result)
    mean = eta_pos[1] - eta_pos[2]
    variance = (eta_pos[1] + eta_pos[2] - mean**2) / (kappa + 1)  # of theta_2 - theta_3
    assert said.mean == pytest.approx(mean, abs=4 * np.sqrt(variance / n))
    assert said.std == pytest.approx(np.sqrt(variance), rel=0.02)
    assert said.psi_A == pytest.approx(eta_pos[0] + eta_pos[1], abs=0.01)
    assert said.category == "a new category"


POS = np.array([[9, 4, 1, 2], [6, 3, 0, 5], [12, 2, 3, 1], [5, 6, 1, 1]])
NEG = np.array([[2, 1, 3, 30], [1, 4, 2, 18], [0, 2, 2, 40], [3, 1, 1, 12]])
KAPPA = Prior(kappa=(2.0, 0.7), kappa_neg=(2.0, 0.7))


def shared_by_categories(counts, weights, rng, n=200_000):
    """Draw eta and kappa from the prior, with weights: theta of every category is summed out."""
    eta, kappa = rng.dirichlet(weights, n), rng.lognormal(*KAPPA.kappa, n)
    alpha, log = kappa[:, None] * eta, np.zeros(n)
    for row in counts:
        log += special.gammaln(kappa) - special.gammaln(kappa + row.sum())
        log += (special.gammaln(alpha + row) - special.gammaln(alpha)).sum(axis=1)
    w = np.exp(log - log.max())
    return eta, kappa, w / w.sum()


def agree(draws, known, weights):
    """Hold the mean of draws against that of weighted numbers, within both their errors."""
    expected = weights @ known
    error = np.sqrt(np.sum(weights**2 * (known - expected) ** 2))
    assert abs(draws.mean() - expected) < 4.5 * np.hypot(mcse(draws), error)


@pytest.mark.stan
def test_a_new_category_of_a_real_fit_against_importance_sampling():
    """Given eta and kappa the mean and variance of a new category's rates are known."""
    result = compare_counts(
        POS, NEG, model="hierarchical", prior=KAPPA, measure="recall", seed=1, chains=2
    )
    rng = np.random.default_rng(2)
    eta, kappa, weights = shared_by_categories(POS, np.ones(4), rng)
    assert 1 / np.sum(weights**2) > 1000
    mean, square = eta[:, 1] - eta[:, 2], eta[:, 1] + eta[:, 2]
    drawn = result.delta_new()
    said = result.evidence_new()
    assert (said.mean, said.std) == pytest.approx((drawn.mean(), drawn.std()), rel=1e-3)
    agree(drawn, mean, weights)
    second = mean**2 + (square - mean**2) / (kappa + 1)
    agree(drawn**2, second, weights)
    # Accuracy needs the prevalence: that of one of the categories, or the one that is asked for.
    other, _, those = shared_by_categories(NEG, np.ones(4), rng)
    gain = those @ (other[:, 2] - other[:, 1])  # on negatives it is right to say no
    n_pos, n = POS.sum(axis=1), POS.sum(axis=1) + NEG.sum(axis=1)
    share = np.mean((1 + n_pos) / (2 + n))  # the mean of the Betas
    for asked, mu in (({}, share), ({"prevalence": 0.9}, 0.9)):
        of_accuracy = result.judge(measure="accuracy", **asked).delta_new()
        agree(of_accuracy, mu * mean + (1 - mu) * gain, weights)
    told = result.sentence("a new category")
    assert "in recall on a new category (4 were observed)" in told
    assert "on a new category." in str(result.evidence_new()).splitlines()[0]


@pytest.mark.stan
def test_a_new_category_of_two_test_sets_against_importance_sampling():
    cells = [
        np.stack([POS[:, :2].sum(1), NEG[:, :2].sum(1), POS[:, 2:].sum(1), NEG[:, 2:].sum(1)], 1),
        np.stack([POS[:, 0], NEG[:, 0], POS[:, 1:].sum(1), NEG[:, 1:].sum(1)], 1),
    ]
    result = compare_counts(
        a=cells[0],
        b=cells[1],
        model="hierarchical_unpaired",
        prior=KAPPA,
        measure="recall",
        seed=1,
        chains=2,
    )
    rng, moments, errors = np.random.default_rng(3), [], []
    for one in cells:
        eta, kappa, weights = shared_by_categories(one[:, [0, 2]], np.ones(2), rng)
        rate = eta[:, 0]
        second = rate**2 + rate * (1 - rate) / (kappa + 1)
        moments.append((weights @ rate, weights @ second))
        errors.append(np.sqrt(np.sum(weights**2 * (rate - weights @ rate) ** 2)))
    (mean_a, second_a), (mean_b, second_b) = moments
    drawn = result.delta_new()
    error = np.hypot(mcse(drawn), np.hypot(*errors))
    assert abs(drawn.mean() - (mean_a - mean_b)) < 4.5 * error
    expected = second_a + second_b - 2 * mean_a * mean_b  # the two test sets are independent
    # A square of rates within [0, 1] scatters at most twice as much as they do.
    error = np.hypot(mcse(drawn**2), 2 * np.hypot(*errors))
    assert abs((drawn**2).mean() - expected) < 4.5 * error
    assert "recall on a new category (4 were observed)" in result.sentence("a new category")


def test_only_hierarchical_models_know_new_categories():
    result = compare_counts([30, 5, 2, 3], [3, 2, 2, 60], engine="exact", seed=1)
    for ask in (result.evidence_new, result.delta_new):
        with pytest.raises(InputError, match="only the hierarchical models know of new categories"):
            ask()


def test_a_new_data_set_has_delta_new():
    frame = answers(60, 3, 0.8, 0.5, 7).assign(bench=lambda f: f["q"] % 5)
    result = compare(frame, dataset="bench", population="datasets", **LONG)
    np.testing.assert_allclose(result.delta_new(), result.scores.delta[..., 0], atol=1e-12)
    assert result.tree["posterior"]["delta_new"].dims == ("chain", "draw")
    assert "mean over a new data set" in result.sentence()
