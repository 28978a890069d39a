"""Files are written aside and moved into place, so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stanoff._lib.arguments import as_path
from stanoff.errors import InputError, StanoffError


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a file beside the target, and move it there if all went well; else remove it.

    The folder of the target is made if need be.
    """
    target = as_path("path", path)
    aside: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(".aside", f".{target.name}.", target.parent)
        os.close(handle)
        aside = Path(name)
        yield aside
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o666 & ~umask)  # as if it had been opened, not made by mkstemp
        aside.replace(target)
    except OSError as error:
        reason = error.strerror or error
        raise StanoffError(f"{target} cannot be written: {reason}.") from error
    finally:
        if aside is not None:
            aside.unlink(missing_ok=True)


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a whole file or none of it, making its folder if need be."""
    with atomic_write(path) as file:
        file.write_bytes(content)
    return as_path("path", path)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a whole text file or none of it, in UTF-8."""
    return write_bytes(path, text.encode("utf-8"))


def read_bytes(path: str | os.PathLike[str], parameter: str = "path") -> bytes:
    """Read a whole file; a pipe, which may have no end, is refused."""
    file = as_path(parameter, path)
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise InputError(f"{file} cannot be read: it is no regular file.")
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Lend a folder for temporary files, and remove it."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="stanoff-", ignore_cleanup_errors=True)
    except OSError as error:
        reason = error.strerror or error
        message = f"No temporary folder can be made ({reason}): set TMPDIR to one that can."
        raise StanoffError(message) from error
    with folder as name:
        yield Path(name)
