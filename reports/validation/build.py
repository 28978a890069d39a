"""Show the long simulations, whose results are kept beside this script, on one page.

They are made by ``python -m validation.NAME`` in the folder ``reports``, where NAME is ``table3``,
``verdicts``, ``contests``, ``items``, ``folds``, ``resampling``, ``rivals``, ``scores``, ``sbc`` or
``examples``.
"""

from pathlib import Path

from common import REPORTS, About, Output, write_report
from zhang2016 import table3

from stanoff.report.document import Section
from validation import contests, folds, items, resampling, rivals, sbc, scores, verdicts
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
    blocks = [
        f"{table['n_simulations'].max():,} data sets per cell, 4,000 draws each; ROPE ±0.05, "
        "95% HDI; the unpaired model judges the same data sets. The greatest deviation from "
        f"the printed numbers is {away.max():.3f}, the mean {away.mean():.3f}. Given the class, A "
        "and B of scenario a are independent, so what the paired model gains there comes from "
        "the prevalence they share.",
        out.table("table3", table3.side_by_side(table), caption),
        out.figure(
            "table3",
            lambda: table3.figure(table),
            "Power against the size of the test set; the crosses are the printed numbers.",
        ),
    ]
    return Section("Power", blocks)


def judged(out: Output) -> Section:
    """Show how often the verdicts are right."""
    table = kept("verdicts")
    blocks = [
        verdicts.notes(table),
        out.figure("verdicts", lambda: verdicts.figure(table), ABOUT.caption),
        out.table(
            "verdicts",
            verdicts.shown(table),
            "How often each verdict is reached, is right and is wrong, and how often the tests "
            "reject, in percent.",
            row_headings=False,
        ),
    ]
    return Section("Verdicts", blocks)


def contested(out: Output) -> Section:
    """Show whether the probabilities of contests are right."""
    table = kept("contests")
    blocks = [
        "Contests of 6 and of 20 systems on 400 documents, some of which are difficult for all of "
        "them. The true scores are normal, with a spread of 0.2 to 5 standard errors; the ROPE is "
        "two standard errors.",
        contests.notes(table),
        out.figure(
            "contests",
            lambda: contests.figure(table),
            "How often a statement is true against how probable the contest said it is: tenths "
            "with 300 cases or more, of accuracy, F1, means and AUC.",
        ),
    ]
    return Section("Contests", blocks)


def scored(out: Output) -> Section:
    """Show how often intervals of AUC and its like hold the truth."""
    table = kept("scores")
    blocks = [
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
    ]
    return Section("Scores", blocks)


def calibration(out: Output) -> Section:
    """Show the ranks of the truth among the draws."""
    ranks = kept("sbc")
    blocks = [
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
    ]
    return Section("Calibration", blocks)


def of_items(out: Output) -> Section:
    """Show how often intervals of values per item cover, and how wide another model is."""
    table = kept("items")
    shown = table.assign(
        coverage=table["coverage"].map("{:.1%}".format), n=table["n"].astype(str)
    ).drop(columns="replications")
    others = kept("rivals")
    blocks = [
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
    ]
    return Section("Values per item", blocks)


def of_folds(out: Output) -> Section:
    """Show how often intervals of cross-validated scores hold the truth."""
    table = kept("folds")
    blocks = [
        folds.notes(table),
        out.table(
            "folds",
            folds.shown(table),
            f"How often 95% intervals hold the true difference, how often a verdict with a ROPE of "
            f"±{folds.ROPE:g} is settled and wrong, and how wide the intervals are.",
            numbers=table,
            row_headings=False,
        ),
    ]
    return Section("Cross-validation", blocks)


def resampled(out: Output) -> Section:
    """Show how often intervals of trained copies, data sets and out-of-fold predictions hold."""
    table = kept("resampling")
    blocks = [
        resampling.notes(table),
        out.table(
            "resampling",
            resampling.shown(table),
            "How often 95% intervals hold the truth. sd: of accuracies over copies; the scale of "
            "differences over data sets; or of what a training set does, in log-odds.",
            numbers=table,
            row_headings=False,
        ),
    ]
    return Section("Training seeds, many data sets, out-of-fold predictions", blocks)


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    makers = (power, judged, contested, of_items, of_folds, resampled, scored, calibration)
    write_report(ABOUT, makers, folder)
