"""Show the long simulations, whose results are kept beside this script, on one page.

They are made by ``python -m validation.NAME`` in the folder ``reports``, where NAME is ``table3``,
``verdicts``, ``contests``, ``items``, ``rivals``, ``scores``, ``sbc`` or ``examples``.
"""

from pathlib import Path

from common import REPORTS, About, Output, write_report
from zhang2016 import table3

from stanoff.report.document import Section
from validation import contests, items, rivals, sbc, scores, verdicts
from validation.harness import kept

HERE = REPORTS / "validation"
ABOUT = About(
    title="How far to trust stanoff",
    subtitle="Simulations in which the truth is known: the power of the models, how often the "
    "verdicts are right, and whether the Stan programs draw from their posteriors.",
    heading="How far to trust stanoff",
    text="Simulations in which the truth is known: the power of the models against the paper's "
    "Table 3, how often each verdict is right, and the calibration of every Stan program.",
    figure="verdicts",
    caption="How often the verdicts are right.",
)


def power(out: Output) -> Section:
    """Show the powers of Table 3, from more data sets than in the report on the paper."""
    table = kept("table3")
    away = (table["power"] - table["printed"]).abs()
    caption = "Power of the two models, ours with Monte-Carlo standard error, and as printed."
    return Section(
        "Power",
        [
            f"{table['n_simulations'].max():,} data sets per cell, 4,000 draws each; ROPE ±0.05, "
            "95% HDI; the unpaired model judges the same data sets. The greatest deviation from "
            f"the printed numbers is {away.max():.3f}, the mean {away.mean():.3f}. Given the class, A "  # noqa: E501
            "and B of scenario a are independent, so what the paired model gains there comes from "
            "the prevalence they share.",
            out.table("table3", table3.side_by_side(table), caption),
            out.figure(
                "table3",
                lambda: table3.figure(table),
                "Power against the size of the test set; the crosses are the printed numbers.",
            ),
        ],
    )


def judged(out: Output) -> Section:
    """Show how often the verdicts are right."""
    table = kept("verdicts")
    return Section(
        "Verdicts",
        [
            verdicts.notes(table),
            out.figure("verdicts", lambda: verdicts.figure(table), ABOUT.caption),
            out.table(
                "verdicts",
                verdicts.shown(table),
                "How often each verdict is reached, is right and is wrong, and how often the tests "
                "reject, in percent.",
                row_headings=False,
            ),
        ],
    )


def contested(out: Output) -> Section:
    """Show whether the probabilities of contests are right."""
    table = kept("contests")
    return Section(
        "Contests",
        [
            "Contests of five systems on 500 documents whose true scores are known: drawn from the "
            "model's own prior, or all good and wrong on the same difficult documents.",
            contests.notes(table),
            out.figure(
                "contests",
                lambda: contests.figure(table),
                "How often a statement is true against how probable the contest said it is, with "
                "two standard errors.",
            ),
        ],
    )


def scored(out: Output) -> Section:
    """Show how often intervals of AUC and its like hold the truth."""
    table = kept("scores")
    return Section(
        "Scores",
        [
            "Scores of two systems are normal in each class, with a correlation of "
            f"{scores.CORRELATION:g} within documents. Positive and negative documents, the true "
            "AUCs and how many data sets there are stand in the table.",
            scores.notes(table),
            out.figure(
                "scores",
                lambda: scores.figure(table),
                "How often 95% intervals hold the true difference, with two standard errors.",
            ),
            out.table(
                "scores",
                scores.shown(table),
                "Share of data sets whose interval holds the true difference, in percent, its "
                "Monte-Carlo error, and the mean width of the intervals.",
                row_headings=False,
            ),
        ],
    )


def calibration(out: Output) -> Section:
    """Show the ranks of the truth among the draws."""
    ranks = kept("sbc")
    return Section(
        "Calibration",
        [
            "Parameters are drawn from the prior and documents given the parameters, and the "
            "program is fitted: the rank of the true value among the posterior draws is uniform if "
            "the program draws from its own posterior (Talts et al. 2018).",
            out.figure(
                "sbc",
                lambda: sbc.figure(ranks),
                "Ranks of the truth; the grey line is what a uniform distribution would have.",
            ),
            out.table(
                "sbc",
                sbc.shown(ranks),
                "Chi-square tests that the ranks are uniform. Of right programs one in twenty has "
                "a p-value below 0.05; a very small one would be bad news.",
            ),
        ],
    )


def of_items(out: Output) -> Section:
    """Show how often intervals of values per item cover, and how wide another model is."""
    table = kept("items")
    shown = table.assign(
        coverage=table["coverage"].map("{:.1%}".format), n=table["n"].astype(str)
    ).drop(columns="replications")
    others = kept("rivals")
    return Section(
        "Values per item",
        [
            items.notes(table),
            out.table(
                "items",
                shown,
                "How often 95% HDIs hold the true difference. n: items, or clusters or data sets.",
                numbers=table,
                row_headings=False,
            ),
            *rivals.notes(others),
            *(
                out.table(name, rivals.shown(part), caption, numbers=part, row_headings=False)
                for name, (part, caption) in rivals.parts(others).items()
            ),
        ],
    )


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, (power, judged, contested, of_items, scored, calibration), folder)
