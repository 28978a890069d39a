"""Scores in several data sets: importance sampling, Student's t, and what must not matter."""

import numpy as np
import pandas as pd
import pytest
from agreement import same_evidence
from scipy import stats

from stanoff import InputError, Prior, compare, contest, load
from stanoff.data.folds import DatasetFolds
from stanoff.inference.intervals import mcse
from stanoff.models.folds import summarize_datasets
from stanoff.significance import friedman_test

COLUMNS = {"dataset": "data", "fold": "fold", "repeat": "repeat"}
LONG = {**COLUMNS, "system": "system", "value": "accuracy"}


def scores(sizes=((5, 2),) * 8, systems=("a", "b"), seed=1, spread=0.02, documents=200):
    """Accuracies in data sets of (folds, repeats), a whole number of documents right in each."""
    rng = np.random.default_rng(seed)
    frames = []
    for i, (folds, repeats) in enumerate(sizes):
        level = rng.uniform(0.6, 0.9)
        grid = pd.MultiIndex.from_product(
            [range(repeats), range(folds), systems], names=["repeat", "fold", "system"]
        ).to_frame(index=False)
        effect = dict(zip(systems, rng.normal(0, spread, len(systems)), strict=True))
        effect[systems[0]] += 0.03
        p = level + grid["system"].map(effect) + rng.normal(0, 0.02, len(grid))
        right = np.round(p * documents / folds)
        grid["accuracy"] = right / (documents / folds)
        frames.append(grid.assign(data=f"d{i}"))
    return pd.concat(frames, ignore_index=True)


def data_of(table, systems=("a", "b")):
    wide = table.pivot(index=["data", "repeat", "fold"], columns="system", values="accuracy")
    keys = wide.index.to_frame(index=False)
    codes, names = pd.factorize(keys["data"])
    share = 1 / keys.groupby(codes)["fold"].nunique().to_numpy()
    values = wide[list(systems)].to_numpy().T
    numbers = keys["repeat"].to_numpy(), keys["fold"].to_numpy()
    arrays = values, codes.astype(np.int64), *numbers, share, np.array(names)
    return DatasetFolds(("1",), *arrays, systems=tuple(systems))


def log_likelihood(block, theta_0, tau, mean, sd):
    """Of draws of the common parameters: theta_i by a formula, sigma_i by quadrature."""
    total = np.zeros(len(theta_0))
    node = np.linspace(-4.5, 4.5, 61)
    n, rho = np.asarray(block["n"]), np.asarray(block["rho"])
    for i in range(block["D"]):
        log_sigma = mean[:, None] + sd[:, None] * node
        variance = np.exp(2 * log_sigma)
        of_mean = variance * (1 + (n[i] - 1) * rho[i]) / n[i]
        y = block["centre"][0, i]
        log = stats.norm.logpdf(y, theta_0[:, None], np.sqrt(tau[:, None] ** 2 + of_mean))
        log = log - (n[i] - 1) * log_sigma - block["squares"][i] / (1 - rho[i]) / variance / 2
        log = log + stats.norm.logpdf(node)
        top = log.max(axis=1)
        total += top + np.log(np.exp(log - top[:, None]).sum(axis=1))
    return total


@pytest.mark.stan
def test_the_program_against_importance_sampling():
    table = scores([(5, 2), (5, 1), (10, 1), (4, 3), (5, 2), (10, 2)])
    result = compare(table, a="a", b="b", prior="normal", seed=1, draws=3000, **LONG)
    assert result.sampler_warnings == ()
    block = result.stan_data
    rng, n = np.random.default_rng(2), 20_000
    centre = block["centre"].mean()
    theta_0 = centre + 0.6 * rng.standard_t(5, n)
    tau = np.abs(0.8 * rng.standard_t(5, n))
    mean, sd = rng.normal(0, 0.5, n), np.abs(rng.normal(0, 0.7, n))
    log = log_likelihood(block, theta_0, tau, mean, sd)
    log += stats.norm.logpdf(theta_0, 0, 5) + stats.norm.logpdf(tau, 0, 2)
    log += stats.norm.logpdf(mean) + stats.norm.logpdf(sd)
    log -= stats.t.logpdf((theta_0 - centre) / 0.6, 5) + stats.t.logpdf(tau / 0.8, 5)
    log -= stats.norm.logpdf(mean, 0, 0.5) + stats.norm.logpdf(sd, 0, 0.7)
    weights = np.exp(log - log.max())
    posterior = result.fit.draws.posterior
    names = ("theta_0", "tau", "log_sigma_mean", "log_sigma_sd")
    for name, values in zip(names, (theta_0, tau, mean, sd), strict=True):
        drawn = posterior[name][..., 0]
        expected = np.average(values, weights=weights)
        error = np.sqrt(np.sum(weights**2 * (values - expected) ** 2)) / weights.sum()
        assert abs(drawn.mean() - expected) < 4.5 * np.hypot(mcse(drawn), error), name
    # The difference is theta_0 in the unit of the scores; the next one is normal around it.
    unit = block["loading"][0, 0] - block["loading"][1, 0]
    np.testing.assert_allclose(result.scores.delta[..., 0], unit * posterior["theta_0"][..., 0])
    below = np.average(stats.norm.cdf(0, unit * theta_0, abs(unit) * tau), weights=weights)
    assert result.evidence_new().p_less == pytest.approx(below, abs=0.02)


@pytest.mark.stan
def test_data_sets_whose_differences_are_all_equal_do_not_break_it():
    table = scores(((5, 2),) * 9)
    wide = table.pivot(index=["data", "repeat", "fold"], columns="system", values="accuracy")
    wide = wide.reset_index()
    for name, gap in (("d0", 0.0), ("d1", 0.0), ("d2", 0.025), ("d3", 0.0)):
        here = wide["data"] == name
        wide.loc[here, "a"] = wide.loc[here, "b"] + gap
    wide.loc[wide["data"] == "d1", ["a", "b"]] = 1.0  # not even the scores vary
    result = compare(wide, a="a", b="b", seed=1, rope=0.01, **COLUMNS)
    assert result.sampler_warnings == ()
    assert np.isfinite(result.stan_data["squares"]).all()
    assert (np.asarray(result.stan_data["squares"]) > 0).all()
    table = result.datasets().set_index("dataset")
    assert table.loc["d0", "hdi_low"] < 0 < table.loc["d0", "hdi_high"]
    assert table.loc["d2", "mean"] == pytest.approx(0.025, abs=0.01)
    assert result.fit.draws.posterior["log_sigma"].min() > -12


@pytest.mark.stan
def test_what_a_comparison_says_of_data_sets(tmp_path):
    table = scores()
    result = compare(table, a="a", b="b", rope=0.01, seed=1, **LONG)
    assert "over new data sets (80 test folds of 8 data sets)" in str(result)
    assert "On the next data set the difference lies below, inside and above" in str(result)
    found = result.datasets()
    wide = table.groupby(["data", "system"])["accuracy"].mean().unstack()
    assert found["observed"].tolist() == pytest.approx((wide["a"] - wide["b"]).tolist())
    shrunk = (found["mean"] - found["mean"].mean()).abs().mean()
    assert shrunk < (found["observed"] - found["observed"].mean()).abs().mean()
    new, average = result.evidence_new(), result.evidence()
    assert new.std > 1.5 * average.std
    assert new.mean == pytest.approx(result.delta_new().mean())
    assert result.populations()["population"].tolist() == ["new data sets", "the next data set"]
    assert result.observed[:, 0] == pytest.approx([wide["a"].mean(), wide["b"].mean()])
    again = load(result.save(tmp_path / "result.nc"))
    assert str(again) == str(result)
    pd.testing.assert_frame_equal(again.datasets(), found)
    swapped = compare(table, a="b", b="a", rope=0.01, seed=1, **LONG)
    assert swapped.evidence().mean == pytest.approx(-average.mean, abs=0.15 * average.std)
    assert result.to_html(tmp_path / "page.html").exists()


def test_friedman_compares_the_means_of_data_sets():
    table = scores(((5, 2), (10, 1), (5, 4), (5, 1)), ("a", "b", "c"))
    means = table.groupby(["data", "system"])["accuracy"].mean().unstack()
    expected = stats.friedmanchisquare(*means.to_numpy().T)
    found = friedman_test(data_of(table, "abc"))
    assert (found.statistic, found.p_value) == pytest.approx(tuple(expected))
    assert found.n == 4


@pytest.mark.stan
def test_a_contest_knows_the_next_data_set():
    table = scores(((5, 2),) * 20, ("a", "b", "c"), spread=0.06)
    result = contest(table, rope=0.01, seed=1, **LONG)
    assert result.sampler_warnings == ()
    alone = compare(table, a="a", b="b", rope=0.01, seed=1, **LONG).evidence()
    pair = result.between("a", "b").evidence()
    assert pair.mean == pytest.approx(alone.mean, abs=0.3 * alone.std)
    assert pair.std == pytest.approx(alone.std, rel=0.25)
    found = result.next_dataset()
    assert found["p_best"].sum() == pytest.approx(1)
    assert found["p_best"].max() < result.ranking().p_best.max()
    assert "On the next data set" in str(result)


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.SamplingWarning")
def test_values_of_items_in_data_sets():
    """Folds that are independent are items: a contest of values by population='datasets'."""
    table = scores(((6, 1),) * 6, ("a", "b", "c"))
    wide = table.pivot(index=["data", "fold"], columns="system", values="accuracy").reset_index()
    options = {"systems": ["a", "b", "c"], "dataset": "data", "measure": "mean", "seed": 1}
    few = {"chains": 2, "draws": 200, "warmup": 200}
    result = contest(wide, population="datasets", **options, **few)
    assert result.model.name == "folds_datasets"
    assert not np.asarray(result.stan_data["rho"]).any()
    assert contest(wide, **options).model.name == "items"


def test_the_order_of_systems_is_no_matter():
    table = scores(((5, 2), (10, 1), (5, 4)), ("a", "b", "c", "d"))
    block = summarize_datasets(data_of(table, "abcd"))
    other = summarize_datasets(data_of(table, "cadb"))
    np.testing.assert_allclose(block["squares"], other["squares"])
    np.testing.assert_allclose(np.abs(block["centre"]), np.abs(other["centre"]), atol=1e-9)
    means = table.groupby(["data", "system"])["accuracy"].mean().unstack()
    away = means.sub(means.mean(axis=1), axis=0).to_numpy().T
    np.testing.assert_allclose(block["loading"] @ block["centre"], away, atol=1e-12)
    assert block["n"].tolist() == [10, 10, 20]
    assert block["rho"].tolist() == pytest.approx([0.2, 0.1, 0.2])


def test_the_unit_is_the_mean_standard_deviation():
    data = data_of(scores(documents=200))
    block = summarize_datasets(data)
    d = data.values[0] - data.values[1]
    groups = [d[data.dataset == i] for i in range(8)]
    squares = np.array([((g - g.mean()) ** 2).sum() for g in groups])
    unit = np.sqrt(squares / 9).mean()
    np.testing.assert_allclose(block["squares"], squares / unit**2)
    assert abs(block["loading"][0, 0] - block["loading"][1, 0]) == pytest.approx(unit)


def test_equal_differences_lie_anywhere_within_a_step_of_the_scores():
    table = scores(documents=200)
    first = table["data"] == "d0"
    pairs = table[first].pivot(index=["repeat", "fold"], columns="system", values="accuracy")
    table.loc[first & (table["system"] == "a"), "accuracy"] = pairs["b"].to_numpy() + 1 / 40
    data = data_of(table)
    block = summarize_datasets(data)
    unit = block["loading"][0, 0] - block["loading"][1, 0]
    assert block["squares"][0] * unit**2 == pytest.approx(10 / 40**2 / 12)
    d = (data.values[0] - data.values[1])[data.dataset == 1]  # the others are as they were
    assert block["squares"][1] * unit**2 == pytest.approx(((d - d.mean()) ** 2).sum())


def test_one_score_per_data_set():
    """As Demsar (2006) has them: Student's t over data sets, and its prediction of one more."""
    table = scores(((5, 2),) * 12).groupby(["data", "system"])["accuracy"].mean().unstack()
    table = table.reset_index()
    result = compare(table, a="a", b="b", dataset="data", rope=0.01, seed=1)
    assert "over new data sets (12 data sets)" in str(result)
    d = table["a"] - table["b"]
    t = stats.t(11, d.mean(), d.std() * np.sqrt(1 + 1 / 12))
    new = result.evidence_new()
    assert new.p_below == pytest.approx(t.cdf(-0.01))
    assert new.p_above == pytest.approx(t.sf(0.01))
    assert new.hdi == pytest.approx(t.interval(0.95))
    assert result.evidence().hdi == pytest.approx(stats.t(11, d.mean(), d.sem()).interval(0.95))
    asked = compare(table, a="a", b="b", dataset="data", rope=0.01, seed=1, population="datasets")
    same_evidence(asked, result)
    three = contest(
        table.assign(c=table["a"] + np.linspace(-0.1, 0.1, 12) ** 2),
        dataset="data",
        systems=["a", "b", "c"],
        population="datasets",
        seed=1,
    )
    psi = three.next_dataset().set_index("system")
    assert psi["p_best"].sum() == pytest.approx(1)
    drawn = three.between("a", "b").delta_new()
    assert np.quantile(drawn, 0.9) == pytest.approx(t.ppf(0.9), abs=0.003)


def test_the_exact_engine_takes_the_means_of_data_sets():
    table = scores(((5, 2), (10, 1), (5, 1), (4, 3), (5, 2), (10, 2)), ("a", "b", "c"))
    means = table.groupby(["data", "system"])["accuracy"].mean().unstack().reset_index()
    result = contest(table, rope=0.01, engine="exact", seed=1, **LONG)
    expected = contest(means, systems=["a", "b", "c"], dataset="data", rope=0.01, seed=1)
    found, wanted = (of.between("a", "b").evidence() for of in (result, expected))
    assert found.hdi == pytest.approx(wanted.hdi)
    assert found.p_rope == pytest.approx(wanted.p_rope)
    assert result.next_dataset()["p_best"].sum() == pytest.approx(1)
    assert "Every data set counts by its mean score" in result.warnings[0]
    assert "over new data sets (6 data sets)" in str(result.between("a", "b"))


def test_errors_name_what_is_wrong():
    table = scores(((5, 2),) * 2)
    with pytest.raises(InputError, match="3 data sets or more are needed; there are 2"):
        compare(table, a="a", b="b", **LONG)
    same = scores()
    same["accuracy"] = np.where(same["system"] == "a", 0.9, 0.8)
    with pytest.raises(InputError, match="do not vary within any data set"):
        compare(same, a="a", b="b", **LONG)
    with pytest.raises(InputError, match=r"prior.datasets"):
        Prior(datasets="flat")
