"""A result as one HTML page: the verdict, the table, the figures, the settings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from stanoff import __version__, plots
from stanoff._lib.escaping import latex, one_line, shown
from stanoff.errors import StanoffError
from stanoff.models.priors import describe_prior
from stanoff.report.document import Figure, Paragraph, Section, Table, document
from stanoff.report.figures import Picture, as_bytes, draw_figures, inline
from stanoff.report.templates import inlined, json_block, policy, render
from stanoff.text import numbers, sentences, tables
from stanoff.text.export import article_table
from stanoff.text.latex import to_latex
from stanoff.text.numbers import digits_for, format_interval, format_level, percent
from stanoff.text.run_again import run_again

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.inference.evidence import Evidence
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest, Pairs


from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MAX_DRAWS = 240_000  # of all rows together; beyond that only every k-th order statistic is kept
STEPS = 1000  # of the grid between two draws that are next to each other
DIGITS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", dtype=np.uint8
)

MAX_READ_AGAIN, MAX_LISTED, MAX_CELL = 10_000, 50, 80  # documents, rows, characters
MAX_ROWS, MAX_SENTENCES = 30, 3  # in a notebook
BIBTEX = inlined("zhang2016.bib")
# What decides comes first: a narrow window shows only the first columns.
COLUMNS = (
    *("category", "decision", "mean", "hdi", "p_rope", "psi_A", "psi_B", "observed_A"),
    *("observed_B", "p_greater", "std", "bf_sd", "bf_rope", "sign_test", "t_test"),
)
CHANGING = ("p_rope", "hdi", "decision")  # these columns follow the reader's ROPE and HDI
NAMED = ("psi_A", "psi_B", "observed_A", "observed_B")  # headings that are as long as names
CLASSES = {"category": "", "decision": "decision", "hdi": "number hdi"}
CLASSES |= dict.fromkeys(NAMED, "number name")
TOKEN = "qcellq"  # stands in LaTeX for a cell that changes; no name has it
CONTEST_FIGURES = ("scores", "ranks")  # the page has the matrix itself


def comparison_page(result: Comparison, *, figures: Sequence[Picture] | None = None) -> str:
    """Render a self-contained page; whatever the user named is escaped.

    The draws are in it, so that a reader can apply another ROPE or HDI in the browser.

    Parameters
    ----------
    result : Comparison
        A comparison.
    figures : sequence of Picture, optional
        Its figures, if they have been drawn already.
    """
    focus = result.categories.index(result.average or result.categories[0])
    evidence = result.all_evidence()
    table = tables.comparison_table(result.whole, COLUMNS)
    draws = [result.posterior_sample(name) for name in result.categories]
    embedded, thinned = embed_draws(draws, keep_sides_of=(*result.rope, 0.0))
    rows = [_row(result, e, d) for e, d in zip(evidence, embedded, strict=True)]
    data = _comparison_data(result, evidence, rows, focus)
    e, (a, b) = evidence[focus], data["names"]
    score, rope = sentences.describe_score(result, e.category), format_interval(result.rope)
    return _render_page(
        "page",
        result,
        draw_figures(result, e.category) if figures is None else figures,
        data,
        documents=sentences.describe_documents(result),
        group_rows=tables.comparison_table(result, tables.GROUPS) if result.groups else None,
        title=f"{a} {e.decision.symbol} {b} in {score}, ROPE {rope}",
        names=[one_line(name) for name in result.names],
        focus=focus,
        evidence=e,
        sentence=sentences.describe_comparison(result, e),
        change=sentences.describe_rope_flips(result, e),
        headings=[
            (name, heading, tables.meaning_of(name), CLASSES.get(name, "number"))
            for name, heading in zip(COLUMNS, table.columns, strict=True)
        ],
        rows=[(i, table.iloc[i].tolist(), evidence[i]) for i in _natural_order(result)],
        digits=data["digits"],
        legend=tables.in_one_paragraph(tables.legend_of(result, COLUMNS)),
        averages=len(result.categories) - len(result.data.categories),
        **thinned,
        disagreements=_few_disagreements(result),
        fixed=[one_line(row["name"]) for row in rows if row["draws"] is None],
    )


def contest_page(
    result: Contest, category: str | None = None, *, figures: Sequence[Picture] | None = None
) -> str:
    """Render the page of a contest in the same way.

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
    ranking, table = result.ranking(row), tables.contest_table(result.whole, row)
    order, cells = ranking.order, table.to_numpy().tolist()
    losses, thinned = embed_draws(list(ranking.loss), keep_sides_of=(0.0,))
    data = _contest_data(result, row, dict(zip(order, cells, strict=True)), losses)
    names, better = data["names"], data["better"]
    pictures = draw_figures(result, row, CONTEST_FIGURES) if figures is None else figures
    return _render_page(
        "contest",
        result,
        [picture for picture in pictures if picture.name in CONTEST_FIGURES],
        data,
        documents=data["documents"],
        group_rows=tables.contest_table(result, row) if result.groups else None,
        title=f"{len(names)} systems in {data['judged']}",
        sentence=result.sentence(row),
        tiers=[", ".join(map(one_line, tier)) for tier in result.tiers(row)],
        headings=list(table.columns),
        rows=cells,
        names=[names[i] for i in order],
        decisions=ranking.decisions[order][:, order].tolist(),
        better=[[better[i][j] for j in order] for i in order],
        **thinned,
        fixed=[name for name, code in zip(names, losses, strict=True) if code is None],
    )


def pairs_page(result: Pairs) -> str:
    """Render a page of pairs that rest on different items."""
    matrix = Figure(as_bytes(result.plot_matrix()), "The decision on every pair.")
    notes = [Paragraph(warning, note=True) for warning in result.warnings]
    table = Table(result.table(), tables.in_one_paragraph(tables.legend(tables.PAIRS)))
    return document(
        f"{len(result.systems)} systems, pair by pair",
        [Section("Verdicts", [result.sentence(), *notes, table, matrix])],
        subtitle=f"{result.first.measure_label}, ROPE {format_interval(result.first.rope)}",
    )


def result_as_html(result: Any) -> str:
    """Render the verdict, the table and one figure, as a notebook shows them."""
    decided = result.default_category
    legend, axes = [], None
    if result.is_pair:
        last = [] if decided is None else [decided]
        names = [name for name in result.categories if name != decided]
        names = names[: MAX_ROWS - len(last)] + last
        table = tables.comparison_table(result, tables.PAPER, categories=names)
        further_rows = len(result.categories) - len(names)
        legend = [tables.in_one_paragraph(tables.legend_of(result, tables.PAPER))]
        if decided is not None and plots.is_drawable(result, decided):
            axes, subject = result.plot_posterior(decided), "Posterior of the difference"
    else:
        decided = decided or result.categories[0]
        table = tables.contest_table(result, decided)
        further_rows, table = len(table) - MAX_ROWS, table[:MAX_ROWS]
        if result.drawable(decided):
            axes, subject = result.plot_scores(decided), "Scores"
    further = len(result.sentences) - MAX_SENTENCES
    parts: list[tuple[str, str | pd.DataFrame]] = [
        *(("verdict", sentence) for sentence in result.sentences[:MAX_SENTENCES]),
        *([("", f"… and {further} more: print(result).")] if further > 0 else []),
        *(("note", note.removeprefix("Note: ")) for note in result.notes),
        ("table", table),
        *([("", f"… and {further_rows} more rows: result.table().")] if further_rows > 0 else []),
        *(("", text) for text in legend),
    ]
    if axes is not None:
        svg = as_bytes(axes)
        # A notebook shows many results on one page: their ids must not clash.
        prefix = f"s{hashlib.sha256(svg).hexdigest()[:12]}"
        parts.append(("figure", inline(svg, prefix, f"{subject}. {result.sentence(decided)}")))
    return render("notebook.html", parts=parts)


def _render_page(
    name: str,
    result: Comparison | Contest,
    figures: Sequence[Picture],
    data: Mapping[str, Any],
    *,
    documents: str,
    group_rows: pd.DataFrame | None,
    **values: Any,
) -> str:
    """Fill in what the pages of comparisons and contests share."""
    script = "".join(inlined(f"{file}.js") for file in ("evidence", "copy", "shared", name))
    shared = {
        "rope": result.rope,
        "higher": result.measure.higher_is_better,
        # What follows a sentence at the given ROPE, and at one of the reader's own:
        "aside": _after(sentences.describe_rope_and_direction(result)),
        "lower": _after(sentences.describe_direction(result)),
        "warnings": result.sampler_warnings,
        "bibtex": BIBTEX,
    }
    groups = group_rows is not None and {
        "by": one_line(result.by),
        "sentence": sentences.describe_groups(result),
        "headings": list(group_rows.columns),
        "rows": group_rows.to_numpy().tolist(),
    }
    return render(
        f"{name}.html",
        policy=policy(script),
        script=Markup(script),
        kind="comparison" if result.is_pair else "contest",
        hdi=format_level(result.hdi_prob),
        again=run_again(result),
        data=json_block({**shared, **data}),
        symbols=tables.DECISION_SYMBOLS,
        middle=(result.rope[0] + result.rope[1]) / 2,
        rope=format_interval(result.rope),
        warnings=result.warnings,
        groups=groups,
        figures=[(inline(f.svg, f.name, f.caption), f.caption) for f in figures],
        settings=settings(result, documents),
        bibtex=BIBTEX,
        **values,
    )


def settings(result: Comparison | Contest, documents: str) -> dict[str, str]:
    """Describe what was compared and how, by name; where it comes from as far as that is known."""
    chains, draws = result.fit.draws.shape
    source = result.data.source
    columns = {"truth": "truth", "a": "A", "b": "B"}
    origin = {
        "file": Path(source.get("file", "")).name,  # not where it lies on this machine
        "file last changed": source.get("modified", ""),
        "columns": ", ".join(
            f"{name}: {shown(source[key])}" for key, name in columns.items() if source.get(key)
        ),
        "positive label": source.get("pos_label", ""),
    }
    return {
        **{name: one_line(value) for name, value in origin.items() if value},
        "documents": f"{documents}, taken as {sentences.describe_dependence(result.data)}",
        "measure": f"{result.measure_label} = {result.measure.formula}",
        "model": result.model.name,
        "engine": result.engine,
        "prior": describe_prior(result.prior),
        "ROPE": format_interval(result.rope),
        "HDI": format_level(result.hdi_prob),
        "draws": f"{chains} × {draws:,}",
        "seed": str(result.seed),
        "stanoff": __version__,
    }


def _natural_order(result: Comparison) -> list[int]:
    """Order the rows by name, numbers in names as numbers; averages stay last."""
    n = len(result.data.categories)
    names = [re.split(r"(\d+)", name) for name in result.data.categories]
    keys = [[(int(p), "") if p.isdecimal() else (0, p) for p in parts] for parts in names]
    return [*sorted(range(n), key=keys.__getitem__), *range(n, len(result.categories))]


def _few_disagreements(result: Comparison) -> dict[str, Any] | None:
    """Return the documents on which the systems differ, if they can be had and are few."""
    if result.fit.rows is None or max(result.n_documents()) > MAX_READ_AGAIN:
        return None
    try:
        table = result.disagreements()
    except StanoffError:  # what was given is not there any more
        return None
    if not 0 < len(table) <= MAX_LISTED:
        return None
    cells = [[str(cell)[:MAX_CELL] for cell in row] for row in table.to_numpy().tolist()]
    rows = list(zip(map(str, table.index), cells, strict=True))
    return {"columns": [str(name) for name in table.columns], "rows": rows}


def _row(result: Comparison, e: Evidence, draws: Any) -> dict[str, Any]:
    sides = [e.p_less, e.p_greater]
    worse, better = sides if result.measure.higher_is_better else sides[::-1]
    row = {
        "name": e.category,
        "judged": sentences.describe_score(result, e.category),
        "documents": sentences.describe_documents(result, e.category),
        "model": shown(result.model.name),
        "mean": numbers.signed(e.mean, digits_for(e.std)),
        "sign": (e.mean > 0) - (e.mean < 0),
        "std": _number(e.std),
        "mcse": _number(e.mcse),
        "pBetter": better,
        "pWorse": worse,
        "digits": digits_for(e.std),
        "draws": draws,
        "reported": {
            "decision": str(e.decision),
            "hdi": [_number(end) for end in e.hdi],
            "below": _number(e.p_below),
            "inside": _number(e.p_rope),
            "above": _number(e.p_above),
        },
        "claims": _after(sentences.describe_claims(result.claims_of(e.category))),
    }
    # Where nothing can be computed anew, what Python says is all there is.
    if draws is None:
        row["sentence"] = sentences.describe_comparison(result, e)
    return row


def _comparison_data(
    result: Comparison, evidence: list[Evidence], rows: list[dict[str, Any]], focus: int
) -> dict[str, Any]:
    values = {
        name: result.p_values.get(name) or [getattr(e, name) for e in evidence]
        for name in COLUMNS
        if name not in ("category", *CHANGING)
    }
    return {
        "names": [shown(name) for name in result.names],
        "hdi": result.hdi_prob,
        "focus": focus,
        "rows": rows,
        "columns": {name: COLUMNS.index(name) for name in CHANGING},
        "digits": max(row["digits"] for row in rows),
        "values": {name: [_number(v) for v in column] for name, column in values.items()},
        "latex": _latex_parts(result),
        "signs": {sign: latex(sign) for sign in "%<>[]≪≈≫"} | {"-": latex("-1")[:-1]},
    }


def _contest_data(
    result: Contest, category: str, cells: Mapping[int, list[str]], losses: list[Any]
) -> dict[str, Any]:
    ranking = result.ranking(category)
    claims = sentences.describe_claims(result.claims_of(category))
    return {
        "names": [one_line(name) for name in result.systems],
        "shown": [shown(name) for name in result.systems],
        "cells": [cells[i] for i in range(len(cells))],
        "columns": {name: tables.CONTEST.index(name) for name in ("tier", "p_near")},
        "judged": sentences.describe_score(result, category),
        "documents": sentences.describe_documents(result, category),
        "model": sentences.describe_contest_model(result),
        "low": ranking.pairs["hdi_low"].tolist(),
        "high": ranking.pairs["hdi_high"].tolist(),
        "errors": result.end_errors(ranking.pairs, category).tolist(),
        "better": [[numbers.whole_percent(float(p)) for p in line] for line in ranking.better],
        "close": (ranking.better < tables.PROBABLY).tolist(),
        "best": [percent(float(p)) for p in ranking.p_best],
        "near": [percent(float(p)) for p in ranking.p_within_rope_of_best],
        "order": ranking.order,
        "regret": ranking.regret.tolist(),
        "lost": losses,
        "warnings": [*claims, *result.sampler_warnings],
    }


def _latex_parts(result: Comparison) -> list[Any]:
    """Split the LaTeX table: between its texts stand row and column of cells that may change.

    The place of the note on ROPE and HDI has neither row nor column.
    """
    texts = article_table(result.whole)
    measured = texts.pop("frame")
    frame = measured.copy()
    for name in CHANGING:
        frame[tables.COLUMNS[name].heading] = [
            f"{TOKEN}{i}z{COLUMNS.index(name)}{TOKEN}" for i in range(len(frame))
        ]
    texts["notes"] = [f"{TOKEN}{TOKEN}", *texts["notes"][1:]]
    parts = (to_latex(frame, **texts, measured=measured) + "\n").split(TOKEN)
    return [
        [int(number) for number in part.split("z") if number] if i % 2 else part
        for i, part in enumerate(parts)
    ]


def _after(texts: Sequence[str]) -> str:
    """Join sentences that follow another."""
    return "".join(f" {text}" for text in texts)


def _number(value: float) -> float | None:
    """JSON has neither NaN nor infinity."""
    return None if isnan(value) else min(max(float(value), -1e308), 1e308)


def embed_draws(
    rows: Sequence[Array], keep_sides_of: Sequence[float]
) -> tuple[list[dict[str, Any] | None], dict[str, Any]]:
    """Write the draws of every row as gaps on a grid.

    Also tell that every k-th was kept, and by how much the share of an interval can be off then. A
    row whose draws are not all finite is None: nothing can be computed from it.

    Parameters
    ----------
    rows : sequence of ndarray
        The draws of delta, a row per category.
    keep_sides_of : sequence of float
        Values that no draw may cross or reach by being moved onto the grid.
    """
    thinning = max(1, ceil(sum(row.size for row in rows) / MAX_DRAWS))
    ordered = (np.sort(row, axis=None)[(thinning - 1) // 2 :: thinning] for row in rows)
    codes = [_on_grid(row, keep_sides_of) if np.isfinite(row).all() else None for row in ordered]
    coarse = f"{100 * thinning / min(row.size for row in rows):.2g}%"
    return codes, {"thinning": thinning, "coarse": coarse}


def _on_grid(draws: Array, keep_sides_of: Sequence[float]) -> dict[str, Any]:
    """Count in steps from 0, a power of 2 that is small between draws next to each other."""
    gaps = np.diff(draws)
    typical = float(np.quantile(gaps[gaps > 0], 0.9)) if (gaps > 0).any() else 0.0
    # Positions must be whole numbers to a double.
    finest = max(typical / STEPS, float(np.abs(draws).max()) * 2.0**-51)
    step = 2.0 ** max(ceil(log2(finest)), -1000) if finest > 0 else 1.0
    positions = np.rint(draws / step)
    for value in keep_sides_of:
        positions -= (draws < value) & (positions * step >= value)
        positions += (draws > value) & (positions * step <= value)
    gaps_in_steps = encode(np.diff(positions).astype(np.int64))
    return {"step": step, "first": positions[0], "gaps": gaps_in_steps}


def encode(numbers: NDArray[np.int64]) -> str:
    """Write whole numbers that are not negative in base 64, five bits to a character, lowest first.

    A sixth bit says that more characters follow: the code of source maps without its signs.

    Examples
    --------
    >>> encode(np.array([0, 31, 32, 1000]))
    'AfgBof'
    """
    bits = int(numbers.max(initial=1)).bit_length()
    rest = numbers[:, None] >> np.arange(0, bits, 5)
    more = rest > 31
    written = np.column_stack([np.ones(len(numbers), dtype=bool), more[:, :-1]])
    return bytes(DIGITS[(rest & 31) + 32 * more][written]).decode("ascii")
