"""Plans in words, generated from the numbers they state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stanoff.decision import Decision
from stanoff.escaping import shown
from stanoff.planning.goals import as_goal

if TYPE_CHECKING:
    from stanoff.planning.answers import Answer, Plan


def told(plan: Plan) -> str:
    """Tell the answer to a plan in words that can be pasted into a proposal."""
    tell = {"documents": _documents, "difference": _difference, "more documents": _more}
    return " ".join([tell[plan.question](plan), *plan.warnings])


def goal_in_words(goal: str, a: str = "A", b: str = "B") -> str:
    """Write a goal as people read it: A ≫ B, or a settled verdict."""
    if goal == "settled":
        return "a settled verdict"
    wanted = as_goal(goal.split(" or "))
    return " or ".join(f"{a} {d.symbol} {b}" for d in Decision if d in wanted)


def _documents(plan: Plan) -> str:
    scenario, most = plan.facts["scenario"], plan.facts["most"]
    parts = [
        f"{_count(answer, most, _what(plan))} for a probability of {_percent(answer.assurance)}"
        for answer in plan.answers
    ]
    called = f"scenario {shown(scenario.name)}" if scenario.name else "this scenario"
    called = called.replace("scenario of ", "the scenario of ")
    return (
        f"If {called} is true, with a difference in {plan.measure} of {plan.facts['delta']:+.3g}, "
        f"the {plan.judge.model} model comes to {goal_in_words(plan.goal)} (ROPE {_rope(plan)}, "
        f"{100 * plan.judge.hdi:g}% HDI) on {', and on '.join(parts)}."
    )


def _difference(plan: Plan) -> str:
    parts = []
    for answer in plan.answers:
        sure = f"for a probability of {_percent(answer.assurance)}"
        if answer.value is None:
            parts.append(f"at no difference up to {plan.facts['most']:+.3g} {sure}")
        else:
            parts.append(f"from about {answer.value:+.3f}{_interval(answer, '+.3f')} {sure}")
    b = plan.facts["scenario"].psi(plan.judge.score())[1]
    return (
        f"On {plan.facts['n']:,} {_what(plan)} the {plan.judge.model} model comes to "
        f"{goal_in_words(plan.goal)} (ROPE {_rope(plan)}, {100 * plan.judge.hdi:g}% HDI) by the "
        f"difference in {plan.measure}: {', and '.join(parts)}; B scores {b:.3g}."
    )


def _more(plan: Plan) -> str:
    a, b = map(shown, plan.facts["names"])
    now, n = plan.facts["decision"], plan.facts["documents"]
    start = f"{a} {now.symbol} {b} by {plan.facts['judged']} on {n}"
    if plan.facts["reached"]:
        return f"{start} is the goal already: no more documents are needed."
    goal = goal_in_words(plan.goal, a, b)
    parts = [_future(answer, plan) for answer in plan.answers if not _never(answer, plan)]
    never = [_percent(answer.assurance) for answer in plan.answers if _never(answer, plan)]
    if never:
        limit = _percent(plan.facts["limit"])
        parts.append(
            f"never with a probability of {' or '.join(never)}, because by what is known now the "
            f"truth is such with a probability of {limit}"
        )
    unsettled = "" if now.settled else ", and not settled"
    return f"{start} now{unsettled}. It will come to {goal} {', and '.join(parts)}."


def _never(answer: Answer, plan: Plan) -> bool:
    return answer.value is None and bool(plan.facts["limit"] <= answer.assurance)


def _future(answer: Answer, plan: Plan) -> str:
    rates = sorted(answer.rates.items(), key=lambda item: -item[1])
    verdicts = [f"{Decision(d).symbol} {_percent(rate)}" for d, rate in rates if rate >= 0.005]
    return (
        f"with a probability of {_percent(answer.assurance)} on "
        f"{_count(answer, plan.facts['most'], 'more ' + _what(plan))}, where the verdicts are "
        f"{', '.join(verdicts)}"
    )


def _what(plan: Plan) -> str:
    return "documents" if plan.facts["same_documents"] else "documents for each classifier"


def _count(answer: Answer, most: int, documents: str) -> str:
    if answer.value is None:
        return f"more than {most:,} {documents}"
    return f"about {answer.value:,.0f} {documents}{_interval(answer, ',.0f')}"


def _interval(answer: Answer, form: str) -> str:
    low, high = answer.low, answer.high
    if low is None or high is None:
        return f" (at least {low:{form}})" if low is not None else ""
    return f" ({low:{form}} to {high:{form}})"


def _rope(plan: Plan) -> str:
    low, high = plan.judge.rope
    return f"±{high:g}" if low == -high else f"[{low:+g}, {high:+g}]"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
