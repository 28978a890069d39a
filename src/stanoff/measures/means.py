"""Measures of values, one for each item: their mean, and ratios of sums.

What is observed is the value itself (average precision of a topic, marks of an answer, a loss), so
there are no cells to compute it from: the model of the values does that.
"""

from __future__ import annotations

from math import inf

from stanoff.errors import InputError
from stanoff.measures.cells import Array, Cells, Measure


def _of_values(cells: Cells) -> Array:
    raise InputError("The mean of values cannot be computed from labels.")


_EVERY = (-inf, inf)

VALUES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("mean", _of_values, "mean of the values", range=_EVERY, kind="values"),
        Measure(
            "ratio",
            _of_values,
            "sum of the values / sum of the denominator",
            range=_EVERY,
            kind="values",
        ),
    )
}
