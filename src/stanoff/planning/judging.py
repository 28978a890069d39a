"""From simulated data sets to their verdicts: the part of a study that workers do.

All that is sent to a worker is plain data, and what comes back are a few numbers. A chunk has
random numbers of its own, so it does not matter which worker takes it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data, rows
from stanoff.errors import InputError, SamplingWarning
from stanoff.fit import fit
from stanoff.inference.decision import Decision, decide_all
from stanoff.inference.intervals import hdis
from stanoff.models import Model
from stanoff.planning.aucs import ScoreSets
from stanoff.planning.simulation import Source
from stanoff.question import Question, Sampling

Array = NDArray[np.float64]

DECISIONS = tuple(Decision)
STAN_CHAINS = 4


@dataclass(frozen=True)
class Judge:
    """How a data set is judged: everything that :func:`stanoff.compare` would be told.

    Attributes
    ----------
    question : Question
        Measure, ROPE and HDI.
    sampling : Sampling
        Model, prior and engine, and how many draws judge each data set.
    """

    question: Question
    sampling: Sampling

    @property
    def model(self) -> Model:
        """The model, which a judge always has."""
        assert self.sampling.model is not None
        return self.sampling.model

    @property
    def draws(self) -> int:
        """How many draws judge each data set."""
        assert self.sampling.draws is not None
        return self.sampling.draws

    def intervals(
        self, counts: Data | ScoreSets, seed: np.random.SeedSequence, *, alike: bool = False
    ) -> tuple[Array, Array]:
        """Return the ends of the HDI of delta, one of each per data set."""
        if isinstance(counts, ScoreSets):
            return counts.intervals(self.sampling.prior, self.question.hdi_prob)
        if self.sampling.engine == "stan":
            return self._by_stan(counts, seed)
        size = len(counts.categories)
        low, high = np.empty(size), np.empty(size)
        score, rng = self.question.measure, np.random.default_rng(seed)
        block = self.model.stan_data(counts, self.sampling.prior)
        drawn = self.model.sample_exact_batch(block, self.draws, rng, shared=not alike)
        for some, cells in drawn:
            psi = score(cells)  # (data set, system, draw)
            with np.errstate(invalid="ignore"):  # infinite for both: found below
                delta = psi[:, 0] - psi[:, 1]
            if np.isnan(delta).any():
                raise InputError(
                    f"{score.label} has no difference in some draws, where it is 0/0 or infinite "
                    "for both classifiers: choose another zero_division or measure."
                )
            low[some], high[some] = hdis(delta, self.question.hdi_prob)
        return low, high

    def verdicts(self, low: Array, high: Array) -> NDArray[np.str_]:
        """Decide on every HDI."""
        better = self.question.measure.higher_is_better
        return decide_all(low, high, self.question.rope, higher_is_better=better)

    def _by_stan(self, counts: Data, seed: np.random.SeedSequence) -> tuple[Array, Array]:
        # Independent categories do not know of each other: a run serves many data sets.
        size = len(counts.categories)
        together = self.model.independent
        each = [slice(0, size)] if together else [slice(i, i + 1) for i in range(size)]
        ends = []
        for which, child in zip(each, seed.spawn(len(each)), strict=True):
            number = int(child.generate_state(1)[0] >> 2)
            delta = self._fitted(rows(counts, which), number)
            ends.append(hdis(delta, self.question.hdi_prob))
        low, high = (np.concatenate(end) for end in zip(*ends, strict=True))
        return low, high

    def _fitted(self, counts: Data, seed: int) -> Array:
        sampling = replace(
            self.sampling, chains=STAN_CHAINS, draws=-(-self.draws // STAN_CHAINS), seed=seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # among thousands some always have it
            made = fit(counts, self.question, sampling)
        a, b = counts.systems
        delta = made.between(a, b, self.question).scores.delta  # (chain, draw, data set)
        return np.moveaxis(delta, -1, 0).reshape(delta.shape[-1], -1)


@dataclass(frozen=True)
class Chunk:
    """Some data sets of one cell of a study, with the random numbers for them.

    Attributes
    ----------
    source : Source
        Where the data sets come from.
    size : int
        How many there are.
    judges : tuple of Judge
        Each judges the same data sets.
    seed : SeedSequence
        Makes the chunk what it is, whoever works on it.
    """

    source: Source
    size: int
    judges: tuple[Judge, ...]
    seed: np.random.SeedSequence

    def judged(self) -> tuple[Data | ScoreSets, list[tuple[Array, Array]]]:
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
