"""What a study is after: some of the five decisions."""

from __future__ import annotations

from collections.abc import Iterable
from math import isclose
from typing import Any

from stanoff._lib.arguments import Interval
from stanoff.errors import invalid, unknown
from stanoff.inference.decision import Decision

Goal = frozenset[Decision]

SETTLED: Goal = frozenset(decision for decision in Decision if decision.conclusive)
RULE = "'<<', '<', '=', '>', '>>', 'settled', or several decisions"


def as_goal(goal: Any) -> Goal:
    """Read a goal: a decision, ``"settled"``, or several decisions.

    Examples
    --------
    >>> goal_label(as_goal("settled")), goal_label(as_goal([">>", "="]))
    ('settled', '= or >>')
    """
    if isinstance(goal, str):
        if goal == "settled":
            return SETTLED
        if goal not in list(Decision):
            raise unknown("goal", goal, [*Decision, "settled"])
        return frozenset({Decision(goal)})
    if not isinstance(goal, Iterable):
        raise invalid("goal", RULE, goal)
    several = [as_goal(decision) for decision in goal]
    if not several:
        raise invalid("goal", RULE, goal)
    return frozenset().union(*several)


def goal_label(goal: Goal) -> str:
    """Write a goal as it stands in tables."""
    if goal == SETTLED:
        return "settled"
    return " or ".join(str(decision) for decision in Decision if decision in goal)


def goal_in_words(goal: str, a: str = "A", b: str = "B") -> str:
    """Write a goal as people read it: A ≫ B, or a settled verdict."""
    if goal == "settled":
        return "a settled verdict"
    wanted = as_goal(goal.split(" or "))
    return " or ".join(f"{a} {d.symbol} {b}" for d in Decision if d in wanted)


def verdict_of(delta: float, rope: Interval, *, higher_is_better: bool) -> Decision | None:
    """Return what endless documents would say of a difference; None on an edge of the ROPE."""
    if any(isclose(delta, edge, rel_tol=1e-9, abs_tol=1e-12) for edge in rope):
        return None
    if rope[0] < delta < rope[1]:
        return Decision.EQUIVALENT
    return Decision.MUCH_BETTER if (delta > rope[1]) == higher_is_better else Decision.MUCH_WORSE
