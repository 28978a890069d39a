"""Data sets as they may come out: from a scenario, or from what a posterior says of the next ones.

A source draws counts, a row per data set. Workers get it sent, so it is plain data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data, PairedCounts, UnpairedCounts
from stanoff.models import Model
from stanoff.models.counts import PAIRED, Unpaired
from stanoff.models.priors import Priors
from stanoff.planning.aucs import AucScenario, FromAucs, ScoreSets
from stanoff.planning.scenarios import Scenario

Counts = NDArray[np.int64]


class Source(Protocol):
    """Whatever data sets can be drawn from."""

    @property
    def alike(self) -> bool:
        """Whether its data sets hardly differ from each other."""

    def draw(self, size: int, rng: np.random.Generator) -> Data | ScoreSets:
        """Draw so many data sets: a row of counts each, or scores."""


def source_of(scenario: Scenario | AucScenario, n: int, same_documents: bool) -> Source:
    """Return where data sets of n documents of a scenario come from."""
    if isinstance(scenario, AucScenario):
        return FromAucs(scenario, n)
    return FromScenario(scenario, n, same_documents)


@dataclass(frozen=True)
class FromScenario:
    """Documents of a scenario.

    Attributes
    ----------
    scenario : Scenario
        What is true.
    n : int
        Documents per data set; per classifier where each has its own.
    same_documents : bool
        Whether both classifiers judge the same documents.
    """

    scenario: Scenario
    n: int
    same_documents: bool = True

    @property
    def alike(self) -> bool:
        """Whether its data sets hardly differ from each other."""
        return False

    def draw(self, size: int, rng: np.random.Generator) -> Data:
        """Draw so many data sets.

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> counts = FromScenario(Scenario.named("a"), 100).draw(3, rng)
        >>> (counts.pos.sum(axis=1) + counts.neg.sum(axis=1)).tolist()
        [100, 100, 100]
        """
        names = tuple(map(str, range(size)))
        if self.same_documents:
            c = rng.multinomial(self.n, _proper(self.scenario.probabilities), size)
            return PairedCounts(names, c[:, :4], c[:, 4:])
        a, b = (rng.multinomial(self.n, _proper(cells), size) for cells in self.scenario.cells)
        return UnpairedCounts(names, a, b)


@dataclass(frozen=True, eq=False)
class FromPosterior:
    """Documents that come on top of those observed, as the posterior expects them.

    Every data set first draws what may be true from the posterior, then the documents given that.

    Attributes
    ----------
    counts : PairedCounts or UnpairedCounts
        What was observed, one row.
    prior : Prior or tuple of Prior
        The prior of what documents will be like.
    more : int
        How many documents are added; per system where each has its own.
    """

    counts: Data
    prior: Priors
    more: int

    @property
    def alike(self) -> bool:
        """Whether its data sets hardly differ, because most of their documents are the same."""
        return self.more < max(self.counts.n_documents())

    def draw(self, size: int, rng: np.random.Generator) -> Data:
        """Draw so many data sets."""
        names = tuple(map(str, range(size)))
        drawn = self._drawn(PAIRED if self.counts.paired else Unpaired(), size, rng)
        if isinstance(self.counts, PairedCounts):
            mu = drawn["mu"]
            pos, neg = mu * drawn["theta_pos"][:, 0], (1 - mu) * drawn["theta_neg"][:, 0]
            new = rng.multinomial(self.more, _proper(np.concatenate([pos, neg], axis=1)))
            return PairedCounts(names, new[:, :4] + self.counts.pos, new[:, 4:] + self.counts.neg)
        assert isinstance(self.counts, UnpairedCounts)
        a, b = (
            rng.multinomial(self.more, _proper(drawn["cells"][:, system, 0])) + seen
            for system, seen in enumerate(self.counts.cells)
        )
        return UnpairedCounts(names, a, b)

    def _drawn(
        self, model: Model, size: int, rng: np.random.Generator
    ) -> dict[str, NDArray[np.float64]]:
        block = model.stan_data(self.counts, self.prior)
        return model.sample_exact(block, size, rng)


def _proper(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let rows sum to 1, which NumPy's multinomial wants more exactly than products do."""
    return np.asarray(probabilities / probabilities.sum(axis=-1, keepdims=True))
