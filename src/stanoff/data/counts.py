"""From labels to counts, the only thing the models need to know about the documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff.data.base import Data, cells_of_patterns, response_patterns
from stanoff.data.tallies import Codes, Counts, Tally, sorted_labels, sum_by
from stanoff.errors import InputError, invalid

OUTCOMES = ("both", "only A", "only B", "neither")
SWAP_AB = [0, 2, 1, 3]  # the outcomes where A and B change places
AVERAGES = ("macro", "micro", "weighted")


@dataclass(frozen=True, eq=False)
class PairedCounts(Data):
    """Two systems on the same documents, category by category.

    Attributes
    ----------
    categories : tuple of str
        Their names (K).
    pos : ndarray
        Positive documents by outcome pair: both, only A, only B, neither said yes (K, 4).
    neg : ndarray
        Negative documents by outcome pair (K, 4).
    """

    pos: Counts
    neg: Counts

    paired = True

    def __post_init__(self) -> None:
        _freeze(self, "pos", "neg")

    @property
    def cells(self) -> Counts:
        """tp, fp, fn, tn of each system (system, K, 4)."""
        return cells_of_patterns(self.pos, self.neg, len(self.systems))

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the documents of a category, or of the one that has the most."""
        return (most_documents(self.pos.sum(axis=1) + self.neg.sum(axis=1), self, category),)

    def alike(self, a: int, b: int) -> bool:
        """Return whether two systems said the same of every document."""
        answers = response_patterns(len(self.systems))
        differ = answers[:, a] != answers[:, b]
        return not (self.pos[:, differ].any() or self.neg[:, differ].any())

    def pair(self, a: int, b: int) -> PairedCounts:
        """Return the same, or the two systems in the other order."""
        if (a, b) == (0, 1):
            return self
        pos, neg = self.pos[:, SWAP_AB], self.neg[:, SWAP_AB]
        return PairedCounts(self.categories, pos, neg, **self.metadata(a, b))

    def unpaired(self) -> UnpairedCounts:
        """Forget which documents the two systems agreed on."""
        facts: dict[str, Any] = {"source": self.source, "notes": self.notes}
        return UnpairedCounts(self.categories, *self.cells, systems=self.systems, **facts)


@dataclass(frozen=True, eq=False)
class UnpairedCounts(Data):
    """Two systems, each on documents of its own, category by category.

    Attributes
    ----------
    categories : tuple of str
        Their names (K).
    cells_A, cells_B : ndarray
        Documents by cell: tp, fp, fn, tn (K, 4).
    """

    cells_A: Counts
    cells_B: Counts

    def __post_init__(self) -> None:
        _freeze(self, "cells_A", "cells_B")

    @property
    def cells(self) -> Counts:
        """tp, fp, fn, tn of each system (system, K, 4)."""
        return np.stack([self.cells_A, self.cells_B])

    def n_documents(self, category: str | None = None) -> tuple[int, ...]:
        """Count the documents of each system in a category, or in the one that has the most."""
        return tuple(most_documents(cells.sum(axis=1), self, category) for cells in self.cells)

    def pair(self, a: int, b: int) -> UnpairedCounts:
        """Return the same, or the two systems in the other order."""
        if (a, b) == (0, 1):
            return self
        return UnpairedCounts(self.categories, self.cells_B, self.cells_A, **self.metadata(a, b))


def most_documents(per_category: NDArray[Any], data: Data, category: str | None) -> int:
    """Return how many documents a category has, or the one that has the most."""
    if category in data.categories:
        return int(per_category[data.categories.index(category)])
    return int(per_category.max())


def rows(counts: Data, which: slice) -> Data:
    """Take some categories out of many."""
    some: dict[str, Any] = {name: values[which] for name, values in counts.arrays().items()}
    return replace(counts, categories=counts.categories[which], **some)


def paired_counts(
    table: Tally,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> PairedCounts:
    """Count outcome pairs, one category against the rest, from (truth, A, B) rows.

    Parameters
    ----------
    table : Tally
        A tally of three columns.
    pos_label : object
        The positive label; 1 where there are only two labels.
    labels : sequence, optional
        The categories to count, all of them by default; with ``average`` only.
    average : str, optional
        None for one category, else how the categories will be averaged.

    Examples
    --------
    >>> rows = {"truth": [1, 1, 0], "a": [1, 1, 1], "b": [1, 0, 0]}
    >>> from stanoff.data.tallies import tally
    >>> counts = paired_counts(tally(rows))
    >>> counts.pos.tolist(), counts.neg.tolist()
    ([[1, 1, 0, 0]], [[0, 1, 0, 0]])
    """
    chosen = choose_categories(table.labels, pos_label, labels, average)
    m = len(table.labels)
    truth, a, b = table.rows.T
    # From these sums all eight cells of every category follow: cost R + M, not R * M.
    n_t, n_a, n_b = (sum_by(column, table.n, m) for column in (truth, a, b))
    n_ta = _sum_where(truth == a, truth, table.n, m)
    n_tb = _sum_where(truth == b, truth, table.n, m)
    n_ab = _sum_where(a == b, a, table.n, m)
    n_tab = _sum_where((truth == a) & (truth == b), truth, table.n, m)
    return counts_from_sums(
        chosen,
        n=int(table.n.sum()),
        n_t=n_t,
        n_a=n_a,
        n_b=n_b,
        n_ta=n_ta,
        n_tb=n_tb,
        n_ab=n_ab,
        n_tab=n_tab,
    )


def counts_from_sums(
    chosen: Sequence[tuple[str, int | None]],
    *,
    n: int,
    n_t: Counts,
    n_a: Counts,
    n_b: Counts,
    n_ta: Counts,
    n_tb: Counts,
    n_ab: Counts,
    n_tab: Counts,
) -> PairedCounts:
    """Derive the eight cells of every category by subtraction.

    Parameters
    ----------
    chosen : sequence of tuple
        Names of the categories, each with its place in the sums, None if it has none.
    n : int
        How many documents there are.
    n_t, n_a, ..., n_tab : ndarray
        In how many of them the truth, A, ..., all three name each category.
    """
    pos = np.stack([n_tab, n_ta - n_tab, n_tb - n_tab, n_t - n_ta - n_tb + n_tab], axis=1)
    said = np.stack([n_ab, n_a - n_ab, n_b - n_ab, n - n_a - n_b + n_ab], axis=1)
    names, index = zip(*chosen, strict=True)
    pos_rows = _take(pos, index, absent=[0, 0, 0, 0])
    neg_rows = _take(said - pos, index, absent=[0, 0, 0, n])
    return PairedCounts(names, pos_rows, neg_rows)


def unpaired_counts(
    table_a: Tally,
    table_b: Tally,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> UnpairedCounts:
    """Count the cells of two classifiers, each from (truth, prediction) rows of its own."""
    union = sorted_labels({"a": table_a.labels, "b": table_b.labels})
    chosen = choose_categories(union, pos_label, labels, average)
    cells = []
    for table in (table_a, table_b):
        place = {label: i for i, label in enumerate(table.labels)}
        index = tuple(None if i is None else place.get(union[i]) for _, i in chosen)
        truth, said = table.rows.T
        m = len(table.labels)
        n_t, n_s = sum_by(truth, table.n, m), sum_by(said, table.n, m)
        tp = _sum_where(truth == said, truth, table.n, m)
        rest = table.n.sum() - n_t - n_s + tp
        each = np.stack([tp, n_s - tp, n_t - tp, rest], axis=1)
        cells.append(_take(each, index, absent=[0, 0, 0, int(table.n.sum())]))
    names = tuple(name for name, _ in chosen)
    return UnpairedCounts(names, *cells, notes=absent(chosen, union) if average else ())


def given_counts(name: str, values: ArrayLike) -> Counts:
    """Check counts that the caller made: whole, not negative, four to a row.

    Examples
    --------
    >>> given_counts("c_pos", [3, 1, 0, 2]).tolist()
    [[3, 1, 0, 2]]
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise invalid(name, "four counts, or a row of four per category", values) from None
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != 4 or not len(array):
        raise invalid(name, "four counts, or a row of four per category", values)
    if array.dtype.kind not in "iufO":
        raise invalid(name, "whole numbers", values)
    for count in array.ravel().tolist():
        if isinstance(count, bool) or not isinstance(count, (int, float)) or count != count // 1:
            raise invalid(name, "whole numbers", count)
        if count < 0:
            raise invalid(name, "counts >= 0", count)
        if count > np.iinfo(np.int64).max // 16:
            raise invalid(name, "counts below 2^59", count)
    return array.astype(np.int64)


def _freeze(counts: object, *names: str) -> None:
    for name in names:
        array = np.ascontiguousarray(getattr(counts, name), dtype=np.int64)
        array.flags.writeable = False
        object.__setattr__(counts, name, array)


def choose_categories(
    known: tuple[Any, ...],
    pos_label: Any,
    labels: Sequence[Any] | None,
    average: str | None,
) -> list[tuple[str, int | None]]:
    """Name the categories to count, each with its place among the known labels."""
    if average is not None:
        if average not in AVERAGES:
            raise invalid("average", "None, 'macro', 'micro' or 'weighted'", average)
        if pos_label is not None:
            raise invalid("pos_label", "None where 'average' judges all categories", pos_label)
        wanted = known if labels is None else _as_labels(labels)
        place = {label: i for i, label in enumerate(known)}
        if not any(label in place for label in wanted):
            raise InputError(
                f"None of the labels {_listed(wanted)} occurs: there are {_listed(known)}."
                f"{_did_you_mean(wanted[0], known)}"
            )
        return [(str(label), place.get(label)) for label in wanted]
    if labels is not None:
        raise invalid("labels", "None unless 'average' is given", labels)
    if pos_label is None and len(known) > 2:
        raise InputError(
            f"There are {len(known)} labels ({_listed(known)}): pass pos_label= to judge one of "
            "them against the rest, or average= (macro, micro or weighted) to judge them together."
        )
    positive = 1 if pos_label is None else pos_label
    if not isinstance(positive, Hashable) or type(positive).__name__ == "NAType":
        raise invalid("pos_label", "one label", pos_label)
    if positive in known:
        return [(str(positive), known.index(positive))]
    if positive == 1 and len(known) == 1 and known[0] in (0, -1):
        return [("1", None)]  # nobody ever said yes, and nothing was positive
    if pos_label is None:
        raise InputError(
            f"The labels are {_listed(known)}: pass pos_label= to say which of them is positive."
        )
    raise InputError(
        f"The 'pos_label' parameter must be one of {_listed(known)}. Got {positive!r} instead."
    )


def alike(known: Iterable[Any]) -> tuple[str, ...]:
    """Question two labels that differ in case or blanks only, and may be meant as one.

    Examples
    --------
    >>> alike(["spam", "ham", "Spam "])
    ("The labels 'spam' and 'Spam ' differ in case or blanks only: they count as two.",)
    """
    seen: dict[str, Any] = {}
    for label in known:
        other = seen.setdefault(" ".join(str(label).split()).casefold(), label)
        if other is not label:
            told = f"The labels {other!r} and {label!r} differ in case or blanks only"
            return (f"{told}: they count as two.",)
    return ()


def absent(chosen: Sequence[tuple[str, int | None]], known: Sequence[Any]) -> tuple[str, ...]:
    """Question the categories that were asked for and that nothing has.

    Examples
    --------
    >>> absent([("sprot", None), ("art", 0)], ["art", "sport"])
    ("'sprot' of labels= occurs nowhere, and counts in the average. Did you mean 'sport'?",)
    """
    return tuple(
        f"{name!r} of labels= occurs nowhere, and counts in the average."
        f"{_did_you_mean(name, known)}"
        for name, place in chosen
        if place is None
    )


def _did_you_mean(label: Any, known: Sequence[Any]) -> str:
    near = get_close_matches(str(label), [str(other) for other in known], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _as_labels(labels: Any) -> tuple[Any, ...]:
    try:
        wanted = tuple(labels)
        distinct = len(set(wanted))
    except TypeError:
        raise invalid("labels", "a list of labels", labels) from None
    if isinstance(labels, str) or not wanted or distinct != len(wanted):
        raise invalid("labels", "different labels, at least one", labels)
    return wanted


def _listed(labels: Sequence[Any], most: int = 20) -> str:
    told = ", ".join(repr(label) for label in labels[:most])
    return told if len(labels) <= most else f"{told}, ... {len(labels) - most} more"


def _sum_where(mask: NDArray[np.bool_], index: Codes, weights: Counts, size: int) -> Counts:
    return sum_by(index[mask], weights[mask], size)


def _take(table: Counts, index: Sequence[int | None], absent: Sequence[int]) -> Counts:
    """Pick rows; a category that no document has gets the row ``absent``."""
    return np.stack([np.array(absent) if i is None else table[i] for i in index])
