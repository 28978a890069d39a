r"""Any table as text: for a terminal, a script, a document.

In LaTeX a table needs ``\usepackage{booktabs}``, and one over several pages ``longtable``, too.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
from rich.cells import cell_len

from stanoff._lib.arguments import as_string
from stanoff._lib.escaping import latex, markdown, one_line
from stanoff._lib.files import write_text
from stanoff.errors import invalid
from stanoff.text.tables import COLUMNS

FORMATS = ("table", "json", "csv", "markdown", "latex")
LATEX_HEADINGS = {column.heading: column.latex for column in COLUMNS.values() if column.latex}
TEXT_COLUMNS = ("test", "measure", "note", "scenario", "model", "goal", "formula", "meaning")
MAX_WIDTH = 100  # of text on a terminal
SMALL = "\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n"  # ten columns then need 15 cm


def render(
    frame: pd.DataFrame,
    format: str,
    *,
    numbers: pd.DataFrame | None = None,
    above: Sequence[str] = (),
    below: Sequence[str] = (),
    caption: str | None = None,
    label: str | None = None,
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
    above, below : sequence of str
        Sentences around the table, on a terminal and in Markdown.
    caption, label : str, optional
        Of a table in LaTeX.
    """
    exact = frame if numbers is None else numbers
    if format == "json":
        return to_json(to_records(exact))
    if format == "csv":
        return str(exact.to_csv(index=False, lineterminator="\n")).rstrip("\n")
    cells = frame.astype(object).map(_cell)
    if format == "latex":
        return to_latex(cells, as_string("caption", caption), as_string("label", label))
    if format == "markdown":
        return "\n\n".join([*map(markdown, above), to_markdown(cells), *map(markdown, below)])
    return to_terminal([*above, cells, *below])


def _cell(value: Any) -> Any:
    if value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.3f}" if isinstance(value, float) else value


def to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as dictionaries that JSON takes: NaN becomes None, infinity "inf"."""
    return [
        {str(name): json_safe(value) for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def json_safe(value: Any) -> Any:
    """Replace what JSON lacks: NaN and missing values by None, infinity by a text."""
    if value is pd.NA:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value.item() if hasattr(value, "item") else value


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


def to_latex(frame: pd.DataFrame, caption: str | None = None, label: str | None = None) -> str:
    r"""Write a table of text cells for booktabs; whatever they hold is escaped.

    Parameters
    ----------
    frame : DataFrame
        Its index is not shown.
    caption : str, optional
        What stands above it, as plain text.
    label : str, optional
        What ``\ref`` calls it; letters, digits, ``:``, ``.``, ``_`` and ``-``.

    Examples
    --------
    >>> print(to_latex(pd.DataFrame({"name": ["a_b"], "shown": ["≫"]})))
    \begin{tabular}{lr}
    \toprule
    name & shown \\
    \midrule
    a\_b & $\gg$ \\
    \bottomrule
    \end{tabular}
    """
    options = _caption_and_label(caption, label)
    text = _escaped(frame).to_latex(
        hrules=True,
        column_format="l" + "r" * (frame.shape[1] - 1),
        position_float="centering" if options else None,
        **options,
    )
    if options:
        text = text.replace(r"\begin{tabular}", SMALL + r"\begin{tabular}", 1)
    return str(text).rstrip("\n")


def to_longtable(
    groups: Sequence[tuple[str, pd.DataFrame]], caption: str, label: str, note: str = ""
) -> str:
    r"""Write tables of text cells as one, as wide as the line, over as many pages as it takes.

    Parameters
    ----------
    groups : sequence of tuple
        What stands above some rows, if anything, and the rows; all have the same columns.
    caption : str
        What stands above it, as plain text.
    label : str
        What ``\ref`` calls it.
    note : str
        What is explained under the table.
    """
    columns = list(groups[0][1].columns)
    rows = [row for title, frame in groups for row in _group(title, frame)]
    frame = pd.DataFrame(rows, columns=columns).astype(str)
    frame[columns[0]] = [rf"\raggedright {break_words(name)}" for name in frame[columns[0]]]
    # Cells of numbers are half an em per character; the first column has what is left of the line,
    # which is 40 em of footnotesize and 47 of scriptsize in an article.
    heads = ["" if name in LATEX_HEADINGS else name for name in columns]
    widths = [max(map(len, [heads[i], *frame.iloc[:, i]])) for i in range(1, len(columns))]
    needed = 0.5 * sum(widths) + 0.6 * len(widths)
    size = r"\footnotesize" if needed < 30 else r"\scriptsize"
    text = _escaped(frame, 1).to_latex(
        hrules=True,
        environment="longtable",
        column_format=rf"p{{\dimexpr\linewidth-{needed:.1f}em\relax}}" + "r" * len(widths),
        **_caption_and_label(caption, label),
    )
    return "\n".join(
        [
            rf"\begingroup{size}",
            r"\setlength{\tabcolsep}{2pt}",
            r"\setlength{\LTcapwidth}{\linewidth}",
            str(text).rstrip("\n"),
            *([rf"\noindent {latex(note)}\par"] if note else []),
            r"\endgroup",
        ]
    )


def _group(title: str, frame: pd.DataFrame) -> list[list[str]]:
    """Return the rows of a group under its title, which stands in a row of its own."""
    rows: list[list[str]] = frame.to_numpy().tolist()
    return [[title, *[""] * (frame.shape[1] - 1)], *rows] if title else rows


def _escaped(frame: pd.DataFrame, first: int = 0) -> Any:
    """Escape headings, and cells from a column on, for LaTeX; return the Styler of them."""
    cells = frame.astype(str)
    cells = pd.concat([cells.iloc[:, :first], cells.iloc[:, first:].map(latex)], axis=1)
    headings = [LATEX_HEADINGS.get(str(name)) or latex(str(name)) for name in frame.columns]
    return cells.set_axis(headings, axis=1).style.hide(axis="index")


def break_words(text: str, limit: int = 12) -> str:
    r"""Escape a text for LaTeX whose words beyond a limit may be broken.

    Examples
    --------
    >>> break_words("a hardware_and_software")
    'a hardwa\\allowbreak{}re\\_and\\allowbreak{}\\_softw\\allowbreak{}are'
    """
    return " ".join(
        r"\allowbreak{}".join(
            map(latex, re.findall(".{1,6}", word) if len(word) > limit else [word])
        )
        for word in text.split()
    )


def _caption_and_label(caption: str | None, label: str | None) -> dict[str, str]:
    options = {}
    if caption is not None:
        options["caption"] = break_words(caption, limit=24)
    if label is not None:
        if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9:._-]+", label):
            raise invalid("label", "letters, digits, ':', '.', '_' and '-'", label)
        options["label"] = label
    return options


def to_terminal(blocks: Sequence[str | pd.DataFrame]) -> str:
    """Write sentences and tables of text cells under each other, no wider than the terminal.

    Columns of a table that do not fit beside the others follow in a table of their own, with the
    first column again.
    """
    width = shutil.get_terminal_size((MAX_WIDTH, 24)).columns
    texts = [
        textwrap.fill(block, min(width, MAX_WIDTH), break_long_words=False, break_on_hyphens=False)
        if isinstance(block, str)
        else "\n\n".join(_terminal_table(narrow) for narrow in _split(block, width))
        for block in blocks
    ]
    return "\n\n".join(texts)


def width_of(frame: pd.DataFrame) -> int:
    """Return how wide a table of text cells is on a terminal."""
    return sum(_widths(frame)) + 2 * frame.shape[1] - 1


def _widths(frame: pd.DataFrame) -> list[int]:
    cells = [[str(name), *map(str, frame.iloc[:, i])] for i, name in enumerate(frame.columns)]
    return [max(map(cell_len, column)) for column in cells]


def _split(frame: pd.DataFrame, width: int) -> Iterator[pd.DataFrame]:
    """Split a table that is too wide; every table begins with the first column."""
    widths = [width + 2 for width in _widths(frame)]
    columns = [0]
    for i in range(1, len(widths)):
        if len(columns) > 1 and sum(widths[j] for j in [*columns, i]) > width:
            yield frame.iloc[:, columns]
            columns = [0]
        columns.append(i)
    yield frame.iloc[:, columns]


def _terminal_table(frame: pd.DataFrame) -> str:
    widths, headings = _widths(frame), list(map(str, frame.columns))
    left = [i == 0 or heading in TEXT_COLUMNS for i, heading in enumerate(headings)]
    lines = []
    for row in (headings, *frame.to_numpy().tolist()):
        texts = [one_line(str(cell)) for cell in row]
        gaps = [" " * (width - cell_len(text)) for width, text in zip(widths, texts, strict=True)]
        cells = [t + g if at else g + t for t, g, at in zip(texts, gaps, left, strict=True)]
        lines.append(f" {'  '.join(cells)}".rstrip())
    lines.insert(1, f" {'─' * (width_of(frame) - 1)}")
    return "\n".join(lines)


def write(text: str, path: str | os.PathLike[str] | None) -> str:
    """End a text with a newline, and write it to a file if one is named."""
    text = text.rstrip("\n") + "\n"
    if path is not None:
        write_text(path, text)
    return text
