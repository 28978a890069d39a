from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics

from stanoff import compare, compare_counts
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
    assert result.tree["observed_data"]["observed_B_macro"].item() == pytest.approx(expected)
    assert result.tree["observed_data"]["observed_A"].shape == (12,)
    again = load(result.save(tmp_path / "r.nc"))
    assert again.evidence().observed_B == pytest.approx(expected)
    assert f"{expected:.3f}" in result.table(["category", "observed_B"]).to_numpy()[12]
    assert f"{expected:.3f}" in (result.to_html(tmp_path / "r.html")).read_text("utf-8")


def test_swapped_systems_swap_their_observed_scores():
    result = compare(TRUTH, A, B, average="macro", **QUICK)
    swapped = result.fit.between("B", "A", result.question)
    assert swapped.evidence().observed_A == result.evidence().observed_B


def test_a_pull_that_is_wider_than_the_rope_is_told():
    few = slice(0, 60)
    result = compare(TRUTH[few], A[few], B[few], average="macro", **QUICK)
    said = result.evidence()
    assert said.observed_A - said.psi_A > 0.05
    [told] = [warning for warning in result.warnings if "was observed" in warning]
    assert "The prior pulls the scores of few documents toward its own mean" in told
    assert not any("was observed" in warning for warning in result.judge(rope=0.9).warnings)
    plenty = compare_counts([3000, 50, 40, 300], [100, 90, 80, 9000], **QUICK)
    assert not any("was observed" in warning for warning in plenty.warnings)


def with_prior(result, change):
    """Return the result with other prior draws."""
    cells = result.fit.draws.prior["cells"].copy()
    change(cells)
    drawn = result.fit.draws
    draws = Draws(drawn.posterior, {"cells": cells}, drawn.sample_stats)
    return replace(result.fit, draws=draws).between(*result.names, result.question)


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
    assert noted.between("A", "B", result.question).warnings[0] == "Ids repeat."
