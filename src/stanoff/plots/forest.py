"""Intervals of delta under each other: of all categories, or under several priors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from stanoff._lib.arguments import Interval
from stanoff.inference.decision import Decision
from stanoff.plots import style
from stanoff.text.numbers import format_interval, format_level
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from stanoff import Comparison, Prior

ROW_HEIGHT, MAX_HEIGHT = 0.2, 14.0  # inches
MIN_PITCH = 7.5  # points from label to label, below which some are left out
FAR = 20  # an end so many times as far away as nearly all others is drawn as an arrow


class Row(NamedTuple):
    """One interval: posterior mean, HDI, and what follows from them."""

    label: str
    mean: float
    hdi: Interval
    decision: Decision
    bold: bool = False


@style.themed
def plot_forest(result: Comparison, *, sort: bool = True, ax: Axes | None = None) -> Axes:
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
    ax : Axes, optional
        Where to draw; a new figure by default, the taller the more categories there are.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> pos, neg = [[30, 9, 1, 5], [30, 1, 2, 9]], [[1, 1, 1, 90], [2, 1, 1, 90]]
    >>> result = compare_counts(pos, neg, average="macro", engine="exact", draws=500, seed=1)
    >>> ax = plot_forest(result)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0', '1', 'macro average', 'micro average', 'weighted average']
    """
    rows, averages = _groups(result) if result.groups else _categories(result)
    n = len(rows)
    if sort:
        rows.sort(key=lambda row: -row.mean)
    if ax is None:
        height = 1.5 + ROW_HEIGHT * (n + 1.3 * len(averages) + 1)
        ax = style.new_axes(height=min(height, MAX_HEIGHT))
    _add_legend(ax, rows, result.rope, result)
    step = _draw_intervals(ax, rows, result.rope, averages)
    kind = result.by if result.groups else ""
    ax.set_ylabel(kind if step == 1 else f"{n:,} {kind or 'categories'}, one in {step} labelled")
    ax.set_xlabel(style.delta_label(ax, result, result.measure_label))
    return ax


def _categories(result: Comparison) -> tuple[list[Row], list[Row]]:
    """Return a row per category, and one per average."""
    n, summaries = len(result.data.categories), result.all_evidence()
    return [Row(e.category, e.mean, e.hdi, e.decision) for e in summaries[:n]], [
        Row(f"{e.category} average", e.mean, e.hdi, e.decision, e.category == result.average)
        for e in summaries[n:]
    ]


def _groups(result: Comparison) -> tuple[list[Row], list[Row]]:
    """Return a row per group of the documents, and one of all of them."""
    *groups, (_, whole) = [
        (name, group.evidence(category)) for name, (group, category) in result.summary_rows.items()
    ]
    rows = [Row(name, e.mean, e.hdi, e.decision) for name, e in groups]
    return rows, [Row("all", whole.mean, whole.hdi, whole.decision, bold=True)]


@style.themed
def plot_prior(
    result: Comparison,
    category: str | None = None,
    *,
    priors: Mapping[str, Prior] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the interval of delta under each of several priors, and what would be decided.

    Parameters
    ----------
    result : Comparison
        A comparison; it is fitted again for every prior.
    category : str, optional
        One of its categories or averages; the one decided upon by default.
    priors : mapping, optional
        Priors by name; uniform, Jeffreys and Perks by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([31, 2, 2, 4], [4, 3, 2, 70], engine="exact", seed=1)
    >>> [label.get_text() for label in plot_prior(result).get_yticklabels()]
    ['as fitted', 'uniform', 'jeffreys', 'perks']
    """
    evidence = result.evidence(category)
    table = result.sensitivity(evidence.category, priors=priors).priors
    rows = [Row("as fitted", evidence.mean, evidence.hdi, evidence.decision, bold=True)]
    rows += [
        Row(row["prior"], row["mean"], (row["hdi_low"], row["hdi_high"]), Decision(row["decision"]))
        for row in table.to_dict("records")
    ]
    ax = ax or style.new_axes(height=min(2.0 + 0.3 * len(rows), MAX_HEIGHT))
    _add_legend(ax, rows, evidence.rope, result)
    _draw_intervals(ax, rows, evidence.rope)
    ax.set_xlabel(style.delta_label(ax, result, describe_score(result, evidence.category)))
    ax.set_ylabel("prior")
    return ax


def _draw_intervals(
    ax: Axes, rows: Sequence[Row], rope: Interval, footer: Sequence[Row] = ()
) -> int:
    """Draw intervals from the top, the ROPE and 0; return how many rows there are to a label."""
    extra_lines = 1 + (1.5 + len(footer) if footer else 0)
    pitch = style.points_high(ax) / (len(rows) + extra_lines)
    if pitch < MIN_PITCH:  # the footer keeps its height, the rows have the rest
        pitch = (style.points_high(ax) - MIN_PITCH * extra_lines) / len(rows)
    step = max(1, ceil(MIN_PITCH / pitch - 1e-6))
    line = max(1.0, MIN_PITCH / pitch)  # the height of a label, in rows
    y = np.arange(len(rows), dtype=float)
    y_footer = len(rows) - 1 + line * (1.5 + np.arange(len(footer), dtype=float))
    bottom = y_footer[-1] if footer else y[-1]
    ax.set(xlim=_limits([*rows, *footer], rope), ylim=(bottom + 0.7 * line, -0.7 * line))
    ax.locator_params(axis="x", nbins=6)
    ax.axvspan(*rope, color=style.GREY, alpha=0.13, linewidth=0, zorder=0)
    for edge in rope:
        ax.axvline(edge, color=style.RED, linestyle=":", linewidth=1.2, zorder=1)
    ax.axvline(0, color=style.GREEN, linestyle="--", linewidth=1.2, zorder=1)
    if footer:
        ax.axhline(len(rows) - 1 + 0.75 * line, color="0.6", linewidth=0.6)
    _draw_marks(ax, rows, y, pitch)
    _draw_marks(ax, footer, y_footer, pitch * line)
    labelled = [*zip(y[::step], rows[::step], strict=True), *zip(y_footer, footer, strict=True)]
    _label_rows(
        ax, labelled, size=float(np.clip(0.8 * pitch * line, style.points(6), style.points(10)))
    )
    return step


def _draw_marks(
    ax: Axes, rows: Sequence[Row], y: np.typing.NDArray[np.float64], pitch: float
) -> None:
    left, right = ax.get_xlim()
    width, size = float(np.clip(0.16 * pitch, 0.4, 2)), float(np.clip(0.45 * pitch, 1, 7))
    for decision, (color, marker, filled) in style.DECISION_STYLE.items():
        selected = [i for i, row in enumerate(rows) if row.decision == decision]
        if not selected:
            continue
        lows, highs = np.array([rows[i].hdi for i in selected]).T
        at = y[selected]
        ax.hlines(at, lows.clip(left, right), highs.clip(left, right), color=color, linewidth=width)
        options: dict[str, Any] = {"linestyle": "none", "color": color}
        options |= {"markersize": size, "markeredgewidth": width}
        face = color if filled else "white"
        means = [rows[i].mean for i in selected]
        ax.plot(means, at, marker=marker, markerfacecolor=face, zorder=3, **options)
        for outside, edge, arrow in ((lows < left, left, "<"), (highs > right, right, ">")):
            edges = np.full(outside.sum(), edge)
            ax.plot(edges, at[outside], marker=arrow, clip_on=False, zorder=4, **options)


def _label_rows(ax: Axes, labelled: Sequence[tuple[float, Row]], size: float) -> None:
    """Name rows at the left; write their decisions at the right."""
    labels = [style.clean(row.label, style.name_letters(ax)) for _, row in labelled]
    ax.set_yticks([y for y, _ in labelled], labels, fontsize=size)
    ax.tick_params(axis="y", length=0)
    for (y, row), tick in zip(labelled, ax.get_yticklabels(), strict=True):
        weight = "bold" if row.bold else "normal"
        tick.set_fontweight(weight)
        letters: dict[str, Any] = {"fontsize": size + 1, "fontweight": weight}
        letters |= {"color": style.DECISION_STYLE[row.decision][0], "va": "center_baseline"}
        transform = ax.get_yaxis_transform()
        ax.text(1.02, y, row.decision.symbol, transform=transform, **letters)


def _add_legend(ax: Axes, rows: Sequence[Row], rope: Interval, result: Comparison) -> None:
    """Explain the marks above the axes, with how many rows have each."""
    handles: list[Line2D | Patch] = []
    for decision, (color, marker, filled) in style.DECISION_STYLE.items():
        n = sum(row.decision == decision for row in rows)
        if n:
            label = style.decision_label(decision) + (f" ({n:,})" if len(rows) > 1 else "")
            look: dict[str, Any] = {"color": color, "marker": marker}
            face = color if filled else "white"
            handles.append(Line2D([], [], markerfacecolor=face, label=label, **look))
    handles += [
        style.rope_patch(f"ROPE {format_interval(rope)}"),
        Line2D([], [], color=style.GREY, label=f"{format_level(result.hdi_prob)} HDI, mean marked"),
    ]
    a, b = style.short_names(result, 20)
    ax.set_title(f"{a} against {b}")
    style.legend_above(ax, handles)


def _limits(rows: Sequence[Row], rope: Interval) -> tuple[float, float]:
    """Return a range that shows all intervals, unless a few reach very far."""
    hdis = np.array([row.hdi for row in rows])
    reach = np.abs(hdis).max(axis=1)
    farthest = max(FAR * np.quantile(reach, 0.8), *np.abs(rope)) if len(rows) > 3 else np.inf
    if reach.max() > farthest:
        hdis = 1.5 * hdis[reach <= farthest]
    means = np.clip([row.mean for row in rows], hdis.min(), hdis.max())
    shown = [*hdis.ravel(), *means, *rope, 0.0]
    return style.pad_limits(min(shown), max(shown))
