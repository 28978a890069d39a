"""Numbers that systems predicted, and what they should have been."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stanoff.data.counting import check_lengths
from stanoff.data.items import ItemValues, as_numbers, build_items
from stanoff.data.scores import Scores, encode_clusters
from stanoff.data.types import Counts, default_names
from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]

MIN_DOCUMENTS, FEW_DOCUMENTS = 4, 10
NUMBERS = "numbers"
ERRORS: dict[str, Callable[[Array], Array]] = {
    "absolute errors": np.abs,
    "squared errors": np.square,
}
NUMERIC = (NUMBERS, *ERRORS)  # what is made of true and predicted numbers


@dataclass(frozen=True, eq=False)
class PredictedNumbers(Scores):
    """A true number for every document (N), and what each system predicted (S, N)."""

    kind = NUMBERS
    real = ("truth", "score")
    together = True
    dims: ClassVar = {"truth": ("document",), "score": ("system", "document")}

    def scale(self, of: str) -> float:
        """Return the range of the truth: the mean of a measure is not known here."""
        return float(np.ptp(self.truth)) if of == "range" else 1.0


def build_numbers(
    columns: Mapping[str, Any], n: Counts | None = None, *, cluster: Any = None, **categories: Any
) -> PredictedNumbers:
    """Check true and predicted numbers, and put them together.

    Parameters
    ----------
    columns : mapping
        The truth, then the predictions of every system, by the names that an error shall mention.
    n : ndarray, optional
        Documents per row, 1 by default.
    cluster : array_like, optional
        The cluster of each document.
    **categories
        ``pos_label``, ``labels`` and ``average``, which numbers do not have.

    Examples
    --------
    >>> data = build_numbers({"y": [1, 2, 3, 5], "a": [1.5, 2, 3, 4], "b": [0, 2, 2, 6]})
    >>> data.score.shape
    (2, 4)
    """
    numbers = _read_numbers(columns, n, categories)
    systems = len(numbers) - 1
    size = numbers.shape[1]
    notes: tuple[str, ...] = ()
    if size < FEW_DOCUMENTS:
        notes = (f"There are only {size} documents: the interval may be too narrow.",)
    clusters = encode_clusters(cluster)
    if len(clusters):
        check_lengths(
            {"truth": numbers.shape[1] if n is None else len(n), "cluster": len(clusters)}
        )
        clusters = clusters if n is None else np.repeat(clusters, n)
    names = default_names(systems)
    return PredictedNumbers(("1",), numbers[0], numbers[1:], clusters, systems=names, notes=notes)


def build_errors(
    kind: str,
    columns: Mapping[str, Any],
    n: Counts | None = None,
    *,
    cluster: Any = None,
    dataset: Any = None,
    **categories: Any,
) -> ItemValues:
    """Make values per item of true and predicted numbers: absolute or squared errors.

    Examples
    --------
    >>> columns = {"y": [1, 2, 3, 5], "a": [1.5, 2, 3, 4], "b": [0, 2, 2, 7]}
    >>> build_errors("squared errors", columns).values.tolist()
    [[0.25, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 4.0]]
    """
    truth, *predictions = _read_numbers(columns, n, categories)
    names = list(columns)[1:]
    errors = {
        name: ERRORS[kind](truth - values) for name, values in zip(names, predictions, strict=True)
    }
    further = {"cluster": cluster, "dataset": dataset}
    further = {
        name: values if n is None or values is None else np.repeat(np.asarray(values), n)
        for name, values in further.items()
    }
    data = build_items(errors, **further)
    return replace(data, source={**data.source, "values": kind})


def _read_numbers(
    columns: Mapping[str, Any], n: Counts | None, categories: Mapping[str, Any]
) -> Array:
    """Read the truth and the predictions, a row each."""
    for name, value in categories.items():
        if value is not None:
            raise invalid(name, "None for numbers, which have no labels", value)
    numbers = {name: as_numbers(name, values) for name, values in columns.items()}
    check_lengths({name: len(values) for name, values in numbers.items()})
    stacked = np.stack(list(numbers.values()))
    if n is not None:
        check_lengths({next(iter(columns)): stacked.shape[1], "sample_weight": len(n)})
        stacked = np.repeat(stacked, n, axis=1)
    if stacked.shape[1] < MIN_DOCUMENTS:
        raise InputError(
            f"Predictions of {MIN_DOCUMENTS} documents or more are needed; there are "
            f"{stacked.shape[1]}."
        )
    return stacked
