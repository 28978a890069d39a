"""Files with the wrong content: one sentence for each."""

import json
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

from stanoff import StanoffError, compare_counts, load
from stanoff.store.netcdf import ATTRIBUTE

COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A good result, once more for every test."""
    result = compare_counts(*COUNTS, engine="exact", seed=1, draws=100)
    return result.save(tmp_path_factory.mktemp("good") / "result.nc")


@pytest.fixture
def forged(good, tmp_path):
    """Change the content of a copy."""

    def forge(change):
        file = tmp_path / "forged.nc"
        shutil.copy(good, file)
        with h5py.File(file, "r+") as content:
            change(content)
        return file

    return forge


def record(**changes):
    """Change parts of the record, which are named with two underscores."""

    def change(content):
        told = json.loads(content.attrs[ATTRIBUTE])
        for path, value in changes.items():
            *way, last = path.split("__")
            section = told
            for step in way:
                section = section[step]
            if value is ...:
                del section[last]
            else:
                section[last] = value
        content.attrs[ATTRIBUTE] = json.dumps(told)

    return change


def put(content, name, values):
    del content[name]
    content.create_dataset(name, data=values)


HOSTILE = {
    "a record of another type": record(data=[]),
    "no seed": record(seed=...),
    "a seed that is a text": record(seed="one"),
    "a ROPE that is NaN": record(rope=[float("nan"), 0.1]),
    "a ROPE of one end": record(rope=[0.1]),
    "an HDI of 2": record(hdi_prob=2),
    "an unheard-of average": record(average="median"),
    "an unheard-of engine": record(engine="steam"),
    "a third system": record(pair=[0, 2]),
    "two categories too many": record(categories=["a", "b", "c"]),
    "categories that are numbers": record(categories=[1]),
    "no categories": record(categories=[]),
    "an unheard-of kind of data": record(data="Whatever"),
    "a prior of no parts": record(prior=[]),
    "a prior that is NaN": record(prior=[{"beta": float("nan"), "kappa": [3, 1.5]}]),
    "a measure without a range": record(measure__range=...),
    "a record that is no JSON": lambda f: f.attrs.__setitem__(ATTRIBUTE, "{{{"),
    "a record that is deep": lambda f: f.attrs.__setitem__(ATTRIBUTE, "[" * 100_000),
    "no record": lambda f: f.attrs.__delitem__(ATTRIBUTE),
    "no delta": lambda f: f["posterior"].__delitem__("delta"),
    "no draws": lambda f: f.__delitem__("posterior"),
    "delta of another shape": lambda f: put(f, "posterior/delta", np.zeros((1, 100, 7))),
    "counts of another shape": lambda f: put(f, "data/pos", np.ones((3, 4), dtype=int)),
    "no counts": lambda f: f.__delitem__("data"),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=list(HOSTILE))
def test_what_is_forged_is_told_in_one_sentence(forged, change):
    with pytest.raises(StanoffError, match=r"forged\.nc is damaged, or not a result of .*\.$"):
        load(forged(change))


def test_what_is_not_changed_is_read(forged, good):
    assert str(load(forged(lambda content: None))) == str(load(good))


def test_a_file_that_must_not_grow_is_one_sentence(tmp_path):
    program = (
        "import resource, stanoff\n"
        "r = stanoff.compare_counts([3,1,1,1],[1,1,1,9],engine='exact',seed=1,draws=10_000)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        f"try: r.save({str(tmp_path / 'result.nc')!r})\n"
        "except stanoff.StanoffError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0
    assert ran.stdout.endswith("result.nc cannot be written: File too large.\n")
    assert ran.stderr == ""
    assert not list(tmp_path.iterdir())
