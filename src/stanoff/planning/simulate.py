"""Simulate data sets, analyse each as :func:`stanoff.compare` would, and count the decisions.

All that is sent to a worker is plain data, and what comes back are a few numbers. A chunk of data
sets has random numbers of its own, so it does not matter which worker takes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pickle import PicklingError
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import as_executor, as_jobs, check_int
from stanoff._lib.progress import show_progress
from stanoff.data.types import Data, rows
from stanoff.errors import InputError, SamplingWarning
from stanoff.fit import fit
from stanoff.inference.decision import Decision, decide_all
from stanoff.inference.goals import Goal, goal_label
from stanoff.inference.intervals import hdi
from stanoff.inference.posterior import StudentTPosterior
from stanoff.inference.scores import Scores
from stanoff.models import Model
from stanoff.models.counts import ConjugateCounts
from stanoff.planning.generators import ContestPosteriors, DataGenerator
from stanoff.question import Question, Sampling

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Task = TypeVar("Task")
Result = TypeVar("Result")

DECISIONS = tuple(Decision)
N_SIMULATIONS, N_DRAWS = 1000, 4000
MIN_DRAWS = 100
MAX_SIMULATIONS = 1_000_000
STAN_CHAINS = 4
NUMBERS_PER_CHUNK = 2_000_000  # 500 data sets of 4,000 draws
SCORED_PER_CHUNK = 50  # data sets of scored documents
STAN_PER_CHUNK = 20  # data sets that one run of Stan takes; CmdStan writes every draw to a file
STAN_RUNS_PER_CHUNK = 5


@dataclass(frozen=True)
class Analysis:
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
        """The model, which an analysis always has."""
        assert self.sampling.model is not None
        return self.sampling.model

    @property
    def draws(self) -> int:
        """How many draws judge each data set."""
        return self.sampling.draws or N_DRAWS

    def intervals(
        self,
        data: Data | StudentTPosterior | ContestPosteriors,
        seed: np.random.SeedSequence,
        *,
        shared: bool = True,
    ) -> tuple[Array, Array]:
        """Return the ends of the HDI of delta, one of each per data set.

        Parameters
        ----------
        data : Data, or posteriors in closed form
            A row per data set.
        seed : SeedSequence
            Where the draws come from.
        shared : bool
            Whether draws of data sets with the same counts may be shared.
        """
        prob = self.question.hdi_prob
        if not isinstance(data, Data):
            return data.hdi(prob)
        low, high = np.empty((2, len(data.categories)))
        if self.sampling.engine == "stan":
            # Independent categories do not know of each other: a run serves many data sets.
            step = len(low) if isinstance(self.model, ConjugateCounts) else 1
            starts = range(0, len(low), step)
            for start, child in zip(starts, seed.spawn(len(starts)), strict=True):
                which = slice(start, start + step)
                delta = self._stan_delta(rows(data, which), int(child.generate_state(1)[0] >> 2))
                low[which], high[which] = hdi(delta, prob)
            return low, high
        stan_data = self.model.stan_data(data, self.sampling.prior)
        rng = np.random.default_rng(seed)
        assert isinstance(self.model, ConjugateCounts)
        for which, cells in self.model.sample_exact_batch(
            stan_data, self.draws, rng, shared=shared
        ):
            psi = self.question.measure(cells)  # (data set, system, draw)
            with np.errstate(invalid="ignore"):  # infinite for both: found below
                delta = psi[:, 0] - psi[:, 1]
            if np.isnan(delta).any():
                raise InputError(
                    f"{self.question.measure.label} has no difference in some draws, where it is "
                    "0/0 or infinite for both classifiers: choose another zero_division or measure."
                )
            low[which], high[which] = hdi(delta, prob)
        return low, high

    def decide(self, low: Array, high: Array) -> NDArray[np.str_]:
        """Decide on every HDI."""
        better = self.question.measure.higher_is_better
        return decide_all(low, high, self.question.rope, higher_is_better=better)

    def _stan_delta(self, data: Data, seed: int) -> Array:
        draws = -(-self.draws // STAN_CHAINS)
        sampling = replace(self.sampling, chains=STAN_CHAINS, draws=draws, seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # among thousands some always have it
            fitted = fit(data, self.question, sampling)
        a, b = data.systems
        fitted, question = fitted.of_pair(a, b, self.question)
        # (chain, draw, data set)
        delta = Scores.of(fitted.model, fitted.draws.posterior, question, (0, 1)).delta
        return np.moveaxis(delta, -1, 0).reshape(delta.shape[-1], -1)


@dataclass(frozen=True)
class Chunk:
    """Some data sets of one generator, with the random numbers for them."""

    generator: DataGenerator
    size: int
    analyses: tuple[Analysis, ...]
    seed: np.random.SeedSequence

    def simulate(
        self,
    ) -> tuple[Data | StudentTPosterior | ContestPosteriors, list[tuple[Array, Array]]]:
        """Draw the data sets; return them, and the ends of their HDIs by analysis."""
        data_seed, draws_seed = (
            np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, child))
            for child in (0, 1)
        )
        data = self.generator.draw(self.size, np.random.default_rng(data_seed))
        shared = self.generator.shared_random_numbers
        return data, [a.intervals(data, draws_seed, shared=shared) for a in self.analyses]


def count_decisions(chunk: Chunk) -> Counts:
    """Count how often each analysis of a chunk came to each decision (analysis, decision)."""
    _, intervals = chunk.simulate()
    decisions = [a.decide(*ends) for a, ends in zip(chunk.analyses, intervals, strict=True)]
    return np.array([[np.count_nonzero(row == d.value) for d in DECISIONS] for row in decisions])


@dataclass(frozen=True)
class Study:
    """How many data sets are simulated, how each is analysed, and who does the work.

    Attributes
    ----------
    analyses : tuple of Analysis
        One per model; all ask the same question.
    n_simulations : int
        How many data sets there are of each generator.
    seed : int
        Where all random numbers come from.
    same_documents : bool
        Whether both systems judge the same documents.
    jobs, executor, progress
        As in :func:`stanoff.power`.
    """

    analyses: tuple[Analysis, ...]
    n_simulations: int
    seed: int
    same_documents: bool = True
    jobs: int | None = None
    executor: Any = None
    progress: bool = False

    def __post_init__(self) -> None:
        check_int("n_simulations", self.n_simulations, most=MAX_SIMULATIONS)

    @property
    def question(self) -> Question:
        """What all analyses ask."""
        return self.analyses[0].question

    @property
    def per_chunk(self) -> int:
        """How many data sets one worker takes at a time."""
        if self.analyses[0].sampling.engine == "stan":
            together = all(isinstance(a.model, ConjugateCounts) for a in self.analyses)
            return STAN_PER_CHUNK if together else STAN_RUNS_PER_CHUNK
        if self.question.measure.kind == "scores":
            return SCORED_PER_CHUNK
        return max(1, NUMBERS_PER_CHUNK // self.analyses[0].draws)

    def run(
        self,
        generators: Sequence[DataGenerator],
        *,
        first: int = 0,
        n_simulations: int | None = None,
    ) -> tuple[Counts, list[str]]:
        """Count the decisions on the data sets of every generator (generator, analysis, decision).

        The first chunks of all generators come first: who stops early has some of everything. The
        random numbers of a generator depend on its index, counted from ``first``. Also returned
        are warnings: that the user stopped it early.
        """
        total = self.n_simulations if n_simulations is None else n_simulations
        chunks = [
            Chunk(
                generator,
                min(self.per_chunk, total - start),
                self.analyses,
                np.random.SeedSequence(self.seed, spawn_key=(first + index, turn)),
            )
            for turn, start in enumerate(range(0, total, self.per_chunk))
            for index, generator in enumerate(generators)
        ]
        title = f"Judging {len(generators)} x {total:,} data sets"
        workers = {"jobs": self.jobs, "executor": self.executor}
        results = run_parallel(
            count_decisions, chunks, title=title, progress=self.progress, **workers
        )
        counts = np.zeros((len(generators), len(self.analyses), len(DECISIONS)), dtype=np.int64)
        for index, result in enumerate(results):
            if result is not None:
                counts[index % len(generators)] += result
        done = sum(result is not None for result in results)
        if not done:
            raise KeyboardInterrupt
        if done == len(results):
            return counts, []
        return counts, [f"Interrupted: {done} of {len(results)} parts of the study are done."]


def rates(counts: Counts, goal: Goal) -> dict[str, Any]:
    """Turn the counts of decisions into power, its Monte-Carlo error, and the rate of each."""
    by_decision, total = dict(zip(DECISIONS, counts.tolist(), strict=True)), int(counts.sum())
    reached = sum(by_decision[decision] for decision in goal)
    return {
        "goal": goal_label(goal),
        "power": reached / total,
        "se": standard_error(reached, total),
        **{str(decision): n / total for decision, n in by_decision.items()},
        "n_simulations": total,
    }


def standard_error(reached: int, total: int) -> float:
    """Return the Monte-Carlo standard error of a rate.

    One more success and one more failure keep it from being 0 where the rate is 0 or 1.
    """
    share = (reached + 1) / (total + 2)
    return float(np.sqrt(share * (1 - share) / total))


def run_parallel(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    executor: Any = None,
    title: str = "Simulating",
    progress: bool = False,
) -> list[Result | None]:
    """Apply a function to every task; after Ctrl-C return what is done, with None for the rest.

    Parameters
    ----------
    function : callable
        What to do with a task; it and the tasks can be sent to other processes.
    tasks : sequence
        In the order in which they had better be done.
    jobs, executor, progress
        As in :func:`stanoff.power`.
    title : str
        What to call it while it runs.

    Examples
    --------
    >>> run_parallel(abs, [-1, 2], jobs=1)
    [1, 2]
    """
    # NumPy lets go of the interpreter while it draws, sorts and calculates: threads are as quick as
    # processes, start at once and share measures that the user has registered.
    own_pool = ThreadPoolExecutor(as_jobs(jobs)) if executor is None else None
    pool: Executor = own_pool or as_executor(executor)
    futures: list[Future[Result]] = []
    with show_progress(title, total=len(tasks), quiet=not progress) as advance:
        try:
            with suppress(KeyboardInterrupt):
                for task in tasks:
                    futures.append(pool.submit(function, task))
                pending = set(futures)
                while pending:
                    # Not wait() for good: on some systems it cannot be interrupted.
                    done, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()  # raises what the worker raised
                    advance(len(tasks) - len(pending))
        except (PicklingError, AttributeError, TypeError) as error:
            if not any(word in str(error) for word in ("pickle", "local object")):
                raise
            raise InputError(
                f"A measure of your own cannot be sent to another process ({error}): leave out "
                "'executor', or pass one that uses threads."
            ) from error
        finally:
            for future in futures:
                future.cancel()
            if own_pool is not None:
                own_pool.shutdown()
    finished = [f.done() and not f.cancelled() and f.exception() is None for f in futures]
    results = [f.result() if ok else None for f, ok in zip(futures, finished, strict=True)]
    return results + [None] * (len(tasks) - len(results))
