"""Draws inside a page: sorted, as whole numbers on a grid so fine that it does not show."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_DRAWS = 240_000  # of all rows together; beyond that only every k-th order statistic is kept
STEPS = 1000  # of the grid between two draws that are next to each other
DIGITS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", dtype=np.uint8
)


def embed_draws(
    rows: Sequence[Array], keep_sides_of: Sequence[float]
) -> tuple[list[dict[str, Any] | None], dict[str, Any]]:
    """Write the draws of every row as gaps on a grid.

    Also tell that every k-th was kept, and by how much the share of an interval can be off then. A
    row whose draws are not all finite is None: nothing can be computed from it.

    Parameters
    ----------
    rows : sequence of ndarray
        The draws of delta, a row per category.
    keep_sides_of : sequence of float
        Values that no draw may cross or reach by being moved onto the grid.
    """
    thinning = max(1, ceil(sum(row.size for row in rows) / MAX_DRAWS))
    ordered = (np.sort(row, axis=None)[(thinning - 1) // 2 :: thinning] for row in rows)
    codes = [_on_grid(row, keep_sides_of) if np.isfinite(row).all() else None for row in ordered]
    coarse = f"{100 * thinning / min(row.size for row in rows):.2g}%"
    return codes, {"thinning": thinning, "coarse": coarse}


def _on_grid(draws: Array, keep_sides_of: Sequence[float]) -> dict[str, Any]:
    """Count in steps from 0, a power of 2 that is small between draws next to each other."""
    gaps = np.diff(draws)
    typical = float(np.quantile(gaps[gaps > 0], 0.9)) if (gaps > 0).any() else 0.0
    # Positions must be whole numbers to a double.
    finest = max(typical / STEPS, float(np.abs(draws).max()) * 2.0**-51)
    step = 2.0 ** max(ceil(log2(finest)), -1000) if finest > 0 else 1.0
    positions = np.rint(draws / step)
    for value in keep_sides_of:
        positions -= (draws < value) & (positions * step >= value)
        positions += (draws > value) & (positions * step <= value)
    gaps_in_steps = encode(np.diff(positions).astype(np.int64))
    return {"step": step, "first": positions[0], "gaps": gaps_in_steps}


def encode(numbers: NDArray[np.int64]) -> str:
    """Write whole numbers that are not negative in base 64, five bits to a character, lowest first.

    A sixth bit says that more characters follow: the code of source maps without its signs.

    Examples
    --------
    >>> encode(np.array([0, 31, 32, 1000]))
    'AfgBof'
    """
    bits = int(numbers.max(initial=1)).bit_length()
    rest = numbers[:, None] >> np.arange(0, bits, 5)
    more = rest > 31
    written = np.column_stack([np.ones(len(numbers), dtype=bool), more[:, :-1]])
    return bytes(DIGITS[(rest & 31) + 32 * more][written]).decode("ascii")
