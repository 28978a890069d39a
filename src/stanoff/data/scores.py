"""Scored documents: what is true of each, and how high every system scored it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff.data.counting import encode, is_multilabel, select_categories, sorted_labels
from stanoff.data.labels import Labels, as_written
from stanoff.data.types import Data, default_names
from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]

FEW = 5  # documents of a class
NO_CLUSTERS: NDArray[np.int64] = np.empty(0, dtype=np.int64)
ONE = "1"  # what a category is called where there is only one


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

    truth: NDArray[np.int64]
    score: Array
    cluster: NDArray[np.int64]

    kind = "scores"
    real = ("score",)

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the documents."""
        return (self.truth.shape[-1],)

    def alike(self, a: int, b: int) -> bool:
        """Return whether two systems gave every document the same scores."""
        return bool(np.array_equal(self.score[a], self.score[b]))

    def pair(self, a: int, b: int) -> Data:
        """Keep two of the systems."""
        if (a, b) == (0, 1) and len(self.systems) == 2:
            return self
        return replace(self, score=self.score[[a, b]], **self.metadata(a, b))


@dataclass(frozen=True, eq=False)
class ScoredDocuments(Scores):
    """A score for every category, which is higher for its documents.

    ``truth`` is 1 where a document is of the category, else 0 (K, N); ``score`` is (S, K, N).
    """


@dataclass(frozen=True, eq=False)
class ScoredClasses(Scores):
    """A probability for every class, of which each document has one; they are judged together.

    ``truth`` is the number of the class that is true (N); ``score`` is (S, N, K).
    """


Scored = TypeVar("Scored", ScoredDocuments, ScoredClasses)


def scored_documents(
    found: Labels, *, pos_label: Any = None, labels: Any = None, average: str | None = None
) -> ScoredDocuments | ScoredClasses:
    """Gather the scores of two or more systems.

    Parameters
    ----------
    found : Labels
        The truth, and two systems or more. Scores are one column per system, or a matrix with
        a column per class.
    pos_label, labels, average : optional
        Which categories are judged, as in :func:`stanoff.compare`; of a matrix ``labels`` are the
        classes of its columns.

    Examples
    --------
    >>> found = Labels({"y": [1, 0, 1], "a": [0.9, 0.1, 0.4], "b": [0.2, 0.7, 0.6]})
    >>> data = scored_documents(found)
    >>> data.truth.tolist(), data.score.shape
    ([[1, 0, 1]], (2, 1, 3))
    """
    (name, truth), *columns = found.columns.items()
    scores = {system: as_scores(system, values) for system, values in columns}
    if len({values.shape[1:] for values in scores.values()}) > 1:
        told = ", ".join(f"{system} {values.shape}" for system, values in scores.items())
        raise InputError(f"All systems must have as many columns of scores, but have {told}.")
    matrix = next(iter(scores.values())).ndim == 2
    if is_multilabel({name: truth}):
        asked = {"pos_label": pos_label, "labels": labels, "average": average}
        categories, positive, places = _of_indicators(name, truth, **asked)
    else:
        codes, known = encode(name, truth)
        used = [known[i] for i in np.unique(codes)]
        positive_label = as_written(pos_label, used) if found.written else pos_label
        if matrix:
            known, codes = _in_order(_headings(columns), used, known, codes, scores, labels)
            if average is None and positive_label is None and len(known) > 2:
                return _of_classes(found, codes, scores, known)
            chosen = select_categories(known, positive_label, None, average)
        elif average is not None:
            raise invalid("average", "None where systems have one column of scores", average)
        else:
            _refuse_labels(scores, columns, used)
            chosen = select_categories(sorted_labels({name: used}), positive_label, labels, None)
            chosen = [(chosen[0][0], _place(chosen[0][1], used, known, name))]
        categories = [category for category, _ in chosen]
        positive = np.stack([codes == place for _, place in chosen])
        places = [int(place or 0) for _, place in chosen] if matrix else [0]
    _check_lengths({name: positive[0], **scores, **found.more}, found)
    tables = [values if matrix else values[:, None] for values in scores.values()]
    data = ScoredDocuments(
        tuple(categories),
        positive.astype(np.int64),
        np.stack([table[:, places].T for table in tables]),
        _clusters(found),
        systems=default_names(len(scores)),
        source={**found.source, "pos_label": categories[0]},
        notes=(*found.notes, *_two_valued(scores)),
    )
    _check_both(name, data)
    return replace(_repeated(data, found.n), notes=(*data.notes, *_few(data)))


def as_scores(name: str, values: Any) -> Array:
    """Read scores: finite numbers, one per document or one per document and class.

    Examples
    --------
    >>> as_scores("a", [1, 0.5]).tolist()
    [1.0, 0.5]
    """
    rule = "scores: finite numbers, higher for positive"
    if hasattr(values, "toarray"):
        values = values.toarray()
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.dtype.kind in "mMc" or array.ndim not in (1, 2) or not array.size:
        raise _other_than(name, rule, f"{array.dtype} of the shape {array.shape}")
    try:
        read = array.astype(np.float64)
    except (TypeError, ValueError):
        odd = next((x for x in array.ravel() if not _is_number(x)), array.ravel()[0])
        raise _other_than(name, f"{rule}, and not labels", repr(odd)) from None
    bad = ~np.isfinite(read)
    if bad.any():
        row = int(np.argmax(bad.reshape(len(read), -1).any(axis=1)))
        what = "missing (NaN)" if np.isnan(read[bad]).all() else "NaN or infinite"
        raise InputError(
            f"{name} has {int(bad.sum()):,} scores that are {what}, the first in row {row + 1}: "
            "leave these documents out of all columns, or say what their scores are."
        )
    return read


def _other_than(name: str, rule: str, value: str) -> InputError:
    return InputError(f"{name} must hold {rule}. It has {value}.")


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _refuse_labels(scores: Mapping[str, Array], columns: Any, used: Sequence[Any]) -> None:
    """Refuse classes in the place of scores: whole numbers or truth values, like the labels."""
    for name, values in columns:
        distinct = np.unique(scores[name]).tolist()
        if np.asarray(values).dtype.kind != "f" and set(distinct) <= set(used):
            told = ", ".join(f"{x:g}" for x in distinct[:3])
            rule = "scores; for labels, as these are, pass measure='balanced_accuracy'"
            raise _other_than(name, rule, f"{told}{' ...' if len(distinct) > 3 else ''}")


def _place(place: int | None, used: Sequence[Any], known: Sequence[Any], name: str) -> int:
    """Turn a place among the labels that occur, sorted, into their code."""
    if place is None:
        raise InputError(f"{name} has one class only ({used[0]!r}): it takes both to compare.")
    return list(known).index(sorted_labels({name: used})[place])


def _of_indicators(
    name: str, truth: Any, pos_label: Any, labels: Any, average: str | None
) -> tuple[list[str], NDArray[np.bool_], list[int]]:
    """Read an indicator matrix: a column per category, which may overlap."""
    headings = [str(c) for c in truth.columns] if isinstance(truth, pd.DataFrame) else None
    table = truth.toarray() if hasattr(truth, "toarray") else truth
    array = np.asarray(table.to_numpy() if hasattr(table, "to_numpy") else table)
    if array.ndim != 2 or not np.isin(array, (0, 1)).all():
        raise _other_than(name, "labels, or an indicator matrix of 0 and 1", f"{array.ravel()[:3]}")
    if labels is not None:
        headings = [str(label) for label in labels]
    known = headings or [str(i) for i in range(array.shape[1])]
    if len(known) != array.shape[1]:
        raise invalid("labels", f"{array.shape[1]} names, one per column of {name}", labels)
    if pos_label is None and average is None:
        raise InputError(
            "Documents with many labels need average= (macro, micro or weighted), or pos_label= "
            "to judge one category."
        )
    asked = None if pos_label is None else str(pos_label)
    chosen = select_categories(tuple(known), asked, None, average)
    places = [place for _, place in chosen if place is not None]
    return [category for category, _ in chosen], (array == 1).T[places], places


def _headings(columns: Any) -> list[Any] | None:
    """Return what all systems call the columns of their matrices, if they do and agree."""
    named: list[list[Any]] = [list(v.columns) for _, v in columns if isinstance(v, pd.DataFrame)]
    if len(named) != len(list(columns)) or any(other != named[0] for other in named):
        return None
    return None if named[0] == list(range(len(named[0]))) else named[0]


def _in_order(
    headings: list[Any] | None,
    used: Sequence[Any],
    known: Sequence[Any],
    codes: NDArray[Any],
    scores: Mapping[str, Array],
    labels: Any,
) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """Return the classes in the order of the columns, and the codes of the truth in it."""
    width = next(iter(scores.values())).shape[1]
    order = labels if labels is not None else headings
    if order is None:
        order = sorted_labels({"truth": used})
    order = tuple(order)
    if headings is not None and order != tuple(headings) and set(order) == set(headings):
        raise invalid("labels", "in the order of the columns, or left out", labels)
    if len(order) != width:
        rule = f"{width} classes, one per column of scores; pass labels= to name all of them"
        raise invalid("labels", rule, f"{len(order)} classes")
    place = {label: i for i, label in enumerate(order)}
    for label in used:
        if label not in place:
            told = ", ".join(repr(x) for x in order[:10])
            raise invalid("labels", f"all classes that are true, {label!r} too", told)
    lookup = np.array([place.get(label, -1) for label in known], dtype=np.int64)
    return order, lookup[codes]


def _of_classes(
    found: Labels, codes: NDArray[np.int64], scores: Mapping[str, Array], known: Sequence[Any]
) -> ScoredClasses:
    """Judge all classes together, by the probability of what happened."""
    _check_lengths({"the truth": codes, **scores, **found.more}, found)
    data = ScoredClasses(
        (ONE,),
        codes,
        np.stack(list(scores.values())),
        _clusters(found),
        systems=default_names(len(scores)),
        source={**found.source, "classes": ", ".join(map(str, known))},
        notes=found.notes,
    )
    return _repeated(data, found.n)


def _clusters(found: Labels) -> NDArray[np.int64]:
    """Give every cluster a number."""
    values = found.more.get("cluster")
    if values is None:
        return NO_CLUSTERS
    codes, distinct = pd.factorize(np.asarray(values))
    if len(distinct) < 2:
        raise invalid("cluster", "a column of two clusters or more", f"{len(distinct)}")
    return np.asarray(codes, dtype=np.int64)


def _repeated(data: Scored, n: Any) -> Scored:
    """Write documents out as often as their weights say."""
    if n is None:
        return data
    rows = np.repeat(np.arange(len(n)), n)
    axis = 1 if isinstance(data, ScoredClasses) else -1
    return replace(
        data,
        truth=data.truth[..., rows],
        score=np.take(data.score, rows, axis=axis),
        cluster=data.cluster[rows] if len(data.cluster) else NO_CLUSTERS,
    )


def _check_lengths(columns: Mapping[str, Any], found: Labels) -> None:
    sizes = {name: len(values) for name, values in columns.items()}
    if found.n is not None:
        sizes["sample_weight"] = len(found.n)
    if len(set(sizes.values())) != 1:
        told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise InputError(f"The columns must have the same length, but {told}.")
    if not min(sizes.values()):
        raise InputError(f"There is nothing to compare: {', '.join(sizes)} are empty.")


def _check_both(name: str, data: ScoredDocuments) -> None:
    """Refuse a category that no document has, or that all have."""
    share = data.truth.mean(axis=1)
    for category, mean in zip(data.categories, share, strict=True):
        if mean in (0, 1):
            raise InputError(
                f"{name} has {'no' if mean == 0 else 'only'} documents of category {category!r}: "
                "it takes positive and negative ones to judge scores."
            )


def _few(data: ScoredDocuments) -> tuple[str, ...]:
    """Warn where a class has so few documents that they tell next to nothing."""
    positive = data.truth.sum(axis=1, dtype=np.int64)
    told = []
    for kind, counts in (("positive", positive), ("negative", data.truth.shape[1] - positive)):
        few = [(c, int(n)) for c, n in zip(data.categories, counts, strict=True) if n < FEW]
        if few:
            category, n = few[0]
            where = "" if len(data.categories) == 1 else f" in category {shown(category)}"
            more = f" (and in {len(few) - 1} more)" if len(few) > 1 else ""
            plural = "document" if n == 1 else "documents"
            told.append(
                f"There {'is' if n == 1 else 'are'} only {n} {kind} {plural}{where}{more}: so few "
                "tell next to nothing of how others would be scored, and the interval may be too "
                "narrow."
            )
    return tuple(told)


def _two_valued(scores: Mapping[str, Array]) -> tuple[str, ...]:
    """Point out columns with two scores only, which may be labels."""
    return tuple(
        f"{shown(name)} has only two different scores, {low:g} and {high:g}: its ROC curve has one "
        "corner. If these are labels, measure='balanced_accuracy' is meant."
        for name, values in scores.items()
        if values.ndim == 1 and len(distinct := np.unique(values)) == 2
        for low, high in [distinct]
    )
