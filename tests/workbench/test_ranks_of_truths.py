"""Calibration finds what is wrong, and leaves alone what is right."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stanoff import InputError
from stanoff.workbench import Calibration, calibrate, new_program
from stanoff.workbench.calibration import describe_deviation, ecdf_band, is_inside

RNG = np.random.default_rng(3)
OTHER = np.random.default_rng(8)


def made(**ranks):
    return Calibration("mine.stan", pd.DataFrame(ranks), max_rank=99, n_divergent=0, seed=1)


def test_of_a_right_program_all_is_inside_in_95_percent():
    """Of the log-likelihood and nine variables that are independent, which is the worst case."""
    inside = 0
    for seed in range(600):
        names = ["log_lik", *(f"x{i}" for i in range(9))]
        ranks = pd.DataFrame(RNG.integers(0, 100, (80, 10)), columns=names)
        inside += Calibration("mine.stan", ranks, 99, 0, seed).calibrated
    assert stats.binomtest(inside, 600, 0.95).pvalue > 1e-3


def test_all_of_a_distribution_stays_inside_the_band():
    points, low, high = ecdf_band(100, 0.8)
    inside = [is_inside(RNG.random(100), 0.8) for _ in range(600)]
    assert stats.binomtest(sum(inside), 600, 0.8).pvalue > 1e-3
    assert np.all((low <= points) & (points <= high))


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
    ranks = {f"x{i}": RNG.integers(0, 100, 60) for i in range(100)}
    found = made(**ranks)
    alone = [is_inside(found.pit[name].to_numpy(), 0.95) for name in ranks]
    assert not all(alone)  # among a hundred some fall out
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
    assert list(found.ranks)[:3] == ["log_lik", "delta", "psi[1,1]"]
    assert found.left_out == ()
    again = calibrate("paired", simulations=50, categories=1, seed=1)
    pd.testing.assert_frame_equal(found.ranks, again.ranks)


@pytest.fixture(scope="session")
def repeating_program(tmp_path_factory):
    """A program that counts documents as often as its data say: once is right."""
    file = tmp_path_factory.mktemp("programs") / "repeating.stan"
    text = new_program(file)
    declared = "  int<lower=0, upper=1> simulate;"
    likelihood = "      c_{0}[k] ~ multinomial(theta_{0}[k]);\n"
    for side in ("pos", "neg"):
        line = likelihood.format(side)
        assert line in text
        assert declared in text
        text = text.replace(declared, f"  int times_{side};\n{declared}")
        text = text.replace(line, f"      for (i in 1 : times_{side})\n  {line}")
    file.write_text(text)
    return file


@pytest.mark.stan
@pytest.mark.parametrize("times", [(1, 1), (2, 1), (1, 2)])
def test_a_likelihood_that_counts_twice_is_found_out(repeating_program, times):
    data = dict(zip(("times_pos", "times_neg"), times, strict=True))
    found = calibrate(repeating_program, data=data, simulations=60, seed=2)
    verdict, *others = found.table["verdict"]
    if times == (1, 1):
        assert found.calibrated, found
        assert "goes unseen" in found.sentence()
    else:
        assert "too high (the truth ranks low)" in verdict  # that of log_lik
        assert sum(other != "uniform" for other in others) < len(others) / 4
    assert found.left_out == ()


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
    assert "Not tested: log_lik, theta_neg, delta, psi." in found.sentence()

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


def test_a_band_for_many_simulations_is_left_as_rarely_as_it_says():
    n, outside = 500, 0.0005
    points, low, high = ecdf_band(n, 1 - outside)
    rng, left, count = np.random.default_rng(6), 0, 40_000
    for _ in range(count // 1000):
        ranks = np.sort(rng.random((1000, n)), axis=1)
        ecdf = np.array([np.searchsorted(row, points, side="right") for row in ranks]) / n
        left += int(((ecdf < low) | (ecdf > high)).any(axis=1).sum())
    # 20 are expected; three standard errors of these and of the 10 that the band stands on.
    assert left <= 42
