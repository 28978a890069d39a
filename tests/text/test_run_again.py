"""The call on pages and in files makes the same result again."""

import json

import numpy as np
import pandas as pd
import pytest

from stanoff import Prior, compare, compare_counts, contest, load
from stanoff.text.run_again import run_again

CELLS = [[310, 70, 20, 43], [10, 20, 30, 400]]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A file of labels that are classes, binary labels and values, in the working directory."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 200)
    right = rng.random((3, 200)) < np.array([[0.8], [0.75], [0.6]])
    answers = np.where(right, truth, rng.integers(0, 4, (3, 200)))
    frame = pd.DataFrame({"t": truth, **dict(zip("abc", answers, strict=True))})
    for name in "abc":
        frame[f"value_{name}"] = frame[name] + rng.normal(size=200)
    monkeypatch.chdir(tmp_path)
    frame.to_csv("answers.csv", index=False)
    return "answers.csv"


CALLS = {
    "paired": lambda _: compare_counts([9, 3, 2, 4], [4, 3, 2, 70], engine="exact", seed=1),
    "unpaired": lambda _: compare_counts(
        a=CELLS,
        b=CELLS[::-1],
        categories=["x", "y'\"z"],
        names=("first", "second"),
        average="macro",
        rope=0.1,
        prior=(Prior(beta=2), Prior(alpha_pos=(1, 2))),
        engine="exact",
        draws=500,
        seed=1,
    ),
    "classes": lambda table: compare(
        table,
        truth="t",
        a="a",
        b="b",
        average="macro",
        measure="fbeta",
        beta=2,
        zero_division=float("nan"),
        engine="exact",
        seed=1,
    ),
    "patterns": lambda table: contest(
        table, truth="t", systems=["a", "b", "c"], pos_label=3, engine="exact", seed=1
    ),
    "classes of three": lambda table: contest(
        table, truth="t", systems=["a", "b", "c"], average="micro", engine="exact", seed=1
    ).judge(rope=0.2, hdi_prob=0.9),
    "values": lambda table: compare(
        table, a="value_a", b="value_b", measure="mean", rope="2%", not_worse_by="3%", seed=1
    ),
    "values of three": lambda table: contest(
        table,
        systems=["value_a", "value_b", "value_c"],
        measure="mean",
        compare_to="value_b",
        better_by=0.1,
        seed=1,
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_it_runs_and_says_the_same(call, table, capsys):
    result = CALLS[call](table)
    space = {}
    exec(run_again(result), space)
    assert space["result"].sentences == result.sentences
    assert capsys.readouterr().out.startswith(result.sentences[0])


def test_files_have_it_with_versions(table, tmp_path):
    import xarray as xr

    result = CALLS["paired"](table)
    path = result.save(tmp_path / "result.nc")
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        text = tree.attrs["run_again"]
    assert text == run_again(result) == run_again(load(path))
    assert json.loads(result.to_json())["settings"]["run_again"] == text
    versions = result.provenance.versions
    assert f"stanoff {versions['stanoff']}, NumPy {versions['numpy']}" in text


def test_a_pair_out_of_a_contest_says_so(table):
    pair = CALLS["patterns"](table).between("a", "b")
    assert "# Taken out of a contest" in run_again(pair)


def test_other_data_are_known_by_their_hash():
    labels = [np.arange(40) % 2, np.arange(40) % 3 > 0, np.arange(40) % 5 > 1]
    one, other = (
        compare(*labels[: i + 1], labels[2], engine="exact", seed=1, draws=100) for i in (1, 1)
    )
    assert one.data.sha256 == other.data.sha256
    swapped = compare(labels[0], labels[2], labels[1], engine="exact", seed=1, draws=100)
    assert swapped.data.sha256 != one.data.sha256
