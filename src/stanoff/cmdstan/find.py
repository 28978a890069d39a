"""CmdStan and the cache: where they are, and whether a CmdStan can be used."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from stanoff.errors import ToolchainError

OLDEST = (2, 27)  # what the programs are written for; the wheel of the package index has it


@dataclass(frozen=True)
class CmdStan:
    """A CmdStan that is ready to compile models.

    Attributes
    ----------
    path : Path
        Its folder.
    version : tuple of int
        As in its makefile, such as (2, 27).
    origin : str
        How it was found, in words.
    """

    path: Path
    version: tuple[int, int]
    origin: str


def cache_folder() -> Path:
    """Return the folder for CmdStan and compiled models: ``STANOFF_CACHE`` or the user's cache."""
    if given := os.environ.get("STANOFF_CACHE"):
        try:
            return Path(given).expanduser().absolute()
        except (RuntimeError, OSError) as error:  # no such user, or no working directory
            told = error.strerror if isinstance(error, OSError) else "there is no such user"
            raise ToolchainError(
                f"STANOFF_CACHE is {given}, which is no folder ({told}): set it to another one."
            ) from error
    from platformdirs import user_cache_path

    return user_cache_path("stanoff", appauthor=False)


def find_cmdstan(path: str | os.PathLike[str] | None = None) -> CmdStan | None:
    """Look for a usable CmdStan: the given path, ``CMDSTAN``, cmdstanpy's, stanoff's own.

    Parameters
    ----------
    path : str or path, optional
        A CmdStan folder that must be used.
    """
    for given, origin in ((path, "the path given"), (os.environ.get("CMDSTAN"), "CMDSTAN")):
        if given:
            flaw = flaw_of(Path(given))
            if flaw:
                raise ToolchainError(f"CmdStan at {given} (from {origin}) cannot be used: {flaw}.")
            return CmdStan(Path(given).absolute(), version_of(Path(given)), origin)
    for folder, origin in (
        (Path("~/.cmdstan"), "cmdstanpy"),
        (cache_folder() / "cmdstan", "stanoff's cache"),
    ):
        for tree in _newest_first(folder):
            if not flaw_of(tree):
                return CmdStan(tree, version_of(tree), origin)
    return None


def flaw_of(path: Path) -> str | None:
    """Say why a folder is not a CmdStan that is ready for use."""
    if not (path / "makefile").is_file():
        return "there is no CmdStan makefile in it"
    if not version_of(path) >= OLDEST:
        return f"its version is older than {OLDEST[0]}.{OLDEST[1]}"
    if not os.access(path / "bin" / "stanc", os.X_OK):
        return "bin/stanc is missing, so it has not been built"
    if not any((path / "stan/lib/stan_math/lib/tbb").glob("libtbb.*")):
        return "its TBB library is missing, so it has not been built completely"
    if any(c.isspace() for c in str(path.absolute())):
        return "its path has a space in it, which make cannot handle"
    return None


def version_of(path: Path) -> tuple[int, int]:
    """Read the version of CmdStan out of its makefile; (0, 0) if it does not say."""
    text = (path / "makefile").read_text("utf8", errors="replace")
    found = re.search(r"CMDSTAN_VERSION := (\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _newest_first(folder: Path) -> list[Path]:
    """List the trees in a folder of CmdStans; there may be none, and no such folder."""
    try:
        trees = list(folder.expanduser().glob("cmdstan-*"))
    except (RuntimeError, OSError):  # no home, or not to be read
        return []
    return sorted(trees, key=lambda tree: [int(n) for n in re.findall(r"\d+", tree.name)])[::-1]
