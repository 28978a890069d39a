"""What Zhang et al. (2016) compared: four classifiers on 20newsgroups, by their predictions."""

from functools import cache
from pathlib import Path

import pandas as pd

import stanoff
from stanoff import Comparison, Contest

HERE = Path(__file__).resolve().parent
PREDICTIONS = HERE / "predictions.csv"
SEED = 2016
ROPE = 0.05
CATEGORY = 8  # of Figures 4 and 6
SAMPLING = {
    # Tables 4 to 6 print their std with three decimals.
    "paired": {"chains": 4, "draws": 2500},
    "hierarchical": {"chains": 2, "draws": 1500, "warmup": 500},
}

NAMES = {"nb_bern": "NB_Bern", "nb_mult": "NB_Mult", "svm_l1": "SVM_L1", "svm_l2": "SVM_L2"}
TABLES = {4: ("nb_bern", "nb_mult"), 5: ("svm_l1", "svm_l2"), 6: ("nb_mult", "svm_l2")}

# The names of the 20 categories, in the order in which scikit-learn numbers them.
NEWSGROUPS = [
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
]


@cache
def fitted(a: str, b: str, model: str = "paired") -> Comparison:
    """Compare two classifiers on every category; each fit is made once."""
    settings = SAMPLING.get(model, {})
    return stanoff.compare(
        **columns(a, b), average="macro", model=model, rope=ROPE, seed=SEED, **settings
    )


@cache
def case() -> Comparison:
    """Compare NB_Mult with SVM_L2 on category 8 alone: the case of Figures 4 and 6."""
    return stanoff.compare(**columns("nb_mult", "svm_l2"), pos_label=CATEGORY, rope=ROPE, seed=SEED)


@cache
def contested(**chosen: object) -> Contest:
    """Compare all four classifiers at once."""
    frame = pd.read_csv(PREDICTIONS).rename(columns=NAMES)
    return stanoff.contest(frame, truth="truth", seed=SEED, **chosen)


def columns(a: str, b: str) -> dict:
    """Say where the labels of two classifiers are."""
    return {"table": PREDICTIONS, "truth": "truth", "a": a, "b": b, "names": (NAMES[a], NAMES[b])}


def printed(table: int | str) -> pd.DataFrame:
    """Read a table as the paper prints it."""
    name = f"table{table}" if isinstance(table, int) else table
    return pd.read_csv(HERE / "printed" / f"{name}.csv", dtype={"category": str})


def observed_f1() -> pd.DataFrame:
    """Return the observed F1 of every classifier and category, from the predictions."""
    f1 = stanoff.measures.get("f1")
    scores = {}
    for pair in (TABLES[4], TABLES[5]):
        counted = stanoff.count(**columns(*pair), average="macro")
        scores |= dict(zip(pair, f1(counted.cells), strict=True))
    return pd.DataFrame(scores, index=pd.Index(map(str, range(20)), name="category"))
