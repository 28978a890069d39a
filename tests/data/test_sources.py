import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stanoff import InputError, compare, count

COLUMNS = {"truth": "y", "a": "svm", "b": "nb"}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    words = np.array(["ham", "spam, or not"])
    return pd.DataFrame({name: words[rng.integers(0, 2, 300)] for name in ("y", "svm", "nb")})


@pytest.fixture(scope="module")
def expected(frame):
    return count(frame["y"], frame["svm"], frame["nb"], pos_label="ham")


def same(counts, expected):
    assert counts.categories == expected.categories
    assert counts.pos.tolist() == expected.pos.tolist()
    assert counts.neg.tolist() == expected.neg.tolist()


WRITERS = {
    "p.csv": lambda f, p: f.to_csv(p, index=False),
    "p.csv.gz": lambda f, p: f.to_csv(p, index=False),
    "p.tsv": lambda f, p: f.to_csv(p, index=False, sep="\t"),
    "semicolons.txt": lambda f, p: f.to_csv(p, index=False, sep=";"),
    "windows.csv": lambda f, p: f.to_csv(
        p, index=False, lineterminator="\r\n", encoding="utf-8-sig"
    ),
    "p.parquet": lambda f, p: f.to_parquet(p),
    "p.jsonl": lambda f, p: f.to_json(p, orient="records", lines=True),
    "p.ndjson.gz": lambda f, p: f.to_json(p, orient="records", lines=True, compression="gzip"),
    "p.json": lambda f, p: f.to_json(p, orient="records"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files(tmp_path, frame, expected, name):
    WRITERS[name](frame, tmp_path / name)
    same(count(tmp_path / name, **COLUMNS, pos_label="ham"), expected)


def test_a_pattern_means_all_its_files(tmp_path, frame, expected):
    frame[:100].to_csv(tmp_path / "1.csv", index=False)
    frame[100:].to_csv(tmp_path / "2.csv", index=False)
    same(count(str(tmp_path / "*.csv"), **COLUMNS, pos_label="ham"), expected)


FRAMES = {
    "pandas": lambda f: f,
    "categorical": lambda f: f.astype("category"),
    "polars": pl.from_pandas,
    "lazy": lambda f: pl.from_pandas(f).lazy(),
    "arrow": pa.Table.from_pandas,
    "duckdb": lambda f: duckdb.from_df(f),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(frame, expected, kind):
    same(count(FRAMES[kind](frame), **COLUMNS, pos_label="ham"), expected)


@pytest.mark.parametrize(
    ("labels", "positive", "category"),
    [
        (["0", "1"], None, "1"),
        (["0.0", "1.0"], None, "1"),
        (["-1", "1"], None, "1"),
        (["False", "True"], None, "True"),
        (["no", "yes"], "yes", "yes"),
        (["01", "1"], "01", "01"),  # not numbers, or these two would be one label
        (["7", "8"], "8", "8"),
    ],
)
def test_what_text_means(tmp_path, labels, positive, category):
    no, yes = labels if category != "01" else reversed(labels)
    (tmp_path / "p.csv").write_text(f"y,svm,nb\n{yes},{yes},{no}\n{no},{yes},{no}\n")
    counts = count(tmp_path / "p.csv", **COLUMNS, pos_label=positive)
    assert counts.pos.tolist() == [[0, 1, 0, 0]]
    assert counts.neg.tolist() == [[0, 1, 0, 0]]
    assert counts.categories[0] in (category, "1")


GOOD = "y,svm,nb\n1,0,1\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "p.csv is empty"),
        ("y,svm,nb\n", "p.csv has no rows"),
        (GOOD + "1,0,1,1\n", "line 3 has 4 columns instead of 3"),
        (GOOD + "1,0\n", "line 3 has 2 columns instead of 3"),
        (GOOD + "1,,1\n0,,1\n", "2 have no answer of svm of .*p.csv, the first in row 2"),
        (GOOD + "NaN,1,1\n", "y of .*p.csv has 1 missing label, the first in row 2"),
        (bytes(range(256)), "p.csv is not UTF-8 text"),
        (b"y,svm,nb\n\0", "p.csv is not a text file"),
        ("y,svm,nb\n\xe9,1,1\n".encode("latin-1"), "p.csv is not UTF-8 text"),
        ("\n1,0,1\n", "blank line where its header"),
        (GOOD.encode() * 20000 + b"\xff,1,1\n", "line .* is not UTF-8 text"),
        ("y,svn,nb\n1,0,1\n", "no column 'svm' for 'a'; did you mean 'svn'?"),
        ("label,x,z\n1,0,1\n", "no column 'y' for 'truth'; it has label, x, z"),
        ("y,svm,svm\n1,0,1\n", "two columns called 'svm'"),
        ("y,svm,nb\na,b,c\n", "3 labels .'a', 'b', 'c'.: pass pos_label="),
        ("y,svm,nb\na,b,b\n", "'a', 'b': pass pos_label= to say"),
    ],
)
def test_bad_text_files(tmp_path, content, words):
    if isinstance(content, str):
        content = content.encode()
    (tmp_path / "p.csv").write_bytes(content.replace(b"\n" + b"y,svm,nb\n", b"\n"))
    with pytest.raises(InputError, match=words):
        count(tmp_path / "p.csv", **COLUMNS)


@pytest.mark.parametrize("name", ["p.parquet", "p.jsonl", "p.csv.gz"])
def test_files_that_are_not_what_they_are_called(tmp_path, name):
    (tmp_path / name).write_text("{y,svm,nb\n1,0,1\n")
    with pytest.raises(InputError, match=f"{name} (cannot be read|is not UTF-8 text)"):
        count(tmp_path / name, **COLUMNS)


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"There is no file nowhere\.csv"):
        compare("nowhere.csv", **COLUMNS)


def test_bad_frames(frame):
    with pytest.raises(InputError, match="no column 'svmm' for 'a'; did you mean 'svm'"):
        count(frame, truth="y", a="svmm", b="nb")
    with pytest.raises(InputError, match="Say which column of the table is 'b'"):
        count(frame, truth="y", a="svm", b=None)
    with pytest.raises(InputError, match="Of 300 rows 1 has no answer of svm, the first in row 6"):
        count(frame.assign(svm=frame["svm"].where(frame.index != 5)), **COLUMNS)
    holed = pl.from_pandas(frame.assign(svm=frame["svm"].where(frame.index != 5)))
    with pytest.raises(InputError, match="Of 300 rows 1 has no answer of svm"):
        count(holed.lazy(), **COLUMNS)
    with pytest.raises(InputError, match="no rows"):
        count(pl.from_pandas(frame[:0]).lazy(), **COLUMNS)
    with pytest.raises(InputError, match=r"labels, a data frame or a path\. Got 'int' instead"):
        count(3, **COLUMNS)


def test_bad_arrays():
    with pytest.raises(InputError, match="Pass the true labels and what both systems predicted"):
        count([1, 0], [1, 0])
    for odd in (5, "text", {1, 0}, {"a": 1}):
        with pytest.raises(InputError, match="'y_pred_b' parameter must be a column of labels"):
            count([1, 0], [1, 0], odd)
    with pytest.raises(InputError, match="not a mixture of both"):
        count([1, 0], [1, 0], pd.DataFrame({"x": [1, 0], "z": [0, 1]}))
    with pytest.raises(InputError, match="y_true must hold a list or set of labels in every row"):
        count([1, 0], [[1], [0]], [1, 0])
    with pytest.raises(InputError, match="'y_pred_a' parameter must be a column of plain labels"):
        count([1, 0], [{"x": 1}, {"x": 2}], [1, 0])
    with pytest.raises(InputError, match="y_true has 1 missing label"):
        count(np.ma.masked_array([1, 0], mask=[True, False]), [1, 0], [1, 0])
    with pytest.raises(InputError, match="Pass the true labels and both columns"):
        count(a=None, b=None)
    with pytest.raises(InputError, match="the predictions of b has 1"):
        count(a=([1, 0], [1, 0]), b=([1, 0], [1]))


def test_a_name_with_brackets_is_a_name(tmp_path, frame, expected):
    frame.to_csv(tmp_path / "x[1].csv", index=False)
    frame[:3].to_csv(tmp_path / "x1.csv", index=False)
    same(count(tmp_path / "x[1].csv", **COLUMNS, pos_label="ham"), expected)


def test_files_of_a_pattern_must_agree(tmp_path, frame):
    frame.to_csv(tmp_path / "1.csv", index=False)
    frame[["svm", "nb", "y"]].to_csv(tmp_path / "2.csv", index=False)
    with pytest.raises(InputError, match=r"2\.csv has another header than .*1\.csv"):
        count(str(tmp_path / "*.csv"), **COLUMNS, pos_label="ham")
    frame.to_json(tmp_path / "3.jsonl", orient="records", lines=True)
    with pytest.raises(InputError, match="files of different kinds"):
        count(str(tmp_path / "*"), **COLUMNS, pos_label="ham")


def test_a_repeated_header_is_no_document(tmp_path):
    (tmp_path / "p.csv").write_text(GOOD + GOOD)
    with pytest.raises(InputError, match="repeats its header"):
        count(tmp_path / "p.csv", **COLUMNS, pos_label="1")


def test_columns_that_differ_in_case_only(tmp_path):
    (tmp_path / "p.csv").write_text("y,A,a\n1,1,0\n0,0,0\n")
    counts = count(tmp_path / "p.csv", truth="y", a="A", b="a")
    assert counts.pos.tolist() == [[0, 1, 0, 0]]


def test_a_label_may_be_spelt_as_in_the_file(tmp_path):
    (tmp_path / "p.csv").write_text("y,svm,nb\ntrue,true,false\nfalse,true,true\n")
    assert count(tmp_path / "p.csv", **COLUMNS, pos_label="true").pos.tolist() == [[0, 1, 0, 0]]
    (tmp_path / "p.csv").write_text("y,svm,nb\n1.0,1.0,0.0\n2.0,1.0,1.0\n")
    assert count(tmp_path / "p.csv", **COLUMNS, pos_label="1.0").categories == ("1",)
    averaged = count(tmp_path / "p.csv", **COLUMNS, labels=["1", "2"], average="macro")
    assert averaged.categories == ("1", "2")
    assert averaged.one_vs_rest().pos.sum() == 2


def test_a_label_called_none_is_not_chosen_by_itself(tmp_path):
    (tmp_path / "p.csv").write_text("y,svm,nb\nNone,None,x\nx,None,x\n")
    with pytest.raises(InputError, match="The labels are 'None', 'x': pass pos_label="):
        count(tmp_path / "p.csv", **COLUMNS)


def test_columns_are_named_once_and_by_name(frame):
    with pytest.raises(InputError, match="must be different columns"):
        count(frame, truth="y", a="svm", b="svm")
    with pytest.raises(
        InputError, match=r"'a' parameter must be the name of a column\. Got 'Series'"
    ):
        count(frame, truth="y", a=frame["svm"], b="nb")
    numbered = frame.set_axis([0, 1, 2], axis=1)
    assert count(numbered, truth=0, a=1, b=2, pos_label="ham").n_documents() == (300,)
    twice = frame.set_axis(["y", "svm", "svm"], axis=1)
    with pytest.raises(InputError, match="two columns called 'svm'"):
        count(twice.assign(nb=frame["nb"]), truth="y", a="svm", b="nb")


def test_counting_refuses_an_average_that_there_is_not():
    with pytest.raises(InputError, match=r"'average' parameter .* Got 'makro'"):
        count([0, 1, 2], [0, 1, 1], [0, 2, 2], average="makro")


def test_a_column_may_be_called_n(frame, expected):
    lazy = pl.from_pandas(frame.rename(columns={"nb": "n"})).lazy()
    same(count(lazy, truth="y", a="svm", b="n", pos_label="ham"), expected)


def test_arrow_and_dates_as_labels(frame, expected):
    arrow = [pa.array(frame[name]) for name in ("y", "svm", "nb")]
    same(count(*arrow, pos_label="ham"), expected)
    dates = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]")
    counts = count(dates, pd.Series(dates), dates[::-1], pos_label=pd.Timestamp(dates[0]))
    assert counts.cells[0].tolist() == [[1, 0, 0, 1]]
