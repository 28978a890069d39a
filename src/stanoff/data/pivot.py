"""Tables as one wide frame with a row per document or item, read and checked.

Tables are joined by id, in the engine that holds them; a table with several rows per item is turned
by one aggregation. Both tell how many rows every table, or system, has of an item, so that what is
unmatched, repeated or missing is found by the same checks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd

from stanoff.data.counting import check_weights, missing_rows, parse_texts
from stanoff.data.readers import (
    Frame,
    Table,
    count_rows,
    fetch,
    fetch_objects,
    first_missing,
    is_missing,
    materialize,
    quote,
    to_duckdb,
    value_counts,
)
from stanoff.errors import InputError, invalid, unknown

KEY, SYSTEM, VALUE, N = "id", "system", "value", "n"
WHOLE_NUMBER = r"^-?(0|[1-9][0-9]*)$"
TYPED = ("Date", "Time", "Unknown")  # of ids; what narwhals does not know are UUIDs
MAX_SYSTEMS = 1000
MAX_LISTED = 6
SINGULAR = {"are": "is", "have": "has"}
UNMATCHED = "Pass unmatched= drop to leave them out."
OR_PAIRS = "Pass unmatched= drop to leave them out, or pairs to judge each pair on what both have."
RUNS = (
    "Several labels of one system for one item are runs, not documents of their own: keep one run, "
    "or take the label that most runs gave."
)


@dataclass(frozen=True, eq=False)
class Side:
    """The columns of a table that are read, under the names of the roles they play.

    Attributes
    ----------
    table : Table
        The table.
    frame : LazyFrame
        The columns, by role; ``id`` is what rows are joined or grouped by.
    title : str
        What an error shall call the table.
    labels : mapping
        What an error shall call the columns.
    backend : str
        Who holds the frame, as in :class:`stanoff.data.readers.Table`.
    """

    table: Table
    frame: Frame
    title: str
    labels: Mapping[str, str]
    backend: str


@dataclass(frozen=True, eq=False)
class Member:
    """A table, or a system of a long one, which has a row of every item; ``rows_k`` counts them.

    Attributes
    ----------
    lacks : str
        What is true of items that it does not have.
    ids : str
        What an error shall call its ids.
    advice : str
        What to do if an id is repeated.
    side : Side or None
        The table, where it is one of its own.
    n : int
        How many rows that has.
    """

    lacks: str
    ids: str
    advice: str = RUNS
    side: Side | None = None
    n: int = 0


@dataclass(frozen=True, eq=False)
class Wide:
    """A row per document or item.

    Attributes
    ----------
    frame : LazyFrame
        The columns of the roles; where there are members, ``id`` and ``rows_0``, ``rows_1`` ...
    columns : mapping
        By role the columns that hold it, with what an error shall call them; they must agree.
    title : str
        What an error shall call the table.
    from_file : bool
        Whether labels are read from a file, in which texts may be numbers.
    members : tuple of Member
        What must have a row of every item; none where every row is an item.
    runs : bool
        Whether several rows of an item are its runs.
    integers : frozenset of str
        Columns of whole numbers, which an engine may have made real ones.
    """

    frame: Frame
    columns: Mapping[str, Mapping[str, str]]
    title: str
    from_file: bool
    members: tuple[Member, ...] = ()
    runs: bool = False
    integers: frozenset[str] = frozenset()

    @property
    def counters(self) -> list[str]:
        """The columns that count rows."""
        return [f"rows_{k}" for k in range(len(self.members))]

    @property
    def matched(self) -> list[nw.Expr]:
        """What is true of items of which every member has a row."""
        return [nw.col(name) > 0 for name in self.counters]

    def examples(self, *conditions: nw.Expr, limit: int = 1) -> str:
        """List the first ids for which something holds."""
        rows = self.frame.filter(*conditions).select(KEY).sort(KEY).head(limit)
        return list_ids(fetch_objects(rows)[KEY])


def no_rows(title: str) -> InputError:
    """Build the error for a table without rows."""
    return InputError(f"{title.replace('the table', 'The table')} has no rows.")


def list_ids(ids: Iterable[Any]) -> str:
    """List ids as examples; a join may have made 7 a 7.0."""
    plain = (x.item() if isinstance(x, np.generic) else x for x in ids)
    whole = (int(x) if isinstance(x, float) and x.is_integer() else x for x in plain)
    return ", ".join(repr(x) for x in whole)


# Tables that can be joined.


def align(sides: Sequence[Side], connection: duckdb.DuckDBPyConnection) -> list[Side]:
    """Bring tables to one engine, DuckDB if they are in several, and their ids to one type.

    pandas goes to DuckDB, too: it would turn whole numbers to real ones.
    """
    if len({side.backend for side in sides}) > 1 or sides[0].backend == "pandas":
        sides = [
            replace(side, frame=to_duckdb(side.frame, side.backend, connection), backend="own")
            for side in sides
        ]
    sides = _same_ids([_without_nan(_read_once(side, connection)) for side in sides])
    if len(sides) > 2 and sides[0].backend == "dask":
        # Dask makes 7 a 7.0 where a row has no partner, which a third table would not know again.
        return [_cast_ids(side, nw.String()) for side in sides]
    return sides


def _read_once(side: Side, connection: duckdb.DuckDBPyConnection) -> Side:
    """Keep the columns of a text file that is too large to be kept as a whole."""
    native = nw.to_native(side.table.frame)
    if side.backend != "own" or side.table.has_dates or native.type == "TABLE_RELATION":
        return side
    return replace(side, frame=nw.from_native(materialize(connection, nw.to_native(side.frame))))


def _without_nan(side: Side) -> Side:
    """Take NaN for no id, which engines compare in ways of their own."""
    if not side.frame.collect_schema()[KEY].is_float():
        return side
    named = nw.when(~is_missing(side.frame, KEY)).then(nw.col(KEY))
    return replace(side, frame=side.frame.with_columns(named.alias(KEY)))


def _cast_ids(side: Side, dtype: Any) -> Side:
    return replace(side, frame=side.frame.with_columns(nw.col(KEY).cast(dtype)))


def _same_ids(sides: Sequence[Side]) -> list[Side]:
    """Make sure that ids can be compared: "7" is not 7, unless a text file has it.

    Text files and JSON have no dates and no UUIDs, so those of other tables are compared as texts.
    """

    def kind(dtype: Any) -> str:
        if dtype.is_numeric():
            return "numbers"
        return "text" if dtype in (nw.String, nw.Categorical, nw.Enum) else str(dtype)

    kinds = [kind(side.frame.collect_schema()[KEY]) for side in sides]
    if any(not s.table.has_dates and k == "text" for s, k in zip(sides, kinds, strict=True)):
        kinds = ["text" if k.startswith(TYPED) else k for k in kinds]
    same = [
        _cast_ids(side, nw.String()) if k == "text" else side
        for side, k in zip(sides, kinds, strict=True)
    ]
    if set(kinds) == {"text", "numbers"}:
        for index, (side, k) in enumerate(zip(sides, kinds, strict=True)):
            if side.table.is_text and k == "text":
                odd = side.frame.filter(~nw.col(KEY).str.contains(WHOLE_NUMBER))
                if not len(fetch_objects(odd.select(KEY).head(1))):
                    same[index], kinds[index] = _cast_ids(side, nw.Int64()), "numbers"
    if len(set(kinds)) == 1:
        return same
    listed = " and ".join(
        f"{count_rows(side.frame):,} of {side.labels[KEY]} are {k}, such as "
        f"{list_ids(fetch_objects(side.frame.select(KEY).head(1))[KEY])}"
        for side, k in zip(sides, kinds, strict=True)
    )
    raise InputError(f"The ids must be of one type, but {listed}.")


# One wide frame.


def join(wide: Wide | None, side: Side) -> Wide:
    """Join a table by id, and keep what is in one of both only; the first is joined to nothing."""
    k = len(wide.members) if wide else 0
    schema = side.frame.collect_schema()
    roles = [role for role in side.labels if role != KEY]
    frame = side.frame.select(
        nw.col(KEY).alias(f"id_{k}"),
        (~nw.col(KEY).is_null()).cast(nw.Int8()).alias(f"rows_{k}"),
        *(nw.col(role).alias(f"{role}_{k}") for role in roles),
    )
    advice = RUNS if side.table.defaults else ""
    member = Member(f"are not in {side.title}", side.labels[KEY], advice, side, _check_ids(side))
    integers = frozenset(f"{role}_{k}" for role in roles if schema[role].is_integer())
    columns = {role: {f"{role}_{k}": side.labels[role]} for role in roles}
    if wide is None:
        renamed = frame.rename({"id_0": KEY})
        title, from_file = side.title, bool(side.table.file)
        return Wide(renamed, columns, title, from_file, (member,), integers=integers)
    joined = wide.frame.join(frame, left_on=KEY, right_on=f"id_{k}", how="full")
    counters = (nw.col(name).fill_null(0) for name in (*wide.counters, f"rows_{k}"))
    key = nw.coalesce(nw.col(KEY), nw.col(f"id_{k}")).alias(KEY)
    return replace(
        wide,
        frame=joined.with_columns(key, *counters),
        columns={
            role: {**wide.columns.get(role, {}), **columns.get(role, {})}
            for role in dict.fromkeys((*wide.columns, *columns))
        },
        from_file=wide.from_file or bool(side.table.file),
        members=(*wide.members, member),
        integers=wide.integers | integers,
    )


def _check_ids(side: Side) -> int:
    """Count the rows of a table, all of which must have an id."""
    missing = nw.col(KEY).is_null().cast(nw.Int64()).sum().alias("missing")
    counted = fetch_objects(side.frame.select(nw.len().alias(N), missing))
    rows, lost = int(counted[N][0]), int(counted["missing"][0] or 0)
    if not rows:
        raise no_rows(side.title)
    missing_rows(side.labels[KEY], lost > 0, "id", first_missing(side.frame, KEY), n=lost)
    return rows


def group_by_item(
    side: Side, roles: Sequence[str], shared: Sequence[str], members: Sequence[Member], *, add: bool
) -> Wide:
    """Turn a table with several rows per item to one row per item.

    Parameters
    ----------
    side : Side
        ``id``, the columns of the roles and the shared ones; of labels also ``rows_k``, which is
        there in every row of a system.
    roles : sequence of str
        The systems, and maybe their denominators.
    shared : sequence of str
        Roles that all rows of an item must agree on, such as ``truth``.
    members : sequence of Member
        What must have a row of every item: the systems, which are the first of the roles.
    add : bool
        Whether numbers are added up, so that several rows of an item are its runs.
    """
    schema = side.frame.collect_schema()
    lost = side.frame.filter(is_missing(side.frame, KEY))
    if len(fetch_objects(lost.select(KEY).head(1))):
        raise InputError(f"{side.labels[KEY]} has rows without a name.")
    rows = {f"rows_{k}": roles[k] if add else f"rows_{k}" for k in range(len(members))}
    grouped = side.frame.group_by(KEY).agg(
        *(nw.col(column).count().alias(name) for name, column in rows.items()),
        *((nw.col(role).sum() if add else nw.col(role).min()) for role in roles),
        *(nw.col(role).min().alias(f"{role}_first") for role in shared),
        *(nw.col(role).max().alias(f"{role}_last") for role in shared),
        *(nw.col(role).count().alias(f"{role}_known") for role in shared),
        *([nw.len().alias("all_rows")] if shared else []),
    )
    if shared:  # what is missing in one row is missing
        known = {role: nw.col(f"{role}_known") == nw.col("all_rows") for role in shared}
        grouped = grouped.with_columns(
            *(nw.when(c).then(nw.col(f"{r}_first")).alias(f"{r}_first") for r, c in known.items())
        )
    ends = {role: (f"{role}_first", f"{role}_last") for role in shared}
    whole = {role for role in (*roles, *shared) if schema[role].is_integer()}
    integers = [name for role in whole for name in ends.get(role, (role,))]
    columns = {role: {role: side.labels.get(role, role)} for role in roles}
    return Wide(
        grouped,
        columns | {role: dict.fromkeys(names, side.labels[role]) for role, names in ends.items()},
        side.title,
        bool(side.table.file),
        tuple(members),
        runs=add,
        integers=frozenset(() if add else integers),
    )


def spread(
    side: Side, systems: Mapping[str, Any], known: int, denominators: Sequence[str], *, add: bool
) -> Side:
    """Give every system of a long table a column of its values, and of its denominators."""
    frame = side.frame
    if known > len(systems):
        frame = frame.filter(nw.col(SYSTEM).is_in(list(systems.values())))
    value = nw.col(VALUE)
    if frame.collect_schema()[VALUE] in (nw.Categorical, nw.Enum):
        value = value.cast(nw.String())
    cells = []
    for k, (role, name) in enumerate(systems.items()):
        mine = nw.col(SYSTEM) == name
        cells.append(nw.when(mine).then(value).alias(role))
        if not add:
            cells.append(nw.when(mine).then(nw.lit(1)).alias(f"rows_{k}"))
        if denominators:
            column = nw.col(denominators[k if len(denominators) > 1 else 0])
            cells.append(nw.when(mine).then(column).alias(f"denominator {role}"))
    labels = {role: f"{side.labels[VALUE]}, system {name!r}," for role, name in systems.items()}
    return replace(side, frame=frame.with_columns(*cells), labels={**side.labels, **labels})


def resolve_systems(side: Side, systems: Mapping[str, Any], names: list[Any]) -> dict[str, Any]:
    """Return which system of a long table plays which role.

    Parameters
    ----------
    side : Side
        The table.
    systems : mapping
        Their names by role; None takes the only ones there are, in order.
    names : list
        The systems that the table has.
    """
    if not names:
        raise no_rows(side.title)
    if all(name is None for name in systems.values()):
        if len(names) == len(systems):
            return dict(zip(systems, names, strict=True))
        column, first = side.labels[SYSTEM], ", ".join(repr(name) for name in names[:20])
        if len(names) == 1:
            raise InputError(f"{column} has one system only, {first}: there is none to compare.")
        options = " and ".join(f"{role}=" for role in systems)
        raise InputError(f"{column} has {len(names)} systems ({first}): pass {options}.")
    spellings = {str(name): name for name in names}
    for role, name in systems.items():
        if str(name) not in spellings:
            raise unknown(role, name, list(spellings))
    return {role: spellings[str(name)] for role, name in systems.items()}


def system_names(side: Side) -> list[Any]:
    """Return the systems that a long table has, each row one, in order."""
    names = fetch_objects(side.frame.select(SYSTEM).unique().head(MAX_SYSTEMS))[SYSTEM]
    if not names.isna().any():
        return sorted(names, key=str)
    nameless = side.frame.filter(is_missing(side.frame, SYSTEM))
    first = list_ids(fetch_objects(nameless.select(KEY).head(1))[KEY])
    count = count_rows(nameless)
    rows = "1 row names" if count == 1 else f"{count:,} rows name"
    raise InputError(
        f"{side.labels[SYSTEM]} must name a system in every row, but {rows} none: the first is "
        f"that of {side.labels[KEY].partition(' of ')[0]} {first}."
    )


# What is in a wide frame, checked.


def read_wide(
    wide: Wide,
    labels: Collection[str],
    numbers: Collection[str],
    *,
    systems: Sequence[str] = (),
    count: bool,
    unmatched: str = "raise",
    weight: str | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the columns by their roles, with ``n`` documents per row, and what was left out.

    Parameters
    ----------
    wide : Wide
        What is read.
    labels : collection of str
        Roles of labels: all of these are numbers, or none is.
    numbers : collection of str
        Roles of scores or values, which are checked when they are put together.
    systems : sequence of str
        The roles of systems, which may not have answered everything.
    count : bool
        Count the combinations of labels where they are; else the rows come one by one, in the
        order of their ids if they have any, as ``id``.
    unmatched : str
        ``"drop"`` leaves out items that some member does not have, and says how many; ``"pairs"``
        leaves gaps in the columns of the systems.
    weight : str, optional
        The column of documents per row.
    """
    columns = [column for names in wide.columns.values() for column in names]
    if count:
        rows = value_counts(wide.frame, [*wide.counters, *columns], weight)
    else:
        wanted = [*([KEY] if wide.members else []), *wide.counters, *columns]
        frame = wide.frame.select(*wanted, *([weight] if weight else []))
        rows = fetch(frame.sort(KEY) if wide.members else frame)
        n = check_weights(rows[weight]) if weight else np.ones(len(rows), dtype=np.int64)
        # Put together anew: pandas warns where a column is inserted into a frame of very many.
        rows = pd.DataFrame({**{name: rows[name] for name in rows}, N: n}, copy=False)
    if not len(rows):
        raise no_rows(wide.title)
    rows, notes = _select_answered(wide, rows, systems, unmatched, count=count)
    with_gaps = systems if unmatched == "pairs" else ()
    for role in wide.columns:
        if role not in numbers and role not in with_gaps:
            _refuse_missing(wide, rows, role, count=count)
    return _agree(wide, rows, labels, numbers), notes


def _select_answered(
    wide: Wide, rows: pd.DataFrame, systems: Sequence[str], unmatched: str, *, count: bool
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Keep the items that all systems have answered, and say how many are left out."""
    n = rows[N].to_numpy(dtype=np.int64)
    first_rows: Iterable[str] = ()
    if wide.members:
        present = np.stack([rows[name].to_numpy() for name in wide.counters]).astype(np.int64)
        _refuse_repeated_items(wide, present, n)
        absent = present == 0
        lacks = [member.lacks for member in wide.members]
    else:
        gaps = {column: text for role in systems for column, text in wide.columns[role].items()}
        absent = rows[list(gaps)].isna().to_numpy().T
        lacks = [f"have no answer of {label}" for label in gaps.values()]
        first_rows = (
            first_missing(wide.frame, column) if count else f"in row {lost.argmax() + 1}"
            for column, lost in zip(gaps, absent, strict=True)
            if lost.any()
        )
    if unmatched == "pairs":
        return _leave_gaps(wide, rows, systems), ()
    if not absent.any():
        return rows, ()
    few = len(systems) <= 2
    notes = _leave_out(wide, lacks, absent, n, unmatched, first_rows, few=few)
    return rows.iloc[np.flatnonzero(~absent.any(axis=0))].reset_index(drop=True), notes


def _refuse_missing(wide: Wide, rows: pd.DataFrame, role: str, *, count: bool) -> None:
    """Refuse columns of a role in which something is missing."""
    for column, label in wide.columns[role].items():
        if (lost := rows[column].isna().to_numpy()).any():
            where = first_missing(wide.frame, column) if count else None
            if wide.members:
                missing = is_missing(wide.frame, column)
                where = f"that of {wide.examples(missing, *wide.matched)}"
            missing_rows(label, lost, where=where, n=int(rows[N][lost].sum()))


def _leave_gaps(wide: Wide, rows: pd.DataFrame, systems: Sequence[str]) -> pd.DataFrame:
    """Keep items that systems have not answered, as gaps in the columns of these systems.

    What all tables have of an item, such as its true label, is that of any table that has it.
    """
    rows = rows.copy()
    if wide.runs:  # sums over no rows are 0
        for role, counter in zip(wide.columns, wide.counters, strict=False):
            rows[role] = rows[role].where(rows[counter] > 0)
    for role, (first, *further) in wide.columns.items():
        if role not in systems:
            for column in further:
                rows[first] = rows[first].where(rows[first].notna(), rows[column])
            for column in further:
                rows[column] = rows[column].where(rows[column].notna(), rows[first])
    return rows


def _agree(
    wide: Wide, rows: pd.DataFrame, labels: Collection[str], numbers: Collection[str]
) -> pd.DataFrame:
    """Return the columns by their roles, once those that hold the same role agree."""
    for column in wide.integers:
        if not pd.api.types.is_integer_dtype(rows[column]):
            rows[column] = [x if pd.isna(x) else int(x) for x in rows[column]]
    if wide.from_file:
        together = [column for role in labels for column in wide.columns[role]]
        others = [[*names] for r, names in wide.columns.items() if r not in (*labels, *numbers)]
        for group in (together, *others):
            answers = {name: rows[name].dropna() for name in group}
            parsed = parse_texts(answers)
            rows = rows.assign(
                **{
                    name: values
                    if len(values) == len(rows)
                    else pd.Series(values, answers[name].index, dtype=object)
                    for name, values in parsed.items()
                }
            )
    out = {name: rows[name] for name in (KEY, *wide.counters, N, "rows") if name in rows}
    for role, names in wide.columns.items():
        first, *further = names
        for other in further:
            clash = np.asarray(rows[first].to_numpy() != rows[other].to_numpy(), dtype=bool)
            if clash.any():
                _refuse_clash(wide, rows, role, clash, (first, other))
        out[role] = rows[first]
    return pd.DataFrame(out)


def _refuse_clash(
    wide: Wide, rows: pd.DataFrame, role: str, clash: Any, columns: tuple[str, str]
) -> None:
    """Say that two tables, or two rows of an item, disagree on a role."""
    one, two = (rows[column].astype(object)[int(clash.argmax())] for column in columns)
    ids = int(rows[N][clash].sum())
    texts = [nw.col(name).cast(nw.String()) for name in columns]
    example = list_ids(rows[KEY][clash].head(1)) if KEY in rows else ""
    example = example or wide.examples(texts[0] != texts[1], *wide.matched)
    first, second = (wide.columns[role][name] for name in columns)
    rule = f"{first} and {second} must agree, but differ for {ids:,} ids"
    if first == second:
        rule = f"{first} must be the same in all rows of an item, but differs in {ids:,} items"
    raise InputError(f"{rule}: that of {example} is {one!r} and {two!r}.")


def _refuse_repeated_items(wide: Wide, present: Any, n: Any) -> None:
    """Complain of ids that are repeated.

    Parameters
    ----------
    wide : Wide
        A row per item.
    present : ndarray
        How many rows each member has (member, row).
    n : ndarray
        How many items are alike (row).
    """
    turned = any(member.side is None for member in wide.members)
    for k, (member, rows) in enumerate(zip(wide.members, present, strict=True)):
        if member.side is None and not wide.runs and (rows > 1).any():
            frame = wide.frame.select(KEY, nw.col(f"rows_{k}").alias(N))
            _refuse_repeats(member, frame.filter(nw.col(N) > 1))
        if member.side and (turned or int(n[rows > 0].sum()) != member.n):
            for other in wide.members:  # an id of another table is repeated, or one of its own
                if other.side is not None:
                    grouped = other.side.frame.group_by(KEY).agg(nw.len().alias(N))
                    _refuse_repeats(other, grouped.filter(nw.col(N) > 1))


def _leave_out(
    wide: Wide,
    lacks: Sequence[str],
    absent: Any,
    n: Any,
    unmatched: str,
    first_rows: Iterable[str],
    *,
    few: bool,
) -> tuple[str, ...]:
    """Complain of items that are not complete, or say how many are left out.

    Parameters
    ----------
    wide : Wide
        A row per item.
    lacks : sequence of str
        What is true of items that are absent, of each table or system.
    absent : ndarray of bool
        Which items are (table or system, row).
    n : ndarray
        How many items are alike (row).
    unmatched : str
        ``"drop"`` leaves them out.
    first_rows : iterable of str
        Where the first such items are, in words, if they have no ids.
    few : bool
        Whether there are two systems only.
    """
    rows = iter(first_rows)
    joined = bool(wide.members) and wide.members[0].side is not None
    clauses: list[str] = []
    for k, (lacking, lost) in enumerate(zip(lacks, absent, strict=True)):
        if not (count := int(n[lost].sum())):
            continue
        if len(clauses) == MAX_LISTED:
            clauses.append("and so on")
            break
        verb, _, what = lacking.partition(" ")
        clause = f"{count:,} {verb if count > 1 else SINGULAR[verb]} {what}"
        if wide.members:
            limit = 3 if wide.members[k].side else 1
            clause += f", such as {wide.examples(nw.col(f'rows_{k}') == 0, limit=limit)}"
        elif first := next(rows):
            clause += f", the first {first}"
        clauses.append(clause)
    items = "ids" if joined else "items" if wide.members else "rows"
    message = f"Of {int(n.sum()):,} {items} {'; '.join(clauses)}."
    if absent.any(axis=0).all():
        raise InputError(f"{message} None of them is complete.")
    if unmatched == "raise":
        raise InputError(f"{message} {UNMATCHED if few else OR_PAIRS}")
    return (f"Items were left out: {message[0].lower()}{message[1:]}",)


def _refuse_repeats(member: Member, repeated: Frame) -> None:
    """Complain of ids that are repeated, if there are any."""
    first = fetch_objects(repeated.sort(KEY).head(1))
    if not len(first):
        return
    count = count_rows(repeated)
    ids = "1 id" if count == 1 else f"{count:,} ids"
    raise InputError(
        f"{member.ids} repeats {ids}, such as {list_ids(first[KEY])}, which {first[N][0]:,} rows "
        f"have. {member.advice}".rstrip()
    )


# Values that are added up by item.


def as_numbers_in_engine(
    side: Side, roles: Sequence[str], connection: duckdb.DuckDBPyConnection
) -> Side:
    """Make columns ones of numbers, or say which text is none; texts are read by DuckDB."""
    schema = side.frame.collect_schema()
    texts = []
    for role in roles:
        dtype = schema[role]
        if dtype in (nw.String, nw.Object):
            texts.append(role)
        elif not dtype.is_numeric() and dtype != nw.Boolean:
            raise invalid(side.labels[role], "a column of numbers", f"the type {dtype}")
    if texts:
        native = nw.to_native(to_duckdb(side.frame, side.backend, connection))
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
        for role, count, example in zip(texts, found[::2], found[1::2], strict=True):
            if count:
                raise InputError(
                    f"{side.labels[role]} must be made of numbers, but {count:,} rows have none, "
                    f"such as {example!r}."
                )
        replaced = ", ".join(f"{sql} AS {quote(c)}" for c, sql in numbers.items())
        side = replace(
            side, frame=nw.from_native(native.project(f"* REPLACE ({replaced})")), backend="own"
        )
    numeric = (nw.col(role).cast(nw.Float64()) for role in roles)
    return replace(side, frame=side.frame.with_columns(*numeric))


def sum_squares(side: Side, rows: pd.DataFrame, systems: Sequence[str]) -> Any:
    """Add up the squared deviations of runs from their mean (system, item)."""
    squares = side.frame.group_by(KEY).agg(*(nw.col(role).var(ddof=0) for role in systems))
    around = fetch(squares.sort(KEY))
    if len(around) > len(rows):  # some items were left out
        around = around[around[KEY].isin(rows[KEY])]
    n = [rows[f"rows_{k}"].to_numpy() for k in range(len(systems))]
    return np.maximum(np.nan_to_num(around[list(systems)].to_numpy().T) * np.stack(n), 0.0)
