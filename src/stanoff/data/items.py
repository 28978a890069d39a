"""Values per item: one number for every system and topic, question or user.

Several runs of a system on an item are kept as their number, their mean and their scatter. The
variance of the means of the items holds the noise of the runs already, so that runs never count
as items of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.data.counting import check_enough, check_lengths, number
from stanoff.data.types import Array, Data, default_names
from stanoff.errors import InputError, invalid

Codes = NDArray[np.int64]

MIN_ITEMS = 4  # with fewer the posterior has no standard deviation
MIN_CLUSTERS, FEW_CLUSTERS = 8, 20
FEW_ITEMS = 10
SAME = 1e-12  # of the size of the values: rounding, not variance
MAX_VALUE = 1e100  # of which squares can be added up
GLIMPSE = 16  # items that tell most pairs of systems apart
NO_VERDICT = "with no variance to learn from there is no interval, and so no verdict."
NO_CODES = np.empty(0, dtype=np.int64)
WORDS = {"true": 1.0, "false": 0.0}  # as text files have them


@dataclass(frozen=True, eq=False)
class Values(Data):
    """Numbers of every system: of items, of test folds.

    Attributes
    ----------
    values : ndarray
        The numbers (system, unit).
    """

    values: Array

    paired = True
    kind = "values"
    per_unit = "values"
    per_system: ClassVar[tuple[str, ...]] = ("values",)

    @property
    def observed(self) -> Array:
        """The observed score of each system."""
        return np.asarray(self.values.mean(axis=1))

    def scale(self, of: str) -> float:
        """Return what a share of the observed mean, or of the observed range, is a share of."""
        return float(np.ptp(self.values) if of == "range" else np.abs(self.observed.mean()))

    def constant(self, a: int, b: int) -> bool:
        """Return whether two systems differ by the same amount everywhere."""
        first = self.values[[a, b], :GLIMPSE]
        if not never_varies(first[0] - first[1], first):
            return False
        return never_varies(self.values[a] - self.values[b], self.values[[a, b]])


@dataclass(frozen=True, eq=False)
class ItemValues(Values):
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

    runs: Codes
    scatter: Array
    dataset: Codes

    unit = "item"
    per_system: ClassVar[tuple[str, ...]] = ("values", "runs", "scatter")

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.values.shape[1])

    @property
    def repeated(self) -> bool:
        """Whether there is more than one run of some item."""
        return self.runs.size > 0

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the items."""
        return (self.items,)


@dataclass(frozen=True, eq=False)
class DatasetScores(ItemValues):
    """One score of every system in every data set, as Demsar (2006) has them."""

    unit = "data set"


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
        return never_varies(away[:, 0] - away[:, 1], sums / mean)

    def format_count(self, n: int) -> str:
        """Say how many items there are, and in how many clusters if these are fewer."""
        items = super().format_count(n)
        return f"{items} in {self.clusters:,} clusters" if self.clusters < n else items


@dataclass(frozen=True, eq=False)
class ClusterMeans(ClusteredValues):
    """Clusters of very many items, of which the means and the numbers of items are kept.

    ``values`` are of clusters, and ``runs`` says how many items each has.
    """

    @property
    def repeated(self) -> bool:
        """False: nothing is known of runs."""
        return False

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.runs[0].sum())

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
            reason = "The items were added up by cluster, and their range is not known"
            raise InputError(
                f"{reason}: pass a ROPE in their own unit, or in per cent of the mean."
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

    per_system: ClassVar[tuple[str, ...]] = (*ItemValues.per_system, "denominator")

    @property
    def observed(self) -> Array:
        """The observed ratio of each system."""
        return np.asarray(self.values.sum(axis=1) / self.denominator.sum(axis=1))

    @property
    def sizes(self) -> Array:
        """What the sums are divided by (cluster, system)."""
        return np.stack([np.bincount(self.cluster, row) for row in self.denominator], axis=1)


def never_varies(difference: Array, values: Array) -> bool:
    """Return whether differences are all the same, but for rounding of the values."""
    size = max(np.abs(values).max(), np.finfo(float).tiny)
    return bool(np.ptp(difference) <= SAME * size)


def build_items(
    columns: Mapping[str, Any],
    *,
    ids: Any = None,
    runs: Codes | None = None,
    scatter: Array | None = None,
    cluster: Any = None,
    dataset: Any = None,
    denominators: Sequence[Any] = (),
    of_clusters: bool = False,
    systems: tuple[str, ...] | None = None,
) -> ItemValues:
    """Check values, and put them together.

    Parameters
    ----------
    columns : mapping
        The values of every system, a row per item, by the names that an error shall mention.
    ids : array_like, optional
        The names of the items.
    runs, scatter : ndarray, optional
        As in :class:`ItemValues`, where items have several runs.
    cluster, dataset : array_like, optional
        The cluster and the data set of each item.
    denominators : sequence
        What the values are divided by: one column, or one per system.
    of_clusters : bool
        Whether rows are means of clusters, and ``runs`` are their numbers of items.
    systems : tuple of str, optional
        The names of the systems.

    Examples
    --------
    >>> build_items({"a": [0.5, 0.4, 0.9, 0.1], "b": [0.4, 0.4, 0.6, 0.2]}).values.shape
    (2, 4)
    """
    numbers = {name: as_numbers(name, values, ids) for name, values in columns.items()}
    check_lengths({name: len(values) for name, values in numbers.items()})
    values = np.stack(list(numbers.values()))
    n, names = values.shape[1], systems or default_names(len(values))
    _check_values(values)
    units, notes = _read_clusters(cluster, n)
    if n < FEW_ITEMS:
        few = (
            f"There are only {n} items: the interval is too narrow if their differences are skewed"
        )
        notes.append(f"{few}, and right if they are roughly normal.")
    if len(denominators) and runs is not None:  # what is divided is the sum, not the mean
        values, runs, scatter = values * runs, None, None
    datasets = NO_CODES if dataset is None else number("dataset", dataset, n)
    kind: type[ItemValues] = ItemValues
    further: dict[str, Any] = {}
    if len(denominators):
        kind = RatioValues
        further["denominator"] = _as_denominator(denominators, names, values.shape)
    elif of_clusters or units is not None:
        kind = ClusterMeans if of_clusters else ClusteredValues
    elif n > 1 and len(np.unique(datasets)) == n:
        kind = DatasetScores
    if issubclass(kind, ClusteredValues):
        further["cluster"] = np.arange(n) if units is None else units
        what = "items" if units is None and len(denominators) else "clusters"
        check_clusters(int(further["cluster"].max()) + 1, what)
    data = kind(
        ("1",),
        values,
        np.empty((len(values), 0), dtype=np.int64) if runs is None else runs,
        np.empty((len(values), 0)) if scatter is None else scatter,
        datasets,
        **further,
        systems=names,
        notes=tuple(notes),
    )
    return _point_out_constants(data)


def _check_values(values: Array) -> None:
    largest = max(values.max(initial=0.0), values.min(initial=0.0), key=abs)
    if abs(largest) > MAX_VALUE:
        raise InputError(f"Values must be within ±{MAX_VALUE:g}, and there is {largest:g}.")
    check_enough(values.shape[1], MIN_ITEMS, "items")


def as_numbers(name: str, values: Any, ids: Any = None, hint: str = "") -> Array:
    """Read a column of finite numbers.

    Parameters
    ----------
    name : str
        What an error shall call it.
    values : array_like
        Numbers, or texts of numbers as text files have them.
    ids : sequence, optional
        What an error shall call its rows; by default they are told by their number.
    hint : str
        What the error shall end with.

    Examples
    --------
    >>> as_numbers("svm", ["0.5", "1e-3"]).tolist()
    [0.5, 0.001]
    """
    if isinstance(values, (str, bytes, Mapping)) or np.ndim(values) == 0:
        raise invalid(name, "a column of numbers", type(values).__name__)
    column = values if isinstance(values, pd.Series) else np.asarray(values)
    if column.ndim != 1:
        raise InputError(f"{name} must be one-dimensional. Got the shape {column.shape}.")
    if column.dtype.kind in "cmMV":
        raise invalid(name, "a column of numbers", f"the type {column.dtype}")
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # texts, pd.NA, lists, 10**400
        numbers = np.array([_to_float(value) for value in column], dtype=np.float64)
    if column.dtype.kind in "OUT":  # Python reads 1_000 as a number; data files do not mean one
        grouped = [isinstance(value, str) and "_" in value for value in column]
        numbers = np.where(grouped, np.nan, numbers)
    missing = np.asarray(pd.isna(column))
    for wrong, rule, what in (
        (missing, "have a number in every row", "are missing"),
        (np.isnan(numbers), "be made of numbers", "are none"),
        (np.isinf(numbers), "be made of finite numbers", "are infinite"),
    ):
        if wrong.any():
            first, count = int(wrong.argmax()), int(wrong.sum())
            where = f"in row {first + 1}" if ids is None else f"that of {ids[first]!r}"
            value = "has none" if wrong is missing else f"is {np.asarray(column, object)[first]!r}"
            wrong_rows = f"{count:,} of {len(column):,} {what}: the first, {where}, {value}."
            raise InputError(f"{name} must {rule}, but {wrong_rows}{hint}")
    return numbers


def _to_float(value: Any) -> float:
    try:
        return float(WORDS.get(value.lower(), value) if isinstance(value, str) else value)
    except OverflowError:
        return float("inf")
    except (TypeError, ValueError):
        return float("nan")


def _read_clusters(column: Any, n: int) -> tuple[Codes | None, list[str]]:
    """Return the clusters; none where all are different, and a note where they are few."""
    if column is None:
        return None, []
    cluster = number("cluster", column, n)
    clusters = int(cluster.max()) + 1
    if clusters == n:
        return None, ["Every item has a cluster of its own, so that clusters change nothing."]
    few = f"There are only {clusters} clusters: what is said of new ones rests on these few."
    return cluster, [few] if clusters < FEW_CLUSTERS else []


def _as_denominator(columns: Any, systems: tuple[str, ...], shape: tuple[int, ...]) -> Array:
    numbers = [as_numbers("denominator", column) for column in columns]
    if {len(column) for column in numbers} != {shape[1]} or len(numbers) not in (1, shape[0]):
        rule = f"one column of {shape[1]:,} numbers, or one per system"
        raise InputError(f"denominator must be {rule}.")
    denominator = np.broadcast_to(np.stack(numbers), shape).copy()
    if (denominator < 0).any():
        raise InputError(f"denominator must be >= 0, but has {denominator[denominator < 0][0]:g}.")
    for name, total in zip(systems, denominator.sum(axis=1), strict=True):
        if total == 0:
            raise InputError(f"denominator must not add up to 0, but that of {name} does.")
    return denominator


def check_clusters(clusters: int, what: str) -> None:
    """Refuse so few clusters that nothing can be learned from how they vary."""
    advice = " Gather more of them, or let each be one item with its mean."
    check_enough(clusters, MIN_CLUSTERS, what, advice)


def _point_out_constants(data: ItemValues) -> ItemValues:
    """Refuse systems of which no two vary; point out pairs that do not."""
    s = len(data.systems)
    pairs = list(combinations(range(s), 2))
    constant = [pair for pair in pairs if data.constant(*pair)]
    if not constant:
        return data
    if len(pairs) == 1:
        refuse_constant(data, 0, 1)
    if len(constant) == len(pairs):
        count = data.format_count(data.items)
        same = f"Any two of these {s} systems differ by the same amount on all of {count}"
        raise InputError(f"{same}: {NO_VERDICT} Are they functions of each other?")
    others = f" (and so do {len(constant) - 1:,} more pairs)" if len(constant) > 1 else ""
    note = f"{_describe(data, *constant[0])}{others}: what is said of such pairs is no verdict."
    return replace(data, notes=(*data.notes, note))


def refuse_constant(data: Values, a: int, b: int) -> None:
    """Refuse two systems whose difference is the same everywhere: it cannot vary for a model."""
    if data.constant(a, b):
        advice = "Are they the same column, or is one a function of the other?"
        raise InputError(f"{_describe(data, a, b)}: {NO_VERDICT} {advice}")


def _describe(data: Values, a: int, b: int) -> str:
    gap = float(data.observed[a] - data.observed[b])
    same = abs(gap) <= SAME * np.abs(data.observed[[a, b]]).max()
    difference = "have the same value" if same else f"differ by {gap:+g}"
    where = f"on each of {data.values.shape[1]:,} {data.unit}s"
    if isinstance(data, ClusteredValues) and data.clusters < data.items:
        where = f"in each of {data.clusters:,} clusters"
    return f"{data.systems[a]} and {data.systems[b]} {difference} {where}"
