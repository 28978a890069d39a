"""What the tree says of documents under the other models, against SciPy and what theory gives."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from agreement import same_law
from arviz_stats import loo, psense
from contestants import labels
from scipy import stats

from stanoff import Comparison, Prior, compare, contest, load
from stanoff.inference.intervals import mcse
from stanoff.models import MODELS
from stanoff.models.base import PredictiveModel
from stanoff.models.patterns import _allocate_to_unseen

DRAWS = 4000
SIGMAS = 4.5
VOTED, VOTERS = 60, 4  # so few documents that some of 16 patterns do not occur
PRIOR = Prior(beta=(2, 3), alpha_pos=1.5, alpha_neg=0.5)


def voters(**how):
    truth, said = labels(VOTED, VOTERS, 2, seed=3)
    return contest(truth, said, seed=1, **{"engine": "exact", "prior": PRIOR, "draws": DRAWS} | how)


def classes(many=3, **how):
    truth, said = labels(150, 2, many, seed=3)
    how = {"engine": "exact", "draws": DRAWS} | how
    return compare(truth, said["s0"], said["s1"], average="macro", seed=1, **how)


def values(**how):
    rng = np.random.default_rng(5)
    hard = rng.normal(size=(25, 1))
    frame = pd.DataFrame(hard + 0.7 * rng.normal(size=(25, 3)) + [0.4, 0.1, 0], columns=list("abc"))
    how = {"engine": "exact", "draws": DRAWS, "measure": "mean", "seed": 1} | how
    return compare(frame, a="a", b="b", **how) if "systems" not in how else contest(frame, **how)


def answers(clusters=False, **how):
    rng = np.random.default_rng(6)
    item = np.tile(np.repeat(np.arange(18), 4), 2)
    system = np.repeat(["a", "b"], 72)
    value = rng.random(144) < np.tile(np.repeat(rng.beta(2, 2, 18), 4), 2)
    frame = pd.DataFrame({"item": item, "system": system, "value": value.astype(int)})
    frame["cluster"] = frame["item"] % 9
    more = {"cluster": "cluster"} if clusters else {}
    layout = {"item": "item", "system": "system", "value": "value"} | more
    return compare(frame, **layout, measure="mean", model="repeated", seed=1, **how)


def scored(**how):
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 60)
    one = truth + rng.normal(size=60)
    two = 0.5 * truth + 0.5 * one + rng.normal(size=60)
    return compare(truth, one, two, measure="auc", model="binormal", seed=1, **how)


def near(drawn, expected):
    """Hold the mean of draws (chain, draw) against a number, within Monte-Carlo error."""
    assert abs(np.mean(drawn) - expected) <= SIGMAS * mcse(np.asarray(drawn, float)), expected


@pytest.fixture(scope="module")
def stan_results():
    """All programs that this file is about, drawn by Stan once."""
    how = {"engine": "stan", "draws": 500}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "contest": voters(**how),
            "joint": classes(**how),
            "multiclass": classes(**how, model="multiclass"),
            "items": values(**how, prior=Prior(items=(2.0, 1.0, 3.0))),
            "repeated": answers(clusters=True, **how),
            "binormal": scored(**how),
        }


def block_of(result):
    return result.model.predictive_data(result.data, result.prior)


# The patterns of contests, and the combinations of classes.


def test_exact_draws_are_drawn_again_with_what_documents_need():
    result = voters(draws=300)
    tree, block = result.tree, block_of(result)
    assert "theta_pos" not in result.fit.draws.posterior  # it is not kept for nothing
    assert tree["log_likelihood"]["group"][0] == "1, positive, s0 + s1 + s2 + s3"
    p = _of_patterns(tree["log_likelihood"]["log_lik"], block)
    cells = result.fit.draws.posterior["cells"]
    for system in range(VOTERS):  # what occurred is part of what was drawn
        for cell, counts in enumerate(("c_pos", "c_neg")):
            said_yes = p[counts] @ np.asarray(block["said"])[:, system]
            assert (said_yes <= cells[..., system, 0, cell] + 1e-12).all()
            assert (said_yes > 0).all()


def _of_patterns(log_lik, block):
    """Get the probabilities back: those of a document of each class and pattern."""
    labels = log_lik["group"].to_numpy().astype(str)
    found = {}
    for kind, name in (("positive", "c_pos"), ("negative", "c_neg")):
        counts = np.asarray(block[name])
        out = np.zeros((*log_lik.shape[:2], len(counts)))
        mine = np.flatnonzero(np.char.find(labels, kind) >= 0)
        first = mine[np.append(0, np.cumsum(counts[counts > 0])[:-1])]
        out[..., counts > 0] = np.exp(log_lik.to_numpy()[..., first])
        found[name] = out
    return found


@pytest.mark.stan
def test_the_likelihood_of_patterns_is_that_of_scipy(stan_results):
    result = stan_results["contest"]
    drawn, block = result.fit.draws.posterior, block_of(result)
    ours = result.tree["log_likelihood"]["log_lik"]
    counts = np.concatenate([block["c_pos"], block["c_neg"]])
    for i in (0, 40):
        mu = drawn["mu"][1, i, 0]
        p = np.append(mu * drawn["theta_pos"][1, i], (1 - mu) * drawn["theta_neg"][1, i])
        np.testing.assert_allclose(ours[1, i].sum(), _multinomial(counts, p), rtol=1e-9)


def _multinomial(counts, p):
    """Return SciPy's log-probability of counts in this order, the rest of p included."""
    counts, p = np.append(counts, 0), np.append(p, max(1 - p.sum(), 0))
    p = p / p.sum()
    ways = stats.multinomial(counts.sum(), np.full(len(p), 1 / len(p))).logpmf(counts)
    ways += counts.sum() * np.log(len(p))
    return stats.multinomial(counts.sum(), p).logpmf(counts) - ways


@pytest.mark.stan
def test_the_likelihood_of_classes_is_that_of_scipy(stan_results):
    result = stan_results["joint"]
    drawn, block = result.fit.draws.posterior, block_of(result)
    truth = np.asarray(block["rows"])[:, 0] - 1
    for i in (0, 40):
        p = drawn["mu"][1, i, truth] * drawn["theta"][1, i]
        ours = result.tree["log_likelihood"]["log_lik"][1, i]
        assert float(ours.sum()) == pytest.approx(_multinomial(block["n"], p))
    result = stan_results["multiclass"]
    drawn, block = result.fit.draws.posterior, block_of(result)
    for j, cells in enumerate(np.split(np.arange(len(block["n"])), [block["R"][0]])):
        p = (
            drawn["mu"][2, 7, j, np.asarray(block["truth"])[cells] - 1]
            * drawn["theta"][2, 7, cells]
        )
        ours = result.tree["log_likelihood"]["log_lik"][2, 7]
        mine = np.char.startswith(ours["group"].to_numpy().astype(str), "AB"[j])
        n = np.asarray(block["n"])[cells]
        assert float(ours[mine].sum()) == pytest.approx(_multinomial(n, p))


@pytest.mark.stan
@pytest.mark.parametrize("name", ["contest", "joint", "multiclass"])
def test_prior_densities_are_those_of_scipy(stan_results, name):
    result = stan_results[name]
    drawn, block = result.fit.draws.posterior, block_of(result)
    x = {variable: values[3, 9] for variable, values in drawn.items()}
    if name == "contest":
        expected = stats.beta(2, 3).logpdf(x["mu"][0])
        for kind, weight in (("pos", 6), ("neg", 2)):  # all patterns share four times the weight
            seen = x[f"theta_{kind}"][np.asarray(block[f"c_{kind}"]) > 0]
            expected += _dirichlet(seen, weight / 2**VOTERS, 2**VOTERS)
    elif name == "joint":
        truth = np.asarray(block["rows"])[:, 0] - 1
        expected = stats.dirichlet(block["beta"]).logpdf(x["mu"])
        expected += sum(_dirichlet(x["theta"][truth == k], 1 / 9, 9) for k in range(3))
    else:
        expected = sum(stats.dirichlet(block["beta"]).logpdf(mu) for mu in x["mu"])
        expected += stats.beta(*np.transpose(block["alpha_pos"])).logpdf(x["eta"]).sum()
        law = stats.lognorm(block["kappa_scale"], scale=np.exp(block["kappa_location"]))
        expected += law.logpdf(x["kappa"]).sum()
    ours = float(result.tree["log_prior"]["log_prior"][3, 9])
    assert ours == pytest.approx(float(expected), rel=1e-6)


def _dirichlet(seen, weight, parts):
    """Return SciPy's log-density of some parts of a Dirichlet, the others taken together."""
    others = weight * (parts - len(seen))
    if others == 0:
        return stats.dirichlet(np.full(parts, weight)).logpdf(seen / seen.sum())
    rest = 1 - seen.sum()
    return stats.dirichlet([weight] * len(seen) + [others]).logpdf([*seen, rest])


@pytest.mark.stan
@pytest.mark.parametrize("model", ["contest", "joint"])
def test_both_engines_say_the_same_of_documents(stan_results, model):
    exact = voters() if model == "contest" else classes()
    for group, name in (("log_likelihood", "log_lik"), ("log_prior", "log_prior")):
        one, other = (r.tree[group][name] for r in (exact, stan_results[model]))
        if group == "log_likelihood":
            one, other = one.sum("document"), other.sum("document")
        same_law(one.to_numpy(), other.to_numpy(), about=(model, name), at=float(other.mean()))


@pytest.mark.parametrize("group", ["posterior", "prior"])
def test_new_votes_follow_the_law_that_theory_gives(group):
    result = voters()
    new, block = result.tree[f"{group}_predictive"], block_of(result)
    seen = int(group == "posterior")
    n_pos, n = np.sum(block["c_pos"]), VOTED
    assert len(block["c_pos"]) < 2**VOTERS
    n_neg = n - n_pos
    total = new["cells"].sum("cell")
    assert (total == n).all()
    drawn_pos = new["cells"].sel(cell=["tp", "fn"]).sum("cell")[:, :, 0, 0]
    mean_pos = stats.betabinom(n, 2 + seen * n_pos, 3 + seen * n_neg).mean()
    near(drawn_pos, mean_pos)
    for kind, weight, most, mean in (
        ("c_pos", 6.0, n_pos, mean_pos),
        ("c_neg", 2.0, n_neg, n - mean_pos),
    ):
        counts = np.asarray(block[kind])
        for row in range(len(counts)):
            share = (weight / 2**VOTERS + seen * counts[row]) / (weight + seen * most)
            near(new[kind][..., row], mean * share)
        for system in range(VOTERS):
            yes = np.asarray(block["said"])[:, system] @ counts
            share = (weight / 2 + seen * yes) / (weight + seen * most)
            cell = "tp" if kind == "c_pos" else "fp"
            near(new["cells"].sel(cell=cell)[:, :, system, 0], mean * share)


@pytest.mark.parametrize("many", [3, 12])
@pytest.mark.parametrize("group", ["posterior", "prior"])
def test_new_documents_of_classes_follow_the_law_that_theory_gives(group, many):
    result = classes(many)  # all cells are drawn one by one, or those that did not occur by sticks
    new, block = result.tree[f"{group}_predictive"], block_of(result)
    seen, n = int(group == "posterior"), 150
    rows, counts = np.asarray(block["rows"]) - 1, np.asarray(block["n"])
    beta, truth = block["beta"][0], np.bincount(rows[:, 0], counts, many)
    mean_class = n * (beta + seen * truth) / (beta * many + seen * n)
    for row in range(0, len(rows), 5):
        k = rows[row, 0]
        share = (1 / many**2 + seen * counts[row]) / (1 + seen * truth[k])
        near(new["n"][..., row], mean_class[k] * share)
    for k in (0, many - 1):
        right = counts[(rows[:, 0] == k) & (rows[:, 1] == k)].sum()
        share = (1 / many + seen * right) / (1 + seen * truth[k])
        near(new["cells"].sel(cell="tp")[:, :, 0, k], mean_class[k] * share)
    assert (new["cells"].sum("cell") == n).all()


@pytest.mark.stan
def test_new_documents_of_multiclass_are_what_its_cells_expect(stan_results):
    result = stan_results["multiclass"]
    new, cells = result.tree["posterior_predictive"]["cells"], result.fit.draws.posterior["cells"]
    for system, k, cell in ((0, 0, 0), (0, 2, 1), (1, 1, 2), (1, 0, 3)):
        drawn = new.to_numpy()[..., system, k, cell]
        near(drawn - 150 * cells[..., system, k, cell], 0)


def test_documents_elsewhere_are_dirichlet_multinomial():
    rng = np.random.default_rng(1)
    n, seen = np.full(40_000, 6), np.array([1, 4])
    new = np.zeros((len(n), 5), dtype=int)
    for place, count, outcome in _allocate_to_unseen(n, 0.4, seen, 5, rng):
        np.add.at(new, (place, outcome), count)
    assert not new[:, seen].any()
    law = stats.dirichlet_multinomial([0.4, 0.4, 0.4], 6)
    for counts in ([6, 0, 0], [2, 2, 2], [5, 1, 0]):
        p = law.pmf(counts)
        found = (new[:, [0, 2, 3]] == counts).all(axis=1).mean()
        assert abs(found - p) < SIGMAS * np.sqrt(p * (1 - p) / len(n))


def test_draws_again_are_the_same_block_by_block(monkeypatch):
    monkeypatch.setattr("stanoff.models.patterns.NUMBERS_OF_CLASSES", 20_000)
    monkeypatch.setattr("stanoff.store.predictive.MAX_NUMBERS", 30_000)
    result = classes(12, draws=700)
    log_lik, block = result.tree["log_likelihood"]["log_lik"], block_of(result)
    kept = log_lik["draw"].to_numpy()
    assert 1 < kept[1] < 100  # every so-manieth
    rows, n = np.asarray(block["rows"]), np.asarray(block["n"])
    p = np.exp(log_lik.to_numpy()[0][:, np.append(0, np.cumsum(n)[:-1])])
    for k in range(12):
        right = p[:, (rows[:, 0] == k + 1) & (rows[:, 1] == k + 1)].sum(axis=1)
        tp = result.fit.draws.posterior["cells"][0, kept, 0, k, 0]
        assert (right <= tp + 1e-12).all()
        assert np.corrcoef(right, tp)[0, 1] > 0.9  # the rest is what did not occur


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.errors.SamplingWarning")
@pytest.mark.parametrize("engine", ["exact", "stan"])
def test_the_tree_of_a_contest_has_the_rows_of_its_question(engine):
    truth, said = labels(120, 3, 3, seed=3)
    result = contest(
        truth, said, model="contest", average="macro", seed=1, draws=200, engine=engine
    )
    for group in ("posterior", "prior"):
        psi = result.tree[group]["psi"]
        assert psi["row"].to_numpy().tolist() == ["0", "1", "2", "macro", "micro", "weighted"]
        assert psi["system"].to_numpy().tolist() == ["s0", "s1", "s2"]
    np.testing.assert_array_equal(result.tree["posterior"]["psi"], result.psi)
    delta = result.tree["posterior"]["delta"].sel(pair="s0 - s2", row="macro")
    np.testing.assert_array_equal(delta, result.between("s0", "s2").scores.delta[..., 3])
    assert result.tree["posterior_predictive"]["cells"].shape[2:] == (3, 3, 4)


def test_more_than_six_systems_have_no_groups_and_say_so():
    truth, said = labels(100, 7, 2, seed=3)
    result = contest(truth, said, seed=1, draws=200)
    assert "log_likelihood" not in result.tree.children
    assert "do not hold what it takes" in result.check().sentence()


def test_a_pair_of_a_contest_has_a_tree():
    pair = voters(draws=200).between("s2", "s0")
    assert "log_likelihood" not in pair.tree.children
    assert "do not hold what it takes" in pair.check().sentence()
    assert pair.tree["posterior"]["delta"].shape == (1, 200, 1)


# Values of items.


@pytest.mark.stan
@pytest.mark.parametrize("prior", [Prior(), Prior(items=(2.0, 1.0, 3.0))])
def test_the_covariance_given_the_means_is_that_of_stan(stan_results, prior):
    exact = values(prior=prior).tree
    told = stan_results["items"] if prior.items else values(engine="stan", draws=500)
    for item in (0, 11):
        one, other = (t["log_likelihood"]["log_lik"][..., item] for t in (exact, told.tree))
        same_law(one.to_numpy(), other.to_numpy(), about=("items", item), at=float(other.mean()))
    total, by_stan = (t["log_likelihood"]["log_lik"].sum("item") for t in (exact, told.tree))
    same_law(total.to_numpy(), by_stan.to_numpy(), about="all", at=float(by_stan.mean()))
    assert ("log_prior" in exact.children) == (prior.items is not None)
    assert "prior_predictive" not in exact.children
    if prior.items:
        one, other = (t["log_prior"]["log_prior"].to_numpy() for t in (exact, told.tree))
        same_law(one, other, about="prior", at=float(other.mean()))


@pytest.mark.stan
def test_the_density_of_values_is_that_of_scipy(stan_results):
    result = stan_results["items"]
    x = {name: v[2, 5] for name, v in result.fit.draws.posterior.items()}
    root = x["sigma"][:, None] * x["L_Omega"]
    law = stats.multivariate_normal(x["mu"], root @ root.T)
    ours = result.tree["log_likelihood"]["log_lik"][2, 5]
    np.testing.assert_allclose(ours, law.logpdf(block_of(result)["y"]), rtol=1e-9)
    variance = np.array([1, -1]) @ root @ root.T @ np.array([1, -1])
    expected = stats.invgamma(1.5, scale=1.5).logpdf(variance)
    expected += stats.norm(0, np.sqrt(variance / 2)).logpdf(x["mu"][0] - x["mu"][1])
    assert float(result.tree["log_prior"]["log_prior"][2, 5]) == pytest.approx(expected)


def test_new_values_follow_the_law_that_theory_gives():
    result = values(draws=20_000)
    new, y = result.tree["posterior_predictive"]["y"], block_of(result)["y"]
    n, d = len(y), y[:, 0] - y[:, 1]
    law = stats.t(n - 1, d.mean(), d.std(ddof=1) * np.sqrt(1 + 1 / n))
    drawn = (new[0, :, 3, 0] - new[0, :, 3, 1]).to_numpy()  # a new item's difference
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-4
    many = values(systems=list("abc"), draws=2000)
    assert many.tree["posterior_predictive"]["y"].shape == (1, 2000, 25, 3)
    assert "psi" in many.tree["posterior"]


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.errors.SamplingWarning")
def test_a_pair_of_a_contest_of_values_has_all():
    pair = values(systems=list("abc"), engine="stan", draws=200).between("c", "a")
    posterior = pair.tree["posterior"]
    assert posterior["mu"]["system"].to_numpy().tolist() == ["c", "a"]
    np.testing.assert_allclose(posterior["mu"][..., 0], posterior["psi_A"][..., 0])
    assert pair.tree["log_likelihood"]["log_lik"].shape == (4, 200, 25)


def test_too_few_items_for_a_covariance_have_no_likelihood():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(4, 5)), columns=list("abcde"))
    result = contest(frame, measure="mean", seed=1, draws=100)
    assert "log_likelihood" not in result.tree.children
    assert "do not hold what it takes" in result.check().sentence()


# Right and wrong answers, and scores.


@pytest.mark.stan
def test_answers_are_those_of_scipy(stan_results):
    result = stan_results["repeated"]
    tree, block = result.tree, block_of(result)
    x = {name: v[1, 8] for name, v in result.fit.draws.posterior.items()}
    odds = x["mu"][:, None] + np.diag(x["tau"]) @ x["L_Omega"] @ x["z"]
    shared = np.diag(x["omega"]) @ x["L_cluster"] @ x["z_cluster"]
    p = 1 / (1 + np.exp(-odds - shared[:, np.asarray(block["cluster"]) - 1]))
    expected = stats.binom(block["runs"].T, p).logpmf(block["right"].T).sum(axis=0)
    np.testing.assert_allclose(tree["log_likelihood"]["log_lik"][1, 8], expected, rtol=1e-9)
    density = stats.norm(0, 1.5).logpdf(x["mu"]).sum() - 2 * np.log(2)  # correlations: uniform
    density += stats.halfnorm(0, 1.5).logpdf([*x["tau"], *x["omega"]]).sum()
    assert float(tree["log_prior"]["log_prior"][1, 8]) == pytest.approx(density)
    free = tree["posterior"]
    whole = _free_answers(free) + tree["log_prior"]["log_prior"].to_numpy()
    whole = whole + tree["log_likelihood"]["log_lik"].sum("item").to_numpy()
    off = tree["sample_stats"]["lp"].to_numpy() - whole
    np.testing.assert_allclose(off, off.ravel()[0], atol=1e-6)  # but for constants


def _free_answers(x):
    """Return what lp__ has beside prior and likelihood: effects, and the unconstrained scale."""
    total = 0.0
    for name in ("z", "z_cluster"):
        total = total - 0.5 * (x[name].to_numpy() ** 2).sum(axis=(-1, -2))
    for name in ("tau", "omega"):
        total = total + np.log(x[name].to_numpy()).sum(axis=-1)
    for name in ("L_Omega", "L_cluster"):
        total = total + np.log1p(-(x[name].to_numpy()[..., 1, 0] ** 2))
    return total


@pytest.mark.stan
def test_scores_are_those_of_scipy(stan_results):
    result = stan_results["binormal"]
    tree = result.tree
    x = {name: v[0, 4] for name, v in result.fit.draws.posterior.items()}
    pos = result.data.truth[0] == 1
    expected = np.empty(60)
    density = 0.0
    for kind, mine in (("pos", pos), ("neg", ~pos)):
        s, r = x[f"s_{kind}"], x[f"r_{kind}"]
        law = stats.multivariate_normal(x[f"m_{kind}"], np.outer(s, s) * [[1, r], [r, 1]])
        expected[mine] = law.logpdf(tree["observed_data"][f"x_{kind}"])
        density += stats.norm(0, 1).logpdf(x[f"m_{kind}"]).sum()
        density += stats.lognorm(0.5).logpdf(s).sum() + stats.beta(2, 2).logpdf((r + 1) / 2)
        density -= np.log(2)
    np.testing.assert_allclose(tree["log_likelihood"]["log_lik"][0, 4], expected, rtol=1e-9)
    assert float(tree["log_prior"]["log_prior"][0, 4]) == pytest.approx(density)
    drawn = tree["posterior"]
    whole = tree["log_likelihood"]["log_lik"].sum("document").to_numpy()
    whole = whole + tree["log_prior"]["log_prior"].to_numpy()
    for kind in ("pos", "neg"):  # lp__ is on an unconstrained scale
        whole = whole + np.log(drawn[f"s_{kind}"].to_numpy()).sum(axis=-1)
        whole = whole + np.log1p(-(drawn[f"r_{kind}"].to_numpy() ** 2))
    off = tree["sample_stats"]["lp"].to_numpy() - whole
    np.testing.assert_allclose(off, off.ravel()[0], atol=1e-6)


@pytest.mark.stan
def test_new_answers_and_scores_are_what_their_draws_expect(stan_results):
    tree, drawn = (getattr(stan_results["binormal"], name) for name in ("tree", "fit"))
    new = tree["posterior_predictive"]["x_pos"].to_numpy()[..., 3, :]
    m, s, r = (drawn.draws.posterior[f"{name}_pos"] for name in "msr")
    z = (new - m) / s
    for system in (0, 1):
        near(z[..., system], 0)
        near(z[..., system] ** 2, 1)
    near(z[..., 0] * z[..., 1] - r, 0)
    repeated = stan_results["repeated"]
    tree, x = repeated.tree, repeated.fit.draws.posterior
    for item in (0, 9):
        c = block_of(repeated)["cluster"][item] - 1
        odds = x["mu"][..., 0] + x["tau"][..., 0] * x["z"][..., 0, item]
        odds = odds + x["omega"][..., 0] * x["z_cluster"][..., 0, c]
        near(tree["posterior_predictive"]["right"][..., item, 0] - 4 / (1 + np.exp(-odds)), 0)


# All of them.


@pytest.mark.stan
@pytest.mark.parametrize(
    "name", ["contest", "joint", "multiclass", "items", "repeated", "binormal"]
)
def test_arviz_and_a_check_take_every_tree(stan_results, name):
    result = stan_results[name]
    tree = result.tree
    var = "delta" if "delta" in tree["posterior"] else "psi"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a whole group of documents is much to leave out
        assert np.isfinite(loo(tree).elpd)
        for group in ("prior", "likelihood"):
            assert (psense(tree, var_names=[var], group=group)[var].to_numpy() > 0).all()
    assert {"posterior_predictive", "constant_data"} <= set(tree.children)
    assert ("prior_predictive" in tree.children) == (name != "items")
    for variable, drawn in tree["posterior_predictive"].data_vars.items():
        assert drawn.shape[2:] == tree["observed_data"][variable].shape
    found = result.check()
    assert "lie within their 95 % predictive interval" in found.sentence()
    assert found.passed == (not result.sampler_warnings)
    assert (found.table["kind"] == "score").sum() >= 3


SUMMARIES = {"folds", "folds_datasets", "seeds"}  # whose programs know no document by itself


def test_every_program_says_what_documents_it_would_draw():
    programs = [model for model in MODELS.values() if model.inputs]
    assert all(
        isinstance(model, PredictiveModel) for model in programs if model.name not in SUMMARIES
    )


@pytest.mark.stan
def test_a_result_that_was_saved_says_the_same(stan_results, tmp_path):
    for name in ("joint", "contest", "items"):
        again = load(stan_results[name].save(tmp_path / f"{name}.nc"))
        for group in ("log_likelihood", "posterior_predictive"):
            assert again.tree[group].equals(stan_results[name].tree[group]), (name, group)


@pytest.mark.stan
def test_a_check_says_when_a_model_does_not_fit(stan_results):
    result = stan_results["binormal"]
    turned = replace(result.data, truth=1 - result.data.truth)
    wrong = Comparison.from_fit(replace(result.fit, data=turned), "A", "B", result.question).check()
    assert not wrong.passed
    assert "The model does not expect the observed AUC of A" in wrong.sentence()
    result = stan_results["multiclass"]
    others = replace(result.data, n=np.roll(result.data.n, 1))  # other counts of each kind
    wrong = Comparison.from_fit(replace(result.fit, data=others), "A", "B", result.question).check()
    assert not wrong.passed
    assert "That is too few: the model does not fit (n[" in wrong.sentence()
