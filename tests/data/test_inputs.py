"""What users have, from their end: every container that labels come in, and what is noticed."""

import io
import sys
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pytest
from scipy import sparse

from stanoff import InputError, compare, count
from stanoff.data import readers
from stanoff.measures import MEASURES, get, register

COLUMNS = {"truth": "y", "a": "svm", "b": "nb"}
RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def frame():
    y = RNG.integers(0, 2, 400)
    said = {n: np.where(RNG.random(400) < p, y, 1 - y) for n, p in (("svm", 0.9), ("nb", 0.7))}
    return pd.DataFrame({"y": y, **said})


@pytest.fixture(scope="module")
def expected(frame):
    return count(frame["y"], frame["svm"], frame["nb"])


def same(counts, expected):
    assert counts.pos.tolist() == expected.pos.tolist()
    assert counts.neg.tolist() == expected.neg.tolist()


def written(frame, folder, kind):
    """The frame in two files of one kind, in a folder that has more in it."""
    (folder / "year=2024").mkdir()
    (folder / "_SUCCESS").touch()
    (folder / ".hidden.csv").write_text("x\n1\n")
    (folder / "notes.md").write_text("made by me")
    for name, part in (("1", frame[:150]), ("year=2024/2", frame[150:])):
        path = folder / f"{name}.{kind}"
        if kind == "csv":
            part.to_csv(path, index=False)
        elif kind == "csv.zst":
            text = part.to_csv(index=False).encode()
            path.write_bytes(pa.compress(text, "zstd", asbytes=True))
        elif kind == "feather":
            pyarrow.feather.write_feather(part, path)
        elif kind == "arrow":
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, TABLE.schema) as out:
                out.write_table(pa.Table.from_pandas(part, preserve_index=False))
        else:
            part.to_parquet(path)
    return folder


TABLE = pa.table({name: pa.array([], pa.int64()) for name in ("y", "svm", "nb")})


@pytest.mark.parametrize("kind", ["csv", "csv.zst", "parquet", "pq", "feather", "arrow"])
def test_a_folder_means_its_files(frame, expected, tmp_path, kind):
    same(count(written(frame, tmp_path, kind), **COLUMNS), expected)


def test_a_folder_without_data(tmp_path):
    (tmp_path / "notes.md").write_text("nothing")
    with pytest.raises(InputError, match=r"has no file that ends with \.parquet, \.pq"):
        count(tmp_path, **COLUMNS)


def as_bytes(frame, kind):
    if kind == "csv":
        return frame.to_csv(index=False).encode()
    if kind == "json lines":
        return frame.to_json(orient="records", lines=True).encode()
    out = io.BytesIO()
    if kind == "parquet":
        frame.to_parquet(out)
    elif kind == "arrow":
        pyarrow.feather.write_feather(frame, out)
    else:
        frame.to_csv(out, index=False, compression="gzip")
    return out.getvalue()


@pytest.mark.parametrize("kind", ["csv", "json lines", "parquet", "arrow", "csv.gz"])
def test_a_dash_is_the_standard_input(frame, expected, monkeypatch, kind):
    stdin = io.TextIOWrapper(io.BytesIO(as_bytes(frame, kind)))
    monkeypatch.setattr(sys, "stdin", stdin)
    counts = count("-", **COLUMNS)
    same(counts, expected)
    assert counts.source["file"] == "stdin"


def test_nothing_on_the_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="stdin is empty"):
        count("-", **COLUMNS)


@pytest.mark.parametrize("name", ["https://x.org/p.csv", "s3://bucket/p.parquet"])
def test_nothing_is_fetched(name):
    with pytest.raises(InputError, match="is not on this machine: fetch it first"):
        count(name, **COLUMNS)


@pytest.mark.parametrize("name", ["p.xlsx", "p.csv.zip", "p.pkl"])
def test_files_that_nobody_should_pass(tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\3\4")
    with pytest.raises(InputError, match=r"must be CSV .* and not \."):
        count(tmp_path / name, **COLUMNS)


def batches(frame):
    return pa.Table.from_pandas(frame).to_reader(max_chunksize=100)


FRAMES = {
    "dataset": lambda f: pyarrow.dataset.dataset(pa.Table.from_pandas(f)),
    "reader": batches,
    "relation": lambda f: duckdb.from_df(f),
    "polars": pl.from_pandas,
    "lazy": lambda f: pl.from_pandas(f).lazy(),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(frame, expected, kind):
    same(count(FRAMES[kind](frame), **COLUMNS), expected)


class Tensor:
    """What PyTorch and JAX have: an array on request."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values)


COLUMN_KINDS = {
    "(n, 1) array": lambda c: c.to_numpy()[:, None],
    "frame of one column": lambda c: c.to_frame(),
    "polars frame of one column": lambda c: pl.DataFrame({"x": c.to_numpy()}),
    "polars series": lambda c: pl.Series(c.to_numpy()),
    "tensor": lambda c: Tensor(c),
    "tensor (n, 1)": lambda c: Tensor(c.to_numpy()[:, None]),
}


@pytest.mark.parametrize("kind", COLUMN_KINDS)
def test_columns_of_every_shape(frame, expected, kind):
    columns = [COLUMN_KINDS[kind](frame[name]) for name in COLUMNS.values()]
    same(count(*columns), expected)
    same(count(frame["y"], *columns[1:]), expected)


def test_polars_frames_as_indicators():
    truth = pd.DataFrame(RNG.integers(0, 2, (50, 3)), columns=list("xyz"))
    said = truth ^ (RNG.random((50, 3)) < 0.2)
    straight = count(truth, said, truth, average="macro")
    frames = [pl.DataFrame(f.to_dict(orient="list")) for f in (truth, said[list("zyx")], truth)]
    same(count(*frames, average="macro"), straight)


@pytest.mark.parametrize("kind", ["dense", "frame", "lists", "sparse"])
def test_probabilities_are_not_predictions(kind):
    p = RNG.dirichlet([1, 1, 1], 60)
    truth = p.argmax(axis=1)
    made = {
        "dense": p,
        "frame": pd.DataFrame(p),
        "lists": p.tolist(),
        "sparse": sparse.csr_array(p),
    }[kind]
    for chosen in ({"average": "macro"}, {}):
        with pytest.raises(InputError, match=r"y_pred_b looks like prob.*p\.argmax\(axis=1\)"):
            count(truth, truth, made, **chosen)


# Points that fooled people: rows that are mixed up, scores that are taken for labels.


def test_an_index_is_never_ignored(frame):
    shuffled = frame.sample(frac=1, random_state=1)
    with pytest.raises(InputError, match=r"index of y_pred_b .* of y_true in another order"):
        compare(frame["y"], frame["svm"], shuffled["nb"])
    with pytest.raises(InputError, match=r"10 of its 400 labels are not in that of y_true\. Join"):
        compare(frame["y"], frame["svm"].set_axis(range(10, 410)), frame["nb"])
    with pytest.raises(InputError, match="index of y_pred_a is not that of y_true"):
        compare(frame[["y"]], shuffled[["svm"]], frame[["nb"]])
    with pytest.raises(InputError, match="index of the predictions of b is not that of the truth"):
        compare(a=(frame["y"], frame["svm"]), b=(frame["y"], shuffled["nb"]))
    with pytest.raises(InputError, match="index of sample_weight is not that of y_true"):
        compare(frame["y"], frame["svm"], frame["nb"], sample_weight=shuffled["y"])
    by_position = count(frame["y"].to_numpy(), frame["svm"], frame["nb"].to_numpy())
    same(by_position, count(frame, **COLUMNS))


@pytest.mark.parametrize("kind", ["arrays", "pandas", "polars", "p.csv", "p.pq", "p.jsonl"])
@pytest.mark.parametrize("n", [12, 3000])
def test_scores_are_never_labels(tmp_path, kind, n):
    y = np.arange(n) % 2
    frame = pd.DataFrame({"y": y, "svm": RNG.random(n), "nb": RNG.random(n)})
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_parquet(tmp_path / "p.pq")
    frame.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    data = {"pandas": frame, "polars": pl.from_pandas(frame).lazy()}.get(kind, tmp_path / kind)
    ask = partial(compare, data, **COLUMNS)
    if kind == "arrays":
        ask = partial(compare, y, frame["svm"], frame["nb"])
    for chosen in ({}, {"pos_label": 1}, {"average": "macro"}):
        with pytest.raises(InputError, match="looks like scores, not labels"):
            ask(**chosen)


@pytest.mark.parametrize("columns", [([0.1, 0.2], [0.3], 5), (None, None, None)])
def test_an_unknown_measure_is_told_before_anything_else(columns):
    with pytest.raises(InputError, match=r"'measure' parameter .* Got 'recal' .* mean 'recall'"):
        compare(*columns, measure="recal")


def test_real_numbers_that_are_labels():
    stars = np.tile([0.5, 1.0, 1.5, 2.0, 2.5], 40)
    assert count(stars, stars, stars[::-1], pos_label=2.5).n_documents() == (200,)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("F1", "fbeta"),
        ("MCC", "mcc"),
        ("Balanced Accuracy", "balanced_accuracy"),
        ("balanced-accuracy", "balanced_accuracy"),
        (" Precision ", "precision"),
        ("Sensitivity", "recall"),
    ],
)
def test_measures_in_any_case(written, name):
    assert get(written).name == get(name).name


def test_own_measures_in_any_case():
    register("Gain")(lambda tp, fp, fn, tn: tp - fp)
    try:
        assert get("Gain").name == get("gain").name == "Gain"
        with pytest.raises(InputError, match="a measure called 'GAIN' already"):
            register("GAIN")
    finally:
        del MEASURES["Gain"]


# Which labels are judged.


@pytest.fixture(scope="module")
def classes():
    y = RNG.choice(["art", "law", "sport"], 300)
    said = [np.where(RNG.random(300) < p, y, RNG.choice(["art", "law"], 300)) for p in (0.8, 0.6)]
    return y, *said


def test_labels_with_the_joint_model(classes):
    result = compare(*classes, average="macro", labels=["sport", "art"], draws=500, seed=1)
    assert result.model.name == "joint"
    assert result.categories[:2] == ("sport", "art")
    assert result.data.notes == ()


def test_a_label_that_occurs_nowhere_is_questioned(classes):
    counts = count(*classes, average="macro", labels=["art", "sprot"])
    assert counts.notes == (
        "'sprot' of labels= occurs nowhere, and counts in the average. Did you mean 'sport'?",
    )
    sets = [[[label] for label in column] for column in classes]
    assert count(*sets, average="macro", labels=["art", "sprot"]).notes == counts.notes
    assert "nowhere" in count(*classes, average="macro", labels=["art", "zebra"]).notes[0]
    with pytest.raises(InputError, match=r"None of the labels 'sprot' occurs.* mean 'sport'\?"):
        count(*classes, average="macro", labels=["sprot"])


# Weights.


def test_weights_are_frequencies(frame, tmp_path):
    weights = RNG.integers(0, 4, len(frame))
    weighted = frame.assign(w=weights)
    expected = count(weighted.loc[weighted.index.repeat(weights)], **COLUMNS)
    arrays = [frame[name] for name in COLUMNS.values()]
    same(count(*arrays, sample_weight=weights), expected)
    same(count(*arrays, sample_weight=weights.astype(float)[:, None]), expected)
    weighted.to_csv(tmp_path / "p.csv", index=False)
    weighted.to_parquet(tmp_path / "p.pq")
    for data in (weighted, pl.from_pandas(weighted), tmp_path / "p.csv", tmp_path / "p.pq"):
        counts = count(data, **COLUMNS, sample_weight="w")
        same(counts, expected)
        assert counts.source["sample_weight"] == "w"
    many = count(*(np.tile(c, 3) for c in arrays), sample_weight=np.tile(weights, 3))
    assert many.pos.tolist() == (3 * expected.pos).tolist()
    topics = count(*arrays, average="macro", sample_weight=weights)
    assert topics.n_documents() == (weights.sum(),)


def test_weights_of_a_file_are_added_up_where_it_is(frame, tmp_path, monkeypatch):
    frame.assign(w=2).to_parquet(tmp_path / "p.pq")
    fetched = []
    fetch = readers.fetch

    def watched(frame):
        fetched.append(fetch(frame))
        return fetched[-1]

    monkeypatch.setattr(readers, "fetch", watched)
    assert count(tmp_path / "p.pq", **COLUMNS, sample_weight="w").n_documents() == (2 * len(frame),)
    assert all(len(rows) <= 8 for rows in fetched)  # combinations of three labels


@pytest.mark.parametrize("weight", [0.5, -1, np.nan])
def test_weights_that_are_no_frequencies(frame, tmp_path, weight):
    odd = frame.assign(w=np.where(frame.index == 7, weight, 1.0))
    odd.to_csv(tmp_path / "p.csv", index=False)
    words = f"whole numbers >= 0, .* a row stands for. Got {float(weight)} instead"
    with pytest.raises(InputError, match=words):
        count(frame["y"], frame["svm"], frame["nb"], sample_weight=odd["w"])
    for data in (odd, pl.from_pandas(odd).lazy(), tmp_path / "p.csv"):
        with pytest.raises(InputError, match=words):
            count(data, **COLUMNS, sample_weight="w")


def test_weights_that_fit_nothing(frame):
    arrays = [frame[name].to_numpy() for name in COLUMNS.values()]
    with pytest.raises(InputError, match="sample_weight has 3"):
        count(*arrays, sample_weight=[1, 2, 3])
    with pytest.raises(InputError, match="all counts are 0"):
        compare(*arrays, sample_weight=np.zeros(400), engine="exact")
    with pytest.raises(InputError, match="'sample_weight' parameter must be None for two test"):
        count(a=(arrays[0], arrays[1]), b=(arrays[0], arrays[2]), sample_weight=[1])
    indicators = np.eye(400, dtype=int)
    with pytest.raises(InputError, match="sample_weight has 3"):
        count(indicators, indicators, indicators, average="macro", sample_weight=[1, 2, 3])
    with pytest.raises(InputError, match="no column 'w' for 'sample_weight'"):
        count(frame, **COLUMNS, sample_weight="w")


# What is noticed, and where the data come from.


def test_repeated_ids_are_pointed_out(frame, tmp_path):
    asked = frame.assign(question=np.repeat(np.arange(80), 5))
    asked.to_csv(tmp_path / "p.csv", index=False)
    for data in (asked, pl.from_pandas(asked), tmp_path / "p.csv"):
        (note,) = count(data, **COLUMNS).notes
        assert note.startswith("question has 80 different values in 400 rows: rows that share")
    assert count(asked.assign(question=range(400)), **COLUMNS).notes == ()
    once = asked.assign(question=[0, *range(399)])
    assert "399 different values" in count(once, **COLUMNS).notes[0]
    named = frame.assign(x=[0, *range(399)])
    assert count(named, **COLUMNS).notes == ()
    lazy = pl.from_pandas(named).lazy()
    for data in (named, lazy):
        assert "399 different values" in count(data, **COLUMNS, id="x").notes[0]


def test_copies_of_rows_are_pointed_out(frame):
    texts = frame.assign(text=[f"text {i}" for i in range(400)], length=RNG.integers(0, 9, 400))
    assert count(texts, **COLUMNS).notes == ()
    copied = pd.concat([texts, texts[:100]])
    (note,) = count(copied, **COLUMNS).notes
    assert note.startswith("100 of 500 rows repeat another row in every column")
    # Rows of nothing but labels are alike by nature, and so are those with few other values.
    for others in ({}, {"knn": frame["nb"]}, {"length": RNG.integers(0, 9, 400)}):
        assert count(frame.assign(**others), **COLUMNS).notes == ()
    # The same text with other labels is no copy.
    again = pd.concat([texts, texts[:100].assign(svm=1 - texts["svm"][:100])])
    assert count(again, **COLUMNS).notes == ()


def test_where_the_data_come_from(frame, tmp_path, expected):
    file = tmp_path / "p.csv"
    frame.to_csv(file, index=False)
    counts = count(file, **COLUMNS)
    told = dict(counts.source)
    assert told.pop("modified")[:4].isdigit()
    assert told == {"file": str(file), "truth": "y", "a": "svm", "b": "nb", "pos_label": "1"}
    assert dict(count(frame, **COLUMNS).source) == {
        "truth": "y",
        "a": "svm",
        "b": "nb",
        "pos_label": "1",
    }
    assert dict(expected.source) == {"pos_label": "1"}
    assert "pos_label" not in count(frame, **COLUMNS, average="macro").source
    assert compare(file, **COLUMNS, engine="exact", draws=100).data.source["file"] == str(file)
