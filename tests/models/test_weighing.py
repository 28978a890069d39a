"""Random weights: their moments by formula, their distribution by SciPy."""

import numpy as np
import pytest
from scipy import stats

from stanoff.models.weighing import cluster_shapes, shape_of, sticks, thinned, weights


@pytest.mark.parametrize("n", [5, 40])
def test_the_variance_of_a_mean_is_that_of_the_textbook(n):
    rng = np.random.default_rng(n)
    values = rng.gamma(2, size=n)
    means = weights(n, 200_000, rng) @ values
    assert means.mean() == pytest.approx(values.mean(), abs=4 * means.std() / 200_000**0.5)
    assert means.var() == pytest.approx(values.var(ddof=1) / n, rel=0.03)


@pytest.mark.parametrize("n", [3, 50, 1000, 100_000])  # all factors drawn, or only the few
def test_thinned_gammas_are_gammas(n):
    rng = np.random.default_rng(n)
    drawn = thinned(rng.standard_exponential((40, 1000)), shape_of(n), rng).ravel()
    assert stats.kstest(drawn, stats.gamma(shape_of(n)).cdf).pvalue > 0.001
    few = thinned(np.ones((400, 5000)), shape_of(n), rng).ravel()  # the factors alone
    for lacking in (1e-6, 1e-3, 0.1):
        expected = stats.beta(1 - shape_of(n), shape_of(n)).sf(lacking)
        error = (expected * (1 - expected) / few.size) ** 0.5
        assert np.mean(1 - few > lacking) == pytest.approx(expected, abs=4 * error)


def test_few_units_have_a_shape_that_can_be_drawn():
    assert [shape_of(n) for n in (1, 2, 3)] == pytest.approx([1, 1 / 2, 1 / 3])
    assert weights(1, 4, np.random.default_rng(1)).tolist() == [[1.0]] * 4


def test_clusters_are_as_uncertain_as_in_a_t_test():
    """Under weights of clusters a mean is spread like Student's t, not like a normal."""
    rng = np.random.default_rng(2)
    sizes, values = np.full(8, 10), stats.norm.ppf((np.arange(8) + 0.5) / 8)
    drawn = weights(8, 100_000, rng, cluster_shapes(sizes, 100_000, rng)) @ values
    inside = np.quantile(np.abs(drawn - values.mean()), 0.95) / (values.std(ddof=1) / 8**0.5)
    plain = weights(8, 100_000, rng) @ values
    too_narrow = np.quantile(np.abs(plain - values.mean()), 0.95) / (values.std(ddof=1) / 8**0.5)
    assert too_narrow < 2.0
    assert inside == pytest.approx(stats.t(7).ppf(0.975), rel=0.08)
    shapes = cluster_shapes(np.array([1000, 1, 1, 1]), 1000, rng)  # in effect one cluster
    assert shapes.std() > 0.9 * shape_of(4) * 2**0.5


def test_sticks_share_one_out():
    rng = np.random.default_rng(3)
    broken = sticks(50_000, 1.0, rng)
    np.testing.assert_allclose(broken.sum(axis=1), 1)
    assert (broken**2).sum(axis=1).mean() == pytest.approx(1 / 2, rel=0.01)  # 1 / (1 + mass)
