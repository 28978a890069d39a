"""Get what the tests need besides Python and CmdStan: a Chromium and a LaTeX, or what is named.

Run by ``make test``, and with ``Java`` by ``make test-engines``; says nothing and is quick when all
is there.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = {
    "Chromium": ["chromium"],
    "LaTeX": ["texlive-latex-base", "texlive-latex-recommended"],
    "Java": ["openjdk-17-jre-headless"],
}
ALWAYS = ("Chromium", "LaTeX")


def find_chromium() -> str | None:
    """Return the path of a browser that Playwright can drive."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright"
    own = sorted(Path(folder).glob("chromium-*/chrome-linux*/chrome"))
    return str(own[-1]) if own else None


def find_latex() -> str | None:
    """Return the path of a pdflatex that has booktabs."""
    latex, finder = shutil.which("pdflatex"), shutil.which("kpsewhich")
    if not latex or not finder:
        return None
    found = subprocess.run([finder, "booktabs.sty"], capture_output=True, text=True, check=False)
    return latex if found.stdout.strip() else None


def find_java() -> str | None:
    """Return the path of a Java that Spark can run on: 17 or newer."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin/java")) if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return None
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)', told.stderr)
    return java if version and int(version[1]) >= 17 else None


FINDERS = {"Chromium": find_chromium, "LaTeX": find_latex, "Java": find_java}


def missing(names: Sequence[str] = ALWAYS) -> list[str]:
    """Name what is not there."""
    return [name for name in names if not FINDERS[name]()]


def install(names: list[str]) -> None:
    """Install by apt-get what is missing; a browser may also come from Playwright."""
    packages = [package for name in names for package in PACKAGES[name]]
    apt = shutil.which("apt-get")
    if apt:
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "check": False}
        options = ["-y", "--no-install-recommends"]
        try:
            subprocess.run([*root, apt, "update"], **quiet)
            subprocess.run([*root, apt, "install", *options, *packages], **quiet)
        except OSError as error:
            print(f"apt-get could not be run: {error}", file=sys.stderr)
    if "Chromium" in names and "Chromium" in missing():
        download = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(download, check=False)


def main(names: Sequence[str] = ALWAYS) -> int:
    """Make sure that all is there, or say what to do."""
    wanted = missing(names)
    if not wanted:
        return 0
    print(f"The tests need {' and '.join(wanted)}: installing.", file=sys.stderr, flush=True)
    install(wanted)
    lacking = missing(names)
    for name in lacking:
        told = " ".join(PACKAGES[name])
        print(
            f"Error: the tests need {name}, and it could not be installed. On Debian or Ubuntu: "
            f"apt-get install {told}",
            file=sys.stderr,
        )
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ALWAYS))
