"""The names of the measures: looking one up, and adding one of your own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np

from stanoff._lib.arguments import check_choice, check_float, check_probability
from stanoff.errors import InputError, invalid, unknown
from stanoff.measures.confusion import FUNCTIONS, MEASURES, VALUES, Array, Confusion, Measure
from stanoff.measures.multiclass import MULTICLASS
from stanoff.measures.scores import NUMBERS, NUMBERS_KIND, SCORES, ScoreMeasure, from_callable

_CLIP = "a number above 0 and below 0.5"
ALIASES = {"f1": "fbeta", "sensitivity": "recall"}
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


def get(
    name: str | Callable[..., Any],
    *,
    beta: float = 1.0,
    zero_division: float | str = 0.0,
    prevalence: float | None = None,
    clip: float | None = None,
) -> Measure:
    """Look up a measure and set its options.

    Parameters
    ----------
    name : str or callable
        A registered name, or one of ``ALIASES``, in any case. Or a function of truth, score and
        weight, such as a metric of scikit-learn that takes ``sample_weight``; or a measure.
        Functions of scikit-learn that have a name here, such as ``f1_score``, mean the measure of
        that name.
    beta : float
        Weight of recall in F-beta, from 0 (precision) to infinity (recall).
    zero_division : float or str
        The value of the measure where it is 0/0: 0, 1 or NaN; ``"warn"`` is 0, and stanoff always
        says when it matters.
    prevalence : float or None
        Share of positives to compute the measure for, instead of the one in the data.
    clip : float or None
        How near to 0 and 1 the probabilities of a loss may be.

    Examples
    --------
    >>> get("f1", beta=2).label
    'F2'
    """
    measure = _look_up(name)
    if measure.kind == "values":
        for option, value in (("beta", beta), ("prevalence", prevalence), ("clip", clip)):
            if value != (1.0 if option == "beta" else None):
                raise invalid(option, f"left out for {measure.name}, which is about values", value)
        return measure
    if not (f_beta := check_float("beta", beta, "a number >= 0")) >= 0:
        raise invalid("beta", "a number >= 0", beta)
    zero = 0.0 if isinstance(zero_division, str) and zero_division == "warn" else zero_division
    if not isinstance(zero, bool):  # scikit-learn takes True for 1
        zero = check_float("zero_division", zero, "0, 1 or NaN")
    if not (zero in (0, 1) or isnan(zero)):
        raise invalid("zero_division", "0, 1 or NaN", zero_division)
    if prevalence is not None:
        prevalence = check_probability("prevalence", prevalence)
    measure = replace(measure, beta=f_beta, zero_division=float(zero), prevalence=prevalence)
    if isinstance(measure, ScoreMeasure) and measure.probabilities:
        if clip is not None and not 0 < (clip := check_float("clip", clip, _CLIP)) < 0.5:
            raise invalid("clip", _CLIP, clip)
        return replace(measure, clip=clip)
    if clip is not None:
        raise invalid("clip", f"None for {measure.label}: it is for Brier score and log loss", clip)
    return measure


def registered() -> dict[str, Measure]:
    """Return all measures by name."""
    return {**MEASURES, **MULTICLASS, **SCORES, **VALUES, **NUMBERS}


def _look_up(name: Any) -> Measure:
    """Look up a measure by whatever stands for it."""
    if isinstance(name, Measure):
        return name
    if callable(name):
        function, module = name, str(getattr(name, "__module__", ""))
        in_sklearn = module.startswith("sklearn.metrics.")
        name = SCIKIT_LEARN.get(getattr(function, "__name__", "")) if in_sklearn else None
        if name is None:
            kind = NUMBERS_KIND if module == "sklearn.metrics._regression" else "scores"
            return from_callable(function, kind=kind)
    measures = registered()
    key = _canonical_name(name) if isinstance(name, str) else ""
    if key not in measures:
        raise unknown("measure", name, [*ALIASES, *measures])
    return measures[key]


def _canonical_name(name: str) -> str:
    """Find a name in whatever case it is written: F1, Balanced Accuracy, BALANCED-ACCURACY."""
    measures = registered()
    if name in measures:
        return name
    plain = re.sub(r"[\s-]+", "_", name.strip()).casefold()
    return ({other.casefold(): other for other in measures} | ALIASES).get(plain, name)


def name_of(measure: Measure) -> str:
    """Find what a measure is registered as; a user's program may have another name for it."""
    registered = {other.code: other.name for other in MEASURES.values()}
    return measure.name if measure.code is None else registered[measure.code]


def register(
    name: str,
    *,
    formula: str = "",
    higher_is_better: bool = True,
    range: tuple[float, float] = (-inf, inf),
    kind: str = "labels",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a measure of its own, usable at once.

    Parameters
    ----------
    name : str
        What it is called.
    formula : str
        Its definition, for documentation.
    higher_is_better : bool
        False where a small value is good.
    range : tuple of float
        Its least and greatest value.
    kind : str
        ``"labels"`` for a function of tp, fp, fn, tn; ``"scores"`` for one of truth, score and
        weight of every document, or one that takes ``sample_weight`` as scikit-learn's do;
        ``"numbers"`` for such a function of true and predicted numbers.

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
    if _canonical_name(name) in registered():
        raise InputError(f"There is a measure called {name!r} already.")
    settings: dict[str, Any] = {"higher_is_better": higher_is_better, "range": range}
    settings["formula"] = formula or name

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if check_choice("kind", kind, ("labels", "scores", NUMBERS_KIND)) != "labels":
            measure = from_callable(function, name, kind=kind, **settings)
            (SCORES if kind == "scores" else NUMBERS)[name] = measure
            FUNCTIONS[name] = measure.function
        else:
            MEASURES[name] = Measure(name, _checked(name, function), **settings)
        return function

    return decorate


def _checked(name: str, function: Callable[..., Any]) -> Callable[[Confusion], Array]:
    """Let a function of tp, fp, fn, tn tell what is wrong with what it returns."""

    def score(c: Confusion) -> Array:
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.asarray(function(c.tp, c.fp, c.fn, c.tn), dtype=c.tp.dtype)
        except (TypeError, ValueError) as error:
            raise InputError(f"measure {name} must work on arrays: {error}.") from error
        if values.shape != c.tp.shape:
            raise invalid(f"measure {name}", f"of the shape {c.tp.shape}", values.shape)
        return np.where(values == values, values, c.zero_division)  # NaN is not itself

    return score
