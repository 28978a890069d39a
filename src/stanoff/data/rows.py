"""The rows behind counts: what was given is kept by reference, and read again to list documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from stanoff.data.counting import is_multilabel
from stanoff.data.load import load_rows
from stanoff.data.observed import DOCUMENTS
from stanoff.data.types import PairedDocuments
from stanoff.errors import InputError, unknown

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

    def disagreements(self, a: str, b: str, category: str | None = None) -> pd.DataFrame:
        """Return the documents that two systems label differently, with all columns of theirs.

        Parameters
        ----------
        a, b : str
            The names of the systems.
        category : str, optional
            The category whose labels are compared against the rest; by default all that are judged.
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
        if is_multilabel(observed.columns):
            raise InputError(
                "Disagreements are listed of documents with one label each: of several labels pass "
                "the column of one category."
            )
        data = replace(observed, own={}, by=None).build(DOCUMENTS, self.categories)
        assert isinstance(data, PairedDocuments)
        if category is not None and category not in data.categories:
            raise unknown("category", category, data.categories)
        judged = slice(None) if category is None else [data.categories.index(category)]
        truth, predicted = data.truth[judged], data.said[judged]
        differ = np.flatnonzero((predicted[..., 0] != predicted[..., 1]).any(axis=0))
        right = [(predicted[..., i] == truth).all(axis=0)[differ].astype(int) for i in (0, 1)]
        labels = [np.asarray(values, dtype=object) for values in observed.columns.values()]
        named = {"truth": labels[0], a: labels[1], b: labels[2]}
        taken = [self.truth, *columns] if self.truth is not None else []
        others = {
            name: values for name, values in observed.own.items() if name not in map(str, taken)
        }
        rows = {name: np.asarray(values)[differ] for name, values in {**others, **named}.items()}
        listed = pd.DataFrame(rows, index=self._labels(len(truth[0]), differ))
        return listed.assign(change=FROM_A_TO_B[right[0], right[1]])

    def _labels(self, n: int, positions: np.ndarray[Any, Any]) -> Any:
        """Return the user's own index where there is one, else the numbers of the rows."""
        index = getattr(self.table, "index", None)
        return index[positions] if isinstance(index, pd.Index) and len(index) == n else positions
