"""Any number of systems on the same documents: only the patterns of yes and no that occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.base import Data, called, response_patterns
from stanoff.data.counts import PairedCounts, choose_categories, most_documents
from stanoff.data.tallies import Codes, Counts, Tally, sum_by
from stanoff.errors import InputError

Mentions = Sequence[tuple[Codes, Codes]]  # documents and categories: of the truth, of each system


@dataclass(frozen=True, eq=False)
class PatternCounts(Data):
    """How often each pattern of who said yes occurs, category by category.

    Attributes
    ----------
    categories : tuple of str
        Their names (K).
    category : ndarray
        The place of the category that a row is about, ascending (R).
    said : ndarray
        1 for every system that said yes (R, system).
    pos, neg : ndarray
        Positive and negative documents with that pattern (R).
    """

    category: Codes
    said: NDArray[np.uint8]
    pos: Counts
    neg: Counts

    paired = True

    @property
    def cells(self) -> Counts:
        """tp, fp, fn, tn of each system (system, K, 4)."""
        starts = np.searchsorted(self.category, np.arange(len(self.categories)))
        yes = [np.add.reduceat(n[:, None] * self.said, starts) for n in (self.pos, self.neg)]
        every = [np.add.reduceat(n, starts)[:, None] for n in (self.pos, self.neg)]
        (tp, fp), (pos, neg) = yes, every
        return np.stack([tp, fp, pos - tp, neg - fp], axis=-1).swapaxes(0, 1)

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the documents of a category, or of the one that has the most."""
        n = sum_by(self.category, self.pos + self.neg, len(self.categories))
        return (most_documents(n, self, category),)

    def pair(self, a: int, b: int) -> PairedCounts:
        """Add the patterns up to the outcome pairs of two systems."""
        outcome = 3 - 2 * self.said[:, a] - self.said[:, b]
        counts = np.zeros((2, len(self.categories), 4), dtype=np.int64)
        for total, n in zip(counts, (self.pos, self.neg), strict=True):
            np.add.at(total, (self.category, outcome), n)
        return PairedCounts(self.categories, *counts, **self.metadata(a, b))


def patterns_of(data: Data) -> PatternCounts:
    """Return data of any number of systems on the same documents pattern by pattern, or refuse."""
    if isinstance(data, PatternCounts):
        return data
    if not isinstance(data, PairedCounts):
        raise InputError("The contest model needs all systems on the same documents.")
    k = len(data.categories)
    return PatternCounts(
        data.categories,
        np.repeat(np.arange(k), 4),
        np.tile(response_patterns(2), (k, 1)).astype(np.uint8),
        data.pos.ravel(),
        data.neg.ravel(),
        **data.metadata(),
    )


def pattern_counts(
    table: Tally,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> PatternCounts:
    """Count who said yes, one category against the rest, from rows of truth and predictions.

    Parameters
    ----------
    table : Tally
        The truth, then a column for each system.
    pos_label, labels, average : object or sequence or str, optional
        As in :func:`stanoff.data.counts.paired_counts`.

    Examples
    --------
    >>> from stanoff.data.tallies import tally
    >>> columns = {"y": [1, 1, 0, 0], "a": [1, 1, 0, 0], "b": [1, 0, 0, 0], "c": [1, 0, 1, 0]}
    >>> counts = pattern_counts(tally(columns))
    >>> counts.said.tolist(), counts.pos.tolist(), counts.neg.tolist()
    ([[1, 1, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0]], [1, 1, 0, 0], [0, 0, 1, 1])
    """
    chosen = choose_categories(table.labels, pos_label, labels, average)
    documents = np.arange(len(table.n))
    return counts_from_mentions(chosen, [(documents, column) for column in table.rows.T], table.n)


def counts_from_mentions(
    chosen: Sequence[tuple[str, int | None]], mentions: Mentions, n: Counts
) -> PatternCounts:
    """Count patterns from who names which category of which document.

    Parameters
    ----------
    chosen : sequence of tuple
        Names of the categories, each with its place, None if nobody names it.
    mentions : sequence of tuple
        Of the truth, then of each system, documents and places of categories.
    n : ndarray
        How many documents each stands for.
    """
    k = len(chosen)
    places = [-1 if place is None else place for _, place in chosen]
    number = np.full(1 + max(places + [int(c.max(initial=0)) for _, c in mentions]), -1)
    for i, place in enumerate(places):
        if place >= 0:
            number[place] = i
    keys = []
    for document, named in mentions:
        category = number[named]
        keys.append((document.astype(np.int64) * k + category)[category >= 0])
    found, where = np.unique(np.concatenate(keys), return_inverse=True)
    column = np.repeat(np.arange(len(keys)), [len(key) for key in keys])
    yes = np.zeros((len(found) + k, len(keys)), dtype=np.uint8)  # last, that nobody says yes
    yes[where, column] = 1
    category = np.concatenate([found % k, np.arange(k)])
    weight = n[found // k]
    rest = n.sum() - sum_by(found % k, weight, k)
    weight = np.concatenate([weight, rest])
    first, index = _distinct(category, yes[:, 1:])
    counts = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(counts, (1 - yes[:, 0], index), weight)
    names = tuple(name for name, _ in chosen)
    return PatternCounts(
        names,
        category[first],
        yes[first, 1:],
        *counts,
        systems=called(len(keys) - 1),
    )


def _distinct(category: Codes, yes: NDArray[np.uint8]) -> tuple[Codes, Codes]:
    """Find the first of all equal rows, and which of these each row equals.

    They come out by category, and all systems before none.
    """
    big_end = category.astype(">u8").view(np.uint8).reshape(len(category), 8)
    rows = np.concatenate([big_end, np.packbits(1 - yes, axis=1)], axis=1)
    as_text = np.ascontiguousarray(rows).view(f"S{rows.shape[1]}").ravel()
    _, first, index = np.unique(as_text, return_index=True, return_inverse=True)
    return first, index
