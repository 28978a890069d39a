"""Files are written aside and moved into place, so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stanoff.errors import StanoffError


@contextmanager
def aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a file beside the target, and move it there if all went well; else remove it.

    The folder of the target is made if need be.
    """
    target = Path(path)
    lent: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
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
    return Path(path)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a whole text file or none of it, in UTF-8."""
    return write_bytes(path, text.encode("utf-8"))
