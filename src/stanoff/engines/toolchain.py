"""The toolchain: Stan programs compiled by cmdstanpy, once for every program and CmdStan.

``stanoff doctor`` says what is there of it.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stanoff import __version__
from stanoff._lib.arguments import cores
from stanoff._lib.progress import show_progress
from stanoff._lib.stopping import workers
from stanoff.engines.cmdstan import (
    GET_COMPILER,
    CmdStan,
    cache_folder,
    cmdstanpy_with,
    compiler,
    find_cmdstan,
    missing_tools,
    running_programs,
    usable_bundle,
)
from stanoff.engines.install import build_failed, building, ensure_cmdstan
from stanoff.engines.programs import include_folders, program_hash
from stanoff.errors import InputError, ToolchainError

if TYPE_CHECKING:
    from cmdstanpy import CmdStanModel

NOT_NEEDED = "not found, and only needed for Stan programs of your own"


def missing_requirement(stan_file: Path) -> str | None:
    """Say what a program lacks to be run without building a CmdStan first; None if nothing."""
    bundle = usable_bundle(stan_file)
    if bundle and not bundle.flaw:
        return None
    cmdstan = find_cmdstan()
    if cmdstan and (executable_path(stan_file, cmdstan).exists() or not missing_tools()):
        return None
    missing = f"there is no {missing_tools() if cmdstan else 'CmdStan'}"
    return f"{missing}. {bundle.flaw.rstrip('.')}" if bundle and bundle.flaw else missing


def cmdstan_version(stan_file: Path) -> tuple[int, ...] | None:
    """Return the version of the CmdStan behind the executable of a program."""
    bundle = usable_bundle(stan_file)
    if bundle and not bundle.flaw:
        return bundle.cmdstan
    cmdstan = find_cmdstan()
    return cmdstan.version if cmdstan else None


def executable_path(stan_file: Path, cmdstan: CmdStan) -> Path:
    """Return where the executable of a program is, or will be."""
    extra = f"{cmdstan.path}\0{cmdstan.version}\0{platform.machine()}"
    name = re.sub(r"[^\w.-]", "_", stan_file.stem, flags=re.ASCII)[:60]  # make takes no other
    return cache_folder() / "models" / f"{name}-{program_hash(stan_file, extra)[:16]}" / name


def compile_program(
    stan_file: Path, *, cmdstan: CmdStan | None = None, quiet: bool = False
) -> CmdStanModel:
    """Return a compiled program: bundled with the wheel, from the cache, or compiled now.

    Parameters
    ----------
    stan_file : Path
        The program.
    cmdstan : CmdStan, optional
        Which CmdStan must compile it; by default the one that is found, or installed now.
    quiet : bool
        Show no progress.
    """
    from cmdstanpy import CmdStanModel

    bundle = None if cmdstan else usable_bundle(stan_file)
    if bundle and not bundle.flaw:
        return CmdStanModel(exe_file=bundle.executable)
    if bundle and bundle.flaw and not quiet:
        _print_once(f"{bundle.flaw} It is compiled here.")
    cmdstan = cmdstan or ensure_cmdstan(quiet=quiet)
    executable = executable_path(stan_file, cmdstan)
    if not executable.exists():
        _compile(stan_file, executable, cmdstan, quiet)
    return CmdStanModel(exe_file=executable)


def _compile(stan_file: Path, executable: Path, cmdstan: CmdStan, quiet: bool) -> None:
    """Compile a copy of a program, and move it into its place when it is complete."""
    from cmdstanpy import CmdStanModel

    if missing := missing_tools():
        raise ToolchainError(
            f"{stan_file.name} cannot be compiled without {missing}: {GET_COMPILER}."
        )
    folder = executable.parent.with_name(f".{executable.parent.name}.building")
    title = f"Compiling {stan_file.name}"
    with building(folder, quiet=quiet):
        if executable.exists():  # another process was quicker
            return
        copy = shutil.copy(stan_file, folder / f"{executable.name}.stan")
        try:
            with show_progress(title, quiet=quiet), running_programs(), cmdstanpy_with(cmdstan):
                CmdStanModel(stan_file=copy, stanc_options=stanc_options(stan_file))
        except ValueError as error:
            console = str(error).partition("Console:")[2]
            raise build_failed(f"{title} with {cmdstan.label}", console, folder) from error
        shutil.rmtree(executable.parent, ignore_errors=True)
        folder.replace(executable.parent)


def stanc_options(stan_file: Path) -> dict[str, list[str]]:
    """Return what stanc is to know of a program."""
    return {"include-paths": [str(path) for path in include_folders(stan_file)]}


def compile_programs(stan_files: Sequence[Path], cmdstan: CmdStan, *, quiet: bool = False) -> None:
    """Compile those of some programs that are not there, as many at a time as there are cores."""
    missing = [file for file in stan_files if not executable_path(file, cmdstan).exists()]
    if not missing:
        return
    # In processes: cmdstanpy changes the working directory while it compiles.
    title = f"Compiling {len(missing)} models"
    with (
        show_progress(title, total=len(missing), quiet=quiet) as advance,
        workers(cores()) as submit,
    ):
        futures = [submit(compile_program, f, cmdstan=cmdstan, quiet=True) for f in missing]
        for done, future in enumerate(futures):
            future.result()
            advance(done + 1)


@cache
def _print_once(sentence: str) -> None:
    """Say on stderr, once in a process, what is done instead."""
    print(sentence, file=sys.stderr, flush=True)


def program_info(stan_file: Path) -> dict[str, Any]:
    """Return what a program declares, as ``stanc --info`` describes it, without compiling it."""
    cmdstan = ensure_cmdstan()
    folders = ",".join(map(str, include_folders(stan_file)))
    command = [str(cmdstan.path / "bin/stanc"), "--info", f"--include-paths={folders}"]
    command.append(str(stan_file.absolute()))
    stanc = subprocess.run(command, capture_output=True, text=True, check=False)
    if stanc.returncode or "{" not in stanc.stdout:
        message = (stanc.stderr + stanc.stdout).strip() or "no message"
        raise InputError(
            f"{stan_file} is not a Stan program of {cmdstan.label}. Its stanc says:\n{message}"
        )
    info: dict[str, Any] = json.loads(stanc.stdout[stanc.stdout.index("{") :])
    return info


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
