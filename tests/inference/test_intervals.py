import subprocess
import sys
import warnings

import numpy as np
import pytest
from arviz_stats.base import array_stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stanoff.errors import InputError
from stanoff.inference import intervals
from stanoff.inference.posterior import SampledPosterior

RNG = np.random.default_rng(11)
SHAPES = {
    "normal": lambda n: RNG.normal(size=n),
    "skewed": lambda n: RNG.gamma(0.3, size=n),
    "heavy": lambda n: RNG.standard_cauchy(size=n),
    "two humps": lambda n: RNG.normal(size=n) + 9 * RNG.integers(0, 2, n),
    "ties": lambda n: RNG.integers(-2, 3, n) / 4,
    "one value": lambda n: np.full(n, 0.1),
    "nearly equal": lambda n: 1 + 1e-16 * RNG.integers(-9, 9, n),
}


def of_arviz(draws, probability):
    with warnings.catch_warnings():  # it warns of inf - inf
        warnings.simplefilter("ignore")
        return array_stats.hdi(draws, prob=probability, axis=-1, method="nearest")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_hdi_is_that_of_arviz_to_the_last_digit(shape):
    for size in (2, 3, 7, 20, 99, 100, 1000, 4001):
        for probability in (0.5, 0.51, 0.6827, 0.8, 0.9, 0.95, 0.99, 0.999, 1 / 3):
            if not 1 <= int(probability * size) < size:
                continue
            draws = SHAPES[shape](size)
            assert intervals.hdi(draws, probability) == tuple(of_arviz(draws, probability))


@given(
    arrays(np.float64, (3, 30), elements=st.floats(allow_nan=False)),
    st.floats(0.05, 0.95),
)
def test_rows_of_any_numbers_are_those_of_arviz_one_by_one(rows, probability):
    with warnings.catch_warnings():  # differences of the greatest doubles overflow in both
        warnings.simplefilter("ignore")
        low, high = intervals.hdi(rows, probability)
    for row, ends in zip(rows, zip(low, high, strict=True), strict=True):
        np.testing.assert_array_equal(ends, of_arviz(row, probability))


def test_rows_give_what_each_gives_alone_and_stay_as_they_are():
    rows = RNG.normal(size=(50, 400)) * RNG.gamma(1, size=(50, 1))
    before = rows.copy()
    low, high = intervals.hdi(rows, 0.9)
    assert [*zip(low, high, strict=True)] == [intervals.hdi(row, 0.9) for row in rows]
    assert low.shape == high.shape == (50,)
    assert np.array_equal(rows, before)


def test_chains_are_pooled():
    draws = RNG.normal(size=(4, 250))
    low, high = SampledPosterior(draws[None]).hdi(0.95)
    assert (low.item(), high.item()) == intervals.hdi(draws.ravel(), 0.95)


def test_no_interval_holds_that_share_with_fewer_draws_or_is_narrower():
    draws = np.sort(RNG.gamma(2, size=200))
    low, high = intervals.hdi(draws, 0.9)
    assert np.mean((draws >= low) & (draws <= high)) >= 0.9
    ends = [(draws[i], draws[j]) for i in range(200) for j in range(i + 180, 200)]
    assert high - low == min(b - a for a, b in ends)


def test_most_draws_at_infinity_have_their_interval_there():
    draws = np.r_[np.full(96, np.inf), 1.0, 2.0, 3.0, 4.0]
    assert intervals.hdi(draws, 0.95) == (np.inf, np.inf)
    assert intervals.hdi(-draws, 0.95) == (-np.inf, -np.inf)


@pytest.mark.parametrize(("size", "probability"), [(10, 0.05), (1, 0.95), (10, 1.0)])
def test_too_few_draws_for_the_interval_are_an_error(size, probability):
    with pytest.raises(InputError, match=rf"'hdi_prob' parameter must be one that {size} draws"):
        intervals.hdi(np.arange(size, dtype=float), probability)


def test_the_hdi_does_not_load_arviz():
    code = (
        "import sys, numpy as np; from stanoff.inference import intervals; "
        "intervals.hdi(np.arange(9.0), 0.5); "
        "sys.exit(any(name.startswith('arviz') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("size", [(1, 4), (1, 5), (3, 6), (2, 10), (4, 250), (1, 1001)])
@pytest.mark.parametrize("memory", [-0.6, 0.0, 0.5, 0.95, 0.999])
def test_the_error_of_a_mean_is_that_of_arviz(size, memory):
    chains, draws = size
    steps = RNG.normal(size=(9, chains, draws))
    for i in range(1, draws):
        steps[..., i] += memory * steps[..., i - 1]
    theirs = [
        array_stats.mcse(row, method="mean", chain_axis=0, draw_axis=1).item() for row in steps
    ]
    np.testing.assert_allclose(intervals.mcse(steps), theirs, rtol=1e-12)


def test_draws_without_a_mean_have_no_error_and_those_without_spread_have_none_either():
    odd = RNG.normal(size=(3, 2, 50))
    odd[0, 1, 3], odd[1, 0, 0], odd[2] = np.inf, np.nan, 0.3
    infinite, undefined, still = intervals.mcse(odd)
    assert np.isnan(infinite)
    assert np.isnan(undefined)
    assert still == 0


@pytest.mark.parametrize("probability", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("size", [5, 20, 101, 4000])
def test_the_narrowest_interval_is_that_of_all_draws_in_order(size, probability):
    rng = np.random.default_rng(size)
    inside = int(probability * size)
    normal = rng.normal(size=(6, size))
    for draws in (normal, np.round(normal), np.where(normal > 1, np.inf, normal)):
        ordered = np.sort(draws, axis=1)
        with np.errstate(invalid="ignore"):
            first = np.argmin(ordered[:, inside:] - ordered[:, : size - inside], axis=1)
        ends = [ordered[range(6), first], ordered[range(6), first + inside]]
        np.testing.assert_array_equal(intervals.hdi(draws, probability), ends)
