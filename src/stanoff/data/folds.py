"""Scores of the test folds of cross-validations: training sets overlap, so that they correlate.

Two scores of one cross-validation have the correlation rho = n_test / (n_test + n_train), 1/k of k
folds, by Nadeau and Bengio (2003): it is fixed, and not learned from the scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.data.items import NO_VERDICT, SAME, ItemValues, build_items
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

MIN_FOLDS = 4  # with fewer the posterior has no standard deviation
MAX_FOLDS = 20  # of one repeat; more are rare, and may be several repeats
GROUPS = ["dataset", "repeat"]
NEGATED = "neg_"  # how scikit-learn names losses that it turns round
AVERAGED = (
    "Every data set counts by its mean score: engine='stan' learns from the folds how well that is "
    "known."
)
ADVICE = (
    "say how the folds were made: folds= and repeats=, cv= with the splitter, or n_train= and "
    "n_test="
)


@dataclass(frozen=True, eq=False)
class FoldValues(Data):
    """The scores of every system on the test folds of one cross-validation.

    Attributes
    ----------
    values : ndarray
        The scores (system, resample); a resample is a test fold of a repeat.
    dataset, repeat, fold : ndarray
        The numbers of the data set, the repeat and the fold of each resample.
    test_share : ndarray
        n_test / (n_test + n_train), the correlation of two folds (data set).
    dataset_names : ndarray
        What the data sets are called; a name of nothing where there is one only.
    """

    values: Array
    dataset: Codes
    repeat: Codes
    fold: Codes
    test_share: Array
    dataset_names: NDArray[np.str_]

    paired = True
    kind = "values"
    real: ClassVar[tuple[str, ...]] = ("values", "test_share")
    unit = "test fold"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset_names", np.asarray(self.dataset_names, dtype=str))

    @property
    def resamples(self) -> int:
        """How many scores each system has, over all data sets (n)."""
        return int(self.values.shape[1])

    @property
    def sizes(self) -> Codes:
        """How many scores each system has (data set)."""
        return np.bincount(self.dataset, minlength=len(self.test_share)).astype(np.int64)

    @cached_property
    def repeats(self) -> Codes:
        """How often the cross-validation was repeated (data set)."""
        frame = pd.DataFrame({"dataset": self.dataset, "repeat": self.repeat})
        return np.asarray(frame.groupby("dataset")["repeat"].nunique(), dtype=np.int64)

    @property
    def rho(self) -> float:
        """The correlation of two test folds of one data set."""
        return float(self.test_share[0])

    @property
    def observed(self) -> Array:
        """The mean score of each system; every data set weighs the same."""
        return np.asarray(self.means.mean(axis=1))

    @property
    def means(self) -> Array:
        """The mean score of each system in each data set (system, data set)."""
        return average_by_dataset(self.values, self.dataset)

    @property
    def scorer(self) -> str:
        """What the scores are, in the words of scikit-learn: accuracy, neg_log_loss ..."""
        return self.source.get("scorer", "score")

    @property
    def metric(self) -> str:
        """What the values are, once losses are turned round."""
        return self.scorer.removeprefix(NEGATED)

    @property
    def negated(self) -> bool:
        """Whether the scores were losses with the other sign, and less is better."""
        return self.scorer.startswith(NEGATED)

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the test folds."""
        return (self.resamples,)

    def format_count(self, n: int) -> str:
        """Describe the cross-validation."""
        repeats = int(self.repeats[0])
        folds, left = divmod(n, repeats)
        if left or abs(folds * self.rho - 1) > 0.05:  # random splits, or some are left out
            return super().format_count(n)
        often = f" repeated {repeats} times" if repeats > 1 else ""
        return f"{folds}-fold cross-validation{often}"

    def scale(self, of: str) -> float:
        """Return what a share of the observed mean, or of the observed range, is a share of."""
        if of == "range":
            return float(self.values.max() - self.values.min())
        return float(np.abs(self.observed.mean()))

    def pair(self, a: int, b: int) -> FoldValues:
        """Return the scores of two systems."""
        if (a, b) == (0, 1) and len(self.systems) == 2:
            return self
        arrays: dict[str, Any] = self.arrays() | {"values": self.values[[a, b]]}
        return type(self)(self.categories, **arrays, **self.metadata(a, b))

    def constant(self, a: int, b: int) -> bool:
        """Return whether two systems differ by the same amount on every test fold."""
        first, second = self.values[a], self.values[b]
        size = max(np.abs(first).max(), np.abs(second).max(), np.finfo(float).tiny)
        return bool(np.ptp(first - second) <= SAME * size)


def average_by_dataset(values: Array, dataset: Codes) -> Array:
    """Return the means (system, data set) of values (system, row)."""
    return np.stack([np.bincount(dataset, row) for row in values]) / np.bincount(dataset)


@dataclass(frozen=True, eq=False)
class UnpairedFolds(FoldValues):
    """Scores of systems that were not tested on the same folds; there are as many of each."""

    paired = False

    def constant(self, a: int, b: int) -> bool:
        """Return whether the scores of both systems never vary."""
        size = max(np.abs(self.values[[a, b]]).max(), np.finfo(float).tiny)
        return bool((np.ptp(self.values[[a, b]], axis=1) <= SAME * size).all())


@dataclass(frozen=True, eq=False)
class DatasetFolds(FoldValues):
    """Scores of several data sets, each with folds, repeats and a test share of its own."""

    @property
    def rho(self) -> float:
        """Refused: every data set has its own."""
        raise InputError("Every data set has a test share of its own.")

    def format_count(self, n: int) -> str:
        """Say how many scores there are, of how many data sets."""
        return f"{super(FoldValues, self).format_count(n)} of {len(self.test_share):,} data sets"

    def average(self) -> ItemValues:
        """Return one score per data set, as Demsar (2006) has them."""
        columns = dict(zip(self.systems, self.means, strict=True))
        scores = build_items(columns, dataset=self.dataset_names, systems=self.systems)
        return replace(scores, source=self.source, notes=(*self.notes, AVERAGED, *scores.notes))


@dataclass(frozen=True)
class Design:
    """What the caller says of how the folds were made.

    Attributes
    ----------
    test_share : float
        n_test / (n_test + n_train).
    folds, repeats : int or None
        How many there are; None where it is not known, as of random splits.
    label : str
        What an error shall call it.
    """

    test_share: float
    folds: int | None = None
    repeats: int | None = None
    label: str = ""


@dataclass(frozen=True, eq=False)
class FoldTable:
    """Scores of any number of systems, a row per test fold.

    Attributes
    ----------
    values : ndarray
        The scores (system, row); NaN where there is none.
    systems : tuple of str
        What the systems are called.
    rows : DataFrame or None
        What the rows are about, as far as it is known: ``dataset``, ``repeat``, ``fold`` and
        ``test_share``. Without ``fold`` they are in the order of ``RepeatedKFold``.
    design : Design or None
        What the caller says of the folds.
    paired : bool
        Whether the rows of all systems are about the same folds.
    drop : bool
        Whether to leave out rows that lack a score, which are refused otherwise.
    source
        As in :class:`stanoff.data.types.Data`.
    """

    values: Array
    systems: tuple[str, ...]
    rows: pd.DataFrame | None = None
    design: Design | None = None
    paired: bool = True
    drop: bool = False
    source: Mapping[str, str] = field(default_factory=dict)


def build_folds(table: FoldTable) -> FoldValues:
    """Check scores of folds, and put them together in the order of data sets and repeats.

    Examples
    --------
    >>> scores = np.array([[0.8, 0.9, 0.7, 0.9], [0.7, 0.9, 0.8, 0.6]])
    >>> build_folds(FoldTable(scores, ("a", "b"), design=Design(0.5, 2, 2))).repeats.tolist()
    [2]
    """
    rows, names = _number_rows(table)
    shares = rows.groupby("dataset")["test_share"].first().to_numpy(dtype=np.float64)
    rows = rows.sort_values([*GROUPS, "fold"], kind="stable")
    values = table.values[:, rows.index]
    complete, notes = _find_complete(values, table)
    values, rows = values[:, complete], rows[complete]
    if not table.paired and len(names) > 1:
        raise invalid("paired", "None with several data sets", False)
    kind = DatasetFolds if len(names) > 1 else FoldValues if table.paired else UnpairedFolds
    if not table.paired:
        notes.append("The systems had folds of their own: on the same ones less is needed.")
    scorer = table.source.get("scorer", "")
    if scorer.startswith(NEGATED):
        values = 0.0 - values
        notes.append(
            f"{scorer} was turned round: what is shown is {scorer.removeprefix(NEGATED)}, of which "
            "less is better."
        )
    data = kind(
        ("1",),
        values,
        rows["dataset"].to_numpy(dtype=np.int64),
        rows["repeat"].to_numpy(dtype=np.int64),
        rows["fold"].to_numpy(dtype=np.int64),
        shares,
        np.array(names),
        systems=table.systems,
        source=table.source,
        notes=tuple(notes),
    )
    if kind is not DatasetFolds:
        _check_size(data.resamples)
        _check_constants(data)
    return data


def _number_rows(table: FoldTable) -> tuple[pd.DataFrame, list[str]]:
    """Give data sets, repeats and folds numbers and a test share, row by row; name data sets."""
    columns = pd.DataFrame(index=range(table.values.shape[1])) if table.rows is None else table.rows
    if "repeat" in columns and "fold" not in columns:
        raise invalid("repeat", "None without fold=, which names the folds", "a column")
    rows = pd.DataFrame(0, columns.index, [*GROUPS, "fold"])
    names = [""]
    for role in rows:
        if role in columns:
            rows[role], labels = pd.factorize(columns[role])
            names = [str(label) for label in labels] if role == "dataset" else names
    position = rows.groupby("dataset").cumcount()
    folds = None if table.design is None else table.design.folds
    if "fold" in columns:
        n_labels = rows["fold"].max() + 1
        if folds is not None and "repeat" not in columns and n_labels > folds:
            # Every test fold has a number of its own, whatever the repeat.
            rows["repeat"], rows["fold"] = position // folds, position % folds
    elif table.design is not None:
        size = folds or len(rows)
        rows["repeat"], rows["fold"] = position // size, position % size
    elif len(names) == 1 and "test_share" not in columns:
        raise _ask(len(rows))
    else:
        rows["fold"] = position
    _check_folds(rows, names, table)
    if "test_share" in columns:
        rows["test_share"] = columns["test_share"].groupby(rows["dataset"]).transform("mean")
    elif table.design is not None:
        rows["test_share"] = table.design.test_share
    else:
        n_folds = rows.groupby("dataset")["fold"].transform("nunique")
        rows["test_share"] = (1 / n_folds).where(n_folds > 1, 0.0)
    return rows, names


def _ask(n: int) -> InputError:
    """Ask how so many scores came about; the same number may mean one thing or another."""
    readings = [f"{n}-fold cross-validation"]
    readings += [f"{k} folds repeated {n // k} times" for k in (10, 5) if n % k == 0 and n > k]
    doubt = f" ({' or '.join(readings)}?)" if len(readings) > 1 else ""
    return InputError(f"There are {n:,} scores of every system{doubt}: {ADVICE}.")


def _check_folds(rows: pd.DataFrame, names: list[str], table: FoldTable) -> None:
    """Refuse folds that occur twice, repeats with other folds, and numbers that do not fit."""
    repeated = rows.duplicated([*GROUPS, "fold"]).to_numpy()
    if repeated.any():
        assert table.rows is not None
        fold = table.rows["fold"].iloc[int(repeated.argmax())]
        advice = ": name the column of the repeats in repeat=, or that of the data sets in dataset="
        where = " in the same repeat" if "repeat" in table.rows else advice
        raise InputError(f"fold {fold} occurs more than once{where}.")
    folds = rows.groupby(GROUPS)["fold"].nunique()
    for code, name in enumerate(names):
        of_dataset = f" of data set {name}" if len(names) > 1 else ""
        sizes = folds.xs(code).to_numpy()
        if len(set(sizes)) > 1:
            raise InputError(
                f"Every repeat must have the same folds, but those{of_dataset} have {sizes.min()} "
                f"to {sizes.max()}: some are missing."
            )
        _check_design(table, int(sizes[0]), len(sizes), of_dataset)


def _check_design(table: FoldTable, folds: int, repeats: int, of_dataset: str) -> None:
    """Compare the folds that are there with those that the caller speaks of."""
    design = table.design
    if design is None:
        if (
            repeats == 1
            and folds > MAX_FOLDS
            and (table.rows is None or "test_share" not in table.rows)
        ):
            raise _ask(folds)
        return
    expected = design.folds or folds, design.repeats or repeats
    if expected != (folds, repeats):
        product = f"{expected[0]} folds and {expected[1]} repeats"
        raise InputError(
            f"{design.label} means {product}, {expected[0] * expected[1]:,} scores; there are "
            f"{folds * repeats:,}{of_dataset} of every system."
        )


def _find_complete(values: Array, table: FoldTable) -> tuple[NDArray[np.bool_], list[str]]:
    """Find the rows in which every system has a score; refuse others, or leave them out."""
    missing = np.isnan(values)
    complete = np.asarray(~missing.any(axis=0), dtype=np.bool_)
    if complete.all():
        return complete, []
    n = values.shape[1]
    failed = [
        f"{name} has none in {count} of {n:,} test folds"
        for name, count in zip(table.systems, missing.sum(axis=1), strict=True)
        if count
    ]
    listed = "; ".join(failed[:3])
    if not complete.any():
        raise InputError(f"No test fold has a score of every system: {listed}.")
    if table.drop:
        return complete, [f"Test folds without a score were left out: {listed}."]
    raise InputError(
        f"Every system must have a score in every test fold, but {listed}: a fold is missing, or "
        "a fit failed (scikit-learn then gives NaN, see error_score=). Mend it, or pass "
        "unmatched='drop' to leave these folds out."
    )


def _check_size(n: int) -> None:
    if n >= MIN_FOLDS:
        return
    there = "is 1" if n == 1 else f"are {n}"
    advice = "RepeatedKFold(n_splits=10, n_repeats=3) gives 30, and trains on more documents"
    if n == 2:
        advice = f"two cannot tell how much a difference varies; {advice}"
    raise InputError(
        f"Scores of {MIN_FOLDS} test folds or more are needed, and there {there}: {advice}."
    )


def _check_constants(data: FoldValues) -> None:
    """Refuse systems of which any two differ by the same amount in all folds."""
    if all(data.constant(0, system) for system in range(1, len(data.systems))):
        refuse_constant(data, 0, 1)


def refuse_constant(data: FoldValues, a: int, b: int) -> None:
    """Refuse two systems whose difference is the same in all folds: it cannot vary for a model."""
    if not data.constant(a, b):
        return
    first, second = data.systems[a], data.systems[b]
    raise InputError(
        f"{first} and {second} differ by the same amount in each of {data.resamples:,} test folds: "
        f"{NO_VERDICT} Did both make the same predictions?"
    )
