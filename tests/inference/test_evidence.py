import math
from functools import lru_cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from stanoff import Prior
from stanoff.data.counts import PairedCounts
from stanoff.inference.cautions import infinite_prior_density
from stanoff.inference.evidence import density_at, mass_within, odds_ratio, savage_dickey, weigh
from stanoff.measures import MEASURES, get
from stanoff.models import MODELS

RNG = np.random.default_rng(7)
FLAT, JEFFREYS, SHARP = Prior.uniform(), Prior(0.5, 0.5, 0.5), Prior(2, 2, 2)
PERKS = Prior(0.5, 0.25, 0.25)


def test_density_is_that_of_scipy():
    draws = RNG.gamma(3, size=(2, 2000))
    for at in (0.0, 1.0, 4.2):
        expected = stats.gaussian_kde(draws.ravel())(at)[0]
        assert density_at(draws, at)[0] == pytest.approx(expected, rel=1e-10)


def test_density_error_is_the_spread_over_repetitions():
    repeated = [density_at(RNG.normal(size=(1, 2000))) for _ in range(200)]
    densities, errors = np.array(repeated).T
    # The bandwidth varies as well, which makes the estimate a little steadier or less so.
    assert np.mean(errors) == pytest.approx(np.std(densities), rel=0.15)


def test_savage_dickey_on_normals():
    delta, prior = RNG.normal(0.2, 0.1, (4, 20_000)), RNG.normal(0, 1, (4, 20_000))
    exact = stats.norm.pdf(0, 0.2, 0.1) / stats.norm.pdf(0)
    factor, error = savage_dickey(delta, prior)
    assert abs(factor - exact) < 4 * error + 0.03 * exact  # Monte Carlo, and the kernel's bias
    assert 0 < error < 0.05 * exact


def test_what_is_weighed_on_normals():
    delta, prior = RNG.normal(0.03, 0.02, (4, 50_000)), RNG.normal(0, 0.3, (4, 50_000))
    said = weigh(delta, prior, rope=(-0.05, 0.05), hdi_probability=0.9, category="x")
    normal, wide = stats.norm(0.03, 0.02), stats.norm(0, 0.3)
    inside = normal.cdf(0.05) - normal.cdf(-0.05)
    before = wide.cdf(0.05) - wide.cdf(-0.05)
    assert said.mean == pytest.approx(0.03, abs=3e-4)
    assert said.std == pytest.approx(0.02, abs=3e-4)
    assert said.mcse == pytest.approx(0.02 / math.sqrt(200_000), rel=0.1)
    # The ends of an HDI are its noisiest part: their error falls with the cube root of the draws.
    assert said.hdi == pytest.approx(normal.interval(0.9), abs=1.5e-3)
    assert said.p_less == pytest.approx(normal.cdf(0), abs=4e-3)
    assert said.p_greater == pytest.approx(1 - normal.cdf(0), abs=4e-3)
    assert (said.p_below, said.p_rope, said.p_above) == pytest.approx(
        (normal.cdf(-0.05), inside, 1 - normal.cdf(0.05)), abs=4e-3
    )
    expected = inside / (1 - inside) / (before / (1 - before))
    assert said.bf_rope == pytest.approx(expected, rel=0.05)
    assert said.decision == ">"


def test_masses_are_closed_and_add_up():
    draws = np.array([[-0.05, 0.05, 0.06, -0.06]])
    assert mass_within(draws, (-0.05, 0.05)) == 0.5
    said = weigh(draws, draws, rope=(-0.05, 0.05))
    assert said.p_below + said.p_rope + said.p_above == 1


def test_draws_without_spread():
    still, prior = np.zeros((2, 10)), RNG.normal(size=(2, 10))
    said = weigh(still, prior, rope=(-0.1, 0.1))
    assert (said.std, said.mcse, said.decision) == (0, 0, "=")
    assert said.bf_sd == math.inf
    assert savage_dickey(prior, still + 1) == pytest.approx((math.nan, math.nan), nan_ok=True)


def test_odds_ratio_at_the_ends():
    assert odds_ratio(1, 0.5) == math.inf
    assert odds_ratio(0, 0.5) == 0
    assert math.isnan(odds_ratio(0, 0))
    assert math.isnan(odds_ratio(1, 1))


@lru_cache(maxsize=1)
def prior_cells(model, prior, draws):
    counts = PairedCounts(("1",), np.ones((1, 4)), np.ones((1, 4)))
    data = MODELS[model].stan_data(counts, prior, get("f1")) | {"prior_only": 1}
    drawn = MODELS[model].exact(data, draws, np.random.default_rng(11))
    return drawn["cells"][:, 0], drawn["cells"][:, 1]


def prior_densities(*halves, draws, measure, model="paired", prior=FLAT):
    """Prior density of delta around 0, as the share of draws within +-half of it, and its error."""
    cells_A, cells_B = prior_cells(model, prior, draws)
    delta = get(measure)(cells_A) - get(measure)(cells_B)
    shares = np.array([np.mean(np.abs(delta) < half) for half in halves])
    return shares / (2 * np.array(halves)), np.sqrt(shares / draws) / (2 * np.array(halves))


@pytest.mark.parametrize(
    ("options", "exact"),
    [
        ({"measure": "recall"}, 1.5),
        ({"measure": "accuracy"}, 1.674),
        ({"measure": "f1", "model": "unpaired"}, 1.067),
        ({"measure": "f1", "prior": Prior(beta=2)}, 1.89),
    ],
)
def test_finite_prior_densities(options, exact):
    [density], [error] = prior_densities(1e-3, draws=2_000_000, **options)
    assert abs(density - exact) < 4 * error + 6e-3  # the last digit given, and the width
    model = MODELS[options.get("model", "paired")]
    prior = options.get("prior", Prior.uniform())
    assert not model.infinite_at_zero(get(options["measure"]), prior)


@pytest.mark.parametrize(("half", "expected"), [(1e-2, 2.55), (1e-3, 3.08), (1e-4, 3.60)])
def test_the_prior_density_of_f1_is_infinite(half, expected):
    [density], [error] = prior_densities(half, draws=4_000_000, measure="f1")
    assert abs(density - expected) < 4 * error + 6e-3
    assert MODELS["paired"].infinite_at_zero(get("f1"), Prior.uniform())


# Which measure has an infinite prior density under which prior, by the theory of the models.
INFINITE = {
    ("paired", FLAT): {"fbeta", "precision", "npv"},
    ("paired", JEFFREYS): {"fbeta", "precision", "npv", "recall", "mcc"},
    ("paired", PERKS): {"fbeta", "precision", "npv", "recall", "mcc", "accuracy"},
    ("paired", SHARP): set(),
    ("unpaired", FLAT): set(),
    ("unpaired", JEFFREYS): {"fbeta", "precision", "npv", "recall"},
    ("unpaired", SHARP): set(),
}
TRIED = ("fbeta", "precision", "npv", "recall", "mcc", "accuracy")


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize(("model", "prior"), INFINITE)
def test_where_the_factor_is_undefined(model, prior, name):
    told = MODELS[model].infinite_at_zero(get(name), prior)
    assert told == (name in INFINITE[model, prior])
    # A finite density hardly changes when the window narrows from 1e-2 to 1e-4.
    (narrow, wide), (error, _) = prior_densities(
        1e-4, 1e-2, draws=1_000_000, measure=name, model=model, prior=prior
    )
    assert (narrow > 1.15 * wide + 3 * error) == told


@pytest.mark.parametrize("prior", [FLAT, JEFFREYS, PERKS, SHARP])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_can_be_asked(name, model, prior):
    theorem = MODELS[model].infinite_at_zero
    result = SimpleNamespace(
        model=MODELS[model],
        measure=get(name),
        prior=prior,
        prior_scores=(),
        data=SimpleNamespace(categories=("1",)),
    )
    told = infinite_prior_density(result, "1")
    assert told is (True if theorem is None else theorem(get(name), prior))
