"""Intervals under each other: of categories, priors, systems, and of the answers of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from stanoff._lib.arguments import Interval
from stanoff.inference.decision import Decision
from stanoff.plots import style
from stanoff.text.numbers import format_interval, format_level, percent
from stanoff.text.sentences import describe_score
from stanoff.text.tables import DECISION_OF_SYMBOL

if TYPE_CHECKING:
    from stanoff import Comparison, Contest, Prior
    from stanoff.study.overview import Answer

MAX_HEIGHT = 14.0  # inches
MAX_ROWS = 60  # of the answers of a study
FAR = 20  # an end so many times as far away as nearly all others is drawn as an arrow


class Row(NamedTuple):
    """One interval: posterior mean, HDI, and what follows from them."""

    label: str
    mean: float
    low: float
    high: float
    decision: Decision
    bold: bool = False


@style.themed()
def plot_forest(ax: Axes, result: Comparison, *, sort: bool = True) -> None:
    """Draw delta of every category, and of the averages below them, with HDIs and the ROPE.

    With ``by=`` these are the groups of the documents, and all documents below them.

    Decisions are told by colour, by shape and filling of the marks, and by the symbol at the
    side. Where there are too many categories for a label each, some labels are left out; an
    interval that reaches very far beyond all others ends in an arrow.

    Parameters
    ----------
    result : Comparison
        A comparison.
    sort : bool
        Whether the category with the highest delta comes first; else as they are.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> pos, neg = [[30, 9, 1, 5], [30, 1, 2, 9]], [[1, 1, 1, 90], [2, 1, 1, 90]]
    >>> result = compare_counts(pos, neg, average="macro", engine="exact", draws=500, seed=1)
    >>> ax = plot_forest(result)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0', '1', 'macro average', 'micro average', 'weighted average']
    """
    result.all_evidence()  # at once
    n = len(result.groups) or len(result.data.categories)
    suffix = "" if result.groups else " average"
    rows = []
    for i, (name, (group, category)) in enumerate(result.summary_rows.items()):
        e, bold = group.evidence(category), name == result.average or bool(result.groups)
        label = name if i < n else f"{name}{suffix}"
        rows.append(Row(label, e.mean, *e.hdi, e.decision, bold and i >= n))
    rows, averages = rows[:n], rows[n:]
    if sort:
        rows.sort(key=lambda row: -row.mean)
    height = 1.5 + 0.2 * (n + 1.3 * len(averages) + 1)
    style.resize(ax, height=min(height, MAX_HEIGHT))
    _add_legend(ax, rows, result.rope, result)
    step = _draw_rows(ax, rows, result.rope, averages)
    kind = result.by if result.groups else ""
    ax.set_ylabel(kind if step == 1 else f"{n:,} {kind or 'categories'}, one in {step} labelled")
    ax.set_xlabel(style.delta_label(ax, result, result.measure_label))


@style.themed()
def plot_prior(
    ax: Axes,
    result: Comparison,
    category: str | None = None,
    *,
    priors: Mapping[str, Prior] | None = None,
) -> None:
    """Draw the interval of delta under each of several priors, and what would be decided.

    Parameters
    ----------
    result : Comparison
        A comparison; it is fitted again for every prior.
    category : str, optional
        One of its categories or averages; the one decided upon by default.
    priors : mapping, optional
        Priors by name; uniform, Jeffreys and Perks by default.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([31, 2, 2, 4], [4, 3, 2, 70], engine="exact", seed=1)
    >>> [label.get_text() for label in plot_prior(result).get_yticklabels()]
    ['as fitted', 'uniform', 'jeffreys', 'perks']
    """
    e = result.evidence(category)
    table = result.sensitivity(e.category, priors=priors).priors
    table["decision"] = table["decision"].map(Decision)
    columns = table[["prior", "mean", "hdi_low", "hdi_high", "decision"]]
    rows = [Row("as fitted", e.mean, *e.hdi, e.decision, bold=True)]
    rows += [Row(*row) for row in columns.itertuples(index=False)]
    style.resize(ax, height=min(2.0 + 0.3 * len(rows), MAX_HEIGHT))
    _add_legend(ax, rows, e.rope, result)
    _draw_rows(ax, rows, e.rope)
    ax.set_xlabel(style.delta_label(ax, result, describe_score(result, e.category)))
    ax.set_ylabel("prior")


def _draw_rows(ax: Axes, rows: Sequence[Row], rope: Interval, footer: Sequence[Row] = ()) -> int:
    """Draw intervals from the top, the ROPE and 0; return how many rows there are to a label."""
    extra = 1 + (1.5 + len(footer) if footer else 0)
    n, height = len(rows), style.points_high(ax)
    pitch = height / (n + extra)
    if pitch < style.MIN_PITCH:  # the footer keeps its height, the rows have the rest
        pitch = (height - style.MIN_PITCH * extra) / n
    step = max(1, ceil(style.MIN_PITCH / pitch - 1e-6))
    line = max(1.0, style.MIN_PITCH / pitch)  # the height of a label, in rows
    table = pd.DataFrame([*rows, *footer])
    table["y"] = [*range(n), *(n - 1 + line * (1.5 + i) for i in range(len(footer)))]
    ax.set(xlim=_limits(table, rope), ylim=(table["y"].iloc[-1] + 0.7 * line, -0.7 * line))
    ax.locator_params(axis="x", nbins=6)
    style.draw_rope(ax, rope)
    if footer:
        ax.axhline(n - 1 + 0.75 * line, color="0.6", linewidth=0.6)
    for block, points in ((table[:n], pitch), (table[n:], pitch * line)):
        width, size = float(np.clip(0.16 * points, 0.4, 2)), float(np.clip(0.45 * points, 1, 7))
        for decision in style.DECISION_STYLE:
            group = block[block["decision"] == decision]
            if group.empty:
                continue
            look = style.decision_mark(decision) | {"markersize": size, "markeredgewidth": width}
            _draw_marks(ax, group, width, zorder=3, **look)
            _draw_arrows(ax, group, markersize=size, markeredgewidth=width, color=look["color"])
    labelled = table[(table.index >= n) | (table.index % step == 0)]
    size = float(np.clip(0.8 * pitch * line, style.points(6), style.points(10)))
    names = [style.clean(label, style.name_letters(ax)) for label in labelled["label"]]
    ax.set_yticks(labelled["y"], names, fontsize=size)
    ax.tick_params(axis="y", length=0)
    for row, tick in zip(labelled.to_dict("records"), ax.get_yticklabels(), strict=True):
        tick.set_fontweight("bold" if row["bold"] else "normal")
        symbol = Decision(row["decision"]).symbol
        text = ax.text(1.02, row["y"], symbol, transform=ax.get_yaxis_transform())
        text.set(va="center_baseline", fontsize=size + 1, fontweight=tick.get_fontweight())
        text.set_color(style.DECISION_STYLE[row["decision"]][0])
    return step


def _draw_marks(ax: Axes, rows: pd.DataFrame, width: float, **look: Any) -> None:
    """Draw the interval and the mean of rows that look alike."""
    low, high = (rows[name].clip(*ax.get_xlim()) for name in ("low", "high"))
    ax.hlines(rows["y"], low, high, color=look["color"], linewidth=width)
    ax.plot(rows["mean"], rows["y"], linestyle="none", **look)


def _draw_arrows(ax: Axes, rows: pd.DataFrame, **look: Any) -> None:
    """Mark the ends of intervals that lie beyond the sides."""
    left, right = ax.get_xlim()
    for marker, edge, outside in (
        ("<", left, rows["low"] < left),
        (">", right, rows["high"] > right),
    ):
        y = rows["y"][outside]
        ax.plot(np.full(len(y), edge), y, marker, clip_on=False, zorder=4, **look)


def _limits(table: pd.DataFrame, rope: Interval) -> Interval:
    """Return a range that shows all intervals, unless a few reach very far."""
    hdis = table[["low", "high"]].to_numpy(dtype=float)
    reach = np.abs(hdis).max(axis=1)
    farthest = max(FAR * np.quantile(reach, 0.8), *np.abs(rope)) if len(table) > 3 else np.inf
    if reach.max() > farthest:
        hdis = 1.5 * hdis[reach <= farthest]
    means = table["mean"].clip(hdis.min(), hdis.max())
    shown = [*hdis.ravel(), *means, *rope, 0.0]
    return style.pad_limits(min(shown), max(shown))


def _add_legend(ax: Axes, rows: Sequence[Row], rope: Interval, result: Comparison) -> None:
    """Explain the marks above the axes, with how many rows have each."""
    handles: list[Line2D | Patch] = []
    for decision in style.DECISION_STYLE:
        n = sum(row.decision == decision for row in rows)
        label = style.decision_label(decision) + (f" ({n:,})" if len(rows) > 1 else "")
        handles += [style.mark(label, **style.decision_mark(decision))] * (n > 0)
    handles.append(style.rope_patch(f"ROPE {format_interval(rope)}"))
    handles.append(style.mark(f"{format_level(result.hdi_prob)} HDI, mean marked", style.GREY))
    ax.set_title(" against ".join(style.short_names(result, 20)))
    style.legend_above(ax, handles)


@style.themed()
def plot_scores(ax: Axes, result: Contest, category: str | None = None) -> None:
    """Draw the score of every system with its HDI, the best first; lines part the tiers.

    At the side stands the probability of being within the ROPE of the best. A bar beside the mean
    is the observed score.

    Parameters
    ----------
    result : Contest
        A contest.
    category : str, optional
        A category or average, the one decided upon by default.

    Examples
    --------
    >>> from stanoff import contest
    >>> predictions = {"a": [1, 0, 1, 0], "b": [1, 0, 0, 0], "c": [0, 1, 1, 0]}
    >>> ax = plot_scores(contest([1, 0, 1, 0], predictions, draws=500, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b', 'c']
    """
    category = result.resolve_category(category)
    names = {"psi": "mean", "hdi_low": "low", "hdi_high": "high"}
    table = result.summary(category).rename(columns=names).assign(y=lambda rows: rows.index)
    style.resize(ax, height=min(1.6 + 0.26 * len(table), MAX_HEIGHT))
    numbers = table[["low", "high", "observed"]].to_numpy(dtype=float)
    limits = style.pad_limits(float(np.nanmin(numbers)), float(np.nanmax(numbers)))
    ax.set(xlim=limits, ylim=(len(table) - 0.4, -0.6))
    pitch = style.points_high(ax) / (len(table) + 1)
    size, width = float(np.clip(0.4 * pitch, 1.5, 7)), min(2, pitch / 5)
    first_tier = table["tier"] == 1
    for rows, color in ((table[first_tier], style.BLUE), (table[~first_tier], style.GREY)):
        _draw_marks(ax, rows, width, color=color, marker="o", markersize=size)
        ax.plot(rows["observed"], rows["y"], "|", color="black", markersize=1.6 * size, zorder=3)
    for last in np.flatnonzero(np.diff(table["tier"])):
        ax.axhline(last + 0.5, color="0.75", linewidth=0.8, zorder=0)
    letters = style.name_letters(ax)
    step, size = style.label_rows(ax.yaxis, list(table["system"]), pitch, letters)
    for y in table["y"][::step]:
        near_best = percent(float(table["p_near"][y]))
        ax.text(1.01, y, near_best, transform=ax.get_yaxis_transform(), va="center", fontsize=size)
    lower = "" if result.measure.higher_is_better else " (lower is better)"
    score = style.clean(describe_score(result, category), 60)
    ax.set_xlabel(style.wrap_label(ax, f"{score}{lower}"))
    handles = [style.mark("can still be the best", style.BLUE, marker="o")]
    if not first_tier.all():
        handles.append(style.mark("significantly worse than another", style.GREY, marker="o"))
    handles.append(style.mark("observed", marker="|", linestyle="none"))
    rope = format_interval(result.rope)
    title = f"{format_level(result.hdi_prob)} HDI; right: P(within the ROPE {rope} of the best)"
    title, font = style.wrap_label(ax, title), style.points(9)
    style.legend_above(ax, handles, title, ncols=3, title_fontsize=font)


@style.themed()
def plot_answers(ax: Axes, answers: Sequence[Answer], rope: Interval | None = None) -> None:
    """Draw the scores of systems, or differences, with HDIs, data set by data set.

    Parameters
    ----------
    answers : sequence of Answer
        Of one measure and one kind.
    rope : tuple of float, optional
        The ROPE of differences.
    """
    table, is_difference = pd.DataFrame(answers[:MAX_ROWS]), answers[0].is_difference
    groups = pd.factorize(table["data"])[0]
    n_groups = groups.max() + 1
    table["y"] = table.index + groups  # a line above the rows of every data set has its name
    style.resize(ax, height=1.6 + 0.2 * (len(table) + n_groups))
    ends = [*table["low"], *table["high"], *([0.0, *(rope or ())] if is_difference else [])]
    ax.set(xlim=style.pad_limits(min(ends), max(ends)))
    ax.set(ylim=(table["y"].max() + 0.7, -0.7 if n_groups < 2 else -1.7))
    handles: list[Line2D | Patch] = []
    for symbol, rows in table.groupby("symbol", sort=False):
        label, look = "best", {"color": "black", "marker": "D"}
        if symbol:
            decision = DECISION_OF_SYMBOL[str(symbol)]
            label, look = style.decision_label(decision), style.decision_mark(decision)
        _draw_marks(ax, rows, 1.5, markersize=5, zorder=3, **look)
        handles.append(style.mark(label, linestyle="none", markersize=5, **look))
    if is_difference:
        style.draw_rope(ax, rope or (0.0, 0.0))
        handles += [style.rope_patch("ROPE")] * (rope is not None)
    letters = style.name_letters(ax)
    ax.set_yticks(table["y"], [style.clean(label, letters) for label in table["label"]])
    ax.tick_params(axis="y", length=0)
    for name, y in table.groupby("data", sort=False)["y"].min().items() if n_groups > 1 else ():
        heading = ax.text(0.01, y - 1, style.clean(str(name), 60), va="center", fontweight="bold")
        heading.set_transform(ax.get_yaxis_transform())
    kind = "difference in " if is_difference else ""
    ax.set_xlabel(style.wrap_label(ax, style.clean(f"{kind}{answers[0].measure}")))
    style.legend_above(ax, handles, ncols=3)
