"""Tables that are joined by id, in the engine that holds them, and counted at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff.data.database import kept
from stanoff.data.labels import Labels, is_missing, missing_labels, typed_array, typed_columns
from stanoff.data.matching import Side, listed, matched_ids, one_type, without_nan
from stanoff.data.sources import of_rows
from stanoff.data.tables import brought, check_scores, combinations, fetched, rows_of, without_value
from stanoff.errors import InputError

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw

TRUTH = "truth"


def joined(
    sides: Sequence[Side],
    systems: Sequence[str],
    connection: duckdb.DuckDBPyConnection,
    *,
    drop: bool = False,
) -> Labels:
    """Join tables by id, and count the combinations of labels.

    Parameters
    ----------
    sides : sequence of Side
        The tables; the truth may be in several, and must then agree.
    systems : sequence of str
        The parts that systems play, in order.
    connection : DuckDBPyConnection
        What joins tables of different engines.
    drop : bool
        Leave out the ids that are not in all tables, and say how many.
    """
    sides = _comparable(sides, connection)
    for side in sides:
        told = {part: side.told[part] for part in side.parts}
        check_scores(side.frame, told, texts=side.written)
    frame, names = _full_join(sides)
    inside = _inside(sides)
    counted = combinations(frame, [*inside, *names])
    places = len(inside)
    notes = matched_ids(sides, frame, counted, drop=drop)
    matched = [row for row in counted if all(row[:places])]
    raw = dict(zip(names, zip(*(row[places:-1] for row in matched), strict=True), strict=True))
    n = np.array([row[-1] for row in matched], dtype=np.int64)
    _check_labels(sides, frame, raw, n)
    columns = _typed(sides, raw)
    _check_truth(sides, frame, columns, matched, places)
    order = [_place(sides, part) for part in (TRUTH, *systems)]
    labels = {sides[k].told[part]: columns[f"{part}_{k}"] for k, part in order}
    return Labels(labels, n, written=any(side.written for side in sides), notes=notes)


def joined_rows(
    sides: Sequence[Side],
    systems: Sequence[str],
    connection: duckdb.DuckDBPyConnection,
    *,
    drop: bool = False,
) -> Labels:
    """Join tables by id, and keep every row, in the order of the ids.

    Parameters
    ----------
    sides, systems, connection, drop
        As in :func:`joined`. What is neither an id nor a system may be in several tables, and must
        then agree.
    """
    import narwhals as nw

    sides = _comparable(sides, connection)
    frame, names = _full_join(sides)
    inside = _inside(sides)
    notes = matched_ids(sides, frame, combinations(frame, inside), drop=drop)
    both = frame.filter(*(nw.col(flag) for flag in inside)).select("key", *names)
    rows = fetched(both).sort_values("key", kind="stable", ignore_index=True)
    shared = dict.fromkeys(part for side in sides for part in side.parts if part not in systems)
    for part in shared:
        _check_shared(sides, rows, part)
    order = [_place(sides, part) for part in (*shared, *systems)]
    taken = {part: rows[f"{part}_{k}"] for k, part in order} | {"id": rows["key"]}
    told = {part: sides[k].told[part] for k, part in order if part == TRUTH or part in systems}
    more = ["id", *(part for part in shared if part != TRUTH)]
    written = any(side.written for side in sides)
    return replace(of_rows(pd.DataFrame(taken), told, more, written=written), notes=notes)


def _check_shared(sides: Sequence[Side], rows: pd.DataFrame, part: str) -> None:
    """Make sure that all sides that tell the same thing agree."""
    first, *others = [k for k, side in enumerate(sides) if part in side.parts]
    for k in others:
        one, other = (typed_array(rows[f"{part}_{place}"].to_numpy()) for place in (first, k))
        clash = np.asarray(one != other) & ~(pd.isna(one) & pd.isna(other))
        if clash.any():
            i = int(clash.argmax())
            raise _disagreement(
                sides, part, (first, k), int(clash.sum()), rows["key"][i], one[i], other[i]
            )


def _disagreement(
    sides: Sequence[Side],
    part: str,
    places: tuple[int, int],
    ids: int,
    example: Any,
    one: Any,
    other: Any,
) -> InputError:
    first, second = (sides[k].told[part] for k in places)
    one, other = (x.item() if isinstance(x, np.generic) else x for x in (one, other))
    return InputError(
        f"{first} and {second} must agree, but differ for {ids:,} ids: that of "
        f"{listed([example])} is {one!r} and {other!r}."
    )


def _comparable(sides: Sequence[Side], connection: duckdb.DuckDBPyConnection) -> list[Side]:
    """Bring tables to where they can be joined, with ids of one type; NaN is no id."""
    near = [_stored(side, connection) for side in _together(sides, connection)]
    return one_type([without_nan(side) for side in near])


def _inside(sides: Sequence[Side]) -> list[str]:
    return [f"in_{k}" for k in range(len(sides))]


def _place(sides: Sequence[Side], part: str) -> tuple[int, str]:
    return next(k for k, side in enumerate(sides) if part in side.parts), part


def _together(sides: Sequence[Side], connection: duckdb.DuckDBPyConnection) -> list[Side]:
    """Leave tables of one engine where they are; else bring them to DuckDB, piece by piece."""
    homes = {side.home for side in sides}
    if len(homes) == 1 and homes != {"pandas"}:  # which would turn whole numbers to others
        return list(sides)
    return [_moved(side, k, connection) for k, side in enumerate(sides)]


def _moved(side: Side, number: int, connection: duckdb.DuckDBPyConnection) -> Side:
    import narwhals as nw

    native = nw.to_native(side.frame)
    [(folder,)] = connection.sql("SELECT current_setting('temp_directory')").fetchall()
    file = str(Path(folder, f"side-{number}.parquet"))
    if side.home == "own":
        return side
    if side.home == "pandas":
        plain = native.copy()  # DuckDB cannot read a frame that is a view of another, backwards
        return replace(side, frame=nw.from_native(connection.from_df(plain)))
    if side.home == "duckdb":
        native.to_parquet(file)
    elif side.home == "polars":
        native.sink_parquet(file)
    else:
        return replace(side, frame=nw.from_native(brought(side.frame, connection)))
    return replace(side, frame=nw.from_native(connection.read_parquet(file)))


def _stored(side: Side, connection: duckdb.DuckDBPyConnection) -> Side:
    """Read a text file once only; Parquet is as quick as what DuckDB would keep of it."""
    import narwhals as nw

    if not side.written or side.where.lower().endswith((".parquet", ".pq")):
        return side
    return replace(side, frame=nw.from_native(kept(connection, nw.to_native(side.frame))))


def _full_join(sides: Sequence[Side]) -> tuple[nw.LazyFrame[Any], list[str]]:
    """Join all sides, and keep what is on one of them only."""
    import narwhals as nw

    names, whole = [], None
    # Dask makes 7 a 7.0 where a row has no partner, which a third table would not know again.
    texts = len(sides) > 2 and sides[0].home == "dask"
    for k, side in enumerate(sides):
        labels = {part: f"{part}_{k}" for part in side.parts}
        one = side.frame.select(
            (nw.col("id").cast(nw.String()) if texts else nw.col("id")).alias(f"id_{k}"),
            *(nw.col(part).alias(name) for part, name in labels.items()),
        )
        names += list(labels.values())
        if whole is None:
            whole = one.with_columns(key=nw.col("id_0"))
            continue
        whole = whole.join(one, left_on="key", right_on=f"id_{k}", how="full")
        whole = whole.with_columns(key=nw.coalesce(nw.col("key"), nw.col(f"id_{k}")))
    assert whole is not None
    inside = (nw.col(f"id_{k}").is_null().alias(f"in_{k}") for k in range(len(sides)))
    return whole.with_columns(*(~flag for flag in inside)), names


def _check_labels(
    sides: Sequence[Side],
    frame: nw.LazyFrame[Any],
    columns: Mapping[str, Sequence[Any]],
    n: Any,
) -> None:
    import narwhals as nw

    for k, side in enumerate(sides):
        for part in side.parts:
            holes = [is_missing(value) for value in columns[f"{part}_{k}"]]
            if any(holes):
                inside = frame.filter(*(nw.col(flag) for flag in _inside(sides)))
                without = without_value(inside, f"{part}_{k}").select("key").sort("key")
                example = listed(row[0] for row in rows_of(without.head(1)))
                told = missing_labels(int(n[holes].sum()))
                raise InputError(f"{side.told[part]} has {told}, the first that of {example}.")


def _typed(sides: Sequence[Side], columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Read texts of files as numbers or booleans if all are; undo what a join made of numbers."""
    typed = {name: list(values) for name, values in columns.items()}
    texts = []
    for k, side in enumerate(sides):
        schema = side.frame.collect_schema()
        for part in side.parts:
            name = f"{part}_{k}"
            if schema[part].is_integer():
                typed[name] = [int(value) for value in typed[name]]
            elif side.written and all(isinstance(value, str) for value in typed[name]):
                texts.append(name)
    return typed | dict(zip(texts, typed_columns([typed[name] for name in texts]), strict=True))


def _check_truth(
    sides: Sequence[Side],
    frame: nw.LazyFrame[Any],
    columns: Mapping[str, Sequence[Any]],
    matched: Sequence[tuple[Any, ...]],
    places: int,
) -> None:
    """Make sure that all sides that have the truth have the same."""
    import narwhals as nw

    having = [k for k, side in enumerate(sides) if TRUTH in side.parts]
    first, names = f"{TRUTH}_{having[0]}", list(columns)
    for k in having[1:]:
        other = f"{TRUTH}_{k}"
        clash = [
            i for i, (x, y) in enumerate(zip(columns[first], columns[other], strict=True)) if x != y
        ]
        if not clash:
            continue
        i = clash[0]
        raw = [matched[i][places + names.index(name)] for name in (first, other)]
        same = frame.filter((nw.col(first) == raw[0]) & (nw.col(other) == raw[1]))
        [(example,)] = rows_of(same.select("key").sort("key").head(1))
        number = sum(matched[j][-1] for j in clash)
        raise _disagreement(
            sides, TRUTH, (having[0], k), number, example, columns[first][i], columns[other][i]
        )
