"""The answer to a question of planning: numbers, a sentence, a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.planning.crossing import Crossing
from stanoff.planning.judging import DECISIONS, Judge
from stanoff.planning.power import standard_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stanoff.planning.search import Search


@dataclass(frozen=True)
class Answer:
    """What it takes to reach the goal with one probability.

    Attributes
    ----------
    assurance : that probability
    value : documents, or the difference; None if it takes more than was considered
    low, high : ends of the 95% Monte-Carlo interval of ``value``; None where that is open
    rates : how often each decision comes out there, or at the last place that was considered
    """

    assurance: float
    value: float | None
    low: float | None
    high: float | None
    rates: Mapping[str, float] = field(repr=False)

    @classmethod
    def of(
        cls,
        assurance: float,
        found: Crossing,
        seen: Mapping[float, NDArray[np.int64]],
        *,
        whole: bool,
    ) -> Answer:
        """Take a crossing, with the decisions at the nearest place that was simulated."""
        place = max(seen) if found.value is None else found.value
        nearest = min(seen, key=lambda x: abs(np.log(x / place)))
        shares = seen[nearest] / seen[nearest].sum()
        ends = (found.value, found.low, found.high)
        value, low, high = (ceil(end) if whole and end is not None else end for end in ends)
        rates = {str(d): float(share) for d, share in zip(DECISIONS, shares, strict=True)}
        return cls(assurance, value, low, high, rates)

    def through(self, function: Callable[[float], float]) -> Answer:
        """Tell the answer on another scale."""
        ends = (self.value, self.low, self.high)
        value, low, high = (None if end is None else function(end) for end in ends)
        if low is not None and high is not None:
            low, high = sorted((low, high))  # differences may go to either side
        return replace(self, value=value, low=low, high=high)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """What it takes to reach a goal; ``str()`` tells it in words.

    Attributes
    ----------
    question : ``"documents"``, ``"difference"`` or ``"more documents"``
    goal : which decisions were asked for
    answers : one per assurance
    curve : the simulated places, each with power, its standard error and the rate of every decision
    judge, measure : how data sets were judged
    facts : what else the sentence tells
    warnings : what to know before trusting the numbers
    seed : makes the plan reproducible
    """

    question: str
    goal: str
    answers: tuple[Answer, ...]
    curve: pd.DataFrame
    judge: Judge
    measure: str
    facts: Mapping[str, Any]
    warnings: tuple[str, ...]
    seed: int

    @property
    def answer(self) -> Answer:
        """The answer for the least assurance that was asked for."""
        return self.answers[0]

    def summary(self) -> pd.DataFrame:
        """Tell the answers in a table: assurance, value, low, high."""
        rows = [(a.assurance, a.value, a.low, a.high) for a in self.answers]
        return pd.DataFrame(rows, columns=["assurance", "value", "low", "high"], dtype=np.float64)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the curve, the assurances and where they are reached."""
        from stanoff.planning.figure import plan_plot

        return plan_plot(self, ax=ax)

    def __str__(self) -> str:
        from stanoff.planning.telling import told

        return told(self)

    def __repr__(self) -> str:
        return f"<Plan: {self.question} for {self.goal}>"


def frame_of(
    name: str, search: Search, scale: Callable[[float], float] | None = None
) -> pd.DataFrame:
    """Write the simulated curve as a table."""
    x, reached, total = search.curve()
    rows = []
    for place, k, n in zip(x.tolist(), reached.tolist(), total.tolist(), strict=True):
        shares = search.seen[place] / n
        rows.append(
            {
                name: int(place) if scale is None else scale(place),
                "power": k / n,
                "se": standard_error(k, n),
                **{str(d): float(share) for d, share in zip(DECISIONS, shares, strict=True)},
                "datasets": n,
            }
        )
    return pd.DataFrame(rows)
