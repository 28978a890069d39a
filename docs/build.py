"""Build the manual: put its pages together, let Sphinx show them, check every link.

``python docs/build.py OUT``, or ``make docs``. The pages of ``docs/`` are written to be read where
they are; here they get a table of contents, the pages from elsewhere that they link to, the
reference of functions and commands, a gallery, and the reports.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

DOCS = Path(__file__).resolve().parent
TOP = DOCS.parent
MADE_HERE = {  # pages that Sphinx makes of scripts
    DOCS / "tutorial/plot_tutorial.py": "tutorial/plot_tutorial.rst",
    DOCS / "gallery": "gallery/index.rst",
}
FROM_ELSEWHERE = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "stan/README.md": "stan.md",
}
STAN = ("workbench", "examples", "stan")  # pages for those who write Stan
ABOUT = ("guide/validation", "guide/other_tools")
WIDTH = 76  # of what commands say
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)")
ALONE = re.compile(r"^\[[^\]]*\]\(([^)]+/tables/[^)]+\.md)\)$", re.MULTILINE)


def staged_places() -> dict[Path, str]:
    """Say where in the manual each page will be."""
    pages = [*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")]
    places = {page: page.relative_to(DOCS).as_posix() for page in pages}
    return places | {TOP / source: place for source, place in FROM_ELSEWHERE.items()}


def staged(source: Path, places: dict[Path, str], folder: Path) -> str:
    """Return a page with links that hold in the manual; files that it shows are copied.

    Parameters
    ----------
    source : Path
        The page.
    places : dict
        What :func:`staged_places` says.
    folder : Path
        Where the pages are put together.
    """
    up = "../" * places[source].count("/")

    def relinked(found: re.Match[str]) -> str:
        picture, text, target, anchor = found[1], found[2], found[3], found[4] or ""
        if not target:
            return found[0]
        file = (source.parent / target).resolve()
        if page := (places | MADE_HERE).get(file):
            return f"[{text}]({up}{page}{anchor})"
        place = file.relative_to(TOP)
        if picture:
            copied = folder / "figures" / "-".join(place.parts[1:])
            copied.parent.mkdir(exist_ok=True)
            shutil.copy(file, copied)
            return f"![{text}]({up}figures/{copied.name})"
        if place.parts[0] != "reports":  # the reports are there as a whole
            copied = folder / "extra" / place
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copied)
        return f'<a href="{up}{place.as_posix()}{anchor}">{text}</a>'

    def filled(found: re.Match[str]) -> str:
        return (source.parent / found[1]).read_text("utf8")

    parts = FENCED.split(source.read_text("utf8"))
    return "".join(
        part if part.startswith("```") else LINK.sub(relinked, ALONE.sub(filled, part))
        for part in parts
    )


def contents(title: str, pages: Iterable[str], text: str = "") -> str:
    """Return a page that lists other pages."""
    listed = "\n".join(pages)
    return f"# {title}\n\n{text}\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"


def write_api(folder: Path) -> None:
    """Write a page for every public name, and a list of them."""
    import stanoff

    folder.mkdir()
    rows: dict[str, list[str]] = {"Functions": [], "Classes": [], "Modules": []}
    listed: dict[str, list[str]] = {kind: [] for kind in rows}
    for name in stanoff.__all__:
        thing = getattr(stanoff, name)
        first = (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
        if inspect.ismodule(thing):
            kind, shown = "Modules", f".. automodule:: {thing.__name__}\n   :members:\n"
        elif inspect.isclass(thing):
            members = "   :members:\n   :inherited-members: Exception,object,str,tuple\n"
            kind, shown = "Classes", f".. autoclass:: stanoff.{name}\n{members}"
        else:
            kind, shown = "Functions", f".. autofunction:: stanoff.{name}\n"
        text = f"{name}\n{'=' * len(name)}\n\n{shown}"
        (folder / f"{name}.rst").write_text(text, "utf8")
        listed[kind].append(name)
        rows[kind].append(f"   * - :doc:`{name}`\n     - {first}\n")
    tables = [
        f"{kind}\n{'-' * len(kind)}\n\n.. list-table::\n   :widths: 30 70\n\n{''.join(lines)}"
        for kind, lines in rows.items()
    ]
    head = "Python\n======\n\nEvery public name of ``import stanoff``.\n"
    order = "".join(f"   {name}\n" for names in listed.values() for name in names)
    hidden = f".. toctree::\n   :hidden:\n\n{order}"
    (folder / "index.rst").write_text("\n".join([head, *tables, hidden]), "utf8")


def write_commands(file: Path) -> None:
    """Write down what every command says of itself."""
    import click

    from stanoff.cli import main

    parts = ["# Command line\n", "What `--help` says of every command. [cli](cli.md) explains.\n"]

    def describe(command: click.Command, name: str, parent: click.Context | None) -> None:
        context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH)
        context.terminal_width = WIDTH
        parts.append(f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n")
        if isinstance(command, click.Group):
            for child in command.list_commands(context):
                found = command.get_command(context, child)
                if found is not None:
                    describe(found, child, context)

    describe(main, "stanoff", None)
    file.write_text("\n".join(parts), "utf8")


def linked(text: str) -> list[str]:
    """Return the pages that a text links to, in its order."""
    return list(dict.fromkeys(re.findall(r"\(((?:guide/)?\w+)\.md\)", text)))


def reports() -> str:
    """Link every report by its title, in the order of their start page."""
    start = (TOP / "reports/index.html").read_text("utf8")
    lines = []
    for place in dict.fromkeys(re.findall(r'href="(\w+/index\.html)"', start)):
        title = re.search(r"<title>(.*?)</title>", (TOP / "reports" / place).read_text("utf8"))
        lines.append(f'- <a href="reports/{place}">{title and title[1]}</a>')
    told = "Papers rebuilt from data to page, and simulations in which the truth is known:"
    more = '<a href="reports/index.html">Their start page</a> shows a figure of each.'
    return "\n".join(["# Reports\n", told, "", *lines, "", more, ""])


def write_chapters(folder: Path) -> None:
    """Write the lists of pages; the first page says which there are, and in which order."""
    index = (folder / "index.md").read_text("utf8")
    questions, pipeline = index.split("## The pipeline")
    how_to = [page for page in linked(questions) if page not in (*STAN, *ABOUT, "readme")]
    steps = [page for page in linked(pipeline) if f"{page}.md" not in FROM_ELSEWHERE.values()]
    pages = {
        "how_to": contents("How to", how_to, "A page for every question."),
        "stan_programs": contents(
            "Stan programs",
            [*STAN[:2], "The programs, and their contract <stan>"],
            "How to write one, some to learn from, and the contract that all of them keep.",
        ),
        "steps": contents("Step by step", steps, "From labels to a verdict."),
        "reference": contents("Reference", ["api/index", "commands"]),
        "reports": reports(),
        "about": contents("About", [*ABOUT, "changelog", "README <readme>", "contributing"]),
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, "utf8")
    chapters = [*pages]
    chapters = ["tutorial/plot_tutorial", *chapters[:3], "gallery/index", *chapters[3:]]
    hidden = "\n".join(chapters)
    (folder / "index.md").write_text(
        f"{index}\n```{{toctree}}\n:hidden:\n\n{hidden}\n```\n", "utf8"
    )


def put_together(folder: Path) -> None:
    """Gather the sources of the manual in a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "guide").mkdir(parents=True)
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copy(DOCS / "conf.py", folder)
    shutil.copytree(DOCS / "static", folder / "static")
    for name in ("tutorial", "gallery"):
        shutil.copytree(DOCS / name, folder / f"scripts_{name}", ignore=no_caches)
    places = staged_places()
    for source, place in places.items():
        (folder / place).write_text(staged(source, places, folder), "utf8")
    shutil.copytree(TOP / "reports", folder / "extra/reports", ignore=no_caches)
    write_api(folder / "api")
    write_commands(folder / "commands.md")
    write_chapters(folder)


class _Page(HTMLParser):
    """The links and the anchors of a page, and what it loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to."""
        given = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := given.get(key)))
        href, source = given.get("href"), given.get("src")
        self.links.extend(value for value in (href, source) if value)
        if tag == "link" and given.get("rel") == "stylesheet" and href:
            self.loads.append(href)
        elif tag != "a" and source:
            self.loads.append(source)


def broken_links(site: Path) -> list[str]:
    """Find links of the built pages that lead nowhere, and whatever a page loads from elsewhere."""
    pages = {}
    for file in (file for file in site.rglob("*.html") if "_static" not in file.parts):
        pages[file] = page = _Page()
        page.feed(file.read_text("utf8"))
    found = []
    for file, page in pages.items():
        where = file.relative_to(site)
        found += [f"{where} loads {url}" for url in page.loads if re.match(r"(https?:)?//", url)]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if target.is_dir():
                target /= "index.html"
            known = pages[target].anchors if target in pages else {unquote(parts.fragment)}
            if not target.exists():
                found.append(f"{where} links to {link}, which is not there")
            elif parts.fragment and unquote(parts.fragment) not in known:
                found.append(f"{where} links to {link}, which has no such place")
    return sorted(set(found))


def main(out: str) -> int:
    """Build the manual, and say what is wrong with it."""
    site = Path(out).resolve()
    sources = site.with_name(f"{site.name}-sources")
    put_together(sources)
    shutil.rmtree(site, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    environment = os.environ | {"MPLBACKEND": "Agg"}
    ran = subprocess.run([*command, str(sources), str(site)], env=environment, check=False)
    if ran.returncode:
        return ran.returncode
    wrong = broken_links(site)
    for line in wrong:
        print(f"Error: {line}.", file=sys.stderr)
    if not wrong:
        print(f"The manual is at {site / 'index.html'}.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
