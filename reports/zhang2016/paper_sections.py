"""The sections of the page that rebuild the paper: data, tables, figures."""

import pandas as pd
from common import Output

from stanoff import Decision
from stanoff.report.document import Figure, Paragraph, Section, Table
from stanoff.text.numbers import bayes_factor, format_interval, p_value, sides_of_zero
from zhang2016 import paper_figures, paper_tables, table3
from zhang2016.experiment import NAMES, NEWSGROUPS, TABLES, case, observed_f1, printed
from zhang2016.paper_tables import Rebuilt

FINDINGS = {
    4: "The multinomial event model beats the Bernoulli one on nearly all categories.",
    5: "L1 and L2 regularisation make no practical difference on most categories.",
    6: "The best of both camps are too close to call on most categories, and practically "
    "equivalent on most of those that can be called.",
}
CAPTIONS = {
    1: "Figure 1: a classifier's test results, document by document (a) and counted (b), here for "
    "both classifiers at once.",
    2: "Figure 2: the unpaired model.",
    3: "Figure 3: the paired model.",
    4: "Figure 4: trace of delta, NB_Mult against SVM_L2 on category 8. Four chains of NUTS mix at "
    "once; the paper ran one long Metropolis chain of 50,000 draws.",
    5: "Figure 5: power of the paired and the unpaired model; the crosses are the printed numbers.",
    6: "Figure 6: posterior plot and factor plot, NB_Mult against SVM_L2 on category 8.",
}


def data(out: Output) -> Section:
    """Describe what was compared, and show that the classifiers are those of the paper."""
    ours, theirs = observed_f1(), printed("observed_f1").set_index("category")
    off = (ours.round(3) - theirs).abs()
    shown = pd.DataFrame({"category": ours.index, "newsgroup": NEWSGROUPS})
    for key, name in NAMES.items():
        shown[name] = [f"{value:.3f}" for value in ours[key]]
        shown[f"{name}, paper"] = [f"{value:.3f}" for value in theirs[key]]
    odd = {
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
            highlight=odd,
        ),
    ]
    return Section("The experiment", blocks)


def models(out: Output) -> Section:
    """Draw Figures 1 to 3 from the registry of models."""
    return Section("The models: Figures 1 to 3", [_figure(out, number) for number in (1, 2, 3)])


def one_case(out: Output) -> Section:
    """Draw Figures 4 and 6."""
    result = case()
    return Section(
        "One comparison: Figures 4 and 6",
        [str(result), _figure(out, 6), _figure(out, 4), *result.warnings],
    )


def power(out: Output) -> Section:
    """Rebuild Table 3 and Figure 5."""
    powers = table3.powers()
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
        _figure(out, 5),
    ]
    return Section("Power: Table 3 and Figure 5", blocks)


def table_sections(out: Output) -> list[Section]:
    """Rebuild Tables 4, 5 and 6, and say how near they come."""
    tables = [paper_tables.rebuilt(number) for number in TABLES]
    return [_agreement(out, tables), *(_section(out, table) for table in tables)]


def _agreement(out: Output, tables: list[Rebuilt]) -> Section:
    rows = []
    for table in tables:
        near = table.agreement()
        rows.append(
            {
                "table": f"Table {table.number}",
                "A": table.result.names[0],
                "B": table.result.names[1],
                **{k: f"{v:.4f}" if "at most" in k else f"{v:.0f} of 20" for k, v in near.items()},
            }
        )
    others = [(table, table.other_decisions) for table in tables]
    told = [
        f"Table {table.number}, category {category}: {Decision(row.ours).symbol} here, "
        f"{Decision(row.theirs).symbol} in the paper; {row.end.replace('_', ' ')} is "
        f"{row.ours_at:+.4f} here, {row.theirs_at:+.3f} there, and the ROPE ends at "
        f"{row.bound:+.2f}; twice the Monte-Carlo error of ours is {row.error:.4f}."
        for table, frame in others
        for category, row in frame.iterrows()
    ]
    blocks = [
        "Every table was rebuilt with the paired model in Stan, 4 chains of 2,500 draws, all "
        "20 categories in one program. Means, standard deviations and HDI ends differ by the "
        "Monte-Carlo error of both sides and by the rounding of the printed numbers; in "
        "Table 5 also by the random solver of SVM_L1.",
        out.table(
            "agreement",
            pd.DataFrame(rows),
            "How near the rebuilt tables come to the printed ones: the largest differences, "
            "and how many of the 20 categories agree.",
        ),
        *(told or ["No decision differs from the printed one."]),
        Paragraph(
            "BF_SD is printed next to the paper's, but is not to be compared closely: with the "
            "uniform prior the density of delta-F1 at 0 is infinite before any data are seen, "
            "so the factor depends on the bandwidth of the kernel and on the number of draws. "
            "Both of us used Scott's rule, they with 50,000 draws and we with 10,000.",
            note=True,
        ),
    ]
    return Section("Tables 4 to 6: how near", blocks)


def _section(out: Output, table: Rebuilt) -> Section:
    a, b = table.result.names
    number = table.number
    rows, highlight = [], {}
    for i, category in enumerate(table.ours.index):
        for whose, frame in (("ours", table.ours), ("paper", table.theirs)):
            rows.append({"category": category, "": whose} | _cells(frame.loc[category]))
        if table.ours.at[category, "decision"] != table.theirs.at[category, "decision"]:
            highlight[2 * i, "decision"] = "mark"
        highlight |= {(2 * i + 1, name): "faint" for name in rows[-1]}
    numbers = table.ours.add_suffix("_ours").join(table.theirs.add_suffix("_paper"))
    numbers = numbers.join(table.differences.add_suffix("_difference"))
    out.table(f"table{number}", table.result.table(), f"{a} against {b}.", numbers=numbers)
    return Section(
        f"Table {number}: {a} against {b}",
        [
            FINDINGS[number],
            Table(
                pd.DataFrame(rows), f"Table {number}, ours and the paper's.", highlight=highlight
            ),
            out.figure(
                f"table{number}_forest",
                table.result.plot_forest,
                f"The 20 categories of Table {number}, sorted by delta.",
            ),
        ],
        level=3,
    )


def _cells(row: pd.Series) -> dict[str, str]:
    return {
        "sign-test": p_value(row.sign_test),
        "t-test": p_value(row.t_test),
        "mean": f"{row['mean']:+.3f}",
        "std": f"{row['std']:.3f}",
        "BF_SD": bayes_factor(row.bf_sd),
        "LG pct": sides_of_zero(row.lt0_pct / 100, row.gt0_pct / 100),
        "ROPE pct": f"{row.rope_pct:.1f}%",
        "HDI": format_interval((row.hdi_low, row.hdi_high), 3),
        "decision": Decision(row.decision).symbol,
    }


def _figure(out: Output, number: int) -> Figure:
    draw = getattr(paper_figures, f"figure_{number}")
    return out.figure(f"figure{number}", draw, CAPTIONS[number])
