"""Ranks, tiers and the set of the best, against what one would do by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stanoff.inference.decision import Decision, decide
from stanoff.inference.intervals import hdi
from stanoff.inference.ranking import (
    decision_matrix,
    max_loss_within_rope,
    rank_probabilities,
    rank_systems,
    tiers,
)

ROPE = {"rope": (-0.05, 0.05), "hdi_prob": 0.95}


def drawn(middles, spread=0.02, n=4000, seed=1):
    return np.random.default_rng(seed).normal(middles, spread, (n, len(middles)))


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("ties", [False, True])
def test_ranks_are_counted(higher, ties):
    psi = drawn([0.5, 0.52, 0.5, 0.4], n=500)
    if ties:
        psi = np.round(psi, 2)
    found = rank_systems(psi, **ROPE, higher_is_better=higher)
    goodness = psi if higher else -psi
    expected = np.zeros((4, 4))
    for row in goodness:
        low = stats.rankdata(-row, method="min").astype(int) - 1
        high = stats.rankdata(-row, method="max").astype(int)
        for system in range(4):
            expected[system, low[system] : high[system]] += 1 / (high[system] - low[system])
    np.testing.assert_allclose(found.ranks, expected / 500, atol=1e-12)
    np.testing.assert_allclose(found.ranks.sum(axis=0), 1)
    np.testing.assert_allclose(found.ranks.sum(axis=1), 1)
    best = goodness.max(axis=1, keepdims=True)
    shared = (goodness == best) / (goodness == best).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.p_best, shared.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        found.p_within_rope_of_best, np.mean(best - goodness <= 0.05, axis=0)
    )
    np.testing.assert_allclose(found.regret, np.mean(best - goodness, axis=0))


def test_intervals_of_ranks_leave_as_little_on_either_side():
    psi = drawn([0.5, 0.51, 0.49, 0.2])
    found = rank_systems(psi, **ROPE, higher_is_better=True)
    rank = stats.rankdata(-psi, axis=1)
    low, high = np.quantile(rank, [0.025, 0.975], axis=0, method="inverted_cdf")
    assert found.rank_low.tolist() == low.tolist()
    assert found.rank_high.tolist() == high.tolist()
    assert (found.rank_low[3], found.rank_high[3]) == (4, 4)


@pytest.mark.parametrize("rope", [(-0.05, 0.05), (-0.01, 0.03), (0.01, 0.02), (0.0, 0.0)])
@pytest.mark.parametrize("higher", [True, False])
def test_every_ordered_pair_is_decided_by_the_rule(rope, higher):
    psi = drawn([0.5, 0.53, 0.44, 0.3, 0.31])
    found = rank_systems(psi, rope=rope, hdi_prob=0.9, higher_is_better=higher)
    for a, b in itertools.permutations(range(5), 2):
        said = decide(hdi(psi[:, a] - psi[:, b], 0.9), rope, higher_is_better=higher)
        assert found.decisions[a, b] == said.value
    assert max_loss_within_rope(rope, True) == max(0, -rope[0])


def test_twins_of_the_winner_do_not_hide_it():
    psi = drawn([0.6, 0.58, 0.3])
    alone = rank_systems(psi, **ROPE, higher_is_better=True)
    twins = rank_systems(psi[:, [0, 0, 0, 1, 2]], **ROPE, higher_is_better=True)
    assert twins.p_best[:3] == pytest.approx(np.full(3, alone.p_best[0] / 3))
    assert twins.p_within_rope_of_best[[0, 3, 4]].tolist() == alone.p_within_rope_of_best.tolist()
    assert twins.regret[[0, 3, 4]].tolist() == alone.regret.tolist()
    assert twins.tier.tolist() == [1, 1, 1, 1, 2]
    assert twins.decisions[0, 1] == "="


def test_a_poor_system_changes_nothing_above_it():
    psi = drawn([0.6, 0.58, 0.5, 0.48, 0.3])
    before = rank_systems(psi[:, :4], rope=(-0.01, 0.01), hdi_prob=0.95, higher_is_better=True)
    after = rank_systems(psi, rope=(-0.01, 0.01), hdi_prob=0.95, higher_is_better=True)
    np.testing.assert_array_equal(before.decisions, after.decisions[:4, :4])
    for name in ("tier", "p_within_rope_of_best", "p_best", "regret", "rank_low", "rank_high"):
        assert getattr(before, name).tolist() == getattr(after, name)[:4].tolist()


def random_matrix(rng, systems):
    middle = rng.normal(0, 0.05, systems * (systems - 1) // 2)
    half = rng.uniform(0.01, 0.05, len(middle))
    return decision_matrix(middle - half, middle + half, systems, (-0.02, 0.02), True)


def test_tiers_keep_what_they_promise():
    rng = np.random.default_rng(5)
    for _ in range(200):
        decisions = random_matrix(rng, 8)
        beats = decisions == Decision.MUCH_BETTER
        tier = tiers(decisions)
        if beats.any(axis=0).all():  # a circle at the top: nothing can be said
            continue
        for t in range(1, tier.max() + 1):
            inside = tier == t
            above = beats[np.ix_(tier == t - 1, inside)]
            circle = beats[np.ix_(inside, inside)].any()
            assert circle or t == 1 or above.any(axis=0).all()
        can_be_best = ~beats.any(axis=0)
        assert (tier[can_be_best] == 1).all()


def test_a_circle_is_one_tier():
    circle = np.array([["", ">>", "<<"], ["<<", "", ">>"], [">>", "<<", ""]])
    assert tiers(circle).tolist() == [1, 1, 1]


def test_ranks_of_many_draws_against_pandas():
    psi = drawn(np.linspace(0.4, 0.6, 12), n=3000)
    counted = pd.DataFrame(-psi).rank(axis=1).astype(int)
    for system in range(12):
        share = counted[system].value_counts(normalize=True).reindex(range(1, 13), fill_value=0)
        np.testing.assert_allclose(rank_probabilities(psi.T)[system], share)
