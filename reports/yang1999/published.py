"""What Yang and Liu (1999) printed, the counts behind it, and two ways of judging them.

The text of the paper that we have has lost some glyphs of its Tables 2 and 3: those of ≫ and <.
What is legible is kept here; the rest of Table 2 follows from what the paper says about it.
"""

from functools import cache
from pathlib import Path

import pandas as pd

import stanoff
from stanoff import UnpairedCounts, significance

HERE = Path(__file__).resolve().parent
DOCUMENTS, CATEGORIES = 3_019, 90
DECISIONS = DOCUMENTS * CATEGORIES
LABELS = {"recall": "recall", "precision": "precision", "error": "error", "f1": "F1"}
ROPES = {"recall": 0.01, "precision": 0.01, "f1": 0.01, "error": 0.0005}
SIGNS = {">>": "≫", ">": ">", "~": "∼", "<": "<", "<<": "≪"}

# Legible in Table 3, in the order miR, miP, error, with the lost signs left out: 16 of 30.
LEGIBLE_TABLE3 = {
    ("SVM", "kNN"): "≪∼",
    ("SVM", "LLSF"): "≪≪",
    ("kNN", "LLSF"): "",
    ("SVM", "NNet"): "≪",
    ("kNN", "NNet"): "∼≪",
    ("LLSF", "NNet"): "≪",
    ("NB", "kNN"): "≪≪",
    ("NB", "LLSF"): "≪≪",
    ("NB", "SVM"): "≪≪",
    ("NB", "NNet"): "∼≪",
}
LOST = "≫<"
SWAP_AB = str.maketrans("≪<>≫", "≫><≪")
PAIRS = tuple(LEGIBLE_TABLE3)

# Table 2: s-test, S-test, T-test, T'-test. The signs that the text has lost are all ≫: it says
# SVM > kNN >> {LLSF, NNet} >> NB by the s-test, {SVM, kNN, LLSF} >> {NB, NNet} by the others.
TABLE2 = {
    ("SVM", "kNN"): ">∼∼∼",
    ("SVM", "LLSF"): "≫∼∼∼",
    ("kNN", "LLSF"): "≫∼∼∼",
    ("SVM", "NNet"): "≫≫≫≫",
    ("kNN", "NNet"): "≫≫≫≫",
    ("LLSF", "NNet"): "∼≫≫≫",
    ("NB", "kNN"): "≪≪≪≪",
    ("NB", "LLSF"): "≪≪≪≪",
    ("NB", "SVM"): "≪≪≪≪",
    ("NB", "NNet"): "≪∼∼∼",
}


def table1() -> pd.DataFrame:
    """Read the printed scores, a row per classifier."""
    return pd.read_csv(HERE / "printed/table1.csv", index_col="method")


def assignments() -> pd.Series:
    """Estimate from each row of Table 1 how many true assignments there were.

    The errors are those of recall, (1 - r) T, and those of precision, r T (1 - p) / p; together
    they are the error rate times all decisions; so T follows.
    """
    t = table1()
    missed = 1 - t["micro_recall"]
    wrong = t["micro_recall"] * (1 - t["micro_precision"]) / t["micro_precision"]
    return t["error"] * DECISIONS / (missed + wrong)


def cells() -> pd.DataFrame:
    """Rebuild the pooled tp, fp, fn, tn of each classifier from Table 1."""
    t = table1()
    true = round(float(assignments().mean()))
    tp = (t["micro_recall"] * true).round().astype(int)
    fp = (tp * (1 / t["micro_precision"] - 1)).round().astype(int)
    fn = true - tp
    return pd.DataFrame({"tp": tp, "fp": fp, "fn": fn, "tn": DECISIONS - tp - fp - fn})


@cache
def judged() -> pd.DataFrame:
    """Judge every pair by the p-test and by the unpaired Bayesian model, a row per measure.

    Which decisions two classifiers share nobody knows. In ``sign`` and ``decision`` ≫ and >> mean
    that A is better, of error too.
    """
    rows, table = [], cells()
    for a, b in PAIRS:
        confusion = (table.loc[[name]].to_numpy() for name in (a, b))
        counts = UnpairedCounts(("all",), *confusion, systems=(a, b))
        result = stanoff.compare_counts(counts, engine="exact", seed=1999)
        for measure, label in LABELS.items():
            answer = result.judge(measure=measure, rope=ROPES[measure])
            row = answer.evidence().as_row() | {"A": a, "B": b, "measure": label}
            row["p_A_better"] = row["p_greater" if answer.measure.higher_is_better else "p_less"]
            row |= {"p_value": float("nan"), "sign": ""}
            if measure != "f1":
                test = significance.proportion_test(counts, measure, alternative="one-sided")
                row |= {"p_value": test.p_value, "sign": SIGNS[test.symbol]}
            rows.append(row)
    columns = ["A", "B", "measure", "p_value", "sign", "mean", "hdi_low", "hdi_high", "p_A_better"]
    return pd.DataFrame(rows)[[*columns, "p_rope", "decision"]]


def table3(rows: pd.DataFrame) -> pd.DataFrame:
    """Arrange the signs of the p-test as in Table 3, with what is legible of it beside.

    As in the paper, the signs compare values here: ≪ under error is good.
    """
    signs = rows[rows["sign"] != ""].set_index(["A", "B", "measure"])["sign"].unstack()
    signs = signs.loc[list(PAIRS), ["recall", "precision", "error"]]
    signs["error"] = signs["error"].map(lambda sign: sign.translate(SWAP_AB))
    left = ["".join(sign for sign in row if sign not in LOST) for row in signs.to_numpy()]
    beside = {"without ≫ and <": left, "legible in 1999": list(LEGIBLE_TABLE3.values())}
    return signs.rename_axis(columns=None).reset_index().assign(**beside)


def verdict(sign: str, decision: str) -> str:
    """Describe how a test and a Bayesian decision about the same pair go together."""
    if not sign:
        return "no test"
    sure = decision in ("<<", ">>")
    if sign == "∼":
        equal = "equal, says the model" if decision == "=" else "both open"
        return "only the model is sure" if sure else equal
    equal = "significant, yet equal" if decision == "=" else "significant, perhaps too small"
    return "both sure" if sure else equal
