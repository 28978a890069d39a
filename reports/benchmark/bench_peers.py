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
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from arviz_stats.base import array_stats
from bench import NEG, PAIRED_DATA, POS, contest_of_four
from peers import warm

import stanoff
from stanoff import compare_counts

HERE = Path(__file__).resolve().parent
# How many times faster than each stanoff shall be.
LEAST = {"PyMC": 15, "nutpie": 1, "PyStan 3": 1, "prob_conf_mat": 0.5, "prob_conf_mat listwise": 1}
EXACT = {  # packages that draw independently, and what of ours does the same work
    "prob_conf_mat": lambda seed: compare_counts(POS, NEG, engine="exact", seed=seed).summary(),
    "prob_conf_mat listwise": contest_of_four,
}


def with_stan(seed: int) -> Any:
    """Compare once by Stan, with all evidence; the prior has been drawn before."""
    result = compare_counts(POS, NEG, engine="stan", seed=seed)
    result.summary()
    return result


def effective(delta: np.ndarray) -> float:
    """Return the effective number of draws (bulk), by one rule for all."""
    return float(array_stats.ess(delta, chain_axis=0, draw_axis=1, method="bulk"))


def measure_peers(python: str) -> dict[str, dict[str, Any]]:
    """Let the other environment measure; add the effective draws of delta."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.json")
        data.write_text(json.dumps(PAIRED_DATA))
        command = [python, HERE / "peers.py", HERE.parents[1] / "stan/paired.stan", data, folder]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        peers: dict[str, dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])
        for name, numbers in peers.items():
            draws = Path(folder, f"{name}.npy")
            numbers["ess"] = effective(np.load(draws)) if draws.exists() else None
    return peers


def measure(python: str) -> pd.DataFrame:
    """Measure stanoff and the others, a row each; stanoff before and after them."""
    before, _ = warm(with_stan)
    peers = measure_peers(python)
    after, result = warm(with_stan)
    print(f"stanoff: {before:.3f} s before the others, {after:.3f} s after")
    ours = {"seconds": (before + after) / 2, "version": stanoff.__version__}
    ours["ess"] = effective(result.draws.posterior["delta"][..., 0])
    rows = []
    for name, numbers in {"stanoff": ours, **peers}.items():
        seconds, ess = numbers["seconds"], numbers["ess"]
        row = {"package": name, "version": numbers["version"], "seconds": digits(seconds)}
        if ess is not None:
            row |= {"effective_draws": round(ess), "per_second": round(ess / seconds)}
        if name != "stanoff":
            beside = warm(EXACT[name])[0] if name in EXACT else ours["seconds"]
            row |= {"stanoff_seconds": digits(beside), "times_faster": digits(seconds / beside)}
            row["bar"] = LEAST[name]
        rows.append(row)
    return pd.DataFrame(rows)


def digits(x: float) -> float:
    """Round to the digits that a second run would share."""
    return float(f"{x:.3g}")


def main() -> int:
    """Measure, print, and record if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="the Python of an environment that has the peers")
    parser.add_argument("--record", action="store_true", help="keep the run in peers.csv")
    arguments = parser.parse_args()
    table = measure(arguments.python)
    print(table.to_string(index=False, na_rep=""))
    if arguments.record:
        table.to_csv(HERE / "peers.csv", index=False)
    missed = table[table["times_faster"] < table["bar"]]["package"].tolist()
    if missed:
        print(f"missed: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
