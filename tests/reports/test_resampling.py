"""Coverage of trained copies, data sets and out-of-fold predictions, as stored and anew."""

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, module

resampling = module("validation.resampling")


def test_intervals_cover_what_they_say():
    kept = pd.read_csv(REPORTS / "validation/resampling.csv")
    coverage = kept.set_index(["design", "sd"])["coverage"]
    for name in ("seeds, accuracy", "seeds, F1", "mean over data sets"):
        assert coverage.loc[name].between(0.93, 0.97).all(), name
    assert coverage["copies taken as independent runs", 0.02] < 0.85
    assert coverage["folds taken as items", 0.03] < 0.6
    assert coverage["out of fold, documents", 0.3] < coverage["out of fold, scores of folds", 0.3]


def test_the_page_describes_the_table():
    table = pd.read_csv(REPORTS / "validation/resampling.csv")
    text = resampling.notes(table)
    assert "94% to 96% of 95% intervals of the seeds model" in text
    assert "documents hold the difference in 62%, the scores of folds in 84%" in text
    assert resampling.shown(table)["coverage"].iloc[-1] == "83.6%"


@pytest.mark.parametrize("job", range(8))
def test_every_design_can_be_simulated(job):
    rows = resampling.simulate((job, resampling.designs(1)[job]))
    assert all(np.isfinite(row["coverage"]) for row in rows)
