"""On which documents the two classifiers agree, and who is right where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from stanoff.data.types import PairedCounts
from stanoff.errors import InputError
from stanoff.plots import style

if TYPE_CHECKING:
    from stanoff import Comparison

BAR, STEP = 0.75, 2.9  # width of a column, and from column to column
# Both right, only A, only B, both wrong: colour and hatching, so that grey tells them as well.
HATCHES = ("", "////", "\\" * 4, "..")
CELL_STYLE = tuple(zip((style.GREEN, style.BLUE, style.ORANGE, "#BBBBBB"), HATCHES, strict=True))


@style.themed
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
    >>> plot_mosaic(result).texts[0].get_text()
    'both said yes: 310 (77.9%)'
    """
    counts = result.data.one_vs_rest()
    if not isinstance(counts, PairedCounts):
        raise InputError(
            "A mosaic needs outcome pairs, but A and B were counted apart "
            f"({result.model.name}): pass both predictions of the same documents."
        )
    name, names = result.evidence(category).category, counts.categories
    if name in names:
        rows, unit = [names.index(name)], " document"
        heading = "" if len(names) == 1 else f", category {style.clean(name, 28)}"
    else:  # of several categories together, a document is counted once for each of them
        rows, unit = list(range(len(names))), "\ndocument-category pair"
        heading = f", {len(names):,} categories together"
    ax = ax or style.new_axes(7.2, 4.2)
    ax.set(xlim=(-0.1, 2 * STEP - 0.15), ylim=(0, 1))
    ax.set_yticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    ax.spines["bottom"].set_visible(False)
    a, b = style.short_names(result, 14)
    headings = []
    for x, kind, table, styles in (
        (0.0, "positive", counts.pos[rows].sum(axis=0), CELL_STYLE),
        (STEP, "negative", counts.neg[rows].sum(axis=0), CELL_STYLE[::-1]),
    ):
        total = int(table.sum())
        heading_text = f"{total:,} {kind}{unit}{'' if total == 1 else 's'}"
        headings.append(style.break_lines(heading_text, style.letters_across(ax, 24)))
        labels = ("both said yes", f"only {a}", f"only {b}", "neither")
        _draw_column(ax, x, table, labels, styles)
    bold: dict[str, Any] = {"ha": "left", "fontweight": "bold", "fontsize": style.points(10)}
    ax.set_xticks([0, STEP], headings, **bold)
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    right = ("both right", f"only {a} right", f"only {b} right", "both wrong")
    handles = [
        Patch(facecolor=color, hatch=hatch, edgecolor="white", label=label)
        for label, (color, hatch) in zip(right, CELL_STYLE, strict=True)
    ]
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.02)}
    style.legend_above(ax, handles, ncols=4, **below)
    ax.set_ylabel(f"share of the {unit.strip()}s")
    a, b = style.short_names(result, 22)
    ax.set_title(f"{a} and {b}{heading}", fontsize=style.points(11))
    return ax


def _draw_column(
    ax: Axes, x: float, table: NDArray[np.int64], labels: Sequence[str], styles: Any
) -> None:
    """Stack the four cells from the top, and write beside each what it is."""
    total = int(table.sum())
    shares = table / total if total else np.zeros(4)
    bottoms = 1 - np.cumsum(shares)
    for share, bottom, (color, hatch) in zip(shares, bottoms, styles, strict=True):
        edge = {"edgecolor": "white", "linewidth": 0.6 if share > 0.01 else 0}
        ax.bar(x, share, BAR, bottom, align="edge", color=color, hatch=hatch, **edge)
    if not total:
        ax.bar(x, 1, BAR, align="edge", facecolor="none", edgecolor="0.6", linestyle=":")
    middles = bottoms + shares / 2 if total else np.array([0.8, 0.6, 0.4, 0.2])
    heights = _spread(middles, style.points(14) / style.points_high(ax))
    rows = zip(labels, table, shares, middles, heights, strict=True)
    texts, shorter = [], []
    for label, n, share, middle, height in rows:
        shorter.append(f"{int(n):,}" + (f" ({100 * share:.1f}%)" if total else ""))
        leader = x + BAR + np.array([0, 0.06, 0.14])
        ax.plot(leader, [middle, middle, height], color="0.4", linewidth=0.7)
        look: dict[str, Any] = {"va": "center", "fontsize": style.points(9)}
        texts.append(ax.text(x + BAR + 0.18, height, f"{label}: {shorter[-1]}", **look))
    next_column = np.column_stack([np.full(200, STEP - 0.05), np.linspace(0, 1, 200)])
    counts = [f"{int(n):,}" for n in table]
    style.GiveWay(texts, shorter, counts, points=next_column if x < STEP else None)


def _spread(heights: NDArray[np.float64], distance: float) -> NDArray[np.float64]:
    """Move labels, given from the top, so far apart that none covers the next."""
    steps = distance * np.arange(len(heights))
    # Lower each as far as the label above it demands, then raise each from the bottom.
    lowered = np.minimum.accumulate(np.minimum(heights, 1 - distance / 2) + steps) - steps
    raised = np.maximum.accumulate(np.maximum(lowered[::-1], distance / 2) - steps) + steps
    return np.asarray(raised[::-1])
