"""The sections of the page that rebuild the paper: data, tables, figures."""

import matplotlib.pyplot as plt
import pandas as pd
from common import Output
from matplotlib.axes import Axes

from stanoff import Decision
from stanoff.plots import theme
from stanoff.report.document import Figure, Paragraph, Section, Table
from zhang2016 import table3
from zhang2016.experiment import CATEGORY, HERE, NAMES, TABLES, fitted, observed_f1, printed
from zhang2016.paper_tables import RebuiltTable, rebuilt
from zhang2016.plate_diagrams import DOCUMENTS, PAIRED, UNPAIRED, draw_graph

FINDINGS = {
    4: "The multinomial event model beats the Bernoulli one on nearly all categories.",
    5: "L1 and L2 regularisation make no practical difference on most categories.",
    6: "The best of both camps are too close to call on most categories, and practically "
    "equivalent on most of those that can be called.",
}


def data(out: Output) -> Section:
    """Describe what was compared, and show that the classifiers are those of the paper."""
    ours, theirs = observed_f1(), printed("observed_f1").set_index("category")
    off = (ours.round(3) - theirs).abs()
    newsgroups = (HERE / "newsgroups.txt").read_text("utf8").splitlines()
    shown = pd.DataFrame({"category": ours.index, "newsgroup": newsgroups})
    for key, name in NAMES.items():
        shown[name] = ours[key].map("{:.3f}".format).to_numpy()
        shown[f"{name}, paper"] = theirs[key].map("{:.3f}".format).to_numpy()
    marked = {
        (row, NAMES[key]): "mark" for key in NAMES for row in range(20) if off[key].iloc[row] > 1e-9
    }
    blocks = [
        "Four classifiers of scikit-learn, trained on 11,314 posts to 20 newsgroups and tested "
        "on the 7,532 later ones, stripped of headers, footers and quotes: Naive Bayes with "
        "Bernoulli and multinomial events, linear support vector machines with L1 and L2 "
        "penalty. Only their predictions are kept, with the script that makes them; all "
        "that follows starts from there.",
        f"The observed F1 equals the paper's to three decimals for three of them; for SVM_L1, "
        f"whose solver is random, it is off by at most {off['svm_l1'].max():.3f} (marked).",
        out.table(
            "observed_f1",
            shown,
            "Observed F1 of the four classifiers, ours and the paper's.",
            highlight=marked,
            folded=True,
        ),
    ]
    return Section("The experiment", blocks)


def models(out: Output) -> Section:
    """Draw Figures 1 to 3."""

    def documents() -> Axes:
        left, right = _beside()
        draw_graph(DOCUMENTS, left)
        return draw_graph(UNPAIRED, right)

    text = (
        "a classifier's test results, document by document (a) and counted (b), here for both "
        "classifiers at once."
    )
    figures: list[Figure] = [
        out.figure("figure1", documents, f"Figure 1: {text}"),
        out.figure("figure2", lambda: draw_graph(UNPAIRED), "Figure 2: the unpaired model."),
        out.figure("figure3", lambda: draw_graph(PAIRED), "Figure 3: the paired model."),
    ]
    return Section("The models: Figures 1 to 3", figures)


def one_case(out: Output) -> Section:
    """Draw Figures 4 and 6, from the draws of Table 6."""
    result = fitted(6)

    def posterior_and_factor() -> Axes:
        left, right = _beside()
        result.plot_posterior(CATEGORY, ax=left)
        return result.plot_factor(CATEGORY, ax=right)

    blocks = [
        result.sentence(CATEGORY),
        out.figure(
            "figure6",
            posterior_and_factor,
            f"Figure 6: posterior plot and factor plot, NB_Mult against SVM_L2 on category "
            f"{CATEGORY}; the numbers are those of its row of Table 6 below.",
        ),
        out.figure(
            "figure4",
            lambda: result.plot_trace(CATEGORY),
            f"Figure 4: trace of delta, NB_Mult against SVM_L2 on category {CATEGORY}. Four chains "
            "of NUTS mix at once; the paper ran one long Metropolis chain of 50,000 draws.",
        ),
    ]
    return Section("One comparison: Figures 4 and 6", blocks)


def power(out: Output) -> Section:
    """Rebuild Table 3 and Figure 5."""
    powers = table3.simulated()
    off = (powers["power"] - powers["printed"]).abs()
    blocks = [
        f"{table3.DATA_SETS:,} simulated test sets per cell, drawn exactly. Ours lie "
        f"within {off.max():.3f} of every printed power and within {off.mean():.3f} on "
        "average, the size of the paper's own simulation error.",
        "What the paper does not say: in scenario (a) the two classifiers are independent of "
        "each other given the class (0.3 = 0.6 x 0.5, and so on), so all that pairing gains "
        "there is that both share one prevalence. In scenario (b) they agree more often "
        "than by chance, and pairing gains much more.",
        out.table(
            "table3",
            table3.side_by_side(powers),
            "Table 3: power of the two models, ours with Monte-Carlo standard error, and the "
            "paper's.",
            numbers=powers,
        ),
        out.figure(
            "figure5",
            lambda: table3.figure(powers),
            "Figure 5: power of the paired and the unpaired model; crosses: the printed numbers.",
        ),
    ]
    return Section("Power: Table 3 and Figure 5", blocks)


def tables(out: Output) -> list[Section]:
    """Rebuild Tables 4, 5 and 6, and say how near they come."""
    all_tables = [rebuilt(number) for number in TABLES]
    return [_agreement(out, all_tables), *(_section(out, table) for table in all_tables)]


def _agreement(out: Output, all_tables: list[RebuiltTable]) -> Section:
    rows = []
    for table in all_tables:
        row = {"table": f"Table {table.number}", "A": table.result.names[0]}
        row["B"] = table.result.names[1]
        for name, value in table.agreement().items():
            row[name] = f"{value:.4f}" if "at most" in name else f"{value:.0f} of 20"
        rows.append(row)
    others = [
        f"Table {table.number}, category {category}: {Decision(row.ours).symbol} here, "
        f"{Decision(row.theirs).symbol} in the paper; {row.end.replace('_', ' ')} is "
        f"{row.ours_at:+.4f} here, {row.theirs_at:+.3f} there, and the ROPE ends at "
        f"{row.bound:+.2f}; twice the Monte-Carlo error of ours is {row.error:.4f}."
        for table in all_tables
        for category, row in table.other_decisions.iterrows()
    ]
    blocks = [
        "Every table was rebuilt with the paired model in Stan under the paper's uniform priors, "
        "4 chains of 2,500 draws, all 20 categories in one program. Means, standard deviations "
        "and HDI ends differ by the Monte-Carlo error of both sides and by the rounding of the "
        "printed numbers; in Table 5 also by the random solver of SVM_L1.",
        out.table(
            "agreement",
            pd.DataFrame(rows),
            "How near the rebuilt tables come to the printed ones: the largest differences, "
            "and how many of the 20 categories agree.",
        ),
        *(others or ["No decision differs from the printed one."]),
        Paragraph(
            "BF_SD is printed next to the paper's, but is not to be compared closely: with the "
            "uniform prior the density of delta-F1 at 0 is infinite before any data are seen, "
            "so the factor depends on the bandwidth of the kernel and on the number of draws "
            "(?). Where no draw of ours comes near 0, only a bound is known (<). Both of us used "
            "Scott's rule, they with 50,000 draws and we with 10,000.",
            note=True,
        ),
        "Marks of the tables: ⋆ p < 0.05 or Bayes factor < 1/3; ‡ Bayes factor > 3; † the two "
        "cannot be told apart yet, whichever way the decision leans.",
    ]
    return Section("Tables 4 to 6: how near", blocks)


def _section(out: Output, table: RebuiltTable) -> Section:
    a, b = table.result.names
    number, name = table.number, f"table{table.number}"
    rows = table.side_by_side()
    highlight = {(2 * i + 1, column): "faint" for i in range(20) for column in rows}
    for i, same in enumerate(table.ours["decision"] == table.theirs["decision"]):
        if not same:
            highlight[2 * i, "decision"] = "mark"
    numbers = table.ours.add_suffix("_ours").join(table.theirs.add_suffix("_paper"))
    numbers = numbers.join(table.differences.add_suffix("_difference"))
    out.table(name, table.result.table(), f"{a} against {b}.", numbers=numbers)
    return Section(
        f"Table {number}: {a} against {b}",
        [
            FINDINGS[number],
            out.figure(
                f"{name}_forest",
                table.result.plot_forest,
                f"The 20 categories of Table {number}, sorted by delta.",
            ),
            Table(
                rows,
                f"Table {number}, ours and the paper's, row by row.",
                highlight=highlight,
                folded=True,
            ),
        ],
        level=3,
    )


def _beside() -> tuple[Axes, Axes]:
    with theme():
        _, (left, right) = plt.subplots(1, 2, figsize=(12.8, 4.2), layout="constrained")
    return left, right
