"""Results as text: for a terminal, a script, a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from stanoff import __version__
from stanoff.errors import invalid
from stanoff.models.priors import both
from stanoff.text.render import MAX_WIDTH, json_safe, render, to_json, to_records, width_of
from stanoff.text.sentences import (
    comparison_caption,
    contest_caption,
    describe_comparison,
    describe_contest_documents,
    describe_dependence,
    describe_documents,
    describe_rope_flips,
)
from stanoff.text.tables import PAPER, TERMINAL, comparison_table, contest_table, legend_of

if TYPE_CHECKING:
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

SCHEMA = 1  # of the JSON; docs/comparison.schema.json describes it
EXTRA_FIELDS = (
    *("p_below", "p_above", "regret_A", "regret_B", "bf_sd_error", "bf_sd_defined"),
    *("direction_resolved", "decision_resolved"),
)


def result_text(
    result: Result,
    format: str,
    *,
    category: str | None = None,
    columns: Sequence[str] | None = None,
    caption: str | None = None,
    label: str | None = None,
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
    columns : sequence of str, optional
        Of a comparison; by default what fits a terminal, else the columns of the paper.
    caption, label : str, optional
        Of a table in LaTeX; by default the caption says what it shows.
    """
    is_contest = hasattr(result, "tiers")
    if format == "json":
        record: Any = contest_record if is_contest else comparison_record
        return to_json(record(result, category))
    write: Any = _contest if is_contest else _comparison
    words: _Words = write(result, category, columns, on_terminal=format == "table")
    basis = f"{words.basis}; {result.model.name} model, {result.engine} engine, seed {result.seed}."
    around = [*words.sentences, basis, *result.notes]
    return render(
        words.table,
        format,
        numbers=words.numbers() if format == "csv" else None,
        above=around if format == "table" else [],
        below=words.legend if format == "table" else [*words.legend, *around],
        caption=words.caption() if caption is None else caption,
        label=label,
    )


class _Words(NamedTuple):
    """What is written of a result, whatever the format."""

    table: pd.DataFrame
    numbers: Callable[[], pd.DataFrame]
    legend: list[str]
    sentences: list[str]
    basis: str
    caption: Callable[[], str]


def _comparison(
    result: Comparison, category: str | None, columns: Sequence[str] | None, *, on_terminal: bool
) -> _Words:
    categories = result.categories if category is None else (category,)
    shown = columns or (TERMINAL if on_terminal else PAPER)
    table = comparison_table(result, shown, categories=categories)
    by_name = not on_terminal or width_of(table) <= MAX_WIDTH
    if not by_name:
        table = comparison_table(result, shown, categories=categories, by_name=False)
    return _Words(
        table,
        lambda: result.summary().set_index("category", drop=False).loc[list(categories)],
        [legend_of(result, shown, by_name=by_name)],
        result.sentences if category is None else [result.sentence(category)],
        f"Based on {describe_documents(result)}, taken to be {describe_dependence(result.data)}",
        lambda: comparison_caption(result, shown),
    )


def _contest(result: Contest, category: str | None, columns: Any, *, on_terminal: bool) -> _Words:
    if columns is not None:
        raise invalid("columns", "None for a contest, whose columns are fixed", columns)
    row = result.resolve_category(category)
    return _Words(
        contest_table(result, row),
        lambda: result.summary(row),
        [],
        [result.sentence(row)],
        f"Based on {describe_contest_documents(result)}",
        lambda: contest_caption(result, row),
    )


def comparison_record(result: Comparison, category: str | None = None) -> dict[str, Any]:
    """Gather settings, numbers and words for a script; NaN becomes null, infinity "inf"."""
    rows = []
    for row in to_records(result.summary()):
        if category in (None, row["category"]):
            e = result.evidence(row["category"])
            row |= {name: json_safe(getattr(e, name)) for name in EXTRA_FIELDS}
            for name, bound in (("bf_sd", e.bf_sd_bound), ("bf_rope", e.bf_rope_bound)):
                row[f"{name}_bound"] = None if bound is None else bound._asdict()
            row["sentence"] = describe_comparison(result, e)
            row["what_would_change"] = describe_rope_flips(result, e)
            rows.append(row)
    return {
        "schema": SCHEMA,
        "stanoff": __version__,
        "decision": None if result.default_category is None else str(result.decision),
        "decided": result.default_category,
        "names": dict(zip("AB", result.names, strict=True)),
        "documents": dict(zip("AB", result.n_documents(), strict=True)),
        "prior": dict(zip("AB", map(_prior_record, both(result.prior)), strict=True)),
        **_settings(result),
        "results": rows,
    }


def contest_record(result: Contest, category: str | None = None) -> dict[str, Any]:
    """Gather the same of a contest; ranks and pairs, too."""
    rows = list(result.categories) if category is None else [result.resolve_category(category)]
    return {
        "schema": SCHEMA,
        "stanoff": __version__,
        "systems": list(result.systems),
        "documents": max(result.data.n_documents()),
        **_settings(result),
        "results": [_contest_row(result, row) for row in rows],
    }


def _settings(result: Result) -> dict[str, Any]:
    return {
        "data": {"kind": type(result.data).__name__, **dict(sorted(result.data.source.items()))},
        "measure": result.measure_label,
        "average": result.average,
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "rope": list(result.rope),
        "hdi_prob": result.hdi_prob,
        "warnings": list(result.warnings),
    }


def _prior_record(prior: Any) -> dict[str, Any]:
    weights = asdict(prior).items()
    return {name: list(value) if isinstance(value, tuple) else value for name, value in weights}


def _contest_row(result: Contest, category: str) -> dict[str, Any]:
    ranks = result.ranks(category)
    return {
        "category": category,
        "best": list(result.best(category)),
        "tiers": [list(tier) for tier in result.tiers(category)],
        "systems": to_records(result.summary(category)),
        "ranks": {name: list(map(json_safe, row)) for name, row in ranks.T.items()},
        "pairs": to_records(result.pairs(category)),
        "sentence": result.sentence(category),
    }
