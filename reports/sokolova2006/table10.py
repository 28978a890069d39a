"""Table 10 of Sokolova & Lapalme (2006): as printed, by its own formulas, and where they differ."""

from pathlib import Path

import pandas as pd

from stanoff.measures import get
from stanoff.measures.invariance import OF_THE_PAPER, examine

HERE = Path(__file__).resolve().parent
CLASSIFIERS = ("SVM", "NB")
CELLS = ["tp", "fp", "fn", "tn"]
# The paper's measures by their names here; the ratios are printed as they are, the rest in percent.
NAMES = {
    "accuracy": "accuracy",
    "sensitivity": "recall",
    "specificity": "specificity",
    "precision": "precision",
    "f_score": "fbeta",
    "break_even_point": "break_even",
    "auc": "balanced_accuracy",
    "rho_plus": "rho_plus",
    "rho_minus": "rho_minus",
    "auc_acc": "auc_acc",
}
LABELS = {"f_score": "F1", "auc": "AUC", "rho_plus": "ρ₊", "rho_minus": "ρ₋", "auc_acc": "AUC:acc"}
RATIOS = ("rho_plus", "rho_minus")


def label(measure: str) -> str:
    """Return what the paper calls a measure, nearly."""
    return LABELS.get(measure, measure.replace("_", " "))


def matrices() -> dict[str, list[int]]:
    """Read Tables 8 and 9: tp, fp, fn, tn of each classifier."""
    frame = pd.read_csv(HERE / "printed/tables8and9.csv").set_index("classifier")
    return {name: frame.loc[name, CELLS].astype(int).tolist() for name in CLASSIFIERS}


def printed() -> pd.DataFrame:
    """Read Table 10, one row per measure."""
    return pd.read_csv(HERE / "printed/table10.csv").set_index("measure")


def value(measure: str, cells: list[int]) -> float:
    """Compute a measure of the paper in its unit."""
    return float(get(NAMES[measure])(cells)) * (1 if measure in RATIOS else 100)


def digits(measure: str) -> int:
    """Return how many decimals are printed."""
    return 2 if measure in RATIOS else 1


def recomputed() -> pd.DataFrame:
    """Compute values, ranks and signs from the confusion matrices."""
    rows = []
    for measure, name in NAMES.items():
        svm, nb = (value(measure, cells) for cells in matrices().values())
        first = (svm > nb) == get(name).higher_is_better
        invariance = examine(name)
        rows.append(
            {"measure": measure, "svm": svm, "nb": nb}
            | {"svm_rank": 1 if first else 2, "nb_rank": 2 if first else 1}
            | {change: invariance[change].sign for change in OF_THE_PAPER}
        )
    return pd.DataFrame(rows).set_index("measure")


def break_even_bounds(cells: list[int]) -> tuple[float, float]:
    """Bound the break-even point, in percent, that moving the threshold from here can reach.

    There as many documents are called positive as there are positives. Lowering the threshold
    keeps the true positives and adds documents, raising it takes documents away.
    """
    tp, fp, fn, _ = cells
    moved = fn - fp
    low, high = (tp, tp + moved) if moved >= 0 else (tp + moved, tp)
    return 100 * low / (tp + fn), 100 * high / (tp + fn)


def disagreements() -> pd.DataFrame:
    """List every cell of Table 10 that its own formulas do not give."""
    ours, theirs = recomputed(), printed()
    rows = []
    for measure in NAMES:
        for classifier, cells in matrices().items():
            there, here = (float(x.loc[measure, classifier.lower()]) for x in (theirs, ours))
            texts = [f"{x:.{digits(measure)}f}" for x in (there, here)]
            if measure == "break_even_point":
                rows.append((measure, classifier, texts[0], "none", _break_even(cells, there)))
            elif texts[0] != texts[1]:
                rows.append((measure, classifier, *texts, _value(measure, cells, there, here)))
        for change in OF_THE_PAPER:
            if theirs.loc[measure, change] != ours.loc[measure, change]:
                rows.append((measure, change, theirs.loc[measure, change], "+", _sign(measure)))
        if theirs.loc[measure, "svm_rank"] != ours.loc[measure, "svm_rank"]:
            ranks = (str(table.loc[measure, "svm_rank"]) for table in (theirs, ours))
            rows.append((measure, "rank of SVM", *ranks, "the other way round"))
    return pd.DataFrame(rows, columns=["measure", "where", "printed", "by_formula", "note"])


def _value(measure: str, cells: list[int], there: float, here: float) -> str:
    youden = 100 * float(get("youden_j")(cells))
    if measure == "auc" and f"{youden:.1f}" == f"{there:.1f}":
        return (
            f"equation 12 gives {here:.2f}; what is printed is Youden's index, "
            f"sensitivity + specificity - 1 = {youden:.2f}, that is 2 AUC - 100"
        )
    d = digits(measure)
    cut = int(here * 10**d) / 10**d == there
    change = "cut off, not rounded" if cut else f"off by {there - here:+.{d + 1}f}"
    return f"{here:.{d + 2}f}; {change}"


def _break_even(cells: list[int], there: float) -> str:
    tp, fp, fn, _ = cells
    low, high = break_even_bounds(cells)
    between = "is possible" if low <= there <= high else "is impossible"
    return (
        f"equation 4 needs fp = fn, but they are {fp} and {fn}: precision is "
        f"{100 * tp / (tp + fp):.1f}, recall {100 * tp / (tp + fn):.1f}. Another threshold gives a "
        f"point from {low:.1f} to {high:.1f}, so {there:.1f} {between}"
    )


def _sign(measure: str) -> str:
    """Say what the exchange of the classes (t1), the only change that differs, does."""
    cells = matrices()["SVM"]
    before, after = value(measure, cells), value(measure, cells[::-1])
    return f"of SVM it is {before:.4f} before the exchange and {after:.4f} after it"
