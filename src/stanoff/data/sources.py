"""From arrays, data frames and files to counts.

Files and lazy frames are left where they are: what comes back is one row per combination of
labels, however many documents there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stanoff.data.counting import LabelTable, count_labels, count_two_test_sets
from stanoff.data.database import database, reading
from stanoff.data.labels import Labels, as_frequencies, missing_labels, typed_array, typed_columns
from stanoff.data.matrices import gathered, spread
from stanoff.data.repeats import repeated_ids, repeats
from stanoff.data.tables import (
    Table,
    check_missing,
    check_scores,
    combinations,
    fetched,
    open_table,
)
from stanoff.data.types import ConfusionCounts, PairedCounts, PatternCounts, UnpairedCounts
from stanoff.errors import InputError, invalid

Counted = PairedCounts | PatternCounts | ConfusionCounts


def from_arrays(columns: Mapping[str, Any], *, sample_weight: Any = None) -> Labels:
    """Take columns of labels of one length: the truth, then any number of systems."""
    weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
    _check_index({**columns, **weighted})
    n = as_frequencies(sample_weight) if weighted else None
    plain = {name: _plain_column(values) for name, values in columns.items()}
    return Labels(plain, n=n)


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


def _plain_column(values: Any) -> Any:
    """Unpack what Arrow and polars hold into lists, and a table of one column into that."""
    if hasattr(values, "toarray") and getattr(values, "ndim", 2) == 1:
        return values.toarray()  # sparse, and yet no matrix
    if hasattr(values, "columns") and not isinstance(values, pd.DataFrame):
        import narwhals as nw

        try:
            frame = nw.from_native(values, eager_only=True)
        except TypeError:
            return values  # refused later
        values = pd.DataFrame(frame.to_dict(as_series=False))
    pandas_kinds = (pd.Series, pd.Index, pd.Categorical)
    for unpack in ("to_pylist", "to_list"):
        if hasattr(values, unpack) and not isinstance(values, pandas_kinds):
            return getattr(values, unpack)()
    known = (np.ndarray, pd.DataFrame, *pandas_kinds)
    if hasattr(values, "__array__") and not isinstance(values, known):
        values = np.asarray(values)  # of PyTorch, JAX, xarray ...
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        return np.asarray(values)[:, 0]
    if isinstance(values, pd.DataFrame) and values.shape[1] == 1:
        return values.iloc[:, 0]
    return values


def counted(
    found: Labels, *, pos_label: Any = None, labels: Any = None, average: str | None = None
) -> Counted:
    """Count what two or more systems said about the same documents.

    Single-label classes that are to be averaged are kept together; every other category is
    counted against the rest.

    Parameters
    ----------
    found : Labels
        The truth, and two systems or more.
    pos_label, labels, average : optional
        Which categories are judged, as in :func:`stanoff.compare`.
    """
    table = LabelTable(found.columns, found.n, found.written, found.source, found.notes)
    return count_labels(table, pos_label=pos_label, labels=labels, average=average)


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
        names = f"the truth of {name}", f"the predictions of {name}"
        found = from_arrays(dict(zip(names, pair, strict=True)))
        tables.append(found.columns)
    return count_two_test_sets(tables[0], tables[1], **chosen)


def from_table(
    data: Any,
    columns: Mapping[str, Any],
    *,
    id: Any = None,
    sample_weight: Any = None,
    more: Mapping[str, Any] | None = None,
) -> Labels:
    """Find columns of labels in a data frame or in a file.

    Parameters
    ----------
    data : object
        Pandas, polars, Arrow, DuckDB, Dask, Spark ... frame, or the path of a CSV, Parquet,
        JSON-lines or Arrow file; a path may be a folder, a pattern such as ``parts/*.csv.gz``, or
        ``-`` for the standard input.
    columns : mapping
        The names of the columns by the parts they play: ``truth``, and any number of systems.
    id : optional
        The column that names the document; rows that share one are pointed out.
    sample_weight : optional
        The column that says how many documents a row stands for.
    more : mapping, optional
        Further columns by the parts they play. If it is given, even without any, the rows come one
        by one: columns of scores and values are not counted.
    """
    check_names(columns)
    named = {"id": id, "sample_weight": sample_weight, **(more or {})}
    wanted = {**columns, **{part: name for part, name in named.items() if name is not None}}
    for part, name in wanted.items():
        _check_name(part, name)
    with ExitStack() as stack:
        table = open_table(data, stack.enter_context(database()), stack)
        stack.enter_context(reading(table.where or "the table"))
        several = {} if more is None else spread(columns, table.names, table.where)
        single = {part: name for part, name in wanted.items() if part not in several}
        places = {part: table.column(part, name) for part, name in single.items()}
        if more is not None:
            found = _row_by_row(table, columns, places, several)
        elif isinstance(data, pd.DataFrame):  # it is in memory anyway
            found = Labels({str(name): data[name] for name in columns.values()})
            if sample_weight is not None:
                found = replace(found, n=as_frequencies(data[sample_weight]))
        else:
            found = _grouped(table, columns, places)
        notes: tuple[str, ...] = ()
        if id is not None:
            notes = repeated_ids(table, id)
        elif (
            (more is None or (not more and columns.get("truth") is None))
            and sample_weight is None
            and not _elsewhere(table)
        ):
            notes = repeats(table, list(columns.values()), _rows(found))
    origin = dict(table.source) | {part: str(name) for part, name in wanted.items()}
    called = tuple(
        str(name).rstrip("*_.- ") or str(name) if part in several else str(name)
        for part, name in columns.items()
        if part != "truth"
    )
    return replace(found, source=origin, notes=(*table.notes, *notes), called=called)


def _rows(found: Labels) -> int:
    first = next(iter(found.columns.values()))
    return len(first) if found.n is None else int(found.n.sum())


def _elsewhere(table: Table) -> bool:
    """Return whether a table may be on other machines: only what is asked for is looked at."""
    return str(table.frame.implementation) in ("dask", "pyspark", "pyspark[connect]")


def check_names(columns: Mapping[str, Any]) -> None:
    """Check that every part is played by a column, and each by another."""
    for part, name in columns.items():
        _check_name(part, name)
    if len(set(columns.values())) < len(columns):
        told = ", ".join(map(repr, columns.values()))
        *first, last = columns
        raise InputError(f"{', '.join(first)} and {last} must be different columns, not {told}.")


def _check_name(part: str, name: Any) -> None:
    if name is None:
        raise InputError(f"Say which column of the table is {part!r}: pass {part}=.")
    if not isinstance(name, (str, int)):
        raise invalid(part, "the name of a column", type(name).__name__)


def _grouped(table: Table, columns: Mapping[str, Any], places: Mapping[str, str]) -> Labels:
    """Count the combinations of labels in a table where it is."""
    told = {places[part]: table.told(name) for part, name in columns.items()}
    check_scores(table.frame, told, texts=bool(table.where))
    rows = combinations(table.frame, list(told), places.get("sample_weight"))
    if not rows:
        raise InputError(f"{table.where or 'The table'} has no rows.")
    check_missing(rows, table.frame, told)
    if table.where and any(row[:-1] == tuple(columns.values()) for row in rows):
        raise InputError(f"{table.where} repeats its header among the rows.")
    *found, n = (list(values) for values in zip(*rows, strict=True))
    if table.where:
        found = typed_columns(found)
    labels = dict(zip(map(str, columns.values()), found, strict=True))
    return Labels(labels, np.array(n, dtype=np.int64), written=bool(table.where))


def _row_by_row(
    table: Table,
    columns: Mapping[str, Any],
    places: Mapping[str, str],
    several: Mapping[str, Mapping[str, str]],
) -> Labels:
    """Fetch columns whose rows are needed one by one; some systems have a column per class."""
    import narwhals as nw

    every = dict(places)
    for part, names in several.items():
        every |= {f"{part}\t{one}": table.column(part, name) for one, name in names.items()}
    rows = fetched(table.frame.select(*(nw.col(c).alias(part) for part, c in every.items())))
    if not len(rows):
        raise InputError(f"{table.where or 'The table'} has no rows.")
    n = as_frequencies(rows["sample_weight"]) if "sample_weight" in places else None
    told = {part: table.told(name) for part, name in columns.items()}
    more = [part for part in places if part not in columns and part != "sample_weight"]
    single = {part: name for part, name in told.items() if part not in several}
    found = of_rows(rows, single, more, n=n, written=bool(table.where))
    if not several:
        return found
    return gathered(found, rows, told, {part: list(names) for part, names in several.items()})


def of_rows(
    rows: pd.DataFrame,
    told: Mapping[str, str],
    more: Iterable[str],
    *,
    n: Any = None,
    written: bool = False,
) -> Labels:
    """Make labels of columns that are kept row by row.

    Parameters
    ----------
    rows : DataFrame
        Columns called by the parts they play.
    told : mapping
        What an error shall call ``truth``, if there is one, and every system.
    more : iterable of str
        Which further columns are kept.
    n, written
        As in :class:`stanoff.data.labels.Labels`.
    """
    taken = {part: rows[part].to_numpy() for part in (*told, *more)}
    for part in ("truth", *more):
        if part in taken and (holes := pd.isna(taken[part])).any():
            count, first = missing_labels(int(holes.sum())), int(holes.argmax())
            raise InputError(f"{told.get(part, part)} has {count}, the first in row {first + 1}.")
        if part in taken and written:
            taken[part] = typed_array(taken[part])
    named = {name: taken[part] for part, name in told.items()}
    return Labels(named, n, written=written, more={part: taken[part] for part in more})
