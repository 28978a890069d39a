"""CmdStan: where it is, whether it can be used, and how its programs run."""

from __future__ import annotations

import logging
import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from stanoff._lib.stopping import stopping_children
from stanoff.engines import bundled
from stanoff.errors import ToolchainError

OLDEST = (2, 27)  # what the programs are written for; the package index has it
GET_COMPILER = (
    "install g++ and make (Debian, Ubuntu: apt install g++ make; Fedora: dnf install gcc-c++ make; "
    "macOS: xcode-select --install)"
)


@dataclass(frozen=True)
class CmdStan:
    """A CmdStan that is ready to compile programs.

    Attributes
    ----------
    path : Path
        Its folder.
    version : tuple of int
        As in its makefile, such as (2, 27).
    source : str
        How it was found, in words.
    """

    path: Path
    version: tuple[int, int]
    source: str

    @property
    def label(self) -> str:
        """Its name with its version."""
        return f"CmdStan {self.version[0]}.{self.version[1]}"


def cache_folder() -> Path:
    """Return the folder for CmdStan and compiled programs: ``STANOFF_CACHE``, or the user's."""
    named = os.environ.get("STANOFF_CACHE")
    try:
        return Path(named or user_cache_path("stanoff", appauthor=False)).expanduser().absolute()
    except (RuntimeError, OSError) as error:  # no such user, or no working directory
        reason = getattr(error, "strerror", None) or "there is no such user"
        raise ToolchainError(
            f"STANOFF_CACHE is {named}, which is no folder ({reason}): set it to another one."
        ) from error


def find_cmdstan(path: str | os.PathLike[str] | None = None) -> CmdStan | None:
    """Look for a usable CmdStan: the given path, ``CMDSTAN``, cmdstanpy's, stanoff's own.

    Parameters
    ----------
    path : str or path, optional
        A CmdStan folder that must be used.
    """
    for named, source in ((path, "the path given"), (named_cmdstan(), "CMDSTAN")):
        if named:
            if flaw := cmdstan_flaw(Path(named)):
                raise ToolchainError(f"CmdStan at {named} (from {source}) cannot be used: {flaw}.")
            return CmdStan(Path(named).absolute(), _version(Path(named)), source)
    folders = {
        "cmdstanpy": Path("~/.cmdstan").expanduser(),
        "stanoff's cache": cache_folder() / "cmdstan",
    }
    for source, folder in folders.items():
        for tree in sorted(folder.glob("cmdstan-*"), key=_numbers_in_name, reverse=True):
            if not cmdstan_flaw(tree):
                return CmdStan(tree, _version(tree), source)
    return None


def _numbers_in_name(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]


def cmdstan_flaw(path: Path) -> str | None:
    """Say why a folder is not a CmdStan that is ready for use; None if it is."""
    if not (path / "makefile").is_file():
        return "there is no CmdStan makefile in it"
    if _version(path) < OLDEST:
        return f"its version is older than {OLDEST[0]}.{OLDEST[1]}"
    if not os.access(path / "bin" / "stanc", os.X_OK):
        return "bin/stanc is missing, so it has not been built"
    if not any((path / "stan/lib/stan_math/lib/tbb").glob("libtbb.*")):
        return "its TBB library is missing, so it has not been built completely"
    if re.search(r"\s", str(path.absolute())):
        return "its path has a space in it, which make cannot handle"
    return None


def _version(path: Path) -> tuple[int, int]:
    """Read the version of CmdStan out of its makefile; (0, 0) if it is not there."""
    text = (path / "makefile").read_text("utf8", errors="replace")
    match = re.search(r"CMDSTAN_VERSION := (\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)


_offered: list[str] = []  # the CmdStan that we have set for cmdstanpy: it is no wish of the user's


def named_cmdstan() -> str | None:
    """Return the CmdStan that the user names in ``CMDSTAN``."""
    named = os.environ.get("CMDSTAN")
    return None if named in _offered else named


def offer_cmdstan() -> None:
    """Let cmdstanpy know of our CmdStan, where it knows of none: for summary() and diagnose()."""
    cmdstan = find_cmdstan()
    if cmdstan is not None and not os.environ.get("CMDSTAN"):
        _offered.append(str(cmdstan.path))
        os.environ["CMDSTAN"] = str(cmdstan.path)


@contextmanager
def cmdstanpy_with(cmdstan: CmdStan) -> Iterator[None]:
    """Let cmdstanpy use a CmdStan; it reads the environment, and writes to it."""
    before = os.environ.get("CMDSTAN")
    os.environ["CMDSTAN"] = str(cmdstan.path)
    try:
        yield
    finally:
        os.environ.pop("CMDSTAN", None)
        os.environ.update({} if before is None else {"CMDSTAN": before})


def compiler() -> str:
    """Name the C++ compiler that CmdStan's makefile will call."""
    default = "clang++" if platform.system() == "Darwin" else "g++"
    return (os.environ.get("CXX") or default).split()[0]


def missing_tools() -> str:
    """Name the programs that compiling needs and that are not there; empty if none."""
    return " and ".join(name for name in (compiler(), "make") if not shutil.which(name))


@contextmanager
def running_programs() -> Iterator[None]:
    """Run Stan's programs: a signal that stops us stops them, and cmdstanpy logs nothing."""
    logging.getLogger("cmdstanpy").addFilter(_unless_running)
    _running.append(None)
    try:
        with stopping_children([cache_folder(), bundled.FOLDER]):
            yield
    finally:
        _running.pop()


_running: list[None] = []  # one for each thread that runs a program now


def _unless_running(record: logging.LogRecord) -> bool:
    return not _running
