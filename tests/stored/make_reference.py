"""Reference draws of the programs on one data set, and how they were made.

    python tests/stored/make_reference.py

Four chains of 5,000 draws after 2,000 of warm-up; every twentieth is kept if R-hat is at most 1.01
and at most one in a thousand transitions diverged. Writes ``reference.npz`` and ``reference.json``.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np

from stanoff import SamplingWarning, compare_counts
from stanoff.models import stan_folder

HERE = Path(__file__).resolve().parent
POS = [[60, 22, 4, 14], [21, 3, 5, 8], [9, 4, 1, 6]]
NEG = [[5, 5, 25, 265], [2, 6, 3, 110], [1, 2, 2, 70]]
EXAMPLES = {
    "logistic_normal": None,
    "noisy_truth": {"calibration": [180, 200, 190, 200], "errors": [1, 1]},
    "correlated_categories": None,
    "drift": {"step_scale": 0.5},
}
BUILT_IN = ("paired", "unpaired", "hierarchical", "hierarchical_unpaired", "documents")
CHAINS, DRAWS, WARMUP, THIN, SEED = 4, 5000, 2000, 20, 2016


def fitted(name, **how):
    """Fit one of the programs to the data."""
    rows = slice(0, 1) if name == "documents" else slice(0, 3)
    model = str(stan_folder() / f"examples/{name}.stan") if name in EXAMPLES else name
    data = EXAMPLES.get(name)
    return compare_counts(POS[rows], NEG[rows], model=model, data=data, engine="stan", **how)


def main():
    from arviz_stats.base import array_stats

    kept, told = {}, {}
    for name in (*BUILT_IN, *EXAMPLES):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # told in the record
            result = fitted(name, chains=CHAINS, draws=DRAWS, warmup=WARMUP, seed=SEED)
        delta = result.scores.delta
        axes = {"chain_axis": 0, "draw_axis": 1}
        rhat = max(array_stats.rhat(delta[..., k], **axes) for k in range(delta.shape[-1]))
        diverging = int(result.fit.draws.sample_stats["diverging"].sum())
        if rhat > 1.01 or diverging > CHAINS * DRAWS / 1000:
            sys.exit(f"{name}: R-hat {rhat:.4f}, {diverging} divergent transitions: no reference")
        kept[name] = delta[:, ::THIN].astype(np.float32)
        told[name] = {
            "chains": CHAINS,
            "draws": DRAWS,
            "warmup": WARMUP,
            "thin": THIN,
            "seed": SEED,
            "data": EXAMPLES.get(name),
            "rhat": round(float(rhat), 4),
            "diverging": diverging,
            "program": result.provenance.program,
            "versions": dict(result.provenance.versions),
        }
        print(name, told[name]["rhat"], diverging, flush=True)
    np.savez_compressed(HERE / "reference.npz", **kept)
    (HERE / "reference.json").write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
