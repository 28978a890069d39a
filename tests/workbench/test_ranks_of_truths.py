"""Calibration finds what is wrong, and leaves alone what is right."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stanoff import InputError
from stanoff.workbench import Calibration, calibrate, new_program
from stanoff.workbench.ranks import describe_deviation, ecdf_band, ecdf_p_value

RNG = np.random.default_rng(3)
OTHER = np.random.default_rng(8)


def made(**ranks):
    return Calibration("mine.stan", pd.DataFrame(ranks), max_rank=99, n_divergent=0, seed=1)


def test_uniform_ranks_are_rejected_as_often_as_the_level_says():
    p = np.array([ecdf_p_value(RNG.integers(0, 100, 80), 99) for _ in range(600)])
    for level in (0.05, 0.2, 0.5):
        rejected = int((p <= level).sum())
        assert stats.binomtest(rejected, 600, level).pvalue > 1e-3, level


def test_all_of_a_distribution_stays_within_the_band():
    expected, low, high = ecdf_band(100, 99)
    inside = 0
    for _ in range(600):
        seen = np.bincount(RNG.integers(0, 100, 100), minlength=100).cumsum()[:-1] / 100
        inside += bool(np.all((seen >= low - 1e-9) & (seen <= high + 1e-9)))
    assert stats.binomtest(inside, 600, 0.95).pvalue > 1e-3
    assert np.all((low < expected) & (expected < high))


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        (RNG.beta(0.5, 0.5, 200), "too narrow"),
        (RNG.beta(3, 3, 200), "too wide"),
        (RNG.beta(2, 1, 200), "too low"),
        (RNG.beta(1, 2, 200), "too high"),
    ],
)
def test_the_verdict_says_what_is_wrong(ranks, words):
    found = made(delta=np.floor(100 * ranks).astype(int), mu=np.arange(200) // 2)
    assert not found.calibrated
    assert found.table["verdict"].str.contains(words).tolist() == [True, False]
    assert f"delta: the posterior is {words}" in found.sentence()
    assert "mu:" not in found.sentence()


def posterior_ranks(shift, scale, simulations=100):
    """Rank truths among draws of posteriors that are off and too narrow by so much."""
    truth = shift + scale * OTHER.normal(size=(simulations, 1))
    return (OTHER.normal(size=(simulations, 99)) < truth).sum(axis=1)


@pytest.mark.parametrize(
    ("shift", "scale", "named"),
    [
        (1.0, 1.0, "too low"),
        (3.0, 1.0, "too low"),
        (0.0, 2.0, "too narrow"),
        (0.0, 0.5, "too wide"),
    ],
)
def test_a_bias_is_not_taken_for_a_width(shift, scale, named):
    found = [describe_deviation(posterior_ranks(shift, scale), 99) for _ in range(80)]
    assert all(named in each for each in found)  # of this size it is always seen
    wrong = sum(" and " in each for each in found)
    assert stats.binomtest(wrong, 80, 0.025, alternative="greater").pvalue > 1e-3


def test_nothing_is_named_of_uniform_ranks():
    words = [describe_deviation(posterior_ranks(0, 1), 99) for _ in range(200)]
    wrong = sum(each != "the ranks are not uniform" for each in words)
    assert stats.binomtest(wrong, 200, 0.05, alternative="greater").pvalue > 1e-3


def test_many_variables_are_looked_at_together():
    ranks = {f"x{i}": RNG.integers(0, 100, 60) for i in range(30)}
    found = made(**ranks)
    assert (found.table["p"] < 0.05).any()  # among thirty one falls out
    assert found.calibrated
    assert "do not speak against it" in " ".join(repr(found).split())


def test_a_page_has_the_verdict_and_the_figures(tmp_path):
    names = {"delta": np.arange(100), "a<b>": np.arange(100)[::-1]}
    page = made(**names).to_html(tmp_path / "page.html").read_text("utf8")
    assert "do not speak against it" in page
    assert page.count("<svg") == 3
    assert "a<b>" not in page


@pytest.mark.stan
def test_a_program_of_stanoff_is_calibrated():
    found = calibrate("paired", simulations=50, categories=1, seed=1)
    assert found.calibrated, found
    assert list(found.ranks)[:2] == ["delta", "psi[1,1]"]
    again = calibrate("paired", simulations=50, categories=1, seed=1)
    pd.testing.assert_frame_equal(found.ranks, again.ranks)


@pytest.mark.stan
def test_a_program_that_counts_documents_twice_is_found_out(tmp_path):
    text = new_program(tmp_path / "right.stan")
    line = "      c_neg[k] ~ multinomial(theta_neg[k]);\n"
    assert line in text
    (tmp_path / "wrong.stan").write_text(text.replace(line, 4 * line))
    right, wrong = (
        calibrate(tmp_path / f"{name}.stan", simulations=60, categories=1, seed=2)
        for name in ("right", "wrong")
    )
    assert right.calibrated, right
    odd = wrong.table.set_index("variable")["verdict"]
    assert not wrong.calibrated
    assert "too narrow" in odd[odd.index.str.startswith("theta_neg")].str.cat()
    assert (odd[odd.index.str.startswith("theta_pos")] == "uniform").all()


@pytest.mark.stan
def test_a_function_may_simulate_instead():
    def simulate(rng, data):
        mu = rng.beta(*data["beta"])
        theta = rng.dirichlet(data["alpha_pos"]), rng.dirichlet(data["alpha_neg"])
        n_pos = rng.binomial(100, mu)
        documents = {
            "c_pos": [rng.multinomial(n_pos, theta[0]).tolist()],
            "c_neg": [rng.multinomial(100 - n_pos, theta[1]).tolist()],
        }
        return {"mu": [mu], "theta_pos": theta[0][None]}, documents

    found = calibrate("paired", simulate=simulate, simulations=50, categories=1, seed=4)
    assert found.calibrated, found
    assert list(found.ranks) == ["mu", *(f"theta_pos[1,{i}]" for i in range(1, 5))]

    def biased(rng, data):
        truth, documents = simulate(rng, data)
        return {"mu": [truth["mu"][0] ** 1.5]}, documents

    found = calibrate("paired", simulate=biased, simulations=50, categories=1, seed=4)
    assert "the posterior is too high" in found.sentence()
    with pytest.raises(InputError, match="'simulate' parameter must be of data that the program"):
        calibrate("paired", simulate=lambda rng, data: ({"mu": [0.5]}, {"c": 1}), categories=1)


def test_what_cannot_be_calibrated():
    with pytest.raises(InputError, match="a Stan program of two systems and of categories"):
        calibrate("joint")
    with pytest.raises(InputError, match="'simulations' parameter"):
        calibrate("paired", simulations=3)
