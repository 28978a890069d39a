"""The first figure of a study: what it says of every system and data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from stanoff._lib.arguments import Interval
from stanoff.plots import style
from stanoff.text.tables import DECISION_OF_SYMBOL

if TYPE_CHECKING:
    from stanoff.study.answers import Answer

LEADS = "best"
MAX_ROWS = 60


@style.themed
def plot_answers(
    answers: Sequence[Answer], rope: Interval | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the scores of systems, or differences, with HDIs, data set by data set.

    Parameters
    ----------
    answers : sequence of Answer
        Of one measure and one kind.
    rope : tuple of float, optional
        The ROPE of differences.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    table = pd.DataFrame(answers[:MAX_ROWS])
    data_sets = list(dict.fromkeys(table["data"]))
    # A line above the rows of every data set has its name.
    table["y"] = table.index + table["data"].map({name: i for i, name in enumerate(data_sets)})
    ax = ax or style.new_axes(height=1.6 + 0.2 * (len(table) + len(data_sets)))
    handles: list[Any] = []
    for symbol, rows in table.groupby("symbol", sort=False):
        color, marker, filled, label = "black", "D", True, LEADS
        if symbol:
            decision = DECISION_OF_SYMBOL[str(symbol)]
            color, marker, filled = style.DECISION_STYLE[decision]
            label = style.decision_label(decision)
        look: dict[str, Any] = {"color": color, "marker": marker, "linestyle": "none"}
        look |= {"markerfacecolor": color if filled else "white", "markersize": 5}
        ax.hlines(rows["y"], rows["low"], rows["high"], color=color, linewidth=1.5)
        ax.plot(rows["mean"], rows["y"], zorder=3, **look)
        handles.append(Line2D([], [], label=label, **look))
    if answers[0].is_difference:
        ax.axvline(0, color=style.GREEN, linestyle="--", linewidth=1.2, zorder=1)
        if rope is not None:
            ax.axvspan(*rope, color=style.GREY, alpha=0.13, linewidth=0, zorder=0)
            handles.append(style.rope_patch("ROPE"))
    letters = style.name_letters(ax)
    ax.set_yticks(table["y"], [style.clean(label, letters) for label in table["label"]])
    ax.set(ylim=(table["y"].max() + 0.7, -0.7 if len(data_sets) < 2 else -1.7))
    ax.tick_params(axis="y", length=0)
    if len(data_sets) > 1:
        for name, first in table.groupby("data", sort=False)["y"].min().items():
            heading = style.clean(str(name), 60)
            transform = ax.get_yaxis_transform()
            ax.text(0.01, first - 1, heading, va="center", fontweight="bold", transform=transform)
    kind = "difference in " if answers[0].is_difference else ""
    ax.set_xlabel(style.wrap_label(ax, style.clean(f"{kind}{answers[0].measure}")))
    style.legend_above(ax, handles, ncols=3)
    return ax
