"""What the command line says to scripts, to odd terminals and to odd options."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from stanoff import InputError, compare, compare_counts
from stanoff.cli import main

PREDICTIONS = str(Path(__file__).parents[2] / "reports/zhang2016/predictions.csv")
ASKED = ["compare", PREDICTIONS, "--truth", "truth", "--a", "nb_mult", "--b", "svm_l2"]
QUICK = ["--pos-label", "8", "--engine", "exact", "--seed", "1", "--draws", "500"]


def run(*words):
    return CliRunner().invoke(main, [*ASKED, *QUICK, *words])


@pytest.mark.parametrize(
    ("wanted", "code"),
    [(">> =", 0), ("=", 0), (">>,=", 0), ("settled", 0), (">>", 3), ("<< <", 3), (">> settled", 0)],
)
def test_the_exit_code_follows_the_verdict(wanted, code, tmp_path):
    saved = tmp_path / "r.nc"
    ran = run("--fail-unless", wanted, "--save", str(saved))
    assert ran.exit_code == code, ran.output
    assert "practically equivalent" in ran.stdout
    assert ("The verdict is not" in ran.stderr) == (code == 3)
    again = CliRunner().invoke(main, ["show", str(saved), "--fail-unless", wanted])
    assert again.exit_code == code


def test_a_verdict_that_does_not_exist_is_refused():
    ran = run("--fail-unless", "better")
    assert ran.exit_code == 1
    assert ran.stderr == (
        "Error: --fail-unless must be made of <<, <, =, >, >> and settled. Got 'better' instead.\n"
    )


def test_without_an_average_every_category_counts(tmp_path):
    counts = {
        "c_pos": [[300, 100, 5, 20], [30, 4, 1, 5]],
        "c_neg": [[10, 5, 5, 900], [1, 1, 1, 90]],
    }
    result = compare_counts(**counts, engine="exact", draws=2000, seed=1)
    file = str(result.save(tmp_path / "r.nc"))
    for wanted, code in ((">>", 3), (">> >", 0)):
        assert CliRunner().invoke(main, ["show", file, "--fail-unless", wanted]).exit_code == code


@pytest.mark.parametrize("option", ["--b", "--seed", "--rope"])
def test_an_option_that_takes_one_value_is_taken_once(option):
    ran = run(option, "1", option, "2")
    assert ran.exit_code == 2
    assert f"{option} was given more than once." in ran.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-8"])
@pytest.mark.parametrize("style", ["table", "markdown"])
def test_any_encoding_of_stdout_works(encoding, style):
    environment = dict(os.environ, PYTHONIOENCODING=encoding)
    command = [sys.executable, "-m", "stanoff", *ASKED, *QUICK, "--format", style]
    ran = subprocess.run(command, capture_output=True, env=environment, check=True)
    text = " ".join(ran.stdout.decode(encoding).split())
    assert "practically equivalent" in text
    assert ("≫" if encoding == "utf-8" else ">>, <<: significantly better") in text
    assert b"Traceback" not in ran.stderr


def test_what_was_not_passed_is_not_complained_of(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("y,p,q\n" + "spam,ham,spam\nham,ham,ham\n" * 5)
    ran = CliRunner().invoke(
        main, ["compare", str(file), "--truth", "y", "--a", "p", "--b", "q", "--engine", "exact"]
    )
    assert (ran.exit_code, ran.stderr) == (
        1,
        "Error: The labels are 'ham', 'spam': pass --pos-label to say which of them is positive.\n",
    )
    with pytest.raises(InputError, match="pass pos_label= to say which of them is positive"):
        compare(["x", "y"], ["x", "x"], ["y", "y"])


def test_what_has_no_effect_is_said():
    ran = run("--warmup", "100")
    assert ran.exit_code == 1
    assert "--warmup must be left out where --engine is exact, which has none." in ran.stderr
    notes = json.loads(run("--measure", "accuracy", "--beta", "2", "--format", "json").stdout)
    assert "beta=2 changes nothing: accuracy does not use it." in notes["warnings"]
    notes = json.loads(run("--measure", "recall", "--prevalence", "0.3", "--format", "json").stdout)
    assert any("prevalence=0.3 changes nothing: recall" in told for told in notes["warnings"])
    for fine in (["--beta", "2"], ["--measure", "precision", "--prevalence", "0.3"]):
        notes = json.loads(run(*fine, "--format", "json").stdout)
        assert not any("changes nothing" in told for told in notes["warnings"])


@pytest.mark.parametrize("words", [["compare"], ["setup"], ["doctor"]])
def test_without_a_compiler_the_exact_engine_is_named(words, tmp_path):
    environment = {
        "PATH": str(tmp_path),
        "HOME": str(tmp_path),
        "STANOFF_CACHE": str(tmp_path / "cache"),
    }
    asked = words if words != ["compare"] else [*ASKED, "--pos-label", "8", "--engine", "stan"]
    command = [sys.executable, "-m", "stanoff", *asked]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 1
    told = ran.stdout + ran.stderr
    assert "--engine exact" in told
    assert "Traceback" not in told


def test_the_unit_is_named():
    assert "7,532 documents, taken to be independent of each other" in " ".join(
        run().stdout.split()
    )


def test_what_only_other_tables_need_is_not_loaded():
    code = (
        "import sys; from stanoff.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "heavy = ('scipy.stats', 'scipy.special', 'arviz_base', 'pydantic', 'xarray'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, *ASKED, *QUICK]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_one_table_of_long_names_fits_a_hundred_columns(tmp_path):
    a, b = "a_classifier_with_a_long_name", "another_classifier_with_a_long_name"
    file = tmp_path / "p.csv"
    file.write_text(f"y,{a},{b}\n" + "1,1,0\n0,0,0\n1,1,1\n" * 9)
    words = ["compare", str(file), "--truth", "y", "--a", a, "--b", b, *QUICK[2:]]
    text = CliRunner().invoke(main, words, env={"COLUMNS": "100"}).stdout
    assert text.startswith(f"{a} is")
    assert text.count("─ ") + text.count("─\n") == 1  # one table
    assert max(map(len, text.splitlines())) <= 100
    assert "psi_A, psi_B: posterior mean of the score" in " ".join(text.split())


def test_a_column_is_not_taken_for_an_option(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("y,p,q\n1,1,0\n")
    words = ["compare", str(file), "--truth", "y", "--a", "a", "--b", "q"]
    assert (
        f"{file} has no column 'a' for --a; it has y, p, q."
        in CliRunner().invoke(main, words).stderr
    )


@pytest.mark.parametrize("words", [["show"], ["report", "--out", "x"], ["compare", "--data"]])
def test_a_pipe_is_not_waited_for(words, tmp_path):
    suffix = ".toml" if words[0] == "report" else ".x"
    pipe = tmp_path / f"p{suffix}"
    os.mkfifo(pipe)
    asked = (
        [*ASKED, "--data", str(pipe)]
        if words[0] == "compare"
        else [words[0], str(pipe), *words[1:]]
    )
    ran = subprocess.run(
        [sys.executable, "-m", "stanoff", *asked], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 1
    assert f"{pipe} cannot be read: it is no regular file." in ran.stderr


@pytest.mark.parametrize("word", ["--no\x1b[31m", "a\x07b\u009b"])
def test_control_characters_of_words_do_not_reach_the_terminal(word):
    for asked in ([word], ["compare", word, word], ["compare", "x.csv", f"--{word}"]):
        ran = CliRunner().invoke(main, asked, color=True)
        assert ran.exit_code in (1, 2)
        assert not {"\x1b", "\x07", "\u009b"} & {*ran.output}


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_stream_loses_nothing_without_a_word(closed):
    descriptor = {"stdout": 1, "stderr": 2}[closed]
    ran = subprocess.run(
        [
            "sh",
            "-c",
            f'exec "$@" {descriptor}>&-',
            "sh",
            sys.executable,
            "-m",
            "stanoff",
            *ASKED,
            *QUICK,
        ],
        capture_output=True,
        text=True,
    )
    if closed == "stderr":
        assert ran.returncode == 0
        assert "practically equivalent" in ran.stdout
    else:
        assert ran.returncode == 1
        assert ran.stderr == "Error: The answer cannot be written: stdout is closed.\n"


def test_an_odd_date_of_the_build_is_refused(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "x")
    assert "SOURCE_DATE_EPOCH" in run().stderr
