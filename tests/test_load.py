"""Under load nothing grows, and nothing depends on who else is at work."""

import gc
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from stanoff import SamplingWarning, compare_counts
from stanoff._lib import files

pytestmark = pytest.mark.slow
COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]
MEGABYTE = 2**20


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def grown(work, times, warm_up):
    for i in range(warm_up):
        work(i)
    gc.collect()
    before = resident(), handles()
    for i in range(times):
        work(i)
    gc.collect()
    return resident() - before[0], handles() - before[1]


@pytest.mark.parametrize(
    ("engine", "times", "warm_up"),
    [("exact", 1000, 50), pytest.param("stan", 60, 5, marks=pytest.mark.stan)],
)
def test_many_comparisons_leave_nothing(engine, times, warm_up, tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))

    def work(seed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)
            compare_counts(*COUNTS, engine=engine, seed=seed, draws=500).summary()

    memory, files_open = grown(work, times, warm_up)
    assert files_open == 0
    assert memory < 20 * MEGABYTE
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("engine", ["exact", pytest.param("stan", marks=pytest.mark.stan)])
def test_threads_get_the_numbers_they_would_get_alone(engine):
    def delta(seed):
        result = compare_counts(*COUNTS, engine=engine, seed=seed, draws=500)
        return result.draws.posterior["delta"]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        alone = [delta(seed) for seed in range(8)]
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(delta, range(8)))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


STUDY = """
classifiers = ["nb_bern", "nb_mult", "svm_l2"]
measures = ["f1"]
positive = 8
engine = "exact"
draws = 500
seed = 3
[data]
file = "{file}"
truth = "truth"
"""


def test_the_same_bytes_whatever_the_workers_and_hashes(tmp_path):
    predictions = Path(__file__).parents[1] / "reports/zhang2016/predictions.csv"
    toml = tmp_path / "study.toml"
    toml.write_text(STUDY.format(file=predictions))
    made = []
    for jobs, seed in ((1, "0"), (2, "1"), (3, "random")):
        out = tmp_path / f"out-{jobs}"
        command = [sys.executable, "-m", "stanoff", "report", toml, "--out", out, "--jobs", jobs]
        subprocess.run(
            list(map(str, command)), env=os.environ | {"PYTHONHASHSEED": seed}, check=True
        )
        found = sorted(path for path in out.rglob("*") if path.is_file())
        made.append({str(path.relative_to(out)): path.read_bytes() for path in found})
    assert made[0] == made[1] == made[2]
