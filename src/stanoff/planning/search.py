"""Look for where a goal is reached often enough: coarsely, then ever more closely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stanoff.inference.goals import Goal
from stanoff.planning.crossing import Crossing, bracket, crossing
from stanoff.planning.judging import DECISIONS
from stanoff.planning.power import tally
from stanoff.planning.settings import Settings
from stanoff.planning.simulation import Source

Array = NDArray[np.float64]

COARSELY = 5  # a first look takes the fifth part of the data sets
AT_ONCE = 3  # places per step of the first look, so that there is work for several
BETWEEN = 5  # places that a closer look puts in between


@dataclass
class Search:
    """A curve of decisions over places x that is filled in where it matters.

    Attributes
    ----------
    source_at : callable
        The data sets at a place.
    chosen : Settings
        How they are judged.
    goal : frozenset of Decision
        Which decisions count.
    whole : bool
        Whether places are whole numbers, as documents are.
    seen : dict
        The decisions counted so far, by place.
    warned : list of str
        What speaks against the numbers.
    """

    source_at: Callable[[float], Source]
    chosen: Settings
    goal: Goal
    whole: bool
    seen: dict[float, NDArray[np.int64]] = field(default_factory=dict)
    warned: list[str] = field(default_factory=list)
    looks: int = 0

    def run(self, grid: Sequence[float], levels: Sequence[float]) -> list[Crossing]:
        """Find where the goal is reached with each of these probabilities.

        Parameters
        ----------
        grid : sequence of float
            Places for the first look, ascending; it ends where the highest level is passed.
        levels : sequence of float
            The probabilities asked for.
        """
        few = max(min(100, self.chosen.n_simulations), self.chosen.n_simulations // COARSELY)
        for start in range(0, len(grid), AT_ONCE):
            self._look(grid[start : start + AT_ONCE], few)
            if self.warned or self._passed(max(levels)):
                break
        for n_simulations in (few, self.chosen.n_simulations):
            if not self.warned:
                self._look(self._closer(levels), n_simulations)
        x, reached, total = self.curve()
        return [crossing(x, reached, total, level) for level in levels]

    def curve(self) -> tuple[Array, Array, Array]:
        """Return the places, and how often the goal was reached out of how many times."""
        x = np.array(sorted(self.seen))
        counts = np.array([self.seen[place] for place in x])
        wanted = [decision in self.goal for decision in DECISIONS]
        return x, counts[:, wanted].sum(axis=1), counts.sum(axis=1)

    def _passed(self, level: float) -> bool:
        x, reached, total = self.curve()
        found = bracket(x, reached, total, level)
        share = (reached[-1] + 1) / (total[-1] + 2)
        sure = share - 2 * np.sqrt(share * (1 - share) / total[-1]) > level
        return found is not None and bool(sure)

    def _closer(self, levels: Sequence[float]) -> list[float]:
        x, reached, total = self.curve()
        places: set[float] = set()
        for level in levels:
            found = bracket(x, reached, total, level)
            if found is None:
                places.add(float(x[-1]))  # not in sight: make sure of the last place
                continue
            between = np.geomspace(*found, BETWEEN + 2)
            places |= set((np.ceil(between) if self.whole else between).tolist())
        return sorted(places)

    def _look(self, places: Sequence[float], n_simulations: int) -> None:
        sources = [self.source_at(place) for place in places]
        title = f"Judging {len(places)} x {n_simulations:,} data sets"
        try:
            tallies, self.warned = tally(
                sources, self.chosen, title=title, first=self.looks, n_simulations=n_simulations
            )
        except KeyboardInterrupt:
            if not self.seen:
                raise
            self.warned = ["Interrupted: the last and closest look at the answer is missing."]
            return
        self.looks += len(places)
        for place, decisions in zip(places, tallies[:, 0], strict=True):
            if decisions.sum():
                before = self.seen.get(place, np.zeros(len(DECISIONS), dtype=np.int64))
                self.seen[place] = before + decisions
