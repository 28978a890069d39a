"""Several columns per system in a table: probabilities of classes."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import log_loss

from stanoff import InputError, compare, contest
from stanoff.cli import main

CLASSES = ["ham", "news", "spam"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 150)
    systems = {}
    for name, sharp in (("svm", 3.0), ("nb", 1.0)):
        p = np.array([rng.dirichlet(1 + sharp * (np.arange(3) == k)) for k in truth])
        for k in (2, 0, 1) if name == "nb" else range(3):  # in another order
            systems[f"{name}_{CLASSES[k]}"] = p[:, k]
    return pd.DataFrame({"y": [CLASSES[k] for k in truth], **systems})


def matrix(frame, name):
    return frame[[f"{name}_{one}" for one in CLASSES]].to_numpy()


ASKED = {"truth": "y", "a": "svm_*", "b": "nb_*", "draws": 300, "seed": 1}


@pytest.mark.parametrize("measure", ["log_loss", "brier"])
def test_columns_of_classes_are_as_good_as_matrices(frame, tmp_path, measure):
    found = compare(frame, measure=measure, **ASKED)
    arrays = [matrix(frame, name) for name in ("svm", "nb")]
    same = compare(frame["y"].to_numpy(), *arrays, measure=measure, draws=300, seed=1)
    assert found.names == ("svm", "nb")
    assert found.evidence().mean == pytest.approx(same.evidence().mean, abs=1e-12)
    frame.to_parquet(tmp_path / "p.parquet")
    stored = compare(tmp_path / "p.parquet", measure=measure, **ASKED)
    assert stored.evidence().mean == pytest.approx(same.evidence().mean, abs=1e-12)
    happened = [CLASSES.index(one) for one in frame["y"]]
    by_hand = {
        "log_loss": log_loss(frame["y"], arrays[0], labels=CLASSES),
        "brier": ((arrays[0] - np.eye(3)[happened]) ** 2).sum(axis=1).mean(),
    }
    assert found.evidence().observed_A == pytest.approx(by_hand[measure])


def test_classes_that_are_numbers_in_files_and_contests(frame, tmp_path):
    numbers = {one: str(k) for k, one in enumerate(CLASSES)}
    renamed = frame.rename(columns=lambda c: "_".join(numbers.get(x, x) for x in c.split("_")))
    renamed["y"] = [int(numbers[one]) for one in frame["y"]]
    renamed.to_csv(tmp_path / "p.csv", index=False)
    expected = compare(frame, measure="log_loss", **ASKED).evidence().observed_B
    for table in (renamed, tmp_path / "p.csv"):
        found = compare(table, measure="log_loss", **ASKED)
        assert found.evidence().observed_B == pytest.approx(expected)
    both = contest(
        renamed, truth="y", systems=["svm_*", "nb_*"], measure="log_loss", draws=300, seed=1
    )
    assert both.summary()["observed"].max() == pytest.approx(expected)
    asked = f"compare {tmp_path / 'p.csv'} --truth y --a svm_* --b nb_* --measure log_loss --seed 1"
    run = CliRunner().invoke(main, asked.split())
    assert run.exit_code == 0, run.output
    assert "svm is significantly better than nb in log loss" in " ".join(run.stdout.split())


def test_what_does_not_fit_is_told(frame):
    with pytest.raises(InputError, match="tree_"):
        compare(frame, measure="log_loss", **{**ASKED, "b": "tree_*"})
    with pytest.raises(InputError, match="no column 'svm_\\*'"):
        compare(frame, a="svm_*", b="nb_*", measure="mean", seed=1)
    with pytest.raises(InputError, match="columns of the same classes, but not news"):
        compare(frame.drop(columns="nb_news"), measure="log_loss", **ASKED)
    with pytest.raises(InputError, match="in the order of the columns"):
        compare(frame, measure="log_loss", labels=["spam", "news", "ham"], **ASKED)
    with pytest.raises(InputError, match="must have as many columns"):
        compare(frame, measure="log_loss", **{**ASKED, "b": "nb_ham"})
