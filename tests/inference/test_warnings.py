from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from stanoff import Comparison, compare, compare_counts
from stanoff.engines.draws import Draws

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 12, 400)
A, B = (np.where(RNG.uniform(size=400) < p, TRUTH, RNG.integers(0, 12, 400)) for p in (0.95, 0.9))
QUICK = {"engine": "exact", "draws": 2000, "seed": 1}


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("model", ["joint", "paired"])
def test_observed_scores_are_those_of_scikit_learn(model, average):
    result = compare(TRUTH, A, B, average=average, model=model, **QUICK)
    said = result.evidence()
    for observed, predicted in ((said.observed_A, A), (said.observed_B, B)):
        expected = metrics.f1_score(TRUTH, predicted, average=average)
        assert observed == pytest.approx(expected, rel=1e-12)
    of_class = metrics.f1_score(TRUTH, A, average=None)
    assert result.summary()["observed_A"][:12].tolist() == pytest.approx(of_class.tolist())
    accuracy = result.judge(measure="accuracy").evidence()
    if model == "joint":
        assert accuracy.observed_A == pytest.approx(metrics.accuracy_score(TRUTH, A))


def test_observed_scores_are_everywhere(tmp_path):
    from stanoff import load

    result = compare(TRUTH, A, B, average="macro", **QUICK)
    expected = metrics.f1_score(TRUTH, B, average="macro")
    assert result.summary()["observed_B"].iloc[12] == pytest.approx(expected)
    assert result.tree["observed_data"]["observed_B"].sel(row="macro").item() == pytest.approx(
        expected
    )
    assert result.tree["observed_data"]["observed_A"].shape == (15,)
    again = load(result.save(tmp_path / "r.nc"))
    assert again.evidence().observed_B == pytest.approx(expected)
    assert f"{expected:.3f}" in result.table(["category", "observed_B"]).to_numpy()[12]
    assert f"{expected:.3f}" in (result.to_html(tmp_path / "r.html")).read_text("utf-8")


def test_swapped_systems_swap_their_observed_scores():
    result = compare(TRUTH, A, B, average="macro", **QUICK)
    swapped = Comparison.from_fit(result.fit, "B", "A", result.question)
    assert swapped.evidence().observed_A == result.evidence().observed_B


def test_a_pull_that_is_wider_than_the_rope_is_told():
    few = slice(0, 60)
    result = compare(TRUTH[few], A[few], B[few], average="macro", **QUICK)
    said = result.evidence()
    assert said.observed_A - said.psi_A > 0.05
    [told] = [warning for warning in result.warnings if "was observed" in warning]
    assert "The prior pulls the scores of few documents toward its own mean" in told
    assert not any("was observed" in warning for warning in result.judge(rope=0.25).warnings)
    plenty = compare_counts([3000, 50, 40, 300], [100, 90, 80, 9000], **QUICK)
    assert not any("was observed" in warning for warning in plenty.warnings)


def with_prior(result, change):
    """Return the result with other prior draws."""
    cells = result.fit.draws.prior["cells"].copy()
    change(cells)
    drawn = result.fit.draws
    draws = Draws(drawn.posterior, {"cells": cells}, drawn.sample_stats)
    return Comparison.from_fit(replace(result.fit, draws=draws), *result.names, result.question)


def test_prior_draws_that_are_nan_are_noticed():
    fine = compare_counts(
        [[30, 4, 1, 5], [300, 20, 30, 50]],
        [[1, 1, 1, 90], [5, 5, 5, 900]],
        categories=["x", "y"],
        **QUICK,
    )

    def spoil(cells):
        cells[0, :7, :, 1] = np.nan

    result = with_prior(fine, spoil)
    [told] = [warning for warning in result.warnings if "NaN" in warning and "delta" in warning]
    assert told == "delta is NaN in 7 of 2,000 prior draws (y): no Bayes factor is given."
    said = result.evidence("y")
    assert np.isnan([said.bf_sd, said.bf_sd_error, said.bf_rope]).all()
    assert (said.bf_sd_bound, said.bf_rope_bound) == (None, None)
    assert said.mean == fine.evidence("y").mean
    assert result.evidence("x").bf_rope == fine.evidence("x").bf_rope
    assert result.table(["category", "bf_sd", "bf_rope"]).iloc[1].tolist() == [
        "y",
        "undefined",
        "undefined",
    ]
    assert "factor" not in result.to_json().split("warnings")[0]


def test_notes_of_the_data_are_cautions():
    result = compare_counts([30, 4, 1, 5], [1, 1, 1, 90], **QUICK)
    noted = replace(result.fit, data=replace(result.data, notes=("Ids repeat.",)))
    assert Comparison.from_fit(noted, "A", "B", result.question).warnings[0] == "Ids repeat."


def cautioned(d):
    """Return what is said of the skewness of differences, if anything."""
    told = compare(d, np.zeros(len(d)), measure="mean", seed=1).warnings
    return [one for one in told if "skewed (" in one]


@pytest.mark.parametrize(("n", "least"), [(10, 0.45), (20, 0.8), (50, 0.85)])
def test_skewed_differences_are_pointed_out(n, least):
    """Normal differences rarely are, log-normal ones mostly; at 10 items half of them look normal.

    Two standard errors are passed by 4.6 % of normal skewnesses, in small samples by a little more.
    """
    rng = np.random.default_rng(n)
    times = 200
    normal = sum(bool(cautioned(rng.normal(size=n))) for _ in range(times)) / times
    assert normal < 0.055 + 4 * np.sqrt(0.05 * 0.95 / times)
    skewed = sum(bool(cautioned(rng.lognormal(size=n))) for _ in range(times)) / times
    assert skewed > least - 4 * np.sqrt(least * (1 - least) / times)


def test_skewed_intervals_miss_on_the_side_that_is_told():
    """The rule is Cochran's: at n = 25 skewness^2 an interval misses no more than 6 %."""
    rng, times = np.random.default_rng(3), 20_000
    # A gamma of shape k has the skewness 2 / sqrt(k).
    for shape, n, most in ((1.0, 100, 0.06), (4.0, 25, 0.06)):
        d = rng.gamma(shape, 1, (times, n))
        t = stats.t(n - 1, d.mean(axis=1), d.std(axis=1, ddof=1) / np.sqrt(n))
        low, high = t.interval(0.95)
        below, above = (high < shape).mean(), (low > shape).mean()
        assert below + above < most + 4 * np.sqrt(0.05 * 0.95 / times)
        assert below > 2 * above  # too low where the skewness is positive
    d = np.array([0.0, 0.1, 0.05, 0.12, 0.02, 0.08, 0.03, 0.11, 0.06, 0.04, 0.09, 4.0])
    skewness = stats.skew(d)
    [told] = cautioned(d)
    assert f"({skewness:+.1f}): a few values of A are far above those of B" in told
    assert "mostly by lying too low" in told
    assert f"; {int(np.ceil(25 * skewness**2)):,} items or more" in told
    [told] = cautioned(-d)
    assert "a few values of B are far above those of A" in told
    assert "mostly by lying too high" in told
