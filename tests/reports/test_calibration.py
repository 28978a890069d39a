"""Simulation-based calibration of every Stan program; its figures stay in reports/validation."""

import pandas as pd
import pytest
from reporting import REPORTS, module

sbc = module("validation.sbc")


@pytest.fixture(scope="module")
def ranks():
    sbc.main()
    return pd.read_csv(REPORTS / "validation/sbc.csv")


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("program", sbc.PROGRAMS)
def test_ranks_are_uniform(ranks, program):
    of_program = ranks[ranks["program"] == program]
    assert set(of_program["variable"]) >= {"delta"}
    for variable, found in of_program.groupby("variable"):
        assert sbc.uniformity(found["rank"]) > 1e-3, variable


def test_the_test_would_notice():
    uniform = pd.Series(range(100))
    assert sbc.uniformity(uniform) > 0.9
    assert sbc.uniformity(uniform // 2) < 1e-6  # a posterior that is biased
    assert sbc.uniformity(25 + uniform // 2) < 1e-6  # one that is too wide
