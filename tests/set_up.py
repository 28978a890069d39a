"""Get what the tests need besides Python and CmdStan: a Chromium and a LaTeX.

Run by ``make test``; says nothing and is quick when both are there.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = {
    "Chromium": ["chromium"],
    "LaTeX": ["texlive-latex-base", "texlive-latex-recommended"],
}


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


FINDERS = {"Chromium": find_chromium, "LaTeX": find_latex}


def missing() -> list[str]:
    """Name what is not there."""
    return [name for name, find in FINDERS.items() if not find()]


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
    if "Chromium" in missing():
        download = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(download, check=False)


def main() -> int:
    """Make sure that all is there, or say what to do."""
    wanted = missing()
    if not wanted:
        return 0
    print(f"The tests need {' and '.join(wanted)}: installing.", file=sys.stderr, flush=True)
    install(wanted)
    for name in missing():
        told = " ".join(PACKAGES[name])
        print(
            f"Error: the tests need {name}, and it could not be installed. On Debian or Ubuntu: "
            f"apt-get install {told}",
            file=sys.stderr,
        )
    return 1 if missing() else 0


if __name__ == "__main__":
    sys.exit(main())
