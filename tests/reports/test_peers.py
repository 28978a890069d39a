"""The recorded run with other packages."""

import pandas as pd
import pytest
from conftest import script
from reporting import REPORTS, module

TABLE = pd.read_csv(REPORTS / "benchmark/peers.csv").set_index("package")
SAMPLERS = ["stanoff", "PyMC", "nutpie", "PyStan 3"]


def test_the_run_is_complete_and_hangs_together():
    bench = script(REPORTS / "benchmark/bench_peers.py")
    assert set(TABLE.index) == {"stanoff", *bench.LEAST}
    drawn = TABLE.loc[SAMPLERS]
    assert drawn["effective_draws"].between(1000, 20_000).all()  # of 4,000 draws
    assert (drawn["effective_draws"] / drawn["seconds"]).to_numpy() == pytest.approx(
        drawn["per_second"].to_numpy(), rel=0.01
    )
    others = TABLE.drop(index="stanoff")
    assert (others["seconds"] / others["stanoff_seconds"]).to_numpy() == pytest.approx(
        others["times_faster"].to_numpy(), rel=0.02
    )


def test_pystan_was_not_answered_from_its_cache():
    assert TABLE.loc["PyStan 3", "seconds"] > 0.3  # a cached answer takes 0.1 s


def test_the_report_shows_it(tmp_path):
    section = module("benchmark.build").beside(module("common").Output(tmp_path))
    assert section.title == "Beside other packages"
    told = "".join(file.read_text("utf8") for file in tmp_path.glob("tables/*.csv"))
    for name in TABLE.index:
        assert name in told
