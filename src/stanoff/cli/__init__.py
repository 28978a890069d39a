"""The command line: thin commands over the functions of the package."""

from stanoff.cli import comparing, planning, reporting, showing, testing, tools
from stanoff.cli.base import main

__all__ = ["comparing", "main", "planning", "reporting", "showing", "testing", "tools"]
