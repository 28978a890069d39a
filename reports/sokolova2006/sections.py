"""The sections of the page: Table 10 again, its rankings, and the invariance of all measures."""

import pandas as pd
from common import Output
from markupsafe import Markup

from sokolova2006 import rankings as ranked
from sokolova2006 import table10 as paper
from stanoff import invariance, recommend
from stanoff.measures.invariance import OF_THE_PAPER, TRANSFORMATIONS
from stanoff.report.document import Block, Items, Section, Table

SVM, NB = paper.CLASSIFIERS


def again(out: Output) -> Section:
    """Show Table 10 as its formulas have it."""
    table, marks = _table10()
    exact = paper.recomputed()
    exact[["svm", "nb"]] = exact[["svm", "nb"]].map("{:.6f}".format)
    blocks = [
        "The paper ranks a support vector machine (SVM) and naive Bayes (NB) on records of "
        "electronic negotiations by ten measures. Here each is computed from the paper's confusion "
        "matrices (Tables 8 and 9) by its formulas, and the signs under t1 to t4 are decided by "
        "exact arithmetic.",
        out.table(
            "table10",
            table,
            "Table 10 by its own formulas; ρ₊ and ρ₋ are ratios, the rest is in percent. Marked: "
            "what is printed otherwise. The break-even point is the mean of precision and recall.",
            numbers=exact,
            highlight=marks,
        ),
    ]
    return Section("Table 10, computed again", blocks)


def differences(out: Output) -> Section:
    """Show what is printed otherwise."""
    table = paper.disagreements()
    table["measure"] = table["measure"].map(paper.label)
    table = table.rename(columns={"by_formula": "by formula"})
    blocks = [
        f"{len(table)} cells of the printed table are not what its formulas give. The rankings are "
        "all right.",
        out.table("disagreements", table, "Every disagreement, with the numbers"),
        "The signs matter most. AUC and AUC:acc do not change when the classes are exchanged: "
        "they belong with accuracy, and t1 cannot be why AUC:acc is more reliable than accuracy on "
        "unbalanced data, as section 6 suggests.",
        "Section 6 also says that specificity does not improve as fp grows, and that AUC, ρ₊, ρ₋ "
        "and AUC:acc are not monotonic in fp. By the formulas:",
        Items(_trends()),
        "What the paper calls AUC is the mean of sensitivity and specificity: that is the area "
        "under a curve through the one point that a confusion matrix gives. stanoff calls it "
        "balanced accuracy.",
    ]
    return Section("Where the printed table disagrees", blocks)


def rankings(out: Output) -> Section:
    """Show the posteriors."""
    words = ranked.in_words()
    blocks = [
        "The unpaired model gives the posterior of every score, and the probability that the "
        "classifier that is ranked first is the better one. Both classified the same documents, "
        "but the paper does not say on which they agree: the paired model at the least and at the "
        "most agreement that Tables 8 and 9 allow shows what that could change.",
        out.figure(
            "forest",
            ranked.forest,
            "Posterior mean and 95% HDI of each score; unpaired model, uniform prior",
            alt=f"Scores of {SVM} and {NB} in ten measures, with intervals. {' '.join(words)}",
        ),
        Items(words),
        out.table(
            "posterior",
            ranked.as_text(),
            "The posteriors, mean and 95% HDI, and the probability P that the first is the better "
            "one: under the unpaired model, and under the paired one if they agree least and most",
            numbers=ranked.posteriors(),
        ),
    ]
    return Section("How sure are the rankings?", blocks)


def signs(out: Output) -> Section:
    """Show the invariances of all measures."""
    changes = [
        f"{change.name}: {change.title}, {change.rule}" for change in TRANSFORMATIONS.values()
    ]
    groups = [
        {"t1 t2 t3 t4": " ".join(key), "measures": ", ".join(alike)}
        for key, alike in invariance.clusters().items()
    ]
    blocks = [
        "The paper has ten measures and four changes of a confusion matrix. Here are all measures "
        "that stanoff knows, and a fifth change, of the sizes of the classes. That one is not in "
        "the paper; without it nothing shows that balanced accuracy suits unbalanced classes.",
        Items(changes),
        out.table("signs", invariance.table(), "+ the value stays, - it does not"),
        Table(pd.DataFrame(groups), "Measures that are alike under t1 to t4"),
    ]
    return Section("Invariance of every measure", blocks)


def advised(out: Output) -> Section:
    """Show which measures suit which data."""
    blocks: list[Block] = ["The rules of sections 4 and 6, applied to all measures:"]
    for name in recommend.SITUATIONS:
        title, *rest = recommend.advice(name).split("\n")
        blocks += [Markup("<strong>{}</strong>").format(title), Items(rest)]
    return Section("Which measure for which data?", blocks)


def _table10() -> tuple[pd.DataFrame, dict]:
    """Write Table 10 anew, and mark the cells that are printed otherwise."""
    ours, theirs, rows, marks = paper.recomputed(), paper.printed(), [], {}
    for i, (measure, row) in enumerate(ours.iterrows()):
        d = paper.digits(measure)
        texts = {"measure": paper.label(measure)}
        for key, heading in {"svm": SVM, "nb": NB}.items():
            texts[heading] = f"{row[key]:.{d}f}"
            texts[f"{heading} rank"] = str(row[f"{key}_rank"])
            texts[f"{heading} printed"] = f"{theirs.loc[measure, key]:.{d}f}"
            if texts[heading] != texts[f"{heading} printed"]:
                marks[i, f"{heading} printed"] = "mark"
        for change in OF_THE_PAPER:
            texts[change] = row[change]
            if row[change] != theirs.loc[measure, change]:
                marks[i, change] = "mark"
        rows.append(texts)
    return pd.DataFrame(rows), marks


def _trends() -> list[str]:
    """Check what section 6 says about more false positives."""
    words = {"rises": "only rises", "falls": "only falls", "either": "rises or falls"}
    return [
        f"{paper.label(measure)} {words[invariance.examine(paper.NAMES[measure])['t3'].trend]} "
        f"as fp grows"
        for measure in ("specificity", "auc", "rho_plus", "rho_minus", "auc_acc")
    ]
