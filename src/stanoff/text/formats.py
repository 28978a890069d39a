"""A comparison as text: for a terminal, a script, a document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stanoff import __version__
from stanoff._lib.files import write_text
from stanoff.models.priors import Prior, both
from stanoff.text.frames import dumped, finite, frame_text
from stanoff.text.tables import ALL, PAPER, formatted, legend
from stanoff.text.words import caption_of, documents, sentence, what_would_change

if TYPE_CHECKING:
    from stanoff.inference.bayes_factor import Bound
    from stanoff.results.comparison import Comparison

SCHEMA = 1  # of the JSON; docs/comparison.schema.json describes it


def as_text(
    result: Comparison,
    style: str,
    *,
    categories: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Write a comparison, or some categories of it.

    Parameters
    ----------
    result : Comparison
        What is written.
    style : str
        One of ``stanoff.text.frames.FORMATS``.
    categories : sequence of str, optional
        The rows, all by default.
    columns : sequence of str, optional
        By default all columns on a terminal, else those of the paper.
    caption, label : str, optional
        Of a table in LaTeX; by default the caption says what it shows.
    """
    if style == "json":
        return dumped(as_json(result, categories=categories))
    numbers = result.summary()
    if categories is not None:
        numbers = numbers[numbers["category"].isin(list(categories))]
    chosen = (ALL if style == "table" else PAPER) if columns is None else columns
    return frame_text(
        formatted(result, chosen, categories=categories),
        style,
        numbers=numbers,
        below=[legend(result, chosen), *_below(result, categories)],
        caption=caption_of(result, chosen) if caption is None else caption,
        label=label,
    )


def as_json(result: Comparison, *, categories: Sequence[str] | None = None) -> dict[str, Any]:
    """Gather settings, numbers and words for a script; NaN becomes null, infinity "inf"."""
    rows = []
    for row in result.summary().to_dict("records"):
        if categories is None or row["category"] in categories:
            e = result.evidence(row["category"])
            more = ("p_below", "p_above", "bf_sd_error", "bf_sd_defined", "direction_resolved")
            row |= {name: getattr(e, name) for name in more}
            row = {name: finite(value) for name, value in row.items()}
            row["bf_sd_bound"] = _bound(e.bf_sd_bound)
            row["bf_rope_bound"] = _bound(e.bf_rope_bound)
            row["sentence"] = sentence(result, e)
            row["what_would_change"] = what_would_change(result, e)
            rows.append(row)
    return {
        "schema": SCHEMA,
        "stanoff": __version__,
        "decision": None if result.default_category is None else str(result.decision),
        "decided": result.default_category,
        "names": {"A": result.names[0], "B": result.names[1]},
        "data": {"kind": type(result.data).__name__, **dict(sorted(result.data.source.items()))},
        "documents": dict(zip("AB", result.n_documents(), strict=True)),
        "measure": result.measure.label,
        "average": result.average,
        "model": result.model.name,
        "prior": dict(zip("AB", map(_weights, both(result.prior)), strict=True)),
        "engine": result.engine,
        "seed": result.seed,
        "rope": list(result.rope),
        "hdi_prob": result.hdi_prob,
        "results": rows,
        "warnings": list(result.warnings),
    }


def _weights(prior: Prior) -> dict[str, Any]:
    every = asdict(prior).items()
    return {name: list(value) if isinstance(value, tuple) else value for name, value in every}


def _bound(bound: Bound | None) -> dict[str, Any] | None:
    return None if bound is None else bound._asdict()


def written(text: str, path: str | os.PathLike[str] | None) -> str:
    """End a text with a newline, and write it to a file if one is named."""
    text = text.rstrip("\n") + "\n"
    if path is not None:
        write_text(path, text)
    return text


def _below(result: Comparison, categories: Sequence[str] | None) -> list[str]:
    """Gather the verdict, what it rests on, and what to know before trusting it."""
    told = [result.sentence(c) for c in categories] if categories else str(result).split("\n")
    told.append(
        f"Based on {documents(result)}, taken to be independent of each other; "
        f"{result.model.name} model, {result.engine} engine, seed {result.seed}."
    )
    known = result.sampler_warnings  # the sentence has these
    return told + [f"Note: {warning}" for warning in result.warnings if warning not in known]
