"""Results as text: for a terminal, a script, a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff._lib.arguments import as_string, check_choice
from stanoff.errors import invalid
from stanoff.text.envelope import envelope, result_envelope
from stanoff.text.latex import to_latex, to_longtable
from stanoff.text.render import MAX_WIDTH, render, to_json, width_of
from stanoff.text.sentences import (
    comparison_caption,
    contest_caption,
    describe_contest_documents,
    describe_dependence,
    describe_direction,
    describe_documents,
    describe_groups,
    describe_rule,
)
from stanoff.text.tables import (
    ARTICLE,
    COLUMNS,
    CONTEST_ARTICLE,
    GROUPS,
    PAIRS,
    PAPER,
    TERMINAL,
    check_columns,
    comparison_legend,
    comparison_table,
    contest_legend,
    contest_table,
    legend,
)

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest
    from stanoff.results.pairs import Pairs


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
    if hasattr(result, "comparisons"):
        return _pairs_text(result, format, category, caption, label)
    if format == "json":
        return to_json(result_envelope(result, category))
    if format == "latex":
        texts = article_table(result, columns, category=category)
        texts |= {} if caption is None else {"caption": as_string("caption", caption)}
        if longtable:
            del texts["full"]
            return to_longtable([("", texts.pop("frame"))], label=label, **texts)
        return to_latex(label=label, **texts)
    write: Any = _comparison if result.is_pair else _contest
    table, numbers, terms, sentences, basis = write(result, category, columns, format == "table")
    basis = f"{basis}; {result.model.name} model, {result.engine} engine, seed {result.seed}."
    around = [*sentences, basis, *result.notes]
    return render(
        table,
        format,
        numbers=numbers() if format == "csv" else None,
        above=around if format == "table" else [],
        below=[] if format == "table" else around,
        legend=terms,
    )


def _pairs_text(
    result: Pairs, format: str, category: str | None, caption: str | None, label: str | None
) -> str:
    """Write pairs that rest on different items."""
    if format == "json":
        pairs = [result_envelope(pair, category) for pair in result.comparisons.values()]
        words: dict[str, Any] = {"sentences": [result.sentence(category)]}
        words["warnings"] = list(result.warnings)
        settings = {"systems": list(result.systems)}
        return to_json(envelope("pairs", pairs, settings=settings, **words))
    around = [result.sentence(category), *(f"Note: {warning}" for warning in result.warnings)]
    return render(
        result.table(category),
        format,
        numbers=result.summary(category) if format == "csv" else None,
        above=around if format == "table" else [],
        below=[] if format == "table" else around,
        legend=legend(PAIRS),
        caption=result.sentence(category) if caption is None else caption,
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
    widths = ARTICLE if result.is_pair else CONTEST_ARTICLE
    if isinstance(columns, str) or not result.is_pair:
        names = widths[check_choice("columns", columns, widths)]
    else:
        names = check_columns(columns)
    if result.is_pair:
        categories = result.categories if category is None else (category,)
        if isinstance(columns, str) and len(categories) == 1 and not result.groups:
            names = names[1:]  # the caption names it
        rows = None if category is None else categories
        frame = comparison_table(result, names, categories=rows, by_name=False)
        terms = comparison_legend(result, names, by_name=False)
        caption = comparison_caption(result, categories)
    else:
        row = result.resolve_category(category)
        frame, terms = contest_table(result, row, names), contest_legend(result, names)
        caption = contest_caption(result, row)
    return {
        "frame": frame,
        "caption": caption,
        "headings": {COLUMNS[n].heading: COLUMNS[n].latex for n in names if COLUMNS[n].latex},
        "legend": terms,
        "notes": [
            describe_rule(result),
            *describe_direction(result),
            *result.sampler_warnings,
        ],
        "full": columns == "full" if isinstance(columns, str) else None,
    }


Texts = tuple[pd.DataFrame, Callable[[], pd.DataFrame], dict[str, str], list[str], str]


def _comparison(
    result: Comparison, category: str | None, columns: Sequence[str] | None, on_terminal: bool
) -> Texts:
    """Return the table, the numbers, the legend, the sentences, and what they are based on."""
    names = columns or (GROUPS if result.groups else TERMINAL if on_terminal else PAPER)
    categories = None if category is None else (category,)
    table = comparison_table(result, names, categories=categories)
    by_name = not on_terminal or width_of(table) <= MAX_WIDTH
    if not by_name:
        table = comparison_table(result, names, categories=categories, by_name=False)
    return (
        table,
        lambda: _numbers(result, category),
        comparison_legend(result, names, by_name=by_name),
        result.sentences if category is None else [result.sentence(category)],
        f"Based on {describe_documents(result)}, taken to be {describe_dependence(result.data)}",
    )


def _numbers(result: Comparison, category: str | None) -> pd.DataFrame:
    """Return the summary, or one category of it."""
    if category is None:
        return result.summary()
    summary = result.whole.summary()
    return summary[summary["category"] == category]


def _contest(result: Contest, category: str | None, columns: Any, on_terminal: bool) -> Texts:
    if columns is not None:
        raise invalid("columns", "None for a contest, whose columns are fixed", columns)
    row = result.resolve_category(category)
    basis = f"Based on {describe_contest_documents(result)}"
    terms: dict[str, str] = {}  # the columns of a contest are words
    return (
        contest_table(result, row),
        lambda: result.summary(row),
        terms,
        [result.sentence(row), *([describe_groups(result)] if result.groups else [])],
        basis,
    )
