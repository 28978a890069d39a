"""Every command keeps to the schema in the manual, and says the same as Python does."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from stanoff import Prior, __version__, compare, compare_counts, contest
from stanoff.cli import main
from stanoff.cli.base import COMMANDS
from stanoff.text.envelope import json_schema

TOP = Path(__file__).parents[2]
SCHEMA = json.loads((TOP / "docs/schema.json").read_text("utf-8"))
DATA = TOP / "reports/zhang2016/predictions.csv"
COLUMNS = {"truth": "truth", "a": "nb_mult", "b": "svm_l2"}
QUICK = {"engine": "exact", "draws": 500, "seed": 1}
RESULTS = {
    "file": lambda: compare(DATA, **COLUMNS, pos_label=8, **QUICK),
    "classes": lambda: compare(DATA, **COLUMNS, average="macro", **QUICK),
    "several": lambda: compare_counts([[3, 1, 1, 1]] * 2, [[1, 1, 1, 9]] * 2, **QUICK),
    "apart": lambda: compare_counts([300, 100, 5, 20], [10, 5, 5, 900], **QUICK),
    "infinite": lambda: compare_counts([30, 0, 0, 0], [0, 0, 0, 9], measure="dor", **QUICK),
    "two": lambda: compare_counts(
        a=[30, 4, 1, 50], b=[30, 1, 4, 50], prior=(Prior(beta=(2, 3)), Prior(mass=1)), **QUICK
    ),
    "values": lambda: compare(*np.random.default_rng(1).normal(size=(2, 30)), measure="mean",
                              not_worse_by=0.5, **QUICK),
    "systems": lambda: contest(
        pd.read_csv(DATA), truth="truth", pos_label=8, better_by=0.01, **QUICK
    ),
}  # fmt: skip
LABELS = [str(DATA), "--truth", "truth", "--a", "nb_mult", "--b", "svm_l2", "--pos-label", "8"]
SIMULATED = ["--simulations", "100", "--draws", "100", "--seed", "1"]
EXACT = ["--engine", "exact", "--seed", "1"]
CALLS = [
    ["compare", *LABELS, *EXACT],
    ["contest", str(DATA), "--truth", "truth", "--pos-label", "8", "--draws", "500", *EXACT],
    ["significance", *LABELS],
    ["significance", *LABELS[:-2], "--average", "both"],
    ["power", "50", "100", "--scenario", "a", *SIMULATED],
    ["plan", "--scenario", "a", *SIMULATED],
    ["plan", "--scenario", "a", "--n", "500", *SIMULATED],
    ["plan", *LABELS, *SIMULATED],
    ["measures"],
    ["measures", "--suited", "imbalance"],
    ["measures", "--explain", "f1"],
]


def check(content):
    Draft202012Validator(SCHEMA).validate(content)
    assert (content["schema"], content["stanoff"]) == (2, __version__)
    return content


def test_the_schema_of_the_manual_is_that_of_the_code():
    Draft202012Validator.check_schema(SCHEMA)
    assert json_schema() == SCHEMA
    assert json.loads(CliRunner().invoke(main, ["schema"]).stdout) == SCHEMA


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]}-{len(call)}")
def test_every_command_keeps_to_the_schema(call):
    ran = CliRunner().invoke(main, [*call, "--format", "json"])
    assert ran.exit_code == 0, ran.output
    content = check(json.loads(ran.stdout))
    assert content["command"] == call[0]
    assert content["results"]
    if str(DATA) in call:
        assert content["data"]["source"]["file"] == str(DATA)
        assert len(content["data"]["hash"]) == 64


def test_no_command_is_forgotten():
    commands = [main.get_command(None, name) for name in COMMANDS]
    printing = {c.name for c in commands if {"style"} <= {p.name for p in c.params}}
    assert printing - {"show"} == {call[0] for call in CALLS}  # show prints what compare does


@pytest.mark.parametrize("name", RESULTS)
def test_results_keep_to_the_schema(name):
    result = RESULTS[name]()
    content = check(json.loads(result.to_json()))
    assert content == result.to_dict()
    assert content["settings"]["seed"] == 1
    if content["command"] == "compare":
        several = result.default_category is None
        assert content["decision"] == (None if several else str(result.decision))
    assert bool(content["claims"]) == (name in ("values", "systems"))


def test_where_the_data_come_from_is_told():
    data = RESULTS["file"]().to_dict()["data"]
    assert data["source"]["file"].endswith("predictions.csv")
    assert data["source"]["pos_label"] == "8"
    assert data["systems"] == ["nb_mult", "svm_l2"]
    assert data["documents"] == {"nb_mult": 7532, "svm_l2": 7532}
    counts = data["counts"]
    again = compare_counts(counts["pos"], counts["neg"], names=data["systems"], **QUICK)
    assert again.summary()["mean"].tolist() == RESULTS["file"]().summary()["mean"].tolist()
    assert RESULTS["values"]().to_dict()["data"]["counts"] is None


def test_the_hash_is_that_of_the_data():
    result = RESULTS["apart"]()
    assert result.to_dict()["data"]["hash"] == result.data.sha256


def test_a_flat_dictionary_has_numbers_and_texts():
    for name in ("classes", "systems", "values"):
        result = RESULTS[name]()
        flat = result.to_dict(flat=True)
        assert {type(value) for value in flat.values()} <= {str, int, float, bool}
        assert flat["command"] == result.to_dict()["command"]
    flat = RESULTS["classes"]().to_dict(flat=True)
    assert flat["results.macro.p_rope"] == RESULTS["classes"]().evidence().p_rope
    assert (flat["decided"], flat["settings.rope.1"]) == ("macro", 0.05)
    assert flat["data.documents.nb_mult"] == 7532
    odd = compare_counts([[3, 1, 1, 1]] * 2, [[1, 1, 1, 9]] * 2, categories=["a|b", "c"], **QUICK)
    assert "results.a_b.mean" in odd.to_dict(flat=True)


def test_a_bound_is_told_as_one():
    [row] = RESULTS["apart"]().to_dict()["results"]
    assert row["bf_rope"] is None
    assert row["bf_rope_bound"]["side"] == "<"
    assert 0 < row["bf_rope_bound"]["value"] < 1
    assert math.isfinite(row["bf_rope_bound"]["value"])


def test_what_breaks_the_schema_is_noticed():
    content = RESULTS["file"]().to_dict()
    for change in ({"schema": 1}, {"decision": "?"}, {"settings": {}}, {"more": 1}):
        assert not Draft202012Validator(SCHEMA).is_valid(content | change)
