"""Stanoff stops when it is told to, and leaves nothing behind; trials.py has the trials."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from trials import TRIALS, WAYS, Stage, comparing, held, plant, staged, stanoff, with_cache

from stanoff._lib import files, processes
from stanoff._lib.workers import workers
from stanoff.errors import StanoffError

QUICK = [  # one of each; the rest are slow tests
    ("a program that never ends", "Ctrl-C"),
    ("a program that never ends", "SIGTERM"),
    ("a program that never ends", "SIGKILL"),
    ("a study with --jobs 2", "SIGINT"),
    ("compiling", "SIGTERM"),
    ("compiling", "SIGKILL"),
    ("sampling with Stan", "Ctrl-C"),
    ("saving", "SIGKILL"),
]
KNOWN = {trial.what: trial for trial in TRIALS}


@pytest.mark.stan
@pytest.mark.parametrize(("what", "way"), QUICK)
def test_what_is_stopped_is_gone(what, way):
    assert held(KNOWN[what], way, 0.2) == ""


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", KNOWN)
def test_what_is_stopped_is_gone_in_every_way(what, way):
    if way in KNOWN[what].ways:
        assert held(KNOWN[what], way, 0.7) == ""


def test_a_grandchild_ends_with_us(tmp_path):
    """Make starts compilers: they have to go, too, when nobody has time to say so."""
    program = (
        "from stanoff._lib.processes import run\n"
        "from pathlib import Path\n"
        f"run([['sh', '-c', 'sleep 60 & sleep 61']], tidy=[Path({str(tmp_path / 'gone')!r})])"
    )
    (tmp_path / "gone").mkdir()
    stage = Stage(tmp_path)
    parent = subprocess.Popen([sys.executable, "-c", program], env=stage.environment())
    while sum("sleep" in line for line in stage.running()) < 3:  # two, and the shell
        assert parent.poll() is None
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 3
    while stage.running() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert stage.running() == []
    assert not (tmp_path / "gone").exists()


def test_children_are_heard_and_told_apart():
    heard, ends = [], []
    script = "echo out $0; echo err $0 >&2; exit $0"
    children = processes.run(
        [["sh", "-c", script, str(code)] for code in (0, 3, 4)],
        at_once=2,
        heard=lambda place, line: heard.append((place, line)),
        ended=lambda place, child: ends.append(place),
    )
    assert [child.code for child in children] == [0, 3, 4]
    assert [child.output for child in children] == ["out 0\n", "out 3\n", "out 4\n"]
    assert [child.errors for child in children] == ["err 0\n", "err 3\n", "err 4\n"]
    assert sorted(heard) == [(0, "out 0\n"), (1, "out 3\n"), (2, "out 4\n")]
    assert sorted(ends) == [0, 1, 2]
    (killed,) = processes.run([["sh", "-c", "kill -SEGV $$"]])
    assert killed.signal == "SIGSEGV"


def test_an_exception_stops_the_children(tmp_path):
    def stop(place, line):
        raise KeyboardInterrupt

    tidy = tmp_path / "folder"
    tidy.mkdir()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        processes.run([["sh", "-c", "echo; sleep 30"]], heard=stop, tidy=[tidy])
    assert time.monotonic() - start < 3
    assert not tidy.exists()


def test_workers_stop_when_the_block_is_left():
    def leave_early():
        with workers(2) as submit:
            submit(time.sleep, 60)
            left.append(submit(os.getpid).result())
            left.append(time.monotonic())
            raise ZeroDivisionError

    left = []
    with pytest.raises(ZeroDivisionError):
        leave_early()
    worker, since = left
    assert worker != os.getpid()
    assert time.monotonic() - since < 3


def test_folders_of_killed_processes_are_swept(tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "stanoff-scratch-abcdefgh"
    left.mkdir()
    (left / "chain-1.csv").write_text("1,2")
    (tmp_path / "stanoff-report").mkdir()  # somebody's own
    with files.scratch() as mine:
        assert not left.exists()
        with files.scratch() as other:
            assert mine.exists()
            assert other != mine
    assert [path.name for path in tmp_path.iterdir()] == ["stanoff-report"]


def test_files_of_killed_writes_are_swept(tmp_path):
    (tmp_path / ".x.nc.abcdefgh.aside").touch()
    (tmp_path / ".x.nc.mine").touch()
    with files.aside(tmp_path / "y.txt") as one:
        one.write_text("1")
        files.write_text(tmp_path / "z.txt", "2")  # while another write is under way
        assert one.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".x.nc.mine", "y.txt", "z.txt"]


def test_no_room_for_temporary_files_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path / "nowhere"))
    with (
        pytest.raises(StanoffError, match=r"No temporary folder can be made .*: set TMPDIR"),
        files.scratch(),
    ):
        pass


def ran(command, stage, changes):
    return subprocess.run(
        command,
        env=stage.environment() | changes,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("echo Exception: beta is wrong; exit 1", "Exception: beta is wrong"),
        ("echo 'loading libtbb failed' >&2; exit 127", "loading libtbb failed"),
        ("kill -SEGV $$", "SIGSEGV ended it"),
        ("exit 1", "it did not say why"),
        ("exit 0", "No such file or directory"),
    ],
)
@pytest.mark.stan
def test_why_a_program_stopped_is_told_in_its_own_words(program, words):
    with staged() as stage:
        plant(f"#!/bin/sh\n{program}\n".encode(), stage)
        said = ran(comparing(stage), stage, with_cache(stage))
        assert said.returncode == 1
        last = said.stderr.splitlines()[-1]
        assert last.startswith("Error: paired.stan stopped: ")
        assert words in last
        assert "Chain" not in said.stderr
        assert not any(stage.tmp.iterdir())


DAMAGE = {
    "empty": lambda file: file.write_bytes(b""),
    "cut in half": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "not to be run": lambda file: file.chmod(0o644),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
}
MAKEFILE = """CMDSTAN_VERSION := 2.27.0
%: %.hpp
\tprintf '#!/bin/sh\\nexit 3\\n' > $@ && chmod +x $@
"""
STANC = '#!/bin/sh\nfor a; do case $a in --o=*) echo > "${a#--o=}";; esac; done\n'


def compiler(folder: Path) -> Path:
    """Make a CmdStan whose compiler makes programs that just stop."""
    (folder / "bin").mkdir(parents=True)
    (folder / "stan/lib/stan_math/lib/tbb").mkdir(parents=True)
    (folder / "stan/lib/stan_math/lib/tbb/libtbb.so.2").touch()
    (folder / "makefile").write_text(MAKEFILE)
    (folder / "bin/stanc").write_text(STANC)
    (folder / "bin/stanc").chmod(0o755)
    return folder


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_executable_is_noticed_and_compiled_again(tmp_path, monkeypatch, damage):
    from stanoff.cmdstan.compile import compile_model, sound
    from stanoff.models import MODELS, stan_folder

    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CMDSTAN", str(compiler(tmp_path / "cmdstan")))
    paired = MODELS["paired"].stan_file, stan_folder()
    file = compile_model(*paired, quiet=True)
    good = file.read_bytes()
    DAMAGE[damage](file)
    assert not sound(file)
    told = subprocess.run(stanoff("doctor"), capture_output=True, text=True, check=False)
    assert f"MISSING  model paired: {file} is damaged" in told.stdout
    assert compile_model(*paired, quiet=True) == file
    assert file.read_bytes() == good
    assert sound(file)
    assert [path.name for path in file.parents[1].glob(".*") if path.suffix != ".lock"] == []


def test_what_a_killed_compilation_left_is_swept(tmp_path, monkeypatch):
    from stanoff.cmdstan.compile import compile_model
    from stanoff.models import MODELS, stan_folder

    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CMDSTAN", str(compiler(tmp_path / "cmdstan")))
    left = tmp_path / "cache/models/.joint-0123456789abcdef.building"
    left.mkdir(parents=True)
    compile_model(MODELS["paired"].stan_file, stan_folder(), quiet=True)
    assert not left.exists()


def test_a_cmdstan_that_is_not_built_is_skipped_by_all(tmp_path, monkeypatch):
    from stanoff.cmdstan.find import find_cmdstan

    home = tmp_path / "home"
    (home / ".cmdstan/cmdstan-9.99.0").mkdir(parents=True)
    shutil.copytree(compiler(tmp_path / "x"), home / ".cmdstan/cmdstan-2.36.0")
    (home / ".cmdstan/cmdstan-2.36.0/bin/stanc").unlink()
    built = home / ".cmdstan/cmdstan-2.35.0"
    shutil.copytree(tmp_path / "x", built)
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path / "cache"))
    assert find_cmdstan().path == built
    shutil.rmtree(home / ".cmdstan")
    (home / ".cmdstan").touch()  # a file
    own = tmp_path / "cache/cmdstan/cmdstan-2.27.0"
    own.parent.mkdir(parents=True)
    shutil.move(tmp_path / "x", own)
    for command in (["doctor"], ["setup"]):
        told = subprocess.run(stanoff(*command), capture_output=True, text=True, check=False)
        assert f"2.27 at {own}" in told.stdout + told.stderr
