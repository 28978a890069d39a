"""The figure of a plan: power along documents or differences, and where it is enough."""

from __future__ import annotations

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter
from numpy.typing import NDArray

from stanoff.planning.answers import Plan
from stanoff.planning.crossing import rising
from stanoff.planning.telling import goal_in_words
from stanoff.plots.theme import BLUE, GREY, ORANGE, literal, new_axes

AXES = {
    "documents": "documents in the test set",
    "difference": "true difference in {measure}, A − B",
    "more documents": "more documents",
}


def plan_plot(plan: Plan, *, ax: Axes | None = None) -> Axes:
    """Draw the simulated power with its error, the assurances and the answers.

    Parameters
    ----------
    plan : what :func:`stanoff.plan` returned
    ax : where to draw; a new figure unless told
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
            rising(power[outward], plan.curve["datasets"].to_numpy(np.float64)[outward]),
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
    a, b = (literal(name) for name in plan.facts.get("names", ("A", "B")))
    ax.set(ylim=(-0.02, 1.02), xlabel=AXES[plan.question].format(measure=literal(plan.measure)))
    ax.set_ylabel(f"probability of {goal_in_words(plan.goal, a, b)}")
    ax.set_title(_title(plan))
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


def _title(plan: Plan) -> str:
    how = f"{plan.judge.model} model, {literal(plan.measure)}"
    if plan.question == "difference":
        return f"{plan.facts['n']:,} documents, {how}"
    if plan.question == "documents":
        return f"a difference of {plan.facts['delta']:+.3g}, {how}"
    a, b = (literal(name) for name in plan.facts["names"])
    return f"{a} {plan.facts['decision'].symbol} {b} on {plan.facts['documents']}, {how}"
