"""Search for where a goal is reached often enough: coarsely, then ever more closely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from stanoff.inference.decision import Goal
from stanoff.planning.simulate import (
    DECISIONS,
    Counts,
    DataGenerator,
    Study,
    rates,
    standard_error,
)

Array = NDArray[np.float64]

COARSE = 5  # the first looks take the fifth part of the data sets
GRID_STEP = 3  # points that the first look simulates at once, so that there is work for several
REFINED = 5  # points that a closer look puts in between
RESAMPLED = 400
LEVEL = 0.95  # of the Monte-Carlo interval of a crossing


class Crossing(NamedTuple):
    """Where a curve reaches a level.

    Attributes
    ----------
    value : float or None
        The number of documents, or the shift; None if the level is not reached.
    low, high : float or None
        The ends of its 95% Monte-Carlo interval; high is None if it may not be reached.
    """

    value: float | None
    low: float | None
    high: float | None


def find_crossing(x: ArrayLike, reached: ArrayLike, total: ArrayLike, level: float) -> Crossing:
    """Find where a rate crosses a level, from simulated successes at several points.

    The rates are made to rise by isotonic regression and joined by lines over log x, so that no
    single lucky point decides. The interval comes from drawing the successes again.

    Parameters
    ----------
    x : array_like
        The points, positive and ascending.
    reached, total : array_like
        Successes and trials at each.
    level : float
        The rate that is asked for.

    Examples
    --------
    >>> crossing = find_crossing([100, 200, 400], [2000, 5000, 8000], [10000] * 3, 0.5)
    >>> round(crossing.value), crossing.low < 200 < crossing.high
    (200, True)
    """
    points, trials = np.asarray(x, dtype=np.float64), np.asarray(total, dtype=np.float64)
    fitted = _isotonic(np.asarray(reached) / trials, trials)
    rng = np.random.default_rng(0)  # the same successes, the same interval
    smooth = (fitted * trials + 0.5) / (trials + 1)  # a rate of 0 or 1 is not certain
    again = rng.binomial(trials.astype(np.int64), smooth, (RESAMPLED, len(points))) / trials
    low, high = np.quantile(
        [_first_above(points, _isotonic(row, trials), level) for row in again],
        [(1 - LEVEL) / 2, (1 + LEVEL) / 2],
        method="closest_observation",
    )
    ends = _first_above(points, fitted, level), low, high
    return Crossing(*(float(x) if np.isfinite(x) else None for x in ends))


def _isotonic(shares: Array, weights: Array) -> Array:
    return np.asarray(scipy.optimize.isotonic_regression(shares, weights=weights).x)


def _first_above(x: Array, shares: Array, level: float) -> float:
    above = np.flatnonzero(shares >= level)
    if not len(above):
        return np.inf
    i = int(above[0])
    if i == 0:
        return float(x[0])
    step = (level - shares[i - 1]) / (shares[i] - shares[i - 1])
    return float(np.exp(np.log(x[i - 1]) + step * (np.log(x[i]) - np.log(x[i - 1]))))


def _bracket(x: Array, reached: Array, total: Array, level: float) -> tuple[float, float] | None:
    """Return points that are surely below and above the crossing; None if it is not in sight.

    Surely means by two standard errors. Where nothing is surely below, the first point is taken.
    """
    share, error = (reached + 1) / (total + 2), 2 * standard_error(reached, total)
    above = np.flatnonzero(share - error > level)
    if not len(above):
        above = np.flatnonzero(_isotonic(reached / total, total) >= level)
    if not len(above):
        return None
    below = np.flatnonzero((share + error)[: above[0] + 1] < level)
    return float(x[below[-1] if len(below) else 0]), float(x[above[0]])


@dataclass
class Search:
    """A curve of decisions over points x that is filled in where it matters.

    Attributes
    ----------
    generator_at : callable
        The data sets at a point.
    study : Study
        How they are simulated and analysed.
    goal : frozenset of Decision
        Which decisions count.
    whole : bool
        Whether points are whole numbers, as documents are.
    counts : dict
        How often each decision came out so far, by point.
    warnings : list of str
        What speaks against the numbers.
    """

    generator_at: Callable[[float], DataGenerator]
    study: Study
    goal: Goal
    whole: bool = True
    counts: dict[float, Counts] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    n_evaluated: int = 0

    def run(self, grid: Sequence[float], levels: Sequence[float]) -> list[Crossing]:
        """Find where the goal is reached with each of these probabilities.

        Parameters
        ----------
        grid : sequence of float
            Points for the first look, ascending; it ends where the highest level is passed.
        levels : sequence of float
            The probabilities asked for.
        """
        many = self.study.n_simulations
        few = max(min(100, many), many // COARSE)
        for start in range(0, len(grid), GRID_STEP):
            self._simulate_at(grid[start : start + GRID_STEP], few)
            _, reached, total = self._curve()
            share, error = (reached + 1) / (total + 2), 2 * standard_error(reached, total)
            if self.warnings or (share - error)[-1] > max(levels):
                break
        for n_simulations in (few, many):
            if not self.warnings:
                self._simulate_at(self._refined_grid(levels), n_simulations)
        return [find_crossing(*self._curve(), level) for level in levels]

    def table(self, name: str, scale: Callable[[float], float] = int) -> pd.DataFrame:
        """Write the simulated curve as a table."""
        points = [(x, rates(self.counts[x], self.goal)) for x in sorted(self.counts)]
        return pd.DataFrame([{name: scale(x)} | row for x, row in points]).drop(columns="goal")

    def _curve(self) -> tuple[Array, Array, Array]:
        x = np.array(sorted(self.counts))
        counts = np.array([self.counts[point] for point in x])
        in_goal = [decision in self.goal for decision in DECISIONS]
        return x, counts[:, in_goal].sum(axis=1), counts.sum(axis=1)

    def _refined_grid(self, levels: Sequence[float]) -> list[float]:
        curve = self._curve()
        points: set[float] = set()
        for level in levels:
            bracket = _bracket(*curve, level)
            if bracket is None:
                points.add(float(curve[0][-1]))  # not in sight: make sure of the last point
                continue
            between = np.geomspace(*bracket, REFINED + 2)
            points |= set((np.ceil(between) if self.whole else between).tolist())
        return sorted(points)

    def _simulate_at(self, points: Sequence[float], n_simulations: int) -> None:
        generators, first = [self.generator_at(x) for x in points], self.n_evaluated
        try:
            counts, self.warnings = self.study.run(
                generators, first=first, n_simulations=n_simulations
            )
        except KeyboardInterrupt:
            if not self.counts:
                raise
            self.warnings = ["Interrupted: the last and closest look at the answer is missing."]
            return
        self.n_evaluated += len(points)
        for x, decisions in zip(points, counts[:, 0], strict=True):
            if decisions.sum():
                self.counts[x] = self.counts.get(x, 0) + decisions
