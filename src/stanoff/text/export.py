"""Results as text: for a terminal, a script, a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff import __version__
from stanoff.models.priors import both
from stanoff.text.render import json_safe, render, to_json, to_records
from stanoff.text.sentences import (
    comparison_caption,
    contest_caption,
    describe_comparison,
    describe_contest_documents,
    describe_documents,
    describe_rope_flips,
)
from stanoff.text.tables import PAPER, TERMINAL, comparison_table, contest_table, legend_of

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

SCHEMA = 1  # of the JSON; docs/comparison.schema.json describes it
EXTRA_FIELDS = ("p_below", "p_above", "bf_sd_error", "bf_sd_defined", "direction_resolved")


def comparison_text(
    result: Comparison,
    format: str,
    *,
    category: str | None = None,
    columns: Sequence[str] | None = None,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Write a comparison, or one category of it.

    Parameters
    ----------
    result : Comparison
        What is written.
    format : str
        One of ``stanoff.text.render.FORMATS``.
    category : str, optional
        The row, all by default.
    columns : sequence of str, optional
        By default what fits a terminal, else the columns of the paper.
    caption, label : str, optional
        Of a table in LaTeX; by default the caption says what it shows.
    """
    if format == "json":
        return to_json(comparison_record(result, category))
    categories = result.categories if category is None else (category,)
    numbers = result.summary()
    shown = columns or (TERMINAL if format == "table" else PAPER)
    sentences = str(result).split("\n") if category is None else [result.sentence(category)]
    basis = (
        f"Based on {describe_documents(result)}, taken to be independent of each other; "
        f"{result.model.name} model, {result.engine} engine, seed {result.seed}."
    )
    return _text(
        result,
        format,
        comparison_table(result, shown, categories=categories),
        numbers[numbers["category"].isin(categories)],
        [legend_of(result, shown)],
        [*sentences, basis],
        comparison_caption(result, shown) if caption is None else caption,
        label,
    )


def contest_text(
    result: Contest,
    format: str,
    *,
    category: str | None = None,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Write a contest in one of ``FORMATS``, as :func:`comparison_text` writes a comparison."""
    if format == "json":
        return to_json(contest_record(result, category))
    row = result.resolve_category(category)
    basis = (
        f"Based on {describe_contest_documents(result)}; {result.model.name} model, "
        f"{result.engine} engine, seed {result.seed}."
    )
    return _text(
        result,
        format,
        contest_table(result, row),
        result.summary(row),
        [],
        [result.sentence(row), basis],
        contest_caption(result, row) if caption is None else caption,
        label,
    )


def _text(
    result: Comparison | Contest,
    format: str,
    cells: pd.DataFrame,
    numbers: pd.DataFrame,
    legend: list[str],
    sentences: list[str],
    caption: str,
    label: str | None,
) -> str:
    """Write the sentence first on a terminal, and first the table in a document."""
    first = format == "table"
    notes = [f"Note: {w}" for w in result.warnings if w not in result.sampler_warnings]
    return render(
        cells,
        format,
        numbers=numbers,
        above=[*sentences, *notes] if first else [],
        below=legend if first else [*legend, *sentences, *notes],
        caption=caption,
        label=label,
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


def _settings(result: Comparison | Contest) -> dict[str, Any]:
    return {
        "data": {"kind": type(result.data).__name__, **dict(sorted(result.data.source.items()))},
        "measure": result.measure.label,
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
