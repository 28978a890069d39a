"""Files of labels, read by DuckDB: one row per combination of labels comes back."""

from __future__ import annotations

import csv
import glob
import gzip
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pandas as pd

from stanoff.data.tallies import missing_labels
from stanoff.errors import InputError, no_column

if TYPE_CHECKING:
    import duckdb

DELIMITERS = ",;\t|"
MISSING = ("", "NA", "N/A", "<NA>", "NaN", "nan", "null", "NULL")
READERS = {
    ".parquet": "read_parquet",
    ".jsonl": "read_ndjson_auto",
    ".ndjson": "read_ndjson_auto",
    ".json": "read_json_auto",
}
_WHOLE = re.compile(r"-?(0|[1-9]\d*)(\.0)?")


def file_labels(pattern: str, columns: Mapping[str, str]) -> tuple[dict[str, list[Any]], list[int]]:
    """Read the combinations of labels in a file or in many, and how often each occurs.

    Parameters
    ----------
    pattern : str
        A path, or a pattern such as ``parts/*.csv.gz``.
    columns : mapping
        The names of the columns by the parts they play.
    """
    import duckdb

    paths = data_paths(pattern)
    with duckdb.connect() as connection:
        try:
            rows = _select(connection, paths, columns, pattern)
            counted = rows.aggregate(f"{', '.join(columns)}, count(*) AS n").df()
            if not len(counted):
                raise InputError(f"{pattern} has no rows.")
            for part, column in columns.items():
                if counted[part].isna().any():
                    _report_missing(rows, part, column, pattern)
        except duckdb.Error as error:
            raise InputError(f"{pattern} cannot be read: {_first_words(error)}") from error
    header = pd.Series(dict(columns))
    if (counted[list(columns)] == header).all(axis=1).any():
        raise InputError(f"{pattern} repeats its header among the rows.")
    labels = dict(zip(columns.values(), _typed(counted, columns), strict=True))
    return labels, counted["n"].tolist()


def check_columns(pattern: str, part: str, columns: Iterable[str]) -> None:
    """Complain of a column that a file, or one of many, does not have; no label is read."""
    import duckdb

    paths = data_paths(pattern)
    with duckdb.connect() as connection:
        for column in columns:
            try:
                _select(connection, paths, {part: column}, pattern)
            except duckdb.Error as error:
                raise InputError(f"{pattern} cannot be read: {_first_words(error)}") from error


def column_names(pattern: str) -> list[str]:
    """Name the columns of a file, or of the first of many."""
    import duckdb

    path = data_paths(pattern)[0]
    reader = READERS.get(_suffix(path))
    if reader is None:
        return _header(path)[1]
    with duckdb.connect() as connection:
        try:
            found = connection.sql(
                f"SELECT * FROM {reader}($paths)", params={"paths": [glob.escape(path)]}
            )
            return list(found.columns)
        except duckdb.Error as error:
            raise InputError(f"{pattern} cannot be read: {_first_words(error)}") from error


def as_written(label: Any, known: Iterable[Any]) -> Any:
    """Find the label that a text such as ``1.0`` or ``true`` stands for in a file.

    Examples
    --------
    >>> as_written("1.0", [0, 1]), as_written("true", [False, True]), as_written("x", [0, 1])
    (1, True, 'x')
    """
    for candidate in known:
        if label == candidate or str(label) == str(candidate):
            return candidate
    if isinstance(label, str):
        typed = _typed_texts([label])[0]
        if typed in known:
            return typed
    return label


def data_paths(pattern: str) -> list[str]:
    """Find the files that a path or a pattern stands for, in order."""
    path = Path(pattern).expanduser()
    try:
        found = [str(path)] if path.is_file() else sorted(glob.glob(str(path)))  # noqa: PTH207
    except OSError:
        found = []
    if not found:
        told = pattern if len(pattern) < 200 else f"{pattern[:200]}..."
        raise InputError(f"There is no file {told}.")
    for name in found:
        if not Path(name).is_file():
            raise InputError(f"{name} is not a file.")
        if not Path(name).stat().st_size:
            raise InputError(f"{name} is empty.")
    return found


def _select(
    connection: duckdb.DuckDBPyConnection,
    paths: list[str],
    columns: Mapping[str, str],
    pattern: str,
) -> duckdb.DuckDBPyRelation:
    """Open the files and pick the columns, renamed after the parts they play."""
    readers = {path: READERS.get(_suffix(path)) for path in paths}
    if len(set(readers.values())) > 1:
        raise InputError(f"{pattern} matches files of different kinds: {', '.join(paths[:5])}.")
    # DuckDB looks for patterns, too: these are names.
    params: dict[str, Any] = {"paths": [glob.escape(path) for path in paths]}
    reader = readers[paths[0]]
    if reader:
        source = f"{reader}($paths)"
        known = connection.sql(f"SELECT * FROM {source}", params=params).columns
        place = {name: _quoted(name) for name in known}
    else:
        delimiter, known = _header(paths[0])
        for path in paths[1:]:
            if _header(path) != (delimiter, known):
                raise InputError(f"{path} has another header than {paths[0]}.")
        # Columns go by number, since DuckDB does not tell A from a.
        place = {name: f"c{i}" for i, name in enumerate(known)}
        source = (
            "read_csv($paths, auto_detect=false, header=true, delim=$delimiter, quote='\"', "
            "escape='\"', columns=$columns, nullstr=$missing, strict_mode=true)"
        )
        params |= {
            "delimiter": delimiter,
            "columns": dict.fromkeys(place.values(), "VARCHAR"),
            "missing": list(MISSING),
        }
    for part, column in columns.items():
        if column not in place:
            raise no_column(pattern, part, column, known)
    picked = ", ".join(f"{place[column]} AS {part}" for part, column in columns.items())
    return connection.sql(f"SELECT {picked} FROM {source}", params=params)


def _suffix(path: str) -> str:
    suffixes = [s.lower() for s in Path(path).suffixes if s.lower() not in (".gz", ".zst")]
    return suffixes[-1] if suffixes else ""


def _header(path: str) -> tuple[str, list[str]]:
    """Read the first row of a delimited text file: its delimiter and the column names."""
    try:
        with _open_text(path) as file:
            start = file.read(2**16)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    if "\0" in start:
        raise InputError(f"{path} is not a text file.")
    lines = start.splitlines(keepends=True)
    rows = {sign: next(csv.reader(lines, delimiter=sign), []) for sign in DELIMITERS}
    delimiter = max(rows, key=lambda sign: len(rows[sign]))
    names = rows[delimiter]
    if not names:
        raise InputError(f"{path} has a blank line where its header should be.")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path} has two columns called {name!r}.")
    return delimiter, names


def _open_text(path: str) -> IO[str]:
    opener = gzip.open if path.lower().endswith(".gz") else open
    return opener(path, "rt", encoding="utf-8-sig", newline="")


def _report_missing(rows: Any, part: str, column: str, pattern: str) -> None:
    numbered = rows.project(f"row_number() OVER () AS row, {part} AS label")
    [(count, first)] = numbered.filter("label IS NULL").aggregate("count(*), min(row)").fetchall()
    raise InputError(
        f"{column} of {pattern} has {missing_labels(count)}, the first in row {first}."
    )


def _typed(counted: pd.DataFrame, columns: Mapping[str, str]) -> list[list[Any]]:
    """Return the label columns; text that is all whole numbers or all booleans becomes these."""
    raw = [counted[part].tolist() for part in columns]
    texts = [text for values in raw for text in values]
    if not all(isinstance(text, str) for text in texts):
        return raw
    typed = _typed_texts(texts)
    n = len(counted)
    return [typed[i * n : (i + 1) * n] for i in range(len(raw))]


def _typed_texts(texts: list[str]) -> list[Any]:
    if set(texts) <= {"True", "False"} or set(texts) <= {"true", "false"}:
        return [text[0] in "Tt" for text in texts]
    if all(_WHOLE.fullmatch(text) for text in texts):
        return [int(text.removesuffix(".0")) for text in texts]
    return list(texts)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_words(error: Exception) -> str:
    """Say in one line what DuckDB complains of."""
    text = str(error)
    ragged = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    line = re.search(r"Line: (\d+)", text)
    if ragged and line:
        return f"line {line[1]} has {ragged[2]} columns instead of {ragged[1]}."
    if line and "unicode" in text.lower():
        return f"line {line[1]} is not UTF-8 text."
    first = text.splitlines()[0]
    return f"line {line[1]}: {first}" if line else first
