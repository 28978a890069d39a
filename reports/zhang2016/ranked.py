"""The four classifiers by their decision scores: AUC and average precision beside F1."""

import pandas as pd
from common import Output, signed

from stanoff import Contest, Decision
from stanoff.report.document import Section
from stanoff.text.sentences import contest_caption
from zhang2016.experiment import NAMES, ROPE, TABLES, contested, fitted

MEASURES = {"auc": "AUC", "average_precision": "average precision"}


def by_scores(measure: str) -> Contest:
    """Compare all four classifiers by the order in which they put documents."""
    return contested(measure, average="macro", rope=ROPE, draws=1000)


def beside_f1(number: int) -> pd.DataFrame:
    """Put the verdicts of one of the paper's tables beside those by scores, a row per category."""
    names = [NAMES[key] for key in TABLES[number]]
    results = {"F1": fitted(number)}
    results |= {label: by_scores(name).between(*names) for name, label in MEASURES.items()}
    table = pd.DataFrame({"category": [*map(str, range(20)), "macro"]})
    for label, result in results.items():
        evidence = [result.evidence(category) for category in table["category"]]
        table[label] = [round(e.mean, 3) for e in evidence]
        table[f"{label} decision"] = [str(e.decision) for e in evidence]
    return table


def section(out: Output) -> Section:
    """Say where verdicts by F1 and by scores differ."""
    blocks: list = [
        "F1 judges what a classifier decides, AUC and average precision how it orders the "
        "documents, whatever the threshold. Every category is judged against the rest by the "
        "decision scores; a naive Bayes classifier has log-odds. The bootstrap model draws all "
        "four classifiers together."
    ]
    for measure, label in MEASURES.items():
        contest = by_scores(measure)
        caption = contest_caption(contest, "macro")
        name, numbers = f"ranked_{measure}", contest.summary()
        blocks += [
            f"All categories, {label}: {contest.sentence()}",
            out.table(name, contest.table(), caption, numbers=numbers),
        ]
    for number in TABLES:
        table = beside_f1(number)
        caption = f"The categories of Table {number} in F1, AUC and average precision."
        shown = out.table(f"ranked{number}", as_text(table), caption, numbers=table, folded=True)
        blocks += [differences(number, table), shown]
    names = [NAMES[key] for key in TABLES[6]]
    blocks.append(
        out.figure(
            "ranked_roc",
            lambda: by_scores("auc").between(*names).plot_roc("8"),
            "ROC curves of NB_Mult and SVM_L2 on category 8, with 95% bands.",
        )
    )
    return Section("By scores: do AUC and average precision say the same?", blocks)


def differences(number: int, table: pd.DataFrame) -> str:
    """Describe where the verdicts of a table differ."""
    a, b = (NAMES[key] for key in TABLES[number])
    rows, texts = table[table["category"] != "macro"], []
    for label in MEASURES.values():
        differ = rows[rows[f"{label} decision"] != rows["F1 decision"]]
        n_swapped = (differ[label] * differ["F1"] < 0).sum()
        texts.append(
            f"in {label} {len(differ)} of {len(rows)} categories have another verdict than in F1, "
            f"and in {n_swapped} of them the difference has the other sign"
        )
    return f"Table {number}, {a} against {b}: {'; '.join(texts)}."


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    """Write differences with their signs, and decisions as symbols."""
    text = table[["category"]].copy()
    for label in ("F1", *MEASURES.values()):
        text[label] = signed(table[label])
        text[f"in {label}"] = [Decision(x).symbol for x in table[f"{label} decision"]]
    return text
