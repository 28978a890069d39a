"""Gather the compiled programs that a platform wheel carries.

``python -m stanoff.cmdstan.bundle FOLDER`` compiles all programs of ``stan/`` and puts them into a
folder, with TBB's library beside them, the licences of what they are made of, and a list of
checksums. It prints the tag that the wheel may have. ``make wheel`` builds the wheel from it.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from stanoff import __version__
from stanoff._lib.processes import run
from stanoff.cmdstan.carried import LIST, machine, sha256
from stanoff.cmdstan.compile import compile_models, executable_of
from stanoff.cmdstan.find import CmdStan
from stanoff.cmdstan.install import ensure_cmdstan
from stanoff.cmdstan.sources import program_hash
from stanoff.errors import ToolchainError

TBB = "stan/lib/stan_math/lib/tbb"
LIBRARIES = {"Linux": "libtbb.so.2", "Darwin": "libtbb.dylib"}
# What is compiled into the programs, or lies beside them: where its licence is in CmdStan.
LICENCES = {
    "CmdStan": "LICENSE",
    "Stan": "stan/LICENSE.md",
    "Stan Math": "stan/lib/stan_math/LICENSE.md",
    "Boost": "stan/lib/stan_math/lib/boost_*/LICENSE_1_0.txt",
    "Eigen": "stan/lib/stan_math/lib/eigen_*/COPYING.MPL2",
    "SUNDIALS": "stan/lib/stan_math/lib/sundials_*/LICENSE",
    "TBB": "stan/lib/stan_math/lib/tbb_*/LICENSE",
}
# The newest libstdc++ that a system with this glibc is sure to have (auditwheel's policies).
LIBSTDCXX = {
    (3, 4, 19): (2, 17),
    (3, 4, 22): (2, 24),
    (3, 4, 24): (2, 27),
    (3, 4, 28): (2, 31),
    (3, 4, 29): (2, 34),
    (3, 4, 30): (2, 35),
    (3, 4, 33): (2, 39),
}
Version = tuple[int, ...]


def bundle(folder: Path, programs: Iterable[Path], include: Path, *, quiet: bool = False) -> str:
    """Fill a folder with compiled programs; return the platform tag of a wheel with them.

    Parameters
    ----------
    folder : Path
        Is made anew.
    programs : iterable of Path
        The Stan programs.
    include : Path
        The folder that ``#include`` starts from.
    quiet : bool
        Show no progress.
    """
    files = sorted(programs)
    cmdstan = ensure_cmdstan(quiet=quiet)
    compile_models(files, include, cmdstan, quiet=quiet)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    library = folder / LIBRARIES[platform.system()]
    shutil.copy(cmdstan.path / TBB / library.name, library)
    for file in files:
        shutil.copy(executable_of(file, include, cmdstan), folder / file.stem)
    binaries = [library, *(folder / file.stem for file in files)]
    for binary in binaries:
        binary.chmod(0o755)
        _look_beside(binary)
    _copy_licences(cmdstan, folder / "licences")
    listed = {
        "stanoff": __version__,
        "machine": machine(),
        "cmdstan": cmdstan.version,
        "libraries": [library.name],
        "of": {program_hash(file, include): file.stem for file in files},
        "sha256": {binary.name: sha256(binary) for binary in binaries},
    }
    (folder / LIST).write_text(json.dumps(listed, indent=1) + "\n", "utf8")
    return tag(binaries)


def tag(binaries: Iterable[Path]) -> str:
    """Return the platform tag that a wheel with these binaries may have.

    On Linux it names the oldest glibc that has all symbols they ask for.
    """
    if platform.system() != "Linux":
        from packaging.tags import platform_tags

        return next(iter(platform_tags()))
    contents = [binary.read_bytes() for binary in binaries]
    glibc = max(_versions(contents, b"GLIBC"), default=(2, 17))
    of_cxx = max(_versions(contents, b"GLIBCXX"), default=(3, 4))
    allowed = [old for newest, old in LIBSTDCXX.items() if newest >= of_cxx]
    if not allowed:
        told = ".".join(map(str, of_cxx))
        raise ToolchainError(f"No manylinux tag allows GLIBCXX_{told}: build on an older system.")
    major, minor, *_ = max(glibc, min(allowed), (2, 17))
    return f"manylinux_{major}_{minor}_{platform.machine()}"


def _versions(contents: Iterable[bytes], name: bytes) -> set[Version]:
    r"""Read which versions of a library's symbols binaries ask for.

    Examples
    --------
    >>> sorted(_versions([b"x\0GLIBC_2.34\0GLIBC_2.3.4\0"], b"GLIBC"))
    [(2, 3, 4), (2, 34)]
    """
    found = (re.findall(rb"\0" + name + rb"_(\d+(?:\.\d+)+)(?=\0)", text) for text in contents)
    return {tuple(map(int, number.split(b"."))) for numbers in found for number in numbers}


def _look_beside(binary: Path) -> None:
    """Let a binary look for its libraries in its own folder, and drop its symbols."""
    if platform.system() == "Darwin":
        (told,) = run([["otool", "-l", binary]])
        paths = re.findall(r"cmd LC_RPATH\n.*\n\s*path (\S+)", told.output)
        beside = [part for path in paths for part in ("-delete_rpath", path)]
        commands: list[list[str | Path]] = [
            ["strip", "-x", binary],
            ["install_name_tool", *beside, "-add_rpath", "@loader_path", binary],
            ["codesign", "--force", "--sign", "-", binary],
        ]
    else:
        commands = [["strip", "--strip-unneeded", binary]]
    for command in commands:
        (child,) = run([command])
        if child.code:
            raise ToolchainError(f"{command[0]} {binary.name} failed: {child.errors.strip()}")
    if platform.system() == "Linux":
        binary.write_bytes(with_run_path(binary.read_bytes()))
        (told,) = run([["readelf", "-d", binary]])
        if re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", told.output) != ["$ORIGIN"]:
            raise ToolchainError(f"The run path of {binary.name} could not be set to $ORIGIN.")


def with_run_path(content: bytes) -> bytes:
    r"""Replace the run path of an ELF file, which ends in TBB's folder, by $ORIGIN.

    The new path is shorter than the old one and takes its place; zeros fill the rest.

    Examples
    --------
    >>> with_run_path(b"..\0/x/stan/lib/stan_math/lib/tbb\0..")[3:12]
    b'$ORIGIN\x00\x00'
    """
    return re.sub(
        rb"(?<=\0)/[^\0]*" + TBB.encode() + rb"(?=\0)",
        lambda found: b"$ORIGIN".ljust(len(found[0]), b"\0"),
        content,
    )


def _copy_licences(cmdstan: CmdStan, folder: Path) -> None:
    folder.mkdir()
    for name, pattern in LICENCES.items():
        found = sorted(cmdstan.path.glob(pattern))
        if not found:
            raise ToolchainError(f"The licence of {name} is not at {cmdstan.path / pattern}.")
        text = found[0].read_text("utf8", errors="replace")
        (folder / f"{name.replace(' ', '_')}.txt").write_text(text, "utf8")


def main(folder: str) -> None:
    """Fill a folder for the wheel, and write its tag down beside it."""
    from stanoff.models import stan_folder

    told = bundle(Path(folder), stan_folder().glob("*.stan"), stan_folder())
    Path(folder, "tag").write_text(told, "utf8")
    print(told)


if __name__ == "__main__":
    main(*sys.argv[1:])
