r"""Tables in LaTeX that go over several pages; they need booktabs and longtable.

How wide columns are is estimated, in em: names are broken where numbers leave them no room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stanoff._lib.escaping import breakable, latex
from stanoff.text.frames import SYMBOLS, as_label, latex_headings, latex_row

if TYPE_CHECKING:
    import pandas as pd

Group = tuple[str, "pd.DataFrame"]

LINE = 40.0  # em of footnotesize in the line of an article
SEPARATION = 0.48  # between two columns
NARROWEST = 6.0  # what names take at least
WIDEST = 1.1  # of all letters


def frames_as_longtable(
    groups: Sequence[Group], caption: str, label: str, below: Sequence[tuple[str, str]] = ()
) -> str:
    r"""Write tables of text cells as one, as wide as the line, over as many pages as it takes.

    The first column is broken where it is too long; if the numbers leave no room for it, it stands
    above them.

    Parameters
    ----------
    groups : sequence of tuple
        What stands above some rows, if anything, and the rows; all have the same columns.
    caption : str
        What stands above it, as plain text.
    label : str
        What ``\ref`` calls it.
    below : sequence of tuple of str
        What is explained under the table, and how; columns are called as in the head.

    Examples
    --------
    >>> import pandas as pd
    >>> text = frames_as_longtable([("a_b", pd.DataFrame({"x": ["y"], "z": ["≫"]}))], "c", "l")
    >>> r"y & $\gg$ \\" in text, r"a\_b" in text
    (True, True)
    """
    first, *numbers = _widths(groups)
    needed = sum(numbers) + len(numbers) * SEPARATION
    above, small = needed + min(first, NARROWEST) > LINE, needed > LINE
    fits = needed + first <= LINE
    width = f"{first:.1f}em" if fits else rf"\dimexpr\linewidth-{needed:.1f}em\relax"
    shape = ("" if above else f"p{{{width}}}") + "r" * len(numbers)
    across = _across(len(numbers) + (not above))
    head = latex_headings(groups[0][1])
    top = [r"\toprule", latex_row(head[1:] if above else head), r"\midrule"]
    told = "; ".join(f"{SYMBOLS.get(term) or latex(term)}: {latex(text)}" for term, text in below)
    most = 99 if fits else int((LINE - (0 if above else needed)) / WIDEST)
    lines = [
        r"\begingroup",
        r"\scriptsize" if small else r"\footnotesize",
        r"\setlength{\tabcolsep}{2pt}",
        r"\setlength{\LTleft}{0pt}",
        r"\setlength{\LTright}{0pt}",
        r"\setlength{\LTcapwidth}{\linewidth}",
        rf"\begin{{longtable}}{{@{{\extracolsep{{\fill}}}}{shape}@{{}}}}",
        rf"\caption{{{breakable(caption)}}}\label{{{as_label(label)}}}\\",
        *top,
        r"\endfirsthead",
        *top,
        r"\endhead",
        r"\midrule",
        rf"{across % 'continued on the next page'} \\",
        r"\endfoot",
        r"\bottomrule",
        *([r"\addlinespace", across % f"{told}." + r" \\"] if told else []),
        r"\endlastfoot",
        *_body(groups, across, above, most),
        r"\end{longtable}",
        r"\endgroup",
    ]
    return "\n".join(lines)


def _body(groups: Sequence[Group], across: str, above: bool, most: int) -> list[str]:
    """Write the rows; no page ends between a name and what belongs to it."""
    lines: list[str] = []
    for heading, frame in groups:
        lines += [r"\addlinespace"] if lines else []
        lines += [across % rf"\itshape {breakable(heading)}" + r" \\*"] if heading else []
        for row in frame.to_numpy().tolist():
            name, cells = breakable(str(row[0]), most), [latex(str(cell)) for cell in row[1:]]
            lines += [across % name + r" \\*"] if above else []
            lines.append(latex_row(cells if above else [rf"\raggedright {name}", *cells]))
    return lines


def _across(columns: int) -> str:
    """Return a cell over all columns, without a width: the last column would take it all."""
    text = r"{\makebox[0pt][l]{\parbox[t]{\linewidth}{\raggedright %s\strut}}}"
    return rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{text}"


def _widths(groups: Sequence[Group]) -> list[float]:
    """Estimate how wide every column is."""
    rows = [row for _, frame in groups for row in frame.astype(str).to_numpy().tolist()]
    columns = zip(map(str, groups[0][1].columns), *rows, strict=True)
    return [max(_em(cell) for cell in column) for column in columns]


def _em(text: str) -> float:
    """Return a width that a text hardly exceeds in Computer Modern or Times."""
    if text in SYMBOLS:
        return 4.0 if text.startswith("BF") else 1.6
    return sum(_em_of(character) for character in text)


def _em_of(character: str) -> float:
    if character in " .,:;'()[]{}|ijl":
        return 0.3
    if character.isdigit():
        return 0.51
    if character in "abcdefghknopqrstuvxyz/*!?":
        return 0.57
    if character in "−±≈" or (character.isascii() and character not in "MWmw@&%"):
        return 0.8
    return WIDEST if character.isascii() or character in "≫≪⋆‡∼" else 4.2  # as in U+1F600
