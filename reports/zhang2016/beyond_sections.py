"""The sections of the page that go beyond the paper, on the same predictions."""

import beyond
import pandas as pd
from experiment import TABLES, fitted
from output import saved_figure, saved_table
from paper_figures import CATEGORY, case

from stanoff.decision import Decision
from stanoff.report.document import Figure, Section, Table
from stanoff.words import percent


def averages() -> Section:
    """Judge the classifiers over all categories."""
    pairs = beyond.all_pairs()
    shown = pairs.assign(
        **{c: pairs[c].map("{:.3f}".format) for c in ("F1 of A", "F1 of B")},
        delta=pairs["delta"].map("{:+.3f}".format),
        HDI=[
            f"[{low:+.3f}, {high:+.3f}]"
            for low, high in zip(pairs["hdi_low"], pairs["hdi_high"], strict=True)
        ],
        **{"P(ROPE)": pairs["p_rope"].map(percent)},
    )[["A", "B", "average", "F1 of A", "F1 of B", "delta", "HDI", "P(ROPE)", "decision"]]
    saved_table("all_pairs", shown, "All six pairs by macro and micro F1.", numbers=pairs)
    flat = fitted(*TABLES[6]).evidence("macro").std
    joint = beyond.joint(*TABLES[6]).evidence("macro").std
    return Section(
        "All six pairs, over all categories",
        [
            "The paper judges category by category. Over all 20 of them the same predictions "
            "settle nearly every pair. The averages come from the joint model of (true class, "
            "A's class, B's class): a model per category takes the categories as independent of "
            "each other, which they are not where every document has one label, and would give the "
            f"macro average of the pair of Table 6 a standard deviation of {flat:.4f} instead of "
            f"{joint:.4f}.",
            Table(shown, "All six pairs by macro- and micro-averaged F1."),
        ],
    )


def hierarchical() -> Section:
    """Put the hierarchical model beside the flat one."""
    blocks: list[object] = [
        "The hierarchical model lets the categories share what they have in common: each is pulled "
        "towards the overall behaviour of the two classifiers, the more so the fewer documents it "
        "has. With 251 to 399 positive documents in each category there is little to borrow, "
        "and few verdicts change.",
    ]
    for number in TABLES:
        moved = beyond.moved(number)
        changed = moved.index[moved["flat_decision"] != moved["hierarchical_decision"]]
        farthest = moved["shift"].abs().idxmax()
        shrunk = (moved["hierarchical_std"] / moved["flat_std"]).mean()
        shown = pd.DataFrame(
            {
                "category": moved.index,
                **{c: moved[c].map("{:+.3f}".format) for c in ("flat", "hierarchical", "shift")},
                "std, flat": moved["flat_std"].map("{:.4f}".format),
                "std, hierarchical": moved["hierarchical_std"].map("{:.4f}".format),
                "flat decision": moved["flat_decision"],
                "hierarchical decision": moved["hierarchical_decision"],
            }
        )
        name = f"hierarchical{number}"
        caption = f"The categories of Table {number} in the flat and the hierarchical model."
        saved_table(name, shown, caption, numbers=moved)
        told = f"other verdicts on {', '.join(changed)}" if len(changed) else "no other verdict"
        blocks += [
            f"Table {number}: {told}; category {farthest} moved farthest, by "
            f"{moved.at[farthest, 'shift']:+.3f}; standard deviations are on average "
            f"{100 * shrunk:.0f}% of the flat ones.",
            Table(shown, caption),
        ]
    return Section("The hierarchical model against the flat one", blocks)


def other_measures() -> Section:
    """Judge the same draws by other measures."""
    grid = beyond.other_measures(6).rename_axis("category").reset_index()
    caption = "NB_Mult against SVM_L2 by other measures, ROPE ±0.05 for all of them."
    saved_table("measures", grid, caption)
    return Section(
        "Other measures",
        [
            "No model was fitted again: the draws of the cells are judged by another function. "
            "Accuracy calls every category equivalent, because 19 of 20 documents are negatives "
            "that nobody mistakes: a reminder that a ROPE of ±0.05 means nothing without the "
            "measure. Precision and recall often point in opposite directions.",
            Table(grid, caption),
        ],
    )


def sensitivity() -> Section:
    """Tell what other ROPEs and other priors would have said."""
    ropes = beyond.over_ropes().rename_axis(["table", "ROPE"]).reset_index()
    priors = beyond.over_priors().rename_axis(["table", "prior"]).reset_index()
    priors["largest shift"] = priors["largest shift"].map("{:.4f}".format)
    saved_table("ropes", ropes, "Decisions under other ROPEs.")
    saved_table("priors", priors, "Decisions under other priors.")
    result = case()
    return Section(
        "Other ROPEs, other priors",
        [
            "The verdicts hang on the ROPE, which is the reader's to choose; they hardly depend on "
            "the prior.",
            Table(ropes, "How many of the 20 categories get each decision, by ROPE."),
            Table(
                priors,
                "The same by prior (drawn exactly, 20,000 draws), with the largest shift of a mean "
                "and the categories whose decision is another than under the uniform prior.",
            ),
            Figure(
                saved_figure("ropes", result.plot_ropes),
                f"Category {CATEGORY} of Table 6 under ROPEs of any width.",
            ),
            Figure(
                saved_figure("priors", result.plot_priors),
                f"Category {CATEGORY} of Table 6 under other priors.",
            ),
        ],
    )


def more_documents() -> Section:
    """Tell how many more documents the undecided categories need."""
    blocks: list[object] = [
        "For every category without a firm verdict: how many documents more, of the same kind, "
        f"until a firm verdict is reached with a probability of {100 * beyond.ASSURANCE:.0f}%, and "
        "which one. New test sets are drawn from the posterior, added to the old one and "
        "judged again. The Monte-Carlo interval is in brackets; the columns to the right "
        "tell how often each verdict is reached there. Where the difference lies near an end of "
        "the ROPE, no reasonable number of documents will do.",
    ]
    for number in TABLES:
        undecided = beyond.more_documents(number)
        shown = pd.DataFrame(
            {
                "category": undecided["category"],
                "mean": undecided["mean"].map("{:+.3f}".format),
                "now": undecided["decision"],
                "more documents": undecided.apply(_needed, axis=1),
                **{d.symbol: undecided[d.symbol].map(percent) for d in Decision},
            }
        )
        caption = f"The undecided categories of Table {number}."
        saved_table(f"more_documents{number}", shown, caption, numbers=undecided)
        blocks.append(Table(shown, caption))
    return Section("How many more documents?", blocks)


def _needed(row: pd.Series) -> str:
    if pd.isna(row["more"]):
        return f"more than {row['most']:,}" if row["most"] else "never, by what is known now"
    ends = f" ({row['low']:,.0f} to {row['high']:,.0f})" if pd.notna(row["high"]) else ""
    return f"about {row['more']:,.0f}{ends}"
