import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from stanoff.cli import comparing, main
from stanoff.counts import AVERAGES
from stanoff.fitting import ENGINES
from stanoff.measures import MEASURES
from stanoff.models import MODELS
from stanoff.texts import FORMATS

PREDICTIONS = str(Path(__file__).parents[1] / "reports/zhang2016/predictions.csv")
ARGUMENTS = ["compare", PREDICTIONS, "--truth", "truth", "--a", "nb_mult", "--b", "svm_l2"]


def stanoff(*arguments):
    """Run a command in this process, which spares it the imports."""
    ran = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return SimpleNamespace(stdout=ran.stdout, stderr=ran.stderr, returncode=ran.exit_code)


def in_a_process_of_its_own(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "stanoff", *arguments], capture_output=True, text=True, timeout=600
    )


def compare(*options, engine="exact"):
    ran = stanoff(*ARGUMENTS, "--positive", "8", "--seed", "1", "--engine", engine, *options)
    assert ran.returncode == 0, ran.stderr
    return ran


def test_json_for_scripts():
    said = json.loads(compare("--format", "json", "--rope", "0.03", "--hdi", "0.9").stdout)
    assert said["names"] == {"A": "nb_mult", "B": "svm_l2"}
    assert said["rope"] == [-0.03, 0.03]
    [row] = said["results"]
    assert (row["category"], row["decision"]) == ("8", ">")
    assert row["hdi_low"] < row["mean"] < row["hdi_high"]
    assert row["sentence"].startswith("nb_mult is slightly better than svm_l2")
    assert any("infinite" in warning for warning in said["warnings"])


@pytest.mark.stan
def test_stan_is_the_default_and_leaves_stdout_clean():
    asked = "--positive", "8", "--seed", "1", "--format", "json"
    ran = in_a_process_of_its_own(*ARGUMENTS, *asked)
    said = json.loads(ran.stdout)
    assert said["engine"] == "stan"
    assert said["results"][0]["decision"] == "="
    assert "cmdstanpy" not in ran.stderr


def test_csv_for_spreadsheets():
    [row] = csv.DictReader(io.StringIO(compare("--format", "csv").stdout))
    assert row["decision"] == "="
    assert list(row)[:6] == ["category", "psi_A", "psi_B", "sign_test", "t_test", "mean"]


def test_table_and_markdown_for_people():
    table = compare().stdout
    assert "ROPE pct" in table
    assert "practically equivalent" in table
    markdown = compare("--format", "markdown", "--measure", "recall", "--model", "unpaired").stdout
    assert markdown.startswith("| category | sign-test | t-test | mean |")
    assert "by recall on category 8" in markdown


def test_a_saved_result_is_shown_again(tmp_path):
    file = str(tmp_path / "result.nc")
    told = compare("--save", file, "--format", "json", "--draws", "2000").stdout
    assert stanoff("show", file, "--format", "json").stdout == told
    stricter = stanoff("show", file, "--format", "json", "--rope", "0.01", "--hdi", "0.5")
    said = json.loads(stricter.stdout)
    assert (said["rope"], said["hdi"]) == ([-0.01, 0.01], 0.5)
    assert said["results"][0]["decision"] != json.loads(told)["results"][0]["decision"]
    assert r"\begin{tabular}" in stanoff("show", file, "--format", "latex").stdout
    for wrong, words in (
        (["show", file, "--category", "9"], "'category' parameter must be one of 8"),
        (["show", PREDICTIONS], "is not a result of stanoff"),
        (["show", str(tmp_path / "none.nc")], "cannot be read: No such file"),
    ):
        ran = stanoff(*wrong)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert words in ran.stderr


def test_one_category_of_many_is_shown(tmp_path):
    file = str(tmp_path / "result.nc")
    stanoff(*ARGUMENTS, "--average", "micro", "--engine", "exact", "--draws", "100", "--save", file)
    for style, rows in (("json", None), ("csv", 2), ("markdown", None), ("table", None)):
        told = stanoff("show", file, "--category", "8", "--format", style).stdout
        assert "7" not in [line.split("|")[1].strip() for line in told.split("\n") if "|" in line]
        if style == "json":
            assert [row["category"] for row in json.loads(told)["results"]] == ["8"]
        if rows:
            assert len(told.splitlines()) == rows
        else:
            assert "on category 8" in told
            assert "micro-averaged" not in told


def test_the_table_is_not_cut_off(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    table = compare().stdout
    assert "…" not in table
    assert "≈" in table.splitlines()[3]


def test_averages_and_f_beta():
    ran = stanoff(
        *ARGUMENTS,
        "--average",
        "macro",
        "--beta",
        "2",
        "--engine",
        "exact",
        "--draws",
        "2000",
        "--format",
        "json",
    )
    said = json.loads(ran.stdout)
    assert said["measure"] == "F2"
    assert [row["category"] for row in said["results"][20:]] == ["macro", "micro", "weighted"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--positive", "99"], "The 'pos_label' parameter must be one of 0, 1, 2"),
        ([], "There are 20 labels"),
        (["--positive", "8", "--rope", "-1"], "'rope' parameter"),
        (["--positive", "8", "--hdi", "1.5"], "'hdi' parameter"),
        (["--positive", "8", "--a", "nb_mul"], "did you mean 'nb_mult'?"),
    ],
)
def test_mistakes_are_one_sentence(arguments, words):
    ran = stanoff(*ARGUMENTS, "--engine", "exact", *arguments)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr.startswith("Error: ")
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_usage():
    assert stanoff("compare").returncode == 2
    told = stanoff("--help").stdout
    assert all(command in told for command in ("compare", "setup", "doctor"))
    assert stanoff("--version").stdout.startswith("stanoff, version ")
    installed = Path(sys.executable).with_name("stanoff")
    told = subprocess.run([installed, "compare", "--help"], capture_output=True, text=True).stdout
    options = ["truth", "a", "b", "positive", "measure", "beta", "rope", "hdi", "model", "engine"]
    for option in [*options, "seed", "format"]:
        assert f"--{option} " in told


def test_the_choices_are_those_of_the_package():
    listed = stanoff("measures").stdout
    assert all(measure.formula in listed for measure in MEASURES.values())
    assert comparing.FORMATS == FORMATS
    params = {p.name: p for p in comparing.compare.params}
    assert tuple(params["average"].type.choices) == AVERAGES
    assert all(name in stanoff("models").stdout for name in MODELS)
    assert set(params["engine"].type.choices) == set(ENGINES)
