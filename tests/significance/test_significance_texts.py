"""All tests in one table, and the command that prints it."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from stanoff import count
from stanoff import significance as sig
from stanoff.cli import main
from stanoff.data.types import PairedCounts
from stanoff.errors import InputError
from stanoff.significance.result import formatted
from stanoff.text.render import FORMATS, render

PREDICTIONS = Path(__file__).parents[2] / "reports/zhang2016/predictions.csv"
MICRO = ["s-test", "McNemar exact", "McNemar chi-square", *["p-test"] * 4, "Welch t-test"]
MACRO = ["S-test", "T-test", "T'-test", "Wilcoxon"]
TWO = PairedCounts(("x", "y"), np.full((2, 4), 5), np.array([[1, 2, 3, 40], [0, 1, 5, 45]]))


def run(*arguments):
    columns = ["--truth", "truth", "--a", "nb_mult", "--b", "svm_l2"]
    return CliRunner().invoke(main, ["significance", str(PREDICTIONS), *columns, *arguments])


def test_the_tests_that_apply_are_done():
    def names(counts, **options):
        return [outcome.test for outcome in sig.all_tests(counts, **options)]

    assert names(TWO) == MICRO + MACRO
    assert names(TWO, average="both") == MICRO + MACRO
    assert names(TWO, average="micro") == MICRO
    assert names(TWO, average="macro") == MACRO
    assert names(TWO.unpaired()) == MICRO[3:] + MACRO
    one = PairedCounts(("x",), TWO.pos[:1], TWO.neg[:1])
    assert names(one) == MICRO
    with pytest.raises(InputError, match="two categories"):
        sig.all_tests(one, average="macro")
    with pytest.raises(InputError, match="'average'"):
        sig.all_tests(TWO, average="all")


def test_the_options_reach_every_test():
    for outcome in sig.all_tests(TWO, alternative="one-sided", approximation="yang1999"):
        assert outcome.sides == (2 if "McNemar" in outcome.test else 1)
    error = sig.all_tests(TWO, average="macro", measure="error")
    assert {outcome.measure for outcome in error} == {"error"}


def test_the_command_prints_one_table(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    said = run("--average", "both")
    assert said.exit_code == 0, said.output
    sentence, table, below = said.output.split("\n\n")[:3]
    assert sentence.startswith("8 of 12 tests find a significant difference between nb_mult and")
    lines = table.lstrip().splitlines()
    assert below.startswith("p: how probable")
    assert said.output.endswith("A is nb_mult, B is svm_l2.\n")
    assert "⋆: p < 0.05" in below
    assert [line.split("  ")[0].strip() for line in lines[2:]] == MICRO + MACRO
    assert not set("≫≪∼") & set(said.output)  # these are for verdicts with a ROPE
    assert lines[2].split()[-2:] == ["2", "A"]
    assert "⋆ <0.001" in lines[2]  # in the style of every table
    one = run("--pos-label", "8").output
    assert len(one.split("\n\n")[1].lstrip().splitlines()) == 2 + len(MICRO)
    assert run("--positive", "8").output == one
    named = run("--pos-label", "8", "--names", "Bayes", "margin").output
    assert "A is Bayes, B is margin." in named


@pytest.mark.parametrize("style", FORMATS)
def test_every_format_is_that_of_the_one_writer(style):
    said = run("--average", "macro", "--format", style)
    assert said.exit_code == 0, said.output
    counts = count(PREDICTIONS, truth="truth", a="nb_mult", b="svm_l2", average="macro")
    outcomes = sig.all_tests(counts, average="macro")
    if style == "json":
        told = json.loads(said.output)["results"]
        assert [row.pop("sentence") for row in told] == [str(outcome) for outcome in outcomes]
        assert told == json.loads(render(sig.table(outcomes), "json"))
    elif style == "latex":
        assert r"\caption{Significance tests of nb\_mult (A) against svm\_l2 (B).}" in said.output
    else:
        written = render(formatted(outcomes), style, numbers=sig.table(outcomes))
        assert written in said.output


def test_no_sign_of_the_papers_is_missing_in_latex():
    told = run("--average", "both", "--format", "latex").output
    assert told.startswith(r"\begin{table*}")
    assert r"$\star$ $<$0.001" in told
    assert r"$\gg$" not in told
    assert "U+" not in told  # what pdflatex would have no sign for


def test_every_format_has_the_same_numbers():
    options = ("--average", "macro", "--alternative", "one-sided", "--approximation", "yang1999")
    csv = pd.read_csv(io.StringIO(run(*options, "--format", "csv").output))
    told = json.loads(run(*options, "--format", "json").output)
    assert told["data"]["systems"] == ["nb_mult", "svm_l2"]
    assert [t["p_value"] for t in told["results"]] == csv["p_value"].tolist()
    assert set(csv["alternative"]) == {"one-sided"}
    assert told["results"][0]["sentence"].startswith("S-test of F1: ")
    markdown = run(*options, "--format", "markdown").output
    assert markdown.count("\n| ") == 1 + len(MACRO)


def test_a_p_value_that_is_not_there_is_null_in_json(tmp_path):
    path = tmp_path / "never.csv"
    path.write_text("y,p,q\n1,0,0\n0,0,0\n1,0,0\n")
    arguments = ["--truth", "y", "--a", "p", "--b", "q"]
    for style, there in (("json", '"p_value": null'), ("table", "no trial that precision counts")):
        said = CliRunner().invoke(main, ["significance", str(path), *arguments, "--format", style])
        assert said.exit_code == 0, said.output
        assert there in said.output


def test_failures_are_one_sentence():
    for option in ("--pos-label", "--positive"):
        said = run(option, "nothing")
        assert said.exit_code == 1
        assert said.output.startswith("Error: --pos-label must be one of 0, 1, ")
        assert said.output.endswith("Got 'nothing' instead.\n")
    said = run("--average", "macro", "--measure", "recal")
    assert said.exit_code == 1
    assert said.output.startswith("Error: --measure must be one of f1, ")
