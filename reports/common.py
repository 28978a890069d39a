"""What all reports share: how they are described, and how their files are written.

Every report is a folder with a ``build.py`` that has two names: ``ABOUT``, what the page and the
start page say of it, and ``build``, which writes ``tables/``, ``figures/`` and ``index.html`` to
that folder. ``python reports/build.py`` calls them all.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes

from stanoff._lib.files import write_bytes, write_text
from stanoff._lib.progress import show_progress
from stanoff.report.document import Figure, Items, Section, Table, document, joined, link
from stanoff.report.figures import as_bytes
from stanoff.text.render import to_latex, to_markdown

REPORTS = Path(__file__).resolve().parent
PAGE = "index.html"
LONG = re.compile(rb"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class About:
    """What a report says of itself.

    Attributes
    ----------
    title, subtitle : str
        What stands on top of its page.
    heading, text : str
        What the start page calls it, and says of it.
    figure, caption : str
        The figure that the start page shows, by its name, and what it shows.
    """

    title: str
    subtitle: str
    heading: str
    text: str
    figure: str
    caption: str


@dataclass(frozen=True)
class Output:
    """A folder that a report is written to; it knows which files it has been given.

    Attributes
    ----------
    folder : Path
        Where the files go.
    files : dict
        Names of tables and figures, each with its paths below the folder.
    """

    folder: Path
    files: dict[str, list[str]] = field(default_factory=dict)

    def table(
        self,
        name: str,
        shown: pd.DataFrame,
        caption: str,
        *,
        numbers: pd.DataFrame | None = None,
        **look: Any,
    ) -> Table:
        """Write a table as Markdown, LaTeX and CSV, and return it for the page.

        Parameters
        ----------
        name : str
            What its files are called.
        shown : DataFrame
            Cells of text, as people read them.
        caption : str
            What it shows.
        numbers : DataFrame, optional
            What the CSV file has instead.
        **look
            ``highlight``, ``row_headings`` and ``anchor`` of the table on the page.
        """
        self.numbers(name, shown if numbers is None else numbers)
        self._write(name, f"tables/{name}.md", f"{to_markdown(shown)}\n")
        self._write(name, f"tables/{name}.tex", f"{to_latex(shown, caption)}\n")
        return Table(shown, caption, **look)

    def numbers(self, name: str, frame: pd.DataFrame) -> None:
        """Write a table as CSV only."""
        self._write(name, f"tables/{name}.csv", as_csv(frame))

    def figure(self, name: str, draw: Callable[[], Axes], caption: str, **look: str) -> Figure:
        """Write a figure as PDF and SVG, and return it for the page.

        Parameters
        ----------
        name : str
            What its files are called.
        draw : callable
            Draws it.
        caption : str
            What it shows.
        **look
            ``alt`` and ``anchor`` of the figure on the page.
        """
        svg = shortened(as_bytes(draw()))
        self._write(name, f"figures/{name}.svg", svg)
        self._write(name, f"figures/{name}.pdf", as_bytes(draw(), "pdf"))
        return Figure(svg, caption, **look)

    def links(self) -> Items:
        """Link all files, a line per table or figure."""
        return Items([joined([f"{name}: ", *links(paths)]) for name, paths in self.files.items()])

    def _write(self, name: str, path: str, content: str | bytes) -> None:
        write = write_text if isinstance(content, str) else write_bytes
        write(self.folder / path, content)
        self.files.setdefault(name, []).append(path)


Maker = Callable[[Output], Section | list[Section]]


def write_report(about: About, makers: Sequence[Maker], folder: Path) -> None:
    """Make the sections one after the other, and write the page with links to all files."""
    out, sections = Output(folder), []
    with show_progress(folder.name, total=len(makers)) as advance:
        for done, make in enumerate(makers, start=1):
            made = make(out)
            sections += made if isinstance(made, list) else [made]
            advance(done)
    if out.files:
        sections.append(Section("Files", [out.links()]))
    write_page(folder, about.title, sections, about.subtitle)


def write_page(folder: Path, title: str, sections: Sequence[Section], subtitle: str) -> None:
    """Write the page of a folder."""
    page = write_text(folder / PAGE, document(title, sections, subtitle=subtitle))
    print(f"Wrote {page}")


def as_csv(frame: pd.DataFrame) -> str:
    """Write numbers with as many digits as any two machines share; an index with a name is kept."""
    named = [name for name in frame.index.names if name is not None]
    rows = frame.reset_index() if named else frame
    return rows.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def shortened(svg: bytes) -> bytes:
    """Write the numbers of a figure with no more digits than can be seen, or differ by machine.

    Examples
    --------
    >>> shortened(b'<path transform="scale(0.015625)" d="M 71.999994 -0.5"/>')
    b'<path transform="scale(0.01562)" d="M 72 -0.5"/>'
    """

    def short(number: re.Match[bytes]) -> bytes:
        value = float(number[0])
        text = f"{value:.2f}" if abs(value) >= 1 else f"{value:.4g}"
        return text.rstrip("0").rstrip(".").encode() if "e" not in text else b"0"

    return LONG.sub(short, svg)


def links(paths: Iterable[str]) -> list[Markup | str]:
    """Link files by what kind they are, with commas between them."""
    parts: list[Markup | str] = []
    for path in paths:
        parts += [", ", link(Path(path).suffix[1:], path)]
    return parts[1:]


def prose(words: str, **numbers: object) -> str:
    """Put numbers into a text, and join its lines.

    Examples
    --------
    >>> prose('''Of {n:,}
    ...     documents.''', n=1234)
    'Of 1,234 documents.'
    """
    return " ".join(words.format(**numbers).split())


def signed(values: Iterable[float], digits: int = 3) -> list[str]:
    """Write differences, each with its sign."""
    return [f"{value:+.{digits}f}" for value in values]
