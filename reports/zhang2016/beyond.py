"""What the paper could have said of the same predictions, and did not."""

from collections import Counter
from collections.abc import Iterable

import pandas as pd
from common import Output, signed

from stanoff import Comparison, Contest, Decision, Prior, compare_counts
from stanoff.report.document import Block, Section, Table
from stanoff.text.numbers import percent
from stanoff.text.sentences import contest_caption
from zhang2016.experiment import CATEGORY, ROPE, SEED, TABLES, contested, fitted

MEASURES = (
    *("f1", "precision", "recall", "balanced_accuracy", "mcc", "kappa", "jaccard", "g_mean"),
    "accuracy",
)
PRIORS = {"uniform": Prior.uniform(), "Jeffreys": Prior.jeffreys(), "Perks": Prior.perks()}
WIDTHS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15)
ASSURANCE = 0.8
FUTURES = 250  # simulated for every number of further documents


def decisions(result: Comparison) -> pd.Series:
    """Return the decision on every category, as people see it."""
    categories = pd.Index(result.data.categories, name="category")
    return pd.Series([result.evidence(name).decision.symbol for name in categories], categories)


def count_decisions(symbols: Iterable[str]) -> dict[str, int]:
    """Count how often each of the five decisions was made."""
    counts = Counter(symbols)
    return {decision.symbol: counts[decision.symbol] for decision in Decision}


def hierarchical(out: Output) -> Section:
    """Put the hierarchical model beside the flat one."""
    blocks: list[Block] = [
        "The hierarchical model lets the categories share what they have in common: each is pulled "
        "towards the overall behaviour of the two classifiers, the more so the fewer documents it "
        "has. With 251 to 399 positive documents in each category there is little to borrow, "
        "and few verdicts change. The paper names this model as future work, and prints none."
    ]
    for number in TABLES:
        models = {"flat": fitted(number), "hierarchical": fitted(number, "hierarchical")}
        numbers, shown = pd.DataFrame(), pd.DataFrame()
        for name, result in models.items():
            summary = result.summary().set_index("category").iloc[:20]
            numbers[name], numbers[f"{name}_std"] = summary["mean"], summary["std"]
            numbers[f"{name}_decision"] = shown[f"{name} decision"] = decisions(result)
            shown[name] = signed(summary["mean"])
            shown[f"{name} std"] = summary["std"].map("{:.4f}".format)
        shift = numbers["shift"] = numbers["hierarchical"] - numbers["flat"]
        changed = shift.index[numbers["flat_decision"] != numbers["hierarchical_decision"]]
        farthest = shift.abs().idxmax()
        shrunk = (numbers["hierarchical_std"] / numbers["flat_std"]).mean()
        verdicts = f"other verdicts on {', '.join(changed)}" if len(changed) else "no other verdict"
        blocks += [
            f"Table {number}: {verdicts}; category {farthest} moved farthest, by "
            f"{shift[farthest]:+.3f}; standard deviations are on average "
            f"{100 * shrunk:.0f}% of the flat ones.",
            out.table(
                f"hierarchical{number}",
                shown.assign(shift=signed(shift)).reset_index(),
                f"The categories of Table {number} in the flat and the hierarchical model.",
                numbers=numbers,
                folded=True,
            ),
        ]
    return Section("The hierarchical model against the flat one", blocks)


def contest(out: Output) -> Section:
    """Put all four classifiers beside each other."""
    case = contested(pos_label=int(CATEGORY), rope=ROPE)
    macro = contested(average="macro", rope=0.01)

    def table(name: str, result: Contest) -> Table:
        caption = contest_caption(result, result.default_category)
        return out.table(name, result.table(), caption, numbers=result.summary())

    blocks = [
        "One joint posterior of all four classifiers, under which every pair has the posterior "
        "of its own comparison: no verdict above changes.",
        f"Category {CATEGORY}, as in Table 6: {case.sentence()}",
        table("contest", case),
        out.figure("contest_matrix", case.plot_matrix, f"All pairs on category {CATEGORY}."),
        f"All categories together, with a ROPE of ±0.01: {macro.sentence()}",
        table("contest_macro", macro),
        out.figure("contest_scores", macro.plot_scores, "Macro-averaged F1 of all four."),
    ]
    return Section("All four at once", blocks)


def other_measures(out: Output) -> Section:
    """Judge the same draws by other measures: a decision per category, and one on the average."""
    result, joint = fitted(6), fitted(6, "joint")
    columns = {}
    for name in MEASURES:
        judged = result.judge(measure=name)
        macro = joint.judge(measure=name).decision.symbol
        columns[judged.measure.label] = [*decisions(judged), macro]
    grid = pd.DataFrame({"category": [*result.data.categories, "macro"], **columns})
    blocks = [
        "No model was fitted again: the draws of the cells are judged by another function. "
        "In accuracy every category is equivalent, because 19 of 20 documents are negatives "
        "that nobody mistakes: a reminder that a ROPE of ±0.05 means nothing without the "
        "measure. Precision and recall often point in opposite directions.",
        out.table(
            "measures",
            grid,
            "NB_Mult against SVM_L2 in other measures, with a ROPE of ±0.05 for all of them.",
            folded=True,
        ),
    ]
    return Section("Other measures", blocks)


def sensitivity(out: Output) -> Section:
    """Show what other ROPEs and other priors would have said."""
    ropes = [
        {"table": f"Table {number}", "ROPE": f"±{width:g}"}
        | count_decisions(decisions(fitted(number).judge(rope=width)))
        for number in TABLES
        for width in WIDTHS
    ]
    priors = pd.DataFrame([row for number in TABLES for row in over_priors(number)])
    priors["largest shift"] = priors["largest shift"].map("{:.4f}".format)
    case, name = fitted(6), f"Category {CATEGORY} of Table 6"
    blocks = [
        "The verdicts depend on the ROPE, which is the reader's to choose; they hardly depend "
        "on the prior.",
        out.table(
            "ropes",
            pd.DataFrame(ropes),
            "How many of the 20 categories get each decision, by ROPE.",
            folded=True,
        ),
        out.table(
            "priors",
            priors,
            "The same by prior (drawn exactly, 20,000 draws), with the largest shift of a mean "
            "and the categories whose decision is another than under the uniform prior.",
        ),
        out.figure("ropes", lambda: case.plot_ropes(CATEGORY), f"{name} under ROPEs of any width."),
        out.figure("priors", lambda: case.plot_priors(CATEGORY), f"{name} under other priors."),
    ]
    return Section("Other ROPEs, other priors", blocks)


def over_priors(number: int) -> list[dict[str, object]]:
    """Compare the decisions of a table under other priors with those under the uniform one."""
    data = fitted(number).data.one_vs_rest()
    settings = {"average": "macro", "model": "paired", "rope": ROPE, "seed": SEED}
    results = {
        name: compare_counts(data, prior=prior, engine="exact", draws=20_000, **settings)
        for name, prior in PRIORS.items()
    }
    before, rows = decisions(results["uniform"]), []
    means = results["uniform"].summary()["mean"].iloc[:20]
    for name, result in results.items():
        after = decisions(result)
        shift = (result.summary()["mean"].iloc[:20] - means).abs().max()
        changed = ", ".join(after.index[after != before]) or "none"
        row = {"table": f"Table {number}", "prior": name} | count_decisions(after)
        rows.append(row | {"largest shift": shift, "changed": changed})
    return rows


def more_documents(out: Output) -> Section:
    """Say how many more documents the undecided categories probably need."""
    blocks: list[Block] = [
        "For every category without a firm verdict: about how many more documents of the same kind "
        f"give the paired model an {100 * ASSURANCE:.0f} % chance of a firm verdict, and "
        "which one. New test sets are drawn from the posterior, added to the old one and "
        "judged again. The Monte-Carlo interval is in brackets; the columns to the right "
        "show how often each verdict is reached there. Where the difference lies near an end of "
        "the ROPE, no reasonable number of documents will do."
    ]
    for number in TABLES:
        undecided = pd.DataFrame(_plans(fitted(number)))
        shown = undecided[["category", "decision"]].rename(columns={"decision": "now"})
        shown.insert(1, "mean", signed(undecided["mean"]))
        shown["more documents"] = undecided.apply(_needed, axis=1)
        for decision in Decision:
            shown[decision.symbol] = undecided[decision.symbol].map(percent)
        caption = f"The undecided categories of Table {number}."
        blocks.append(out.table(f"more_documents{number}", shown, caption, numbers=undecided))
    return Section("How many more documents?", blocks)


def _plans(result: Comparison) -> Iterable[dict[str, object]]:
    for category in result.data.categories:
        evidence = result.evidence(category)
        if evidence.decision.conclusive:
            continue
        plan = result.plan(category, assurance=ASSURANCE, n_simulations=FUTURES, draws=1000)
        answer = plan.answer
        never = answer.value is None and plan.observed.p_goal <= ASSURANCE
        row = {"category": category, "mean": evidence.mean, "decision": evidence.decision.symbol}
        row |= {"more": answer.value, "low": answer.low, "high": answer.high}
        rates = {Decision(name).symbol: rate for name, rate in answer.rates.items()}
        yield row | {"most": "" if never else plan.limit} | rates


def _needed(row: pd.Series) -> str:
    if pd.isna(row["more"]):
        return f"more than {row['most']:,}" if row["most"] else "never, by what is known now"
    ends = f" ({row['low']:,.0f} to {row['high']:,.0f})" if pd.notna(row["high"]) else ""
    return f"about {row['more']:,.0f}{ends}"
