"""Data of which only the size matters: what a program is to draw anew."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.items import NO_CODES, ClusteredValues, ItemValues, RatioValues
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import Data, PairedCounts
from stanoff.models import Model
from stanoff.models.offers import kind_asked
from stanoff.models.own import OwnModel

MEASURES = {"labels": "f1", "scores": "auc", "values": "mean"}  # by default
RUNS = 5  # of each item, where a program counts right ones
IN_CLUSTER = 6  # items or documents


def kind_of(model: Model) -> str:
    """Return which kind of data a model is about: labels, scores or values."""
    return kind_asked(model.program_of.inputs) if isinstance(model, OwnModel) else "labels"


def design(model: Model, n: int, categories: int) -> Data:
    """Return data of this size, such as a model takes.

    Parameters
    ----------
    model : Model
        Whose program is to draw them anew.
    n : int
        How many documents each category has, or how many items there are.
    categories : int
        How many there are; values have none.
    """
    asked = set(model.program_of.inputs) if isinstance(model, OwnModel) else set()
    cluster = np.arange(n) // IN_CLUSTER if "cluster" in asked else NO_CODES
    match kind_of(model):
        case "values":
            return _values(n, asked, cluster)
        case "scores":
            return _scores(n, categories if {"K", "category"} & asked else 1, cluster)
    return _labels(n, categories)


def _labels(n: int, categories: int) -> PairedCounts:
    counts = np.zeros((2, categories, 4), dtype=np.int64)
    counts[:, :, 3] = [[n // 2], [n - n // 2]]
    return PairedCounts(_named(categories), *counts)


def _scores(n: int, categories: int, cluster: NDArray[np.int64]) -> ScoredDocuments:
    truth = np.tile(np.arange(n) % 2, (categories, 1))
    score = _two_columns(n)[:, None] + truth
    return ScoredDocuments(_named(categories), truth, score, cluster)


def _values(n: int, asked: set[str], cluster: NDArray[np.int64]) -> ItemValues:
    nothing = np.empty((2, 0))
    parts: dict[str, Any] = {"runs": nothing.astype(np.int64), "scatter": nothing}
    values = _two_columns(n)
    if {"right", "runs"} & asked:
        values = np.stack([np.arange(n), np.arange(n)[::-1]]) % (RUNS + 1) / RUNS
        parts = {"runs": np.full((2, n), RUNS), "scatter": RUNS * values * (1 - values)}
    parts |= {"categories": ("1",), "values": values, "dataset": NO_CODES}
    if "denominator" in asked:
        own = cluster if len(cluster) else np.arange(n)
        return RatioValues(cluster=own, denominator=np.ones((2, n)), **parts)
    return ClusteredValues(cluster=cluster, **parts) if len(cluster) else ItemValues(**parts)


def _two_columns(n: int) -> NDArray[np.float64]:
    """Return two columns of normal numbers, the second in another order."""
    from scipy.special import ndtri

    normal = ndtri((np.arange(n) + 0.5) / n)
    return np.stack([normal, np.roll(normal, n // 3)])


def _named(categories: int) -> tuple[str, ...]:
    return tuple(str(i + 1) for i in range(categories))
