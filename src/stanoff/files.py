"""Files are written aside and moved into place, so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from stanoff.errors import StanoffError


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a whole file or none of it, making its folder if need be."""
    target = Path(path)
    try:
        return _write(target, content)
    except OSError as error:
        raise StanoffError(f"{target} cannot be written: {error.strerror or error}.") from error


def _write(target: Path, content: bytes) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        Path(aside).chmod(0o666 & ~umask)  # as if it had been opened, not made by mkstemp
        Path(aside).replace(target)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    return target


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a whole text file or none of it, in UTF-8."""
    return write_bytes(path, text.encode("utf-8"))
