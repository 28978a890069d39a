"""Measures of one system over its scores, or over numbers that it predicts.

A measure is computed in one of three ways. *Ranks* look at the order alone, through the weight of
positive and of negative documents at each distinct score, the highest first. *Losses* are means of
what each document costs. A *callable* is any other function of the documents one by one.

Of predicted numbers, means of errors (mae, mse) are values per item: the difference of two is
Student's t. What is no mean (rmse, r2, any regression metric of scikit-learn) is computed under
random weights.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.errors import InputError, invalid
from stanoff.measures.confusion import FUNCTIONS, VALUES, Array, Measure, refuse_labels

RANKS, LOSS, CALLABLE = "ranks", "loss", "callable"
NUMBERS_KIND = "numbers"  # numeric truth and numeric predictions
_LOWER: dict[str, Any] = {"higher_is_better": False, "range": (0.0, inf)}


@dataclass(frozen=True)
class ScoreMeasure(Measure):
    """A measure of scores.

    Attributes
    ----------
    computed_from : str
        ``"ranks"``: the function takes the weights of positives and of negatives by score
        (..., score), the highest first, which it may overwrite, and the share of positives (...).
        ``"loss"``: it takes
        truth and probability and returns what each document costs. ``"callable"``: it takes truth,
        score and weight of all documents and returns one number.
    title : str
        What people read.
    uses_share : bool
        Whether the share of positives makes a difference.
    clip : float or None
        How near to 0 and 1 a probability may be.
    observed : tuple or None
        What the data themselves had, where the function is not here to tell.
    """

    kind: str = "scores"
    computed_from: str = CALLABLE
    title: str = ""
    uses_share: bool = True
    clip: float | None = None
    observed: tuple[tuple[float, ...], ...] | None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """The name that people read: AUC, log loss at prevalence 0.1."""
        name = self.title or self.name.replace("_", " ")
        if self.clip is not None:
            name += f" clipped at {self.clip:g}"
        return name if self.prevalence is None else f"{name} at prevalence {self.prevalence:g}"

    @property
    def probabilities(self) -> bool:
        """Whether the scores must be probabilities."""
        return self.computed_from == LOSS

    @property
    def variable(self) -> str:
        """What its draws are called."""
        name = f"psi_of_{self.name}"
        name += "" if self.prevalence is None else f"_at_{self.prevalence:.17g}"
        return name if self.clip is None else f"{name}_clipped_{self.clip:.17g}"

    def losses(self, truth: NDArray[np.bool_], score: Array) -> Array:
        """Return what each document costs; probabilities are of the truth being True."""
        if self.clip is not None:
            score = np.clip(score, self.clip, 1 - self.clip)
        return np.asarray(self.function(truth, score))


def auc(pos: Array, neg: Array, share: Array) -> Array:
    """Return the probability that a positive has a higher score than a negative, ties halved.

    Examples
    --------
    >>> float(auc(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0]), np.array(0.5)))
    0.875
    """
    ties = _dot(pos, neg)
    above = np.cumsum(neg, axis=-1, out=neg)
    pairs = above[..., -1] * pos.sum(axis=-1)
    return np.asarray(1 - (_dot(pos, above) - ties / 2) / pairs)


def average_precision(pos: Array, neg: Array, share: Array) -> Array:
    """Return the mean over the positives of the precision at their scores.

    Examples
    --------
    >>> pos, neg = np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    >>> round(float(average_precision(pos, neg, np.array(2 / 3))), 4)
    0.8333
    """
    tp, fp = np.cumsum(pos, axis=-1), np.cumsum(neg, axis=-1, out=neg)
    total, others = tp[..., -1].copy(), fp[..., -1].copy()
    fp *= ((1 - share) / share * total / others)[..., None]
    called = np.add(fp, tp, out=fp)
    precision = np.divide(tp, called, out=np.zeros_like(tp), where=called > 0)
    return np.asarray(_dot(pos, precision) / total)


def brier(truth: NDArray[np.bool_], score: Array) -> Array:
    """Return the squared distance of probability and truth; of (..., K) classes their sum."""
    squares = (score - truth) ** 2
    return np.asarray(squares if truth.ndim < 2 else squares.sum(axis=-1))


def log_loss(truth: NDArray[np.bool_], score: Array) -> Array:
    """Return minus the logarithm of the probability of what happened."""
    if truth.ndim < 2:
        happened = np.where(truth, score, 1 - score)
    else:
        happened = np.where(truth, score, 0.0).sum(axis=-1)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(happened))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))


class ErrorMeasure(Measure):
    """A mean of errors: values per item that are computed from truth and predictions."""

    @property
    def reads(self) -> str:
        """What is read: true numbers and predictions, of which the errors are kept."""
        return "absolute errors" if self.name == "mae" else "squared errors"

    @property
    def label(self) -> str:
        """The name that people read."""
        return self.name.upper()


def rmse(truth: Array, prediction: Array, weight: Array) -> float:
    """Return the root of the weighted mean of the squared errors.

    Examples
    --------
    >>> round(rmse(np.array([1.0, 2.0]), np.array([4.0, 6.0]), np.ones(2)) ** 2, 9)
    12.5
    """
    return float(np.sqrt(weight @ (truth - prediction) ** 2 / weight.sum()))


def r2(truth: Array, prediction: Array, weight: Array) -> float:
    """Return the share of the variance of the truth that is explained.

    Examples
    --------
    >>> r2(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), np.ones(3))
    0.5
    """
    if np.ptp(truth) == 0:
        raise InputError("R2 needs true values that differ: all of them are the same.")
    mean = weight @ truth / weight.sum()
    return float(1 - weight @ (truth - prediction) ** 2 / (weight @ (truth - mean) ** 2))


_AUC = "P(score of a positive > score of a negative), ties halved"
_PRECISION = "sum over scores of (recall gained) x precision"
_LOSS: dict[str, Any] = {"higher_is_better": False, "computed_from": LOSS}
_R2 = "1 - sum (y - p)^2 / sum (y - mean of y)^2"
_NUMBERS: dict[str, Any] = {"kind": NUMBERS_KIND}

SCORES: dict[str, ScoreMeasure] = {
    measure.name: measure
    for measure in (
        ScoreMeasure("auc", auc, _AUC, computed_from=RANKS, title="AUC", uses_share=False),
        ScoreMeasure("average_precision", average_precision, _PRECISION, computed_from=RANKS),
        ScoreMeasure("brier", brier, "mean (p - y)^2", **_LOSS, title="Brier score"),
        ScoreMeasure("log_loss", log_loss, "mean -log P(what happened)", **_LOSS, range=(0.0, inf)),
    )
}
NUMBERS: dict[str, ScoreMeasure] = {  # their functions take truth, predictions and weights
    "rmse": ScoreMeasure("rmse", rmse, "√(mean (y - p)^2)", **_NUMBERS, **_LOWER, title="RMSE"),
    "r2": ScoreMeasure("r2", r2, _R2, **_NUMBERS, range=(-inf, 1.0), title="R2"),
}
VALUES |= {
    name: ErrorMeasure(name, refuse_labels, formula, kind="values", **_LOWER)
    for name, formula in (("mae", "mean |y - p|"), ("mse", "mean (y - p)^2"))
}
FUNCTIONS.update({name: measure.function for name, measure in (SCORES | NUMBERS).items()})


def from_callable(function: Callable[..., Any], name: str = "", **settings: Any) -> ScoreMeasure:
    """Make a measure of a function of truth, score and weight.

    Parameters
    ----------
    function : callable
        ``f(truth, score, weight)``, or ``f(truth, score, sample_weight=weight)`` as in
        scikit-learn.
    name : str
        What it is called; its own name by default.
    **settings
        ``higher_is_better`` and others of :class:`ScoreMeasure`.

    Examples
    --------
    >>> def mean_score(truth, score, weight):
    ...     return np.average(score, weights=weight)
    >>> from_callable(mean_score).name
    'mean_score'
    """
    called = name or getattr(function, "__name__", "")
    if not called.isidentifier():
        raise invalid("measure", "a name, or a function that has one", function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions do not tell what they take
        signature = inspect.signature(auc)  # three arguments
    by_name = "sample_weight" in signature.parameters
    try:
        signature.bind_partial(*[None] * (2 if by_name else 3))
    except TypeError:
        rule = "a function of truth, score and weight, or one that takes sample_weight"
        raise invalid("measure", rule, called) from None
    settings = {
        "higher_is_better": not called.endswith(("_loss", "_error")),
        "range": (-inf, inf),
        "formula": called,
        **settings,
    }
    return ScoreMeasure(called, _Called(function, called, by_name), **settings)


@dataclass(frozen=True)
class _Called:
    """A function of truth, score and weight, whichever way it takes the weight."""

    function: Callable[..., Any]
    name: str
    by_name: bool

    def __call__(self, truth: NDArray[np.int64], score: Array, weight: Array) -> float:
        last: dict[str, Any] = {"sample_weight": weight} if self.by_name else {}
        try:
            value = self.function(truth, score, *(() if last else (weight,)), **last)
            return float(value)
        except (TypeError, ValueError) as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise InputError(f"measure {self.name} failed: {lines[0].rstrip('.')}.") from error


def share_below(scores: Array, limits: Array) -> Array:
    """Return the share of scores below each limit; those at it count half.

    Of the scores of negatives, below those of positives, the mean is the AUC.

    Examples
    --------
    >>> share_below(np.array([2.0, 1.0]), np.array([3.0, 2.0])).tolist()
    [1.0, 0.75]
    """
    ranked = np.sort(scores)
    left, right = (np.searchsorted(ranked, limits, side) for side in ("left", "right"))
    return np.asarray((left + right) / 2 / len(ranked))
