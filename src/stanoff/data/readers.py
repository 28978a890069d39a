"""Files and frames of any kind as one table.

DuckDB reads files, pandas and Arrow; a polars, Dask or Spark frame, and a relation of the user's
own DuckDB, stay where they are. All of them are narwhals lazy frames here.
"""

from __future__ import annotations

import csv
import glob
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow

from stanoff._lib.arguments import as_path, check_utf8
from stanoff.data.counting import check_weights
from stanoff.data.logs import open_unpacked, read_log
from stanoff.errors import InputError, StanoffError, invalid, no_column

Frame = nw.LazyFrame[Any]

MEMORY = "STANOFF_MEMORY"  # how much of it a query may take before it uses the disk
MAX_STORED = 2**28  # bytes of text files that are read once and kept
START = 2**16  # bytes that tell what a file is
DELIMITERS = ",;\t|"
MISSING = ["", "NA", "N/A", "<NA>", "NaN", "nan", "null", "NULL"]
ENDINGS = {
    "parquet": (".parquet", ".pq"),
    "json lines": (".jsonl", ".ndjson"),
    "json": (".json",),
    "arrow": (".feather", ".arrow", ".ipc"),
    "text": (".csv", ".tsv", ".txt"),
    "duckdb": (".duckdb",),
}
KINDS = {ending: kind for kind, endings in ENDINGS.items() for ending in endings}
READERS = {"parquet": "read_parquet", "json lines": "read_ndjson_auto", "json": "read_json_auto"}
WRITTEN = ("text", "json", "json lines")  # files that have no dates, and that are slow to read
NO_JSON = ("DATE", "TIME", "UUID")  # types that JSON has not
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"{": "json lines", b"[": "json"}
PACKED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
UNREADABLE = (".bz2", ".xz", ".zip", ".7z", ".xlsx", ".pkl", ".pickle")
N, ROWS, THE_TABLE = "n", "rows", "the table"


@dataclass(frozen=True, eq=False)
class Table:
    """A table, or some columns of it, whatever engine holds it.

    Attributes
    ----------
    frame : LazyFrame
        Its columns, called c0, c1 ... as DuckDB does not tell A from a; or the columns that were
        picked, by the roles they play.
    names : tuple
        The names of all columns.
    title : str
        What an error shall call it.
    file : str
        The file, or nothing.
    source : mapping
        The file and when it was last written, if it is one.
    backend : str
        Who holds it: ``"own"`` for what our DuckDB reads, or the name of the engine.
    kind : str
        What kind of file it is; nothing for frames, and for logs.
    stored : bool
        False for a text file that is too large to be kept as a whole.
    defaults : mapping
        Which columns are ``id``, ``truth`` and ``prediction``, where a program is known to have
        written it.
    notes : tuple of str
        What was noticed while reading it.
    labels : mapping
        What an error shall call the columns that were picked.
    """

    frame: Frame
    names: tuple[Any, ...]
    title: str = THE_TABLE
    file: str = ""
    source: Mapping[str, str] = field(default_factory=dict)
    backend: str = "own"
    kind: str = ""
    stored: bool = True
    defaults: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)

    def column(self, role: str, name: Any) -> str:
        """Find the column that plays a role."""
        option = "systems" if role.startswith("systems ") else role
        if name is None:
            listed = f" It has {', '.join(map(str, self.names[:20]))}." if self.file else ""
            raise InputError(
                f"Say which column of {self.title} is {role!r}: pass {option}=.{listed}"
            )
        if not isinstance(name, (str, int)):
            refuse_estimators({role: name})
            raise invalid(role, "the name of a column", type(name).__name__)
        if isinstance(name, str):
            check_utf8(role, name)
        if name not in self.names:
            raise no_column(self.title, option, name, self.names)
        if self.names.count(name) > 1:
            raise InputError(f"{self.title} has two columns called {name!r}.")
        return f"c{self.names.index(name)}"

    def label(self, name: Any) -> str:
        """Name a column as an error shall mention it."""
        return str(name) if self.title == THE_TABLE else f"{name} of {self.title}"

    def pick(self, columns: Mapping[str, Any], title: str = THE_TABLE) -> Table:
        """Return the columns that play a role as a table, which may have a title of its own."""
        titled = replace(self, title=self.file or title)
        labels = {role: titled.label(name) for role, name in columns.items()}
        picked = (nw.col(self.column(role, name)).alias(role) for role, name in columns.items())
        return replace(titled, frame=self.frame.select(*picked), labels=labels)

    def default(self, role: str, name: Any) -> Any:
        """Return the column of a role, which logs of programs that are known have by default."""
        return self.defaults.get(role) if name is None else name


def refuse_estimators(columns: Mapping[str, Any]) -> None:
    """Refuse estimators of scikit-learn where predictions are meant."""
    for name, values in columns.items():
        if hasattr(values, "fit") and hasattr(values, "predict"):
            raise InputError(
                f"{name} is an estimator ({type(values).__name__}), and not what it predicts: pass "
                "its predict(X_test), or for scores such as measure='auc' its "
                "predict_proba(X_test)[:, 1]."
            )


# DuckDB.


@contextmanager
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Lend a DuckDB that loads no extension, and that writes what memory cannot hold to disk."""
    with tempfile.TemporaryDirectory(prefix="stanoff-", ignore_cleanup_errors=True) as folder:
        settings: dict[str, str | bool] = {
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        if limit := os.environ.get(MEMORY):
            settings["memory_limit"] = limit
        try:
            connection = duckdb.connect(config=settings)
        except duckdb.Error as error:
            raise StanoffError(f"{MEMORY} must be a size such as 2GB. Got {limit!r}.") from error
        with connection:
            yield connection


@contextmanager
def translate_errors(title: str) -> Iterator[None]:
    """Turn what is complained of while a table is read into one line, which names the file."""
    try:
        yield
    except (duckdb.Error, pyarrow.ArrowException, OSError) as error:
        text = str(error)
        message = text.splitlines()[0]
        ragged = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
        if line := re.search(r"Line: (\d+)", text):
            message = f"line {line[1]}: {message}"
            if ragged:
                message = f"line {line[1]} has {ragged[2]} columns instead of {ragged[1]}."
            elif "unicode" in text.lower():
                message = f"line {line[1]} is not UTF-8 text."
        file = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
        where = f"{file[1].strip()}, " if file and file[1].strip() != title else ""
        raise InputError(f"{title} cannot be read: {where}{message}") from error


def quote(name: str) -> str:
    """Write a name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | list[str] | dict[str, str]) -> str:
    """Write a text, a list or a record of texts as SQL takes it.

    Examples
    --------
    >>> literal({"it's": "a"})
    "{'it''s': 'a'}"
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(text) for text in value) + "]"
    return "'" + value.replace("'", "''") + "'"


def materialize(
    connection: duckdb.DuckDBPyConnection, relation: duckdb.DuckDBPyRelation
) -> duckdb.DuckDBPyRelation:
    """Keep the rows of a relation that is slow to read, or can be read once only."""
    [(tables,)] = connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall()
    name = f"stored_{tables}"
    relation.create(name)
    return connection.table(name)


# Frames.


def open_table(data: Any, connection: duckdb.DuckDBPyConnection, stack: ExitStack) -> Table:
    """Open a table of any kind.

    Parameters
    ----------
    data : object
        A path, or a frame of pandas, polars, Arrow, DuckDB, Dask, Spark ...
    connection : DuckDBPyConnection
        What reads files, pandas and Arrow.
    stack : ExitStack
        What tidies up.
    """
    if isinstance(data, (str, Path)):
        return _open_file(str(data), connection, stack)
    native, backend = data, ""
    names: tuple[Any, ...] = ()
    try:
        if isinstance(data, pd.DataFrame):
            names = tuple(data.columns)
            native = data.set_axis([f"c{i}" for i in range(len(names))], axis=1)
        elif type(data).__module__.partition(".")[0] == "pyarrow":
            native, backend = connection.from_arrow(data), "own"
            names = tuple(data.schema.names)
            if type(data).__name__ == "RecordBatchReader":  # these can be read once only
                native = materialize(connection, native)
        frame = nw.from_native(native).lazy()
    except Exception:  # an Arrow array, a number ...
        rule = "labels, a data frame or a path"
        raise invalid("table", rule, type(data).__name__) from None
    with translate_collection():
        columns = frame.collect_schema().names()
    if not columns:
        raise InputError("The table has no columns.")
    renamed = frame.select(*(nw.col(c).alias(f"c{i}") for i, c in enumerate(columns)))
    backend = backend or frame.implementation.name.lower()
    return Table(renamed, names or tuple(columns), backend=backend)


def to_duckdb(frame: Frame, backend: str, connection: duckdb.DuckDBPyConnection) -> Frame:
    """Bring a table to DuckDB.

    Parameters
    ----------
    frame : LazyFrame
        A table that any engine holds.
    backend : str
        Who holds it, as in :class:`Table`.
    connection : DuckDBPyConnection
        What shall hold it.
    """
    if backend == "own":
        return frame
    if backend == "pandas":  # a copy: DuckDB cannot read a view of another frame, backwards
        relation = connection.from_df(nw.to_native(frame).copy())
    elif backend in ("polars", "duckdb"):  # by way of the disk: it may be larger than memory
        [(folder,)] = connection.sql("SELECT current_setting('temp_directory')").fetchall()
        file = tempfile.mktemp(".parquet", dir=folder)
        with translate_collection():
            frame.sink_parquet(file)
        relation = connection.read_parquet(file)
    else:
        with translate_collection():
            relation = connection.from_arrow(frame.collect("pyarrow").to_native())
    out: Frame = nw.from_native(relation)
    return out


@contextmanager
def translate_collection() -> Iterator[None]:
    """Turn what a lazy frame of the user's says when it is run into one sentence."""
    try:
        yield
    except (duckdb.Error, InputError):
        raise
    except Exception as error:
        message = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"The lazy frame cannot be collected: {message.rstrip('.')}.") from error


def fetch(frame: Frame) -> pd.DataFrame:
    """Fetch the rows of a table, in the order that it has."""
    schema = frame.collect_schema()
    wide = [c for c, t in schema.items() if t.is_decimal() or str(t).endswith("128")]
    if wide:  # which NumPy does not have
        frame = frame.with_columns(*(nw.col(c).cast(nw.Float64()) for c in wide))
    if frame.implementation.is_duckdb() and all(t.is_numeric() for t in schema.values()):
        # Not by df(), which copies columns of one type once more to put them side by side.
        arrays = nw.to_native(frame).fetchnumpy()
        return pd.DataFrame({c: _unmask(x) for c, x in arrays.items()}, copy=False)
    with translate_collection():
        rows = frame.collect("pandas").to_native()
    return pd.DataFrame(rows).reset_index(drop=True)


def _unmask(numbers: Any) -> Any:
    """Return what DuckDB fetched as a column of pandas."""
    if not isinstance(numbers, np.ma.MaskedArray):
        return numbers
    if numbers.dtype.kind == "f":
        return numbers.filled(np.nan)
    return pd.arrays.IntegerArray(numbers.data, np.ma.getmaskarray(numbers))


def fetch_objects(frame: Frame) -> pd.DataFrame:
    """Fetch the rows of a small table as plain Python objects, 1 and not 1.0 beside a hole."""
    with translate_collection():
        rows = frame.collect()
    columns = {name: pd.Series(rows[name].to_list(), dtype=object) for name in rows.columns}
    return pd.DataFrame(columns, columns=rows.columns)


def count_rows(frame: Frame) -> int:
    """Count the rows of a table."""
    return int(fetch_objects(frame.select(nw.len().alias(N)))[N].sum())


def is_missing(frame: Frame, column: str) -> nw.Expr:
    """Return whether a row has no value in a column; NaN is none, either."""
    value = nw.col(column)
    if not frame.collect_schema()[column].is_float():
        return value.is_null()
    # By its text: DuckDB believes the statistics of Parquet, in which there is no NaN.
    return value.is_null() | value.cast(nw.String()).is_in(["nan", "NaN"])


def first_missing(frame: Frame, column: str) -> str:
    """Say which is the first row without a value, where DuckDB knows the order of the rows."""
    if not frame.implementation.is_duckdb():
        return ""
    flags = frame.select(is_missing(frame, column).alias("missing"))
    numbered = nw.to_native(flags).project("row_number() OVER () AS row, missing")
    [(first,)] = numbered.filter("missing").aggregate("min(row)").fetchall()
    return "" if first is None else f"in row {first}"


def value_counts(frame: Frame, columns: Sequence[str], weight: str | None = None) -> pd.DataFrame:
    """Count how often each combination of some columns occurs, as ``n``; none is called that.

    With a column of documents per row these are added up, and rows are counted as ``rows``.
    """
    if weight is None:
        if frame.implementation.is_dask():
            return _value_counts_on_dask(nw.to_native(frame), list(columns))
        return fetch_objects(frame.group_by(*columns).agg(nw.len().alias(N)))
    w = nw.col(weight)
    weighted = frame.with_columns(w.cast(nw.Float64()))
    odd = weighted.filter((w % 1 != 0) | (w < 0) | w.is_null()).select(weight).head(1)
    check_weights(fetch_objects(odd)[weight])
    sums = w.sum().alias(N), nw.len().alias(ROWS)
    counted = fetch_objects(weighted.group_by(*columns).agg(*sums))
    return counted.astype({N: np.int64})[counted[N] > 0].reset_index(drop=True)


def _value_counts_on_dask(frame: Any, columns: list[str]) -> pd.DataFrame:
    """Count in every partition, and add up here: Dask's own grouping would send rows around."""

    # A function inside a function travels to the workers, which need not have stanoff.
    def count(partition: pd.DataFrame) -> pd.DataFrame:
        groups = partition.groupby(columns, sort=False, dropna=False, observed=True)
        return groups.size().reset_index(name=N)

    meta = frame._meta[columns].assign(**{N: pd.Series(dtype="int64")})
    counted = frame[columns].map_partitions(count, meta=meta).compute()
    summed = counted.groupby(columns, sort=False, dropna=False, observed=True)[N].sum()
    return pd.DataFrame(summed.reset_index().astype(object))


# Files.


def data_paths(pattern: str) -> list[str]:
    """Find the files that a path, a folder or a pattern stands for, in order."""
    path = as_path("table", pattern)
    name = pattern if len(pattern) < 200 else f"{pattern[:200]}..."
    if "://" in pattern:
        raise InputError(f"{name} is not on this machine: fetch it first, and pass the file.")
    missing = f"There is no file {name}."
    try:
        if path.is_dir():
            missing = f"The folder {name} has no file that ends with {', '.join(KINDS)}."
            files = sorted(file for file in path.rglob("*") if _holds_data(file, path))
        else:
            files = [path] if path.is_file() else sorted(map(Path, glob.glob(str(path))))  # noqa: PTH207
    except OSError:  # a name that is too long
        files = []
    if not files:
        raise InputError(missing)
    for file in files:
        if not file.is_file() or not file.stat().st_size:
            raise InputError(f"{file} is {'empty' if file.is_file() else 'not a file'}.")
    return [str(file) for file in files]


def _holds_data(file: Path, folder: Path) -> bool:
    """Leave out what programs put beside data, such as ``_SUCCESS``."""
    hidden = any(name[0] in "._" for name in file.relative_to(folder).parts)
    return not hidden and _suffix(str(file)) in KINDS and file.is_file()


def _modified(paths: Iterable[str]) -> str:
    """Return when the youngest of the files was last written, in UTC.

    SOURCE_DATE_EPOCH, by which builds become reproducible, is the latest time that is told.
    """
    youngest = max(Path(path).stat().st_mtime for path in paths)
    latest = os.environ.get("SOURCE_DATE_EPOCH", "")
    if latest.isdecimal():
        youngest = min(youngest, int(latest))
    return datetime.fromtimestamp(youngest, UTC).isoformat(timespec="seconds")


def check_columns(pattern: str, role: str, columns: Iterable[str]) -> None:
    """Complain of a column that a file, or one of many, does not have."""
    with database() as connection, ExitStack() as stack:
        table = open_table(pattern, connection, stack)
    for column in columns:
        table.column(role, column)


def _open_file(path: str, connection: duckdb.DuckDBPyConnection, stack: ExitStack) -> Table:
    name = path
    if path == "-":
        name, path = "stdin", str(stack.enter_context(_spool_stdin()))
    pattern, _, table_name = path.partition("::")
    paths = data_paths(pattern)
    source = {"file": name} | ({"modified": _modified(paths)} if path == name else {})
    with translate_errors(name):
        kinds = {_kind(file) for file in paths}
        if len(kinds) > 1:
            raise InputError(f"{name} matches files of different kinds: {', '.join(paths[:5])}.")
        [kind] = kinds
        log = read_log(paths[0], _start_of_text(paths[0])) if len(paths) == 1 else None
        if log is not None:
            rows, notes = log
            defaults = {str(c): str(c) for c in rows if c in ("id", "truth", "prediction")}
            names = tuple(rows.columns)
            relation = connection.from_df(rows.set_axis(range(len(names)), axis=1).add_prefix("c"))
            frame = nw.from_native(relation)
            return Table(frame, names, name, name, source, defaults=defaults, notes=notes)
        relation, names = _open_relation(connection, paths, kind, table_name)
        columns = enumerate(relation.columns)
        relation = relation.project(", ".join(f"{quote(c)} AS c{i}" for i, c in columns))
        size = sum(Path(file).stat().st_size for file in paths) if kind in WRITTEN else 0
        if kind in WRITTEN and size <= MAX_STORED:
            relation = materialize(connection, relation)
    frame, stored = nw.from_native(relation), size <= MAX_STORED
    return Table(frame, names, name, name, source, kind=kind, stored=stored)


@contextmanager
def _spool_stdin() -> Iterator[Path]:
    """Keep what comes in by stdin in a file, whose name tells how it is packed."""
    with tempfile.TemporaryDirectory(prefix="stanoff-") as folder:
        file = Path(folder, "stdin")
        with file.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        with file.open("rb") as content:
            start = content.read(4)
        packed = next((end for magic, end in PACKED.items() if start.startswith(magic)), "")
        file = file.rename(f"{file}{packed}")
        try:
            yield file
        except InputError as error:
            raise InputError(str(error).replace(str(file), "stdin")) from error


def _suffix(path: str) -> str:
    suffixes = [s.lower() for s in Path(path).suffixes if s.lower() not in PACKED.values()]
    return suffixes[-1] if suffixes else ""


def _kind(path: str) -> str:
    """Return what a file is, by its name, or else by how it begins."""
    suffix = _suffix(path)
    if suffix in UNREADABLE:
        kinds = "CSV (also .gz, .zst), Parquet, JSON lines or Arrow"
        raise InputError(f"{path} must be {kinds}, and not {suffix}.")
    if suffix in KINDS:
        return KINDS[suffix]
    start = _start(path).lstrip()
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "text")


def _start(path: str) -> bytes:
    """Read the beginning of a file, which may be packed."""
    with open_unpacked(path) as file:
        return bytes(file.read(START))


def _start_of_text(path: str) -> str:
    """Read the beginning of a file as text; nothing of it is lost if it is none."""
    # What is no UTF-8 becomes lone surrogates, by which it is known; a character may be cut off.
    return _start(path).decode("utf-8-sig", errors="surrogateescape")


def _open_relation(
    connection: duckdb.DuckDBPyConnection, paths: list[str], kind: str, table_name: str
) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    """Open files as a relation; return the names of its columns, too."""
    files = literal([glob.escape(path) for path in paths])  # DuckDB looks for patterns, too
    if kind == "text":
        headers = [_header(path) for path in paths]
        for path, header in zip(paths, headers, strict=True):
            if header != headers[0]:
                raise InputError(f"{path} has another header than {paths[0]}.")
        delimiter, names = headers[0]
        options = (
            f"auto_detect=false, header=true, strict_mode=true, delim={literal(delimiter)}, "
            f"quote='\"', escape='\"', nullstr={literal(MISSING)}, "
            f"columns={literal({f'c{i}': 'VARCHAR' for i in range(len(names))})}"
        )
        return connection.sql(f"FROM read_csv({files}, {options})"), names
    if kind == "duckdb":
        relation = connection.sql(f"FROM {_attach(connection, paths[0], table_name)}")
    elif kind == "arrow":
        from pyarrow import dataset

        relation = connection.from_arrow(dataset.dataset(paths, format="ipc"))
    else:
        if kind == "json":
            _check_end(paths)
        relation = connection.sql(f"FROM {READERS[kind]}({files})")
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    if kind in WRITTEN and any(sql.startswith(NO_JSON) for sql in types.values()):
        # What JSON has no type for is read as it is written.
        plain = {n: "VARCHAR" if sql.startswith(NO_JSON) else sql for n, sql in types.items()}
        relation = connection.sql(f"FROM {READERS[kind]}({files}, columns={literal(plain)})")
    return relation, tuple(relation.columns)


def _check_end(paths: list[str]) -> None:
    """Refuse a JSON array that was cut off after an element, which DuckDB takes for whole."""
    for path in map(Path, paths):
        content = path.read_bytes().strip()
        if content.startswith(b"[") and not content.endswith(b"]"):
            raise InputError(f"{path} is cut off: the array in it does not end.")


def _attach(connection: duckdb.DuckDBPyConnection, path: str, table_name: str) -> str:
    """Open a file of DuckDB, and find the table in it."""
    [(number,)] = connection.sql("SELECT count(*) FROM duckdb_databases()").fetchall()
    database = f"file_{number}"
    connection.execute(f"ATTACH {literal(path)} AS {database} (READ_ONLY)")
    query = "SELECT schema, name FROM (SHOW ALL TABLES) WHERE database = $1 ORDER BY ALL"
    rows = connection.execute(query, [database]).fetchall()
    tables = {name: f"{database}.{quote(schema)}.{quote(name)}" for schema, name in rows}
    if not table_name and len(tables) == 1:
        [table_name] = tables
    if table_name not in tables:
        names = ", ".join(tables) or "none"
        example = f"{path}::{next(iter(tables), 'name')}"
        raise InputError(f"{path} has the tables {names}: say which by '{example}'.")
    return tables[table_name]


def _header(path: str) -> tuple[str, tuple[str, ...]]:
    """Read the first row of a delimited text file: its delimiter and the column names."""
    start = _start_of_text(path)
    if any("\udc80" <= character <= "\udcff" for character in start[:-3]):
        raise InputError(f"{path} is not UTF-8 text.")
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
    return delimiter, tuple(names)
