"""Stan programs: where they are, their text with all that they include, and its hash."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from stanoff.errors import MAX_SHOWN, InputError


@cache
def stan_folder() -> Path:
    """Find ``stan/``: inside the installed package, or at the top of the repository."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "stan", package.parents[1] / "stan"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"The Stan programs are missing from {package}; reinstall stanoff.")


def include_folders(stan_file: Path) -> list[Path]:
    """Return the folders that ``#include`` of a program starts from."""
    return [stan_folder(), stan_file.resolve().parent]


def program_sources(stan_file: Path) -> tuple[tuple[str, str], ...]:
    """Return name and text of a program and of all that it includes, directly or not."""
    files = [stan_file]
    sources = []
    for file in files:
        text = _read(file)
        sources.append((file.name, text))
        for name in re.findall(r"^\s*#include\s+[<\"]?([^>\"\s]+)", text, re.M):
            candidates = [folder / name for folder in include_folders(stan_file)]
            included = next((path for path in candidates if path.is_file()), None)
            if included and included not in files:
                files.append(included)
    return tuple(sources)


def program_hash(stan_file: Path, *extra: str) -> str:
    """Return the SHA-256 hash of a program, of all that it includes, and of further text."""
    digest = hashlib.sha256()
    for name, text in program_sources(stan_file):
        digest.update(f"{name}\0{text}\0".encode())
    digest.update("".join(extra).encode())
    return digest.hexdigest()


def _read(file: Path) -> str:
    try:
        return file.read_text("utf8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a Stan program: it is not UTF-8 text.") from error
    except FileNotFoundError as error:
        raise InputError(f"There is no file {file}.") from error
    except (OSError, ValueError) as error:  # a folder, or what is no name of a file
        reason = getattr(error, "strerror", error)
        raise InputError(f"{str(file)[:MAX_SHOWN]} cannot be read: {reason}.") from error
