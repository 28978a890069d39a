"""Every category at once: the intervals of delta under each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from stanoff.data.types import AVERAGES
from stanoff.plots.rows import Row, draw_rows, key
from stanoff.plots.style import delta_label, new_axes, short_names, themed

if TYPE_CHECKING:
    from stanoff import Comparison

PER_ROW, MOST_HEIGHT = 0.2, 14.0  # inches


@themed
def plot_forest(
    result: Comparison,
    *,
    sort: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw delta of every category, and of the averages below them, with HDIs and the ROPE.

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
    known = result.data.categories
    judged = [result.evidence(name) for name in result.categories]
    if sort:
        judged[: len(known)] = sorted(judged[: len(known)], key=lambda e: -e.mean)
    rows = [Row(e.category, e.mean, e.hdi, e.decision) for e in judged[: len(known)]]
    averages = [
        Row(f"{name} average", e.mean, e.hdi, e.decision, bold=name == result.average)
        for name, e in zip(AVERAGES, judged[len(known) :], strict=False)
    ]
    if ax is None:
        height = 1.5 + PER_ROW * (len(rows) + 1.3 * len(averages) + 1)
        ax = new_axes(height=min(height, MOST_HEIGHT))
    band = judged[0].rope
    step = draw_rows(ax, rows, band, apart=averages)
    told = "" if step == 1 else f"{len(known):,} categories, one in {step} labelled"
    ax.set(ylabel=told, xlabel=delta_label(ax, result, result.measure.label))
    a, b = short_names(result, 20)
    key(ax, rows, band, judged[0].hdi_prob, f"{a} against {b}")
    return ax
