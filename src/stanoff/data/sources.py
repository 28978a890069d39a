"""From arrays, data frames and files to counts.

Files and lazy frames are left where they are: what comes back is one row per combination of
labels, however many documents there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from stanoff.data.classes import ConfusionCounts, confusion_counts
from stanoff.data.counts import PairedCounts, UnpairedCounts, paired_counts, unpaired_counts
from stanoff.data.files import as_written, column_names, file_labels
from stanoff.data.multilabel import is_multilabel, multilabel_counts
from stanoff.data.patterns import PatternCounts, pattern_counts
from stanoff.data.tallies import missing_labels, tally
from stanoff.errors import InputError, invalid, no_column

Counted = PairedCounts | PatternCounts | ConfusionCounts


def from_arrays(columns: Mapping[str, Any], **chosen: Any) -> Counted:
    """Count columns of labels of one length: the truth, then those of two or more systems."""
    _check_index(columns)
    return _from_labels(columns, None, chosen)


def _check_index(columns: Mapping[str, Any]) -> None:
    """Refuse pandas columns whose indexes differ: by position they would be mixed up."""
    indexed = [(name, v) for name, v in columns.items() if isinstance(v, (pd.Series, pd.DataFrame))]
    for name, values in indexed[1:]:
        first, expected = indexed[0]
        index, known = values.index, expected.index
        if len(index) != len(known) or index.equals(known):
            continue  # columns of different lengths are refused later
        foreign = int((~index.isin(known)).sum())
        told = f"{foreign:,} of its {len(index):,} labels are not in that of {first}"
        if not foreign:
            told = f"it has the labels of {first} in another order"
        raise InputError(
            f"The index of {name} is not that of {first}: {told}. Join them first, or pass "
            ".to_numpy() of each to compare by position."
        )


def _from_labels(
    columns: Mapping[str, Any], n: list[int] | None, chosen: Mapping[str, Any]
) -> Counted:
    """Count columns of labels, n documents to a row.

    Single-label classes that are to be averaged are kept together; every other category is
    counted against the rest.
    """
    columns = {name: _plain_column(values) for name, values in columns.items()}
    if is_multilabel(columns):
        return multilabel_counts(columns, n=n, **chosen)
    table = tally(columns, n)
    if chosen.get("average") is None:
        return (paired_counts if len(columns) == 3 else pattern_counts)(table, **chosen)
    if (told := chosen.get("pos_label")) is not None:
        raise invalid("pos_label", "None where 'average' judges all categories", told)
    return confusion_counts(table, labels=chosen.get("labels"), average=chosen["average"])


def _plain_column(values: Any) -> Any:
    """Unpack what Arrow and polars hold into lists."""
    pandas_kinds = (pd.Series, pd.Index, pd.Categorical)
    for unpack in ("to_pylist", "to_list"):
        if hasattr(values, unpack) and not isinstance(values, pandas_kinds):
            return getattr(values, unpack)()
    return values


def from_two_test_sets(a: Any, b: Any, **chosen: Any) -> UnpairedCounts:
    """Count the cells of two classifiers, each from its own (true labels, predictions)."""
    tables = []
    for name, pair in (("a", a), ("b", b)):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                "Pass the true labels and both columns of predictions, a table with the names of "
                f"its columns, or a=(truth, predictions) and b=(truth, predictions). {name} is a "
                f"{type(pair).__name__}."
            )
        if is_multilabel({"truth": pair[0]}):
            raise InputError("Two different test sets need one label per document.")
        tables.append(
            tally({f"the truth of {name}": pair[0], f"the predictions of {name}": pair[1]})
        )
    return unpaired_counts(tables[0], tables[1], **chosen)


def columns_of(data: Any) -> list[Any]:
    """Name the columns of a data frame or of a file."""
    import narwhals as nw

    if isinstance(data, (str, Path)):
        return column_names(str(data))
    if isinstance(data, pd.DataFrame):
        return list(data.columns)
    try:
        return list(nw.from_native(data).collect_schema().names())
    except TypeError:
        raise invalid("data", "labels, a data frame or a path", type(data).__name__) from None


def from_table(data: Any, columns: Mapping[str, Any], **chosen: Any) -> Counted:
    """Count who said what in some columns of a data frame or of a file.

    Parameters
    ----------
    data : object
        Pandas, polars, Arrow, DuckDB, Dask, Spark ... frame, or the path of a CSV, Parquet or
        JSON-lines file; a path may be a pattern such as ``parts/*.csv.gz``.
    columns : mapping
        The names of the columns by the parts they play: the truth first, then the systems.
    **chosen
        ``pos_label``, ``labels`` and ``average``.
    """
    for name, column in columns.items():
        if column is None:
            raise InputError(f"Say which column of the table is {name!r}: pass {name}=.")
        if not isinstance(column, (str, int)):
            raise invalid(name, "the name of a column", type(column).__name__)
    if len(set(columns.values())) < len(columns):
        parts = ", ".join(list(columns)[:-1]) + f" and {list(columns)[-1]}"
        told = ", ".join(repr(column) for column in columns.values())
        raise InputError(f"{parts} must be different columns, not {told}.")
    if not isinstance(data, (str, Path)):
        return _from_labels(*_frame_labels(data, columns), chosen)
    labels, n = file_labels(str(data), columns)
    known = [x for values in labels.values() for x in values]
    if is_multilabel(labels):
        known = [x for labels_of_one in known if labels_of_one is not None for x in labels_of_one]
    if chosen.get("pos_label") is not None:
        chosen["pos_label"] = as_written(chosen["pos_label"], known)
    if isinstance(chosen.get("labels"), (list, tuple)):
        chosen["labels"] = [as_written(label, known) for label in chosen["labels"]]
    return _from_labels(labels, n, chosen)


def _frame_labels(
    frame: Any, columns: Mapping[str, Any]
) -> tuple[dict[str, Any], list[int] | None]:
    """Return the label columns of a frame; those of a lazy one grouped, with their numbers."""
    import narwhals as nw

    if isinstance(frame, pd.DataFrame):
        _check_columns(columns, list(frame.columns))
        return {str(column): frame[column] for column in columns.values()}, None
    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise invalid("data", "labels, a data frame or a path", type(frame).__name__) from None
    names = wrapped.collect_schema().names()
    _check_columns(columns, names)
    if isinstance(wrapped, nw.DataFrame):
        return {column: wrapped[column].to_pandas() for column in columns.values()}, None
    n = "n"
    while n in columns.values():
        n += "_"
    counted = wrapped.group_by(*columns.values()).agg(nw.len().alias(n)).collect().to_pandas()
    if not len(counted):
        raise InputError("There is nothing to compare: the table has no rows.")
    for column in columns.values():
        missing = int(counted.loc[counted[column].isna(), n].sum())
        if missing:
            raise InputError(f"{column} has {missing_labels(missing)}.")
    return {column: counted[column] for column in columns.values()}, counted[n].tolist()


def _check_columns(columns: Mapping[str, Any], known: list[Any]) -> None:
    for part, column in columns.items():
        if column not in known:
            raise no_column("the table", part, column, known)
        if known.count(column) > 1:
            raise InputError(f"the table has two columns called {column!r}.")
