"""A page that reads like the supplement of a paper: headings, text, tables, figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from numbers import Real
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from stanoff.errors import invalid
from stanoff.report.figures import inline
from stanoff.report.templates import make_anchor, policy, render

if TYPE_CHECKING:
    import pandas as pd

HIGHLIGHTS = ("mark", "strong", "faint")
SHORT = 20  # characters that stand on one line
_NUMBER = re.compile(
    r"[‡⋆*±<>≈~]?\s*[-+−]?(\d[\d,]*)?\.?\d+([eE][-+]?\d+)?\s?[%‡⋆*†?]?|\[[-+−\d.,\se]+\]|[-–—]|"
)


@dataclass(frozen=True)
class Paragraph:
    """Plain text; links and emphasis come in as :class:`markupsafe.Markup`.

    Attributes
    ----------
    text : str
        What it says.
    note : bool
        Show it as a caution.
    """

    text: str
    note: bool = False


@dataclass(frozen=True)
class Items:
    """A list of texts, numbered or not."""

    texts: Sequence[str]
    numbered: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """A data frame under a caption; columns of numbers are aligned to the right.

    Attributes
    ----------
    frame : DataFrame
        What is shown; cells that are not text are written with ``str``. For links in cells the
        frame must be of ``dtype=object``: pandas makes plain text of them else.
    caption : str
        What it tells.
    highlight : mapping
        By (row position, column name): ``"mark"``, ``"strong"`` or ``"faint"``.
    row_headings : bool
        Whether the first column names the rows.
    anchor : str
        The id to link to.
    folded : bool
        Show the caption alone until it is opened; paper has all of it.
    """

    frame: pd.DataFrame
    caption: str = ""
    highlight: Mapping[tuple[int, Any], str] = field(default_factory=dict)
    row_headings: bool = True
    anchor: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Figure:
    """A picture under a caption.

    Attributes
    ----------
    svg : bytes
        What ``stanoff.report.figures.as_bytes`` returned.
    caption : str
        What it shows.
    alt : str
        The same in words for those who do not see it; the caption by default.
    anchor : str
        The id to link to.
    """

    svg: bytes
    caption: str
    alt: str = ""
    anchor: str = ""


Block = Paragraph | Items | Table | Figure | str


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it.

    Attributes
    ----------
    title : str
        The heading.
    blocks : sequence of dict
        Paragraphs (or plain texts), lists, tables and figures.
    anchor : str
        Its id; made from the title by default.
    level : int
        2, or 3 for a part of the section before it.
    """

    title: str
    blocks: Sequence[Block] = ()
    anchor: str = ""
    level: int = 2

    def __post_init__(self) -> None:
        if self.level not in (2, 3):
            raise invalid("level", "2 or 3", self.level)


def document(title: str, sections: Sequence[Section], *, subtitle: str = "") -> str:
    """Render a self-contained page with a table of contents; it needs no network.

    Whatever is not :class:`markupsafe.Markup` is escaped.

    Parameters
    ----------
    title, subtitle : str
        What stands on top.
    sections : sequence of Section
        What follows.

    Examples
    --------
    >>> page = document("Supplement", [Section("Data", [Paragraph("Of 1 & 2.")])])
    >>> "Of 1 &amp; 2." in page, 'href="#data"' in page
    (True, True)
    """
    anchors = _anchors([section.anchor or section.title for section in sections])
    number = count(1)
    shown = [
        {
            **vars(section),
            "anchor": anchor,
            "blocks": [_block(block, f"f{next(number)}") for block in section.blocks],
        }
        for section, anchor in zip(sections, anchors, strict=True)
    ]
    return render("document.html", title=title, subtitle=subtitle, sections=shown, policy=policy())


def link(text: str, url: str) -> Markup:
    """Make a link; what it says and where it goes are escaped.

    Examples
    --------
    >>> link("A & B", "table.csv")
    Markup('<a href="table.csv">A &amp; B</a>')
    """
    if urlsplit(url).scheme not in ("", "http", "https", "mailto"):
        raise invalid("url", "a relative one, or one of http, https or mailto", url)
    return Markup('<a href="{}">{}</a>').format(url, text)


def joined(parts: Iterable[str]) -> Markup:
    """Join plain texts, links and emphasis to one text that keeps the links.

    Examples
    --------
    >>> joined(["See <", link("here", "#a"), ">."])
    Markup('See &lt;<a href="#a">here</a>&gt;.')
    """
    return Markup("").join(escape(part) for part in parts)


def _block(block: Block, prefix: str) -> dict[str, Any]:
    """Return what the template takes: the kind of a block, its fields, and what is made of them."""
    if isinstance(block, str):
        block = Paragraph(block)
    values: dict[str, Any] = {}
    if isinstance(block, Figure):
        alt = block.alt or Markup(escape(block.caption)).striptags()
        values["svg"] = inline(block.svg, prefix, alt)
    elif isinstance(block, Table):
        values = _cells(block)
    elif not isinstance(block, Paragraph | Items):
        raise invalid("blocks", "made of Paragraph, Items, Table, Figure or text", block)
    return {"kind": type(block).__name__.lower(), **vars(block), **values}


def _cells(table: Table) -> dict[str, Any]:
    """Return headings and rows, each cell as its text and its class."""
    names, n_rows = list(table.frame), len(table.frame)
    for (row, name), look in table.highlight.items():
        if look not in HIGHLIGHTS:
            raise invalid("highlight", f"one of {', '.join(HIGHLIGHTS)}", look)
        if name not in names or not 0 <= row < n_rows:
            raise invalid("highlight", "of cells that the table has", (row, name))
    columns = {name: [_text(value) for value in table.frame[name]] for name in names}
    kinds = {name: _kind(column) for name, column in columns.items()}
    rows = [
        [
            (columns[name][i], f"{kinds[name]} {table.highlight.get((i, name), '')}".strip())
            for name in names
        ]
        for i in range(n_rows)
    ]
    return {"headings": [(_text(name), kinds[name]) for name in names], "rows": rows}


def _kind(column: Sequence[str]) -> str:
    """Return how a column is set: numbers to the right, and short texts on one line."""
    if all(_NUMBER.fullmatch(text.strip()) for text in column):
        return "number"
    return "short" if max(map(len, column)) <= SHORT else ""


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    missing = value is None or (isinstance(value, Real) and value != value)
    return "" if missing else str(value)


def _anchors(titles: Sequence[str]) -> list[str]:
    """Make an id of every title: readable, and no two alike."""
    anchors: list[str] = []
    for title in titles:
        base = make_anchor(Markup(escape(title)).striptags())
        names = (f"{base}-{n}" if n > 1 else base for n in count(1))
        anchors.append(next(name for name in names if name not in anchors))
    return anchors
