"""What a notebook shows: sentences, tables, and of a comparison the posterior as well."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from stanoff.comparison import Comparison
from stanoff.plots.gallery import drawable
from stanoff.report.figures import as_bytes, inline
from stanoff.report.templates import render
from stanoff.text.tables import PAPER, formatted, legend

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS, MOST_SENTENCES = 30, 3


def parts_as_html(parts: Sequence[str | pd.DataFrame]) -> str:
    """Render sentences and tables of text cells as a small piece of HTML with its own styles."""
    kinds = [("" if isinstance(part, str) else "table", part) for part in parts]
    return render("notebook.html", parts=kinds)


def notebook(result: Comparison) -> str:
    """Render the verdict, the table and the posterior of a comparison, in the same way."""
    decided = result.decided
    sentences = str(result).split("\n")
    averages = [c for c in result.categories if c == decided]
    shown = [c for c in result.categories if c != decided][: MOST_ROWS - len(averages)] + averages
    more_sentences, more_rows = len(sentences) - MOST_SENTENCES, len(result.categories) - len(shown)
    warnings = [w for w in result.warnings if w not in result.sampler_warnings]
    parts: list[tuple[str, str | pd.DataFrame]] = [
        *(("verdict", told) for told in sentences[:MOST_SENTENCES]),
        *([("", f"… and {more_sentences} more: print(result).")] if more_sentences > 0 else []),
        *(("note", warning) for warning in warnings),
        ("table", formatted(result, PAPER, categories=shown)),
        *([("", f"… and {more_rows} more rows: result.table().")] if more_rows > 0 else []),
    ]
    parts.append(("", legend(result, PAPER)))
    if decided is not None and drawable(result, decided):
        parts.append(("figure", _posterior(result, decided)))
    return render("notebook.html", parts=parts)


def _posterior(result: Comparison, category: str) -> Markup:
    svg = as_bytes(result.plot_posterior(category))
    # A notebook shows many results on one page: their ids must not clash.
    prefix = f"s{hashlib.sha256(svg).hexdigest()[:12]}"
    return inline(svg, prefix, f"Posterior of the difference. {result.sentence(category)}")
