"""What ArviZ needs of the process before it is imported, said in a sentence where it is not so."""

from __future__ import annotations

import os
import sys

from stanoff.errors import StanoffError


def check_surroundings() -> None:
    """Refuse a Python without docstrings, and a working directory that is gone."""
    if sys.flags.optimize > 1:
        raise StanoffError("python -OO takes away the docstrings that ArviZ needs: use -O.")
    if "arviz_base" in sys.modules:
        return
    try:
        os.getcwd()  # noqa: PTH109 - the same without a Path
    except OSError as error:
        raise StanoffError("The working directory is gone: change to one that exists.") from error
