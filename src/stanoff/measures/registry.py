"""The names of the measures: looking one up, and adding one of your own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np

from stanoff._lib.arguments import as_probability, as_real
from stanoff.errors import InputError, invalid, unknown
from stanoff.measures.cells import MEASURES, Array, Cells, Measure
from stanoff.measures.means import VALUES

ALIASES = {"f1": "fbeta", "sensitivity": "recall"}
AUC_OF_LABELS = (
    "'auc' is the area under the ROC curve, which takes scores; labels have one point of that "
    "curve, whose area is the balanced accuracy: pass measure='balanced_accuracy'."
)


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
    name : str
        A registered name, or one of ``ALIASES``, in any case.
    beta : float
        Weight of recall in F-beta, from 0 (precision) to infinity (recall).
    zero_division : float or str
        The value of the measure where it is 0/0: 0, 1 or NaN; ``"warn"`` is 0, and stanoff always
        says when it matters.
    prevalence : float or None
        Share of positives to compute the measure for, instead of the one in the data.

    Examples
    --------
    >>> get("f1", beta=2).label
    'F2'
    """
    key = _spelt(name) if isinstance(name, str) else name
    if key == "auc":
        raise InputError(AUC_OF_LABELS)
    if isinstance(key, str) and key in VALUES:
        if (beta, prevalence) != (1.0, None):
            given, value = ("beta", beta) if prevalence is None else ("prevalence", prevalence)
            raise invalid(given, f"left out for {key}, which is about values", value)
        return VALUES[key]
    if not isinstance(key, str) or key not in MEASURES:
        raise unknown("measure", name, [*ALIASES, *MEASURES, *VALUES])
    f_beta = as_real("beta", beta, "a number >= 0")
    if not f_beta >= 0:
        raise invalid("beta", "a number >= 0", beta)
    zero = 0.0 if isinstance(zero_division, str) and zero_division == "warn" else zero_division
    if not isinstance(zero, bool):  # scikit-learn takes True for 1
        zero = as_real("zero_division", zero, "0, 1 or NaN")
    if not (zero in (0, 1) or isnan(zero)):
        raise invalid("zero_division", "0, 1 or NaN", zero_division)
    if prevalence is not None:
        prevalence = as_probability("prevalence", prevalence)
    return replace(MEASURES[key], beta=f_beta, zero_division=float(zero), prevalence=prevalence)


def _spelt(name: str) -> str:
    """Find a name in whatever case it is written: F1, Balanced Accuracy, BALANCED-ACCURACY."""
    if name in MEASURES:
        return name
    plain = re.sub(r"[\s-]+", "_", name.strip()).casefold()
    known = {other.casefold(): other for other in ("auc", *MEASURES, *VALUES)}
    return (known | ALIASES).get(plain, name)


def name_of(measure: Measure) -> str:
    """Find what a measure is registered as; a user's program may have another name for it."""
    coded = {known.code: known.name for known in MEASURES.values()}
    return measure.name if measure.code is None else coded[measure.code]


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
    name : str
        What it is called.
    formula : str
        Its definition, for documentation.
    higher_is_better : bool
        False where a small value is good.
    range : tuple of float
        Its least and greatest value.

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
    if _spelt(name) in MEASURES | VALUES or name.casefold() == "auc":
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
