"""Compile Stan programs into the user's cache, once for every program and CmdStan.

Each program is compiled in a folder of its own under a lock and moved into place when it is
complete.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from stanoff._lib.arguments import cores
from stanoff._lib.processes import Ended, run
from stanoff._lib.progress import Advance, step
from stanoff.cmdstan.building import (
    GET_COMPILER,
    build_failed,
    environment,
    locked,
    missing_tools,
    sweep,
    writing,
)
from stanoff.cmdstan.carried import find_carried, say_once, sha256
from stanoff.cmdstan.find import CmdStan, cache_folder, find_cmdstan
from stanoff.cmdstan.install import ensure_cmdstan
from stanoff.cmdstan.sources import program_digest
from stanoff.errors import ToolchainError

CHECKSUM = "sha256"  # the file beside an executable that has its checksum


def compile_model(
    stan_file: Path, include: Path, *, cmdstan: CmdStan | None = None, quiet: bool = False
) -> Path:
    """Return the executable of a Stan program: one that came with stanoff, or compiled here.

    Parameters
    ----------
    stan_file : Path
        The program.
    include : Path
        The folder that ``#include`` starts from.
    cmdstan : CmdStan, optional
        Which CmdStan must compile it, the one that is found by default.
    quiet : bool
        Show no progress.
    """
    carried = None if cmdstan else find_carried(stan_file, include)
    if carried and not carried.flaw:
        return carried.executable
    if carried and not quiet:
        say_once(f"{carried.told} It is compiled here.")
    cmdstan = cmdstan or ensure_cmdstan(quiet=quiet)
    compile_models([stan_file], include, cmdstan, quiet=quiet)
    return executable_of(stan_file, include, cmdstan)


def lacking(stan_file: Path, include: Path) -> str | None:
    """Say what a program lacks to be run without building a CmdStan first; None if nothing.

    Parameters
    ----------
    stan_file, include : Path
        As in :func:`compile_model`.
    """
    carried = find_carried(stan_file, include)
    if carried and not carried.flaw:
        return None
    found = find_cmdstan()
    if found and (sound(executable_of(stan_file, include, found)) or not missing_tools()):
        return None
    lacks = f"there is no {missing_tools()}" if found else "there is no CmdStan"
    return f"{lacks}. {carried.told[:-1]}" if carried else lacks


def cmdstan_version(stan_file: Path, include: Path) -> tuple[int, int] | None:
    """Return the version of the CmdStan behind the executable of a program."""
    carried = find_carried(stan_file, include)
    if carried and not carried.flaw:
        return carried.cmdstan
    found = find_cmdstan()
    return found.version if found else None


def compile_models(
    stan_files: Sequence[Path], include: Path, cmdstan: CmdStan, *, quiet: bool = False
) -> None:
    """Compile those of some programs that are not there, as many at a time as there are cores."""
    new = {executable_of(file, include, cmdstan): file for file in stan_files}
    new = {executable: file for executable, file in new.items() if not sound(executable)}
    if not new:
        return
    names = new[min(new)].name if len(new) == 1 else f"{len(new)} models"
    if missing := missing_tools():
        raise ToolchainError(f"{names} cannot be compiled without {missing}: {GET_COMPILER}.")
    home = cache_folder() / "models"
    with writing(home), ExitStack() as locks:
        sweep(home)
        jobs = []
        for executable in sorted(new):  # in one order, so that nobody waits for who waits for him
            lock = locks.enter_context(ExitStack())
            lock.enter_context(locked(home / f".{executable.parent.name}.lock", quiet))
            if sound(executable):  # another process was quicker
                lock.close()
            else:
                jobs.append(_Job(new[executable], executable, lock))
        title = f"Compiling {names}"
        with step(title, total=len(jobs) if len(jobs) > 1 else None, quiet=quiet) as advance:
            _compile(jobs, include, cmdstan, advance)


def sound(executable: Path) -> bool:
    """Return whether an executable is there, and is what the compiler made."""
    try:
        told = (executable.parent / CHECKSUM).read_bytes()
        return os.access(executable, os.X_OK) and told == _checksum(executable)
    except OSError:  # not there, or a folder
        return False


def seal(executable: Path) -> None:
    """Keep the checksum of an executable beside it."""
    (executable.parent / CHECKSUM).write_bytes(_checksum(executable))


def _checksum(file: Path) -> bytes:
    return sha256(file).encode()


def executable_of(stan_file: Path, include: Path, cmdstan: CmdStan) -> Path:
    """Return where the executable of a program is, or will be."""
    key = _model_key(stan_file, include, cmdstan)
    name = re.sub(r"[^\w.-]", "_", stan_file.stem, flags=re.ASCII)[:60]  # make takes no other
    return cache_folder() / "models" / f"{name}-{key}" / name


def _model_key(stan_file: Path, include: Path, cmdstan: CmdStan) -> str:
    """Hash all that the executable depends on; CmdStan 2.27 does not notice an edited include."""
    digest = program_digest(stan_file, include)
    digest.update(f"{cmdstan.path}\0{cmdstan.version}\0{platform.machine()}".encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class _Job:
    """A program to compile in a folder of its own, under a lock, and to put into its place."""

    stan_file: Path
    executable: Path
    lock: ExitStack

    @property
    def folder(self) -> Path:
        """Where it is compiled."""
        return self.executable.parent.with_name(f".{self.executable.parent.name}.building")

    @property
    def built(self) -> Path:
        """The executable as it comes out."""
        return self.folder / self.executable.name

    def translation(self, include: Path, cmdstan: CmdStan) -> list[str | Path]:
        """Prepare the folder; return how to turn the program into C++."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        copy = shutil.copy(self.stan_file, f"{self.built}.stan")
        return [
            cmdstan.path / "bin" / "stanc",
            f"--include-paths={include},{self.stan_file.resolve().parent}",
            f"--filename-in-msg={self.stan_file.name}",
            f"--o={self.built}.hpp",
            copy,
        ]

    def finish(self) -> None:
        """Put the executable into its place; a damaged one makes room."""
        seal(self.built)
        target = self.executable.parent
        old = target.with_name(f"{self.folder.name}.old")
        if target.exists():
            target.replace(old)
        self.folder.replace(target)
        shutil.rmtree(old, ignore_errors=True)
        self.lock.close()


def _compile(jobs: Sequence[_Job], include: Path, cmdstan: CmdStan, advance: Advance) -> None:
    """Compile programs; those that succeed are kept, whatever becomes of the others."""
    folders = [job.folder for job in jobs]
    failed: list[tuple[_Job, Ended]] = []
    done = count(1)

    def finish(place: int, child: Ended) -> None:
        if child.code:
            failed.append((translated[place], child))
        else:
            translated[place].finish()
        advance(next(done))

    try:
        commands = [job.translation(include, cmdstan) for job in jobs]
        children = run(commands, tidy=folders)
        failed += [pair for pair in zip(jobs, children, strict=True) if pair[1].code]
        translated = [job for job, child in zip(jobs, children, strict=True) if not child.code]
        run(
            [["make", f"TMPDIR={job.folder}", job.built] for job in translated],
            at_once=cores(),
            cwd=cmdstan.path,
            env=environment(),
            tidy=folders,
            ended=finish,
        )
    except OSError as error:
        raise ToolchainError(f"CmdStan at {cmdstan.path} cannot be run: {error}.") from error
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    for job, child in failed:
        raise build_failed(f"Compiling {job.stan_file.name}", child, job.folder)
