"""stanoff beside other packages: seconds of one comparison, and effective draws per second.

    python reports/benchmark/bench_peers.py PYTHON [--record]

PYTHON has the packages of peers.txt. With ``--record`` the run is kept in ``peers.csv``, which the
report shows.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from arviz_stats.base import array_stats
from bench import NEG, PAIRED_DATA, POS, contest_of_four

import stanoff
from stanoff import compare_counts

HERE = Path(__file__).resolve().parent
# How many times faster than each stanoff shall be.
LEAST = {"PyMC": 15, "nutpie": 1, "PyStan 3": 1, "prob_conf_mat": 0.5, "prob_conf_mat listwise": 1}
EXACT = {  # packages that draw independently, and what of ours does the same work
    "prob_conf_mat": lambda seed: compare_counts(POS, NEG, engine="exact", seed=seed).summary(),
    "prob_conf_mat listwise": contest_of_four,
}


SEEDS = count(1)  # every run has one of its own


def timed(function: Callable[[int], Any], repeats: int = 5) -> tuple[list[float], Any]:
    """Return the seconds of a function of a seed, after one to warm up, and what it returned."""
    made = function(next(SEEDS))
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        made = function(next(SEEDS))
        taken.append(time.perf_counter() - start)
    return taken, made


def with_stan(seed: int) -> Any:
    """Compare once by Stan, with all evidence; the prior has been drawn before."""
    result = compare_counts(POS, NEG, engine="stan", seed=seed)
    result.summary()
    return result


def effective(delta: np.ndarray) -> float:
    """Return the effective number of draws (bulk), by one rule for all."""
    return float(array_stats.ess(delta, chain_axis=0, draw_axis=1, method="bulk"))


def peers_of(python: str) -> dict[str, dict[str, Any]]:
    """Let the other environment measure; add the effective draws of delta."""
    with tempfile.TemporaryDirectory() as folder:
        block = Path(folder, "data.json")
        block.write_text(json.dumps(PAIRED_DATA))
        program = HERE.parents[1] / "stan/paired.stan"
        ran = subprocess.run(
            [python, HERE / "peers.py", program, block, folder], capture_output=True, text=True
        )
        if ran.returncode:
            sys.exit(ran.stderr)
        told: dict[str, dict[str, Any]] = json.loads(ran.stdout.splitlines()[-1])
        for name, one in told.items():
            drawn = Path(folder, f"{name}.npy")
            one["ess"] = effective(np.load(drawn)) if drawn.exists() else None
    return told


def measured(python: str) -> pd.DataFrame:
    """Measure stanoff and the others, a row each; stanoff before and after them."""
    before, _ = timed(with_stan)
    others = peers_of(python)
    after, result = timed(with_stan)
    print(f"stanoff: {np.median(before):.3f} s before the others, {np.median(after):.3f} s after")
    seconds = float(np.median(before + after))
    ess = effective(result.draws.posterior["delta"][..., 0])
    rows = [row("stanoff", stanoff.__version__, seconds, ess, None, None)]
    for name, one in others.items():
        mine = float(np.median(timed(EXACT[name])[0])) if name in EXACT else seconds
        rows.append(row(name, one["version"], one["seconds"], one["ess"], mine, LEAST[name]))
    return pd.DataFrame(rows)


def row(
    name: str,
    version: str,
    seconds: float,
    ess: float | None,
    ours: float | None,
    least: float | None,
) -> dict[str, Any]:
    """Gather one row; the digits are those that a second run would share."""
    return {
        "package": name,
        "version": version,
        "seconds": float(f"{seconds:.3g}"),
        "effective_draws": None if ess is None else round(ess),
        "per_second": None if ess is None else round(ess / seconds),
        "stanoff_seconds": None if ours is None else float(f"{ours:.3g}"),
        "times_faster": None if ours is None else float(f"{seconds / ours:.3g}"),
        "bar": least,
    }


def main() -> int:
    """Measure, print, and record if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="the Python of an environment that has the peers")
    parser.add_argument("--record", action="store_true", help="keep the run in peers.csv")
    given = parser.parse_args()
    table = measured(given.python)
    print(table.to_string(index=False, na_rep=""))
    if given.record:
        table.to_csv(HERE / "peers.csv", index=False)
    missed = table[table["times_faster"] < table["bar"]]["package"].tolist()
    if missed:
        print(f"missed: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
