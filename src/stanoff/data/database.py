"""A DuckDB that fetches nothing by itself, and what it complains of in one sentence."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stanoff.errors import InputError, StanoffError

if TYPE_CHECKING:
    import duckdb

MEMORY = "STANOFF_MEMORY"  # how much of it a query may take before it uses the disk


@contextmanager
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Lend a DuckDB that loads no extension, and that writes what memory cannot hold to disk."""
    import duckdb

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
def reading(what: str) -> Iterator[None]:
    """Turn what an engine complains of while it reads into one sentence."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise InputError(f"{what} cannot be read: {in_one_line(error, what)}") from error


def quoted(name: str) -> str:
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


def kept(
    connection: duckdb.DuckDBPyConnection, relation: duckdb.DuckDBPyRelation
) -> duckdb.DuckDBPyRelation:
    """Keep the rows of a relation that is slow to read, or can be read once only."""
    [(tables,)] = connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall()
    relation.create(f"kept_{tables}")
    return connection.table(f"kept_{tables}")


def in_one_line(error: Exception, what: str = "") -> str:
    """Say in one line what DuckDB complains of, and in which of many files."""
    text = str(error)
    ragged = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    line = re.search(r"Line: (\d+)", text)
    file = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
    where = f"{file[1].strip()}, " if file and file[1].strip() != what else ""
    if ragged and line:
        return f"{where}line {line[1]} has {ragged[2]} columns instead of {ragged[1]}."
    if line and "unicode" in text.lower():
        return f"{where}line {line[1]} is not UTF-8 text."
    first = text.splitlines()[0]
    return f"{where}line {line[1]}: {first}" if line else first
