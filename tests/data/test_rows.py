"""Scores and values come row by row through every layout, in the order of the rows or ids."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from stanoff import count
from stanoff.data.items import as_numbers
from stanoff.errors import InputError

N = 40


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "doc": rng.permutation(N),
            "y": rng.integers(0, 2, N),
            "svm": rng.normal(size=N),
            "nb": rng.normal(size=N),
            "thread": rng.integers(0, 9, N),
        }
    )


COLUMNS = {"truth": "y", "a": "svm", "b": "nb"}


def same(data, expected, clusters=True):
    np.testing.assert_array_equal(data.truth[0], expected["y"])
    np.testing.assert_allclose(data.score[:, 0], expected[["svm", "nb"]].T, rtol=1e-14)
    if clusters:
        np.testing.assert_array_equal(data.cluster, pd.factorize(expected["thread"])[0])


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "csv", "parquet", "jsonl"])
def test_a_wide_table_keeps_its_order(wide, kind, tmp_path):
    if kind in ("csv", "parquet", "jsonl"):
        data = tmp_path / f"t.{kind}"
        write = {"csv": wide.to_csv, "parquet": wide.to_parquet}
        if kind == "jsonl":
            data.write_text("\n".join(map(json.dumps, wide.to_dict("records"))))
        else:
            write[kind](data, index=False)
    else:
        data = {"pandas": lambda f: f, "polars": pl.from_pandas}.get(
            kind, lambda f: pl.from_pandas(f).lazy()
        )(wide)
    read = count(data, **COLUMNS, kind="scores", cluster="thread")
    same(read, wide)
    assert read.systems == ("svm", "nb")


def test_joined_tables_come_in_the_order_of_the_ids(wide, tmp_path):
    wide[["doc", "y", "svm"]].to_csv(tmp_path / "a.csv", index=False)
    wide[["doc", "y", "nb", "thread"]][::-1].to_parquet(tmp_path / "b.parquet", index=False)
    tables = (str(tmp_path / "a.csv"), str(tmp_path / "b.parquet"))
    read = count(tables, **COLUMNS, kind="scores", id="doc", cluster="thread")
    same(read, wide.sort_values("doc"))


@pytest.mark.parametrize("engine", ["pandas", "polars"])
def test_a_long_table_is_turned_to_a_column_per_system(wide, engine):
    long = wide.melt(["doc", "y", "thread"], ["svm", "nb"], "model", "score")
    table = long if engine == "pandas" else pl.from_pandas(long)
    layout = {"item": "doc", "system": "model", "value": "score", "cluster": "thread"}
    same(count(table, **COLUMNS, kind="scores", **layout), wide.sort_values("doc"))


def test_values_need_no_truth(wide):
    columns = {"a": "svm", "b": "nb", "kind": "values"}
    np.testing.assert_array_equal(count(wide, **columns).values, wide[["svm", "nb"]].T)
    tables = wide[["doc", "svm"]], wide[["doc", "nb"]]
    ordered = wide.sort_values("doc")[["svm", "nb"]].T
    np.testing.assert_array_equal(count(tables, id="doc", **columns).values, ordered)


def test_a_truth_that_two_tables_tell_must_agree(wide):
    other = wide[["doc", "y", "nb"]].assign(y=1 - wide["y"])
    with pytest.raises(InputError, match=r"must agree, but differ for 40 ids: that of 0 is"):
        count((wide[["doc", "y", "svm"]], other), **COLUMNS, kind="scores", id="doc")


def test_a_frame_in_reverse_is_joined(wide):
    tables = wide[["doc", "y", "svm"]], wide[["doc", "nb"]][::-1]
    same(count(tables, **COLUMNS, kind="scores", id="doc"), wide.sort_values("doc"), clusters=False)


def test_dropped_ids_are_told(wide):
    tables = wide[["doc", "y", "svm"]], wide[["doc", "nb"]][:30]
    with pytest.raises(InputError, match="Of 40 ids 10 are not in table 2"):
        count(tables, **COLUMNS, kind="scores", id="doc")
    read = count(tables, **COLUMNS, kind="scores", id="doc", unmatched="drop")
    assert read.n_documents() == (30,)
    assert "10 are not in table 2" in read.notes[0]


def test_holes_in_truth_and_clusters_are_told(wide):
    with pytest.raises(InputError, match="y has 1 missing label, the first in row 4"):
        count(wide.assign(y=wide["y"].where(wide.index != 3)), **COLUMNS, kind="scores")
    holes = wide.assign(thread=wide["thread"].where(wide.index > 1))
    words = "cluster has 2 missing labels, the first in row 1"
    with pytest.raises(InputError, match=words):
        count(holes, **COLUMNS, kind="scores", cluster="thread")
    arrays = wide["y"], wide["svm"], wide["nb"]
    with pytest.raises(InputError, match=words):
        count(*arrays, kind="scores", cluster=holes["thread"])


def test_options_that_are_about_other_contents(wide):
    with pytest.raises(InputError, match="'cluster' parameter must be None for labels"):
        count(wide, **COLUMNS, cluster="thread")
    for role in ("dataset", "denominator"):
        with pytest.raises(InputError, match=f"'{role}' parameter must be None for scores"):
            count(wide, **COLUMNS, kind="scores", **{role: "thread"})
        arrays = wide["y"], wide["svm"], wide["nb"]
        with pytest.raises(InputError, match=f"'{role}' parameter must be None for scores"):
            count(*arrays, kind="scores", **{role: wide["thread"]})


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1.0, None], "a must have a number in every row, but 1 of 2 are missing: the first, in "),
        ([1.0, float("inf")], "finite numbers, but 1 of 2 are infinite: the first, in row 2,"),
        (["1", "x", "y"], "made of numbers, but 2 of 3 are none: the first, in row 2, is 'x'"),
        (["1", "1_000"], "made of numbers, but 1 of 2 are none: the first, in row 2, is '1_000'"),
        ([[1.0]], r"one-dimensional. Got the shape \(1, 1\)"),
        ("abc", "a column of numbers. Got 'str'"),
    ],
)
def test_what_is_no_number_is_told(values, told):
    with pytest.raises(InputError, match=told):
        as_numbers("a", values)


def test_an_id_names_the_row():
    with pytest.raises(InputError, match="the first, that of 'q2', has none"):
        as_numbers("a", [1.0, np.nan], ids=["q1", "q2"])


@pytest.mark.parametrize(
    "values", [[True, False], pd.array([1, 0], dtype="Int64"), np.array([1, 0], dtype=np.int8)]
)
def test_numbers_of_any_type_are_read(values):
    assert as_numbers("a", values).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("item", [None, "doc"])
def test_texts_with_underscores_are_no_numbers(wide, item, tmp_path):
    texts = wide[["doc", "svm", "nb"]].astype({"svm": object})
    texts.loc[2, "svm"] = "1_000"
    texts.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match=r"must be made of numbers, but 1 .*'1_000'"):
        count(tmp_path / "t.csv", a="svm", b="nb", kind="values", item=item)
