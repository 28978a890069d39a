"""Stanoff stops when it is told to, and leaves nothing behind; trials.py has the trials."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from trials import TRIALS, WAYS, Stage, comparing, held, plant, staged, stanoff, with_cache

from stanoff._lib import files, stopping
from stanoff._lib.stopping import workers
from stanoff.engines.cmdstan import find_cmdstan
from stanoff.engines.toolchain import compile_program, executable_path
from stanoff.errors import StanoffError
from stanoff.models import MODELS

QUICK = [  # one of each; the rest are slow tests
    ("a program that never ends", "Ctrl-C"),
    ("a program that never ends", "SIGTERM"),
    ("a program that never ends", "SIGHUP"),
    ("a study with --jobs 2", "SIGINT"),
    ("compiling", "SIGTERM"),
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


CHILDREN = """
import subprocess, sys, time
from pathlib import Path
from stanoff._lib.stopping import stopping_children
with stopping_children([Path(sys.argv[1])]):
    subprocess.Popen(["sh", "-c", "sleep 60 & sleep 61", sys.argv[1] + "/ours"])
    print(subprocess.Popen(["sleep", "62"]).pid, flush=True)
    time.sleep(30)
"""


@pytest.mark.parametrize("way", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_our_children_and_theirs_and_no_other(tmp_path, way):
    """A library is used without our command line: the default action of the signal follows."""
    stage = Stage(tmp_path)
    command = [sys.executable, "-c", CHILDREN, str(tmp_path)]
    parent = subprocess.Popen(
        command,
        env=stage.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    other = int(parent.stdout.readline())
    while sum("sleep 6" in line for line in stage.running()) < 4:  # three, and the shell
        time.sleep(0.02)
    parent.send_signal(signal.Signals[way])
    assert parent.wait(timeout=3) == -signal.Signals[way]
    deadline = time.monotonic() + 1
    while len(stage.running()) > 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [line.strip() for line in stage.running()] == ["sleep 62"]
    os.kill(other, signal.SIGKILL)
    parent.stdout.close()


LATE = """
import subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from stanoff._lib.stopping import stopping_children
def run():
    time.sleep(0.5)
    subprocess.run([sys.argv[1] + "/sleeper", "60"])
with stopping_children([Path(sys.argv[1])]), ThreadPoolExecutor(2) as pool:
    for _ in range(4):
        pool.submit(run)
"""


def test_what_threads_start_late_is_stopped_too(tmp_path):
    """A terminal's Ctrl-C ends the first programs before we do; others are still in the queue."""
    stage = Stage(tmp_path)
    shutil.copy(shutil.which("sleep"), tmp_path / "sleeper")
    command = [sys.executable, "-c", LATE, str(tmp_path)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    parent = subprocess.Popen(command, env=stage.environment(), start_new_session=True, **quiet)
    while sum("sleeper 60" in line for line in stage.running()) < 2:
        time.sleep(0.02)
    os.killpg(parent.pid, signal.SIGINT)
    try:
        assert parent.wait(timeout=6) != 0
        assert stage.running() == []
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(parent.pid, signal.SIGKILL)


def test_handlers_are_put_back_and_called(tmp_path, monkeypatch):
    called = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: called.append(number))
    try:
        with stopping.stopping_children([tmp_path]):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert called == [signal.SIGTERM] * 2
    finally:
        signal.signal(signal.SIGTERM, before)


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


def test_temporary_folders_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
    with files.temporary_folder() as folder:
        (folder / "chain-1.csv").write_text("1,2")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_nothing(tmp_path):
    def fail():
        with files.atomic_write(tmp_path / "y.txt") as aside:
            aside.write_text("1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_no_room_for_temporary_files_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path / "nowhere"))
    with (
        pytest.raises(StanoffError, match=r"No temporary folder can be made .*: set TMPDIR"),
        files.temporary_folder(),
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
        ("echo Posterior is improper. Please check your model.; exit 70", "check your model."),
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


MAKEFILE = """CMDSTAN_VERSION := 2.27.0
%: %.stan
\tprintf '#!/bin/sh\\nexit 3\\n' > $@ && chmod +x $@
"""
STANC = "#!/bin/sh\necho '{}'\n"


def compiler(folder: Path) -> Path:
    """Make a CmdStan whose compiler makes programs that just stop."""
    (folder / "bin").mkdir(parents=True)
    (folder / "stan/lib/stan_math/lib/tbb").mkdir(parents=True)
    (folder / "stan/lib/stan_math/lib/tbb/libtbb.so.2").touch()
    (folder / "makefile").write_text(MAKEFILE)
    (folder / "bin/stanc").write_text(STANC)
    (folder / "bin/stanc").chmod(0o755)
    return folder


def test_what_a_killed_compilation_left_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CMDSTAN", str(compiler(tmp_path / "cmdstan")))
    file = executable_path(MODELS["paired"].stan_file, find_cmdstan())
    left = file.parent.with_name(f".{file.parent.name}.building")
    left.mkdir(parents=True)
    (left / "paired").write_text("half of a program")
    compile_program(MODELS["paired"].stan_file, quiet=True)
    assert file.read_text() == "#!/bin/sh\nexit 3\n"
    assert not left.exists()


def test_a_cmdstan_that_is_not_built_is_skipped_by_all(tmp_path, monkeypatch):
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
