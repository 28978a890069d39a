"""The text of a Stan program, with all that it includes, and its hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from stanoff.errors import InputError


def program_sources(stan_file: Path, include: Path) -> tuple[tuple[str, str], ...]:
    """Return name and text of a program and of all that it includes."""
    files = _sources(stan_file, (include, stan_file.resolve().parent))
    return tuple((file.name, _text(file)) for file in files)


def program_hash(stan_file: Path, include: Path) -> str:
    """Return the SHA-256 hash of a program and of all that it includes."""
    return program_digest(stan_file, include).hexdigest()


def program_digest(stan_file: Path, include: Path) -> hashlib._Hash:
    """Return the hash as an object that takes more."""
    digest = hashlib.sha256()
    for name, text in program_sources(stan_file, include):
        digest.update(f"{name}\0{text}\0".encode())
    return digest


def _text(file: Path) -> str:
    try:
        return file.read_text("utf8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a Stan program: it is not UTF-8 text.") from error
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error


def _sources(program: Path, folders: Sequence[Path]) -> list[Path]:
    """List a program and all that it includes, directly or not."""
    found = [program]
    for source in found:
        for name in re.findall(r"^\s*#include\s+[<\"]?([^>\"\s]+)", _text(source), re.M):
            included = next((f / name for f in folders if (f / name).is_file()), None)
            if included and included not in found:
                found.append(included)
    return found
