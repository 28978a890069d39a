"""Measures of one classifier over its cells (tp, fp, fn, tn): counts or probabilities.

Each built-in measure has a twin with the same code in ``stan/functions/measures.stanfunctions``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff.errors import invalid, unknown

Array = NDArray[np.float64]
CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Measure:
    """A measure: what it is called, how it is computed, and which way is better.

    Attributes
    ----------
    name : the word that ``compare(measure=...)`` takes
    function : ``(tp, fp, fn, tn, beta, zero_division)`` to values, element by element
    formula : the definition, as shown in documentation
    code : its number in the Stan programs; None for a measure that only Python knows
    higher_is_better : False where a small value is good, as for error
    beta, zero_division : the settings it is computed with
    """

    name: str
    function: Callable[[Array, Array, Array, Array, float, float], Array]
    formula: str
    code: int | None = None
    higher_is_better: bool = True
    beta: float = 1.0
    zero_division: float = 0.0

    @property
    def label(self) -> str:
        """The name that people read: F1, F0.5, recall."""
        return f"F{self.beta:g}" if self.name == "fbeta" else self.name

    def __call__(self, cells: ArrayLike) -> Array:
        """Compute the measure of cells whose last axis is (tp, fp, fn, tn).

        Examples
        --------
        >>> float(get("f1")([3, 1, 2, 4]))
        0.6666666666666666
        """
        tp, fp, fn, tn = np.moveaxis(np.asarray(cells, dtype=np.float64), -1, 0)
        return self.function(tp, fp, fn, tn, self.beta, self.zero_division)

    def undefined(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Tell where the measure is 0/0, so that ``zero_division`` stands in."""
        return np.isnan(replace(self, zero_division=float("nan"))(cells))


def ratio(numerator: Array, denominator: Array, zero_division: float) -> Array:
    """Divide; where the denominator is 0, the result is ``zero_division``."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out = np.full(numerator.shape, zero_division, dtype=np.float64)
    return np.divide(numerator, denominator, out=out, where=denominator > 0)


def _fbeta(tp: Array, fp: Array, fn: Array, tn: Array, beta: float, zero: float) -> Array:
    # w is the weight of a miss against a false alarm: 0 at beta = 0, 1 at infinity.
    with np.errstate(divide="ignore", over="ignore"):
        w = 1 / (1 + 1 / np.square(np.float64(beta)))
    return ratio(tp, tp + w * fn + (1 - w) * fp, zero)


def _precision(tp: Array, fp: Array, fn: Array, tn: Array, beta: float, zero: float) -> Array:
    return ratio(tp, tp + fp, zero)


def _recall(tp: Array, fp: Array, fn: Array, tn: Array, beta: float, zero: float) -> Array:
    return ratio(tp, tp + fn, zero)


def _specificity(tp: Array, fp: Array, fn: Array, tn: Array, beta: float, zero: float) -> Array:
    return ratio(tn, tn + fp, zero)


def _accuracy(tp: Array, fp: Array, fn: Array, tn: Array, beta: float, zero: float) -> Array:
    return ratio(tp + tn, tp + fp + fn + tn, zero)


def _error(tp: Array, fp: Array, fn: Array, tn: Array, beta: float, zero: float) -> Array:
    return ratio(fp + fn, tp + fp + fn + tn, zero)


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("fbeta", _fbeta, "(1 + b²) tp / ((1 + b²) tp + b² fn + fp)", code=1),
        Measure("precision", _precision, "tp / (tp + fp)", code=2),
        Measure("recall", _recall, "tp / (tp + fn)", code=3),
        Measure("specificity", _specificity, "tn / (tn + fp)", code=4),
        Measure("accuracy", _accuracy, "(tp + tn) / (tp + fp + fn + tn)", code=5),
        Measure("error", _error, "(fp + fn) / (tp + fp + fn + tn)", code=6, higher_is_better=False),
    )
}


def get(name: str, *, beta: float = 1.0, zero_division: float | str = 0.0) -> Measure:
    """Look up a measure and set its options.

    Parameters
    ----------
    name : a registered name; ``"f1"`` is F-beta
    beta : weight of recall in F-beta, from 0 (precision) to infinity (recall)
    zero_division : the value of the measure where it is 0/0: 0, 1 or NaN; ``"warn"`` is 0, and
        stanoff always tells when it matters

    Examples
    --------
    >>> get("f1", beta=2).label
    'F2'
    """
    key = "fbeta" if name == "f1" else name
    if not isinstance(key, str) or key not in MEASURES:
        raise unknown("measure", name, ["f1", *MEASURES])
    if isinstance(beta, bool) or not isinstance(beta, Real) or not float(beta) >= 0:
        raise invalid("beta", "a number >= 0", beta)
    zero = 0.0 if isinstance(zero_division, str) and zero_division == "warn" else zero_division
    if not isinstance(zero, Real) or not (float(zero) in (0, 1) or isnan(zero)):
        raise invalid("zero_division", "0, 1 or NaN", zero_division)
    return replace(MEASURES[key], beta=float(beta), zero_division=float(zero))


def averaged(measure: Measure, cells: ArrayLike, average: str) -> Array:
    """Average a measure over categories, the axis before the cells.

    Parameters
    ----------
    measure : which one
    cells : (..., category, cell)
    average : ``"macro"``, the plain mean of the categories' scores; ``"weighted"``, their mean
        weighted by prevalence; ``"micro"``, the score of the pooled cells

    Examples
    --------
    >>> cells = [[1, 0, 1, 2], [2, 1, 0, 1]]
    >>> [round(float(averaged(get("recall"), cells, how)), 3) for how in ("macro", "micro")]
    [0.75, 0.75]
    """
    cells = np.asarray(cells, dtype=np.float64)
    if average == "micro":
        return measure(cells.sum(axis=-2))
    scores = measure(cells)
    if average == "macro":
        return np.asarray(scores.mean(axis=-1))
    support = cells[..., 0] + cells[..., 2]
    return ratio((scores * support).sum(axis=-1), support.sum(axis=-1), measure.zero_division)
