"""The four classifiers by their decision scores: AUC and average precision beside F1."""

from functools import cache

import numpy as np
import pandas as pd
from common import Output, signed

import stanoff
from stanoff import Contest, Decision
from stanoff.report.document import Section
from stanoff.text.sentences import contest_caption
from zhang2016.experiment import HERE, NAMES, PREDICTIONS, ROPE, SEED, TABLES, fitted

RANKS = HERE / "ranks.npz"
DRAWS = 1000
MEASURES = {"auc": "AUC", "average_precision": "average precision"}


@cache
def by_scores(measure: str) -> Contest:
    """Compare all four classifiers by the order in which they put documents."""
    truth = pd.read_csv(PREDICTIONS)["truth"].to_numpy()
    with np.load(RANKS) as ranks:
        scores = {NAMES[name]: ranks[name].astype(np.float64) for name in NAMES}
    settings = {"average": "macro", "rope": ROPE, "draws": DRAWS, "seed": SEED}
    return stanoff.contest(truth, scores, measure=measure, **settings)


def beside_f1(number: int) -> pd.DataFrame:
    """Put the verdicts of one of the paper's tables beside those by scores, a row per category."""
    a, b = TABLES[number]
    every = {"F1": fitted(a, b)}
    every |= {label: by_scores(m).between(NAMES[a], NAMES[b]) for m, label in MEASURES.items()}
    table = pd.DataFrame({"category": [*map(str, range(20)), "macro"]})
    for label, result in every.items():
        said = [result.evidence(category) for category in table["category"]]
        table[label] = [round(e.mean, 3) for e in said]
        table[f"{label} decision"] = [str(e.decision) for e in said]
    return table


def section(out: Output) -> Section:
    """Say where verdicts by F1 and by scores part."""
    blocks: list = [
        "F1 judges what a classifier decides, AUC and average precision how it orders the "
        "documents, whatever the threshold. Every category is judged against the rest by the "
        "decision scores; a naive Bayes classifier has log-odds. The weights model draws all four "
        "classifiers together."
    ]
    for measure, label in MEASURES.items():
        many = by_scores(measure)
        blocks += [
            f"All categories, {label}: {many.sentence()}",
            out.table(
                f"ranked_{measure}",
                many.table(),
                contest_caption(many, "macro"),
                numbers=many.summary(),
            ),
        ]
    for number in TABLES:
        table = beside_f1(number)
        blocks += [
            told(number, table),
            out.table(
                f"ranked{number}",
                shown(table),
                f"The categories of Table {number} in F1, AUC and average precision.",
                numbers=table,
            ),
        ]
    blocks.append(
        out.figure(
            "ranked_roc",
            lambda: by_scores("auc").between(*(NAMES[x] for x in TABLES[6])).plot_roc("8"),
            "ROC curves of NB_Mult and SVM_L2 on category 8, with 95% bands.",
        )
    )
    return Section("By scores: do AUC and average precision say the same?", blocks)


def told(number: int, table: pd.DataFrame) -> str:
    """Describe where the verdicts of a table part."""
    a, b = (NAMES[x] for x in TABLES[number])
    rows = table[table["category"] != "macro"]
    parts = []
    for label in MEASURES.values():
        differ = rows[rows[f"{label} decision"] != rows["F1 decision"]]
        turned = differ[differ[label] * differ["F1"] < 0]
        parts.append(
            f"in {label} {len(differ)} of {len(rows)} categories have another verdict than in F1, "
            f"and in {len(turned)} of them the difference has the other sign"
        )
    return f"Table {number}, {a} against {b}: {'; '.join(parts)}."


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write differences with their signs, and decisions as symbols."""
    text = table[["category"]].copy()
    for label in ("F1", *MEASURES.values()):
        text[label] = signed(table[label])
        text[f"in {label}"] = [Decision(said).symbol for said in table[f"{label} decision"]]
    return text
