"""Data of which only the size matters: what a program is to draw anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from stanoff.data.items import NO_CODES, ClusteredValues, ItemValues, RatioValues
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import Data, PairedCounts
from stanoff.models import Model
from stanoff.models import inputs as stan_inputs
from stanoff.models.custom import CustomModel

MEASURES = {"labels": "f1", "scores": "auc", "values": "mean"}  # by default
RUNS = 5  # of each item, where a program counts right ones
CLUSTER_SIZE = 6  # items or documents


def data_kind(model: Model) -> str:
    """Return which kind of data a model is about: labels, scores or values."""
    return (
        stan_inputs.data_kind(model.program.inputs) if isinstance(model, CustomModel) else "labels"
    )


def empty_data(model: Model, n: int, categories: int) -> Data:
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
    inputs = set(model.program.inputs) if isinstance(model, CustomModel) else set()
    cluster = np.arange(n) // CLUSTER_SIZE if "cluster" in inputs else NO_CODES
    match data_kind(model):
        case "values":
            return _empty_values(n, inputs, cluster)
        case "scores":
            return _empty_scores(n, categories if {"K", "category"} & inputs else 1, cluster)
    return _empty_labels(n, categories)


def _empty_labels(n: int, categories: int) -> PairedCounts:
    counts = np.zeros((2, categories, 4), dtype=np.int64)
    counts[:, :, 3] = [[n // 2], [n - n // 2]]
    return PairedCounts(_names(categories), *counts)


def _empty_scores(n: int, categories: int, cluster: NDArray[np.int64]) -> ScoredDocuments:
    truth = np.tile(np.arange(n) % 2, (categories, 1))
    score = _two_columns(n)[:, None] + truth
    return ScoredDocuments(_names(categories), truth, score, cluster)


def _empty_values(n: int, inputs: set[str], cluster: NDArray[np.int64]) -> ItemValues:
    nothing = np.empty((2, 0))
    arrays: dict[str, Any] = {"runs": nothing.astype(np.int64), "scatter": nothing}
    values = _two_columns(n)
    if {"right", "runs"} & inputs:
        values = np.stack([np.arange(n), np.arange(n)[::-1]]) % (RUNS + 1) / RUNS
        arrays = {"runs": np.full((2, n), RUNS), "scatter": RUNS * values * (1 - values)}
    arrays |= {"categories": ("1",), "values": values, "dataset": NO_CODES}
    if "denominator" in inputs:
        groups = cluster if len(cluster) else np.arange(n)
        return RatioValues(cluster=groups, denominator=np.ones((2, n)), **arrays)
    return ClusteredValues(cluster=cluster, **arrays) if len(cluster) else ItemValues(**arrays)


def _two_columns(n: int) -> NDArray[np.float64]:
    """Return two columns of normal numbers, the second in another order."""
    normal = scipy.special.ndtri((np.arange(n) + 0.5) / n)
    return np.stack([normal, np.roll(normal, n // 3)])


def _names(categories: int) -> tuple[str, ...]:
    return tuple(str(i + 1) for i in range(categories))
