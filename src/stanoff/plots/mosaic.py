"""On which documents the two classifiers agree, and who is right where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from stanoff.data.types import PairedCounts
from stanoff.errors import InputError
from stanoff.plots.style import (
    BLUE,
    GREEN,
    ORANGE,
    literal,
    new_axes,
    points_high,
    short_names,
    shortened,
    themed,
)
from stanoff.text.numbers import percent

if TYPE_CHECKING:
    from stanoff import Comparison

BAR, STEP = 0.75, 2.9  # width of a column, and from column to column
ALL_RIGHT, ONLY_A, ONLY_B, ALL_WRONG = range(4)
# Who is right: colour and hatching, so that it can be told in grey as well.
LOOKS = {
    ALL_RIGHT: (GREEN, ""),
    ONLY_A: (BLUE, "////"),
    ONLY_B: (ORANGE, "\\\\\\\\"),
    ALL_WRONG: ("#BBBBBB", ".."),
}


@themed
def plot_mosaic(result: Comparison, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the outcome pairs: both, only A, only B, neither said yes, of positives and negatives.

    Heights are shares of the documents of the class; for an average, of the pairs of a document and
    a category. The two columns are equally wide, for true
    widths would hide rare positives; how many documents each stands for is written above it.
    Colours tell who is right.

    Parameters
    ----------
    result : Comparison
        A comparison on the same documents.
    category : str, optional
        One of its categories; all of them together for an average, which is the default where there
        is one.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> plot_mosaic(result).texts[1].get_text()
    'both said yes: 310 (77.9%)'
    """
    counts = result.data.one_vs_rest()
    if not isinstance(counts, PairedCounts):
        raise InputError(
            "A mosaic needs outcome pairs, but A and B were counted apart "
            f"({result.model.name}): pass both predictions of the same documents."
        )
    name = result.evidence(category).category
    tables, heading = _tables(counts, name)
    # Of several categories together, every document is counted once for each of them.
    unit = " document" if name in counts.categories else "\ndocument-category pair"
    ax = ax or new_axes(7.2, 4.2)
    ax.set(xlim=(-0.1, 2 * STEP - 0.15), ylim=(0, 1))
    ax.set_yticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    a, b = short_names(result, 14)
    for i, (kind, table) in enumerate(tables.items()):
        right = (ALL_RIGHT, ONLY_A, ONLY_B, ALL_WRONG)
        total = int(table.sum())
        told = f"{total:,} {kind}{unit}{'' if total == 1 else 's'}"
        ax.text(i * STEP, 1.02, told, ha="left", va="bottom", fontsize=10, fontweight="bold")
        said = ("both said yes", f"only {a}", f"only {b}", "neither")
        _column(ax, i * STEP, table, said, right if i == 0 else right[::-1])
    _key(ax, ("both right", f"only {a} right", f"only {b} right", "both wrong"))
    ax.set(ylabel=f"share of the {unit.strip()}s", ylim=(0, 1))
    a, b = short_names(result, 22)
    pad = 36 if "\n" in unit else 22
    ax.set_title(f"{a} and {b}{literal(heading)}", pad=pad, fontsize=11)
    return ax


def _tables(counts: PairedCounts, name: str) -> tuple[dict[str, NDArray[np.int64]], str]:
    """Return the outcome pairs of positives and negatives, and what to call them."""
    known = counts.categories
    if name in known:
        row = known.index(name)
        heading = "" if len(known) == 1 else f", category {shortened(name, 28)}"
        return {"positive": counts.pos[row], "negative": counts.neg[row]}, heading
    together = {"positive": counts.pos.sum(axis=0), "negative": counts.neg.sum(axis=0)}
    return together, f", {len(known):,} categories together"


def _key(ax: Axes, who: tuple[str, ...]) -> None:
    """Explain the colours below the axes."""
    ax.legend(
        handles=[
            ax.bar([0], [0], color=color, hatch=hatch, edgecolor="white", label=one)
            for one, (color, hatch) in zip(who, LOOKS.values(), strict=True)
        ],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.02),
        ncols=4 if sum(map(len, who)) < 70 else 2,
        frameon=False,
        fontsize=9,
    )


def _column(
    ax: Axes,
    x: float,
    table: NDArray[np.int64],
    said: tuple[str, ...],
    right: tuple[int, ...],
) -> None:
    """Stack the four cells from the top, and write beside each what it is."""
    total = int(table.sum())
    shares = table / total if total else np.zeros(4)
    tops = 1 - np.concatenate([[0], np.cumsum(shares)[:-1]])
    for share, top, who in zip(shares, tops, right, strict=True):
        color, hatch = LOOKS[who]
        ax.bar(
            x,
            share,
            width=BAR,
            bottom=top - share,
            align="edge",
            color=color,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.6 if share > 0.01 else 0,
        )
    if not total:
        ax.bar(x, 1, width=BAR, align="edge", facecolor="none", edgecolor="0.6", linestyle=":")
    middles = tops - shares / 2 if total else np.array([0.8, 0.6, 0.4, 0.2])
    heights = _apart(middles, least=14 / points_high(ax))
    for name, n, share, middle, height in zip(said, table, shares, middles, heights, strict=True):
        told = f"{name}: {int(n):,}" + (f" ({percent(share)})" if total else "")
        ax.plot(
            [x + BAR, x + BAR + 0.06, x + BAR + 0.14],
            [middle, middle, height],
            color="0.4",
            linewidth=0.7,
        )
        ax.text(x + BAR + 0.18, height, told, ha="left", va="center", fontsize=9)


def _apart(heights: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """Move labels, given from the top, so far apart that none covers the next."""
    placed = np.minimum(heights, 1 - least / 2)
    for i in range(1, len(placed)):
        placed[i] = min(placed[i], placed[i - 1] - least)
    placed[-1] = max(placed[-1], least / 2)
    for i in range(len(placed) - 2, -1, -1):
        placed[i] = max(placed[i], placed[i + 1] + least)
    return placed
