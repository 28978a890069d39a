"""Categories that are sampled some at a time have the posterior and prior they would have alone."""

import numpy as np
import pytest
from agreement import same_law
from scipy import stats

from stanoff import compare_counts
from stanoff.engines.draws import concatenate
from stanoff.engines.stan import CHUNK, category_axes, combine_stats
from stanoff.models import MODELS
from stanoff.models.counts import _draw_dirichlets

RNG = np.random.default_rng(7)
K = 2 * CHUNK + 3
POS = RNG.multinomial(30, [0.6, 0.15, 0.05, 0.2], K)
NEG = RNG.multinomial(90, [0.05, 0.05, 0.05, 0.85], K)
HOW = {"engine": "stan", "chains": 2, "draws": 1000, "seed": 5}


@pytest.fixture(scope="module", params=["paired", "unpaired"])
def fit(request):
    return compare_counts(POS, NEG, model=request.param, average="macro", **HOW)


@pytest.mark.stan
def test_blocks_have_the_posterior_of_the_exact_engine(fit):
    model = fit.model.name
    exact = compare_counts(POS, NEG, model=model, average="macro", engine="exact", seed=1)
    rows = [*map(str, (0, CHUNK - 1, CHUNK, 2 * CHUNK, K - 1)), "macro"]
    for group in ("posterior", "prior"):
        for row in rows:
            ours, yardstick = (r.row_draws(group, "delta", row) for r in (fit, exact))
            same_law(ours, yardstick, about=(group, row))
    alone = compare_counts(POS[:CHUNK], NEG[:CHUNK], model=model, **HOW)
    np.testing.assert_array_equal(alone.scores.delta, fit.scores.delta[..., :CHUNK])
    assert fit.tree["posterior"].sizes["category"] == K
    assert fit.tree["sample_stats"].sizes == {"chain": 2, "draw": 1000}


@pytest.mark.stan
def test_blocks_do_not_know_of_each_other(fit):
    for scores in (fit.scores, fit.prior_scores):
        delta = scores.delta[..., :K].reshape(-1, K)
        between = np.corrcoef(delta.T)[np.triu_indices(K, 1)]
        assert np.abs(between).max() < 5.5 / np.sqrt(len(delta))


@pytest.mark.stan
@pytest.mark.parametrize("model", ["hierarchical", "hierarchical_unpaired"])
def test_further_categories_of_a_prior_are_like_those_that_stan_drew(model):
    fit = compare_counts(POS, NEG, model=model, **HOW)
    prior = fit.prior_scores
    for values in (prior.delta, prior.psi[:, :, 0]):
        for first, other in ((0, CHUNK), (1, K - 1)):
            same_law(values[..., other], values[..., first], about=(model, other))
    psi = prior.psi[:, :, 0].reshape(-1, K)
    together = np.corrcoef(psi.T)  # what all categories share lets them go together
    by_stan = together[:CHUNK, :CHUNK][np.triu_indices(CHUNK, 1)].mean()
    assert by_stan > 0.1
    assert abs(together[:CHUNK, CHUNK:].mean() - by_stan) < 0.06
    assert abs(together[CHUNK:, CHUNK:][np.triu_indices(K - CHUNK, 1)].mean() - by_stan) < 0.06
    for name, values in fit.fit.draws.posterior.items():
        assert fit.fit.draws.prior[name].shape[2:] == values.shape[2:], name


def test_dirichlets_are_those_of_scipy():
    alpha = np.array([[0.2, 3.0, 1.0, 0.7], [40.0, 2.0, 1e-3, 5.0]])
    drawn = _draw_dirichlets(
        np.broadcast_to(alpha[..., None, :], (*alpha.shape[:-1], 20_000, 4)),
        np.random.default_rng(1),
    )
    for weights, rows in zip(alpha, drawn, strict=True):
        law = stats.dirichlet(weights)
        np.testing.assert_allclose(rows.mean(axis=0), law.mean(), atol=0.012)
        np.testing.assert_allclose(np.cov(rows.T), law.cov(), atol=0.003)
        share = stats.kstest(rows[:, 1], stats.beta(weights[1], weights.sum() - weights[1]).cdf)
        assert share.pvalue > 1e-4


def test_the_sampler_of_blocks_is_as_good_as_its_worst():
    def block(value, diverging):
        stats_of = {name: np.full((1, 3), value) for name in ("lp", "energy", "step_size")}
        return {"mu": np.full((1, 3, 2), value)}, stats_of | {"diverging": np.array([diverging])}

    runs = [block(1.0, [False, True, False]), block(2.0, [False, True, True])]
    drawn = concatenate([variables for variables, _ in runs], category_axes(MODELS["paired"].dims))
    told = combine_stats([statistics for _, statistics in runs])
    assert drawn["mu"][0, 0].tolist() == [1, 1, 2, 2]
    assert told["lp"].tolist() == [[3.0] * 3]
    assert told["step_size"].tolist() == [[1.0] * 3]
    assert told["diverging"].tolist() == [[False, True, True]]
