"""Data sets as they may come out: of a scenario, or as a posterior expects the next ones.

Generators are sent to workers, so they are plain data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.data.types import Data, PairedCounts, UnpairedCounts
from stanoff.inference.decision import decide_all
from stanoff.inference.posterior import StudentTPosterior
from stanoff.measures.scores import share_below
from stanoff.models.bootstrap import bootstrap_shape
from stanoff.models.counts import PAIRED, Unpaired
from stanoff.models.priors import Priors, single
from stanoff.planning.scenario import AucScenario, Scenario

Array = NDArray[np.float64]

MAX_SCORED = 5_000  # documents; in larger test sets only the spread differs


class DataGenerator:
    """Whatever data sets can be drawn from."""

    @property
    def shared_random_numbers(self) -> bool:
        """Whether its data sets differ so much that draws of their posteriors may be shared."""
        return True

    def draw(
        self, size: int, rng: np.random.Generator
    ) -> Data | StudentTPosterior | ContestPosteriors:
        """Draw so many data sets: a row of counts each, or the posterior that each has."""
        raise NotImplementedError


@dataclass(frozen=True)
class ScenarioDocuments(DataGenerator):
    """Documents of a scenario.

    Attributes
    ----------
    scenario : Scenario
        What is true.
    n : int
        Documents per data set; per system where each has its own.
    same_documents : bool
        Whether both systems judge the same documents.
    """

    scenario: Scenario
    n: int
    same_documents: bool = True

    def draw(self, size: int, rng: np.random.Generator) -> Data:
        """Draw so many data sets.

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> counts = ScenarioDocuments(Scenario.named("a"), 100).draw(3, rng)
        >>> (counts.pos.sum(axis=1) + counts.neg.sum(axis=1)).tolist()
        [100, 100, 100]
        """
        names = tuple(map(str, range(size)))
        if self.same_documents:
            counts = rng.multinomial(self.n, _normalize(self.scenario.probabilities), size)
            return PairedCounts(names, counts[:, :4], counts[:, 4:])
        a, b = (rng.multinomial(self.n, _normalize(cells), size) for cells in self.scenario.cells)
        return UnpairedCounts(names, a, b)


@dataclass(frozen=True)
class ScenarioScores(DataGenerator):
    """Scored documents of a scenario of two AUCs.

    Attributes
    ----------
    scenario : AucScenario
        What is true.
    n : int
        Documents per data set.
    prior : Prior
        That of the bootstrap model, by which each data set is judged.
    """

    scenario: AucScenario
    n: int
    prior: Priors

    def draw(self, size: int, rng: np.random.Generator) -> StudentTPosterior:
        """Draw so many data sets, and return the posterior of the difference of each.

        It is the normal distribution with the first two moments of the bootstrap model's posterior.
        Without positives or negatives it is as wide as it can be.
        """
        n = min(self.n, MAX_SCORED)
        moments = [auc_moments(*self.draw_scores(n, rng), self.prior) for _ in range(size)]
        mean, sd = np.array(moments).reshape(-1, 2).T
        narrower, true = np.sqrt(max(1.0, self.n / MAX_SCORED)), self.scenario.delta()
        sd = np.minimum(sd, 1.0)  # no difference of AUCs exceeds 1
        return StudentTPosterior(np.inf, true + (mean - true) / narrower, sd / narrower)

    def draw_scores(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw the scores of positives and of negatives (system, document) of one data set."""
        true = self.scenario
        means = np.sqrt(2) * scipy.special.ndtri(
            [true.auc_a, true.auc_b]
        )  # AUC = Phi(mean / sqrt 2)
        score = rng.standard_normal((2, n))
        score[1] = true.correlation * score[0] + np.sqrt(1 - true.correlation**2) * score[1]
        positives = rng.binomial(n, true.positives)
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
    weights, concentrations = [], []
    for members, n, alpha in ((is_pos, n_pos, "alpha_pos"), (~is_pos, n_neg, "alpha_neg")):
        observed, mass = n * bootstrap_shape(n), float(single(prior).weights(alpha, 1)[0])
        weights.append((members * observed / n + mass / len(is_pos)) / (observed + mass))
        concentrations.append(observed + mass)
    placed_pos, placed_neg = (  # documents of a class are alike
        share * below_pos + (1 - share) * below_neg
        for share in (weight[is_pos].sum() for weight in weights)
    )
    mean, variance = float(weights[0] @ placed_neg), 0.0
    for weight, placed, total in zip(
        weights, (placed_neg, placed_pos), concentrations, strict=True
    ):
        variance += float(weight @ (placed - weight @ placed) ** 2) / (total + 1)
    return mean, float(np.sqrt(variance))


@dataclass(frozen=True, eq=False)
class MoreDocuments(DataGenerator):
    """Labelled documents on top of those observed, as the posterior expects them.

    Every data set first draws what may be true from the posterior, then the documents given that.

    Attributes
    ----------
    counts : PairedCounts or UnpairedCounts
        What was observed, one row.
    prior : Prior or tuple of Prior
        The prior of what documents will be like.
    n : int
        How many documents are added; per system where each has its own.
    """

    counts: Data
    prior: Priors
    n: int

    @property
    def shared_random_numbers(self) -> bool:
        """False where most documents of all data sets are the same: these would err alike."""
        return self.n >= max(self.counts.n_documents())

    def draw(self, size: int, rng: np.random.Generator) -> Data:
        """Draw so many data sets."""
        model = PAIRED if self.counts.paired else Unpaired()
        draws = model.sample_exact(model.stan_data(self.counts, self.prior), size, rng)
        names = tuple(map(str, range(size)))
        if isinstance(self.counts, PairedCounts):
            mu = draws["mu"]
            pos, neg = mu * draws["theta_pos"][:, 0], (1 - mu) * draws["theta_neg"][:, 0]
            new = rng.multinomial(self.n, _normalize(np.concatenate([pos, neg], axis=1)))
            return PairedCounts(names, new[:, :4] + self.counts.pos, new[:, 4:] + self.counts.neg)
        assert isinstance(self.counts, UnpairedCounts)
        a, b = (
            rng.multinomial(self.n, _normalize(draws["cells"][:, system, 0])) + observed
            for system, observed in enumerate(self.counts.cells)
        )
        return UnpairedCounts(names, a, b)


@dataclass(frozen=True)
class MoreValues(DataGenerator):
    """Values on top of those observed: of items, or of test folds of the same documents.

    Differences of two folds have a correlation. What all folds of these documents have in common
    stays as it is: only the rest is drawn.

    Attributes
    ----------
    mean, sd : float
        Of the observed differences.
    rho : float
        The correlation of two folds; 0 of items.
    observed : int
        How many items or folds there are.
    n : int
        How many are added.
    """

    mean: float
    sd: float
    rho: float
    observed: int
    n: int

    def draw(self, size: int, rng: np.random.Generator) -> StudentTPosterior:
        """Draw so many data sets, and return the posterior of the difference of each."""
        observed, new, total = self.observed, self.n, self.observed + self.n
        squares = self.sd**2 * (observed - 1)
        within = squares / rng.chisquare(observed - 1, size)  # (1 - rho) sigma^2
        apart = np.sqrt(within * (1 / observed + 1 / new)) * rng.standard_normal(size)
        new_squares = within * rng.chisquare(new - 1, size) if new > 1 else np.zeros(size)
        all_squares = squares + new_squares + observed * new / total * apart**2
        variance = all_squares / (total - 1) * (1 / total + self.rho / (1 - self.rho))
        return StudentTPosterior(total - 1, self.mean + new / total * apart, np.sqrt(variance))


@dataclass(frozen=True)
class MoreScores(DataGenerator):
    """Scored documents, or clusters, on top of those observed: the variance goes as 1/n.

    Attributes
    ----------
    mean, sd : float
        Of the posterior of the difference, taken to be normal.
    observed : int
        How many documents or clusters there are.
    n : int
        How many are added.
    """

    mean: float
    sd: float
    observed: int
    n: int

    def draw(self, size: int, rng: np.random.Generator) -> StudentTPosterior:
        """Draw so many data sets, and return the posterior of the difference of each."""
        total = self.observed + self.n
        true = self.mean + self.sd * rng.standard_normal(size)
        new = true + self.sd * np.sqrt(self.observed / self.n) * rng.standard_normal(size)
        scale = np.full(size, self.sd * np.sqrt(self.observed / total))
        mean = (self.observed * self.mean + self.n * new) / total
        return StudentTPosterior(np.inf, mean, scale)


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


@dataclass(frozen=True, eq=False)
class MoreOfContest(DataGenerator):
    """What all systems do on more items: the covariance of their scores goes as 1/n.

    Attributes
    ----------
    scores : ndarray
        Draws of the scores by which pairs are judged (draw, system).
    truths : ndarray
        Draws of what may be true: of systems that learn from each other, where they do.
    observed : int
        How many items there are.
    n : int
        How many are added.
    rope, higher_is_better : tuple of float, bool
        How pairs are judged.
    """

    scores: Array
    truths: Array
    observed: int
    n: int
    rope: Interval
    higher_is_better: bool

    def draw(self, size: int, rng: np.random.Generator) -> ContestPosteriors:
        """Draw so many data sets, and return the posterior of each."""
        mean, covariance = self.scores.mean(axis=0), np.cov(self.scores.T)
        true, total = rng.choice(self.truths, size), self.observed + self.n
        noise = rng.multivariate_normal(np.zeros(len(mean)), covariance, size, method="eigh")
        new = true + np.sqrt(self.observed / self.n) * noise
        variance = np.diag(covariance)
        of_differences = variance[:, None] + variance - 2 * covariance
        return ContestPosteriors(
            (self.observed * mean + self.n * new) / total,
            np.sqrt(np.maximum(of_differences, 0.0) * self.observed / total),
            self.rope,
            self.higher_is_better,
        )


def _normalize(probabilities: Array) -> Array:
    """Let rows sum to 1, which NumPy's multinomial wants more exactly than products do."""
    return np.asarray(probabilities / probabilities.sum(axis=-1, keepdims=True))
