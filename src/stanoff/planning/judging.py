"""From simulated data sets to their verdicts: the part of a study that workers do.

All that is sent to a worker is plain data, and what comes back are a few numbers. A chunk has
random numbers of its own, so it does not matter which worker takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff import measures, models
from stanoff.counts import PairedCounts, UnpairedCounts
from stanoff.decision import Decision, Interval, decide_all
from stanoff.engines import many
from stanoff.errors import InputError
from stanoff.measures import Measure
from stanoff.planning.simulation import AnyCounts, Source
from stanoff.posterior import hdis
from stanoff.priors import Priors

Array = NDArray[np.float64]

DECISIONS = tuple(Decision)
STAN_CHAINS = 4


@dataclass(frozen=True)
class Judge:
    """How a data set is judged: everything that :func:`stanoff.compare` would be told.

    Attributes
    ----------
    model, engine, draws, prior : what is fitted to each data set, and how
    measure, beta, zero_division, prevalence : the score
    function : of a measure that was registered by the user, how it is computed
    rope, hdi : the region of practical equivalence, and the probability of the HDI
    """

    model: str
    engine: str
    draws: int
    prior: Priors
    measure: str
    beta: float
    zero_division: float
    prevalence: float | None
    function: Callable[[measures.Cells], Array] | None
    higher_is_better: bool
    rope: Interval
    hdi: float

    def score(self) -> Measure:
        """Return the measure, also where its function is not registered in this process."""
        if self.function is None:
            settings: dict[str, Any] = {
                "beta": self.beta,
                "zero_division": self.zero_division,
                "prevalence": self.prevalence,
            }
            return measures.get(self.measure, **settings)
        return Measure(
            self.measure,
            self.function,
            self.measure,
            higher_is_better=self.higher_is_better,
            beta=self.beta,
            zero_division=self.zero_division,
            prevalence=self.prevalence,
        )

    def intervals(
        self, counts: AnyCounts, seed: np.random.SeedSequence, *, alike: bool = False
    ) -> tuple[Array, Array]:
        """Return the ends of the HDI of delta, one of each per data set."""
        if self.engine == "stan":
            return self._by_stan(counts, seed)
        size = len(counts.categories)
        low, high = np.empty(size), np.empty(size)
        score, rng = self.score(), np.random.default_rng(seed)
        data = models.get(self.model).data(counts, self.prior)
        for block, cells_A, cells_B in many.cells(
            self.model, data, self.draws, rng, shared=not alike
        ):
            with np.errstate(invalid="ignore"):  # infinite for both: found below
                delta = score(cells_A) - score(cells_B)
            if np.isnan(delta).any():
                raise InputError(
                    f"{score.label} has no difference in some draws, where it is 0/0 or infinite "
                    "for both classifiers: choose another zero_division or measure."
                )
            low[block], high[block] = hdis(delta, self.hdi)
        return low, high

    def verdicts(self, low: Array, high: Array) -> NDArray[np.str_]:
        """Decide on every HDI."""
        return decide_all(low, high, self.rope, higher_is_better=self.higher_is_better)

    def _by_stan(self, counts: AnyCounts, seed: np.random.SeedSequence) -> tuple[Array, Array]:
        # Categories of these two models do not know of each other: a run serves many data sets.
        size = len(counts.categories)
        together = self.model in many.SAMPLERS
        each = [slice(0, size)] if together else [slice(i, i + 1) for i in range(size)]
        ends = []
        for which, child in zip(each, seed.spawn(len(each)), strict=True):
            number = int(child.generate_state(1)[0] >> 2)
            delta = self._fitted(rows(counts, which), number)
            ends.append(hdis(delta, self.hdi))
        low, high = (np.concatenate(end) for end in zip(*ends, strict=True))
        return low, high

    def _fitted(self, counts: AnyCounts, seed: int) -> Array:
        import warnings

        from stanoff.errors import SamplingWarning
        from stanoff.fitting import fit

        path = self.model.endswith(".stan")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # among thousands some always have it
            result = fit(
                counts,
                measure=self.measure,
                beta=self.beta,
                zero_division=self.zero_division,
                prevalence=self.prevalence,
                model=Path(self.model) if path else self.model,
                prior=self.prior,
                engine="stan",
                chains=STAN_CHAINS,
                draws=-(-self.draws // STAN_CHAINS),
                seed=seed,
            )
        delta = result.draws.posterior["delta"]  # (chain, draw, data set)
        return np.moveaxis(delta, -1, 0).reshape(delta.shape[-1], -1)


@dataclass(frozen=True)
class Chunk:
    """Some data sets of one cell of a study, with the random numbers for them.

    Attributes
    ----------
    source : where the data sets come from
    size : how many there are
    judges : each judges the same data sets
    seed : makes the chunk what it is, whoever works on it
    """

    source: Source
    size: int
    judges: tuple[Judge, ...]
    seed: np.random.SeedSequence

    def judged(self) -> tuple[AnyCounts, list[tuple[Array, Array]]]:
        """Draw the data sets; return them, and the ends of their HDIs by judge."""
        key = self.seed.spawn_key
        of_documents, of_draws = (
            np.random.SeedSequence(self.seed.entropy, spawn_key=(*key, place)) for place in (0, 1)
        )
        counts = self.source.draw(self.size, np.random.default_rng(of_documents))
        alike = self.source.alike
        return counts, [judge.intervals(counts, of_draws, alike=alike) for judge in self.judges]


def tallied(chunk: Chunk) -> NDArray[np.int64]:
    """Count how often each judge of a chunk came to each decision (judge, decision)."""
    _, ends = chunk.judged()
    said = [judge.verdicts(*pair) for judge, pair in zip(chunk.judges, ends, strict=True)]
    return np.array([[int((each == one).sum()) for one in DECISIONS] for each in said])


def rows(counts: AnyCounts, which: slice) -> AnyCounts:
    """Take some data sets out of many."""
    if isinstance(counts, PairedCounts):
        return PairedCounts(counts.categories[which], counts.pos[which], counts.neg[which])
    return UnpairedCounts(counts.categories[which], counts.cells_A[which], counts.cells_B[which])
