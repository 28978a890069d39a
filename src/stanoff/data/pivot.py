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

from stanoff.data import readers
from stanoff.data.counting import check_weights, missing_rows, parse_texts
from stanoff.data.readers import ROWS, WRITTEN, Frame, N, Table
from stanoff.errors import InputError, invalid, unknown

KEY, SYSTEM, VALUE, TRUTH = "id", "system", "value", "truth"
WHOLE_NUMBER = r"^-?(0|[1-9][0-9]*)$"
TYPED = ("Date", "Time", "Unknown")  # of ids; what narwhals does not know are UUIDs
MAX_SYSTEMS = 1000
MAX_LISTED = 6
SINGULAR = {"are": "is", "have": "has"}
UNMATCHED = "Pass unmatched= drop to leave them out."
OR_PAIRS = "Pass unmatched= drop to leave them out, or pairs to judge each pair on what both have."
RUNS = " Several labels of one system for one item are runs, not documents: keep one run of each."


@dataclass(frozen=True, eq=False)
class Member:
    """A table, or a system of a long one, which has a row of every item; ``rows_k`` counts them.

    Attributes
    ----------
    lacks : str
        What is true of items that it does not have.
    ids : str
        What an error shall call its ids.
    table : Table or None
        The table, where it is one of its own.
    n : int
        How many rows that has.
    """

    lacks: str
    ids: str
    table: Table | None = None
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
    table : Table
        The table it is made of, or the first of them.
    members : tuple of Member
        What must have a row of every item; none where every row is an item.
    runs : bool
        Whether several rows of an item are its runs.
    """

    frame: Frame
    columns: Mapping[str, Mapping[str, str]]
    table: Table
    members: tuple[Member, ...] = ()
    runs: bool = False

    @property
    def from_file(self) -> bool:
        """Whether labels are read from a file, in which texts may be numbers."""
        tables = [self.table, *(member.table for member in self.members)]
        return any(table.file for table in tables if table is not None)

    @property
    def counters(self) -> list[str]:
        """The columns that count rows."""
        return [f"rows_{k}" for k in range(len(self.members))]

    def examples(self, *conditions: nw.Expr, limit: int = 1) -> str:
        """List the first ids for which something holds."""
        rows = self.frame.filter(*conditions).select(KEY).sort(KEY).head(limit)
        return list_ids(readers.fetch_objects(rows)[KEY])

    def matched(self) -> list[nw.Expr]:
        """Return what is true of items of which every member has a row."""
        return [nw.col(name) > 0 for name in self.counters]


def no_rows(title: str) -> InputError:
    """Build the error for a table without rows."""
    return InputError(f"{title.replace('the table', 'The table')} has no rows.")


def list_ids(ids: Iterable[Any]) -> str:
    """List ids as examples; a join may have made 7 a 7.0."""
    plain = (x.item() if isinstance(x, np.generic) else x for x in ids)
    whole = (int(x) if isinstance(x, float) and x.is_integer() else x for x in plain)
    return ", ".join(repr(x) for x in whole)


# Tables that can be joined.


def align(tables: Sequence[Table], connection: duckdb.DuckDBPyConnection) -> list[Table]:
    """Bring tables to one engine, DuckDB if they are in several, and their ids to one type.

    pandas goes to DuckDB, too: it would turn whole numbers to real ones.
    """
    move = len({table.backend for table in tables}) > 1 or tables[0].backend == "pandas"
    aligned = []
    for table in tables:
        frame = table.frame
        if move:
            frame = readers.to_duckdb(frame, table.backend, connection)
            table = replace(table, backend="own")
        if not table.stored:
            frame = nw.from_native(readers.materialize(connection, nw.to_native(frame)))
        if frame.collect_schema()[KEY].is_float():  # NaN is no id; engines compare it as they like
            frame = frame.with_columns(nw.when(~readers.is_missing(frame, KEY)).then(nw.col(KEY)))
        aligned.append(replace(table, frame=frame))
    aligned = _same_ids(aligned)
    if len(aligned) > 2 and aligned[0].backend == "dask":
        # Dask makes 7 a 7.0 where a row has no partner, which a third table would not know again.
        return [_cast_ids(table, nw.String()) for table in aligned]
    return aligned


def _cast_ids(table: Table, dtype: Any) -> Table:
    return replace(table, frame=table.frame.with_columns(nw.col(KEY).cast(dtype)))


def _same_ids(tables: list[Table]) -> list[Table]:
    """Make sure that ids can be compared: "7" is not 7, unless a text file has it.

    Text files and JSON have no dates and no UUIDs, so those of other tables are compared as texts.
    """
    kinds = []
    for table in tables:
        dtype = table.frame.collect_schema()[KEY]
        text = dtype in (nw.String, nw.Categorical, nw.Enum)
        kinds.append("numbers" if dtype.is_numeric() else "text" if text else str(dtype))
    if any(t.kind in WRITTEN and kind == "text" for t, kind in zip(tables, kinds, strict=True)):
        kinds = ["text" if kind.startswith(TYPED) else kind for kind in kinds]
    mixed = set(kinds) == {"text", "numbers"}
    for k, (table, kind) in enumerate(zip(tables, kinds, strict=True)):
        if kind != "text":
            continue
        tables[k] = _cast_ids(table, nw.String())
        odd = tables[k].frame.filter(~nw.col(KEY).str.contains(WHOLE_NUMBER)).select(KEY).head(1)
        if mixed and table.kind == "text" and not len(readers.fetch_objects(odd)):
            tables[k], kinds[k] = _cast_ids(table, nw.Int64()), "numbers"
    if len(set(kinds)) > 1:
        listed = " and ".join(
            f"{readers.count_rows(table.frame):,} of {table.labels[KEY]} are {kind}, such as "
            f"{list_ids(readers.fetch_objects(table.frame.select(KEY).head(1))[KEY])}"
            for table, kind in zip(tables, kinds, strict=True)
        )
        raise InputError(f"The ids must be of one type, but {listed}.")
    return tables


# One wide frame.


def join(wide: Wide | None, table: Table) -> Wide:
    """Join a table by id, and keep what is in one of both only; the first is joined to nothing."""
    k = len(wide.members) if wide else 0
    roles = [role for role in table.labels if role != KEY]
    frame = table.frame.select(
        nw.col(KEY).alias(f"id_{k}" if wide else KEY),
        (~nw.col(KEY).is_null()).cast(nw.Int8()).alias(f"rows_{k}"),
        *(nw.col(role).alias(f"{role}_{k}") for role in roles),
    )
    member = Member(f"are not in {table.title}", table.labels[KEY], table, _check_ids(table))
    columns = {role: {f"{role}_{k}": table.labels[role]} for role in roles}
    if wide is None:
        return Wide(frame, columns, table, (member,))
    joined = wide.frame.join(frame, left_on=KEY, right_on=f"id_{k}", how="full")
    counters = (nw.col(name).fill_null(0) for name in (*wide.counters, f"rows_{k}"))
    key = nw.coalesce(nw.col(KEY), nw.col(f"id_{k}")).alias(KEY)
    both = dict.fromkeys((*wide.columns, *columns))
    return replace(
        wide,
        frame=joined.with_columns(key, *counters),
        columns={role: {**wide.columns.get(role, {}), **columns.get(role, {})} for role in both},
        members=(*wide.members, member),
    )


def _check_ids(table: Table) -> int:
    """Count the rows of a table, all of which must have an id."""
    known = nw.col(KEY).count().alias("known")
    counted = readers.fetch_objects(table.frame.select(nw.len().alias(N), known)).astype(int)
    rows, lost = counted[N][0], counted[N][0] - counted["known"][0]
    if not rows:
        raise no_rows(table.title)
    if lost:
        missing_rows(table.labels[KEY], True, "id", readers.first_missing(table.frame, KEY), n=lost)
    return int(rows)


def group_by_item(
    table: Table,
    item: str,
    systems: Mapping[str, Any],
    denominators: Sequence[str],
    shared: Sequence[str],
    *,
    add: bool,
    single: bool = False,
) -> Wide:
    """Turn a table with several rows per item to one row per item.

    Parameters
    ----------
    table : Table
        ``id``, the columns of the roles and the shared ones; of labels also ``rows_k``, which is
        there in every row of a system.
    item : str
        What the items are called.
    systems : mapping
        What must have a row of every item, by role.
    denominators : sequence of str
        Further roles that are added up.
    shared : sequence of str
        Roles that all rows of an item must agree on, such as ``truth``.
    add : bool
        Whether numbers are added up, so that several rows of an item are its runs.
    single : bool
        Whether numbers are those of items that have one row each.
    """
    lost = table.frame.filter(readers.is_missing(table.frame, KEY)).select(KEY).head(1)
    if len(readers.fetch_objects(lost)):
        raise InputError(f"{table.labels[KEY]} has rows without a name.")
    roles = [*systems, *denominators]
    members = tuple(
        Member(f"have no value of {name}", item)
        if add
        else Member(
            f"have no row of system {name!r}", f"{item} in system {name!r} of {table.title}"
        )
        for name in systems.values()
    )
    rows = {f"rows_{k}": roles[k] if add else f"rows_{k}" for k in range(len(members))}
    ends = {role: (f"{role}_first", f"{role}_last") for role in shared}
    columns = {role: {role: table.labels.get(role, role)} for role in roles}
    columns |= {role: dict.fromkeys(names, table.labels[role]) for role, names in ends.items()}
    if single:
        frame = table.frame.select(
            KEY,
            *((~nw.col(c).is_null()).cast(nw.Int8()).alias(name) for name, c in rows.items()),
            *(nw.col(role).fill_null(0) for role in roles),
            *(nw.col(role).alias(end) for role, names in ends.items() for end in names),
        )
        return Wide(frame, columns, table, members, add)
    frame = table.frame.group_by(KEY).agg(
        *(nw.col(column).count().alias(name) for name, column in rows.items()),
        *((nw.col(role).sum() if add else nw.col(role).min()) for role in roles),
        *(nw.col(role).min().alias(first) for role, (first, _) in ends.items()),
        *(nw.col(role).max().alias(last) for role, (_, last) in ends.items()),
        *(nw.col(role).count().alias(f"{role}_known") for role in shared),
        *([nw.len().alias("all_rows")] if shared else []),
    )
    for role, (first, _) in ends.items():  # what is missing in one row is missing
        known = nw.col(f"{role}_known") == nw.col("all_rows")
        frame = frame.with_columns(nw.when(known).then(nw.col(first)))
    return Wide(frame, columns, table, members, add)


def has_single_rows(table: Table) -> bool:
    """Return whether no id is repeated, if DuckDB tells that sooner than it would group by id."""
    if not table.frame.implementation.is_duckdb():
        return False
    rows = nw.to_native(table.frame)
    [(ids, n)] = rows.aggregate(f"approx_count_distinct({KEY}), count(*)").fetchall()
    if ids < 0.8 * n:  # an estimate, wrong by some per cent, in a tenth of the time
        return False
    again = rows.project(f"{KEY} = lag({KEY}) OVER (ORDER BY {KEY}) AS again").filter("again")
    return not again.limit(1).fetchall()


def spread(
    table: Table, systems: Mapping[str, Any], denominators: Sequence[str], *, add: bool
) -> Table:
    """Give every system of a long table a column of its values, and of its denominators."""
    value = nw.col(VALUE)
    if table.frame.collect_schema()[VALUE] in (nw.Categorical, nw.Enum):
        value = value.cast(nw.String())
    cells = []
    for k, (role, name) in enumerate(systems.items()):
        row = nw.when(nw.col(SYSTEM) == name)
        cells.append(row.then(value).alias(role))
        if not add:
            cells.append(row.then(nw.lit(1)).alias(f"rows_{k}"))
        if denominators:
            column = nw.col(denominators[k if len(denominators) > 1 else 0])
            cells.append(row.then(column).alias(f"denominator {role}"))
    labels = {role: f"{table.labels[VALUE]}, system {name!r}," for role, name in systems.items()}
    return replace(table, frame=table.frame.with_columns(*cells), labels={**table.labels, **labels})


def resolve_systems(table: Table, systems: Mapping[str, Any]) -> tuple[Table, dict[str, Any]]:
    """Return the rows of the systems of a long table, and which system plays which role.

    Parameters
    ----------
    table : Table
        The table.
    systems : mapping
        Their names by role; None takes the only ones there are, in order.
    """
    names = system_names(table)
    if all(name is None for name in systems.values()):
        if len(names) != len(systems):
            column, first = table.labels[SYSTEM], ", ".join(repr(name) for name in names[:20])
            if len(names) == 1:
                raise InputError(
                    f"{column} has one system only, {first}: there is none to compare."
                )
            options = " and ".join(f"{role}=" for role in systems)
            raise InputError(f"{column} has {len(names)} systems ({first}): pass {options}.")
        return table, dict(zip(systems, names, strict=True))
    spellings = {str(name): name for name in names}
    for role, name in systems.items():
        if str(name) not in spellings:
            raise unknown(role, name, list(spellings))
    resolved = {role: spellings[str(name)] for role, name in systems.items()}
    if len(names) > len(systems):
        frame = table.frame.filter(nw.col(SYSTEM).is_in(list(resolved.values())))
        table = replace(table, frame=frame)
    return table, resolved


def system_names(table: Table) -> list[Any]:
    """Return the systems that a long table has, each row one, in order."""
    groups = table.frame.group_by(SYSTEM).agg(
        nw.len().alias(N)
    )  # unique() sorts all rows in DuckDB
    names = readers.fetch_objects(groups.head(MAX_SYSTEMS))[SYSTEM]
    if not len(names):
        raise no_rows(table.title)
    if names.isna().any():
        nameless = table.frame.filter(readers.is_missing(table.frame, SYSTEM))
        first = list_ids(readers.fetch_objects(nameless.select(KEY).head(1))[KEY])
        count = readers.count_rows(nameless)
        rows = "1 row names" if count == 1 else f"{count:,} rows name"
        raise InputError(
            f"{table.labels[SYSTEM]} must name a system in every row, but {rows} none: the first "
            f"is that of {table.labels[KEY].partition(' of ')[0]} {first}."
        )
    return sorted(names, key=str)


# What is in a wide frame, checked.


def read_wide(
    wide: Wide,
    numbers: Collection[str],
    systems: Sequence[str],
    *,
    count: bool,
    unmatched: str = "raise",
    weight: str | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the columns by their roles, with ``n`` documents per row, and what was left out.

    Parameters
    ----------
    wide : Wide
        What is read.
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
        rows = readers.value_counts(wide.frame, [*wide.counters, *columns], weight)
    else:
        frame = wide.frame.sort(KEY) if wide.members else wide.frame
        wanted = [*([KEY] if wide.members else []), *wide.counters, *columns]
        rows = readers.fetch(frame.select(*wanted, *([weight] if weight else [])))
        n = check_weights(rows[weight]) if weight else np.ones(len(rows), dtype=np.int8)
        # Put together anew: pandas warns where a column is inserted into a frame of very many.
        rows = pd.DataFrame({**{name: rows[name] for name in rows}, N: n}, copy=False)
    if not len(rows):
        raise no_rows(wide.table.title)
    rows, notes = _select_answered(wide, rows, systems, unmatched, count=count)
    for role, names in wide.columns.items():
        if role not in numbers and not (unmatched == "pairs" and role in systems):
            for column, label in names.items():
                _refuse_missing(wide, rows, column, label, count=count)
    labels = [r for r in wide.columns if r in (TRUTH, *systems) and r not in numbers]
    return _agree(wide, _parse(wide, rows, labels, numbers)), notes


def _refuse_missing(
    wide: Wide, rows: pd.DataFrame, column: str, label: str, *, count: bool
) -> None:
    """Refuse a column in which something is missing."""
    lost = rows[column].isna().to_numpy()
    if lost.any():
        where = readers.first_missing(wide.frame, column) if count else None
        if wide.members:
            missing = readers.is_missing(wide.frame, column)
            where = f"that of {wide.examples(missing, *wide.matched())}"
        missing_rows(label, lost, where=where, n=int(rows[N][lost].sum()))


def _select_answered(
    wide: Wide, rows: pd.DataFrame, systems: Sequence[str], unmatched: str, *, count: bool
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Keep the items that all systems have answered, and say how many are left out."""
    if wide.members:
        _refuse_repeated_items(wide, rows)
        absent = rows[wide.counters].to_numpy() == 0
        lacks = [member.lacks for member in wide.members]
    else:
        gaps = {column: text for role in systems for column, text in wide.columns[role].items()}
        absent = rows[list(gaps)].isna().to_numpy()
        lacks = [f"have no answer of {label}" for label in gaps.values()]
    if unmatched == "pairs":
        return _leave_gaps(wide, rows, systems), ()
    if not absent.any():
        return rows, ()
    clauses: list[str] = []
    for k in np.flatnonzero(absent.any(axis=0)).tolist():
        if len(clauses) == MAX_LISTED:
            clauses.append("and so on")
            break
        lost = int(rows[N][absent[:, k]].sum())
        verb, _, what = lacks[k].partition(" ")
        clause = f"{lost:,} {verb if lost > 1 else SINGULAR[verb]} {what}"
        if wide.members:
            limit = 3 if wide.members[k].table else 1
            clause += f", such as {wide.examples(nw.col(f'rows_{k}') == 0, limit=limit)}"
        else:
            first = f"in row {absent[:, k].argmax() + 1}"
            first = readers.first_missing(wide.frame, list(gaps)[k]) if count else first
            clause += f", the first {first}" if first else ""
        clauses.append(clause)
    joined = bool(wide.members) and wide.members[0].table is not None
    items = "ids" if joined else "items" if wide.members else "rows"
    message = f"Of {int(rows[N].sum()):,} {items} {'; '.join(clauses)}."
    complete = ~absent.any(axis=1)
    if not complete.any():
        raise InputError(f"{message} None of them is complete.")
    if unmatched == "raise":
        raise InputError(f"{message} {UNMATCHED if len(systems) <= 2 else OR_PAIRS}")
    note = f"Items were left out: {message[0].lower()}{message[1:]}"
    return rows[complete].reset_index(drop=True), (note,)


def _leave_gaps(wide: Wide, rows: pd.DataFrame, systems: Sequence[str]) -> pd.DataFrame:
    """Keep items that systems have not answered, as gaps in the columns of these systems.

    What all tables have of an item, such as its true label, is that of any table that has it.
    """
    rows = rows.copy()
    if wide.runs:  # sums over no rows are 0
        for role, counter in zip(wide.columns, wide.counters, strict=False):
            rows[role] = rows[role].where(rows[counter] > 0)
    for role, names in wide.columns.items():
        if role not in systems and len(names) > 1:
            known = rows[list(names)].bfill(axis=1).iloc[:, 0]
            for column in names:
                rows[column] = rows[column].where(rows[column].notna(), known)
    return rows


def _parse(
    wide: Wide, rows: pd.DataFrame, labels: Sequence[str], numbers: Collection[str]
) -> pd.DataFrame:
    """Return whole numbers where an engine made real ones of them, or a file has texts."""
    others = [[role] for role in wide.columns if role not in (*labels, *numbers)]
    for group in (labels, *others):  # labels are numbers if all of them are
        answers = {name: rows[name].dropna() for role in group for name in wide.columns[role]}
        parsed: dict[str, Any] = parse_texts(answers) if wide.from_file else {}
        for name, values in answers.items() if wide.members else ():
            if pd.api.types.infer_dtype(values) == "floating" and not (values % 1).any():
                parsed[name] = values.astype(np.int64)
        for name, values in parsed.items():
            if len(values) < len(rows):  # a gap makes numbers real ones
                values = pd.Series([*values], answers[name].index, dtype=object)
            rows = rows.assign(**{name: values})
    return rows


def _agree(wide: Wide, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the columns by their roles, once those that hold the same role agree."""
    out = {name: rows[name] for name in (KEY, *wide.counters, N, ROWS) if name in rows}
    for role, names in wide.columns.items():
        first, *further = names
        for other in further:
            clash = np.asarray(rows[first].to_numpy() != rows[other].to_numpy(), dtype=bool)
            if not clash.any():
                continue
            one, two = (rows[name].astype(object)[int(clash.argmax())] for name in (first, other))
            differ = nw.col(first).cast(nw.String()) != nw.col(other).cast(nw.String())
            example = list_ids(rows[KEY][clash].head(1)) if KEY in rows else ""
            example = example or wide.examples(differ, *wide.matched())
            ids = int(rows[N][clash].sum())
            rule = f"{names[first]} and {names[other]} must agree, but differ for {ids:,} ids"
            if wide.members[0].table is None:
                rule = f"{names[first]} must be the same in all rows of an item, but differs in "
                rule += f"{ids:,} items"
            raise InputError(f"{rule}: that of {example} is {one!r} and {two!r}.")
        out[role] = rows[first]
    return pd.DataFrame(out, copy=False)


def _refuse_repeated_items(wide: Wide, rows: pd.DataFrame) -> None:
    """Complain of ids that are repeated: of a long table, or of one that is joined."""
    repeated: list[tuple[Member, Frame]] = []
    # An id that is repeated in a table beside a long one counts twice there.
    odd = len({member.table is None for member in wide.members}) == 2
    for name, member in zip(wide.counters, wide.members, strict=True):
        if member.table is not None:
            grouped = member.table.frame.group_by(KEY).agg(nw.len().alias(N))
            repeated.append((member, grouped))
            odd |= int(rows[N][rows[name] > 0].sum()) != member.n
        elif not wide.runs:
            repeated.append((member, wide.frame.select(KEY, nw.col(name).alias(N))))
            odd |= bool((rows[name] > 1).any())
    for member, frame in repeated if odd else ():
        twice = frame.filter(nw.col(N) > 1)
        first = readers.fetch_objects(twice.sort(KEY).head(1))
        if len(first):
            count = readers.count_rows(twice)
            ids = "1 id" if count == 1 else f"{count:,} ids"
            of_program = member.table is None or member.table.defaults
            raise InputError(
                f"{member.ids} repeats {ids}, such as {list_ids(first[KEY])}, which "
                f"{first[N][0]:,} rows have.{RUNS if of_program else ''}"
            )


# Values that are added up by item.


def as_numbers_in_engine(
    table: Table, roles: Sequence[str], connection: duckdb.DuckDBPyConnection
) -> Table:
    """Make columns ones of numbers, or say which text is none; texts are read by DuckDB."""
    schema = table.frame.collect_schema()
    texts = [role for role in roles if schema[role] in (nw.String, nw.Object)]
    for role in roles:
        if role not in texts and not schema[role].is_numeric() and schema[role] != nw.Boolean:
            raise invalid(table.labels[role], "a column of numbers", f"the type {schema[role]}")
    if texts:
        frame = nw.to_native(readers.to_duckdb(table.frame, table.backend, connection))
        numbers = []
        for role in texts:
            name = readers.quote(role)
            number = (
                f"CASE WHEN lower({name}) IN ('true', 'false') THEN {name}::BOOLEAN::DOUBLE "
                f"WHEN NOT contains({name}, '_') THEN TRY_CAST({name} AS DOUBLE) END"
            )
            odd = frame.filter(f"{name} IS NOT NULL AND ({number}) IS NULL")
            [(count, example)] = odd.aggregate(f"count(*), min({name})").fetchall()
            if count:
                rule = f"must be made of numbers, but {count:,} rows have none, such as {example!r}"
                raise InputError(f"{table.labels[role]} {rule}.")
            numbers.append(f"{number} AS {name}")
        frame = frame.project(f"* REPLACE ({', '.join(numbers)})")
        table = replace(table, frame=nw.from_native(frame), backend="own")
    numeric = (nw.col(role).cast(nw.Float64()) for role in roles)
    return replace(table, frame=table.frame.with_columns(*numeric))


def sum_squares(wide: Wide, rows: pd.DataFrame, systems: Sequence[str]) -> Any:
    """Add up the squared deviations of runs from their mean (system, item)."""
    squares = wide.table.frame.group_by(KEY).agg(*(nw.col(role).var(ddof=0) for role in systems))
    around = readers.fetch(squares.sort(KEY))
    if len(around) > len(rows):  # some items were left out
        around = around[around[KEY].isin(rows[KEY])]
    n = [rows[f"rows_{k}"].to_numpy() for k in range(len(systems))]
    return np.maximum(np.nan_to_num(around[list(systems)].to_numpy().T) * np.stack(n), 0.0)
