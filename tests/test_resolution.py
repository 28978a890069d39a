"""No verdict flips by the seed without a word: more draws where they decide, and a sentence."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from stanoff import compare, compare_counts, contest, load
from stanoff.text.sentences import UNRESOLVED

EXACT = {"engine": "exact"}
MIRRORED = {">>": "<<", ">": "<", "=": "=", "<": ">", "<<": ">>"}


def flipping(n, seed):
    """Return counts of a pair, and a ROPE within a few errors of an end of its HDI."""
    rng = np.random.default_rng(seed)
    counts = [
        rng.multinomial(n, [0.7, 0.12, 0.04, 0.14]),
        rng.multinomial(4 * n, [0.01] * 3 + [0.97]),
    ]
    result = compare_counts(*counts, draws=20_000, seed=1, **EXACT)
    low, high = result.evidence().hdi
    return counts, abs(low if abs(low) > 0.002 else high) + rng.normal(0, 0.0005)


@pytest.mark.parametrize("case", [1, 2])
def test_no_verdict_flips_unsaid(case):
    counts, rope = flipping(150, case)
    results = [compare_counts(*counts, rope=rope, seed=seed, **EXACT) for seed in range(4)]
    silent = {str(r.decision) for r in results if UNRESOLVED not in str(r)}
    assert len(silent) <= 1
    for result in results:
        assert (UNRESOLVED in str(result)) == (not result.evidence().decision_resolved)


def test_more_draws_are_taken_where_they_decide():
    counts, rope = flipping(150, 1)
    drawn_on = compare_counts(*counts, rope=rope, seed=1, **EXACT)
    assert 50_000 < drawn_on.scores.delta.size <= 1_000_000
    assert compare_counts(*counts, rope=0.2, seed=1, **EXACT).scores.delta.size == 50_000
    fixed = compare_counts(*counts, rope=rope, draws=5000, seed=1, **EXACT)
    assert fixed.scores.delta.size == 5000


def test_a_verdict_does_not_depend_on_what_was_asked_before(tmp_path):
    counts, rope = flipping(150, 1)
    drawn_on = compare_counts(*counts, rope=rope, seed=1, **EXACT)
    plain = compare_counts(*counts, rope=0.2, seed=1, **EXACT)
    assert drawn_on.judge(rope=0.2).evidence().hdi == plain.evidence().hdi
    again = load(drawn_on.save(tmp_path / "r.nc"))
    assert again.evidence().hdi == drawn_on.evidence().hdi
    assert again.judge(rope=0.2).evidence().hdi == plain.evidence().hdi


@pytest.mark.stan
def test_a_longer_run_of_stan_begins_with_the_shorter_one():
    counts, _ = flipping(150, 1)
    result = compare_counts(*counts, rope=0.2, seed=1, engine="stan")
    longer = result.fit.extend(2500, result.measure)
    first = longer.first_run(result.measure).draws.posterior
    for name, values in result.fit.draws.posterior.items():
        np.testing.assert_array_equal(values, first[name])
    assert longer.draws.shape == (4, 2500)


@pytest.mark.parametrize("model", ["paired", "unpaired"])
@pytest.mark.parametrize("measure", ["f1", "error"])
def test_swapping_the_systems_mirrors_all(model, measure):
    c_pos, c_neg = (
        np.array([[60, 22, 4, 14], [9, 3, 8, 1]]),
        np.array([[5, 5, 25, 265], [3, 9, 1, 70]]),
    )
    options = {"model": model, "measure": measure, "seed": 3, "average": "macro", **EXACT}
    swap = [0, 2, 1, 3]
    one = compare_counts(c_pos, c_neg, **options)
    other = compare_counts(c_pos[:, swap], c_neg[:, swap], **options)
    for category in one.categories:
        a, b = one.evidence(category), other.evidence(category)
        assert a.hdi == (-b.hdi[1], -b.hdi[0])
        assert MIRRORED[str(a.decision)] == str(b.decision)


def test_contests_draw_on_for_pairs_with_the_leader():
    rng = np.random.default_rng(5)
    truth = rng.random(400) < 0.4
    systems = {f"s{i}": np.where(rng.random(400) < 0.1 + 0.03 * i, ~truth, truth) for i in range(3)}
    plain = contest(truth, systems, pos_label=True, rope=0.24, seed=1)
    low = plain.between("s0", "s1").evidence().hdi[0]
    close = contest(truth, systems, pos_label=True, rope=abs(low), seed=1)
    assert close.psi.shape[1] > plain.psi.shape[1] == 50_000
    assert ("another seed" in str(close)) == (not close.decision_resolved())


def tables_of_pairs():
    """Yield what each exact model takes, and the options with which it is compared."""
    rng = np.random.default_rng(3)
    n = 200
    truth = rng.integers(0, 4, n)
    said = [np.where(rng.random(n) < 0.3, rng.integers(0, 4, n), truth) for _ in "ab"]
    classes = pd.DataFrame({"y": truth, "a": said[0], "b": said[1], "fold": np.arange(n) % 5})
    scores = classes.assign(y=truth > 1, a=truth + rng.normal(0, 2, n), b=rng.normal(truth, 2))
    yield "joint", classes, {"truth": "y", "average": "macro"}
    yield "out_of_fold", (classes > 1).assign(fold=classes.fold), {"truth": "y", "fold": "fold"}
    yield "bootstrap", scores, {"truth": "y", "measure": "auc"}
    yield "out_of_fold_scores", scores, {"truth": "y", "fold": "fold", "measure": "auc"}
    values = pd.DataFrame({"a": rng.normal(0, 1, n), "b": rng.normal(0.1, 1, n)})
    yield "items", values, {"measure": "mean"}
    yield "clusters", values.assign(c=np.arange(n) % 20), {"measure": "mean", "cluster": "c"}
    runs = pd.DataFrame(list(product(range(40), "ab", range(3))), columns=["item", "system", "k"])
    runs = runs.assign(v=rng.normal(0, 1, 240), d=runs["item"] % 5, y=runs["item"] % 2)
    options = {"item": "item", "system": "system"}
    again = {"value": "v", "measure": "mean", **options}
    yield "runs", runs, {"population": "runs", **again}
    yield "datasets", runs, {"population": "datasets", "dataset": "d", **again}
    trained = runs.assign(p=(rng.random(240) < 0.7).astype(int))
    yield "seeds_labels", trained, {"truth": "y", "prediction": "p", "trained": "k", **options}


@pytest.mark.parametrize("case", list(tables_of_pairs()), ids=lambda case: case[0])
def test_swapping_the_systems_mirrors_every_exact_model(case):
    model, table, options = case
    positive = {"pos_label": True} if model.startswith(("out_of_fold", "bootstrap")) else {}
    one, other = (
        compare(table, a=a, b=b, seed=2, **options, **positive, **EXACT) for a, b in ("ab", "ba")
    )
    assert one.model.name == model
    for a, b in zip(one.all_evidence(), other.all_evidence(), strict=True):
        assert a.hdi == (-b.hdi[1], -b.hdi[0])
        assert MIRRORED[str(a.decision)] == str(b.decision)


@pytest.mark.parametrize("case", list(tables_of_pairs()), ids=lambda case: case[0])
def test_a_contest_of_two_tells_them_apart_in_both_orders(case):
    model, table, options = case
    positive = {"pos_label": True} if model.startswith(("out_of_fold", "bootstrap")) else {}
    two = contest(table, systems=["a", "b"], seed=2, **options, **positive)
    assert two.fit.model.name == model
    one, other = two.between("a", "b"), two.between("b", "a")
    np.testing.assert_allclose(one.observed, other.observed[::-1])
    for a, b in zip(one.all_evidence(), other.all_evidence(), strict=True):
        assert a.mean == pytest.approx(-b.mean, abs=1e-15)
        assert a.hdi == pytest.approx((-b.hdi[1], -b.hdi[0]), abs=1e-15)


def test_the_clock_decides_on_no_draws(monkeypatch):
    slow = iter(range(0, 10**9, 100))
    monkeypatch.setattr("time.perf_counter", lambda: float(next(slow)))
    quick = compare_counts([90, 22, 4, 14], [9, 3, 8, 1], engine="exact", seed=1, rope=0.06)
    low, high = quick.evidence().hdi
    rope = min(abs(low), abs(high))
    options = {"engine": "exact", "seed": 1, "rope": rope}
    result = compare_counts([90, 22, 4, 14], [9, 3, 8, 1], **options)
    assert result.fit.seconds >= 100
    assert result.fit.draws.shape[1] > quick.fit.draws.shape[1]


def test_large_data_keep_their_draws(monkeypatch):
    monkeypatch.setattr("stanoff.results.base.MAX_WORK", {"exact": 1, "stan": 1})
    quick = compare_counts([90, 22, 4, 14], [9, 3, 8, 1], engine="exact", seed=1, rope=0.06)
    rope = min(map(abs, quick.evidence().hdi))
    result = compare_counts([90, 22, 4, 14], [9, 3, 8, 1], engine="exact", seed=1, rope=rope)
    assert result.fit.draws.shape == quick.fit.draws.shape
    assert "another seed" in result.sentence()
