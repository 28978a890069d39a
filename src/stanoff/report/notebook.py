"""What a notebook shows: sentences, tables, and of a comparison the posterior as well."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from stanoff.plots.style import is_drawable
from stanoff.report.figures import as_bytes, inline
from stanoff.report.templates import render
from stanoff.text.tables import PAPER, comparison_table, legend_of

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

MOST_ROWS, MOST_SENTENCES = 30, 3


def parts_as_html(parts: Sequence[str | pd.DataFrame]) -> str:
    """Render sentences and tables of text cells as a small piece of HTML with its own styles."""
    kinds = [("" if isinstance(part, str) else "table", part) for part in parts]
    return render("notebook.html", parts=kinds)


def notebook(result: Comparison) -> str:
    """Render the verdict, the table and the posterior of a comparison, in the same way."""
    decided = result.default_category
    sentences = str(result).split("\n")
    averages = [c for c in result.categories if c == decided]
    shown = [c for c in result.categories if c != decided][: MOST_ROWS - len(averages)] + averages
    more_sentences, more_rows = len(sentences) - MOST_SENTENCES, len(result.categories) - len(shown)
    warnings = [w for w in result.warnings if w not in result.sampler_warnings]
    parts: list[tuple[str, str | pd.DataFrame]] = [
        *(("verdict", told) for told in sentences[:MOST_SENTENCES]),
        *([("", f"… and {more_sentences} more: print(result).")] if more_sentences > 0 else []),
        *(("note", warning) for warning in warnings),
        ("table", comparison_table(result, PAPER, categories=shown)),
        *([("", f"… and {more_rows} more rows: result.table().")] if more_rows > 0 else []),
    ]
    parts.append(("", legend_of(result, PAPER)))
    if decided is not None and is_drawable(result, decided):
        parts.append(("figure", _posterior(result, decided)))
    return render("notebook.html", parts=parts)


def of_contest(result: Contest) -> str:
    """Render the sentence, the table and the scores of a contest, in the same way."""
    category = result.default_category or result.categories[0]
    sentences, table = str(result).split("\n"), result.table(category)
    more_sentences, more_rows = len(sentences) - MOST_SENTENCES, len(table) - MOST_ROWS
    warnings = [w for w in result.warnings if w not in result.sampler_warnings]
    parts: list[tuple[str, str | pd.DataFrame]] = [
        *(("verdict", told) for told in sentences[:MOST_SENTENCES]),
        *([("", f"… and {more_sentences} more: print(result).")] if more_sentences > 0 else []),
        *(("note", warning) for warning in warnings),
        ("table", table[:MOST_ROWS]),
        *([("", f"… and {more_rows} more rows: result.table().")] if more_rows > 0 else []),
    ]
    if result.drawable(category):
        svg = as_bytes(result.plot_scores(category))
        parts.append(("figure", _inline(svg, f"Scores. {result.sentence(category)}")))
    return render("notebook.html", parts=parts)


def _posterior(result: Comparison, category: str) -> Markup:
    told = f"Posterior of the difference. {result.sentence(category)}"
    return _inline(as_bytes(result.plot_posterior(category)), told)


def _inline(svg: bytes, told: str) -> Markup:
    # A notebook shows many results on one page: their ids must not clash.
    return inline(svg, f"s{hashlib.sha256(svg).hexdigest()[:12]}", told)
