"""The example programs draw from their own posteriors: stored ranks, and fresh ones."""

import pandas as pd
import pytest
from reporting import REPORTS, module

from stanoff.workbench.calibration import N_RANKED, Calibration

sbc = module("validation.sbc")
RANKS = pd.read_csv(REPORTS / "validation/examples.csv")


@pytest.mark.parametrize("program", sbc.EXAMPLES)
def test_the_stored_ranks_are_uniform(program):
    stored = RANKS[RANKS["program"] == program].groupby("variable", sort=False)["rank"]
    assert set(stored.size()) == {sbc.EXAMPLES[program]["simulations"]}
    ranks = pd.DataFrame({name: rank.to_numpy() for name, rank in stored})
    found = Calibration(program, ranks, N_RANKED, n_divergent=0, seed=1)
    assert found.calibrated, found


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("program", sbc.EXAMPLES)
def test_fresh_ranks_are_uniform(program):
    found = sbc.calibrated(program, seed=2)
    assert found.calibrated, found
    assert found.n_divergent <= 0.05 * len(found.ranks)
