"""Scores and values come row by row through every layout, in the order of the rows or ids."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from stanoff.data.layouts import from_any
from stanoff.data.numbers import as_numbers
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
    found = from_any(data, COLUMNS, "scores", cluster="thread")
    assert found.n is None
    y, svm, nb = found.columns.values()
    np.testing.assert_array_equal(y, wide["y"])
    np.testing.assert_allclose(as_numbers("svm", svm), wide["svm"], rtol=1e-14)
    np.testing.assert_allclose(as_numbers("nb", nb), wide["nb"], rtol=1e-14)
    np.testing.assert_array_equal(np.asarray(found.more["cluster"], dtype=int), wide["thread"])
    assert found.called == ("svm", "nb")


def test_joined_tables_come_in_the_order_of_the_ids(wide, tmp_path):
    wide[["doc", "y", "svm"]].to_csv(tmp_path / "a.csv", index=False)
    wide[["doc", "y", "nb", "thread"]][::-1].to_parquet(tmp_path / "b.parquet", index=False)
    tables = (str(tmp_path / "a.csv"), str(tmp_path / "b.parquet"))
    found = from_any(tables, COLUMNS, "scores", id="doc", cluster="thread")
    expected = wide.sort_values("doc")
    y, svm, nb = found.columns.values()
    np.testing.assert_array_equal(y, expected["y"])
    np.testing.assert_allclose(as_numbers("svm", svm), expected["svm"])
    np.testing.assert_allclose(as_numbers("nb", nb), expected["nb"])
    np.testing.assert_array_equal(found.more["id"], np.arange(N))
    np.testing.assert_array_equal(found.more["cluster"], expected["thread"])


@pytest.mark.parametrize("engine", ["pandas", "polars"])
def test_a_long_table_is_turned_to_a_column_per_system(wide, engine):
    long = wide.melt(["doc", "y", "thread"], ["svm", "nb"], "model", "score")
    table = long if engine == "pandas" else pl.from_pandas(long)
    found = from_any(
        table,
        {"truth": "y", "a": "svm", "b": "nb"},
        "scores",
        item="doc",
        system="model",
        value="score",
        cluster="thread",
    )
    expected = wide.sort_values("doc")
    y, svm, nb = found.columns.values()
    np.testing.assert_array_equal(y, expected["y"])
    np.testing.assert_array_equal(svm, expected["svm"])
    np.testing.assert_array_equal(nb, expected["nb"])
    np.testing.assert_array_equal(found.more["cluster"], expected["thread"])


def test_values_need_no_truth(wide):
    columns = {"truth": None, "a": "svm", "b": "nb"}
    found = from_any(wide, columns, "values")
    assert list(found.columns) == ["svm", "nb"]
    tables = wide[["doc", "svm"]], wide[["doc", "nb"]]
    found = from_any(tables, columns, "values", id="doc")
    assert len(found.columns) == 2


def test_a_truth_that_two_tables_tell_must_agree(wide):
    other = wide[["doc", "y", "nb"]].assign(y=1 - wide["y"])
    with pytest.raises(InputError, match=r"must agree, but differ for 40 ids: that of 0 is"):
        from_any((wide[["doc", "y", "svm"]], other), COLUMNS, "scores", id="doc")


def test_a_frame_in_reverse_is_joined(wide):
    tables = wide[["doc", "y", "svm"]], wide[["doc", "nb"]][::-1]
    nb = list(from_any(tables, COLUMNS, "scores", id="doc").columns.values())[2]
    np.testing.assert_array_equal(nb, wide.sort_values("doc")["nb"])


def test_dropped_ids_are_told(wide):
    tables = wide[["doc", "y", "svm"]], wide[["doc", "nb"]][:30]
    with pytest.raises(InputError, match="10 of table 1 are not in table 2"):
        from_any(tables, COLUMNS, "scores", id="doc")
    found = from_any(tables, COLUMNS, "scores", id="doc", unmatched="drop")
    assert len(found.columns["y of table 1"]) == 30
    assert "10 of table 1" in found.notes[0]


def test_holes_in_truth_and_clusters_are_told(wide):
    with pytest.raises(InputError, match="y has 1 missing label, the first in row 4"):
        from_any(wide.assign(y=wide["y"].where(wide.index != 3)), COLUMNS, "scores")
    holes = wide.assign(thread=wide["thread"].where(wide.index > 1))
    with pytest.raises(InputError, match="cluster has 2 missing labels, the first in row 1"):
        from_any(holes, COLUMNS, "scores", cluster="thread")


def test_labels_know_no_clusters(wide):
    with pytest.raises(InputError, match="'cluster' parameter must be None for labels"):
        from_any(wide, COLUMNS, cluster="thread")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1.0, None], "a must have a number in every row, but 1 of 2 are missing: the first, at "),
        ([1.0, float("inf")], "finite numbers, but 1 of 2 are infinite: the first, at position 1,"),
        (["1", "x", "y"], "made of numbers, but 2 of 3 are none: the first, at position 1, is 'x'"),
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
