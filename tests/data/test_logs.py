"""What other programs wrote: stored by default, fresh ones in ``make test-peers``.

``tests/peers/write_logs.py`` makes them.
"""

import os
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stanoff import InputError, compare, count
from stanoff.data.readers import database, fetch, open_table

STORED = Path(__file__).parents[1] / "stored/logs"
LOGS = Path(os.environ.get("STANOFF_LOGS", STORED)).resolve()


def table(name):
    """A log as stanoff reads it."""
    with ExitStack() as stack:
        found = open_table(LOGS / name, stack.enter_context(database()), stack)
        return fetch(found.frame).set_axis(list(found.names), axis=1), found


@pytest.mark.parametrize("system", ["one", "two"])
@pytest.mark.parametrize(
    ("task", "score"), [("index", "acc"), ("word", "acc"), ("free", "exact_match")]
)
def test_lm_evaluation_harness(task, score, system):
    frame, found = table(f"lm_eval/samples_{task}_{system}.jsonl")
    assert frame["id"].tolist() == list(range(8))
    # The program's own score says whether the answer that we found is the right one.
    assert (frame["prediction"] == frame["truth"]).tolist() == (frame[score] == 1).tolist()
    assert found.notes == ()


def test_two_logs_need_no_names_of_columns():
    files = [LOGS / f"lm_eval/samples_index_{system}.jsonl" for system in ("one", "two")]
    counts = count(files, average="micro")
    assert counts.n_documents() == (8,)
    assert counts.systems == ("samples_index_one", "samples_index_two")
    right = counts.one_vs_rest().cells[:, :, 0].sum(axis=1)
    assert right.tolist() == [int(table(f)[0]["acc"].sum()) for f in files]
    named = count(files, id="doc_id", truth="target", a="prediction", b="prediction", pos_label=1)
    assert named.n_documents() == (8,)


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_logs_may_be_packed(tmp_path, packing):
    ending = {"gzip": "gz", "zstd": "zst"}[packing]
    for name in ("lm_eval/samples_index_one.jsonl", "retrieval/trec_eval_one.txt"):
        file = tmp_path / f"{Path(name).name}.{ending}"
        file.write_bytes(pa.compress((LOGS / name).read_bytes(), packing, asbytes=True))
        pd.testing.assert_frame_equal(table(file)[0], table(name)[0])


def test_the_first_of_several_filters_is_taken():
    frame, found = table("lm_eval/samples_filtered_one.jsonl")
    assert len(frame) == 8
    (note,) = found.notes
    assert note.endswith("has the filters as-is, lower: the first is taken.")


def test_inspect_ai():
    frame, _ = table("inspect_ai/choice_one.eval")
    assert frame["id"].tolist() == [f"q{i}" for i in range(8)]
    assert (frame["prediction"] == frame["truth"]).tolist() == (frame["choice"] == 1).tolist()
    assert "".join(frame["prediction"]) == "BBBBAABA"  # what the mock model was told to say
    pd.testing.assert_frame_equal(frame, table("inspect_ai/choice_one.json")[0])
    free, _ = table("inspect_ai/free_two.eval")
    assert free["prediction"].tolist() == ["no", "yes"] * 4
    assert (free["prediction"] == free["truth"]).tolist() == (free["match"] == 1).tolist()


@pytest.mark.parametrize("kinds", [("eval", "eval"), ("json", "eval")])
def test_comparing_logs_of_inspect_ai(kinds):
    files = [
        LOGS / f"inspect_ai/choice_{s}.{k}" for s, k in zip(("one", "two"), kinds, strict=True)
    ]
    result = compare(files, pos_label="B", engine="exact", draws=500, seed=1)
    frames = [table(file)[0].set_index("id") for file in files]
    direct = count(frames[0]["truth"], *(frame["prediction"] for frame in frames), pos_label="B")
    assert result.data.cells.tolist() == direct.cells.tolist()
    assert result.names == ("choice_one", "choice_two")


def test_epochs_are_runs():
    files = [LOGS / f"inspect_ai/{name}.eval" for name in ("free_epochs_one", "free_two")]
    with pytest.raises(InputError, match=r"repeats 8 ids, such as 0, .* Several labels of one"):
        count(files, pos_label="yes")


@pytest.mark.parametrize("system", ["one", "two"])
def test_values_per_topic(system):
    trec, _ = table(f"retrieval/trec_eval_{system}.txt")
    tsv, _ = table(f"retrieval/ir_measures_{system}.tsv")
    lines, _ = table(f"retrieval/ir_measures_{system}.jsonl")
    assert trec["id"].tolist() == [str(topic) for topic in range(301, 309)]
    for other in (tsv, lines):
        assert other["id"].tolist() == trec["id"].tolist()
        for ours, theirs in (("map", "AP"), ("P_5", "P@5"), ("ndcg_cut_10", "nDCG@10")):
            np.testing.assert_allclose(trec[ours], other[theirs], atol=5.1e-5)
    told = (LOGS / f"retrieval/trec_eval_{system}.txt").read_text().splitlines()
    [mean] = [line.split()[2] for line in told if line.split()[:2] == ["map", "all"]]
    assert trec["map"].mean() == pytest.approx(float(mean), abs=1e-4)


def test_values_are_no_labels():
    files = [LOGS / f"retrieval/trec_eval_{system}.txt" for system in ("one", "two")]
    with pytest.raises(InputError, match="'a': pass a="):
        count(files)


def test_cross_validation():
    file = LOGS / "cross_validation/cross_val_predict.csv"
    frame = pd.read_csv(file)
    columns = {"truth": "truth", "a": "one", "b": "two"}
    counts = count(file, **columns, average="macro")
    (note,) = counts.notes
    assert note.startswith("There is a column 'fold': predictions of a cross-validation come from")
    assert counts.n_documents() == (150,)
    direct = count(*(frame[name] for name in columns.values()), average="macro")
    assert counts.rows.tolist() == direct.rows.tolist()
    # In long format with a fold each, every document is in one fold, and no run is repeated.
    long = frame.melt(["id", "fold", "truth"], ["one", "two"], "model", "said")
    options = {"item": "id", "system": "model", "prediction": "said", "truth": "truth"}
    wide = count(long, **options, average="macro")
    assert wide.rows.tolist() == direct.rows.tolist()
    again = pd.concat([long, long.query("model == 'one'").assign(fold=0)])  # as of RepeatedKFold
    with pytest.raises(InputError, match=r"repeats 150 ids, .* keep one run"):
        count(again, **options, average="macro")
    p = np.load(LOGS / "cross_validation/predict_proba.npy", allow_pickle=False)
    with pytest.raises(InputError, match="y_pred_b looks like probabilities"):
        count(frame["truth"].to_numpy(), frame["one"].to_numpy(), p, average="macro")


def test_logs_that_are_broken(tmp_path):
    good = (LOGS / "inspect_ai/choice_one.eval").read_bytes()
    for name, content in (
        ("cut.eval", good[:5000]),
        ("cut.json", (LOGS / "inspect_ai/choice_one.json").read_bytes()[:5000]),
        ("cut.jsonl", (LOGS / "lm_eval/samples_index_one.jsonl").read_bytes()[:-30]),
        ("cut.txt", (LOGS / "retrieval/trec_eval_one.txt").read_bytes() + b"Killed by signal 9\n"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=rf"{name} .*cannot be read: "):
            count((tmp_path / name, LOGS / "inspect_ai/choice_one.eval"), pos_label="B")


def test_tables_that_look_a_little_like_logs(tmp_path):
    (tmp_path / "p.tsv").write_text("y\ta1\t7\n1\t1\t0\n0\t1\t1\n")
    assert count(tmp_path / "p.tsv", truth="y", a="a1", b="7").n_documents() == (2,)
    (tmp_path / "p.jsonl").write_text('{"doc_id": 1, "target": 1, "a": 1, "b": 0}\n' * 2)
    with (tmp_path / "p.jsonl").open("a") as file:
        file.write('{"doc_id": 2, "target": 0, "a": 1, "b": 0}\n')
    assert count(tmp_path / "p.jsonl", truth="target", a="a", b="b").n_documents() == (3,)
