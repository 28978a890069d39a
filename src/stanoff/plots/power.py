"""How often a goal is reached: power along the size of the test set, or along differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter
from scipy.optimize import isotonic_regression

from stanoff.errors import invalid, unknown
from stanoff.inference.decision import Decision, goal_in_words
from stanoff.plots import style

if TYPE_CHECKING:
    from stanoff.planning.plan import Plan

COLUMNS = ("n", "model", "power", "se")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)), (0, (3, 3)))


@style.themed()
def plot_power(ax: Axes, frame: pd.DataFrame, *, goal: str | None = None) -> None:
    """Draw power against test-set size, a line per model and scenario, with bands of ±2 se.

    After Figure 5 of Zhang et al. (2016). Colour tells the model, dashes and markers the scenario.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``n``, ``model``, ``power`` and ``se``; also ``scenario`` and ``goal``
        where there are several.
    goal : str, optional
        The decision to be reached; of a frame with a column ``goal`` only its rows are drawn.

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [500, 1000], "model": "paired", "power": [0.3, 0.5], "se": 0.01})
    >>> plot_power(frame, goal=">>").get_ylabel()
    'power: probability of A ≫ B'
    """
    table = _read_powers(frame, goal)
    models, lines = list(dict.fromkeys(table["model"])), list(dict.fromkeys(table["line"]))
    for (model, line), rows in table.sort_values("n").groupby(["model", "line"], sort=False):
        i = models.index(model)
        look = (i if len(lines) == 1 else lines.index(line)) % 8
        color, face = style.PALETTE[i % 8], style.PALETTE[i % 8] if i % 2 == 0 else "white"
        low, high = ((rows["power"] + side * rows["se"]).clip(0, 1) for side in (-2, 2))
        ax.fill_between(rows["n"], low, high, color=color, alpha=0.18, linewidth=0)
        label = style.clean(", ".join(filter(None, (str(model), str(line)))), 28)
        marks: dict[str, Any] = {"linestyle": DASHES[look], "marker": MARKERS[look]}
        marks |= {"color": color, "markerfacecolor": face}
        ax.plot(rows["n"], rows["power"], label=label, **marks)
    goals = table["goal"].unique()
    aim = (len(goals) == 1 and goals[0]) or "reaching the goal"
    ax.set(xlabel="documents in the test set", ylim=(-0.03, 1.03))
    ax.set_ylabel(f"power: probability of {aim}")
    if table["n"].max() > 50 * table["n"].min():
        ax.set_xscale("log")
    else:
        ax.locator_params(axis="x", integer=True, nbins=7)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    style.legend_right(ax)


def _read_powers(frame: pd.DataFrame, goal: str | None) -> pd.DataFrame:
    """Return a table of powers with goals in words, and what tells apart lines of one model."""
    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise invalid("frame", "a DataFrame with rows", frame)
    for column in COLUMNS:
        if column not in frame:
            raise unknown("frame", column, list(map(str, frame.columns)))
    table = frame.reset_index(drop=True).fillna({"se": 0.0}).assign(line="")
    if not (table["n"].ge(1) & table["power"].between(0, 1)).all():
        raise invalid("frame", "sizes of 1 or more, and powers between 0 and 1", frame)
    if "goal" not in table:
        table["goal"] = goal
    aims = table["goal"].map(_goal_text)
    table, names = table.assign(goal=aims), sorted(set(map(str, table["goal"])))
    if goal is not None:
        table = table[aims == _goal_text(goal)]
        if table.empty:
            raise unknown("goal", goal, names)
    if "scenario" in table and table["scenario"].nunique() > 1:
        table["line"] = table["scenario"].astype(str)
    if table["goal"].nunique() > 1:
        table["line"] = (table["line"] + ", " + table["goal"]).str.removeprefix(", ")
    return table


def _goal_text(goal: str | None) -> str:
    """Write a goal in words; both ``>>`` and ``≫`` are understood."""
    if goal is None:
        return ""
    for decision in Decision:
        goal = goal.replace(decision.symbol, decision.value)
    return goal_in_words(goal)


@style.themed()
def plot_plan(ax: Axes, plan: Plan) -> None:
    """Draw the simulated power with its error, the assurances and the answers.

    Parameters
    ----------
    plan : Plan
        What :func:`stanoff.plan` returned.
    """
    is_difference = plan.question == "difference"
    curve = plan.curve.rename(columns={plan.curve.columns[0]: "x"})
    curve = curve.sort_values("x", key=abs)  # differences may go to either side
    power, error = curve["power"], 2 * curve["se"]
    bars = [np.minimum(power, error), np.minimum(1 - power, error)]
    points: dict[str, Any] = {"fmt": "o", "markersize": 3.5, "linewidth": 1, "alpha": 0.6}
    ax.errorbar(curve["x"], power, bars, color=style.BLUE, **points)
    if len(curve) > 1:
        fitted = isotonic_regression(power, weights=curve["n_simulations"].to_numpy(np.float64))
        ax.plot(curve["x"], fitted.x, color=style.BLUE)
        _scale_x(ax, curve, is_difference)
    # The curve rises away from 0, so there is room on its other side.
    side = 1 if is_difference and curve["x"].max() < 0 else -1
    for answer in plan.answers:
        ax.axhline(answer.assurance, color=style.GREY, linestyle=":", linewidth=1)
        if answer.value is None or len(curve) < 2:
            continue
        point = answer.value, answer.assurance
        ax.plot(*point, "D", color=style.ORANGE, markersize=7, zorder=5)
        if answer.low is not None and answer.high is not None:
            ends = [answer.low, answer.high]
            ax.plot(ends, [answer.assurance] * 2, color=style.ORANGE, linewidth=3, zorder=4)
        text = f"{answer.value:{'+.3f' if is_difference else ',.0f'}}"
        near: dict[str, Any] = {"xytext": (9 * side, 6), "textcoords": "offset points"}
        style.GiveWay([ax.annotate(text, point, ha="left" if side > 0 else "right", **near)])
    ax.set(ylim=(-0.02, 1.02))
    _label_plan(ax, plan)


def _scale_x(ax: Axes, curve: pd.DataFrame, is_difference: bool) -> None:
    """Show differences up to where power is certain; documents by their order of magnitude."""
    if not is_difference:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        return
    certain = curve["x"].abs()[curve["power"] > 0.995].min()
    shown = curve["x"][~(curve["x"].abs() > certain)]  # NaN: all of them
    ax.set_xlim(style.pad_limits(shown.min(), shown.max(), 0.05))


def _label_plan(ax: Axes, plan: Plan) -> None:
    measure = style.clean(plan.measure, 40)
    analysis = f"{style.clean(plan.analysis.model.name, 40)} model, {measure}"
    if plan.question == "difference":
        label, title = f"true difference in {measure}, A − B", f"{plan.n:,} documents"
    elif plan.question == "documents":
        label, title = "documents in the test set", f"a difference of {plan.delta:+.3g}"
    else:
        assert plan.observed is not None
        label = f"more {plan.unit.split()[0]}"
        a, b = (style.clean(name, 20) for name in plan.names)
        on = style.clean(plan.observed.documents, 40)
        title = f"{a} {plan.observed.decision.symbol} {b} on {on}"
    ax.set(xlabel=label, title=style.wrap_label(ax, f"{title}, {analysis}", 12))
    goal = goal_in_words(plan.goal, *(style.clean(name, 12) for name in plan.names))
    ax.set_ylabel(f"probability of {goal}")
