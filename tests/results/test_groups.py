"""by=: groups of the same documents, each judged by itself or learning from the others."""

import json

import numpy as np
import pandas as pd
import pytest
from agreement import same_evidence
from click.testing import CliRunner

from stanoff import compare, compare_counts, contest, count, load
from stanoff.cli import main
from stanoff.errors import InputError
from stanoff.study.config import read_study
from stanoff.study.run import build_study

N = 600
EXACT = {"engine": "exact", "seed": 1}
COLUMNS = {"truth": "y", "a": "svm", "b": "nb"}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, N)
    group = rng.choice(["f", "m", "x"], N, p=[0.5, 0.4, 0.1])
    y[group == "x"] = 0  # a group without positives
    labels = {s: np.where(rng.random(N) < p, y, 1 - y) for s, p in SYSTEMS.items()}
    return pd.DataFrame({"doc": np.arange(N), "y": y, **labels, "gender": group})


SYSTEMS = {"svm": 0.85, "nb": 0.7, "knn": 0.6}


def numbers(summary):
    return summary.drop(columns=["group", "documents", "category"], errors="ignore").reset_index(
        drop=True
    )


def of_group(frame, name):
    return frame[frame["gender"] == name]


@pytest.mark.parametrize("measure", ["f1", "auc", "mean", "mae"])
def test_a_group_is_judged_as_a_comparison_of_its_own(frame, measure):
    table = frame
    columns = dict(COLUMNS)
    if measure != "f1":
        noise = np.random.default_rng(2).normal(0, 0.5, (N, 2))
        table = frame.assign(svm=frame["svm"] + noise[:, 0], nb=frame["nb"] + noise[:, 1])
    if measure == "mean":
        del columns["truth"]
    options = {**columns, "measure": measure, "seed": 1, "draws": 400}
    result = compare(table, by="gender", **options)
    summary = result.summary()
    judged = ["f", "m"] if measure in ("f1", "auc") else ["f", "m", "x"]
    assert list(summary["group"]) == [*judged, "all"]
    for name in judged:
        alone = compare(of_group(table, name), **options)
        row = summary[summary["group"] == name]
        pd.testing.assert_frame_equal(numbers(row), numbers(alone.summary()))
        assert row["documents"].item() == (table["gender"] == name).sum()
    pd.testing.assert_frame_equal(
        numbers(summary[-1:]), numbers(compare(table, **options).summary())
    )
    missing = [warning for warning in result.warnings if warning.startswith("Group x")]
    assert len(missing) == ("x" not in judged)


def test_no_document_is_counted_twice(frame):
    counts = count(frame, by="gender", **COLUMNS)
    total = sum(group.pos + group.neg for group in counts.groups.values())
    x = of_group(frame, "x")
    left_out = [(x["svm"].eq(i) & x["nb"].eq(j)).sum() for i, j in ((1, 1), (1, 0), (0, 1), (0, 0))]
    np.testing.assert_array_equal(total + left_out, counts.pos + counts.neg)


@pytest.mark.stan
def test_groups_learn_from_each_other_as_categories_do(frame):
    two = frame[frame["gender"] != "x"]
    result = compare(two, by="gender", model="hierarchical", seed=1, draws=500, **COLUMNS)
    counts = [count(of_group(two, name), **COLUMNS) for name in ("f", "m")]
    pos, neg = ([getattr(c, side)[0] for c in counts] for side in ("pos", "neg"))
    together = compare_counts(pos, neg, model="hierarchical", seed=1, draws=500)
    columns = ["psi_A", "psi_B", "observed_A", "observed_B", "mean", "std", "hdi_low", "hdi_high"]
    shrunk, expected = result.summary(), together.summary()
    np.testing.assert_allclose(shrunk[columns][:2], expected[columns], rtol=1e-12)
    assert result.decision == compare(two, draws=500, seed=1, **COLUMNS).decision
    assert "Groups learn from each other under the hierarchical model" in str(result)
    assert "svm observed" in result.to_markdown()  # the plain score beside the shrunk one


@pytest.mark.stan
def test_a_small_group_is_drawn_to_the_others(frame):
    few = pd.DataFrame({"y": [1] * 12 + [0] * 12, "svm": [0] * 9 + [1] * 3 + [0] * 12, "nb": 0})
    big = frame[frame["gender"] != "x"]
    table = pd.concat([big, few.assign(gender="few")])
    options = {**COLUMNS, "measure": "recall", "seed": 1, "draws": 1000}
    shrunk, plain = (
        compare(table, by="gender", model=model, **options).summary().set_index("group")
        for model in ("hierarchical", "paired")
    )
    assert shrunk.loc["few", "observed_A"] == 0.25
    assert 0.25 < plain.loc["few", "psi_A"] < shrunk.loc["few", "psi_A"] - 0.05
    assert abs(shrunk.loc["f", "psi_A"] - plain.loc["f", "psi_A"]) < 0.02  # many say it themselves


def test_groups_of_any_layout_and_engine_are_the_same(frame, tmp_path):
    expected = compare(frame, by="gender", **COLUMNS, **EXACT).summary()
    long = frame.melt(["doc", "y", "gender"], ["svm", "nb"], "system", "label")
    layout = {"item": "doc", "system": "system", "prediction": "label"}
    joined = frame[["doc", "y", "gender", "svm"]], frame[["doc", "nb"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    for table, options in (
        (long, layout),
        (joined, {"id": "doc"}),
        (tmp_path / "t.csv", {}),
    ):
        summary = compare(table, by="gender", **COLUMNS, **options, **EXACT).summary()
        pd.testing.assert_frame_equal(summary, expected)
    arrays = compare(frame["y"], frame["svm"], frame["nb"], by=frame["gender"], **EXACT)
    pd.testing.assert_frame_equal(arrays.summary(), expected)
    assert arrays.by == "gender"


def test_many_systems_are_ranked_in_every_group(frame):
    options = {"truth": "y", "systems": list(SYSTEMS), "seed": 1, "draws": 2000}
    result = contest(frame, by="gender", **options)
    summary = result.summary()
    assert list(summary["group"]) == ["f"] * 3 + ["m"] * 3 + ["all"] * 3
    alone = contest(of_group(frame, "m"), **options)
    pd.testing.assert_frame_equal(
        numbers(summary[summary["group"] == "m"]), numbers(alone.summary())
    )
    pair = result.between("svm", "nb")
    same_evidence(pair.groups["m"], alone.between("svm", "nb"))
    assert "can be the best in f (" in str(result).partition("By gender, ")[2]


def test_a_question_is_asked_of_all_groups_and_all_of_it_is_shown(frame, tmp_path):
    result = compare(frame, by="gender", **COLUMNS, **EXACT)
    wider = result.judge(rope=(-0.05, 0.45), measure="recall")
    assert list(wider.summary()["decision"]) == ["="] * 3
    assert wider.groups["f"].measure.name == "recall"
    record = json.loads(result.to_json())
    assert list(record["groups"]) == ["f", "m"]
    assert record["groups"]["f"]["results"][0]["mean"] == pytest.approx(
        result.groups["f"].evidence().mean, rel=1e-12
    )
    page = result.to_html(tmp_path / "page.html").read_text("utf8")
    assert "<h2>By gender</h2>" in page
    labels = [label.get_text() for label in result.plot_forest().get_yticklabels()]
    assert sorted(labels[:2]) == ["f", "m"]
    assert labels[2] == "all"
    result.save(tmp_path / "r.nc")
    again = load(tmp_path / "r.nc")
    assert str(again) == str(result)
    pd.testing.assert_frame_equal(again.summary(), result.summary())
    assert list(again.judge(rope=(-0.05, 0.45)).summary()["decision"]) == ["="] * 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cluster": "doc", "measure": "auc"}, "'by' parameter must be None where cluster= is"),
        ({"fold": "doc"}, "'by' parameter must be None beside out-of-fold predictions"),
        ({"by": "doc"}, "2 to 100 groups, such as men and women. Got '600 different values'"),
        ({"by": "nope"}, "no column 'nope' for 'by'"),
        ({"model": "hierarchical", "average": "macro"}, "'model' parameter must be another one"),
    ],
)
def test_what_groups_cannot_have_is_refused(frame, options, words):
    with pytest.raises(InputError, match=words):
        compare(frame, **({"by": "gender"} | COLUMNS | options))
    if "fold" not in options:
        missing = frame.assign(gender=frame["gender"].where(frame["doc"] > 2))
        with pytest.raises(InputError, match=r"(gender|by) has 3 missing labels"):
            compare(missing, by="gender", **COLUMNS)


def test_the_command_line_and_studies_take_groups(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = f"compare {tmp_path}/t.csv --truth y --a svm --b nb --by gender --seed 1"
    ran = CliRunner().invoke(main, [*words.split(), "--engine", "exact"])
    assert ran.exit_code == 0
    assert "By gender, the verdict" in ran.output
    (tmp_path / "study.toml").write_text(
        'pairs = [["svm", "nb"]]\nengine = "exact"\nfigures = ["forest"]\ndraws = 500\n'
        '[data]\nfile = "t.csv"\ntruth = "y"\nby = "gender"\n'
    )
    [made] = build_study(read_study(tmp_path / "study.toml"), tmp_path / "out", quiet=True)
    assert list(made.summary["category"]) == ["f", "m", "all"]
    assert made.category == "all"
    assert made.figures == ("forest",)
    assert "paired,f," in (tmp_path / "out/table.csv").read_text()
