"""The Bayesian bootstrap: documents at hand, weighed at random, stand for others.

Plain Dirichlet weights (Rubin 1981) make the variance of a mean (n - 1) / (n + 1) of what it should
be; Gamma weights of shape 1 - 2/n give exactly s^2 / n. A prior document per class, of which nobody
knows where it lies, is shared out over all documents by a Dirichlet process, so that perfect
separation has no zero width; means of losses do without. The share of positives is a Beta as in the
paired model. Where documents hang together, the weights are those of their clusters.

The weights are far too many to keep. What is kept are the scores; for another measure the same
weights are drawn again by the same seed. Documents are sorted once for each system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import ceil, log

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff._lib.arguments import cores
from stanoff.data.scores import ScoredClasses, ScoredDocuments, Scores
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import SCORES, Measure
from stanoff.measures.scores import CALLABLE, LOSS, RANKS, ScoreMeasure
from stanoff.models.base import Array, Inputs, Model, StanData, Variables, require
from stanoff.models.priors import Priors, single

NUMBERS_AT_ONCE = 2**17  # per block of draws: a few of these fit into the processor's cache
NUMBERS_WORTH_THREADS = 2**22  # in all
STICK_REST = 1e-4  # of the prior weight may be left when the last stick takes the rest
SMALLEST_FACTOR = 1e-9  # a factor that is closer to 1 than this is not drawn
RARE_FACTORS = 0.1  # so few factors differ from 1 that they are drawn one by one
SUM_ERROR = 1e-3  # probabilities of all classes may miss 1 by so much
MAX_CURVES, MIN_CURVES, MAX_NUMBERS = 1000, 100, 20_000_000
BINS = 10  # of probabilities
MICRO = "micro_of_"  # before the name of a variable: all categories pooled

Curve = Callable[[Array, Array, float], Array]  # of shares by score, and the share of positives
PriorDocuments = Sequence[tuple[Array, NDArray[np.intp]]]  # weights, and the documents they lie at


def bootstrap_shape(n: int) -> float:
    """Return the shape of the Gamma weights of n units.

    Examples
    --------
    >>> bootstrap_shape(100), bootstrap_shape(1)
    (0.98, 1.0)
    """
    return max(1 - 2 / n, 1 / n)


def cluster_shapes(sizes: NDArray[np.int64], draws: int, rng: Generator) -> Array:
    """Draw the shapes of the weights of clusters, one per draw.

    With few clusters the variance between them is itself uncertain, as in a t-test: the shape
    of :func:`bootstrap_shape` times a chi-square over its degrees of freedom. These are Kish's
    effective number of clusters, which falls short of their number where their sizes differ,
    less 1.
    """
    degrees = max(sizes.sum() ** 2 / (sizes.astype(np.float64) ** 2).sum() - 1, 1)
    return np.asarray(bootstrap_shape(len(sizes)) * rng.chisquare(degrees, draws) / degrees)


def cluster_weights(sizes: NDArray[np.int64], draws: int, rng: Generator) -> Array:
    """Draw weights of clusters that sum to 1 (draw, cluster)."""
    shapes = cluster_shapes(sizes, draws, rng)
    gammas = rng.standard_gamma(shapes[:, None], (draws, len(sizes)))
    gammas /= gammas.sum(axis=1, keepdims=True)
    return gammas


def rescale_gammas(
    gammas: Array, shape: float, rng: Generator, units: NDArray[np.intp] | None = None
) -> Array:
    """Turn Gammas of shape 1 (draw, unit) into ones of a smaller shape, in place.

    A Gamma of shape 1 times a Beta(shape, 1 - shape) is a Gamma of that shape. Of many units most
    get a factor that is 1 to nine digits: only the others are drawn. ``units`` are those that are
    rescaled, all by default.
    """
    if shape == 1:
        return gammas
    from scipy.special import betaincc, betainccinv

    rest, draws = 1 - shape, len(gammas)
    columns = np.arange(gammas.shape[1]) if units is None else units
    share = float(betaincc(rest, shape, SMALLEST_FACTOR))  # of the factors differ from 1
    if share > RARE_FACTORS:
        gammas[:, columns] *= rng.beta(shape, rest, (draws, len(columns)))
        return gammas
    n = rng.binomial(draws * len(columns), share)
    index = rng.choice(draws * len(columns), n, replace=False, shuffle=False)
    draw, unit = np.divmod(index, len(columns))
    gammas[draw, columns[unit]] *= 1 - betainccinv(rest, shape, share * rng.random(n))
    return gammas


def number_of_sticks(mass: float, rest: float = STICK_REST) -> int:
    """Return how many sticks leave next to nothing of a Dirichlet process of this mass."""
    return ceil(log(rest) / log(mass / (1 + mass)))


def break_sticks(draws: int, mass: float, rng: Generator) -> Array:
    """Break 1 into sticks (draw, stick), as a Dirichlet process of this mass does.

    What is left after each is the exponential of an arrival time.
    """
    n = number_of_sticks(mass)
    left = np.exp(-np.cumsum(rng.standard_exponential((draws, n - 1)), axis=1) / mass)
    return -np.diff(left, axis=1, prepend=1.0, append=0.0)


class Ranking:
    """The documents in the order of one system's scores, the highest first."""

    def __init__(self, truth: NDArray[np.int64], score: Array) -> None:
        self.order = np.argsort(-score, kind="stable")
        self.rank = np.empty_like(self.order)  # of each document
        self.rank[self.order] = np.arange(len(self.order))
        self.positive = truth[self.order].astype(np.float64)
        ranked = score[self.order]
        starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        self.starts = None if len(starts) == len(score) else starts  # of tied scores

    def class_weights(self, weight: Array, prior_documents: PriorDocuments = ()) -> list[Array]:
        """Add up the weights (draw, document) of positives and of negatives by score."""
        ranked = np.take(weight, self.order, axis=1, mode="clip")  # faster than "raise"
        positive = ranked * self.positive
        ranked -= positive
        masses = [positive, ranked]
        first = np.arange(len(weight))[:, None] * weight.shape[1]
        for mass, (pieces, documents) in zip(masses, prior_documents, strict=bool(prior_documents)):
            np.add.at(mass.reshape(-1), (first + self.rank[documents]).ravel(), pieces.ravel())
        if self.starts is not None:
            masses = [np.add.reduceat(mass, self.starts, axis=1) for mass in masses]
        return masses


class CategoryScorer:
    """One category, or all of them pooled: sorted once, and scored under any weights."""

    def __init__(self, truth: NDArray[np.int64], score: Array, measure: ScoreMeasure) -> None:
        self.truth, self.score, self.measure = truth, score, measure
        self.positive = truth.astype(np.float64)
        self.classes = np.flatnonzero(truth), np.flatnonzero(truth == 0)
        if measure.computed_from == RANKS:
            self.rankings = [Ranking(truth, scores) for scores in score]
        elif measure.computed_from == LOSS:
            losses = np.stack([measure.losses(truth == 1, scores) for scores in score], axis=1)
            self.losses = self.positive[:, None] * losses, (1 - self.positive)[:, None] * losses

    def draw_weights(
        self, gammas: Array, stan_data: StanData, rng: Generator
    ) -> tuple[Array, Array, PriorDocuments]:
        """Draw weights of documents, the share of positives, and the prior documents.

        Parameters
        ----------
        gammas : ndarray
            What the documents weigh in all categories (draw, document); it is changed.
        stan_data : mapping
            The weights of the prior, and whether documents hang together.
        rng : Generator
            The source of randomness.
        """
        positive = add_columns(gammas, self.positive)
        share = _draw_share(positive, gammas.sum(axis=1), stan_data["beta"], rng)
        if not len(stan_data["data"].cluster):
            for documents in self.classes:
                rescale_gammas(gammas, bootstrap_shape(len(documents)), rng, documents)
        return gammas, share, self.draw_prior_documents(len(gammas), stan_data, rng)

    def draw_prior_documents(
        self, draws: int, stan_data: StanData, rng: Generator
    ) -> PriorDocuments:
        """Draw the prior document of each class, in sticks that lie at any documents."""
        if self.measure.computed_from != RANKS:
            return ()
        documents = []
        for mass in stan_data["mass"]:
            pieces = rng.standard_gamma(mass, (draws, 1)) * break_sticks(draws, mass, rng)
            documents.append((pieces, rng.integers(0, len(self.truth), pieces.shape)))
        return documents

    def scores(self, weight: Array, share: Array, prior_documents: PriorDocuments = ()) -> Array:
        """Score all systems (draw, system) under weights of documents and a share of positives."""
        measure = self.measure
        if measure.prevalence is not None:
            share = np.full_like(share, measure.prevalence)
        if measure.computed_from == RANKS:
            masses = (ranking.class_weights(weight, prior_documents) for ranking in self.rankings)
            return np.stack([measure.function(*mass, share) for mass in masses], axis=1)
        positive = add_columns(weight, self.positive)
        scale = share / positive, (1 - share) / (weight.sum(axis=1) - positive)
        if measure.computed_from == LOSS:
            of_pos, of_neg = (scale[i][:, None] * (weight @ self.losses[i]) for i in (0, 1))
            return np.asarray(of_pos + of_neg)
        balanced = weight * np.where(self.truth, scale[0][:, None], scale[1][:, None])
        return _call_measure(measure, self.truth, self.score, balanced * len(self.truth))


def _call_measure(
    measure: ScoreMeasure, truth: NDArray[np.int64], score: Array, weight: Array
) -> Array:
    """Call a function of the documents for every draw and system (draw, system)."""
    return np.array([[measure.function(truth, x, w) for x in score] for w in weight])


def add_columns(weight: Array, values: Array) -> Array:
    """Multiply a matrix with a vector in this thread: BLAS would start others."""
    return np.asarray(np.einsum("ij,j->i", weight, values))


def draw_gammas(data: Scores, draws: int, rng: Generator) -> Array:
    """Draw Gamma weights of shape 1 (draw, document), or weights of clusters whose mean is 1."""
    if not len(data.cluster):
        return rng.standard_exponential((draws, data.n_documents()[0]))
    sizes = np.bincount(data.cluster)
    shapes = cluster_shapes(sizes, draws, rng)[:, None]
    gammas = rng.standard_gamma(shapes, (draws, len(sizes))) / shapes
    return np.asarray(gammas[:, data.cluster])


def _draw_share(pos: Array, total: Array, beta: Array, rng: Generator) -> Array:
    """Return the share of positives: sums of Gammas over sums of Gammas are Beta."""
    prior = rng.standard_gamma(beta, (len(pos), 2))
    return np.asarray((pos + prior[:, 0]) / (total + prior.sum(axis=1)))


class Bootstrap(Model):
    """Scores of any number of systems, by random weights; scores are kept by measure."""

    name = "bootstrap"
    observed = ("truth", "score")
    dims = {"mu": ("category",), "beta": ("truth",), "mass": ("truth",)}
    accepts = Scores

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return what the sampler needs; there is no program."""
        require(data, Scores, self.name, "scores of documents, such as for measure='auc'")
        assert isinstance(data, Scores)
        weights = single(prior).weights
        return {
            "data": data,
            "truth": data.truth,
            "score": data.score,
            "beta": weights("beta", 2),
            "mass": [float(weights(name, 1)[0]) for name in ("alpha_pos", "alpha_neg")],
            "measure": None if measure is None else check_measure(data, measure),
        }

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the scores of all systems in all categories, block by block."""
        data, measure = stan_data["data"], stan_data["measure"]
        draw = partial(
            _draw_classes if data.together else _Categories(data, measure).draw, stan_data
        )
        size = max(1, NUMBERS_AT_ONCE // data.truth.size)
        sizes = [min(size, draws - start) for start in range(0, draws, size)]
        many = draws * data.truth.size > NUMBERS_WORTH_THREADS
        several = many and measure.computed_from != CALLABLE
        with ThreadPoolExecutor(cores() if several else 1) as pool:
            blocks = list(pool.map(draw, sizes, rng.spawn(len(sizes))))
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Look the scores up, and average them over the categories."""
        assert isinstance(measure, ScoreMeasure)
        psi = draws[measure.variable]
        if average is None:
            return psi
        if psi.shape[-1] == 1:
            return super().scores({"psi": psi}, measure, average)
        share = draws["mu"][:, :, None]
        weighted = (psi * share).sum(axis=-1) / share.sum(axis=-1)
        averages = [psi.mean(axis=-1), draws[MICRO + measure.variable], weighted]
        return np.concatenate([psi, np.stack(averages, axis=-1)], axis=-1)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the documents as they are, each with the weight 1."""
        measure = check_measure(data, measure)
        if measure.observed is not None:
            return np.array(measure.observed)
        assert isinstance(data, Scores)
        if data.together:
            psi = _score_classes(data, measure, np.ones((1, len(data.truth))))
            drawn = {measure.variable: psi[None, ..., None]}
        else:
            assert isinstance(data, ScoredDocuments)
            drawn = _Categories(data, measure).observed(data.truth.mean(axis=1))
        return np.asarray(self.scores(drawn, measure, average)[0, 0])


BOOTSTRAP = Bootstrap()


class _Categories:
    """The documents of every category, and all of them pooled as micro-averages do."""

    def __init__(self, data: ScoredDocuments, measure: ScoreMeasure) -> None:
        by_category = zip(data.truth, np.moveaxis(data.score, 1, 0), strict=True)
        self.scorers = [CategoryScorer(truth, score, measure) for truth, score in by_category]
        self.measure, self.pooled = measure, self.scorers[0]
        if len(self.scorers) > 1:
            score = data.score.reshape(len(data.systems), -1)
            self.pooled = CategoryScorer(data.truth.ravel(), score, measure)

    def draw(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw scores (draw, system, category), the shares of positives, and pooled scores."""
        gammas, several = draw_gammas(stan_data["data"], draws, rng), len(self.scorers) > 1
        psi, mu = [], []
        for scorer in self.scorers:
            weights = gammas.copy() if several else gammas
            weight, share, prior_documents = scorer.draw_weights(weights, stan_data, rng)
            psi.append(scorer.scores(weight, share, prior_documents))
            mu.append(share)
        drawn = {self.measure.variable: np.stack(psi, axis=-1), "mu": np.stack(mu, axis=-1)}
        if several:
            k, pooled = len(self.scorers), self.pooled
            positive = np.sum([add_columns(gammas, s.positive) for s in self.scorers], axis=0)
            share = _draw_share(positive, k * gammas.sum(axis=1), stan_data["beta"], rng)
            prior_documents = pooled.draw_prior_documents(draws, stan_data, rng)
            micro = pooled.scores(np.tile(gammas, k), share, prior_documents)
            drawn[MICRO + self.measure.variable] = micro
        return drawn

    def observed(self, mu: Array) -> dict[str, Array]:
        """Score the documents as they are, each with the weight 1, given shares of positives."""
        psi = [s.scores(np.ones((1, len(s.truth))), mu[[k]]) for k, s in enumerate(self.scorers)]
        drawn = {self.measure.variable: np.stack(psi, axis=-1)[None], "mu": mu[None, None]}
        if len(self.scorers) > 1:
            ones = np.ones((1, len(self.pooled.truth)))
            micro = self.pooled.scores(ones, np.array([mu.mean()]))[None]
            drawn[MICRO + self.measure.variable] = micro
        return drawn


def _draw_classes(stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
    """Draw the scores of all classes together (draw, system, 1)."""
    data, measure = stan_data["data"], stan_data["measure"]
    weight = draw_gammas(data, draws, rng)
    if not len(data.cluster):
        rescale_gammas(weight, bootstrap_shape(len(data.truth)), rng)
    return {measure.variable: _score_classes(data, measure, weight)[..., None]}


def _score_classes(data: Scores, measure: ScoreMeasure, weight: Array) -> Array:
    """Score all systems by the probabilities of all classes (draw, system)."""
    if measure.computed_from == CALLABLE:
        return _call_measure(measure, data.truth, data.score, weight)
    happened = np.arange(data.score.shape[-1]) == data.truth[:, None]
    losses = np.stack([measure.losses(happened, p) for p in data.score], axis=1)
    return np.asarray(weight @ losses / weight.sum(axis=1)[:, None])


def check_measure(data: Data, measure: Measure) -> ScoreMeasure:
    """Refuse a measure that these scores do not allow."""
    if not isinstance(measure, ScoreMeasure):
        hint = "pass what was predicted, such as scores >= 0.5, or measure='auc'"
        raise InputError(f"{measure.label} takes labels, and these are scores: {hint}.")
    if not isinstance(data, Scores):
        raise InputError(f"{measure.label} takes scores, and these are labels.")
    if data.together and measure.computed_from == RANKS:
        rule = "log_loss or brier for all classes together, or average= for one against the rest"
        raise invalid("measure", rule, measure.name)
    if data.together and measure.prevalence is not None:
        what = "numbers" if data.kind == "numbers" else "several classes"
        raise invalid("prevalence", f"None for {what}", measure.prevalence)
    if measure.probabilities:
        for name, score in zip(data.systems, data.score, strict=True):
            _check_probabilities(data, measure, name, score)
    return measure


def _check_probabilities(data: Scores, measure: ScoreMeasure, name: str, score: Array) -> None:
    low, high = float(score.min()), float(score.max())
    if low < 0 or high > 1:
        raise InputError(
            f"{measure.label} takes probabilities between 0 and 1, but the scores of {name} "
            f"go from {low:g} to {high:g}: calibrate them first, or pass measure='auc'."
        )
    if isinstance(data, ScoredClasses):
        error = np.abs(score.sum(axis=-1) - 1)
        happened = np.arange(score.shape[-1]) == data.truth[:, None]
        if error.max() > SUM_ERROR:
            row = int(error.argmax())
            total = f"those of row {row + 1} sum to {score[row].sum():g}"
            raise InputError(f"The probabilities of {name} must sum to 1, but {total}.")
    else:
        happened, score = (data.truth == 1).ravel(), score.ravel()
    infinite = ~np.isfinite(measure.losses(happened, score))
    if infinite.any():
        row = int(infinite.argmax()) % data.n_documents()[0]
        raise InputError(
            f"{measure.label} of {name} is infinite: it gave probability 0 to what happened in "
            f"{int(infinite.sum()):,} documents, the first in row {row + 1}. Pass clip=1e-6, or so."
        )


# Curves of scores: ROC, precision against recall, reliability.


def of_category(data: ScoredDocuments, category: str) -> ScoredDocuments:
    """Keep one category alone."""
    k = data.categories.index(category)
    return replace(data, categories=(category,), truth=data.truth[[k]], score=data.score[:, [k]])


def roc_curves(data: ScoredDocuments, prior: Priors, seed: int, at: Array) -> Array:
    """Draw the share of positives found at shares of negatives that are called positive.

    Parameters
    ----------
    data : ScoredDocuments
        Of one category.
    prior : Prior
        The weights of the prior.
    seed : int
        Makes the draws reproducible.
    at : ndarray
        Shares of the negatives.

    Returns
    -------
    ndarray
        The curves of all systems (draw, system, share); the first is that of the data.
    """
    return _draw_curves(data, prior, seed, lambda pos, neg, share: np.interp(at, neg, pos))


def precision_curves(data: ScoredDocuments, prior: Priors, seed: int, at: Array) -> Array:
    """Draw the precision at shares of the positives that are found; else as :func:`roc_curves`."""

    def precision(pos: Array, neg: Array, share: float) -> Array:
        index = np.minimum(np.searchsorted(pos, at - 1e-12), len(pos) - 1)
        right, wrong = share * pos[index], (1 - share) * neg[index]
        return np.asarray(right / np.maximum(right + wrong, 1e-300))

    return _draw_curves(data, prior, seed, precision)


def reliability(data: ScoredDocuments, prior: Priors, seed: int) -> tuple[Array, Array]:
    """Draw how often what has a probability happens, in bins of equal width.

    Returns
    -------
    tuple of ndarray
        The mean probability in each bin (system, bin), and the share of positives (draw, system,
        bin), whose first draw is that of the data; NaN where there is no document.
    """
    truth, bins = data.truth[0], np.minimum((data.score[:, 0] * BINS).astype(int), BINS - 1)

    def mean_by_bin(values: Array, weight: Array, index: Array) -> Array:
        total = np.bincount(index, weights=weight, minlength=BINS)
        sums = np.bincount(index, weights=weight * values, minlength=BINS)
        return np.asarray(np.divide(sums, total, out=np.full(BINS, np.nan), where=total > 0))

    ones = np.ones(len(truth))
    mean = [mean_by_bin(p, ones, index) for p, index in zip(data.score[:, 0], bins, strict=True)]
    happened = []
    for scorer, weight, share, _ in _draw_weights(data, prior, seed):
        pos = float(weight @ scorer.positive)
        balanced = weight * np.where(truth, share / pos, (1 - share) / (weight.sum() - pos))
        happened.append([mean_by_bin(scorer.positive, balanced, index) for index in bins])
    return np.array(mean), np.array(happened)


def _draw_curves(data: ScoredDocuments, prior: Priors, seed: int, curve: Curve) -> Array:
    """Draw curves of the shares of positives and negatives from the highest score down."""
    curves: list[list[Array]] = []
    for scorer, weight, share, prior_documents in _draw_weights(data, prior, seed):
        curves.append([])
        for ranking in scorer.rankings:
            masses = ranking.class_weights(weight[None], prior_documents)
            pos, neg = (np.concatenate([[0.0], np.cumsum(mass[0])]) for mass in masses)
            curves[-1].append(curve(pos / pos[-1], neg / neg[-1], share))
    return np.array(curves)


def _draw_weights(
    data: ScoredDocuments, prior: Priors, seed: int
) -> Iterator[tuple[CategoryScorer, Array, float, PriorDocuments]]:
    """Draw weights of the documents, draw by draw; the first are all 1."""
    stan_data = BOOTSTRAP.stan_data(data, prior, SCORES["auc"])
    scorer = CategoryScorer(data.truth[0], data.score[:, 0], SCORES["auc"])
    yield scorer, np.ones(len(scorer.truth)), float(scorer.positive.mean()), ()
    rng = np.random.default_rng(seed)
    for _ in range(max(MIN_CURVES, min(MAX_CURVES, MAX_NUMBERS // len(scorer.truth)))):
        weight, share, documents = scorer.draw_weights(draw_gammas(data, 1, rng), stan_data, rng)
        yield scorer, weight[0], float(share[0]), documents
