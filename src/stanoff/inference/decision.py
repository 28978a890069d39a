"""From an HDI and a ROPE to one of five decisions; what people claim, and what a plan is after."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff._lib.arguments import Interval

if TYPE_CHECKING:
    from stanoff.inference.evidence import Evidence


from dataclasses import dataclass
from math import isclose
from typing import Any

from stanoff.errors import invalid, unknown
from stanoff.inference.posterior import Posterior

MIN_MCSES = 3.0  # by how many Monte-Carlo standard errors numbers must differ to be told apart
SPARE = 1.3  # more draws than it takes on average


class Decision(StrEnum):
    """What may be said of A against B.

    Examples
    --------
    >>> Decision(">>").symbol, Decision(">>").words
    ('≫', 'significantly better than')
    """

    MUCH_WORSE = "<<"
    WORSE = "<"
    EQUIVALENT = "="
    BETTER = ">"
    MUCH_BETTER = ">>"

    @property
    def symbol(self) -> str:
        """The sign that is shown to people."""
        return {"<<": "≪", "<": "<", "=": "≈", ">": ">", ">>": "≫"}[self]

    @property
    def mirrored(self) -> Decision:
        """What may be said of B against A."""
        return dict(zip(Decision, reversed(Decision), strict=True))[self]

    @property
    def words(self) -> str:
        """What it means, as it stands before the name of B."""
        if self is Decision.EQUIVALENT:
            return "practically equivalent to"
        firmness = "significantly" if self.conclusive else "not settled, leaning"
        return f"{firmness} {'better' if '>' in self else 'worse'} than"

    @property
    def conclusive(self) -> bool:
        """Whether the verdict is firm; ``<`` and ``>`` ask for more documents."""
        return self not in (Decision.WORSE, Decision.BETTER)


def decide_all(
    low: ArrayLike, high: ArrayLike, rope: Interval, *, higher_is_better: bool = True
) -> NDArray[np.str_]:
    """Apply the rule of Zhang et al. (2016), section 3.2.2, with closed inequalities.

    The HDI inside the ROPE means equivalence; wholly to one side of it, a firm difference; else
    the side of the ROPE's midpoint on which the HDI's midpoint lies is named (the right one in a
    tie). Where lower is better, as for error, the sides change their meaning.

    Parameters
    ----------
    low, high : array_like
        The ends of the HDIs.
    rope : tuple of float
        The region of practical equivalence.
    higher_is_better : bool
        Which way is better.

    Examples
    --------
    >>> decide_all([0.06, -0.01], [0.12, 0.04], (-0.05, 0.05)).tolist()
    ['>>', '=']
    """
    low, high = np.asarray(low), np.asarray(high)
    inside = (rope[0] <= low) & (high <= rope[1])
    outside = (high <= rope[0]) | (low >= rope[1])
    better = (low + high >= rope[0] + rope[1]) == higher_is_better
    first_that_holds = [inside, better & outside, better, outside]
    return np.select(first_that_holds, ["=", ">>", ">", "<<"], "<")


def decide(hdi: Interval, rope: Interval, *, higher_is_better: bool = True) -> Decision:
    """Apply the rule of :func:`decide_all` to one HDI.

    Examples
    --------
    >>> decide((0.06, 0.12), (-0.05, 0.05))
    <Decision.MUCH_BETTER: '>>'>
    >>> decide((0.06, 0.12), (-0.05, 0.05), higher_is_better=False)
    <Decision.MUCH_WORSE: '<<'>
    """
    return Decision(decide_all(*hdi, rope, higher_is_better=higher_is_better).item())


def times_to_resolve(ends: Iterable[tuple[float, float, float]], rope: Interval) -> float:
    """Return how many times as many draws it takes to tell HDIs from the ends of the ROPE.

    The ends of an HDI scatter with the cube root of the number of draws. 1 where they are told.

    Parameters
    ----------
    ends : iterable of tuple
        Low end, high end, and the Monte-Carlo standard error of each end.
    rope : tuple of float
        The region of practical equivalence.

    Examples
    --------
    >>> times_to_resolve([(0.06, 0.12, 0.001)], (-0.05, 0.05))
    1.0
    >>> round(times_to_resolve([(0.06, 0.12, 0.005)], (-0.05, 0.05)), 3)
    4.388
    """
    times = 1.0
    for low, high, error in ends:
        gap = min(abs(end - edge) for end in (low, high) for edge in rope)
        if gap < MIN_MCSES * error:
            times = max(times, SPARE * (MIN_MCSES * error / gap) ** 3 if gap > 0 else inf)
    return times


def rope_flips(
    evidence: Evidence, *, higher_is_better: bool = True
) -> tuple[tuple[float, Decision, Decision], ...]:
    """Find the half-widths at which a ROPE with the same middle changes the decision.

    Returns
    -------
    tuple
        Half-width, decision below it, decision from there on; in ascending order.
    """
    middle = sum(evidence.rope) / 2
    low, high = (end - middle for end in evidence.hdi)
    # Firm while the HDI is outside the ROPE, slight until it is inside, equivalent from there on.
    firm_until, equivalent_from = max(low, -high, 0.0), max(abs(low), abs(high))
    flips = []
    for half_width in dict.fromkeys((firm_until, equivalent_from)):
        before, after = (
            decide(evidence.hdi, (middle - half, middle + half), higher_is_better=higher_is_better)
            for half in (half_width * (1 - 1e-9), half_width * (1 + 1e-9))
        )
        if half_width > 0 and before != after:
            flips.append((half_width, before, after))
    return tuple(flips)


@dataclass(frozen=True)
class Claim:
    """That a candidate is not worse than a baseline by more than a margin, or better by more.

    Attributes
    ----------
    category : str
        The row of the summary that it is about.
    candidate, baseline : str
        The systems.
    option : str
        ``"not_worse_by"`` or ``"better_by"``.
    margin : float
        In the unit of the score.
    probability : float
        Of the claim.
    holds : bool
        Whether the whole HDI says so.
    """

    category: str
    candidate: str
    baseline: str
    option: str
    margin: float
    probability: float
    holds: bool


def claim_of(
    posterior: Posterior,
    about: tuple[str, str, str],
    option: str,
    margin: float,
    *,
    hdi_prob: float,
    higher_is_better: bool,
) -> Claim:
    """Judge a claim by the posterior of the difference, candidate minus baseline.

    What it is ``about`` is the category, the candidate and the baseline.

    Examples
    --------
    >>> import numpy as np
    >>> from stanoff.inference.posterior import StudentTPosterior
    >>> posterior = StudentTPosterior(49.0, np.zeros(1), np.array([0.01]))
    >>> rule = {"hdi_prob": 0.95, "higher_is_better": True}
    >>> claim_of(posterior, ("1", "A", "B"), "not_worse_by", 0.03, **rule).holds
    True
    >>> claim_of(posterior, ("1", "A", "B"), "better_by", 0.03, **rule).holds
    False
    """
    low, high = (float(end[0]) for end in posterior.hdi(hdi_prob))
    least = -margin if option == "not_worse_by" else margin  # of what is good
    if higher_is_better:
        probability, holds = posterior.above(least), low > least
    else:
        probability, holds = posterior.below(-least), high < -least
    return Claim(*about, option, margin, float(probability[0]), holds)


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
