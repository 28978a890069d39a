"""The JSON keeps to the schema in the manual."""

import json
import math
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from stanoff import Prior, __version__, compare, compare_counts

TOP = Path(__file__).parents[2]
SCHEMA = json.loads((TOP / "docs/comparison.schema.json").read_text("utf-8"))
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
}


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", RESULTS)
def test_the_json_keeps_to_the_schema(name):
    result = RESULTS[name]()
    told = json.loads(result.to_json())
    Draft202012Validator(SCHEMA).validate(told)
    assert (told["schema"], told["stanoff"]) == (1, __version__)
    assert list(told)[:4] == ["schema", "stanoff", "decision", "decided"]
    if name == "several":
        assert told["decision"] is None
    else:
        assert told["decision"] == str(result.decision)
    for row in told["results"]:
        assert row["bf_rope"] != "inf"
        assert row["bf_rope"] is None or row["bf_rope"] > 0


def test_where_the_data_come_from_is_told():
    told = json.loads(RESULTS["file"]().to_json())
    assert told["data"]["file"].endswith("predictions.csv")
    assert (told["data"]["truth"], told["data"]["a"], told["data"]["b"]) == tuple(COLUMNS.values())
    assert told["data"]["pos_label"] == "8"
    assert told["prior"]["A"]["beta"] == 1


def test_a_bound_is_told_as_one():
    [row] = json.loads(RESULTS["apart"]().to_json())["results"]
    assert row["bf_rope"] is None
    assert row["bf_rope_bound"]["side"] == "<"
    assert 0 < row["bf_rope_bound"]["value"] < 1
    assert math.isfinite(row["bf_rope_bound"]["value"])


def test_what_breaks_the_schema_is_noticed():
    told = json.loads(RESULTS["file"]().to_json())
    for change in ({"schema": 2}, {"decision": "?"}, {"hdi_prob": 95}, {"more": 1}):
        assert not Draft202012Validator(SCHEMA).is_valid(told | change)
