"""What the paper could have said of the same predictions, and did not."""

from collections.abc import Iterable

import pandas as pd
from experiment import NAMES, PAIRS, ROPE, SEED, TABLES, fitted

from stanoff import Comparison, Prior, compare_counts
from stanoff.decision import Decision, as_rope, decide

MEASURES = (
    "f1",
    "precision",
    "recall",
    "balanced_accuracy",
    "mcc",
    "kappa",
    "jaccard",
    "g_mean",
    "accuracy",
)
PRIORS = {"uniform": Prior.uniform(), "Jeffreys": Prior.jeffreys(), "Perks": Prior.perks()}
PRIOR_DRAWS = 20_000
WIDTHS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15)
ASSURANCE = 0.8
FUTURES = 250  # simulated for every number of further documents


def all_pairs() -> pd.DataFrame:
    """Judge all six pairs by macro and micro F1, in the model that keeps the classes together."""
    rows = []
    for a, b in PAIRS:
        result = joint(a, b)
        for average in ("macro", "micro"):
            said = result.evidence(average)
            rows.append(
                {
                    "A": NAMES[a],
                    "B": NAMES[b],
                    "average": average,
                    "F1 of A": said.psi_A,
                    "F1 of B": said.psi_B,
                    "delta": said.mean,
                    "hdi_low": said.hdi[0],
                    "hdi_high": said.hdi[1],
                    "p_rope": said.p_rope,
                    "decision": said.decision.symbol,
                }
            )
    return pd.DataFrame(rows)


def joint(a: str, b: str) -> Comparison:
    """Compare in the joint model, which has a sampler of its own and no Stan program."""
    return fitted(a, b, model="joint", engine="exact")


def moved(table: int) -> pd.DataFrame:
    """Put the hierarchical model beside the flat one: which categories moved, and how far."""
    pair = TABLES[table]
    models = [fitted(*pair), fitted(*pair, model="hierarchical")]
    flat, pooled = (result.summary().set_index("category").iloc[:20] for result in models)
    return pd.DataFrame(
        {
            "flat": flat["mean"],
            "hierarchical": pooled["mean"],
            "shift": pooled["mean"] - flat["mean"],
            "flat_std": flat["std"],
            "hierarchical_std": pooled["std"],
            "flat_decision": decisions(models[0]),
            "hierarchical_decision": decisions(models[1]),
        }
    )


def other_measures(table: int) -> pd.DataFrame:
    """Judge the same draws by other measures: a decision per category, and for the averages."""
    result = fitted(*TABLES[table])
    columns = {}
    for name in MEASURES:
        judged = result.measure(name)
        macro = joint(*TABLES[table]).measure(name).evidence("macro").decision.symbol
        columns[judged.measure_used.label] = [*decisions(judged), macro]
    return pd.DataFrame(columns, index=pd.Index([*result.counts.categories, "macro"]))


def over_ropes() -> pd.DataFrame:
    """Count the decisions of every table under ROPEs of other widths."""
    rows = {}
    for number, pair in TABLES.items():
        result = fitted(*pair)
        for width in WIDTHS:
            hdis = [result.evidence(category).hdi for category in result.counts.categories]
            said = [decide(hdi, as_rope(width)).symbol for hdi in hdis]
            rows[f"Table {number}", f"±{width:g}"] = counted(said)
    return pd.DataFrame.from_dict(rows, orient="index")


def over_priors() -> pd.DataFrame:
    """Tell how the decisions of every table change with the prior."""
    rows = {}
    for number, pair in TABLES.items():
        counts = fitted(*pair).counts
        flat = None
        for name, prior in PRIORS.items():
            other = compare_counts(
                counts.pos,
                counts.neg,
                categories=counts.categories,
                average="macro",
                prior=prior,
                engine="exact",
                draws=PRIOR_DRAWS,
                seed=SEED,
                rope=ROPE,
            )
            flat = flat or other
            said, before = decisions(other), decisions(flat)
            changed = [c for c in counts.categories if said[c] != before[c]]
            largest = (other.summary()["mean"] - flat.summary()["mean"]).iloc[:20].abs().max()
            rows[f"Table {number}", name] = counted(said) | {
                "largest shift": largest,
                "changed": ", ".join(changed) or "none",
            }
    return pd.DataFrame.from_dict(rows, orient="index")


def more_documents(table: int) -> pd.DataFrame:
    """Tell how many more documents the undecided categories of a table probably need."""
    result = fitted(*TABLES[table])
    rows = []
    for i, category in enumerate(result.counts.categories):
        said = result.evidence(category)
        if said.decision.settled:
            continue
        one = compare_counts(
            result.counts.pos[i],
            result.counts.neg[i],
            categories=[category],
            names=result.names,
            rope=ROPE,
            engine="exact",
            seed=result.seed,
        )
        plan = one.plan(assurance=ASSURANCE, datasets=FUTURES, draws=1000, seed=result.seed)
        found = plan.answer
        never = found.value is None and plan.facts["limit"] <= ASSURANCE
        rows.append(
            {
                "category": category,
                "mean": said.mean,
                "decision": said.decision.symbol,
                "more": found.value,
                "low": found.low,
                "high": found.high,
                "most": "" if never else plan.facts["most"],
                **{Decision(d).symbol: rate for d, rate in found.rates.items()},
            }
        )
    return pd.DataFrame(rows)


def decisions(result: Comparison) -> pd.Series:
    """Return the decision on every category, as people see it."""
    said = result.summary().set_index("category")["decision"].iloc[:20]
    return said.map(lambda decision: Decision(decision).symbol)


def counted(said: Iterable[str]) -> dict[str, int]:
    """Count how often each of the five decisions was made."""
    symbols = list(said)
    return {decision.symbol: symbols.count(decision.symbol) for decision in Decision}
