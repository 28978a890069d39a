"""Tables that are joined by id, and tables in long format, on every engine that is here."""

from datetime import date, timedelta
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from stanoff import InputError, compare, contest, count

RNG = np.random.default_rng(3)
N = 300
IDS = RNG.permutation(N) + 1000
TRUTH = RNG.choice(["ham", "spam"], N)
SAID = {
    name: np.where(RNG.random(N) < right, TRUTH, RNG.choice(["ham", "spam"], N))
    for name, right in (("svm", 0.8), ("nb", 0.5), ("knn", 0.2))
}
JOIN = {"id": "doc", "truth": "label", "a": "pred", "b": "pred", "pos_label": "spam"}


@pytest.fixture(scope="module")
def expected():
    return count(TRUTH, SAID["svm"], SAID["nb"], pos_label="spam")


def same(counts, expected):
    assert counts.pos.tolist() == expected.pos.tolist()
    assert counts.neg.tolist() == expected.neg.tolist()


def of(name, *, truth=True, seed=0, ids=IDS):
    """What one system said, in an order of its own."""
    frame = pd.DataFrame({"doc": ids, "pred": SAID[name]} | ({"label": TRUTH} if truth else {}))
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def jsonl(frame, path):
    frame.to_json(path, orient="records", lines=True)
    return path


def csv(frame, path):
    frame.to_csv(path, index=False)
    return path


def parquet(frame, path):
    frame.to_parquet(path)
    return path


KINDS = {
    "jsonl": lambda f, p: jsonl(f, p / f"{len(list(p.iterdir()))}.jsonl"),
    "csv": lambda f, p: csv(f, p / f"{len(list(p.iterdir()))}.csv"),
    "parquet": lambda f, p: parquet(f, p / f"{len(list(p.iterdir()))}.parquet"),
    "pandas": lambda f, p: f,
    "polars": lambda f, p: pl.from_pandas(f),
    "lazy": lambda f, p: pl.from_pandas(f).lazy(),
    "arrow": lambda f, p: pa.Table.from_pandas(f),
    "reader": lambda f, p: pa.Table.from_pandas(f).to_reader(100),
    "duckdb": lambda f, p: duckdb.from_df(f),
}


@pytest.mark.parametrize("kind", KINDS)
def test_two_tables_of_one_kind(tmp_path, expected, kind):
    a, b = KINDS[kind](of("svm"), tmp_path), KINDS[kind](of("nb", seed=1), tmp_path)
    same(count((a, b), **JOIN), expected)


@pytest.mark.parametrize("other", KINDS)
@pytest.mark.parametrize("one", ["csv", "duckdb", "pandas", "lazy"])
def test_a_mixture(tmp_path, expected, one, other):
    a, b = KINDS[one](of("svm"), tmp_path), KINDS[other](of("nb", seed=1), tmp_path)
    same(count((a, b), **JOIN), expected)


@pytest.mark.parametrize("kind", ["jsonl", "pandas", "polars"])
def test_where_the_truth_is(tmp_path, expected, kind):
    make = KINDS[kind]
    a, b = make(of("svm", truth=False), tmp_path), make(of("nb", seed=1), tmp_path)
    same(count((a, b), **JOIN), expected)
    bare = make(of("nb", truth=False), tmp_path)
    gold = make(pd.DataFrame({"doc": IDS, "gold": TRUTH}), tmp_path)
    same(count((a, bare), **JOIN | {"truth": (gold, "gold")}), expected)
    with pytest.raises(InputError, match="no column 'label' for 'truth'"):
        count((a, bare), **JOIN)
    both = make(pd.DataFrame({"doc": IDS} | SAID), tmp_path)
    one = count(both, id="doc", truth=(gold, "gold"), a="svm", b="nb", pos_label="spam")
    same(one, expected)
    assert one.systems == ("svm", "nb")


def test_ids_may_be_called_differently(expected):
    a, b = of("svm"), of("nb", truth=False).rename(columns={"doc": "key"})
    same(count((a, b), **JOIN | {"id": ("doc", "key")}), expected)
    with pytest.raises(InputError, match="one name, or 2: one per table"):
        count((a, b), **JOIN | {"id": ("doc",)})


def test_what_is_told_of_joined_files(tmp_path):
    a, b = jsonl(of("svm"), tmp_path / "svm.jsonl"), csv(of("nb"), tmp_path / "nb.csv")
    result = compare((a, b), **JOIN, engine="exact", draws=100, seed=1)
    assert result.names == ("svm", "nb")
    origin = dict(result.data.source)
    assert origin.pop("modified")
    assert origin == {
        "file": f"{a}, {b}",
        "id": "doc",
        "truth": "label",
        "a": "pred",
        "b": "pred",
        "pos_label": "spam",
    }
    assert count((of("svm"), of("nb")), **JOIN).systems == ("A", "B")


def test_truths_that_disagree(tmp_path):
    other = of("nb")
    other.loc[other["doc"].isin([1003, 1007]), "label"] = "eggs"
    for kind in ("jsonl", "csv", "parquet", "pandas", "polars"):
        a, b = KINDS[kind](of("svm"), tmp_path), KINDS[kind](other, tmp_path)
        with pytest.raises(
            InputError, match=r"must agree, but differ for 2 ids: that of '?100[37]"
        ):
            count((a, b), **JOIN)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "pandas", "lazy", "duckdb"])
def test_ids_that_do_not_match(tmp_path, kind):
    a, b = of("svm").query("doc > 1002"), of("nb").query("doc < 1290")
    tables = KINDS[kind](a, tmp_path), KINDS[kind](b, tmp_path)
    words = r"Of 300 ids 3 are not in .*; 10 are not in .*, such as '?1290'?, '?1291'?, .*"
    with pytest.raises(InputError, match=words + "Pass unmatched= drop"):
        count(tables, **JOIN)
    counts = count(tables, **JOIN, unmatched="drop")
    assert counts.n_documents() == (287,)
    (note,) = counts.notes
    assert note.startswith("Items were left out: of 300 ids 3 are not in ")
    both = a.merge(b, on="doc")
    same(counts, count(both["label_x"], both["pred_x"], both["pred_y"], pos_label="spam"))
    far = KINDS[kind](of("nb", ids=IDS + 5000), tmp_path)
    with pytest.raises(InputError, match="None of them is complete"):
        count((tables[0], far), **JOIN, unmatched="drop")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "pandas", "lazy", "duckdb"])
def test_ids_that_are_repeated_or_missing(tmp_path, kind):
    twice = pd.concat([of("nb"), of("nb").query("doc in [1001, 1009]"), of("nb")[:1]])
    tables = KINDS[kind](of("svm"), tmp_path), KINDS[kind](twice, tmp_path)
    for choice in ({}, {"unmatched": "drop"}):
        with pytest.raises(InputError, match=r"doc of .* repeats 3 ids, such as '?10..'?, which 2"):
            count(tables, **JOIN, **choice)
    holed = of("nb").astype({"doc": "Int64"})
    holed.loc[4, "doc"] = pd.NA
    if kind == "pandas":
        holed["doc"] = holed["doc"].astype(float)
    tables = KINDS[kind](of("svm"), tmp_path), KINDS[kind](holed, tmp_path)
    with pytest.raises(InputError, match=r"doc of .* has 1 missing id"):
        count(tables, **JOIN)


def test_ids_of_another_type(tmp_path, expected):
    numbers, texts = of("svm"), of("nb").astype({"doc": str})
    for kind in ("jsonl", "parquet", "pandas", "lazy"):
        tables = KINDS[kind](numbers, tmp_path), KINDS[kind](texts, tmp_path)
        words = "ids must be of one type, but 300 of doc of .* are numbers, such as 1.* text, such"
        with pytest.raises(InputError, match=words):
            count(tables, **JOIN)
    # A text file has no types: its ids are numbers if all of them are.
    same(count((KINDS["csv"](numbers, tmp_path), numbers), **JOIN | {"b": "pred"}), expected_a())
    same(count((numbers, KINDS["csv"](of("nb"), tmp_path)), **JOIN), expected)
    odd = texts.assign(doc=texts["doc"].where(texts.index > 0, "x7"))
    with pytest.raises(InputError, match="ids must be of one type"):
        count((numbers, KINDS["csv"](odd, tmp_path)), **JOIN)


def expected_a():
    return count(TRUTH, SAID["svm"], SAID["svm"], pos_label="spam")


def test_sides_that_cannot_be_used(tmp_path):
    a = of("svm")
    with pytest.raises(InputError, match="table 2 has no rows"):
        count((a, a[:0]), **JOIN)
    with pytest.raises(InputError, match="the table has no column 'said' for 'b'"):
        count((a, a), **JOIN | {"b": "said"})
    with pytest.raises(InputError, match="pass id="):
        count((a, a), truth="label", a="pred", b="pred")
    with pytest.raises(InputError, match="one table, or 2: one per system"):
        count((a, a, a), **JOIN)
    with pytest.raises(InputError, match="'unmatched' parameter must be one of raise, drop"):
        count((a, a), **JOIN, unmatched="ignore")
    with pytest.raises(InputError, match="'sample_weight' parameter must be None where tables"):
        count((a, a), **JOIN, sample_weight="pred")
    with pytest.raises(InputError, match=r"pred of table 2 has 2 missing labels"):
        count((a, a.assign(pred=a["pred"].where(a.index > 1))), **JOIN)
    with pytest.raises(InputError, match="pred of table 2 looks like scores"):
        count((a, a.assign(pred=RNG.random(N))), **JOIN)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"doc": 1, "pred": "ham", "label": "ham"}\n{"doc": 2, "pred": \n')
    with pytest.raises(InputError, match=r"bad\.jsonl cannot be read: .*in line"):
        count((jsonl(a, tmp_path / "a.jsonl"), bad), **JOIN)


def test_a_file_among_many_that_cannot_be_read(tmp_path):
    for name in "123":
        csv(of("svm"), tmp_path / f"{name}.csv")
    (tmp_path / "2.csv").write_text("doc,pred,label\n7,ham\n")
    with pytest.raises(InputError, match=r"2\.csv, line 2 has 2 columns instead of 3"):
        count(tmp_path, truth="label", a="pred", b="doc")
    for name in "123":
        parquet(of("svm"), tmp_path / f"{name}.parquet")
        (tmp_path / f"{name}.csv").unlink()
    (tmp_path / "3.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"cannot be read: .*3\.parquet"):
        count(tmp_path, truth="label", a="pred", b="doc")


def test_labels_of_files_are_of_one_type(tmp_path):
    frames = [
        pd.DataFrame({"doc": range(4), "label": [1, 0, 1, 0], "pred": said})
        for said in ([1, 0, 1, 1], [0, 0, 1, 1])
    ]
    files = csv(frames[0], tmp_path / "a.csv"), jsonl(frames[1], tmp_path / "b.jsonl")
    counts = count(files, id="doc", truth="label", a="pred", b="pred")
    assert counts.pos.tolist() == [[1, 1, 0, 0]]
    assert counts.categories == ("1",)


# Long format.

LONG = {"item": "doc", "system": "model", "prediction": "pred", "truth": "label"}


def in_long(*names):
    return pd.concat([of(name, seed=3).assign(model=name) for name in names])


@pytest.mark.parametrize("kind", KINDS)
def test_long_format(tmp_path, expected, kind):
    table = KINDS[kind](in_long("svm", "nb", "knn"), tmp_path)
    counts = count(table, **LONG, a="svm", b="nb", pos_label="spam")
    same(counts, expected)
    assert counts.systems == ("svm", "nb")
    assert counts.source["system"] == "model"
    assert counts.source["a"] == "svm"


def test_two_systems_need_no_names(expected):
    long = in_long("svm", "nb").rename(columns={"pred": "answer"})
    options = LONG | {"prediction": None, "value": "answer", "pos_label": "spam"}
    counts = count(long, **options)
    assert counts.systems == ("nb", "svm")
    assert counts.cells.tolist() == expected.cells[::-1].tolist()
    with pytest.raises(InputError, match=r"has 3 systems \('knn', 'nb', 'svm'\): pass a= and b="):
        count(in_long("svm", "nb", "knn"), **LONG)
    with pytest.raises(InputError, match=r"'b' parameter must be one of .* Did you mean 'svm'"):
        count(in_long("svm", "nb"), **LONG, a="nb", b="svn")


def test_long_format_with_the_truth_elsewhere(tmp_path, expected):
    long = in_long("svm", "nb").drop(columns="label")
    gold = csv(pd.DataFrame({"doc": IDS, "gold": TRUTH}), tmp_path / "gold.csv")
    options = LONG | {"truth": (gold, "gold"), "a": "svm", "b": "nb", "pos_label": "spam"}
    same(count(long, **options), expected)
    same(count(csv(long, tmp_path / "long.csv"), **options), expected)


def test_a_document_that_has_two_true_labels_elsewhere_is_refused():
    """Joined to a long table, it would count twice."""
    long = in_long("svm", "nb").drop(columns="label")
    gold = pd.DataFrame({"doc": [*IDS, IDS[7]], "gold": [*TRUTH, TRUTH[7]]})
    options = LONG | {"truth": (gold, "gold"), "a": "svm", "b": "nb", "pos_label": "spam"}
    with pytest.raises(InputError, match=rf"doc of table 2 repeats 1 id, such as {IDS[7]}"):
        count(long, **options)


def test_runs_are_no_documents():
    runs = pd.concat([in_long("svm", "nb"), in_long("svm").query("doc < 1005")])
    words = (
        r"doc in system 'svm' .* repeats 5 ids, such as 1000, which 2 rows have\. Several labels"
    )
    with pytest.raises(InputError, match=words):
        count(runs, **LONG, a="svm", b="nb")
    with pytest.raises(InputError, match="Of 300 items 3 have no row of system 'nb', such as"):
        count(pd.concat([of("svm").assign(model="svm"), of("nb")[3:].assign(model="nb")]), **LONG)


@pytest.mark.parametrize("lacking", ["item", "system", "prediction", "truth"])
def test_long_format_needs_all_columns(lacking):
    options = {name: column for name, column in LONG.items() if name != lacking}
    with pytest.raises(InputError, match=f"'{lacking}': pass {lacking}="):
        count(in_long("svm", "nb"), **options)


# Any number of systems, in a contest.


def test_a_contest_of_joined_tables_and_of_long_ones(tmp_path):
    wide = contest(pd.DataFrame({"label": TRUTH} | SAID), truth="label", pos_label="spam", seed=1)
    files = [jsonl(of(name, seed=k), tmp_path / f"{name}.jsonl") for k, name in enumerate(SAID)]
    options = {"truth": "label", "pos_label": "spam", "seed": 1}
    joined = contest(files, id="doc", systems=["pred"] * 3, **options)
    assert joined.fit.data.systems == wide.fit.data.systems == ("svm", "nb", "knn")
    long = {name: LONG[name] for name in ("item", "system", "prediction")}
    turned = contest(in_long(*SAID), **long, systems=["svm", "nb", "knn"], **options)
    for other in (joined, turned):
        assert other.fit.data.cells.tolist() == wide.fit.data.cells.tolist()
    every = contest(in_long(*SAID), **long, **options)
    assert every.fit.data.systems == ("knn", "nb", "svm")


NAMED = {
    "uuid": [str(UUID(int=2**100 + i)).upper() for i in range(N)],
    "date": [str(date(2020, 1, 1) + timedelta(days=i)) for i in range(N)],
    "time": [f"2020-01-01T00:{i // 60:02}:{i % 60:02}Z" for i in range(N)],
}


@pytest.mark.parametrize("other", ["jsonl", "csv", "parquet", "pandas", "polars"])
@pytest.mark.parametrize("named", NAMED)
def test_ids_that_look_like_dates_and_uuids_are_texts_in_json(tmp_path, expected, named, other):
    one = KINDS["jsonl"](of("svm", ids=NAMED[named]), tmp_path)
    two = KINDS[other](of("nb", seed=1, ids=NAMED[named]), tmp_path)
    same(count((one, two), **JOIN), expected)


def test_true_dates_match_files_that_have_none(tmp_path, expected):
    dates = [date.fromisoformat(text) for text in NAMED["date"]]
    one = KINDS["parquet"](of("svm", ids=dates), tmp_path)
    for kind in ("csv", "jsonl"):
        two = KINDS[kind](of("nb", ids=NAMED["date"]), tmp_path)
        same(count((one, two), **JOIN), expected)
    with pytest.raises(InputError, match="The ids must be of one type"):
        count((one, of("nb", ids=NAMED["date"])), **JOIN)


@pytest.mark.parametrize("kind", ["pandas", "polars", "parquet"])
def test_nan_is_no_id(tmp_path, kind):
    ids = IDS.astype(float)
    ids[7] = np.nan
    frame = of("svm", ids=ids)
    row = int(np.flatnonzero(frame["doc"].isna())[0]) + 1
    table = pa.table({name: pa.array(frame[name].to_numpy(), from_pandas=False) for name in frame})
    if kind == "parquet":
        pa.parquet.write_table(table, tmp_path / "nan.parquet")
    made = {"pandas": frame, "polars": pl.from_arrow(table), "parquet": tmp_path / "nan.parquet"}
    where = "nan.parquet" if kind == "parquet" else "table 1"
    told = rf"doc of .*{where} has 1 missing id, the first in row {row}\.$"
    with pytest.raises(InputError, match=told):
        count((made[kind], of("nb", ids=ids)), **JOIN)


def test_one_column_of_one_file_is_not_two_systems(tmp_path, expected):
    both = of("svm").merge(of("nb", truth=False), on="doc", suffixes=("_svm", "_nb"))
    file = KINDS["csv"](both, tmp_path)
    chosen = {"id": "doc", "truth": "label", "pos_label": "spam"}
    same(count((file, file), a="pred_svm", b="pred_nb", **chosen), expected)
    again = file.parent / ".." / file.parent.name / file.name
    with pytest.raises(InputError, match="a and b must be different columns, not both pred_svm of"):
        count((file, again), a="pred_svm", b="pred_svm", **chosen)


@pytest.mark.parametrize("kind", ["csv", "pandas", "polars", "parquet"])
def test_a_row_of_a_long_table_that_names_no_system(tmp_path, kind):
    long = pd.concat([of(name).assign(model=name) for name in ("svm", "nb")], ignore_index=True)
    more = long.head(2).assign(model=None)
    table = KINDS[kind](pd.concat([long, more], ignore_index=True), tmp_path)
    columns = {"item": "doc", "system": "model", "prediction": "pred", "truth": "label"}
    for run in (count, contest):
        with pytest.raises(InputError, match="a system in every row, but 2 rows name none: the fi"):
            run(table, **columns, pos_label="spam")


def test_the_first_label_that_is_missing_is_named(tmp_path):
    holed = of("svm")
    holed.loc[holed["doc"].isin([1003, 1200]), "pred"] = None
    told = r"pred of table 1 has 2 missing labels, the first that of 1003\."
    with pytest.raises(InputError, match=told):
        count((holed, of("nb")), **JOIN)
