"""How many documents it kind, or how small a difference a test set can settle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from stanoff._lib.arguments import check_int, check_probability
from stanoff.errors import InputError, invalid
from stanoff.inference.decision import Decision
from stanoff.inference.goals import SETTLED, Goal, as_goal, goal_label, verdict_of
from stanoff.planning.answers import Answer, Plan, frame_of
from stanoff.planning.aucs import AucScenario
from stanoff.planning.power import MOST, Suspected, completed
from stanoff.planning.scenarios import Scenario, as_scenario
from stanoff.planning.search import Search
from stanoff.planning.settings import Options, Settings, models_for, settings
from stanoff.planning.simulation import source_of

ASSURANCE = 0.8
LEAST_MOST, STEP = 16, 4  # the search for a number of documents goes on by this factor
SHIFTS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)  # logits beyond the edge of the ROPE
FAR = 15.0  # logits: as good as A can get


def plan(
    scenario: Suspected,
    n: int | None = None,
    *,
    goal: Any = None,
    assurance: float | Sequence[float] = ASSURANCE,
    max_n: int = 1_000_000,
    model: str | Path | None = None,
    **options: Unpack[Options],
) -> Plan:
    """Compute how many documents a goal kind, or which difference ``n`` documents can settle.

    Parameters
    ----------
    scenario : Scenario, AucScenario or str
        What is suspected to be true; with ``n`` it tells what B is like, how common positives are
        and how alike A and B answer, while A is made better or worse.
    n : int, optional
        Documents in the test set, if the question is which difference they can settle.
    goal : object
        ``">>"``, ``"="``, ``"settled"`` or several of them; what is true in the scenario by
        default; with ``n`` it is ``">>"`` or ``"<<"``.
    assurance : float or sequence of float
        How probable it shall be that the goal is reached, one or several numbers.
    max_n : int
        The largest number of documents to consider.
    model : str or Path, optional
        Which model will judge the documents.
    **options
        As in :func:`stanoff.power`.

    Returns
    -------
    Plan
        Its text is the answer in words, ``plot()`` a figure, ``answers`` the numbers.

    Examples
    --------
    >>> answer = plan("a", assurance=0.8, n_simulations=200, draws=1000, seed=1).answers[0]
    >>> 1500 < answer.value < 2200
    True
    """
    suspected = as_scenario(scenario)
    options = completed([suspected], options)
    if model is None:
        model = models_for(options)[0]
    if not isinstance(model, (str, Path)):
        raise invalid("model", "one model in a plan", model)
    chosen = settings(model, **options)
    levels = as_levels(assurance)
    if n is not None:
        size = check_int("n", n, most=MOST)
        return _difference(suspected, size, as_side(goal), levels, chosen)
    wanted = _possible_goal(suspected, goal, chosen)
    return _documents(suspected, wanted, levels, as_max_n(max_n), chosen)


def as_levels(assurance: Any) -> tuple[float, ...]:
    """Read one assurance or several, in ascending order."""
    several = assurance if isinstance(assurance, (list, tuple)) else [assurance]
    if not several:
        raise invalid("assurance", "one or several numbers between 0 and 1", assurance)
    return tuple(sorted({check_probability("assurance", level) for level in several}))


def as_max_n(max_n: Any) -> int:
    """Read the largest number of documents to consider."""
    return check_int("max_n", max_n, least=LEAST_MOST, most=MOST)


def settling(goal: Any) -> Goal:
    """Read a goal that more documents can bring about."""
    wanted = as_goal(goal)
    if not wanted <= SETTLED:
        raise invalid(
            "goal", "made of '<<', '=' and '>>' in a plan: the others settle nothing", goal
        )
    return wanted


def as_side(goal: Any) -> Decision:
    """Read the goal of a question for a difference."""
    if goal is None:
        return Decision.MUCH_BETTER
    if goal not in (">>", "<<"):
        raise invalid("goal", "'>>' or '<<' where n is given", goal)
    return Decision(goal)


def _possible_goal(scenario: Scenario | AucScenario, goal: Any, chosen: Settings) -> Goal:
    measure, rope = chosen.question.measure, chosen.question.rope
    delta = scenario.delta(measure)
    truth = verdict_of(delta, rope, higher_is_better=measure.higher_is_better)
    told = f"The difference in {measure.label} is {delta:+.4g} in this scenario"
    if truth is None:
        raise InputError(f"{told}, an edge of the ROPE: no number of documents settles that.")
    wanted = as_goal(truth) if goal is None else settling(goal)
    if truth not in wanted:
        where = "inside the ROPE" if truth == Decision.EQUIVALENT else "beyond the ROPE"
        raise InputError(
            f"{told}, {where}, so no number of documents leads to {goal_label(wanted)!r}: ask for "
            f"{str(truth)!r}."
        )
    return wanted


def _documents(
    suspected: Scenario | AucScenario,
    wanted: Goal,
    levels: tuple[float, ...],
    top: int,
    chosen: Settings,
) -> Plan:
    """Search for the number of documents."""
    grid = [*(x for x in (STEP**i for i in range(20)) if x < top), top]
    search = Search(
        lambda x: source_of(suspected, int(x), chosen.same_documents), chosen, wanted, whole=True
    )
    crossings = search.run(grid, levels)
    return Plan(
        question="documents",
        goal=goal_label(wanted),
        answers=tuple(
            Answer.of(level, found, search.seen, whole=True)
            for level, found in zip(levels, crossings, strict=True)
        ),
        curve=frame_of("n", search),
        judge=chosen.judges[0],
        facts={
            "scenario": suspected,
            "delta": suspected.delta(chosen.question.measure),
            "max_n": top,
            "same_documents": chosen.same_documents,
        },
        warnings=tuple(search.warned),
        seed=chosen.seed,
    )


def _difference(
    base: Scenario | AucScenario,
    n: int,
    side: Decision,
    levels: tuple[float, ...],
    chosen: Settings,
) -> Plan:
    """Make A better (or worse) step by step, beginning at the edge of the ROPE."""
    from scipy.optimize import brentq

    sign = 1.0 if side == Decision.MUCH_BETTER else -1.0
    rope, score = chosen.question.rope, chosen.question.measure
    edge = rope[1] if (sign > 0) == score.higher_is_better else rope[0]

    def beyond(shift: float) -> float:
        return base.better_A(sign * shift).delta(score) - edge

    outward = 1.0 if edge == rope[1] else -1.0
    if outward * beyond(-FAR) > 0:
        raise InputError(
            f"A's difference in {score.label} to B is {beyond(-FAR) + edge:+.4g} or farther out "
            f"whatever A is like, beyond the ROPE's edge {edge:+g}, for rates of 0 and 1 cannot be "
            "moved: choose rates in between."
        )
    if outward * beyond(FAR) <= 0:
        raise InputError(
            f"However {'good' if sign > 0 else 'bad'} A gets, its difference in {score.label} to B "
            f"stays at {beyond(FAR) + edge:+.4g}, on this side of the ROPE's edge {edge:+g}: "
            "choose another scenario or ROPE."
        )
    start = float(brentq(beyond, -FAR, FAR))

    def at(x: float) -> Scenario | AucScenario:
        return base.better_A(sign * (start + x))

    search = Search(
        lambda x: source_of(at(x), n, chosen.same_documents), chosen, frozenset({side}), False
    )
    crossings = search.run(SHIFTS, levels)

    def as_delta(shift: float) -> float:
        return at(shift).delta(score)

    return Plan(
        question="difference",
        goal=str(side),
        answers=tuple(
            Answer.of(level, found, search.seen, whole=False).through(as_delta)
            for level, found in zip(levels, crossings, strict=True)
        ),
        curve=frame_of("difference", search, as_delta),
        judge=chosen.judges[0],
        facts={
            "scenario": base,
            "n": n,
            "max_n": as_delta(SHIFTS[-1]),
            "same_documents": chosen.same_documents,
        },
        warnings=tuple(search.warned),
        seed=chosen.seed,
    )
