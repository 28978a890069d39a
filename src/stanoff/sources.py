"""From arrays, data frames and files to counts.

Files are read by DuckDB and lazy frames are left where they are: what comes back is one row per
combination of labels, however many documents there are.
"""

from __future__ import annotations

import glob
import gzip
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pandas as pd

from stanoff.counts import (
    PairedCounts,
    Tally,
    UnpairedCounts,
    missing_labels,
    paired_counts,
    tally,
    unpaired_counts,
)
from stanoff.errors import InputError, invalid

if TYPE_CHECKING:
    import duckdb

DELIMITERS = ",;\t|"
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
READERS = {
    ".parquet": "read_parquet",
    ".jsonl": "read_ndjson_auto",
    ".ndjson": "read_ndjson_auto",
    ".json": "read_json_auto",
}
_WHOLE = re.compile(r"-?(0|[1-9]\d*)(\.0)?")


def from_arrays(y_true: Any, y_pred_a: Any, y_pred_b: Any, **chosen: Any) -> PairedCounts:
    """Count outcome pairs in three columns of labels of one length."""
    columns = {"y_true": y_true, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    for name, values in columns.items():
        if values is None or isinstance(values, (str, bytes)):
            raise invalid(name, "a column of labels", values)
    return paired_counts(tally(columns), **chosen)


def from_two_test_sets(a: Any, b: Any, **chosen: Any) -> UnpairedCounts:
    """Count the cells of two classifiers, each from its own (true labels, predictions)."""
    tables = []
    for name, pair in (("a", a), ("b", b)):
        if pair is None or isinstance(pair, str) or len(pair) != 2:
            raise InputError(
                "Pass the true labels and both columns of predictions, a table with the names of "
                f"its columns, or a=(truth, predictions) and b=(truth, predictions). {name} is "
                f"{pair!r}."
            )
        tables.append(
            tally({f"the truth of {name}": pair[0], f"the predictions of {name}": pair[1]})
        )
    return unpaired_counts(tables[0], tables[1], **chosen)


def from_table(data: Any, *, truth: Any, a: Any, b: Any, **chosen: Any) -> PairedCounts:
    """Count outcome pairs in three columns of a data frame or of a file.

    Parameters
    ----------
    data : pandas, polars, Arrow, DuckDB, Dask, Spark ... frame, or the path of a CSV, Parquet or
        JSON-lines file; a path may be a pattern such as ``parts/*.csv.gz``
    truth, a, b : the names of the columns
    **chosen : ``pos_label``, ``labels`` and ``average``
    """
    columns = {"truth": truth, "a": a, "b": b}
    for name, column in columns.items():
        if column is None:
            raise InputError(f"Say which column of the table is {name!r}: pass {name}=.")
    if not isinstance(data, (str, Path)):
        return paired_counts(_frame_tally(data, columns), **chosen)
    table = _file_tally(str(data), columns)
    wanted = str(chosen.get("pos_label"))
    chosen["pos_label"] = next(
        (label for label in table.labels if str(label) == wanted), chosen.get("pos_label")
    )
    return paired_counts(table, **chosen)


def _frame_tally(frame: Any, columns: Mapping[str, str]) -> Tally:
    import narwhals as nw

    if isinstance(frame, pd.DataFrame):
        _check_columns("the table", columns, [str(name) for name in frame.columns])
        return tally({column: frame[column] for column in columns.values()})
    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise invalid("data", "labels, a data frame or a path", type(frame).__name__) from None
    names = wrapped.collect_schema().names()
    _check_columns("the table", columns, names)
    if isinstance(wrapped, nw.DataFrame):
        return tally({column: wrapped[column].to_pandas() for column in columns.values()})
    keys = list(dict.fromkeys(columns.values()))
    counted = wrapped.group_by(*keys).agg(stanoff_n=nw.len()).collect().to_pandas()
    return _grouped(counted, columns, "stanoff_n")


def _grouped(counted: pd.DataFrame, columns: Mapping[str, str], n: str) -> Tally:
    if not len(counted):
        raise InputError("There is nothing to compare: the table has no rows.")
    for column in columns.values():
        missing = int(counted.loc[counted[column].isna(), n].sum())
        if missing:
            raise InputError(f"{column} has {missing_labels(missing)}.")
    return tally({column: counted[column] for column in columns.values()}, counted[n])


def _file_tally(pattern: str, columns: Mapping[str, str]) -> Tally:
    import duckdb

    paths = sorted(glob.glob(str(Path(pattern).expanduser()))) or [pattern]  # noqa: PTH207
    for path in paths:
        if not Path(path).is_file():
            raise InputError(f"There is no file {path}.")
        if not Path(path).stat().st_size:
            raise InputError(f"{path} is empty.")
    with duckdb.connect() as connection:
        try:
            relation = _open(connection, paths)
            _check_columns(pattern, columns, relation.columns)
            keys = ", ".join(_quoted(column) for column in dict.fromkeys(columns.values()))
            counted = relation.aggregate(f"{keys}, count(*) AS stanoff_n").df()
            if not len(counted):
                raise InputError(f"{pattern} has no rows.")
            for column in dict.fromkeys(columns.values()):
                if counted[column].isna().any():
                    _report_missing(relation, column, pattern)
        except duckdb.Error as error:
            raise InputError(f"{pattern} cannot be read: {_first_words(error)}") from error
    for column, values in _typed({c: counted[c] for c in columns.values()}).items():
        counted[column] = values
    return _grouped(counted, columns, "stanoff_n")


def _open(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> duckdb.DuckDBPyRelation:
    suffixes = [s for s in Path(paths[0]).suffixes if s not in (".gz", ".zst")]
    reader = READERS.get(suffixes[-1].lower() if suffixes else "")
    if reader:
        return connection.sql(f"SELECT * FROM {reader}($paths)", params={"paths": paths})
    delimiter, header = _header(paths[0])
    return connection.sql(
        "SELECT * FROM read_csv($paths, auto_detect=false, header=true, delim=$delimiter, "
        "quote='\"', escape='\"', columns=$columns, nullstr=$missing, strict_mode=true)",
        params={
            "paths": paths,
            "delimiter": delimiter,
            "columns": dict.fromkeys(header, "VARCHAR"),
            "missing": list(MISSING),
        },
    )


def _header(path: str) -> tuple[str, list[str]]:
    """Read the first line of a delimited text file: its delimiter and the column names."""
    import csv

    try:
        with _open_text(path) as file:
            first = file.readline()
            if "\0" in first or "\0" in file.read(4096):
                raise UnicodeError
    except (UnicodeError, EOFError, gzip.BadGzipFile):
        raise InputError(f"{path} is not a text file.") from None
    first = first.strip("\r\n")
    delimiter = max(DELIMITERS, key=first.count)
    names = next(csv.reader([first], delimiter=delimiter), [])
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path} has two columns called {name!r}.")
    return delimiter, names


def _open_text(path: str) -> IO[str]:
    opener = gzip.open if path.endswith(".gz") else open
    return opener(path, "rt", encoding="utf-8-sig", newline="")


def _check_columns(where: str, columns: Mapping[str, str], known: list[str]) -> None:
    for parameter, column in columns.items():
        if column not in known:
            near = get_close_matches(str(column), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}."
            raise InputError(f"{where} has no column {column!r} for {parameter!r}; {hint}")


def _report_missing(relation: Any, column: str, pattern: str) -> None:
    numbered = relation.project(f"row_number() OVER () AS row, {_quoted(column)} AS label")
    [(count, first)] = numbered.filter("label IS NULL").aggregate("count(*), min(row)").fetchall()
    raise InputError(
        f"{column} of {pattern} has {missing_labels(count)}, the first in row {first}."
    )


def _typed(columns: Mapping[str, pd.Series[Any]]) -> dict[str, Any]:
    """Turn text labels into whole numbers or booleans if all columns are made of these."""
    texts = {text for values in columns.values() for text in values}
    if not all(isinstance(text, str) for text in texts):
        return dict(columns)
    if texts <= {"True", "False"} or texts <= {"true", "false"}:
        return {name: [text[0] in "Tt" for text in values] for name, values in columns.items()}
    if all(_WHOLE.fullmatch(text) for text in texts):
        return {
            name: [int(text.removesuffix(".0")) for text in values]
            for name, values in columns.items()
        }
    return dict(columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_words(error: Exception) -> str:
    """Tell in one line what DuckDB complains of."""
    text = str(error)
    ragged = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    line = re.search(r"Line: (\d+)", text)
    if ragged and line:
        return f"line {line[1]} has {ragged[2]} columns instead of {ragged[1]}."
    if line and "unicode" in text.lower():
        return f"line {line[1]} is not UTF-8 text."
    first = text.splitlines()[0]
    return f"line {line[1]}: {first}" if line else first
