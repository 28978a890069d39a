"""Reference draws of every program, each on one data set of its kind, and how they were made.

    python tests/stored/make_reference.py [NAME ...]

Four chains of 5,000 draws after 2,000 of warm-up; every twentieth is kept if R-hat is at most 1.01
and at most one in a thousand transitions diverged. Writes ``reference.npz`` and ``reference.json``;
given names of programs, it draws those and leaves the others as they are.
"""

import json
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from stanoff import SamplingWarning, compare, compare_counts, contest
from stanoff.models import stan_folder
from stanoff.workbench import annotator_counts

HERE = Path(__file__).resolve().parent
POS = [[60, 22, 4, 14], [21, 3, 5, 8], [9, 4, 1, 6]]
NEG = [[5, 5, 25, 265], [2, 6, 3, 110], [1, 2, 2, 70]]
EXAMPLES = {
    "documents": None,
    "logistic_normal": None,
    "noisy_truth": {"calibration": [180, 200, 190, 200], "errors": [1, 1]},
    "correlated_categories": None,
    "drift": {"step_scale": 0.5},
}
COUNTED = ("paired", "unpaired", "hierarchical", "hierarchical_unpaired")
ITEMS, RUNS, SCORED = 30, 6, 120
CHAINS, DRAWS, WARMUP, THIN, SEED = 4, 5000, 2000, 20, 2016


def three_systems():
    """Make a truth of three classes, and what systems say that are right 8, 7 and 6 times in 10."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, 3, 200)
    guesses = [
        np.where(rng.random(200) < p, truth, rng.integers(0, 3, 200)) for p in (0.7, 0.6, 0.5)
    ]
    return pd.DataFrame({"y": truth, **dict(zip(("one", "two", "three"), guesses, strict=True))})


def contested(**how):
    """Let three systems compete on every class."""
    return contest(three_systems(), truth="y", average="macro", model="contest", **how)


def fitted_contest(**how):
    """Compare two systems of a contest."""
    return contested(**how).between("one", "three")


def fitted_classes(model):
    """Return how a program is fitted to the classes of two systems."""
    frame = three_systems()
    return lambda **how: compare(
        frame, truth="y", a="one", b="three", average="macro", model=model, **how
    )


def example(name):
    """Say where one of the examples is."""
    return str(stan_folder() / f"examples/{name}.stan")


def fitted_items(model="items", **how):
    """Fit values of items that both systems find hard or easy together."""
    rng = np.random.default_rng(SEED)
    hard, noise = rng.normal(0.5, 0.2, ITEMS), rng.normal(0, 0.1, (2, ITEMS))
    frame = pd.DataFrame({"one": hard + noise[0] + 0.05, "two": hard + noise[1]})
    return compare(frame, a="one", b="two", measure="mean", model=model, **how)


def fitted_repeated(model="repeated", **how):
    """Fit right and wrong answers, several to an item."""
    rng = np.random.default_rng(SEED)
    effects = rng.normal(0.3, 1.0, ITEMS) + np.array([[0.4], [0.0]])
    right = rng.random((2, ITEMS, RUNS)) < 1 / (1 + np.exp(-effects[..., None]))
    system, item, _ = np.indices(right.shape)
    frame = pd.DataFrame(
        {
            "item": item.ravel(),
            "system": np.array(["one", "two"])[system.ravel()],
            "value": right.ravel().astype(int),
        }
    )
    layout = {"item": "item", "system": "system", "value": "value"}
    return compare(frame, **layout, measure="mean", model=model, **how)


def fitted_binormal(model="binormal", **how):
    """Fit scores of two systems that err together."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, 2, SCORED)
    shared, noise = rng.normal(size=SCORED), rng.normal(size=(2, SCORED))
    one, two = 1.5 * truth + shared + noise[0], truth + shared + noise[1]
    return compare(truth, one, two, measure="auc", model=model, **how)


def fitted_annotators(**how):
    """Fit labels of three annotators who are right 9, 8 and 8 times in 10."""
    rng = np.random.default_rng(SEED)
    truth = rng.random(300) < 0.4
    right = {"ann": 0.9, "bea": 0.8, "cy": 0.8, "one": 0.85, "two": 0.75}
    said = {name: np.where(rng.random(300) < p, truth, ~truth) for name, p in right.items()}
    frame = pd.DataFrame(said).astype(int)
    rows = annotator_counts(frame, annotators=["ann", "bea", "cy"], a="one", b="two")
    given = {"truth": "ann", "a": "one", "b": "two", "model": example("annotators")}
    return compare(frame, data=rows, **given, **how)


def fitted_folds(**how):
    """Fit scores of ten folds, repeated three times."""
    rng = np.random.default_rng(SEED)
    level, noise = rng.normal(0.8, 0.03, ITEMS), rng.normal(0, 0.03, (2, ITEMS))
    return compare(level + noise[0] + 0.02, level + noise[1], folds=10, repeats=3, **how)


def fitted_folds_datasets(**how):
    """Fit scores of ten folds on each of 20 data sets."""
    rng = np.random.default_rng(SEED)
    effect = rng.normal(0.01, 0.02, 20)
    rows = [
        {"dataset": d, "fold": k, "one": 0.8 + effect[d] + rng.normal(0, 0.03), "two": 0.8}
        for d in range(20)
        for k in range(10)
    ]
    columns = {"a": "one", "b": "two", "fold": "fold", "dataset": "dataset"}
    return compare(pd.DataFrame(rows), **columns, model="folds_datasets", **how)


def fitted_seeds(**how):
    """Fit values of documents by four trained copies of each system."""
    rng = np.random.default_rng(SEED)
    rows = [
        {"doc": d, "system": s, "copy": c, "value": hard + shift + rng.normal(0, 0.1)}
        for d, hard in enumerate(rng.normal(0.6, 0.2, 60))
        for s, level in (("one", 0.03), ("two", 0.0))
        for c, shift in enumerate(level + np.random.default_rng(len(s) + 9).normal(0, 0.01, 4))
    ]
    columns = {"item": "doc", "system": "system", "value": "value", "trained": "copy"}
    options = {"measure": "mean", "model": "seeds"}
    return compare(pd.DataFrame(rows), a="one", b="two", **columns, **options, **how)


OTHERS = {
    "contest": fitted_contest,
    "joint": fitted_classes("joint"),
    "multiclass": fitted_classes("multiclass"),
    "items": fitted_items,
    "repeated": fitted_repeated,
    "binormal": fitted_binormal,
    "folds": fitted_folds,
    "folds_datasets": fitted_folds_datasets,
    "seeds": fitted_seeds,
    "values": partial(fitted_items, example("values")),
    "runs": partial(fitted_repeated, example("runs")),
    "scores": partial(fitted_binormal, example("scores")),
    "annotators": fitted_annotators,
}
PROGRAMS = (*COUNTED, *EXAMPLES, *OTHERS)


def fitted(name, **how):
    """Fit one of the programs to its data."""
    how = {"engine": "stan"} | how
    if name in OTHERS:
        return OTHERS[name](**how)
    rows = slice(0, 1) if name == "documents" else slice(0, 3)
    model = example(name) if name in EXAMPLES else name
    data = EXAMPLES.get(name)
    return compare_counts(POS[rows], NEG[rows], model=model, data=data, **how)


def main(names):
    from arviz_stats.base import array_stats

    kept, told = {}, {}
    if names:
        told = json.loads((HERE / "reference.json").read_text())
        with np.load(HERE / "reference.npz") as stored:
            kept = dict(stored)
    for name in names or PROGRAMS:
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
    kept, told = ({name: each[name] for name in PROGRAMS if name in each} for each in (kept, told))
    np.savez_compressed(HERE / "reference.npz", **kept)
    (HERE / "reference.json").write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
