"""Simulation-based calibration of the example programs.

Writes the ranks to ``examples.csv``, a row per simulation and variable, of all programs or of
those that are named:

    cd reports && python -m validation.examples [program ...]
"""

import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import REPORTS

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


def simulate_said(
    rng: np.random.Generator, data: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw rates of saying yes, and what is said of documents whose true class stays as it is.

    The prevalences of A and B are those of one truth, which cannot be drawn from both of them;
    ``unpaired.stan``, whose posterior is the same, has its prevalences calibrated.
    """
    rho_pos, rho_neg = rng.random((2, 2))
    yes = np.where(np.array(data["truth"])[:, None] == 1, rho_pos, rho_neg)
    truth = {"rho_pos": rho_pos[:, None], "rho_neg": rho_neg[:, None]}
    return truth, {"said": rng.binomial(1, yes)}


PROGRAMS: dict[str, dict[str, Any]] = {
    "noisy_truth": {
        "data": {"calibration": [45, 50, 45, 50], "errors": [4, 1]},
        "categories": 1,
        "simulations": 100,
    },
    "drift": {"data": {"step_scale": 0.5}, "categories": 4, "documents": 60, "simulations": 60},
    "correlated_categories": {"categories": 4, "documents": 60, "simulations": 60},
    "annotators": {"data": ANNOTATED, "categories": 1, "documents": 120, "simulations": 100},
    "documents": {"simulate": simulate_said, "categories": 1, "documents": 40, "simulations": 100},
    "values": {"documents": 40, "simulations": 100},
    "runs": {"documents": 40, "simulations": 100},
    "scores": {"documents": 80, "simulations": 100},
}


def main(names: list[str]) -> None:
    """Rank the truth in every example, or in some and leave the others as they are."""
    file = HERE / "examples.csv"
    ranks = {
        name: calibrated(name).ranks.melt(var_name="variable", value_name="rank")
        for name in names or PROGRAMS
    }
    stored = pd.read_csv(file) if names else pd.DataFrame({"program": []})
    tables = [
        ranks[name].assign(program=name) if name in ranks else stored[stored["program"] == name]
        for name in PROGRAMS
    ]
    table = pd.concat(tables)[["program", "variable", "rank"]]
    file.write_text(table.to_csv(index=False, lineterminator="\n"), "utf-8")


def calibrated(name: str, seed: int = 1) -> Calibration:
    """Calibrate one of them."""
    calibration = calibrate(
        REPORTS.parent / f"stan/examples/{name}.stan", seed=seed, **PROGRAMS[name]
    )
    print(calibration.sentence(), flush=True)
    return calibration


if __name__ == "__main__":
    main(sys.argv[1:])
