"""CmdStan: find it, else get it and build it; compile models into the user's cache.

Whatever takes long is made in a folder of its own under a lock and moved into place when it is
complete, so an interrupted or parallel set-up never leaves a tree that a later run believes in.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stanoff.errors import ToolchainError
from stanoff.fetch import build_failed, cores, disk_full, get_cmdstan, outer_make_forgotten
from stanoff.progress import step

OLDEST = (2, 26)  # the first with array[...] declarations
GET_COMPILER = (
    "install g++ and make (Debian, Ubuntu: apt install g++ make; Fedora: dnf install gcc-c++ make; "
    "macOS: xcode-select --install)"
)


@dataclass(frozen=True)
class CmdStan:
    """A CmdStan that is ready to compile models.

    Attributes
    ----------
    path : its folder
    version : as in its makefile, such as (2, 27)
    origin : how it was found, in words
    """

    path: Path
    version: tuple[int, int]
    origin: str


def cache_folder() -> Path:
    """Return the folder for CmdStan and compiled models: ``STANOFF_CACHE`` or the user's cache."""
    if given := os.environ.get("STANOFF_CACHE"):
        return Path(given).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("stanoff", appauthor=False)


def find_cmdstan(path: str | os.PathLike[str] | None = None) -> CmdStan | None:
    """Look for a usable CmdStan: the given path, ``CMDSTAN``, cmdstanpy's, stanoff's own.

    Parameters
    ----------
    path : a CmdStan folder that must be used
    """
    for given, origin in ((path, "the path given"), (os.environ.get("CMDSTAN"), "CMDSTAN")):
        if given:
            flaw = _flaw(Path(given))
            if flaw:
                raise ToolchainError(f"CmdStan at {given} (from {origin}) cannot be used: {flaw}.")
            return CmdStan(Path(given).absolute(), _version(Path(given)), origin)
    for folder, origin in (
        (Path.home() / ".cmdstan", "cmdstanpy"),
        (cache_folder() / "cmdstan", "stanoff's cache"),
    ):
        latest = _latest(folder)
        if latest and not _flaw(latest):
            return CmdStan(latest, _version(latest), origin)
    return None


def ensure_cmdstan(path: str | os.PathLike[str] | None = None, *, quiet: bool = False) -> CmdStan:
    """Find CmdStan, or get and build it.

    Parameters
    ----------
    path : a CmdStan folder that must be used
    quiet : show no progress
    """
    if found := find_cmdstan(path):
        return found
    if missing := missing_tools():
        raise ToolchainError(f"CmdStan cannot be built without {missing}: {GET_COMPILER}.")
    home = cache_folder() / "cmdstan"
    with _writing(home), _locked(home / ".lock", quiet):
        if found := find_cmdstan():  # another process was quicker
            return found
        building = home / ".building"
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        try:
            tree = get_cmdstan(building, quiet=quiet)
            target = home / tree.name
            shutil.rmtree(target, ignore_errors=True)
            tree.replace(target)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    found = find_cmdstan()
    if found is None:
        raise ToolchainError(f"CmdStan was built, but {target} cannot be used: {_flaw(target)}.")
    return found


def compile_model(
    stan_file: Path, include: Path, *, cmdstan: CmdStan | None = None, quiet: bool = False
) -> Path:
    """Return the executable of a Stan program, compiling it if that was not done before.

    Parameters
    ----------
    stan_file : the program
    include : the folder that ``#include`` starts from
    cmdstan : which CmdStan, the one that is found unless told
    quiet : show no progress
    """
    cmdstan = cmdstan or ensure_cmdstan(quiet=quiet)
    executable = executable_of(stan_file, include, cmdstan)
    folder, home = executable.parent, executable.parents[1]
    if executable.exists():
        return executable
    if missing := missing_tools():
        raise ToolchainError(
            f"{stan_file.name} cannot be compiled without {missing}: {GET_COMPILER}."
        )
    with _writing(home), _locked(home / f".{folder.name}.lock", quiet):
        if not executable.exists():
            building = home / f".{folder.name}.building"
            shutil.rmtree(building, ignore_errors=True)
            building.mkdir()
            try:
                copy = Path(shutil.copy(stan_file, building))
                _compile(copy, (include, stan_file.resolve().parent), cmdstan, quiet)
                building.replace(folder)
            finally:
                shutil.rmtree(building, ignore_errors=True)
    return executable


def compile_models(stan_files: Sequence[Path], include: Path, cmdstan: CmdStan) -> None:
    """Compile several programs, as many at a time as there are cores."""
    new = [file for file in stan_files if not executable_of(file, include, cmdstan).exists()]
    if not new:
        return
    title = f"Compiling {len(new)} models (about 20 s each)"
    with (
        step(title, total=len(new)) as advance,
        outer_make_forgotten(),
        ThreadPoolExecutor(cores()) as pool,
    ):
        running = [
            pool.submit(compile_model, file, include, cmdstan=cmdstan, quiet=True) for file in new
        ]
        for done, compiled in enumerate(as_completed(running), start=1):
            compiled.result()
            advance(done)


def executable_of(stan_file: Path, include: Path, cmdstan: CmdStan) -> Path:
    """Tell where the executable of a program is, or will be."""
    key = _model_key(stan_file, include, cmdstan)
    return cache_folder() / "models" / f"{stan_file.stem}-{key}" / stan_file.stem


def program_sources(stan_file: Path, include: Path) -> tuple[tuple[str, str], ...]:
    """Return name and text of a program and of all that it includes."""
    files = _sources(stan_file, (include, stan_file.resolve().parent))
    return tuple((file.name, file.read_text("utf8")) for file in files)


def program_hash(stan_file: Path, include: Path) -> str:
    """Return the SHA-256 hash of a program and of all that it includes."""
    return _program_digest(stan_file, include).hexdigest()


def compiler() -> str:
    """Name the C++ compiler that CmdStan's makefile will call."""
    default = "clang++" if platform.system() == "Darwin" else "g++"
    return (os.environ.get("CXX") or default).split()[0]


def missing_tools() -> str:
    """Name the programs that building needs and that are not there; empty if none."""
    return " and ".join(name for name in (compiler(), "make") if not shutil.which(name))


def _flaw(path: Path) -> str | None:
    """Say why a folder is not a CmdStan that is ready for use."""
    if not (path / "makefile").is_file():
        return "there is no CmdStan makefile in it"
    if not _version(path) >= OLDEST:
        return f"its version is older than {OLDEST[0]}.{OLDEST[1]}"
    if not os.access(path / "bin" / "stanc", os.X_OK):
        return "bin/stanc is missing, so it has not been built"
    if not any((path / "stan/lib/stan_math/lib/tbb").glob("libtbb.*")):
        return "its TBB library is missing, so it has not been built completely"
    if any(c.isspace() for c in str(path.absolute())):
        return "its path has a space in it, which make cannot handle"
    return None


def _version(path: Path) -> tuple[int, int]:
    found = re.search(r"CMDSTAN_VERSION := (\d+)\.(\d+)", (path / "makefile").read_text("utf8"))
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _latest(folder: Path) -> Path | None:
    from cmdstanpy.utils.cmdstan import get_latest_cmdstan

    name = get_latest_cmdstan(str(folder)) if folder.is_dir() else None
    return folder / name if name else None


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Make a folder of the cache, and tell in one sentence if the disk does not play along."""
    if any(c.isspace() for c in str(folder)):
        raise ToolchainError(
            f"The cache {folder} has a space in its path, which make cannot handle: "
            "set STANOFF_CACHE to a folder without."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(folder) from error
        raise ToolchainError(
            f"The cache {folder} cannot be written ({error.strerror}): "
            "set STANOFF_CACHE to a folder that can."
        ) from error


@contextmanager
def _locked(path: Path, quiet: bool) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        with step("Waiting for another set-up of stanoff to finish", quiet=quiet):
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _model_key(stan_file: Path, include: Path, cmdstan: CmdStan) -> str:
    """Hash all that the executable depends on; CmdStan 2.27 does not notice an edited include."""
    digest = _program_digest(stan_file, include)
    digest.update(f"{cmdstan.path}\0{cmdstan.version}\0{platform.machine()}".encode())
    return digest.hexdigest()[:16]


def _program_digest(stan_file: Path, include: Path) -> hashlib._Hash:
    digest = hashlib.sha256()
    for name, text in program_sources(stan_file, include):
        digest.update(f"{name}\0{text}\0".encode())
    return digest


def _sources(program: Path, folders: Sequence[Path]) -> list[Path]:
    """List a program and all that it includes, directly or not."""
    found = [program]
    for source in found:
        for name in re.findall(r"^\s*#include\s+[<\"]?([^>\"\s]+)", source.read_text("utf8"), re.M):
            included = next((f / name for f in folders if (f / name).is_file()), None)
            if included and included not in found:
                found.append(included)
    return found


def _compile(stan_file: Path, includes: Sequence[Path], cmdstan: CmdStan, quiet: bool) -> None:
    import logging

    import cmdstanpy

    cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
    cmdstanpy.set_cmdstan_path(str(cmdstan.path))
    with (
        step(f"Compiling {stan_file.name} (about 20 s)", quiet=quiet),
        outer_make_forgotten(),
    ):
        try:
            cmdstanpy.CmdStanModel(
                stan_file=str(stan_file),
                stanc_options={"include-paths": [str(folder) for folder in includes]},
            )
        except (ValueError, RuntimeError) as error:
            raise build_failed(f"Compiling {stan_file.name}", str(error), stan_file) from error
