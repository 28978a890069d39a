"""Plans and scenarios in words and tables, generated from the numbers they state."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff._lib.escaping import shown
from stanoff.data.types import Data
from stanoff.inference.decision import Decision, goal_in_words
from stanoff.text.envelope import envelope
from stanoff.text.numbers import format_interval, format_level

if TYPE_CHECKING:
    from stanoff.planning.plan import Answer, Observed, Plan


def describe_plan(plan: Plan) -> str:
    """Describe the answer to a plan in words that can be pasted into a proposal."""
    model, question = f"{shown(plan.analysis.model.name)} model", plan.analysis.question
    low, high = question.rope
    rope = f"±{high:g}" if low == -high else format_interval(question.rope)
    rule = f"ROPE {rope}, {format_level(question.hdi_prob)} HDI"
    if plan.observed is not None:
        sentence = _describe_additional(plan, plan.observed, model)
    elif plan.n is not None:
        sentence = _describe_difference(plan, model, rule)
    else:
        sentence = _describe_documents(plan, model, rule)
    return " ".join([sentence, *plan.warnings])


def _describe_documents(plan: Plan, model: str, rule: str) -> str:
    assert plan.scenario is not None
    name = plan.scenario.name
    scenario = f"scenario {shown(name)}" if name else "this scenario"
    scenario = scenario.replace("scenario of ", "the scenario of ")
    goal = f" of deciding {goal_in_words(plan.goal)}"
    clauses: list[str] = []
    for answer in plan.answers:
        if answer.value is not None:
            number, chance = f"bout {answer.value:,.0f} {plan.unit}", _chance(answer)
            first = f"A{number} give the {model} {chance}{goal}"
            clauses.append((f"a{number}, {chance}" if clauses else first) + _interval(answer))
    missed = [percent(answer.assurance) for answer in plan.answers if answer.value is None]
    if missed:
        aim = "" if clauses else f"{goal} by the {model}"
        too_few = f"are too few for a chance of {' or '.join(missed)}{aim}"
        clauses.append(f"{plan.limit:,} {plan.unit} {too_few}")
    return (
        f"{'; '.join(clauses)}, if {scenario} is true, with a difference in {plan.measure} of "
        f"{plan.delta:+.3g} ({rule})."
    )


def _describe_difference(plan: Plan, model: str, rule: str) -> str:
    assert plan.scenario is not None
    clauses = []
    for answer in plan.answers:
        difference = f"no difference up to {plan.limit:+.3g}"
        if answer.value is not None:
            difference = f"a difference of about {answer.value:+.3f}{_interval(answer, '+.3f')}"
        clauses.append(f"{difference} has {_chance(answer)}")
    b = plan.scenario.psi(plan.analysis.question.measure)[1]
    return (
        f"With {plan.n:,} {plan.unit} {', and '.join(clauses)} of leading the {model} to "
        f"{goal_in_words(plan.goal)} in {plan.measure} ({rule}); B scores {b:.3g}."
    )


def _describe_additional(plan: Plan, observed: Observed, model: str) -> str:
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
        number, less = f"About {answer.value or 0:,.0f}", ""
        if answer.value is None:
            if observed.p_goal <= answer.assurance:
                never.append(percent(answer.assurance))
                continue
            number, less = f"{plan.limit:,}", " less than"
        rates = sorted(answer.rates.items(), key=lambda item: -item[1])
        verdicts = [f"{Decision(d).symbol} {percent(rate)}" for d, rate in rates if rate >= 0.005]
        interval = "" if less else _interval(answer)
        sentences.append(
            f"{number} more {plan.unit} give the {model}{less} {_chance(answer)} of {goal}"
            f"{interval}; the verdicts then are {', '.join(verdicts)}."
        )
    if never:
        sentences.append(
            f"No number of {unit} gives a chance of {' or '.join(never)} of {goal}: by what "
            f"is known now, the chance that the truth is such is {percent(observed.p_goal)}."
        )
    return " ".join(sentences)


def _interval(answer: Answer, form: str = ",.0f") -> str:
    if answer.low is None or answer.high is None:
        return "" if answer.low is None else f" (at least {answer.low:{form}})"
    return f" (between {answer.low:{form}} and {answer.high:{form}})"


def _chance(answer: Answer) -> str:
    """Write an assurance with its article: an 80 % chance, a 90 % chance."""
    share = percent(answer.assurance)
    return f"{'an' if share.startswith(('8', '11 ', '18 ')) else 'a'} {share} chance"


def percent(share: float) -> str:
    """Write a share without decimals."""
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
    table.insert(0, "assurance", [percent(a.assurance) for a in plan.answers])
    return [describe_plan(plan), table]


def plan_envelope(plan: Plan, data: Data | None = None) -> dict[str, Any]:
    """Gather a plan for scripts, with the data that it begins with."""
    question, analysis = plan.analysis.question, plan.analysis
    settings = {name: getattr(plan, name) for name in ("question", "goal", "measure")}
    settings |= {"rope": question.rope, "hdi_prob": question.hdi_prob}
    settings |= {"model": analysis.model.name, "draws": analysis.draws}
    settings |= {name: getattr(plan, name) for name in ("seed", "unit", "n", "limit")}
    settings["scenario"] = None if plan.scenario is None else asdict(plan.scenario)
    words = {"sentences": [describe_plan(plan)], "warnings": plan.warnings}
    rows = list(map(asdict, plan.answers))
    return envelope("plan", rows, settings=settings, data=data, **words)
