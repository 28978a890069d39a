"""The folds model against printed numbers, SciPy, the likelihood itself, and simulation."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.svm import SVC

from stanoff import InputError, Prior, compare, contest, count
from stanoff.models.folds import stretch
from stanoff.planning.simulate import draw_more_values
from stanoff.significance import all_tests, corrected_t_test, five_by_two_test


def scores(systems=3, folds=10, repeats=3, seed=1):
    """Scores of the test folds, correlated between systems."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0.8, 0.03, folds * repeats)
    return {
        f"s{k}": level + 0.02 * k + rng.normal(0, 0.04, folds * repeats) for k in range(systems)
    }


def corrected_t(a, b, rho):
    """The t of Nadeau & Bengio (2003)."""
    d = np.asarray(a) - np.asarray(b)
    n = len(d)
    return stats.t(n - 1, d.mean(), d.std(ddof=1) * np.sqrt(1 / n + rho / (1 - rho)))


def test_the_difference_is_the_corrected_t():
    found = scores(2)
    result = compare(found["s0"], found["s1"], folds=10, repeats=3, rope=0.01, seed=1)
    t = corrected_t(found["s0"], found["s1"], 0.1)
    evidence = result.evidence()
    assert evidence.hdi == pytest.approx(t.interval(0.95))
    assert evidence.p_below == pytest.approx(t.cdf(-0.01))
    assert evidence.p_rope == pytest.approx(t.cdf(0.01) - t.cdf(-0.01))
    assert (evidence.mean, evidence.std) == pytest.approx((t.mean(), t.std()))
    assert result.summary()["t_test"].item() == pytest.approx(2 * t.cdf(-abs(t.mean()) + t.mean()))
    swapped = compare(found["s1"], found["s0"], folds=10, repeats=3, rope=0.01, seed=1)
    assert swapped.evidence().hdi == pytest.approx([-end for end in evidence.hdi[::-1]])


def log_likelihood(d, delta, variance, rho):
    """The log-density of normal differences with a fixed correlation (delta, variance)."""
    n = len(d)
    correlation = (1 - rho) * np.eye(n) + rho
    away = d - delta[:, None]
    squares = np.einsum("ij,jk,ik->i", away, np.linalg.inv(correlation), away)[:, None]
    return -0.5 * (squares / variance + n * np.log(variance))


def test_the_posterior_is_that_of_the_likelihood_with_fixed_correlation():
    d, rho = np.array([0.02, -0.01, 0.04, 0.03, 0.00, 0.05]), 0.25
    n = len(d)
    grid = np.linspace(-0.15, 0.2, 141)
    log_sigma = np.linspace(-7, 0, 2001)  # flat in it and in delta
    density = np.exp(log_likelihood(d, grid, np.exp(2 * log_sigma), rho))
    cdf = integrate.cumulative_simpson(density.sum(axis=1), x=grid, initial=0)
    t = corrected_t(d, np.zeros(n), rho)
    mass = t.cdf(grid[-1]) - t.cdf(grid[0])
    np.testing.assert_allclose(cdf / cdf[-1], (t.cdf(grid) - t.cdf(grid[0])) / mass, atol=2e-4)
    result = compare(d + 1, np.ones(n), n_train=3, n_test=1, seed=1)
    assert result.evidence().hdi == pytest.approx(t.interval(0.95))


def test_the_prior_of_a_difference_is_updated_by_correlated_folds():
    d, rho, prior = np.array([0.2, -0.1, 0.4, 0.3, 0.0, 0.5]), 0.5, (2.0, 0.4, 3.0)
    n, (weight, sd, degrees) = len(d), prior
    grid = np.linspace(-4.0, 4.0, 1601)
    log_variance = np.linspace(-9, 9, 3601)
    variance = np.exp(log_variance)
    before = stats.invgamma(degrees / 2, scale=degrees * sd**2 / 2).logpdf(variance) + log_variance
    before = before + stats.norm(0, np.sqrt(variance / weight)).logpdf(grid[:, None])
    posterior = np.exp(before + log_likelihood(d, grid, variance, rho)).sum(axis=1)
    posterior /= integrate.simpson(posterior, x=grid)
    options = {"folds": 2, "repeats": 3, "prior": Prior(items=prior), "seed": 1}
    evidence = compare(d + 1, np.ones(n), rope=0.1, **options).evidence()
    assert evidence.mean == pytest.approx(integrate.simpson(posterior * grid, x=grid), abs=1e-5)
    at_zero = stats.t(degrees, 0, sd / np.sqrt(weight)).pdf(0)
    assert evidence.bf_sd == pytest.approx(posterior[800] / at_zero, rel=1e-3)
    with pytest.raises(InputError, match="None for more than two systems"):
        contest(scores(3), folds=10, repeats=3, prior=Prior(items=prior))


def test_the_numbers_of_baycomp_are_met_to_all_digits():
    # nbc less aode on squash-unstored, ten folds repeated ten times: baycomp prints .0780, .6512
    # and .2708 for a ROPE of one point. The posterior knows the differences by mean and variance.
    z = np.random.default_rng(1).normal(size=100)
    difference = -0.4 + 2.8141058827257943 * (z - z.mean()) / z.std(ddof=1)
    result = compare(50 + difference, np.full(100, 50.0), folds=10, repeats=10, rope=1, seed=1)
    evidence = result.evidence()
    printed = [round(p, 4) for p in (evidence.p_above, evidence.p_rope, evidence.p_below)]
    assert printed == [0.0780, 0.6512, 0.2708]


def test_the_example_of_scikit_learn_is_rebuilt():
    # "Statistical comparison of models using grid search": the two best of four SVMs.
    x, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    kernels = {"rbf": {}, "linear": {}}
    found = {
        name: cross_validate(SVC(kernel=name, random_state=0), x, y, cv=cv, scoring="roc_auc")
        for name in kernels
    }
    result = contest(found, cv=cv, rope=0.01, seed=1).between("rbf", "linear")
    test = corrected_t_test(result.data, alternative="greater")
    assert (round(test.statistic, 3), round(test.p_value, 3)) == (0.750, 0.227)
    evidence = result.evidence()
    assert round(evidence.p_greater, 3) == 0.773
    assert round(evidence.p_rope, 3) == 0.432


def test_a_contest_agrees_with_its_pairs():
    found = scores(4)
    result = contest(found, folds=10, repeats=3, rope=0.01, seed=1, draws=40_000)
    psi = result.psi[0, :, :, 0]
    for a, b in itertools.combinations(range(4), 2):
        t = corrected_t(found[f"s{a}"], found[f"s{b}"], 0.1)
        pair = result.between(f"s{a}", f"s{b}")
        assert pair.evidence().hdi == pytest.approx(t.interval(0.95))
        assert stats.kstest(psi[::5, a] - psi[::5, b], t.cdf).pvalue > 0.001
    alone = stats.t(29, np.mean(found["s0"]), 1).mean()
    assert psi[:, 0].mean() == pytest.approx(alone, abs=1e-3)


def test_more_systems_than_folds_have_pairs_and_a_warning():
    found = scores(8, folds=5, repeats=1)
    result = contest(found, folds=5, rope=0.01, seed=1)
    t = corrected_t(found["s2"], found["s7"], 0.2)
    assert result.between("s2", "s7").evidence().hdi == pytest.approx(t.interval(0.95))
    assert any("There are 8 systems and 5 test folds" in note for note in result.warnings)


def test_systems_on_other_folds_have_the_t_of_their_own_scores():
    found = scores(2)
    options = {"folds": 10, "repeats": 3, "paired": False, "seed": 1, "draws": 100_000}
    result = compare(found["s0"], found["s1"], rope=0.01, **options)
    psi = result.scores.psi[0, :, :, 0]
    for k in range(2):
        t = corrected_t(found[f"s{k}"], np.zeros(30), 0.1)
        assert stats.kstest(psi[::10, k], t.cdf).pvalue > 0.001
    assert abs(np.corrcoef(psi.T)[0, 1]) < 0.02
    with pytest.raises(InputError, match="which has no program"):
        compare(found["s0"], found["s1"], engine="stan", **options)


@pytest.mark.stan
@pytest.mark.parametrize("prior", [None, Prior(items=(2.0, 0.05, 3.0))])
def test_stan_draws_what_is_exact(prior):
    found = scores(2 if prior else 3, repeats=1)
    options = {"folds": 10, "rope": 0.01, "prior": prior, "seed": 1}
    exact = contest(found, draws=200_000, **options)
    stan = contest(found, engine="stan", **options)
    a, b = exact.between("s0", "s1").evidence(), stan.between("s0", "s1").evidence()
    assert b.mean == pytest.approx(a.mean, abs=4 * b.mcse)
    assert b.std == pytest.approx(a.std, rel=0.06)
    if prior:
        assert b.bf_rope == pytest.approx(a.bf_rope, rel=0.2)
        assert b.bf_sd == pytest.approx(a.bf_sd, rel=0.2)
    expected, drawn = (
        np.cov(result.psi[..., 0].reshape(-1, len(found)).T) for result in (exact, stan)
    )
    np.testing.assert_allclose(drawn, expected, rtol=0.15, atol=0.1 * np.abs(expected).max())
    assert {"mu", "sigma", "L_Omega"} <= set(stan.fit.draws.posterior)


def test_other_correlations_move_the_verdict_where_it_is_said():
    found = scores(2)
    a, b = found["s1"] + 0.05, found["s0"]
    result = compare(a, b, folds=10, repeats=3, rope=0.01, seed=1)
    sensitivity = result.sensitivity()
    table = sensitivity.correlations.set_index("rho")
    assert (table.index.min(), table.index.max(), 0.1 in table.index) == (0.0, 0.5, True)
    for rho in (0.0, 0.25, 0.5):
        t = corrected_t(a, b, rho)
        low, high = t.interval(0.95)
        assert table.loc[rho, ["hdi_low", "hdi_high"]].tolist() == pytest.approx([low, high])
        assert table.loc[rho, "p_rope"] == pytest.approx(t.cdf(0.01) - t.cdf(-0.01))
    [(flip, before, after)] = sensitivity.correlation_flips
    assert (str(before), str(after)) == (">>", ">")
    for rho, decision in ((flip - 2e-3, before), (flip + 2e-3, after)):
        sizes = {"n_test": round(rho * 1e6), "n_train": round((1 - rho) * 1e6)}
        assert compare(a, b, rope=0.01, seed=1, **sizes).decision == decision
    assert f"at a correlation of {flip:.3f}" in str(sensitivity)
    items = pd.DataFrame(found)
    assert compare(items, a="s0", b="s1", measure="mean").sensitivity().correlations is None


def test_more_repeats_hardly_help():
    # Ten repeats in the place of one: 24 % less standard error, a third less interval.
    error = np.sqrt((1 / 100 + 1 / 9) / (1 / 10 + 1 / 9))
    assert 1 - error == pytest.approx(0.24, abs=0.005)
    width = error * stats.t(99).ppf(0.975) / stats.t(9).ppf(0.975)
    assert 1 - width == pytest.approx(1 / 3, abs=0.01)
    found = scores(2, repeats=1)
    result = compare(found["s0"], found["s1"], folds=10, rope=0.001, seed=1)
    plan = result.plan(max_n=1000)
    left = stats.norm.ppf(0.975) / stats.t(9).ppf(0.975) * np.sqrt((1 / 9) / (1 / 10 + 1 / 9))
    assert f"keeps {left:.0%} of its width" in str(plan)
    assert "1,000 more folds give the folds model less than" in str(plan)


def test_future_folds_are_those_of_the_model():
    mean, sd, rho, n, new = 0.01, 0.05, 0.2, 10, 20
    rng = np.random.default_rng(1)
    drawn = draw_more_values((mean, sd, rho), n, new, 200_000, rng)
    # The same by simulating folds: given those observed, the level of all folds is a t around
    # their mean, and further folds vary around it.
    within = sd**2 * (n - 1) / rng.chisquare(n - 1, 50_000)
    level = mean + np.sqrt(within / n) * rng.normal(size=50_000)
    folds = level[:, None] + np.sqrt(within)[:, None] * rng.normal(size=(50_000, new))
    location = (n * mean + folds.sum(axis=1)) / (n + new)
    assert stats.ks_2samp(drawn.loc[:50_000], location).pvalue > 0.001
    squares = (n - 1) * sd**2 + n * mean**2 + (folds**2).sum(axis=1) - (n + new) * location**2
    scale = np.sqrt(squares / (n + new - 1) * (1 / (n + new) + rho / (1 - rho)))
    assert stats.ks_2samp(drawn.scale[:50_000], scale).pvalue > 0.001
    assert drawn.df == n + new - 1


def test_classical_tests_of_folds():
    found = scores(2, folds=2, repeats=5)
    a, b = found["s0"], found["s1"]
    data = count(a, b, folds=2, repeats=5, kind="values")
    results = {test.test: test for test in all_tests(data)}
    assert set(results) == {"corrected t-test", "5x2cv F-test"}
    t = corrected_t(a, b, 0.5)
    statistic = t.mean() / (t.std() / np.sqrt(9 / 7))
    assert results["corrected t-test"].statistic == pytest.approx(statistic)
    # Alpaydin (1999), equation 5: ten squared differences over twice the sum of five variances.
    p = np.reshape(a - b, (5, 2))
    variances = [(x - (x + y) / 2) ** 2 + (y - (x + y) / 2) ** 2 for x, y in p]
    f = (p**2).sum() / (2 * np.sum(variances))
    test = five_by_two_test(data)
    assert (test.statistic, test.p_value) == pytest.approx((f, stats.f(10, 5).sf(f)))
    with pytest.raises(InputError, match="two folds, repeated five times"):
        five_by_two_test(count(a, b, folds=5, repeats=2, kind="values"))


def test_many_data_sets_have_the_test_of_their_means():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {"data": np.repeat(range(9), 5), "fold": np.tile(range(5), 9), "a": rng.normal(size=45)}
    )
    table["b"] = table["a"] + rng.normal(0.2, 0.5, 45)
    data = count(table, a="a", b="b", dataset="data", fold="fold", kind="values")
    [test] = all_tests(data, alternative="less")
    means = table.groupby("data")[["a", "b"]].mean()
    expected = stats.wilcoxon(means["a"], means["b"], alternative="less")
    assert (test.test, test.p_value) == ("Wilcoxon", pytest.approx(expected.pvalue))


def test_folds_are_stretched_to_be_as_informative_as_independent_items():
    values = np.random.default_rng(1).normal(size=(1, 30))
    stretched = stretch(values, 0.1)
    assert stretched.mean() == pytest.approx(values.mean())
    independent = stretched.std(ddof=1) / np.sqrt(30)
    corrected = values.std(ddof=1) * np.sqrt(1 / 30 + 1 / 9)
    assert independent == pytest.approx(corrected)


def test_the_population_is_named_and_others_are_refused():
    found = scores(2)
    result = compare(found["s0"], found["s1"], folds=10, repeats=3, seed=1)
    assert result.populations()["population"].tolist() == ["new training sets of this size"]
    assert result.judge(rope=0.2).decision.symbol == "≈"
    named = compare(
        found["s0"], found["s1"], folds=10, repeats=3, population="training sets", seed=1
    )
    assert str(named) == str(result)
    with pytest.raises(InputError, match="must be 'training sets' for scores of folds"):
        compare(found["s0"], found["s1"], folds=10, repeats=3, population="items")
    apart = {"folds": 10, "repeats": 3, "paired": False, "population": "training sets", "seed": 1}
    assert compare(found["s0"], found["s1"], **apart).model.name == "folds_unpaired"
    with pytest.raises(InputError, match="only for scores of folds of one data set"):
        compare([1, 2, 3, 5], [2, 1, 5, 2], measure="mean", population="training sets")
    with pytest.raises(InputError, match="values per item"):
        compare(found["s0"], found["s1"], folds=10, repeats=3, model="items")
    text = " ".join(result.to_markdown().split())
    assert "taken to be correlated by 0.1 from fold to fold" in text


def test_tables_and_pages_name_what_was_scored(tmp_path):
    found = scores(3)
    dicts = {name: {"test_f1": x, "test_accuracy": x} for name, x in found.items()}
    result = contest(dicts, folds=10, repeats=3, metric="f1", seed=1)
    assert "f1" in result.table().columns
    assert repr(result) == "<Contest of 3 systems: f1>"
    pair = result.between("s0", "s1")
    assert json.loads(pair.to_json())["settings"]["measure"] == "f1"
    assert "f1 = " in pair.to_html(tmp_path / "page.html").read_text("utf8")
