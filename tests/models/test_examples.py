"""The examples against computations without Stan: grids and importance sampling."""

import numpy as np
import pytest
from agreement import SIGMAS, same_law
from scipy import stats

from stanoff import PairedCounts, Prior, compare_counts
from stanoff.inference.intervals import mcse
from stanoff.models import stan_folder
from stanoff.models.custom import inspect_program
from stanoff.workbench import label_noise_sensitivity

EXAMPLES = sorted((stan_folder() / "examples").glob("*.stan"))
NOISY, DRIFT, CORRELATED = (
    stan_folder() / f"examples/{name}.stan"
    for name in ("noisy_truth", "drift", "correlated_categories")
)
COUNTS = [60, 22, 4, 14], [5, 5, 25, 265]
pytestmark = pytest.mark.stan


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_leave_nothing_to_be_desired(file):
    program = inspect_program(file)
    assert (program.problems, program.limits) == ((), ())
    assert max(map(len, file.read_text().splitlines())) <= 80


def test_a_judge_with_a_calibration_set_is_corrected():
    # 400 of 1000 called positive by a judge of sensitivity .9 (of 200) and specificity .7 (of 200).
    mu = np.linspace(0.0005, 0.9995, 400)[:, None, None]
    right = np.linspace(0.5, 1, 202)[1:-1]
    sensitivity, specificity = right[:, None], right
    called = mu * sensitivity + (1 - mu) * (1 - specificity)
    log_p = 400 * np.log(called) + 600 * np.log1p(-called)
    log_p += stats.beta(181, 21).logpdf(sensitivity) + stats.beta(141, 61).logpdf(specificity)
    p = np.exp(log_p - log_p.max()).sum(axis=(1, 2))
    p, mu = p / p.sum(), mu.ravel()
    mean = p @ mu
    ends = mu[np.searchsorted(np.cumsum(p), [0.025, 0.975])]
    assert mean == pytest.approx(0.162, abs=0.002)  # as published: .162 [.050, .259]
    assert ends == pytest.approx([0.050, 0.259], abs=0.002)
    # Systems that always say yes tell nothing of the truth.
    always = Prior(alpha_pos=(1e5, 1, 1, 1), alpha_neg=(1e5, 1, 1, 1))
    given = {"calibration": [180, 200, 140, 200], "errors": [1, 1]}
    result = compare_counts(
        [400, 0, 0, 0], [600, 0, 0, 0], model=NOISY, data=given, prior=always, seed=1, draws=1500
    )
    drawn = result.fit.draws.posterior["mu"][..., 0]
    rng = np.random.default_rng(3)
    exact = rng.choice(mu, (1, 50_000), p=p) + rng.uniform(-0.5, 0.5, (1, 50_000)) * (mu[1] - mu[0])
    same_law(drawn, exact, about="mu", at=0.16)


def test_without_errors_it_is_the_paired_model():
    given = {"calibration": [10**7] * 4, "errors": [1, 1]}
    ours = compare_counts(*COUNTS, model=NOISY, data=given, seed=1)
    exact = compare_counts(*COUNTS, engine="exact", seed=1)
    for group in ("posterior",):
        for name in ("psi_A", "psi_B", "delta"):
            one, other = (r.row_draws(group, name, "1") for r in (ours, exact))
            same_law(one, other, about=name)


def test_it_tells_at_which_error_the_verdict_flips():
    counts = PairedCounts(("x",), [COUNTS[0]], [COUNTS[1]])
    table = label_noise_sensitivity(counts, [0.0, 0.25], seed=1, draws=600, rope=0.05)
    assert table["decision"].tolist()[0] == ">>"
    assert table["flipped"].tolist() == [False, table["decision"][1] != ">>"]
    width = table["hdi_high"] - table["hdi_low"]
    assert width[1] > 1.2 * width[0]  # labels that may be wrong tell less


def softmax(odds):
    whole = np.concatenate([odds, np.zeros((*odds.shape[:-1], 1))], axis=-1)
    whole = np.exp(whole - whole.max(axis=-1, keepdims=True))
    return whole / whole.sum(axis=-1, keepdims=True)


def weighted(values, log_w):
    """Means of values (draw, ...) with these weights, and the Monte-Carlo errors of the means."""
    w = np.exp(log_w - log_w.max())
    w /= w.sum()
    assert 1 / (w**2).sum() > 1000  # enough of them count
    posterior = np.einsum("i,i...->...", w, values)
    error = np.sqrt(np.einsum("i,i...->...", w**2, (values - posterior) ** 2))
    assert np.abs(posterior - values.mean(axis=0)).max() > 0.1  # the documents matter
    return posterior, error


def log_likelihood(theta, counts):
    """Of counts, given theta (draw, period, class, outcome)."""
    return (counts * np.log(theta)).sum(axis=(1, 2, 3))


def agree(drawn, posterior, error):
    """Hold means of draws (chain, draw, ...) against others, within the errors of both."""
    for place in np.ndindex(posterior.shape):
        ours = drawn[(slice(None), slice(None), *place)]
        noise = np.hypot(mcse(ours), error[place])
        assert abs(ours.mean() - posterior[place]) <= SIGMAS * noise, (place, ours.mean())


FEW = np.array(
    [[[1, 1, 0, 1], [0, 0, 0, 2]], [[0, 2, 0, 0], [0, 0, 1, 1]], [[0, 2, 0, 0], [0, 0, 0, 2]]]
)


def drawn_theta(result):
    drawn = result.fit.draws.posterior
    return np.stack([drawn["theta_pos"], drawn["theta_neg"]], axis=3)


def test_drift_is_a_random_walk():
    rng = np.random.default_rng(1)
    size = 400_000
    start = rng.normal(0, 1.5, (size, 1, 6))
    step = np.abs(rng.normal(0, 0.7, (size, 1, 1)))
    walk = np.cumsum(step * rng.normal(size=(size, 2, 6)), axis=1)
    odds = np.concatenate([start, start + walk], axis=1)
    theta = softmax(odds.reshape(size, 3, 2, 3))
    result = compare_counts(
        FEW[:, 0], FEW[:, 1], model=DRIFT, data={"step_scale": 0.7}, seed=1, draws=1500
    )
    agree(drawn_theta(result), *weighted(theta, log_likelihood(theta, FEW)))


def lkj(eta, n, size, rng):
    """Cholesky factors of LKJ correlations by partial correlations (Lewandowski et al. 2009)."""
    out = np.zeros((size, n, n))
    out[:, 0, 0] = 1
    for i in range(1, n):
        left = np.ones(size)
        for j in range(i):
            shape = eta + (n - 2 - j) / 2
            partial = 2 * rng.beta(shape, shape, size) - 1
            out[:, i, j] = partial * np.sqrt(left)
            left = left * (1 - partial**2)
        out[:, i, i] = np.sqrt(left)
    return out


def test_categories_are_normal_around_their_middle():
    rng = np.random.default_rng(2)
    size = 400_000
    middle, scale = rng.normal(0, 1.5, (size, 6)), np.abs(rng.normal(0, 1, (size, 6)))
    factor = scale[..., None] * lkj(2.0, 6, size, rng)
    z = rng.normal(size=(size, 3, 6))
    odds = middle[:, None] + np.einsum("sij,skj->ski", factor, z)
    theta = softmax(odds.reshape(size, 3, 2, 3))
    result = compare_counts(FEW[:, 0], FEW[:, 1], model=CORRELATED, seed=1, draws=1500)
    agree(drawn_theta(result), *weighted(theta, log_likelihood(theta, FEW)))
