r"""Any table as text: for a terminal, a script, a document.

In LaTeX a table needs ``\usepackage{booktabs}`` and nothing else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stanoff._lib.arguments import as_string
from stanoff._lib.escaping import latex, markdown
from stanoff.errors import invalid

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("table", "json", "csv", "markdown", "latex")
SYMBOLS = {
    "BF_SD": r"BF$_{\mathrm{SD}}$",
    "BF_ROPE": r"BF$_{\mathrm{ROPE}}$",
    "psi_A": r"$\psi_A$",
    "psi_B": r"$\psi_B$",
    "observed_A": r"$\hat{\psi}_A$",
    "observed_B": r"$\hat{\psi}_B$",
    "A − B": r"$\delta$",
}


def frame_text(
    frame: pd.DataFrame,
    style: str,
    *,
    numbers: pd.DataFrame | None = None,
    below: Sequence[str] = (),
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Write a table in one of ``FORMATS``; whatever its cells hold is escaped.

    Parameters
    ----------
    frame : DataFrame
        What people read; numbers that are not text yet are written with three decimals.
    style : str
        One of ``FORMATS``.
    numbers : DataFrame, optional
        What scripts read, in JSON and CSV, with all digits; ``frame`` by default.
    below : sequence of str
        Lines below the table, in the formats for people.
    caption, label : str, optional
        Of a table in LaTeX.
    """
    exact = frame if numbers is None else numbers
    if style == "json":
        return dumped(records(exact))
    if style == "csv":
        return str(exact.to_csv(index=False, lineterminator="\n")).rstrip("\n")
    cells = _as_words(frame)
    if style == "latex":
        return frame_as_latex(cells, as_string("caption", caption), as_string("label", label))
    if style == "markdown":
        return "\n\n".join([frame_as_markdown(cells), *(markdown(line) for line in below)])
    from stanoff.text.terminal import frame_for_terminal

    return frame_for_terminal(cells, below)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as dictionaries that JSON takes: NaN becomes None, infinity "inf"."""
    return [
        {str(name): finite(value) for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def finite(value: Any) -> Any:
    """Replace what JSON lacks: NaN and missing values by None, infinity by a text."""
    import pandas as pd

    if value is pd.NA:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value.item() if hasattr(value, "item") else value


def dumped(content: Any) -> str:
    """Write JSON that every reader takes: no NaN in it, and letters as they are."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


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


def frame_as_latex(
    frame: pd.DataFrame, caption: str | None = None, label: str | None = None
) -> str:
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
    >>> import pandas as pd
    >>> print(frame_as_latex(pd.DataFrame({"name": ["a_b"], "shown": ["≫"]})))
    \begin{tabular}{lr}
    \toprule
    name & shown \\
    \midrule
    a\_b & $\gg$ \\
    \bottomrule
    \end{tabular}
    """
    headings = latex_headings(frame)
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}",
        r"\toprule",
        latex_row(headings),
        r"\midrule",
        *(latex_row([latex(str(cell)) for cell in row]) for row in frame.to_numpy().tolist()),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption is None and label is None:
        return "\n".join(lines)
    above = [] if caption is None else [rf"\caption{{{latex(caption)}}}"]
    above += [] if label is None else [rf"\label{{{as_label(label)}}}"]
    # The ten columns of the paper then need a text width of 15 cm.
    size = [r"\smallskip", r"\footnotesize", r"\setlength{\tabcolsep}{3pt}"]
    return "\n".join([r"\begin{table}", r"\centering", *above, *size, *lines, r"\end{table}"])


def _as_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Write numbers with three decimals where they are not whole, and nothing for what is not."""
    import pandas as pd

    def word(cell: Any) -> Any:
        if cell is pd.NA:
            return ""
        if isinstance(cell, float):
            return "" if math.isnan(cell) else f"{cell:.3f}"
        return cell

    return frame.astype(object).map(word)


def latex_headings(frame: pd.DataFrame) -> list[str]:
    """Name the columns in LaTeX."""
    return [SYMBOLS.get(str(name)) or latex(str(name)) for name in frame.columns]


def latex_row(cells: Sequence[str]) -> str:
    """Write one row of a table."""
    return rf"{' & '.join(cells)} \\"


def as_label(label: Any) -> str:
    """Check the label of a table."""
    if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9:._-]+", label):
        raise invalid("label", "letters, digits, ':', '.', '_' and '-'", label)
    return label
