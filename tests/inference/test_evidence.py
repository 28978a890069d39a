import math
from functools import lru_cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from stanoff import Prior, compare_counts
from stanoff.data.types import ConfusionCounts, PairedCounts
from stanoff.inference.bayes_factor import (
    density_diverges_at_zero,
    interval_bayes_factor,
    savage_dickey,
)
from stanoff.inference.evidence import RowInfo, summarize
from stanoff.inference.posterior import SampledPosterior, StudentTPosterior
from stanoff.inference.warnings import infinite_prior_density
from stanoff.measures import MEASURES, get
from stanoff.models import MODELS

RNG = np.random.default_rng(7)
FLAT, JEFFREYS, SHARP = Prior.uniform(), Prior(0.5, 0.5, 0.5), Prior(2, 2, 2)
PERKS = Prior(0.5, 0.25, 0.25)


def sampled(*rows):
    """Make a posterior of one row of each array of draws (chain, draw)."""
    return [SampledPosterior(draws[None]) for draws in rows]


def density_at(draws, at=0.0):
    value, error, _ = SampledPosterior(draws[None]).density(at)
    return value[0], error[0]


def evidence_of(delta, prior, **question):
    [evidence] = summarize(*sampled(delta, prior), **question)
    return evidence


def test_kernel_density_is_that_of_scipy():
    draws = RNG.gamma(3, size=(2, 2000))
    for at in (0.0, 1.0, 4.2):
        expected = stats.gaussian_kde(draws.ravel())(at)[0]
        value, _, _ = SampledPosterior(draws[None]).kernel_density(at)
        assert value[0] == pytest.approx(expected, rel=1e-10)


def test_density_error_is_the_spread_over_repetitions():
    repeated = [density_at(RNG.normal(size=(1, 2000))) for _ in range(200)]
    densities, errors = np.array(repeated).T
    # The bandwidth varies as well, which makes the estimate a little steadier or less so.
    assert np.mean(errors) == pytest.approx(np.std(densities), rel=0.15)


def test_savage_dickey_on_normals():
    delta, prior = RNG.normal(0.2, 0.1, (4, 20_000)), RNG.normal(0, 1, (4, 20_000))
    exact = stats.norm.pdf(0, 0.2, 0.1) / stats.norm.pdf(0)
    [(factor, error, bound, _)] = savage_dickey(*sampled(delta, prior))
    assert bound is None
    assert abs(factor - exact) < 4 * error + 0.03 * exact  # Monte Carlo, and the kernel's bias
    assert 0 < error < 0.05 * exact


def test_what_is_weighed_on_normals():
    delta, prior = RNG.normal(0.03, 0.02, (4, 50_000)), RNG.normal(0, 0.3, (4, 50_000))
    said = evidence_of(delta, prior, rope=(-0.05, 0.05), hdi_prob=0.9)
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
    assert sampled(draws)[0].within((-0.05, 0.05)) == 0.5
    said = evidence_of(draws, draws, rope=(-0.05, 0.05))
    assert said.p_below + said.p_rope + said.p_above == 1


def test_draws_without_spread():
    still, prior = np.zeros((2, 10)), RNG.normal(size=(2, 10))
    said = evidence_of(still, prior, rope=(-0.1, 0.1))
    assert (said.std, said.mcse, said.decision) == (0, 0, "=")
    assert math.isnan(said.bf_sd)  # no density at all
    assert said.bf_sd_bound is None
    assert math.isnan(savage_dickey(*sampled(prior, still + 1))[0].value)


@pytest.mark.parametrize(
    ("inside", "before", "side"),
    [
        (1, 0.5, ">"),
        (0, 0.5, "<"),
        (0.5, 0, ">"),
        (0.5, 1, "<"),
        (1, 0, ">"),
        (0, 1, "<"),
        (0, 0, None),
        (1, 1, None),
    ],
)
def test_what_only_the_number_of_draws_bounds(inside, before, side):
    n = 1000
    delta, prior = (np.where(np.arange(n) < share * n, 0.0, 1.0) for share in (inside, before))
    [(value, _, bound, _)] = interval_bayes_factor(*sampled(delta[None], prior[None]), (-0.1, 0.1))
    assert math.isnan(value)
    if side is None:
        assert bound is None
        return
    assert bound.side == side
    # With 95 % confidence the true share is within 3/n of an end.
    p, q = np.clip([inside, before], 3 / n, 1 - 3 / n)
    assert bound.value == pytest.approx(p / (1 - p) / (q / (1 - q)))


def test_the_bound_of_an_interval_factor_holds():
    prior = stats.norm(0, 0.3)
    before = prior.cdf(0.05) - prior.cdf(-0.05)
    held, tried = 0, 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        outside = 10.0 ** rng.uniform(-4, -2)
        spread = 0.05 / stats.norm.isf(outside / 2)
        delta, drawn = rng.normal(0, spread, (1, 1000)), rng.normal(0, 0.3, (1, 200_000))
        bound = interval_bayes_factor(*sampled(delta, drawn), (-0.05, 0.05))[0].bound
        if bound is not None:
            tried += 1
            held += (1 - outside) / outside / (before / (1 - before)) > 0.95 * bound.value
    assert tried > 100
    assert held > 0.93 * tried


def test_a_density_below_that_of_a_single_draw_is_a_bound():
    delta, prior = RNG.normal(0.6, 0.05, (4, 1000)), RNG.normal(0, 0.3, (4, 1000))
    said = evidence_of(delta, prior, rope=(-0.05, 0.05))
    assert math.isnan(said.bf_sd)
    assert said.bf_sd_bound.side == "<"
    exact = stats.norm.pdf(0, 0.6, 0.05) / stats.norm.pdf(0, 0, 0.3)
    assert said.bf_sd_bound.value > exact
    # One draw at 0 under a kernel, over the kernel's estimate of the prior density there.
    n, narrow, wide = 4000, 0.05 * 4000**-0.2, 0.3 * 4000**-0.2
    density = stats.norm.pdf(0, 0, math.hypot(0.3, wide))
    bound = 1 / (n * narrow * math.sqrt(2 * math.pi)) / density
    of_density = 1 / (2 * math.sqrt(math.pi) * n * wide * density)  # relative variance
    error = bound * math.sqrt(1 / (2 * n) + of_density)
    assert abs(said.bf_sd_bound.value - bound) < 4.5 * error
    assert (said.bf_rope_bound.side, math.isnan(said.bf_rope)) == ("<", True)
    [swapped] = savage_dickey(*sampled(prior, delta))
    assert swapped.bound.side == ">"
    assert 0 < swapped.bound.value < 1 / exact


# A finite peak: smooth, a corner, a cusp like a square root; and densities that have no end.
PEAKS = {
    "normal": (lambda rng, n: rng.normal(size=n), False),
    "laplace": (lambda rng, n: rng.laplace(size=n), False),
    "triangular": (lambda rng, n: rng.triangular(-1, 0, 1, n), False),
    "narrow": (lambda rng, n: rng.normal(size=n) * rng.choice([0.05, 1], n), False),
    "power": (lambda rng, n: rng.normal(size=n) * rng.uniform(size=n) ** 2, True),
    "cube": (lambda rng, n: rng.normal(size=n) ** 3, True),
    "atom": (lambda rng, n: np.where(rng.uniform(size=n) < 0.01, 0.0, rng.normal(size=n)), True),
}


@pytest.mark.parametrize("name", PEAKS)
def test_an_infinite_density_is_told_from_a_peak(name):
    make, infinite = PEAKS[name]
    found = [
        density_diverges_at_zero(make(np.random.default_rng(seed), 10_000)[None])
        for seed in range(100)
    ]
    if infinite:
        assert np.mean(found) > 0.95
    else:
        assert np.mean(found) <= 0.02


def test_draws_that_hang_together_need_more_of_them():
    rng = np.random.default_rng(3)
    steps = np.repeat(rng.normal(size=(1, 400)), 25, axis=1)  # every draw stays for a while
    assert not density_diverges_at_zero(steps)


@lru_cache(maxsize=1)
def prior_cells(model, prior, draws):
    counts = PairedCounts(("1",), np.ones((1, 4)), np.ones((1, 4)))
    data = MODELS[model].stan_data(counts, prior, get("f1")) | {"prior_only": 1}
    drawn = MODELS[model].sample_exact(data, draws, np.random.default_rng(11))
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
    assert not model.prior_density_infinite_at_zero(get(options["measure"]), prior, None)


@pytest.mark.parametrize(("half", "expected"), [(1e-2, 2.55), (1e-3, 3.08), (1e-4, 3.60)])
def test_the_prior_density_of_f1_is_infinite(half, expected):
    [density], [error] = prior_densities(half, draws=4_000_000, measure="f1")
    assert abs(density - expected) < 4 * error + 6e-3
    assert MODELS["paired"].prior_density_infinite_at_zero(get("f1"), Prior.uniform(), None)


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
    told = MODELS[model].prior_density_infinite_at_zero(get(name), prior, None)
    assert told == (name in INFINITE[model, prior])
    # A finite density hardly changes when the window narrows from 1e-2 to 1e-4.
    (narrow, wide), (error, _) = prior_densities(
        1e-4, 1e-2, draws=1_000_000, measure=name, model=model, prior=prior
    )
    assert (narrow > 1.15 * wide + 3 * error) == told


CLASSES = ConfusionCounts(("0", "1"), np.zeros((1, 3), dtype=int), np.ones(1, dtype=int))


@pytest.mark.parametrize("prior", [FLAT, JEFFREYS, PERKS, SHARP])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_can_be_asked(name, model, prior):
    # Prior draws that show nothing: what is said comes from the theorem, if there is one.
    quiet = np.linspace(-1, 1, 1000)[None]
    theorem = MODELS[model].prior_density_infinite_at_zero(get(name), prior, CLASSES)
    result = SimpleNamespace(
        model=MODELS[model],
        measure=get(name),
        prior=prior,
        prior_delta=lambda category: quiet,
        data=CLASSES,
        prior_density_infinite_at_zero=theorem,
    )
    assert infinite_prior_density(result, "1") is bool(theorem)


@pytest.mark.parametrize("name", ["fbeta", "accuracy"])
@pytest.mark.parametrize("model", ["hierarchical", "joint"])
def test_a_class_that_nobody_has_makes_all_equal(model, name):
    told = MODELS[model].prior_density_infinite_at_zero(get(name), FLAT, CLASSES)
    assert told is (True if name == "fbeta" else None)


def test_many_rows_weigh_what_each_weighs_alone():
    pos, neg = RNG.integers(0, 30, (2, 40, 4))
    how = {"engine": "exact", "draws": 500, "seed": 1, "average": "macro", "measure": "dor"}
    how["zero_division"] = 1.0
    together, alone = (compare_counts(pos, neg, **how) for _ in range(2))
    rows = together.all_evidence()
    assert [row.category for row in rows] == list(alone.categories)
    for row in rows:
        one = vars(alone.evidence(row.category))
        np.testing.assert_allclose(row.mcse, one["mcse"], rtol=1e-12)
        for name in ("mean", "std", "hdi", "p_less", "p_rope", "bf_rope", "psi_A", "decision"):
            np.testing.assert_equal(vars(row)[name], one[name])
        np.testing.assert_allclose(row.bf_sd, one["bf_sd"])


def test_a_row_without_a_prior_has_no_factors_and_leaves_them_to_others():
    delta, prior = RNG.normal(0.01, 0.1, (2, 3, 4, 200))
    prior[1, 2, 7] = np.nan
    about = [RowInfo(name) for name in "xyz"]
    posterior, before = SampledPosterior(delta), SampledPosterior(prior)
    rows = summarize(posterior, before, about, rope=(-0.05, 0.05), hdi_prob=0.9)
    assert [math.isnan(row.bf_sd) for row in rows] == [False, True, False]
    assert [math.isnan(row.bf_rope) for row in rows] == [False, True, False]


def test_a_closed_form_says_what_its_draws_say():
    df, loc, scale = 9.0, np.array([0.02, -0.1]), np.array([0.03, 0.05])
    exact, n = StudentTPosterior(df, loc, scale), 400_000
    draws = SampledPosterior(exact.quantiles(n)[:, None])
    frozen = stats.t(df, loc, scale)
    np.testing.assert_allclose(exact.sd(), frozen.std())
    np.testing.assert_allclose(exact.density(0.01).value, frozen.pdf(0.01))
    np.testing.assert_allclose(exact.below(-0.3), frozen.cdf(-0.3))
    np.testing.assert_allclose(exact.above(0.3), frozen.sf(0.3))
    for question in ("mean", "sd"):
        np.testing.assert_allclose(
            getattr(draws, question)(), getattr(exact, question)(), atol=2e-4
        )
    for name, argument in (("below", 0.0), ("above", 0.05), ("within", (-0.05, 0.05))):
        np.testing.assert_allclose(
            getattr(draws, name)(argument), getattr(exact, name)(argument), atol=1e-5
        )
    np.testing.assert_allclose(draws.hdi(0.9), exact.hdi(0.9), atol=1e-3)
    np.testing.assert_allclose(draws.quantiles(9), exact.quantiles(9), atol=1e-3)
    [one, other] = summarize(
        exact,
        StudentTPosterior(3.0, 0 * loc, 1 + scale),
        rows=[RowInfo("x"), RowInfo("y")],
        rope=(-0.05, 0.05),
    )
    assert (one.mcse, one.midpoint_error, one.bf_sd_error) == (0, 0, 0)
    assert one.bf_sd == pytest.approx(frozen.pdf(0)[0] / stats.t(3, 0, 1.03).pdf(0))
    assert (one.decision, other.decision) == (">", "<")


def test_two_systems_that_are_one_have_all_of_it_at_their_difference():
    point = StudentTPosterior(9.0, np.array([0.0, 0.1]), np.zeros(2))
    assert point.below(0.0).tolist() == [0, 0]
    assert point.above(0.0).tolist() == [0, 1]
    assert point.within((-0.05, 0.05)).tolist() == [1, 0]
    assert [
        e.decision for e in summarize(point, rows=[RowInfo(), RowInfo()], rope=(-0.05, 0.05))
    ] == [
        "=",
        ">>",
    ]
