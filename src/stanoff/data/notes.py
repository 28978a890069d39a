"""What is noticed while data are read, and may mislead who does not know it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import narwhals as nw

from stanoff.data.readers import Table, fetch_objects

MAX_ROWS = 1_000_000  # beyond these nothing is looked for unless a column is named
MIN_COPIES, SHARE_OF_COPIES = 10, 0.05  # fewer rows than these may be alike by chance
MIN_DISTINCT, SHARE_OF_DISTINCT = 20, 0.05  # a column with fewer values names no documents
ALIKE = 0.99  # copies of a document have the same labels, too
FOLD_SIZES = (5, 10, 20, 25, 30, 50, 100)  # values that a cross-validation usually gives
FOLDS = re.compile(
    r"(cv|fold|split|rep|repeat|repetition)s?([_.\- ]?(id|no|nr|number|index))?", re.IGNORECASE
)
IDS = re.compile(
    r"(.*[_.\- ])?(id|uuid|guid)|(doc|document|question|query|item|example|sample|prompt)s?"
    r"([_.\- ]?(id|no|nr|number|key))?|qid|docno",
    re.IGNORECASE,
)
NO_SYSTEMS = re.compile(r"data[_ ]?set|topic", re.IGNORECASE)
LOSSES = re.compile(r"(.*[_.\- ])?(error|loss|latency|mae|mse|rmse|perplexity)([_.\- ].*)?", re.I)


def names_no_system(column: Any) -> bool:
    """Return whether a column is called like one of ids, folds or data sets.

    Examples
    --------
    >>> names_no_system("doc_id"), names_no_system("fold"), names_no_system("svm")
    (True, True, False)
    """
    return any(pattern.fullmatch(str(column)) for pattern in (IDS, FOLDS, NO_SYSTEMS))


def looks_like_loss(systems: Iterable[str]) -> str | None:
    """Return the first name that speaks of errors, losses or waiting, of which less is better.

    Examples
    --------
    >>> looks_like_loss(["abs_error_a", "abs_error_b"]), looks_like_loss(["svm"])
    ('abs_error_a', None)
    """
    return next((name for name in systems if LOSSES.fullmatch(name)), None)


def names_of(*columns: Any) -> list[Any]:
    """Return what columns and their indexes are called.

    Examples
    --------
    >>> import pandas as pd
    >>> names_of(pd.Series([1], name="svm", index=pd.Index([0], name="fold")), [1, 2])
    ['svm', 'fold']
    """
    named = [x for column in columns for x in (column, getattr(column, "index", None))]
    names = [x for y in named for x in (getattr(y, "names", None) or [getattr(y, "name", None)])]
    return [name for name in names if name is not None]


def of_folds(names: Iterable[Any], kind: str) -> tuple[str, ...]:
    """Warn of a column that is called like the folds of a cross-validation."""
    folds = [name for name in names if FOLDS.fullmatch(str(name))]
    if not folds:
        return ()
    fold = min(folds, key=lambda name: "rep" in str(name).lower())  # rather than the repeat
    if kind == "values":
        return (
            f"There is a column {fold!r}: scores of the folds of a cross-validation share training "
            "documents and are not independent, so that the interval is too narrow: pass "
            f"fold={fold!r} (and repeat=).",
        )
    return (
        f"There is a column {fold!r}: predictions of a cross-validation come from several trained "
        "copies of a system. The verdict is about these, and does not know how another training "
        "would turn out.",
    )


def of_few_values(n: int) -> tuple[str, ...]:
    """Warn of as many bare values as a cross-validation usually gives."""
    if n not in FOLD_SIZES:
        return ()
    return (
        f"There are {n} values without ids: if they are scores of the folds of a cross-validation, "
        "they are not independent, and the interval is too narrow: pass folds= (and repeats=).",
    )


def of_weights(rows: int, documents: int) -> tuple[str, ...]:
    """Point out weights that turn few rows into many documents."""
    if documents < 10 * rows:
        return ()
    return (
        f"sample_weight turns {rows:,} rows into {documents:,} documents: that is right if so many "
        "were looked at one by one, and far too sure if weights only say what matters more.",
    )


def of_repeated_ids(table: Table, name: Any) -> tuple[str, ...]:
    """Say that rows share an id, or nothing."""
    column = nw.col(table.column("id", name))
    counts = fetch_objects(table.frame.select(column.n_unique().alias("ids"), nw.len().alias("n")))
    distinct, rows = counts.iloc[0]
    if distinct == rows:
        return ()
    return (
        f"{name} has {distinct:,} different values in {rows:,} rows: rows that share one are "
        "probably not independent, and the verdict is surer than it should be.",
    )


def of_repeats(table: Table, labels: Collection[Any], rows: int) -> tuple[str, ...]:
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
    if rows > MAX_ROWS or len(set(table.names)) < len(table.names):
        return ()
    others = [name for name in table.names if name not in labels]
    few = max(MIN_DISTINCT, SHARE_OF_DISTINCT * rows)
    try:
        for name in others:
            if IDS.fullmatch(str(name)) and _distinct(table, [name]) >= few:
                return of_repeated_ids(table, name)
        if not others or (distinct := _distinct(table, others)) < few:
            return ()
        copies = rows - _distinct(table, table.names)
    except TypeError:  # a column of lists, which pandas cannot compare
        return ()
    if copies < max(MIN_COPIES, SHARE_OF_COPIES * rows) or copies < ALIKE * (rows - distinct):
        return ()
    return (
        f"{copies:,} of {rows:,} rows repeat another row in every column: if they are copies of "
        "the same documents, the verdict is surer than it should be.",
    )


def _distinct(table: Table, names: Sequence[Any]) -> int:
    columns = [table.column("id", name) for name in names]
    distinct = table.frame.select(*columns).unique().select(nw.len().alias("n"))
    return int(fetch_objects(distinct)["n"].sum())
