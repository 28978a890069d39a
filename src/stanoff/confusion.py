"""Single-label documents with M classes: only the combinations that occur are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stanoff.counts import PairedCounts, paired_counts
from stanoff.errors import InputError
from stanoff.tallies import Codes, Counts, Tally


@dataclass(frozen=True, eq=False)
class ConfusionCounts:
    """How often each combination of true class, A's class and B's class occurs.

    Attributes
    ----------
    categories : the names of the classes (M)
    rows : true class, A's and B's prediction, by their places among the categories (R, 3)
    n : documents with that combination (R)
    """

    categories: tuple[str, ...]
    rows: Codes
    n: Counts

    @cached_property
    def paired(self) -> PairedCounts:
        """Every class against the rest."""
        table = Tally(tuple(range(len(self.categories))), self.rows, self.n)
        return paired_counts(table, average="macro")

    @property
    def cells_A(self) -> Counts:
        """tp, fp, fn, tn of A, every class against the rest (M, 4)."""
        return self.paired.cells_A

    @property
    def cells_B(self) -> Counts:
        """tp, fp, fn, tn of B, every class against the rest (M, 4)."""
        return self.paired.cells_B

    @property
    def documents(self) -> tuple[int, int]:
        """How many documents A and B were judged on."""
        return int(self.n.sum()), int(self.n.sum())

    def confusion(self, classifier: int) -> tuple[Codes, Codes, Counts]:
        """Return true class, predicted class and number of the cells of one classifier.

        Parameters
        ----------
        classifier : 0 for A, 1 for B; the cells on the diagonal are there even if they are empty
        """
        m = len(self.categories)
        joint = self.rows[:, 0] * m + self.rows[:, 1 + classifier]
        diagonal = np.arange(m) * (m + 1)
        cells, place = np.unique(np.concatenate([joint, diagonal]), return_inverse=True)
        n = np.zeros(len(cells), dtype=np.int64)
        np.add.at(n, place[: len(joint)], self.n)
        return cells // m, cells % m, n


def confusion_counts(table: Tally) -> ConfusionCounts:
    """Keep a tally of (truth, A, B) as it is, ordered by the true class."""
    if len(table.labels) < 2:
        raise InputError(
            f"There is only one class, {table.labels[0]!r}: nothing can be told apart."
        )
    order = np.lexsort(table.rows.T[::-1])
    names = tuple(str(label) for label in table.labels)
    return ConfusionCounts(names, table.rows[order], table.n[order])
