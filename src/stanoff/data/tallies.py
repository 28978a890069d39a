"""Labels of any kind to a tally: the distinct rows of some columns, and how often each occurs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stanoff.errors import InputError, invalid

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]

_MOST_REAL_LABELS = 20  # more real numbers than these are scores
_MOST_SMALL_LABELS = 1024  # whole numbers in a range this narrow are their own codes


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct rows of some label columns, and how often each occurs.

    Attributes
    ----------
    labels : tuple
        Every label of any column, sorted.
    rows : ndarray
        Per distinct row and column the index of its label (R, C).
    n : ndarray
        How many documents have that row (R).
    """

    labels: tuple[Any, ...]
    rows: Codes
    n: Counts


def tally(columns: Mapping[str, Any], n: ArrayLike | None = None) -> Tally:
    """Count how often each combination of labels occurs.

    Parameters
    ----------
    columns : mapping
        Label columns of one length, by the name that an error shall mention.
    n : array_like, optional
        Documents per row where the rows are distinct already.

    Examples
    --------
    >>> table = tally({"truth": ["a", "b", "b"], "said": ["a", "a", "a"]})
    >>> table.labels, table.rows.tolist(), table.n.tolist()
    (('a', 'b'), [[0, 0], [1, 0]], [1, 2])
    """
    encoded = [encode(name, values) for name, values in columns.items()]
    sizes = {name: len(codes) for name, (codes, _) in zip(columns, encoded, strict=True)}
    if n is not None:
        sizes["sample_weight"] = np.size(n)
    if len(set(sizes.values())) != 1:
        told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise InputError(f"The columns must have the same length, but {told}.")
    if not min(sizes.values()):
        raise InputError(f"There is nothing to compare: {', '.join(sizes)} are empty.")
    width = [len(labels) for _, labels in encoded]
    columns_of_codes = [codes for codes, _ in encoded]
    joint = _joint_codes(columns_of_codes, width)
    cells = int(np.prod(width, dtype=object))
    if n is None and cells <= 2**16:
        per_cell = np.bincount(joint, minlength=cells)
        distinct = np.flatnonzero(per_cell)
        frequency = per_cell[distinct]
        codes = list(np.unravel_index(distinct, width))
    else:
        index, distinct = pd.factorize(joint)
        weights = None if n is None else np.asarray(n)
        frequency = sum_by(index, weights, len(distinct))
        one = np.empty(len(distinct), dtype=np.intp)  # a document with each combination
        one[index] = np.arange(len(index))
        codes = [column[one].astype(np.intp) for column in columns_of_codes]
    used = [
        [labels[i] for i in np.unique(c)] for (_, labels), c in zip(encoded, codes, strict=True)
    ]
    union = sorted_labels(dict(zip(columns, used, strict=True)))
    place = {label: i for i, label in enumerate(union)}
    rows = [
        np.array([place.get(label, 0) for label in labels], dtype=np.intp)[c]
        for (_, labels), c in zip(encoded, codes, strict=True)
    ]
    return Tally(union, np.stack(rows, axis=1), frequency.astype(np.int64))


def missing_labels(count: int) -> str:
    """Count missing labels in words."""
    return f"{count} missing label{'s' if count != 1 else ''}"


def encode(name: str, values: Any) -> tuple[NDArray[Any], Sequence[Any]]:
    """Give every label of a column a small number, and the labels those numbers stand for."""
    values = _as_column(name, values)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biu" and len(values):
        numbers = np.asarray(values)
        if numbers.dtype == np.bool_:
            return numbers.view(np.uint8), (False, True)
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < _MOST_SMALL_LABELS:
            return (numbers.astype(np.int64) - low if low else numbers), range(low, high + 1)
    if isinstance(values.dtype, pd.CategoricalDtype):
        categorical = values if isinstance(values, pd.Categorical) else values.array
        codes, labels = categorical.codes, categorical.categories
    else:
        try:
            codes, labels = pd.factorize(values)
        except TypeError:
            raise invalid(name, "a column of plain labels", next(iter(values))) from None
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise InputError(
            f"{name} has {missing_labels(len(missing))}, the first at position {missing[0]}."
        )
    refuse_scores(name, labels, rows=len(codes))
    return codes, [label.item() if isinstance(label, np.generic) else label for label in labels]


def refuse_scores(name: str, labels: Iterable[Any], rows: int) -> None:
    """Refuse a column of very many real numbers: these are scores, not labels."""
    known = list(labels)
    if len(known) <= 2 or not (len(known) > _MOST_REAL_LABELS or 2 * len(known) > rows):
        return
    try:
        numbers = np.array(known, dtype=np.float64)
    except (TypeError, ValueError):
        return
    if np.mean(numbers != np.round(numbers)) > 0.5:
        raise InputError(
            f"{name} looks like scores, not labels: it has {len(known):,} different real numbers, "
            f"such as {known[0]}. Pass what was predicted, for example scores >= 0.5."
        )


def _as_column(name: str, values: Any) -> Any:
    """Turn whatever holds labels in a row into something that pandas can number."""
    if isinstance(values, (str, bytes, Mapping, Set)) or hasattr(values, "columns"):
        raise invalid(name, "a column of labels", type(values).__name__)
    if hasattr(values, "to_pylist"):  # Arrow
        values = values.to_pylist()
    if isinstance(values, np.ma.MaskedArray):
        values = pd.Series(values.data).mask(np.ma.getmaskarray(values))
    if not isinstance(values, (np.ndarray, pd.Series, pd.Categorical)):
        try:
            values = pd.Series(values if isinstance(values, pd.Index) else list(values))
        except TypeError:
            raise invalid(name, "a column of labels", values) from None
    if values.ndim != 1:
        raise InputError(f"{name} must be one-dimensional. Got the shape {values.shape} instead.")
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        values = pd.Series(values)
    return values


def _joint_codes(columns: list[NDArray[Any]], width: list[int]) -> NDArray[Any]:
    """Give every row a number, the same to the same labels.

    It is the place of the row in the table of all combinations, unless there are so many columns
    that whole numbers cannot count these; then what occurs is numbered again in between.
    """
    most = int(np.iinfo(np.int64).max)
    cells = int(np.prod(width, dtype=object))
    small = np.min_scalar_type(min(cells, most))
    joint, size = columns[0].astype(small), width[0]
    for codes, more in zip(columns[1:], width[1:], strict=True):
        if size > most // more:
            joint = pd.factorize(joint)[0].astype(small)
            size = int(joint.max()) + 1
        joint *= small.type(more)
        joint += codes.astype(small, copy=False)
        size *= more
    return joint


def sorted_labels(columns: Mapping[str, Iterable[Any]]) -> tuple[Any, ...]:
    """Gather the labels of several columns, which must be all text or none."""
    kinds: dict[str, tuple[str, Any]] = {}
    columns = {name: dict.fromkeys(labels) for name, labels in columns.items()}
    for name, labels in columns.items():
        for label in labels:
            kinds.setdefault("text" if isinstance(label, str) else "no text", (name, label))
    if len(kinds) == 2:
        (name, label), (other, odd) = kinds.values()
        raise InputError(
            f"The labels must be all of one kind, but {name} has {label!r} and {other} has {odd!r}."
        )
    union = dict.fromkeys(label for labels in columns.values() for label in labels)
    try:
        return tuple(sorted(union))
    except TypeError:
        return tuple(sorted(union, key=str))


def sum_by(index: Codes, weights: NDArray[Any] | None, size: int) -> Counts:
    """Add up whole weights, 1 unless given, by index."""
    if weights is None:
        return np.bincount(index, minlength=size).astype(np.int64)
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, index, weights.astype(np.int64))
    return out
