"""Measures of one classifier over its confusion matrix (tp, fp, fn, tn): counts or probabilities.

Each built-in measure has a twin with the same code in ``stan/functions/measures.stanfunctions``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff.errors import InputError

Array = NDArray[np.float64]
CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Confusion:
    """The confusion matrix of a classifier, and how to divide its cells.

    Attributes
    ----------
    tp, fp, fn, tn : ndarray
        Arrays of one shape.
    zero_division : float
        What 0/0 is.
    beta : float
        The beta of F-beta.
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array
    zero_division: float
    beta: float

    def ratio(self, numerator: Array, denominator: Array) -> Array:
        """Divide: 0/0 is ``zero_division``, anything else over 0 is infinite."""
        return ratio(numerator, denominator, self.zero_division)

    @property
    def precision(self) -> Array:
        """Share of what was called positive that is."""
        return self.ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Array:
        """Share of the positives that were found."""
        return self.ratio(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> Array:
        """Share of the negatives that were left alone."""
        return self.ratio(self.tn, self.tn + self.fp)

    @property
    def accuracy(self) -> Array:
        """Share of all that is right."""
        return self.ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)


@dataclass(frozen=True)
class Measure:
    """A measure: what it is called, how it is computed, and which way is better.

    Attributes
    ----------
    name : str
        The word that ``compare(measure=...)`` takes.
    function : callable
        :class:`Confusion` to values, element by element.
    formula : str
        The definition, as shown in documentation.
    code : int or None
        Its number in the Stan programs; None for a measure that only Python knows.
    higher_is_better : bool
        False where a small value is good, as for error.
    range : tuple of float
        The least and the greatest value.
    beta, zero_division, prevalence : float
        The settings it is computed with.
    kind : str
        What the columns of the systems hold: ``"labels"``, ``"scores"``, ``"values"``
        or, where the truth is a number, too, ``"numbers"``.
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    formula: str
    code: int | None = None
    higher_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    beta: float = 1.0
    zero_division: float = 0.0
    prevalence: float | None = None
    kind: str = "labels"

    def __reduce__(self) -> tuple[Any, ...]:
        # A registered function goes to other processes by its name, for it may be a lambda.
        names = [name for name, function in FUNCTIONS.items() if function is self.function]
        settings = {f.name: getattr(self, f.name) for f in fields(self)}
        return _restore, (type(self), settings | {"function": (*names, self.function)[0]})

    @property
    def reads(self) -> str:
        """What is read, and made data of: ``kind``, or what such values are computed from."""
        return self.kind

    @property
    def takes_beta(self) -> bool:
        """Whether beta makes a difference."""
        return self.function is _fbeta

    @property
    def label(self) -> str:
        """The name that people read: F1, F0.5, recall, precision at prevalence 0.1."""
        name = f"F{self.beta:g}" if self.name == "fbeta" else self.name.replace("_", " ")
        return name if self.prevalence is None else f"{name} at prevalence {self.prevalence:g}"

    def __call__(self, cells: ArrayLike) -> Array:
        """Compute the measure of cells whose last axis is (tp, fp, fn, tn).

        Examples
        --------
        >>> float(MEASURES["fbeta"]([3, 1, 2, 4]))
        0.6666666666666666
        """
        array = np.asarray(cells, dtype=np.float64)
        if self.prevalence is not None:
            array = at_prevalence(array, self.prevalence)
        cells_first = np.moveaxis(array, -1, 0).view()
        cells_first.flags.writeable = False  # the draws stay as they are, whatever a measure does
        tp, fp, fn, tn = cells_first
        return np.asarray(self.function(Confusion(tp, fp, fn, tn, self.zero_division, self.beta)))

    def undefined(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Return where the measure is 0/0, so that ``zero_division`` stands in."""
        return np.isnan(replace(self, zero_division=float("nan"))(cells))


def ratio(numerator: Array, denominator: Array, zero_division: float) -> Array:
    """Divide: 0/0 is ``zero_division``, anything else over 0 is infinite."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out = np.where(numerator > 0, inf, zero_division)
    # "not 0" rather than "above 0", so that what is not a number stays so
    with np.errstate(over="ignore"):  # beyond what a double can hold is infinite
        quotient: Array = np.divide(numerator, denominator, out=out, where=denominator != 0)
    return quotient


def at_prevalence(cells: Array, prevalence: float) -> Array:
    """Return the cells as they would be if the positive class were this common."""
    positive = cells[..., 0] + cells[..., 2]
    negative = cells[..., 1] + cells[..., 3]
    to_positive = ratio(np.full_like(positive, prevalence), positive, 0.0)
    to_negative = ratio(np.full_like(negative, 1 - prevalence), negative, 0.0)
    scale = np.stack([to_positive, to_negative, to_positive, to_negative], axis=-1)
    return cells * np.where(abs(scale) < inf, scale, 0.0)


def _fbeta(c: Confusion) -> Array:
    # w is the weight of a miss against a false alarm: 0 at beta = 0, 1 at infinity.
    with np.errstate(divide="ignore", over="ignore"):
        w = 1 / (1 + 1 / np.square(np.float64(c.beta)))
    return c.ratio(c.tp, c.tp + w * c.fn + (1 - w) * c.fp)


def _mcc(c: Confusion) -> Array:
    roots = [np.sqrt(m) for m in (c.tp + c.fp, c.tp + c.fn, c.tn + c.fp, c.tn + c.fn)]
    return _signed_ratio(c, c.tp * c.tn - c.fp * c.fn, roots[0] * roots[1] * roots[2] * roots[3])


def _kappa(c: Confusion) -> Array:
    chance = (c.tp + c.fp) * (c.fp + c.tn) + (c.tp + c.fn) * (c.fn + c.tn)
    return _signed_ratio(c, 2 * (c.tp * c.tn - c.fp * c.fn), chance)


def _signed_ratio(c: Confusion, numerator: Array, denominator: Array) -> Array:
    out = np.full(np.shape(numerator), c.zero_division)
    return np.asarray(np.divide(numerator, denominator, out=out, where=denominator > 0))


def _error(c: Confusion) -> Array:
    return c.ratio(c.fp + c.fn, c.tp + c.fp + c.fn + c.tn)


def _balanced_accuracy(c: Confusion) -> Array:
    return (c.recall + c.specificity) / 2


def _auc_acc(c: Confusion) -> Array:
    return c.ratio(_balanced_accuracy(c), c.accuracy)


def _rho_plus(c: Confusion) -> Array:
    return c.ratio(c.tp * (c.tn + c.fp), c.fp * (c.tp + c.fn))


def _rho_minus(c: Confusion) -> Array:
    return c.ratio(c.fn * (c.tn + c.fp), c.tn * (c.tp + c.fn))


def _youden_j(c: Confusion) -> Array:
    return c.recall + c.specificity - 1


def _dor(c: Confusion) -> Array:
    return c.ratio(c.tp * c.tn, c.fp * c.fn)


_SIGNED, _POSITIVE, _REAL = (-1.0, 1.0), (0.0, inf), (-inf, inf)
_MCC = "(tp tn - fp fn) / √((tp + fp)(tp + fn)(tn + fp)(tn + fn))"
_KAPPA = "2 (tp tn - fp fn) / ((tp + fp)(fp + tn) + (tp + fn)(fn + tn))"

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("fbeta", _fbeta, "(1 + b²) tp / ((1 + b²) tp + b² fn + fp)", 1),
        Measure("precision", lambda c: c.precision, "tp / (tp + fp)", 2),
        Measure("recall", lambda c: c.recall, "tp / (tp + fn)", 3),
        Measure("specificity", lambda c: c.specificity, "tn / (tn + fp)", 4),
        Measure("accuracy", lambda c: c.accuracy, "(tp + tn) / (tp + fp + fn + tn)", 5),
        Measure("error", _error, "(fp + fn) / (tp + fp + fn + tn)", 6, False),
        Measure("npv", lambda c: c.ratio(c.tn, c.tn + c.fn), "tn / (tn + fn)", 7),
        Measure("fpr", lambda c: c.ratio(c.fp, c.fp + c.tn), "fp / (fp + tn)", 8, False),
        Measure("fnr", lambda c: c.ratio(c.fn, c.fn + c.tp), "fn / (fn + tp)", 9, False),
        Measure("balanced_accuracy", _balanced_accuracy, "(recall + specificity) / 2", 10),
        Measure("auc_acc", _auc_acc, "(recall + specificity) / (2 accuracy)", 11, True, _POSITIVE),
        Measure("rho_plus", _rho_plus, "recall / (1 - specificity)", 12, True, _POSITIVE),
        Measure("rho_minus", _rho_minus, "(1 - recall) / specificity", 13, False, _POSITIVE),
        Measure(
            "break_even", lambda c: (c.precision + c.recall) / 2, "(precision + recall) / 2", 14
        ),
        Measure(
            "g_mean", lambda c: np.sqrt(c.recall * c.specificity), "√(recall · specificity)", 15
        ),
        Measure("jaccard", lambda c: c.ratio(c.tp, c.tp + c.fp + c.fn), "tp / (tp + fp + fn)", 16),
        Measure("mcc", _mcc, _MCC, 17, True, _SIGNED),
        Measure("kappa", _kappa, _KAPPA, 18, True, _SIGNED),
        Measure("youden_j", _youden_j, "recall + specificity - 1", 19, True, _SIGNED),
        Measure("dor", _dor, "tp tn / (fp fn)", 20, True, _POSITIVE),
    )
}


def refuse_labels(confusion: Confusion) -> Array:
    """Stand in for the function of a measure that labels do not have."""
    raise InputError("The mean of values cannot be computed from labels.")


# Of values, one for each item (average precision of a topic, marks of an answer, a loss): there is
# no confusion matrix to compute them from, the model of the values averages them.
VALUES: dict[str, Measure] = {
    name: Measure(name, refuse_labels, formula, range=_REAL, kind="values")
    for name, formula in (
        ("mean", "mean of the values"),
        ("ratio", "sum of the values / sum of the denominator"),
    )
}


# What goes to other processes by its name: built-in functions, and registered ones of scores.
FUNCTIONS: dict[str, Callable[..., Any]] = {m.name: m.function for m in MEASURES.values()}


def _restore(kind: type[Measure], settings: dict[str, Any]) -> Measure:
    """Put a measure together again in another process."""
    function = settings["function"]
    return kind(**settings | {"function": FUNCTIONS.get(function, function)})
