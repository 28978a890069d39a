"""What a notebook shows: sentences, tables, and of a result one figure as well."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from stanoff import plots
from stanoff.report.figures import as_bytes, inline
from stanoff.report.templates import render
from stanoff.text.tables import (
    PAPER,
    comparison_table,
    contest_table,
    in_one_paragraph,
    legend_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

MAX_ROWS, MAX_SENTENCES = 30, 3


def blocks_as_html(blocks: Sequence[str | pd.DataFrame]) -> str:
    """Render sentences and tables of text cells as a small piece of HTML with its own styles."""
    kinds = [("" if isinstance(block, str) else "table", block) for block in blocks]
    return render("notebook.html", parts=kinds)


def comparison_as_html(result: Comparison) -> str:
    """Render the verdict, the table and the posterior of a comparison, in the same way."""
    decided = result.default_category
    categories = [name for name in result.categories if name != decided]
    last = [] if decided is None else [decided]
    shown = categories[: MAX_ROWS - len(last)] + last
    axes = None
    if decided is not None and plots.is_drawable(result, decided):
        axes = result.plot_posterior(decided)
    caption = f"Posterior of the difference. {result.sentence(decided)}" if decided else ""
    table = comparison_table(result, PAPER, categories=shown)
    more_rows = len(result.categories) - len(shown)
    return _as_html(
        result,
        table,
        more_rows,
        [in_one_paragraph(legend_of(result, PAPER))],
        axes,
        caption,
    )


def contest_as_html(result: Contest) -> str:
    """Render the sentence, the table and the scores of a contest, in the same way."""
    category = result.default_category or result.categories[0]
    table = contest_table(result, category)
    axes = result.plot_scores(category) if result.drawable(category) else None
    caption = f"Scores. {result.sentence(category)}"
    return _as_html(result, table[:MAX_ROWS], len(table) - MAX_ROWS, [], axes, caption)


def _as_html(
    result: Comparison | Contest,
    table: pd.DataFrame,
    more_rows: int,
    legend: list[str],
    axes: Axes | None,
    caption: str,
) -> str:
    sentences = result.sentences
    more = len(sentences) - MAX_SENTENCES
    parts: list[tuple[str, str | pd.DataFrame]] = [
        *(("verdict", sentence) for sentence in sentences[:MAX_SENTENCES]),
        *([("", f"… and {more} more: print(result).")] if more > 0 else []),
        *(("note", note.removeprefix("Note: ")) for note in result.notes),
        ("table", table),
        *([("", f"… and {more_rows} more rows: result.table().")] if more_rows > 0 else []),
        *(("", text) for text in legend),
    ]
    if axes is not None:
        svg = as_bytes(axes)
        # A notebook shows many results on one page: their ids must not clash.
        prefix = f"s{hashlib.sha256(svg).hexdigest()[:12]}"
        parts.append(("figure", inline(svg, prefix, caption)))
    return render("notebook.html", parts=parts)
