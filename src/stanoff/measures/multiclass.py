"""Measures of several categories or classes: averages, and those of all classes at once.

The latter are for documents that have one label each, as in scikit-learn.

All of them follow from how many documents each class has, how many are given it, and how many of
these are right: so from every class against the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stanoff.errors import InputError
from stanoff.measures.confusion import FUNCTIONS, MEASURES, Array, Measure, ratio

PREFIX = "multiclass_"
LABELS = {"balanced_accuracy": "balanced accuracy", "mcc": "MCC", "kappa": "Cohen's kappa"}


class MulticlassMeasure(Measure):
    """A measure of all classes; of one class against the rest it is the binary measure."""

    @property
    def binary(self) -> str:
        """What it is of two classes."""
        return self.name.removeprefix(PREFIX)

    @property
    def label(self) -> str:
        """The name that people read."""
        return f"multi-class {LABELS[self.binary]}"

    def of_classes(self, cells: ArrayLike) -> Array:
        """Compute the measure of cells tp, fp, fn, tn (..., class, cell).

        Examples
        --------
        >>> cells = [[2, 1, 0, 3], [1, 0, 1, 4], [1, 1, 1, 3]]  # of six documents
        >>> round(float(MULTICLASS["multiclass_kappa"].of_classes(cells)), 6)
        0.5
        """
        tp, fp, fn, tn = np.moveaxis(np.asarray(cells, dtype=np.float64), -1, 0)
        total = (tp + fp + fn + tn)[..., 0]
        true, predicted = (tp + fn) / total[..., None], (tp + fp) / total[..., None]
        if not np.allclose(true.sum(axis=-1), 1):
            raise InputError(f"{self.label} is of all classes together: leave labels= out.")
        if self.binary == "balanced_accuracy":
            occurs = tp + fn > 0
            recall = np.divide(tp, tp + fn, out=np.zeros_like(tp), where=occurs)
            return ratio(recall.sum(axis=-1), occurs.sum(axis=-1), self.zero_division)
        right, chance = tp.sum(axis=-1) / total, (true * predicted).sum(axis=-1)
        if self.binary == "kappa":
            scale = 1 - chance
        else:
            spread = [1 - (share**2).sum(axis=-1) for share in (true, predicted)]
            scale = np.sqrt(np.maximum(spread[0], 0) * np.maximum(spread[1], 0))
        undefined = np.full(scale.shape, self.zero_division)
        return np.asarray(np.divide(right - chance, scale, out=undefined, where=scale > 1e-15))


_FORMULAS = {
    "balanced_accuracy": "mean over classes of recall",
    "mcc": "(p - sum t q) / √((1 - sum t²)(1 - sum q²))",
    "kappa": "(p - sum t q) / (1 - sum t q)",
}
MULTICLASS: dict[str, MulticlassMeasure] = {
    PREFIX + name: MulticlassMeasure(
        PREFIX + name, FUNCTIONS[name], formula, range=MEASURES[name].range
    )
    for name, formula in _FORMULAS.items()
}


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
