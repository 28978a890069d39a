"""Studies of scores: AUC and its like from columns of scores."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from stanoff import InputError, compare, load
from stanoff.study import cache
from stanoff.study.config import read_study
from stanoff.study.run import build_study


def scores(seed=1, n=200):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    shifts = {"one": 2.0, "two": 1.0, "three": 0.9}
    return pd.DataFrame({"y": y, **{name: rng.normal(m * y) for name, m in shifts.items()}})


def built(folder, text, frame):
    frame.to_csv(folder / "scores.csv", index=False)
    common = 'engine = "exact"\ndraws = 400\nseed = 3\nrope = 0.02\n'
    data = '[data]\nfile = "scores.csv"\ntruth = "y"\n'
    (folder / "study.toml").write_text(f"{common}{text}\n{data}", "utf-8")
    return build_study(read_study(folder / "study.toml"), folder / "out", quiet=True)


def test_a_study_of_auc_says_what_compare_says(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "MIN_SECONDS", 0.0)
    frame = scores()
    text = 'measure = "auc"\nclassifiers = ["one", "two"]\nfigures = ["roc"]'
    [outcome] = built(tmp_path, text, frame)
    assert outcome.error == ""
    same = compare(frame, truth="y", a="one", b="two", measure="auc", rope=0.02, draws=400, seed=3)
    [row] = pd.read_csv(tmp_path / "out" / "table.csv").to_dict("records")
    said = same.evidence()
    assert row["decision"] == str(said.decision) == ">>"
    assert row["observed_A"] == pytest.approx(roc_auc_score(frame["y"], frame["one"]))
    assert row["observed_B"] == pytest.approx(roc_auc_score(frame["y"], frame["two"]))
    assert row["mean"] == pytest.approx(said.mean, abs=1e-12)
    assert "AUC" in (tmp_path / "out" / "index.html").read_text("utf-8")
    [fit] = (tmp_path / "out" / "fits").glob("*.nc")
    assert load(fit).evidence().mean == pytest.approx(said.mean, abs=1e-12)
    assert len(list((tmp_path / "out" / "figures").glob("*roc*.svg"))) == 1
    built(tmp_path, text, frame)
    assert list((tmp_path / "out" / "fits").glob("*.nc")) == [fit]
    # another measure, asked first, is not read from the fit of AUC
    [other] = built(tmp_path, text.replace('"auc"', '"average_precision"'), frame)
    assert not other.reused
    [row] = pd.read_csv(tmp_path / "out" / "table.csv").to_dict("records")
    ap = average_precision_score(frame["y"], frame["one"])
    assert row["observed_A"] == pytest.approx(ap)


def test_several_measures_and_three_systems_in_a_contest(tmp_path):
    frame = scores(n=120)
    text = 'measures = ["auc", "average_precision"]\nclassifiers = ["one", "two", "three"]'
    outcomes = built(tmp_path, f"{text}\nfigures = []", frame)
    assert [outcome.error for outcome in outcomes] == [""] * 8
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    assert table["measure"].tolist().count("AUC") == 3
    for function, measure in (
        (roc_auc_score, "AUC"),
        (average_precision_score, "average precision"),
    ):
        row = table[(table["A"] == "one") & (table["B"] == "three") & (table["measure"] == measure)]
        assert row["observed_B"].item() == pytest.approx(function(frame["y"], frame["three"]))
        assert row["psi_B"].item() == pytest.approx(row["observed_B"].item(), abs=0.03)
    contests = pd.read_csv(tmp_path / "out" / "contests.csv")
    assert set(contests["measure"]) == {"AUC", "average precision"}


def test_labels_and_scores_are_not_mixed(tmp_path):
    classifiers = 'classifiers = ["one", "two"]'
    with pytest.raises(InputError, match="all of labels, of scores or of values"):
        built(tmp_path, f'measures = ["auc", "f1"]\n{classifiers}', scores())
    with pytest.raises(InputError, match="left out where measures is given"):
        built(tmp_path, f'measure = "auc"\nmeasures = ["f1"]\n{classifiers}', scores())
