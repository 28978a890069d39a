"""The command line: thin commands over the functions of the package, one file each."""

from stanoff.cli import (
    compare,
    contest,
    doctor,
    measures,
    models,
    plan,
    power,
    report,
    setup,
    show,
    significance,
)
from stanoff.cli.base import main

__all__ = [
    "compare",
    "contest",
    "doctor",
    "main",
    "measures",
    "models",
    "plan",
    "power",
    "report",
    "setup",
    "show",
    "significance",
]
