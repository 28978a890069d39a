import numpy as np
import pytest
from scipy import stats

from stanoff.data.types import PairedCounts
from stanoff.measures import get
from stanoff.models import MODELS, counts
from stanoff.models.priors import Prior

POS = np.array([[30, 6, 4, 10], [5, 5, 5, 5], [0, 0, 0, 0], [30, 0, 4, 9], [1, 0, 0, 0]])
NEG = np.array([[6, 4, 5, 35], [5, 5, 5, 5], [3, 2, 1, 50], [6, 4, 0, 30], [0, 0, 1, 1]])
COUNTS = PairedCounts(tuple("abcde"), POS, NEG)
PRIORS = {
    "paired": [Prior(), Prior(beta=[2, 5], alpha_pos=[1, 2, 3, 0.5], alpha_neg=0.5)],
    "unpaired": [Prior(), (Prior(beta=[2, 5]), Prior(alpha_pos=[0.3, 4], alpha_neg=[2, 1]))],
}
CASES = [(model, prior) for model, priors in PRIORS.items() for prior in priors]


def gathered(model, prior, draws=20_000, seed=1):
    """Draw all data sets at once: cells (system, data set, draw, cell)."""
    data = MODELS[model].stan_data(COUNTS, prior)
    every = np.full((len(POS), 2, draws, 4), np.nan)
    for block, cells in MODELS[model].sample_exact_batch(data, draws, np.random.default_rng(seed)):
        every[block] = cells
    return every.swapaxes(0, 1)


@pytest.mark.parametrize(("model", "prior"), CASES)
@pytest.mark.parametrize("measure", ["f1", "accuracy"])
def test_every_data_set_has_its_own_exact_posterior(model, prior, measure):
    score = get(measure)
    a, b = gathered(model, prior)
    data = MODELS[model].stan_data(COUNTS, prior) | {"prior_only": 0}
    drawn = MODELS[model].sample_exact(data, 20_000, np.random.default_rng(2))["cells"]
    for i in range(len(POS)):
        one_by_one = score(drawn[:, 0, i]) - score(drawn[:, 1, i])
        together = score(a[i]) - score(b[i])
        assert stats.ks_2samp(together, one_by_one).pvalue > 1e-4


@pytest.mark.parametrize(("model", "prior"), CASES)
def test_cells_are_probabilities_of_every_data_set(model, prior):
    cells = gathered(model, prior, draws=500)
    assert (cells >= 0).all()
    np.testing.assert_allclose(cells.sum(axis=-1), 1)


def test_the_prevalence_is_the_beta_of_its_counts():
    a, b = gathered("paired", Prior(beta=[2, 5]))
    for i in range(len(POS)):
        beta = stats.beta(2 + POS[i].sum(), 5 + NEG[i].sum())
        assert stats.kstest(a[i, :, 0] + a[i, :, 2], beta.cdf).pvalue > 1e-4
    np.testing.assert_allclose(a[..., 0] + a[..., 2], b[..., 0] + b[..., 2])


def test_equal_counts_in_different_places_are_drawn_apart():
    a, b = gathered("paired", Prior())  # the second data set has eight counts of 5
    recall_a, recall_b = (c[1, :, 0] / (c[1, :, 0] + c[1, :, 2]) for c in (a, b))
    assert np.std(recall_a - recall_b) > 0.1
    # A's recall is Beta(12, 12), and so is B's; the four equal weights make them uncorrelated.
    assert abs(np.corrcoef(recall_a, recall_b)[0, 1]) < 0.03
    assert stats.kstest(recall_a, stats.beta(12, 12).cdf).pvalue > 1e-4


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_tiny_prior_weights_do_not_underflow(model):
    a, _ = gathered(model, Prior(mass=1e-3))
    assert not np.isnan(a).any()
    prevalence = a[0, :, 0] + a[0, :, 2]
    beta = stats.beta(POS[0].sum() + 5e-4, NEG[0].sum() + 5e-4)
    assert stats.kstest(prevalence, beta.cdf).pvalue > 1e-4


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_little_memory_means_smaller_parts_and_nothing_else(model, monkeypatch):
    monkeypatch.setattr(counts, "GAMMAS_AT_ONCE", 20_000)
    monkeypatch.setattr(counts, "GAMMAS_IN_CACHE", 1_000)
    cells = gathered(model, Prior(), draws=1_000)
    assert not np.isnan(cells).any()
    for i in range(len(POS)):
        beta = stats.beta(1 + POS[i].sum(), 1 + NEG[i].sum())
        prevalence = cells[0, i, :, 0] + cells[0, i, :, 2]
        assert stats.kstest(prevalence, beta.cdf).pvalue > 1e-4


def test_data_sets_that_are_alike_need_not_share_their_draws():
    paired = MODELS["paired"]
    alike = PairedCounts(("1", "2"), [[30, 5, 4, 9]] * 2, [[3, 2, 1, 60]] * 2)
    data = paired.stan_data(alike, Prior())

    def first_and_second(**options):
        drawn = paired.sample_exact_batch(data, 200, np.random.default_rng(1), **options)
        return np.concatenate([cells[:, 0] for _, cells in drawn])

    same, apart = first_and_second(), first_and_second(shared=False)
    np.testing.assert_array_equal(same[0], same[1])
    assert (apart[0] != apart[1]).all()
    np.testing.assert_allclose(apart.mean(axis=1), same.mean(axis=1), atol=0.02)
