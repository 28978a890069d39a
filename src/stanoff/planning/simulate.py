"""Simulate data sets, analyse each as :func:`stanoff.compare` would, and count the decisions.

All that is sent to a worker is plain data, and what comes back are a few numbers. A chunk of data
sets has random numbers of its own, so it does not matter which worker takes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pickle import PicklingError
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval, as_executor, as_jobs, check_int
from stanoff._lib.progress import show_progress
from stanoff.data.types import Data, PairedCounts, UnpairedCounts, rows
from stanoff.errors import InputError, SamplingWarning
from stanoff.fit import fit
from stanoff.inference.decision import Decision, Goal, decide_all, goal_label
from stanoff.inference.intervals import hdi
from stanoff.inference.posterior import StudentTPosterior
from stanoff.inference.scores import Scores
from stanoff.measures.scores import share_below
from stanoff.models import Model
from stanoff.models.bootstrap import bootstrap_shape
from stanoff.models.counts import PAIRED, ConjugateCounts, Unpaired
from stanoff.models.priors import Priors, single
from stanoff.planning.scenario import AucScenario, Scenario
from stanoff.question import Question, Sampling

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Blocks = Iterator[tuple[slice, Array]]  # which data sets, and their draws of delta
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
MAX_SCORED = 5_000  # documents; in larger test sets only the spread differs


@dataclass(frozen=True, eq=False)
class DataGenerator:
    """What data sets are drawn by; it is sent to workers, so it is plain data.

    Attributes
    ----------
    draw : callable
        Takes how many data sets, and a random generator; returns a row of counts each, or the
        posterior that each has.
    shared_random_numbers : bool
        Whether the data sets differ so much that draws of their posteriors may be shared.
    """

    draw: Callable[[int, np.random.Generator], Data | ClosedForms]
    shared_random_numbers: bool = True


def draw_documents(
    scenario: Scenario, n: int, same_documents: bool, size: int, rng: np.random.Generator
) -> Data:
    """Draw data sets of n documents of a scenario; n per system where each has its own.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> counts = draw_documents(Scenario.named("a"), 100, True, 3, rng)
    >>> (counts.pos.sum(axis=1) + counts.neg.sum(axis=1)).tolist()
    [100, 100, 100]
    """
    names = tuple(map(str, range(size)))
    if same_documents:
        counts = rng.multinomial(n, _normalize(scenario.probabilities), size)
        return PairedCounts(names, counts[:, :4], counts[:, 4:])
    cells = (rng.multinomial(n, _normalize(p), size) for p in scenario.cells)
    return UnpairedCounts(names, *cells)


def draw_auc_posteriors(
    scenario: AucScenario, n: int, prior: Priors, size: int, rng: np.random.Generator
) -> StudentTPosterior:
    """Draw data sets of n scored documents, and return the posterior of the difference of each.

    It is the normal distribution with the first two moments of the bootstrap model's posterior.
    Without positives or negatives it is as wide as it can be.
    """
    fewer = min(n, MAX_SCORED)
    moments = [auc_moments(*draw_scores(scenario, fewer, rng), prior) for _ in range(size)]
    mean, sd = np.array(moments).reshape(-1, 2).T
    narrower, true = np.sqrt(max(1.0, n / MAX_SCORED)), scenario.delta()
    sd = np.minimum(sd, 1.0)  # no difference of AUCs exceeds 1
    return StudentTPosterior(np.inf, true + (mean - true) / narrower, sd / narrower)


def draw_scores(scenario: AucScenario, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw the scores of positives and of negatives (system, document) of one data set."""
    # AUC = Phi(mean / sqrt 2)
    means = np.sqrt(2) * scipy.special.ndtri([scenario.auc_a, scenario.auc_b])
    score, rho = rng.standard_normal((2, n)), scenario.correlation
    score[1] = rho * score[0] + np.sqrt(1 - rho**2) * score[1]
    positives = rng.binomial(n, scenario.positives)
    score[:, :positives] += means[:, None]
    return score[:, :positives], score[:, positives:]


def auc_moments(pos: Array, neg: Array, prior: Priors) -> tuple[float, float]:
    """Compute mean and sd of the difference of two AUCs under the bootstrap model.

    Each class has Dirichlet weights, to which its prior document adds, which may be any document.
    The mean is exact. The variance is that of the two classes' mean placements, as in DeLong's,
    without what only pairs of documents add: it is of the order 1/n of the rest.

    Parameters
    ----------
    pos, neg : ndarray
        The scores of positives and of negatives (system, document), without ties.
    prior : Prior
        The weights of the prior documents.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> from stanoff import Prior
    >>> mean, sd = auc_moments(rng.normal(1, 1, (2, 100)), rng.normal(0, 1, (2, 100)), Prior())
    >>> abs(mean) < 0.2, 0.03 < sd < 0.06
    (True, True)
    """
    n_pos, n_neg = pos.shape[1], neg.shape[1]
    if not n_pos or not n_neg:
        return 0.0, np.inf
    is_pos = np.arange(n_pos + n_neg) < n_pos
    scores = np.concatenate([pos, neg], axis=1)
    # Which share of each class lies below each document: A's less B's.
    below_pos, below_neg = (
        share_below(members[0], scores[0]) - share_below(members[1], scores[1])
        for members in (pos, neg)
    )
    classes = []
    for members, n, alpha in ((is_pos, n_pos, "alpha_pos"), (~is_pos, n_neg, "alpha_neg")):
        observed, mass = n * bootstrap_shape(n), float(single(prior).weights(alpha, 1)[0])
        total = observed + mass
        weights = (members * observed / n + mass / len(is_pos)) / total
        share = weights[is_pos].sum()
        classes.append((weights, total, share * below_pos + (1 - share) * below_neg))
    (weights, total, placed_pos), (weights_neg, total_neg, placed_neg) = classes
    variance = float(weights @ (placed_neg - weights @ placed_neg) ** 2) / (total + 1)
    variance += float(weights_neg @ (placed_pos - weights_neg @ placed_pos) ** 2) / (total_neg + 1)
    return float(weights @ placed_neg), float(np.sqrt(variance))


def draw_more_documents(
    counts: Data, prior: Priors, n: int, size: int, rng: np.random.Generator
) -> Data:
    """Draw data sets of n documents on top of those observed, per system where each has its own.

    Every data set first draws what may be true from the posterior, then the documents given that.
    """
    model = PAIRED if counts.paired else Unpaired()
    draws = model.sample_exact(model.stan_data(counts, prior), size, rng)
    names = tuple(map(str, range(size)))
    if isinstance(counts, PairedCounts):
        mu = draws["mu"]
        pos, neg = mu * draws["theta_pos"][:, 0], (1 - mu) * draws["theta_neg"][:, 0]
        new = rng.multinomial(n, _normalize(np.concatenate([pos, neg], axis=1)))
        return PairedCounts(names, new[:, :4] + counts.pos, new[:, 4:] + counts.neg)
    assert counts.cells is not None
    cells = (
        rng.multinomial(n, _normalize(draws["cells"][:, system, 0])) + observed
        for system, observed in enumerate(counts.cells)
    )
    return UnpairedCounts(names, *cells)


def draw_more_values(
    moments: tuple[float, float, float], observed: int, new: int, size: int, rng: Any
) -> StudentTPosterior:
    """Draw values on top of those observed, of items or of test folds of the same documents.

    Differences of two folds have a correlation. What all folds of these documents have in common
    stays as it is: only the rest is drawn.

    Parameters
    ----------
    moments : tuple of float
        Mean and standard deviation of the observed differences, and the correlation of two folds;
        0 of items.
    observed, new : int
        How many items or folds there are, and how many are added.
    size, rng : int, Generator
        How many data sets, each of which gets the posterior of its difference, and randomness.
    """
    mean, sd, rho = moments
    total, squares = observed + new, sd**2 * (observed - 1)
    within = squares / rng.chisquare(observed - 1, size)  # (1 - rho) sigma^2
    apart = np.sqrt(within * (1 / observed + 1 / new)) * rng.standard_normal(size)
    new_squares = within * rng.chisquare(new - 1, size) if new > 1 else np.zeros(size)
    all_squares = squares + new_squares + observed * new / total * apart**2
    variance = all_squares / (total - 1) * (1 / total + rho / (1 - rho))
    return StudentTPosterior(total - 1, mean + new / total * apart, np.sqrt(variance))


def draw_more_scores(
    mean: float, sd: float, observed: int, new: int, size: int, rng: np.random.Generator
) -> StudentTPosterior:
    """Draw scored documents, or clusters, on top of those observed: the variance goes as 1/n.

    Mean and standard deviation are those of the posterior of the difference, taken to be normal.
    """
    total, true = observed + new, mean + sd * rng.standard_normal(size)
    of_new = true + sd * np.sqrt(observed / new) * rng.standard_normal(size)
    scale = np.full(size, sd * np.sqrt(observed / total))
    return StudentTPosterior(np.inf, (observed * mean + new * of_new) / total, scale)


class ContestPosteriors(NamedTuple):
    """Normal posteriors of all systems of a contest, one per data set.

    Attributes
    ----------
    mean : ndarray
        Of the scores (data set, system).
    sd : ndarray
        Of the difference of two systems (system, system).
    rope, higher_is_better : tuple of float, bool
        Which of the others is hardest to tell from the leader depends on these.
    """

    mean: Array
    sd: Array
    rope: Interval
    higher_is_better: bool

    def hdi(self, prob: float) -> tuple[Array, Array]:
        """Return the HDI of the leader against that system which is hardest to tell from it."""
        utility = self.mean if self.higher_is_better else -self.mean
        row, leader = np.arange(len(utility)), utility.argmax(axis=1)
        difference = self.mean[row, leader][:, None] - self.mean
        half_width = self.sd[leader] * scipy.special.ndtri((1 + prob) / 2)
        low, high = difference - half_width, difference + half_width
        decisions = decide_all(low, high, self.rope, higher_is_better=self.higher_is_better)
        ease = np.select([decisions == ">>", decisions == "="], [2, 1], 0)
        ease[row, leader] = 3
        hardest = ease.argmin(axis=1)
        return low[row, hardest], high[row, hardest]


def draw_more_of_contest(
    draws: tuple[Array, Array], rule: Any, observed: int, new: int, size: int, rng: Any
) -> ContestPosteriors:
    """Draw what all systems do on more items: the covariance of their scores goes as 1/n.

    Parameters
    ----------
    draws : tuple of ndarray
        Of the scores by which pairs are judged, and of what may be true: of systems that learn
        from each other, where they do (draw, system).
    rule : tuple
        The ROPE, and whether higher is better.
    observed, new : int
        How many items there are, and how many are added.
    size, rng : int, Generator
        How many data sets, and randomness.
    """
    scores, truths = draws
    mean, covariance = scores.mean(axis=0), np.cov(scores.T)
    true, total = rng.choice(truths, size), observed + new
    noise = rng.multivariate_normal(np.zeros(len(mean)), covariance, size, method="eigh")
    of_new = true + np.sqrt(observed / new) * noise
    variance = np.diag(covariance)
    of_differences = variance[:, None] + variance - 2 * covariance
    sd = np.sqrt(np.maximum(of_differences, 0.0) * observed / total)
    return ContestPosteriors((observed * mean + new * of_new) / total, sd, *rule)


ClosedForms = StudentTPosterior | ContestPosteriors


def _normalize(probabilities: Array) -> Array:
    """Let rows sum to 1, which NumPy's multinomial wants more exactly than products do."""
    return np.asarray(probabilities / probabilities.sum(axis=-1, keepdims=True))


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
        self, data: Data | ClosedForms, seed: np.random.SeedSequence, *, shared: bool = True
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
        if not isinstance(data, Data):
            return data.hdi(self.question.hdi_prob)
        low, high = np.empty((2, len(data.categories)))
        blocks = (
            self._by_stan(data, seed)
            if self.uses_stan
            else self._by_exact_engine(data, seed, shared)
        )
        for which, delta in blocks:
            low[which], high[which] = hdi(delta, self.question.hdi_prob)
        return low, high

    @property
    def uses_stan(self) -> bool:
        """Whether Stan draws the posteriors."""
        return self.sampling.engine == "stan"

    def _by_exact_engine(self, data: Data, seed: np.random.SeedSequence, shared: bool) -> Blocks:
        model, measure = self.model, self.question.measure
        assert isinstance(model, ConjugateCounts)
        stan_data, rng = model.stan_data(data, self.sampling.prior), np.random.default_rng(seed)
        for which, cells in model.sample_exact_batch(stan_data, self.draws, rng, shared=shared):
            psi = measure(cells)  # (data set, system, draw)
            with np.errstate(invalid="ignore"):  # inf - inf is NaN: refused below
                delta = psi[:, 0] - psi[:, 1]
            if np.isnan(delta).any():
                raise InputError(
                    f"{measure.label} has no difference in some draws, where it is 0/0 or infinite "
                    "for both classifiers: choose another zero_division or measure."
                )
            yield which, delta

    def _by_stan(self, data: Data, seed: np.random.SeedSequence) -> Blocks:
        n, draws = len(data.categories), -(-self.draws // STAN_CHAINS)
        # Independent categories do not know of each other: a run serves many data sets.
        step = n if isinstance(self.model, ConjugateCounts) else 1
        starts = range(0, n, step)
        for start, child in zip(starts, seed.spawn(len(starts)), strict=True):
            which, state = slice(start, start + step), int(child.generate_state(1)[0] >> 2)
            sampling = replace(self.sampling, chains=STAN_CHAINS, draws=draws, seed=state)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SamplingWarning)  # of thousands some have it
                fitted = fit(rows(data, which), self.question, sampling)
            a, b = data.systems
            fitted, question = fitted.of_pair(a, b, self.question)
            # (chain, draw, data set)
            delta = Scores.of(fitted.model, fitted.draws.posterior, question, (0, 1)).delta
            yield which, np.moveaxis(delta, -1, 0).reshape(delta.shape[-1], -1)

    def decide(self, low: Array, high: Array) -> NDArray[np.str_]:
        """Decide on every HDI."""
        better = self.question.measure.higher_is_better
        return decide_all(low, high, self.question.rope, higher_is_better=better)


@dataclass(frozen=True)
class Chunk:
    """Some data sets of one generator, with the random numbers for them."""

    generator: DataGenerator
    size: int
    analyses: tuple[Analysis, ...]
    seed: np.random.SeedSequence

    def simulate(self) -> tuple[Data | ClosedForms, list[tuple[Array, Array]]]:
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
        total, per_chunk = n_simulations or self.n_simulations, self._per_chunk()
        chunks = [
            Chunk(
                generator,
                min(per_chunk, total - start),
                self.analyses,
                np.random.SeedSequence(self.seed, spawn_key=(first + index, turn)),
            )
            for turn, start in enumerate(range(0, total, per_chunk))
            for index, generator in enumerate(generators)
        ]
        title = f"Judging {len(generators)} x {total:,} data sets" if self.progress else ""
        results = run_parallel(
            count_decisions, chunks, jobs=self.jobs, executor=self.executor, title=title
        )
        counts = np.zeros((len(generators), len(self.analyses), len(DECISIONS)), dtype=np.int64)
        done = [(index, result) for index, result in enumerate(results) if result is not None]
        for index, result in done:
            counts[index % len(generators)] += result
        if not done:
            raise KeyboardInterrupt
        if len(done) == len(results):
            return counts, []
        return counts, [f"Interrupted: {len(done)} of {len(results)} parts of the study are done."]

    def _per_chunk(self) -> int:
        """Return how many data sets one worker takes at a time."""
        if self.analyses[0].uses_stan:
            together = all(isinstance(a.model, ConjugateCounts) for a in self.analyses)
            return STAN_PER_CHUNK if together else STAN_RUNS_PER_CHUNK
        if self.question.measure.kind == "scores":
            return SCORED_PER_CHUNK
        return max(1, NUMBERS_PER_CHUNK // self.analyses[0].draws)


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


def standard_error(reached: Any, total: Any) -> Any:
    """Return the Monte-Carlo standard error of a rate.

    One more success and one more failure keep it from being 0 where the rate is 0 or 1.
    """
    share = (reached + 1) / (total + 2)
    return np.sqrt(share * (1 - share) / total)


def run_parallel(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    executor: Any = None,
    title: str = "",
) -> list[Result | None]:
    """Apply a function to every task; after Ctrl-C return what is done, with None for the rest.

    Parameters
    ----------
    function : callable
        What to do with a task; it and the tasks can be sent to other processes.
    tasks : sequence
        In the order in which they had better be done.
    jobs, executor
        As in :func:`stanoff.power`.
    title : str
        What to call it on stderr while it runs; nothing is shown without.

    Examples
    --------
    >>> run_parallel(abs, [-1, 2], jobs=1)
    [1, 2]
    """
    # NumPy lets go of the interpreter while it draws, sorts and calculates: threads are as quick as
    # processes, start at once and share measures that the user has registered.
    threads = ThreadPoolExecutor(as_jobs(jobs)) if executor is None else None
    pool: Executor = threads or as_executor(executor)
    futures: list[Future[Result]] = []
    with show_progress(title, total=len(tasks), quiet=not title) as advance:
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
            if threads is not None:
                threads.shutdown()
    finished = [f.done() and not f.cancelled() and f.exception() is None for f in futures]
    results = [f.result() if ok else None for f, ok in zip(futures, finished, strict=True)]
    return results + [None] * (len(tasks) - len(results))
