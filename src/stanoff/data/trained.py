"""Several trained copies of each system (training seeds), all of them on the same documents.

Copy r of every document is one trained model: copies are crossed with documents, and are not runs
of each document by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stanoff.data.answers import Answers, read_answers
from stanoff.data.counting import label_documents, parse_texts
from stanoff.data.items import as_numbers
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

MIN_DOCUMENTS, MIN_COPIES, FEW_COPIES = 4, 2, 5
ALLOWED = ("trained", "item", "system", "prediction", "value")
NOT_YET = "None where trained= names the copies"


@dataclass(frozen=True, eq=False)
class TrainedCopies(Data):
    """Systems that were trained several times, each copy on all documents.

    Attributes
    ----------
    owner : ndarray
        The index of the system that a copy is of, ascending (copy).
    """

    owner: Codes

    paired = True
    answers: ClassVar[str]  # the array of what each copy answered (copy, ..., document)

    @property
    def copies(self) -> Codes:
        """How many copies each system has (system)."""
        return np.bincount(self.owner, minlength=len(self.systems)).astype(np.int64)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(getattr(self, self.answers).shape[-1])

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the documents."""
        return (self.documents,)

    def format_count(self, n: int) -> str:
        """Say how many documents there are, and how many copies of each system."""
        low, high = self.copies.min(), self.copies.max()
        copies = f"{low}" if low == high else f"{low} to {high}"
        return f"{super().format_count(n)}, {copies} trained copies of each system"

    def pair(self, a: int, b: int) -> TrainedCopies:
        """Return what was observed of two systems."""
        if (a, b) == (0, 1) and len(self.systems) == 2:
            return self
        rows = np.concatenate([np.flatnonzero(self.owner == system) for system in (a, b)])
        arrays: dict[str, Any] = self.arrays()
        arrays |= {"owner": (self.owner[rows] == b).astype(np.int64)}
        arrays[self.answers] = arrays[self.answers][rows]
        return type(self)(self.categories, **arrays, **self.metadata(a, b))


@dataclass(frozen=True, eq=False)
class TrainedValues(TrainedCopies):
    """A value of every copy on every item.

    Attributes
    ----------
    values : ndarray
        The values (copy, item).
    """

    values: Array

    kind = "values"
    answers = "values"
    real: ClassVar[tuple[str, ...]] = ("values",)
    unit = "item"

    def scale(self, of: str) -> float:
        """Return what a share of the observed mean, or of the observed range, is a share of."""
        if of == "range":
            return float(self.values.max() - self.values.min())
        return float(np.abs(self.values.mean()))


@dataclass(frozen=True, eq=False)
class TrainedLabels(TrainedCopies):
    """The labels that every copy gave, one category against the rest.

    Attributes
    ----------
    truth : ndarray
        1 where a document is of the category, else 0 (category, document).
    predictions : ndarray
        1 where a copy predicts it (copy, category, document).
    """

    truth: Codes
    predictions: Codes

    answers = "predictions"

    @property
    def confusion(self) -> NDArray[np.bool_]:
        """Which cell (tp, fp, fn, tn) a document is in (copy, category, cell, document)."""
        truth, yes = self.truth.astype(bool), self.predictions.astype(bool)
        cells = [truth & yes, ~truth & yes, truth & ~yes, ~truth & ~yes]
        return np.stack(np.broadcast_arrays(*cells), axis=2)


def load_trained(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | None,
    options: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> TrainedCopies:
    """Read a table with a row per document and copy, and per system if that is a column.

    Parameters
    ----------
    kind : str
        ``"labels"`` or ``"values"``.
    data : data frame or path
        The table.
    truth : str or None
        The column of true labels.
    systems : sequence, optional
        The columns of the systems, or in long format their names; by default all.
    options : mapping
        Those of the layout that were given.
    categories : mapping
        ``pos_label``, ``labels`` and ``average``.
    """
    for name, value in options.items():
        if name not in ALLOWED:
            raise invalid(name, NOT_YET, value)
    if kind not in ("labels", "values"):
        raise InputError(f"Trained copies are compared by labels or by values, and not by {kind}.")
    if (truth is None) != (kind == "values"):
        raise InputError("Pass truth= for labels, and none for values (measure='mean').")
    if "item" not in options:
        raise InputError("Say which column names the documents: pass item=.")
    keys = {"item": options["item"], "trained": options["trained"]}
    keys |= {} if truth is None else {"truth": truth}
    answers = read_answers(data, keys, systems, options)
    owner, copies = cross_copies(answers)
    metadata: dict[str, Any] = {"systems": answers.systems, "source": answers.source}
    if kind == "values":
        values = np.stack([as_numbers(name, answer) for name, answer in copies.items()])
        return _check_size(TrainedValues(("1",), owner, values, **metadata))
    columns = {"truth": true_answers(answers), **copies}
    if answers.from_file:
        columns |= parse_texts(columns)
    names, positive, predictions = label_documents(columns, **categories)
    return _check_size(TrainedLabels(names, owner, positive, predictions, **metadata))


def cross_copies(answers: Answers) -> tuple[Codes, dict[str, NDArray[Any]]]:
    """Return the system of each copy, and its answers to the documents, by the name of the copy."""
    wide = answers.pivot(["item"], ["system", "trained"], ": every copy has one answer to each")
    wide = wide.reindex(list(dict.fromkeys(answers.rows["item"])))
    missing = wide.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        system, copy = wide.columns.to_list()[column]
        raise InputError(
            f"Every trained copy must have an answer to every document, but copy {copy} of "
            f"{system} has none to {wide.index[row]}."
        )
    systems = wide.columns.get_level_values("system")
    owner = np.array([answers.systems.index(name) for name in systems], dtype=np.int64)
    pairs = zip(systems, wide.columns.get_level_values("trained"), strict=True)
    names = [f"{name}, copy {copy}" for name, copy in pairs]
    return owner, dict(zip(names, wide.to_numpy().T, strict=True))


def true_answers(answers: Answers) -> NDArray[Any]:
    """Return what is true of each document, in the order of :func:`cross_copies`."""
    by_item = answers.rows.groupby("item", sort=False)["truth"]
    contradicting = by_item.nunique() > 1
    if contradicting.any():
        raise InputError(f"{contradicting.idxmax()} has more than one true label.")
    return np.asarray(by_item.first())


def _check_size(data: TrainedCopies) -> TrainedCopies:
    """Refuse tables that are too small to learn from."""
    if data.documents < MIN_DOCUMENTS:
        raise InputError(f"{MIN_DOCUMENTS} documents or more are needed; there are too few.")
    for name, copies in zip(data.systems, data.copies, strict=True):
        if copies < MIN_COPIES:
            raise InputError(
                f"{name} was trained once: how much training matters is learned from "
                f"{MIN_COPIES} copies of each system or more. Without trained= the verdict is "
                "about these trained systems."
            )
    if data.copies.min() < FEW_COPIES:
        note = (
            f"There are only {data.copies.min()} trained copies of a system: with five or more the "
            "interval would be narrower."
        )
        data = replace(data, notes=(*data.notes, note))
    return data
