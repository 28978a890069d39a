"""Ids of tables that are to be joined: whether they can be compared, and whether they match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff.data.labels import is_missing
from stanoff.data.tables import first_missing, lacking, rows_of
from stanoff.errors import InputError, unknown

if TYPE_CHECKING:
    import narwhals as nw

WHOLE = r"^-?(0|[1-9][0-9]*)$"
TYPED = ("Date", "Time", "Unknown")  # of ids; what narwhals does not know are UUIDs


@dataclass(frozen=True, eq=False)
class Side:
    """What one table has to say: an id, and the truth or the labels of some systems.

    Attributes
    ----------
    frame : LazyFrame
        The column ``id``, and columns called by the parts they play.
    where : str
        What an error shall call it.
    told : mapping
        What an error shall call the columns, ``id`` and parts.
    home : str
        Who holds it, as in :class:`stanoff.data.tables.Table`.
    written : bool
        Whether it is a file.
    untyped : bool
        Whether it is a text file, which does not tell "7" from 7.
    timeless : bool
        Whether it is a file that has no dates, but texts of them.
    advice : str
        What to do if an id is repeated.
    """

    frame: nw.LazyFrame[Any]
    where: str
    told: Mapping[str, str]
    home: str
    written: bool = False
    untyped: bool = False
    timeless: bool = False
    advice: str = ""

    @property
    def parts(self) -> list[str]:
        """The parts that its columns play."""
        return [part for part in self.told if part != "id"]

    def rows(self) -> int:
        """Count the rows."""
        import narwhals as nw

        [(rows,)] = rows_of(self.frame.select(nw.len()))
        return int(rows)


def listed(ids: Iterable[Any]) -> str:
    """List ids as examples; a join may have made 7 a 7.0."""
    plain = (x.item() if isinstance(x, np.generic) else x for x in ids)
    whole = (int(x) if isinstance(x, float) and x.is_integer() else x for x in plain)
    return ", ".join(repr(x) for x in whole)


def one_type(sides: Sequence[Side]) -> list[Side]:
    """Make sure that ids can be compared: "7" is not 7, unless a text file has it.

    Text files and JSON have no dates and no UUIDs, so those of other tables are compared as texts.
    """
    import narwhals as nw

    def kind(side: Side) -> str:
        dtype = side.frame.collect_schema()["id"]
        if dtype.is_numeric():
            return "numbers"
        return "text" if dtype in (nw.String, nw.Categorical, nw.Enum) else str(dtype)

    def as_text(side: Side) -> Side:
        return replace(side, frame=side.frame.with_columns(nw.col("id").cast(nw.String())))

    kinds = [kind(side) for side in sides]
    if any(side.timeless and one == "text" for side, one in zip(sides, kinds, strict=True)):
        kinds = ["text" if one.startswith(TYPED) else one for one in kinds]
    plain = [
        as_text(side) if one == "text" and side.frame.collect_schema()["id"] != nw.String else side
        for side, one in zip(sides, kinds, strict=True)
    ]
    if len(set(kinds)) == 1:
        return plain
    for k, (side, one) in enumerate(zip(sides, kinds, strict=True)):
        if side.untyped and one == "text" and set(kinds) == {"text", "numbers"}:
            odd = side.frame.filter(~nw.col("id").str.contains(WHOLE))
            if not rows_of(odd.select("id").head(1)):
                whole = side.frame.with_columns(nw.col("id").cast(nw.Int64()))
                plain[k], kinds[k] = replace(side, frame=whole), "numbers"
    if len(set(kinds)) == 1:
        return plain
    told = " and ".join(
        f"{side.rows():,} of {side.told['id']} are {one}, such as "
        f"{listed(row[0] for row in rows_of(side.frame.select('id').head(1)))}"
        for side, one in zip(sides, kinds, strict=True)
    )
    raise InputError(f"The ids must be of one type, but {told}.")


def without_nan(side: Side) -> Side:
    """Take NaN for no id, which engines compare in ways of their own."""
    import narwhals as nw

    if not side.frame.collect_schema()["id"].is_float():
        return side
    named = nw.when(~lacking(side.frame, "id")).then(nw.col("id"))
    return replace(side, frame=side.frame.with_columns(named.alias("id")))


def matched_ids(
    sides: Sequence[Side],
    frame: nw.LazyFrame[Any],
    counted: Sequence[tuple[Any, ...]],
    *,
    drop: bool,
) -> tuple[str, ...]:
    """Complain of ids that do not match; say how many were left out."""
    places = len(sides)
    _check_ids(sides, frame, [(row[:places], row[-1]) for row in counted])
    lost = sum(row[-1] for row in counted if not all(row[:places]))
    if not any(all(row[:places]) for row in counted) or (lost and not drop):
        raise _unmatched(sides, frame, counted)
    return (_dropped(sides, counted),) if lost else ()


def _check_ids(
    sides: Sequence[Side],
    frame: nw.LazyFrame[Any],
    counted: Sequence[tuple[tuple[bool, ...], int]],
) -> None:
    """Complain of ids that are missing or repeated."""
    import narwhals as nw

    totals = [sum(n for inside, n in counted if inside[k]) for k in range(len(sides))]
    nameless = sum(n for inside, n in counted if not any(inside))
    for side, total in zip(sides, totals, strict=True):
        rows = side.rows()
        if not rows:
            raise InputError(f"{side.where} has no rows.")
        if nameless:
            missing = side.frame.filter(nw.col("id").is_null())
            [(found,)] = rows_of(missing.select(nw.len()))
            if found:
                ids = "1 missing id" if found == 1 else f"{found:,} missing ids"
                row = first_missing(side.frame, "id")
                where = f", the first in row {row}" if row else ""
                raise InputError(f"{side.told['id']} has {ids}{where}.")
        if total != rows:  # an id of another side is repeated, or one of its own
            for one in sides:
                _check_repeats(one)


def _check_repeats(side: Side) -> None:
    import narwhals as nw

    twice = side.frame.group_by("id").agg(nw.len().alias("n")).filter(nw.col("n") > 1)
    found = rows_of(twice.sort("id").head(3))
    if found:
        [(ids,)] = rows_of(twice.select(nw.len()))
        which = f"{ids:,} ids" if ids != 1 else "1 id"
        advice = f" {side.advice}" if side.advice else ""
        raise InputError(
            f"{side.told['id']} repeats {which}, such as {listed([found[0][0]])}, which "
            f"{found[0][1]:,} rows have.{advice}"
        )


def _lost(sides: Sequence[Side], counted: Sequence[tuple[Any, ...]]) -> list[tuple[int, int, int]]:
    """Count the ids that one side has and another has not."""
    pairs = [(k, j) for k in range(len(sides)) for j in range(len(sides)) if k != j]
    numbers = [(k, j, sum(row[-1] for row in counted if row[k] and not row[j])) for k, j in pairs]
    return [(k, j, n) for k, j, n in numbers if n]


def _unmatched(
    sides: Sequence[Side], frame: nw.LazyFrame[Any], counted: Sequence[tuple[Any, ...]]
) -> InputError:
    import narwhals as nw

    told = []
    for k, j, n in _lost(sides, counted):
        only = frame.filter(nw.col(f"in_{k}") & ~nw.col(f"in_{j}"))
        some = [row[0] for row in rows_of(only.select(f"id_{k}").sort(f"id_{k}").head(3))]
        told.append(
            f"{n:,} of {sides[k].where} are not in {sides[j].where}, such as {listed(some)}"
        )
    any_left = any(all(row[: len(sides)]) for row in counted)
    advice = "Pass unmatched= drop to leave them out." if any_left else "No id is in all of them."
    return InputError(f"The ids do not match: {'; '.join(told)}. {advice}")


def _dropped(sides: Sequence[Side], counted: Sequence[tuple[Any, ...]]) -> str:
    told = (
        f"{n:,} of {sides[k].where} that are not in {sides[j].where}"
        for k, j, n in _lost(sides, counted)
    )
    return f"Documents were left out because their ids do not match: {', '.join(told)}."


def parts_of(
    systems: Mapping[str, Any], seen: Collection[Any], told: str, where: str
) -> dict[str, Any]:
    """Return which system of a long table plays which part.

    Parameters
    ----------
    systems : mapping
        Their names by the parts they play; None takes the only ones there are, in order.
    seen : collection
        The systems that the table has.
    told, where : str
        What an error shall call their column and the table.
    """
    known = sorted((name for name in seen if not is_missing(name)), key=str)
    if not known:
        raise InputError(f"{where} has no rows.")
    if all(name is None for name in systems.values()):
        if len(known) == len(systems):
            return dict(zip(systems, known, strict=True))
        first = ", ".join(repr(name) for name in known[:20])
        if len(known) == 1:
            raise InputError(f"{told} has one system only, {first}: there is none to compare.")
        asked = " and ".join(f"{part}=" for part in systems)
        raise InputError(f"{told} has {len(known)} systems ({first}): pass {asked}.")
    spelt = {str(name): name for name in known}
    for part, name in systems.items():
        if str(name) not in spelt:
            raise unknown(part, name, list(spelt))
    return {part: spelt[str(name)] for part, name in systems.items()}
