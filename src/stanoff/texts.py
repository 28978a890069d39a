"""A result as text: for a terminal, a script, a document."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from stanoff.escaping import markdown
from stanoff.files import write_text
from stanoff.tables import ALL, PAPER, formatted
from stanoff.words import documents, sentence, what_would_change

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.result import Comparison

FORMATS = ("table", "json", "csv", "markdown", "latex")


def as_text(result: Comparison, style: str, *, categories: Sequence[str] | None = None) -> str:
    """Write a result, or some categories of it, in one of ``FORMATS``."""
    if style == "json":
        return dumped(as_json(result, categories=categories))
    if style == "csv":
        return as_csv(result, categories=categories).rstrip("\n")
    if style == "latex":
        from stanoff.latex import as_latex

        return as_latex(result, PAPER, categories=categories)
    if style == "markdown":
        return as_markdown(result, PAPER, categories=categories)
    return for_terminal(result, ALL, categories=categories)


def as_csv(result: Comparison, *, categories: Sequence[str] | None = None) -> str:
    """Write the numbers of the summary, all their digits, as comma-separated values."""
    table = result.summary()
    if categories is not None:
        table = table[table["category"].isin(list(categories))]
    return str(table.to_csv(index=False, lineterminator="\n"))


def as_json(result: Comparison, *, categories: Sequence[str] | None = None) -> dict[str, Any]:
    """Gather settings, numbers and words for a script; NaN becomes null, infinity "inf"."""
    rows = []
    for row in result.summary().to_dict("records"):
        if categories is None or row["category"] in categories:
            e = result.evidence(row["category"])
            more = ("p_below", "p_above", "bf_sd_error", "bf_sd_defined")
            row |= {name: getattr(e, name) for name in more}
            row["sentence"] = sentence(result, e)
            row["what_would_change"] = what_would_change(result, e)
            rows.append({name: _finite(value) for name, value in row.items()})
    return {
        "names": {"A": result.names[0], "B": result.names[1]},
        "documents": dict(zip("AB", result.counts.documents, strict=True)),
        "measure": result.measure_used.label,
        "average": result.average,
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "rope": list(result.rope_used),
        "hdi": result.hdi_used,
        "results": rows,
        "warnings": list(result.warnings),
    }


def written(text: str, path: str | os.PathLike[str] | None) -> str:
    """End a text with a newline, and write it to a file if one is named."""
    text = text.rstrip("\n") + "\n"
    if path is not None:
        write_text(path, text)
    return text


def dumped(content: Any) -> str:
    """Write JSON that every reader takes: no NaN in it, and letters as they are."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def as_markdown(
    result: Comparison, columns: Sequence[str], *, categories: Sequence[str] | None = None
) -> str:
    """Write the table in Markdown, with the verdict and the notes below it."""
    table = frame_as_markdown(formatted(result, columns, categories=categories))
    return "\n\n".join([table, *(markdown(line) for line in _below(result, categories))])


def frame_as_markdown(frame: pd.DataFrame) -> str:
    r"""Write a table of text cells in Markdown; whatever they hold is escaped.

    Examples
    --------
    >>> import pandas as pd
    >>> print(frame_as_markdown(pd.DataFrame({"name": ["a|b"], "shown": ["≫"]})))
    | name | shown |
    | --- | ---: |
    | a\|b | ≫ |
    """
    rows = [list(frame.columns), *frame.to_numpy().tolist()]
    lines = ["| " + " | ".join(markdown(str(cell)) for cell in row) + " |" for row in rows]
    lines.insert(1, "| --- |" + " ---: |" * (len(frame.columns) - 1))
    return "\n".join(lines)


def for_terminal(
    result: Comparison, columns: Sequence[str], *, categories: Sequence[str] | None = None
) -> str:
    """Write the table with the verdict and the notes below it, as wide as the terminal."""
    table = formatted(result, columns, categories=categories)
    return frame_for_terminal(table, _below(result, categories))


def frame_for_terminal(frame: pd.DataFrame, below: Sequence[str] = ()) -> str:
    """Write a table of text cells, and lines below it, as wide as the terminal."""
    import io
    import shutil

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for i, heading in enumerate(frame.columns):
        side: Literal["left", "right"] = "left" if i == 0 else "right"
        table.add_column(Text(str(heading)), justify=side, no_wrap=True)
    for row in frame.to_numpy().tolist():
        table.add_row(*(Text(cell) for cell in row))
    rows = [list(frame.columns), *frame.to_numpy().tolist()]
    needed = sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True))
    width = max(shutil.get_terminal_size((100, 24)).columns, needed)
    text_file = io.StringIO()
    console = Console(file=text_file, width=width)
    console.print(table)
    wrapped = Console(file=text_file, width=min(width, 100))
    for line in below:
        wrapped.print(Text(line))
    return text_file.getvalue().rstrip()


def _below(result: Comparison, categories: Sequence[str] | None) -> list[str]:
    """Tell the verdict, what it rests on, and what to know before trusting it."""
    told = [result.sentence(c) for c in categories] if categories else str(result).split("\n")
    told.append(
        f"Based on {documents(result)}; {result.model.name} model, {result.engine} engine, "
        f"seed {result.seed}."
    )
    known = result.sampler_warnings  # the sentence tells these
    return told + [f"Note: {warning}" for warning in result.warnings if warning not in known]


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
