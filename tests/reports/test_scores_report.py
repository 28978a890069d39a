"""The study of scores in reports/validation: its truth, a small part again, the kept table."""

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, module
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

study = module("validation.scores")


@pytest.fixture(scope="module")
def kept():
    return pd.read_csv(REPORTS / "validation/scores.csv")


@pytest.mark.parametrize("measure", ["auc", "average_precision", "brier"])
def test_the_true_difference_is_that_of_very_many_documents(measure):
    rng = np.random.default_rng(1)
    truth = np.repeat([1, 0], [100_000, 400_000])
    score = {"auc": roc_auc_score, "average_precision": average_precision_score}
    for grades in (0, 5) if measure == "auc" else (0,):
        a, b = study.scores(truth, (0.85, 0.75), grades, rng)
        if measure == "brier":
            a, b = study.probability(a, 0.85, 1, 4), study.probability(b, 0.75, 1, 4)
        of = score.get(measure, brier_score_loss)
        true = study.difference(measure, 1, 4, 0.85, 0.75, grades)
        assert of(truth, a) - of(truth, b) == pytest.approx(true, abs=0.004)


def test_a_design_can_be_run_again(kept):
    row = study.cover((0, ("auc", 20, 20, 0.97, 0.93, 0, 40)))
    before = kept.query("measure == 'auc' and n_pos == 20 and auc_a == 0.97").iloc[0]
    assert row["weights"] == pytest.approx(before["weights"], abs=0.12)
    assert row["width"] == pytest.approx(before["width"], rel=0.2)


def test_auc_is_covered_everywhere_and_no_worse_than_by_delong(kept):
    auc = kept[kept["measure"] == "auc"]
    assert len(auc) == len(study.AUC_DESIGNS)
    assert (auc["weights"] >= 0.93).all()
    assert (auc["weights"] >= auc["delong"] - 2 * auc["error"]).all()
    few = auc.query("n_pos == 20 and auc_a == 0.97").iloc[0]
    assert few["weights"] > few["delong"] + 3 * few["error"]  # what the prior document is for


def test_the_other_measures_are_covered_as_told(kept):
    brier = kept[kept["measure"] == "brier"]
    assert (brier["weights"] >= 0.95 - 3 * brier["error"]).all()
    assert set(kept["measure"]) == {"auc", "average_precision", "brier"}
