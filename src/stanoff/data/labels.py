"""Columns of labels as they were found, before anything is counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from stanoff.data.types import Counts
from stanoff.errors import InputError, invalid

_WHOLE = re.compile(r"-?(0|[1-9]\d*)(\.0)?")


@dataclass(frozen=True, eq=False)
class Labels:
    """The true labels and what any number of systems said, a row per document or more.

    Attributes
    ----------
    columns : mapping
        The truth, then every system, by the names that an error shall mention.
    n : ndarray or None
        Documents per row; None where every row is one.
    written : bool
        Whether labels were read from a file, so that ``1`` may be asked for as a text.
    more : mapping
        What else is known of every row, such as its cluster, by the names of the options.
    origin, notes
        As in :class:`stanoff.data.types.Data`.
    called : tuple of str or None
        What the systems are called, if that is known.
    """

    columns: Mapping[str, Any]
    n: Counts | None = None
    written: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    called: tuple[str, ...] | None = None

    def spelt(self, label: Any) -> Any:
        """Find the label that a caller means, who may have written it as a text."""
        if not self.written or label is None:
            return label
        known = [x for values in self.columns.values() for x in values]
        if any(isinstance(x, (list, tuple, np.ndarray)) for x in known):
            known = [x for labels in known if labels is not None for x in labels]
        return as_written(label, known)


def as_written(label: Any, known: Iterable[Any]) -> Any:
    """Find the label that a text such as ``1.0`` or ``true`` stands for in a file.

    Examples
    --------
    >>> as_written("1.0", [0, 1]), as_written("true", [False, True]), as_written("x", [0, 1])
    (1, True, 'x')
    """
    known = list(known)
    for candidate in known:
        if label == candidate or str(label) == str(candidate):
            return candidate
    if isinstance(label, str):
        typed = typed_texts([label])[0]
        if typed in known:
            return typed
    return label


def typed_columns(columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return columns of labels; texts that are all whole numbers or all booleans become these."""
    texts = [text for values in columns for text in values]
    if not all(isinstance(text, str) for text in texts):
        return [list(values) for values in columns]
    typed = iter(typed_texts(texts))
    return [[next(typed) for _ in values] for values in columns]


def typed_texts(texts: list[str]) -> list[Any]:
    """Read texts as booleans, or as whole numbers, if all of them are."""
    if set(texts) <= {"True", "False"} or set(texts) <= {"true", "false"}:
        return [text[0] in "Tt" for text in texts]
    if all(_WHOLE.fullmatch(text) for text in texts):
        return [int(text.removesuffix(".0")) for text in texts]
    return list(texts)


def typed_array(values: Any) -> Any:
    """Return a column of labels as :func:`typed_texts` reads it, where all are texts.

    Examples
    --------
    >>> typed_array(np.array(["1", "0", "1"], dtype=object)).tolist()
    [1, 0, 1]
    """
    codes, distinct = pd.factorize(values)
    if not len(distinct) or not all(isinstance(text, str) for text in distinct):
        return values
    return np.array(typed_texts(list(distinct)))[codes]


def as_frequencies(weights: Any) -> Counts:
    """Read weights of documents: whole numbers, which say how often each of them occurs.

    Examples
    --------
    >>> as_frequencies([1, 2.0, 0]).tolist()
    [1, 2, 0]
    """
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid(
            "sample_weight", "a column of whole numbers", type(weights).__name__
        ) from None
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise invalid("sample_weight", "a column of whole numbers", f"the shape {numbers.shape}")
    odd = np.flatnonzero(~((numbers >= 0) & (numbers == np.round(numbers))))
    if len(odd):
        raise refused_weight(numbers[odd[0]])
    return numbers.astype(np.int64)


def refused_weight(value: Any) -> InputError:
    """Say why a weight cannot be counted."""
    return InputError(
        "The 'sample_weight' parameter must be made of whole numbers >= 0, which say how many "
        "documents a row stands for: the models take counts, and know no part of a document. Got "
        f"{float(value):g} instead."
    )


def is_missing(value: Any) -> bool:
    """Return whether a label is missing; lists of labels never are."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def missing_labels(count: int) -> str:
    """Count missing labels in words."""
    return f"{count} missing label{'s' if count != 1 else ''}"
