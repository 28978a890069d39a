"""Leave-one-out per document, against closed forms; what it says of values and scores."""

import numpy as np
import pandas as pd
import pytest
from arviz_stats import compare, loo
from scipy import stats

from stanoff import InputError, compare_counts, count
from stanoff import compare as compare_systems
from stanoff.workbench import compare_models

POS, NEG = np.array([31, 25, 20, 14]), np.array([4, 3, 2, 39])


def predictive(pos, neg, left_out):
    """Log-density of each document of a class, given all others: Beta and Dirichlet, uniform."""
    others, n = pos.sum() - left_out, pos.sum() + neg.sum() - left_out
    return np.log((others + 1) / (n + 2) * (pos - left_out + 1) / (others + 4))


def test_loo_of_counts_is_that_of_every_document():
    result = compare_counts(POS, NEG, engine="exact", seed=1, draws=20_000)
    found = result.loo()
    exact = np.concatenate(
        [np.repeat(predictive(*c, left_out=1), c[0]) for c in ((POS, NEG), (NEG, POS))]
    )
    assert found.n_data_points == len(exact) == POS.sum() + NEG.sum()
    # An importance weight of the rarest pair has a relative sd of 1: 0.007 of 20,000 draws.
    np.testing.assert_allclose(found.elpd_i, exact, atol=0.03)
    assert found.elpd == pytest.approx(exact.sum(), abs=0.1)
    assert found.se == pytest.approx(np.sqrt(len(exact)) * exact.std(ddof=1), rel=0.01)
    together = sum(c[0] @ predictive(*c, left_out=0) for c in ((POS, NEG), (NEG, POS)))
    assert found.p == pytest.approx(together - exact.sum(), abs=0.1)
    assert float(found.pareto_k.max()) < 0.5


def test_the_tree_gives_the_same_loo_while_it_holds_the_documents():
    small = compare_counts(POS, NEG, engine="exact", seed=1, draws=2000)
    of_tree, ours = loo(small.tree), small.loo()
    assert ours.elpd == pytest.approx(of_tree.elpd)
    assert ours.p == pytest.approx(of_tree.p)
    assert ours.se == pytest.approx(of_tree.se, rel=0.01)  # N - 1 in place of N
    large = compare_counts(POS * 300, NEG * 300, engine="exact", seed=1, draws=2000)
    assert "log_likelihood" not in large.tree.children
    assert large.loo().n_data_points == 300 * (POS.sum() + NEG.sum())


def test_models_of_other_observations_are_not_compared():
    counts = count([1, 1, 1, 0, 0, 0] * 20, [1, 1, 1, 0, 0, 1] * 20, [1, 0, 1, 0, 1, 0] * 20)
    other = compare_models(counts, ["paired", "unpaired"], engine="exact", seed=1, draws=2000)
    assert other.summary()["elpd"].notna().tolist() == [True, False]
    with pytest.raises(InputError, match=r"unpaired and paired are models of different obs"):
        other.compare()


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.errors.SamplingWarning")
@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.sort_values")  # ArviZ 0.8
def test_models_of_the_same_observations_are_compared():
    counts = count([1, 1, 1, 0, 0, 0] * 20, [1, 1, 1, 0, 0, 1] * 20, [1, 0, 1, 0, 1, 0] * 20)
    models = compare_models(counts, ["paired", "hierarchical"], seed=1, draws=500, engine="stan")
    table = models.compare()
    assert set(table.index) == {"paired", "hierarchical"}
    by_hand = compare({name: result.loo() for name, result in models.results.items()})
    pd.testing.assert_frame_equal(table, by_hand)
    assert models.summary()["elpd"].notna().all()


def values(n, noise):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(n, 1)) + noise(rng, (n, 2)), columns=["a", "b"])
    return compare_systems(frame, a="a", b="b", measure="mean", engine="exact", seed=1, draws=4000)


def test_pit_of_values_is_uniform_where_the_model_fits():
    result = values(200, lambda rng, size: rng.normal(size=size))
    pit = result.loo_pit()["y"]
    assert pit["system"].to_numpy().tolist() == ["a", "b"]
    for system in ("a", "b"):
        assert stats.kstest(pit.sel(system=system), "uniform").pvalue > 0.01
    skewed = values(200, lambda rng, size: rng.exponential(5, size=size))
    assert stats.kstest(skewed.loo_pit()["y"].sel(system="a"), "uniform").pvalue < 0.01


@pytest.mark.stan
def test_pit_of_scores_leaves_out_their_own_document():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 60)
    one = truth + rng.normal(size=60)
    one[5] = 9.0  # far out, whatever its class
    result = compare_systems(truth, one, 0.5 * truth + rng.normal(size=60), measure="auc",
                             model="binormal", seed=1)  # fmt: skip
    side = "pos" if truth[5] else "neg"
    pit = result.loo_pit()[f"x_{side}"][..., 0].to_numpy()
    place = np.flatnonzero(truth == truth[5]).tolist().index(5)
    assert pit[place] == pit.max() > 0.99


def test_labels_have_no_pit():
    result = compare_counts(POS, NEG, engine="exact", seed=1, draws=500)
    with pytest.raises(InputError, match="labels are nominal"):
        result.loo_pit()
