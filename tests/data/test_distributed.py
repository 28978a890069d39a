"""Counting, joining and turning where the data are: Dask in two processes, and Spark."""

import numpy as np
import pandas as pd
import pytest

from stanoff import InputError, compare, contest, count

pytestmark = [
    pytest.mark.engines,
    pytest.mark.filterwarnings("default"),  # those of other people's engines are not ours
]
RNG = np.random.default_rng(7)
N = 2000
TRUTH = RNG.choice(["art", "law", "war"], N)
SAID = {
    name: np.where(RNG.random(N) < right, TRUTH, RNG.choice(["art", "law", "war"], N))
    for name, right in (("svm", 0.8), ("nb", 0.6), ("knn", 0.4))
}
WIDE = pd.DataFrame({"doc": np.arange(N), "y": TRUTH, **SAID})
COLUMNS = {"truth": "y", "a": "svm", "b": "nb"}
JOIN = {"id": "doc", "truth": "y", "a": "pred", "b": "pred"}
MANY = {"average": "macro", "model": "contest", "draws": 300, "seed": 1}
LONG = {"item": "doc", "system": "model", "prediction": "pred", "truth": "y", "a": "svm", "b": "nb"}


@pytest.fixture(scope="module")
def dask():
    """Turn pandas into Dask, on a cluster of two processes."""
    from dask import dataframe
    from dask.distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster):
        yield lambda frame: dataframe.from_pandas(frame, npartitions=3)


@pytest.fixture(scope="module")
def spark():
    """Turn pandas into Spark."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "4")
    session = builder.config("spark.driver.host", "localhost").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def made(frame):
        rows = [
            tuple(None if pd.isna(v) else v for v in row) for row in frame.astype(object).values
        ]
        types = {"int64": "long", "bool": "boolean", "float64": "double"}
        schema = ", ".join(f"{n} {types.get(str(t), 'string')}" for n, t in frame.dtypes.items())
        return session.createDataFrame(rows, schema)

    yield made
    session.stop()


@pytest.fixture(scope="module", params=["dask", "spark"])
def engine(request):
    return request.getfixturevalue(request.param)


def of(name, seed=0):
    frame = pd.DataFrame({"doc": WIDE["doc"], "y": TRUTH, "pred": SAID[name]})
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.mark.parametrize("chosen", [{"pos_label": "law"}, {"average": "macro"}])
def test_counting(engine, chosen):
    counts, expected = (count(data, **COLUMNS, **chosen) for data in (engine(WIDE), WIDE))
    assert type(counts) is type(expected)
    for ours, theirs in zip(counts.arrays().values(), expected.arrays().values(), strict=True):
        assert ours.tolist() == theirs.tolist()


def test_numbers_and_booleans(engine):
    for made in ({"law": 1}, {"law": True}):
        coded = WIDE[["y", "svm", "nb"]].map(
            lambda label, made=made: type(made["law"])(label == "law")
        )
        counts, expected = (count(data, **COLUMNS) for data in (engine(coded), coded))
        assert counts.pos.tolist() == expected.pos.tolist()
        assert counts.categories == expected.categories


def test_weights(engine):
    weighted = WIDE.assign(w=RNG.integers(0, 3, N))
    options = {**COLUMNS, "pos_label": "law", "sample_weight": "w"}
    assert (
        count(engine(weighted), **options).pos.tolist() == count(weighted, **options).pos.tolist()
    )
    with pytest.raises(InputError, match=r"a row stands for\. Got 0\.5"):
        count(engine(weighted.assign(w=0.5)), **options)


def test_joining(engine):
    expected = count(WIDE, **COLUMNS, pos_label="law")
    tables = engine(of("svm")), engine(of("nb", seed=1))
    assert count(tables, **JOIN, pos_label="law").pos.tolist() == expected.pos.tolist()
    gold = engine(WIDE[["doc", "y"]])
    bare = [engine(of(name).drop(columns="y")) for name in ("svm", "nb")]
    counts = count(bare, **JOIN | {"truth": (gold, "y")}, pos_label="law")
    assert counts.neg.tolist() == expected.neg.tolist()


def test_joining_numbers(engine):
    coded = [
        of(name).assign(y=lambda f: (f["y"] == "law") * 1, pred=lambda f: (f["pred"] == "law") * 1)
        for name in ("svm", "nb")
    ]
    counts = count(
        [engine(frame[frame["doc"] > 9]) for frame in coded[:1]] + [engine(coded[1])],
        **JOIN,
        unmatched="drop",
    )
    assert counts.categories == ("1",)
    assert counts.n_documents() == (N - 10,)


def test_what_cannot_be_joined(engine):
    a, b = of("svm"), of("nb")
    with pytest.raises(
        InputError, match=r"Of 2,000 ids 3 are not in table 2, such as 1997, 1998, 1999"
    ):
        count((engine(a), engine(b[b["doc"] < 1997])), **JOIN)
    twice = pd.concat([b, b[b["doc"] == 77]])
    with pytest.raises(InputError, match="doc of table 2 repeats 1 id, such as 77, which 2 rows"):
        count((engine(a), engine(twice)), **JOIN)
    with pytest.raises(
        InputError, match=r"2,000 of doc of table 1 are numbers, .* text, such as '"
    ):
        count((engine(a), engine(b.astype({"doc": str}))), **JOIN)
    other = b.assign(y=b["y"].where(b["doc"] != 5, "eggs"))
    with pytest.raises(InputError, match="must agree, but differ for 1 ids: that of 5 is"):
        count((engine(a), engine(other)), **JOIN)
    holed = a.assign(pred=a["pred"].where(a["doc"] != 5, None))
    with pytest.raises(InputError, match="pred of table 1 has 1 missing label"):
        count((engine(holed), engine(b)), **JOIN)


@pytest.mark.parametrize("other", ["pandas", "csv", "polars"])
def test_joining_with_tables_that_are_elsewhere(engine, other, tmp_path):
    import polars as pl

    a, b = of("svm"), of("nb", seed=1)
    b.to_csv(tmp_path / "b.csv", index=False)
    there = {"pandas": b, "csv": tmp_path / "b.csv", "polars": pl.from_pandas(b).lazy()}[other]
    expected = count(WIDE, **COLUMNS, pos_label="law")
    counts = count((engine(a), there), **JOIN, pos_label="law")
    assert counts.pos.tolist() == expected.pos.tolist()
    assert counts.neg.tolist() == expected.neg.tolist()
    few = a.astype({"doc": "float"}).assign(doc=lambda f: f["doc"].where(f["doc"] != 5))
    with pytest.raises(InputError, match=r"doc of table 1 has 1 missing id"):
        count((engine(few), there), **JOIN, pos_label="law")


def test_long_format(engine):
    long = pd.concat([of(name).assign(model=name) for name in SAID], ignore_index=True)
    expected = count(WIDE, **COLUMNS, pos_label="law")
    assert count(engine(long), **LONG, pos_label="law").pos.tolist() == expected.pos.tolist()


def test_bad_tables(engine):
    holed = WIDE.assign(svm=WIDE["svm"].where(WIDE["doc"] != 5, None))
    with pytest.raises(InputError, match="1 has no answer of svm"):
        count(engine(holed), **COLUMNS, pos_label="law")
    with pytest.raises(InputError, match="no column 'svn' for 'a'; did you mean 'svm'"):
        count(engine(WIDE), truth="y", a="svn", b="nb")
    with pytest.raises(InputError, match="svm looks like scores"):
        count(engine(WIDE.assign(svm=RNG.random(N))), **COLUMNS)
    twice = WIDE.assign(doc=WIDE["doc"] // 2)
    notes = count(engine(twice), **COLUMNS, id="doc", pos_label="law").notes
    assert notes[0].startswith("doc has 1,000 different values in 2,000 rows")


def test_a_whole_comparison(engine):
    result = compare(engine(WIDE), **COLUMNS, pos_label="law", engine="exact", draws=500, seed=1)
    assert result.data.n_documents() == (N,)


def test_a_client_of_dask_does_the_work(dask, tmp_path):
    from dask.distributed import default_client

    import stanoff
    from stanoff.study.config import read_study
    from stanoff.study.run import build_study

    options = {"n": 100, "n_simulations": 40, "draws": 200, "seed": 1, "engine": "exact"}
    scenario = "a"
    there = stanoff.power(scenario, **options, executor=default_client())
    here = stanoff.power(scenario, **options, jobs=1)
    pd.testing.assert_frame_equal(there, here)
    WIDE[:200].to_csv(tmp_path / "wide.csv", index=False)
    (tmp_path / "study.toml").write_text(
        'classifiers = ["svm", "nb", "knn"]\npos_label = "law"\nengine = "exact"\ndraws = 200\n'
        'figures = []\n[data]\nfile = "wide.csv"\ntruth = "y"\n'
    )
    study = read_study(tmp_path / "study.toml")
    made = build_study(study, tmp_path / "out", executor=default_client(), quiet=True)
    assert [outcome.error for outcome in made] == [""] * 4
    here = stanoff.contest(WIDE, truth="y", systems=["svm", "nb", "knn"], **MANY)
    there = stanoff.contest(
        WIDE, truth="y", systems=["svm", "nb", "knn"], **MANY, executor=default_client()
    )
    np.testing.assert_array_equal(there.psi, here.psi)
    assert str(stanoff.load(here.save(tmp_path / "x.nc"))) == str(here)  # beside a client
    assert (tmp_path / "out/index.html").exists()


TOPICS = 60
VALUES = pd.DataFrame(
    {
        "topic": [f"t{i:02}" for i in range(TOPICS)],
        **{name: RNG.random(TOPICS).round(4) for name in ("bm25", "dense", "lsi")},
        "user": [f"u{i // 2}" for i in range(TOPICS)],
        "bench": [f"b{i % 4}" for i in range(TOPICS)],
        "shown": RNG.integers(1, 30, TOPICS),
    }
)
OF_TOPIC = ["topic", "user", "bench", "shown"]
RUNS = pd.concat(
    [
        VALUES.melt(OF_TOPIC, ["bm25", "dense", "lsi"], "system", "ap").assign(
            ap=lambda f: (f["ap"] + RNG.normal(0, 0.05, len(f))).round(6)
        )
        for _ in range(3)
    ]
).sample(frac=1, random_state=3, ignore_index=True)
OF_RUNS = {"item": "topic", "system": "system", "value": "ap", "measure": "mean", "seed": 1}
TWO = {"a": "bm25", "b": "dense", "draws": 500}


def the_same_values(ours, theirs):
    """Hold the data and the verdict against each other, whatever the order of the items."""
    for name in ("values", "runs", "scatter"):
        one, other = (np.sort(getattr(data.data, name), axis=None) for data in (ours, theirs))
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    one, other = ours.evidence(), theirs.evidence()
    assert (one.mean, one.std, *one.hdi) == pytest.approx((other.mean, other.std, *other.hdi))
    assert str(ours) == str(theirs)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"population": "runs"},
        {"cluster": "user"},
        {"dataset": "bench", "population": "datasets"},
        {"dataset": "bench", "cluster": "user"},
        {"denominator": "shown", "measure": "ratio"},
    ],
    ids=["items", "runs", "clusters", "datasets", "both", "ratio"],
)
def test_long_values(engine, more):
    asked = OF_RUNS | TWO | more
    the_same_values(compare(engine(RUNS), **asked), compare(RUNS, **asked))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"item": "topic"},
        {"cluster": "user"},
        {"dataset": "bench", "population": "datasets"},
        {"denominator": "shown", "measure": "ratio"},
    ],
    ids=["rows", "items", "clusters", "datasets", "ratio"],
)
def test_wide_values(engine, more):
    asked = {"measure": "mean", "seed": 1} | TWO | more
    the_same_values(compare(engine(VALUES), **asked), compare(VALUES, **asked))


def test_contests_of_values(engine):
    wide = {"systems": ["bm25", "dense", "lsi"], "measure": "mean", "seed": 1}
    for frame, asked in ((VALUES, wide), (RUNS, OF_RUNS), (RUNS, OF_RUNS | {"cluster": "user"})):
        ours, theirs = (contest(table, draws=500, **asked) for table in (engine(frame), frame))
        assert ours.systems == theirs.systems
        np.testing.assert_allclose(ours.observed, theirs.observed)
        pd.testing.assert_frame_equal(ours.pairs(), theirs.pairs())


def test_bad_values(engine):
    gone = RUNS[(RUNS["system"] != "bm25") | (RUNS["topic"] != "t03")]
    with pytest.raises(InputError, match=r"Of 60 items 1 has no value of bm25, such as 't03'"):
        compare(engine(gone), **OF_RUNS, **TWO)
    left = compare(engine(gone), unmatched="drop", **OF_RUNS, **TWO)
    assert left.n_documents() == (59, 59)
    with pytest.raises(InputError, match="bm25 must be made of finite numbers"):
        compare(engine(VALUES.assign(bm25=np.inf)), item="topic", measure="mean", **TWO)
    clash = RUNS.assign(user=np.arange(len(RUNS)) % 9)
    with pytest.raises(
        InputError, match="user must be the same in all rows of an item, but differs in"
    ):
        compare(engine(clash), cluster="user", **OF_RUNS, **TWO)
    with pytest.raises(InputError, match="must be made of numbers"):
        compare(engine(VALUES.assign(bm25="x")), measure="mean", **TWO)
