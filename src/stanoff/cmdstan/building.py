"""What building CmdStan and compiling a program have in common: tools, locks, failures."""

from __future__ import annotations

import errno
import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stanoff._lib.processes import Ended
from stanoff._lib.progress import step
from stanoff.errors import ToolchainError

GET_COMPILER = (
    "install g++ and make (Debian, Ubuntu: apt install g++ make; Fedora: dnf install gcc-c++ make; "
    "macOS: xcode-select --install)"
)
WITHOUT = "Without it, `stanoff compare ... --engine exact` works at once."
BYTES_NEEDED = 1_400_000_000  # the wheel, its tree and what the build adds


def compiler() -> str:
    """Name the C++ compiler that CmdStan's makefile will call."""
    default = "clang++" if platform.system() == "Darwin" else "g++"
    return (os.environ.get("CXX") or default).split()[0]


def missing_tools() -> str:
    """Name the programs that building needs and that are not there; empty if none."""
    return " and ".join(name for name in (compiler(), "make") if not shutil.which(name))


def disk_full(folder: Path) -> ToolchainError:
    """Build the error for a disk without room."""
    return ToolchainError(
        f"The disk of {folder} is full; CmdStan needs {BYTES_NEEDED / 1e9:.1f} GB: "
        "free some space, or set STANOFF_CACHE to a folder elsewhere."
    )


def build_failed(what: str, child: Ended, folder: Path) -> ToolchainError:
    """Build the error for a compiler that gave up, from what it printed."""
    said = child.errors + child.output
    if "No space left on device" in said:
        return disk_full(folder)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    blamed = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
    return ToolchainError(f"{what} failed: {blamed or child.signal or 'it did not say why'}")


def environment() -> dict[str, str]:
    """Return the environment without the options of a `make` that called us."""
    return {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS")
    }


def sweep(home: Path) -> None:
    """Remove what killed processes have left in a folder of the cache, where nobody works on it."""
    from filelock import FileLock, Timeout

    for left in home.glob(".*.building*"):
        name = left.name.partition(".building")[0]
        with suppress(Timeout), FileLock(home / f"{name}.lock").acquire(timeout=0):
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
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
def locked(path: Path, quiet: bool) -> Iterator[None]:
    """Let one process at a time work here; say so while another does."""
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
