"""What ``stanoff doctor`` finds: every part that a comparison needs."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from stanoff import __version__
from stanoff._lib.processes import run
from stanoff.cmdstan.building import GET_COMPILER, compiler
from stanoff.cmdstan.carried import Carried, find_carried
from stanoff.cmdstan.compile import executable_of, sound
from stanoff.cmdstan.find import cache_folder, find_cmdstan
from stanoff.errors import ToolchainError

SPARED = ", and only needed for Stan programs of your own"


@dataclass(frozen=True)
class Finding:
    """One thing looked at.

    Attributes
    ----------
    what : str
        Its name.
    good : bool
        Whether it is as it should be.
    found : str
        What was seen.
    advice : str
        What to do if it is not good.
    """

    what: str
    good: bool
    found: str
    advice: str = ""


def examine() -> list[Finding]:
    """Look at Python, the packages, the compiler, CmdStan, the cache and the models."""
    from stanoff.models import MODELS, stan_folder

    packages = ", ".join(f"{p} {version(p)}" for p in ("cmdstanpy", "arviz-stats", "numpy"))
    programs = [model for model in MODELS.values() if model.has_program]
    carried = {m.name: find_carried(m.stan_file, stan_folder()) for m in programs}
    spared = all(one and not one.flaw for one in carried.values())
    findings = [
        Finding(
            "stanoff", True, f"{__version__} on Python {platform.python_version()}, {packages}"
        ),
        _tool("C++ compiler", compiler(), spared),
        _tool("make", "make", spared),
        _cache(cache_folder()),
    ]
    findings += [_of_carried(name, one) for name, one in carried.items() if one]
    try:
        cmdstan = find_cmdstan()
    except ToolchainError as error:
        advice = "point CMDSTAN to a CmdStan that has been built, or unset it"
        return [*findings, Finding("CmdStan", False, str(error), advice)]
    if cmdstan is None:
        told = f"not found{SPARED if spared else ''}"
        return [*findings, Finding("CmdStan", spared, told, "run: stanoff setup")]
    number = ".".join(map(str, cmdstan.version))
    findings.append(Finding("CmdStan", True, f"{number} at {cmdstan.path}, from {cmdstan.origin}"))
    for model in programs:
        one = carried[model.name]
        if one and not one.flaw:
            continue
        executable = executable_of(model.stan_file, stan_folder(), cmdstan)
        good = sound(executable)
        damaged = f"{executable} is damaged" if executable.exists() else "not compiled"
        findings.append(
            Finding(
                f"model {model.name}",
                good,
                str(executable) if good else damaged,
                "run: stanoff setup (or just compare: it compiles what it needs)",
            )
        )
    return findings


def _of_carried(name: str, one: Carried) -> Finding:
    number = ".".join(map(str, one.cmdstan))
    told = one.told if one.flaw else f"{one.executable}, came compiled by CmdStan {number}"
    return Finding(f"compiled {name}", not one.flaw, told, "reinstall stanoff, or: stanoff setup")


def _tool(what: str, program: str, spared: bool) -> Finding:
    path = shutil.which(program)
    if path is None:
        missing = f"{program} not found{SPARED if spared else ''}"
        return Finding(what, spared, missing, GET_COMPILER)
    try:
        (told,) = run([[path, "--version"]])
    except OSError as error:
        return Finding(what, False, f"{path} ({error.strerror})", GET_COMPILER)
    return Finding(what, True, f"{path}, {(told.output.splitlines() or ['?'])[0]}")


def _cache(folder: Path) -> Finding:
    nearest = next(p for p in (folder, *folder.parents) if p.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        advice = "set STANOFF_CACHE to a folder that can be written"
        return Finding("cache", False, f"{folder} ({error.strerror})", advice)
    free = shutil.disk_usage(nearest).free / 1e9
    origin = "STANOFF_CACHE" if os.environ.get("STANOFF_CACHE") else "the user's cache"
    return Finding("cache", True, f"{folder} ({origin}), {free:.0f} GB free")
