"""Documents in the order of their scores: sorted once, then scored under any weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.measures.scores import LOSS, RANKS, ScoreMeasure
from stanoff.models.base import Array

Extra = Sequence[tuple[Array, NDArray[np.intp]]]


class Room:
    """Arrays that are used again and again: asking the system for memory takes longer than sums."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def of(self, shape: tuple[int, int], name: str) -> Array:
        """Return an array of this shape, whatever is in it."""
        kept = self._arrays.get(name)
        if kept is None or kept.size < shape[0] * shape[1]:
            kept = self._arrays[name] = np.empty(shape).reshape(-1)
        return kept[: shape[0] * shape[1]].reshape(shape)

    def like(self, array: Array, name: str) -> Array:
        """Return an array of the same shape."""
        return self.of((array.shape[0], array.shape[1]), name)


@dataclass(frozen=True, eq=False)
class Ranking:
    """The documents in the order of one system's scores, the highest first.

    Attributes
    ----------
    order : ndarray
        The documents.
    place : ndarray
        Where each document is in that order.
    positive : ndarray
        1 for positives, else 0, in that order.
    starts : ndarray or None
        Where each distinct score begins; None where all differ.
    """

    order: NDArray[np.intp]
    place: NDArray[np.intp]
    positive: Array
    starts: NDArray[np.intp] | None

    @classmethod
    def of(cls, truth: NDArray[np.int64], score: Array) -> Ranking:
        """Sort documents by their scores."""
        order = np.argsort(-score, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        ranked = score[order]
        starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        distinct = len(starts) == len(order)
        return cls(order, place, truth[order].astype(np.float64), None if distinct else starts)

    def masses(self, weight: Array, extra: Extra, room: Room) -> list[Array]:
        """Add up the weights of positives and of negatives by score (draw, score).

        Parameters
        ----------
        weight : ndarray
            The weights of all documents (draw, document).
        extra : sequence of tuple
            Prior weights of positives and of negatives, and the documents they lie at.
        room : Room
            Where the sums may be made.
        """
        ranked, pos = room.like(weight, "ranked"), room.like(weight, "pos")
        np.take(weight, self.order, axis=1, out=ranked, mode="clip")  # faster than "raise"
        np.multiply(ranked, self.positive, out=pos)
        ranked -= pos
        masses = [pos, ranked]
        first = np.arange(len(weight))[:, None] * weight.shape[1]
        for mass, (parts, where) in zip(masses, extra, strict=bool(extra)):
            np.add.at(mass.reshape(-1), (first + self.place[where]).ravel(), parts.ravel())
        if self.starts is not None:
            masses = [np.add.reduceat(mass, self.starts, axis=1) for mass in masses]
        return masses


class Row:
    """One row of the result: a category, or all of them pooled, with what is sorted once."""

    def __init__(self, truth: NDArray[np.int64], score: Array, measure: ScoreMeasure) -> None:
        self.truth, self.score, self.measure = truth, score, measure
        self.yes = truth.astype(np.float64)
        self.classes = np.flatnonzero(truth), np.flatnonzero(truth == 0)
        self.rankings: list[Ranking] = []
        if measure.computed_from == RANKS:
            self.rankings = [Ranking.of(truth, x) for x in score]
        elif measure.computed_from == LOSS:
            losses = np.stack([measure.losses(truth == 1, x) for x in score], axis=1)
            self.losses = self.yes[:, None] * losses, (1 - self.yes)[:, None] * losses

    def scores(self, weight: Array, share: Array, extra: Extra, room: Room) -> Array:
        """Score all systems under weights of documents (draw, system)."""
        measure = self.measure
        if measure.computed_from == RANKS:
            function: Any = measure.function
            found = [function(*r.masses(weight, extra, room), share) for r in self.rankings]
            return np.stack(found, axis=1)
        pos = summed(weight, self.yes)
        scale = share / pos, (1 - share) / (weight.sum(axis=1) - pos)
        if measure.computed_from == LOSS:
            parts = [scale[i][:, None] * (weight @ losses) for i, losses in enumerate(self.losses)]
            return np.asarray(parts[0] + parts[1])
        balanced = weight * np.where(self.truth, scale[0][:, None], scale[1][:, None])
        balanced *= len(self.yes)
        return one_by_one(measure, self.truth, self.score, balanced)


def one_by_one(
    measure: ScoreMeasure, truth: NDArray[np.int64], score: Array, weight: Array
) -> Array:
    """Call a function of the documents for every draw and system (draw, system)."""
    function: Any = measure.function
    return np.array([[function(truth, x, w) for x in score] for w in weight])


def summed(weight: Array, values: Array) -> Array:
    """Multiply a matrix with a vector in this thread: BLAS would start others."""
    return np.asarray(np.einsum("ij,j->i", weight, values))
