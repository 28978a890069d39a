"""The binormal model against importance sampling, and what it refuses."""

import numpy as np
import pytest
from scipy import stats

from stanoff import InputError, Prior, compare
from stanoff.data.scores import build_scores
from stanoff.models.binormal import LKJ_SHAPE, S_SCALE, Binormal
from stanoff.models.inputs import standardize_scores


def scores(n_pos=25, n_neg=40, seed=3):
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [n_pos, n_neg])
    shared = rng.normal(size=len(truth))
    return truth, *(m * truth + shared + rng.normal(size=len(truth)) for m in (1.8, 1.0))


def log_prior(m, s, r):
    return (
        stats.norm.logpdf(m).sum(axis=1)
        + stats.lognorm.logpdf(s, S_SCALE).sum(axis=1)
        + stats.beta.logpdf((r + 1) / 2, LKJ_SHAPE, LKJ_SHAPE)
    )


def class_draws(x, size, rng):
    """Draw one class by importance sampling around its estimates; the data come row by row."""
    n = x.shape[1]
    m_hat, s_hat, r_hat = x.mean(axis=1), x.std(axis=1), np.corrcoef(x)[0, 1]
    center = np.concatenate([m_hat, np.log(s_hat), [np.arctanh(r_hat)]])
    cov = np.zeros((5, 5))
    cov[:2, :2] = np.cov(x) / n
    cov[2:4, 2:4] = np.array([[1, r_hat**2], [r_hat**2, 1]]) / (2 * n)
    cov[4, 4] = 1 / (n - 3)
    proposal = stats.multivariate_t(center, 1.3 * cov, df=7, seed=rng)
    u = proposal.rvs(size)
    m, s, r = u[:, :2], np.exp(u[:, 2:4]), np.tanh(u[:, 4])
    z = (x[None] - m[:, :, None]) / s[:, :, None]
    quadratic = (z[:, 0] ** 2 - 2 * r[:, None] * z[:, 0] * z[:, 1] + z[:, 1] ** 2).sum(axis=1)
    likelihood = -n * (np.log(s).sum(axis=1) + np.log1p(-(r**2)) / 2)
    likelihood -= quadratic / (2 * (1 - r**2))
    jacobian = np.log(s).sum(axis=1) + np.log1p(-(r**2))
    weight = likelihood + log_prior(m, s, r) + jacobian - proposal.logpdf(u)
    weight = np.exp(weight - weight.max())
    keep = rng.choice(size, size // 4, p=weight / weight.sum())
    return m[keep], s[keep]


@pytest.mark.stan
def test_the_program_draws_its_posterior_and_its_prior():
    truth, a, b = scores()
    result = compare(truth, a, b, measure="auc", model="binormal", seed=1)
    rng = np.random.default_rng(1)
    x = np.stack([standardize_scores(a), standardize_scores(b)])
    pos, neg = (class_draws(x[:, truth == c], 80_000, rng) for c in (1, 0))
    auc = stats.norm.cdf((pos[0] - neg[0]) / np.sqrt(pos[1] ** 2 + neg[1] ** 2))
    delta = auc[:, 0] - auc[:, 1]
    said = result.evidence()
    assert said.psi_A == pytest.approx(auc[:, 0].mean(), abs=0.004)
    assert said.mean == pytest.approx(delta.mean(), abs=0.005)
    assert said.std == pytest.approx(delta.std(), rel=0.06)
    assert said.p_rope == pytest.approx(np.mean(np.abs(delta) <= 0.05), abs=0.03)
    m, s = rng.normal(size=(2, 50_000, 2)), rng.lognormal(0, S_SCALE, (2, 50_000, 2))
    auc = stats.norm.cdf((m[0] - m[1]) / np.sqrt(s[0] ** 2 + s[1] ** 2))
    prior = result.prior_delta("1")
    assert prior.std() == pytest.approx((auc[:, 0] - auc[:, 1]).std(), rel=0.06)
    assert np.isfinite(said.bf_rope)
    weights = compare(truth, a, b, measure="auc", seed=1)
    assert said.mean == pytest.approx(weights.evidence().mean, abs=2 * said.std)
    with pytest.raises(InputError, match="'auc' in the binormal model"):
        result.judge(measure="average_precision")


def test_the_statistics_are_those_of_the_scores():
    truth, a, b = scores()
    block = Binormal().stan_data(build_scores({"y": truth, "a": a, "b": 5 * b + 3}), Prior())
    x = np.stack([standardize_scores(a), standardize_scores(b)])  # stretching changes nothing
    np.testing.assert_allclose(block["center_pos"], x[:, truth == 1].mean(axis=1))
    np.testing.assert_allclose(block["scatter_neg"] / 40, np.cov(x[:, truth == 0], bias=True))
    odds = Binormal().stan_data(
        build_scores({"y": truth, "a": 1 / (1 + np.exp(-a)), "b": b}), Prior()
    )
    np.testing.assert_allclose(odds["center_pos"], block["center_pos"])


def test_what_it_cannot_model_is_refused():
    truth, a, b = scores()
    for columns, more, words in (
        ((a, a), {}, "cannot compare a system with itself"),
        ((a, np.ones(65)), {}, "needs scores that differ"),
        ((a, b), {"cluster": np.arange(65) % 9}, "'cluster' parameter must be None in the binorm"),
    ):
        with pytest.raises(InputError, match=words):
            compare(truth, *columns, measure="auc", model="binormal", **more)
    with pytest.raises(InputError, match="'auc' in the binormal model"):
        compare(truth, a, b, measure="average_precision", model="binormal")
    with pytest.raises(InputError, match="not conjugate"):
        compare(truth, a, b, measure="auc", model="binormal", engine="exact")
