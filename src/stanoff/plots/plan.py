"""The figure of a plan: power along documents or differences, and where it is enough."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from stanoff.inference.goals import goal_in_words
from stanoff.plots.style import (
    BLUE,
    GREY,
    LETTER,
    ORANGE,
    literal,
    new_axes,
    points_high,
    shortened,
    themed,
    wrapped,
)

if TYPE_CHECKING:
    from stanoff.planning.answers import Plan

AXES = {
    "documents": "documents in the test set",
    "difference": "true difference in {measure}, A − B",
    "more documents": "more {unit}",
}


@themed
def plot_plan(plan: Plan, *, ax: Axes | None = None) -> Axes:
    """Draw the simulated power with its error, the assurances and the answers.

    Parameters
    ----------
    plan : Plan
        What :func:`stanoff.plan` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    ax = ax or new_axes()
    x = plan.curve.iloc[:, 0].to_numpy()
    power, error = plan.curve["power"].to_numpy(), 2 * plan.curve["se"].to_numpy()
    bars = np.stack([power - np.maximum(power - error, 0), np.minimum(power + error, 1) - power])
    ax.errorbar(x, power, bars, fmt="o", color=BLUE, markersize=3.5, linewidth=1, alpha=0.6)
    if len(x) > 1:
        outward = np.argsort(np.abs(x))  # differences may go to either side
        ax.plot(
            x[outward],
            isotonic_regression(
                power[outward], weights=plan.curve["n_simulations"].to_numpy(np.float64)[outward]
            ).x,
            color=BLUE,
        )
        _frame(ax, plan, x, power)
    falls = plan.question == "difference" and x.max() < 0
    for answer in plan.answers:
        ax.axhline(answer.assurance, color=GREY, linestyle=":", linewidth=1)
        if answer.value is None or len(x) < 2:
            continue
        told = f"{answer.value:+.3f}" if plan.question == "difference" else f"{answer.value:,.0f}"
        ax.plot([answer.value], [answer.assurance], "D", color=ORANGE, markersize=7, zorder=5)
        if answer.low is not None and answer.high is not None:
            ends = [answer.low, answer.high]
            ax.plot(ends, [answer.assurance] * 2, color=ORANGE, linewidth=3, zorder=4)
        ax.annotate(
            told,
            (answer.value, answer.assurance),
            xytext=(9 if falls else -9, 6),
            textcoords="offset points",
            ha="left" if falls else "right",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.0},
        )
    a, b = _names(plan, 12)
    measure, unit = literal(shortened(plan.measure, 40)), plan.facts.get("unit", "documents")
    ax.set(ylim=(-0.02, 1.02), xlabel=AXES[plan.question].format(measure=measure, unit=unit))
    goal = f"probability of {goal_in_words(plan.goal, a, b)}"
    ax.set_ylabel(textwrap.fill(goal, int(points_high(ax) / (LETTER * 10))))
    ax.set_title(wrapped(ax, _title(plan), 12))
    sns.despine(ax=ax)
    return ax


def _frame(ax: Axes, plan: Plan, x: NDArray[np.float64], power: NDArray[np.float64]) -> None:
    """Choose the range and the ticks: documents by their order of magnitude."""
    if plan.question == "difference":
        certain = np.abs(x[power > 0.995])
        shown = x[np.abs(x) <= min(certain, default=np.inf)]
        room = 0.05 * np.ptp(shown) or 0.01
        ax.set_xlim(shown.min() - room, shown.max() + room)
    else:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _names(plan: Plan, most: int) -> tuple[str, str]:
    """Name A and B in few letters, ready to be drawn."""
    a, b = (literal(shortened(name, most)) for name in plan.facts.get("names", ("A", "B")))
    return a, b


def _title(plan: Plan) -> str:
    model, measure = (literal(shortened(x, 40)) for x in (plan.judge.model.name, plan.measure))
    how = f"{model} model, {measure}"
    if plan.question == "difference":
        return f"{plan.facts['n']:,} documents, {how}"
    if plan.question == "documents":
        return f"a difference of {plan.facts['delta']:+.3g}, {how}"
    a, b = _names(plan, 20)
    documents = literal(shortened(plan.facts["documents"], 40))
    return f"{a} {plan.facts['decision'].symbol} {b} on {documents}, {how}"
