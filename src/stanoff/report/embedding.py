"""Draws inside a page: sorted, on a grid so fine that it does not show, in few characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, isfinite, log2
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_DRAWS = 1_200_000  # of all rows together; beyond that only every k-th order statistic is kept
MOST_CHARACTERS = 2_400_000
LEAST_DIGITS, MOST_DIGITS = 2, 5
BITS = 5  # of a gap in every character; the sixth bit tells whether another character follows
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def json_block(data: Mapping[str, Any]) -> Markup:
    r"""Write data as JSON that can stand inside a script element whatever names it holds.

    Examples
    --------
    >>> json_block({"name": "</script>"})
    Markup('{"name": "\\u003c/script\\u003e"}')
    """
    from jinja2.utils import htmlsafe_json_dumps

    return htmlsafe_json_dumps(data, allow_nan=False)


def embedded(rows: Sequence[Array], keep_sides_of: Sequence[float]) -> tuple[list[Any], int]:
    """Encode the draws of every row; also tell that every k-th was kept.

    A row whose draws are not all finite is None: nothing can be computed from it.

    Parameters
    ----------
    rows : sequence of ndarray
        The draws of delta, a row per category.
    keep_sides_of : sequence of float
        Values that no draw may cross or reach by being moved onto the grid.
    """
    total = sum(row.size for row in rows)
    every = max(1, ceil(total / MOST_DRAWS))
    digits = int(np.clip(MOST_CHARACTERS // max(1, total // every), LEAST_DIGITS, MOST_DIGITS))
    return [_encoded(row, every, digits, keep_sides_of) for row in rows], every


def _encoded(
    row: Array, every: int, digits: int, keep_sides_of: Sequence[float]
) -> dict[str, Any] | None:
    draws = np.sort(row, axis=None)[(every - 1) // 2 :: every]
    if not np.isfinite(draws).all():
        return None
    step = grid_step(draws, digits)
    places = on_grid(draws, step, keep_sides_of)
    return {
        "n": len(draws),
        "step": step,
        "first": int(places[0]),
        "gaps": characters(np.diff(places)),
    }


def grid_step(draws: Array, digits: int) -> float:
    """Choose a power of 2 by which nine in ten gaps between sorted draws take few characters."""
    gaps = np.diff(draws)
    typical = float(np.quantile(gaps[gaps > 0], 0.9)) if (gaps > 0).any() else 0.0
    fine = typical / (2 ** (BITS * digits) - 1)
    coarse = float(np.abs(draws).max()) * 2.0**-51  # places must be whole numbers to a double
    step = max(fine, coarse)
    return 2.0 ** max(ceil(log2(step)), -1000) if step > 0 and isfinite(step) else 1.0


def on_grid(draws: Array, step: float, keep_sides_of: Sequence[float]) -> Whole:
    """Count in steps from 0; draws stay on their side of the given values."""
    places = np.rint(draws / step)
    for value in keep_sides_of:
        places -= (draws < value) & (places * step >= value)
        places += (draws > value) & (places * step <= value)
    return places.astype(np.int64)


def characters(gaps: Whole) -> str:
    """Write whole numbers >= 0 as base-64 VLQ: five bits per character, the lowest first.

    Examples
    --------
    >>> characters(np.array([0, 1, 31, 32, 1000]))
    'ABfgBof'
    """
    rest = gaps
    digits: list[Whole] = []
    more: list[NDArray[np.bool_]] = []
    while not digits or rest.any():
        digits.append(rest & (2**BITS - 1))
        rest = rest >> BITS
        more.append(rest > 0)
    needed = np.column_stack([np.ones(len(gaps), bool), *more[:-1]])
    codes = np.column_stack(digits) + np.column_stack(more) * 2**BITS
    letters = np.frombuffer(ALPHABET, np.uint8)[codes[needed]]
    return str(letters.tobytes(), "ascii")
