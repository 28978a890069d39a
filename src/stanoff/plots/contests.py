"""Many systems at once: their scores, every pair of them, their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from stanoff.inference.decision import Decision
from stanoff.plots import style
from stanoff.plots.forest import MAX_HEIGHT, MIN_PITCH
from stanoff.text.numbers import format_interval, format_level, percent, whole_percent
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from stanoff import Contest
    from stanoff.results.pairs import Pairs

MIN_CELL = 15.0  # points across a cell with a number in it


@style.themed
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
    >>> predictions = {"a": [1, 0, 1, 0], "b": [1, 0, 0, 0], "c": [0, 1, 1, 0]}
    >>> ax = plot_scores(contest([1, 0, 1, 0], predictions, draws=500, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b', 'c']
    """
    category = result.resolve_category(category)
    table = result.summary(category)
    ax = ax or style.new_axes(height=min(1.6 + 0.26 * len(table), MAX_HEIGHT))
    pitch = style.points_high(ax) / (len(table) + 1)
    size = float(np.clip(0.4 * pitch, 1.5, 7))
    first_tier = table["tier"] == 1
    width = min(2, pitch / 5)
    for rows, color in ((table[first_tier], style.BLUE), (table[~first_tier], style.GREY)):
        ax.hlines(rows.index, rows["hdi_low"], rows["hdi_high"], color=color, linewidth=width)
        ax.plot(rows["psi"], rows.index, "o", color=color, markersize=size)
        ax.plot(rows["observed"], rows.index, "|", color="black", markersize=1.6 * size, zorder=3)
    for last in np.flatnonzero(np.diff(table["tier"])):
        ax.axhline(last + 0.5, color="0.75", linewidth=0.8, zorder=0)
    numbers = table[["hdi_low", "hdi_high", "observed"]].to_numpy(dtype=float)
    limits = style.pad_limits(float(np.nanmin(numbers)), float(np.nanmax(numbers)))
    ax.set(xlim=limits, ylim=(len(table) - 0.4, -0.6))
    step, size = _label_systems(ax.yaxis, list(table["system"]), pitch, style.name_letters(ax))
    for y in range(0, len(table), step):
        near_best = percent(float(table["p_near"][y]))
        ax.text(1.01, y, near_best, transform=ax.get_yaxis_transform(), va="center", fontsize=size)
    score = style.clean(describe_score(result, category), 60)
    lower = "" if result.measure.higher_is_better else " (lower is better)"
    ax.set_xlabel(style.wrap_label(ax, f"{score}{lower}"))
    handles = [Line2D([], [], color=style.BLUE, marker="o", label="can still be the best")]
    if not first_tier.all():
        label = "significantly worse than another"
        handles.append(Line2D([], [], color=style.GREY, marker="o", label=label))
    handles.append(Line2D([], [], color="black", marker="|", linestyle="none", label="observed"))
    rope = format_interval(result.rope)
    title = f"{format_level(result.hdi_prob)} HDI; right: P(within the ROPE {rope} of the best)"
    style.legend_above(
        ax, handles, style.wrap_label(ax, title), ncols=3, title_fontsize=style.points(9)
    )
    return ax


@style.themed
def plot_matrix(
    result: Contest | Pairs, category: str | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the decision on each system (row) against each other (column).

    Below the symbol stands the probability, in per cent, that the system of the row is the better
    one. The best systems come first; those of pairs without ranks come as they are.

    Parameters
    ----------
    result : Contest or Pairs
        What is drawn.
    category, ax
        As in :func:`plot_scores`.
    """
    names, symbols, p_better, ends = result.matrix(category)
    n = len(names)
    longest, on_own_axes = 18, ax is not None
    if ax is None:
        side = max(3.2, n * float(np.clip(3.2 / n, 0.3, 0.8))) + _name_inches(names, 18)
        ax = style.new_axes(side + 0.5, side + 2.3)
    longest = min(longest, style.name_letters(ax))
    title = f"row against column, with P(row is better), %; ROPE {format_interval(result.rope)}"
    title = style.wrap_label(ax, title)  # before seaborn lays the figure out
    taken = 72 * style.points(_name_inches(names, longest)) if on_own_axes else 0.0
    cell = (min(style.points_high(ax), 72 * ax.bbox.width / ax.figure.dpi) - taken) / n
    decisions = [Decision(symbol) if symbol else None for symbol in symbols.ravel()]
    better = p_better.ravel().tolist()
    texts = [""] * n**2
    if cell >= MIN_CELL / 2:
        texts = [decision.symbol if decision else "" for decision in decisions]
    if cell >= MIN_CELL:
        pairs = zip(texts, better, strict=True)
        texts = [f"{symbol}\n{whole_percent(p)}" if symbol else "" for symbol, p in pairs]
    tints = {decision: style.decision_tint(decision) for decision in style.DECISION_STYLE}
    codes = [list(tints).index(decision) if decision else 0 for decision in decisions]
    size = float(np.clip(0.3 * cell, 4.5, style.points(11)))
    colors: dict[str, Any] = {"cmap": ListedColormap(list(tints.values())), "vmax": len(tints) - 1}
    letters = {"size": size, "color": "black", "linespacing": 1.05}
    _draw_cells(ax, codes, texts, n, letters, mask=symbols == "", square=True, **colors)
    if ax.texts:
        symbols_only = [text.get_text().partition("\n")[0] for text in ax.texts]
        style.GiveWay(list(ax.texts), symbols_only)
    _label_systems(ax.yaxis, names, cell, longest, offset=0.5)
    _label_systems(ax.xaxis, names, cell, longest, offset=0.5)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, rotation=90)
    for end in ends:
        ax.axhline(end, color="black", linewidth=1)
        ax.axvline(end, color="black", linewidth=1)
    handles = [
        Patch(facecolor=tint, label=style.decision_label(d))
        for d, tint in tints.items()
        if d in decisions
    ]
    below: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, -0.02)}
    below |= {"ncols": 1 if n < 12 else 5, "title_fontsize": style.points(9)}
    style.legend_above(ax, handles, title, **below)
    return ax


@style.themed
def plot_ranks(result: Contest, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of every rank of every system; a frame holds the interval of ranks.

    Parameters
    ----------
    result, category, ax
        As in :func:`plot_scores`.
    """
    category = result.resolve_category(category)
    ranking = result.ranking(category)
    order, n = ranking.order, len(ranking.order)
    names = [result.systems[i] for i in order]
    if ax is None:
        side = n * float(np.clip(4.0 / n, 0.2, 0.6))
        ax = style.new_axes(max(3.6, side) + _name_inches(names, 28), max(2.6, side + 1.2))
    across, high = 72 * ax.bbox.width / ax.figure.dpi / n, style.points_high(ax) / n
    numbered = min(across / 1.4, high) >= MIN_CELL
    shares = ranking.ranks[order]
    texts = [whole_percent(float(p)) if numbered and p >= 0.005 else "" for p in shares.ravel()]
    blues = LinearSegmentedColormap.from_list("share", ["white", style.BLUE])
    _draw_cells(ax, shares, texts, n, {"size": style.points(8)}, cmap=blues, vmax=1)
    if ax.texts:
        style.GiveWay(list(ax.texts))
    for y, i in enumerate(order):
        low, high_rank = ranking.rank_low[i], ranking.rank_high[i]
        frame = Rectangle((low - 1, y), high_rank - low + 1, 1, fill=False, edgecolor="black")
        frame.set_linewidth(min(1.2, high / 8))
        ax.add_patch(frame)
    _label_systems(ax.yaxis, names, high, style.name_letters(ax), offset=0.5)
    ranks = np.arange(0, n, max(1, ceil(12 / across)))
    ax.set_xticks(ranks + 0.5, [str(rank + 1) for rank in ranks], rotation=0)
    score = style.clean(describe_score(result, category), 60)
    label = f"rank in {score}; framed: {format_level(result.hdi_prob)} of the probability"
    ax.set_xlabel(style.wrap_label(ax, label))
    ax.set_title(style.wrap_label(ax, f"Probability of each rank{', %' if numbered else ''}", 12))
    return ax


def _draw_cells(
    ax: Axes, values: Any, texts: list[str], n: int, letters: dict[str, Any], **options: Any
) -> None:
    """Draw a square table of colours with texts in the cells."""
    options |= {"xticklabels": False, "yticklabels": False, "cbar": False, "vmin": 0}
    annotations = np.reshape(texts, (n, n)) if any(texts) else None
    table = np.reshape(values, (n, n))
    sns.heatmap(table, ax=ax, annot=annotations, fmt="", annot_kws=letters, **options)
    ax.tick_params(length=0)


def _name_inches(names: Sequence[str], width: int) -> float:
    """Estimate how many inches the longest of the names takes."""
    return 0.085 * max(style.text_width(style.shorten(name, width)) for name in names)


def _label_systems(
    axis: Axis, names: Sequence[str], pitch: float, width: int, offset: float = 0.0
) -> tuple[int, float]:
    """Name the systems along an axis, some of them where there is no room for all."""
    step = max(1, ceil(MIN_PITCH / pitch - 1e-6))
    size = float(np.clip(0.8 * pitch * step, style.points(6), style.points(10)))
    ticks = np.arange(0, len(names), step) + offset
    axis.set_ticks(ticks, [style.clean(name, width) for name in names[::step]], fontsize=size)
    return step, size
