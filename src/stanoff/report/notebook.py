"""A comparison as a notebook shows it: the verdict, the table, the posterior."""

from __future__ import annotations

import hashlib

import numpy as np
from markupsafe import Markup

from stanoff.comparison import Comparison
from stanoff.contests import Contest
from stanoff.plots.gallery import drawable
from stanoff.report.figures import as_bytes, inline
from stanoff.report.templates import render
from stanoff.text.tables import PAPER, formatted

MOST_ROWS, MOST_SENTENCES = 30, 3


def notebook(result: Comparison) -> str:
    """Render a small piece of HTML that brings its own styles and no script."""
    decided = result.decided
    sentences = str(result).split("\n")
    shown = [c for c in result.categories if c == decided]
    shown = [c for c in result.categories if c != decided][: MOST_ROWS - len(shown)] + shown
    table = formatted(result, PAPER, categories=shown)
    return render(
        "notebook.html",
        names=result.names,
        sentences=sentences[:MOST_SENTENCES],
        more_sentences=len(sentences) - MOST_SENTENCES,
        headings=list(table.columns),
        rows=table.to_numpy().tolist(),
        more_rows=len(result.categories) - len(shown),
        warnings=[w for w in result.warnings if w not in result.sampler_warnings],
        figure=None if decided is None else _posterior(result, decided),
    )


def of_contest(result: Contest) -> str:
    """Render the sentence, the table and the scores of a contest."""
    decided = result.decided
    category = result.categories[0] if decided is None else decided
    table = result.table(category)
    figure = None
    if np.isfinite(result.psi[..., result.categories.index(category)]).all():
        figure = _inline(as_bytes(result.plot_scores(category)), result.sentence(category))
    return render(
        "notebook.html",
        names=result.systems,
        sentences=str(result).split("\n")[:MOST_SENTENCES],
        more_sentences=0 if decided else len(result.categories) - MOST_SENTENCES,
        headings=list(table.columns),
        rows=table.to_numpy().tolist()[:MOST_ROWS],
        more_rows=len(table) - MOST_ROWS,
        warnings=[w for w in result.warnings if w not in result.sampler_warnings],
        figure=figure,
    )


def _posterior(result: Comparison, category: str) -> Markup | None:
    if not drawable(result, category):
        return None
    told = f"Posterior of the difference. {result.sentence(category)}"
    return _inline(as_bytes(result.plot_posterior(category)), told)


def _inline(svg: bytes, told: str) -> Markup:
    # A notebook shows many results on one page: their ids must not clash.
    return inline(svg, f"s{hashlib.sha256(svg).hexdigest()[:12]}", told)
