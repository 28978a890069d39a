"""Values per item: one number for every system and topic, question or user.

Several runs of a system on an item are kept as their number, their mean and their scatter. The
variance of the means of the items holds the noise of the runs already, so that runs never count
as items of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.base import Data
from stanoff.errors import InputError

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

LEAST_ITEMS = 4  # with fewer the posterior has no standard deviation
LEAST_CLUSTERS, FEW_CLUSTERS = 8, 20
FEW_ITEMS = 10
SAME = 1e-12  # of the size of the values: rounding, not variance
NO_CODES = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ItemValues(Data):
    """The values of every system on every item.

    Attributes
    ----------
    values : ndarray
        The mean over the runs (system, item).
    runs : ndarray
        How many runs there are (system, item); (system, 0) where each item has one.
    scatter : ndarray
        Sum of the squared deviations of the runs from their mean, with the shape of ``runs``.
    dataset : ndarray
        The number of the data set that an item is from; empty where there is one only.
    """

    values: Array
    runs: Codes
    scatter: Array
    dataset: Codes

    paired = True
    real = ("values", "scatter")
    unit = "item"

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.values.shape[1]

    @property
    def repeated(self) -> bool:
        """Whether there is more than one run of some item."""
        return self.runs.size > 0

    @property
    def observed(self) -> Array:
        """The observed score of each system."""
        return self.values.mean(axis=1)

    def documents(self, category: str | None = None) -> tuple[int]:
        """Count the items."""
        return (self.items,)

    def scale(self, of: str) -> float:
        """Return what a share of the observed mean, or of the observed range, is a share of."""
        if of == "range":
            return float(self.values.max() - self.values.min())
        return float(np.abs(self.observed.mean()))

    def pair(self, a: int, b: int) -> ItemValues:
        """Return the values of two systems."""
        return self._cut([a, b])

    def _cut(self, places: list[int], **more: Any) -> ItemValues:
        return type(self)(
            self.categories,
            self.values[places],
            self.runs[places],
            self.scatter[places],
            self.dataset,
            **more,
            **self.facts(*places),
        )

    def constant(self, a: int, b: int) -> bool:
        """Return whether two systems differ by the same amount on every item."""
        difference = self.values[a] - self.values[b]
        size = max(np.abs(self.values[[a, b]]).max(), np.finfo(float).tiny)
        return bool(np.ptp(difference) <= SAME * size)


@dataclass(frozen=True, eq=False)
class ClusteredValues(ItemValues):
    """Values of items that hang together in clusters: turns of a dialogue, posts of a thread.

    Attributes
    ----------
    cluster : ndarray
        The number of the cluster that an item belongs to (item).
    """

    cluster: Codes

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster.max()) + 1

    def counted(self, n: int) -> str:
        """Say how many items there are, in how many clusters."""
        return f"{super().counted(n)} in {self.clusters:,} clusters"

    def _cut(self, places: list[int], **more: Any) -> ItemValues:
        return super()._cut(places, cluster=self.cluster, **more)


@dataclass(frozen=True, eq=False)
class RatioValues(ClusteredValues):
    """Two sums per item, of which the ratio counts: clicks and impressions of a user.

    Attributes
    ----------
    per : ndarray
        What the values are divided by, once both are added up (system, item).
    """

    per: Array

    real = ("values", "scatter", "per")

    @property
    def observed(self) -> Array:
        """The observed ratio of each system."""
        return np.asarray(self.values.sum(axis=1) / self.per.sum(axis=1))

    def counted(self, n: int) -> str:
        """Say how many items there are, and in how many clusters if these are fewer."""
        return super().counted(n) if self.clusters < n else Data.counted(self, n)

    def _cut(self, places: list[int], **more: Any) -> ItemValues:
        return super()._cut(places, per=self.per[places], **more)


@dataclass(frozen=True, eq=False)
class Runs:
    """What is known of the runs of every system on every item, before it is checked.

    Attributes
    ----------
    values : mapping
        The mean over the runs by the name that an error shall mention (item).
    runs, scatter : ndarray or None
        As in :class:`ItemValues`.
    more : mapping
        ``cluster``, ``dataset`` (item), ``per`` (system, item).
    """

    values: Mapping[str, Any]
    runs: Codes | None = None
    scatter: Array | None = None
    more: Mapping[str, Any] | None = None


def items_of(found: Runs, systems: tuple[str, ...], **facts: Any) -> ItemValues:
    """Check values, and put them together.

    Parameters
    ----------
    found : Runs
        The values.
    systems : tuple of str
        What the systems are called.
    **facts
        ``origin`` and ``notes`` of the data.
    """
    values = np.stack([as_values(name, column) for name, column in found.values.items()])
    n = values.shape[1]
    if n < LEAST_ITEMS:
        told = f"{n} item" if n == 1 else f"{n} items"
        raise InputError(
            f"The items model needs {LEAST_ITEMS} items or more, since it learns from how their "
            f"differences vary; there is {told}."
            if n == 1
            else f"The items model needs {LEAST_ITEMS} items or more, since it learns from how "
            f"their differences vary; there are {told}."
        )
    more = dict(found.more or {})
    notes = list(facts.pop("notes", ()))
    if n < FEW_ITEMS:
        notes.append(
            f"There are only {n} items: the interval is right for differences that are roughly "
            "normal, and too narrow for skewed ones."
        )
    nothing = np.empty((len(values), 0))
    runs = nothing.astype(np.int64) if found.runs is None else found.runs
    scatter = nothing if found.scatter is None else found.scatter
    dataset = codes("dataset", more["dataset"], n) if "dataset" in more else NO_CODES
    parts: dict[str, Any] = {"systems": systems, **facts}
    cluster = codes("cluster", more["cluster"], n) if "cluster" in more else None
    if cluster is not None and len(np.unique(cluster)) == n:
        notes.append("Every item has a cluster of its own, so that clusters change nothing.")
        cluster = None
    data: ItemValues
    if "per" in more:
        per = _as_per(more["per"], systems, values.shape)
        own = np.arange(n) if cluster is None else cluster
        data = RatioValues(
            ("1",), values, runs, scatter, dataset, own, per, notes=(*notes,), **parts
        )
        check_clusters(data.clusters, "items" if cluster is None else "clusters")
    elif cluster is not None:
        data = ClusteredValues(
            ("1",), values, runs, scatter, dataset, cluster, notes=(*notes,), **parts
        )
        check_clusters(data.clusters, "clusters")
    else:
        data = ItemValues(("1",), values, runs, scatter, dataset, notes=(*notes,), **parts)
    if len(systems) == 2:
        refuse_constant(data, 0, 1)
    return data


def as_values(name: str, column: Any) -> Array:
    """Read a column of values: finite numbers; True and False are 1 and 0."""
    rule = f"{name} must hold numbers, one for each item"
    array = np.asarray(column)
    if array.dtype == object and all(isinstance(x, (bool, np.bool_)) for x in array.ravel()):
        array = array.astype(bool)
    if array.dtype.kind in "US" or (
        array.dtype == object and any(isinstance(x, str) for x in array.ravel())
    ):
        odd = next((x for x in array.ravel() if not _is_number(x)), array.ravel()[0])
        raise InputError(f"{rule}, but has the text {str(odd)!r}.")
    try:
        values = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{rule}, but holds {array.dtype}.") from None
    if values.ndim != 1:
        raise InputError(f"{rule}, but has the shape {values.shape}.")
    missing = int(np.isnan(values).sum())
    if missing:
        told = "1 value is" if missing == 1 else f"{missing:,} values are"
        raise InputError(
            f"{name} lacks values: {told} missing. Leave out the items that not all systems "
            "have, or give them the value that an answer not given is worth."
        )
    if not np.isfinite(values).all():
        raise InputError(f"{rule} that are finite, but has {values[~np.isfinite(values)][0]:g}.")
    return values


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def codes(part: str, column: Any, n: int) -> Codes:
    """Give every cluster or data set a number, and return that of each item."""
    import pandas as pd

    array = np.asarray(column)
    if array.ndim != 1 or len(array) != n:
        raise InputError(f"{part} must have an entry for each of {n:,} items.")
    found, _ = pd.factorize(array)
    if (found < 0).any():
        raise InputError(f"{part} lacks {int((found < 0).sum()):,} entries.")
    return found.astype(np.int64)


def _as_per(given: Any, systems: tuple[str, ...], shape: tuple[int, ...]) -> Array:
    per = np.stack([as_values("per", column) for column in given])
    per = np.broadcast_to(per, shape).copy()
    if (per < 0).any():
        raise InputError(f"per must be >= 0, but has {per[per < 0][0]:g}.")
    for name, total in zip(systems, per.sum(axis=1), strict=True):
        if total == 0:
            raise InputError(f"per must not add up to 0, but that of {name} does.")
    return per


def check_clusters(found: int, what: str) -> None:
    """Refuse so few clusters that nothing can be learned from how they vary."""
    if found < LEAST_CLUSTERS:
        raise InputError(
            f"There are {found} {what}, but weights need {LEAST_CLUSTERS} at least to learn how "
            f"{what} vary. Gather more of them, or let each be one item with its mean."
        )


def refuse_constant(data: ItemValues, a: int, b: int) -> None:
    """Refuse two systems whose difference is the same on all items: it cannot vary for a model."""
    if not data.constant(a, b):
        return
    one, other = data.systems[a], data.systems[b]
    gap = float(data.values[a, 0] - data.values[b, 0])
    told = (
        f"{one} and {other} have the same value on each of {data.items:,} items"
        if gap == 0
        else f"{one} and {other} differ by {gap:+g} on each of {data.items:,} items"
    )
    raise InputError(
        f"{told}: with no variance to learn from there is no interval, and so no verdict. Are "
        "they the same column, or is one a function of the other?"
    )
