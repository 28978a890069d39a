"""Single-label documents with M classes: only the combinations that occur are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from stanoff.data.base import Data, called
from stanoff.data.counts import PairedCounts, absent, choose_categories, paired_counts
from stanoff.data.patterns import PatternCounts, pattern_counts
from stanoff.data.tallies import Codes, Counts, Tally, sum_by
from stanoff.errors import InputError


@dataclass(frozen=True, eq=False)
class ConfusionCounts(Data):
    """How often each combination of the true class and what each system said occurs.

    Attributes
    ----------
    categories : tuple of str
        The names of the classes that are judged (K).
    rows : ndarray
        True class, then what each system said (R, 1 + S), as numbers: those that are judged by
        their places among the categories, any others after them.
    n : ndarray
        Documents with that combination (R).
    """

    rows: Codes
    n: Counts

    paired = True

    @property
    def classes(self) -> int:
        """How many classes there are, judged or not (M)."""
        return max(len(self.categories), int(self.rows.max(initial=-1)) + 1)

    @cached_property
    def _one_vs_rest(self) -> PairedCounts | PatternCounts:
        table = Tally(tuple(range(self.classes)), self.rows, self.n)
        judged = range(len(self.categories))
        count = paired_counts if len(self.systems) == 2 else pattern_counts
        counted = count(table, labels=judged, average="macro")
        return replace(counted, categories=self.categories, **self.metadata())

    def one_vs_rest(self) -> PairedCounts | PatternCounts:
        """Count every class against the rest."""
        return self._one_vs_rest

    def pair(self, a: int, b: int) -> ConfusionCounts:
        """Add the combinations up to those of two systems, in this order."""
        if (len(self.systems), a, b) == (2, 0, 1):
            return self
        rows, place = np.unique(self.rows[:, [0, 1 + a, 1 + b]], axis=0, return_inverse=True)
        n = sum_by(place.ravel(), self.n, len(rows))
        return ConfusionCounts(self.categories, rows, n, **self.metadata(a, b))

    @property
    def cells(self) -> Counts:
        """tp, fp, fn, tn of each system, every class against the rest (system, K, 4)."""
        return self.one_vs_rest().cells

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the documents; every category is judged on all of them."""
        return (int(self.n.sum()),)

    def alike(self, a: int, b: int) -> bool:
        """Return whether two systems said the same of every document."""
        return bool((self.rows[:, 1 + a] == self.rows[:, 1 + b]).all())

    def confusion(self, classifier: int) -> tuple[Codes, Codes, Counts]:
        """Return true class, predicted class and number of the cells of one classifier.

        Parameters
        ----------
        classifier : int
            Its place among the systems; the cells on the diagonal are there even if they are empty.
        """
        m = self.classes
        joint = self.rows[:, 0] * m + self.rows[:, 1 + classifier]
        diagonal = np.arange(m) * (m + 1)
        cells, place = np.unique(np.concatenate([joint, diagonal]), return_inverse=True)
        n = np.zeros(len(cells), dtype=np.int64)
        np.add.at(n, place[: len(joint)], self.n)
        return cells // m, cells % m, n


def confusion_counts(
    table: Tally, *, labels: Sequence[Any] | None = None, average: str = "macro"
) -> ConfusionCounts:
    """Keep a tally of the truth and predictions as it is, ordered by the true class.

    Parameters
    ----------
    table : Tally
        The truth, then a column for each system.
    labels : sequence, optional
        The classes to judge, all by default.
    average : str
        How they will be averaged.
    """
    if len(table.labels) < 2:
        raise InputError(
            f"There is only one class, {table.labels[0]!r}: nothing can be told apart."
        )
    chosen = choose_categories(table.labels, None, labels, average)
    judged = [place for _, place in chosen]
    others = [place for place in range(len(table.labels)) if place not in set(judged)]
    number = np.empty(len(table.labels), dtype=np.intp)
    for new, old in enumerate([*judged, *others]):
        if old is not None:  # a label that no document has keeps its number for itself
            number[old] = new
    rows = number[table.rows]
    order = np.lexsort(rows.T[::-1])
    names, notes = tuple(name for name, _ in chosen), absent(chosen, table.labels)
    systems = called(rows.shape[1] - 1)
    return ConfusionCounts(names, rows[order], table.n[order], systems=systems, notes=notes)


def need_classes(data: Data) -> ConfusionCounts:
    """Return counts of classes, or refuse data of another kind."""
    if not isinstance(data, ConfusionCounts):
        raise InputError(
            "Models of classes need the labels of both classifiers on the same documents, one "
            "label per document."
        )
    return data
