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
from matplotlib.axes import Axes

from stanoff import Decision
from stanoff.report.document import Figure, Items, Section, Table, document, joined, link
from stanoff.report.figures import saved
from stanoff.text.numbers import format_interval, percent
from stanoff.text.render import to_latex, to_markdown

REPORTS = Path(__file__).resolve().parent
PAGE = "index.html"
LONG = re.compile(rb"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class About:
    """What a report says of itself: on top of its page, and on the start page with a figure."""

    title: str
    subtitle: str
    heading: str
    text: str
    figure: str
    caption: str


@dataclass(frozen=True)
class Output:
    """A folder that a report is written to, and the files of each table and figure in it."""

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
        """Write a table of text as Markdown, LaTeX and CSV, and return it for the page.

        The CSV file has ``numbers`` instead where they are given; ``look`` goes to the page.
        """
        self.numbers(name, shown if numbers is None else numbers)
        self._write(name, f"tables/{name}.md", f"{to_markdown(shown)}\n".encode())
        self._write(name, f"tables/{name}.tex", f"{to_latex(shown, caption)}\n".encode())
        return Table(shown, caption, **look)

    def numbers(self, name: str, frame: pd.DataFrame) -> None:
        """Write a table as CSV only."""
        self._write(name, f"tables/{name}.csv", as_csv(frame).encode())

    def figure(self, name: str, draw: Callable[[], Axes], caption: str, **look: str) -> Figure:
        """Write a figure as SVG and PDF, and return it for the page; ``look`` goes to it."""
        files = saved(draw(), ["svg", "pdf"])
        svg = shortened(files["svg"])
        self._write(name, f"figures/{name}.svg", svg)
        self._write(name, f"figures/{name}.pdf", files["pdf"])
        return Figure(svg, caption, **look)

    def links(self) -> Items:
        """Link all files, a line per table or figure."""
        lines = []
        for name, paths in self.files.items():
            links = [piece for path in paths for piece in (", ", link(Path(path).suffix[1:], path))]
            lines.append(joined([f"{name}: ", *links[1:]]))
        return Items(lines)

    def _write(self, name: str, path: str, content: bytes) -> None:
        write_file(self.folder / path, content)
        self.files.setdefault(name, []).append(path)


SectionMaker = Callable[[Output], Section | list[Section]]


def write_report(about: About, makers: Sequence[SectionMaker], folder: Path) -> None:
    """Make the sections one after the other, and write the page with links to all files."""
    out, sections = Output(folder), []
    for make in makers:
        result = make(out)
        sections += result if isinstance(result, list) else [result]
    if out.files:
        sections.append(Section("Files", [out.links()]))
    write_page(folder, about.title, sections, about.subtitle)


def write_page(folder: Path, title: str, sections: Sequence[Section], subtitle: str) -> None:
    """Write the page of a folder."""
    write_file(folder / PAGE, document(title, sections, subtitle=subtitle).encode())
    print(f"Wrote {folder / PAGE}")


def write_file(path: Path, content: bytes) -> None:
    """Write a file, and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def as_csv(frame: pd.DataFrame) -> str:
    """Write numbers with as many digits as any two machines share; an index with a name is kept."""
    named = any(name is not None for name in frame.index.names)
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


def verdicts(rows: pd.DataFrame, difference: str = "A − B", digits: int = 3) -> pd.DataFrame:
    """Write mean, HDI, probability of the ROPE and decision of every row as text.

    A dagger marks a decision that leans where the mean does not.

    Examples
    --------
    >>> row = {"mean": 0.1, "hdi_low": -0.2, "hdi_high": 0.3, "p_rope": 0.5, "decision": "<"}
    >>> verdicts(pd.DataFrame([row])).iloc[0].tolist()
    ['+0.100', '[-0.200, +0.300]', '50.0%', '< †']
    """
    hdis = zip(rows["hdi_low"], rows["hdi_high"], strict=True)
    symbols = rows["decision"].map(lambda decision: Decision(decision).symbol)
    against = (rows["decision"] == "<") & (rows["mean"] > 0)
    against |= (rows["decision"] == ">") & (rows["mean"] < 0)
    columns = {
        difference: signed(rows["mean"], digits),
        "95% HDI": [format_interval(hdi, digits) for hdi in hdis],
        "in the ROPE": rows["p_rope"].map(percent),
        "decision": symbols + against.map({True: " †", False: ""}),
    }
    return pd.DataFrame(columns, index=rows.index)


DAGGER = "†: the mean does not lean that way, so the two cannot be told apart yet."
