"""Several columns per system: ``svm_*`` names the columns svm_spam, svm_ham ... of the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stanoff.data.labels import Labels, as_written
from stanoff.errors import InputError, no_column

TRUTH = "truth"


def spread(
    columns: Mapping[str, Any], known: Sequence[Any], where: str
) -> dict[str, dict[str, str]]:
    """Find the columns that names ending in ``*`` stand for, by part and by class.

    A column that has such a name itself is meant by it.

    Parameters
    ----------
    columns : mapping
        The names of the columns by the parts they play.
    known : sequence
        All columns of the table.
    where : str
        What to call the table.

    Examples
    --------
    >>> spread({"truth": "y", "a": "svm_*"}, ["y", "svm_ham", "svm_spam", "nb"], "")
    {'a': {'ham': 'svm_ham', 'spam': 'svm_spam'}}
    """
    found: dict[str, dict[str, str]] = {}
    if TRUTH not in columns:  # values have no classes
        return found
    for part, name in columns.items():
        if part == TRUTH or not isinstance(name, str) or not name.endswith("*") or name in known:
            continue
        start = name[:-1]
        names = [x for x in known if isinstance(x, str) and x.startswith(start) and x != start]
        found[part] = {x.removeprefix(start): x for x in names if x != columns[TRUTH]}
        if not found[part]:
            raise no_column(where or "the table", part, name, known)
    return found


def gathered(
    found: Labels, rows: pd.DataFrame, parts: Mapping[str, str], places: Mapping[str, list[str]]
) -> Labels:
    """Put the columns of each system together, in the same order of classes.

    Parameters
    ----------
    found : Labels
        The truth, and the systems that have one column.
    rows : DataFrame
        The columns of the others.
    parts : mapping
        What truth and systems are called, by the parts they play, in their order.
    places : mapping
        The classes of every such system; its columns in ``rows`` are its part, a tab and a class.
    """
    order = next(iter(places.values()))
    used = list(dict.fromkeys(np.asarray(found.columns[parts[TRUTH]]).tolist()))
    matrices: dict[str, Any] = {}
    for part, classes in places.items():
        if set(classes) != set(order):
            told = ", ".join(sorted(set(classes) ^ set(order)))
            raise InputError(f"All systems must have columns of the same classes, but not {told}.")
        matrix = rows[[f"{part}\t{one}" for one in order]]
        matrices[parts[part]] = matrix.set_axis([as_written(one, used) for one in order], axis=1)
    columns = {name: {**found.columns, **matrices}[name] for name in parts.values()}
    return replace(found, columns=columns)
