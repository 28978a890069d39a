"""Look at what is about to be released: versions, changelog, archives, README, licences.

``make release-check`` builds the archives, runs this and then tries the wheel. Every finding is a
line; any of them makes the check fail.
"""

import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

import stanoff

TOP = Path(__file__).parents[1]
sys.path.insert(0, str(TOP / "src"))
from bundle_models import LICENCES  # noqa: E402

MOST_BYTES = 15_000_000
NEEDED = (
    "stanoff/py.typed",
    "stanoff/report/page.html",
    "stanoff/stan/functions/measures.stanfunctions",
)


def versions(top: Path, version: str) -> Iterator[str]:
    """Find where another version is named than the package has."""
    changes = (top / "CHANGELOG.md").read_text("utf8")
    newest = re.search(r"^## (.*)$", changes, re.MULTILINE)
    if not newest or not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", newest[1]):
        told = newest[1] if newest else "nothing"
        yield f"CHANGELOG.md begins with {told!r}, not with '{version} (year-month-day)'"
    cited = re.search(r"^version: (.*)$", (top / "CITATION.cff").read_text("utf8"), re.MULTILINE)
    if not cited or cited[1] != version:
        yield f"CITATION.cff names the version {cited and cited[1]}, not {version}"


def wheel(file: Path, version: str, programs: set[str]) -> Iterator[str]:
    """Find what is missing from a wheel, or should not be in it."""
    if file.stat().st_size > MOST_BYTES:
        yield f"{file.name} has {file.stat().st_size / 1e6:.1f} MB, more than 15"
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        facts = archive.read(f"stanoff-{version}.dist-info/METADATA").decode()
    wanted = {*NEEDED, *(f"stanoff/stan/{name}.stan" for name in programs)}
    wanted.add(f"stanoff-{version}.dist-info/licenses/LICENSE")
    if not file.name.endswith("-any.whl"):
        wanted |= {f"stanoff/compiled/{name}" for name in (*programs, "compiled.json")}
        wanted |= {f"stanoff/compiled/licences/{name.replace(' ', '_')}.txt" for name in LICENCES}
        if not any(re.search(r"compiled/libtbb\.", name) for name in names):
            yield f"{file.name} lacks TBB's library"
    for name in sorted(wanted - names):
        yield f"{file.name} lacks {name}"
    for name in sorted(names):
        if not name.startswith(("stanoff/", f"stanoff-{version}.dist-info/")):
            yield f"{file.name} holds {name}, outside the package"
    yield from metadata(file.name, facts, version)


def metadata(name: str, facts: str, version: str) -> Iterator[str]:
    """Find what is wrong with what the package index will show."""
    told = HeaderParser().parsestr(facts)
    expected = {
        "Version": version,
        "License-Expression": "BSD-3-Clause",
        "Description-Content-Type": "text/markdown",
    }
    for key, value in expected.items():
        if told[key] != value:
            yield f"{name} says {key}: {told[key]}, not {value}"
    yield from readme(told.get_payload())


def readme(text: str) -> Iterator[str]:
    """Find what does not come out when the README is rendered, as the package index does it."""
    from readme_renderer.markdown import render

    page = render(text)
    if page is None:
        yield "README.md cannot be rendered"
        return
    for tag, least in (("h1", 1), ("h2", 5), ("table", 2), ("pre", 3), ("img", 1)):
        times = page.count(f"<{tag}")
        if times < least:
            yield f"README.md is rendered with {times} <{tag}>, not with {least} or more"


def sdist(file: Path, version: str) -> Iterator[str]:
    """Find what is missing from the sdist."""
    with tarfile.open(file) as archive:
        names = set(archive.getnames())
    for name in (
        "src/hatch_build.py",
        "stan/paired.stan",
        "tests/conftest.py",
        "LICENSE",
        "Makefile",
    ):
        if f"stanoff-{version}/{name}" not in names:
            yield f"{file.name} lacks {name}"


def findings(dist: Path) -> Iterator[str]:
    """Look at everything."""
    version = stanoff.__version__
    programs = {file.stem for file in (TOP / "stan").glob("*.stan")}
    yield from versions(TOP, version)
    pure = list(dist.glob(f"stanoff-{version}-py3-none-any.whl"))
    platform = [file for file in dist.glob(f"stanoff-{version}-*.whl") if file not in pure]
    sources = list(dist.glob(f"stanoff-{version}.tar.gz"))
    for what, found in (("pure wheel", pure), ("platform wheel", platform), ("sdist", sources)):
        if len(found) != 1:
            yield f"{dist} has {len(found)} files that are a {what} of {version}, not 1"
    for file in (*pure, *platform):
        yield from wheel(file, version, programs)
    for file in sources:
        yield from sdist(file, version)


def main(dist: str) -> int:
    """Print what was found."""
    found = list(dict.fromkeys(findings(Path(dist))))
    for line in found:
        print(f"Not ready: {line}.", file=sys.stderr)
    if not found:
        print(f"stanoff {stanoff.__version__} is ready to be released.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
