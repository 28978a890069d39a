"""Simulation-based calibration of the example programs.

Writes the ranks to ``examples.csv``, a row per simulation and variable:

    cd reports && python -m benchmark.examples
"""

from pathlib import Path

import pandas as pd

from stanoff._lib.files import write_text
from stanoff.models import stan_folder
from stanoff.workbench import Calibration, calibrate

HERE = Path(__file__).resolve().parent
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
}


def main() -> None:
    """Rank the truth in every example."""
    every = [
        calibrated(name).ranks.melt(var_name="variable", value_name="rank").assign(program=name)
        for name in PROGRAMS
    ]
    table = pd.concat(every)[["program", "variable", "rank"]]
    write_text(HERE / "examples.csv", table.to_csv(index=False, lineterminator="\n"))


def calibrated(name: str, seed: int = 1) -> Calibration:
    """Calibrate one of them."""
    return calibrate(stan_folder() / f"examples/{name}.stan", seed=seed, **PROGRAMS[name])


if __name__ == "__main__":
    main()
