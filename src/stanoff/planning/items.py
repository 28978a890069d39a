"""Planning for values and scores: how many more items or documents, and how many runs of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isqrt, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff._lib.arguments import as_seed, check_float, check_int
from stanoff._lib.showing import ReprMixin
from stanoff.data.items import ClusteredValues, ItemValues
from stanoff.errors import InputError, invalid
from stanoff.inference.decision import decide_all
from stanoff.inference.goals import Goal, goal_label
from stanoff.inference.posterior import StudentTPosterior
from stanoff.planning.answers import Answer, Plan
from stanoff.planning.crossing import crossing
from stanoff.planning.judging import DECISIONS, Judge
from stanoff.planning.plan import ASSURANCE, as_levels, as_max_n, settling
from stanoff.planning.power import standard_error
from stanoff.question import Sampling
from stanoff.text.words import documents, what_is_judged

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

Ends = tuple[Any, Any]
Future = Callable[[int, int, np.random.Generator], Ends]

FUTURES = 4000
PLACES = 25  # of the curve


def more_items(
    result: Comparison,
    *,
    goal: Any = "settled",
    assurance: Any = ASSURANCE,
    max_n: int = 1_000_000,
    n_simulations: int = FUTURES,
    seed: int | None = None,
) -> Plan:
    """Compute how many more items probably settle a comparison.

    Each simulated future draws the true difference and standard deviation from the posterior, adds
    items to those observed and is judged as this comparison was.

    Parameters
    ----------
    result : Comparison
        Of the items model.
    goal, assurance, most
        As in :meth:`stanoff.Comparison.plan`; ``most`` is a number of items.
    n_simulations : int
        How many futures are simulated for each number of items.
    seed : int, optional
        That of the comparison by default.
    """
    known = result.closed_form(*(np.array([place]) for place in result.pair))
    if known is None or known[1] is not None:
        raise InputError(
            "There is a plan for values per item under the items model with its flat prior and the "
            "exact engine only: compare without clusters, populations and prior first."
        )
    n, t = max(result.data.n_documents()), known[0]

    def future(more: int, size: int, rng: np.random.Generator) -> Ends:
        return _future(t, n, more, size, result.hdi_prob, rng)

    asked = {"goal": goal, "assurance": assurance, "max_n": max_n}
    return settled_by(result, future, "items", n_simulations=n_simulations, seed=seed, **asked)


def more_scored(
    result: Comparison,
    category: str | None = None,
    *,
    goal: Any = "settled",
    assurance: Any = ASSURANCE,
    max_n: int = 1_000_000,
    n_simulations: int = FUTURES,
    seed: int | None = None,
) -> Plan:
    """Compute how many more scored documents probably settle a comparison, of AUC for example.

    As :func:`more_items`, by the normal distribution that has the mean and the standard deviation
    of the posterior; the variance goes as 1/n.
    """
    n, said = max(result.data.n_documents()), result.evidence(category)

    def future(more: int, size: int, rng: np.random.Generator) -> Ends:
        true = said.mean + said.std * rng.standard_normal(size)
        new = true + said.std * sqrt(n / more) * rng.standard_normal(size)
        middle = (n * said.mean + more * new) / (n + more)
        reach = said.std * sqrt(n / (n + more)) * NormalDist().inv_cdf((1 + result.hdi_prob) / 2)
        return middle - reach, middle + reach

    asked = {"goal": goal, "assurance": assurance, "max_n": max_n, "category": category}
    return settled_by(result, future, "documents", n_simulations=n_simulations, seed=seed, **asked)


def settled_by(
    result: Comparison,
    future: Future,
    unit: str,
    *,
    goal: Any,
    assurance: Any,
    max_n: int,
    n_simulations: int,
    seed: int | None,
    category: str | None = None,
) -> Plan:
    """Find how many more units settle a comparison, where HDIs of its futures can be drawn.

    Parameters
    ----------
    result : Comparison
        What is not settled yet.
    future : callable
        How many more units, how many futures and a random generator to the ends of their HDIs.
    unit : str
        What is counted.
    goal, assurance, max_n, n_simulations, seed, category
        As in :func:`more_items`.
    """
    wanted, levels, top = settling(goal), as_levels(assurance), as_max_n(max_n)
    futures = check_int("n_simulations", n_simulations, least=10)
    chosen = result.seed if seed is None else as_seed(seed)
    said = result.evidence(category)
    reached = said.decision in wanted
    seen: dict[float, Any] = {}
    for place in () if reached else np.unique(np.geomspace(1, top, PLACES).astype(np.int64)):
        rng = np.random.default_rng([chosen, int(place)])
        low, high = future(int(place), futures, rng)
        better = result.measure.higher_is_better
        verdicts = decide_all(low, high, result.rope, higher_is_better=better)
        counts = np.array([np.count_nonzero(verdicts == d.value) for d in DECISIONS])
        seen[float(place)] = counts
    if reached:
        rates = {str(d): float(d == said.decision) for d in DECISIONS}
        answers = tuple(Answer(level, 0, 0, 0, rates) for level in levels)
        curve = pd.DataFrame([{"more": 0, "power": 1.0, "se": 0.0, **rates, "n_simulations": 0}])
    else:
        answers, curve = _answers(seen, wanted, levels)
    truths = {"above": said.p_above, "below": said.p_below}
    if not result.measure.higher_is_better:
        truths = {"above": said.p_below, "below": said.p_above}
    limits = {">>": truths["above"], "<<": truths["below"], "=": said.p_rope}
    sampling = Sampling(result.model, result.prior, "exact", 1, futures, None, chosen)
    return Plan(
        question="more documents",
        goal=goal_label(wanted),
        answers=answers,
        curve=curve,
        judge=Judge(result.question, sampling),
        facts={
            "names": result.names,
            "decision": said.decision,
            "documents": documents(result, category),
            "judged": what_is_judged(result, said.category),
            "reached": reached,
            "limit": float(sum(p for d, p in limits.items() if d in wanted)),
            "max_n": top,
            "same_documents": True,
            "unit": unit,
        },
        warnings=(),
        seed=chosen,
    )


def _future(
    t: StudentTPosterior, n: int, more: int, futures: int, hdi_prob: float, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Draw HDIs of the difference once there are so many more items."""
    scatter = t.scale[0] ** 2 * n * (n - 1)
    variance = scatter / rng.chisquare(n - 1, futures)
    true = t.loc[0] + np.sqrt(variance / n) * rng.standard_normal(futures)
    mean = true + np.sqrt(variance / more) * rng.standard_normal(futures)
    own = variance * rng.chisquare(more - 1, futures) if more > 1 else np.zeros(futures)
    total = n + more
    between = n * more / total * (mean - t.loc[0]) ** 2
    middle = (n * t.loc[0] + more * mean) / total
    scale = np.sqrt((scatter + own + between) / (total * (total - 1)))
    return StudentTPosterior(total - 1, middle, scale).hdi(hdi_prob)


def _answers(
    seen: dict[float, Any], wanted: Goal, levels: tuple[float, ...]
) -> tuple[tuple[Answer, ...], pd.DataFrame]:
    """Find where the levels are reached, and write the curve."""
    x = np.array(sorted(seen))
    counts = np.array([seen[place] for place in x])
    reached = counts[:, [d in wanted for d in DECISIONS]].sum(axis=1)
    total = counts.sum(axis=1)
    found = [crossing(x, reached, total, level) for level in levels]
    answers = tuple(
        Answer.of(level, one, seen, whole=True) for level, one in zip(levels, found, strict=True)
    )
    rows = [
        {
            "more": int(place),
            "power": k / n,
            "se": standard_error(int(k), int(n)),
            **{str(d): float(c / n) for d, c in zip(DECISIONS, row, strict=True)},
            "n_simulations": int(n),
        }
        for place, k, n, row in zip(x, reached, total, counts, strict=True)
    ]
    return answers, pd.DataFrame(rows)


@dataclass(frozen=True, eq=False, repr=False)
class Components(ReprMixin):
    """What makes the difference of two systems vary: the items, and the runs of each item.

    Attributes
    ----------
    items : float
        Variance of the true differences between items.
    runs : float
        Variance that one run of both systems adds to the difference of an item.
    n : int
        How many items there are.
    each : float
        How many runs each has, the harmonic mean.
    item_cost : float
        What a new item costs, in runs of both systems.
    """

    items: float
    runs: float
    n: int
    each: float
    item_cost: float = 0.0

    def std(self, items: int | None = None, runs: float | None = None) -> float:
        """Return the standard error of the difference with so many items and runs of each."""
        n, each = items or self.n, runs or self.each
        return sqrt((self.items + self.runs / each) / n)

    @property
    def best_runs(self) -> int:
        """How many runs of each item are best for what they cost."""
        if self.item_cost == 0:
            return 1
        if self.items == 0:
            return ceil(self.each)
        square = self.item_cost * self.runs / self.items
        fewer = max(1, isqrt(int(square)))
        # One more run pays where the variance it saves is worth more than what it costs.
        return fewer + 1 if square > fewer * (fewer + 1) else fewer

    def table(self) -> pd.DataFrame:
        """Return the standard error of the difference for several numbers of runs of each item."""
        each = sorted({1, 2, 3, 5, 10, 20, round(self.each)})
        return pd.DataFrame({"runs": each, "std": [self.std(runs=r) for r in each]})

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return [str(self)]

    def __str__(self) -> str:
        share = self.runs / self.each / (self.items + self.runs / self.each)
        endless = sqrt(self.items / self.n)
        told = (
            f"The difference of an item varies by {sqrt(self.items):.3g} between items and by "
            f"{sqrt(self.runs):.3g} between runs (standard deviations). With {self.n:,} items and "
            f"{self.each:.3g} runs of each, {100 * share:.0f} % of the variance of the mean "
            f"difference comes from runs: its standard error is {self.std():.3g}, with one run of "
            f"each {self.std(runs=1):.3g}, with endless runs {endless:.3g}."
        )
        cost = (
            "For as many answers, new items tell more than more runs of the same items"
            if self.item_cost == 0
            else f"If a new item costs as much as {self.item_cost:g} runs, {self.best_runs} "
            f"{'run of each item is' if self.best_runs == 1 else 'runs of each item are'} best"
        )
        return f"{told} {cost}."


def components(result: Comparison, *, item_cost: float = 0.0) -> Components:
    """Take the variance of the difference apart; :class:`stanoff.Comparison` explains it."""
    data = result.data
    if not isinstance(data, ItemValues) or not data.repeated or (data.runs < 2).any():
        raise InputError(
            "Components of variance need values per item with two runs or more of every system on "
            "every item."
        )
    if isinstance(data, ClusteredValues):
        raise InputError("Components of variance are of independent items: leave out cluster=.")
    cost = check_float("item_cost", item_cost, "a number >= 0")
    if not cost >= 0:
        raise invalid("item_cost", "a number >= 0", item_cost)
    places = list(result.pair)
    runs, scatter = data.runs[places], data.scatter[places]
    own = scatter / (runs - 1)  # the variance of a run, of each system on each item
    observed = float(np.var(data.values[places[0]] - data.values[places[1]], ddof=1))
    noise = float((own / runs).sum(axis=0).mean())
    one = float(own.sum(axis=0).mean())
    each = one / noise if noise > 0 else float(runs.mean())
    return Components(max(observed - noise, 0.0), one, data.items, each, cost)
