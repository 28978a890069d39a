"""Models of values per item against Student's t, SciPy, and simulation."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stanoff import InputError, Prior, compare, contest, load
from stanoff.data.items import build_items
from stanoff.inference.intervals import mcse
from stanoff.models import MODELS, describe_population


def values(n=30, systems=2, seed=1, skew=False):
    """Correlated values of some systems on n items."""
    rng = np.random.default_rng(seed)
    level = rng.gamma(2, 0.1, n) if skew else rng.normal(0.5, 0.2, n)
    names = [f"s{k}" for k in range(systems)]
    columns = {name: level + 0.02 * k + rng.normal(0, 0.1, n) for k, name in enumerate(names)}
    return pd.DataFrame(columns)


@pytest.mark.parametrize("n", [4, 10, 200])
def test_the_difference_is_the_t_of_the_paired_test(n):
    frame = values(n)
    said = compare(frame, a="s0", b="s1", measure="mean", rope=0.01, seed=1).evidence()
    d = frame["s0"] - frame["s1"]
    t = stats.t(n - 1, d.mean(), d.sem())
    assert said.p_greater == pytest.approx(
        stats.ttest_rel(frame["s0"], frame["s1"], alternative="less").pvalue, rel=1e-10
    )
    assert said.p_less == pytest.approx(t.cdf(0), rel=1e-10)
    assert said.p_below == pytest.approx(t.cdf(-0.01), rel=1e-10)
    assert said.p_rope == pytest.approx(t.cdf(0.01) - t.cdf(-0.01), rel=1e-9)
    assert said.hdi == pytest.approx(t.interval(0.95))
    assert (said.mean, said.std, said.mcse) == (pytest.approx(d.mean()), pytest.approx(t.std()), 0)
    assert np.isnan([said.bf_sd, said.bf_rope]).all()  # the prior is flat
    assert (said.observed_A, said.observed_B) == pytest.approx(tuple(frame.mean()))


def test_what_is_shown_of_a_t_is_not_counted_in_draws():
    frame = values(25)
    result = compare(frame, a="s0", b="s1", measure="mean", rope=0.01, seed=1, draws=100)
    d = frame["s0"] - frame["s1"]
    t = stats.t(24, d.mean(), d.sem())
    assert stats.kstest(result.posterior_sample("1"), t.cdf).statistic == pytest.approx(
        0.5 / 50_000
    )
    ropes = result.sensitivity(ropes=[0.005, 0.02]).ropes
    expected = [t.cdf(half) - t.cdf(-half) for half in (0.005, 0.02)]
    assert ropes["p_rope"].tolist() == pytest.approx(expected, abs=2e-5)  # of 50,000 quantiles


def test_a_rope_in_per_cent_is_told_as_it_is_used():
    frame = values(25)
    result = compare(frame, a="s0", b="s1", measure="mean", rope="2%", seed=1)
    half = float(f"{0.02 * frame[['s0', 's1']].to_numpy().mean():.3g}")
    assert result.rope == (-half, half)
    assert f"the ROPE [-{half:g}, +{half:g}] with" in str(result)
    assert "The ROPE is 2% of the observed mean." in str(result)


def test_draws_are_those_of_the_multivariate_t():
    frame = values(12, 3)
    result = contest(frame, measure="mean", seed=3, draws=200_000)
    psi = result.psi[0, :, :, 0]
    n = len(frame)
    expected = frame.cov().to_numpy() / n * (n - 1) / (n - 3)  # of a t with n - 1 degrees
    np.testing.assert_allclose(psi.mean(axis=0), frame.mean(), atol=0.001)
    np.testing.assert_allclose(np.cov(psi.T), expected, rtol=0.05)
    for a, b in itertools.combinations(range(3), 2):
        d = frame.iloc[:, a] - frame.iloc[:, b]
        t = stats.t(n - 1, d.mean(), d.sem())
        assert stats.kstest(psi[::20, a] - psi[::20, b], t.cdf).pvalue > 0.001
    assert (
        stats.kstest(psi[::20, 0], stats.t(n - 1, frame["s0"].mean(), frame["s0"].sem()).cdf)[1]
        > 0.001
    )


def test_a_contest_and_a_comparison_say_the_same():
    frame = values(8, 12)  # more systems than items
    result = contest(frame, measure="mean", rope=0.02, seed=1, draws=2000)
    pairs = result.pairs().set_index(["a", "b"])
    for a, b in [("s0", "s1"), ("s3", "s11")]:
        alone = compare(frame, a=a, b=b, measure="mean", rope=0.02, seed=7).evidence()
        for said in (result.between(a, b).evidence(), pairs.loc[(a, b)]):
            for name in ("mean", "std", "p_less", "p_greater", "p_rope"):
                assert (
                    said[name]
                    if isinstance(said, pd.Series)
                    else getattr(said, name) == (pytest.approx(getattr(alone, name), rel=1e-12))
                )
        assert pairs.loc[(a, b), "hdi_low"] == pytest.approx(alone.hdi[0])
        assert pairs.loc[(a, b), "decision"] == alone.decision


def test_near_twins_keep_their_narrow_difference():
    frame = values(50, 3)
    frame["twin"] = frame["s0"] + np.random.default_rng(5).normal(0, 1e-6, 50)
    result = contest(frame, measure="mean", seed=1)
    psi = result.psi[0, :, :, 0]
    d = frame["s0"] - frame["twin"]
    assert (psi[:, 0] - psi[:, 3]).std() == pytest.approx(d.sem() * np.sqrt(49 / 47), rel=0.02)
    frame["same"] = frame["s0"]
    pairs = contest(frame, measure="mean", seed=1).pairs().set_index(["a", "b"])
    row = pairs.loc[("s0", "same")]
    assert (row["p_less"], row["p_greater"], row["p_rope"], row["decision"]) == (0, 0, 1, "=")


def test_an_informative_prior_is_normal_inverse_gamma():
    """By quadrature over the standard deviation, and with it over the difference."""
    frame = values(15)
    weight, sd, degrees = 3.0, 0.2, 4.0
    result = compare(
        frame, a="s1", b="s0", measure="mean", prior=Prior(items=(weight, sd, degrees)), seed=1
    )
    d = (frame["s1"] - frame["s0"]).to_numpy()
    variance = np.geomspace(1e-4, 1, 3000)[:, None]
    delta = np.linspace(-0.4, 0.4, 3001)[None]
    log = stats.invgamma.logpdf(variance, degrees / 2, scale=degrees * sd**2 / 2)
    log = log + stats.norm.logpdf(delta, 0, np.sqrt(variance / weight))
    log = log + sum(stats.norm.logpdf(x, delta, np.sqrt(variance)) for x in d)
    density = np.trapezoid(np.exp(log - log.max()), variance[:, 0], axis=0)
    density /= np.trapezoid(density, delta[0])
    said = result.evidence()
    assert said.mean == pytest.approx(np.trapezoid(delta[0] * density, delta[0]), abs=1e-5)
    at_zero = np.interp(0, delta[0], density)
    prior = stats.t(degrees, 0, sd / np.sqrt(weight))
    assert said.bf_sd == pytest.approx(at_zero / prior.pdf(0), rel=1e-3)
    inside = (np.abs(delta[0]) <= 0.05) * density
    p, q = np.trapezoid(inside, delta[0]), prior.cdf(0.05) - prior.cdf(-0.05)
    assert said.p_rope == pytest.approx(p, abs=2e-3)
    assert said.bf_rope == pytest.approx(p / (1 - p) / (q / (1 - q)), rel=0.02)
    assert said.mean == pytest.approx(
        result.scores.delta.mean(), abs=5 * result.scores.delta.std() / 200
    )
    # The prior draws are of the same t.
    assert stats.kstest(result.prior_delta("1")[0, ::10], prior.cdf).pvalue > 0.001
    assert said.bf_sd_defined
    with pytest.raises(InputError, match=r"'prior.items' parameter must be None for more than two"):
        contest(values(9, 3), measure="mean", prior=Prior(items=(1, 1, 1)))


def test_a_weak_prior_has_one_degree_more_than_a_flat_one():
    """Normal(0, sigma^2 / weight) has 1 / sigma in it, however weak: n degrees, not n - 1."""
    n, draws = 12, 200_000
    frame = values(n)
    weak = compare(
        frame,
        a="s0",
        b="s1",
        measure="mean",
        seed=1,
        prior=Prior(items=(1e-9, 1e-6, 1e-9)),
        draws=draws,
    )
    d, level = frame["s0"] - frame["s1"], frame.mean(axis=1)
    s_dd, s_md = ((d - d.mean()) ** 2).sum(), ((d - d.mean()) * (level - level.mean())).sum()
    t = stats.t(n, d.mean(), np.sqrt(s_dd) / n)
    said = weak.evidence()
    assert (said.mean, said.std) == pytest.approx((t.mean(), t.std()), rel=1e-6)
    assert said.hdi == pytest.approx(t.interval(0.95), rel=1e-6)
    # Given the difference, the level is a regression on it: left / chi2 with n degrees.
    left = ((level - level.mean()) ** 2).sum() - s_md**2 / s_dd
    slope = (s_md / s_dd) ** 2 + left / (n - 2) / s_dd
    variance = left / (n - 2) / n + slope * t.var()
    drawn = weak.scores.psi[0, :, :, 0].mean(axis=1)
    assert abs(drawn.mean() - level.mean()) < 4.5 * np.sqrt(variance / draws)
    squares = (drawn - level.mean()) ** 2
    assert abs(squares.mean() - variance) < 4.5 * squares.std() / np.sqrt(draws)


@pytest.mark.stan
@pytest.mark.parametrize("prior", [None, Prior(items=(3.0, 0.2, 4.0))], ids=["flat", "informed"])
def test_stan_agrees_with_the_t(prior):
    frame = values(15)
    asked = {"a": "s0", "b": "s1", "measure": "mean", "rope": 0.02, "prior": prior, "seed": 1}
    exact, stan = compare(frame, **asked), compare(frame, engine="stan", draws=2000, **asked)
    assert stan.sampler_warnings == ()
    one, other = exact.evidence(), stan.evidence()
    assert abs(one.mean - other.mean) < 4.5 * other.mcse
    assert other.std == pytest.approx(one.std, rel=0.06)
    for name in ("p_less", "p_below", "p_above"):
        p = getattr(one, name)
        assert abs(p - getattr(other, name)) < 4.5 * np.sqrt(p * (1 - p) / 2000) + 1e-4
    psi = stan.scores.psi[..., 0]
    for k in range(2):
        assert abs(psi[..., k].mean() - exact.scores.psi[..., k, 0].mean()) < 5 * mcse(psi[..., k])


@pytest.mark.stan
def test_stan_takes_several_systems():
    frame = values(12, 3)
    exact, stan = (
        contest(frame, measure="mean", seed=1, engine=engine) for engine in ("exact", "stan")
    )
    one, other = (result.psi.reshape(-1, 3) for result in (exact, stan))
    np.testing.assert_allclose(np.cov(one.T), np.cov(other.T), rtol=0.2)
    with pytest.raises(InputError, match="'exact' for items with more than 6 systems"):
        contest(values(12, 7), measure="mean", engine="stan")


def clustered(rng, clusters=12, size=6, shared=0.1):
    sizes = rng.integers(1, 2 * size, clusters)
    cluster = np.repeat(np.arange(clusters), sizes)
    effect = rng.normal(0, shared, clusters)[cluster]
    a = rng.normal(0.5, 0.1, len(cluster)) + effect
    return pd.DataFrame({"a": a, "b": rng.normal(0.5, 0.1, len(cluster)), "thread": cluster})


def test_clusters_have_the_variance_of_their_sums():
    frame = clustered(np.random.default_rng(3), clusters=200)
    result = compare(frame, a="a", b="b", measure="mean", cluster="thread", seed=1)
    d = (frame["a"] - frame["b"]).groupby(frame["thread"])
    mean = (frame["a"] - frame["b"]).mean()
    away = d.sum() - mean * d.size()
    error = np.sqrt((away**2).sum() * 200 / 199) / len(frame)  # the sandwich of cluster sums
    assert result.model.name == "clusters"
    assert result.evidence().std == pytest.approx(error, rel=0.03)
    assert result.evidence().mean == pytest.approx(mean, abs=4 * error / 100)
    ignored = compare(frame, a="a", b="b", measure="mean", seed=1).evidence()
    assert ignored.std < 0.75 * result.evidence().std
    assert f"({len(frame):,} items in 200 clusters)" in str(result)
    assert "mean over new clusters of items" in str(result)


def test_ratios_have_the_variance_of_the_delta_method():
    rng = np.random.default_rng(4)
    shown = rng.poisson(20, (300, 2)) + 1
    clicks = rng.binomial(shown, rng.beta(2, 20, (300, 1)) * [1.0, 0.8])
    columns = {"clicks_a": clicks[:, 0], "clicks_b": clicks[:, 1]}
    frame = pd.DataFrame(columns | {"shown_a": shown[:, 0], "shown_b": shown[:, 1]})
    asked = {"a": "clicks_a", "b": "clicks_b", "denominator": ["shown_a", "shown_b"], "seed": 1}
    result = compare(frame, measure="ratio", **asked)
    ratio = clicks.sum(axis=0) / shown.sum(axis=0)
    away = (clicks - ratio * shown) / shown.mean(axis=0)
    error = (away[:, 0] - away[:, 1]).std(ddof=1) / np.sqrt(300)
    said = result.evidence()
    assert (said.observed_A, said.observed_B) == pytest.approx(tuple(ratio))
    assert said.std == pytest.approx(error, rel=0.03)
    assert "ratio over new items (300 items)" in str(result)
    # So many users that weighted sums are taken to be normal.
    many = pd.concat([frame] * 20, ignore_index=True)
    assert compare(many, measure="ratio", **asked).evidence().std == pytest.approx(
        error / np.sqrt(20), rel=0.03
    )


def repeated(rng, items=25, runs=5, a=0.7, b=0.6, clusters=None):
    """Right and wrong answers, several to each item, in long format."""
    p = np.clip(rng.normal([a, b], 0.2, (items, 2)), 0.02, 0.98)
    right = rng.random((runs, items, 2)) < p
    index = np.indices(right.shape).reshape(3, -1)
    frame = pd.DataFrame({"q": index[1], "model": np.array(["A", "B"])[index[2]]})
    frame["right"] = right.reshape(-1).astype(int)
    return frame if clusters is None else frame.assign(thread=frame["q"] % clusters)


LONG = {"item": "q", "system": "model", "value": "right", "measure": "mean"}


def test_runs_are_averaged_before_items_are_compared():
    frame = repeated(np.random.default_rng(5))
    result = compare(frame, **LONG, seed=1)
    means = frame.pivot_table(index="q", columns="model", values="right", aggfunc="mean")
    d = means["A"] - means["B"]
    assert result.evidence().mean == pytest.approx(d.mean())
    assert result.evidence().hdi == pytest.approx(stats.t(24, d.mean(), d.sem()).interval(0.95))
    assert result.n_documents() == (25, 25)


def test_the_same_items_asked_again():
    frame = repeated(np.random.default_rng(6), items=40)
    result = compare(frame, **LONG, population="runs", seed=1)
    each = frame.groupby(["q", "model"])["right"]
    error = np.sqrt((each.var() / each.size()).sum()) / 40
    said = result.evidence()
    means = each.mean().unstack()
    assert said.mean == pytest.approx((means["A"] - means["B"]).mean(), abs=0.002)  # not shrunk
    assert said.std == pytest.approx(error, rel=0.05)
    assert "over these items asked again" in str(result)
    new = compare(frame, **LONG, seed=1).evidence()
    assert new.std > said.std  # new items vary, too


def test_the_populations_that_data_cannot_answer_are_told():
    frame = repeated(np.random.default_rng(7), runs=1)
    with pytest.raises(InputError, match="needs two runs or more of every system on every item"):
        compare(frame, **LONG, population="runs")
    with pytest.raises(InputError, match="3 data sets or more are needed"):
        compare(frame, **LONG, population="datasets")
    with pytest.raises(InputError, match="'population' parameter must be None where 'model' is"):
        compare(frame, **LONG, population="runs", model="items")
    with pytest.raises(InputError, match="'population' parameter must be None for F1: only values"):
        compare([1, 0], [1, 0], [0, 1], population="items")


def test_a_new_data_set_against_importance_sampling():
    rng = np.random.default_rng(8)
    sets, each = 6, 30
    dataset = np.repeat(np.arange(sets), each)
    true = rng.normal(0.1, 0.08, sets)
    level = rng.normal(0.5, 0.2, sets * each)
    columns = {"a": level + true[dataset] + rng.normal(0, 0.2, sets * each), "b": level}
    frame = pd.DataFrame(columns | {"bench": dataset})
    result = compare(
        frame, a="a", b="b", measure="mean", dataset="bench", population="datasets", seed=1
    )
    d = (frame["a"] - frame["b"]).groupby(frame["bench"])
    seen, error = d.mean().to_numpy(), d.sem().to_numpy()
    scale = np.sqrt(d.var().mean())
    n = 400_000
    eta, tau = rng.uniform(-0.5, 0.7, n), np.abs(scale * rng.standard_cauchy(n))
    width = np.sqrt(error**2 + tau[:, None] ** 2)
    log = stats.norm.logpdf(seen, eta[:, None], width).sum(axis=1)
    weights = np.exp(log - log.max())
    new = eta + tau * rng.standard_normal(n)
    mean = np.average(new, weights=weights)
    said = result.evidence()
    assert said.mean == pytest.approx(mean, abs=0.004)
    inside = np.average((new > 0), weights=weights)
    assert said.p_greater == pytest.approx(inside, abs=0.01)
    assert "mean over a new data set" in str(result)
    asked = {"measure": "mean", "dataset": "bench", "population": "datasets", "seed": 1}
    assert contest(frame, systems=["a", "b"], **asked).model.name == "datasets"


@pytest.fixture(scope="module")
def answered():
    frame = repeated(np.random.default_rng(9), items=12, runs=4, clusters=9)
    return frame, compare(frame, **LONG, model="repeated", seed=1, chains=2)


@pytest.mark.stan
def test_repeated_answers_against_importance_sampling(answered):
    """Integrate the items out on a grid of their log-odds; weigh draws from the prior."""
    frame, result = answered
    counts = frame.groupby(["q", "model"])["right"].agg(["sum", "size"]).unstack()
    rng = np.random.default_rng(10)
    n = 10_000
    mu, tau = rng.normal(0, 1.5, (n, 2)), np.abs(rng.normal(0, 1.5, (n, 2)))
    rho = rng.uniform(-1, 1, n)
    node, weight = np.polynomial.hermite_e.hermegauss(21)
    z = np.stack(np.meshgrid(node, node), axis=-1).reshape(-1, 2)
    share = np.outer(weight, weight).ravel() / weight.sum() ** 2
    log = np.zeros(n)
    second = rho[:, None] * z[:, 0] + np.sqrt(1 - rho**2)[:, None] * z[:, 1]
    odds = np.stack([mu[:, :1] + tau[:, :1] * z[:, 0], mu[:, 1:] + tau[:, 1:] * second])
    p = 1 / (1 + np.exp(-odds))
    for _, row in counts.iterrows():
        both = np.ones(p.shape[1:])
        for k, name in enumerate("AB"):
            right, runs = row["sum", name], row["size", name]
            both *= p[k] ** right * (1 - p[k]) ** (runs - right)
        log += np.log(both @ share)
    weights = np.exp(log - log.max())
    psi = p @ share
    delta = psi[0] - psi[1]
    expected = np.average(delta, weights=weights)
    error = np.sqrt(np.sum(weights**2 * (delta - expected) ** 2)) / weights.sum()
    drawn = result.row_draws("posterior", "delta", "1")
    assert abs(drawn.mean() - expected) < 4.5 * np.hypot(mcse(drawn), error)
    assert drawn.std() == pytest.approx(
        np.sqrt(np.average((delta - expected) ** 2, weights=weights)), rel=0.15
    )
    assert 0 < result.evidence().bf_sd < np.inf  # its prior is proper


@pytest.mark.stan
def test_repeated_answers_in_clusters(answered):
    frame, alone = answered
    asked = {**LONG, "model": "repeated", "chains": 2, "seed": 1}
    result = compare(frame, cluster="thread", **asked)
    assert result.draws.posterior["omega"].shape == (2, 1000, 2)
    assert result.evidence().std > 0.8 * alone.evidence().std
    assert "(12 items in 9 clusters)" in str(result)
    with pytest.raises(InputError, match=r"right \(1\) or wrong \(0\) only"):
        compare(values(8), a="s0", b="s1", measure="mean", model="repeated")


@pytest.mark.parametrize("name", ["items", "clusters", "runs", "datasets"])
def test_what_was_saved_says_the_same(name, tmp_path):
    frame = repeated(np.random.default_rng(11), clusters=9).assign(bench=lambda f: f["q"] % 4)
    more = {
        "items": {"prior": Prior(items=(1, 0.3, 3)), "rope": "2%"},
        "clusters": {"cluster": "thread", "higher_is_better": False},
        "runs": {"population": "runs"},
        "datasets": {"population": "datasets", "dataset": "bench"},
    }[name]
    result = compare(frame, **LONG, **more, seed=1, draws=500)
    assert result.model.name == name
    again = load(result.save(tmp_path / "result.nc"))
    assert str(again) == str(result)
    assert again.to_json() == result.to_json()
    assert again.judge(rope=0.3).to_csv() == result.judge(rope=0.3).to_csv()
    assert again.to_html(tmp_path / "page.html").read_text() == (
        result.to_html(tmp_path / "same.html").read_text()
    )
    np.testing.assert_array_equal(again.data.values, result.data.values)


@pytest.mark.parametrize("more", [{}, {"cluster": "thread"}, {"population": "runs"}])
def test_other_ropes_and_priors_can_be_asked(more):
    frame = repeated(np.random.default_rng(11), clusters=9)
    result = compare(frame, **LONG, **more, seed=1, draws=2000)
    found = result.sensitivity()
    assert found.priors["prior"].tolist() == ["the model's own"]
    assert str(found).count("\n") > 5
    if not more:
        wide = result.sensitivity(priors={"wide": Prior(items=(1, 5.0, 3))})
        assert wide.priors["std"][0] > found.priors["std"][0]
    result.plot_ropes()
    result.plot_posterior()
    plt.close("all")


def test_every_model_of_values_refuses_labels():
    for name in ("items", "clusters", "runs", "datasets", "repeated"):
        with pytest.raises(InputError, match=r"measure='mean'|pass cluster="):
            compare([1, 0, 1], [1, 0, 0], [0, 1, 1], model=name, seed=1)
    frame = values(9).assign(c=[0, 0, 1, 2, 3, 4, 5, 6, 7])
    with pytest.raises(InputError, match="These items hang together in clusters"):
        compare(frame, a="s0", b="s1", measure="mean", cluster="c", model="items")


def test_the_models_have_populations():
    assert {name for name, model in MODELS.items() if model.accepts.kind == "values"} == {
        *("items", "clusters", "runs", "datasets", "repeated", "folds", "folds_unpaired"),
        "folds_datasets",
        "seeds",
    }
    data = build_items({"a": [1.0, 2, 3, 5], "b": [1.0, 1, 4, 4]})
    assert describe_population(MODELS["items"], data) == "new items"
