"""Get what the tests need besides Python and CmdStan: a Chromium and a LaTeX, or what is named.

Run by ``make test``, and with ``Java`` by ``make test-engines``; says nothing and is quick when all
is there. Most tests need neither Chromium nor LaTeX: where one of them cannot be had, it says so,
the tests that need it are not run, and the end of the run counts them. What is named must be there,
and where the variable ``CI`` is set, everything must.
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


def need(name: str) -> str:
    """Return the path of a program, or leave out the test that asks for it."""
    import pytest

    found = FINDERS[name]()
    if found:
        return found
    if os.environ.get("CI"):
        pytest.fail(f"there is no {name}: run tests/set_up.py", pytrace=False)
    pytest.skip(f"there is no {name}")


def install(names: list[str]) -> list[str]:
    """Install by apt-get what is missing, or a browser by Playwright; return what went wrong."""
    packages = [package for name in names for package in PACKAGES[name]]
    trouble = _apt_get(packages)
    if "Chromium" in names and "Chromium" in missing(["Chromium"]):
        download = [sys.executable, "-m", "playwright", "install", "chromium"]
        if subprocess.run(download, check=False).returncode:
            trouble.append("Playwright could not download a Chromium")
    return trouble


def _apt_get(packages: list[str]) -> list[str]:
    apt = shutil.which("apt-get")
    if not apt:
        return ["there is no apt-get"]
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if root and not shutil.which("sudo"):
        return ["apt-get needs root, and there is no sudo"]
    if root and subprocess.run([*root, "true"], capture_output=True, check=False).returncode:
        return ["apt-get needs root, and sudo asks for a password"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    options = ["-y", "--no-install-recommends"]
    for command in (["update"], ["install", *options, *packages]):
        ran = subprocess.run([*root, apt, *command], env=environment, check=False)
    return [f"apt-get failed with exit code {ran.returncode}"] if ran.returncode else []


def main(named: Sequence[str] = ()) -> int:
    """Make sure that all is there, or say what is not and what to do."""
    names = named or ALWAYS
    wanted = missing(names)
    if not wanted:
        return 0
    print(f"The tests need {' and '.join(wanted)}: installing.", file=sys.stderr, flush=True)
    trouble = install(wanted)
    lacking = missing(names)
    must = bool(named or os.environ.get("CI"))
    for name in lacking:
        why = "; ".join(trouble) or "it is still not found"
        then = "" if must else " The tests that need it are not run, and are counted at the end."
        print(
            f"{'Error' if must else 'Note'}: {name} could not be installed ({why}). "
            f"On Debian or Ubuntu: apt-get install {' '.join(PACKAGES[name])}.{then}",
            file=sys.stderr,
        )
    return 1 if lacking and must else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
