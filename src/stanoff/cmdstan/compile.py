"""Compile Stan programs into the user's cache, once for every program and CmdStan.

Each program is compiled in a folder of its own under a lock and moved into place when it is
complete.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from stanoff._lib.arguments import cores
from stanoff._lib.progress import step
from stanoff.cmdstan.building import (
    GET_COMPILER,
    build_failed,
    locked,
    missing_tools,
    outer_make_forgotten,
    writing,
)
from stanoff.cmdstan.find import CmdStan, cache_folder
from stanoff.cmdstan.install import ensure_cmdstan
from stanoff.errors import ToolchainError


def compile_model(
    stan_file: Path, include: Path, *, cmdstan: CmdStan | None = None, quiet: bool = False
) -> Path:
    """Return the executable of a Stan program, compiling it if that was not done before.

    Parameters
    ----------
    stan_file : Path
        The program.
    include : Path
        The folder that ``#include`` starts from.
    cmdstan : CmdStan, optional
        Which CmdStan, the one that is found by default.
    quiet : bool
        Show no progress.
    """
    cmdstan = cmdstan or ensure_cmdstan(quiet=quiet)
    executable = executable_of(stan_file, include, cmdstan)
    folder, home = executable.parent, executable.parents[1]
    if executable.exists():
        return executable
    if missing := missing_tools():
        raise ToolchainError(
            f"{stan_file.name} cannot be compiled without {missing}: {GET_COMPILER}."
        )
    with writing(home), locked(home / f".{folder.name}.lock", quiet):
        if not executable.exists():
            building = home / f".{folder.name}.building"
            shutil.rmtree(building, ignore_errors=True)
            building.mkdir()
            try:
                copy = Path(shutil.copy(stan_file, building))
                _compile(copy, (include, stan_file.resolve().parent), cmdstan, quiet)
                building.replace(folder)
            finally:
                shutil.rmtree(building, ignore_errors=True)
    return executable


def compile_models(stan_files: Sequence[Path], include: Path, cmdstan: CmdStan) -> None:
    """Compile several programs, as many at a time as there are cores."""
    new = [file for file in stan_files if not executable_of(file, include, cmdstan).exists()]
    if not new:
        return
    title = f"Compiling {len(new)} models (about 20 s each)"
    with (
        step(title, total=len(new)) as advance,
        outer_make_forgotten(),
        ThreadPoolExecutor(cores()) as pool,
    ):
        running = [
            pool.submit(compile_model, file, include, cmdstan=cmdstan, quiet=True) for file in new
        ]
        for done, compiled in enumerate(as_completed(running), start=1):
            compiled.result()
            advance(done)


def executable_of(stan_file: Path, include: Path, cmdstan: CmdStan) -> Path:
    """Return where the executable of a program is, or will be."""
    key = _model_key(stan_file, include, cmdstan)
    return cache_folder() / "models" / f"{stan_file.stem}-{key}" / stan_file.stem


def program_sources(stan_file: Path, include: Path) -> tuple[tuple[str, str], ...]:
    """Return name and text of a program and of all that it includes."""
    files = _sources(stan_file, (include, stan_file.resolve().parent))
    return tuple((file.name, file.read_text("utf8")) for file in files)


def program_hash(stan_file: Path, include: Path) -> str:
    """Return the SHA-256 hash of a program and of all that it includes."""
    return _program_digest(stan_file, include).hexdigest()


def _model_key(stan_file: Path, include: Path, cmdstan: CmdStan) -> str:
    """Hash all that the executable depends on; CmdStan 2.27 does not notice an edited include."""
    digest = _program_digest(stan_file, include)
    digest.update(f"{cmdstan.path}\0{cmdstan.version}\0{platform.machine()}".encode())
    return digest.hexdigest()[:16]


def _program_digest(stan_file: Path, include: Path) -> hashlib._Hash:
    digest = hashlib.sha256()
    for name, text in program_sources(stan_file, include):
        digest.update(f"{name}\0{text}\0".encode())
    return digest


def _sources(program: Path, folders: Sequence[Path]) -> list[Path]:
    """List a program and all that it includes, directly or not."""
    found = [program]
    for source in found:
        for name in re.findall(r"^\s*#include\s+[<\"]?([^>\"\s]+)", source.read_text("utf8"), re.M):
            included = next((f / name for f in folders if (f / name).is_file()), None)
            if included and included not in found:
                found.append(included)
    return found


def _compile(stan_file: Path, includes: Sequence[Path], cmdstan: CmdStan, quiet: bool) -> None:
    import logging

    import cmdstanpy

    cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
    cmdstanpy.set_cmdstan_path(str(cmdstan.path))
    with (
        step(f"Compiling {stan_file.name} (about 20 s)", quiet=quiet),
        outer_make_forgotten(),
    ):
        try:
            cmdstanpy.CmdStanModel(
                stan_file=str(stan_file),
                stanc_options={"include-paths": [str(folder) for folder in includes]},
            )
        except (ValueError, RuntimeError) as error:
            raise build_failed(f"Compiling {stan_file.name}", str(error), stan_file) from error
