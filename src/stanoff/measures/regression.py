"""Measures of predicted numbers against true ones, and what scikit-learn's functions are called.

Means of errors (mae, mse) are values per item: the difference of two is Student's t. What is no
mean (rmse, r2, any regression metric of scikit-learn) is computed under random weights.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from stanoff.errors import InputError
from stanoff.measures.confusion import FUNCTIONS, VALUES, Array, Measure, refuse_labels
from stanoff.measures.scores import ScoreMeasure

NUMBERS_KIND = "numbers"  # numeric truth and numeric predictions
REGRESSION_MODULE = "sklearn.metrics._regression"
# What scikit-learn's functions are called here.
SCIKIT_LEARN = {
    "accuracy_score": "accuracy",
    "average_precision_score": "average_precision",
    "balanced_accuracy_score": "balanced_accuracy",
    "brier_score_loss": "brier",
    "cohen_kappa_score": "kappa",
    "f1_score": "f1",
    "fbeta_score": "fbeta",
    "jaccard_score": "jaccard",
    "log_loss": "log_loss",
    "matthews_corrcoef": "mcc",
    "mean_absolute_error": "mae",
    "mean_squared_error": "mse",
    "precision_score": "precision",
    "r2_score": "r2",
    "recall_score": "recall",
    "roc_auc_score": "auc",
    "root_mean_squared_error": "rmse",
    "zero_one_loss": "error",
}


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


_LOWER: dict[str, Any] = {"higher_is_better": False, "range": (0.0, inf)}
VALUES.update(
    {
        name: ErrorMeasure(name, refuse_labels, formula, kind="values", **_LOWER)
        for name, formula in (("mae", "mean |y - p|"), ("mse", "mean (y - p)^2"))
    }
)


_R2: dict[str, Any] = {"range": (-inf, 1.0)}
_R2_FORMULA = "1 - sum (y - p)^2 / sum (y - mean of y)^2"
NUMBERS: dict[str, ScoreMeasure] = {  # their functions take truth, predictions and weights
    name: ScoreMeasure(name, function, formula, kind=NUMBERS_KIND, title=name.upper(), **settings)
    for name, function, formula, settings in (
        ("rmse", rmse, "√(mean (y - p)^2)", _LOWER),
        ("r2", r2, _R2_FORMULA, _R2),
    )
}
FUNCTIONS.update({name: measure.function for name, measure in NUMBERS.items()})


def scikit_learn_name(function: Callable[..., Any]) -> str | None:
    """Return what a function of scikit-learn is called here; None for any other function."""
    if not str(getattr(function, "__module__", "")).startswith("sklearn.metrics."):
        return None
    return SCIKIT_LEARN.get(getattr(function, "__name__", ""))


def is_regression_metric(function: Callable[..., Any]) -> bool:
    """Return whether a function is one of scikit-learn's regression metrics."""
    return getattr(function, "__module__", "") == REGRESSION_MODULE
