"""How labels are laid out: in several tables that share ids, or in one in long format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from stanoff._lib.arguments import check_choice
from stanoff.data.database import database, reading
from stanoff.data.grouping import by_cluster, from_grouped
from stanoff.data.joins import TRUTH, joined, joined_rows
from stanoff.data.labels import Labels, is_missing
from stanoff.data.matching import Side, listed, parts_of
from stanoff.data.sources import check_names, from_table
from stanoff.data.tables import Table, open_table, rows_of, without_value
from stanoff.errors import InputError, invalid, no_column

LONG = ("item", "system", "prediction", "value")
UNMATCHED = ("raise", "drop")
MOST_SYSTEMS = 1000
RUNS = (
    "Several labels of one system for one item are runs, not documents of their own: keep one run, "
    "or take the label that most runs gave."
)


MORE = (
    "cluster",
    "dataset",
    "denominator",
)  # columns that say more of a row than what the systems did


class Layout(TypedDict, total=False):
    """How labels are laid out in tables; :func:`stanoff.compare` explains the options."""

    id: Any
    item: Any
    system: Any
    prediction: Any
    value: Any
    cluster: Any
    dataset: Any
    denominator: Any
    unmatched: str
    sample_weight: Any


def from_any(
    data: Any, columns: Mapping[str, Any], kind: str = "labels", **layout: Unpack[Layout]
) -> Labels:
    """Find the labels in one table or several, in whatever layout.

    Parameters
    ----------
    data : object
        A table, or several.
    columns : mapping
        ``truth``, and any number of systems, by the names of their columns; in long format by
        their own names.
    kind : str
        What the columns hold, as in :class:`stanoff.measures.Measure`. Labels are counted; scores
        and values come row by row, and values need no truth.
    **layout
        The options of :class:`Layout`.
    """
    given: dict[str, Any] = {k: value for k, value in layout.items() if value is not None}
    if kind == "labels":
        for part in MORE:
            if part in given:
                raise invalid(part, "None for labels, which are counted", given[part])
    else:
        given["more"] = _each({part: given.pop(part) for part in MORE if part in given})
    if kind == "values":
        if columns[TRUTH] is not None:
            raise invalid(TRUTH, "None for values, which need no true labels", columns[TRUTH])
        columns = {part: name for part, name in columns.items() if part != TRUTH}
    _check_stdin(data, columns.get(TRUTH))
    long = {name: given.pop(name) for name in LONG if name in given}
    several = isinstance(data, (tuple, list)) or isinstance(columns.get(TRUTH), (tuple, list))
    if kind == "values" and long and not several:
        return _of_values(data, columns, long, given)
    if (long or several) and "sample_weight" in given:
        rule = "None where tables are joined, since each of them may have another"
        raise invalid("sample_weight", rule, given["sample_weight"])
    if long:
        systems = {part: name for part, name in columns.items() if part != TRUTH}
        if len(long.keys() & {"prediction", "value"}) == 2:
            raise invalid("value", "None where prediction= is given", long["value"])
        label = long.pop("value", None) or long.pop("prediction", None)
        for part, name in {"item": None, "system": None, **long, "prediction": label}.items():
            if name is None:
                raise InputError(f"Say which column of the table is {part!r}: pass {part}=.")
        if "id" in given:
            raise invalid("id", "None in long format, where item= names it", given["id"])
        return from_long(data, systems, truth=columns.get(TRUTH), prediction=label, **long, **given)
    if several:
        tables = data if isinstance(data, (tuple, list)) else [data]
        return from_tables(tables, columns, id=given.pop("id", None), **given)
    if "unmatched" in given:
        raise invalid("unmatched", "None where no tables are joined", given["unmatched"])
    only_clusters = kind == "values" and set(given) == {"more"} and [*given["more"]] == ["cluster"]
    if only_clusters and not _read_once(data):
        check_names(columns)
        if found := by_cluster(data, columns, given["more"]["cluster"]):
            return found
    return from_table(data, columns, **given)


def _read_once(data: Any) -> bool:
    return (isinstance(data, str) and data == "-") or type(data).__name__ == "RecordBatchReader"


def _each(more: Mapping[str, Any]) -> dict[str, Any]:
    """Give every column of what values are divided by a part of its own."""
    parts = dict(more)
    if isinstance(per := parts.get("denominator"), (list, tuple)):
        del parts["denominator"]
        parts |= {f"denominator {k + 1}": name for k, name in enumerate(per)}
    return parts


def _of_values(
    data: Any, columns: Mapping[str, Any], long: dict[str, Any], given: Mapping[str, Any]
) -> Labels:
    """Find values whose items are named, so that several rows of an item are its runs."""
    for part in ("id", "sample_weight"):
        if part in given:
            raise invalid(part, "None where item= names the items", given[part])
    value = long.pop("value", None) or long.pop("prediction", None)
    item, system = long.get("item"), long.get("system")
    named = {"item": item}
    if system is not None or value is not None:
        named |= {"system": system, "value": value}
    for part, name in named.items():
        if name is None:
            raise InputError(f"Say which column of the table is {part!r}: pass {part}=.")
    unmatched = check_choice("unmatched", given.get("unmatched", "raise"), UNMATCHED)
    how = {"more": given["more"], "drop": unmatched == "drop"}
    if system is None:
        check_names(columns)
    return from_grouped(data, columns, item=item, system=system, value=value, **how)


def _check_stdin(*tables: Any) -> None:
    """Refuse - for two tables: what comes in by stdin can be read once."""
    several = [[*table] if isinstance(table, (tuple, list)) else [table] for table in tables]
    if sum(isinstance(one, str) and one == "-" for some in several for one in some) > 1:
        raise invalid("data", "'-' for one table at most: stdin can be read once only", "-")


def systems_of(data: Any, truth: Any, layout: Layout, kind: str = "labels") -> list[Any]:
    """Name what a contest is about: all systems in long format, else all columns but the others."""
    if isinstance(data, (tuple, list)):
        return [None] * len(data)  # each table says which column it is
    with ExitStack() as stack:
        table = open_table(data, stack.enter_context(database()), stack)
        if (system := layout.get("system")) is not None:
            frame = table.frame.select(table.column("system", system)).unique()
            return sorted((row[0] for row in rows_of(frame) if not is_missing(row[0])), key=str)
    if truth is None and kind != "values":
        raise InputError("Say which column of the table is 'truth': pass truth=.")
    others: list[Any] = []
    for part in (truth, *(layout.get(part) for part in ("id", "sample_weight", "item", *MORE))):
        others += part if isinstance(part, (tuple, list)) else [part]
    known = [name for name in others if isinstance(name, (str, int))]
    return [name for name in table.names if name not in known]


def from_tables(
    data: Sequence[Any],
    columns: Mapping[str, Any],
    *,
    id: Any,
    unmatched: str = "raise",
    more: Mapping[str, Any] | None = None,
) -> Labels:
    """Join tables by id: one per system, or one for all of them.

    Parameters
    ----------
    data : sequence
        Files or frames, in the order of the systems.
    columns : mapping
        The names of the columns by the parts they play; ``truth`` may be a pair (table, column).
        What is None is taken from where the program that wrote the file puts it, if that is known.
    id : object
        The column that names the document; one name for all tables, or one per table.
    unmatched : str
        ``"raise"``, or ``"drop"`` for ids that are not in all tables.
    more : mapping, optional
        As in :func:`stanoff.data.sources.from_table`; such a column may be in any table.
    """
    drop = check_choice("unmatched", unmatched, UNMATCHED) == "drop"
    join = joined if more is None else joined_rows
    systems = [part for part in columns if part != TRUTH]
    if len(data) not in (1, len(systems)):
        raise invalid("data", f"one table, or {len(systems)}: one per system", len(data))
    with ExitStack() as stack:
        connection = stack.enter_context(database())
        tables = [open_table(table, connection, stack) for table in data]
        wanted: list[dict[str, Any]] = [{} for _ in tables]
        for k, part in enumerate(systems):
            place = k if len(tables) > 1 else 0
            wanted[place][part] = _named(part, columns[part], tables[place], "prediction")
        _check_different(systems, tables, wanted)
        gold = columns.get(TRUTH)
        for part, name in (more or {}).items():
            _find_shared(part, name, tables, wanted)
        if isinstance(gold, (tuple, list)):
            table, name = _gold(gold)
            tables.append(open_table(table, connection, stack))
            wanted.append({TRUTH: name})
        elif TRUTH in columns:
            _find_shared(TRUTH, gold, tables, wanted)
        ids = _ids(id, tables)
        sides = [
            _side(table, number, {"id": name, **parts})
            for number, (table, name, parts) in enumerate(
                zip(tables, ids, wanted, strict=True), start=1
            )
        ]
        stack.enter_context(reading(" and ".join(side.where for side in sides)))
        found = join(sides, systems, connection, drop=drop)
    chosen = {part: name for parts in reversed(wanted) for part, name in parts.items()}
    origin = _origin(tables) | {part: str(name) for part, name in chosen.items()}
    return replace(
        found,
        source=origin | {"id": ", ".join(dict.fromkeys(map(str, ids)))},
        notes=(*(note for table in tables for note in table.notes), *found.notes),
        called=_called([str(chosen[part]) for part in systems], tables),
    )


def _check_different(
    systems: Sequence[str], tables: Sequence[Table], wanted: Sequence[Mapping[str, Any]]
) -> None:
    """Refuse one column of one file for two systems."""
    known: dict[tuple[Any, Any], str] = {}
    for k, (table, parts) in enumerate(zip(tables, wanted, strict=True)):
        place = Path(table.where).resolve() if table.where else k
        for part in systems:
            if part not in parts:
                continue
            if other := known.get((place, parts[part])):
                told = table.told(parts[part])
                raise InputError(f"{other} and {part} must be different columns, not both {told}.")
            known[place, parts[part]] = part


def _named(part: str, name: Any, table: Table, default: str) -> Any:
    known = table.defaults.get(default) if name is None else name
    if known is None:
        raise InputError(
            f"Say which column of {table.where or 'the table'} is {part!r}: pass {part}=."
        )
    if not isinstance(known, (str, int)):
        raise invalid(part, "the name of a column", type(known).__name__)
    return known


def _gold(truth: Any) -> tuple[Any, Any]:
    if len(truth) != 2:
        raise invalid(TRUTH, "the name of a column, or a table and its column", truth)
    table, name = truth
    return table, name


def _find_shared(
    part: str, column: Any, tables: Sequence[Table], wanted: Sequence[dict[str, Any]]
) -> None:
    """Take the truth, or what else is told of a document, from every table that has it."""
    for table, parts in zip(tables, wanted, strict=True):
        name = table.defaults.get(part) if column is None else column
        if name is not None and name in table.names:
            parts[part] = name
    if any(part in parts for parts in wanted):
        return
    if column is None:
        raise InputError(f"Say which column is {part!r}: pass {part}=.")
    known = dict.fromkeys(str(name) for table in tables for name in table.names)
    where = " or ".join(table.where or "the table" for table in tables)
    raise no_column(where, part, column, known)


def _ids(id: Any, tables: Sequence[Table]) -> list[Any]:
    """Name the column of ids in every table."""
    if isinstance(id, (list, tuple)):
        if len(id) != len(tables):
            raise invalid("id", f"one name, or {len(tables)}: one per table", id)
        return list(id)
    return [_named("id", id, table, "id") for table in tables]


def _side(table: Table, number: int, columns: Mapping[str, Any]) -> Side:
    """Pick the columns of a table, under the names of the parts they play."""
    import narwhals as nw

    where = table.where or f"table {number}"
    picked = {part: table.column(part, name) for part, name in columns.items()}
    return Side(
        table.frame.select(*(nw.col(column).alias(part) for part, column in picked.items())),
        where,
        {part: f"{name} of {where}" for part, name in columns.items()},
        home=table.home,
        written=bool(table.where),
        untyped=table.untyped,
        timeless=table.timeless,
        advice=RUNS if table.defaults else "",
    )


def _origin(tables: Sequence[Table]) -> dict[str, str]:
    files = [table.source["file"] for table in tables if "file" in table.source]
    dates = [table.source["modified"] for table in tables if "modified" in table.source]
    told = {"file": ", ".join(dict.fromkeys(files))} if files else {}
    return told | ({"modified": max(dates)} if dates else {})


def _called(columns: Sequence[str], tables: Sequence[Table]) -> tuple[str, ...] | None:
    """Call systems by their columns or, if these are the same, by their files."""
    if len(set(columns)) == len(columns):
        return tuple(columns)
    stems = [Path(table.where).name.partition(".")[0] for table in tables[: len(columns)]]
    return tuple(stems) if len(set(stems)) == len(columns) and all(stems) else None


def from_long(
    data: Any,
    systems: Mapping[str, Any],
    *,
    item: Any,
    system: Any,
    prediction: Any,
    truth: Any,
    unmatched: str = "raise",
    more: Mapping[str, Any] | None = None,
) -> Labels:
    """Turn a table that has a row per item and system to one row per item, and count.

    Parameters
    ----------
    data : object
        A file or a frame.
    systems : mapping
        Which system plays which part; None takes the only two there are, in order.
    item, system, prediction : object
        The columns that name the item and the system, and that hold the label.
    truth : object
        The column of true labels, or a pair (table, column).
    unmatched, more
        As in :func:`from_tables`.
    """
    import narwhals as nw

    drop = check_choice("unmatched", unmatched, UNMATCHED) == "drop"
    named = {"item": item, "system": system, "prediction": prediction, TRUTH: truth}
    if truth is None and more is None:
        raise InputError("Say which column of the table is 'truth': pass truth=.")
    with ExitStack() as stack:
        connection = stack.enter_context(database())
        table = open_table(data, connection, stack)
        stack.enter_context(reading(table.where or "the table"))
        columns = {"id": item, "system": system, "prediction": prediction}
        apart = isinstance(truth, (tuple, list))
        shared = dict(more or {})
        if truth is not None and not apart:
            shared[TRUTH] = truth
        long = _side(table, 1, columns | shared)
        chosen = _chosen(systems, long)
        sides = []
        for part, name in chosen.items():
            where = f"system {name!r} of {long.where}"
            told = {"id": f"{item} in {where}", part: f"{prediction} of {where}"}
            own = [nw.col("id"), nw.col("prediction").alias(part)]
            told |= {of_all: f"{column} of {where}" for of_all, column in shared.items()}
            own += [nw.col(of_all) for of_all in shared]
            mine = long.frame.filter(nw.col("system") == name).select(*own)
            sides.append(replace(long, frame=mine, where=where, told=told, advice=RUNS))
        tables = [table]
        if apart:
            gold, name = _gold(truth)
            tables.append(open_table(gold, connection, stack))
            sides.append(_side(tables[1], 2, {"id": item, TRUTH: name}))
            named |= {TRUTH: name}
        join = joined if more is None else joined_rows
        found = join(sides, list(chosen), connection, drop=drop)
    named |= {**shared, **chosen}
    origin = _origin(tables) | {part: str(name) for part, name in named.items() if name is not None}
    return replace(found, source=origin, called=tuple(str(name) for name in chosen.values()))


def _nameless(long: Side) -> InputError:
    """Say how many rows name no system, and which is the first."""
    import narwhals as nw

    without = without_value(long.frame, "system")
    [(number,)] = rows_of(without.select(nw.len()))
    first = listed(row[0] for row in rows_of(without.select("id").head(1)))
    of_id = long.told["id"].partition(" of ")[0]
    rows = "1 row names" if number == 1 else f"{number:,} rows name"
    return InputError(
        f"{long.told['system']} must name a system in every row, but {rows} none: the first is "
        f"that of {of_id} {first}."
    )


def _chosen(systems: Mapping[str, Any], long: Side) -> dict[str, Any]:
    """Return which system plays which part."""
    rows = rows_of(long.frame.select("system").unique().head(MOST_SYSTEMS))
    if any(is_missing(row[0]) for row in rows):
        raise _nameless(long)
    return parts_of(systems, {row[0] for row in rows}, long.told["system"], long.where)
