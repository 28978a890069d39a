"""Files of labels, opened by DuckDB: what they are, which columns they have."""

from __future__ import annotations

import csv
import glob
import gzip
import os
import re
import shutil
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from stanoff._lib.arguments import as_path
from stanoff._lib.files import temporary_folder
from stanoff.data.database import database, literal, quoted, reading
from stanoff.data.packed import check_whole
from stanoff.errors import InputError, no_column

if TYPE_CHECKING:
    import duckdb

DELIMITERS = ",;\t|"
MISSING = ("", "NA", "N/A", "<NA>", "NaN", "nan", "null", "NULL")
KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
}
READERS = {"parquet": "read_parquet", "json lines": "read_ndjson_auto", "json": "read_json_auto"}
NO_JSON = ("DATE", "TIME", "UUID")  # types that JSON has not
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"{": "json lines", b"[": "json"}
PACKED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
UNREADABLE = (".bz2", ".xz", ".zip", ".7z", ".xlsx", ".pkl", ".pickle")


def opened(
    connection: duckdb.DuckDBPyConnection, pattern: str
) -> tuple[duckdb.DuckDBPyRelation, list[str]]:
    """Open a file, or many; the columns are called c0, c1 ..., and come with their names.

    Parameters
    ----------
    connection : DuckDBPyConnection
        What reads it.
    pattern : str
        A path, a folder, or a pattern such as ``parts/*.csv.gz``.
    """
    paths = data_paths(pattern)
    for path in paths:
        if path.lower().endswith(".zst"):
            check_whole(path)
    with reading(pattern):
        source, place = _source(connection, paths, pattern)
        # Columns go by number, since DuckDB does not tell A from a.
        picked = ", ".join(f"{column} AS c{i}" for i, column in enumerate(place.values()))
        return connection.sql(f"SELECT {picked} FROM {source}"), list(place)


def check_columns(pattern: str, part: str, columns: Iterable[str]) -> None:
    """Complain of a column that a file, or one of many, does not have; no label is read."""
    with database() as connection:
        known = opened(connection, pattern)[1]
    for column in columns:
        if column not in known:
            raise no_column(pattern, part, column, known)


def data_paths(pattern: str) -> list[str]:
    """Find the files that a path, a folder or a pattern stands for, in order."""
    path = as_path("data", pattern)
    told = pattern if len(pattern) < 200 else f"{pattern[:200]}..."
    if "://" in pattern:
        raise InputError(f"{told} is not on this machine: fetch it first, and pass the file.")
    try:
        if path.is_dir():
            found = sorted(str(file) for file in path.rglob("*") if _holds_data(file, path))
            if not found:
                endings = ", ".join(KINDS)
                raise InputError(f"The folder {told} has no file that ends with {endings}.")
        else:
            found = [str(path)] if path.is_file() else sorted(glob.glob(str(path)))  # noqa: PTH207
    except OSError:
        found = []
    if not found:
        raise InputError(f"There is no file {told}.")
    for name in found:
        if not Path(name).is_file():
            raise InputError(f"{name} is not a file.")
        if not Path(name).stat().st_size:
            raise InputError(f"{name} is empty.")
    return found


def _holds_data(file: Path, folder: Path) -> bool:
    """Leave out what programs put beside data, such as ``_SUCCESS``."""
    hidden = any(part[0] in "._" for part in file.relative_to(folder).parts)
    return not hidden and _suffix(str(file)) in KINDS and file.is_file()


def modified(pattern: str) -> str:
    """Return when the youngest of the files was last written, in UTC.

    SOURCE_DATE_EPOCH, by which builds become reproducible, is the latest time that is told.
    """
    youngest = max(Path(path).stat().st_mtime for path in data_paths(pattern))
    latest = os.environ.get("SOURCE_DATE_EPOCH", "")
    if latest.isdecimal():
        youngest = min(youngest, int(latest))
    return datetime.fromtimestamp(youngest, UTC).isoformat(timespec="seconds")


def kind_of(pattern: str) -> str:
    """Return what files are: text, parquet, json lines, json or arrow."""
    return _kind(data_paths(pattern)[0])


class Spooled(str):
    """The path of a file that holds what came in by stdin."""

    __slots__ = ()


@contextmanager
def standard_input() -> Iterator[Spooled]:
    """Keep what comes in by stdin in a file, whose name tells what it is but not in errors."""
    with temporary_folder() as folder:
        file = folder / "stdin"
        with file.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        start = _start(file)
        packed = next((end for magic, end in PACKED.items() if start.startswith(magic)), "")
        if packed == ".gz":
            with gzip.open(file) as plain:
                start = plain.read(8)
        kind = _kind_by_content(start)
        ending = next(end for end, known in KINDS.items() if known == kind)
        path = Spooled(file.rename(f"{file}{ending}{packed}"))
        try:
            yield path
        except InputError as error:
            raise InputError(str(error).replace(path, "stdin")) from error


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(8)


def _kind_by_content(start: bytes) -> str:
    plain = start.lstrip()
    return next((kind for magic, kind in MAGIC.items() if plain.startswith(magic)), "text")


def _kind(path: str) -> str:
    """Return what a file is, by its name, or else by how it begins."""
    suffix = _suffix(path)
    if suffix in UNREADABLE:
        told = "CSV (also .gz, .zst), Parquet, JSON lines or Arrow"
        raise InputError(f"{path} must be {told}, and not {suffix}.")
    return KINDS.get(suffix) or _kind_by_content(_start(Path(path)))


def _source(
    connection: duckdb.DuckDBPyConnection, paths: list[str], pattern: str
) -> tuple[str, dict[str, str]]:
    """Write the table function that reads files, and each column, as SQL."""
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise InputError(f"{pattern} matches files of different kinds: {', '.join(paths[:5])}.")
    kind = kinds.pop()
    if kind == "text":
        return _text_source(connection, paths)
    for path in paths if kind == "json" else ():
        _check_end(Path(path))
    if kind == "arrow":
        source = quoted(f"arrow {pattern}")
        connection.register(f"arrow {pattern}", _arrow(paths, pattern))
    else:
        source = f"{READERS[kind]}({_names(paths)})"
    found = connection.sql(f"SELECT * FROM {source}")
    known = found.columns
    if kind.startswith("json"):
        _check_case(Path(paths[0]), known)
        source = _as_written(source, dict(zip(known, map(str, found.types), strict=True)))
    return source, {name: quoted(name) for name in known}


def _as_written(source: str, types: dict[str, str]) -> str:
    """Read texts of JSON as they are where DuckDB sees dates and UUIDs in them."""
    if not any(kind.startswith(NO_JSON) for kind in types.values()):
        return source
    plain = {name: "VARCHAR" if kind.startswith(NO_JSON) else kind for name, kind in types.items()}
    return f"{source.removesuffix(')')}, columns={literal(plain)})"


def _check_end(path: Path) -> None:
    """Refuse a JSON array that was cut off after an element, which DuckDB takes for whole."""
    with path.open("rb") as file:
        begins = file.read(1024).lstrip()[:1]
        file.seek(max(0, path.stat().st_size - 1024))
        ends = file.read().rstrip()[-1:]
    if begins == b"[" and ends != b"]":
        raise InputError(f"{path} is cut off: the array in it does not end.")


def _check_case(path: Path, known: Iterable[str]) -> None:
    """Refuse columns that differ in case only: DuckDB makes t_1 of the second of T and t."""
    names = {name.casefold() for name in known}
    for name in known:
        numbered = re.fullmatch(r"(.+)_\d+", name)
        if numbered and numbered[1].casefold() in names and f'"{name}"'.encode() not in _top(path):
            told = f"two columns that differ from {numbered[1]!r} in case only"
            raise InputError(f"{path} has {told}, or not at all: give one another name.")


def _top(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(2**16)


def _names(paths: list[str]) -> str:
    """Write paths as SQL; DuckDB looks for patterns, too, but these are names."""
    return literal([glob.escape(path) for path in paths])


def _text_source(
    connection: duckdb.DuckDBPyConnection, paths: list[str]
) -> tuple[str, dict[str, str]]:
    delimiter, known = _header(connection, paths[0])
    for path in paths[1:]:
        if _header(connection, path) != (delimiter, known):
            raise InputError(f"{path} has another header than {paths[0]}.")
    place = {name: f"c{i}" for i, name in enumerate(known)}
    source = (
        f"read_csv({_names(paths)}, auto_detect=false, header=true, delim={literal(delimiter)}, "
        "quote='\"', escape='\"', strict_mode=true, "
        f"columns={literal(dict.fromkeys(place.values(), 'VARCHAR'))}, "
        f"nullstr={literal(list(MISSING))})"
    )
    return source, place


def _arrow(paths: list[str], pattern: str) -> Any:
    """Open Arrow files, which DuckDB does not read by itself."""
    try:
        from pyarrow import ArrowInvalid, dataset
    except ImportError:
        raise InputError(f"{pattern} is an Arrow file: reading it takes pyarrow.") from None
    try:
        return dataset.dataset(paths, format="ipc")
    except (ArrowInvalid, OSError) as error:
        raise InputError(f"{pattern} cannot be read: {str(error).splitlines()[0]}") from None


def _suffix(path: str) -> str:
    suffixes = [s.lower() for s in Path(path).suffixes if s.lower() not in (".gz", ".zst")]
    return suffixes[-1] if suffixes else ""


def _header(connection: duckdb.DuckDBPyConnection, path: str) -> tuple[str, list[str]]:
    """Read the first row of a delimited text file: its delimiter and the column names."""
    try:
        if path.lower().endswith(".zst"):
            start = _first_lines(connection, path)
        else:
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


def _first_lines(connection: duckdb.DuckDBPyConnection, path: str) -> str:
    """Read the beginning of a file that Python's standard library cannot unpack."""
    source = (
        f"read_csv({_names([path])}, auto_detect=false, header=false, delim='\x01', quote='', "
        "escape='', columns={'line': 'VARCHAR'}, strict_mode=false)"
    )
    rows = connection.execute(f"SELECT line FROM {source} LIMIT 50")
    return "\n".join(line or "" for (line,) in rows.fetchall()).removeprefix("﻿")
