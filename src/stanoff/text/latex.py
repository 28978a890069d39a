r"""Tables in LaTeX that fit a column of an article, or its whole width.

They need ``\usepackage{booktabs}``, and one over several pages ``longtable``, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

import pandas as pd

from stanoff._lib.escaping import latex
from stanoff.errors import invalid

# The narrowest column and the narrowest page, in points: those of article on A4.
COLUMN_WIDTH, PAGE_WIDTH = 219.0, 342.0
FONTS = {8: (8.5, 4.0), 7: (8.1, 3.4)}  # size of letters: width of an em, and of gaps, in points
MAX_LINES = 42  # of a table that floats
MAX_NAME_WIDTH = 25.0  # em of a name on a line of its own
MAX_SPARE = 6.0  # points that gaps take where there is room
MIN_TEXT_WIDTH = 6  # em of a column whose words are broken
WIDTHS = {  # of letters in em; others take half of one
    **dict.fromkeys(" .,:;!|'`ijlI[]", 0.29),
    **dict.fromkeys("()–rtfs/{}", 0.4),
    **dict.fromkeys("%+-−=±∼≠mwMW@&", 0.84),
    **dict.fromkeys("≪≫<>≈", 1.0),
}
# The widest cells of a kind, for on pages these change with the reader's ROPE.
WIDEST = {r"[<>]?[\d.]+%": ">99.9%", "[≪<≈>≫]( †)?": "≫ †"}

Texts = Mapping[str, str]


def to_latex(
    frame: pd.DataFrame,
    caption: str | None = None,
    label: str | None = None,
    *,
    headings: Texts | None = None,
    legend: Texts | None = None,
    notes: Sequence[str] = (),
    text_columns: Collection[str] = (),
    full: bool | None = None,
    measured: pd.DataFrame | None = None,
    bold: pd.DataFrame | None = None,
) -> str:
    r"""Write a table of text cells for booktabs; whatever they hold is escaped.

    With a caption or a label it is a float that is no wider than a column of an article. Names that
    have no room beside the numbers stand above them, and columns that have none follow below. Rows
    that have no room on a page follow in a float of their own.

    Parameters
    ----------
    frame : DataFrame
        Its index is not shown.
    caption : str, optional
        What stands above it, as plain text.
    label : str, optional
        What ``\ref`` calls it; letters, digits, ``:``, ``.``, ``_`` and ``-``.
    headings : mapping, optional
        What stands on top of columns, in LaTeX.
    legend : mapping, optional
        What is explained below it: headings, and what they mean.
    notes : sequence of str
        Sentences that follow there.
    text_columns : sequence of str
        Columns whose words may be broken, beside the first one.
    full : bool, optional
        Make it as wide as the page: ``table*``; by default where it does not fit a column.
    measured : DataFrame, optional
        The cells by which columns are measured, where ``frame`` has others in their stead.
    bold : DataFrame, optional
        Which cells are bold.

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
    headings = headings or {}
    cells = frame.astype(str).set_axis(list(map(str, frame.columns)), axis=1)
    first = cells.columns[0]
    if not cells[first].str.fullmatch(r"[\d.+-]+").all():
        text_columns = {first, *text_columns}
    if not options:
        return _tabular(cells.map(latex), headings, {first, *text_columns})
    shown = cells if measured is None else measured.astype(str).set_axis(cells.columns, axis=1)
    widths = _widths(shown, headings)
    layout = lay_out(widths, text_columns, PAGE_WIDTH if full else COLUMN_WIDTH)
    if full is None and (layout.narrow or len(layout.chunks) > 1 or layout.stacked):
        full, layout = True, lay_out(widths, text_columns, PAGE_WIDTH)
    note = _note(headings, legend or {}, notes)
    if layout.stacked:
        headings = {**headings, first: "{}"}
    environment = "table*" if full else "table"
    floats: list[str] = []
    further = caption and f"{caption} (Continued.)"
    for rows in _pages(shown, layout):
        placed = _place_text(cells[rows], layout, None if bold is None else bold[rows])
        tables = [
            _tabular(placed.iloc[:, chunk], headings, text_columns, layout.narrow)
            for chunk in layout.chunks
        ]
        lines = [
            rf"\begin{{{environment}}}",
            r"\centering",
            *(_caption_and_label(further, None) if floats else options),
            rf"\fontsize{{{layout.size}}}{{{1.2 * layout.size:.1f}}}\selectfont",
            rf"\setlength{{\tabcolsep}}{{{layout.gap / 2:g}pt}}",
            "\n\\par\\medskip\n".join(tables),
            *(note if rows.stop == len(cells) else []),
            rf"\end{{{environment}}}",
        ]
        floats.append("\n".join(lines))
    return "\n\n".join(floats)


def _pages(cells: pd.DataFrame, layout: Layout) -> Iterator[slice]:
    """Split the rows of a table that is too long for a page."""
    start, height = 0, 0
    per_row = len(layout.chunks)
    for i, row in enumerate(cells.to_dict("records")):
        lines = [1.2 * _em(row[name]) / width for name, width in layout.narrow.items()]
        lines += [1 + _em(row[cells.columns[0]]) / MAX_NAME_WIDTH] if layout.stacked else []
        size = per_row * ceil(max([1.0, *lines]))
        if height + size > MAX_LINES and i > start:
            yield slice(start, i)
            start, height = i, 0
        height += size
    yield slice(start, len(cells))


class Layout(NamedTuple):
    """How the columns of a table share the room that there is.

    Attributes
    ----------
    size : int
        Of the letters, in points.
    gap : float
        Between columns, in points.
    narrow : mapping
        The widths, in em, of columns whose words are broken.
    chunks : list of list of int
        The columns of each table; the first one is in all of them.
    stacked : bool
        Whether the names in the first column stand on lines of their own.
    """

    size: int
    gap: float
    narrow: dict[str, float]
    chunks: list[list[int]]
    stacked: bool = False


def lay_out(widths: Mapping[str, float], text_columns: Collection[str], room: float) -> Layout:
    """Let columns, with widths in em, share so many points.

    Examples
    --------
    >>> lay_out({"system": 5, "F1": 2}, ["system"], room=219)
    Layout(size=8, gap=10.0, narrow={}, chunks=[[0, 1]], stacked=False)
    >>> lay_out({"system": 50, "F1": 2}, ["system"], room=219).narrow
    {'system': 24.6}
    """
    indices = list(range(len(widths)))
    for size, (em, gap) in FONTS.items():
        left = room / em - gap / em * (len(widths) - 1) - sum(widths.values())
        if left >= 0:
            spare = left * em / max(1, len(widths) - 1)
            return Layout(size, round(gap + min(spare, MAX_SPARE), 1), {}, [indices])
    flexible = sorted((name for name in widths if name in text_columns), key=widths.__getitem__)
    left += sum(widths[name] for name in flexible)
    shares: dict[str, float] = {}
    for i, name in enumerate(flexible):
        shares[name] = min(widths[name], left / (len(flexible) - i))
        left -= shares[name]
    least = {name: min(widths[name], MIN_TEXT_WIDTH) for name in flexible}
    if flexible and all(shares[name] >= least[name] for name in flexible):
        return Layout(size, gap, _rounded(shares), [indices])
    first = next(iter(widths))
    stacked = least.pop(first, None) is not None
    points = [em * least.get(name, width) + gap for name, width in widths.items()]
    points[0] = 0.0 if stacked else points[0]
    return Layout(size, gap, _rounded(least), split_columns(points, room + gap), stacked)


def _rounded(widths: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(width), 1) for name, width in widths.items()}


def split_columns(widths: Sequence[float], room: float) -> list[list[int]]:
    """Split the columns of a table that is too wide; every table begins with the first one.

    Examples
    --------
    >>> split_columns([2, 4, 4, 4], 10)
    [[0, 1, 2], [0, 3]]
    """
    chunks = [[0]]
    for i in range(1, len(widths)):
        if len(chunks[-1]) > 1 and sum(widths[j] for j in [*chunks[-1], i]) > room:
            chunks.append([0])
        chunks[-1].append(i)
    return chunks


def _widths(cells: pd.DataFrame, headings: Texts) -> dict[str, float]:
    """Return the widths of columns in em; commands of LaTeX in headings take no room."""
    widths = {}
    for name in map(str, cells):
        small = re.sub(
            r"_\{?\\mathrm\{(\w+)\}\}?", lambda m: m[1].lower(), headings.get(name, name)
        )
        heading = re.sub(r"\\[a-z]+|[${}\\]", "", small)
        widest = [w for pattern, w in WIDEST.items() if cells[name].str.fullmatch(pattern).all()]
        widths[name] = max(map(_em, [heading, *widest, *cells[name]]))
    return widths


def _em(text: str) -> float:
    default = {True: 0.5, False: 1.0}  # letters of other scripts are wider
    return sum(WIDTHS.get(c, 0.76 if c.isupper() else default[c < "\u0250"]) for c in text)


def _place_text(cells: pd.DataFrame, layout: Layout, bold: pd.DataFrame | None) -> pd.DataFrame:
    """Escape cells; let words be broken in narrow columns, and names have lines of their own."""
    placed = cells.map(latex)
    if bold is not None:
        placed = placed.mask(bold.to_numpy(), r"\textbf{" + placed + "}")
    for name, width in layout.narrow.items():
        placed[name] = [_breaking(cell, int(width)) for cell in cells[name]]
    if not layout.stacked:
        return placed
    first = cells.columns[0]
    box = rf"\rlap{{\parbox{{{COLUMN_WIDTH:g}pt}}{{\raggedright %s}}}}"
    names = [box % break_words(cell, 40) for cell in cells[first]]
    titles = pd.DataFrame({first: names}).reindex(columns=cells.columns, fill_value="")
    numbers = placed.assign(**{first: ""}).reset_index(drop=True)
    return pd.concat([titles, numbers]).sort_index(kind="stable", ignore_index=True)


def _breaking(text: str, limit: int = 12) -> str:
    r"""Let the words of a narrow column be broken; \raggedright would end its last column."""
    return rf"\rightskip 0pt plus 1fil\hspace{{0pt}}{break_words(text, limit)}"


def _tabular(
    cells: pd.DataFrame,
    headings: Texts,
    text_columns: Collection[str],
    narrow: Mapping[str, float] | None = None,
) -> str:
    """Write cells of LaTeX as a tabular; one in a float has no room beside it."""
    formats = {name: f"p{{{width:.1f}em}}" for name, width in (narrow or {}).items()}
    letters = [formats.get(n, "l" if n in text_columns else "r") for n in map(str, cells)]
    between = "" if narrow is None else "@{}"
    return _styled(cells, headings, column_format=f"{between}{''.join(letters)}{between}")


def _styled(cells: pd.DataFrame, headings: Texts, **options: Any) -> str:
    """Let pandas write cells of LaTeX under their headings."""
    named = cells.set_axis([headings.get(name, latex(name)) for name in map(str, cells)], axis=1)
    text = named.style.hide(axis="index").to_latex(hrules=True, **options)
    return str(text).rstrip("\n")


def _note(headings: Texts, legend: Texts, notes: Sequence[str]) -> list[str]:
    """Write what is explained below a table in one paragraph."""
    terms = [
        f"{', '.join(headings.get(n) or latex(n) for n in names.split(', '))}: {latex(meaning)}"
        for names, meaning in legend.items()
    ]
    sentences = [f"{'; '.join(terms)}.", *(break_words(note, 24) for note in notes)]
    if not (terms or notes):
        return []
    return [rf"\par\smallskip{{\raggedright {' '.join(sentences[not terms :])}\par}}"]


def _caption_and_label(caption: str | None, label: str | None) -> list[str]:
    lines = [] if caption is None else [rf"\caption{{{break_words(caption, limit=24)}}}"]
    if label is None:
        return lines
    if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9:._-]+", label):
        raise invalid("label", "letters, digits, ':', '.', '_' and '-'", label)
    return [*lines, rf"\label{{{label}}}"]


def break_words(text: str, limit: int = 12) -> str:
    r"""Escape a text for LaTeX whose words beyond a limit may be broken.

    Examples
    --------
    >>> print(break_words("of hardware_and_so"))
    of hard\allowbreak{}ware\allowbreak{}\_and\allowbreak{}\_so
    """
    return " ".join(
        r"\allowbreak{}".join(
            map(latex, re.findall(".{1,4}-*", word) if len(word) > limit else [word])
        )
        for word in text.split()
    )


def to_longtable(
    groups: Sequence[tuple[str, pd.DataFrame]],
    caption: str,
    label: str | None = None,
    *,
    headings: Texts,
    legend: Texts | None = None,
    notes: Sequence[str] = (),
) -> str:
    r"""Write tables of text cells as one, as wide as the line, over as many pages as it takes.

    Parameters
    ----------
    groups : sequence of tuple
        What stands above some rows, if anything, and the rows; all have the same columns.
    caption, label, headings, legend, notes
        As in :func:`to_latex`.
    """
    frame = titled_rows(groups).astype(str)
    columns = list(frame.columns)
    widths = [_widths(frame, headings)[name] for name in columns[1:]]
    size, (em, gap) = (8, FONTS[8]) if sum(widths) < 30 else (7, FONTS[7])
    needed = 1.03 * sum(em * width + gap for width in widths)
    cells = frame.map(latex)
    cells[columns[0]] = [_breaking(name) for name in frame[columns[0]]]
    text = _styled(
        cells,
        headings,
        environment="longtable",
        column_format=rf"@{{}}p{{\dimexpr\linewidth-{needed:.0f}pt}}{'r' * len(widths)}@{{}}",
        caption=break_words(caption, limit=24),
        label=label,
    )
    return "\n".join(
        [
            rf"\begingroup\fontsize{{{size}}}{{{1.2 * size:.1f}}}\selectfont",
            rf"\setlength{{\tabcolsep}}{{{gap / 2:g}pt}}",
            r"\setlength{\LTcapwidth}{\linewidth}",
            text,
            *_note(headings, legend or {}, notes),
            r"\endgroup",
        ]
    )


def titled_rows(groups: Sequence[tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """Put groups under each other, each under its title, if any, in a row of its own."""
    columns = list(map(str, groups[0][1].columns))
    rows: list[list[str]] = []
    for title, frame in groups:
        rows += [[title, *[""] * (len(columns) - 1)]] if title else []
        rows += frame.to_numpy().tolist()
    return pd.DataFrame(rows, columns=columns)
