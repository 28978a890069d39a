"""From labels to counts, the only thing the models need to know about the documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stanoff.errors import InputError, invalid

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]

OUTCOMES = ("both", "only A", "only B", "neither")
AVERAGES = ("macro", "micro", "weighted")
_MOST_SMALL_LABELS = 1024  # whole numbers in a range this narrow are their own codes


@dataclass(frozen=True, eq=False)
class PairedCounts:
    """Two classifiers on the same documents, category by category.

    Attributes
    ----------
    categories : their names (K)
    pos : positive documents by outcome pair: both, only A, only B, neither said yes (K, 4)
    neg : negative documents by outcome pair (K, 4)
    """

    categories: tuple[str, ...]
    pos: Counts
    neg: Counts

    def __post_init__(self) -> None:
        _freeze(self, "pos", "neg")

    @property
    def cells_A(self) -> Counts:
        """tp, fp, fn, tn of A (K, 4)."""
        return self._cells(yes=(0, 1), no=(2, 3))

    @property
    def cells_B(self) -> Counts:
        """tp, fp, fn, tn of B (K, 4)."""
        return self._cells(yes=(0, 2), no=(1, 3))

    @property
    def documents(self) -> tuple[int, int]:
        """How many documents A and B were judged on, in the category that has the most."""
        n = int((self.pos.sum(axis=1) + self.neg.sum(axis=1)).max())
        return n, n

    def unpaired(self) -> UnpairedCounts:
        """Forget which documents the two classifiers agreed on."""
        return UnpairedCounts(self.categories, self.cells_A, self.cells_B)

    def _cells(self, yes: tuple[int, int], no: tuple[int, int]) -> Counts:
        said = [c[:, list(which)].sum(axis=1) for which in (yes, no) for c in (self.pos, self.neg)]
        return np.stack(said, axis=1)


@dataclass(frozen=True, eq=False)
class UnpairedCounts:
    """Two classifiers, each on documents of its own, category by category.

    Attributes
    ----------
    categories : their names (K)
    cells_A, cells_B : documents by cell: tp, fp, fn, tn (K, 4)
    """

    categories: tuple[str, ...]
    cells_A: Counts
    cells_B: Counts

    def __post_init__(self) -> None:
        _freeze(self, "cells_A", "cells_B")

    @property
    def documents(self) -> tuple[int, int]:
        """How many documents A and B were judged on, in the category that has the most."""
        return int(self.cells_A.sum(axis=1).max()), int(self.cells_B.sum(axis=1).max())


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct rows of some label columns, and how often each occurs.

    Attributes
    ----------
    labels : every label of any column, sorted
    rows : per distinct row and column the index of its label (R, C)
    n : how many documents have that row (R)
    """

    labels: tuple[Any, ...]
    rows: Codes
    n: Counts


def tally(columns: Mapping[str, Any], n: ArrayLike | None = None) -> Tally:
    """Count how often each combination of labels occurs.

    Parameters
    ----------
    columns : label columns of one length, by the name that an error shall mention
    n : documents per row where the rows are distinct already

    Examples
    --------
    >>> table = tally({"truth": ["a", "b", "b"], "said": ["a", "a", "a"]})
    >>> table.labels, table.rows.tolist(), table.n.tolist()
    (('a', 'b'), [[0, 0], [1, 0]], [1, 2])
    """
    encoded = [_encode(name, values) for name, values in columns.items()]
    sizes = {name: len(codes) for name, (codes, _) in zip(columns, encoded, strict=True)}
    if len(set(sizes.values())) != 1:
        told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise InputError(f"The columns must have the same length, but {told}.")
    if not min(sizes.values()):
        raise InputError(f"There is nothing to compare: {', '.join(sizes)} are empty.")
    width = [len(labels) for _, labels in encoded]
    joint = _joint_codes([codes for codes, _ in encoded], width)
    cells = int(np.prod(width, dtype=object))
    if n is None and cells <= 2**16:
        per_cell = np.bincount(joint, minlength=cells)
        distinct = np.flatnonzero(per_cell)
        frequency = per_cell[distinct]
    else:
        index, distinct = pd.factorize(joint)
        weights = None if n is None else np.asarray(n)
        frequency = _sum_by(index, weights, len(distinct))
    codes = np.unravel_index(distinct, width)
    used = [
        [labels[i] for i in np.unique(c)] for (_, labels), c in zip(encoded, codes, strict=True)
    ]
    union = _sorted_union(dict(zip(columns, used, strict=True)))
    place = {label: i for i, label in enumerate(union)}
    rows = [
        np.array([place.get(label, 0) for label in labels], dtype=np.intp)[c]
        for (_, labels), c in zip(encoded, codes, strict=True)
    ]
    return Tally(union, np.stack(rows, axis=1), frequency.astype(np.int64))


def paired_counts(
    table: Tally,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> PairedCounts:
    """Count outcome pairs, one category against the rest, from (truth, A, B) rows.

    Parameters
    ----------
    table : a tally of three columns
    pos_label : the positive label; 1 where there are only two labels
    labels : the categories to count, all of them unless told; with ``average`` only
    average : None for one category, else how the categories will be averaged

    Examples
    --------
    >>> rows = {"truth": [1, 1, 0], "a": [1, 1, 1], "b": [1, 0, 0]}
    >>> counts = paired_counts(tally(rows))
    >>> counts.pos.tolist(), counts.neg.tolist()
    ([[1, 1, 0, 0]], [[0, 1, 0, 0]])
    """
    chosen = _choose_categories(table.labels, pos_label, labels, average)
    m = len(table.labels)
    truth, a, b = table.rows.T
    # Of what A and B said on the documents where both, one or neither condition holds, all
    # eight cells of "category k against the rest" follow by subtraction: cost R + M, not R * M.
    n_t, n_a, n_b = (_sum_by(column, table.n, m) for column in (truth, a, b))
    n_ta = _sum_where(truth == a, truth, table.n, m)
    n_tb = _sum_where(truth == b, truth, table.n, m)
    n_ab = _sum_where(a == b, a, table.n, m)
    n_tab = _sum_where((truth == a) & (truth == b), truth, table.n, m)
    pos = np.stack([n_tab, n_ta - n_tab, n_tb - n_tab, n_t - n_ta - n_tb + n_tab], axis=1)
    said = np.stack([n_ab, n_a - n_ab, n_b - n_ab, table.n.sum() - n_a - n_b + n_ab], axis=1)
    names, index = zip(*chosen, strict=True)
    pos_rows = _take(pos, index, absent=[0, 0, 0, 0])
    neg_rows = _take(said - pos, index, absent=[0, 0, 0, int(table.n.sum())])
    return PairedCounts(names, pos_rows, neg_rows)


def unpaired_counts(
    table_a: Tally,
    table_b: Tally,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> UnpairedCounts:
    """Count the cells of two classifiers, each from (truth, prediction) rows of its own."""
    union = _sorted_union({"a": table_a.labels, "b": table_b.labels})
    chosen = _choose_categories(union, pos_label, labels, average)
    cells = []
    for table in (table_a, table_b):
        place = {label: i for i, label in enumerate(table.labels)}
        index = tuple(None if i is None else place.get(union[i]) for _, i in chosen)
        truth, said = table.rows.T
        m = len(table.labels)
        n_t, n_s = _sum_by(truth, table.n, m), _sum_by(said, table.n, m)
        tp = _sum_where(truth == said, truth, table.n, m)
        rest = table.n.sum() - n_t - n_s + tp
        each = np.stack([tp, n_s - tp, n_t - tp, rest], axis=1)
        cells.append(_take(each, index, absent=[0, 0, 0, int(table.n.sum())]))
    return UnpairedCounts(tuple(name for name, _ in chosen), *cells)


def given_counts(name: str, values: ArrayLike) -> Counts:
    """Check counts that the caller made: whole, not negative, four to a row.

    Examples
    --------
    >>> given_counts("c_pos", [3, 1, 0, 2]).tolist()
    [[3, 1, 0, 2]]
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise invalid(name, "four counts, or a row of four per category", values) from None
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != 4 or not len(array):
        raise invalid(name, "four counts, or a row of four per category", values)
    if array.dtype.kind not in "iufO":
        raise invalid(name, "whole numbers", values)
    for count in array.ravel().tolist():
        if isinstance(count, bool) or not isinstance(count, (int, float)) or count != count // 1:
            raise invalid(name, "whole numbers", count)
        if count < 0:
            raise invalid(name, "counts >= 0", count)
        if count > np.iinfo(np.int64).max // 16:
            raise invalid(name, "counts below 2^59", count)
    return array.astype(np.int64)


def missing_labels(count: int) -> str:
    """Count missing labels in words."""
    return f"{count} missing label{'s' if count != 1 else ''}"


def _freeze(counts: object, *names: str) -> None:
    for name in names:
        array = np.ascontiguousarray(getattr(counts, name), dtype=np.int64)
        array.flags.writeable = False
        object.__setattr__(counts, name, array)


def _encode(name: str, values: Any) -> tuple[NDArray[Any], Sequence[Any]]:
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
            raise invalid(name, "a column of plain labels", values[0]) from None
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise InputError(
            f"{name} has {missing_labels(len(missing))}, the first at position {missing[0]}."
        )
    return codes, [label.item() if isinstance(label, np.generic) else label for label in labels]


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
    """Find the place of each row in the table of all combinations."""
    cells = int(np.prod(width, dtype=object))
    if cells > np.iinfo(np.int64).max:
        raise InputError(f"There are too many different labels to count: {width}.")
    small = np.min_scalar_type(cells)

    def step(joint: NDArray[Any], pair: tuple[NDArray[Any], int]) -> NDArray[Any]:
        joint *= small.type(pair[1])
        joint += pair[0].astype(small, copy=False)
        return joint

    first = columns[0].astype(small)
    return reduce(step, zip(columns[1:], width[1:], strict=True), first)


def _sorted_union(columns: Mapping[str, Iterable[Any]]) -> tuple[Any, ...]:
    kinds: dict[str, tuple[str, Any]] = {}
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


def _choose_categories(
    known: tuple[Any, ...],
    pos_label: Any,
    labels: Sequence[Any] | None,
    average: str | None,
) -> list[tuple[str, int | None]]:
    """Name the categories to count, each with its place among the known labels."""
    if average is not None:
        if average not in AVERAGES:
            raise invalid("average", "None, 'macro', 'micro' or 'weighted'", average)
        if pos_label is not None:
            raise invalid("pos_label", "None where 'average' judges all categories", pos_label)
        wanted = known if labels is None else _as_labels(labels)
        place = {label: i for i, label in enumerate(known)}
        if not any(label in place for label in wanted):
            raise InputError(
                f"None of the labels {_listed(wanted)} occurs: there are {_listed(known)}."
            )
        return [(str(label), place.get(label)) for label in wanted]
    if labels is not None:
        raise invalid("labels", "None unless 'average' is given", labels)
    if pos_label is None and len(known) > 2:
        raise InputError(
            f"There are {len(known)} labels ({_listed(known)}): pass pos_label= to judge one of "
            "them against the rest, or average='macro', 'micro' or 'weighted' to judge them "
            "together."
        )
    positive = 1 if pos_label is None else pos_label
    if not isinstance(positive, Hashable):
        raise invalid("pos_label", "one label", pos_label)
    if positive in known:
        return [(str(positive), known.index(positive))]
    if positive == 1 and len(known) == 1 and known[0] in (0, -1):
        return [("1", None)]  # nobody ever said yes, and nothing was positive
    raise InputError(
        f"The 'pos_label' parameter must be one of {_listed(known)}. Got {positive!r} instead."
    )


def _as_labels(labels: Any) -> tuple[Any, ...]:
    try:
        wanted = tuple(labels)
        distinct = len(set(wanted))
    except TypeError:
        raise invalid("labels", "a list of labels", labels) from None
    if isinstance(labels, str) or not wanted or distinct != len(wanted):
        raise invalid("labels", "different labels, at least one", labels)
    return wanted


def _listed(labels: Sequence[Any], most: int = 20) -> str:
    told = ", ".join(repr(label) for label in labels[:most])
    return told if len(labels) <= most else f"{told}, ... {len(labels) - most} more"


def _sum_by(index: Codes, weights: NDArray[Any] | None, size: int) -> Counts:
    if weights is None:
        return np.bincount(index, minlength=size).astype(np.int64)
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, index, weights.astype(np.int64))
    return out


def _sum_where(mask: NDArray[np.bool_], index: Codes, weights: Counts, size: int) -> Counts:
    return _sum_by(index[mask], weights[mask], size)


def _take(table: Counts, index: Sequence[int | None], absent: Sequence[int]) -> Counts:
    """Pick rows; a category that no document has gets the row ``absent``."""
    return np.stack([np.array(absent) if i is None else table[i] for i in index])
