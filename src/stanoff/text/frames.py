r"""Any table as text: for a terminal, a script, a document.

In LaTeX a table needs ``\usepackage{booktabs}`` and nothing else; one that goes over several pages
needs ``\usepackage{longtable}``, too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stanoff._lib.escaping import breakable, latex, markdown
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
# In em of footnotesize: the line of an article, the space between columns, the least for names.
LINE, SEPARATION, NARROWEST = 40.0, 0.72, 5.0


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
        return frame_as_latex(cells, caption, label)
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
    headings = _headings(frame)
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}",
        r"\toprule",
        _row(headings),
        r"\midrule",
        *(_row([latex(str(cell)) for cell in row]) for row in frame.to_numpy().tolist()),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption is None and label is None:
        return "\n".join(lines)
    above = [] if caption is None else [rf"\caption{{{latex(caption)}}}"]
    above += [] if label is None else [rf"\label{{{_as_label(label)}}}"]
    # The ten columns of the paper then need a text width of 15 cm.
    size = [r"\smallskip", r"\footnotesize", r"\setlength{\tabcolsep}{3pt}"]
    return "\n".join([r"\begin{table}", r"\centering", *above, *size, *lines, r"\end{table}"])


def frames_as_longtable(
    frames: Sequence[tuple[str, pd.DataFrame]],
    caption: str,
    label: str,
    below: Sequence[tuple[str, str]] = (),
) -> str:
    r"""Write tables of text cells as one, over as many pages as it takes.

    It is as wide as the line. The first column is broken, like every name, where it is too long; if
    the numbers leave no room for it, it stands above them.

    Parameters
    ----------
    frames : sequence of tuple
        What stands above a group of rows, and the rows; all have the same columns.
    caption, label : str
        As in :func:`frame_as_latex`.
    below : sequence of tuple of str
        What is explained under the table, and how; columns are called as in the head.
    """
    head = _headings(frames[0][1])
    rows = [[str(cell) for cell in row] for _, frame in frames for row in frame.to_numpy().tolist()]
    columns = list(zip(map(str, frames[0][1].columns), *rows, strict=True))
    first, *numbers = [max(_ems(cell) for cell in column) for column in columns]
    needed = sum(numbers) + len(numbers) * SEPARATION
    above = needed + NARROWEST > LINE
    small = needed > LINE
    rest = rf"\dimexpr\linewidth-{needed:.1f}em\relax"
    width = f"{first:.1f}em" if needed + first <= LINE else rest
    shape = "r" * len(numbers) if above else rf"p{{{width}}}{'r' * len(numbers)}"
    across = rf"\multicolumn{{{len(numbers) + (not above)}}}{{@{{}}p{{\linewidth}}@{{}}}}"
    body: list[str] = []
    for heading, frame in frames:
        body += [r"\addlinespace"] if body else []
        body.append(rf"{across}{{\raggedright\itshape {breakable(heading)}}} \\*")
        for row in frame.to_numpy().tolist():
            name, cells = breakable(str(row[0])), [latex(str(cell)) for cell in row[1:]]
            body += [rf"{across}{{\raggedright {name}}} \\*"] if above else []
            body.append(_row(cells if above else [rf"\raggedright {name}", *cells]))
    told = "; ".join(f"{SYMBOLS.get(term) or latex(term)}: {latex(text)}" for term, text in below)
    top = [r"\toprule", _row(head[1:] if above else head), r"\midrule"]
    return "\n".join(
        [
            r"\begingroup",
            rf"\{'scriptsize' if small else 'footnotesize'}",
            rf"\setlength{{\tabcolsep}}{{{2 if small else 3}pt}}",
            r"\setlength{\LTleft}{0pt}",
            r"\setlength{\LTright}{0pt}",
            r"\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{@{{\extracolsep{{\fill}}}}{shape}@{{}}}}",
            rf"\caption{{{breakable(caption)}}}\label{{{_as_label(label)}}}\\",
            *top,
            r"\endfirsthead",
            *top,
            r"\endhead",
            rf"\midrule {across}{{\raggedleft continued on the next page}} \\",
            r"\endfoot",
            r"\bottomrule",
            *([r"\addlinespace", rf"{across}{{\raggedright {told}.}} \\"] if told else []),
            r"\endlastfoot",
            *body,
            r"\end{longtable}",
            r"\endgroup",
        ]
    )


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


def _headings(frame: pd.DataFrame) -> list[str]:
    return [SYMBOLS.get(str(name)) or latex(str(name)) for name in frame.columns]


def _ems(text: str) -> float:
    """Return a width that a text does not exceed in Computer Modern or Times, in em."""
    shown = SYMBOLS.get(text, text)
    if shown != text:
        return 1.5 if "psi" in shown or "delta" in shown else 3.5
    return sum(_em(character) for character in text)


def _em(character: str) -> float:
    if character in " .,:;'()[]{}|ijltf":
        return 0.4
    if character in "%@MWmw<>≈∼≫≪⋆‡+-−±_&":
        return 1.05
    return (
        0.58 if character.islower() or character.isdigit() else 0.85 if character.isascii() else 4.2
    )


def _row(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _as_label(label: Any) -> str:
    if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9:._-]+", label):
        raise invalid("label", "letters, digits, ':', '.', '_' and '-'", label)
    return label
