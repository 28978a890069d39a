"""Rows that repeat others: models take documents to be independent, and copies are not."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from stanoff.data.tables import Table, rows_of

MOST_ROWS = 1_000_000  # beyond these nothing is looked for unless a column is named
LEAST_COPIES, SHARE_OF_COPIES = 10, 0.05  # fewer rows than these may be alike by chance
LEAST_DISTINCT, SHARE_OF_DISTINCT = 20, 0.05  # a column with fewer values names no documents
ALIKE = 0.99  # copies of a document have the same labels, too
NAMES = re.compile(
    r"(.*[_.\- ])?(id|uuid|guid)|(doc|document|question|query|item|example|sample|prompt)s?"
    r"([_.\- ]?(id|no|nr|number|key))?|qid|docno",
    re.IGNORECASE,
)


def repeated_ids(table: Table, name: Any) -> tuple[str, ...]:
    """Say that rows share an id, or nothing."""
    import narwhals as nw

    column = nw.col(table.column("id", name))
    [(distinct, rows)] = rows_of(table.frame.select(column.n_unique(), nw.len().alias("rows")))
    if distinct == rows:
        return ()
    return (
        f"{name} has {distinct:,} different values in {rows:,} rows: rows that share one are "
        "probably not independent, and the verdict is surer than it should be.",
    )


def repeats(table: Table, labels: Collection[Any], rows: int) -> tuple[str, ...]:
    """Point out ids that are repeated, and rows that are.

    Parameters
    ----------
    table : Table
        Any table.
    labels : collection
        Which of its columns hold labels.
    rows : int
        How many rows it has.
    """
    if rows > MOST_ROWS or len(set(table.names)) < len(table.names):
        return ()
    others = [name for name in table.names if name not in labels]
    few = max(LEAST_DISTINCT, SHARE_OF_DISTINCT * rows)
    try:
        for name in others:
            if NAMES.fullmatch(str(name)) and _distinct(table, [name]) >= few:
                return repeated_ids(table, name)
        if not others or (distinct := _distinct(table, others)) < few:
            return ()
        copies = rows - _distinct(table, table.names)
    except TypeError:  # a column of lists, which pandas cannot compare
        return ()
    if copies < max(LEAST_COPIES, SHARE_OF_COPIES * rows) or copies < ALIKE * (rows - distinct):
        return ()
    return (
        f"{copies:,} of {rows:,} rows repeat another row in every column: if they are copies of "
        "the same documents, the verdict is surer than it should be.",
    )


def _distinct(table: Table, names: Sequence[Any]) -> int:
    import narwhals as nw

    columns = [table.column("id", name) for name in names]
    [(found,)] = rows_of(table.frame.select(*columns).unique().select(nw.len()))
    return int(found)
