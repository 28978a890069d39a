"""The sections of the page that go beyond the paper, on the same predictions."""

import pandas as pd
from common import Output, signed

from stanoff import Decision
from stanoff.report.document import Block, Section
from stanoff.text.numbers import percent
from stanoff.text.sentences import contest_caption
from zhang2016 import beyond
from zhang2016.experiment import CATEGORY, ROPE, TABLES, case, contested


def hierarchical(out: Output) -> Section:
    """Put the hierarchical model beside the flat one."""
    blocks: list[Block] = [
        "The hierarchical model lets the categories share what they have in common: each is pulled "
        "towards the overall behaviour of the two classifiers, the more so the fewer documents it "
        "has. With 251 to 399 positive documents in each category there is little to borrow, "
        "and few verdicts change."
    ]
    for number in TABLES:
        moved = beyond.moved(number)
        changed = moved.index[moved["flat_decision"] != moved["hierarchical_decision"]]
        farthest = moved["shift"].abs().idxmax()
        shrunk = (moved["hierarchical_std"] / moved["flat_std"]).mean()
        shown = pd.DataFrame(
            {
                "category": moved.index,
                **{name: signed(moved[name]) for name in ("flat", "hierarchical", "shift")},
                "std, flat": moved["flat_std"].map("{:.4f}".format),
                "std, hierarchical": moved["hierarchical_std"].map("{:.4f}".format),
                "flat decision": moved["flat_decision"],
                "hierarchical decision": moved["hierarchical_decision"],
            }
        )
        told = f"other verdicts on {', '.join(changed)}" if len(changed) else "no other verdict"
        blocks += [
            f"Table {number}: {told}; category {farthest} moved farthest, by "
            f"{moved.at[farthest, 'shift']:+.3f}; standard deviations are on average "
            f"{100 * shrunk:.0f}% of the flat ones.",
            out.table(
                f"hierarchical{number}",
                shown,
                f"The categories of Table {number} in the flat and the hierarchical model.",
                numbers=moved,
            ),
        ]
    return Section("The hierarchical model against the flat one", blocks)


def contest(out: Output) -> Section:
    """Put all four classifiers beside each other."""
    case = contested(pos_label=CATEGORY, rope=ROPE)
    whole = contested(average="macro", rope=0.01)
    blocks = [
        "One joint posterior of all four classifiers, under which every pair has the posterior "
        "of its own comparison: no verdict above changes.",
        f"Category {CATEGORY}, as in Table 6: {case.sentence()}",
        out.table(
            "contest",
            case.table(),
            contest_caption(case, case.default_category),
            numbers=case.summary(),
        ),
        out.figure("contest_matrix", case.plot_matrix, f"All pairs on category {CATEGORY}."),
        f"All categories together, with a ROPE of ±0.01: {whole.sentence()}",
        out.table(
            "contest_macro",
            whole.table(),
            contest_caption(whole, whole.default_category),
            numbers=whole.summary(),
        ),
        out.figure("contest_scores", whole.plot_scores, "Macro-averaged F1 of all four."),
    ]
    return Section("All four at once", blocks)


def other_measures(out: Output) -> Section:
    """Judge the same draws by other measures."""
    grid = beyond.other_measures(6).rename_axis("category").reset_index()
    blocks = [
        "No model was fitted again: the draws of the cells are judged by another function. "
        "In accuracy every category is equivalent, because 19 of 20 documents are negatives "
        "that nobody mistakes: a reminder that a ROPE of ±0.05 means nothing without the "
        "measure. Precision and recall often point in opposite directions.",
        out.table(
            "measures",
            grid,
            "NB_Mult against SVM_L2 in other measures, with a ROPE of ±0.05 for all of them.",
        ),
    ]
    return Section("Other measures", blocks)


def sensitivity(out: Output) -> Section:
    """Show what other ROPEs and other priors would have said."""
    ropes = beyond.over_ropes().rename_axis(["table", "ROPE"]).reset_index()
    priors = beyond.over_priors().rename_axis(["table", "prior"]).reset_index()
    priors["largest shift"] = priors["largest shift"].map("{:.4f}".format)
    blocks = [
        "The verdicts depend on the ROPE, which is the reader's to choose; they hardly depend "
        "on the prior.",
        out.table("ropes", ropes, "How many of the 20 categories get each decision, by ROPE."),
        out.table(
            "priors",
            priors,
            "The same by prior (drawn exactly, 20,000 draws), with the largest shift of a mean "
            "and the categories whose decision is another than under the uniform prior.",
        ),
        out.figure(
            "ropes", case().plot_ropes, f"Category {CATEGORY} of Table 6 under ROPEs of any width."
        ),
        out.figure(
            "priors", case().plot_priors, f"Category {CATEGORY} of Table 6 under other priors."
        ),
    ]
    return Section("Other ROPEs, other priors", blocks)


def more_documents(out: Output) -> Section:
    """Say how many more documents the undecided categories need."""
    blocks: list[Block] = [
        "For every category without a firm verdict: about how many more documents of the same kind "
        f"give the paired model an {100 * beyond.ASSURANCE:.0f} % chance of a firm verdict, and "
        "which one. New test sets are drawn from the posterior, added to the old one and "
        "judged again. The Monte-Carlo interval is in brackets; the columns to the right "
        "show how often each verdict is reached there. Where the difference lies near an end of "
        "the ROPE, no reasonable number of documents will do."
    ]
    for number in TABLES:
        undecided = beyond.more_documents(number)
        shown = pd.DataFrame(
            {
                "category": undecided["category"],
                "mean": signed(undecided["mean"]),
                "now": undecided["decision"],
                "more documents": undecided.apply(_needed, axis=1),
                **{d.symbol: undecided[d.symbol].map(percent) for d in Decision},
            }
        )
        caption = f"The undecided categories of Table {number}."
        blocks.append(out.table(f"more_documents{number}", shown, caption, numbers=undecided))
    return Section("How many more documents?", blocks)


def _needed(row: pd.Series) -> str:
    if pd.isna(row["more"]):
        return f"more than {row['most']:,}" if row["most"] else "never, by what is known now"
    ends = f" ({row['low']:,.0f} to {row['high']:,.0f})" if pd.notna(row["high"]) else ""
    return f"about {row['more']:,.0f}{ends}"
