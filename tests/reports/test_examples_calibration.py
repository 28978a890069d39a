"""The example programs draw from their own posteriors: stored ranks, and fresh ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reporting import module

from stanoff.workbench.calibration import N_RANKED
from stanoff.workbench.ranks import ecdf_p_value, holm

examples = module("validation.examples")
RANKS = pd.read_csv(Path(examples.HERE, "examples.csv"))


@pytest.mark.parametrize("program", examples.PROGRAMS)
def test_the_stored_ranks_are_uniform(program):
    found = RANKS[RANKS["program"] == program].groupby("variable", sort=False)["rank"]
    assert set(found.size()) == {examples.PROGRAMS[program]["simulations"]}
    p = np.array([ecdf_p_value(ranks.to_numpy(), N_RANKED) for _, ranks in found])
    assert holm(p).min() > 0.05


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("program", examples.PROGRAMS)
def test_fresh_ranks_are_uniform(program):
    found = examples.calibrated(program, seed=2)
    assert (found.table["p_adjusted"] > 0.005).all(), found
    assert found.n_divergent <= 0.05 * len(found.ranks)
