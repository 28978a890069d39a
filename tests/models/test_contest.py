"""The contest model: every pair of systems has the posterior that they have by themselves."""

import itertools
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from multiprocessing import get_context

import numpy as np
import pytest
from agreement import same_law
from contestants import labels

from stanoff import InputError, Prior, compare, contest
from stanoff.data.counting import count_labels
from stanoff.data.types import response_patterns
from stanoff.engines.draws import Draws
from stanoff.measures import get
from stanoff.models import MODELS, patterns

PRIORS = [Prior.uniform(), Prior.jeffreys(), Prior.perks(), Prior(beta=(2, 3), alpha_neg=0.3)]
SYSTEMS = (4, 12)  # pattern by pattern, and by sticks


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("systems", [2, 3, 6, 9])
def test_patterns_add_up_to_the_paired_models_weights(systems, prior):
    truth, columns = labels(systems=systems)
    counts = count_labels({"y": truth, **columns})
    block = MODELS["contest"].stan_data(counts, prior)
    patterns = response_patterns(systems)
    for name, alpha in (("c_pos", "alpha_pos"), ("c_neg", "alpha_neg")):
        weights = dict.fromkeys(map(tuple, patterns.tolist()), block[alpha] / len(patterns))
        for row, n in zip(block["said"].tolist(), block[name], strict=True):
            weights[tuple(row)] += n
        for a, b in itertools.permutations(range(systems), 2):
            pair = MODELS["paired"].stan_data(counts.pair(a, b), prior)
            added = [
                sum(w for row, w in weights.items() if (row[a], row[b]) == outcome)
                for outcome in itertools.product((1, 0), repeat=2)
            ]
            np.testing.assert_allclose(added, pair[alpha] + pair[name][0], rtol=1e-12)


def multilabel(systems, seed=2):
    rng = np.random.default_rng(seed)
    truth = rng.random((80, 3)) < 0.4
    return truth, {f"s{i}": truth ^ (rng.random((80, 3)) < 0.1 + 0.02 * i) for i in range(systems)}


KINDS = {
    "binary": (lambda s: labels(80, s), {}),
    "multi-label": (multilabel, {"average": "macro"}),
    "single-label": (lambda s: labels(120, s, classes=4), {"average": "macro"}),
    "one class of many": (lambda s: labels(120, s, classes=4), {"pos_label": 2}),
}


@cache
def both(kind, systems):
    columns, options = KINDS[kind]
    truth, predictions = columns(systems)
    return truth, predictions, contest(truth, predictions, seed=7, draws=20_000, **options)


@pytest.mark.parametrize("systems", SYSTEMS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_pair_has_the_posterior_of_its_comparison(kind, systems):
    truth, predictions, result = both(kind, systems)
    names = list(predictions)
    some = list(itertools.combinations(range(systems), 2))[:: max(1, systems // 3)][:6]
    for i, j in some:
        a, b = names[i], names[j]
        ours = result.between(a, b)
        alone = compare(
            truth,
            predictions[a],
            predictions[b],
            engine="exact",
            seed=8,
            draws=20_000,
            names=(a, b),
            **KINDS[kind][1],
        )
        assert (ours.names, ours.model, ours.categories) == (
            alone.names,
            alone.model,
            alone.categories,
        )
        assert ours.p_values.keys() == alone.p_values.keys()
        for group in ("posterior", "prior"):
            for category in ours.categories:
                one, other = (r.row_draws(group, "delta", category) for r in (ours, alone))
                same_law(one, other, about=(kind, a, b, group, category), at=-0.001)
        e, f = ours.evidence(), alone.evidence()
        assert e.p_rope == pytest.approx(f.p_rope, abs=0.02)
        assert e.bf_sd_defined == f.bf_sd_defined


def test_pairs_say_what_comparisons_say():
    _, _, result = both("binary", 4)
    for row in result.pairs().itertuples():
        e = result.between(row.a, row.b).evidence()
        assert row.decision == e.decision
        found = (row.mean, row.std, row.p_less, row.p_greater, row.p_below, row.p_rope, row.p_above)
        expected = (e.mean, e.std, e.p_less, e.p_greater, e.p_below, e.p_rope, e.p_above)
        assert found == pytest.approx(expected, rel=1e-12)
        assert (row.hdi_low, row.hdi_high) == e.hdi


def test_a_pair_is_a_full_comparison(tmp_path):
    from stanoff import load

    _, _, result = both("binary", 4)
    pair = result.between("s2", "s0")
    assert pair.names == ("s2", "s0")
    assert pair.scenario().name == "of s2 and s0"
    assert pair.plot_mosaic().has_data()
    assert pair.sensitivity().priors["prior"].tolist() == ["uniform", "jeffreys", "perks"]
    assert str(load(pair.save(tmp_path / "pair.nc"))) == str(pair)
    assert str(result.between("s0", "s2").decision) in "<<=>>"
    with pytest.raises(InputError, match="'b' parameter must be one of s0, s1, s2, s3"):
        result.between("s0", "s9")
    with pytest.raises(InputError, match="'b' parameter must be another system than 'a'"):
        result.between("s0", "s0")


def test_sticks_draw_the_patterns_one_by_one(monkeypatch):
    """The same posterior and prior by both ways, of all systems together."""
    truth, columns = labels(60, 5)
    few = contest(truth, columns, seed=1, draws=30_000)
    assert set(few.fit.draws.prior) == {"mu", "cells"}  # drawn before the change
    monkeypatch.setattr(patterns, "MAX_DENSE_SYSTEMS", 1)
    sticks = contest(truth, columns, seed=2, draws=30_000)
    for group in ("posterior", "prior"):
        one, other = (getattr(r.fit.draws, group)["cells"][0, :, :, 0, 0] for r in (few, sticks))
        for i in range(5):
            same_law(one[None, :, i], other[None, :, i], about=(group, i), at=0.3)
        for together in (np.min, np.prod, np.std):
            ours, theirs = (together(cells, axis=1)[None] for cells in (one, other))
            same_law(ours, theirs, about=(group, together), at=0.01)


def test_what_is_drawn_are_probabilities():
    for systems in SYSTEMS:
        _, _, result = both("multi-label", systems)
        for group in (result.fit.draws.posterior, result.fit.draws.prior):
            assert group["cells"].min() >= 0
            np.testing.assert_allclose(group["cells"].sum(axis=-1), 1, rtol=1e-12)


def test_no_pattern_has_a_prior_of_its_own():
    truth, columns = labels(20, 3)
    with pytest.raises(InputError, match=r"'prior\.alpha_pos' parameter must be one number"):
        contest(truth, columns, prior=Prior(alpha_pos=(1, 2, 3, 4)))
    with pytest.raises(InputError, match="one Prior for both"):
        contest(truth, columns, prior=(Prior(), Prior()))


def test_the_prior_is_drawn_when_it_is_asked_for():
    truth, columns = labels(20, 3)
    one, other = (contest(truth, columns, seed=3, draws=50) for _ in range(2))
    other.fit.draws.prior["cells"]
    one.summary()
    np.testing.assert_array_equal(one.fit.draws.prior["cells"], other.fit.draws.prior["cells"])
    assert isinstance(one.fit.draws, Draws)


@pytest.mark.stan
@pytest.mark.parametrize(("kind", "systems"), [("binary", 2), ("binary", 6), ("multi-label", 3)])
def test_stan_agrees_with_exact(kind, systems):
    columns, options = KINDS[kind]
    truth, predictions = columns(systems)
    stan = contest(truth, predictions, engine="stan", seed=1, draws=2500, **options)
    exact = contest(truth, predictions, engine="exact", seed=2, **options)
    assert stan.sampler_warnings == ()
    for group in ("posterior", "prior"):
        by_stan, drawn = (getattr(r.fit.draws, group) for r in (stan, exact))
        psi = get("f1")(by_stan["cells"])
        np.testing.assert_allclose(by_stan["psi"], psi, atol=1e-12)
        for i, j in itertools.combinations(range(systems), 2):
            for k in range(psi.shape[-1]):
                one, other = (
                    np.asarray(
                        get("f1")(d["cells"][:, :, i, k]) - get("f1")(d["cells"][:, :, j, k])
                    )
                    for d in (by_stan, drawn)
                )
                same_law(one, other, about=(group, i, j, k), at=-0.001)
    pair = stan.between("s1", "s0")
    assert pair.engine == "stan"
    paired = compare(truth, predictions["s1"], predictions["s0"], seed=5, **options)
    for category in pair.categories:
        one, other = (r.row_draws("posterior", "delta", category) for r in (pair, paired))
        same_law(one, other, about=category)


@pytest.mark.parametrize(
    ("systems", "options", "words"),
    [
        (7, {}, "'engine' parameter must be 'exact' for contest with more than 6 systems"),
        (65, {}, "'engine' parameter must be 'exact' for contest with more than 6 systems"),
        (3, {"average": "macro"}, "must be 'exact' for joint with more than 2 systems"),
    ],
)
def test_what_stan_does_not_take(systems, options, words):
    truth, columns = labels(30, systems)
    with pytest.raises(InputError, match=words):
        contest(truth, columns, engine="stan", **options)


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_others_may_draw_the_categories(pool):
    truth, predictions = multilabel(4)
    options = {"average": "macro", "draws": 300, "seed": 3}
    here = contest(truth, predictions, **options)
    with pool(
        2, **({"mp_context": get_context("spawn")} if pool is ProcessPoolExecutor else {})
    ) as ex:
        there = contest(truth, predictions, executor=ex, **options)
    np.testing.assert_array_equal(there.psi, here.psi)
    np.testing.assert_array_equal(there.fit.draws.prior["cells"], here.fit.draws.prior["cells"])
    with pytest.raises(InputError, match=r"a concurrent\.futures\.Executor or a client of Dask"):
        contest(truth, predictions, executor=2, **options)
