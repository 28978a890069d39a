"""Random weights: their moments by formula, their distribution by SciPy."""

import numpy as np
import pytest
from scipy import stats

from stanoff.models.bootstrap import (
    bootstrap_shape,
    break_sticks,
    cluster_shapes,
    cluster_weights,
    rescale_gammas,
)


def weights(n, draws, rng):
    gammas = rescale_gammas(rng.standard_exponential((draws, n)), bootstrap_shape(n), rng)
    return gammas / gammas.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n", [5, 40])
def test_the_variance_of_a_mean_is_that_of_the_textbook(n):
    rng = np.random.default_rng(n)
    values = rng.gamma(2, size=n)
    means = weights(n, 200_000, rng) @ values
    assert means.mean() == pytest.approx(values.mean(), abs=4 * means.std() / 200_000**0.5)
    assert means.var() == pytest.approx(values.var(ddof=1) / n, rel=0.03)


@pytest.mark.parametrize("n", [3, 50, 1000, 100_000])  # all factors drawn, or only the few
def test_rescaled_gammas_are_gammas(n):
    rng = np.random.default_rng(n)
    drawn = rescale_gammas(rng.standard_exponential((40, 1000)), bootstrap_shape(n), rng).ravel()
    assert stats.kstest(drawn, stats.gamma(bootstrap_shape(n)).cdf).pvalue > 0.001
    few = rescale_gammas(np.ones((400, 5000)), bootstrap_shape(n), rng).ravel()  # the factors alone
    for lacking in (1e-6, 1e-3, 0.1):
        expected = stats.beta(1 - bootstrap_shape(n), bootstrap_shape(n)).sf(lacking)
        error = (expected * (1 - expected) / few.size) ** 0.5
        assert np.mean(1 - few > lacking) == pytest.approx(expected, abs=4 * error)


def test_few_units_have_a_shape_that_can_be_drawn():
    assert [bootstrap_shape(n) for n in (1, 2, 3)] == pytest.approx([1, 1 / 2, 1 / 3])
    assert weights(1, 4, np.random.default_rng(1)).tolist() == [[1.0]] * 4


def test_clusters_are_as_uncertain_as_in_a_t_test():
    """Under weights of clusters a mean is spread like Student's t, not like a normal."""
    rng = np.random.default_rng(2)
    sizes, values = np.full(8, 10), stats.norm.ppf((np.arange(8) + 0.5) / 8)
    drawn = cluster_weights(sizes, 100_000, rng) @ values
    inside = np.quantile(np.abs(drawn - values.mean()), 0.95) / (values.std(ddof=1) / 8**0.5)
    plain = weights(8, 100_000, rng) @ values
    too_narrow = np.quantile(np.abs(plain - values.mean()), 0.95) / (values.std(ddof=1) / 8**0.5)
    assert too_narrow < 2.0
    assert inside == pytest.approx(stats.t(7).ppf(0.975), rel=0.08)
    shapes = cluster_shapes(np.array([1000, 1, 1, 1]), 1000, rng)  # in effect one cluster
    assert shapes.std() > 0.9 * bootstrap_shape(4) * 2**0.5


def test_sticks_share_one_out():
    rng = np.random.default_rng(3)
    broken = break_sticks(50_000, 1.0, rng)
    np.testing.assert_allclose(broken.sum(axis=1), 1)
    assert (broken**2).sum(axis=1).mean() == pytest.approx(1 / 2, rel=0.01)  # 1 / (1 + mass)
