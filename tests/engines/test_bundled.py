"""Compiled programs that came with the wheel: used on a machine that has nothing, or left alone."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from stanoff import ToolchainError, compare_counts
from stanoff.engines import cmdstan, toolchain
from stanoff.engines.cmdstan import usable_bundle
from stanoff.engines.sampling import select_engine
from stanoff.engines.toolchain import examine
from stanoff.models import MODELS

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP / "src"))
import bundle_models  # noqa: E402

PROGRAMS = [model.stan_file for model in MODELS.values() if model.inputs]
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
    bundle_models.main(str(folder))
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """The paired model alone, as if it had come with this stanoff."""
    folder = tmp_path / "compiled"
    folder.mkdir()
    for name in ("paired", next(made.glob("libtbb.*")).name, cmdstan.MANIFEST):
        shutil.copy(made / name, folder / name)
    monkeypatch.setattr(cmdstan, "COMPILED", folder)
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
    assert {name for name, model in MODELS.items() if model.inputs} <= names
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
    monkeypatch.setattr(bundle_models.platform, "system", lambda: "Linux")
    monkeypatch.setattr(bundle_models.platform, "machine", lambda: "aarch64")
    file = tmp_path / "binary"
    file.write_bytes(b"\0".join([b"x", *(symbol.encode() for symbol in symbols), b"y"]))
    assert bundle_models.tag([file]) == f"manylinux_{glibc}_aarch64"
    file.write_bytes(b"x\0GLIBCXX_3.4.99\0")
    with pytest.raises(ToolchainError, match=r"No manylinux tag allows GLIBCXX_3\.4\.99"):
        bundle_models.tag([file])


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
    found = usable_bundle(PAIRED.stan_file)
    assert (found.executable, found.flaw) == (folder / "paired", None)
    assert toolchain.compile_program(PAIRED.stan_file).exe_file == str(folder / "paired")
    assert select_engine(PAIRED, None) == ("stan", None)
    assert toolchain.cmdstan_version(PAIRED.stan_file) >= (2, 27)


def test_another_text_of_the_program_has_no_executable(folder, tmp_path):
    copy = tmp_path / "paired.stan"
    shutil.copy(PAIRED.stan_file, copy)
    assert usable_bundle(copy)
    copy.write_text(copy.read_text() + "\n// edited\n")
    assert usable_bundle(copy) is None


def test_a_cmdstan_that_is_named_is_used_instead(folder, monkeypatch):
    monkeypatch.setenv("CMDSTAN", "/somewhere")
    assert usable_bundle(PAIRED.stan_file) is None


def test_what_cmdstanpy_is_offered_is_no_wish_of_the_users(folder, monkeypatch):
    monkeypatch.setattr(cmdstan, "_offered", [])
    cmdstan.offer_cmdstan()
    assert os.environ["CMDSTAN"] == str(cmdstan.find_cmdstan().path)
    assert usable_bundle(PAIRED.stan_file) is not None
    monkeypatch.delenv("CMDSTAN")


OLD = b"""#!/bin/sh
echo "paired: /lib/libc.so.6: version \\`GLIBC_2.34' not found (required by paired)" >&2
exit 1
"""
FLAWS = {
    "lost": (lambda f: (f / "libtbb.so.2").unlink(), "it does not start (.*libtbb"),
    "mode": (lambda f: (f / "paired").chmod(0o644), "it does not start (Permission denied"),
    "format": (lambda f: (f / "paired").write_bytes(b"\x7fELF"), "it does not start (Exec format"),
    "old glibc": (lambda f: (f / "paired").write_bytes(OLD), "it does not start (.*GLIBC_2.34"),
    "crash": (lambda f: (f / "paired").write_bytes(b"#!/bin/sh\nexit 3\n"), "exit code 3"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_what_does_not_start_is_told_in_one_sentence(flaw, folder, nothing, capsys):
    spoil, words = FLAWS[flaw]
    spoil(folder)
    sentence = usable_bundle(PAIRED.stan_file).flaw
    assert sentence.startswith("The compiled paired that came with stanoff cannot be used: ")
    assert re.search(words.replace("(", r"\("), sentence)
    assert "\n" not in sentence
    result = compare_counts([30, 4, 1, 5], [1, 1, 1, 90], seed=1, draws=100)
    assert result.engine == "exact"
    [told] = [text for text in result.warnings if "not Stan's" in text]
    assert f"there is no CmdStan. {sentence} The posterior is the same." in told
    toolchain._print_once.cache_clear()
    with pytest.raises(ToolchainError, match="cannot be built without"):
        compare_counts([30, 4, 1, 5], [1, 1, 1, 90], seed=1, engine="stan")
    assert capsys.readouterr().err == f"{sentence} It is compiled here.\n"
    [finding] = [finding for finding in examine(PROGRAMS) if finding.subject == "compiled paired"]
    assert (finding.good, finding.description) == (False, sentence)


@pytest.mark.stan
def test_a_toolchain_takes_the_place_of_a_program_that_does_not_start(folder, capsys):
    (folder / "paired").write_bytes(b"")
    toolchain._print_once.cache_clear()
    executable = Path(toolchain.compile_program(PAIRED.stan_file).exe_file)
    assert not executable.is_relative_to(folder)
    assert capsys.readouterr().err.count("It is compiled here.") == 1
    assert compare_counts([30, 4, 1, 5], [1, 1, 1, 90], seed=1).engine == "stan"
    assert capsys.readouterr().err == ""  # it has been said


def test_doctor_and_setup_are_content_with_what_came(made, tmp_path, nothing, monkeypatch, capsys):
    from stanoff.cli import main

    monkeypatch.setattr(cmdstan, "COMPILED", made)
    findings = {finding.subject: finding for finding in examine(PROGRAMS)}
    assert all(finding.good for finding in findings.values())
    description = findings["CmdStan"].description
    assert "not found, and only needed for Stan programs of your own" in description
    main(["setup"], standalone_mode=False)
    assert "Ready: all models came compiled with stanoff." in capsys.readouterr().err
    main(["setup", "--toolchain"], standalone_mode=False)
    assert "CmdStan cannot be built without" in capsys.readouterr().err
