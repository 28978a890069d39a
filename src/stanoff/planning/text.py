"""Plans and scenarios in words and tables, generated from the numbers they state."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff._lib.escaping import one_line, shown
from stanoff.data.types import Data
from stanoff.inference.decision import Decision
from stanoff.inference.goals import goal_in_words
from stanoff.text.envelope import envelope
from stanoff.text.numbers import format_interval, format_level, percent
from stanoff.text.tables import DECISIONS, in_one_paragraph

if TYPE_CHECKING:
    from stanoff.planning.plan import Answer, Observed, Plan
    from stanoff.planning.power import PowerTable
    from stanoff.planning.scenario import AucScenario, Scenario


def describe_plan(plan: Plan) -> str:
    """Describe the answer to a plan in words that can be pasted into a proposal."""
    if plan.observed is not None:
        sentence = _describe_additional(plan, plan.observed)
    elif plan.n is not None:
        sentence = _describe_difference(plan)
    else:
        sentence = _describe_documents(plan)
    return " ".join([sentence, *plan.warnings])


def _describe_documents(plan: Plan) -> str:
    assert plan.scenario is not None
    name = plan.scenario.name
    scenario = f"scenario {shown(name)}" if name else "this scenario"
    scenario = scenario.replace("scenario of ", "the scenario of ")
    goal = f" of deciding {goal_in_words(plan.goal)}"
    clauses: list[str] = []
    for answer in plan.answers:
        if answer.value is not None:
            chance, interval = f"{_percent_chance(answer)} chance", _interval(answer, ",.0f")
            number = f"bout {answer.value:,.0f} {plan.unit}"
            first = f"A{number} give the {_model(plan)} {chance}{goal}{interval}"
            clauses.append(f"a{number}, {chance}{interval}" if clauses else first)
    missed = [_percent(answer.assurance) for answer in plan.answers if answer.value is None]
    if missed:
        aim = "" if clauses else f"{goal} by the {_model(plan)}"
        too_few = f"are too few for a chance of {' or '.join(missed)}{aim}"
        clauses.append(f"{plan.limit:,} {plan.unit} {too_few}")
    return (
        f"{'; '.join(clauses)}, if {scenario} is true, with a difference in {plan.measure} of "
        f"{plan.delta:+.3g} ({_rule(plan)})."
    )


def _describe_difference(plan: Plan) -> str:
    assert plan.scenario is not None
    clauses = []
    for answer in plan.answers:
        difference = f"no difference up to {plan.limit:+.3g}"
        if answer.value is not None:
            interval = _interval(answer, "+.3f")
            difference = f"a difference of about {answer.value:+.3f}{interval}"
        clauses.append(f"{difference} has {_percent_chance(answer)} chance")
    b = plan.scenario.psi(plan.analysis.question.measure)[1]
    return (
        f"With {plan.n:,} {plan.unit} {', and '.join(clauses)} of leading the {_model(plan)} to "
        f"{goal_in_words(plan.goal)} in {plan.measure} ({_rule(plan)}); B scores {b:.3g}."
    )


def _describe_additional(plan: Plan, observed: Observed) -> str:
    a, b = map(shown, observed.names)
    unit = plan.unit.split()[0]
    leader = shown(observed.leader) if observed.leader else a
    now = f"{leader} {observed.decision.symbol} {b} in {observed.judged} ({observed.documents})"
    if plan.answer.value == 0:
        return f"{now} is the goal already: no more {unit} are needed."
    goal = goal_in_words(plan.goal, a, b)
    sentences = [f"{now} now{'' if observed.decision.conclusive else ', but this is not settled'}."]
    never = []
    for answer in plan.answers:
        if answer.value is None and observed.p_goal <= answer.assurance:
            never.append(_percent(answer.assurance))
        else:
            sentences.append(_describe_future(answer, plan, goal))
    if never:
        sentences.append(
            f"No number of {unit} gives a chance of {' or '.join(never)} of {goal}: by what "
            f"is known now, the chance that the truth is such is {_percent(observed.p_goal)}."
        )
    return " ".join(sentences)


def _describe_future(answer: Answer, plan: Plan, goal: str) -> str:
    rates = sorted(answer.rates.items(), key=lambda item: -item[1])
    verdicts = [f"{Decision(d).symbol} {_percent(rate)}" for d, rate in rates if rate >= 0.005]
    reached = answer.value is not None
    number = f"About {answer.value:,.0f}" if reached else f"{plan.limit:,}"
    less, interval = ("", _interval(answer, ",.0f")) if reached else (" less than", "")
    return (
        f"{number} more {plan.unit} give the {_model(plan)}{less} {_percent_chance(answer)} chance "
        f"of {goal}{interval}; the verdicts then are {', '.join(verdicts)}."
    )


def _model(plan: Plan) -> str:
    return f"{shown(plan.analysis.model.name)} model"


def _rule(plan: Plan) -> str:
    question = plan.analysis.question
    low, high = question.rope
    rope = f"±{high:g}" if low == -high else format_interval(question.rope)
    return f"ROPE {rope}, {format_level(question.hdi_prob)} HDI"


def _interval(answer: Answer, form: str) -> str:
    if answer.low is None or answer.high is None:
        return "" if answer.low is None else f" (at least {answer.low:{form}})"
    return f" (between {answer.low:{form}} and {answer.high:{form}})"


def _percent_chance(answer: Answer) -> str:
    """Write an assurance with its article: an 80 % chance, a 90 % chance."""
    share = _percent(answer.assurance)
    return f"{'an' if share.startswith(('8', '11 ', '18 ')) else 'a'} {share}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def plan_blocks(plan: Plan) -> list[str | pd.DataFrame]:
    """Show the answer of a plan in words, and in a table where there are several."""
    if len(plan.answers) == 1:
        return [describe_plan(plan)]
    form = "+.3f" if plan.n is not None else ",.0f"
    heading = "more" if plan.observed else plan.question
    ends = pd.DataFrame([(a.value, a.low, a.high) for a in plan.answers], dtype=object)
    table = ends.map(lambda x: "–" if x is None else f"{x:{form}}")
    table.columns = pd.Index([heading, "at least", "at most"])
    table.insert(0, "assurance", [_percent(a.assurance) for a in plan.answers])
    return [describe_plan(plan), table]


def scenario_blocks(scenario: Scenario) -> list[str | pd.DataFrame]:
    """Show what a scenario says: how common positives are, who says yes to what, the scores."""
    a, b = scenario.psi("f1")
    shares = np.column_stack(
        [(scenario.theta_pos, scenario.theta_neg), (scenario.rho_pos, scenario.rho_neg)]
    )
    table = pd.DataFrame(shares, columns=["both", "only A", "only B", "neither", "A", "B"])
    table = table.map(lambda share: f"{100 * share:.3g} %")
    table.insert(0, "documents", ["positive", "negative"])
    table["correlation"] = [f"{phi:+.3f}" for phi in scenario.correlation]
    return [
        f"{_title(scenario)}: {100 * scenario.mu:.3g} % of the documents are positive. The F1 of A "
        f"is {a:.3f}, that of B {b:.3f}, the difference {a - b:+.3f}. How often they say yes:",
        table,
    ]


def auc_scenario_blocks(scenario: AucScenario) -> list[str | pd.DataFrame]:
    """Show what a scenario of two AUCs says."""
    return [
        f"{_title(scenario)}: {100 * scenario.positives:.3g} % of the documents are positive. The "
        f"AUC of A is {scenario.auc_a:.3f}, that of B {scenario.auc_b:.3f}, the difference "
        f"{scenario.delta():+.3f}. The scores of a class correlate by {scenario.correlation:.3g}."
    ]


def _title(scenario: Scenario | AucScenario) -> str:
    return f"Scenario {shown(scenario.name)}" if scenario.name else "Scenario"


def power_cells(table: PowerTable) -> pd.DataFrame:
    """Write a table of powers in few digits."""
    power = zip(table["power"], table["se"], strict=True)
    cells = {
        "scenario": [one_line(str(name)) for name in table["scenario"]],
        "model": [one_line(str(name)) for name in table["model"]],
        "n": [f"{n:,}" for n in table["n"]],
        "goal": [goal_in_words(goal) for goal in table["goal"]],
        "power": [f"{p:.3f} ± {se:.3f}" for p, se in power],
        **{d.symbol: [percent(share) for share in table[str(d)]] for d in Decision},
    }
    return pd.DataFrame(cells)


def power_legend(table: PowerTable) -> dict[str, str]:
    """Explain the columns of a table of powers."""
    least, most = table["n_simulations"].min(), table["n_simulations"].max()
    n_simulations = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    question = table.attrs
    rule = f"ROPE {format_interval(question['rope'])}, {format_level(question['hdi_prob'])} HDI"
    return {
        "power": f"share of {n_simulations} simulated data sets of n documents on which the goal "
        f"was reached in {question['measure']} ({rule}), ± its standard error",
        "under each symbol": "the share of that decision",
        **DECISIONS,
    }


def power_envelope(table: PowerTable) -> dict[str, Any]:
    """Gather a table of powers for scripts."""
    rows = table.to_dict("records")
    for row in rows:
        row["rates"] = {str(d): row.pop(str(d)) for d in Decision}
    settings = {name: table.attrs[name] for name in ("measure", "rope", "hdi_prob", "seed")}
    return envelope("power", rows, settings=settings, warnings=table.attrs["warnings"])


def plan_envelope(plan: Plan, data: Data | None = None) -> dict[str, Any]:
    """Gather a plan for scripts, with the data that it begins with."""
    question = plan.analysis.question
    settings = {
        "question": plan.question,
        "goal": plan.goal,
        "measure": plan.measure,
        "rope": question.rope,
        "hdi_prob": question.hdi_prob,
        "model": plan.analysis.model.name,
        "draws": plan.analysis.draws,
        "seed": plan.seed,
        "unit": plan.unit,
        "n": plan.n,
        "limit": plan.limit,
        "scenario": None if plan.scenario is None else asdict(plan.scenario),
    }
    rows = list(map(asdict, plan.answers))
    words = {"sentences": [describe_plan(plan)], "warnings": plan.warnings}
    return envelope("plan", rows, settings=settings, data=data, **words)


def power_blocks(table: PowerTable) -> list[str | pd.DataFrame]:
    """Show a table of powers, and below it what its columns mean."""
    legend = in_one_paragraph(power_legend(table))
    return [power_cells(table), legend, *table.attrs["warnings"]]
