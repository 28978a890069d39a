"""What the paper could have said of the same predictions, and did not."""

from collections.abc import Iterable

import pandas as pd

from stanoff import Comparison, Prior, compare_counts
from stanoff.inference.decision import Decision
from zhang2016.experiment import ROPE, SEED, TABLES, fitted

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
    """Judge the same draws by other measures: a decision per category, and one on the average."""
    result, joint = (fitted(*TABLES[table], model=name) for name in ("paired", "joint"))
    columns = {}
    for name in MEASURES:
        judged = result.judge(measure=name)
        macro = joint.judge(measure=name).decision.symbol
        columns[judged.measure.label] = [*decisions(judged), macro]
    return pd.DataFrame(columns, index=pd.Index([*result.data.categories, "macro"]))


def over_ropes() -> pd.DataFrame:
    """Count the decisions of every table under ROPEs of other widths."""
    rows = {
        (f"Table {number}", f"±{width:g}"): counted(decisions(fitted(*pair).judge(rope=width)))
        for number, pair in TABLES.items()
        for width in WIDTHS
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def over_priors() -> pd.DataFrame:
    """Compare the decisions of every table under other priors."""
    rows = {}
    for number, pair in TABLES.items():
        data = fitted(*pair).data.one_vs_rest()
        results = {
            name: compare_counts(
                data,
                average="macro",
                model="paired",
                prior=prior,
                engine="exact",
                draws=PRIOR_DRAWS,
                seed=SEED,
                rope=ROPE,
            )
            for name, prior in PRIORS.items()
        }
        flat = results["uniform"]
        before = decisions(flat)
        for name, other in results.items():
            said = decisions(other)
            changed = [c for c in data.categories if said[c] != before[c]]
            largest = (other.summary()["mean"] - flat.summary()["mean"]).iloc[:20].abs().max()
            rows[f"Table {number}", name] = counted(said) | {
                "largest shift": largest,
                "changed": ", ".join(changed) or "none",
            }
    return pd.DataFrame.from_dict(rows, orient="index")


def more_documents(table: int) -> pd.DataFrame:
    """Plan how many more documents the undecided categories of a table probably need."""
    result = fitted(*TABLES[table])
    rows = []
    for category in result.data.categories:
        said = result.evidence(category)
        if said.decision.conclusive:
            continue
        plan = result.plan(category, assurance=ASSURANCE, n_simulations=FUTURES, draws=1000)
        found = plan.answer
        never = found.value is None and plan.observed.p_goal <= ASSURANCE
        rows.append(
            {
                "category": category,
                "mean": said.mean,
                "decision": said.decision.symbol,
                "more": found.value,
                "low": found.low,
                "high": found.high,
                "most": "" if never else plan.limit,
                **{Decision(d).symbol: rate for d, rate in found.rates.items()},
            }
        )
    return pd.DataFrame(rows)


def decisions(result: Comparison) -> pd.Series:
    """Return the decision on every category, as people see it."""
    known = pd.Index(result.data.categories, name="category")
    return pd.Series([result.evidence(category).decision.symbol for category in known], known)


def counted(said: Iterable[str]) -> dict[str, int]:
    """Count how often each of the five decisions was made."""
    symbols = list(said)
    return {decision.symbol: symbols.count(decision.symbol) for decision in Decision}
