"""The figure of a plan: power along documents or differences, and where it is enough."""

from __future__ import annotations

from matplotlib.axes import Axes

from stanoff.planning.answers import Plan
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
    import seaborn as sns

    ax = ax or new_axes()
    x = plan.curve.iloc[:, 0].to_numpy()
    power, error = plan.curve["power"].to_numpy(), 2 * plan.curve["se"].to_numpy()
    ax.fill_between(
        x, (power - error).clip(0, 1), (power + error).clip(0, 1), color=BLUE, alpha=0.2, lw=0
    )
    ax.plot(x, power, "o-", color=BLUE, markersize=3.5, linewidth=1.2)
    if plan.question != "difference":
        ax.set_xscale("log" if len(x) > 1 and x.min() > 0 else "linear")
    for answer in plan.answers:
        ax.axhline(answer.assurance, color=GREY, linestyle=":", linewidth=1)
        if answer.value is None or not x.min() < answer.value <= x.max():
            continue
        told = f"{answer.value:+.3f}" if plan.question == "difference" else f"{answer.value:,.0f}"
        ax.plot([answer.value], [answer.assurance], "D", color=ORANGE, markersize=7, zorder=5)
        if answer.low is not None and answer.high is not None:
            ends = [answer.low, answer.high]
            ax.plot(ends, [answer.assurance] * 2, color=ORANGE, linewidth=3, zorder=4)
        ax.annotate(
            told,
            (answer.value, answer.assurance),
            xytext=(-9, 6),
            textcoords="offset points",
            ha="right",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.0},
        )
    a, b = (literal(name) for name in plan.facts.get("names", ("A", "B")))
    ax.set(ylim=(-0.02, 1.02), xlabel=AXES[plan.question].format(measure=literal(plan.measure)))
    ax.set_ylabel(f"probability of {goal_in_words(plan.goal, a, b)}")
    ax.set_title(_title(plan))
    sns.despine(ax=ax)
    return ax


def _title(plan: Plan) -> str:
    how = f"{plan.judge.model} model, {literal(plan.measure)}"
    if plan.question == "difference":
        return f"{plan.facts['n']:,} documents, {how}"
    if plan.question == "documents":
        return f"a difference of {plan.facts['delta']:+.3g}, {how}"
    a, b = (literal(name) for name in plan.facts["names"])
    return f"{a} {plan.facts['decision'].symbol} {b} on {plan.facts['documents']}, {how}"
