"""Stop stanoff in the middle of its work, in every way and at random moments; see what is left.

    python tests/trials.py [TRIES]

prints a table (what, tries, held) and writes it to reports/benchmark/trials.csv. A trial has held
if the command ends within SECONDS, with exit code 130 and no traceback where it could say so; if
nothing that it started is running then, TMPDIR is empty, and what it wrote is whole or not there.
"""

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from stanoff.engines.cmdstan import find_cmdstan
from stanoff.engines.toolchain import executable_path
from stanoff.models import MODELS

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "reports/benchmark/trials.csv"
SECONDS = 3.0
PATIENCE = 60.0  # until what is to be stopped has begun, on a busy machine
LONG_STUDY = """
models = ["paired"]
classifiers = ["nb_bern", "nb_mult", "svm_l1", "svm_l2"]
measures = ["f1"]
positive = 8
engine = "{engine}"
draws = {draws}
seed = 3
figures = ["posterior"]
[data]
file = "predictions.csv"
truth = "truth"
"""
SAVING = """
import sys, numpy as np
from stanoff import compare_counts
result = compare_counts([30, 4, 1, 5], [1, 1, 1, 90], engine="exact", seed=1, draws=400_000)
while True:
    result.save(sys.argv[1])
"""
ENDLESS = "#!/bin/sh\n[ $1 = info ] && exit\ntrap '' TERM\nwhile :; do sleep 0.1; done\n"
WAYS = ("Ctrl-C", "SIGINT", "SIGTERM", "SIGHUP")


@dataclass
class Stage:
    """Where a trial plays: folders of its own, and processes that can be told from others."""

    folder: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def tmp(self) -> Path:
        return self.folder / "tmp"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def environment(self) -> dict[str, str]:
        for folder in (self.tmp, self.out):
            folder.mkdir(exist_ok=True)
        return os.environ | {"TMPDIR": str(self.tmp), "STANOFF_TRIAL": self.mark}

    def running(self) -> list[str]:
        """List the command lines of all that was started here and still runs."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (process / "environ").read_bytes():
                    told = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                    found.append(told.decode(errors="replace"))
            except OSError:  # gone meanwhile
                continue
        return found


@dataclass(frozen=True)
class Trial:
    """Something to be stopped."""

    what: str
    start: Callable[[Stage], tuple[list[str], dict[str, str]]]
    begun: Callable[[Stage], bool]
    whole: Callable[[Stage], str] = lambda stage: ""
    ways: tuple[str, ...] = WAYS


def stanoff(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "stanoff", *map(str, arguments)]


def comparing(stage: Stage, *options: object) -> list[str]:
    predictions = ROOT / "reports/zhang2016/predictions.csv"
    columns = ("--truth", "truth", "--a", "svm_l2", "--b", "nb_mult", "--pos-label", "8")
    return stanoff("compare", predictions, *columns, "--engine", "stan", "--seed", 1, *options)


def sampling(stage: Stage) -> tuple[list[str], dict[str, str]]:
    return comparing(stage, "--draws", 2_000_000), {}


def compiling(stage: Stage) -> tuple[list[str], dict[str, str]]:
    return stanoff("setup"), with_cache(stage)


def with_cache(stage: Stage) -> dict[str, str]:
    """Change the cache to an empty one, and keep the CmdStan."""
    cmdstan = find_cmdstan()
    assert cmdstan is not None
    return {"CMDSTAN": str(cmdstan.path), "STANOFF_CACHE": str(stage.folder / "cache")}


def endless(stage: Stage) -> tuple[list[str], dict[str, str]]:
    """Compare with a program that never ends, and does not listen to SIGTERM."""
    plant(ENDLESS.encode(), stage)
    return comparing(stage), with_cache(stage)


def plant(executable: bytes, stage: Stage) -> Path:
    """Put something else in the place of the compiled paired model, as if it were that."""
    cmdstan, cache = find_cmdstan(), os.environ.get("STANOFF_CACHE")
    os.environ["STANOFF_CACHE"] = str(stage.folder / "cache")
    try:
        file = executable_path(MODELS["paired"].stan_file, cmdstan)
    finally:
        os.environ.pop("STANOFF_CACHE") if cache is None else os.environ.update(STANOFF_CACHE=cache)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(executable)
    file.chmod(0o755)
    return file


def study(engine: str, draws: int) -> Callable[[Stage], tuple[list[str], dict[str, str]]]:
    def start(stage: Stage) -> tuple[list[str], dict[str, str]]:
        shutil.copy(ROOT / "reports/zhang2016/predictions.csv", stage.folder)
        toml = stage.folder / "study.toml"
        toml.write_text(LONG_STUDY.format(engine=engine, draws=draws))
        return stanoff("report", toml, "--out", stage.out, "--jobs", 2), {}

    return start


def saving(stage: Stage) -> tuple[list[str], dict[str, str]]:
    return [sys.executable, "-c", SAVING, str(stage.out / "result.nc")], {}


def saved_whole(stage: Stage) -> str:
    """Save once more: the result can be read. What kill -9 left aside is hidden beside it."""
    from stanoff import compare_counts, load

    result = compare_counts([3, 1, 1, 1], [1, 1, 1, 9], engine="exact", seed=1, draws=100)
    file = stage.out / "result.nc"
    if file.exists():
        load(file)
    result.save(file)
    left = [path.name for path in stage.out.iterdir() if path != file]
    return ", ".join(name for name in left if not name.startswith("."))


def studied_whole(stage: Stage) -> str:
    """Look at the fits that were finished: there are some, and all can be read."""
    from stanoff import load

    fits = list((stage.out / "fits").glob("*.nc"))
    for fit in fits:
        load(fit)
    return "" if fits else "no fit is kept"


def begun_by(word: str, times: int = 1) -> Callable[[Stage], bool]:
    return lambda stage: sum(word in line for line in stage.running()) >= times


def some_fits(stage: Stage) -> bool:
    return any((stage.out / "fits").glob("*.nc"))


def some_pages(stage: Stage) -> bool:
    return any(stage.out.rglob("*.html"))


def drawn_whole(stage: Stage) -> str:
    """Look at the pages that were finished: each is complete. Quick fits are not kept."""
    pages = list(stage.out.rglob("*.html"))
    broken = [
        page.name for page in pages if not page.read_text("utf8").rstrip().endswith("</html>")
    ]
    return f"broken: {broken}" if broken else "" if pages else "no page is kept"


TRIALS = (
    Trial("sampling with Stan", sampling, begun_by("method=sample")),
    Trial("a program that never ends", endless, begun_by("method=sample", 2)),
    Trial("compiling", compiling, begun_by("cc1plus")),
    Trial("a study with --jobs 2", study("exact", 20_000), some_pages, drawn_whole),
    Trial(
        "a study with --jobs 2 and Stan",
        study("stan", 40_000),
        lambda stage: some_fits(stage) and begun_by("method=sample")(stage),
        studied_whole,
    ),
    Trial(
        "saving",
        saving,
        lambda stage: any(stage.out.glob(".*")),
        saved_whole,
        ("SIGTERM", "SIGKILL"),
    ),
)


@contextmanager
def staged() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="trial-") as folder:
        yield Stage(Path(folder))


def held(trial: Trial, way: str, delay: float = 0.0) -> str:
    """Start, wait until it has begun and a little longer, stop; tell what was wrong."""
    with staged() as stage:
        command, changes = trial.start(stage)
        process = subprocess.Popen(
            command,
            env=stage.environment() | changes,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        deadline = time.monotonic() + PATIENCE
        while not trial.begun(stage):
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                return f"it did not begin: {process.communicate()[1]}"
            time.sleep(0.02)
        time.sleep(delay)
        if way == "Ctrl-C":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.Signals[way])
        return _after(process, stage, way, command) or trial.whole(stage)


def _after(process: subprocess.Popen[str], stage: Stage, way: str, command: list[str]) -> str:
    stopped = time.monotonic()
    try:
        _, said = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        left = stage.running()
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"still there after {SECONDS:.0f} s, with {left}"
    while (stage.running() or any(stage.tmp.iterdir())) and time.monotonic() < stopped + SECONDS:
        time.sleep(0.05)
    if running := stage.running():
        return f"still running: {running}"
    if left := [path.name for path in stage.tmp.iterdir()]:
        return f"left in TMPDIR: {left}"
    if "stanoff" in command and way != "SIGKILL":
        if process.returncode != 130:
            return f"exit code {process.returncode}: {said}"
        if "Traceback" in said or "Interrupted." not in said:
            return said
    return ""


def main(tries: int) -> None:
    """Try everything this often, at moments that a seed decides."""
    rng = random.Random(13)
    rows = []
    print(f"{'what':45}{'tries':>6}{'held':>6}")
    for trial in TRIALS:
        for way in trial.ways:
            complaints = [held(trial, way, rng.uniform(0, 1)) for _ in range(tries)]
            good = sum(not complaint for complaint in complaints)
            rows.append({"what": f"{trial.what}, {way}", "tries": tries, "held": good})
            print(f"{rows[-1]['what']:45}{tries:6}{good:6}", flush=True)
            for complaint in filter(None, complaints):
                print(f"    {complaint}", flush=True)
    with FIGURES.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["what", "tries", "held"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
