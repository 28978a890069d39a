"""One contest as one HTML page: who can still be the best, the systems, the pairs, the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stanoff._lib.escaping import one_line, shown
from stanoff.report.document import Figure, Paragraph, Section, Table, document
from stanoff.report.embedding import embed_draws, format_coarseness
from stanoff.report.figures import Picture, as_bytes, draw_figures
from stanoff.report.page import groups_table, render_page
from stanoff.text.numbers import format_interval, percent, whole_percent
from stanoff.text.sentences import (
    describe_claims,
    describe_contest_model,
    describe_documents,
    describe_score,
)
from stanoff.text.tables import CONTEST, PAIRS, PROBABLY, contest_table, in_one_paragraph, legend

if TYPE_CHECKING:
    from stanoff.results.contest import Contest
    from stanoff.results.pairs import Pairs

FIGURES = ("scores", "ranks")  # the page has the matrix itself
CHANGING = ("tier", "p_near")  # these columns of the table follow the reader's ROPE


def contest_page(
    result: Contest, category: str | None = None, *, figures: Sequence[Picture] | None = None
) -> str:
    """Render a self-contained page; whatever the user named is escaped.

    How much each system loses against the best is in it draw by draw, and the HDI of every pair, so
    that a reader can apply another ROPE in the browser.

    Parameters
    ----------
    result : Contest
        A contest.
    category : str, optional
        The category or average that is shown, the one decided upon by default.
    figures : sequence of Picture, optional
        Its figures, if they are there already.
    """
    row = result.resolve_category(category)
    ranking, table = result.ranking(row), contest_table(result.whole, row)
    order = ranking.order
    draws = list(ranking.loss)
    losses, thinning = embed_draws(draws, keep_sides_of=(0.0,))
    documents = describe_documents(result, row)
    better = [[whole_percent(float(p)) for p in line] for line in ranking.better]
    pictures = draw_figures(result, row, FIGURES) if figures is None else figures
    return render_page(
        "contest",
        result,
        [picture for picture in pictures if picture.name in FIGURES],
        data=_data(result, row, table.to_numpy().tolist(), losses, better),
        documents=documents,
        title=f"{len(result.systems)} systems in {describe_score(result, row)}",
        sentence=result.sentence(row),
        tiers=[", ".join(map(one_line, tier)) for tier in result.tiers(row)],
        headings=list(table.columns),
        rows=table.to_numpy().tolist(),
        names=[one_line(result.systems[i]) for i in order],
        decisions=ranking.decisions[order][:, order].tolist(),
        better=[[better[i][j] for j in order] for i in order],
        groups=groups_table(result, contest_table(result, row)) if result.groups else None,
        thinning=thinning,
        coarse=format_coarseness(thinning, draws),
        fixed=[one_line(n) for n, code in zip(result.systems, losses, strict=True) if code is None],
    )


def pairs_page(result: Pairs) -> str:
    """Render a page of pairs that rest on different items."""
    matrix = Figure(as_bytes(result.plot_matrix()), "The decision on every pair.")
    notes = [Paragraph(warning, note=True) for warning in result.warnings]
    table = Table(result.table(), in_one_paragraph(legend(PAIRS)))
    return document(
        f"{len(result.systems)} systems, pair by pair",
        [Section("Verdicts", [result.sentence(), *notes, table, matrix])],
        subtitle=f"{result.first.measure_label}, ROPE {format_interval(result.first.rope)}",
    )


def _data(
    result: Contest, category: str, cells: list[Any], losses: list[Any], better: list[list[str]]
) -> dict[str, Any]:
    ranking = result.ranking(category)
    position = {system: i for i, system in enumerate(ranking.order)}
    return {
        "names": [one_line(name) for name in result.systems],
        "shown": [shown(name) for name in result.systems],
        "cells": [cells[position[i]] for i in range(len(result.systems))],
        "columns": {name: CONTEST.index(name) for name in CHANGING},
        "judged": describe_score(result, category),
        "documents": describe_documents(result, category),
        "model": describe_contest_model(result),
        "low": ranking.pairs["hdi_low"].tolist(),
        "high": ranking.pairs["hdi_high"].tolist(),
        "errors": result.end_errors(ranking.pairs, category).tolist(),
        "better": better,
        "close": (ranking.better < PROBABLY).tolist(),
        "best": [percent(float(p)) for p in ranking.p_best],
        "near": [percent(float(p)) for p in ranking.p_within_rope_of_best],
        "order": ranking.order,
        "regret": ranking.regret.tolist(),
        "lost": losses,
        "warnings": [*describe_claims(result.claims_of(category)), *result.sampler_warnings],
    }
