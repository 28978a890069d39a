"""How often a goal is reached, against the size of the test set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from stanoff.errors import invalid, unknown
from stanoff.inference.decision import Decision
from stanoff.plots.style import (
    DASHES,
    LINES,
    MARKERS,
    literal,
    new_axes,
    shortened,
    themed,
)

COLUMNS = ("n", "model", "power", "se")


@themed
def plot_power(frame: pd.DataFrame, *, goal: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw power against test-set size, a line per model and scenario, with bands of ±2 se.

    After Figure 5 of Zhang et al. (2016). Colour tells the model, dashes and markers the scenario.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``n``, ``model``, ``power`` and ``se``; also ``scenario`` and ``goal``
        where there are several.
    goal : str, optional
        The decision to be reached; of a frame with a column ``goal`` only its rows are drawn.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [500, 1000], "model": "paired", "power": [0.3, 0.5], "se": 0.01})
    >>> plot_power(frame, goal=">>").get_ylabel()
    'power: probability of deciding ≫'
    """
    table = _read(frame, goal)
    ax = ax or new_axes()
    models = list(dict.fromkeys(table["model"]))
    labels = list(dict.fromkeys(table["which"]))
    for (model, which), lines in table.groupby(["model", "which"], sort=False):
        i, color = models.index(model), LINES[models.index(model) % len(LINES)]
        style = i if len(labels) == 1 else labels.index(which)
        line = lines.sort_values("n")
        told = ", ".join(part for part in (str(model), str(which)) if part)
        ax.fill_between(
            line["n"],
            np.clip(line["power"] - 2 * line["se"], 0, 1),
            np.clip(line["power"] + 2 * line["se"], 0, 1),
            color=color,
            alpha=0.18,
            linewidth=0,
        )
        ax.plot(
            line["n"],
            line["power"],
            color=color,
            linestyle=DASHES[style % len(DASHES)],
            marker=MARKERS[style % len(MARKERS)],
            markerfacecolor=color if i % 2 == 0 else "white",
            label=literal(shortened(told, 28)),
        )
    goals = list(dict.fromkeys(table["goal"]))
    aim = "reaching the goal"
    if len(goals) == 1 and goals[0]:
        aim = goals[0] if goals[0].startswith("a ") else f"deciding {goals[0]}"
    ax.set(xlabel="documents in the test set", ylim=(-0.03, 1.03))
    ax.set_ylabel(f"power: probability of {aim}")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    if table["n"].max() > 50 * table["n"].min():
        ax.set_xscale("log")
    else:
        ax.locator_params(axis="x", integer=True, nbins=7)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    return ax


def _read(frame: Any, goal: str | None) -> pd.DataFrame:
    """Check a table of powers; name its lines."""
    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise invalid("frame", "a DataFrame with rows", frame)
    for column in COLUMNS:
        if column not in frame:
            raise unknown("frame", column, list(map(str, frame.columns)))
    table = pd.DataFrame({name: frame[name] for name in frame if name in (*COLUMNS, *_EXTRA)})
    for name, least, most in (("n", 1, np.inf), ("power", 0, 1), ("se", 0, np.inf)):
        numbers = pd.to_numeric(table[name], errors="coerce")
        given = table[name].notna() if name == "se" else True
        if ((~numbers.between(least, most)) & given).any() or not np.isfinite(table["n"]).all():
            raise invalid(f"frame[{name!r}]", f"numbers from {least} to {most}", frame[name])
        table[name] = numbers.astype(float)
    table["se"] = table["se"].fillna(0.0)
    wanted = None if goal is None else _symbol("goal", goal)
    if "goal" in table:
        table["goal"] = [_symbol("frame['goal']", value) for value in table["goal"]]
        if wanted is not None:
            if wanted not in set(table["goal"]):
                raise unknown("goal", goal, sorted(set(table["goal"])))
            table = table[table["goal"] == wanted]
    else:
        table["goal"] = wanted or ""
    parts = table["scenario"].astype(str) if "scenario" in table else pd.Series("", table.index)
    if "scenario" in table and parts.nunique() == 1:
        parts = pd.Series("", table.index)
    if table["goal"].nunique() > 1:
        parts = (parts + ", goal " + table["goal"]).str.removeprefix(", ")
    return table.assign(which=parts)


_EXTRA = ("scenario", "goal")


def _symbol(parameter: str, goal: Any) -> str:
    """Write a decision as people do; both ``>>`` and ``≫`` are understood."""
    for decision in Decision:
        if str(goal) in (decision.value, decision.symbol):
            return decision.symbol
    if str(goal) == "settled":
        return "a settled verdict"
    if " or " in str(goal):
        return " or ".join(_symbol(parameter, one) for one in str(goal).split(" or "))
    raise unknown(parameter, goal, [*(decision.value for decision in Decision), "settled"])
