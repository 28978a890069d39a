import csv
import inspect
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from stanoff import api
from stanoff.cli import main, options
from stanoff.cli.base import COMMANDS
from stanoff.data.types import AVERAGES
from stanoff.engines.cmdstan import CmdStan
from stanoff.measures import MEASURES, invariance, recommend, registry
from stanoff.models import MODELS
from stanoff.options import ENGINES, QUESTION
from stanoff.text.render import FORMATS, render

PREDICTIONS = str(Path(__file__).parents[2] / "reports/zhang2016/predictions.csv")
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
    ran = stanoff(*ARGUMENTS, "--pos-label", "8", "--seed", "1", "--engine", engine, *options)
    assert ran.returncode == 0, ran.stderr
    return ran


def test_json_for_scripts():
    said = json.loads(compare("--format", "json", "--rope", "0.03", "--hdi-prob", "0.9").stdout)
    assert said["data"]["systems"] == ["nb_mult", "svm_l2"]
    assert said["settings"]["rope"] == [-0.03, 0.03]
    [row] = said["results"]
    assert (row["category"], row["decision"]) == ("8", ">")
    assert row["hdi_low"] < row["mean"] < row["hdi_high"]
    assert row["sentence"].startswith("nb_mult is perhaps better than svm_l2")
    assert said["warnings"] == []
    assert row["bf_sd_defined"] is False


@pytest.mark.stan
def test_stan_is_the_default_and_leaves_stdout_clean():
    asked = "--pos-label", "8", "--seed", "1", "--format", "json"
    ran = in_a_process_of_its_own(*ARGUMENTS, *asked)
    said = json.loads(ran.stdout)
    assert said["settings"]["engine"] == "stan"
    assert said["results"][0]["decision"] == "="
    assert "cmdstanpy" not in ran.stderr


def test_csv_for_spreadsheets():
    [row] = csv.DictReader(io.StringIO(compare("--format", "csv").stdout))
    assert row["decision"] == "="
    assert list(row)[:5] == ["category", "psi_A", "psi_B", "observed_A", "observed_B"]


def test_table_and_markdown_for_people():
    table = compare().stdout
    assert "ROPE pct" in table
    assert "practically equivalent" in table
    markdown = compare("--format", "markdown", "--measure", "recall", "--model", "unpaired").stdout
    assert markdown.startswith("| category | sign-test | t-test | mean |")
    assert "in recall on category 8 (7,532 documents)" in markdown


def test_a_saved_result_is_shown_again(tmp_path):
    file = str(tmp_path / "result.nc")
    told = compare("--save", file, "--format", "json", "--draws", "2000").stdout
    assert stanoff("show", file, "--format", "json").stdout == told
    stricter = stanoff("show", file, "--format", "json", "--rope", "0.01", "--hdi-prob", "0.5")
    said = json.loads(stricter.stdout)
    settings = said["settings"]
    assert (settings["rope"], settings["hdi_prob"]) == ([-0.01, 0.01], 0.5)
    assert said["results"][0]["decision"] != json.loads(told)["results"][0]["decision"]
    assert r"\begin{tabular}" in stanoff("show", file, "--format", "latex").stdout
    for wrong, words in (
        (["show", file, "--category", "9"], "Error: --category must be one of 8"),
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
    assert "ROPE pct" in table
    assert "≈" in table.split("posterior means")[0]


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
    assert said["settings"]["measure"] == "F2"
    assert [row["category"] for row in said["results"][20:]] == ["macro", "micro", "weighted"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pos-label", "99"], "Error: --pos-label must be one of 0, 1, 2"),
        (["--positive", "99"], "Error: --pos-label must be one of 0, 1, 2"),
        ([], "There are 20 labels"),
        (
            [],
            "pass --pos-label to judge one of them against the rest, or --average (macro, micro or "
            "weighted) to judge them together",
        ),
        (
            ["--pos-label", "8", "--average", "macro"],
            "Error: --pos-label must be left out where --average judges all categories",
        ),
        (["--labels", "8"], "Error: --labels must be left out unless --average is given"),
        (
            ["--average", "macro", "--labels", "8", "--labels", "8"],
            "Error: --labels must be differ",
        ),
        (["--average", "macro", "--labels", "99"], "None of the labels '99' occurs"),
        (["--pos-label", "8", "--rope", "-1"], "Error: --rope must be a half-width >= 0"),
        (["--pos-label", "8", "--rope", "-1"], "Got -1.0 instead."),
        (["--pos-label", "8", "--rope", "0.03,-0.01"], "Got (0.03, -0.01) instead."),
        (
            ["--pos-label", "8", "--hdi-prob", "1.5"],
            "Error: --hdi-prob must be a number between 0 and 1",
        ),
        (["--pos-label", "8", "--beta", "-1"], "Error: --beta must be a number >= 0"),
        (["--pos-label", "8", "--draws", "1"], "Error: --draws must be a whole number from 4 to"),
        (["--pos-label", "8", "--seed", "-1"], "Error: --seed must be a whole number from 0"),
        (
            ["--pos-label", "8", "--zero-division", "2"],
            "Error: --zero-division must be 0, 1 or NaN",
        ),
        (["--pos-label", "8", "--prevalence", "2"], "Error: --prevalence must be a number between"),
        (["--pos-label", "8", "--names", "x", "x"], "Error: --names must be two different names"),
        (["--pos-label", "8", "--measure", "recal"], "Error: --measure must be one of f1, "),
        (
            ["--pos-label", "8", "--measure", "auc"],
            "pass --measure balanced_accuracy",
        ),
        (["--pos-label", "8", "--model", "pared"], "Did you mean 'paired'"),
        (
            ["--pos-label", "8", "--model", "hierarchical"],
            "Error: --engine must be 'stan' for hier",
        ),
        (["--pos-label", "8", "--prior", "jefreys"], "Error: --prior must be one of uniform, jeff"),
        (["--pos-label", "8", "--prior", "beta=x"], "Error: --prior must be made of parts such as"),
        (
            ["--pos-label", "8", "--prior", "gamma=2"],
            "Error: --prior must be one of beta, alpha_pos",
        ),
        (["--pos-label", "8", "--prior", "beta=-1"], "Error: --prior: beta must be positive"),
        (
            ["--pos-label", "8", "--prior", "jeffreys", "--prior", "perks"],
            "Error: --prior must be one Prior for both",
        ),
        (["--pos-label", "8", *["--prior", "perks"] * 3], "Error: --prior goes once, or twice"),
    ],
)
def test_mistakes_are_one_sentence(arguments, words):
    ran = stanoff(*ARGUMENTS, "--engine", "exact", *arguments)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr.startswith("Error: ")
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert not re.search(r"parameter|\b[a-z]+_[a-z]+=", ran.stderr)  # the words of Python


def test_a_column_that_is_not_there_is_told_by_its_option():
    ran = stanoff(*["nb_mul" if word == "nb_mult" else word for word in ARGUMENTS])
    assert ran.returncode == 1
    assert "no column 'nb_mul' for --a; did you mean 'nb_mult'?" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--explain", "recal"], "Error: --explain must be one of f1, "),
        (["--explain", "auc"], "for labels pass --explain balanced_accuracy"),
        (["--suited", "imbalanc"], "Error: --suited must be one of "),
        (["--invariance", "--beta", "-1"], "Error: --beta must be a number >= 0"),
    ],
)
def test_mistakes_about_measures_are_one_sentence(arguments, words):
    ran = stanoff("measures", *arguments)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert words in ran.stderr
    assert "parameter" not in ran.stderr


def test_a_rope_that_is_no_number_is_told_with_an_example():
    ran = stanoff(*ARGUMENTS, "--pos-label", "8", "--rope", "narrow")
    assert ran.returncode == 2
    assert "'narrow' is neither a half-width nor two ends such as -0.01,0.03." in ran.stderr
    for rope in ("0.1,0.2,0.3", "", "0.1,"):
        assert stanoff(*ARGUMENTS, "--pos-label", "8", "--rope", rope).returncode == 2


def test_usage():
    assert stanoff("compare").returncode == 2
    told = stanoff("--help").stdout
    assert all(command in told for command in ("compare", "setup", "doctor"))
    assert stanoff("--version").stdout.startswith("stanoff, version ")
    installed = Path(sys.executable).with_name("stanoff")
    told = subprocess.run([installed, "compare", "--help"], capture_output=True, text=True).stdout
    known = [
        "truth",
        "a",
        "b",
        "positive",
        "measure",
        "beta",
        "rope",
        "hdi-prob",
        "model",
        "engine",
    ]
    known += ["labels", "average", "names", "zero-division", "prevalence", "prior", "draws"]
    for option in [*known, "chains", "warmup", "seed", "format"]:
        assert f"--{option} " in told
    assert "--pos-label, --positive " in told


def test_the_choices_are_those_of_the_package():
    listed = stanoff("measures").stdout
    assert all(measure.formula in listed for measure in MEASURES.values())
    assert options.FORMATS == FORMATS
    params = {p.name: p for p in main.get_command(None, "compare").params}
    assert tuple(params["average"].type.choices) == AVERAGES
    assert all(name in stanoff("models").stdout for name in MODELS)
    assert set(params["engine"].type.choices) == set(ENGINES)


def test_the_command_line_can_say_all_that_the_api_can():
    said = {param.name for param in main.get_command(None, "compare").params}
    asked = set(inspect.signature(api.compare).parameters)
    # FILE, the terminal, and what only Python has.
    not_said = {"table", "y_pred_a", "y_pred_b", "options", "progress", "executor", "cv"}
    assert asked - not_said <= said
    assert set(QUESTION) <= {param.name for param in main.get_command(None, "show").params}


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize(
    ("asked", "frame"),
    [
        (["--invariance"], lambda: invariance.table()),
        (["--explain", "recall"], lambda: invariance.examine("recall").frame()),
        (["--suited", "imbalance"], lambda: recommend.table(["imbalance"])),
    ],
)
def test_measures_are_written_in_every_format(asked, frame, style):
    ran = stanoff("measures", *asked, "--format", style)
    assert ran.returncode == 0, ran.stderr
    if style == "table":
        assert ran.stdout.strip()  # words for a person
    elif style == "json":
        assert json.loads(ran.stdout)["results"] == json.loads(render(frame(), style))
    else:
        assert ran.stdout == f"{render(frame(), style)}\n"


def test_the_list_of_measures_is_written_in_every_format():
    told = {style: stanoff("measures", "--format", style).stdout for style in FORMATS}
    every = registry.registered()
    del every["mean"], every["ratio"]  # of values that were measured before
    assert [row["measure"] for row in json.loads(told["json"])["results"]] == list(every)
    rows = list(csv.DictReader(io.StringIO(told["csv"])))
    assert {row["measure"]: row["formula"] for row in rows} == {
        name: measure.formula for name, measure in every.items()
    }
    assert told["markdown"].startswith("| measure | also | better | least | greatest | formula |")
    assert told["latex"].startswith(r"\begin{tabular}{lrrrrl}")
    assert "U+" not in told["latex"]


def test_set_up_compiles_what_is_named(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "stanoff.engines.toolchain.compile_programs", lambda programs, *_: asked.append(programs)
    )
    found = CmdStan(Path("/cmdstan"), (2, 27), "a test")
    monkeypatch.setattr("stanoff.engines.toolchain.ensure_cmdstan", lambda path: found)
    ran = CliRunner().invoke(main, ["setup", "items", "paired"])
    assert asked == [[MODELS["items"].stan_file, MODELS["paired"].stan_file]]
    assert "models compiled: items, paired." in ran.output
    ran = CliRunner().invoke(main, ["setup", "clusters"])  # it has no program
    assert ran.exit_code != 0
    assert len(asked) == 1


def test_the_list_of_commands_says_what_their_own_help_says():
    for name, (_, summary) in COMMANDS.items():
        assert main.get_command(None, name).help.startswith(summary.rstrip("."))
