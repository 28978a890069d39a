"""Tables of any engine: what is counted is counted where the data are.

A table is a narwhals lazy frame here, whatever holds it: DuckDB (which reads files and Arrow),
polars, Dask, Spark. What comes back is one row per combination of labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff.data.counting import refuse_scores
from stanoff.data.database import kept, quoted
from stanoff.data.files import Spooled, kind_of, modified, opened, standard_input
from stanoff.data.labels import is_missing, missing_labels, refused_weight
from stanoff.data.logs import read_log
from stanoff.errors import InputError, invalid, no_column

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw

FIRST_ROWS = 10_000  # enough to tell scores from labels
PIECE = 100_000  # rows that come at a time where an engine has no partitions to ask for
N = "n"


@dataclass(frozen=True, eq=False)
class Table:
    """A table, whatever engine holds it.

    Attributes
    ----------
    frame : LazyFrame
        Its columns, called c0, c1 ...
    names : tuple
        What the columns are called in truth.
    where : str
        What an error shall call it: the file, or nothing.
    origin : mapping
        The file and when it was last written, if it is one.
    home : str
        Who holds it: ``"own"`` for what our DuckDB reads, or the name of the engine.
    untyped : bool
        Whether it is a text file, which does not tell "7" from 7.
    timeless : bool
        Whether it is a file that has no dates, but texts of them.
    defaults : mapping
        Which columns are ``id``, ``truth`` and ``prediction``, where a program is known to have
        written it.
    notes : tuple of str
        What was noticed while reading it.
    """

    frame: nw.LazyFrame[Any]
    names: tuple[Any, ...]
    where: str = ""
    source: Mapping[str, str] = field(default_factory=dict)
    home: str = ""
    untyped: bool = False
    timeless: bool = False
    defaults: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def column(self, part: str, name: Any) -> str:
        """Find the column that plays a part."""
        if name not in self.names:
            raise no_column(self.where or "the table", part, name, self.names)
        if self.names.count(name) > 1:
            raise InputError(f"{self.where or 'the table'} has two columns called {name!r}.")
        return f"c{self.names.index(name)}"

    def told(self, name: Any) -> str:
        """Call a column as an error shall mention it."""
        return f"{name} of {self.where}" if self.where else str(name)


def open_table(data: Any, connection: duckdb.DuckDBPyConnection, stack: ExitStack) -> Table:
    """Open a table of any kind.

    Parameters
    ----------
    data : object
        A path, or a frame of pandas, polars, Arrow, DuckDB, Dask, Spark ...
    connection : DuckDBPyConnection
        What reads files and Arrow.
    stack : ExitStack
        What tidies up.
    """
    import narwhals as nw

    if isinstance(data, (str, Path)):
        path = data if isinstance(data, str) else str(data)
        return _open_file(path, connection, stack)
    native, home = data, ""
    if isinstance(data, pd.DataFrame):
        native = data.set_axis([str(i) for i in range(data.shape[1])], axis=1)
    elif type(data).__module__.partition(".")[0] == "pyarrow":
        native, home = _of_arrow(data, connection), "own"
    try:
        frame = nw.from_native(native).lazy()
    except TypeError:
        raise invalid("data", "labels, a data frame or a path", type(data).__name__) from None
    inner = frame.collect_schema().names()
    names = tuple(data.columns) if isinstance(data, pd.DataFrame) else tuple(inner)
    picked = (nw.col(c).alias(f"c{i}") for i, c in enumerate(inner))
    return Table(frame.select(*picked), names, home=home or frame.implementation.name.lower())


def _open_file(path: str, connection: duckdb.DuckDBPyConnection, stack: ExitStack) -> Table:
    import narwhals as nw

    if path == "-":
        path = stack.enter_context(standard_input())
    if isinstance(path, Spooled):
        told, origin = "stdin", {"file": "stdin"}
    else:
        told, origin = path, {"file": path, "modified": modified(path)}
    if log := read_log(path, connection):
        names = tuple(log.frame.columns)
        frame = log.frame.set_axis([f"c{i}" for i in range(len(names))], axis=1)
        defaults = {name: name for name in ("id", "truth", "prediction") if name in names}
        relation = connection.from_df(frame)
        facts: dict[str, Any] = {"defaults": defaults, "notes": log.notes}
        return Table(nw.from_native(relation), names, told, origin, "own", **facts)
    relation, known = opened(connection, path)
    kind = kind_of(path)
    timeless = kind in ("text", "json lines", "json")
    frame = nw.from_native(relation)
    return Table(frame, tuple(known), told, origin, "own", kind == "text", timeless)


def _of_arrow(data: Any, connection: duckdb.DuckDBPyConnection) -> Any:
    """Hand Arrow's tables, datasets and readers to DuckDB."""
    try:
        relation = connection.from_arrow(data)
    except Exception:  # an Arrow array, a schema ...
        raise invalid("data", "labels, a data frame or a path", type(data).__name__) from None
    if type(data).__name__ != "RecordBatchReader":
        return relation
    return kept(connection, relation)  # they can be read once only


def rows_of(frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
    """Fetch the rows of a small table, through nothing but the engine that holds it."""
    import narwhals as nw

    native = nw.to_native(frame)
    if frame.implementation.is_duckdb():
        return list(native.fetchall())
    if frame.implementation.is_pyspark():
        return [tuple(row) for row in native.collect()]
    with collecting():
        return list(frame.collect().rows())


@contextmanager
def collecting() -> Iterator[None]:
    """Turn whatever a query of the user's says when it is run into one sentence."""
    try:
        yield
    except Exception as error:
        told = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"The lazy frame cannot be collected: {told.rstrip('.')}.") from error


def fetched(frame: nw.LazyFrame[Any]) -> pd.DataFrame:
    """Fetch the rows of a table that is needed row by row, in the order that it has."""
    import narwhals as nw

    native = nw.to_native(frame)
    if frame.implementation.is_duckdb():
        return pd.DataFrame(native.df())
    if frame.implementation.is_pyspark():
        return pd.DataFrame(native.toPandas())
    with collecting():
        found = frame.collect()
    return pd.DataFrame({name: found[name].to_numpy() for name in found.columns})


def brought(
    frame: nw.LazyFrame[Any], connection: duckdb.DuckDBPyConnection
) -> duckdb.DuckDBPyRelation:
    """Bring a table of Dask or Spark to DuckDB piece by piece, so that none has to fit in memory.

    Parameters
    ----------
    frame : LazyFrame
        A table that another engine holds.
    connection : DuckDBPyConnection
        What keeps it, on disk if need be.
    """
    schema = frame.collect_schema()
    [(tables,)] = connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall()
    name = f"kept_{tables}"
    columns = ", ".join(f"{quoted(c)} {_sql_type(kind)}" for c, kind in schema.items())
    connection.execute(f"CREATE TABLE {name} ({columns})")
    for piece in _pieces(frame):
        # Whole numbers of which some are missing come as real ones, which DuckDB takes for NaN.
        connection.register("piece", piece.convert_dtypes())
        connection.execute(f"INSERT INTO {name} SELECT * FROM piece")
        connection.unregister("piece")
    return connection.table(name)


def _pieces(frame: nw.LazyFrame[Any]) -> Iterator[pd.DataFrame]:
    """Fetch a table of another engine partition by partition."""
    import narwhals as nw

    native = nw.to_native(frame)
    names = frame.collect_schema().names()
    if frame.implementation.is_dask():
        for number in range(native.npartitions):
            with collecting():
                piece = native.get_partition(number).compute()
            yield pd.DataFrame(piece)[names]
        return
    with collecting():
        rows = native.select(*names).toLocalIterator()
        while some := [tuple(row) for row in islice(rows, PIECE)]:
            yield pd.DataFrame(some, columns=names)


def _sql_type(kind: Any) -> str:
    import narwhals as nw

    if kind.is_integer():
        return "HUGEINT" if kind == nw.UInt64 else "BIGINT"
    if kind.is_float() or kind.is_decimal():
        return "DOUBLE"
    known = {nw.Boolean: "BOOLEAN", nw.Date: "DATE", nw.Datetime: "TIMESTAMP"}
    return next((sql for one, sql in known.items() if kind == one), "VARCHAR")


def lacking(frame: nw.LazyFrame[Any], column: str) -> nw.Expr:
    """Return whether a row lacks a value in a column; NaN is none, either."""
    import narwhals as nw

    value = nw.col(column)
    if not frame.collect_schema()[column].is_float():
        return value.is_null()
    # By its text: DuckDB believes the statistics of Parquet, in which there is no NaN.
    return value.is_null() | value.cast(nw.String()).is_in(["nan", "NaN"])


def without_value(frame: nw.LazyFrame[Any], column: str) -> nw.LazyFrame[Any]:
    """Keep the rows that lack a value in a column."""
    return frame.filter(lacking(frame, column))


def combinations(
    frame: nw.LazyFrame[Any], parts: Sequence[str], weight: str | None = None
) -> list[tuple[Any, ...]]:
    """Count how often each combination of some columns occurs; the number comes last.

    Parameters
    ----------
    frame : LazyFrame
        Any table.
    parts : sequence of str
        Its columns, of which none is called ``n``.
    weight : str, optional
        The column that says how many documents a row stands for.
    """
    import narwhals as nw

    if weight is None and frame.implementation.is_dask():
        return _combinations_on_dask(nw.to_native(frame), list(parts))
    if weight is None:
        return rows_of(frame.group_by(*parts).agg(nw.len().alias(N)))
    w = nw.col(weight).cast(nw.Float64())
    flags = frame.with_columns(
        w.alias(weight),
        odd=((w % 1 != 0) | (w < 0) | w.is_null()).cast(nw.Int64()),
    ).filter((nw.col(weight) != 0) | nw.col(weight).is_null())
    summed = flags.group_by(*parts).agg(
        nw.col(weight).sum().alias(N), nw.col("odd").sum(), nw.col(weight).mean().alias("mean")
    )
    counted = []
    for *row, n, odd, mean in rows_of(summed):
        if odd:
            raise refused_weight(_odd_weight(flags, weight) if mean is not None else float("nan"))
        counted.append((*row, round(n)))
    return counted


def _combinations_on_dask(frame: Any, parts: list[str]) -> list[tuple[Any, ...]]:
    """Count in every partition, and add up here: Dask's own grouping would send rows around."""

    # A function inside a function travels to the workers, which need not have stanoff.
    def count(part: pd.DataFrame) -> pd.DataFrame:
        return (
            part.groupby(parts, sort=False, dropna=False, observed=True).size().reset_index(name=N)
        )

    meta = frame._meta[parts].assign(**{N: pd.Series(dtype="int64")})
    counted = frame[parts].map_partitions(count, meta=meta).compute()
    summed = counted.groupby(parts, sort=False, dropna=False, observed=True)[N].sum()
    return list(summed.reset_index().itertuples(index=False, name=None))


def _odd_weight(flags: nw.LazyFrame[Any], weight: str) -> float:
    import narwhals as nw

    [(first,)] = rows_of(flags.filter(nw.col("odd") == 1).select(weight).head(1))
    return float("nan") if first is None else float(first)


def check_scores(frame: nw.LazyFrame[Any], columns: Mapping[str, str], *, texts: bool) -> None:
    """Refuse columns of scores by their first rows, before all of them come back as labels."""
    import narwhals as nw

    schema = frame.collect_schema()
    doubtful = [c for c in columns if schema[c].is_float() or (texts and schema[c] == nw.String)]
    if not doubtful:
        return
    seen = rows_of(frame.select(*doubtful).head(FIRST_ROWS))
    for place, name in enumerate(doubtful):
        values = [row[place] for row in seen if not is_missing(row[place])]
        refuse_scores(columns[name], dict.fromkeys(values), rows=len(values))


def check_missing(
    counted: Sequence[tuple[Any, ...]], frame: nw.LazyFrame[Any], columns: Mapping[str, str]
) -> None:
    """Complain of missing labels, and say where the first is if the rows have an order."""
    for place, (c, name) in enumerate(columns.items()):
        missing = sum(row[-1] for row in counted if is_missing(row[place]))
        if missing:
            where = f", the first in row {row}" if (row := first_missing(frame, c)) else ""
            raise InputError(f"{name} has {missing_labels(int(missing))}{where}.")


def first_missing(frame: nw.LazyFrame[Any], column: str) -> int | None:
    """Find the first row without a label or an id, where DuckDB reads a file."""
    import narwhals as nw

    if not frame.implementation.is_duckdb():
        return None
    flags = frame.select(lacking(frame, column).alias("lacking"))
    numbered = nw.to_native(flags).project("row_number() OVER () AS row, lacking")
    [(first,)] = numbered.filter("lacking").aggregate("min(row)").fetchall()
    return None if first is None else int(first)
