"""Options that were dropped, and contents that mislead, without a word."""

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stanoff import InputError, compare, contest, count

RNG = np.random.default_rng(4)
N = 60
VALUES = pd.DataFrame(RNG.random((N, 3)), columns=["a", "b", "c"])
VALUES["user"] = np.arange(N) // 4
MEAN = {"measure": "mean", "seed": 1, "draws": 200}


def test_clusters_of_arrays_in_a_contest_are_not_dropped():
    arrays = {name: VALUES[name].to_numpy() for name in "abc"}
    by_array = contest(arrays, cluster=VALUES["user"].to_numpy(), **MEAN)
    by_table = contest(VALUES, systems=["a", "b", "c"], cluster="user", **MEAN)
    np.testing.assert_array_equal(by_array.data.cluster, by_table.data.cluster)
    with pytest.raises(InputError, match="sample_weight is about labels"):
        contest(arrays, sample_weight=np.ones(N), **MEAN)


def test_a_column_called_0_is_found():
    long = VALUES.rename_axis("item").reset_index().melt("item", ["a", "b"], "system", 0)
    assert compare(long, item="item", system="system", value=0, **MEAN).data.items == N


def test_denominators_per_system_in_long_format():
    long = VALUES.rename_axis("item").reset_index().melt("item", ["a", "b"], "system", "v")
    long["x"], long["y"] = 2.0, 4.0
    asked = {"item": "item", "system": "system", "value": "v", "denominator": ["x", "y"]}
    data = count(long, kind="values", **asked)
    np.testing.assert_allclose(data.denominator, [[2.0] * N, [4.0] * N])


def test_texts_anywhere_in_a_polars_frame_are_found():
    texts = [str(x) for x in VALUES["a"]] * 40
    texts[-1] = "oops"
    frame = pl.DataFrame({"item": range(N * 40), "a": texts, "b": [*VALUES["b"]] * 40})
    with pytest.raises(InputError, match=r"a must be made of numbers, but 1 rows .*oops"):
        compare(frame, a="a", b="b", item="item", **MEAN)


def test_files_of_one_name_are_called_by_their_folders(tmp_path):
    files = []
    for name in ("svm", "nb"):
        (tmp_path / name).mkdir()
        files.append(tmp_path / name / "scores.csv")
        pd.DataFrame({"id": range(N), "v": RNG.random(N)}).to_csv(files[-1], index=False)
    assert contest(tuple(files), systems="v", id="id", **MEAN).systems == ("svm", "nb")


def test_arguments_of_lm_eval_may_be_lists(tmp_path):
    files = []
    for name in ("x", "y"):
        files.append(tmp_path / f"samples_{name}.jsonl")
        rows = [
            {
                "doc_id": i,
                "target": str(i % 2),
                "resps": [],
                "filtered_resps": [[-1.0, True], [-2.0 if i % 3 else -0.5, False]],
                "arguments": [["q", " no"], ["q", " yes"]],
            }
            for i in range(12)
        ]
        files[-1].write_text("\n".join(map(json.dumps, rows)).replace("\\\n", "\n"))
    assert count(files, pos_label="1").n_documents() == (12,)


def test_columns_that_name_no_system():
    table = VALUES[["a", "b"]].assign(topic=[f"t{i}" for i in range(N)])
    found = contest(table, **MEAN)
    assert found.systems == ("a", "b")
    assert any("pass item='topic'" in note for note in found.data.notes)
    with pytest.raises(InputError, match=r"holds texts such as 'n0', .* pass item='name'"):
        contest(VALUES[["a", "b"]].assign(name=[f"n{i}" for i in range(N)]), **MEAN)


def test_folds_and_weights_are_pointed_out():
    folds = VALUES[["a", "b"]].assign(fold=np.arange(N) % 10)
    notes = compare(folds, a="a", b="b", **MEAN).data.notes
    assert any("column 'fold'" in note for note in notes)
    (note,) = count(RNG.random(10), RNG.random(10), kind="values").notes
    assert note.startswith("There are 10 values without ids")
    y, a, b = [1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0]
    notes = count(y, a, b, sample_weight=[500, 400, 30, 20]).notes
    assert any("sample_weight turns 4 rows into 950 documents" in note for note in notes)


def test_odd_tables():
    twice = pa.Table.from_arrays([pa.array([1, 0])] * 4, names=["y", "a", "a", "b"])
    with pytest.raises(InputError, match="two columns called 'a'"):
        count(twice, truth="y", a="a", b="b")
    with pytest.raises(InputError, match="no columns"):
        count(pd.DataFrame(), truth="y", a="a", b="b")
    with pytest.raises(InputError, match="no columns"):
        count(pl.DataFrame(), truth="y", a="a", b="b")
    with pytest.raises(InputError, match="same length"):
        compare([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0], **MEAN)
    with pytest.raises(InputError, match="nothing to compare"):
        compare([], [], **MEAN)
    huge = pl.DataFrame({"a": VALUES["a"], "b": VALUES["b"]}).with_columns(
        c=pl.Series(range(N), dtype=pl.Int128)
    )
    assert compare(huge, a="a", b="c", **MEAN).data.items == N
    with pytest.raises(InputError):
        compare(huge.with_columns(s=pl.struct("a", "b")), a="a", b="s", **MEAN)
    with pytest.raises(InputError):
        compare(["\ud800", "x"] * 5, ["x"] * 10, ["x"] * 10, pos_label="y", engine="exact")


def test_a_file_of_duckdb(tmp_path):
    file = tmp_path / "big.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "CREATE TABLE one AS SELECT i % 2 y, i % 3 % 2 a, 0 b FROM range(60) _(i)"
        )
    columns = {"truth": "y", "a": "a", "b": "b"}
    assert count(file, **columns).n_documents() == (60,)
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE two AS SELECT * FROM one LIMIT 20")
        connection.execute("CREATE VIEW three AS SELECT * FROM one LIMIT 30")
    with pytest.raises(InputError, match="has the tables one, three, two: say which by"):
        count(file, **columns)
    assert count(f"{file}::two", **columns).n_documents() == (20,)
    assert count(file, table="two", **columns).n_documents() == (20,)
    assert compare(file, table="three", **columns, engine="exact").data.n_documents() == (30,)


def test_masked_numbers_are_missing():
    masked = np.ma.array([1.0, 0.0, 1.0, 0.0], mask=[0, 0, 1, 0])
    with pytest.raises(InputError, match="A must have a number in every row, but 1 of 4"):
        count(masked, [1.0, 0.0, 0.5, 0.0], kind="values")
    with pytest.raises(InputError, match="y_pred_a must have a number in every row, but 1 of 4"):
        count([1, 0, 1, 0], masked, [1.0, 0.0, 0.5, 0.2], kind="scores")
    with pytest.raises(InputError, match="y_true has 1 missing label, the first in row 3"):
        count(masked, [1, 0, 1, 0], [1, 0, 1, 0])


def test_an_index_of_folds_is_pointed_out():
    indexed = VALUES[["a", "b"]].set_axis(pd.Index(range(N), name="fold"))
    for given in ((indexed["a"], indexed["b"]), (indexed,)):
        columns = {"a": "a", "b": "b"} if len(given) == 1 else {}
        assert any("'fold'" in note for note in count(*given, kind="values", **columns).notes)


def test_logs_of_trec_eval_list_their_measures():
    folder = Path(__file__).parents[1] / "stored/logs/retrieval"
    files = [folder / f"trec_eval_{name}.txt" for name in ("one", "two")]
    with pytest.raises(InputError, match=r"It has id, num_rel, map, P_5, ndcg_cut_10\."):
        contest(files, **MEAN)
    with pytest.raises(InputError, match=r"'systems' parameter must be a list of columns. Got 5"):
        contest(files, systems=5, **MEAN)


def test_a_wrong_column_beside_folds_is_named():
    labels = pd.DataFrame(RNG.integers(0, 2, (N, 3)), columns=["y", "a", "b"])
    labels["fold"] = np.arange(N) % 5
    for read, systems in ((compare, {"a": "a", "b": "bb"}), (contest, {"systems": ["a", "bb"]})):
        with pytest.raises(InputError, match="no column 'bb' for 'systems'; did you mean 'b'"):
            read(labels, truth="y", fold="fold", **systems)
