"""Measures of one classifier over its cells (tp, fp, fn, tn): counts or probabilities.

Each built-in measure has a twin with the same code in ``stan/functions/measures.stanfunctions``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf, isnan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff.errors import InputError, invalid, unknown

Array = NDArray[np.float64]
CELLS = ("tp", "fp", "fn", "tn")
ALIASES = {"f1": "fbeta", "sensitivity": "recall", "auc": "balanced_accuracy"}


@dataclass(frozen=True)
class Cells:
    """The cells of a classifier, and how to divide them.

    Attributes
    ----------
    tp, fp, fn, tn : arrays of one shape
    zero_division : what 0/0 is
    beta : the beta of F-beta
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
    name : the word that ``compare(measure=...)`` takes
    function : :class:`Cells` to values, element by element
    formula : the definition, as shown in documentation
    code : its number in the Stan programs; None for a measure that only Python knows
    higher_is_better : False where a small value is good, as for error
    range : the least and the greatest value
    beta, zero_division, prevalence : the settings it is computed with
    """

    name: str
    function: Callable[[Cells], Array] = field(repr=False)
    formula: str
    code: int | None = None
    higher_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    beta: float = 1.0
    zero_division: float = 0.0
    prevalence: float | None = None

    @property
    def label(self) -> str:
        """The name that people read: F1, F0.5, recall, precision at prevalence 0.1."""
        name = f"F{self.beta:g}" if self.name == "fbeta" else self.name.replace("_", " ")
        return name if self.prevalence is None else f"{name} at prevalence {self.prevalence:g}"

    def __call__(self, cells: ArrayLike) -> Array:
        """Compute the measure of cells whose last axis is (tp, fp, fn, tn).

        Examples
        --------
        >>> float(get("f1")([3, 1, 2, 4]))
        0.6666666666666666
        """
        return np.asarray(self.computed(np.asarray(cells, dtype=np.float64)))

    def computed(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Compute the measure as calling it does, on an array of any kind of numbers."""
        array = cells
        if self.prevalence is not None:
            array = shifted(array, self.prevalence)
        cells_first = np.moveaxis(array, -1, 0).view()
        cells_first.flags.writeable = False  # the draws stay as they are, whatever a measure does
        tp, fp, fn, tn = cells_first
        return self.function(Cells(tp, fp, fn, tn, self.zero_division, self.beta))

    def undefined(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Tell where the measure is 0/0, so that ``zero_division`` stands in."""
        return np.isnan(replace(self, zero_division=float("nan"))(cells))


def ratio(numerator: Array, denominator: Array, zero_division: float) -> Array:
    """Divide: 0/0 is ``zero_division``, anything else over 0 is infinite."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    kind = np.result_type(numerator, denominator, np.float64)  # exact numbers are objects
    out = np.where(numerator > 0, inf, zero_division).astype(kind, copy=False)
    # "not 0" rather than "above 0", so that what is not a number stays so
    quotient: Array = np.divide(numerator, denominator, out=out, where=denominator != 0)
    return quotient


def shifted(cells: Array, prevalence: float) -> Array:
    """Return the cells as they would be if the positive class were this common."""
    positive = cells[..., 0] + cells[..., 2]
    negative = cells[..., 1] + cells[..., 3]
    to_positive = ratio(np.full_like(positive, prevalence), positive, 0.0)
    to_negative = ratio(np.full_like(negative, 1 - prevalence), negative, 0.0)
    scale = np.stack([to_positive, to_negative, to_positive, to_negative], axis=-1)
    return cells * np.where(abs(scale) < inf, scale, 0.0)


def _fbeta(c: Cells) -> Array:
    # w is the weight of a miss against a false alarm: 0 at beta = 0, 1 at infinity.
    with np.errstate(divide="ignore", over="ignore"):
        w = 1 / (1 + 1 / np.square(np.float64(c.beta)))
    return c.ratio(c.tp, c.tp + w * c.fn + (1 - w) * c.fp)


def _mcc(c: Cells) -> Array:
    roots = [np.sqrt(m) for m in (c.tp + c.fp, c.tp + c.fn, c.tn + c.fp, c.tn + c.fn)]
    return _signed_ratio(c, c.tp * c.tn - c.fp * c.fn, roots[0] * roots[1] * roots[2] * roots[3])


def _kappa(c: Cells) -> Array:
    chance = (c.tp + c.fp) * (c.fp + c.tn) + (c.tp + c.fn) * (c.fn + c.tn)
    return _signed_ratio(c, 2 * (c.tp * c.tn - c.fp * c.fn), chance)


def _signed_ratio(c: Cells, numerator: Array, denominator: Array) -> Array:
    kind = np.result_type(numerator, denominator, np.float64)
    out = np.full(np.shape(numerator), c.zero_division, dtype=kind)
    return np.divide(numerator, denominator, out=out, where=denominator > 0)


_SIGNED, _POSITIVE = (-1.0, 1.0), (0.0, inf)

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("fbeta", _fbeta, "(1 + b²) tp / ((1 + b²) tp + b² fn + fp)", 1),
        Measure("precision", lambda c: c.precision, "tp / (tp + fp)", 2),
        Measure("recall", lambda c: c.recall, "tp / (tp + fn)", 3),
        Measure("specificity", lambda c: c.specificity, "tn / (tn + fp)", 4),
        Measure("accuracy", lambda c: c.accuracy, "(tp + tn) / (tp + fp + fn + tn)", 5),
        Measure(
            "error",
            lambda c: c.ratio(c.fp + c.fn, c.tp + c.fp + c.fn + c.tn),
            "(fp + fn) / (tp + fp + fn + tn)",
            6,
            higher_is_better=False,
        ),
        Measure("npv", lambda c: c.ratio(c.tn, c.tn + c.fn), "tn / (tn + fn)", 7),
        Measure(
            "fpr",
            lambda c: c.ratio(c.fp, c.fp + c.tn),
            "fp / (fp + tn)",
            8,
            higher_is_better=False,
        ),
        Measure(
            "fnr",
            lambda c: c.ratio(c.fn, c.fn + c.tp),
            "fn / (fn + tp)",
            9,
            higher_is_better=False,
        ),
        Measure(
            "balanced_accuracy",
            lambda c: (c.recall + c.specificity) / 2,
            "(recall + specificity) / 2",
            10,
        ),
        Measure(
            "auc_acc",
            lambda c: c.ratio((c.recall + c.specificity) / 2, c.accuracy),
            "(recall + specificity) / (2 accuracy)",
            11,
            range=_POSITIVE,
        ),
        Measure(
            "rho_plus",
            lambda c: c.ratio(c.tp * (c.tn + c.fp), c.fp * (c.tp + c.fn)),
            "recall / (1 - specificity)",
            12,
            range=_POSITIVE,
        ),
        Measure(
            "rho_minus",
            lambda c: c.ratio(c.fn * (c.tn + c.fp), c.tn * (c.tp + c.fn)),
            "(1 - recall) / specificity",
            13,
            higher_is_better=False,
            range=_POSITIVE,
        ),
        Measure(
            "break_even", lambda c: (c.precision + c.recall) / 2, "(precision + recall) / 2", 14
        ),
        Measure(
            "g_mean", lambda c: np.sqrt(c.recall * c.specificity), "√(recall · specificity)", 15
        ),
        Measure("jaccard", lambda c: c.ratio(c.tp, c.tp + c.fp + c.fn), "tp / (tp + fp + fn)", 16),
        Measure(
            "mcc",
            _mcc,
            "(tp tn - fp fn) / √((tp + fp)(tp + fn)(tn + fp)(tn + fn))",
            17,
            range=_SIGNED,
        ),
        Measure(
            "kappa",
            _kappa,
            "2 (tp tn - fp fn) / ((tp + fp)(fp + tn) + (tp + fn)(fn + tn))",
            18,
            range=_SIGNED,
        ),
        Measure(
            "youden_j",
            lambda c: c.recall + c.specificity - 1,
            "recall + specificity - 1",
            19,
            range=_SIGNED,
        ),
        Measure(
            "dor",
            lambda c: c.ratio(c.tp * c.tn, c.fp * c.fn),
            "tp tn / (fp fn)",
            20,
            range=_POSITIVE,
        ),
    )
}


def get(
    name: str,
    *,
    beta: float = 1.0,
    zero_division: float | str = 0.0,
    prevalence: float | None = None,
) -> Measure:
    """Look up a measure and set its options.

    Parameters
    ----------
    name : a registered name, or one of ``ALIASES``
    beta : weight of recall in F-beta, from 0 (precision) to infinity (recall)
    zero_division : the value of the measure where it is 0/0: 0, 1 or NaN; ``"warn"`` is 0, and
        stanoff always tells when it matters
    prevalence : share of positives to compute the measure for, instead of the one in the data

    Examples
    --------
    >>> get("f1", beta=2).label
    'F2'
    """
    key = ALIASES.get(name, name) if isinstance(name, str) else name
    if not isinstance(key, str) or key not in MEASURES:
        raise unknown("measure", name, [*ALIASES, *MEASURES])
    if isinstance(beta, bool) or not isinstance(beta, Real) or not float(beta) >= 0:
        raise invalid("beta", "a number >= 0", beta)
    zero = 0.0 if isinstance(zero_division, str) and zero_division == "warn" else zero_division
    if not isinstance(zero, Real) or not (float(zero) in (0, 1) or isnan(zero)):
        raise invalid("zero_division", "0, 1 or NaN", zero_division)
    if prevalence is not None:
        if not isinstance(prevalence, Real) or not 0 < float(prevalence) < 1:
            raise invalid("prevalence", "a number between 0 and 1, both excluded", prevalence)
        prevalence = float(prevalence)
    return replace(
        MEASURES[key], beta=float(beta), zero_division=float(zero), prevalence=prevalence
    )


def register(
    name: str,
    *,
    formula: str = "",
    higher_is_better: bool = True,
    range: tuple[float, float] = (-inf, inf),
) -> Callable[[Callable[[Any, Any, Any, Any], Any]], Callable[[Any, Any, Any, Any], Any]]:
    """Make a function of tp, fp, fn, tn a measure of its own, usable at once.

    Parameters
    ----------
    name : what it is called
    formula : its definition, for documentation
    higher_is_better : False where a small value is good
    range : its least and greatest value

    Examples
    --------
    >>> @register("cost", formula="5 fn + fp", higher_is_better=False)
    ... def cost(tp, fp, fn, tn):
    ...     return 5 * fn + fp
    >>> float(get("cost")([0.4, 0.1, 0.2, 0.3]))
    1.1
    >>> del MEASURES["cost"]
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise invalid("name", "letters, digits and underscores", name)
    if name in MEASURES or name in ALIASES:
        raise InputError(f"There is a measure called {name!r} already.")

    def put(function: Callable[[Any, Any, Any, Any], Any]) -> Callable[[Any, Any, Any, Any], Any]:
        def score(c: Cells) -> Array:
            try:
                with np.errstate(divide="ignore", invalid="ignore"):
                    values = np.asarray(function(c.tp, c.fp, c.fn, c.tn), dtype=c.tp.dtype)
            except (TypeError, ValueError) as error:
                raise InputError(f"measure {name} must work on arrays: {error}.") from error
            if values.shape != c.tp.shape:
                raise invalid(f"measure {name}", f"of the shape {c.tp.shape}", values.shape)
            return np.where(values == values, values, c.zero_division)  # NaN is not itself

        MEASURES[name] = Measure(
            name, score, formula or name, None, higher_is_better=higher_is_better, range=range
        )
        return function

    return put


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
        return measure(cells.mean(axis=-2))  # pooled, and still probabilities if they were
    scores = measure(cells)
    if average == "macro":
        return np.asarray(scores.mean(axis=-1))
    support = cells[..., 0] + cells[..., 2]
    return ratio((scores * support).sum(axis=-1), support.sum(axis=-1), measure.zero_division)


def of_classes(measure: Measure, cells: ArrayLike, average: str) -> Array:
    """Average a measure over classes of which every document has exactly one.

    Accuracy and error are then those of the documents, however the classes are averaged: the share
    that got its class, not the mean over classes of being right about each.

    Examples
    --------
    >>> cells = [[0.3, 0.2, 0.1, 0.4], [0.4, 0.1, 0.2, 0.3]]
    >>> round(float(of_classes(get("accuracy"), cells, "macro")), 3)
    0.7
    """
    if measure.name in ("accuracy", "error"):
        right = np.asarray(cells, dtype=np.float64)[..., 0].sum(axis=-1)
        return np.asarray(right if measure.name == "accuracy" else 1 - right)
    return averaged(measure, cells, average)
