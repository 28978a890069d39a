import numpy as np
import pytest

from stanoff.data.types import PairedCounts, UnpairedCounts
from stanoff.models.priors import Prior
from stanoff.planning.scenario import Scenario
from stanoff.planning.simulate import draw_documents, draw_more_documents

SCENARIO = Scenario(0.2, (0.6, 0.2, 0.1, 0.1), (0.05, 0.05, 0.1, 0.8))


def test_counts_have_the_moments_of_the_scenario():
    n, size = 300, 20_000
    counts = draw_documents(SCENARIO, n, True, size, np.random.default_rng(1))
    drawn = np.concatenate([counts.pos, counts.neg], axis=1)
    p = SCENARIO.probabilities
    np.testing.assert_array_equal(drawn.sum(axis=1), n)
    np.testing.assert_allclose(drawn.mean(axis=0), n * p, atol=5 * np.sqrt(n * 0.25 / size))
    np.testing.assert_allclose(np.cov(drawn.T), n * (np.diag(p) - np.outer(p, p)), atol=2)


def test_two_test_sets_are_independent_and_have_the_same_rates():
    counts = draw_documents(SCENARIO, 300, False, 20_000, np.random.default_rng(1))
    assert isinstance(counts, UnpairedCounts)
    np.testing.assert_allclose(counts.cells_A.mean(axis=0), 300 * SCENARIO.cells[0], atol=0.4)
    np.testing.assert_allclose(counts.cells_B.mean(axis=0), 300 * SCENARIO.cells[1], atol=0.4)
    assert abs(np.corrcoef(counts.cells_A[:, 0], counts.cells_B[:, 0])[0, 1]) < 0.03


@pytest.mark.parametrize("mu", [1e-9, 1 - 1e-9])
def test_a_class_may_be_missing(mu):
    rare = Scenario(mu, SCENARIO.theta_pos, SCENARIO.theta_neg)
    counts = draw_documents(rare, 10, True, 5, np.random.default_rng(1))
    assert sorted([counts.pos.sum(), counts.neg.sum()]) == [0, 50]


def test_further_documents_are_as_uncertain_as_the_posterior():
    pos, neg = np.array([[6, 2, 1, 1]]), np.array([[1, 2, 3, 14]])
    seen, rng = PairedCounts(("1",), pos, neg), np.random.default_rng(1)
    counts = draw_more_documents(seen, Prior(), 1000, 20_000, rng)
    assert (counts.pos >= pos).all()
    assert (counts.neg >= neg).all()
    new = (counts.pos - pos).sum(axis=1)  # Beta-binomial: a, b = 11, 21
    a, b, n = 11, 21, 1000
    assert new.mean() == pytest.approx(n * a / (a + b), rel=0.02)
    variance = n * a * b * (a + b + n) / ((a + b) ** 2 * (a + b + 1))
    assert new.var() == pytest.approx(variance, rel=0.05)
    only_a = (counts.pos - pos)[:, 1].mean()
    assert only_a == pytest.approx(n * a / (a + b) * 3 / 14, rel=0.03)


def test_further_documents_of_two_test_sets():
    a, b = np.array([[6, 1, 4, 9]]), np.array([[16, 4, 2, 8]])
    prior = (Prior(), Prior(beta=[3, 1]))
    counts = draw_more_documents(
        UnpairedCounts(("1",), a, b), prior, 100, 10_000, np.random.default_rng(1)
    )
    np.testing.assert_array_equal((counts.cells_A - a).sum(axis=1), 100)
    found = (counts.cells_B - b)[:, [0, 2]].sum(axis=1).mean()
    assert found == pytest.approx(100 * (18 + 3) / (30 + 4), rel=0.02)
    assert (counts.cells_A - a)[:, 0].mean() == pytest.approx(100 * 11 / 22 * 7 / 12, rel=0.02)


def test_no_further_documents_leave_what_was_observed():
    seen = PairedCounts(("1",), np.array([[3, 1, 0, 2]]), np.array([[1, 0, 1, 9]]))
    counts = draw_more_documents(seen, Prior(), 0, 4, np.random.default_rng(1))
    np.testing.assert_array_equal(counts.pos, np.repeat(seen.pos, 4, axis=0))
