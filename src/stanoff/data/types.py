"""The kinds of data that labels are counted to: what the models know about the documents.

Scores and values per item have their kinds in :mod:`stanoff.data.scores` and
:mod:`stanoff.data.items`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.errors import InputError

Counts = NDArray[np.int64]
Codes = NDArray[np.intp]
Array = NDArray[np.float64]
LabelPairs = tuple[NDArray[Any], NDArray[Any]]  # rows of documents, and the index of a label each
Categories = list[tuple[str, int | None]]  # names, each with the index of its label, if it has one

OUTCOMES = ("both", "only A", "only B", "neither")
SWAP_AB = [0, 2, 1, 3]  # the outcomes where A and B change places
AVERAGES = ("macro", "micro", "weighted")


@dataclass(frozen=True, eq=False)
class Data:
    """What was observed of some systems, category by category.

    A kind of data is a subclass whose further fields are arrays: these are what is saved. It is
    known by the name of its class, so that a saved result finds it again. What it declares of its
    fields is all that taking pairs, counting and naming dimensions need.

    Attributes
    ----------
    categories : tuple of str
        Their names.
    systems : tuple of str
        The names of the systems; A and B by default.
    source : mapping
        Where it comes from, as texts by name: file, modified, truth, a, b, pos_label, as far as
        they are known.
    notes : tuple of str
        What was noticed while reading it, in words.
    columns : mapping
        Columns of the user's own that a Stan program asks for, aligned with documents or items.
    groups : mapping
        The same of groups of the documents, by their names; none without ``by=``.
    """

    categories: tuple[str, ...]
    systems: tuple[str, ...] = field(default=("A", "B"), kw_only=True)
    source: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict, kw_only=True, repr=False)
    groups: Mapping[str, Data] = field(default_factory=dict, kw_only=True, repr=False)

    kinds: ClassVar[dict[str, type[Data]]] = {}
    dims: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # of its fields, in the tree
    paired: ClassVar[bool] = False  # whether it tells which documents the systems agreed on
    kind: ClassVar[str] = "labels"  # what the columns of the systems hold
    unit: ClassVar[str] = "document"  # what is counted
    per_unit: ClassVar[str]  # an array whose last axis are the units
    per_system: ClassVar[tuple[str, ...]] = ()  # the arrays whose first axis are the systems

    def __init_subclass__(cls) -> None:
        Data.kinds[cls.__name__] = cls

    def n_documents(self, category: str | None = None) -> tuple[int, ...]:
        """Count the documents of a category, or of the one that has the most.

        Returns
        -------
        tuple of int
            One number where all systems saw the same documents, else one per system.
        """
        cells = self.cells
        if cells is None:
            return (int(getattr(self, self.per_unit).shape[-1]),)
        n = cells.sum(axis=-1)
        known = category in self.categories
        sizes = n[:, self.categories.index(str(category))] if known else n.max(axis=1)
        return tuple(map(int, sizes[:1] if self.paired else sizes))

    def format_count(self, n: int) -> str:
        """Say in words that there are so many documents, or whatever is counted."""
        return f"{n:,} {self.unit}" if n == 1 else f"{n:,} {self.unit}s"

    def scale(self, of: str) -> float:
        """Return what a ROPE in per cent is a share of: the observed ``"mean"`` or ``"range"``."""
        return 1.0

    def alike(self, a: int, b: int) -> bool:
        """Return whether two systems, by index, are known to have given the same answers."""
        return False

    @property
    def cells(self) -> Counts | None:
        """Observed tp, fp, fn, tn (system, category, 4), where documents have labels."""
        return None

    def pair(self, a: int, b: int) -> Data:
        """Return what was observed of two of the systems, where that is data by itself."""
        if not self.per_system or (len(self.systems), a, b) == (2, 0, 1):
            return self
        arrays: dict[str, Any] = {name: getattr(self, name)[[a, b]] for name in self.per_system}
        return replace(self, **arrays, **self.metadata(a, b))

    def metadata(self, *indices: int) -> dict[str, Any]:
        """Return systems, source and notes of all systems, or of the two with these indices."""
        if not indices:
            return {"systems": self.systems, "source": self.source, "notes": self.notes}
        roles = ["a", "b"] if "a" in self.source else system_roles(len(self.systems))
        source = {name: text for name, text in self.source.items() if name not in roles}
        for role, index in zip("ab", indices, strict=True):
            if roles[index] in self.source:
                source[role] = self.source[roles[index]]
        systems = tuple(self.systems[index] for index in indices)
        return {"systems": systems, "source": source, "notes": self.notes}

    def called(self, systems: tuple[str, ...]) -> Self:
        """Return the same under other names of the systems, in all groups."""
        groups = {name: data.called(systems) for name, data in self.groups.items()}
        return replace(self, systems=systems, groups=groups)

    def one_vs_rest(self) -> Data:
        """Return the data with every category against the rest, as most models take them."""
        return self

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays it consists of, by name."""
        names = [f.name for f in fields(self) if not f.kw_only and f.name != "categories"]
        return {name: getattr(self, name) for name in names}

    @property
    def sha256(self) -> str:
        """The hash by which the data are known again: of their kind, categories and arrays."""
        digest = hashlib.sha256(repr([type(self).__name__, self.categories]).encode())
        for name, values in self.arrays().items():
            digest.update(f"{name} {values.shape}".encode() + values.tobytes())
        return digest.hexdigest()


def system_roles(systems: int) -> list[str]:
    """Name the roles of the systems of a contest, as ``source`` has them."""
    return [f"systems {i + 1}" for i in range(systems)]


def data_of(kind: str, arrays: Mapping[str, Any], **metadata: Any) -> Data:
    """Put data together again from what :meth:`Data.arrays` returned, and its metadata."""
    if kind not in Data.kinds:
        raise ValueError(f"its kind of data {kind!r} is not known here")
    return Data.kinds[kind](**metadata, **arrays)


def default_names(systems: int) -> tuple[str, ...]:
    """Name systems that have no names: A and B, or by number.

    Examples
    --------
    >>> default_names(2), default_names(3)
    (('A', 'B'), ('system 1', 'system 2', 'system 3'))
    """
    return ("A", "B") if systems == 2 else tuple(f"system {i + 1}" for i in range(systems))


@cache
def response_patterns(systems: int) -> NDArray[np.int64]:
    """Return who says yes in each pattern of answers (pattern, system), all before none.

    Examples
    --------
    >>> response_patterns(2).tolist()
    [[1, 1], [1, 0], [0, 1], [0, 0]]
    """
    patterns = np.array(list(product((1, 0), repeat=systems)), dtype=np.int64)
    patterns.flags.writeable = False
    return patterns


def cells_of_patterns(pos: NDArray[Any], neg: NDArray[Any], systems: int) -> NDArray[Any]:
    """Add patterns of answers up to the cells tp, fp, fn, tn of each system.

    Parameters
    ----------
    pos, neg : ndarray
        Counts or probabilities of positive and of negative documents (..., category, pattern).
    systems : int
        How many systems there are.

    Returns
    -------
    ndarray
        The cells (..., system, category, cell).

    Examples
    --------
    >>> cells_of_patterns(np.array([[3, 1, 2, 0]]), np.array([[0, 1, 0, 9]]), 2).tolist()
    [[[4, 1, 2, 9]], [[5, 0, 1, 10]]]
    """
    lead, categories = pos.shape[:-2], pos.shape[-2]
    # Each cell in one piece of memory: that is how measures read them.
    out = np.empty((4, *lead, systems, categories), dtype=np.result_type(pos, neg))
    for system, yes in enumerate(response_patterns(systems).T):
        for cell, (values, answer) in enumerate(((pos, 1), (neg, 1), (pos, 0), (neg, 0))):
            first, *others = np.flatnonzero(yes == answer)
            total = out[cell, ..., system, :]
            total[...] = values[..., first]
            for other in others:
                total += values[..., other]
    return np.moveaxis(out, 0, -1)


def rows(counts: Data, which: slice) -> Data:
    """Take some categories out of many."""
    selected: dict[str, Any] = {name: values[which] for name, values in counts.arrays().items()}
    return replace(counts, categories=counts.categories[which], **selected)


def sum_by(index: Codes, weights: NDArray[Any], size: int) -> Counts:
    """Add up whole weights by index."""
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, index, weights)
    return out


class CellCounts(Data):
    """Counts of documents, a row per category: whole numbers that cannot be changed."""

    def __post_init__(self) -> None:
        for name, values in self.arrays().items():
            array = np.ascontiguousarray(values, dtype=np.int64)
            array.flags.writeable = False
            object.__setattr__(self, name, array)


@dataclass(frozen=True, eq=False)
class PairedCounts(CellCounts):
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

    @property
    def cells(self) -> Counts:
        """tp, fp, fn, tn of each system (system, K, 4)."""
        return cells_of_patterns(self.pos, self.neg, len(self.systems))

    def alike(self, a: int, b: int) -> bool:
        """Return whether two systems said the same of every document."""
        return not (self.pos[:, 1:3].any() or self.neg[:, 1:3].any())

    def pair(self, a: int, b: int) -> PairedCounts:
        """Return the same, or the two systems in the other order."""
        if (a, b) == (0, 1):
            return self
        swapped: dict[str, Any] = {"pos": self.pos[:, SWAP_AB], "neg": self.neg[:, SWAP_AB]}
        if isinstance(self, PairedDocuments):
            swapped["said"] = self.said[..., ::-1]
        return replace(self, **swapped, **self.metadata(a, b))

    def unpaired(self) -> UnpairedCounts:
        """Forget which documents the two systems agreed on."""
        return UnpairedCounts(self.categories, *self.cells, **self.metadata())


@dataclass(frozen=True, eq=False)
class PairedDocuments(PairedCounts):
    """Paired counts with the documents behind them, one by one, in the user's order.

    Attributes
    ----------
    truth : ndarray
        1 where a document is of the category, else 0 (K, N).
    said : ndarray
        1 where a system said that it is (K, N, 2).
    """

    truth: Counts
    said: Counts


@dataclass(frozen=True, eq=False)
class UnpairedCounts(CellCounts):
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

    @property
    def cells(self) -> Counts:
        """tp, fp, fn, tn of each system (system, K, 4)."""
        return np.stack([self.cells_A, self.cells_B])

    def pair(self, a: int, b: int) -> UnpairedCounts:
        """Return the same, or the two systems in the other order."""
        if (a, b) == (0, 1):
            return self
        return UnpairedCounts(self.categories, self.cells_B, self.cells_A, **self.metadata(a, b))


@dataclass(frozen=True, eq=False)
class PatternCounts(Data):
    """How often each pattern of who said yes occurs, category by category.

    Attributes
    ----------
    categories : tuple of str
        Their names (K).
    category : ndarray
        The index of the category that a row is about, ascending (R).
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
        total = [np.add.reduceat(n, starts)[:, None] for n in (self.pos, self.neg)]
        (tp, fp), (pos, neg) = yes, total
        return np.stack([tp, fp, pos - tp, neg - fp], axis=-1).swapaxes(0, 1)

    def pair(self, a: int, b: int) -> PairedCounts:
        """Add the patterns up to the outcome pairs of two systems."""
        outcome = 3 - 2 * self.said[:, a] - self.said[:, b]
        counts = np.zeros((2, len(self.categories), 4), dtype=np.int64)
        for total, n in zip(counts, (self.pos, self.neg), strict=True):
            np.add.at(total, (self.category, outcome), n)
        return PairedCounts(self.categories, *counts, **self.metadata(a, b))

    def as_pair(self) -> PairedCounts | PatternCounts:
        """Return the outcome pairs of two systems, or the patterns of more."""
        return self.pair(0, 1) if len(self.systems) == 2 else self


def patterns_of(data: Data) -> PatternCounts:
    """Return data of any number of systems on the same documents pattern by pattern, or refuse."""
    if isinstance(data, PatternCounts):
        return data
    if not isinstance(data, PairedCounts):
        raise InputError("The contest model needs all systems on the same documents.")
    k = len(data.categories)
    category = np.repeat(np.arange(k), 4)
    said = np.tile(response_patterns(2), (k, 1)).astype(np.uint8)
    counts = data.pos.ravel(), data.neg.ravel()
    return PatternCounts(data.categories, category, said, *counts, **data.metadata())


def count_patterns(
    categories: Categories, label_pairs: Sequence[LabelPairs], n: Counts
) -> PatternCounts:
    """Count who says yes, one category against the rest.

    Parameters
    ----------
    categories : sequence of tuple
        Their names, each with the index of its label; None for one that nobody names.
    label_pairs : sequence of tuple
        Of the truth, then of each system: rows of documents (P) and the indices of labels that
        these have (P). A document may have any number of labels.
    n : ndarray
        How many documents each row stands for (N).
    """
    k = len(categories)
    judged = pd.Index(
        [-1 - i if index is None else index for i, (_, index) in enumerate(categories)]
    )
    keys = []  # which document has which category, as one number
    for document, label in label_pairs:
        category = judged.get_indexer(pd.Index(label))
        keys.append((document * np.int64(k) + category)[category >= 0])
    distinct, where = np.unique(np.concatenate(keys), return_inverse=True)
    column = np.repeat(np.arange(len(keys)), [len(key) for key in keys])
    # A row per document and category that somebody names, and one per category for the others.
    yes = np.zeros((len(distinct) + k, len(keys)), dtype=np.uint8)
    yes[where, column] = 1
    category = np.concatenate([distinct % k, np.arange(k)])
    weight = n[distinct // k]
    weight = np.concatenate([weight, n.sum() - sum_by(distinct % k, weight, k)])
    packed = pd.DataFrame(np.packbits(1 - yes[:, 1:], axis=1))  # all systems before none
    packed.insert(0, "category", category)
    pattern = packed.groupby(list(packed.columns), sort=True).ngroup().to_numpy()
    first = np.unique(pattern, return_index=True)[1]
    counts = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(counts, (1 - yes[:, 0], pattern), weight)
    names = tuple(name for name, _ in categories)
    systems = default_names(len(keys) - 1)
    return PatternCounts(names, category[first], yes[first, 1:], *counts, systems=systems)


@dataclass(frozen=True, eq=False)
class ConfusionCounts(Data):
    """How often each combination of the true class and what each system said occurs.

    Attributes
    ----------
    categories : tuple of str
        The names of the classes that are judged (K).
    rows : ndarray
        True class, then what each system said (R, 1 + S), as numbers: those that are judged by
        their indices among the categories, any others after them.
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
        names: Categories = [(name, index) for index, name in enumerate(self.categories)]
        documents = np.arange(len(self.n))
        counts = count_patterns(names, [(documents, column) for column in self.rows.T], self.n)
        return replace(counts.as_pair(), **self.metadata())

    def one_vs_rest(self) -> PairedCounts | PatternCounts:
        """Count every class against the rest."""
        return self._one_vs_rest

    def pair(self, a: int, b: int) -> ConfusionCounts:
        """Add the combinations up to those of two systems, in this order."""
        if (len(self.systems), a, b) == (2, 0, 1):
            return self
        rows, index = np.unique(self.rows[:, [0, 1 + a, 1 + b]], axis=0, return_inverse=True)
        n = sum_by(index.ravel(), self.n, len(rows))
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
            Its index among the systems; the cells on the diagonal are there even if they are
            empty.
        """
        m = self.classes
        joint = self.rows[:, 0] * m + self.rows[:, 1 + classifier]
        diagonal = np.arange(m) * (m + 1)
        cells, index = np.unique(np.concatenate([diagonal, joint]), return_inverse=True)
        return cells // m, cells % m, sum_by(index[m:], self.n, len(cells))


def need_classes(data: Data) -> ConfusionCounts:
    """Return counts of classes, or refuse data of another kind."""
    if not isinstance(data, ConfusionCounts):
        rule = "one label of each classifier for the same documents"
        raise InputError(f"Models of classes need {rule}.")
    return data
