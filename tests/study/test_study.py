import csv
import io
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest

from stanoff import Prior, compare, contest
from stanoff.errors import InputError
from stanoff.study import cache
from stanoff.study.config import read_study
from stanoff.study.overview import decision_symbol
from stanoff.study.run import build_study, list_jobs, try_fit

PREDICTIONS = Path(__file__).parents[2] / "reports/zhang2016/predictions.csv"
STUDY = """
title = "Text <classifiers>"
classifiers = ["nb_mult", "svm_l2", "svm_l1"]
names = { nb_mult = "NB & co" }
measures = ["f1", "recall"]
positive = 8
engine = "exact"
draws = 500
figures = ["posterior", "ranks"]
seed = 3
[data]
file = "predictions.csv"
truth = "truth"
"""


@pytest.fixture
def folder(tmp_path):
    shutil.copy(PREDICTIONS, tmp_path / "predictions.csv")
    return tmp_path


def written(folder, text=STUDY, name="study.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def stanoff(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "stanoff", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_a_study_is_built_read_back_and_the_same_again(folder, monkeypatch):
    monkeypatch.setattr(cache, "MIN_SECONDS", 0.0)
    study = read_study(written(folder))
    outcomes = build_study(study, folder / "out", quiet=True)
    assert [(o.error, o.is_contest) for o in outcomes] == [("", True)] * 2 + [("", False)] * 6
    assert not any(o.reused for o in outcomes)
    made = files(folder / "out")
    assert sum(name.startswith("pages/") for name in made) == 8
    assert sum(name.startswith("figures/") for name in made) == 6 + 2
    assert sum(name.endswith(".nc") for name in made) == 1  # one fit for all of them

    rows = list(csv.DictReader(io.StringIO(made["table.csv"].decode())))
    together = contest(
        PREDICTIONS,
        truth="truth",
        systems=["nb_mult", "svm_l2", "svm_l1"],
        pos_label=8,
        measure="recall",
        engine="exact",
        draws=500,
        seed=3,
    )
    alone = together.between("nb_mult", "svm_l2").evidence()
    [row] = [r for r in rows if (r["B"], r["measure"]) == ("svm_l2", "recall")]
    assert row["A"] == "NB & co"
    assert float(row["mean"]) == alone.mean
    assert row["decision"] == str(alone.decision)
    rows = list(csv.DictReader(io.StringIO(made["contests.csv"].decode())))
    found = [row for row in rows if row["measure"] == "recall"]
    expected = together.summary()
    assert [row["system"].replace("NB & co", "nb_mult") for row in found] == list(
        expected["system"]
    )
    for name in ("psi", "observed", "p_near", "p_best", "regret", "rank"):
        assert [float(row[name]) for row in found] == list(expected[name])

    index = made["index.html"].decode()
    assert "<title>Text &lt;classifiers&gt;</title>" in index
    for outcome in outcomes:
        links = 4  # of a contest a row per system, and its sentence; else row, squares, words
        assert index.count(f'<a href="pages/{outcome.slug}.html"') == links
        assert outcome.sentence in unescape(index)
    first = unescape(index.split("<details")[0])
    leader = together.judge(measure="f1").summary()["system"][0]
    for system, score in together.judge(measure="f1").summary()[["system", "psi"]].to_numpy():
        symbol = ""
        if system != leader:
            symbol = together.judge(measure="f1").between(system, leader).decision.symbol
        cell = f'">{score:.3f}</a> <span class="verdict-symbol">{symbol}</span>'
        name = system.replace("nb_mult", "NB & co")
        assert f"<bdi>{name}</bdi></th>" in first
        assert cell in first.split(f"<bdi>{name}</bdi>")[1].split("</tr>")[0]
    assert first.count("<svg") == 1
    for name in ("table", "contests"):
        assert "NB \\& co" in made[f"{name}.tex"].decode()
        assert "NB &amp; co" in made[f"{name}.md"].decode()
        assert f'href="{name}.csv"' in index

    def never(*_, **__):
        raise AssertionError("fitted again")

    monkeypatch.setattr(cache, "compare_data", never)
    monkeypatch.setattr(cache, "contest_data", never)
    again = build_study(study, folder / "out", quiet=True)
    assert all(o.reused for o in again)
    assert files(folder / "out") == made
    # Another ROPE needs no new fit, but other words.
    wider = read_study(written(folder, STUDY.replace("seed = 3", "seed = 3\nrope = 0.2")))
    pairs = [o for o in build_study(wider, folder / "out", quiet=True) if not o.is_contest]
    assert {decision_symbol(o) for o in pairs} == {"≈"}


@pytest.mark.parametrize(
    "change", ["data", "seed", "draws", "prior", "version", "damage", "nothing"]
)
def test_only_what_changed_is_fitted_again(folder, change, monkeypatch):
    text = STUDY.replace('["nb_mult", "svm_l2", "svm_l1"]', '["nb_mult", "svm_l2"]')
    monkeypatch.setattr(cache, "MIN_SECONDS", 0.0)
    fits, original = [], cache.compare_data
    monkeypatch.setattr(cache, "compare_data", lambda *given: fits.append(1) or original(*given))

    def fitted():
        study = read_study(written(folder, text))
        return try_fit(study, list_jobs(study)[0], folder)

    first, store = fitted(), folder / "fits"
    assert len(fits) == 1
    if change == "data":
        with (folder / "predictions.csv").open("a") as file:
            file.write("8,8,8,8,8\n")
    elif change == "version":
        monkeypatch.setattr("stanoff.engines.sampling.__version__", "9.9")
    elif change == "damage":
        [kept] = store.iterdir()
        kept.write_bytes(kept.read_bytes()[:-100])
    else:
        text = {
            "seed": text.replace("seed = 3", "seed = 4"),
            "draws": text.replace("draws = 500", "draws = 501"),
            "prior": f'prior = "jeffreys"\n{text}',
        }.get(change, text)
    second = fitted()
    assert len(fits) == (1 if change == "nothing" else 2)
    assert len(list(store.iterdir())) == 1
    if change in ("nothing", "damage"):
        assert str(second) == str(first)


def test_a_quick_fit_is_not_kept(folder):
    study = read_study(written(folder))
    try_fit(study, list_jobs(study)[0], folder)
    assert not (folder / "fits").exists()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("seed = 3", "sede = 3", "Did you mean 'seed'"),
        ("truth = ", "thruth = ", "Did you mean 'truth'"),
        ('"svm_l1"]', '"svm_l3"]', "no column 'svm_l3' for 'classifiers'; did you mean"),
        ('truth = "truth"', 'truth = "trut"', "no column 'trut' for 'truth'; did you mean"),
        ('"predictions.csv"', '"prediction.csv"', "no file"),
        ('"recall"', '"recal"', "Did you mean 'recall'"),
        ('"recall"', '"f1"', "different from each other"),
        (
            "draws = 500",
            "draws = 2.5",
            "The key 'draws' must be a whole number from 4 to 100,000,000. Got 2.5",
        ),
        ("draws = 500", "draws = true", "whole number"),
        ("seed = 3", "seed = -1", "'seed'"),
        ("seed = 3", "rope = [0.1, -0.1]", "'rope'"),
        ("seed = 3", "hdi_prob = 95", "'hdi_prob'"),
        ("seed = 3", 'models = ["pared"]', "Did you mean 'paired'"),
        ("seed = 3", 'average = "makro"', "Did you mean 'macro'"),
        ("seed = 3", 'pairs = [["nb_mult", "svm_l1"]]', "not both"),
        ("nb_mult =", "nb_mul =", "Did you mean 'nb_mult'"),
        ('"NB & co"', '"svm_l2"', "different from each other"),
        ("classifiers = [", "classifiers = [[", "TOML"),
        ('["nb_mult", "svm_l2", "svm_l1"]', '["nb_mult"]', "two different columns"),
        ('["nb_mult", "svm_l2", "svm_l1"]', "3", "a list"),
        ('classifiers = ["nb_mult", "svm_l2", "svm_l1"]', "", "neither"),
        ("seed = 3", 'out = ""', "'out'"),
        ('["posterior", ', '["posteriors", ', "Did you mean 'posterior'"),
        ("seed = 3", "beta = 'one'", "'beta'"),
        ("seed = 3", "zero_division = 2", "'zero_division'"),
        ("seed = 3", "labels = 8", "The key 'data.labels' must be a list"),
        (
            "seed = 3",
            "pos_label = 8",
            "The key 'positive' must be left out where pos_label is given",
        ),
        ("seed = 3", 'prior = "jefreys"', "Did you mean 'jeffreys'"),
        ("seed = 3", "higher_is_better = true", "must be left out for F1"),
        ('"recall"', '"recal"', "The key 'measures' must be one of"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_fitted(folder, old, new, told):
    assert old in STUDY
    with pytest.raises(InputError, match=r"study\.toml") as raised:
        read_study(written(folder, STUDY.replace(old, new, 1)))
    assert told in str(raised.value)


def test_there_is_no_study(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_study(tmp_path / "none.toml")


def test_one_broken_comparison_does_not_lose_the_others(folder):
    lines = (folder / "predictions.csv").read_text().splitlines()
    header = lines[0].split(",")
    broken = [line.split(",") for line in lines[1:]]
    broken[5][header.index("svm_l1")] = ""
    text = "\n".join([lines[0], *(",".join(row) for row in broken)])
    (folder / "predictions.csv").write_text(text + "\n")
    outcomes = build_study(read_study(written(folder)), folder / "out", quiet=True)
    assert [bool(o.error) for o in outcomes] == [True] * 2 + [False] * 2 + [True] * 4
    index = (folder / "out/index.html").read_text("utf-8")
    assert "6 of 8 comparisons and contests could not be made" in index
    assert "1 has no answer of" in index
    assert len(list(csv.DictReader(io.StringIO((folder / "out/table.csv").read_text())))) == 2


def test_on_the_command_line_in_two_processes(folder):
    path = written(folder, STUDY.replace('measures = ["f1", "recall"]\n', ""))
    ran = stanoff("report", path, "--out", folder / "out", "--jobs", 2)
    assert ran.returncode == 0, ran.stderr
    assert "3 comparisons and 1 contest, 0 unchanged" in ran.stderr
    assert ran.stdout == ""
    alone = folder / "alone"
    build_study(read_study(path), alone, quiet=True)
    assert files(alone) == files(folder / "out")


def test_the_command_line_tells_what_failed_by_its_exit_code(folder):
    with (folder / "predictions.csv").open("a") as file:
        file.write("8,8,8,,8\n")
    text = STUDY.replace('"svm_l2", ', "").replace('["f1", "recall"]', '["f1"]')
    ran = stanoff("report", written(folder, text + "\n"), "--out", folder / "out")
    assert ran.returncode == 1
    assert "Error: NB & co and svm_l1 in F1: " in ran.stderr
    named = stanoff(
        "report", written(folder, f'models = ["paired"]\n{text}'), "--out", folder / "o"
    )
    assert named.returncode == 1
    assert "Error: NB & co and svm_l1 in F1 (paired): " in named.stderr
    wrong = stanoff("report", written(folder, "title = 3"), "--out", folder / "out")
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("Error: ")
    assert "Traceback" not in wrong.stderr


def test_the_positive_label_has_two_names(folder):
    old = read_study(written(folder))
    new = read_study(written(folder, STUDY.replace("positive =", "pos_label =")))
    assert old.data[0].pos_label == new.data[0].pos_label == 8
    assert old == new


def test_questions_differ_in_the_measure_and_samplings_in_the_model(folder):
    text = STUDY.replace(
        "seed = 3", "seed = 3\nrope = [-0.01, 0.03]\nhdi_prob = 0.9\nzero_division = 1"
    )
    study = read_study(written(folder, f'models = ["paired", "unpaired"]\nprior = "perks"\n{text}'))
    assert [question.measure.label for question in study.questions] == ["F1", "recall"]
    assert {question.measure.zero_division for question in study.questions} == {1.0}
    assert {(question.rope, question.hdi_prob) for question in study.questions} == {
        ((-0.01, 0.03), 0.9)
    }
    assert [sampling.model.name for sampling in study.samplings] == ["paired", "unpaired"]
    assert {sampling.prior for sampling in study.samplings} == {Prior.perks()}
    assert {(sampling.engine, sampling.seed) for sampling in study.samplings} == {("exact", 3)}


def test_without_a_list_of_models_the_data_choose_one(folder):
    chosen = 'average = "macro"\nlabels = [8, 3]'
    text = STUDY.replace("positive = 8", chosen).replace('"svm_l2", "svm_l1"]', '"svm_l2"]')
    study = read_study(written(folder, text))
    assert [sampling.model for sampling in study.samplings] == [None]
    outcomes = build_study(study, folder / "out", quiet=True)
    assert [(o.error, o.model) for o in outcomes] == [("", "joint")] * 2
    alone = compare(
        PREDICTIONS,
        truth="truth",
        a="nb_mult",
        b="svm_l2",
        average="macro",
        labels=[8, 3],
        engine="exact",
        draws=500,
        seed=3,
        names=("NB & co", "svm_l2"),
    )
    assert outcomes[0].summary.equals(alone.summary())
    assert outcomes[0].sentence == str(alone)
    index = (folder / "out/index.html").read_text("utf-8")
    assert "by the data" in index
    assert "joint" in index


def test_threads_draw_what_one_draws(folder):
    study = read_study(written(folder, STUDY.replace('["f1", "recall"]', '["f1"]')))
    build_study(study, folder / "one", quiet=True)
    with ThreadPoolExecutor(3) as pool:
        build_study(study, folder / "three", executor=pool, quiet=True)
    assert files(folder / "three") == files(folder / "one")
