"""Gather the compiled programs that a platform wheel carries.

``python src/bundle_models.py FOLDER`` compiles all programs of ``stan/`` and puts them into a
folder, with TBB's library beside them, the licences of what they are made of, and a manifest. It
prints the tag that the wheel may have. ``make wheel`` builds the wheel from it.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from stanoff.engines.cmdstan import MANIFEST, CmdStan, program_hash, stan_folder
from stanoff.engines.toolchain import compile_programs, ensure_cmdstan, executable_path
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


def bundle(folder: Path, programs: Iterable[Path], *, quiet: bool = False) -> str:
    """Fill a folder with compiled programs; return the platform tag of a wheel with them.

    Parameters
    ----------
    folder : Path
        Is made anew.
    programs : iterable of Path
        The Stan programs.
    quiet : bool
        Show no progress.
    """
    files = sorted(programs)
    cmdstan = ensure_cmdstan(quiet=quiet)
    compile_programs(files, cmdstan, quiet=quiet)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    library = folder / LIBRARIES[platform.system()]
    shutil.copy(cmdstan.path / TBB / library.name, library)
    for file in files:
        shutil.copy(executable_path(file, cmdstan), folder / file.stem)
    binaries = [library, *(folder / file.stem for file in files)]
    for binary in binaries:
        binary.chmod(0o755)
        _look_beside(binary)
    _copy_licences(cmdstan, folder / "licences")
    manifest = {
        "cmdstan": cmdstan.version,
        "programs": {program_hash(file): file.stem for file in files},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf8")
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
        newest = ".".join(map(str, of_cxx))
        raise ToolchainError(f"No manylinux tag allows GLIBCXX_{newest}: build on an older system.")
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
        paths = re.findall(r"cmd LC_RPATH\n.*\n\s*path (\S+)", _run("otool", "-l", binary))
        deletions = [word for path in paths for word in ("-delete_rpath", path)]
        commands: list[list[str | Path]] = [
            ["strip", "-x", binary],
            ["install_name_tool", *deletions, "-add_rpath", "@loader_path", binary],
            ["codesign", "--force", "--sign", "-", binary],
        ]
    else:
        commands = [["strip", "--strip-unneeded", binary]]
    for command in commands:
        _run(*command)
    if platform.system() == "Linux":
        binary.write_bytes(with_run_path(binary.read_bytes()))
        if re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", _run("readelf", "-d", binary)) != ["$ORIGIN"]:
            raise ToolchainError(f"The run path of {binary.name} could not be set to $ORIGIN.")


def _run(*command: str | Path) -> str:
    """Run a program, and return what it printed."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ToolchainError(f"{' '.join(map(str, command))} failed: {ran.stderr.strip()}")
    return ran.stdout


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
    platform_tag = bundle(Path(folder), stan_folder().glob("*.stan"))
    Path(folder, "tag").write_text(platform_tag, "utf8")
    print(platform_tag)


if __name__ == "__main__":
    main(*sys.argv[1:])
