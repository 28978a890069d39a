"""Rebuild Table 10 of Sokolova & Lapalme (2006), and add how sure its rankings are."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
import table10 as paper
from markupsafe import Markup
from matplotlib.axes import Axes

import stanoff
from stanoff import invariance, posterior, suitability
from stanoff.files import write_bytes, write_text
from stanoff.measures import get
from stanoff.plots.theme import BLUE, GREY, ORANGE
from stanoff.report.document import Block, Figure, Items, Section, Table, document, link
from stanoff.report.figures import as_bytes
from stanoff.texts import frame_as_markdown
from stanoff.transformations import OF_THE_PAPER, TRANSFORMATIONS
from stanoff.words import percent

HERE = Path(__file__).resolve().parent
SEED = 2006
FIGURES = ("forest.svg", "forest.pdf")
SVM, NB = paper.CLASSIFIERS


def fits() -> dict[str, stanoff.Comparison]:
    """Fit the unpaired model, and the paired one at both ends of what the tables leave open.

    Tables 8 and 9 are of the same documents, but do not tell on which the classifiers agree.
    """
    (tp_a, fp_a, fn_a, tn_a), (tp_b, fp_b, fn_b, tn_b) = paper.matrices().values()
    positives, negatives = tp_a + fn_a, fp_a + tn_a
    assert (positives, negatives) == (tp_b + fn_b, fp_b + tn_b)

    def pairs(a: int, b: int, both: int, documents: int) -> list[int]:
        return [both, a - both, b - both, documents - a - b + both]

    most = (min(tp_a, tp_b), min(fp_a, fp_b))
    least = (max(0, tp_a + tp_b - positives), max(0, fp_a + fp_b - negatives))
    chosen = {"engine": "exact", "seed": SEED, "names": (SVM, NB), "measure": "accuracy"}
    matrices = paper.matrices()
    return {
        "unpaired": stanoff.compare_counts(a=matrices[SVM], b=matrices[NB], **chosen),
        **{
            name: stanoff.compare_counts(
                pairs(tp_a, tp_b, both[0], positives),
                pairs(fp_a, fp_b, both[1], negatives),
                **chosen,
            )
            for name, both in {"least_alike": least, "most_alike": most}.items()
        },
    }


def posteriors(results: dict[str, stanoff.Comparison]) -> pd.DataFrame:
    """Gather the posterior of every measure, in the paper's units, and of its ranking."""
    rows = []
    for measure, name in paper.NAMES.items():
        unit = 1 if measure in paper.RATIOS else 100
        row = {"measure": measure, "first": SVM}
        if paper.recomputed().loc[measure, "svm_rank"] == 2:
            row["first"] = NB
        draws = results["unpaired"].measure(name).draws.posterior
        for key, variable in {"svm": "psi_A", "nb": "psi_B", "delta": "delta"}.items():
            values = unit * draws[variable].ravel()
            low, high = posterior.hdi(values, 0.95)
            row |= {key: float(np.mean(values)), f"{key}_low": low, f"{key}_high": high}
        above = (row["first"] == SVM) == get(name).higher_is_better
        for model, result in results.items():
            delta = result.measure(name).draws.posterior["delta"]
            row[f"p_{model}"] = float(np.mean(delta > 0 if above else delta < 0))
        rows.append(row)
    return pd.DataFrame(rows)


def forest(table: pd.DataFrame) -> Axes:
    """Draw the scores of both classifiers with their HDIs, and how sure their order is."""
    ratios = table["measure"].isin(paper.RATIOS)
    parts = {"percent": table[~ratios], "ratio": table[ratios]}
    heights = [len(part) for part in parts.values()]
    with sns.axes_style("ticks"):
        _, axes = plt.subplots(
            2, 1, figsize=(7.6, 5.6), layout="constrained", height_ratios=heights
        )
    for ax, (unit, part) in zip(axes, parts.items(), strict=True):
        for y, row in enumerate(part.to_dict("records")):
            for key, color, marker, shift in (("svm", BLUE, "o", -0.16), ("nb", ORANGE, "s", 0.16)):
                ends = [row[f"{key}_low"], row[f"{key}_high"]]
                ax.plot(ends, [y + shift] * 2, color=color, lw=2.2, solid_capstyle="butt")
                name = {"svm": SVM, "nb": NB}[key] if y == 0 else None
                ax.plot(row[key], y + shift, marker, color=color, ms=5.5, label=name)
            ax.text(1.02, y, order(row), transform=ax.get_yaxis_transform(), va="center")
            ax.axhline(y + 0.5, color=GREY, lw=0.4, alpha=0.4)
        ax.set_yticks(range(len(part)), [paper.label(m) for m in part["measure"]])
        ax.set_ylim(len(part) - 0.5, -0.5)
        ax.set_xlabel(unit)
        ax.tick_params(left=False)
        sns.despine(ax=ax, left=True)
    axes[0].legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    axes[0].text(1.02, -0.75, "P(order)", transform=axes[0].get_yaxis_transform(), color=GREY)
    return axes[0]


def order(row: dict) -> str:
    """Write which classifier is first, with the probability of that."""
    second = NB if row["first"] == SVM else SVM
    return f"{row['first']} before {second}: {percent(row['p_unpaired'])}"


def shown_table10() -> tuple[pd.DataFrame, dict]:
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


def shown_posteriors(table: pd.DataFrame) -> pd.DataFrame:
    """Write the posteriors for people."""
    rows = []
    for row in table.to_dict("records"):
        d = paper.digits(row["measure"])
        texts = {"measure": paper.label(row["measure"])}
        for key, heading in {"svm": SVM, "nb": NB, "delta": f"{SVM} - {NB}"}.items():
            sign = "+" if key == "delta" else ""
            mean, low, high = (f"{row[f'{key}{end}']:{sign}.{d}f}" for end in ("", "_low", "_high"))
            texts[heading] = f"{mean} [{low}, {high}]"
        texts["first"] = row["first"]
        for model in ("unpaired", "least_alike", "most_alike"):
            texts[f"P {model.replace('_', ' ')}"] = percent(row[f"p_{model}"])
        rows.append(texts)
    return pd.DataFrame(rows)


def in_words(table: pd.DataFrame) -> list[str]:
    """Tell which rankings may be believed."""
    settled, open_ = [], []
    for row in table.to_dict("records"):
        probabilities = [row[f"p_{model}"] for model in ("unpaired", "least_alike", "most_alike")]
        group = settled if min(probabilities) > 0.99 else open_
        group.append((paper.label(row["measure"]), row["first"], probabilities))
    by = {name: [m for m, first, _ in settled if first == name] for name in (SVM, NB)}
    said = [
        f"Settled, with more than 99% by all three models: {SVM} is before {NB} by "
        f"{', '.join(by[SVM])}; {NB} is before {SVM} by {', '.join(by[NB])}."
    ]
    for measure, first, p in open_:
        said.append(
            f"By {measure} {first} is first with a probability of {percent(p[0])}; if the "
            f"classifiers agree as little or as much as they can, of {percent(p[1])} and "
            f"{percent(p[2])}."
        )
    return said


def trends() -> list[str]:
    """Check what section 6 says about more false positives."""
    words = {"rises": "only rises", "falls": "only falls", "either": "rises or falls"}
    return [
        f"{paper.label(measure)} {words[invariance.examine(paper.NAMES[measure])['t3'].trend]} "
        f"as fp grows"
        for measure in ("specificity", "auc", "rho_plus", "rho_minus", "auc_acc")
    ]


def page(tables: dict[str, pd.DataFrame], marks: dict, svg: bytes, said: list[str]) -> str:
    """Put everything on one page."""
    files = [f"{name}.{kind}" for name in tables for kind in ("csv", "md")]
    sections = [
        Section("Table 10, computed again", again(tables["table10"], marks)),
        Section("Where the printed table disagrees", differences(tables["disagreements"])),
        Section("How sure are the rankings?", rankings(tables["posterior"], svg, said)),
        Section("Invariance of every measure", signs(tables["signs"])),
        Section("Which measure for which data?", advised()),
        Section("Files", [Items([link(file, file) for file in (*files, *FIGURES)])]),
    ]
    subtitle = (
        "Table 10 of M. Sokolova and G. Lapalme, Performance Measures in Classification of Human "
        "Communications (2006): computed again, checked, and with the uncertainty it lacks"
    )
    return document("Ten measures rank two classifiers", sections, subtitle=subtitle)


def again(table: pd.DataFrame, marks: dict) -> list[Block]:
    """Show Table 10 as its formulas have it."""
    return [
        "The paper ranks a support vector machine (SVM) and naive Bayes (NB) on records of "
        "electronic negotiations by ten measures. Here each is computed from the paper's confusion "
        "matrices (Tables 8 and 9) by its formulas, and the signs under t1 to t4 are decided by "
        "exact arithmetic.",
        Table(
            table,
            "Table 10 by its own formulas; ρ₊ and ρ₋ are ratios, the rest is in percent. Marked: "
            "what is printed otherwise. The break-even point is the mean of precision and recall.",
            marks,
        ),
    ]


def differences(table: pd.DataFrame) -> list[Block]:
    """Show what is printed otherwise."""
    return [
        f"{len(table)} cells of the printed table are not what its formulas give. The rankings are "
        "all right.",
        Table(table, "Every disagreement, with the numbers"),
        "The signs matter most. AUC and AUC:acc do not change when the classes are exchanged: "
        "they belong with accuracy, and t1 cannot be why AUC:acc is more reliable than accuracy on "
        "unbalanced data, as section 6 suggests.",
        "Section 6 also says that specificity does not improve as fp grows, and that AUC, ρ₊, ρ₋ "
        "and AUC:acc are not monotonic in fp. By the formulas:",
        Items(trends()),
    ]


def rankings(table: pd.DataFrame, svg: bytes, said: list[str]) -> list[Block]:
    """Show the posteriors."""
    alt = f"Scores of {SVM} and {NB} by ten measures, with intervals. {' '.join(said)}"
    return [
        "The unpaired model gives the posterior of every score, and the probability that the "
        "classifier that is ranked first is the better one. Both classified the same documents, "
        "but the paper does not tell on which they agree: the paired model at the least and at the "
        "most agreement that Tables 8 and 9 allow shows what that could change.",
        Figure(svg, "Posterior mean and 95% HDI of each score; unpaired model, uniform prior", alt),
        Items(said),
        Table(
            table,
            "The posteriors, mean and 95% HDI, and the probability P that the first is the better "
            "one: by the unpaired model, and by the paired one if they agree least and most",
        ),
    ]


def signs(table: pd.DataFrame) -> list[Block]:
    """Show the invariances of all measures."""
    changes = [
        f"{change.name}: {change.title}, {change.rule}" for change in TRANSFORMATIONS.values()
    ]
    groups = [
        {"t1 t2 t3 t4": " ".join(key), "measures": ", ".join(alike)}
        for key, alike in invariance.clusters().items()
    ]
    return [
        "The paper has ten measures and four changes of a confusion matrix. Here are all measures "
        "that stanoff knows, and a fifth change, of the sizes of the classes. That one is not in "
        "the paper; without it nothing tells that balanced accuracy suits unbalanced classes.",
        Items(changes),
        Table(table, "+ the value stays, - it does not"),
        Table(pd.DataFrame(groups), "Measures that are alike under t1 to t4"),
    ]


def advised() -> list[Block]:
    """Show which measures suit which data."""
    blocks: list[Block] = ["The rules of sections 4 and 6, applied to all measures:"]
    for name in suitability.SITUATIONS:
        title, *rest = suitability.advice(name).split("\n")
        blocks += [Markup("<strong>{}</strong>").format(title), Items(rest)]
    return blocks


def main() -> None:
    """Write the tables, the figure and the page next to this script."""
    numbers = posteriors(fits())
    table10, marks = shown_table10()
    disagreements = paper.disagreements()
    disagreements["measure"] = disagreements["measure"].map(paper.label)
    shown = {
        "table10": table10,
        "disagreements": disagreements.rename(columns={"by_formula": "by formula"}),
        "posterior": shown_posteriors(numbers),
        "signs": invariance.table(),
    }
    for name, frame in shown.items():
        raw = {"posterior": numbers, "table10": paper.recomputed().reset_index()}.get(name, frame)
        content = raw.to_csv(index=False, float_format="%.6f", lineterminator="\n")
        write_text(HERE / f"{name}.csv", content)
        write_text(HERE / f"{name}.md", frame_as_markdown(frame) + "\n")
    svg, pdf = (as_bytes(forest(numbers), style) for style in ("svg", "pdf"))
    write_bytes(HERE / "forest.svg", svg)
    write_bytes(HERE / "forest.pdf", pdf)
    said = in_words(numbers)
    write_text(HERE / "index.html", page(shown, marks, svg, said))
    print("\n".join(said))
    print(f"Wrote {HERE / 'index.html'}")


if __name__ == "__main__":
    main()
