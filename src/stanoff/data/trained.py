"""Several trained copies of each system: of other training seeds, or of the folds of a repeat.

Copy r of every document is one trained model: copies are crossed with documents, and are not runs
of each document by itself. Out of fold, every document is predicted by a copy that was not trained
on it; predictions of several repeats are averaged, and never count as documents of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import as_systems
from stanoff.data.counting import check_enough, check_lengths, label_documents, number, parse_texts
from stanoff.data.folds import ROW, Answers, check_options, read_answers
from stanoff.data.items import Values, as_numbers
from stanoff.data.scores import ScoredDocuments, build_scores
from stanoff.data.types import Array, Data
from stanoff.errors import InputError, invalid

Codes = NDArray[np.int64]
Options = Mapping[str, Any]

MIN_DOCUMENTS, MIN_COPIES, FEW_COPIES = 4, 2, 5
LONG = ("item", "system", "prediction", "value")
TRAINED = {*LONG, "trained"}, "None where trained= names the copies"  # options that are allowed
OUT_OF_FOLD = {*LONG, "fold", "repeat", "id"}, "None beside out-of-fold predictions"
ARRAYS = {"fold"}, "None where no table has columns"


@dataclass(frozen=True, eq=False)
class TrainedCopies(Data):
    """Systems that were trained several times, each copy on all documents.

    What each copy answered is the array ``per_unit`` (copy, ..., document).

    Attributes
    ----------
    owner : ndarray
        The index of the system that a copy is of, ascending (copy).
    """

    owner: Codes

    paired = True

    @property
    def copies(self) -> Codes:
        """How many copies each system has (system)."""
        return np.bincount(self.owner, minlength=len(self.systems)).astype(np.int64)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(getattr(self, self.per_unit).shape[-1])

    def format_count(self, n: int) -> str:
        """Say how many documents there are, and how many copies of each system."""
        low, high = self.copies.min(), self.copies.max()
        copies = f"{low}" if low == high else f"{low} to {high}"
        return f"{super().format_count(n)}, {copies} trained copies of each system"

    def pair(self, a: int, b: int) -> TrainedCopies:
        """Return what was observed of two systems."""
        if (len(self.systems), a, b) == (2, 0, 1):
            return self
        rows = np.concatenate([np.flatnonzero(self.owner == system) for system in (a, b)])
        owner = (self.owner[rows] == b).astype(np.int64)
        answers: dict[str, Any] = {self.per_unit: getattr(self, self.per_unit)[rows]}
        return replace(self, owner=owner, **answers, **self.metadata(a, b))


@dataclass(frozen=True, eq=False)
class TrainedValues(Values, TrainedCopies):
    """A value of every copy on every item (copy, item)."""

    unit = "item"


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

    per_unit = "predictions"

    @property
    def confusion(self) -> NDArray[np.bool_]:
        """Which cell (tp, fp, fn, tn) a document is in (copy, category, cell, document)."""
        truth, yes = self.truth.astype(bool), self.predictions.astype(bool)
        cells = [truth & yes, ~truth & yes, truth & ~yes, ~truth & ~yes]
        return np.stack(np.broadcast_arrays(*cells), axis=2)


class OutOfFold(TrainedCopies):
    """What all out-of-fold predictions have: the fold of every document, in every repeat."""

    fold: Codes  # (repeat, document)

    def format_count(self, n: int) -> str:
        """Say how many documents there are, in how many folds."""
        repeats, folds = len(self.fold), int(self.fold.max()) + 1
        often = f", repeated {repeats} times" if repeats > 1 else ""
        return f"{n:,} documents in {folds} folds{often}"


@dataclass(frozen=True, eq=False)
class OutOfFoldLabels(OutOfFold, TrainedLabels):
    """Labels, as :class:`TrainedLabels` has them, whose copies are the repeats.

    Attributes
    ----------
    fold : ndarray
        The number of the fold that a document was tested in (repeat, document).
    """

    fold: Codes


@dataclass(frozen=True, eq=False)
class OutOfFoldScores(OutOfFold):
    """Scores of every category against the rest.

    Attributes
    ----------
    truth : ndarray
        1 where a document is of the category, else 0 (category, document).
    score : ndarray
        The scores (copy, category, document); copies are the repeats of each system.
    fold : ndarray
        The number of the fold that a document was tested in (repeat, document).
    """

    truth: Codes
    score: Array
    fold: Codes

    kind = "scores"
    per_unit = "score"


def load_trained(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | None,
    options: Options,
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
    check_options(options, *TRAINED)
    if kind not in ("labels", "values"):
        raise InputError(f"Trained copies are compared by labels or by values, and not by {kind}.")
    if (truth is None) != (kind == "values"):
        raise InputError("Pass truth= for labels, and none for values (measure='mean').")
    if "item" not in options:
        raise InputError("Say which column names the documents: pass item=.")
    keys = {"item": options["item"], "trained": options["trained"], "truth": truth}
    keys = {role: column for role, column in keys.items() if column is not None}
    answers = read_answers(data, keys, systems, options)
    owner, columns = _cross_copies(answers)
    metadata: dict[str, Any] = {"systems": answers.systems, "source": answers.source}
    copies: TrainedCopies
    if kind == "values":
        values = np.stack([as_numbers(name, answer) for name, answer in columns.items()])
        copies = TrainedValues(("1",), owner, values, **metadata)
    else:
        names, true, predictions = label_documents(columns, **categories)
        copies = TrainedLabels(names, owner, true, predictions, **metadata)
    check_enough(copies.documents, MIN_DOCUMENTS, "documents")
    few = int(copies.copies.min())
    if few < MIN_COPIES:
        raise InputError(
            f"{copies.systems[int(copies.copies.argmin())]} was trained once: how much training "
            "matters is learned from two copies of each system or more. Leave trained= out to "
            "judge these trained systems."
        )
    more = f"with {FEW_COPIES} or more the interval would be narrower"
    note = f"There are only {few} trained copies of a system: {more}."
    return replace(copies, notes=(note,) if few < FEW_COPIES else ())


def load_out_of_fold(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | Mapping[str, Any] | None,
    options: Options,
    categories: Mapping[str, Any],
) -> OutOfFoldLabels | OutOfFoldScores:
    """Read what was predicted out of fold: a row per document (and repeat), with its fold.

    Parameters
    ----------
    kind : str
        ``"labels"`` or ``"scores"``.
    data : data frame or path
        The table; None where there are arrays.
    truth : str or array_like
        The column of true labels, or these.
    systems : sequence or mapping, optional
        The columns of the systems, by default all others; or the predictions of each, as
        ``cross_val_predict`` returns them.
    options : mapping
        ``fold``; with several repeats ``repeat``, and ``id`` that names the document; in long
        format ``system`` and ``prediction``, too.
    categories : mapping
        ``pos_label``, ``labels`` and ``average``.
    """
    if kind not in ("labels", "scores"):
        raise invalid("fold", f"None for {kind}: pass the predictions alone", options["fold"])
    check_options(options, *OUT_OF_FOLD)
    metadata: dict[str, Any]
    if isinstance(systems, Mapping):
        check_options(options, *ARRAYS)
        if isinstance(options["fold"], str) or np.ndim(options["fold"]) != 1:
            raise invalid("fold", "the test fold of each document, in its order", options["fold"])
        names = as_systems(list(systems))
        fold = number("fold", options["fold"])[None]
        columns = {"y_true": truth, **dict(zip(names, systems.values(), strict=True))}
        check_lengths({"fold": fold.size, **{name: len(x) for name, x in columns.items()}})
        owner, metadata = np.arange(len(names)), {"systems": names}
    else:
        owner, columns, fold, metadata = _read_folds(data, truth, systems, options)
    if fold.max() == 0:
        raise invalid("fold", "a column of two folds or more", "one")
    if kind == "labels":
        judged, true, predictions = label_documents(columns, **categories)
        return OutOfFoldLabels(judged, owner, true, predictions, fold, **metadata)
    scored = build_scores(columns, **categories)
    if not isinstance(scored, ScoredDocuments):
        rest = "one class against the rest: pass average=, or pos_label="
        raise InputError(f"Out of fold, probabilities of several classes are judged {rest}.")
    arrays = owner, scored.truth, scored.score, fold
    return OutOfFoldScores(scored.categories, *arrays, notes=scored.notes, **metadata)


def _read_folds(
    data: Any, truth: Any, systems: Sequence[Any] | None, options: Options
) -> tuple[Codes, dict[str, Any], Codes, dict[str, Any]]:
    """Read a table of out-of-fold predictions: owners, columns, folds and metadata."""
    item = options.get("id", options.get("item"))
    if item is None and not {"repeat", "system"}.isdisjoint(options):
        raise InputError("A document is predicted several times: pass id=, which names it.")
    keys = {"truth": truth, "fold": options["fold"], "item": item, "trained": options.get("repeat")}
    keys = {role: column for role, column in keys.items() if column is not None}
    answers = read_answers(data, keys, systems, options)
    rows = answers.rows
    if item is None:
        rows["item"] = rows[ROW]
    if "trained" not in rows:
        rows["trained"] = 0
    owner, columns = _cross_copies(answers)
    if (rows.groupby(["trained", "item"])["fold"].nunique() > 1).any():
        raise InputError("The systems were not tested on the same folds: their fold= differs.")
    rows = rows[rows["system"] == answers.systems[0]]
    folds = rows.assign(fold=pd.factorize(rows["fold"])[0]).pivot(
        index="trained", columns="item", values="fold"
    )
    fold = folds[list(dict.fromkeys(rows["item"]))].to_numpy(dtype=np.int64)
    return owner, columns, fold, {"systems": answers.systems, "source": answers.source}


def _cross_copies(answers: Answers) -> tuple[Codes, dict[str, NDArray[Any]]]:
    """Return the system of each copy, and the columns: the truth, what each copy answers."""
    wide = answers.pivot(["item"], ["system", "trained"], ": every copy has one answer to each")
    wide = wide.reindex(list(dict.fromkeys(answers.rows["item"])))
    pairs: list[Any] = wide.columns.to_list()
    missing = wide.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        system, copy = pairs[column]
        lacks = f"copy {copy} of {system} has none to {wide.index[row]}"
        raise InputError(f"Every copy must have an answer to every document, but {lacks}.")
    owner = np.array([answers.systems.index(name) for name, _ in pairs], dtype=np.int64)
    names = [f"{name}, copy {copy}" for name, copy in pairs]
    columns = dict(zip(names, wide.to_numpy().T, strict=True))
    if "truth" in answers.rows:
        by_item = answers.rows.groupby("item", sort=False)["truth"]
        contradicting = by_item.nunique() > 1
        if contradicting.any():
            raise InputError(f"{contradicting.idxmax()} has more than one true label.")
        columns = {"truth": np.asarray(by_item.first()), **columns}
        if answers.from_file:
            columns |= parse_texts(columns)
    return owner, columns
