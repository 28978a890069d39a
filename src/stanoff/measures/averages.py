"""Averages of a measure over categories, and over classes of which every document has one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stanoff.errors import InputError
from stanoff.measures.confusion import Array, Measure, ratio
from stanoff.measures.multiclass import MulticlassMeasure


def average_categories(measure: Measure, cells: ArrayLike, average: str) -> Array:
    """Average a measure over categories, the axis before the cells.

    Parameters
    ----------
    measure : Measure
        Which one.
    cells : array_like
        (..., category, cell).
    average : str
        ``"macro"``, the plain mean of the categories' scores; ``"weighted"``, their mean weighted
        by prevalence; ``"micro"``, the score of the pooled cells.

    Examples
    --------
    >>> from stanoff.measures import get
    >>> cells = [[1, 0, 1, 2], [2, 1, 0, 1]]
    >>> float(average_categories(get("recall"), cells, "macro"))
    0.75
    """
    if isinstance(measure, MulticlassMeasure):
        raise InputError(
            f"{measure.label} is of classes of which every document has one: pass them to "
            "model='joint', the default for such labels."
        )
    cells = np.asarray(cells, dtype=np.float64)
    if average == "micro":
        return measure(cells.mean(axis=-2))  # pooled, and still probabilities if they were
    scores = measure(cells)
    if average == "macro":
        return np.asarray(scores.mean(axis=-1))
    support = cells[..., 0] + cells[..., 2]
    return ratio((scores * support).sum(axis=-1), support.sum(axis=-1), measure.zero_division)


def average_classes(measure: Measure, cells: ArrayLike, average: str) -> Array:
    """Average a measure over classes of which every document has exactly one.

    Accuracy and error are then those of the documents, however the classes are averaged: the share
    that got its class, not the mean over classes of being right about each.

    Examples
    --------
    >>> from stanoff.measures import get
    >>> cells = [[0.3, 0.2, 0.1, 0.4], [0.4, 0.1, 0.2, 0.3]]
    >>> round(float(average_classes(get("accuracy"), cells, "macro")), 3)
    0.7
    """
    if isinstance(measure, MulticlassMeasure):
        return measure.of_classes(cells)
    if measure.name in ("accuracy", "error"):
        tp, fn = np.asarray(cells)[..., 0].sum(axis=-1), np.asarray(cells)[..., 2].sum(axis=-1)
        # Of all classes these are all documents; of some, the documents of those.
        right = tp if np.allclose(tp + fn, 1) else ratio(tp, tp + fn, measure.zero_division)
        return np.asarray(right if measure.name == "accuracy" else 1 - right)
    return average_categories(measure, cells, average)
