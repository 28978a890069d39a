"""Files are written aside and moved into place, so that nobody ever sees half of one.

What a killed process has left is swept by the next one: who writes in a folder holds a lock on it,
and what nobody has locked is nobody's any more.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stanoff._lib.arguments import as_path
from stanoff.errors import StanoffError

try:
    import fcntl
except ImportError:  # a system without such locks: nothing is swept there
    fcntl = None  # type: ignore[assignment]

ASIDE = ".aside"
SCRATCH = "stanoff-scratch-"
RANDOM = "[a-z0-9_]" * 8  # what tempfile adds to a name
LOCK_TRIES, LOCK_SECONDS = 5, 0.01
SCRATCH_TRIES = 10


@contextmanager
def aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a file beside the target, and move it there if all went well; else remove it.

    The folder of the target is made if need be.
    """
    target = as_path("path", path)
    lent: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _swept(target.parent):
            handle, name = tempfile.mkstemp(ASIDE, f".{target.name}.", target.parent)
            os.close(handle)
            lent = Path(name)
            yield lent
            umask = os.umask(0)
            os.umask(umask)
            lent.chmod(0o666 & ~umask)  # as if it had been opened, not made by mkstemp
            lent.replace(target)
    except BaseException as error:
        if lent is not None:
            lent.unlink(missing_ok=True)
        if isinstance(error, OSError):
            told = error.strerror or error
            raise StanoffError(f"{target} cannot be written: {told}.") from error
        raise


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a whole file or none of it, making its folder if need be."""
    with aside(path) as file:
        file.write_bytes(content)
    return as_path("path", path)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a whole text file or none of it, in UTF-8."""
    return write_bytes(path, text.encode("utf-8"))


@contextmanager
def scratch() -> Iterator[Path]:
    """Lend a folder for temporary files, and remove it; first sweep those of killed processes."""
    try:
        place = Path(tempfile.gettempdir())
        for left in place.glob(f"{SCRATCH}{RANDOM}"):
            with _locked(left, alone=True) as alone:
                if alone:
                    shutil.rmtree(left, ignore_errors=True)
    except OSError as error:
        raise _no_room(error) from error
    for tries_left in range(SCRATCH_TRIES, -1, -1):
        try:
            folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        except OSError as error:
            raise _no_room(error) from error
        with _locked(folder) as locked:
            if tries_left and fcntl is not None and not (locked and folder.exists()):
                shutil.rmtree(folder, ignore_errors=True)
                continue  # somebody sweeps it: they saw it before it was locked
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            return


def _no_room(error: OSError) -> StanoffError:
    told = error.strerror or error
    return StanoffError(f"No temporary folder can be made ({told}): set TMPDIR to one that can.")


@contextmanager
def _swept(folder: Path) -> Iterator[None]:
    """Remove what killed processes have left aside in a folder, unless somebody writes there."""
    with _locked(folder, alone=True) as alone:
        if alone:
            for left in folder.glob(f".*.{RANDOM}{ASIDE}"):
                with suppress(OSError):
                    left.unlink()
    with _locked(folder):
        yield


@contextmanager
def _locked(folder: Path, *, alone: bool = False) -> Iterator[bool]:
    """Share a lock on a folder, or have it alone; say whether that was possible.

    The lock ends with the process that holds it. Who has it alone has it for a moment only: who
    cannot share it after that meets a lock of somebody else's, and does without.
    """
    try:
        handle = os.open(folder, os.O_RDONLY) if fcntl else None
    except OSError:
        handle = None
    if handle is None:
        yield False
        return
    try:
        yield _flocked(handle, alone)
    finally:
        os.close(handle)


def _flocked(handle: int, alone: bool) -> bool:
    for _ in range(1 if alone else LOCK_TRIES):
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            return True
        except BlockingIOError:  # somebody is there
            time.sleep(0 if alone else LOCK_SECONDS)
        except OSError:  # a file system without locks
            return False
    return False
