"""Many systems at once: every pair of them, and their ranks, as tables of colours."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.patches import Patch, Rectangle

from stanoff.inference.decision import Decision
from stanoff.plots import style
from stanoff.text.numbers import format_interval, format_level, whole_percent
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from stanoff import Contest
    from stanoff.results.contest import Pairs

MIN_CELL = 15.0  # points across a cell with a number in it


@style.themed()
def plot_matrix(ax: Axes, result: Contest | Pairs, category: str | None = None) -> None:
    """Draw the decision on each system (row) against each other (column).

    Below the symbol stands the probability, in per cent, that the system of the row is the better
    one. The best systems come first; those of pairs without ranks come as they are.

    Parameters
    ----------
    result : Contest or Pairs
        What is drawn.
    category
        As in :func:`plot_scores`.
    """
    names, symbols, p_better, ends = result.matrix(category)
    n = len(names)
    side = max(3.2, n * float(np.clip(3.2 / n, 0.3, 0.8))) + _name_inches(names, 18)
    is_new = style.resize(ax, side + 0.5, side + 2.3)  # with room for the names
    letters = min(18, style.name_letters(ax))
    room = 0.0 if is_new else 72 * style.points(_name_inches(names, letters))
    title = f"row against column, with P(row is better), %; ROPE {format_interval(result.rope)}"
    title = style.wrap_label(ax, title)  # before seaborn lays the figure out
    cell = (min(style.points_high(ax), 72 * ax.bbox.width / ax.figure.dpi) - room) / n
    texts = np.array([[symbol and Decision(symbol).symbol for symbol in row] for row in symbols])
    versions = [texts.ravel().tolist()] if cell >= MIN_CELL / 2 else []
    if cell >= MIN_CELL:
        pairs = zip(versions[0], p_better.ravel().tolist(), strict=True)
        versions.insert(0, [symbol and f"{symbol}\n{whole_percent(p)}" for symbol, p in pairs])
    tints = {decision: style.decision_tint(decision) for decision in style.DECISION_STYLE}
    codes = {"": 0, **{str(decision): code for code, decision in enumerate(tints)}}
    colors = {"cmap": ListedColormap(list(tints.values())), "vmax": len(tints) - 1}
    size = float(np.clip(0.3 * cell, 4.5, style.points(11)))
    font = {"size": size, "color": "black", "linespacing": 1.05}
    values = [codes[str(symbol)] for symbol in symbols.ravel()]
    _draw_cells(
        ax,
        values,
        versions,
        font,
        mask=symbols == "",
        square=True,
        **colors,
    )
    for axis in (ax.yaxis, ax.xaxis):
        style.label_rows(axis, names, cell, letters, offset=0.5)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, rotation=90)
    for end in ends:
        ax.axhline(end, color="black", linewidth=1)
        ax.axvline(end, color="black", linewidth=1)
    handles = [
        Patch(facecolor=tint, label=style.decision_label(decision))
        for decision, tint in tints.items()
        if (symbols == decision).any()
    ]
    below: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, -0.02)}
    below |= {"ncols": 1 if n < 12 else 5, "title_fontsize": style.points(9)}
    style.legend_above(ax, handles, title, **below)


@style.themed()
def plot_ranks(ax: Axes, result: Contest, category: str | None = None) -> None:
    """Draw the probability of every rank of every system; a frame holds the interval of ranks.

    Parameters
    ----------
    result, category
        As in :func:`plot_scores`.
    """
    category = result.resolve_category(category)
    ranking = result.ranking(category)
    order, n = ranking.order, len(ranking.order)
    names = [result.systems[i] for i in order]
    side = n * float(np.clip(4.0 / n, 0.2, 0.6))
    style.resize(ax, max(3.6, side) + _name_inches(names, 28), max(2.6, side + 1.2))
    width, height = 72 * ax.bbox.width / ax.figure.dpi / n, style.points_high(ax) / n
    numbered = min(width / 1.4, height) >= MIN_CELL
    shares = ranking.ranks[order]
    texts = [whole_percent(float(p)) if p >= 0.005 else "" for p in shares.ravel()]
    blues = LinearSegmentedColormap.from_list("share", ["white", style.BLUE])
    font = {"size": style.points(8)}
    _draw_cells(ax, shares, [texts] if numbered else [], font, cmap=blues, vmax=1)
    for y, i in enumerate(order):
        low, n_ranks = ranking.rank_low[i] - 1, ranking.rank_high[i] - ranking.rank_low[i] + 1
        frame: dict[str, Any] = {"fill": False, "edgecolor": "black"}
        ax.add_patch(Rectangle((low, y), n_ranks, 1, linewidth=min(1.2, height / 8), **frame))
    style.label_rows(ax.yaxis, names, height, style.name_letters(ax), offset=0.5)
    ranks = np.arange(0, n, max(1, ceil(12 / width)))
    ax.set_xticks(ranks + 0.5, [str(rank + 1) for rank in ranks], rotation=0)
    score = style.clean(describe_score(result, category), 60)
    label = f"rank in {score}; framed: {format_level(result.hdi_prob)} of the probability"
    ax.set_xlabel(style.wrap_label(ax, label))
    ax.set_title(style.wrap_label(ax, f"Probability of each rank{', %' if numbered else ''}", 12))


def _draw_cells(
    ax: Axes, values: Any, versions: list[list[str]], font: dict[str, Any], **options: Any
) -> None:
    """Draw a square table of colours, with the longest texts in the cells that fit."""
    n = round(np.size(values) ** 0.5)
    texts = np.reshape(versions[0], (n, n)) if versions else None
    options |= {"xticklabels": False, "yticklabels": False, "cbar": False, "vmin": 0, "fmt": ""}
    sns.heatmap(np.reshape(values, (n, n)), ax=ax, annot=texts, annot_kws=font, **options)
    ax.tick_params(length=0)
    if ax.texts:
        style.GiveWay(list(ax.texts), *(list(filter(None, v)) for v in versions[1:]))


def _name_inches(names: Sequence[str], width: int) -> float:
    """Estimate how many inches the longest of the names takes."""
    return 0.085 * max(style.text_width(style.shorten(name, width)) for name in names)
