"""From labels to counts: columns of labels as numbers, and counts of each category."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stanoff._lib.arguments import check_int
from stanoff.data import types
from stanoff.data.types import (
    Categories,
    Codes,
    ConfusionCounts,
    Counts,
    LabelPairs,
    UnpairedCounts,
)
from stanoff.errors import InputError, invalid, nearest

Labels = tuple[Any, ...]
Nested = (list, tuple, set, frozenset, np.ndarray)

MAX_REAL_LABELS = 20  # more real numbers than these are scores
MAX_INTEGER = np.iinfo(np.int64).max
MAX_COUNT = MAX_INTEGER // 16
MAX_LISTED = 20
MIN_DISAGREEMENTS = 10  # fewer documents than these may all be disagreements by chance
WHOLE_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.0)?")
ONE_OF_MANY = (
    "Documents with many labels need average= (macro, micro or weighted), or pos_label= to judge "
    "one category."
)


# Counts.


def count_labels(
    columns: Mapping[str, Any],
    n: Counts | None = None,
    *,
    pos_label: Any = None,
    labels: Any = None,
    average: str | None = None,
) -> types.PairedCounts | types.PatternCounts | ConfusionCounts:
    """Count what two or more systems said about the same documents.

    Single-label classes that are to be averaged are kept together; every other category is
    counted against the rest.

    Parameters
    ----------
    columns : mapping
        The truth, then every system, by the names that an error shall mention: columns of labels,
        or several labels per document as indicator matrices (dense or sparse, a column per
        category) or label sets (a list or set of labels per document).
    n : ndarray, optional
        Documents per row, 1 by default.
    pos_label, labels, average : optional
        Which categories are judged, as in :func:`stanoff.compare`.

    Examples
    --------
    >>> counts = count_labels({"y": [1, 1, 0], "a": [1, 1, 1], "b": [1, 0, 0]})
    >>> counts.pos.tolist(), counts.neg.tolist()
    ([[1, 1, 0, 0]], [[0, 1, 0, 0]])
    >>> sets = {"truth": [{"x"}, {"x", "y"}], "a": [{"x"}, {"y"}], "b": [set(), {"x", "y"}]}
    >>> counts = count_labels(sets, average="macro")
    >>> counts.categories, counts.pos.tolist()
    (('x', 'y'), [[0, 1, 1, 0], [1, 0, 0, 0]])
    """
    known, pairs = read_labels(columns, labels)
    first, several = next(iter(columns)), is_multilabel(columns)
    size = n_rows(columns[first])
    if n is not None:
        check_lengths({first: size, "sample_weight": len(n)})
    if several and pos_label is None and average is None:
        raise InputError(ONE_OF_MANY)
    categories = select_categories(known, pos_label, labels, average)
    counts: types.PairedCounts | types.PatternCounts | ConfusionCounts
    notes = unused_labels(categories, known) if average else ()
    if several:
        n = np.ones(size, dtype=np.int64) if n is None else np.asarray(n, dtype=np.int64)
        counts = types.count_patterns(categories, pairs, n).as_pair()
    else:
        rows, n = tally([codes for _, codes in pairs], len(known), n)
        _check_classes(first, known, np.unique(rows[n > 0, 0]), categories, average)
        notes += _odd_labels(known, rows, n, pos_label)
        if average is None:
            counts = types.count_patterns(categories, _pairs_of(rows), n).as_pair()
        else:
            counts = _count_classes(categories, len(known), rows, n)
    return replace(
        counts, source={} if average else {"pos_label": counts.categories[0]}, notes=notes
    )


def _count_classes(categories: Categories, labels: int, rows: Codes, n: Counts) -> ConfusionCounts:
    """Keep a tally of truth and predictions as it is, ordered by the true class."""
    judged = [index for _, index in categories]
    # A label that no document has keeps its number for itself.
    order = [*judged, *(index for index in range(labels) if index not in judged)]
    code = {old: new for new, old in enumerate(order)}
    rows = np.array([code[index] for index in range(labels)])[rows]
    by_class = np.lexsort(rows.T[::-1])
    names = tuple(name for name, _ in categories)
    systems = types.default_names(rows.shape[1] - 1)
    return ConfusionCounts(names, rows[by_class], n[by_class], systems=systems)


def _check_classes(
    name: str, known: Labels, true: Codes, categories: Categories, average: str | None
) -> None:
    """Refuse a truth that has one class only: nothing can be learned of the other."""
    if len(true) != 1:
        return  # without any document the models refuse it
    label, (category, positive) = known[true[0]], categories[0]
    reason = f"one class only ({label!r}): documents of another class are missing"
    if average is None and true[0] != positive:
        reason = f"no positive documents: all are {label!r}, none is {category!r}"
    raise InputError(f"{name} has {reason}. It takes both to compare.")


def _odd_labels(known: Labels, rows: Codes, n: Counts, pos_label: Any) -> tuple[str, ...]:
    """Say which of two odd numbers is positive, and that there are nothing but disagreements."""
    notes = []
    if pos_label is None and len(known) == 2 and 1 in known and not {0, -1} & {*known}:
        [other] = {*known} - {1}
        taken = f"The labels are 1 and {other!r}, and 1 is taken for the positive one"
        notes.append(f"{taken}: pass pos_label= to say so or otherwise.")
    disagree = (rows[:, 1:] != rows[:, 1:2]).any(axis=1)
    if disagree.all() and n.sum() >= MIN_DISAGREEMENTS:
        notes.append(
            f"The systems disagree on each of {n.sum():,} documents: if those on which they "
            "agree were left out, the scores are not those of the systems."
        )
    return tuple(notes)


def count_documents(
    columns: Mapping[str, Any], n: Counts | None = None, **categories: Any
) -> types.PairedDocuments:
    """Count what two systems said, and keep the documents one by one, in the order of the rows.

    Parameters
    ----------
    columns, n, **categories
        As in :func:`count_labels`.
    """
    if is_multilabel(columns):
        raise InputError("A program that asks for documents needs one label per document.")
    counts: Any = count_labels(columns, n, **categories).one_vs_rest()
    _, truth, said = label_documents(columns, **categories)
    if n is not None:
        truth, said = np.repeat(truth, n, axis=1), np.repeat(said, n, axis=2)
    both = counts.pos, counts.neg, truth, np.moveaxis(said, 0, -1)
    return types.PairedDocuments(counts.categories, *both, **counts.metadata())


def label_documents(
    columns: Mapping[str, Any], **options: Any
) -> tuple[tuple[str, ...], Counts, Counts]:
    """Say of every document which categories are true, and which each system predicts.

    Parameters
    ----------
    columns, **options
        As in :func:`count_labels`, with one label per document.

    Returns
    -------
    tuple
        The names of the categories, the truth (category, document), and what is predicted (system,
        category, document).

    Examples
    --------
    >>> label_documents({"y": ["no", "yes"], "a": ["yes", "yes"]}, pos_label="yes")[1:]
    (array([[0, 1]]), array([[[1, 1]]]))
    """
    known, pairs = read_labels(columns, options.get("labels"))
    categories = select_categories(known, **options)
    indices = np.array([-1 if index is None else index for _, index in categories])
    truth, *said = ((codes == indices[:, None]).astype(np.int64) for _, codes in pairs)
    return tuple(name for name, _ in categories), truth, np.stack(said)


def count_two_test_sets(
    a: Mapping[str, Any], b: Mapping[str, Any], **options: Any
) -> UnpairedCounts:
    """Count the cells of two systems, each from columns of its own: truth and predictions.

    Parameters
    ----------
    a, b : mapping
        Two columns of labels, by the names that an error shall mention, all different.
    **options
        Which categories are judged, as in :func:`count_labels`.
    """
    if is_multilabel({**a, **b}):
        raise InputError("Two different test sets need one label per document.")
    known, codes = encode_all({**a, **b})
    refuse_similar_labels(known, options.get("labels"))
    categories = select_categories(known, **options)
    cells = []
    for columns, pair in ((a, codes[:2]), (b, codes[2:])):
        check_lengths(dict(zip(columns, map(len, pair), strict=True)))
        rows, n = tally(pair, len(known))
        cells.append(types.count_patterns(categories, _pairs_of(rows), n).cells[0])
    names = tuple(name for name, _ in categories)
    notes = unused_labels(categories, known) if options.get("average") else ()
    return UnpairedCounts(names, *cells, notes=notes)


def tally(
    codes: Sequence[NDArray[Any]], labels: int, n: ArrayLike | None = None
) -> tuple[Codes, Counts]:
    """Count how often each combination of labels occurs.

    Parameters
    ----------
    codes : sequence of ndarray
        Columns of numbers of labels, of one length.
    labels : int
        How many labels there are.
    n : array_like, optional
        Documents per row, 1 by default.

    Returns
    -------
    tuple
        The distinct rows (R, column), and how many documents have each (R).

    Examples
    --------
    >>> rows, n = tally([np.array([0, 1, 1]), np.array([0, 0, 0])], 2)
    >>> rows.tolist(), n.tolist()
    ([[0, 0], [1, 0]], [1, 2])
    """
    joint = _joint_codes(codes, labels)
    first = np.flatnonzero(~pd.Series(joint).duplicated())  # a document with each combination
    rows = np.stack([column[first].astype(np.intp) for column in codes], axis=1)
    index, _ = pd.factorize(joint)  # numbers what occurs in the order in which it does
    if n is None:
        return rows, np.bincount(index, minlength=len(first)).astype(np.int64)
    return rows, types.sum_by(index, np.asarray(n), len(first))


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


def _pairs_of(rows: Codes) -> list[LabelPairs]:
    """Return the rows and the indices of their labels, column by column."""
    return [(np.arange(len(rows)), column) for column in rows.T]


# Columns of labels, as numbers.


def read_labels(columns: Mapping[str, Any], labels: Any = None) -> tuple[Labels, list[LabelPairs]]:
    """Return every label of any column, and per column the rows and the indices of their labels.

    Parameters
    ----------
    columns : mapping
        As in :func:`count_labels`.
    labels : optional
        Those that the caller means, who may name the columns of matrices by them.

    Examples
    --------
    >>> known, [(rows, codes)] = read_labels({"truth": [["x"], [], ["y", "x"]]})
    >>> known, rows.tolist(), codes.tolist()
    (('x', 'y'), [0, 2, 2], [0, 1, 0])
    """
    if is_multilabel(columns):
        for name, values in columns.items():
            _refuse_probabilities(name, values)
        matrices = [is_matrix(values) for values in columns.values()]
        if any(matrices) and not all(matrices):
            raise InputError("Pass indicator matrices or label sets, not a mixture of both.")
        if all(matrices):
            return _read_matrices(columns, labels)
        known, pairs = _read_sets(columns)
    else:
        known, codes = encode_all(columns)
        check_lengths(dict(zip(columns, map(len, codes), strict=True)))
        pairs = list(zip([np.arange(len(codes[0]))] * len(codes), codes, strict=True))
    refuse_similar_labels(known, labels)
    return known, pairs


def encode_all(columns: Mapping[str, Any]) -> tuple[Labels, list[NDArray[Any]]]:
    """Give the labels of several columns the same numbers, in the order of the labels."""
    encoded = {name: _encode(name, values) for name, values in columns.items()}
    first_of_kind: dict[bool, str] = {}
    for name, (_, labels) in encoded.items():
        for label in labels:
            first_of_kind.setdefault(isinstance(label, str), f"{name} has {label!r}")
    if len(first_of_kind) > 1:
        shown = " and ".join(first_of_kind.values())
        raise InputError(f"The labels must be all of one kind, but {shown}.")
    distinct = dict.fromkeys(x for _, labels in reversed(encoded.values()) for x in labels)
    try:
        known = tuple(sorted(distinct))
    except TypeError:
        known = tuple(sorted(distinct, key=str))
    index = {label: i for i, label in enumerate(known)}
    small = np.min_scalar_type(len(known))
    lookups = (np.array([index[label] for label in x], dtype=small) for _, x in encoded.values())
    return known, [x[codes] for x, (codes, _) in zip(lookups, encoded.values(), strict=True)]


def _encode(name: str, values: Any) -> tuple[NDArray[Any], list[Any]]:
    """Give every label of a column a small number, and the labels those numbers stand for."""
    rule = "a column of labels"
    if isinstance(values, (str, bytes, Mapping, Set)) or hasattr(values, "columns"):
        raise invalid(name, rule, type(values).__name__)
    if not isinstance(values, (np.ndarray, pd.Series, pd.Index, pd.Categorical)):
        try:
            values = pd.Series(list(values), dtype=object)
        except TypeError:
            raise invalid(name, rule, values) from None
    if values.ndim != 1:
        raise InputError(f"{name} must be one-dimensional. Got the shape {values.shape} instead.")
    try:
        codes, labels = pd.factorize(pd.Series(values) if values.dtype.kind in "mM" else values)
    except (TypeError, UnicodeEncodeError):  # dictionaries, texts that are no Unicode
        raise invalid(name, "a column of plain labels", next(iter(values))) from None
    if codes.min(initial=0) < 0:
        missing_rows(name, codes < 0)
    refuse_scores(name, labels, rows=len(codes))
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    return codes.astype(np.min_scalar_type(len(plain))), plain


def number(role: str, column: Any, n: int | None = None) -> NDArray[np.int64]:
    """Give every cluster, data set or the like a number, and return that of each of n rows.

    Examples
    --------
    >>> number("cluster", ["x", "y", "x"]).tolist()
    [0, 1, 0]
    """
    array = np.asarray(column)
    if n is not None and array.shape != (n,):
        raise InputError(f"{role} must have an entry for each of {n:,} items.")
    codes, _ = pd.factorize(array)
    missing_rows(role, codes < 0)
    return codes.astype(np.int64)


# Which categories are counted.


def select_categories(
    known: Labels, pos_label: Any = None, labels: Any = None, average: str | None = None
) -> Categories:
    """Name the categories to count, each with its index among the labels that there are.

    A caller may have written labels as texts: ``"1"`` for 1.
    """
    pos_label = match_label(pos_label, known)
    if average is not None:
        if average not in types.AVERAGES:
            raise invalid("average", "None, 'macro', 'micro' or 'weighted'", average)
        if pos_label is not None:
            raise invalid("pos_label", "None where 'average' judges all categories", pos_label)
        wanted = known
        if labels is not None:
            wanted = tuple(match_label(label, known) for label in _check_labels(labels))
        index = {label: i for i, label in enumerate(known)}
        if not any(label in index for label in wanted):
            none = f"None of the labels {_listed(wanted)} occurs: there are {_listed(known)}."
            raise InputError(none + _did_you_mean(wanted[0], known))
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
                f"The labels {other!r} and {label!r} differ in case or blanks only: spell them "
                "alike or, if two are meant, name both in labels=, with average=."
            )


def unused_labels(categories: Categories, known: Sequence[Any]) -> tuple[str, ...]:
    """Question the categories that were asked for and that nothing has.

    Examples
    --------
    >>> unused_labels([("sprot", None), ("art", 0)], ["art", "sport"])
    ("'sprot' of labels= occurs nowhere, and counts in the average. Did you mean 'sport'?",)
    """
    nowhere = "of labels= occurs nowhere, and counts in the average."
    return tuple(
        f"{name!r} {nowhere}{_did_you_mean(name, known)}"
        for name, index in categories
        if index is None
    )


def _did_you_mean(label: Any, known: Sequence[Any]) -> str:
    near = nearest(label, [str(other) for other in known])
    return f" Did you mean {near!r}?" if near else ""


def _check_labels(labels: Any) -> Labels:
    try:
        wanted = tuple(labels)
        distinct = len(set(wanted))
    except TypeError:
        raise invalid("labels", "a list of labels", labels) from None
    if isinstance(labels, str) or not wanted or distinct != len(wanted):
        raise invalid("labels", "different labels, at least one", labels)
    return wanted


def _listed(labels: Sequence[Any]) -> str:
    listed = ", ".join(map(repr, labels[:MAX_LISTED]))
    more = len(labels) - MAX_LISTED
    return f"{listed}, ... {more} more" if more > 0 else listed


# Checks that other columns share.


def check_lengths(sizes: Mapping[str, int]) -> None:
    """Refuse columns of different lengths, and empty ones."""
    if len(set(sizes.values())) != 1:
        listed = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise InputError(f"The columns must have the same length, but {listed}.")
    if not min(sizes.values()):
        raise InputError(f"There is nothing to compare: {', '.join(sizes)} are empty.")


def check_enough(n: int, least: int, units: str, advice: str = "") -> None:
    """Refuse so few items, folds or the like that nothing can be learned from how they vary.

    Examples
    --------
    >>> check_enough(10, 4, "items")
    """
    if n < least:
        there = f"is 1 {units.removesuffix('s')}" if n == 1 else f"are {n} {units}"
        raise InputError(f"{least} {units} or more are needed; there {there}.{advice}")


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
    where = f", the first {first}" if first else ""
    raise InputError(f"{name} has {count:,} missing {what}{plural}{where}.")


def refuse_scores(name: str, labels: Iterable[Any], rows: int) -> None:
    """Refuse a column of very many real numbers: these are scores, not labels."""
    distinct = list(labels)
    try:
        numbers = np.array(distinct, dtype=np.float64)
    except (TypeError, ValueError):
        return
    few = min(MAX_REAL_LABELS, rows / 2)
    if len(distinct) > max(few, 2) and np.mean(numbers != np.round(numbers)) > 0.5:
        raise InputError(
            f"{name} looks like scores, not labels: it has {len(distinct):,} different real "
            f"numbers, such as {distinct[0]}. Pass what was predicted, for example scores >= 0.5."
        )


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
        is_whole = isinstance(count, float) and count.is_integer()
        check_int(name, int(count) if is_whole else count, least=0, most=MAX_COUNT)
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
    numbers = numbers[:, 0] if numbers.shape[1:] == (1,) else numbers
    if numbers.ndim != 1:
        raise invalid("sample_weight", rule, f"the shape {numbers.shape}")
    odd = numbers[~((numbers >= 0) & (numbers == np.round(numbers)))]
    if len(odd):
        rule = "made of whole numbers >= 0, which say how many documents a row stands for"
        raise invalid("sample_weight", rule, odd[0].item())
    return numbers.astype(np.int64)


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


def n_rows(values: Any) -> int:
    """Return the number of documents of a column of labels, label sets or indicators."""
    return values.shape[0] if is_matrix(values) else len(values)


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
            "predicted: classes[p.argmax(axis=1)], or p >= 0.5 for several labels per document."
        )


def _read_matrices(columns: Mapping[str, Any], labels: Any) -> tuple[Labels, list[LabelPairs]]:
    """Read indicator matrices: what their columns are called, and who has which.

    Columns of data frames are put into one order, by their names. Columns without names have
    numbers; ``labels`` picks some of these, or names all of them.
    """
    headings = {name: [*v.columns] for name, v in columns.items() if isinstance(v, pd.DataFrame)}
    first: list[Any] = next(iter(headings.values()), [])
    for name, heading in headings.items():
        if len(heading) != len(first) or set(heading) != set(first):
            must, are = (", ".join(map(str, names)) for names in (first, heading))
            raise InputError(f"The columns of {name} must be {must}, but are {are}.")
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
    pairs = [matrix.nonzero() for matrix in matrices.values()]
    known = tuple(first or range(width))
    if labels is None or known != tuple(range(width)):
        return known, pairs
    wanted = _check_labels(labels)
    if set(wanted) <= set(known):
        return known, pairs
    if len(wanted) != width:
        raise invalid("labels", f"{width} different names, one per column", labels)
    return wanted, pairs


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


def _read_sets(columns: Mapping[str, Any]) -> tuple[Labels, list[LabelPairs]]:
    """Read label sets: the labels, and who has which."""
    documents, labels = {}, {}
    for name, rows in columns.items():
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, Nested):
                rule = "must hold a list or set of labels in every row"
                raise InputError(f"{name} {rule}, but has {row!r} in row {number}.")
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
    return known, list(zip(documents.values(), codes, strict=True))
