"""CmdStan and the programs compiled by it: what is there, whether it can be used, how it runs.

The platform wheel has a folder ``compiled`` with an executable of every program, TBB's library
beside them, and a manifest of what they were made from. ``src/bundle_models.py`` makes it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from stanoff._lib.stopping import stopping_children
from stanoff.errors import MAX_SHOWN, InputError, ToolchainError

OLDEST = (2, 27)  # what the programs are written for; the package index has it
GET_COMPILER = (
    "install g++ and make (Debian, Ubuntu: apt install g++ make; Fedora: dnf install gcc-c++ make; "
    "macOS: xcode-select --install)"
)
COMPILED = Path(__file__).resolve().parents[1] / "compiled"
MANIFEST = "compiled.json"


@dataclass(frozen=True)
class CmdStan:
    """A CmdStan that is ready to compile programs: its folder, version, and how it was found."""

    path: Path
    version: tuple[int, int]
    source: str

    @property
    def label(self) -> str:
        """Its name with its version."""
        return f"CmdStan {self.version[0]}.{self.version[1]}"


class Bundled(NamedTuple):
    """An executable of the wheel, the CmdStan behind it, and why it cannot be used, if so."""

    executable: Path
    cmdstan: tuple[int, ...]
    flaw: str | None


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
    folders = {"cmdstanpy": Path.home() / ".cmdstan", "stanoff's cache": cache_folder() / "cmdstan"}
    for source, folder in folders.items():
        trees = [tree for tree in folder.glob("cmdstan-*") if not cmdstan_flaw(tree)]
        if trees:
            newest = max(trees, key=lambda tree: [int(n) for n in re.findall(r"\d+", tree.name)])
            return CmdStan(newest, _version(newest), source)
    return None


def cmdstan_flaw(path: Path) -> str | None:
    """Say why a folder is not a CmdStan that is ready for use; None if it is."""
    tbb = (path / "stan/lib/stan_math/lib/tbb").glob("libtbb.*")
    flaws = {
        "there is no CmdStan makefile in it": not (path / "makefile").is_file(),
        f"its version is older than {OLDEST[0]}.{OLDEST[1]}": _version(path) < OLDEST,
        "bin/stanc is missing, so it has not been built": not os.access(
            path / "bin/stanc", os.X_OK
        ),
        "its TBB library is missing, so it has not been built completely": not any(tbb),
        "its path has a space in it, which make cannot handle": re.search(r"\s", str(path)),
    }
    return next((sentence for sentence, holds in flaws.items() if holds), None)


def _version(path: Path) -> tuple[int, int]:
    """Read the version of CmdStan out of its makefile; (0, 0) if it is not there."""
    makefile = path / "makefile"
    text = makefile.read_text("utf8", errors="replace") if makefile.is_file() else ""
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


def usable_bundle(stan_file: Path) -> Bundled | None:
    """Return the executable that came with stanoff, unless the user names another CmdStan."""
    manifest_file = COMPILED / MANIFEST
    if named_cmdstan() or not manifest_file.is_file():
        return None
    manifest = json.loads(manifest_file.read_text("utf8"))
    name = manifest["programs"].get(program_hash(stan_file))
    if name is None:
        return None
    reason = _failure_to_start(COMPILED / name)
    flaw = (
        f"The compiled {name} that came with stanoff cannot be used: it does not start ({reason})."
    )
    return Bundled(COMPILED / name, tuple(manifest["cmdstan"]), flaw if reason else None)


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
        with stopping_children([cache_folder(), COMPILED]):
            yield
    finally:
        _running.pop()


_running: list[None] = []  # one for each thread that runs a program now


def _unless_running(record: logging.LogRecord) -> bool:
    return not _running


@cache
def stan_folder() -> Path:
    """Find ``stan/``: inside the installed package, or at the top of the repository."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "stan", package.parents[1] / "stan"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"The Stan programs are missing from {package}; reinstall stanoff.")


def include_folders(stan_file: Path) -> list[Path]:
    """Return the folders that ``#include`` of a program starts from."""
    return [stan_folder(), stan_file.resolve().parent]


def program_sources(stan_file: Path) -> tuple[tuple[str, str], ...]:
    """Return name and text of a program and of all that it includes, directly or not."""
    files = [stan_file]
    sources = []
    for file in files:
        text = _read(file)
        sources.append((file.name, text))
        for name in re.findall(r"^\s*#include\s+[<\"]?([^>\"\s]+)", text, re.M):
            candidates = [folder / name for folder in include_folders(stan_file)]
            included = next((path for path in candidates if path.is_file()), None)
            if included and included not in files:
                files.append(included)
    return tuple(sources)


def program_hash(stan_file: Path, *extra: str) -> str:
    """Return the SHA-256 hash of a program, of all that it includes, and of further text."""
    digest = hashlib.sha256()
    for name, text in program_sources(stan_file):
        digest.update(f"{name}\0{text}\0".encode())
    digest.update("".join(extra).encode())
    return digest.hexdigest()


def _read(file: Path) -> str:
    try:
        return file.read_text("utf8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a Stan program: it is not UTF-8 text.") from error
    except FileNotFoundError as error:
        raise InputError(f"There is no file {file}.") from error
    except (OSError, ValueError) as error:  # a folder, or what is no name of a file
        reason = getattr(error, "strerror", error)
        raise InputError(f"{str(file)[:MAX_SHOWN]} cannot be read: {reason}.") from error
