"""Scored documents: what is true of each, and how high every system scored it; or true numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff.data import counting
from stanoff.data.counting import check_enough, check_lengths, select_categories
from stanoff.data.items import NO_CODES, ItemValues, as_numbers, build_items
from stanoff.data.types import Array, Categories, Counts, Data, default_names
from stanoff.errors import InputError, invalid

MIN_DOCUMENTS, FEW_DOCUMENTS = 4, 10  # that have numbers
FEW = 5  # documents of a class
HINT = " Scores are finite numbers, higher for positive, and not labels."
ALL_CLASSES = "1"  # the name of the only category where all classes are judged together
NUMBERS = "numbers"
ERRORS: dict[str, Callable[[Array], Array]] = {
    "absolute errors": np.abs,
    "squared errors": np.square,
}
NUMERIC = (NUMBERS, *ERRORS)  # what is made of true and predicted numbers


@dataclass(frozen=True, eq=False)
class Scores(Data):
    """Systems on the same documents, each with scores for every document.

    Attributes
    ----------
    truth : ndarray
        What is true of each document; the documents are its last axis.
    score : ndarray
        The scores, with the systems first.
    cluster : ndarray
        The cluster of each document (N); empty where every document stands for itself.
    """

    truth: NDArray[Any]
    score: Array
    cluster: NDArray[np.int64]

    kind = "scores"
    per_unit = "truth"
    per_system = ("score",)
    together: ClassVar[bool] = False  # whether all classes are judged together

    def alike(self, a: int, b: int) -> bool:
        """Return whether two systems gave every document the same scores."""
        return bool(np.array_equal(self.score[a], self.score[b]))


@dataclass(frozen=True, eq=False)
class ScoredDocuments(Scores):
    """A score for every category, which is higher for its documents.

    ``truth`` is 1 where a document is of the category, else 0 (K, N); ``score`` is (S, K, N).
    """

    dims: ClassVar = {
        "truth": ("category", "document"),
        "score": ("system", "category", "document"),
    }


@dataclass(frozen=True, eq=False)
class ScoredClasses(Scores):
    """A probability for every class, of which each document has one; they are judged together.

    ``truth`` is the number of the class that is true (N); ``score`` is (S, N, K).
    """

    together = True
    dims: ClassVar = {"truth": ("document",), "score": ("system", "document", "class")}


@dataclass(frozen=True, eq=False)
class PredictedNumbers(Scores):
    """A true number for every document (N), and what each system predicted (S, N)."""

    kind = NUMBERS
    together = True
    dims: ClassVar = {"truth": ("document",), "score": ("system", "document")}

    def scale(self, of: str) -> float:
        """Return the range of the truth: the mean of a measure is not known here."""
        return float(np.ptp(self.truth)) if of == "range" else 1.0


def build_scores(
    columns: Mapping[str, Any],
    n: Counts | None = None,
    *,
    cluster: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    average: str | None = None,
) -> ScoredDocuments | ScoredClasses:
    """Check the scores of two or more systems, and put them together.

    Parameters
    ----------
    columns : mapping
        The truth, then the scores of every system, by the names that an error shall mention; they
        may be a matrix with a column per class.
    n : ndarray, optional
        Documents per row, 1 by default.
    cluster : array_like, optional
        The cluster of each document.
    pos_label, labels, average : optional
        Which categories are judged, as in :func:`stanoff.compare`; of a matrix ``labels`` are the
        classes of its columns.

    Examples
    --------
    >>> data = build_scores({"y": [1, 0, 1], "a": [0.9, 0.1, 0.4], "b": [0.2, 0.7, 0.6]})
    >>> data.truth.tolist(), data.score.shape
    ([[1, 0, 1]], (2, 1, 3))
    """
    (name, truth), *systems = columns.items()
    scores = {system: as_scores(system, values) for system, values in systems}
    if len({values.shape[1:] for values in scores.values()}) > 1:
        shapes = ", ".join(f"{system} {values.shape}" for system, values in scores.items())
        raise InputError(f"All systems must have as many columns of scores, but have {shapes}.")
    matrix = next(iter(scores.values())).ndim == 2
    true: NDArray[Any]
    if counting.is_multilabel({name: truth}):
        selected, true = _read_indicators(name, truth, pos_label, labels, average)
    else:
        known, [true] = counting.encode_all({name: truth})
        if matrix:
            width = next(iter(scores.values())).shape[1]
            known, true = _order_classes(_headings(systems), known, true, width, labels)
            labels = None
        elif average is not None:
            raise invalid("average", "None where systems have one column of scores", average)
        else:
            _refuse_labels(scores, systems, known)
        selected = []  # all classes are judged together
        if len(known) <= 2 or not matrix or pos_label is not None or average is not None:
            selected = select_categories(known, pos_label, labels, average)
            if selected[0][1] is None:
                reason = f"one class only ({known[0]!r}): it takes both to compare"
                raise InputError(f"{name} has {reason}.")
            true = np.array([true == index for _, index in selected])
    sizes = {name: true.shape[-1], **{system: len(values) for system, values in scores.items()}}
    rows = _rows(sizes, n, cluster=cluster)
    true, clusters = true[..., rows].astype(np.int64), _encode_clusters(cluster, rows)
    names = default_names(len(scores))
    if not selected:
        score = np.stack(list(scores.values()))[:, rows]
        source = {"classes": ", ".join(map(str, known))}
        return ScoredClasses((ALL_CLASSES,), true, score, clusters, systems=names, source=source)
    indices = [index for _, index in selected if index is not None] if matrix else [0]
    score = np.stack([x.reshape(len(x), -1)[rows][:, indices].T for x in scores.values()])
    categories = tuple(category for category, _ in selected)
    source = {"pos_label": categories[0]}
    data = ScoredDocuments(categories, true, score, clusters, systems=names, source=source)
    return replace(data, notes=(*_two_valued(scores), *_few_documents(name, data)))


def _rows(sizes: Mapping[str, int], n: Counts | None, **further: Any) -> Any:
    """Return the rows of all documents, once lengths have been checked: all, or as weights say."""
    others = {**further, "sample_weight": n}
    check_lengths({**sizes, **{role: len(x) for role, x in others.items() if x is not None}})
    return slice(None) if n is None else np.repeat(np.arange(len(n)), n)


def as_scores(name: str, values: Any) -> Array:
    """Read scores: finite numbers, one per document or one per document and class.

    Examples
    --------
    >>> as_scores("a", [1, 0.5]).tolist()
    [1.0, 0.5]
    """
    array = np.asarray(values.toarray() if hasattr(values, "toarray") else values)
    if array.ndim not in (1, 2) or not array.size:
        raise _other_than(name, "scores", f"{array.dtype} of the shape {array.shape}")
    columns = [as_numbers(name, column, hint=HINT) for column in np.atleast_2d(array.T)]
    return columns[0] if array.ndim == 1 else np.stack(columns, axis=1)


def _other_than(name: str, rule: str, value: str) -> InputError:
    return InputError(f"{name} must hold {rule}. It has {value}.")


def _refuse_labels(scores: Mapping[str, Array], columns: Any, used: Sequence[Any]) -> None:
    """Refuse classes instead of scores: whole numbers or truth values, like the labels."""
    for name, values in columns:
        distinct = np.unique(scores[name]).tolist()
        if np.asarray(values).dtype.kind != "f" and set(distinct) <= set(used):
            first = ", ".join(f"{x:g}" for x in distinct[:3])
            rule = "scores; for labels, as these are, pass measure='balanced_accuracy'"
            raise _other_than(name, rule, f"{first}{' ...' if len(distinct) > 3 else ''}")


def _read_indicators(
    name: str, truth: Any, pos_label: Any, labels: Any, average: str | None
) -> tuple[Categories, NDArray[np.bool_]]:
    """Read an indicator matrix: which categories are judged, and which documents are of them."""
    if not counting.is_matrix(truth):
        raise _other_than(name, "labels, or an indicator matrix of 0 and 1", f"{next(iter(truth))}")
    matrix = counting.as_indicators(name, truth)
    columns = truth.columns if isinstance(truth, pd.DataFrame) else range(matrix.shape[1])
    known = tuple(map(str, columns if labels is None else labels))
    if len(known) != matrix.shape[1]:
        raise invalid("labels", f"{matrix.shape[1]} names, one per column of {name}", labels)
    if pos_label is None and average is None:
        raise InputError(counting.ONE_OF_MANY)
    positive = None if pos_label is None else str(pos_label)
    selected = select_categories(known, positive, None, average)
    return selected, matrix.toarray().T[[index for _, index in selected]] == 1


def _headings(columns: Any) -> list[Any] | None:
    """Return what all systems call the columns of their matrices, if they do and agree."""
    named: list[list[Any]] = [list(v.columns) for _, v in columns if isinstance(v, pd.DataFrame)]
    if len(named) != len(list(columns)) or any(other != named[0] for other in named):
        return None
    return None if named[0] == list(range(len(named[0]))) else named[0]


def _order_classes(
    headings: list[Any] | None,
    known: Sequence[Any],
    codes: NDArray[Any],
    width: int,
    labels: Any,
) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """Return the classes in the order of the columns, and the codes of the truth in it."""
    order = tuple(labels if labels is not None else headings or known)
    if headings and order != tuple(headings) and set(order) == set(headings):
        raise invalid("labels", "in the order of the columns, or left out", labels)
    if len(order) != width:
        rule = f"{width} classes, one per column of scores; pass labels= to name all of them"
        raise invalid("labels", rule, f"{len(order)} classes")
    for label in known:
        if label not in order:
            listed = ", ".join(repr(x) for x in order[:10])
            raise invalid("labels", f"all classes that are true, {label!r} too", listed)
    return order, np.array([order.index(label) for label in known], dtype=np.int64)[codes]


def _encode_clusters(values: Any, rows: Any) -> NDArray[Any]:
    """Give every cluster a number, and return that of these rows."""
    if values is None:
        return NO_CODES
    codes = counting.number("cluster", values)
    if len(codes) and not codes.any():
        raise invalid("cluster", "a column of two clusters or more", "1")
    return np.asarray(codes[rows])


def _few_documents(name: str, data: ScoredDocuments) -> tuple[str, ...]:
    """Refuse a category that no document has, or that all have; point out those with few."""
    positive = data.truth.sum(axis=1, dtype=np.int64)
    notes = []
    for kind, counts in (("positive", positive), ("negative", data.truth.shape[1] - positive)):
        few = np.flatnonzero(counts < FEW)
        if not len(few):
            continue
        if not counts.all():
            has = f"{'no' if kind == 'positive' else 'only'} documents of category"
            category = data.categories[int(counts.argmin())]
            raise InputError(f"{name} has {has} {category!r}: it takes positive and negative ones.")
        n, category = int(counts[few[0]]), shown(data.categories[few[0]])
        where = "" if len(data.categories) == 1 else f" in category {category}"
        others = f" (and in {len(few) - 1} more)" if len(few) > 1 else ""
        count = f"is only 1 {kind} document" if n == 1 else f"are only {n} {kind} documents"
        effect = "so few tell next to nothing of others, and the interval may be too narrow"
        notes.append(f"There {count}{where}{others}: {effect}.")
    return tuple(notes)


def _two_valued(scores: Mapping[str, Array]) -> tuple[str, ...]:
    """Point out columns with two scores only, which may be labels."""
    return tuple(
        f"{shown(name)} has only two different scores, {low:g} and {high:g}: its ROC curve has one "
        "corner. If these are labels, measure='balanced_accuracy' is meant."
        for name, values in scores.items()
        if values.ndim == 1 and len(distinct := np.unique(values)) == 2
        for low, high in [distinct]
    )


def build_numbers(
    columns: Mapping[str, Any], n: Counts | None = None, *, cluster: Any = None, **categories: Any
) -> PredictedNumbers:
    """Check true and predicted numbers, and put them together.

    Parameters
    ----------
    columns : mapping
        The truth, then the predictions of every system, by the names that an error shall mention.
    n : ndarray, optional
        Documents per row, 1 by default.
    cluster : array_like, optional
        The cluster of each document.
    **categories
        ``pos_label``, ``labels`` and ``average``, which numbers do not have.

    Examples
    --------
    >>> data = build_numbers({"y": [1, 2, 3, 5], "a": [1.5, 2, 3, 4], "b": [0, 2, 2, 6]})
    >>> data.score.shape
    (2, 4)
    """
    numbers, rows = _read_numbers(columns, n, categories, cluster=cluster)
    size = numbers.shape[1]
    few = f"There are only {size} documents: the interval may be too narrow."
    return PredictedNumbers(
        ("1",),
        numbers[0],
        numbers[1:],
        _encode_clusters(cluster, rows),
        systems=default_names(len(numbers) - 1),
        notes=(few,) if size < FEW_DOCUMENTS else (),
    )


def build_errors(
    kind: str,
    columns: Mapping[str, Any],
    n: Counts | None = None,
    *,
    cluster: Any = None,
    dataset: Any = None,
    **categories: Any,
) -> ItemValues:
    """Make values per item of true and predicted numbers: absolute or squared errors.

    Examples
    --------
    >>> columns = {"y": [1, 2, 3, 5], "a": [1.5, 2, 3, 4], "b": [0, 2, 2, 7]}
    >>> build_errors("squared errors", columns).values.tolist()
    [[0.25, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 4.0]]
    """
    further = {"cluster": cluster, "dataset": dataset}
    numbers, rows = _read_numbers(columns, n, categories, **further)
    errors = dict(zip(list(columns)[1:], ERRORS[kind](numbers[0] - numbers[1:]), strict=True))
    repeated = {role: np.asarray(x)[rows] for role, x in further.items() if x is not None}
    data = build_items(errors, **repeated)
    return replace(data, source={**data.source, "values": kind})


def _read_numbers(
    columns: Mapping[str, Any], n: Counts | None, categories: Mapping[str, Any], **further: Any
) -> tuple[Array, Any]:
    """Read the truth and the predictions, a row each; and which rows make the documents."""
    for name, value in categories.items():
        if value is not None:
            raise invalid(name, "None for numbers, which have no labels", value)
    numbers = {name: as_numbers(name, values) for name, values in columns.items()}
    rows = _rows({name: len(values) for name, values in numbers.items()}, n, **further)
    stacked = np.stack(list(numbers.values()))[:, rows]
    check_enough(stacked.shape[1], MIN_DOCUMENTS, "documents")
    return stacked, rows
