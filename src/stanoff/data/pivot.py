"""Several tables, or one in long format, as one wide frame with a row per document or item.

Tables are joined by id, in the engine that holds them; a long table is turned by one aggregation
per item. Both tell of every table, or system, how many rows it has of a document, so that what is
unmatched, repeated or missing is found by the same checks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd

from stanoff.data.counting import missing_rows, parse_columns
from stanoff.data.readers import (
    Frame,
    count_rows,
    fetch,
    fetch_objects,
    first_missing,
    is_missing,
    quote,
    to_duckdb,
    value_counts,
)
from stanoff.errors import InputError, invalid, unknown

KEY, SYSTEM, VALUE, N = "key", "system", "value", "n"
WHOLE_NUMBER = r"^-?(0|[1-9][0-9]*)$"
TYPED = ("Date", "Time", "Unknown")  # of ids; what narwhals does not know are UUIDs
MAX_SYSTEMS = 1000
MAX_LISTED = 6
UNMATCHED = "Pass unmatched= drop to leave them out."
RUNS = (
    "Several labels of one system for one item are runs, not documents of their own: keep one run, "
    "or take the label that most runs gave."
)


@dataclass(frozen=True, eq=False)
class JoinTable:
    """One of several tables: an id, and the truth or the predictions of some systems.

    Attributes
    ----------
    frame : LazyFrame
        The column ``id``, and columns called by the roles they play.
    title : str
        What an error shall call it.
    labels : mapping
        What an error shall call the columns.
    backend, is_text, has_dates
        As in :class:`stanoff.data.readers.Table`.
    from_file : bool
        Whether it is a file.
    advice : str
        What to do if an id is repeated.
    """

    frame: Frame
    title: str
    labels: Mapping[str, str]
    backend: str
    from_file: bool = False
    is_text: bool = False
    has_dates: bool = True
    advice: str = ""

    @property
    def roles(self) -> list[str]:
        """The roles that its columns play."""
        return [role for role in self.labels if role != "id"]

    @property
    def id_dtype(self) -> Any:
        """The type of its ids."""
        return self.frame.collect_schema()["id"]


@dataclass(frozen=True, eq=False)
class Wide:
    """A row per document, and how many rows every table, or system, has of it.

    Attributes
    ----------
    frame : LazyFrame
        ``key``, ``rows_0``, ``rows_1`` ... and the columns of the roles.
    tables : tuple of JoinTable
        The tables, or what a long table says of each system, in the order of ``rows_k``.
    columns : mapping
        The columns that hold a role, with what an error shall call them; they must agree.
    missing : mapping
        The column that says whether a role is missing in some row of an item.
    integers : frozenset of str
        Columns of whole numbers, which an engine may have made real ones.
    """

    frame: Frame
    tables: tuple[JoinTable, ...]
    columns: Mapping[str, Mapping[str, str]]
    missing: Mapping[str, str]
    integers: frozenset[str]

    @property
    def rows(self) -> list[str]:
        """The columns that count rows."""
        return [f"rows_{k}" for k in range(len(self.tables))]

    def examples(self, condition: nw.Expr, limit: int = 3) -> str:
        """List the first keys for which something holds."""
        keys = fetch_objects(self.frame.filter(condition).select(KEY).sort(KEY).head(limit))
        return list_ids(keys[KEY])


def list_ids(ids: Iterable[Any]) -> str:
    """List ids as examples; a join may have made 7 a 7.0."""
    plain = (x.item() if isinstance(x, np.generic) else x for x in ids)
    whole = (int(x) if isinstance(x, float) and x.is_integer() else x for x in plain)
    return ", ".join(repr(x) for x in whole)


# Tables that are joined by id.


def join_tables(tables: Sequence[JoinTable], connection: duckdb.DuckDBPyConnection) -> Wide:
    """Join tables by id, and keep what is in one of them only.

    Parameters
    ----------
    tables : sequence of JoinTable
        The tables; a role may be played in several, which must then agree.
    connection : DuckDBPyConnection
        What joins tables of different engines.
    """
    tables = _same_ids(_same_engine(tables, connection))
    # Dask makes 7 a 7.0 where a row has no partner, which a third table would not know again.
    texts = len(tables) > 2 and tables[0].backend == "dask"
    numbered = []
    for k, table in enumerate(tables):
        id = nw.col("id").cast(nw.String()) if texts else nw.col("id")
        roles = (nw.col(role).alias(f"{role}_{k}") for role in table.roles)
        numbered.append((k, table.frame.select(id.alias(f"id_{k}"), *roles)))

    def full_join(whole: Frame, other: tuple[int, Frame]) -> Frame:
        k, frame = other
        joined = whole.join(frame, left_on=KEY, right_on=f"id_{k}", how="full")
        return joined.with_columns(nw.coalesce(nw.col(KEY), nw.col(f"id_{k}")).alias(KEY))

    first = numbered[0][1].with_columns(nw.col("id_0").alias(KEY))
    whole = reduce(full_join, numbered[1:], first)
    columns: dict[str, dict[str, str]] = {}
    integers = set()
    for k, table in enumerate(tables):
        schema = table.frame.collect_schema()
        for role in table.roles:
            columns.setdefault(role, {})[f"{role}_{k}"] = table.labels[role]
            if schema[role].is_integer():
                integers.add(f"{role}_{k}")
    rows = ((~nw.col(f"id_{k}").is_null()).alias(f"rows_{k}") for k in range(len(tables)))
    return Wide(whole.with_columns(*rows), tuple(tables), columns, {}, frozenset(integers))


def _same_engine(
    tables: Sequence[JoinTable], connection: duckdb.DuckDBPyConnection
) -> list[JoinTable]:
    """Leave tables of one engine where they are; else bring them to DuckDB."""
    backends = {table.backend for table in tables}
    if len(backends) == 1 and backends != {"pandas"}:  # which would turn whole numbers to others
        return list(tables)
    return [
        replace(table, frame=to_duckdb(table.frame, table.backend, connection), backend="own")
        for table in tables
    ]


def _same_ids(tables: Sequence[JoinTable]) -> list[JoinTable]:
    """Make sure that ids can be compared: "7" is not 7, unless a text file has it.

    Text files and JSON have no dates and no UUIDs, so those of other tables are compared as texts.
    NaN is no id.
    """

    def cast(table: JoinTable, dtype: Any) -> JoinTable:
        return replace(table, frame=table.frame.with_columns(nw.col("id").cast(dtype)))

    def kind(dtype: Any) -> str:
        if dtype.is_numeric():
            return "numbers"
        return "text" if dtype in (nw.String, nw.Categorical, nw.Enum) else str(dtype)

    tables = [_without_nan(table) for table in tables]
    kinds = [kind(table.id_dtype) for table in tables]
    if any(not t.has_dates and k == "text" for t, k in zip(tables, kinds, strict=True)):
        kinds = ["text" if k.startswith(TYPED) else k for k in kinds]
    same = [
        cast(table, nw.String()) if k == "text" and table.id_dtype != nw.String else table
        for table, k in zip(tables, kinds, strict=True)
    ]
    if set(kinds) == {"text", "numbers"}:
        for index, (table, k) in enumerate(zip(tables, kinds, strict=True)):
            if table.is_text and k == "text":
                odd = table.frame.filter(~nw.col("id").str.contains(WHOLE_NUMBER))
                if not len(fetch_objects(odd.select("id").head(1))):
                    same[index], kinds[index] = cast(table, nw.Int64()), "numbers"
    if len(set(kinds)) == 1:
        return same
    listed = " and ".join(
        f"{count_rows(table.frame):,} of {table.labels['id']} are {k}, such as "
        f"{list_ids(fetch_objects(table.frame.select('id').head(1))['id'])}"
        for table, k in zip(tables, kinds, strict=True)
    )
    raise InputError(f"The ids must be of one type, but {listed}.")


def _without_nan(table: JoinTable) -> JoinTable:
    """Take NaN for no id, which engines compare in ways of their own."""
    if not table.id_dtype.is_float():
        return table
    named = nw.when(~is_missing(table.frame, "id")).then(nw.col("id"))
    return replace(table, frame=table.frame.with_columns(named.alias("id")))


# Long tables.


def resolve_systems(
    systems: Mapping[str, Any], names: Collection[Any], column: str, title: str
) -> dict[str, Any]:
    """Return which system of a long table plays which role.

    Parameters
    ----------
    systems : mapping
        Their names by role; None takes the only ones there are, in order.
    names : collection
        The systems that the table has.
    column, title : str
        What an error shall call their column and the table.
    """
    known = sorted(names, key=str)
    if not known:
        raise InputError(f"{title} has no rows.")
    if all(name is None for name in systems.values()):
        if len(known) == len(systems):
            return dict(zip(systems, known, strict=True))
        first = ", ".join(repr(name) for name in known[:20])
        if len(known) == 1:
            raise InputError(f"{column} has one system only, {first}: there is none to compare.")
        options = " and ".join(f"{role}=" for role in systems)
        raise InputError(f"{column} has {len(known)} systems ({first}): pass {options}.")
    spellings = {str(name): name for name in known}
    for role, name in systems.items():
        if str(name) not in spellings:
            raise unknown(role, name, list(spellings))
    return {role: spellings[str(name)] for role, name in systems.items()}


def system_names(long: JoinTable) -> list[Any]:
    """Return the systems that a long table has, each row one."""
    names = fetch_objects(long.frame.select(SYSTEM).unique().head(MAX_SYSTEMS))[SYSTEM]
    if not names.isna().any():
        return sorted(names, key=str)
    nameless = long.frame.filter(is_missing(long.frame, SYSTEM))
    first = list_ids(fetch_objects(nameless.select("id").head(1))["id"])
    count = count_rows(nameless)
    rows = "1 row names" if count == 1 else f"{count:,} rows name"
    raise InputError(
        f"{long.labels[SYSTEM]} must name a system in every row, but {rows} none: the first is "
        f"that of {long.labels['id'].partition(' of ')[0]} {first}."
    )


def pivot(long: JoinTable, systems: Mapping[str, Any], shared: Sequence[str]) -> Wide:
    """Turn a table that has a row per item and system to one row per item.

    Parameters
    ----------
    long : JoinTable
        ``id``, ``system``, ``value``, and the shared roles.
    systems : mapping
        The names of the systems by role.
    shared : sequence of str
        Roles that all rows of an item must agree on, such as ``truth``.
    """
    schema = long.frame.collect_schema()
    value = nw.col(VALUE)
    if schema[VALUE] in (nw.Categorical, nw.Enum):
        value = value.cast(nw.String())
    cells = []
    for k, (role, name) in enumerate(systems.items()):
        mine = nw.col(SYSTEM) == name
        cells.append(nw.when(mine).then(nw.lit(1)).alias(f"rows_{k}"))
        cells.append(nw.when(mine).then(value).alias(role))
    listed = nw.col(SYSTEM).is_in(list(systems.values()))
    cells += [nw.when(listed).then(nw.col(role)).alias(role) for role in shared]
    cells.append(nw.when(listed).then(nw.lit(1)).alias("all_rows"))
    wide = long.frame.select(nw.col("id").alias(KEY), *cells).group_by(KEY)
    grouped = wide.agg(
        *(nw.col(f"rows_{k}").count() for k in range(len(systems))),
        *(nw.col(role).min() for role in systems),
        *(nw.col(role).min().alias(f"{role}_first") for role in shared),
        *(nw.col(role).max().alias(f"{role}_last") for role in shared),
        *(nw.col(role).count().alias(f"{role}_known") for role in shared),
        nw.col("all_rows").count(),
    ).filter(nw.col("all_rows") > 0)
    missing = {role: f"{role}_missing" for role in shared}
    for role, name in missing.items():
        grouped = grouped.with_columns((nw.col(f"{role}_known") < nw.col("all_rows")).alias(name))
    columns = {
        role: {role: f"{long.labels[VALUE]}, system {name!r},"} for role, name in systems.items()
    }
    for role in shared:
        columns[role] = dict.fromkeys((f"{role}_first", f"{role}_last"), long.labels[role])
    whole = {name for name in schema.names() if schema[name].is_integer()}
    integers = {f"{role}_{end}" for role in shared for end in ("first", "last") if role in whole}
    if VALUE in whole:
        integers |= set(systems)
    tables = tuple(_table_of(long, name) for name in systems.values())
    return Wide(grouped, tables, columns, missing, frozenset(integers))


def _table_of(long: JoinTable, name: Any) -> JoinTable:
    """Return what a long table says of one system, as if it were a table of its own."""
    title = f"system {name!r} of {long.title}"
    labels = {"id": f"{long.labels['id'].partition(' of ')[0]} in {title}"}
    return replace(long, title=title, labels=labels, advice=RUNS)


def join_gold(wide: Wide, gold: JoinTable, connection: duckdb.DuckDBPyConnection) -> Wide:
    """Join the true labels of another table to a long table that was turned."""
    names = [*wide.rows, *(c for columns in wide.columns.values() for c in columns)]
    flags = list(wide.missing.values())
    left = wide.frame.select(nw.col(KEY).alias("id"), *names, *flags)
    turned = replace(
        wide.tables[0], frame=left, labels={"id": "item", **{c: c for c in (*names, *flags)}}
    )
    both = join_tables([turned, gold], connection)
    k = len(wide.tables)
    frame = both.frame.select(
        KEY,
        *(nw.col(f"{name}_0").fill_null(0).alias(name) for name in wide.rows),
        nw.col("rows_1").alias(f"rows_{k}"),
        *(nw.col(f"{name}_0").alias(name) for name in (*names[k:], *flags)),
        *(nw.col(f"{role}_1") for role in gold.roles),
    )
    columns = {**wide.columns, **{role: {f"{role}_1": gold.labels[role]} for role in gold.roles}}
    integers = wide.integers | {name for name in both.integers if name.endswith("_1")}
    return Wide(frame, (*wide.tables, both.tables[1]), columns, wide.missing, integers)


# What is in a wide frame, checked.


def count_wide(wide: Wide, *, drop: bool) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Count the combinations of labels, as ``n``, in columns called by their roles.

    Parameters
    ----------
    wide : Wide
        A row per document.
    drop : bool
        Leave out the documents that are not in all tables, and say how many.
    """
    columns = [column for columns in wide.columns.values() for column in columns]
    flags = list(wide.missing.values())
    counted = value_counts(wide.frame, [*wide.rows, *flags, *columns])
    notes = check_ids(wide, counted, drop=drop)
    matched = counted[(counted[wide.rows] > 0).all(axis=1)].reset_index(drop=True)
    for role, names in wide.columns.items():
        for column, label in names.items():
            _check_missing(wide, matched, role, column, label)
    return _agreeing(wide, matched), notes


def fetch_wide(wide: Wide, *, drop: bool) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Fetch the documents one by one, in the order of their keys, as ``key`` and by their roles.

    Parameters
    ----------
    wide, drop
        As in :func:`count_wide`.
    """
    columns = [column for columns in wide.columns.values() for column in columns]
    flags = list(wide.missing.values())
    rows = fetch(wide.frame.select(KEY, *wide.rows, *flags, *columns))
    rows[wide.rows] = rows[wide.rows].astype(np.int64)
    counted = rows.groupby(wide.rows, sort=False).size().reset_index(name=N)
    notes = check_ids(wide, counted, drop=drop)
    matched = rows[(rows[wide.rows] > 0).all(axis=1)]
    matched = matched.sort_values(KEY, kind="stable", ignore_index=True)
    for role, flag in wide.missing.items():
        label = next(iter(wide.columns[role].values()))
        _check_rows(matched, matched[flag].astype(bool), label)
    return _agreeing(wide, matched), notes


def _check_rows(rows: pd.DataFrame, missing: Any, label: str) -> None:
    mask = np.asarray(missing)
    example = list_ids(rows[KEY][mask].head(1))
    missing_rows(label, mask, where=f"that of {example}")


def _check_missing(wide: Wide, counted: pd.DataFrame, role: str, column: str, label: str) -> None:
    """Refuse labels that are missing in documents that all tables have."""
    mask = counted[column].isna()
    if role in wide.missing:
        mask |= counted[wide.missing[role]].astype(bool)
    if not mask.any():
        return
    lost = is_missing(wide.frame, column)
    if role in wide.missing:
        lost = lost | nw.col(wide.missing[role])
    matched = wide.frame.filter(*((nw.col(name).cast(nw.Int64()) > 0) for name in wide.rows))
    example = list_ids(fetch_objects(matched.filter(lost).select(KEY).sort(KEY).head(1))[KEY])
    missing_rows(label, mask, where=f"that of {example}", n=int(counted[N][mask].sum()))


def _agreeing(wide: Wide, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the columns by their roles, once those that hold the same role agree."""
    out = {name: rows[name] for name in (KEY, N) if name in rows}
    from_file = any(table.from_file for table in wide.tables)
    for column in wide.integers:
        rows[column] = [x if pd.isna(x) else int(x) for x in rows[column]]
    names = [c for columns in wide.columns.values() for c in columns]
    if from_file and N in rows:  # labels: all of them are numbers, or none is
        rows[names] = pd.DataFrame(dict(zip(names, _parse_texts(rows[names]), strict=True)))
    for role, columns in wide.columns.items():
        first, *others = columns
        for other in others:
            one, two = (rows[name].to_numpy() for name in (first, other))
            if from_file and N not in rows:
                one, two = _parse_texts(rows[[first, other]])
            clash = np.asarray(one != two) & ~(pd.isna(one) & pd.isna(two))
            if clash.any():
                _refuse_clash(wide, rows, role, clash, (first, other), (one, two))
        out[role] = rows[first]
    return pd.DataFrame(out)


def _parse_texts(rows: pd.DataFrame) -> list[Any]:
    """Read texts as numbers or booleans where all texts are; leave other columns as they are."""
    texts = [c for c in rows if all(isinstance(x, str) for x in rows[c])]
    parsed = dict(zip(texts, parse_columns([rows[c].to_numpy() for c in texts]), strict=True))
    return [parsed[c] if c in parsed else rows[c].to_numpy() for c in rows]


def _refuse_clash(
    wide: Wide,
    rows: pd.DataFrame,
    role: str,
    clash: Any,
    names: tuple[str, str],
    values: tuple[Any, Any],
) -> None:
    """Say that two tables, or two rows of an item, disagree on a role."""
    index = int(clash.argmax())
    first, second = (wide.columns[role][name] for name in names)
    one, two = (x[index].item() if isinstance(x[index], np.generic) else x[index] for x in values)
    if KEY in rows:
        ids, example = int(clash.sum()), list_ids([rows[KEY][index]])
    else:
        ids = int(rows[N][clash].sum())
        texts = [nw.col(name).cast(nw.String()) for name in names]
        example = wide.examples(texts[0] != texts[1], 1)
    if first == second:
        raise InputError(
            f"{first} must be the same in all rows of an item, but differs in {ids:,} items: that "
            f"of {example} is {one!r} and {two!r}."
        )
    raise InputError(
        f"{first} and {second} must agree, but differ for {ids:,} ids: that of {example} is "
        f"{one!r} and {two!r}."
    )


def check_ids(wide: Wide, counted: pd.DataFrame, *, drop: bool) -> tuple[str, ...]:
    """Complain of ids that are missing, repeated or unmatched; say how many were left out.

    Parameters
    ----------
    wide : Wide
        A row per document.
    counted : DataFrame
        How often, as ``n``, each combination of ``rows_k`` occurs.
    drop : bool
        Leave out the ids that are not in all tables.
    """
    rows, n = counted[wide.rows].astype(np.int64).to_numpy(), counted[N].to_numpy(dtype=np.int64)
    inside = rows > 0
    long = not wide.tables[0].roles
    if long:
        _check_long(wide, rows, n)
    else:
        _check_tables(wide, inside, n)
    lost = int(n[~inside.all(axis=1)].sum())
    if not lost:
        return ()
    if long:
        message = f"of {int(n.sum()):,} items {_unanswered(wide, inside, n)}"
        note = f"Items were left out: {message}."
        message = f"{message[0].upper()}{message[1:]}"
        nothing = "No item has all of them."
    else:
        note = (
            "Documents were left out because their ids do not match: "
            f"{_unmatched(wide, inside, n, examples=False)}."
        )
        message = f"The ids do not match: {_unmatched(wide, inside, n, examples=True)}"
        nothing = "No id is in all of them."
    if not inside.all(axis=1).any():
        raise InputError(f"{message}. {nothing}")
    if not drop:
        raise InputError(f"{message}. {UNMATCHED}")
    return (note,)


def _check_tables(wide: Wide, inside: Any, n: Any) -> None:
    """Complain of tables without rows, of missing ids and of repeated ones."""
    nameless = bool((~inside.any(axis=1)).any())
    for table, mine in zip(wide.tables, inside.T, strict=True):
        rows = count_rows(table.frame)
        if not rows:
            raise InputError(f"{table.title} has no rows.")
        if nameless:
            count = count_rows(table.frame.filter(nw.col("id").is_null()))
            where = first_missing(table.frame, "id")
            missing_rows(table.labels["id"], count > 0, "id", where, n=count)
        if int(n[mine].sum()) != rows:  # an id of another table is repeated, or one of its own
            for other in wide.tables:
                _check_repeats(other)


def _check_repeats(table: JoinTable) -> None:
    repeated = table.frame.group_by("id").agg(nw.len().alias(N)).filter(nw.col(N) > 1)
    first = fetch_objects(repeated.sort("id").head(1))
    if len(first):
        raise _repeats(table, count_rows(repeated), first["id"], first[N][0])


def _repeats(table: JoinTable, count: int, example: Iterable[Any], rows: int) -> InputError:
    ids = "1 id" if count == 1 else f"{count:,} ids"
    advice = f" {table.advice}" if table.advice else ""
    return InputError(
        f"{table.labels['id']} repeats {ids}, such as {list_ids(example)}, which {rows:,} rows "
        f"have.{advice}"
    )


def _check_long(wide: Wide, rows: Any, n: Any) -> None:
    """Complain of a long table without rows, without names of items, or with several per item."""
    if not len(rows):
        raise InputError(f"{wide.tables[0].title} has no rows.")
    if len(fetch_objects(wide.frame.filter(nw.col(KEY).is_null()).select(KEY).head(1))):
        raise InputError("item has rows without a name.")
    for k, table in enumerate(wide.tables):
        if table.roles or not (rows[:, k] > 1).any():
            continue
        repeated = wide.frame.filter(nw.col(f"rows_{k}") > 1).select(KEY, f"rows_{k}")
        first = fetch_objects(repeated.sort(KEY).head(1))
        count = int(n[rows[:, k] > 1].sum())
        raise _repeats(table, count, first[KEY], int(first[f"rows_{k}"][0]))


def _unanswered(wide: Wide, inside: Any, n: Any) -> str:
    """Say of how many items each system has no answer."""
    parts = []
    for k, table in enumerate(wide.tables):
        if count := int(n[~inside[:, k]].sum()):
            verb = "has" if count == 1 else "have"
            example = wide.examples(nw.col(f"rows_{k}").cast(nw.Int64()) == 0, 1)
            name = table.title.partition(" of ")[0] if not table.roles else table.title
            parts.append(f"{count:,} {verb} no row of {name}, such as {example}")
    return _shorten(parts)


def _unmatched(wide: Wide, inside: Any, n: Any, *, examples: bool) -> str:
    """Say how many ids one table has and another has not."""
    parts = []
    for k, table in enumerate(wide.tables):
        for j, other in enumerate(wide.tables):
            only = inside[:, k] & ~inside[:, j]
            if not (count := int(n[only].sum())):
                continue
            if not examples:
                parts.append(f"{count:,} of {table.title} that are not in {other.title}")
                continue
            ids = (
                "3"
                if len(parts) >= MAX_LISTED
                else wide.examples(nw.col(f"rows_{k}") & ~nw.col(f"rows_{j}"))
            )
            parts.append(f"{count:,} of {table.title} are not in {other.title}, such as {ids}")
    return _shorten(parts, "; " if examples else ", ")


def _shorten(parts: list[str], sign: str = "; ") -> str:
    more = f"{sign}and {len(parts) - MAX_LISTED} more" if len(parts) > MAX_LISTED else ""
    return sign.join(parts[:MAX_LISTED]) + more


# Values that are added up by item.


def as_numbers_in_engine(
    frame: Frame,
    columns: Mapping[str, str],
    backend: str,
    connection: duckdb.DuckDBPyConnection,
) -> Frame:
    """Make columns ones of numbers, or say which text is none.

    Parameters
    ----------
    frame : LazyFrame
        Any table.
    columns : mapping
        The columns, with what an error shall call them.
    backend, connection
        As in :func:`stanoff.data.readers.to_duckdb`: texts are read by DuckDB.
    """
    schema = frame.collect_schema()
    texts = [c for c in columns if schema[c] == nw.String or schema[c] == nw.Object]
    for column, label in columns.items():
        dtype = schema[column]
        if column not in texts and not dtype.is_numeric() and dtype != nw.Boolean:
            raise invalid(label, "a column of numbers", f"the type {dtype}")
    if texts:
        native = nw.to_native(to_duckdb(frame, backend, connection))
        numbers = {
            c: f"COALESCE(TRY_CAST({quote(c)} AS DOUBLE), "
            f"CASE lower({quote(c)}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)"
            for c in texts
        }
        odd = ", ".join(
            f"count({quote(c)}) - count({sql}), "
            f"min({quote(c)}) FILTER ({quote(c)} IS NOT NULL AND {sql} IS NULL)"
            for c, sql in numbers.items()
        )
        [found] = native.aggregate(odd).fetchall()
        for column, count, example in zip(texts, found[::2], found[1::2], strict=True):
            if count:
                raise InputError(
                    f"{columns[column]} must be made of numbers, but {count:,} rows have none, "
                    f"such as {example!r}."
                )
        replaced = ", ".join(f"{sql} AS {quote(c)}" for c, sql in numbers.items())
        frame = nw.from_native(native.project(f"* REPLACE ({replaced})"))
    return frame.with_columns(*(nw.col(column).cast(nw.Float64()) for column in columns))


def sum_by_item(
    frame: Frame, sums: Sequence[str], shared: Sequence[str], labels: Mapping[str, str], runs: bool
) -> pd.DataFrame:
    """Add columns of numbers up by ``item``, in the order of the items.

    Parameters
    ----------
    frame : LazyFrame
        ``item``, the columns and the shared roles.
    sums : sequence of str
        The columns that are added up: as ``x sum`` and ``x n`` of each; where some item has
        several numbers and ``runs`` is true, ``x ss`` is the sum of squares around their mean.
    shared : sequence of str
        Roles that all rows of an item must agree on.
    labels : mapping
        What an error shall call these.
    runs : bool
        Whether several rows of an item are runs.
    """
    groups = frame.group_by("item").agg(
        *(nw.col(name).sum().alias(f"{name} sum") for name in sums),
        *(nw.col(name).count().alias(f"{name} n") for name in sums),
        *(nw.col(role).min().alias(role) for role in shared),
        *(nw.col(role).max().alias(f"{role} last") for role in shared),
        *(nw.col(role).count().alias(f"{role} n") for role in shared),
        *([nw.len().alias("rows")] if shared else []),
    )
    rows = _fetch_sorted(groups)
    if len(rows) and bool(pd.isna(rows["item"]).any()):
        raise InputError("item has rows without a name.")
    for role in shared:
        lost = (rows[f"{role} n"] < rows["rows"]).to_numpy()
        if lost.any():
            example = list_ids(rows["item"][lost].head(1))
            raise InputError(
                f"{labels[role]} is missing in rows of {int(lost.sum()):,} items, such as "
                f"{example}."
            )
        clash = (rows[role] != rows[f"{role} last"]).to_numpy()
        if clash.any():
            example = list_ids(rows["item"][clash].head(1))
            raise invalid(role, "the same in all rows of an item", f"two for item {example}")
    if runs and len(rows) and max(rows[f"{name} n"].max() for name in sums) > 1:
        squares = frame.group_by("item").agg(
            *(nw.col(name).var(ddof=0).alias(f"{name} ss") for name in sums)
        )
        around = _fetch_sorted(squares)
        for name in sums:
            ss = around[f"{name} ss"].to_numpy(dtype=np.float64) * rows[f"{name} n"].to_numpy()
            rows[f"{name} ss"] = np.maximum(np.nan_to_num(ss), 0.0)
    return rows


def _fetch_sorted(groups: Frame) -> pd.DataFrame:
    groups = groups.sort("item")
    if not groups.implementation.is_duckdb():
        return fetch(groups)
    columns = nw.to_native(groups).fetchnumpy()  # a data frame would take a second copy
    if any(np.ma.is_masked(values) for values in columns.values()):
        return fetch(groups)
    return pd.DataFrame({name: np.asarray(v) for name, v in columns.items()}, copy=False)
