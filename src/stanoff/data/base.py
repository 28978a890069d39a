"""What all kinds of data have in common: the systems, the categories, how many documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Data:
    """What was observed of some systems, category by category.

    A kind of data is a subclass whose further fields are arrays: these are what is saved. It is
    known by the name of its class, so that a saved result finds it again.

    Attributes
    ----------
    categories : tuple of str
        Their names.
    systems : tuple of str
        What the systems are called; A and B by default.
    origin : mapping
        Where it comes from, as texts by name: file, modified, truth, a, b, pos_label, as far as
        they are known.
    notes : tuple of str
        What was noticed while reading it, in words.
    """

    categories: tuple[str, ...]
    systems: tuple[str, ...] = field(default=("A", "B"), kw_only=True)
    source: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    kinds: ClassVar[dict[str, type[Data]]] = {}
    paired: ClassVar[bool] = False  # whether it tells which documents the systems agreed on
    kind: ClassVar[str] = "labels"  # what the columns of the systems hold
    real: ClassVar[tuple[str, ...]] = ()  # which of its arrays hold more than counts
    unit: ClassVar[str] = "document"  # what is counted

    def __init_subclass__(cls) -> None:
        Data.kinds[cls.__name__] = cls

    def n_documents(self, category: str | None = None) -> tuple[int, ...]:
        """Count the documents of a category, or of the one that has the most.

        Returns
        -------
        tuple of int
            One number where all systems saw the same documents, else one per system.
        """
        raise NotImplementedError

    def format_count(self, n: int) -> str:
        """Say in words that there are so many documents, or whatever is counted."""
        return f"{n:,} {self.unit}" if n == 1 else f"{n:,} {self.unit}s"

    def scale(self, of: str) -> float:
        """Return what a ROPE in per cent is a share of: the observed ``"mean"`` or ``"range"``."""
        return 1.0

    def alike(self, a: int, b: int) -> bool:
        """Return whether two systems, by their places, are known to have answered all alike."""
        return False

    @property
    def cells(self) -> Counts | None:
        """Observed tp, fp, fn, tn (system, category, 4), where documents have labels."""
        return None

    def pair(self, a: int, b: int) -> Data:
        """Return what was observed of two of the systems, where that is data by itself."""
        return self

    def metadata(self, *places: int) -> dict[str, Any]:
        """Return the systems, all or those in some places, and where the data come from."""
        if not places:
            return {"systems": self.systems, "source": self.source, "notes": self.notes}
        columns = ("a", "b") if "a" in self.source else _columns(len(self.systems))
        origin = {name: told for name, told in self.source.items() if name not in columns}
        for part, place in zip("ab", places, strict=True):
            if columns[place] in self.source:
                origin[part] = self.source[columns[place]]
        systems = tuple(self.systems[place] for place in places)
        return {"systems": systems, "source": origin, "notes": self.notes}

    def one_vs_rest(self) -> Data:
        """Return the data with every category against the rest, as most models take them."""
        return self

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays it consists of, by name."""
        own = [f.name for f in fields(self) if not f.kw_only and f.name != "categories"]
        return {name: getattr(self, name) for name in own}


def _columns(systems: int) -> tuple[str, ...]:
    return tuple(f"systems {i + 1}" for i in range(systems))


def data_of(kind: str, arrays: Mapping[str, Any], **facts: Any) -> Data:
    """Put data together again from what :meth:`Data.arrays` returned, and what else is known."""
    if kind not in Data.kinds:
        raise ValueError(f"its kind of data {kind!r} is not known here")
    return Data.kinds[kind](**facts, **arrays)


def called(systems: int) -> tuple[str, ...]:
    """Call systems that have no names A and B, or number them.

    Examples
    --------
    >>> called(2), called(3)
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
