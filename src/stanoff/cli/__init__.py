"""The command line: thin commands over the functions of the package."""

from stanoff.cli import comparing, reporting, showing, tools
from stanoff.cli.base import main

__all__ = ["comparing", "main", "reporting", "showing", "tools"]
