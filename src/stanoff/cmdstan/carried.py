"""Programs that came compiled with stanoff: found, checked, and used where they fit.

The platform wheel has a folder ``compiled`` with an executable of every program, TBB's library
beside them, and a list of what they were made from. ``bundle.py`` makes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stanoff import __version__
from stanoff._lib.processes import run
from stanoff.cmdstan.sources import program_hash

FOLDER = Path(__file__).resolve().parents[1] / "compiled"
LIST = "compiled.json"


@dataclass(frozen=True)
class Carried:
    """An executable that came with stanoff.

    Attributes
    ----------
    executable : Path
        Where it is.
    cmdstan : tuple of int
        The version of the CmdStan that it was made with.
    flaw : str or None
        Why it cannot be used.
    """

    executable: Path
    cmdstan: tuple[int, int]
    flaw: str | None = None

    @property
    def told(self) -> str:
        """Its flaw, in a sentence."""
        name = self.executable.name
        return f"The compiled {name} that came with stanoff cannot be used: {self.flaw}."


def machine() -> str:
    """Name the kind of machine that an executable is made for.

    Examples
    --------
    >>> machine().count("-")
    1
    """
    return f"{platform.system()}-{platform.machine()}"


def find_carried(stan_file: Path, include: Path) -> Carried | None:
    """Return the executable that came with stanoff for a program, if there is one.

    A CmdStan that the user names in ``CMDSTAN`` is used instead of it.

    Parameters
    ----------
    stan_file : Path
        The program.
    include : Path
        The folder that ``#include`` starts from.
    """
    if os.environ.get("CMDSTAN"):
        return None
    listed = _listed(FOLDER)
    name = listed.get("of", {}).get(program_hash(stan_file, include)) if listed else None
    if name is None:
        return None
    executable, cmdstan = FOLDER / name, tuple(listed["cmdstan"])
    return Carried(executable, cmdstan, _flaw(executable, listed))


def sha256(file: Path) -> str:
    """Return the checksum of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@cache
def _listed(folder: Path) -> dict[str, Any]:
    try:
        listed: dict[str, Any] = json.loads((folder / LIST).read_text("utf8"))
    except (OSError, ValueError):
        return {}
    return listed


def _flaw(executable: Path, listed: dict[str, Any]) -> str | None:
    if listed["stanoff"] != __version__:
        return f"it was made for stanoff {listed['stanoff']}, and this is {__version__}"
    if listed["machine"] != machine():
        return f"it was made for {listed['machine']}, and this is {machine()}"
    for name in (executable.name, *listed["libraries"]):
        file = FOLDER / name
        try:
            if sha256(file) != listed["sha256"][name]:
                return f"{name} is damaged"
        except OSError as error:
            return f"{name} cannot be read ({error.strerror})"
    if not os.access(executable, os.X_OK):
        return "it may not be executed"
    return _does_not_start(executable)


@cache
def _does_not_start(executable: Path) -> str | None:
    """Say why an executable does not start on this machine; None if it does."""
    try:
        (child,) = run([[executable, "info"]])
    except OSError as error:
        return f"it does not start ({error.strerror})"
    if not child.code and "stan_version_major" in child.output:
        return None
    if needed := re.search(r"version `([\w.]+)' not found", child.errors):
        return f"it needs {needed[1].replace('_', ' ')}, which is newer than this system's"
    lines = child.errors.strip().splitlines() or [child.signal or "it does not say why"]
    return f"it does not start ({lines[-1]})"


@cache
def say_once(sentence: str) -> None:
    """Say on stderr, once in a process, what is done instead."""
    print(sentence, file=sys.stderr, flush=True)
