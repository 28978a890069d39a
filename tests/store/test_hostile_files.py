"""Files with the right checksum and the wrong content: one sentence for each, and no hang."""

import hashlib
import json
import shutil

import h5py
import numpy as np
import pytest

from stanoff import StanoffError, compare_counts, load
from stanoff.store import saving

COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A good result, once more for every test."""
    result = compare_counts(*COUNTS, engine="exact", seed=1, draws=100)
    return result.save(tmp_path_factory.mktemp("good") / "result.nc")


@pytest.fixture
def forged(sealed, tmp_path):
    """Change the content of a copy, and give it a new checksum."""

    def forge(change):
        file = tmp_path / "forged.nc"
        shutil.copy(sealed, file)
        with h5py.File(file, "r+") as content:
            change(content)
        seal = saving._SEAL % saving.FORMAT
        inside = file.read_bytes() + seal
        file.write_bytes(inside + hashlib.sha256(inside).hexdigest().encode() + b"\n")
        return file

    return forge


def record(**changes):
    """Change parts of the record, which are named with dots."""

    def change(content):
        told = json.loads(content["stanoff/record"][()].tobytes())
        for path, value in changes.items():
            *way, last = path.split("__")
            part = told
            for step in way:
                part = part[step]
            if value is ...:
                del part[last]
            else:
                part[last] = value
        put(content, "stanoff/record", np.frombuffer(json.dumps(told).encode(), np.uint8))

    return change


def put(content, name, values, **options):
    if name in content:
        del content[name]
    content.create_dataset(name, data=values, **options)


def nest(content):
    group = content["posterior"]
    for _ in range(900):
        group = group.create_group("g")


HOSTILE = {
    "a record of another type": record(data=[]),
    "no seed": record(seed=...),
    "a seed that is a text": record(seed="1"),
    "a ROPE that is NaN": record(question__rope=["nan", 0.1]),
    "a ROPE of one end": record(question__rope=[0.1]),
    "an HDI of 2": record(question__hdi=2),
    "an unheard-of average": record(question__average="median"),
    "an unheard-of engine": record(engine="steam"),
    "a third system": record(pair=[0, 2]),
    "one system twice": record(pair=[0, 0]),
    "two categories too many": record(data__categories=["a", "b", "c"]),
    "categories that are numbers": record(data__categories=[1]),
    "no categories": record(data__categories=[]),
    "an unheard-of kind of data": record(data__kind="Whatever"),
    "a prior of no parts": record(prior=[]),
    "a prior that is NaN": record(prior=[{"beta": "nan", "kappa": [3, 1.5]}]),
    "a measure without a range": record(question__measure__range=...),
    "draws without end": record(provenance__settings={"draws": 10**15}),
    "a record that is no JSON": lambda f: put(f, "stanoff/record", np.full(9, 123, np.uint8)),
    "a record that is deep": lambda f: put(
        f, "stanoff/record", np.frombuffer(b"[" * 100_000, np.uint8)
    ),
    "no record": lambda f: f.__delitem__("stanoff"),
    "no delta": lambda f: f["posterior"].__delitem__("delta"),
    "no draws": lambda f: f.__delitem__("posterior"),
    "delta of texts": lambda f: put(f, "posterior/delta", ["x"] * 100),
    "delta of another shape": lambda f: put(f, "posterior/delta", np.zeros((1, 100, 7))),
    "delta of fewer draws": lambda f: put(f, "posterior/delta", np.zeros((1, 50, 1))),
    "counts below zero": lambda f: put(f, "data/pos", np.full((1, 4), -1)),
    "counts that are NaN": lambda f: put(f, "data/pos", np.full((1, 4), np.nan)),
    "counts of another shape": lambda f: put(f, "data/pos", np.ones((3, 4), dtype=int)),
    "no counts": lambda f: f.__delitem__("data"),
    "a loop of links": lambda f: f["posterior"].__setitem__("loop", f["posterior"]),
    "a link to a file": lambda f: f["posterior"].__setitem__(
        "mu2", h5py.ExternalLink("/etc/passwd", "/")
    ),
    "a soft link": lambda f: f["posterior"].__setitem__("mu2", h5py.SoftLink("/posterior/mu2")),
    "900 nested groups": nest,
    "a group too many": lambda f: f.create_group("more"),
    "8 GB that are not there": lambda f: f["posterior"].create_dataset(
        "huge", shape=(2**30,), dtype="f8", chunks=(1024,)
    ),
    "a record of 8 GB": lambda f: (
        f["stanoff"].__delitem__("record"),
        f["stanoff"].create_dataset("record", shape=(2**33,), dtype="u1", chunks=(2**20,)),
    ),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=list(HOSTILE))
def test_what_is_forged_is_told_in_one_sentence(forged, change):
    with pytest.raises(
        StanoffError, match=r"forged\.nc is not a complete result of stanoff: .*\.$"
    ):
        load(forged(change))


def test_what_is_not_changed_is_read(forged, sealed):
    assert str(load(forged(lambda content: None))) == str(load(sealed))


def test_a_file_that_must_not_grow_is_one_sentence(tmp_path):
    import subprocess
    import sys

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
