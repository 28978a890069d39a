"""Values per item: one number for every system and topic, question or user.

Several runs of a system on an item are kept as their number, their mean and their scatter. The
variance of the means of the items holds the noise of the runs already, so that runs never count
as items of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stanoff.data.labels import Labels
from stanoff.data.numbers import as_numbers
from stanoff.data.types import Data, default_names
from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

LEAST_ITEMS = 4  # with fewer the posterior has no standard deviation
LEAST_CLUSTERS, FEW_CLUSTERS = 8, 20
FEW_ITEMS = 10
SAME = 1e-12  # of the size of the values: rounding, not variance
LARGEST = 1e100  # of which squares can be added up
GLIMPSE = 16  # items that tell most pairs of systems apart
NO_VERDICT = "with no variance to learn from there is no interval, and so no verdict."
CLUSTER_MEANS = "cluster means"  # what was found is about clusters, not about items
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
    kind = "values"
    real: ClassVar[tuple[str, ...]] = ("values", "scatter")
    unit = "item"

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.values.shape[1])

    @property
    def repeated(self) -> bool:
        """Whether there is more than one run of some item."""
        return self.runs.size > 0

    @property
    def observed(self) -> Array:
        """The observed score of each system."""
        return np.asarray(self.values.mean(axis=1))

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the items."""
        return (self.items,)

    def scale(self, of: str) -> float:
        """Return what a share of the observed mean, or of the observed range, is a share of."""
        if of == "range":
            return float(self.values.max() - self.values.min())
        return float(np.abs(self.observed.mean()))

    def pair(self, a: int, b: int) -> ItemValues:
        """Return the values of two systems."""
        return self if (a, b) == (0, 1) and len(self.systems) == 2 else self._cut([a, b])

    def _cut(self, places: list[int], **more: Any) -> ItemValues:
        return type(self)(
            self.categories,
            self.values[places],
            self.runs[places],
            self.scatter[places],
            self.dataset,
            **more,
            **self.metadata(*places),
        )

    def constant(self, a: int, b: int) -> bool:
        """Return whether two systems differ by the same amount on every item."""
        first = self.values[[a, b], :GLIMPSE]
        if not _never_varies(first[0] - first[1], first):
            return False
        return _never_varies(self.values[a] - self.values[b], self.values[[a, b]])


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

    @property
    def sums(self) -> Array:
        """The sum of the values of each cluster (cluster, system)."""
        return np.stack([np.bincount(self.cluster, row) for row in self.values], axis=1)

    @property
    def sizes(self) -> Array:
        """What these are divided by: the number of items, alike for all systems (cluster, 1)."""
        return np.bincount(self.cluster).astype(np.float64)[:, None]

    def constant(self, a: int, b: int) -> bool:
        """Return whether no weights of the clusters could change the difference."""
        sizes = np.broadcast_to(self.sizes, self.sums.shape)[:, [a, b]]
        sums, mean = self.sums[:, [a, b]], sizes.mean(axis=0)
        away = (sums - self.observed[[a, b]] * sizes) / mean
        return _never_varies(away[:, 0] - away[:, 1], sums / mean)

    def format_count(self, n: int) -> str:
        """Say how many items there are, in how many clusters."""
        return f"{super().format_count(n)} in {self.clusters:,} clusters"

    def _cut(self, places: list[int], **more: Any) -> ItemValues:
        return super()._cut(places, cluster=self.cluster, **more)


@dataclass(frozen=True, eq=False)
class ClusterMeans(ClusteredValues):
    """Clusters of very many items, of which the means and the numbers of items are kept.

    ``values`` are of clusters, and ``runs`` says how many items each has.
    """

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.runs[0].sum())

    @property
    def repeated(self) -> bool:
        """False: nothing is known of runs."""
        return False

    @property
    def observed(self) -> Array:
        """The mean of each system over all items."""
        return np.asarray(self.sums.sum(axis=0) / self.items)

    @property
    def sums(self) -> Array:
        """The sum of the values of each cluster (cluster, system)."""
        return np.asarray((self.values * self.runs).T)

    @property
    def sizes(self) -> Array:
        """The number of items of each cluster (cluster, 1)."""
        return self.runs[:1].T.astype(np.float64)

    def scale(self, of: str) -> float:
        """Return what a share of the observed mean is a share of; the range is not known."""
        if of == "range":
            raise InputError(
                "The items were added up by cluster, and their range is not known: pass a ROPE in "
                "their own unit, or in per cent of the mean."
            )
        return super().scale(of)


@dataclass(frozen=True, eq=False)
class RatioValues(ClusteredValues):
    """Two sums per item, of which the ratio counts: clicks and impressions of a user.

    Attributes
    ----------
    denominator : ndarray
        What the values are divided by, once both are added up (system, item).
    """

    denominator: Array

    real: ClassVar[tuple[str, ...]] = ("values", "scatter", "denominator")

    @property
    def observed(self) -> Array:
        """The observed ratio of each system."""
        return np.asarray(self.values.sum(axis=1) / self.denominator.sum(axis=1))

    @property
    def sizes(self) -> Array:
        """What the sums are divided by (cluster, system)."""
        return np.stack([np.bincount(self.cluster, row) for row in self.denominator], axis=1)

    def format_count(self, n: int) -> str:
        """Say how many items there are, and in how many clusters if these are fewer."""
        return super().format_count(n) if self.clusters < n else Data.format_count(self, n)

    def _cut(self, places: list[int], **more: Any) -> ItemValues:
        return super()._cut(places, denominator=self.denominator[places], **more)


def _never_varies(difference: Array, values: Array) -> bool:
    size = max(np.abs(values).max(), np.finfo(float).tiny)
    return bool(np.ptp(difference) <= SAME * size)


def items_of(
    found: Labels, *, pos_label: Any = None, labels: Any = None, average: str | None = None
) -> ItemValues:
    """Check values, and put them together.

    Parameters
    ----------
    found : Labels
        A column of values for each system, a row per item. ``more`` may have the clusters and the
        data sets of the items, ``per``, and what is known of their runs.
    pos_label, labels, average : None
        What only labels have.
    """
    for name, given in (("pos_label", pos_label), ("labels", labels), ("average", average)):
        if given is not None:
            raise invalid(name, "None for values, which have no labels", given)
    if found.n is not None:
        raise InputError("sample_weight is about labels: give every item a row of its own.")
    more = dict(found.more)
    ids = more.get("item", more.get("id"))
    values = np.stack([as_numbers(name, column, ids) for name, column in found.columns.items()])
    n = values.shape[1]
    for most in (values.max(initial=0.0), values.min(initial=0.0)):
        if abs(most) > LARGEST:
            rule = f"Values must be within ±{LARGEST:g}, so that their squares can be added up"
            raise InputError(f"{rule}; there is {most:g}.")
    if n < LEAST_ITEMS:
        told = "there is 1 item" if n == 1 else f"there are {n} items"
        raise InputError(
            f"Values of {LEAST_ITEMS} items or more are needed, since it is learned from how their "
            f"differences vary; {told}."
        )
    names = found.called or default_names(len(values))
    facts: dict[str, Any] = {"systems": names, "source": found.source}
    nothing = np.empty((len(values), 0))
    runs = more.get("runs", nothing.astype(np.int64))
    scatter = more.get("scatter", nothing)
    dataset = codes("dataset", more["dataset"], n) if "dataset" in more else NO_CODES
    parts: dict[str, Any] = {
        "categories": ("1",),
        "values": values,
        "runs": runs,
        "scatter": scatter,
        "dataset": dataset,
    }
    cluster, notes = _clusters(more.get("cluster"), n)
    notes = [*found.notes, *notes]
    if n < FEW_ITEMS:
        notes.append(
            f"There are only {n} items: the interval is right if their differences are roughly "
            "normal, and too narrow if they are skewed."
        )
    data: ItemValues
    per = [more[part] for part in more if part.startswith("denominator")]
    if per:
        if runs.size:  # what is divided is the sum, not the mean
            parts |= {"values": values * runs, "runs": nothing.astype(np.int64), "scatter": nothing}
        own = np.arange(n) if cluster is None else cluster
        divisor = _as_per(per[0] if isinstance(per[0], list) else per, names, values.shape)
        data = RatioValues(cluster=own, denominator=divisor, notes=(*notes,), **parts, **facts)
        check_clusters(data.clusters, "items" if cluster is None else "clusters")
    elif CLUSTER_MEANS in more:
        data = ClusterMeans(cluster=np.arange(n), notes=(*notes,), **parts, **facts)
        check_clusters(data.clusters, "clusters")
    elif cluster is not None:
        data = ClusteredValues(cluster=cluster, notes=(*notes,), **parts, **facts)
        check_clusters(data.clusters, "clusters")
    else:
        data = ItemValues(notes=(*notes,), **parts, **facts)
    return _without_constants(data)


def _without_constants(data: ItemValues) -> ItemValues:
    """Refuse systems of which no two vary; point out pairs that do not."""
    s = len(data.systems)
    pairs = list(combinations(range(s), 2))
    found = [pair for pair in pairs if data.constant(*pair)]
    if s > 2 and len(found) == len(pairs):
        raise InputError(
            f"Any two of these {s} systems differ by the same amount on all of "
            f"{data.format_count(data.items)}: {NO_VERDICT} Are they functions of each other?"
        )
    if s == 2:
        refuse_constant(data, 0, 1)
    if not found:
        return data
    more = f" (and so do {len(found) - 1:,} more pairs)" if len(found) > 1 else ""
    note = f"{_told(data, *found[0])}{more}: what is said of such pairs is no verdict."
    return replace(data, notes=(*data.notes, note))


def _clusters(given: Any, n: int) -> tuple[Codes | None, list[str]]:
    """Return the clusters; none where all are different, and a note where they are few."""
    if given is None:
        return None, []
    cluster = codes("cluster", given, n)
    found = int(cluster.max()) + 1
    if found == n:
        return None, ["Every item has a cluster of its own, so that clusters change nothing."]
    few = f"There are only {found} clusters: what is said of new ones rests on these few."
    return cluster, [few] if found < FEW_CLUSTERS else []


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
    per = np.stack([as_numbers("denominator", column) for column in given])
    per = np.broadcast_to(per, shape).copy()
    if (per < 0).any():
        raise InputError(f"denominator must be >= 0, but has {per[per < 0][0]:g}.")
    for name, total in zip(systems, per.sum(axis=1), strict=True):
        if total == 0:
            raise InputError(f"denominator must not add up to 0, but that of {name} does.")
    return per


def check_clusters(found: int, what: str) -> None:
    """Refuse so few clusters that nothing can be learned from how they vary."""
    if found < LEAST_CLUSTERS:
        told = f"are {found} {what}" if found > 1 else f"is 1 {what[:-1]}"
        raise InputError(
            f"There {told}, but weights need {LEAST_CLUSTERS} at least to learn how "
            f"{what} vary. Gather more of them, or let each be one item with its mean."
        )


def refuse_constant(data: ItemValues, a: int, b: int) -> None:
    """Refuse two systems whose difference is the same on all items: it cannot vary for a model."""
    if not data.constant(a, b):
        return
    raise InputError(
        f"{_told(data, a, b)}: {NO_VERDICT} Are they the same column, or is one a function of the "
        "other?"
    )


def _told(data: ItemValues, a: int, b: int) -> str:
    one, other = data.systems[a], data.systems[b]
    gap = float(data.observed[a] - data.observed[b])
    each = f"on each of {data.items:,} items"
    if isinstance(data, ClusteredValues) and data.clusters < data.items:
        each = f"in each of {data.clusters:,} clusters"
    if abs(gap) <= SAME * np.abs(data.observed[[a, b]]).max():
        return f"{one} and {other} have the same value {each}"
    return f"{one} and {other} differ by {gap:+g} {each}"
