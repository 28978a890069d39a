"""Weights: how scores would come out on other documents, by weighing those at hand at random.

Every document gets a random weight, so that the documents of a class have Gamma weights of shape
1 - 2/n. A prior document per class, of which nobody knows where it lies, is shared out over all
documents by a Dirichlet process, so that perfect separation has no zero width; means of losses
do without. The share of positives is a Beta as in the paired model. Where documents hang together,
the weights are those of their clusters.

The weights are far too many to keep. What is kept are the scores; for another measure the same
weights are drawn again by the same seed. One draw costs a few sweeps over the documents: they are
sorted once for each system.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from stanoff._lib.arguments import cores
from stanoff.data.scores import ScoredClasses, ScoredDocuments, Scores
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.measures.scores import CALLABLE, RANKS, ScoreMeasure
from stanoff.models.base import Array, Block, Model, Variables, no_theorem
from stanoff.models.priors import Priors, single
from stanoff.models.sorting import Extra, Room, Row, one_by_one, summed
from stanoff.models.weighing import cluster_shapes, shape_of, sticks, thinned

AT_ONCE = 2**17  # numbers per block of draws: a few of these fit into the cache
WORTH_THREADS = 2**22  # numbers in all
DRAWS = 4000  # by default
SUM_ERROR = 1e-3  # probabilities of all classes may miss 1 by so much
MICRO = "micro_of_"  # before the name of a variable: all categories pooled


def draw(block: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the scores of all systems in all categories, block by block."""
    if block["prior_only"]:
        return {}  # weights of documents that nobody has seen say nothing of their scores
    data, measure = block["data"], block["measure"]
    if isinstance(data, ScoredClasses):
        drawn = partial(_classes_drawn, data, measure)
    else:
        rows = [Row(*pair, measure) for pair in zip(data.truth, _by_category(data), strict=True)]
        pooled = _pooled(data, measure) if len(rows) > 1 else None
        drawn = partial(_categories_drawn, data, block, rows, pooled)
    size = max(1, AT_ONCE // data.truth.size)
    sizes = [min(size, draws - start) for start in range(0, draws, size)]
    jobs = list(zip(sizes, rng.spawn(len(sizes)), strict=True))
    several = measure.computed_from != CALLABLE and draws * data.truth.size > WORTH_THREADS
    workers = min(cores(), len(jobs)) if several else 1

    def work(first: int) -> list[dict[str, Array]]:
        room = Room()
        return [drawn(*job, room) for job in jobs[first::workers]]

    if workers == 1:
        done = [work(0)]
    else:
        with ThreadPoolExecutor(workers) as pool:
            done = list(pool.map(work, range(workers)))
    parts = [done[i % workers][i // workers] for i in range(len(jobs))]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _by_category(data: ScoredDocuments) -> Array:
    return np.moveaxis(data.score, 1, 0)


def _pooled(data: ScoredDocuments, measure: ScoreMeasure) -> Row:
    """Take every document of every category as one, as micro-averages do."""
    return Row(data.truth.ravel(), data.score.reshape(len(data.systems), -1), measure)


def documents_drawn(data: Scores, draws: int, rng: np.random.Generator, room: Room) -> Array:
    """Draw Gamma weights of shape 1 (draw, document), or weights of clusters whose mean is 1."""
    cluster = data.cluster
    if not len(cluster):
        room_for = room.of((draws, data.n_documents()[0]), "every")
        return rng.standard_exponential(out=room_for)
    sizes = np.bincount(cluster)
    shapes = cluster_shapes(sizes, draws, rng)[:, None]
    return np.asarray((rng.standard_gamma(shapes, (draws, len(sizes))) / shapes)[:, cluster])


def _classes_drawn(
    data: ScoredClasses,
    measure: ScoreMeasure,
    draws: int,
    rng: np.random.Generator,
    room: Room,
) -> dict[str, Array]:
    weight = documents_drawn(data, draws, rng, room)
    if not len(data.cluster):
        thinned(weight, shape_of(len(data.truth)), rng)
    return {measure.variable: _of_classes(data, measure, weight)[..., None]}


def _of_classes(data: ScoredClasses, measure: ScoreMeasure, weight: Array) -> Array:
    """Score all systems by the probabilities of all classes (draw, system)."""
    if measure.computed_from == CALLABLE:
        return one_by_one(measure, data.truth, data.score, weight)
    happened = np.arange(data.score.shape[-1]) == data.truth[:, None]
    losses = np.stack([measure.losses(happened, p) for p in data.score], axis=1)
    return np.asarray(weight @ losses / weight.sum(axis=1)[:, None])


def _categories_drawn(
    data: ScoredDocuments,
    block: Mapping[str, Any],
    rows: list[Row],
    pooled: Row | None,
    draws: int,
    rng: np.random.Generator,
    room: Room,
) -> dict[str, Array]:
    measure: ScoreMeasure = block["measure"]
    every = documents_drawn(data, draws, rng, room)
    out = np.empty((draws, len(data.systems), len(rows)))
    mu = np.empty((draws, len(rows)))
    for k, row in enumerate(rows):
        place = room.like(every, "weight") if len(rows) > 1 else every
        weight, mu[:, k], extra = row_drawn(data, block, row, every, place, rng)
        out[..., k] = row.scores(weight, _at(measure, mu[:, k]), extra, room)
    drawn = {measure.variable: out, "mu": mu}
    if pooled is not None:
        pos = np.sum([summed(every, row.yes) for row in rows], axis=0)
        share = _share(pos, len(rows) * every.sum(axis=1), block["beta"], rng)
        extra = _prior(block, pooled, draws, rng)
        weight = np.tile(every, len(rows))
        scored = pooled.scores(weight, _at(measure, share), extra, room)
        drawn[MICRO + measure.variable] = scored
    return drawn


def row_drawn(
    data: ScoredDocuments,
    block: Mapping[str, Any],
    row: Row,
    every: Array,
    place: Array,
    rng: np.random.Generator,
) -> tuple[Array, Array, Extra]:
    """Draw the weights of documents in one category, the share of positives, the prior documents.

    Parameters
    ----------
    data, block, row
        What is weighed, the weights of the prior, the category.
    every : ndarray
        The weights that the documents have in all categories (draw, document).
    place : ndarray
        Where to put those of this category; it may be ``every`` itself.
    rng : Generator
        The source of randomness.
    """
    share = _share(summed(every, row.yes), every.sum(axis=1), block["beta"], rng)
    if place is not every:
        place[:] = every
    if not len(data.cluster):
        for documents in row.classes:
            thinned(place, shape_of(len(documents)), rng, documents)
    return place, share, _prior(block, row, len(every), rng)


def _share(pos: Array, total: Array, beta: Array, rng: np.random.Generator) -> Array:
    """Return the share of positives: sums of Gammas over sums of Gammas are Beta."""
    prior = rng.standard_gamma(beta, (len(pos), 2))
    return np.asarray((pos + prior[:, 0]) / (total + prior.sum(axis=1)))


def _at(measure: ScoreMeasure, share: Array) -> Array:
    return share if measure.prevalence is None else np.full_like(share, measure.prevalence)


def _prior(block: Mapping[str, Any], row: Row, draws: int, rng: np.random.Generator) -> Extra:
    """Draw the prior document of each class, in sticks that lie at any documents."""
    if row.measure.computed_from != RANKS:
        return []
    extra = []
    for mass in block["mass"]:
        parts = rng.standard_gamma(mass, (draws, 1)) * sticks(draws, mass, rng)
        extra.append((parts, rng.integers(0, len(row.truth), parts.shape)))
    return extra


class Weights(Model):
    """The model: it keeps scores under the name of their measure."""

    def stan_data(self, data: Data, prior: Priors, measure: Measure) -> Block:
        """Gather what the sampler needs; there is no program."""
        return {**self.data(data, prior), "measure": _checked(data, measure), "prior_only": 0}

    def knows(self, draws: Variables, measure: Measure) -> bool:
        """Return whether these draws have the scores of a measure."""
        return isinstance(measure, ScoreMeasure) and measure.variable in draws

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Look the scores up, and average them over the categories."""
        assert isinstance(measure, ScoreMeasure)
        psi = draws[measure.variable]
        if average is None:
            return psi
        if psi.shape[-1] == 1:
            return np.repeat(psi, 4, axis=-1)
        share = draws["mu"][:, :, None]
        weighted = (psi * share).sum(axis=-1) / share.sum(axis=-1)
        more = [psi.mean(axis=-1), draws[MICRO + measure.variable], weighted]
        return np.concatenate([psi, np.stack(more, axis=-1)], axis=-1)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the documents as they are, each with the weight 1."""
        measure = _checked(data, measure)
        if measure.observed is not None:
            return np.array(measure.observed)
        one, room = np.ones((1, data.n_documents()[0])), Room()
        if isinstance(data, ScoredClasses):
            found = {measure.variable: _of_classes(data, measure, one)[None, ..., None]}
            return np.asarray(self.scores(found, measure, average)[0, 0])
        assert isinstance(data, ScoredDocuments)
        mu = data.truth.mean(axis=1)
        rows = [Row(*pair, measure) for pair in zip(data.truth, _by_category(data), strict=True)]
        share = _at(measure, mu)
        each = [row.scores(one, share[[k]], (), room) for k, row in enumerate(rows)]
        found = {measure.variable: np.stack(each, axis=-1)[None], "mu": mu[None, None]}
        if len(rows) > 1 and average is not None:
            pooled, share = _pooled(data, measure), np.array([mu.mean()])
            every = np.ones((1, data.truth.size))
            scored = pooled.scores(every, _at(measure, share), (), room)
            found[MICRO + measure.variable] = scored[None]
        return np.asarray(self.scores(found, measure, average)[0, 0])


def _checked(data: Data, measure: Measure) -> ScoreMeasure:
    """Refuse a measure that these scores do not allow."""
    if not isinstance(measure, ScoreMeasure):
        raise InputError(
            f"{measure.label} takes labels, and these are scores: pass what was predicted, for "
            "example scores >= 0.5, or measure='auc'."
        )
    if not isinstance(data, Scores):
        raise InputError(f"{measure.label} takes scores, and these are labels.")
    together = isinstance(data, ScoredClasses)
    if together and measure.computed_from == RANKS:
        rule = "log_loss or brier for all classes together, or average= for one against the rest"
        raise invalid("measure", rule, measure.name)
    if together and measure.prevalence is not None:
        raise invalid("prevalence", "None for several classes", measure.prevalence)
    if measure.probabilities:
        _check_probabilities(data, measure)
    return measure


def _check_probabilities(data: Scores, measure: ScoreMeasure) -> None:
    for name, score in zip(data.systems, data.score, strict=True):
        low, high = float(score.min()), float(score.max())
        if low < 0 or high > 1:
            raise InputError(
                f"{measure.label} takes probabilities between 0 and 1, but the scores of {name} "
                f"go from {low:g} to {high:g}: calibrate them first, or judge the ranking by "
                "measure='auc'."
            )
        if isinstance(data, ScoredClasses):
            off = np.abs(score.sum(axis=-1) - 1)
            happened = np.arange(score.shape[-1]) == data.truth[:, None]
            if off.max() > SUM_ERROR:
                row = int(off.argmax())
                raise InputError(
                    f"The probabilities of {name} must sum to 1, but those of row {row + 1} sum "
                    f"to {score[row].sum():g}."
                )
        else:
            happened, score = (data.truth == 1).ravel(), score.ravel()
        infinite = ~np.isfinite(measure.losses(happened, score))
        if infinite.any():
            row = int(infinite.argmax()) % data.n_documents()[0]
            raise InputError(
                f"{measure.label} of {name} is infinite: it gave probability 0 to what happened "
                f"in {int(infinite.sum()):,} documents, the first in row {row + 1}. Pass clip=, "
                "such as clip=1e-6, to bound probabilities away from 0 and 1."
            )


def data(scored: Data, prior: Priors) -> Block:
    """Gather the documents and the prior weights."""
    if not isinstance(scored, Scores):
        raise InputError("The weights model needs scores of documents, such as for measure='auc'.")
    shared = single(prior)
    mass = [float(shared.weights(name, 1)[0]) for name in ("alpha_pos", "alpha_neg")]
    return {
        "data": scored,
        "truth": scored.truth,
        "score": scored.score,
        "beta": shared.weights("beta", 2),
        "mass": mass,
    }


WEIGHTS = Weights(
    name="bootstrap",
    data=data,
    observed=("truth", "score"),
    dims={"mu": ("category",)},
    exact=draw,
    prior_density_infinite_at_zero=no_theorem,
    default_for=Scores,
    engine="exact",
    program=False,
    most_systems=None,
    exact_draws=DRAWS,
)
