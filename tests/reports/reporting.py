"""Load the scripts of ``reports`` as they are when ``reports/build.py`` runs."""

import sys
from importlib import import_module
from pathlib import Path

REPORTS = Path(__file__).parents[2] / "reports"


def module(name):
    """Load a script by its name below ``reports``."""
    if str(REPORTS) not in sys.path:
        sys.path.insert(0, str(REPORTS))
    return import_module(name)


def files(folder):
    """Return the bytes of all files below a folder, by their paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
