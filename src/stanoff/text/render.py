"""Any table as text: for a terminal, a script, a document."""

from __future__ import annotations

import json
import math
import os
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from rich.cells import cell_len

from stanoff._lib.arguments import as_string
from stanoff._lib.escaping import markdown, one_line
from stanoff._lib.files import write_text
from stanoff.text.latex import split_columns, to_latex
from stanoff.text.tables import in_one_paragraph

FORMATS = ("table", "json", "csv", "markdown", "latex")
TEXT_COLUMNS = (
    *("test", "measure", "note", "scenario", "model", "goal", "formula", "meaning", "question"),
)
MAX_WIDTH = 100  # of text on a terminal


def render(
    frame: pd.DataFrame,
    format: str,
    *,
    numbers: pd.DataFrame | None = None,
    record: Callable[[], Any] | None = None,
    above: Sequence[str] = (),
    below: Sequence[str] = (),
    legend: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    **layout: Any,
) -> str:
    """Write a table in one of ``FORMATS``; whatever its cells hold is escaped.

    Parameters
    ----------
    frame : DataFrame
        What people read; numbers that are not text yet are written with three decimals.
    format : str
        One of ``FORMATS``.
    numbers : DataFrame, optional
        What scripts read, in JSON and CSV, with all digits; ``frame`` by default.
    record : callable, optional
        Returns what JSON has instead.
    above, below : sequence of str
        Sentences around the table, on a terminal and in Markdown.
    legend : mapping, optional
        What is explained below it: columns or signs, and what they mean.
    caption, label : str, optional
        Of a table in LaTeX.
    **layout
        Of a table in LaTeX, as in :func:`stanoff.text.latex.to_latex`.
    """
    exact = frame if numbers is None else numbers
    if format == "json":
        return to_json(record() if record else to_records(exact))
    if format == "csv":
        return str(exact.to_csv(index=False, lineterminator="\n")).rstrip("\n")
    cells = frame.astype(object).map(_cell)
    if format == "latex":
        labels = as_string("caption", caption), as_string("label", label)
        return to_latex(cells, *labels, legend=legend, text_columns=TEXT_COLUMNS, **layout)
    texts = [*([in_one_paragraph(legend)] if legend else []), *below]
    if format == "markdown":
        return "\n\n".join([*map(markdown, above), to_markdown(cells), *map(markdown, texts)])
    return to_terminal([*above, cells, *texts])


def _cell(value: Any) -> Any:
    if value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.3f}" if isinstance(value, float) else value


def to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as dictionaries that JSON takes: NaN becomes None, infinity "inf"."""
    records: list[dict[str, Any]] = json_safe(frame.astype(object).to_dict("records"))
    return records


def json_safe(value: Any) -> Any:
    """Replace what JSON lacks, however deep: NaN by None, infinity by a text, tuples by lists."""
    if isinstance(value, Mapping):
        return {str(name): json_safe(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_safe(item) for item in value]
    if value is pd.NA:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return json_safe(value.tolist()) if hasattr(value, "tolist") else value


def to_json(content: Any) -> str:
    """Write JSON that every reader takes: no NaN in it, and letters as they are."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def to_markdown(frame: pd.DataFrame) -> str:
    r"""Write a table of text cells in Markdown; whatever they hold is escaped.

    Examples
    --------
    >>> print(to_markdown(pd.DataFrame({"name": ["a|b"], "shown": ["≫"]})))
    | name | shown |
    | --- | ---: |
    | a\|b | ≫ |
    """
    rows = [list(frame.columns), *frame.to_numpy().tolist()]
    lines = ["| " + " | ".join(markdown(str(cell)) for cell in row) + " |" for row in rows]
    lines.insert(1, "| --- |" + " ---: |" * (len(frame.columns) - 1))
    return "\n".join(lines)


def to_terminal(blocks: Sequence[str | pd.DataFrame]) -> str:
    """Write sentences and tables of text cells under each other, no wider than the terminal.

    Columns of a table that do not fit beside the others follow in a table of their own, with the
    first column again.
    """
    width = shutil.get_terminal_size((MAX_WIDTH, 24)).columns
    texts = [
        textwrap.fill(block, min(width, MAX_WIDTH), break_long_words=False, break_on_hyphens=False)
        if isinstance(block, str)
        else "\n\n".join(
            _terminal_table(block.iloc[:, columns])
            for columns in split_columns([w + 2 for w in _widths(block)], width)
        )
        for block in blocks
    ]
    return "\n\n".join(texts)


def width_of(frame: pd.DataFrame) -> int:
    """Return how wide a table of text cells is on a terminal."""
    return sum(_widths(frame)) + 2 * frame.shape[1] - 1


def _widths(frame: pd.DataFrame) -> list[int]:
    cells = [[str(name), *map(str, frame.iloc[:, i])] for i, name in enumerate(frame.columns)]
    return [max(map(cell_len, column)) for column in cells]


def _terminal_table(frame: pd.DataFrame) -> str:
    """Align a table: columns of text to the left, others to the right, with a space before each."""
    widths, headings = _widths(frame), list(map(str, frame.columns))
    left_aligned = [i == 0 or heading in TEXT_COLUMNS for i, heading in enumerate(headings)]
    lines = []
    for row in (headings, *frame.to_numpy().tolist()):
        texts = [one_line(str(cell)) for cell in row]
        gaps = [" " * (width - cell_len(text)) for width, text in zip(widths, texts, strict=True)]
        aligned = zip(texts, gaps, left_aligned, strict=True)
        cells = [text + gap if left else gap + text for text, gap, left in aligned]
        lines.append(f" {'  '.join(cells)}".rstrip())
    lines.insert(1, f" {'─' * (width_of(frame) - 1)}")  # without the leading space
    return "\n".join(lines)


def write(text: str, path: str | os.PathLike[str] | None) -> str:
    """End a text with a newline, and write it to a file if one is named."""
    text = text.rstrip("\n") + "\n"
    if path is not None:
        write_text(path, text)
    return text
