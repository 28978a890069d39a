"""A contest from the user's end: what goes in, what is told, what is refused."""

import json
import re
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from contestants import labels, noisy
from sklearn import metrics

from stanoff import Contest, InputError, contest, load
from stanoff.cli import main

EXACT = {"seed": 1, "draws": 4000}


@pytest.fixture(scope="module")
def four():
    truth, said = noisy(600, [0.08, 0.09, 0.2, 0.4], seed=2)
    named = dict(zip(("svm_l2", "nb_mult", "svm_l1", "nb_bern"), said.values(), strict=True))
    return truth, named, contest(truth, named, rope=0.02, **EXACT)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_the_summary_tells_what_is_known_of_each(four):
    truth, said, result = four
    result = result.judge(shrink=False)  # as the draws have it
    table = result.summary()
    assert set(table["system"]) == set(said)
    assert table["regret"].is_monotonic_increasing
    observed = [metrics.f1_score(truth, said[name]) for name in table["system"]]
    assert table["observed"].tolist() == pytest.approx(observed)
    psi = pd.DataFrame(result.psi[0, :, :, 0], columns=result.systems)[table["system"]]
    assert table["psi"].tolist() == pytest.approx(psi.mean().tolist())
    best = psi.max(axis=1)
    near = psi.ge(best - 0.02, axis=0).mean()
    assert table["p_near"].tolist() == pytest.approx(near.tolist(), abs=1e-3)
    assert table["p_best"].sum() == pytest.approx(1)
    ranks = result.ranks()
    assert ranks.index.tolist() == table["system"].tolist()
    assert ranks[1].tolist() == pytest.approx(table["p_best"].tolist())
    assert (ranks @ np.arange(1, 5)).tolist() == pytest.approx(table["rank"].tolist())


def test_the_sentence_leads_with_the_set(four):
    _, _, result = four
    assert result.best() == ("svm_l2", "nb_mult")
    assert result.tiers() == (("svm_l2", "nb_mult"), ("svm_l1",), ("nb_bern",))
    sentence = result.sentence()
    assert str(result) == sentence
    assert sentence.startswith(
        "svm_l2 leads in F1 (600 documents); nb_mult is probably worse, but whether by more than "
        "the ROPE is not settled; svm_l1 and nb_bern are significantly worse. Under the contest "
        "model, with systems that learn from each other, svm_l2 and nb_mult are within the ROPE "
        "[-0.02, +0.02] of the best with probability "
    )
    wide = result.judge(rope=0.07)
    assert wide.sentence().startswith("svm_l2 and nb_mult are practically equivalent in F1")
    assert (
        replace(result, question=replace(result.question, rope=0.5))
        .sentence()
        .startswith(
            "svm_l2, nb_mult, svm_l1 and nb_bern are practically equivalent in F1 (600 documents). "
        )
    )
    lower = result.judge(measure="error")
    assert lower.best() == ("svm_l2", "nb_mult")
    assert lower.sentence().endswith("Lower is better for this measure.")
    assert (lower.summary()["regret"] >= 0).all()


def test_one_winner():
    truth, said = noisy(2000, [0.02, 0.2, 0.3])
    result = contest(truth, said, **EXACT)
    assert result.sentence().startswith(
        "s0 is the best of 3 systems in F1 (2,000 documents); s1 and s2 are significantly worse. "
        "Under the contest model s0 is within the ROPE [-0.05, +0.05] of the best with probability "
        ">99.9%, and the best with >99.9%."
    )


def test_twins_of_the_winner_do_not_hide_it():
    truth, said = noisy(600, [0.05, 0.12, 0.3])
    result = contest(truth, said, rope=0.02, **EXACT)
    twins = contest(truth, said | {"twin": said["s0"]}, rope=0.02, **EXACT)
    one, other = result.summary().set_index("system"), twins.summary().set_index("system")
    halves = other.loc[["s0", "twin"], "p_best"].to_numpy()
    assert halves == pytest.approx(one.loc["s0", "p_best"] / 2, abs=0.03)  # 4 errors of 4,000
    near = other.loc[["s0", "twin"], "p_near"].to_numpy()
    assert near == pytest.approx(one.loc["s0", "p_near"], abs=0.03)
    assert set(twins.best()) == {"s0", "twin"}
    assert twins.between("s0", "twin").decision == "="


def test_a_poor_system_changes_no_verdict(four):
    truth, said, result = four
    more = contest(truth, said | {"poor": 1 - truth}, rope=0.02, **EXACT)
    pairs = more.pairs()
    kept = pairs[(pairs["a"] != "poor") & (pairs["b"] != "poor")]
    assert kept["decision"].tolist() == result.pairs()["decision"].tolist()
    assert more.tiers() == (*result.tiers(), ("poor",))


def test_columns_of_a_table_name_the_systems(four, tmp_path):
    truth, said, result = four
    frame = pd.DataFrame({"y": truth, **said})
    file = tmp_path / "x.csv"
    frame.to_csv(file, index=False)
    for data in (frame, file, str(file)):
        again = contest(data, truth="y", rope=0.02, **EXACT)
        assert again.systems == tuple(said)
        pd.testing.assert_frame_equal(again.summary(), result.summary())
    some = contest(frame, truth="y", systems=["nb_mult", "svm_l1"], **EXACT)
    assert some.systems == ("nb_mult", "svm_l1")
    assert len(some.pairs()) == 1


def test_classes_are_kept_together():
    truth, said = labels(300, 3, classes=4)
    result = contest(truth, said, average="macro", **EXACT)
    assert result.model.name == "joint"
    assert result.categories == ("0", "1", "2", "3", "macro", "micro", "weighted")
    observed = [metrics.f1_score(truth, said[n], average="macro") for n in result.systems]
    assert sorted(result.summary()["observed"]) == pytest.approx(sorted(observed))
    assert "macro-averaged F1" in result.sentence()
    assert "F1 on category 2" in result.sentence("2")
    rest = contest(truth, said, average="macro", model="contest", **EXACT)
    assert any("model='joint'" in warning for warning in rest.warnings)


def test_every_format(four, tmp_path):
    _, _, result = four
    script = json.loads(result.to_json())
    [row] = script["results"]
    assert script["data"]["systems"] == list(result.systems)
    assert row["best"] == ["svm_l2", "nb_mult"]
    assert [r["system"] for r in row["systems"]] == result.summary()["system"].tolist()
    assert len(row["pairs"]) == 6
    assert sum(row["ranks"]["svm_l2"]) == pytest.approx(1)
    numbers = pd.read_csv(result.to_csv(tmp_path / "x.csv") and tmp_path / "x.csv")
    pd.testing.assert_frame_equal(numbers, result.summary(), check_dtype=False)
    assert "| svm\\_l2 | 1 |" in result.to_markdown()
    assert result.sentence()[:30].replace("_", "\\_") in result.to_markdown()
    latex = result.to_latex(label="tab:contest")
    assert r"svm\_l2 & 1 &" in latex
    assert r"\label{tab:contest}" in latex
    shown = result._repr_html_()
    assert "svm_l2 leads in F1" in shown
    assert shown.count("<tr>") == 5
    assert "<svg" in shown
    assert repr(result) == "<Contest of 4 systems: F1>"


@pytest.mark.parametrize("average", [None, "macro"])
def test_what_was_saved_says_the_same(average, tmp_path):
    truth, said = labels(80, 8 if average is None else 3, classes=2 if average is None else 4)
    result = contest(
        truth, said, average=average, rope=(-0.01, 0.03), hdi_prob=0.9, seed=1, draws=300
    )
    path = result.save(tmp_path / "x.nc")
    again = load(path)
    assert isinstance(again, Contest)
    assert again.to_json() == result.to_json()
    assert again.save(tmp_path / "again.nc").read_bytes() == path.read_bytes()
    assert str(again.between("s0", "s2")) == str(result.between("s0", "s2"))
    assert again.judge(measure="mcc").to_json() == result.judge(measure="mcc").to_json()
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        cells = tree["posterior"]["cells"]
        assert cells.dims == ("chain", "draw", "system", "category", "cell")
        assert cells.coords["system"].to_numpy().tolist() == list(result.systems)


BAD = [
    ({"systems": ["a"]}, "'systems' parameter must be two systems or more. Got ['a'] instead."),
    ({"systems": ["a", "a"]}, "'systems' parameter must be different systems. Got 'a twice'"),
    ({"systems": ["a", "y"]}, "'systems' parameter must be other columns than 'truth'. Got 'y'"),
    ({"systems": ["a", "aa"]}, "has no column 'aa'"),
    ({"systems": ["a", "holes"]}, "Of 3 rows 2 have no answer of holes, the first in row 1."),
    ({"systems": "ab"}, "'systems' parameter must be two systems or more"),
    ({"truth": None}, "Say which column of the table is 'truth'"),
    ({"model": "paired"}, "'model' parameter must be one of contest, joint"),
    ({"systems": ["a", "b"], "rope": -1}, "'rope' parameter must be"),
]


@pytest.mark.parametrize(("options", "words"), BAD)
def test_bad_input_is_refused_in_one_sentence(options, words):
    frame = pd.DataFrame({"y": [1, 0, 1], "a": [1, 1, 1], "b": [0, 0, 1]})
    frame["holes"] = [None, 1, None]
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        contest(frame, **({"truth": "y"} | options))
    assert "\n" not in str(caught.value)


def test_bad_predictions_are_refused():
    for said, words in (
        ({"a": [1, 0]}, "'systems' parameter must be two systems or more"),
        ([[1, 0], [1, 1]], "'predictions' parameter must be a mapping of names to predictions"),
        ({"a": [1, 0], "b": [1]}, "must have the same length, but y_true has 2, a has 2, b has 1"),
        ({"a": [1, 0], "a ": [1, 0]}, "'systems' parameter must be different systems"),
        ({"a": [1, 0], "b": [1, None]}, "b has 1 missing label"),
    ):
        with pytest.raises(InputError, match=words):
            contest([1, 0], said)


def test_the_command(four, tmp_path, capsys):
    truth, said, result = four
    file, kept = tmp_path / "x.csv", tmp_path / "x.nc"
    pd.DataFrame({"y": truth, **said}).to_csv(file, index=False)
    rule = ["--rope", "0.02", "--seed", "1", "--draws", "4000"]

    def run(*words):
        main([str(word) for word in words], standalone_mode=False)
        return capsys.readouterr().out

    shown = run("contest", file, "--truth", "y", *rule, "--save", kept)
    assert " ".join(result.sentence().split()) in " ".join(shown.split())
    written = json.loads(run("contest", file, "--truth", "y", *rule, "--format", "json"))
    in_memory = json.loads(result.to_json())
    assert written.pop("data")["source"]["file"] == str(file)
    assert {**written, "data": in_memory["data"]} == in_memory
    some = run("contest", file, "--truth", "y", "--systems", "svm_l2", "nb_bern", *rule)
    assert "svm_l2 is the best of 2 systems" in some
    wide = run("show", kept, "--rope", "0.25", "--format", "json")
    assert (
        json.loads(wide)["results"][0]["best"]
        == json.loads(result.judge(rope=0.25).to_json())["results"][0]["best"]
    )
