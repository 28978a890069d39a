"""Components of variance: how much of a difference varies with the items, and with their runs."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isqrt, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from stanoff._lib.arguments import check_float
from stanoff._lib.showing import ReprMixin
from stanoff.data.items import ClusteredValues, ItemValues
from stanoff.errors import InputError, invalid

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison


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
    runs_per_item : float
        How many runs each has, the harmonic mean.
    item_cost : float
        What a new item costs, in runs of both systems.
    """

    items: float
    runs: float
    n: int
    runs_per_item: float
    item_cost: float = 0.0

    def std(self, items: int | None = None, runs: float | None = None) -> float:
        """Return the standard error of the difference with so many items and runs of each."""
        n, n_runs = items or self.n, runs or self.runs_per_item
        return sqrt((self.items + self.runs / n_runs) / n)

    @property
    def best_runs(self) -> int:
        """How many runs of each item are best for what they cost."""
        if self.item_cost == 0:
            return 1
        if self.items == 0:
            return ceil(self.runs_per_item)
        square = self.item_cost * self.runs / self.items
        fewer = max(1, isqrt(int(square)))
        # One more run pays where the variance it saves is worth more than what it costs.
        return fewer + 1 if square > fewer * (fewer + 1) else fewer

    def table(self) -> pd.DataFrame:
        """Return the standard error of the difference for several numbers of runs of each item."""
        n_runs = sorted({1, 2, 3, 5, 10, 20, round(self.runs_per_item)})
        return pd.DataFrame({"runs": n_runs, "std": [self.std(runs=r) for r in n_runs]})

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return [str(self)]

    def __str__(self) -> str:
        share = self.runs / self.runs_per_item / (self.items + self.runs / self.runs_per_item)
        endless = sqrt(self.items / self.n)
        variance = (
            f"The difference of an item varies by {sqrt(self.items):.3g} between items and by "
            f"{sqrt(self.runs):.3g} between runs (standard deviations). With {self.n:,} items and "
            f"{self.runs_per_item:.3g} runs of each, {100 * share:.0f} % of the variance of the "
            f"mean difference comes from runs: its standard error is {self.std():.3g}, with one "
            f"run of each {self.std(runs=1):.3g}, with endless runs {endless:.3g}."
        )
        cost = "For as many answers, new items tell more than more runs of the same items"
        if self.item_cost:
            runs = "run of each item is" if self.best_runs == 1 else "runs of each item are"
            cost = f"If a new item costs as much as {self.item_cost:g} runs, {self.best_runs} "
            cost += f"{runs} best"
        return f"{variance} {cost}."


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
    rule = "a number >= 0"
    if not (cost := check_float("item_cost", item_cost, rule)) >= 0:
        raise invalid("item_cost", rule, item_cost)
    pair = list(result.pair)
    runs, values = data.runs[pair], data.values[pair]
    run_variance = data.scatter[pair] / (runs - 1)  # of each system on each item
    observed = float(np.var(values[0] - values[1], ddof=1))
    noise = float((run_variance / runs).sum(axis=0).mean())
    single_run = float(run_variance.sum(axis=0).mean())
    mean_runs = single_run / noise if noise > 0 else float(runs.mean())
    return Components(max(observed - noise, 0.0), single_run, data.items, mean_runs, cost)
