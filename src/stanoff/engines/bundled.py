"""Compiled programs that came with the platform wheel, used where they start.

The wheel has a folder ``compiled`` with an executable of every program, TBB's library beside them,
and a manifest of what they were made from. ``src/bundle_models.py`` makes it.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stanoff.engines.programs import program_hash

FOLDER = Path(__file__).resolve().parents[1] / "compiled"
MANIFEST = "compiled.json"


class Bundled(NamedTuple):
    """An executable that came with stanoff.

    Attributes
    ----------
    executable : Path
        Where it is.
    cmdstan : tuple of int
        The version of the CmdStan that it was made with.
    flaw : str or None
        A sentence that says why it cannot be used.
    """

    executable: Path
    cmdstan: tuple[int, ...]
    flaw: str | None


def find_bundled(stan_file: Path) -> Bundled | None:
    """Return the executable that came with stanoff for a program, if there is one."""
    if not (FOLDER / MANIFEST).is_file():
        return None
    manifest = json.loads((FOLDER / MANIFEST).read_text("utf8"))
    name = manifest["programs"].get(program_hash(stan_file))
    if name is None:
        return None
    reason = _failure_to_start(FOLDER / name)
    flaw = (
        f"The compiled {name} that came with stanoff cannot be used: it does not start ({reason})."
    )
    return Bundled(FOLDER / name, tuple(manifest["cmdstan"]), flaw if reason else None)


@cache
def _failure_to_start(executable: Path) -> str | None:
    """Say why an executable does not start on this machine; None if it does."""
    try:
        info = subprocess.run([executable, "info"], capture_output=True, text=True, check=False)
    except OSError as error:
        return error.strerror
    if "stan_version_major" in info.stdout:
        return None
    return [f"exit code {info.returncode}", *info.stderr.strip().splitlines()][-1]
