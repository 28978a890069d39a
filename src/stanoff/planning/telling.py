"""Plans in words, generated from the numbers they state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stanoff._lib.escaping import one_line, shown
from stanoff.inference.decision import Decision
from stanoff.inference.goals import goal_in_words
from stanoff.text.numbers import ends, level, percent
from stanoff.text.tables import SYMBOLS

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.planning.answers import Answer, Plan
    from stanoff.planning.aucs import AucScenario
    from stanoff.planning.power import PowerTable
    from stanoff.planning.scenarios import Scenario


def told(plan: Plan) -> str:
    """Describe the answer to a plan in words that can be pasted into a proposal."""
    tell = {"documents": _documents, "difference": _difference, "more documents": _more}
    return " ".join([tell[plan.question](plan), *plan.warnings])


def _documents(plan: Plan) -> str:
    scenario, most = plan.facts["scenario"], plan.facts["max_n"]
    called = f"scenario {shown(scenario.name)}" if scenario.name else "this scenario"
    called = called.replace("scenario of ", "the scenario of ")
    enough, short = [], []
    for answer in plan.answers:
        if answer.value is None:
            short.append(_percent(answer.assurance))
        else:
            n, chance = f"{answer.value:,.0f} {_what(plan)}", f"{_a(answer.assurance)} chance"
            enough.append((n, chance, _interval(answer, ",.0f")))
    parts = []
    if enough:
        (n, chance, interval), *rest = enough
        aim = f"of deciding {goal_in_words(plan.goal)}"
        parts.append(f"About {n} give the {_judge(plan)} {chance} {aim}{interval}")
        parts += [f"about {n}, {chance}{interval}" for n, chance, interval in rest]
    if short:
        limit = f"{most:,} {_what(plan)}"
        parts.append(
            f"{limit} are too few for a chance of {' or '.join(short)}"
            + ("" if enough else f" of deciding {goal_in_words(plan.goal)} by the {_judge(plan)}")
        )
    return (
        f"{'; '.join(parts)}, if {called} is true, with a difference in {plan.measure} of "
        f"{plan.facts['delta']:+.3g} ({_rule(plan)})."
    )


def _difference(plan: Plan) -> str:
    parts = []
    for answer in plan.answers:
        chance = f"{_a(answer.assurance)} chance"
        if answer.value is None:
            parts.append(f"no difference up to {plan.facts['max_n']:+.3g} has {chance}")
        else:
            parts.append(
                f"a difference of about {answer.value:+.3f}{_interval(answer, '+.3f')} has {chance}"
            )
    b = plan.facts["scenario"].psi(plan.judge.question.measure)[1]
    return (
        f"With {plan.facts['n']:,} {_what(plan)} {', and '.join(parts)} of leading the "
        f"{_judge(plan)} to {goal_in_words(plan.goal)} in {plan.measure} ({_rule(plan)}); "
        f"B scores {b:.3g}."
    )


def _more(plan: Plan) -> str:
    a, b = map(shown, plan.facts["names"])
    now, n = plan.facts["decision"], plan.facts["documents"]
    start = f"{a} {now.symbol} {b} in {plan.facts['judged']} ({n})"
    if plan.facts["reached"]:
        return f"{start} is the goal already: no more {_unit(plan)} are needed."
    goal = goal_in_words(plan.goal, a, b)
    parts = [_future(answer, plan, goal) for answer in plan.answers if not _never(answer, plan)]
    never = [_percent(answer.assurance) for answer in plan.answers if _never(answer, plan)]
    if never:
        limit = _percent(plan.facts["limit"])
        parts.append(
            f"No number of {_unit(plan)} gives a chance of {' or '.join(never)} of {goal}: by what "
            f"is known now, the chance that the truth is such is {limit}."
        )
    unsettled = "" if now.conclusive else ", but this is not settled"
    return " ".join([f"{start} now{unsettled}.", *parts])


def _never(answer: Answer, plan: Plan) -> bool:
    return answer.value is None and bool(plan.facts["limit"] <= answer.assurance)


def _future(answer: Answer, plan: Plan, goal: str) -> str:
    rates = sorted(answer.rates.items(), key=lambda item: -item[1])
    verdicts = [f"{Decision(d).symbol} {_percent(rate)}" for d, rate in rates if rate >= 0.005]
    if answer.value is None:
        return (
            f"{plan.facts['max_n']:,} more {_what(plan)} give the {_judge(plan)} less than "
            f"{_a(answer.assurance)} chance of {goal}; the verdicts then are "
            f"{', '.join(verdicts)}."
        )
    return (
        f"About {answer.value:,.0f} more {_what(plan)} give the {_judge(plan)} "
        f"{_a(answer.assurance)} chance of {goal}{_interval(answer, ',.0f')}; the verdicts then "
        f"are {', '.join(verdicts)}."
    )


def _judge(plan: Plan) -> str:
    return f"{shown(plan.judge.model.name)} model"


def _rule(plan: Plan) -> str:
    question = plan.judge.question
    low, high = question.rope
    rope = f"±{high:g}" if low == -high else ends(question.rope)
    return f"ROPE {rope}, {level(question.hdi_prob)} HDI"


def _what(plan: Plan) -> str:
    return _unit(plan) if plan.facts["same_documents"] else "documents of each system"


def _unit(plan: Plan) -> str:
    """Say what is counted: documents, or items that have values."""
    return str(plan.facts.get("unit", "documents"))


def _interval(answer: Answer, form: str) -> str:
    low, high = answer.low, answer.high
    if low is None or high is None:
        return f" (at least {low:{form}})" if low is not None else ""
    return f" (between {low:{form}} and {high:{form}})"


def _a(share: float) -> str:
    """Write a percentage with its article: an 80 % chance, a 90 % chance."""
    text = _percent(share)
    vowel = text.startswith(("8", "11 ", "18 ", "11.", "18."))
    return f"{'an' if vowel else 'a'} {text}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def plan_parts(plan: Plan) -> list[str | pd.DataFrame]:
    """Show the answer of a plan in words, and in a table where there are several."""
    import pandas as pd

    if len(plan.answers) == 1:
        return [told(plan)]
    form = "+.3f" if plan.question == "difference" else ",.0f"
    heading = {"documents": "documents", "difference": "difference"}.get(plan.question, "more")
    rows = [
        [
            _percent(a.assurance),
            *("–" if x is None else f"{x:{form}}" for x in (a.value, a.low, a.high)),
        ]
        for a in plan.answers
    ]
    return [told(plan), pd.DataFrame(rows, columns=["assurance", heading, "at least", "at most"])]


def scenario_parts(scenario: Scenario) -> list[str | pd.DataFrame]:
    """Show what a scenario says: how common positives are, who says yes to what, the scores."""
    import pandas as pd

    called = f"Scenario {shown(scenario.name)}" if scenario.name else "Scenario"
    a, b = scenario.psi("f1")
    rows = [
        [kind, *(f"{100 * p:.3g} %" for p in (*theta, *rho)), f"{phi:+.3f}"]
        for kind, theta, rho, phi in zip(
            ("positive", "negative"),
            (scenario.theta_pos, scenario.theta_neg),
            (scenario.rho_pos, scenario.rho_neg),
            scenario.correlation,
            strict=True,
        )
    ]
    columns = ["documents", "both", "only A", "only B", "neither", "A", "B", "correlation"]
    return [
        f"{called}: {100 * scenario.mu:.3g} % of the documents are positive. The F1 of A is "
        f"{a:.3f}, that of B {b:.3f}, the difference {a - b:+.3f}. How often they say yes:",
        pd.DataFrame(rows, columns=columns),
    ]


def auc_scenario_parts(scenario: AucScenario) -> list[str | pd.DataFrame]:
    """Show what a scenario of two AUCs says."""
    called = f"Scenario {shown(scenario.name)}" if scenario.name else "Scenario"
    return [
        f"{called}: {100 * scenario.positives:.3g} % of the documents are positive. The AUC of A "
        f"is {scenario.auc_a:.3f}, that of B {scenario.auc_b:.3f}, the difference "
        f"{scenario.delta():+.3f}. The scores of a class correlate by {scenario.correlation:.3g}."
    ]


def power_parts(table: PowerTable) -> list[str | pd.DataFrame]:
    """Show a table of powers in few digits, and below it what its columns mean."""
    import pandas as pd

    shares = [str(d) for d in Decision]
    cells = pd.DataFrame(
        {
            "scenario": [one_line(str(name)) for name in table["scenario"]],
            "model": [one_line(str(name)) for name in table["model"]],
            "n": [f"{n:,}" for n in table["n"]],
            "goal": [goal_in_words(goal) for goal in table["goal"]],
            "power": [
                f"{p:.3f} ± {se:.3f}" for p, se in zip(table["power"], table["se"], strict=True)
            ],
            **{Decision(d).symbol: [percent(share) for share in table[d]] for d in shares},
        }
    )
    least, most = table["n_simulations"].min(), table["n_simulations"].max()
    datasets = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    about = table.attrs
    rule = f" in {about['measure']} (ROPE {ends(about['rope'])}, {level(about['hdi_prob'])} HDI)"
    return [
        cells,
        f"power: share of {datasets} simulated data sets of n documents on which the goal was "
        f"reached{rule}, ± its standard error; under each symbol: the share of that decision.",
        f"{SYMBOLS}.",
        *about["warnings"],
    ]
