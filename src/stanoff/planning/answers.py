"""The answer to a question of planning: numbers, a sentence, a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.showing import ReprMixin
from stanoff.planning.crossing import Crossing
from stanoff.planning.judging import DECISIONS, Judge
from stanoff.planning.power import standard_error
from stanoff.text.numbers import rounded_documents

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stanoff.planning.search import Search


@dataclass(frozen=True)
class Answer:
    """What it takes to reach the goal with one probability.

    Attributes
    ----------
    assurance : float
        That probability.
    value : float or None
        Documents, or the difference; None if it takes more than was considered.
    low, high : float or None
        Ends of the 95% Monte-Carlo interval of ``value``; None where that is open.
    rates : mapping
        How often each decision comes out there, or at the last place that was considered.
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
        value, low, high = (
            rounded_documents(end) if whole and end is not None else end for end in ends
        )
        rates = {str(d): float(share) for d, share in zip(DECISIONS, shares, strict=True)}
        return cls(assurance, value, low, high, rates)

    def through(self, function: Callable[[float], float]) -> Answer:
        """Return the answer on another scale."""
        ends = (self.value, self.low, self.high)
        value, low, high = (None if end is None else function(end) for end in ends)
        if low is not None and high is not None:
            low, high = sorted((low, high))  # differences may go to either side
        return replace(self, value=value, low=low, high=high)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(ReprMixin):
    """What it takes to reach a goal; ``str()`` tells it in words.

    Attributes
    ----------
    question : str
        ``"documents"``, ``"difference"`` or ``"more documents"``.
    goal : str
        Which decisions were asked for.
    answers : tuple of Answer
        One per assurance.
    curve : DataFrame
        The simulated places, each with power, its standard error and the rate of every decision.
    judge : Judge
        How data sets were judged.
    facts : mapping
        What else the sentence tells.
    warnings : tuple of str
        What to know before trusting the numbers.
    seed : int
        Makes the plan reproducible.
    """

    question: str
    goal: str
    answers: tuple[Answer, ...]
    curve: pd.DataFrame
    judge: Judge
    facts: Mapping[str, Any]
    warnings: tuple[str, ...]
    seed: int

    @property
    def measure(self) -> str:
        """What the score is called."""
        return self.judge.question.measure.label

    @property
    def answer(self) -> Answer:
        """The answer for the least assurance that was asked for."""
        return self.answers[0]

    def summary(self) -> pd.DataFrame:
        """Return the answers in a table: assurance, value, low, high."""
        ends = ["value", "low", "high"]
        rows = [(a.assurance, a.value, a.low, a.high) for a in self.answers]
        table = pd.DataFrame(rows, columns=["assurance", *ends], dtype=np.float64)
        whole = self.question != "difference"  # numbers of documents
        return table.astype(dict.fromkeys(ends, "Int64")) if whole else table

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the curve, the assurances and where they are reached."""
        from stanoff.plots import plot_plan

        return plot_plan(self, ax=ax)

    def __str__(self) -> str:
        from stanoff.planning.telling import told

        return told(self)

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        from stanoff.planning.telling import plan_parts

        return plan_parts(self)


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
                "n_simulations": n,
            }
        )
    return pd.DataFrame(rows)
