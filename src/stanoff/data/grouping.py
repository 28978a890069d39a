"""Values of items that have several rows: runs are added up in the engine that holds the table.

What comes back is one row per item: of every system the number of its runs, their sum and their sum
of squares. The values are first moved by a number near their mean, so that no digits are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff.data.database import database, reading
from stanoff.data.items import CLUSTER_MEANS
from stanoff.data.labels import Labels, is_missing
from stanoff.data.matching import listed, parts_of
from stanoff.data.tables import Table, fetched, open_table, rows_of
from stanoff.errors import InputError, invalid

if TYPE_CHECKING:
    import narwhals as nw

FIRST_ROWS = 1000  # enough for a number near the mean
FIRST_SYSTEMS = 10_000  # rows that probably name all systems
MOST_SYSTEMS = 1000
MOST_ITEMS = 1_000_000  # that are kept one by one where they are in clusters
ITEM, SYSTEM = "item", "system"


def from_grouped(
    data: Any,
    systems: Mapping[str, Any],
    *,
    item: Any,
    system: Any = None,
    value: Any = None,
    more: Mapping[str, Any],
    drop: bool = False,
) -> Labels:
    """Add the rows of every item up.

    Parameters
    ----------
    data : object
        A file or a frame.
    systems : mapping
        The columns of the systems by the parts they play; in long format the systems themselves,
        None for the only two there are.
    item : object
        The column that names the item.
    system, value : object, optional
        In long format the columns that name the system and hold the value.
    more : mapping
        ``cluster`` and ``dataset``, which all rows of an item must share, and ``per``, which is
        added up as the values are: columns by the parts they play.
    drop : bool
        Leave out items that not all systems have, and say how many.
    """
    with _opened(data) as table:
        return _grouped(table, systems, {ITEM: item, SYSTEM: system, "value": value}, more, drop)


@contextmanager
def _opened(data: Any) -> Iterator[Table]:
    """Open a table, and say of which an error speaks."""
    with ExitStack() as stack:
        table = open_table(data, stack.enter_context(database()), stack)
        stack.enter_context(reading(table.where or "the table"))
        yield table


def _grouped(
    table: Table,
    systems: Mapping[str, Any],
    long: Mapping[str, Any],
    more: Mapping[str, Any],
    drop: bool,
    runs: bool = True,
) -> Labels:
    """Add the rows of every item of an open table up; without runs their scatter is left out."""
    system, value = long[SYSTEM], long["value"]
    named = {ITEM: long[ITEM], SYSTEM: system, **more}
    if system is not None:
        named["value"] = value
    frame = _columns(table, systems if system is None else {}, named)
    sure = True
    if system is None:
        chosen = dict(systems)
        told = [table.told(name) for name in systems.values()]
    else:
        chosen, sure = _systems(systems, frame, table.told(system))
        told = [f"{table.told(value)}, system {name!r}," for name in chosen.values()]
    wide, names = _wide(frame, table, chosen, system is not None)
    shared = [part for part in more if part in ("cluster", "dataset")]
    rows = _added(wide, names, shared, runs)
    if not sure and _count(frame) > sum(int(rows[f"y{k}n"].sum()) for k in range(len(chosen))):
        _systems(systems, frame, table.told(system), all_rows=True)  # it complains of others
    if not len(rows):
        raise InputError(f"{table.where or 'The table'} has no rows.")
    rows, notes = _complete(rows, list(chosen.values()), drop=drop)
    origin = {part: str(name) for part, name in {**named, **chosen}.items() if name is not None}
    return Labels(
        _means(rows, told, names),
        written=bool(table.where),
        more=_more(rows, names, len(told), more),
        source={**table.source, **origin},
        notes=(*table.notes, *notes),
        called=tuple(str(name) for name in chosen.values()),
    )


def by_cluster(data: Any, systems: Mapping[str, Any], cluster: Any) -> Labels | None:
    """Add very many items up by cluster; None where there are fewer.

    Parameters
    ----------
    data : object
        A file or a frame that can be read twice.
    systems : mapping
        The columns of the systems by the parts they play.
    cluster : object
        The column that names the cluster.
    """
    with _opened(data) as table:
        table.column("cluster", cluster)
        rows = _count(table.frame)
        if rows <= MOST_ITEMS:
            return None
        whole = {ITEM: cluster, SYSTEM: None, "value": None}
        found = _grouped(table, systems, whole, {}, drop=False, runs=False)
    more = dict(found.more)
    sizes = more.get("runs", np.ones((len(systems), 1), dtype=np.int64))
    for name, size in zip(found.columns, sizes, strict=True):
        if missing := rows - int(size.sum()):
            rule = "have a number in every row"
            raise InputError(f"{name} must {rule}, but {missing:,} of {rows:,} are missing.")
    origin = {("cluster" if part == ITEM else part): told for part, told in found.source.items()}
    return replace(found, more={**more, CLUSTER_MEANS: True}, source=origin)


def _columns(
    table: Table, systems: Mapping[str, Any], named: Mapping[str, Any]
) -> nw.LazyFrame[Any]:
    """Pick the columns, under the names of the parts they play."""
    import narwhals as nw

    wanted = {part: name for part, name in {**systems, **named}.items() if name is not None}
    picked = {part: table.column(part, name) for part, name in wanted.items()}
    return table.frame.select(*(nw.col(column).alias(part) for part, column in picked.items()))


def _systems(
    systems: Mapping[str, Any], frame: nw.LazyFrame[Any], told: str, *, all_rows: bool = False
) -> tuple[dict[str, Any], bool]:
    """Return which system of a long table plays which part, and whether all rows were asked.

    The first rows nearly always name all systems; whether there are others shows when the values
    are counted.
    """
    import narwhals as nw

    asked = {str(name) for name in systems.values() if name is not None}
    first = {row[0] for row in rows_of(frame.select(SYSTEM).head(FIRST_SYSTEMS))}
    seen = {name for name in first if not is_missing(name)}
    enough = asked <= set(map(str, seen)) if asked else len(seen) == len(systems)
    if enough and not all_rows:
        return parts_of(systems, seen, told, "The table"), False
    if not enough or not asked:
        seen = {row[0] for row in rows_of(frame.select(SYSTEM).unique().head(MOST_SYSTEMS))}
    [(nameless,)] = rows_of(frame.filter(nw.col(SYSTEM).is_null()).select(nw.len()))
    if nameless:
        raise InputError(f"system is missing in {nameless:,} rows.")
    return parts_of(systems, seen, told, "The table"), True


def _wide(
    frame: nw.LazyFrame[Any], table: Table, chosen: Mapping[str, Any], long: bool
) -> tuple[nw.LazyFrame[Any], dict[str, float]]:
    """Give every system a column of numbers around 0, and tell by how much each was moved."""
    import narwhals as nw

    schema = frame.collect_schema()
    parts = [part for part in schema.names() if part.startswith("denominator")]
    numbers = [*(["value"] if long else chosen), *parts]
    for part in numbers:
        frame = _as_numbers(frame, part, table)
    moved: dict[str, float] = {}
    out = []
    for k, (part, name) in enumerate(chosen.items()):
        own = "value" if long else part
        # What is divided by is added up as it is; so is, then, what is divided.
        near = 0.0 if parts else _near(frame, own)
        column = nw.col(own) - near
        if long:
            column = nw.when(nw.col(SYSTEM) == name).then(column)
        out.append(column.alias(f"y{k}"))
        moved[f"y{k}"] = near
    for k, part in enumerate(parts):
        if not long:
            out.append(nw.col(part).alias(f"p{k}"))
            moved[f"p{k}"] = 0.0
            continue
        for j, name in enumerate(chosen.values()):
            out.append(nw.when(nw.col(SYSTEM) == name).then(nw.col(part)).alias(f"p{j}"))
            moved[f"p{j}"] = 0.0
    kept = [part for part in schema.names() if part in (ITEM, "cluster", "dataset")]
    return frame.select(*kept, *out), moved


def _as_numbers(frame: nw.LazyFrame[Any], part: str, table: Table) -> nw.LazyFrame[Any]:
    """Make a column one of numbers, or say which text is none."""
    import narwhals as nw

    kind = frame.collect_schema()[part]
    if kind.is_numeric() or kind == nw.Boolean:
        return frame.with_columns(nw.col(part).cast(nw.Float64()))
    if frame.implementation.is_duckdb():
        native = nw.to_native(frame)
        words = f"""CASE lower("{part}") WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"""
        number = f'COALESCE(TRY_CAST("{part}" AS DOUBLE), {words})'
        odd = native.filter(f'"{part}" IS NOT NULL AND {number} IS NULL')
        if found := odd.project(f'"{part}"').limit(1).fetchall():
            where = f" of {table.where}" if table.where else ""
            raise InputError(f"{part}{where} must be made of numbers, but has {found[0][0]!r}.")
        numbers: nw.LazyFrame[Any] = nw.from_native(
            native.project(f'* REPLACE ({number} AS "{part}")')
        )
        return numbers
    for (text,) in rows_of(frame.select(part).head(FIRST_ROWS)):
        if not is_missing(text) and np.isnan(pd.to_numeric(text, errors="coerce")):
            raise InputError(f"{part} must be made of numbers, but has {text!r}.")
    return frame.with_columns(nw.col(part).cast(nw.Float64()))


def _near(frame: nw.LazyFrame[Any], part: str) -> float:
    seen = [row[0] for row in rows_of(frame.select(part).head(FIRST_ROWS))]
    known = [x for x in seen if x is not None and np.isfinite(x)]
    return float(np.mean(known)) if known else 0.0


def _added(
    frame: nw.LazyFrame[Any],
    names: Mapping[str, float],
    shared: Sequence[str],
    runs: bool,
) -> pd.DataFrame:
    """Count and add up by item, in the order of the items; square only where there are runs."""
    import narwhals as nw

    rows = _by_item(
        frame,
        *(nw.col(name).sum().alias(f"{name}s") for name in names),
        *(nw.col(name).count().alias(f"{name}n") for name in names),
        *(nw.col(part).min().alias(f"{part}_first") for part in shared),
        *(nw.col(part).max().alias(f"{part}_last") for part in shared),
        *(nw.col(part).count().alias(f"{part}_known") for part in shared),
        *([nw.len().alias("rows")] if shared else []),
    )
    if len(rows) and bool(pd.isna(rows[ITEM]).any()):
        raise InputError("item has rows without a name.")
    for part in shared:
        missing = (rows[f"{part}_known"] < rows["rows"]).to_numpy()
        if missing.any():
            example = rows[ITEM][int(missing.argmax())]
            raise InputError(
                f"{part} is missing in rows of {int(missing.sum()):,} items, such as "
                f"{listed([example])}."
            )
        clash = (rows[f"{part}_first"] != rows[f"{part}_last"]).to_numpy()
        if clash.any():
            example = rows[ITEM][int(clash.argmax())]
            raise invalid(part, "the same in all rows of an item", f"two for item {example}")
    values = [name for name in names if name[0] == "y"]
    if runs and len(rows) and max(rows[f"{name}n"].max() for name in values) > 1:
        squares = frame.with_columns(*((nw.col(name) ** 2).alias(name) for name in values))
        more = _by_item(squares, *(nw.col(name).sum().alias(f"{name}r") for name in values))
        rows = rows.assign(**{f"{name}r": more[f"{name}r"] for name in values})
    return rows


def _by_item(frame: nw.LazyFrame[Any], *sums: nw.Expr) -> pd.DataFrame:
    import narwhals as nw

    added = frame.group_by(ITEM).agg(*sums)
    if not added.implementation.is_duckdb():
        return fetched(added.sort(ITEM))
    counts = [name for name in added.collect_schema().names() if re.fullmatch(r"[yp]\d+n", name)]
    added = added.with_columns(nw.col(name).cast(nw.Int32()) for name in counts).sort(ITEM)
    columns = nw.to_native(added).fetchnumpy()  # a data frame would take a second copy
    if any(np.ma.is_masked(values) for values in columns.values()):
        return fetched(added)
    return pd.DataFrame({name: np.asarray(v) for name, v in columns.items()}, copy=False)


def _count(frame: nw.LazyFrame[Any]) -> int:
    import narwhals as nw

    [(rows,)] = rows_of(frame.select(nw.len()))
    return int(rows)


def _complete(
    rows: pd.DataFrame, systems: Sequence[Any], *, drop: bool
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Refuse items that a system lacks, or leave them out."""
    counts = [rows[f"y{k}n"].to_numpy() for k in range(len(systems))]
    if min(n.min() for n in counts) > 0:
        return rows, ()
    n = np.stack(counts, axis=1)
    lacking = (n == 0).any(axis=1)
    told = [_lacking(rows[ITEM], n[:, k] == 0, name) for k, name in enumerate(systems)]
    told = [text for text in told if text]
    if lacking.all() or not drop:
        advice = "No item has all of them." if lacking.all() else "Pass unmatched= drop to leave "
        advice += "" if lacking.all() else "them out."
        raise InputError(f"Of {len(rows):,} items {'; '.join(told)}. {advice}")
    note = f"Items were left out: of {len(rows):,} {'; '.join(told)}."
    return rows[~lacking].reset_index(drop=True), (note,)


def _lacking(items: pd.Series, lacking: Any, system: Any) -> str:
    count = int(lacking.sum())
    if not count:
        return ""
    verb, example = "has" if count == 1 else "have", items[int(lacking.argmax())]
    return f"{count:,} {verb} no value of {system}, such as {listed([example])}"


def _means(rows: pd.DataFrame, told: Sequence[str], names: Mapping[str, float]) -> dict[str, Any]:
    means = {}
    for k, name in enumerate(told):
        mean, n = rows[f"y{k}s"].to_numpy(dtype=np.float64), rows[f"y{k}n"].to_numpy()
        if n.max() > 1:
            mean = mean / n
        if not np.isfinite(mean).all():
            at = rows[ITEM][int((~np.isfinite(mean)).argmax())]
            raise InputError(
                f"{name} must be made of finite numbers; those of item {at!r} are not."
            )
        means[name] = mean + names[f"y{k}"]
    return means


def _more(
    rows: pd.DataFrame, names: Mapping[str, float], systems: int, more: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what else is known of the items: their runs, clusters and data sets."""
    found: dict[str, Any] = {"item": rows[ITEM].to_numpy()}
    counts = [rows[f"y{k}n"].to_numpy() for k in range(systems)]
    if max(n.max() for n in counts) > 1:
        found["runs"] = n = np.stack(counts).astype(np.int64)
    if "y0r" in rows:
        added = np.stack([rows[f"y{k}s"].to_numpy(dtype=np.float64) for k in range(systems)])
        squares = np.stack([rows[f"y{k}r"].to_numpy(dtype=np.float64) for k in range(systems)])
        found["scatter"] = np.maximum(squares - added**2 / n, 0.0)
    for part in ("cluster", "dataset"):
        if part in more:
            found[part] = rows[f"{part}_first"].to_numpy()
    per = [name for name in names if name[0] == "p"]
    if per:
        found["denominator"] = [rows[f"{name}s"].to_numpy(dtype=np.float64) for name in per]
    return found
