"""One contest as one HTML page: who can still be the best, the systems, the pairs, the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stanoff._lib.escaping import one_line, shown
from stanoff.report.embedding import embedded, json_block
from stanoff.report.figures import Picture, draw_figures, inline
from stanoff.report.page import BIBTEX, asides, settings
from stanoff.report.templates import inlined, policy, render
from stanoff.text.numbers import format_interval, percent, whole_percent
from stanoff.text.sentences import describe_contest_documents, describe_score
from stanoff.text.tables import contest_table

if TYPE_CHECKING:
    from stanoff.results.contest import Contest

SHOWN = ("scores", "ranks")
CHANGING = {"tier": 1, "p_near": 5}  # these columns of the table follow the reader's ROPE


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
    found, table = result.standings(row), contest_table(result, row)
    script = inlined("evidence.js") + inlined("contest.js")
    if figures is None:
        figures = draw_figures(result, row, SHOWN)
    lost, every = embedded(list(found.loss), keep_sides_of=(0.0,))
    return render(
        "contest.html",
        policy=policy(script),
        script=script,
        data=json_block(_data(result, row, lost)),
        title=f"{len(result.systems)} systems in {describe_score(result, row)}",
        sentence=result.sentence(row),
        tiers=[", ".join(map(one_line, tier)) for tier in result.tiers(row)],
        headings=list(table.columns),
        rows=table.to_numpy().tolist(),
        names=[one_line(result.systems[i]) for i in found.order],
        decisions=found.decisions[found.order][:, found.order].tolist(),
        better=[[whole_percent(p) for p in line] for line in _in_order(found.better, found.order)],
        middle=(result.rope[0] + result.rope[1]) / 2,
        rope=format_interval(result.rope),
        every=every,
        fixed=[one_line(n) for n, code in zip(result.systems, lost, strict=True) if code is None],
        warnings=result.warnings,
        figures=[
            (inline(one.svg, one.name, one.caption), one.caption)
            for one in figures
            if one.name in SHOWN  # the page has the matrix itself
        ],
        settings=settings(result, describe_contest_documents(result, row)),
        bibtex=BIBTEX,
    )


def _in_order(values: Any, order: list[int]) -> list[list[float]]:
    return [[float(values[i, j]) for j in order] for i in order]


def _data(result: Contest, row: str, lost: list[Any]) -> dict[str, Any]:
    found, table = result.standings(row), contest_table(result, row)
    place = {system: i for i, system in enumerate(found.order)}
    cells = table.to_numpy().tolist()
    return {
        "names": [one_line(name) for name in result.systems],
        "said": [shown(name) for name in result.systems],
        "cells": [cells[place[i]] for i in range(len(result.systems))],
        "columns": CHANGING,
        "rope": result.rope,
        "higher": result.measure.higher_is_better,
        **asides(result),
        "warnings": result.sampler_warnings,
        "judged": describe_score(result, row),
        "documents": describe_contest_documents(result, row),
        "model": shown(result.model.name),
        "low": found.pairs.low.tolist(),
        "high": found.pairs.high.tolist(),
        "better": [[whole_percent(float(p)) for p in line] for line in found.better],
        "best": [percent(float(p)) for p in found.p_best],
        "near": [percent(float(p)) for p in found.p_near],
        "order": found.order,
        "regret": found.regret.tolist(),
        "lost": lost,
        "bibtex": BIBTEX,
    }
