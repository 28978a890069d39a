"""What the tree says of documents: likelihoods and new documents, against SciPy and Stan."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from arviz_stats import loo, psense
from scipy import stats

from stanoff import Comparison, Prior, compare_counts
from stanoff.data.types import PairedCounts

POS, NEG = [[30, 4, 1, 5], [9, 3, 0, 2]], [[1, 2, 1, 90], [0, 1, 3, 60]]
PRIOR = Prior(beta=(2, 3), alpha_pos=(1, 2, 3, 4), alpha_neg=0.5)
HOW = {"engine": "exact", "seed": 1, "draws": 400, "average": "macro"}


@pytest.fixture(scope="module")
def paired():
    return compare_counts(POS, NEG, prior=PRIOR, **HOW).tree


@pytest.fixture(scope="module")
def unpaired():
    return compare_counts(POS, NEG, model="unpaired", prior=PRIOR_OF_RATES, **HOW).tree


PRIOR_OF_RATES = Prior(beta=(2, 3), alpha_pos=(1, 2), alpha_neg=0.5)


def test_the_likelihood_is_that_of_scipy(paired):
    drawn = paired["posterior"]
    mu, theta = drawn["mu"], [drawn["theta_pos"], drawn["theta_neg"]]
    ours = paired["log_likelihood"]["log_lik"]
    groups = ours["group"].to_numpy()
    assert groups.tolist()[29:31] == ["0, positive, both", "0, positive, only A"]
    assert ours.sizes["document"] == np.sum(POS) + np.sum(NEG)
    for i in (0, 17):
        for k in (0, 1):
            share = mu[0, i, k].item()
            p = np.concatenate([theta[0][0, i, k] * share, theta[1][0, i, k] * (1 - share)])
            counts = np.concatenate([POS[k], NEG[k]])
            whole = stats.multinomial(counts.sum(), p / p.sum()).logpmf(counts)
            ways = stats.multinomial(counts.sum(), np.full(8, 1 / 8)).logpmf(counts)
            ways += counts.sum() * np.log(8)
            sums = ours[0, i, np.char.startswith(groups.astype(str), str(k))].sum()
            assert float(sums) == pytest.approx(whole - ways)


def test_the_prior_density_is_that_of_scipy(paired, unpaired):
    drawn = paired["posterior"]
    for i in (0, 5):
        expected = sum(
            stats.beta(2, 3).logpdf(drawn["mu"][0, i, k])
            + stats.dirichlet([1, 2, 3, 4]).logpdf(drawn["theta_pos"][0, i, k])
            + stats.dirichlet([0.5] * 4).logpdf(drawn["theta_neg"][0, i, k])
            for k in (0, 1)
        )
        assert float(paired["log_prior"]["log_prior"][0, i]) == pytest.approx(float(expected))
    drawn = unpaired["posterior"]
    laws = {"mu": stats.beta(2, 3), "rho_pos": stats.beta(1, 2), "rho_neg": stats.beta(0.5, 0.5)}
    expected = sum(law.logpdf(drawn[name][0, 3]).sum() for name, law in laws.items())
    assert float(unpaired["log_prior"]["log_prior"][0, 3]) == pytest.approx(float(expected))


def test_the_likelihood_of_cells_is_that_of_scipy(unpaired):
    ours, drawn = unpaired["log_likelihood"]["log_lik"], unpaired["posterior"]
    assert ours["group"].to_numpy()[0] == "A, 0, tp"
    cells = np.repeat(drawn["cells_A"][0, 2, 0].to_numpy(), [34, 3, 6, 91])
    np.testing.assert_allclose(ours[0, 2, : 34 + 3 + 6 + 91], np.log(cells), rtol=1e-12)


@pytest.mark.parametrize("group", ["posterior", "prior"])
def test_new_documents_follow_the_law_that_theory_gives(group):
    result = compare_counts(POS, NEG, prior=PRIOR, **HOW | {"draws": 20_000})
    new = result.tree[f"{group}_predictive"]
    for k in (0, 1):
        n_pos, n_neg = sum(POS[k]), sum(NEG[k])
        n = n_pos + n_neg
        total = new["c_pos"][0, :, k].sum("outcome").to_numpy()
        seen = (n_pos, n_neg) if group == "posterior" else (0, 0)
        law = stats.betabinom(n, 2 + seen[0], 3 + seen[1])
        assert abs(total.mean() - law.mean()) < 4.5 * law.std() / np.sqrt(20_000)
        assert abs(total.std() / law.std() - 1) < 0.03
        assert (total + new["c_neg"][0, :, k].sum("outcome").to_numpy() == n).all()
    both = new["c_pos"][0, :, 0, 0].to_numpy()
    alpha = np.array([1, 2, 3, 4]) + (POS[0] if group == "posterior" else 0)
    n_pos = new["c_pos"][0, :, 0].sum("outcome").to_numpy()
    expected = n_pos.mean() * alpha[0] / alpha.sum()
    assert abs(both.mean() - expected) < 4.5 * both.std() / np.sqrt(20_000)


def test_what_was_given_is_there(paired):
    given = paired["constant_data"]
    assert given["beta"].to_numpy().tolist() == [2, 3]
    assert given["alpha_pos"].to_numpy().tolist() == [1, 2, 3, 4]
    assert set(paired["observed_data"].data_vars) >= {"c_pos", "c_neg"}


def test_arviz_takes_the_tree():
    result = compare_counts(POS, NEG, prior=PRIOR, **HOW | {"draws": 4000})
    paired = result.tree
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # psense deals with chains that are too few
        assert loo(paired).elpd == pytest.approx(result.loo().elpd)
        by_prior, by_data = (
            float(psense(paired, var_names=["delta"], group=group)["delta"].sel(row="macro"))
            for group in ("prior", "likelihood")
        )
    assert by_data > by_prior > 0


def test_a_check_says_that_the_model_fits_and_when_it_does_not():
    result = compare_counts(POS, NEG, **HOW)
    found = result.check()
    assert found.passed
    assert "The draws are independent. Of 16 counts, 16 lie within" in found.sentence()
    assert "such as the model expects" in repr(found)
    pos, neg = [[5, 1, 30, 4], [3, 9, 0, 2]], [[41, 2, 1, 50], [20, 1, 3, 40]]
    other = PairedCounts(("0", "1"), pos, neg)
    wrong = Comparison.from_fit(replace(result.fit, data=other), "A", "B", result.question).check()
    assert not wrong.passed
    assert "That is too few: the model does not fit (" in wrong.sentence()
    assert "The model does not expect the observed" in wrong.sentence()
    table = wrong.table.set_index("what")
    assert table.loc["c_pos[1,3]", "p"] == 1.0
    assert not table.loc["c_neg[1,1]", "inside"]


@pytest.mark.parametrize("model", ["hierarchical", "hierarchical_unpaired"])
@pytest.mark.stan
def test_other_programs_have_it_too(model):
    how = {"seed": 1, "draws": 400, "model": model, "engine": "stan"}
    result = compare_counts(POS[:2], NEG[:2], **how)
    tree = result.tree
    lik = tree["log_likelihood"]["log_lik"]
    lp = tree["log_prior"]["log_prior"].to_numpy()
    assert np.isfinite(lp).all()
    assert np.isfinite(lik).all()
    assert {"posterior_predictive", "prior_predictive", "constant_data"} <= set(tree.children)
    assert result.check().sentence()
