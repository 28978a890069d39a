"""Many systems at once: their scores, every pair of them, their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import blended_transform_factory

from stanoff.inference.decision import Decision
from stanoff.plots.style import (
    BLUE,
    GREY,
    MARKS,
    letters_across,
    literal,
    new_axes,
    points_high,
    shortened,
    themed,
    width_of,
    with_room,
    wrapped,
)
from stanoff.text.numbers import ends, level, percent, whole_percent
from stanoff.text.words import what_is_judged

if TYPE_CHECKING:
    from stanoff import Contest

PER_ROW, MOST_HEIGHT = 0.26, 14.0  # inches
LEAST_PITCH = 7.5  # points from label to label, below which some are left out
LEAST_CELL = 15.0  # points across a cell with a number in it


@themed
def plot_scores(result: Contest, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the score of every system with its HDI, the best first; lines part the tiers.

    At the side stands the probability of being within the ROPE of the best. A bar beside the mean
    is the observed score.

    Parameters
    ----------
    result : Contest
        A contest.
    category : str, optional
        A category or average, the one decided upon by default.
    ax : Axes, optional
        Where to draw; a new figure by default, the taller the more systems there are.

    Examples
    --------
    >>> from stanoff import contest
    >>> said = {"a": [1, 0, 1, 0], "b": [1, 0, 0, 0], "c": [0, 1, 1, 0]}
    >>> ax = plot_scores(contest([1, 0, 1, 0], said, draws=500, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b', 'c']
    """
    row = result.resolve_category(category)
    table = result.summary(row)
    if ax is None:
        ax = new_axes(height=min(1.6 + PER_ROW * len(table), MOST_HEIGHT))
    low, high = float(table["hdi_low"].min()), float(table["hdi_high"].max())
    observed = table["observed"][np.isfinite(table["observed"])]
    ax.set(xlim=with_room(min(low, *observed), max(high, *observed)), ylim=(len(table) - 0.4, -0.6))
    y = np.arange(len(table))
    pitch = points_high(ax) / (len(table) + 1)
    first = (table["tier"] == 1).to_numpy()
    for chosen, color in ((first, BLUE), (~first, GREY)):
        some = table[chosen]
        ax.hlines(
            y[chosen], some["hdi_low"], some["hdi_high"], color=color, linewidth=min(2, pitch / 5)
        )
        size = float(np.clip(0.4 * pitch, 1.5, 7))
        ax.plot(some["psi"], y[chosen], "o", color=color, markersize=size)
        ax.plot(some["observed"], y[chosen], "|", color="black", markersize=1.6 * size, zorder=3)
    for last in np.flatnonzero(np.diff(table["tier"])):
        ax.axhline(last + 0.5, color="0.75", linewidth=0.8, zorder=0)
    side = blended_transform_factory(ax.transAxes, ax.transData)
    size = _label(ax.yaxis, list(table["system"]), pitch, 28)
    for place in range(0, len(table), _step(pitch)):
        near = percent(float(table["p_near"][place]))
        ax.text(1.01, place, near, transform=side, va="center", ha="left", fontsize=size)
    lower = "" if result.measure.higher_is_better else " (lower is better)"
    ax.set_xlabel(wrapped(ax, f"{literal(shortened(what_is_judged(result, row), 60))}{lower}"))
    handles = [
        Line2D([], [], color=BLUE, marker="o", label="can still be the best"),
        Line2D([], [], color=GREY, marker="o", label="significantly worse than another"),
        Line2D([], [], color="black", marker="|", linestyle="none", label="observed"),
    ]
    shown = [handles[0], *([] if first.all() else [handles[1]]), handles[2]]
    told = (
        f"{level(result.hdi_prob)} HDI; right: P(within the ROPE {ends(result.rope)} of the best)"
    )
    _key(ax, shown, told)
    sns.despine(ax=ax)
    return ax


@themed
def plot_matrix(result: Contest, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the decision on each system (row) against each other (column).

    Below the symbol stands the probability, in per cent, that the system of the row is the better
    one. The best systems come first.

    Parameters
    ----------
    result, category, ax
        As in :func:`plot_scores`.
    """
    row = result.resolve_category(category)
    found = result.ranking(row)
    order = found.order
    systems = len(order)
    better = found.better[np.ix_(order, order)]
    decisions = found.decisions[np.ix_(order, order)]
    if ax is None:
        side = max(3.2, systems * float(np.clip(3.2 / systems, 0.3, 0.8)))
        room = _reach(result.systems, 18)
        ax = new_axes(side + room + 0.5, side + room + 2.3)
    colors = np.ones((systems, systems, 3))
    for decision, mark in MARKS.items():
        colors[decisions == decision.value] = _tint(
            mark.color, 0.55 if decision.conclusive else 0.16
        )
    ax.imshow(colors, aspect="equal", interpolation="nearest")
    cell = min(points_high(ax), 72 * ax.bbox.width / ax.figure.dpi) / systems
    symbols = {decision.value: decision.symbol for decision in Decision}
    for i, j in np.ndindex(systems, systems):
        if i != j and cell >= LEAST_CELL / 2:
            told = symbols[str(decisions[i, j])]
            if cell >= LEAST_CELL:
                told += f"\n{whole_percent(float(better[i, j]))}"
            size = float(np.clip(0.3 * cell, 4.5, 11))
            ax.text(j, i, told, ha="center", va="center", fontsize=size, linespacing=1.05)
    names = [result.systems[i] for i in order]
    _label(ax.yaxis, names, cell, 18)
    _label(ax.xaxis, names, cell, 18)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, rotation=90)
    ax.tick_params(length=0)
    for last in np.flatnonzero(np.diff(found.tier[order])):
        ax.axhline(last + 0.5, color="black", linewidth=1)
        ax.axvline(last + 0.5, color="black", linewidth=1)
    handles = [
        Patch(
            facecolor=_tint(mark.color, 0.55 if decision.conclusive else 0.16),
            label=f"{decision.symbol} {_words(decision)}",
        )
        for decision, mark in MARKS.items()
    ]
    ax.legend(
        handles=handles,
        title=wrapped(
            ax, f"row against column, with P(row is better), %; ROPE {ends(result.rope)}"
        ),
        title_fontsize=9,
        loc="upper left",
        bbox_to_anchor=(0, -0.02),
        ncols=1 if systems < 12 else 5,
        fontsize=8,
        borderaxespad=0,
        alignment="left",
    )
    sns.despine(ax=ax, left=True, bottom=True)
    return ax


@themed
def plot_ranks(result: Contest, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of every rank of every system; a frame holds the interval of ranks.

    Parameters
    ----------
    result, category, ax
        As in :func:`plot_scores`.
    """
    row = result.resolve_category(category)
    found = result.ranking(row)
    ranks = found.ranks[found.order]
    systems = len(ranks)
    if ax is None:
        side = systems * float(np.clip(4.0 / systems, 0.2, 0.6))
        ax = new_axes(max(3.6, side) + _reach(result.systems, 28), max(2.6, side + 1.2))
    colors = 1 - ranks[..., None] * (1 - np.array(to_rgb(BLUE)))
    ax.imshow(colors, aspect="auto", interpolation="nearest")
    across = 72 * ax.bbox.width / ax.figure.dpi / systems
    high = points_high(ax) / systems
    numbered = min(across / 1.4, high) >= LEAST_CELL
    for i, j in np.ndindex(systems, systems):
        if ranks[i, j] >= 0.005 and numbered:
            color = "white" if ranks[i, j] > 0.55 else "black"
            told = whole_percent(float(ranks[i, j]))
            ax.text(j, i, told, ha="center", va="center", color=color, fontsize=8)
    for i, place in enumerate(found.order):
        low, width = found.rank_low[place] - 1.5, found.rank_high[place] - found.rank_low[place] + 1
        frame = {"fill": False, "edgecolor": "black", "linewidth": min(1.2, high / 8)}
        ax.add_patch(_box(low, i - 0.5, width, frame))
    _label(ax.yaxis, [result.systems[i] for i in found.order], high, 28)
    step = max(1, ceil(12 / across))
    places = np.arange(0, systems, step)
    ax.set_xticks(places, [str(place + 1) for place in places])
    ax.tick_params(length=0)
    what = literal(shortened(what_is_judged(result, row), 60))
    told = f"rank in {what}; framed: {level(result.hdi_prob)} of the probability"
    ax.set_xlabel(wrapped(ax, told))
    ax.set_title(wrapped(ax, f"Probability of each rank{', %' if numbered else ''}", 12))
    sns.despine(ax=ax, left=True, bottom=True)
    return ax


def _words(decision: Decision) -> str:
    return decision.words.removesuffix(" than").removesuffix(" to")


def _tint(color: str, strength: float) -> tuple[float, float, float]:
    r, g, b = (1 - strength * (1 - part) for part in to_rgb(color))
    return r, g, b


def _box(x: float, y: float, width: float, style: dict[str, object]) -> Patch:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, 1, **style)  # type: ignore[arg-type]


def _reach(names: Sequence[str], most: int) -> float:
    """Estimate how many inches the longest of the names takes."""
    return 0.085 * max(width_of(shortened(name, most)) for name in names)


def _step(pitch: float) -> int:
    return max(1, ceil(LEAST_PITCH / pitch - 1e-6))


def _label(axis: object, names: list[str], pitch: float, most: int) -> float:
    """Name the systems along an axis, some of them where there is no room for all."""
    step = _step(pitch)
    size = float(np.clip(0.8 * pitch * step, 6, 10))
    shown = [literal(shortened(name, most)) for name in names[::step]]
    axis.set_ticks(range(0, len(names), step), shown, fontsize=size)  # type: ignore[attr-defined]
    return size


def _key(ax: Axes, handles: list[Line2D], told: str) -> None:
    legend = ax.legend(
        handles=handles,
        title=wrapped(ax, told, 10),
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=3 if letters_across(ax, 9) > 70 else 1,
        alignment="left",
        borderaxespad=0.2,
        fontsize=9,
    )
    legend.get_title().set_fontsize(9)
