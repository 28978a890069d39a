"""What ``stanoff doctor`` looks at: all that a comparison needs."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from stanoff import __version__
from stanoff.engines.cmdstan import GET_COMPILER, cache_folder, compiler, find_cmdstan
from stanoff.engines.toolchain import executable_path, usable_bundle
from stanoff.errors import ToolchainError

NOT_NEEDED = "not found, and only needed for Stan programs of your own"


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
