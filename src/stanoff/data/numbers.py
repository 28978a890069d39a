"""Columns of numbers, such as scores and values, as they are read from whatever holds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]

WORDS = {"true": 1.0, "false": 0.0}  # as text files have them


def as_numbers(name: str, values: Any, ids: Any = None) -> Array:
    """Read a column of finite numbers.

    Parameters
    ----------
    name : str
        What an error shall call it.
    values : array_like
        Numbers, or texts of numbers as text files have them.
    ids : sequence, optional
        What an error shall call its rows; by default they are told by their position.

    Examples
    --------
    >>> as_numbers("svm", ["0.5", "1e-3"]).tolist()
    [0.5, 0.001]
    """
    column = _column(name, values)
    missing = column.isna().to_numpy()
    numbers = _converted(column)
    where = _teller(ids)
    for wrong, rule, told in (
        (missing, "have a number in every row", "are missing"),
        (np.isnan(numbers), "be made of numbers", "are none"),
        (np.isinf(numbers), "be made of finite numbers", "are infinite"),
    ):
        if wrong.any():
            first, count = int(wrong.argmax()), int(wrong.sum())
            shown = "has none" if wrong is missing else f"is {column.astype(object).iloc[first]!r}"
            raise InputError(
                f"{name} must {rule}, but {count:,} of {len(column):,} {told}: the first, "
                f"{where(first)}, {shown}."
            )
    return numbers


def _column(name: str, values: Any) -> Any:
    if isinstance(values, (str, bytes)) or np.ndim(values) == 0:
        raise invalid(name, "a column of numbers", type(values).__name__)
    if not isinstance(values, pd.Series):
        array = np.asarray(values)
        if array.ndim != 1:
            raise InputError(f"{name} must be one-dimensional. Got the shape {array.shape}.")
        if array.dtype.kind in "cmM":
            raise invalid(name, "a column of numbers", f"the type {array.dtype}")
        values = pd.Series(array)
    return values


def _converted(column: Any) -> Array:
    """Return numbers; NaN for what is none."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return np.asarray(column, dtype=np.float64)
    plain = column.astype(object).where(column.notna(), None)
    numbers = np.asarray(pd.to_numeric(plain, errors="coerce"), dtype=np.float64)
    if np.isnan(numbers).any():
        words = (WORDS.get(x.lower(), np.nan) if isinstance(x, str) else np.nan for x in plain)
        numbers = np.where(np.isnan(numbers), np.fromiter(words, np.float64), numbers)
    return numbers


def _teller(ids: Any) -> Callable[[int], str]:
    if ids is None:
        return lambda i: f"at position {i}"
    return lambda i: f"that of {ids[i]!r}"
