"""Simulation-based calibration of the example programs.

Writes the ranks to ``examples.csv``, a row per simulation and variable, of all programs or of
those that are named:

    cd reports && python -m benchmark.examples [program ...]
"""

import sys
from itertools import product
from pathlib import Path

import pandas as pd

from stanoff._lib.files import write_text
from stanoff.models import stan_folder
from stanoff.workbench import Calibration, calibrate

HERE = Path(__file__).resolve().parent
# Every row that three annotators and two systems can make, and 120 documents to begin with.
ROWS = list(product((0, 1), (0, 1), (0, 1), (1, 2, 3, 4)))
ANNOTATED = {
    "R": 3,
    "M": len(ROWS),
    "labels": [row[:3] for row in ROWS],
    "outcome": [row[3] for row in ROWS],
    "n": [120] + [0] * (len(ROWS) - 1),
    "calibration": [[0, 0, 0, 0]] * 3,
    "errors": [8, 2],
}
PROGRAMS = {
    "noisy_truth": {
        "data": {"calibration": [45, 50, 45, 50], "errors": [4, 1]},
        "categories": 1,
        "simulations": 100,
    },
    "drift": {
        "data": {"step_scale": 0.5},
        "categories": 4,
        "documents": 60,
        "simulations": 60,
    },
    "correlated_categories": {"categories": 4, "documents": 60, "simulations": 60},
    "annotators": {"data": ANNOTATED, "categories": 1, "documents": 120, "simulations": 100},
    "documents": {"categories": 1, "documents": 40, "simulations": 100},
    "values": {"documents": 40, "simulations": 100},
    "runs": {"documents": 40, "simulations": 100},
    "scores": {"documents": 80, "simulations": 100},
}


def main(names: list[str]) -> None:
    """Rank the truth in every example, or in some and leave the others as they are."""
    file = HERE / "examples.csv"
    every = {
        name: calibrated(name).ranks.melt(var_name="variable", value_name="rank")
        for name in names or PROGRAMS
    }
    stored = pd.read_csv(file) if names else pd.DataFrame({"program": []})
    tables = [
        every[name].assign(program=name) if name in every else stored[stored["program"] == name]
        for name in PROGRAMS
    ]
    table = pd.concat(tables)[["program", "variable", "rank"]]
    write_text(file, table.to_csv(index=False, lineterminator="\n"))


def calibrated(name: str, seed: int = 1) -> Calibration:
    """Calibrate one of them."""
    found = calibrate(stan_folder() / f"examples/{name}.stan", seed=seed, **PROGRAMS[name])
    print(found.sentence(), flush=True)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
