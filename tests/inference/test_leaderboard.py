"""Systems that learn from each other: against Stan, by brute force, and in contests."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stanoff import contest
from stanoff.engines.toolchain import compile_program
from stanoff.inference.intervals import mcse
from stanoff.inference.leaderboard import Leaderboard, learn_from_each_other
from stanoff.inference.ranking import rank_probabilities
from stanoff.models import stan_folder

ANY = (-np.inf, np.inf)


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(4)
    root = rng.normal(0, 0.02, (6, 6)) + 0.03  # correlated errors
    return Leaderboard.of(rng.normal(0.7, 0.05, 6), root @ root.T)


@pytest.mark.stan
def test_the_quadrature_agrees_with_stan(board):
    program = compile_program(stan_folder() / "leaderboard.stan")
    root = np.linalg.cholesky(board.covariance)
    data = {"S": 6, "means": board.mean, "root": root, "scale": board.scale}
    fit = program.sample(
        data, seed=3, iter_sampling=2500, adapt_delta=0.99, show_progress=False, sig_figs=12
    )
    ours = board.sample(40_000, np.random.default_rng(1))
    theirs = np.moveaxis(fit.draws_xr("psi")["psi"].to_numpy(), -1, 0)
    flat = theirs.reshape(6, -1)
    error = np.hypot(mcse(theirs), ours.std(axis=1) / 200)
    assert (np.abs(ours.mean(axis=1) - flat.mean(axis=1)) < 4 * error).all()
    np.testing.assert_allclose(ours.std(axis=1), flat.std(axis=1), rtol=0.06)
    np.testing.assert_allclose(np.cov(ours), np.cov(flat), atol=0.1 * np.var(ours, axis=1).max())
    np.testing.assert_allclose(rank_probabilities(ours), rank_probabilities(flat), atol=0.03)


def test_the_spread_has_the_posterior_of_brute_force(board):
    tau = board.scale * np.geomspace(1e-3, 300, 4000)
    centres = np.linspace(0, 1.4, 701)
    log = np.array(
        [
            np.logaddexp.reduce(
                stats.multivariate_normal(np.zeros(6), board.covariance + t**2 * np.eye(6)).logpdf(
                    board.mean - centres[:, None]
                )
            )
            for t in tau[::20]
        ]
    )
    log += stats.halfcauchy(scale=board.scale).logpdf(tau[::20]) + np.log(tau[::20])  # log grid
    weight = np.exp(log - log.max())
    for x in (0.5, 1, 2):
        below = weight[tau[::20] < x * board.scale].sum() / weight.sum()
        assert board.probability[board.tau < x * board.scale].sum() == pytest.approx(
            below, abs=0.02
        )


def test_alike_systems_become_more_alike_and_different_ones_stay():
    rng = np.random.default_rng(2)
    close = rng.normal([[0.5], [0.501], [0.502], [0.499]], 0.02, (4, 4000))
    learned = learn_from_each_other(close, close.mean(axis=1), rng, range_of_scores=ANY)
    assert np.abs(learned[0] - learned[1]).mean() < 0.7 * np.abs(close[0] - close[1]).mean()
    apart = rng.normal([[0.1], [0.3], [0.5], [0.9]], 0.01, (4, 4000))
    learned = learn_from_each_other(apart, apart.mean(axis=1), rng, range_of_scores=ANY)
    np.testing.assert_allclose(learned.mean(axis=1), apart.mean(axis=1), atol=0.002)
    np.testing.assert_allclose(learned.std(axis=1), apart.std(axis=1), rtol=0.05)


def test_scores_near_an_end_stay_within_their_range():
    rng = np.random.default_rng(2)
    scores = rng.beta([[990], [985], [970], [900]], [[2], [3], [10], [100]], (4, 4000))
    learned = learn_from_each_other(scores, scores.mean(axis=1), rng, range_of_scores=(0.0, 1.0))
    assert (learned > 0).all()
    assert (learned < 1).all()


@pytest.mark.parametrize("scores", [np.full((4, 50), 0.3), np.full((4, 50), np.inf)])
def test_there_may_be_nothing_to_learn(scores):
    assert (
        learn_from_each_other(scores, scores[:, 0], np.random.default_rng(1), range_of_scores=ANY)
        is None
    )


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(7)
    difficulty = rng.normal(0, 0.2, 300)
    return pd.DataFrame(
        {f"s{i}": 0.6 + difficulty + rng.normal(0.002 * i, 0.2, 300) for i in range(5)}
    )


def test_contests_of_four_and_more_learn_where_they_rank(values):
    learning = contest(values, measure="mean", rope=0.02, seed=1)
    alone = learning.judge(shrink=False)
    assert (learning.shrinks, alone.shrinks) == (True, False)
    assert not contest(values[["s0", "s1", "s2"]], measure="mean", seed=1).shrinks
    pd.testing.assert_frame_equal(learning.pairs(), alone.pairs())  # verdicts stay as they are
    one, other = (r.summary().set_index("system") for r in (learning, alone))
    for column in ("psi", "hdi_low", "hdi_high", "tier", "observed"):
        pd.testing.assert_series_equal(one[column], other.loc[one.index, column])
    assert one["p_best"].max() < other["p_best"].max()  # less sure of what is close
    assert one["p_near"].min() > other["p_near"].min()
    assert "systems that learn from each other" in str(learning)
    assert "learn" not in str(alone)
    again = contest(values, measure="mean", rope=0.02, seed=1, shrink=True).summary()
    pd.testing.assert_frame_equal(again, learning.summary())
