"""The rows behind counts: what was given is kept by reference, and read again to list documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stanoff.data.counting import is_matrix, n_rows, read_labels
from stanoff.data.load import load_rows
from stanoff.errors import InputError

FROM_A_TO_B = np.array([["wrong to wrong", "wrong to right"], ["right to wrong", "right to right"]])
NOT_KEPT = ("trained", "fold")  # rows of these layouts are no documents


@dataclass(frozen=True, eq=False)
class Rows:
    """What was given to be compared; nothing of it is copied.

    Attributes
    ----------
    table : object
        The true labels, or the table or tables that have them.
    truth : object
        The column of true labels; None where ``table`` has the labels themselves.
    systems : mapping
        The predictions of every system, or their columns, by its name in the result.
    layout, categories : mapping
        As in :func:`stanoff.data.load.load_pair`.
    """

    table: Any
    truth: Any
    systems: Mapping[str, Any]
    layout: Mapping[str, Any]
    categories: Mapping[str, Any]

    def disagreements(self, a: str, b: str, categories: Collection[str]) -> pd.DataFrame:
        """Return the documents that two systems label differently, with all columns of theirs.

        Parameters
        ----------
        a, b : str
            The names of the systems.
        categories : collection of str
            The categories whose labels are compared.
        """
        for name in NOT_KEPT:
            if self.layout.get(name) is not None:
                raise InputError(f"Documents are not listed where {name}= is given.")
        index = [list(self.systems).index(name) for name in (a, b)]
        table = self.table
        if isinstance(table, (tuple, list)) and self.truth is not None:
            tables_of_systems = len(table) == len(self.systems)
            table = tuple(table[i] for i in index) if tables_of_systems else table
        columns = [self.systems[a], self.systems[b]]
        observed = load_rows(table, self.truth, columns, self.layout)
        known, pairs = read_labels(observed.columns, self.categories.get("labels"))
        judged = [str(label) in categories for label in known]
        # One number for every label of every document: what is in one column alone differs.
        truth, *predicted = (
            (rows * len(known) + codes)[np.take(judged, codes)] for rows, codes in pairs
        )
        differ = np.unique(np.setxor1d(*predicted) // len(known))
        wrong = [np.setxor1d(labels, truth) // len(known) for labels in predicted]
        right = [(~np.isin(differ, rows)).astype(int) for rows in wrong]
        taken = [self.truth, *columns] if self.truth is not None else []
        listed = {
            name: np.asarray(values)[differ]
            for name, values in observed.own.items()
            if name not in map(str, taken)
        }
        for name, values, (rows, codes) in zip(
            ("truth", a, b), observed.columns.values(), pairs, strict=True
        ):
            if is_matrix(values):  # the names of the columns that are 1
                lists = pd.Series([known[code] for code in codes]).groupby(rows).agg(list)
                listed[name] = [lists.get(row, []) for row in differ]
            else:
                listed[name] = pd.Series(list(values), dtype=object).to_numpy()[differ]
        labels = self._labels(n_rows(next(iter(observed.columns.values()))), differ)
        return pd.DataFrame(listed, index=labels).assign(change=FROM_A_TO_B[right[0], right[1]])

    def _labels(self, n: int, positions: np.ndarray[Any, Any]) -> Any:
        """Return the user's own index where there is one, else the numbers of the rows."""
        index = getattr(self.table, "index", None)
        return index[positions] if isinstance(index, pd.Index) and len(index) == n else positions
