"""Power: how often a goal is reached if a scenario is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import check_int
from stanoff._lib.showing import ReprMixin
from stanoff.errors import InputError, invalid
from stanoff.inference.goals import Goal, as_goal, goal_label, verdict_of
from stanoff.measures import SCORES
from stanoff.planning.aucs import AucScenario, as_auc_options
from stanoff.planning.judging import DECISIONS, tallied
from stanoff.planning.running import run
from stanoff.planning.scenarios import Scenario, as_scenario
from stanoff.planning.settings import Options, Settings, models_for, settings
from stanoff.planning.simulation import Source, source_of

Tallies = NDArray[np.int64]

COLUMNS = [
    "scenario",
    "model",
    "n",
    "goal",
    "power",
    "se",
    *(str(decision) for decision in DECISIONS),
    "n_simulations",
]
Suspected = Scenario | AucScenario | str
MOST = 10**9  # documents of a simulated data set


class PowerTable(ReprMixin, pd.DataFrame):
    """What :func:`power` returns: a data frame that is shown in few digits, with its question."""

    @property
    def _constructor(self) -> type[PowerTable]:
        return PowerTable

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        from stanoff.planning.telling import power_parts

        return power_parts(self)

    def __repr__(self) -> str:
        return super().__repr__() if self._is_whole() else pd.DataFrame.__repr__(self)

    def _repr_html_(self) -> str:
        return super()._repr_html_() if self._is_whole() else str(self.to_html(max_rows=60))

    def _is_whole(self) -> bool:
        """Whether it has all columns still, and knows what was asked: parts of it may not."""
        return list(self.columns) == COLUMNS and "rope" in self.attrs and len(self) > 0


def power(
    scenario: Suspected | Sequence[Suspected],
    n: int | Iterable[int],
    *,
    goal: Any = None,
    model: str | Path | Sequence[str | Path] | None = None,
    **options: Unpack[Options],
) -> PowerTable:
    """Compute how often a goal is reached at given sizes of the test set, if a scenario is true.

    Data sets are drawn from the scenario, and each is judged as :func:`stanoff.compare` would.
    Ctrl-C returns what is done by then; ``attrs["warnings"]`` of the table says so.

    Parameters
    ----------
    scenario : Scenario, AucScenario, str or sequence of them
        One or several: a :class:`Scenario`, ``"a"`` or ``"b"`` of the paper, or an
        :class:`AucScenario`.
    n : int or iterable of int
        Documents in the test set, one or several numbers.
    goal : object
        ``">>"``, ``"="``, ``"settled"`` (neither ``<`` nor ``>``), or several decisions; for every
        scenario what is true in it by default.
    model : str, Path or sequence of str or Path, optional
        One or several; all judge the same data sets; by default the paired and the unpaired one, or
        the unpaired one where each classifier has a test set of its own; for AUC ``"bootstrap"``.
    measure, beta, zero_division, prevalence, rope, hdi_prob, prior
        As in :func:`stanoff.compare`.
    engine : str
        ``"exact"``, or ``"stan"`` for models that are not conjugate.
    n_simulations : int
        How many data sets are drawn for every scenario and size, 1,000 by default.
    draws : int
        How many posterior draws judge each, 4,000 by default.
    same_documents : bool
        False if each classifier has a test set of its own, of size ``n``.
    seed : int, optional
        Makes every number reproducible, however many workers there are.
    jobs : int, optional
        How many threads work on it, one per processor by default.
    executor : Executor, optional
        Who does the work instead: any ``concurrent.futures.Executor``, as of processes, of Dask
        (``client.get_executor()``) or of MPI.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    PowerTable
        A pandas DataFrame with a row per scenario, model and size: ``power`` and its Monte-Carlo
        standard error ``se``, the rates of the five decisions, and the number of ``n_simulations``
        behind them.

    Examples
    --------
    >>> table = power("a", [500, 3500], model="paired", n_simulations=200, draws=1000, seed=1)
    >>> table[["scenario", "n", "goal"]].values.tolist()
    [['a', 500, '>>'], ['a', 3500, '>>']]
    >>> bool(table.power[0] < 0.5 < 0.9 < table.power[1])
    True
    """
    scenarios = _scenarios(scenario)
    options = completed(list(scenarios.values()), options)
    chosen = settings(models_for(options) if model is None else model, **options)
    sizes = _sizes(n)
    wanted = [
        as_goal(goal) if goal is not None else _what_is_true(one, chosen)
        for one in scenarios.values()
    ]
    cells = [
        (name, one, goal, size)
        for (name, one), goal in zip(scenarios.items(), wanted, strict=True)
        for size in sizes
    ]
    sources = [source_of(one, size, chosen.same_documents) for _, one, _, size in cells]
    title = f"Judging {len(cells)} x {chosen.n_simulations:,} data sets"
    tallies, warned = tally(sources, chosen, title=title)
    rows = [
        {"scenario": name, "model": judge.model.name, "n": size} | _row(tallies[place, j], goal)
        for name in scenarios
        for j, judge in enumerate(chosen.judges)
        for place, (which, _, goal, size) in enumerate(cells)
        if which == name and tallies[place, j].sum()
    ]
    table = PowerTable(rows, columns=COLUMNS)
    question = chosen.question
    table.attrs.update(warnings=warned, seed=chosen.seed, measure=question.measure.label)
    table.attrs.update(rope=list(question.rope), hdi_prob=question.hdi_prob)
    return table


def tally(
    sources: Sequence[Source],
    chosen: Settings,
    *,
    title: str,
    first: int = 0,
    n_simulations: int | None = None,
) -> tuple[Tallies, list[str]]:
    """Count the decisions on the data sets of every source (source, judge, decision).

    The second part says what speaks against the numbers: that the user stopped it early.
    """
    placed = chosen.chunks(sources, first=first, n_simulations=n_simulations)
    answers = run(
        tallied,
        [chunk for _, chunk in placed],
        jobs=chosen.jobs,
        executor=chosen.executor,
        title=title,
        progress=chosen.progress,
    )
    tallies = np.zeros((len(sources), len(chosen.judges), len(DECISIONS)), dtype=np.int64)
    for (place, _), answer in zip(placed, answers, strict=True):
        if answer is not None:
            tallies[place] += answer
    done = sum(answer is not None for answer in answers)
    if done == len(answers):
        return tallies, []
    if not done:
        raise KeyboardInterrupt
    return tallies, [f"Interrupted: {done} of {len(answers)} parts of the study are done."]


def _row(decisions: NDArray[np.int64], goal: Goal) -> dict[str, Any]:
    total = int(decisions.sum())
    reached = sum(int(n) for d, n in zip(DECISIONS, decisions, strict=True) if d in goal)
    return {
        "goal": goal_label(goal),
        "power": reached / total,
        "se": standard_error(reached, total),
        **{str(d): int(n) / total for d, n in zip(DECISIONS, decisions, strict=True)},
        "n_simulations": total,
    }


def standard_error(reached: int, total: int) -> float:
    """Return the Monte-Carlo standard error of a rate.

    One more success and one more failure keep it from being 0 where the rate is 0 or 1.
    """
    share = (reached + 1) / (total + 2)
    return float(np.sqrt(share * (1 - share) / total))


def completed(scenarios: Sequence[Scenario | AucScenario], options: Options) -> Options:
    """Fill in what the kind of scenario means; refuse several kinds, and other measures."""
    of_scores = {isinstance(one, AucScenario) for one in scenarios}
    if of_scores == {True, False}:
        raise InputError("Scenarios of labels and of AUCs are judged apart: pass one kind.")
    if of_scores == {True}:
        return cast(Options, as_auc_options(options))
    if options.get("measure") in SCORES:
        rule = "one that takes labels; for AUC pass a stanoff.AucScenario"
        raise invalid("measure", rule, options["measure"])
    return options


def _scenarios(given: Any) -> dict[str, Scenario | AucScenario]:
    several = list(given) if isinstance(given, (list, tuple)) else [given]
    if not several:
        raise invalid("scenario", "at least one", given)
    named: dict[str, Scenario | AucScenario] = {}
    for place, one in enumerate(map(as_scenario, several), start=1):
        name = one.name or str(place)
        if name in named:
            raise InputError(f"Two scenarios are called {name!r}: give them different names.")
        named[name] = one
    return named


def _sizes(n: Any) -> list[int]:
    given = list(n) if isinstance(n, Iterable) and not isinstance(n, str) else [n]
    sizes = [check_int("n", size, most=MOST) for size in given]
    if not sizes or len(set(sizes)) != len(sizes):
        raise invalid("n", "different numbers of documents, at least one", n)
    return sizes


def _what_is_true(scenario: Scenario | AucScenario, chosen: Settings) -> Goal:
    measure, rope = chosen.question.measure, chosen.question.rope
    delta = scenario.delta(measure)
    verdict = verdict_of(delta, rope, higher_is_better=measure.higher_is_better)
    if verdict is None:
        raise InputError(
            f"The difference is {delta:+g}, an edge of the ROPE, so no decision is right: pass "
            "a goal."
        )
    return as_goal(verdict)
