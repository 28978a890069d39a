"""Compiled programs that came with the wheel: used on a machine that has nothing, or left alone."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from stanoff import ToolchainError, compare_counts
from stanoff.cmdstan import bundle, carried, compile
from stanoff.cmdstan.carried import find_carried, sha256
from stanoff.cmdstan.doctor import examine
from stanoff.engines import chosen
from stanoff.models import MODELS, stan_folder

TOP = Path(__file__).parents[2]
PAIRED = MODELS["paired"]
COUNTS = "[310, 25, 20, 43], [40, 30, 25, 7039]"
VERDICT = f"""
import stanoff
result = stanoff.compare_counts({COUNTS}, seed=3)
print(result.engine, result.provenance.versions.get("cmdstan"))
print(result.draws.posterior["delta"].tobytes().hex())
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What the wheel carries, of the programs as the tests have compiled them."""
    folder = tmp_path_factory.mktemp("made") / "compiled"
    bundle.main(str(folder))
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """The paired model alone, as if it had come with this stanoff."""
    listed = json.loads((made / carried.LIST).read_text())
    folder = tmp_path / "compiled"
    folder.mkdir()
    for name in ("paired", *listed["libraries"], carried.LIST):
        shutil.copy(made / name, folder / name)
    monkeypatch.setattr(carried, "FOLDER", folder)
    monkeypatch.delenv("CMDSTAN", raising=False)
    return folder


@pytest.fixture
def nothing(tmp_path, monkeypatch):
    """A machine without CmdStan and without programs."""
    (tmp_path / "empty").mkdir()
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path / "empty/cache"))


@pytest.mark.stan
def test_the_wheel_gives_a_verdict_where_there_is_nothing(made, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    environment = os.environ | {"STANOFF_COMPILED": str(made)}
    subprocess.run(build, cwd=TOP, env=environment, capture_output=True, check=True)
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name.endswith(f"-py3-none-{(made / 'tag').read_text()}.whl")
    assert wheel.stat().st_size < 15_000_000
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).name for name in archive.namelist() if "/compiled/" in name}
    assert {file.stem for file in (TOP / "stan").glob("*.stan")} <= names
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
    subprocess.run([*pip, str(installed), str(wheel)], check=True)
    code = f"import sys; sys.path.insert(0, {str(installed)!r})\n{VERDICT}"
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code],
        env={"PATH": str(empty), "HOME": str(empty), "MPLCONFIGDIR": str(tmp_path)},
        cwd=empty,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    told, draws = ran.stdout.splitlines()
    assert re.fullmatch(r"stan 2\.\d+", told)
    assert ran.stderr == ""
    assert not (empty / ".cache/stanoff").exists()  # nothing was compiled
    here = eval(f"compare_counts({COUNTS}, seed=3, engine='stan')")
    assert here.draws.posterior["delta"].tobytes().hex() == draws  # the same program, to the bit


def test_the_binaries_look_for_tbb_beside_them_and_name_no_other_folder(made):
    for name in ("paired", "libtbb.so.2"):
        content = (made / name).read_bytes()
        assert b"\0$ORIGIN\0" in content
        assert b"stan_math/lib/tbb\0" not in content


def test_the_tag_is_that_of_the_newest_symbol(made):
    """Readelf decodes the tables that the tag is read from as plain text."""
    if not shutil.which("readelf"):
        pytest.skip("there is no readelf")
    files = [file for file in made.iterdir() if file.is_file() and os.access(file, os.X_OK)]
    told = subprocess.run(["readelf", "-V", *files], capture_output=True, text=True, check=True)
    asked = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", told.stdout)
    newest = max((int(a), int(b)) for a, b in asked)
    tag = re.match(r"manylinux_(\d+)_(\d+)_", (made / "tag").read_text())
    assert (int(tag[1]), int(tag[2])) >= newest
    for name in (*(f"GLIBC_{a}.{b}" for a, b in asked), "GLIBCXX_3.4"):
        assert name in told.stdout


@pytest.mark.parametrize(
    ("symbols", "glibc"),
    [
        (["GLIBC_2.3.4", "GLIBC_2.4"], "2_17"),
        (["GLIBC_2.9", "GLIBC_2.38"], "2_38"),
        (["GLIBC_2.34", "GLIBCXX_3.4.29"], "2_34"),
        (["GLIBC_2.17", "GLIBCXX_3.4.30"], "2_35"),
        (["GLIBC_2.17", "GLIBCXX_3.4.23"], "2_27"),
    ],
)
def test_the_tag_follows_both_libraries(tmp_path, monkeypatch, symbols, glibc):
    monkeypatch.setattr(bundle.platform, "system", lambda: "Linux")
    monkeypatch.setattr(bundle.platform, "machine", lambda: "aarch64")
    file = tmp_path / "binary"
    file.write_bytes(b"\0".join([b"x", *(symbol.encode() for symbol in symbols), b"y"]))
    assert bundle.tag([file]) == f"manylinux_{glibc}_aarch64"
    file.write_bytes(b"x\0GLIBCXX_3.4.99\0")
    with pytest.raises(ToolchainError, match=r"No manylinux tag allows GLIBCXX_3\.4\.99"):
        bundle.tag([file])


def test_licences_are_those_of_all_that_is_inside(made):
    texts = {file.stem: file.read_text() for file in (made / "licences").iterdir()}
    words = {
        "CmdStan": "Redistribution and use",
        "Stan": "BSD",
        "Stan_Math": "BSD",
        "Boost": "Boost Software License",
        "Eigen": "Mozilla Public License",
        "SUNDIALS": "Lawrence Livermore",
        "TBB": "Apache License",
    }
    assert set(texts) == set(words)
    for name, word in words.items():
        assert word in texts[name], name


def test_a_program_that_fits_is_used_without_a_toolchain(folder, nothing):
    found = find_carried(PAIRED.stan_file, stan_folder())
    assert (found.executable, found.flaw) == (folder / "paired", None)
    assert compile.compile_model(PAIRED.stan_file, stan_folder()) == folder / "paired"
    assert chosen(PAIRED, None) == ("stan", None)
    assert compile.cmdstan_version(PAIRED.stan_file, stan_folder()) >= (2, 27)


def test_another_text_of_the_program_has_no_executable(folder, tmp_path):
    shutil.copytree(stan_folder(), tmp_path / "stan")
    include = tmp_path / "stan/functions/measures.stanfunctions"
    assert find_carried(tmp_path / "stan/paired.stan", tmp_path / "stan")
    include.write_text(include.read_text() + "\n// edited\n")
    assert find_carried(tmp_path / "stan/paired.stan", tmp_path / "stan") is None


def test_a_cmdstan_that_is_named_is_used_instead(folder, monkeypatch):
    monkeypatch.setenv("CMDSTAN", "/somewhere")
    assert find_carried(PAIRED.stan_file, stan_folder()) is None


def relisted(folder, **changes):
    """Write another list of what the folder holds."""
    listed = json.loads((folder / carried.LIST).read_text()) | changes
    listed["sha256"]["paired"] = sha256(folder / "paired")
    (folder / carried.LIST).write_text(json.dumps(listed))
    carried._listed.cache_clear()
    carried._does_not_start.cache_clear()


def damage(folder):
    with (folder / "paired").open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff")


def replace(folder, content):
    (folder / "paired").write_bytes(content)
    relisted(folder)


OLD = b"""#!/bin/sh
echo "paired: /lib/libc.so.6: version \\`GLIBC_2.34' not found (required by paired)" >&2
exit 1
"""
FLAWS = {
    "damaged": (damage, "paired is damaged"),
    "library": (lambda f: (f / "libtbb.so.2").write_bytes(b""), "libtbb.so.2 is damaged"),
    "lost": (lambda f: (f / "libtbb.so.2").unlink(), "libtbb.so.2 cannot be read (No such file"),
    "machine": (lambda f: relisted(f, machine="Linux-riscv64"), "it was made for Linux-riscv64, a"),
    "version": (lambda f: relisted(f, stanoff="0.0.1"), "it was made for stanoff 0.0.1, and this"),
    "mode": (lambda f: (f / "paired").chmod(0o644), "it may not be executed"),
    "format": (lambda f: replace(f, b"\x7fELF\0\0"), "it does not start (Exec format error)"),
    "old glibc": (lambda f: replace(f, OLD), "it needs GLIBC 2.34, which is newer than this"),
    "crash": (lambda f: replace(f, b"#!/bin/sh\nkill -SEGV $$\n"), "it does not start (SIGSEGV)"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_what_does_not_fit_is_told_in_one_sentence(flaw, folder, nothing, capsys):
    spoil, words = FLAWS[flaw]
    spoil(folder)
    carried._does_not_start.cache_clear()
    found = find_carried(PAIRED.stan_file, stan_folder())
    sentence = f"The compiled paired that came with stanoff cannot be used: {found.flaw}."
    assert found.flaw.startswith(words)
    assert "\n" not in sentence
    result = compare_counts([30, 4, 1, 5], [1, 1, 1, 90], seed=1, draws=100)
    assert result.engine == "exact"
    [told] = [text for text in result.warnings if "not Stan's" in text]
    assert f"there is no CmdStan. {sentence} The posterior is the same." in told
    carried.say_once.cache_clear()
    with pytest.raises(ToolchainError, match="cannot be built without"):
        compare_counts([30, 4, 1, 5], [1, 1, 1, 90], seed=1, engine="stan")
    assert capsys.readouterr().err == f"{sentence} It is compiled here.\n"
    [doctors] = [one for one in examine() if one.what == "compiled paired"]
    assert (doctors.good, doctors.found) == (False, sentence)


@pytest.mark.stan
def test_a_toolchain_takes_the_place_of_a_damaged_program(folder, capsys):
    damage(folder)
    carried.say_once.cache_clear()
    executable = compile.compile_model(PAIRED.stan_file, stan_folder())
    assert not executable.is_relative_to(folder)
    assert capsys.readouterr().err.count("paired is damaged. It is compiled here.") == 1
    assert compare_counts([30, 4, 1, 5], [1, 1, 1, 90], seed=1).engine == "stan"
    assert capsys.readouterr().err == ""  # it has been said


def test_doctor_and_setup_are_content_with_what_came(made, tmp_path, nothing, monkeypatch, capsys):
    from stanoff.cli import main

    monkeypatch.setattr(carried, "FOLDER", made)
    findings = {one.what: one for one in examine()}
    assert all(one.good for one in findings.values())
    assert "not found, and only needed for Stan programs of your own" in findings["CmdStan"].found
    main(["setup"], standalone_mode=False)
    assert "Ready: all models came compiled with stanoff." in capsys.readouterr().err
    main(["setup", "--toolchain"], standalone_mode=False)
    assert "CmdStan cannot be built without" in capsys.readouterr().err
