"""The command line: thin commands over the functions of the package."""

from stanoff.cli import comparing, showing, tools
from stanoff.cli.base import main

__all__ = ["comparing", "main", "showing", "tools"]
