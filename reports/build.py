"""Rebuild the reports, each in its folder, and the start page that links them.

``python reports/build.py`` builds all of them, two at a time; ``python reports/build.py zhang2016``
only one.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

from common import PAGE, REPORTS, About, write_page

from stanoff.report.document import Figure, Section, joined, link

NAMES = (
    *("zhang2016", "yang1999", "sokolova2006", "search", "repeated", "crossvalidation"),
    *("validation", "benchmark"),
)
AT_ONCE = 2  # each of them uses a core or two
DATED = "1767225600"  # 2026-01-01: a checkout gives files the time of the checkout


def main() -> int:
    """Build what is named, or everything."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", DATED)
    if names := sys.argv[1:]:
        for name in names:
            import_module(f"{name}.build").build()
        return 0
    start = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        if not all(list(pool.map(run_build, NAMES))):
            return 1
    write_start_page()
    print(f"Built everything in {time.monotonic() - start:.0f} s.")
    return 0


def run_build(name: str) -> bool:
    """Build one report in a process of its own, and pass on what it says, its name before it."""
    command = [sys.executable, "-W", "error::RuntimeWarning", __file__, name]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, **output) as running:
        for line in running.stdout:
            print(f"{name}: {line}", end="", flush=True)
    if running.returncode:
        print(f"{name}: failed with code {running.returncode}", file=sys.stderr)
    return running.returncode == 0


def write_start_page() -> None:
    """Write the page that links all reports; the figures are those that they left."""
    write_page(
        REPORTS,
        "stanoff: reports",
        [_section(name, import_module(f"{name}.build").ABOUT) for name in NAMES],
        "Is system A really better than system B? Three papers, rebuilt and carried on; "
        "search systems, repeated runs and cross-validated classifiers; and how far stanoff itself "
        "can be trusted.",
    )


def _section(name: str, about: About) -> Section:
    svg = (REPORTS / name / "figures" / f"{about.figure}.svg").read_bytes()
    read = joined([link("Read the report", f"{name}/{PAGE}"), "."])
    return Section(about.heading, [about.text, read, Figure(svg, about.caption)], anchor=name)


if __name__ == "__main__":
    sys.exit(main())
