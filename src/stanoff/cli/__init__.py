"""The command line: thin commands over the functions of the package."""

from stanoff.cli.base import main

__all__ = ["main"]
