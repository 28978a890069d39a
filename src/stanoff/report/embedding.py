"""Draws inside a page: sorted, as whole numbers on a grid so fine that it does not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log2
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_DRAWS = 240_000  # of all rows together; beyond that only every k-th order statistic is kept
STEPS = 1000  # of the grid between two draws that are next to each other
DIGITS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", dtype=np.uint8
)


def json_block(data: Mapping[str, Any]) -> Markup:
    r"""Write data as JSON that can stand inside a script element whatever names it holds.

    Examples
    --------
    >>> json_block({"name": "</script>"})
    Markup('{"name":"\\u003c/script\\u003e"}')
    """
    from jinja2.utils import htmlsafe_json_dumps

    return htmlsafe_json_dumps(data, allow_nan=False, separators=(",", ":"))


def embed_draws(rows: Sequence[Array], keep_sides_of: Sequence[float]) -> tuple[list[Any], int]:
    """Write the draws of every row as gaps on a grid; also tell that every k-th was kept.

    A row whose draws are not all finite is None: nothing can be computed from it.

    Parameters
    ----------
    rows : sequence of ndarray
        The draws of delta, a row per category.
    keep_sides_of : sequence of float
        Values that no draw may cross or reach by being moved onto the grid.
    """
    thinning = max(1, ceil(sum(row.size for row in rows) / MAX_DRAWS))
    embedded: list[Any] = []
    for row in rows:
        draws = np.sort(row, axis=None)[(thinning - 1) // 2 :: thinning]
        if not np.isfinite(draws).all():
            embedded.append(None)
            continue
        step = grid_step(draws)
        positions = on_grid(draws, step, keep_sides_of)
        gaps = encode(np.diff(positions).astype(np.int64))
        embedded.append({"step": step, "first": positions[0], "gaps": gaps})
    return embedded, thinning


def format_coarseness(thinning: int, rows: Sequence[Array]) -> str:
    """Write by how much the share of an interval can be off where every k-th draw is kept.

    Examples
    --------
    >>> format_coarseness(11, [np.zeros(50_000)])
    '0.022%'
    """
    return f"{100 * thinning / min(row.size for row in rows):.2g}%"


def encode(numbers: NDArray[np.int64]) -> str:
    """Write whole numbers that are not negative in base 64, five bits to a character, lowest first.

    A sixth bit says that more characters follow: the code of source maps without its signs.

    Examples
    --------
    >>> encode(np.array([0, 31, 32, 1000]))
    'AfgBof'
    """
    characters = []
    unfinished = np.ones(len(numbers), dtype=bool)
    while unfinished.any():
        digits, numbers = numbers & 31, numbers >> 5
        more = numbers > 0
        characters.append(np.where(unfinished, DIGITS[digits + 32 * more], 0))
        unfinished = more
    if not characters:
        return ""
    written = np.stack(characters, axis=1).ravel()
    return written[written > 0].astype(np.uint8).tobytes().decode("ascii")


def grid_step(draws: Array) -> float:
    """Choose a power of 2 that is small between draws next to each other."""
    gaps = np.diff(draws)
    typical = float(np.quantile(gaps[gaps > 0], 0.9)) if (gaps > 0).any() else 0.0
    coarse = float(np.abs(draws).max()) * 2.0**-51  # positions must be whole numbers to a double
    step = max(typical / STEPS, coarse)
    return 2.0 ** max(ceil(log2(step)), -1000) if step > 0 else 1.0


def on_grid(draws: Array, step: float, keep_sides_of: Sequence[float]) -> Array:
    """Count in steps from 0; draws stay on their side of some values."""
    positions = np.rint(draws / step)
    for value in keep_sides_of:
        positions -= (draws < value) & (positions * step >= value)
        positions += (draws > value) & (positions * step <= value)
    return positions
