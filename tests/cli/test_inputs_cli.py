"""Files of every layout on the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from stanoff.cli import main

RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, 200)
SAID = {n: np.where(RNG.random(200) < p, Y, 1 - Y) for n, p in (("svm", 0.9), ("nb", 0.6))}
HOW = ["--engine", "exact", "--draws", "200", "--seed", "1", "--format", "json"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run ``stanoff compare`` in a folder with the same data in several layouts."""
    monkeypatch.chdir(tmp_path)
    wide = pd.DataFrame({"doc": range(200), "y": Y, **SAID})
    wide.to_csv("wide.csv", index=False)
    wide[["doc", "y"]].to_csv("gold.csv", index=False)
    each = [wide[["doc", "y"]].assign(model=n, pred=SAID[n]) for n in SAID]
    pd.concat(each).to_csv("long.csv", index=False)
    for name, frame in zip(SAID, each, strict=True):
        frame[["doc", "y", "pred"]].to_json(f"{name}.jsonl", orient="records", lines=True)

    def compare(line, **options):
        return CliRunner().invoke(main, ["compare", *line.split(), *HOW], **options)

    return compare


WIDE = "--truth y --a svm --b nb"
LAYOUTS = {
    "joined": "svm.jsonl nb.jsonl --id doc --truth y --a pred --b pred",
    "gold": "wide.csv --id doc --truth-file gold.csv --truth y --a svm --b nb",
    "long": "long.csv --item doc --system model --prediction pred --truth y --a svm --b nb",
    "value": "long.csv --item doc --system model --value pred --truth y --a svm --b nb",
    "stdin": f"- {WIDE}",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_layouts_say_the_same(run, tmp_path, layout):
    expected = json.loads(run(f"wide.csv {WIDE}").stdout)
    options = {"input": (tmp_path / "wide.csv").read_bytes()} if layout == "stdin" else {}
    ran = run(LAYOUTS[layout], **options)
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["results"] == expected["results"]


def test_errors_speak_of_options(run, tmp_path):
    ran = run("svm.jsonl nb.jsonl --truth y --a pred --b pred")
    assert ran.exit_code == 1
    assert ran.stderr == "Error: Say which column of svm.jsonl is 'id': pass --id.\n"
    assert "pass --truth." in run("wide.csv --a svm --b nb").stderr
    lines = (tmp_path / "nb.jsonl").read_text().splitlines()[5:]
    (tmp_path / "nb.jsonl").write_text("\n".join(lines))
    ran = run(LAYOUTS["joined"])
    assert "5 of svm.jsonl are not in nb.jsonl, such as 0, 1, 2." in ran.stderr
    assert "Pass --unmatched drop to leave them out." in ran.stderr
    assert run(f"{LAYOUTS['joined']} --unmatched drop").exit_code == 0
