"""Results as text: for a terminal, a script, a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stanoff._lib.arguments import as_string, check_choice
from stanoff.errors import invalid
from stanoff.text import tables
from stanoff.text.envelope import result_envelope
from stanoff.text.latex import to_latex, to_longtable
from stanoff.text.render import MAX_WIDTH, render, to_json, width_of
from stanoff.text.sentences import (
    comparison_caption,
    contest_caption,
    describe_dependence,
    describe_direction,
    describe_documents,
    describe_groups,
    describe_rule,
)


def result_text(
    result: Any,
    format: str,
    *,
    category: str | None = None,
    columns: Sequence[str] | str | None = None,
    caption: str | None = None,
    label: str | None = None,
    longtable: bool = False,
) -> str:
    """Write a result, or one category of it.

    On a terminal the sentence stands first, and in a document the table.

    Parameters
    ----------
    result : Comparison or Contest
        What is written.
    format : str
        One of ``stanoff.text.render.FORMATS``.
    category : str, optional
        The row of a comparison, all by default; of a contest the category or average.
    columns : str or sequence of str, optional
        In LaTeX ``"column"`` or ``"full"``, or columns of a comparison; by default what fits a
        terminal or a column of an article, else the columns of the paper.
    caption, label : str, optional
        Of a table in LaTeX; by default the caption says what it shows.
    longtable : bool
        In LaTeX: let the table go over several pages.
    """
    if format == "json":
        return to_json(result_envelope(result, category))
    if hasattr(result, "comparisons"):  # pairs that rest on different items
        table, terms = result.table(category), tables.legend(tables.PAIRS)
        words = [result.sentence(category), *(f"Note: {warning}" for warning in result.warnings)]
        caption = result.sentence(category) if caption is None else caption
    elif format == "latex":
        texts = article_table(result, columns, category=category)
        texts |= {} if caption is None else {"caption": as_string("caption", caption)}
        if longtable:
            del texts["full"]
            return to_longtable([("", texts.pop("frame"))], label=label, **texts)
        return to_latex(label=label, **texts)
    else:
        write = _comparison if result.is_pair else _contest
        table, terms, sentences, basis = write(result, category, columns, format == "table")
        basis += f"; {result.model.name} model, {result.engine} engine, seed {result.seed}."
        words = [*sentences, f"Based on {basis}", *result.notes]
    return render(
        table,
        format,
        numbers=_numbers(result, category) if format == "csv" else None,
        above=words if format == "table" else [],
        below=[] if format == "table" else words,
        legend=terms,
        caption=caption,
        label=label,
    )


def article_table(
    result: Any, columns: Sequence[str] | str | None = None, *, category: str | None = None
) -> dict[str, Any]:
    """Gather what :func:`stanoff.text.latex.to_latex` takes of a result.

    Parameters
    ----------
    result : Comparison or Contest
        What is written.
    columns : str or sequence of str, optional
        ``"column"``, the default, or ``"full"``, or columns of a comparison.
    category : str, optional
        The row of a comparison, all by default; of a contest the category or average.
    """
    columns = "column" if columns is None else columns
    widths = tables.ARTICLE if result.is_pair else tables.CONTEST_ARTICLE
    if isinstance(columns, str) or not result.is_pair:
        names = widths[check_choice("columns", columns, widths)]
    else:
        names = tables.check_columns(columns)
    if result.is_pair:
        categories = result.categories if category is None else (category,)
        if isinstance(columns, str) and len(categories) == 1 and not result.groups:
            names = names[1:]  # the caption names it
        rows = None if category is None else categories
        frame = tables.comparison_table(result, names, categories=rows, by_name=False)
        caption = comparison_caption(result, categories)
    else:
        row = result.resolve_category(category)
        frame, caption = tables.contest_table(result, row, names), contest_caption(result, row)
    shown = [tables.COLUMNS[name] for name in names]
    return {
        "frame": frame,
        "caption": caption,
        "headings": {column.heading: column.latex for column in shown if column.latex},
        "legend": tables.legend_of(result, names, by_name=not result.is_pair),
        "notes": [describe_rule(result), *describe_direction(result), *result.sampler_warnings],
        "full": columns == "full" if isinstance(columns, str) else None,
    }


def _comparison(result: Any, category: str | None, columns: Any, on_terminal: bool) -> Any:
    """Return the table, the legend, the sentences, and what they are based on."""
    default = tables.TERMINAL if on_terminal else tables.PAPER
    names = columns or (tables.GROUPS if result.groups else default)
    categories = None if category is None else (category,)
    for by_name in (True, False):
        table = tables.comparison_table(result, names, categories=categories, by_name=by_name)
        if not on_terminal or width_of(table) <= MAX_WIDTH:
            break
    sentences = result.sentences if category is None else [result.sentence(category)]
    basis = f"{describe_documents(result)}, taken to be {describe_dependence(result.data)}"
    return table, tables.legend_of(result, names, by_name=by_name), sentences, basis


def _contest(result: Any, category: str | None, columns: Any, on_terminal: bool) -> Any:
    """Return the same of a contest, whose columns are words that need no legend."""
    if columns is not None:
        raise invalid("columns", "None for a contest, whose columns are fixed", columns)
    row = result.resolve_category(category)
    sentences = [result.sentence(row), *([describe_groups(result)] if result.groups else [])]
    return tables.contest_table(result, row), {}, sentences, describe_documents(result)


def _numbers(result: Any, category: str | None) -> Any:
    """Return the summary, or one category of it."""
    if not getattr(result, "is_pair", False):
        return result.summary(category)
    if category is None:
        return result.summary()
    summary = result.whole.summary()
    return summary[summary["category"] == category]
