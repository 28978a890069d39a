"""What Zhang et al. (2016) compared: four classifiers on 20newsgroups, by their predictions."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import stanoff
from stanoff import Comparison, Contest

HERE = Path(__file__).resolve().parent
PREDICTIONS = HERE / "predictions.csv"
SEED = 2016
ROPE = 0.05
CATEGORY = "8"  # of Figures 4 and 6
SAMPLING = {
    "paired": {"chains": 4, "draws": 2500},  # for a std with the three decimals of Tables 4 to 6
    "hierarchical": {"chains": 2, "draws": 1500, "warmup": 500},
}
NAMES = {"nb_bern": "NB_Bern", "nb_mult": "NB_Mult", "svm_l1": "SVM_L1", "svm_l2": "SVM_L2"}
TABLES = {4: ("nb_bern", "nb_mult"), 5: ("svm_l1", "svm_l2"), 6: ("nb_mult", "svm_l2")}


@cache
def fitted(number: int, model: str = "paired") -> Comparison:
    """Compare the pair of a table on every category; each fit is made once."""
    settings = {"average": "macro", "model": model, "rope": ROPE, "seed": SEED}
    return stanoff.compare(**columns(*TABLES[number]), **settings, **SAMPLING.get(model, {}))


@cache
def contested(measure: str = "f1", **options: object) -> Contest:
    """Compare all four classifiers at once: by labels, or by scores where the measure takes them.

    A score is the rank of a document by the decision score of a category.
    """
    frame = pd.read_csv(PREDICTIONS).rename(columns=NAMES)
    predictions = {name: frame[name] for name in NAMES.values()}
    if measure != "f1":
        with np.load(HERE / "ranks.npz") as ranks:
            predictions = {NAMES[name]: ranks[name].astype(float) for name in NAMES}
    return stanoff.contest(frame["truth"], predictions, measure=measure, seed=SEED, **options)


def columns(a: str, b: str) -> dict:
    """Say where the labels of two classifiers are."""
    return {"table": PREDICTIONS, "truth": "truth", "a": a, "b": b, "names": (NAMES[a], NAMES[b])}


def printed(name: str) -> pd.DataFrame:
    """Read a table as the paper prints it."""
    return pd.read_csv(HERE / "printed" / f"{name}.csv", dtype={"category": str})


def observed_f1() -> pd.DataFrame:
    """Return the observed F1 of every classifier and category, from the predictions."""
    f1 = stanoff.measures.get("f1")
    scores = {}
    for pair in (TABLES[4], TABLES[5]):
        confusion = stanoff.count(**columns(*pair), average="macro").cells
        scores |= dict(zip(pair, f1(confusion), strict=True))
    return pd.DataFrame(scores, index=pd.Index(map(str, range(20)), name="category"))
