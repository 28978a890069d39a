"""Both engines draw the same posterior, and both draw the one that theory gives."""

import re
import warnings

import numpy as np
import pytest
from agreement import same_law, scored_by_stan
from conftest import KINDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stanoff import InputError, Prior, SamplingWarning, compare_counts
from stanoff.data.types import PairedCounts
from stanoff.engines.diagnostics import diagnose
from stanoff.engines.draws import Draws
from stanoff.engines.sampling import sample
from stanoff.measures import get
from stanoff.models import MODELS
from stanoff.question import read


@pytest.mark.stan
@pytest.mark.parametrize("model", ["paired", "unpaired"])
@pytest.mark.parametrize("kind", KINDS)
def test_stan_agrees_with_exact(kind, model):
    pos, neg = KINDS[kind]
    fits = {
        engine: compare_counts(
            pos,
            neg,
            model=model,
            engine=engine,
            seed=42,
            chains=4,
            draws=2500 if engine == "stan" else 25_000,
        )
        for engine in ("stan", "exact")
    }
    assert fits["stan"].sampler_warnings == ()
    for group in ("posterior", "prior"):
        scored_by_stan(fits["stan"], group)
        for variable in ("psi_A", "psi_B", "delta"):
            ours, yardstick = (
                getattr(fits[engine].draws, group)[variable][..., 0] for engine in ("stan", "exact")
            )
            same_law(ours, yardstick, about=(group, variable))


@pytest.mark.parametrize("kind", KINDS)
def test_exact_paired_marginals(kind, counts_of):
    counts = counts_of(kind)
    prior = Prior(beta=(2, 3), alpha_pos=(1, 2, 3, 4), alpha_neg=0.5)
    data = MODELS["paired"].stan_data(counts, prior, get("f1"))
    drawn = MODELS["paired"].sample_exact(data, 20_000, np.random.default_rng(3))
    n_pos, n_neg = counts.pos.sum(), counts.neg.sum()
    alpha_pos, alpha_neg = counts.pos[0] + [1, 2, 3, 4], counts.neg[0] + 0.5
    marginals = [(drawn["mu"][:, 0], stats.beta(2 + n_pos, 3 + n_neg))]
    for name, alpha in (("theta_pos", alpha_pos), ("theta_neg", alpha_neg)):
        marginals += [
            (drawn[name][:, 0, i], stats.beta(alpha[i], alpha.sum() - alpha[i])) for i in range(4)
        ]
    # Two cells of a Dirichlet add up to a Beta again: the rate of each classifier.
    rate = drawn["cells"][:, 1, 0, 0] / drawn["mu"][:, 0]
    marginals.append((rate, stats.beta(alpha_pos[0] + alpha_pos[2], alpha_pos[1] + alpha_pos[3])))
    p_values = [stats.kstest(draws, law.cdf).pvalue for draws, law in marginals]
    assert min(p_values) > 1e-4


def test_exact_unpaired_marginals(counts_of):
    counts = counts_of("balanced")
    data = MODELS["unpaired"].stan_data(counts, Prior(beta=(2, 3), alpha_neg=(1, 4)), get("f1"))
    drawn = MODELS["unpaired"].sample_exact(data, 20_000, np.random.default_rng(3))
    for j, (tp, fp, fn, tn) in enumerate(counts.cells[:, 0]):
        for name, law in (
            ("mu", stats.beta(2 + tp + fn, 3 + fp + tn)),
            ("rho_pos", stats.beta(1 + tp, 1 + fn)),
            ("rho_neg", stats.beta(1 + fp, 4 + tn)),
        ):
            assert stats.kstest(drawn[name][:, j, 0], law.cdf).pvalue > 1e-4


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_exact_cells_are_the_probabilities_of_the_model(model, counts_of):
    data = MODELS[model].stan_data(counts_of("balanced"), Prior.uniform(), get("f1"))
    drawn = MODELS[model].sample_exact(data, 100, np.random.default_rng(1))
    for j in (0, 1):
        tp, fp, fn, tn = np.moveaxis(drawn["cells"][:, j, 0], -1, 0)
        mu = drawn["mu"][:, j, 0] if model == "unpaired" else drawn["mu"][:, 0]
        np.testing.assert_allclose(tp + fn, mu)
        np.testing.assert_allclose(fp + tn, 1 - mu)


def test_the_check_value_of_the_design():
    """From 2e7 draws by hand: mean .00208, sd .01266, HDI [-.0227, .0270], P(< 0) .435."""
    result = compare_counts(
        [310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", draws=1_000_000, seed=1
    )
    said = result.evidence()
    assert said.mean == pytest.approx(0.00208, abs=5e-5)
    assert said.std == pytest.approx(0.01266, abs=3e-5)
    assert said.hdi == pytest.approx((-0.0227, 0.0270), abs=3e-4)
    assert said.p_less == pytest.approx(0.435, abs=2e-3)


outcomes = st.lists(st.integers(0, 200), min_size=4, max_size=4)


def quick(pos, neg, **options):
    return compare_counts(pos, neg, engine="exact", draws=4000, seed=1, **options).evidence()


@settings(max_examples=40, deadline=None)
@given(pos=outcomes, neg=outcomes, measure=st.sampled_from(["f1", "precision", "error"]))
def test_swapping_the_classifiers_flips_delta(pos, neg, measure):
    if sum(pos + neg) == 0:
        return
    swapped = [[c[0], c[2], c[1], c[3]] for c in (pos, neg)]
    there, back = quick(pos, neg, measure=measure), quick(*swapped, measure=measure)
    error = 6 * np.hypot(there.mcse, back.mcse)
    assert there.mean == pytest.approx(-back.mean, abs=error)
    assert there.psi_A == pytest.approx(back.psi_B, abs=0.02)


@settings(max_examples=20, deadline=None)
@given(pos=outcomes, neg=outcomes)
def test_paired_and_unpaired_means_come_together(pos, neg):
    """Their priors differ (a paired rate is Beta(2, 2) a priori), so only as counts grow."""
    if not sum(pos) or not sum(neg) or pos[0] + pos[1] == 0 or pos[0] + pos[2] == 0:
        return
    many = [[10_000 * count for count in c] for c in (pos, neg)]
    paired, unpaired = quick(*many), quick(*many, model="unpaired")
    assert paired.mean == pytest.approx(unpaired.mean, abs=2e-3)


def test_pairing_narrows_the_interval():
    paired = quick([300, 20, 10, 70], [40, 10, 5, 900])
    unpaired = quick([300, 20, 10, 70], [40, 10, 5, 900], model="unpaired")
    assert paired.std < 0.7 * unpaired.std


def test_counts_beyond_the_integers_of_stan():
    huge = [[10**10, 5, 5, 10**9], [10**9, 7, 7, 10**10]]
    assert quick(*huge).decision == "="
    with pytest.raises(
        InputError,
        match=r"2147483647 documents, but there are 22000000024: pass "
        "engine='exact'",
    ):
        compare_counts(*huge)


def chains(**changes):
    """Draws of a sampler without trouble, except for what is changed."""
    rng = np.random.default_rng(2)
    stats = {
        "diverging": np.zeros((4, 1000), dtype=bool),
        "energy": rng.normal(size=(4, 1000)),
        "lp": rng.normal(size=(4, 1000)),
        "tree_depth": np.full((4, 1000), 3),
    }
    stats |= {name: values for name, values in changes.items() if name in stats}
    posterior = {
        "delta": rng.normal(size=(4, 1000, 1)),
        "kappa": rng.normal(size=(4, 1000)),
        "fixed": np.ones((4, 1000, 3)),
    }
    posterior |= {name: values for name, values in changes.items() if name not in stats}
    return Draws(posterior, {}, stats)


def walk(seed):
    return np.cumsum(np.random.default_rng(seed).normal(size=(4, 1000)), axis=1)


STILL = {"delta": np.ones((4, 1000, 1)), "kappa": np.ones((4, 1000)), "lp": np.ones((4, 1000))}
MANY = np.random.default_rng(5).normal(size=(4, 1000, 200))
MANY[:, :, 137] = walk(4)


@pytest.mark.parametrize(
    ("changes", "words", "advice"),
    [
        ({"diverging": np.arange(4000).reshape(4, 1000) < 3}, "3 of 4000 transit", "adapt_delta"),
        ({"tree_depth": np.full((4, 1000), 10)}, "4000 of 4000 transitions had", "max_treedepth"),
        ({"delta": walk(1)[..., None]}, "R-hat of delta is .* above 1.01", "draw more"),
        ({"delta": walk(1)[..., None]}, "sample size of delta is .* below 400", "draw more"),
        ({"kappa": walk(1)}, "R-hat of kappa is .* above 1.05", "reparametrise"),
        ({"kappa": 1e19 * walk(1)}, "R-hat of kappa is .* above 1.05", "reparametrise"),
        (STILL, "the chains did not move", "draw more"),
        ({"lp": walk(1)}, "R-hat of lp__ is .* above 1.05", "draw more"),
        ({"theta": MANY}, r"R-hat of theta\[138\] is .* above 1.05", "draw more"),
        ({"energy": walk(3)}, "E-BFMI is 0.0., below 0.3", "reparametrise"),
    ],
)
def test_trouble_is_told_with_what_helps(changes, words, advice):
    assert diagnose(chains()) == {}
    problems = diagnose(chains(**changes))
    [problem] = [problem for problem in problems if re.search(words, problem)]
    assert advice in problems[problem]


@pytest.mark.stan
def test_a_sampler_in_trouble_warns_and_says_so():
    with pytest.warns(SamplingWarning, match="The sampler had trouble: .*effective sample size"):
        result = compare_counts([3, 1, 1, 1], [3, 1, 1, 9], draws=20, warmup=20, chains=2, seed=1)
    assert "The sampler had trouble" in str(result)
    assert result.summary().attrs["warnings"][0].startswith("The sampler had trouble")


def test_a_model_without_a_program_is_for_the_exact_engine(counts_of):
    _, sampling = read(model="paired", engine="stan", seed=1)
    model = MODELS["bootstrap"]
    with pytest.raises(InputError, match="'exact' for bootstrap, which has no program"):
        sample("stan", model, counts_of("balanced"), sampling, get("f1"))


@pytest.mark.stan
def test_a_seed_makes_stan_reproducible():
    first, again, other = (
        compare_counts([30, 5, 6, 9], [4, 5, 6, 90], draws=300, seed=seed) for seed in (7, 7, 8)
    )
    np.testing.assert_array_equal(first.draws.posterior["delta"], again.draws.posterior["delta"])
    assert (first.draws.posterior["delta"] != other.draws.posterior["delta"]).any()


@pytest.mark.stan
def test_stan_scores_many_categories_as_numpy_does():
    pos = [[30, 5, 6, 9], [3, 0, 1, 0], [0, 0, 0, 0]]
    neg = [[4, 5, 6, 90], [1, 1, 2, 140], [2, 3, 4, 135]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        result = compare_counts(
            pos, neg, measure="f1", beta=2, average="micro", draws=300, seed=1, names=("x", "y")
        )
    drawn = result.fit.draws.posterior  # psi as the program computed it
    np.testing.assert_allclose(drawn["cells"].sum(axis=-1), 1, rtol=1e-12)
    np.testing.assert_allclose(drawn["psi"], get("f1", beta=2)(drawn["cells"]), rtol=1e-12)
    psi_A, psi_B = np.moveaxis(drawn["psi"], 2, 0)
    np.testing.assert_array_equal(drawn["delta"], psi_A - psi_B)
    np.testing.assert_array_equal(result.draws.posterior["cells_B"], drawn["cells"][:, :, 1])
    assert result.categories == ("0", "1", "2", "macro", "micro", "weighted")


def test_prior_draws_ignore_the_counts():
    counts = PairedCounts(("1",), np.array([[9, 9, 9, 9]]), np.array([[9, 9, 9, 9]]))
    data = MODELS["paired"].stan_data(counts, Prior.uniform(), get("f1")) | {"prior_only": 1}
    drawn = MODELS["paired"].sample_exact(data, 20_000, np.random.default_rng(1))
    assert stats.kstest(drawn["mu"][:, 0], "uniform").pvalue > 1e-4
