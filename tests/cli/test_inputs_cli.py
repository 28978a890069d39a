"""Files of every layout on the command line, by every command that reads labels."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from stanoff.cli import main

RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, 200)
SAID = {n: np.where(RNG.random(200) < p, Y, 1 - Y) for n, p in (("svm", 0.9), ("nb", 0.6))}
DRAWN = "--engine exact --draws 200 --seed 1"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run stanoff in a folder with the same data in several layouts."""
    monkeypatch.chdir(tmp_path)
    wide = pd.DataFrame({"doc": range(200), "y": Y, **SAID})
    wide.to_csv("wide.csv", index=False)
    wide[["doc", "y"]].to_csv("gold.csv", index=False)
    each = [wide[["doc", "y"]].assign(model=n, pred=SAID[n]) for n in SAID]
    pd.concat(each).to_csv("long.csv", index=False)
    for name, frame in zip(SAID, each, strict=True):
        frame[["doc", "y", "pred"]].to_json(f"{name}.jsonl", orient="records", lines=True)

    def stanoff(line, **options):
        return CliRunner().invoke(main, line.split(), **options)

    return stanoff


WIDE = "wide.csv --truth y --a svm --b nb"
LAYOUTS = {
    "joined": "svm.jsonl nb.jsonl --id doc --truth y --a pred --b pred",
    "gold": "wide.csv --id doc --truth-file gold.csv --truth y --a svm --b nb",
    "long": "long.csv --item doc --system model --prediction pred --truth y --a svm --b nb",
    "value": "long.csv --item doc --system model --value pred --truth y --a svm --b nb",
    "stdin": "- --truth y --a svm --b nb",
}
COMMANDS = {
    "compare": (f"{DRAWN} --format json", "results"),
    "significance": ("--format json", "results"),
    "plan": ("--simulations 50 --draws 200 --seed 1 --max-n 5000 --format json", "results"),
}


def told(ran, key):
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    return found[key] if key else found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_all_layouts_say_the_same(run, tmp_path, command, layout):
    options, key = COMMANDS[command]
    expected = told(run(f"{command} {WIDE} {options}"), key)
    given = {"input": (tmp_path / "wide.csv").read_bytes()} if layout == "stdin" else {}
    assert told(run(f"{command} {LAYOUTS[layout]} {options}", **given), key) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_page_is_written_of_every_layout(run, tmp_path, layout, monkeypatch):
    monkeypatch.setattr("stanoff.plots.gallery.GALLERY", {})
    given = {"input": (tmp_path / "wide.csv").read_bytes()} if layout == "stdin" else {}
    ran = run(f"report {LAYOUTS[layout]} {DRAWN} --out x.html", **given)
    assert ran.exit_code == 0, ran.output
    assert "svm is significantly better than nb" in (tmp_path / "x.html").read_text("utf-8")


CONTESTS = {
    "joined": "svm.jsonl nb.jsonl --id doc --truth y --systems pred",
    "gold": "wide.csv --id doc --truth-file gold.csv --truth y --systems svm nb",
    "all others": "wide.csv --id doc --truth-file gold.csv --truth y",
    "long": "long.csv --item doc --system model --prediction pred --truth y --systems svm nb",
    "stdin": "- --truth y --id doc",
}


@pytest.mark.parametrize("layout", CONTESTS)
def test_contests_take_all_layouts(run, tmp_path, layout):
    options = f"{DRAWN} --format json"
    [expected] = told(run(f"contest wide.csv --truth y --id doc {options}"), "results")
    given = {"input": (tmp_path / "wide.csv").read_bytes()} if layout == "stdin" else {}
    [found] = told(run(f"contest {CONTESTS[layout]} {options}", **given), "results")
    assert found == expected


def test_all_systems_of_a_long_table_are_ranked(run):
    line = "contest long.csv --item doc --system model --prediction pred --truth y --format json"
    assert told(run(f"{line} {DRAWN}"), "data")["systems"] == ["nb", "svm"]


def test_errors_speak_of_options(run, tmp_path):
    ran = run("compare svm.jsonl nb.jsonl --truth y --a pred --b pred")
    assert ran.exit_code == 1
    assert ran.stderr.startswith("Error: Say which column of svm.jsonl is 'id': pass --id. It has")
    for command in ("compare", "significance", "report --out x.html", "plan"):
        assert "'truth': pass --truth." in run(f"{command} wide.csv --a svm --b nb").stderr
    twice = run("contest svm.jsonl svm.jsonl --id doc --truth y --systems pred")
    assert "must be different columns, not both pred of svm.jsonl." in twice.stderr
    stdin = run("compare - - --id doc --truth y --a svm --b nb", input=b"doc,y\n")
    assert "'-' for one table at most: stdin can be read once only." in stdin.stderr
    lines = (tmp_path / "nb.jsonl").read_text().splitlines()[5:]
    (tmp_path / "nb.jsonl").write_text("\n".join(lines))
    ran = run(f"compare {LAYOUTS['joined']} {DRAWN}")
    assert "Of 200 ids 5 are not in nb.jsonl, such as 0, 1, 2." in ran.stderr
    assert "Pass --unmatched drop to leave them out." in ran.stderr
    assert run(f"compare {LAYOUTS['joined']} {DRAWN} --unmatched drop").exit_code == 0


@pytest.mark.parametrize("option", ["--item x", "--truth-file x", "--id x", "--sample-weight x"])
def test_what_goes_with_a_file_is_refused_without_one(run, option):
    name = option.split()[0]
    assert f"{name} goes with FILE." in run(f"plan --scenario a {option}").stderr


def test_a_study_goes_alone(run):
    assert "study.toml goes alone" in run("report study.toml wide.csv --out x").stderr
