"""unmatched="pairs": every two systems on the items that both have answered."""

import json

import numpy as np
import pandas as pd
import pytest
from agreement import same_evidence
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from stanoff import compare, contest
from stanoff.cli import main
from stanoff.errors import InputError
from stanoff.results.contest import Pairs
from stanoff.text.envelope import json_schema

N = 200
SYSTEMS = {"svm": 0.9, "nb": 0.75, "knn": 0.6, "late": 0.85}
EXACT = {"engine": "exact", "seed": 1, "draws": 2000}


@pytest.fixture(scope="module")
def gaps():
    """Labels with gaps: late came late, svm was late once."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, N)
    labels = {s: np.where(rng.random(N) < p, y, 1 - y).astype(float) for s, p in SYSTEMS.items()}
    frame = pd.DataFrame({"doc": np.arange(N), "y": y, **labels})
    frame.loc[80:, "late"] = np.nan
    frame.loc[:20, "svm"] = np.nan
    return frame


def long_of(gaps):
    return gaps.melt(["doc", "y"], list(SYSTEMS), "system", "label").dropna()


LONG = {"item": "doc", "system": "system", "prediction": "label"}
LAYOUTS = {
    "wide": lambda gaps, path: (gaps, {"systems": list(SYSTEMS)}),
    "long": lambda gaps, path: (long_of(gaps), LONG),
    "joined": lambda gaps, path: (
        tuple(gaps[["doc", "y", s]].dropna() for s in SYSTEMS),
        {"id": "doc", "systems": list(SYSTEMS)},
    ),
    "gold": lambda gaps, path: (
        gaps.drop(columns="y"),
        {"id": "doc", "systems": list(SYSTEMS), "truth": (gaps[["doc", "y"]], "y")},
    ),
    "csv": lambda gaps, path: (gaps.to_csv(path, index=False) or path, {"systems": list(SYSTEMS)}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_pair_is_judged_as_compare_judges_what_both_have(gaps, layout, tmp_path):
    table, options = LAYOUTS[layout](gaps, tmp_path / "t.csv")
    result = contest(table, **({"truth": "y"} | options), unmatched="pairs", **EXACT)
    assert isinstance(result, Pairs)
    assert set(result.systems) == set(SYSTEMS)
    assert len(result.comparisons) == 6
    for (a, b), judged in result.comparisons.items():
        both = gaps.dropna(subset=[a, b])
        alone = compare(both["y"], both[a], both[b], **EXACT)
        same_evidence(judged, alone)
        assert judged.n_documents() == (len(both), len(both))
    assert result.between("nb", "svm").names == ("nb", "svm")


@pytest.mark.parametrize("measure", ["auc", "mean", "mae"])
def test_pairs_of_scores_values_and_numbers(gaps, measure):
    noise = np.random.default_rng(2).normal(0, 0.3, (N, len(SYSTEMS)))
    table = gaps.copy()
    table[list(SYSTEMS)] += noise
    truth = {} if measure == "mean" else {"truth": "y"}
    options = {"measure": measure, "seed": 1, "draws": 500}
    result = contest(table, systems=list(SYSTEMS), unmatched="pairs", **truth, **options)
    for (a, b), judged in result.comparisons.items():
        alone = compare(table.dropna(subset=[a, b]), a=a, b=b, **truth, **options)
        same_evidence(judged, alone)


def test_runs_of_an_item_stay_together():
    rng = np.random.default_rng(3)
    long = pd.DataFrame({"q": np.repeat(np.arange(40), 9), "system": ["a", "b", "c"] * 120})
    long["value"] = rng.normal(long["q"] / 40 + (long["system"] == "a") * 0.2, 0.3)
    long = long[~((long["system"] == "c") & (long["q"] > 25))]
    layout = {"item": "q", "system": "system", "value": "value", "measure": "mean", "seed": 1}
    result = contest(long, unmatched="pairs", **layout)
    for a, b in (("a", "b"), ("a", "c")):
        alone = compare(long, a=a, b=b, unmatched="drop", **layout)
        same_evidence(result.between(a, b), alone)
        np.testing.assert_array_equal(result.between(a, b).data.runs, alone.data.runs)


def test_what_is_said_of_pairs(gaps, tmp_path):
    result = contest(gaps, truth="y", systems=list(SYSTEMS), unmatched="pairs", **EXACT)
    sentence = str(result)
    assert "on what both have answered (59 to 200 documents)" in sentence
    assert "no joint posterior, and so there are no ranks" in sentence
    summary = result.summary()
    sizes = summary.set_index(["a", "b"])["documents"]
    assert sizes["svm", "late"] == 59
    wide, pair = result.judge(rope=0.2), result.between("svm", "nb")
    same_evidence(wide.between("svm", "nb"), pair.judge(rope=0.2))
    record = json.loads(result.to_json())
    assert record["command"] == "pairs"
    Draft202012Validator(json_schema()).validate(record)
    numbers = [max(p["data"]["documents"].values()) for p in record["results"]]
    assert numbers == list(summary["documents"])
    assert len(result.to_csv().splitlines()) == 7
    assert "Verdicts" in result.to_html(tmp_path / "p.html").read_text("utf8")
    labels = [label.get_text() for label in result.plot_matrix().get_yticklabels()]
    assert labels == list(SYSTEMS)
    assert "nb" in result._repr_html_()
    for name in ("ranks", "best", "tiers", "save", "plot_scores", "tree", "summarise"):
        assert not hasattr(result, name)
    with pytest.raises(InputError, match="'ranks' needs a joint posterior"):
        result.ranks()
    gaps.to_csv(tmp_path / "t.csv", index=False)
    words = f"contest {tmp_path}/t.csv --truth y --systems {' '.join(SYSTEMS)} --unmatched pairs"
    ran = CliRunner().invoke(main, [*words.split(), "--engine", "exact", "--seed", "1"])
    assert ran.exit_code == 0
    assert "there are no ranks" in " ".join(ran.output.split())


def test_a_pair_that_cannot_be_judged_is_said(gaps):
    table = gaps.assign(late=gaps["late"].where(gaps["doc"] < 20))  # svm begins at 21
    result = contest(table, truth="y", systems=list(SYSTEMS), unmatched="pairs", **EXACT)
    assert len(result.comparisons) == 5
    assert "svm and late are not judged: " in str(result)


def test_gaps_are_refused_with_their_numbers(gaps):
    options = {"truth": "y", "systems": list(SYSTEMS), **EXACT}
    words = (
        "Of 200 rows 21 have no answer of svm, the first in row 1; 120 have no answer of late, the "
        "first in row 81. Pass unmatched= drop to leave them out, or pairs to judge each pair"
    )
    with pytest.raises(InputError, match=words):
        contest(gaps, **options)
    dropped = contest(gaps, unmatched="drop", **options)
    assert dropped.data.n_documents() == (59,)
    assert "Items were left out: of 200 rows 21 have no answer of svm" in str(dropped)
    pair = {"truth": "y", "a": "svm", "b": "late", **EXACT}
    assert compare(gaps, unmatched="pairs", **pair).n_documents() == (59, 59)  # as "drop"
    with pytest.raises(InputError, match="'not_worse_by' parameter must be None"):
        contest(gaps, unmatched="pairs", not_worse_by=0.1, **options)
