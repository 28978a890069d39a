"""Documents with any number of labels: indicator matrices and label sets to counts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stanoff.data.counts import PairedCounts, absent, choose_categories, counts_from_sums
from stanoff.data.patterns import PatternCounts, counts_from_mentions
from stanoff.data.tallies import sorted_labels
from stanoff.errors import InputError, invalid

Nested = (list, tuple, set, frozenset, np.ndarray)


def is_multilabel(columns: Mapping[str, Any]) -> bool:
    """Return whether any column holds more than one label per document."""
    return any(_is_matrix(values) or _holds_sets(values) for values in columns.values())


def _holds_sets(values: Any) -> bool:
    if isinstance(values, np.ndarray) and values.dtype != object:
        return False
    if not isinstance(values, (list, tuple, pd.Series, np.ndarray)):
        return False
    first = next((v for v in values if v is not None and v is not pd.NA), None)
    return isinstance(first, Nested)


def multilabel_counts(
    columns: Mapping[str, Any],
    *,
    n: ArrayLike | None = None,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> PairedCounts | PatternCounts:
    """Count who said yes, category by category, from the truth and two or more systems.

    Parameters
    ----------
    columns : mapping
        Indicator matrices (dense or sparse, a column per category) or label sets (a list or set of
        labels per document), by the names that an error shall mention.
    n : array_like, optional
        Documents per row, 1 by default.
    pos_label, labels, average : object or sequence or str, optional
        As in :func:`stanoff.data.counts.paired_counts`.

    Examples
    --------
    >>> sets = {"truth": [{"x"}, {"x", "y"}], "a": [{"x"}, {"y"}], "b": [set(), {"x", "y"}]}
    >>> counts = multilabel_counts(sets, average="macro")
    >>> counts.categories, counts.pos.tolist()
    (('x', 'y'), [[0, 1, 1, 0], [1, 0, 0, 0]])
    """
    from scipy.sparse import csr_array

    for name, values in columns.items():
        _refuse_probabilities(name, values)
    matrices, known = _as_matrices(columns)
    if pos_label is None and average is None:
        raise InputError(
            "Documents with many labels need average= (macro, micro or weighted), or pos_label= "
            "to judge one category."
        )
    rows, width = _shape(dict(zip(columns, matrices, strict=True)))
    weights = np.ones(rows, dtype=np.int64) if n is None else np.asarray(n, dtype=np.int64)
    if len(weights) != rows:
        raise invalid("sample_weight", f"{rows:,} numbers, one per document", len(weights))

    def total(*chosen: csr_array) -> NDArray[np.int64]:
        product = chosen[0]
        for other in chosen[1:]:
            product = product.multiply(other)
        return np.asarray(product.T @ weights, dtype=np.int64)

    unnamed = known == tuple(range(width))
    if labels is not None and not set(_as_list(labels)) <= set(known) and unnamed:
        known, labels = _column_names(labels, width), None
    chosen = choose_categories(known, pos_label, labels, average)
    if len(matrices) > 3:
        mentions = [m.nonzero() for m in matrices]
        return counts_from_mentions(chosen, mentions, weights)
    t, a, b = matrices
    counts = counts_from_sums(
        chosen,
        n=int(weights.sum()),
        n_t=total(t),
        n_a=total(a),
        n_b=total(b),
        n_ta=total(t, a),
        n_tb=total(t, b),
        n_ab=total(a, b),
        n_tab=total(t, a, b),
    )
    return replace(counts, notes=absent(chosen, known) if average else ())


def _refuse_probabilities(name: str, values: Any) -> None:
    """Refuse a matrix of probabilities, a column per class, which is not what was predicted."""
    if not _is_matrix(values):
        rows = [row for row in values if isinstance(row, Nested) and not isinstance(row, Set)]
        if not rows or len({len(row) for row in rows}) > 1:
            return
        values = rows[:1000]
    numbers = values.data if hasattr(values, "tocsr") else values
    try:
        numbers = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        return
    between = numbers[(numbers > 0) & (numbers < 1)]
    if len(between):
        raise InputError(
            f"{name} looks like probabilities, not labels: it has {between[0]:g}. Pass what was "
            "predicted: for classes the one with the highest probability, such as "
            "classes[p.argmax(axis=1)], for several labels per document p >= 0.5."
        )


def _shape(matrices: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many documents and categories there are, the same in all columns."""
    shapes = {name: matrix.shape for name, matrix in matrices.items()}
    if len(set(shapes.values())) != 1:
        told = ", ".join(f"{name} has {rows} x {cols}" for name, (rows, cols) in shapes.items())
        raise InputError(f"The columns must have the same shape, but {told}.")
    rows, width = next(iter(shapes.values()))
    if not rows or not width:
        raise InputError(f"There is nothing to compare: {', '.join(shapes)} are empty.")
    return rows, width


def _as_list(labels: Any) -> list[Any]:
    if isinstance(labels, str) or not isinstance(labels, (list, tuple, np.ndarray, pd.Index)):
        raise invalid("labels", "a list of labels", labels)
    if not all(isinstance(label, Hashable) for label in labels):
        raise invalid("labels", "plain labels", labels)
    return list(labels)


def _column_names(labels: Sequence[Any], width: int) -> tuple[Any, ...]:
    names = tuple(labels)
    if len(names) != width or len(set(names)) != width:
        raise invalid("labels", f"{width} different names, one per column", labels)
    return names


def _as_matrices(columns: Mapping[str, Any]) -> tuple[list[Any], tuple[Any, ...]]:
    """Turn every column into a sparse matrix of 0 and 1, and name the categories."""
    matrix_like = {name: _is_matrix(values) for name, values in columns.items()}
    if len(set(matrix_like.values())) != 1:
        raise InputError("Pass indicator matrices or label sets, not a mixture of both.")
    if all(matrix_like.values()):
        columns, names = _aligned(columns)
        matrices = [_indicator(name, values) for name, values in columns.items()]
        return matrices, names or tuple(range(matrices[0].shape[1]))
    sets = {
        name: [_label_set(name, i, v) for i, v in enumerate(values)]
        for name, values in columns.items()
    }
    _refuse_indicators(columns)
    known = sorted_labels({name: (x for s in rows for x in s) for name, rows in sets.items()})
    return [_from_sets(rows, known) for rows in sets.values()], known


def _aligned(columns: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Put the columns of data frames into one order; return their names, if they have any."""
    frames = {name: v for name, v in columns.items() if isinstance(v, pd.DataFrame)}
    if not frames:
        return dict(columns), ()
    names = list(next(iter(frames.values())).columns)
    for name, frame in frames.items():
        if len(frame.columns) != len(names) or set(frame.columns) != set(names):
            raise InputError(
                f"The columns of {name} must be {', '.join(map(str, names))}, but are "
                f"{', '.join(map(str, frame.columns))}."
            )
    aligned = {name: frames[name][names] if name in frames else v for name, v in columns.items()}
    return aligned, tuple(names)


def _is_matrix(values: Any) -> bool:
    return hasattr(values, "tocsr") or (
        isinstance(values, (np.ndarray, pd.DataFrame)) and values.ndim == 2
    )


def _indicator(name: str, values: Any) -> Any:
    from scipy.sparse import csr_array

    if not hasattr(values, "tocsr"):
        values = np.asarray(values)
        if values.dtype.kind not in "biuf":
            try:
                values = values.astype(np.float64)
            except (TypeError, ValueError):
                raise invalid(name, "made of 0 and 1", values.ravel()[0]) from None
    matrix = csr_array(values)
    if not np.isin(matrix.data, (0, 1)).all():
        odd = matrix.data[~np.isin(matrix.data, (0, 1))]
        raise invalid(name, "made of 0 and 1", odd[0].item() if len(odd) else matrix.dtype.name)
    matrix = matrix.astype(np.int64)
    matrix.sum_duplicates()
    if (matrix.data > 1).any():
        raise invalid(name, "made of 0 and 1", int(matrix.data.max()))
    return matrix


def _refuse_indicators(columns: Mapping[str, Any]) -> None:
    """Refuse rows such as [0, 1, 1], which are meant as a matrix and would be read as {0, 1}."""
    for name, values in columns.items():
        flags = all(x in (0, 1) for row in values for x in row)
        even = len({len(row) for row in values}) == 1
        if flags and even and any(len(set(row)) < len(row) for row in values):
            raise invalid(name, "a NumPy array if its rows are indicators", "lists of 0 and 1")


def _label_set(name: str, row: int, values: Any) -> frozenset[Any]:
    if isinstance(values, str) or not isinstance(values, Nested):
        raise InputError(
            f"{name} must hold a list or set of labels in every row, but has "
            f"{values!r} at position {row}."
        )
    try:
        labels = frozenset(v.item() if isinstance(v, np.generic) else v for v in values)
    except TypeError:
        raise invalid(name, "made of plain labels", values) from None
    for label in labels:
        if pd.isna(label):
            raise InputError(f"{name} has a missing label at position {row}.")
    return labels


def _from_sets(rows: list[frozenset[Any]], known: tuple[Any, ...]) -> Any:
    from scipy.sparse import csr_array

    place = {label: i for i, label in enumerate(known)}
    ends = np.cumsum([0, *(len(labels) for labels in rows)])
    indices = np.fromiter(
        (place[x] for labels in rows for x in labels), dtype=np.int64, count=int(ends[-1])
    )
    ones = np.ones(len(indices), dtype=np.int64)
    return csr_array((ones, indices, ends), shape=(len(rows), len(known)))
