"""From labels to counts: columns of labels to a tally, a tally to counts of each category."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stanoff.data.types import (
    AVERAGES,
    Codes,
    ConfusionCounts,
    Counts,
    LabelPairs,
    PairedCounts,
    PairedDocuments,
    PatternCounts,
    UnpairedCounts,
    count_patterns,
    default_names,
    sum_by,
)
from stanoff.errors import InputError, invalid, nearest

Counted = PairedCounts | PatternCounts | ConfusionCounts
Categories = list[tuple[str, int | None]]  # names, each with the index of its label, if it has one
Nested = (list, tuple, set, frozenset, np.ndarray)

MAX_REAL_LABELS = 20  # more real numbers than these are scores
MAX_INTEGER = np.iinfo(np.int64).max
MAX_COUNT = MAX_INTEGER // 16
MIN_DISAGREEMENTS = 10  # fewer documents than these may all be disagreements by chance
WHOLE_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.0)?")
ONE_OF_MANY = (
    "Documents with many labels need average= (macro, micro or weighted), or pos_label= to judge "
    "one category."
)


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct rows of some label columns, and how often each occurs.

    Attributes
    ----------
    labels : tuple
        Every label of any column, sorted.
    rows : ndarray
        Per distinct row and column the index of its label (R, C).
    n : ndarray
        How many documents have that row (R).
    """

    labels: tuple[Any, ...]
    rows: Codes
    n: Counts

    @property
    def label_pairs(self) -> list[LabelPairs]:
        """Per column the rows and the indices of their labels."""
        return [(np.arange(len(self.n)), column) for column in self.rows.T]


# Texts of files.


def match_label(label: Any, labels: Collection[Any]) -> Any:
    """Find the label that a text such as ``1.0`` or ``true`` stands for.

    Examples
    --------
    >>> match_label("1.0", [0, 1]), match_label("true", [False, True]), match_label("x", [0, 1])
    (1, True, 'x')
    """
    if not isinstance(label, (str, int, float)):
        return label
    parsed = parse_labels([label])[0] if isinstance(label, str) else label
    same = [x for x in labels if label == x or str(label) == str(x) or parsed == x]
    return same[0] if same else label


def match_labels(pos_label: Any, labels: Any, known: Collection[Any]) -> tuple[Any, Any]:
    """Find the labels that a caller means, who may have written them as texts."""
    if isinstance(labels, (list, tuple)):
        labels = [match_label(label, known) for label in labels]
    return match_label(pos_label, known), labels


def parse_labels(texts: list[str]) -> list[Any]:
    """Read texts as booleans, or as whole numbers, if all of them are."""
    if set(texts) <= {"True", "False"} or set(texts) <= {"true", "false"}:
        return [text[0] in "Tt" for text in texts]
    if all(WHOLE_NUMBER.fullmatch(text) for text in texts):
        return [int(text.removesuffix(".0")) for text in texts]
    return list(texts)


def parse_texts(columns: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the columns that hold texts only, as whole numbers or booleans if all of them are.

    Examples
    --------
    >>> {name: x.tolist() for name, x in parse_texts({"y": ["1", "0"], "a": [1, 0]}).items()}
    {'y': [1, 0]}
    """
    texts = {n: x for n, x in columns.items() if all(isinstance(text, str) for text in x)}
    encoded = [pd.factorize(np.asarray(values, dtype=object)) for values in texts.values()]
    parsed = iter(parse_labels([text for _, distinct in encoded for text in distinct]))
    lookups = [np.array([next(parsed) for _ in distinct]) for _, distinct in encoded]
    return {n: x[codes] for n, x, (codes, _) in zip(texts, lookups, encoded, strict=True)}


# Columns of labels.


def tally(columns: Mapping[str, Any], n: ArrayLike | None = None) -> Tally:
    """Count how often each combination of labels occurs.

    Parameters
    ----------
    columns : mapping
        Label columns of one length, by the name that an error shall mention.
    n : array_like, optional
        Documents per row, 1 by default.

    Examples
    --------
    >>> table = tally({"truth": ["a", "b", "b"], "a": ["a", "a", "a"]})
    >>> table.labels, table.rows.tolist(), table.n.tolist()
    (('a', 'b'), [[0, 0], [1, 0]], [1, 2])
    """
    labels, codes = encode_all(columns)
    sizes = {name: len(column) for name, column in zip(columns, codes, strict=True)}
    check_lengths(sizes if n is None else {**sizes, "sample_weight": np.size(n)})
    return _count_rows(labels, codes, n)


def _count_rows(
    labels: tuple[Any, ...], codes: Sequence[NDArray[Any]], n: ArrayLike | None = None
) -> Tally:
    joint = _joint_codes(codes, len(labels))
    first = np.flatnonzero(~pd.Series(joint).duplicated())  # a document with each combination
    rows = np.stack([column[first].astype(np.intp) for column in codes], axis=1)
    index, _ = pd.factorize(joint)  # numbers what occurs in the order in which it does
    return Tally(labels, rows, sum_by(index, None if n is None else np.asarray(n), len(first)))


def check_lengths(sizes: Mapping[str, int]) -> None:
    """Refuse columns of different lengths, and empty ones."""
    if len(set(sizes.values())) != 1:
        listed = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise InputError(f"The columns must have the same length, but {listed}.")
    if not min(sizes.values()):
        raise InputError(f"There is nothing to compare: {', '.join(sizes)} are empty.")


def _joint_codes(columns: Sequence[NDArray[Any]], width: int) -> NDArray[Any]:
    """Give every row a number, the same to the same labels.

    What occurs is numbered again where there are more combinations than whole numbers.
    """
    small = np.min_scalar_type(min(width ** len(columns), MAX_INTEGER))
    joint, size = columns[0].astype(small), width
    for column in columns[1:]:
        if size > MAX_INTEGER // width:
            codes, distinct = pd.factorize(joint)
            joint, size = codes.astype(small), len(distinct)
        joint = joint * small.type(width) + column.astype(small)
        size *= width
    return joint


def encode_all(columns: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[NDArray[Any]]]:
    """Give the labels of several columns the same numbers, in the order of the labels."""
    encoded = [encode(name, values) for name, values in columns.items()]
    union = sorted_labels(dict(zip(columns, (labels for _, labels in encoded), strict=True)))
    index = {label: i for i, label in enumerate(union)}
    small = np.min_scalar_type(len(union))
    lookups = (np.array([index[label] for label in labels], dtype=small) for _, labels in encoded)
    return union, [lookup[codes] for lookup, (codes, _) in zip(lookups, encoded, strict=True)]


def encode(name: str, values: Any) -> tuple[NDArray[Any], list[Any]]:
    """Give every label of a column a small number, and the labels those numbers stand for."""
    values = _as_column(name, values)
    try:
        codes, labels = pd.factorize(values)
    except (TypeError, UnicodeEncodeError):  # dictionaries, texts that are no Unicode
        raise invalid(name, "a column of plain labels", next(iter(values))) from None
    if codes.min(initial=0) < 0:
        missing_rows(name, codes < 0)
    refuse_scores(name, labels, rows=len(codes))
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    return codes.astype(np.min_scalar_type(len(plain))), plain


def _as_column(name: str, values: Any) -> Any:
    """Turn whatever holds labels in a row into something that pandas can number."""
    if isinstance(values, (str, bytes, Mapping, Set)) or hasattr(values, "columns"):
        raise invalid(name, "a column of labels", type(values).__name__)
    if not isinstance(values, (np.ndarray, pd.Series, pd.Index, pd.Categorical)):
        try:
            values = pd.Series(list(values), dtype=object)
        except TypeError:
            raise invalid(name, "a column of labels", values) from None
    if values.ndim != 1:
        raise InputError(f"{name} must be one-dimensional. Got the shape {values.shape} instead.")
    return pd.Series(values) if values.dtype.kind in "mM" else values


def number(role: str, column: Any) -> NDArray[np.int64]:
    """Give every cluster, data set or the like a number, and return that of each row.

    Examples
    --------
    >>> number("cluster", ["x", "y", "x"]).tolist()
    [0, 1, 0]
    """
    codes, _ = pd.factorize(np.asarray(column))
    missing_rows(role, codes < 0)
    return codes.astype(np.int64)


def missing_rows(
    name: str, missing: Any, what: str = "label", where: str | None = None, n: int | None = None
) -> None:
    """Refuse a column in which something is missing, and say where the first is.

    Parameters
    ----------
    name : str
        What to call the column.
    missing : ndarray of bool
        The rows in which it is missing.
    what : str
        What is missing.
    where : str, optional
        Where the first is, in words; its row by default.
    n : int, optional
        How many are missing, where a row stands for several.
    """
    missing = np.asarray(missing)
    if not missing.any():
        return
    count = int(missing.sum()) if n is None else n
    first = f"in row {int(missing.argmax()) + 1}" if where is None else where
    plural = "" if count == 1 else "s"
    raise InputError(
        f"{name} has {count:,} missing {what}{plural}{', the first ' + first if first else ''}."
    )


def refuse_scores(name: str, labels: Iterable[Any], rows: int) -> None:
    """Refuse a column of very many real numbers: these are scores, not labels."""
    distinct = list(labels)
    few = len(distinct) <= MAX_REAL_LABELS and 2 * len(distinct) <= rows
    if len(distinct) <= 2 or few:
        return
    try:
        numbers = np.array(distinct, dtype=np.float64)
    except (TypeError, ValueError):
        return
    if np.mean(numbers != np.round(numbers)) > 0.5:
        raise InputError(
            f"{name} looks like scores, not labels: it has {len(distinct):,} different real "
            f"numbers, such as {distinct[0]}. Pass what was predicted, for example scores >= 0.5."
        )


def sorted_labels(columns: Mapping[str, Iterable[Any]]) -> tuple[Any, ...]:
    """Gather the labels of several columns, which must be all text or none."""
    first_column = {label: name for name in reversed([*columns]) for label in columns[name]}
    texts = [label for label in first_column if isinstance(label, str)]
    others = [label for label in first_column if not isinstance(label, str)]
    if texts and others:
        examples = sorted((texts[0], others[0]), key=lambda x: [*columns].index(first_column[x]))
        shown = " and ".join(f"{first_column[label]} has {label!r}" for label in examples)
        raise InputError(f"The labels must be all of one kind, but {shown}.")
    try:
        return tuple(sorted(first_column))
    except TypeError:
        return tuple(sorted(first_column, key=str))


# Which categories are counted.


def select_categories(
    known: tuple[Any, ...],
    pos_label: Any,
    labels: Sequence[Any] | None,
    average: str | None,
) -> Categories:
    """Name the categories to count, each with its index among the labels that there are."""
    if average is not None:
        if average not in AVERAGES:
            raise invalid("average", "None, 'macro', 'micro' or 'weighted'", average)
        if pos_label is not None:
            raise invalid("pos_label", "None where 'average' judges all categories", pos_label)
        wanted = known if labels is None else _as_labels(labels)
        index = {label: i for i, label in enumerate(known)}
        if not any(label in index for label in wanted):
            raise InputError(
                f"None of the labels {_listed(wanted)} occurs: there are {_listed(known)}."
                f"{_did_you_mean(wanted[0], known)}"
            )
        return [(str(label), index.get(label)) for label in wanted]
    if labels is not None:
        raise invalid("labels", "None unless 'average' is given", labels)
    if pos_label is None and len(known) > 2:
        raise InputError(
            f"There are {len(known)} labels ({_listed(known)}): pass pos_label= to judge one of "
            "them against the rest, or average= (macro, micro or weighted) to judge them together."
        )
    positive = 1 if pos_label is None else pos_label
    if not isinstance(positive, Hashable) or positive is pd.NA:
        raise invalid("pos_label", "one label", pos_label)
    if positive in known:
        return [(str(positive), known.index(positive))]
    if positive == 1 and len(known) == 1 and known[0] in (0, -1):
        return [("1", None)]  # nobody ever said yes, and nothing was positive
    if pos_label is None:
        raise InputError(
            f"The labels are {_listed(known)}: pass pos_label= to say which of them is positive."
        )
    raise invalid("pos_label", f"one of {_listed(known)}", positive)


def refuse_similar_labels(known: Iterable[Any], labels: Any = None) -> None:
    """Refuse two labels that differ in case or blanks only, unless ``labels`` names both.

    Examples
    --------
    >>> refuse_similar_labels(["spam", "Spam "], ["Spam ", "spam"])
    """
    wanted = labels if isinstance(labels, (list, tuple)) else ()
    first_spelling: dict[str, Any] = {}
    for label in known:
        other = first_spelling.setdefault(" ".join(str(label).split()).casefold(), label)
        if other is not label and not (other in wanted and label in wanted):
            raise InputError(
                f"The labels {other!r} and {label!r} differ in case or blanks only, and would "
                "count as two: spell them alike or, if two are meant, name both in labels=, with "
                "average=."
            )


def unused_labels(categories: Categories, known: Sequence[Any]) -> tuple[str, ...]:
    """Question the categories that were asked for and that nothing has.

    Examples
    --------
    >>> unused_labels([("sprot", None), ("art", 0)], ["art", "sport"])
    ("'sprot' of labels= occurs nowhere, and counts in the average. Did you mean 'sport'?",)
    """
    return tuple(
        f"{name!r} of labels= occurs nowhere, and counts in the average."
        f"{_did_you_mean(name, known)}"
        for name, index in categories
        if index is None
    )


def _did_you_mean(label: Any, known: Sequence[Any]) -> str:
    near = nearest(label, [str(other) for other in known])
    return f" Did you mean {near!r}?" if near else ""


def _as_labels(labels: Any) -> tuple[Any, ...]:
    try:
        wanted = tuple(labels)
        distinct = len(set(wanted))
    except TypeError:
        raise invalid("labels", "a list of labels", labels) from None
    if isinstance(labels, str) or not wanted or distinct != len(wanted):
        raise invalid("labels", "different labels, at least one", labels)
    return wanted


def _name_columns(known: tuple[Any, ...], labels: Any) -> tuple[tuple[Any, ...], Any]:
    """Return what the columns of a matrix are called, and which of them are meant.

    Columns without names have numbers; ``labels`` picks some of these, or names all of them.
    """
    if labels is None or known != tuple(range(len(known))):
        return known, labels
    wanted = _as_labels(labels)
    if set(wanted) <= set(known):
        return known, labels
    if len(wanted) != len(known):
        raise invalid("labels", f"{len(known)} different names, one per column", labels)
    return wanted, None


def _listed(labels: Sequence[Any], limit: int = 20) -> str:
    listed = ", ".join(repr(label) for label in labels[:limit])
    return listed if len(labels) <= limit else f"{listed}, ... {len(labels) - limit} more"


# Counts.


def count_labels(
    columns: Mapping[str, Any],
    n: Counts | None = None,
    *,
    pos_label: Any = None,
    labels: Any = None,
    average: str | None = None,
) -> Counted:
    """Count what two or more systems said about the same documents.

    Single-label classes that are to be averaged are kept together; every other category is
    counted against the rest.

    Parameters
    ----------
    columns : mapping
        The truth, then every system, by the names that an error shall mention: columns of labels,
        or several labels per document.
    n : ndarray, optional
        Documents per row, 1 by default.
    pos_label, labels, average : optional
        Which categories are judged, as in :func:`stanoff.compare`.

    Examples
    --------
    >>> counts = count_labels({"y": [1, 1, 0], "a": [1, 1, 1], "b": [1, 0, 0]})
    >>> counts.pos.tolist(), counts.neg.tolist()
    ([[1, 1, 0, 0]], [[0, 1, 0, 0]])
    """
    counts: Counted
    if is_multilabel(columns):
        counts = count_multilabel(columns, n, pos_label=pos_label, labels=labels, average=average)
    else:
        counted = tally(columns, n)
        pos_label, labels = match_labels(pos_label, labels, counted.labels)
        if average is not None and pos_label is not None:
            raise invalid("pos_label", "None where 'average' judges all categories", pos_label)
        refuse_similar_labels(counted.labels, labels)
        _check_classes(next(iter(columns)), counted, pos_label, average)
        if average is not None:
            counts = count_confusion(counted, labels=labels, average=average)
        else:
            counts = count_categories(counted, pos_label=pos_label, labels=labels)
        counts = replace(counts, notes=(*counts.notes, *_odd_labels(counted, pos_label)))
    return replace(counts, source={} if average else {"pos_label": counts.categories[0]})


def count_categories(
    counted: Tally,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> PairedCounts | PatternCounts:
    """Count who says yes, one category against the rest, from a tally of truth and predictions."""
    categories = select_categories(counted.labels, pos_label, labels, average)
    return count_patterns(categories, counted.label_pairs, counted.n).as_pair()


def count_confusion(
    counted: Tally, *, labels: Sequence[Any] | None = None, average: str = "macro"
) -> ConfusionCounts:
    """Keep a tally of truth and predictions as it is, ordered by the true class.

    Parameters
    ----------
    counted : Tally
        The truth, then a column for each system.
    labels : sequence, optional
        The classes to judge, all by default.
    average : str
        How they will be averaged.
    """
    categories = select_categories(counted.labels, None, labels, average)
    judged = [index for _, index in categories]
    others = [index for index in range(len(counted.labels)) if index not in set(judged)]
    # A label that no document has keeps its number for itself.
    code = {old: new for new, old in enumerate([*judged, *others])}
    rows = np.array([code[index] for index in range(len(counted.labels))])[counted.rows]
    order = np.lexsort(rows.T[::-1])
    return ConfusionCounts(
        tuple(name for name, _ in categories),
        rows[order],
        counted.n[order],
        systems=default_names(rows.shape[1] - 1),
        notes=unused_labels(categories, counted.labels),
    )


def _check_classes(name: str, counted: Tally, pos_label: Any, average: str | None) -> None:
    """Refuse a truth that has one class only: nothing can be learned of the other."""
    true = {counted.labels[i] for i in np.unique(counted.rows[counted.n > 0, 0])}
    if len(true) != 1:
        return  # without any document the models refuse it
    if average is None and len(counted.labels) > 2 and pos_label is None:
        return  # they ask for pos_label=
    [label] = true
    if average is None and label != (1 if pos_label is None else pos_label):
        [(category, _)] = select_categories(counted.labels, pos_label, None, None)
        raise InputError(
            f"{name} has no positive documents: all are {label!r}, none is {category!r}. "
            "It takes both to compare."
        )
    raise InputError(
        f"{name} has one class only ({label!r}): documents of another class are missing. It "
        "takes both to compare."
    )


def _odd_labels(counted: Tally, pos_label: Any) -> tuple[str, ...]:
    """Say which of two odd numbers is positive, and that there are nothing but disagreements."""
    notes = []
    labels, documents = set(counted.labels), int(counted.n.sum())
    if pos_label is None and len(labels) == 2 and 1 in labels and not labels & {0, -1}:
        [other] = labels - {1}
        notes.append(
            f"The labels are 1 and {other!r}, and 1 is taken for the positive one: pass "
            "pos_label= to say so or otherwise."
        )
    disagree = (counted.rows[:, 1:] != counted.rows[:, 1:2]).any(axis=1)
    if disagree.all() and documents >= MIN_DISAGREEMENTS:
        notes.append(
            f"The systems disagree on each of {documents:,} documents: if those on which they "
            "agree were left out, the scores are not those of the systems."
        )
    return tuple(notes)


def count_documents(
    columns: Mapping[str, Any], n: Counts | None = None, **categories: Any
) -> PairedDocuments:
    """Count what two systems said, and keep the documents one by one, in the order of the rows.

    Parameters
    ----------
    columns, n, **categories
        As in :func:`count_labels`.
    """
    if is_multilabel(columns):
        raise InputError("A program that asks for documents needs one label per document.")
    counts: Any = count_labels(columns, n, **categories).one_vs_rest()
    known, codes = encode_all(columns)
    names = np.array(
        [[str(label) == category for label in known] for category in counts.categories]
    )
    documents = slice(None) if n is None else np.repeat(np.arange(len(n)), n)
    truth, *said = (names[:, column[documents]].astype(np.int64) for column in codes)
    both = counts.pos, counts.neg, truth, np.stack(said, axis=-1)
    return PairedDocuments(counts.categories, *both, **counts.metadata())


def count_two_test_sets(
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> UnpairedCounts:
    """Count the cells of two systems, each from columns of its own: truth and predictions.

    Parameters
    ----------
    a, b : mapping
        Two columns of labels, by the names that an error shall mention, all different.
    pos_label, labels, average : optional
        Which categories are judged, as in :func:`stanoff.compare`.
    """
    if is_multilabel(a) or is_multilabel(b):
        raise InputError("Two different test sets need one label per document.")
    known, codes = encode_all({**a, **b})
    for columns, pair in ((a, codes[:2]), (b, codes[2:])):
        check_lengths(dict(zip(columns, map(len, pair), strict=True)))
    refuse_similar_labels(known, labels)
    categories = select_categories(known, pos_label, labels, average)
    tallies = [_count_rows(known, pair) for pair in (codes[:2], codes[2:])]
    cells = [count_patterns(categories, t.label_pairs, t.n).cells[0] for t in tallies]
    names = tuple(name for name, _ in categories)
    return UnpairedCounts(names, *cells, notes=unused_labels(categories, known) if average else ())


def check_counts(name: str, values: ArrayLike) -> Counts:
    """Check counts that the caller made: whole, not negative, four to a row.

    Examples
    --------
    >>> check_counts("c_pos", [3, 1, 0, 2]).tolist()
    [[3, 1, 0, 2]]
    """
    try:
        array = np.atleast_2d(np.asarray(values, dtype=object))
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 4:
        raise invalid(name, "four counts, or a row of four per category", values)
    for count in array.ravel():
        if (
            isinstance(count, bool)
            or not isinstance(count, (int, float, np.integer))
            or count % 1 != 0
        ):
            raise invalid(name, "whole numbers", count)
        if not 0 <= count <= MAX_COUNT:
            raise invalid(name, "counts >= 0" if count < 0 else "counts below 2^59", count)
    return array.astype(np.int64)


def check_weights(weights: Any) -> Counts:
    """Read weights of documents: whole numbers, which say how often each of them occurs.

    Examples
    --------
    >>> check_weights([1, 2.0, 0]).tolist()
    [1, 2, 0]
    """
    rule = "a column of whole numbers"
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid("sample_weight", rule, type(weights).__name__) from None
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise invalid("sample_weight", rule, f"the shape {numbers.shape}")
    odd = numbers[~((numbers >= 0) & (numbers == np.round(numbers)))]
    if len(odd):
        raise InputError(
            "The 'sample_weight' parameter must be made of whole numbers >= 0, which say how many "
            "documents a row stands for: the models take counts, and know no part of a document. "
            f"Got {odd[0]:g} instead."
        )
    return numbers.astype(np.int64)


# Documents with any number of labels: indicator matrices and label sets.


def is_multilabel(columns: Mapping[str, Any]) -> bool:
    """Return whether any column holds more than one label per document."""
    return any(is_matrix(values) or _holds_sets(values) for values in columns.values())


def is_matrix(values: Any) -> bool:
    """Return whether this is a table of numbers, dense or sparse."""
    return hasattr(values, "tocsr") or (
        isinstance(values, (np.ndarray, pd.DataFrame)) and values.ndim == 2
    )


def _holds_sets(values: Any) -> bool:
    if not isinstance(values, (list, tuple, pd.Series, np.ndarray)):
        return False
    if isinstance(values, np.ndarray) and values.dtype != object:
        return False
    return isinstance(next((v for v in values if v is not None and v is not pd.NA), None), Nested)


def count_multilabel(
    columns: Mapping[str, Any],
    n: Counts | None = None,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
) -> PairedCounts | PatternCounts:
    """Count who says yes, category by category, from the truth and two or more systems.

    Parameters
    ----------
    columns : mapping
        Indicator matrices (dense or sparse, a column per category) or label sets (a list or set of
        labels per document), by the names that an error shall mention.
    n : array_like, optional
        Documents per row, 1 by default.
    pos_label, labels, average : object or sequence or str, optional
        Which categories are judged, as in :func:`stanoff.compare`.

    Examples
    --------
    >>> sets = {"truth": [{"x"}, {"x", "y"}], "a": [{"x"}, {"y"}], "b": [set(), {"x", "y"}]}
    >>> counts = count_multilabel(sets, average="macro")
    >>> counts.categories, counts.pos.tolist()
    (('x', 'y'), [[0, 1, 1, 0], [1, 0, 0, 0]])
    """
    known, pairs = _read_multilabel(columns)
    if pos_label is None and average is None:
        raise InputError(ONE_OF_MANY)
    rows = n_rows(next(iter(columns.values())))
    weights = np.ones(rows, dtype=np.int64) if n is None else np.asarray(n, dtype=np.int64)
    if len(weights) != rows:
        raise invalid("sample_weight", f"{rows:,} numbers, one per document", len(weights))
    if is_matrix(next(iter(columns.values()))):
        known, labels = _name_columns(known, labels)
    else:
        pos_label, labels = match_labels(pos_label, labels, known)
        refuse_similar_labels(known, labels)
    categories = select_categories(known, pos_label, labels, average)
    counts = count_patterns(categories, pairs, weights).as_pair()
    return replace(counts, notes=unused_labels(categories, known) if average else ())


def read_labels(
    columns: Mapping[str, Any], labels: Any = None
) -> tuple[tuple[Any, ...], list[LabelPairs]]:
    """Return every label of any column, and per column the rows and the indices of their labels.

    Examples
    --------
    >>> known, [(rows, codes)] = read_labels({"truth": [["x"], [], ["y", "x"]]})
    >>> known, rows.tolist(), codes.tolist()
    (('x', 'y'), [0, 2, 2], [0, 1, 0])
    """
    if not is_multilabel(columns):
        known, codes = encode_all(columns)
        return known, [(np.arange(len(column)), column.astype(np.intp)) for column in codes]
    known, pairs = _read_multilabel(columns)
    return _name_columns(known, labels)[0], pairs


def n_rows(values: Any) -> int:
    """Return the number of documents of a column of labels, label sets or indicators."""
    return values.shape[0] if is_matrix(values) else len(values)


def _read_multilabel(columns: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[LabelPairs]]:
    """Read indicator matrices or label sets, which must not be mixed."""
    for name, values in columns.items():
        _refuse_probabilities(name, values)
    matrices = [is_matrix(values) for values in columns.values()]
    if any(matrices) and not all(matrices):
        raise InputError("Pass indicator matrices or label sets, not a mixture of both.")
    return _read_matrices(columns) if all(matrices) else _read_sets(columns)


def _refuse_probabilities(name: str, values: Any) -> None:
    """Refuse a matrix of probabilities, a column per class, which is not what was predicted."""
    sample = values.data if hasattr(values, "tocsr") else values
    try:
        numbers = np.asarray(sample if is_matrix(values) else [*sample][:1000], dtype=np.float64)
    except (TypeError, ValueError):  # texts, sets, lists of different lengths
        return
    between = numbers[(numbers > 0) & (numbers < 1)]
    if len(between):
        raise InputError(
            f"{name} looks like probabilities, not labels: it has {between[0]:g}. Pass what was "
            "predicted: for classes the one with the highest probability, such as "
            "classes[p.argmax(axis=1)], for several labels per document p >= 0.5."
        )


def _read_matrices(columns: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[LabelPairs]]:
    """Read indicator matrices: the categories, and who has which.

    Columns of data frames are put into one order, by their names.
    """
    headings = {name: [*v.columns] for name, v in columns.items() if isinstance(v, pd.DataFrame)}
    first: list[Any] = next(iter(headings.values()), [])
    for name, heading in headings.items():
        if len(heading) != len(first) or set(heading) != set(first):
            raise InputError(
                f"The columns of {name} must be {', '.join(map(str, first))}, but are "
                f"{', '.join(map(str, heading))}."
            )
    matrices = {
        name: as_indicators(name, values[first] if name in headings else values)
        for name, values in columns.items()
    }
    shapes = {name: matrix.shape for name, matrix in matrices.items()}
    if len(set(shapes.values())) != 1:
        listed = ", ".join(f"{name} has {rows} x {cols}" for name, (rows, cols) in shapes.items())
        raise InputError(f"The columns must have the same shape, but {listed}.")
    rows, width = next(iter(shapes.values()))
    check_lengths(dict.fromkeys(shapes, min(rows, width)))
    return tuple(first or range(width)), [matrix.nonzero() for matrix in matrices.values()]


def as_indicators(name: str, values: Any) -> Any:
    """Read a matrix of 0 and 1 as a sparse one.

    Examples
    --------
    >>> as_indicators("y", [[0, 1], [1, 1]]).nonzero()[1].tolist()
    [1, 0, 1]
    """
    from scipy.sparse import csr_array

    dense = values if hasattr(values, "tocsr") else np.asarray(values)
    try:
        matrix = csr_array(dense.astype(np.float64) if dense.dtype == object else dense)
    except (TypeError, ValueError):
        raise invalid(name, "made of 0 and 1", np.ravel(values)[0]) from None
    matrix.sum_duplicates()
    odd = matrix.data[~np.isin(matrix.data, (0, 1))]
    if len(odd):
        raise invalid(name, "made of 0 and 1", odd[0].item())
    return matrix


def _read_sets(columns: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[LabelPairs]]:
    """Read label sets: the labels, and who has which."""
    documents, labels = {}, {}
    for name, rows in columns.items():
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, Nested):
                raise InputError(
                    f"{name} must hold a list or set of labels in every row, but has {row!r} in "
                    f"row {number}."
                )
        lengths = [len(row) for row in rows]
        documents[name] = np.repeat(np.arange(len(rows)), lengths)
        labels[name] = [label for row in rows for label in row]
        missing = pd.Series(labels[name], dtype=object).isna().to_numpy()
        where = f"in row {documents[name][missing.argmax()] + 1}" if missing.any() else ""
        missing_rows(name, missing, where=where)
        # Rows such as [0, 1, 1] are meant as a matrix, and would be read as {0, 1}.
        repeated = any(len({*map(str, row)}) < len(row) for row in rows)
        if repeated and len({*lengths}) == 1 and all(label in (0, 1) for label in labels[name]):
            raise invalid(name, "a NumPy array if its rows are indicators", "lists of 0 and 1")
    check_lengths({name: len(rows) for name, rows in columns.items()})
    known, codes = encode_all(labels)
    if not known:
        raise InputError(f"There is nothing to compare: {', '.join(columns)} are empty.")
    return known, list(zip(documents.values(), (x.astype(np.intp) for x in codes), strict=True))
