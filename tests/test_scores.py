"""Scores from door to door: tables, joins, the command line, files, other questions."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from stanoff import InputError, compare, contest, load
from stanoff.measures import SCORES, get, register


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 120)
    scores = {name: rng.normal(m * y) for name, m in (("svm", 1.5), ("nb", 0.8), ("knn", 1.2))}
    proba = {name: 1 / (1 + np.exp(-x)) for name, x in scores.items()}
    group = {"site": rng.integers(0, 12, 120)}
    return pd.DataFrame({"doc": np.arange(120), "y": np.where(y, "spam", "ham"), **proba, **group})


ASK = {"measure": "auc", "seed": 1, "draws": 300, "pos_label": "spam"}


def test_every_layout_says_the_same(frame, tmp_path):
    arrays = compare(frame["y"], frame["svm"], frame["nb"], names=("svm", "nb"), **ASK)
    frame.to_csv(tmp_path / "all.csv", index=False)
    for name in ("svm", "nb"):
        frame[["doc", "y", name]].rename(columns={name: "p"}).to_json(
            tmp_path / f"{name}.jsonl", orient="records", lines=True
        )
    long = frame.melt(["doc", "y"], ["svm", "nb"], "model", "p")
    found = [
        compare(frame, truth="y", a="svm", b="nb", **ASK),
        compare(tmp_path / "all.csv", truth="y", a="svm", b="nb", **ASK),
        compare(
            [tmp_path / "svm.jsonl", tmp_path / "nb.jsonl"],
            id="doc",
            truth="y",
            a="p",
            b="p",
            **ASK,
        ),
        compare(long, item="doc", system="model", value="p", truth="y", a="svm", b="nb", **ASK),
        contest(frame, truth="y", systems=["knn", "svm", "nb"], **ASK).between("svm", "nb"),
    ]
    for result in found:
        np.testing.assert_allclose(result.scores.delta, arrays.scores.delta, atol=1e-12)
        assert str(result) == str(arrays)
    assert arrays.evidence().observed_A == pytest.approx(roc_auc_score(frame["y"], frame["svm"]))


def test_clusters_come_from_a_column_or_an_array(frame):
    column = compare(frame, truth="y", a="svm", b="nb", cluster="site", **ASK)
    array = compare(frame["y"], frame["svm"], frame["nb"], cluster=frame["site"], **ASK)
    np.testing.assert_array_equal(column.scores.delta, array.scores.delta)
    plain = compare(frame, truth="y", a="svm", b="nb", **ASK)
    assert (column.scores.delta != plain.scores.delta).any()
    with pytest.raises(InputError, match="'cluster' parameter must be None for labels"):
        compare(frame, truth="y", a="svm", b="nb", cluster="site", pos_label="spam")


@pytest.mark.parametrize("measure", ["auc", "log_loss"])
def test_what_was_saved_says_the_same_and_can_be_asked_again(frame, tmp_path, measure):
    result = compare(frame, truth="y", a="svm", b="nb", **ASK | {"measure": measure})
    again = load(result.save(tmp_path / "result.nc"))
    assert str(again) == str(result)
    pd.testing.assert_frame_equal(again.summary(), result.summary())
    for asked in ({"measure": "average_precision", "prevalence": 0.2}, {"measure": "brier"}):
        one, other = again.judge(**asked), result.judge(**asked)
        pd.testing.assert_frame_equal(one.summary(), other.summary())
        direct = compare(frame, truth="y", a="svm", b="nb", **ASK | asked)
        np.testing.assert_array_equal(one.scores.delta, direct.scores.delta)
    systems = ["svm", "nb", "knn"]
    many = contest(frame, truth="y", systems=systems, **ASK | {"measure": measure})
    assert str(load(many.save(tmp_path / "many.nc"))) == str(many)


def test_a_function_that_is_not_here_is_remembered(frame, tmp_path):
    @register("top", kind="scores")
    def top(truth, score, weight):
        return np.average(truth, weights=weight * score**2)

    try:
        asked = ASK | {"measure": "top", "draws": 50}
        result = compare(frame, truth="y", a="svm", b="nb", **asked)
        path = result.save(tmp_path / "result.nc")
        assert str(load(path)) == str(result)
    finally:
        del SCORES["top"]
    again = load(path)
    assert str(again) == str(result)
    assert again.evidence().observed_A == result.evidence().observed_A
    with pytest.raises(InputError, match="'top' is not registered here"):
        again.judge(prevalence=0.3)


def test_another_question_needs_no_other_fit(frame):
    result = compare(frame, truth="y", a="svm", b="nb", **ASK)
    precision = result.judge(measure="average_precision")
    expected = average_precision_score(frame["y"] == "spam", frame["svm"])
    assert precision.evidence().observed_A == pytest.approx(expected)
    assert precision.judge(measure="auc").evidence().mean == result.evidence().mean
    assert result.judge(prevalence=0.1).warnings == (
        "prevalence=0.1 changes nothing: the AUC does not depend on the share of positives.",
    )
    with pytest.raises(InputError, match="F1 takes labels, but the systems have scores"):
        result.judge(measure="f1")
    with pytest.raises(InputError, match="Two test sets are compared by labels"):
        compare(a=([1, 0], [0.2, 0.3]), b=([1, 0], [0.2, 0.3]), measure="auc")
    assert get("AUC").label == "AUC"
    found = result.sensitivity()
    assert found.priors["prior"].tolist() == ["uniform", "jeffreys", "perks"]
    assert found.priors["mean"].nunique() == 3


def test_the_command_line(frame, tmp_path):
    frame.to_csv(tmp_path / "scores.csv", index=False)
    words = [
        "compare",
        str(tmp_path / "scores.csv"),
        "--truth",
        "y",
        "--a",
        "svm",
        "--b",
        "nb",
        "--pos-label",
    ]
    words += ["spam", "--measure", "log_loss", "--clip", "0.01", "--draws", "300", "--seed", "1"]
    ran = subprocess.run(
        [sys.executable, "-m", "stanoff", *words, "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(ran.stdout)
    direct = compare(
        frame, truth="y", a="svm", b="nb", **ASK | {"measure": "log_loss", "clip": 0.01}
    )
    assert told["results"][0]["mean"] == pytest.approx(direct.evidence().mean)
    assert told["settings"]["model"] == "bootstrap"
