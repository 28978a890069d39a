"""Values per item: from whatever holds them to one row per item."""

import json

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

from stanoff import InputError, compare, contest, count, load
from stanoff.cli import main
from stanoff.data.load import load_systems
from stanoff.data.readers import fetch

N = 40


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(1)
    systems = {name: rng.random(N).round(4) for name in ("bm25", "dense", "lsi")}
    topics = [f"t{i:02}" for i in range(N)]
    shown = rng.integers(1, 30, N)
    return pd.DataFrame({"topic": topics, **systems, "user": np.arange(N) // 2, "shown": shown})


@pytest.fixture(scope="module")
def long(wide):
    """Three runs of each system on each topic, whose means are those of the wide table."""
    rng = np.random.default_rng(2)
    once = wide.melt(["topic", "user", "shown"], ["bm25", "dense", "lsi"], "system", "ap")
    off = rng.normal(0, 0.05, len(once))
    runs = [once.assign(ap=once["ap"] + k * off, run=k) for k in (-1, 0, 1)]
    return pd.concat(runs).sample(frac=1, random_state=3, ignore_index=True)


LONG = {"item": "topic", "system": "system", "value": "ap", "measure": "mean", "seed": 1}
WIDE = {"a": "bm25", "b": "dense", "measure": "mean", "seed": 1}
PAIR = {"a": "bm25", "b": "dense", "kind": "values"}


def same(result, expected):
    one, other = result.evidence(), expected.evidence()
    assert (one.mean, one.std, *one.hdi) == pytest.approx((other.mean, other.std, *other.hdi))
    assert result.names == expected.names


TABLES = {
    "pandas": lambda frame, path: frame,
    "polars": lambda frame, path: pl.from_pandas(frame),
    "lazy polars": lambda frame, path: pl.from_pandas(frame).lazy(),
    "duckdb": lambda frame, path: duckdb.from_df(frame),
    "arrow": lambda frame, path: pl.from_pandas(frame).to_arrow(),
    "csv": lambda frame, path: frame.to_csv(path / "x.csv", index=False) or str(path / "x.csv"),
    "parquet": lambda frame, path: frame.to_parquet(path / "x.parquet") or str(path / "x.parquet"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_layout_of_every_table_says_the_same(kind, wide, long, tmp_path):
    expected = compare(wide, **WIDE)
    table = TABLES[kind](wide, tmp_path)
    same(compare(table, **WIDE), expected)
    same(compare(table, item="topic", **WIDE), expected)
    table = TABLES[kind](long, tmp_path)
    result = compare(table, a="bm25", b="dense", **LONG)
    same(result, expected)
    runs = long.groupby(["system", "topic"])["ap"]
    np.testing.assert_array_equal(result.data.runs, 3)
    np.testing.assert_allclose(
        result.data.scatter,
        (runs.var() * 2).unstack().loc[["bm25", "dense"]],
        atol=1e-12,
    )


def test_clusters_and_sums_are_read_from_long_tables(wide, long):
    asked = {"a": "bm25", "b": "dense", "draws": 1000}
    one = compare(wide, cluster="user", measure="mean", seed=1, **asked)
    other = compare(long, cluster="user", **LONG, **asked)
    np.testing.assert_array_equal(one.data.cluster, other.data.cluster)
    np.testing.assert_allclose(one.scores.delta, other.scores.delta)
    ratio = LONG | {"measure": "ratio"}
    result = compare(long, denominator="shown", **ratio, **asked)
    total = long.groupby("system")[["ap", "shown"]].sum()
    expected = total["ap"] / total["shown"]
    np.testing.assert_allclose(result.data.observed, expected[["bm25", "dense"]])
    clash = long.assign(user=np.arange(len(long)) % 9)
    with pytest.raises(
        InputError, match="user must be the same in all rows of an item, but differs in"
    ):
        compare(clash, cluster="user", **LONG, **asked)


def test_large_values_lose_no_digits(long):
    moved = long.assign(ap=long["ap"] + 1e9)
    one, other = (compare(frame, a="bm25", b="dense", **LONG) for frame in (long, moved))
    np.testing.assert_allclose(other.data.scatter, one.data.scatter, rtol=1e-3)
    assert other.evidence().std == pytest.approx(one.evidence().std, rel=1e-5)


def test_tables_are_joined(wide, tmp_path):
    expected = compare(wide, **WIDE)
    tables = wide[["topic", "bm25"]], wide[["topic", "dense"]].sample(frac=1, random_state=1)
    same(compare(tables, id="topic", **WIDE), expected)
    for frame in tables:
        frame.to_csv(tmp_path / f"{frame.columns[1]}.csv", index=False)
    files = tuple(str(tmp_path / f"{name}.csv") for name in ("bm25", "dense"))
    same(compare(files, id="topic", **WIDE), expected)


def test_arrays_need_no_table(wide):
    same_but_names = compare(wide["bm25"], wide["dense"], measure="mean", seed=1)
    assert same_but_names.evidence().mean == compare(wide, **WIDE).evidence().mean
    assert same_but_names.names == ("bm25", "dense")  # as the Series are called
    plain = compare(wide["bm25"].to_numpy(), wide["dense"], measure="mean", seed=1)
    assert plain.names == ("A", "B")
    found = contest({name: wide[name] for name in ("bm25", "dense", "lsi")}, measure="mean", seed=1)
    assert found.systems == ("bm25", "dense", "lsi")
    with pytest.raises(InputError, match="Pass two arrays of values"):
        compare(wide["bm25"], wide["dense"], wide["lsi"], measure="mean")


def test_contests_find_their_systems(wide, long):
    ones = (
        contest(wide[["topic", "bm25", "dense", "lsi"]], measure="mean", item="topic", seed=1),
        contest(wide, systems=["bm25", "dense", "lsi"], measure="mean", cluster="topic", seed=1),
        contest(long, **LONG),
    )
    for one in ones:
        assert one.systems == ("bm25", "dense", "lsi")
        np.testing.assert_allclose(one.observed[:, 0], wide[["bm25", "dense", "lsi"]].mean())
    assert "Every item has a cluster of its own" in ones[1].warnings[0]


@pytest.mark.parametrize(
    ("change", "options", "told"),
    [
        ({"bm25": "x"}, {}, "bm25 must be made of numbers, but 40 of 40 are none: the first, in"),
        ({"bm25": np.inf}, {}, "bm25 must be made of finite numbers, but 40 of 40 are infinite"),
        (
            {"bm25": np.inf},
            {"item": "topic"},
            "bm25 must be made of finite numbers, but 40 of 40 are infinite",
        ),
        ({"bm25": np.nan}, {}, "Of 40 rows 40 have no answer of bm25, the first in row 1. None"),
        ({"bm25": np.nan}, {"item": "topic"}, "40 have no value of bm25, such as 't00'. None"),
        ({}, {"b": "nope"}, "the table has no column 'nope' for 'b'"),
        ({}, {"truth": "user"}, "'truth' parameter must be None for values"),
        ({}, {"average": "macro"}, "'average' parameter must be None for values"),
        ({}, {"pos_label": 1}, "'pos_label' parameter must be None for values"),
        ({}, {"sample_weight": "shown"}, "sample_weight is about labels"),
        ({}, {"prevalence": 0.2}, "'prevalence' parameter must be left out for mean"),
        (
            {},
            {"denominator": "shown"},
            "'measure' parameter must be 'ratio' where denominator= is given, and only",
        ),
        (
            {},
            {"measure": "ratio"},
            "'measure' parameter must be 'ratio' where denominator= is given, and",
        ),
        (
            {"shown": 0},
            {"measure": "ratio", "denominator": "shown"},
            "denominator must not add up to 0, but that",
        ),
        (
            {"shown": -1},
            {"measure": "ratio", "denominator": "shown"},
            "denominator must be >= 0, but has -1",
        ),
        (
            {"user": np.arange(N) % 7},
            {"cluster": "user"},
            "8 clusters or more are needed; there are 7",
        ),
        ({}, {"rope": "2"}, "a share such as '2%', '2% of mean' or '2% of range'. Got '2' instead"),
        ({}, {"rope": "-2%"}, "a share such as '2%'"),
        ({}, {"higher_is_better": "no"}, "'higher_is_better' parameter must be True or False"),
        ({}, {"engine": "stan", "cluster": "user"}, "'exact' for clusters, which has no program"),
        ({}, {"system": "topic"}, "Say which column of the table is 'item': pass item="),
    ],
)
def test_what_cannot_be_used_is_told(change, options, told, wide):
    with pytest.raises(InputError) as error:
        compare(wide.assign(**change), **(WIDE | options))
    assert told in str(error.value)


def test_differences_that_never_vary_give_no_verdict(wide):
    for gap, told in ((0.0, "have the same value"), (0.1, r"differ by \+0.1")):
        frame = wide.assign(dense=wide["bm25"] - gap)
        with pytest.raises(InputError, match=rf"bm25 and dense {told} on each of 40 items.*no ver"):
            compare(frame, **WIDE)
    with pytest.raises(InputError, match="4 items or more are needed; there is 1 item"):
        compare(wide[:1], **WIDE)
    with pytest.raises(InputError, match="; there are 3 items"):
        compare(wide[:3], **WIDE)
    assert "only 5 items" in compare(wide[:5], **WIDE).warnings[0]
    frame = wide.assign(twin=wide["bm25"])
    found = contest(frame, systems=["bm25", "twin", "lsi"], measure="mean", seed=1)
    with pytest.raises(InputError, match="have the same value on each"):
        found.between("bm25", "twin").evidence()


def test_systems_that_never_vary_win_no_contest(wide):
    """Ten functions of one column have no differences to learn from; some are pointed out."""
    names = [f"s{k}" for k in range(10)]
    frame = pd.DataFrame({name: wide["bm25"] + k / 8 for k, name in enumerate(names)})
    for options in ({}, {"cluster": "user"}):
        with pytest.raises(InputError, match=r"Any two of these 10 systems differ .* no verdict"):
            contest(frame.assign(user=wide["user"]), systems=names, measure="mean", **options)
    frame = wide[["bm25", "dense"]].assign(moved=wide["bm25"] - 0.5)
    [told] = contest(frame, measure="mean", seed=1).data.notes
    assert told.startswith(
        "bm25 and moved differ by +0.5 on each of 40 items: what is said of such"
    )
    [told] = contest(frame.assign(same=wide["bm25"]), measure="mean", seed=1).data.notes
    assert "on each of 40 items (and so do 2 more pairs)" in told


def test_clusters_that_never_vary_give_no_verdict(wide):
    """Where the items of every cluster add up to the same, there is nothing to learn from."""
    turn = np.where(np.arange(N) % 2, 0.25, -0.25)  # one up, one down in each cluster of two
    frame = wide.assign(dense=wide["bm25"] + turn)
    assert compare(frame, **WIDE).evidence().std > 0
    with pytest.raises(InputError, match=r"same value in each of 20 clusters: .* no verdict"):
        compare(frame, cluster="user", **WIDE)


def test_ratios_vary_by_what_they_are_divided_by(wide):
    """The same sums over other sizes are other ratios; in proportion to them, they never vary."""
    asked = {
        "a": "a",
        "b": "b",
        "denominator": ["na", "nb"],
        "measure": "ratio",
        "seed": 1,
        "draws": 500,
    }
    clicks = wide["shown"] // 2 + 1
    frame = pd.DataFrame({"a": clicks, "b": clicks, "na": wide["shown"], "nb": wide["user"] + 9})
    assert compare(frame, **asked).evidence().std > 0
    with pytest.raises(InputError, match=r"a and b differ by -0\.1 on each of 40 items"):
        compare(frame.assign(a=0.4 * frame["na"], b=0.5 * frame["nb"]), **asked)


def test_odd_values_get_one_sentence(wide, long):
    with pytest.raises(InputError, match=r"^Values must be within ±1e\+100, .* is 3e\+200\.$"):
        compare(wide.assign(bm25=np.where(wide.index == 7, 3e200, 0.5)), **WIDE)
    text = long["ap"].astype(object).where(long.index != 3, "n/a")
    with pytest.raises(
        InputError, match=r"^ap must be made of numbers, but 1 rows have none, .*'n/a'\.$"
    ):
        compare(long.assign(ap=text), a="bm25", b="dense", **LONG)
    with pytest.raises(InputError, match="has one system only, 'lsi': there is none to compare"):
        compare(long[long["system"] == "lsi"], **LONG)
    with pytest.raises(InputError, match="8 clusters or more are needed; there is 1 cluster"):
        compare(wide.assign(user=1), cluster="user", **WIDE)
    twice = compare(pd.concat([wide, wide]), **WIDE)
    assert twice.warnings[0].startswith("40 of 80 rows repeat another row in every column")
    assert not compare(pd.concat([wide, wide]), item="topic", **WIDE).warnings  # they are runs


def test_items_that_a_system_lacks(long):
    gone = long[(long["system"] != "bm25") | (long["topic"] != "t03")]
    with pytest.raises(InputError, match=r"Of 40 items 1 has no value of bm25, such as 't03'"):
        compare(gone, a="bm25", b="dense", **LONG)
    result = compare(gone, a="bm25", b="dense", unmatched="drop", **LONG)
    assert result.n_documents() == (39, 39)
    assert result.warnings[0].startswith("Items were left out: of 40 items 1 has no value of bm25")


def test_rows_without_a_system_are_told(long):
    holes = long.assign(system=long["system"].where(long.index != 7))
    with pytest.raises(InputError, match="system must name a system in every row, but 1 row"):
        compare(holes, a="bm25", b="dense", **LONG)
    with pytest.raises(InputError, match="'a' parameter must be one of bm25, dense, lsi"):
        compare(long, a="nope", b="dense", **LONG)
    with pytest.raises(
        InputError, match=r"has 3 systems \('bm25', 'dense', 'lsi'\): pass a= and b="
    ):
        compare(long, **LONG)


def test_few_clusters_are_pointed_out(wide):
    result = compare(wide.assign(user=np.arange(N) % 9), cluster="user", **WIDE)
    assert "only 9 clusters" in result.warnings[0]


def test_a_rope_in_per_cent(wide):
    result = compare(wide, rope="10%", **WIDE)
    mean = wide[["bm25", "dense"]].to_numpy().mean()
    assert result.rope[1] == -result.rope[0] == float(f"{0.1 * mean:.3g}")  # as it is told
    assert "The ROPE is 10% of the observed mean." in str(result)
    both = wide[["bm25", "dense"]].to_numpy()
    assert result.judge(rope="5% of range").rope[1] == float(f"{0.05 * np.ptp(both):.3g}")
    assert result.judge(rope=0.3).rope == (-0.3, 0.3)
    with pytest.raises(InputError, match="'rope' parameter must be a half-width"):
        compare([1, 0], [1, 0], [0, 1], rope="2%")


def test_losses(wide):
    one, other = compare(wide, **WIDE), compare(wide, higher_is_better=False, **WIDE)
    assert one.evidence().mean == other.evidence().mean
    turned = {"<<": ">>", "<": ">", "=": "=", ">": "<", ">>": "<<"}
    assert other.decision == turned[one.decision]
    assert other.judge(higher_is_better=True).decision == one.decision
    assert "Lower is better" in str(other)
    with pytest.raises(InputError, match="None for F1, which has a direction of its own"):
        compare([1, 0], [1, 0], [0, 1], higher_is_better=False)


def test_the_command_line(wide, long, tmp_path):
    wide.to_csv(tmp_path / "scores.csv", index=False)
    long.to_csv(tmp_path / "long.csv", index=False)

    def said(*words):
        ran = CliRunner().invoke(main, [*words, "--seed", "1", "--format", "json"])
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.output)

    scores, runs = str(tmp_path / "scores.csv"), str(tmp_path / "long.csv")
    asked = ("--a", "bm25", "--b", "dense", "--measure", "mean", "--item", "topic")
    told = said("compare", scores, *asked, "--rope", "2%")
    expected = compare(wide, rope="2%", **WIDE)
    assert told["results"][0]["mean"] == pytest.approx(expected.evidence().mean)
    assert told["settings"]["rope"] == pytest.approx(list(expected.rope))
    again = said(
        "compare", runs, *asked, "--system", "system", "--value", "ap", "--population", "runs"
    )
    assert again["settings"]["model"] == "runs"
    lower = said("compare", scores, *asked[:-2], "--cluster", "user", "--lower-is-better")
    assert lower["settings"]["model"] == "clusters"
    ratio = said("compare", scores, *asked[:4], "--measure", "ratio", "--denominator", "shown")
    assert ratio["settings"]["measure"] == "ratio"
    ranked = said("contest", scores, "--systems", "bm25", "dense", "lsi", "--measure", "mean")
    assert len(ranked["data"]["systems"]) == 3
    page = ["report", scores, *asked, "--out", str(tmp_path / "page.html"), "--seed", "1"]
    assert CliRunner().invoke(main, page).exit_code == 0
    assert "mean over new items" in (tmp_path / "page.html").read_text("utf8")


@pytest.mark.parametrize("held", ["pandas", "polars", "file"])
def test_very_many_items_are_added_up_by_cluster(held, monkeypatch, tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal([0.5, 0.45, 0.4], 0.1, (900, 3)), columns=["x", "y", "z"])
    frame["thread"] = [f"t{i:02}" for i in np.sort(rng.integers(0, 40, 900))]  # in their order
    asked = {"a": "x", "b": "y", "cluster": "thread", "measure": "mean", "rope": "2%", "seed": 1}
    one_by_one = compare(frame, **asked)
    monkeypatch.setattr("stanoff.data.tables.MAX_ITEMS", 500)
    given = frame
    if held == "polars":
        given = pl.from_pandas(frame)
    elif held == "file":
        given = tmp_path / "values.csv"
        frame.to_csv(given, index=False)
    added = compare(given, **asked)
    assert added.data.values.shape == (2, 40)
    assert str(added) == str(one_by_one)
    assert "(900 items in 40 clusters)" in str(added)
    assert added.evidence().mean == pytest.approx(one_by_one.evidence().mean, rel=1e-9)
    added.save(tmp_path / "added.nc")
    assert str(load(tmp_path / "added.nc")) == str(added)
    with pytest.raises(InputError, match="their range is not known"):
        added.judge(rope="2% of range").rope  # noqa: B018
    frame.loc[3, "y"] = None
    with pytest.raises(InputError, match="y must have a number in every row, but 1 of 900"):
        compare(frame, **asked)
    three = contest(frame.dropna(), cluster="thread", measure="mean", seed=1)
    assert three.data.items == 899


def test_very_many_systems_come_without_a_warning(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).random((9, 120))).rename(columns="s{}".format)
    frame.assign(item=range(9)).to_csv(tmp_path / "wide.csv", index=False)
    for options in ({}, {"item": "item"}):
        file = tmp_path / "wide.csv"
        data = load_systems("values", file, None, None, list(frame), options, {})
        np.testing.assert_allclose(data.values, frame.T)


@pytest.mark.parametrize("held", [pd.DataFrame, pl.from_pandas])
def test_items_with_a_row_each_are_read_as_those_with_runs_are(held, wide):
    table = wide.sample(frac=1, random_state=4).assign(user=wide["user"] % 10)
    once = count(held(table), item="topic", cluster="user", **PAIR)
    np.testing.assert_array_equal(once.values, wide[["bm25", "dense"]].T)
    assert once.runs.size == 0
    again = count(held(pd.concat([table, wide.tail(1)])), item="topic", **PAIR)
    np.testing.assert_array_equal(again.runs, [[1] * (N - 1) + [2]] * 2)
    np.testing.assert_array_equal(again.values, once.values)
    table.loc[[3, 5], "dense"] = None
    with pytest.raises(InputError, match="2 have no value of dense, such as 't03'"):
        count(held(table), item="topic", **PAIR)
    fewer = count(held(table), item="topic", unmatched="drop", **PAIR)
    assert fewer.items == N - 2


def test_whole_numbers_beside_a_gap_stay_whole():
    rows = fetch(nw.from_native(duckdb.sql("VALUES (9007199254740993, 0.5::DOUBLE), (NULL, NULL)")))
    assert [str(dtype) for dtype in rows.dtypes] == ["Int64", "float64"]
    assert rows["col0"][0] == 2**53 + 1
    assert rows.isna().to_numpy().tolist() == [[False, False], [True, True]]


@pytest.mark.parametrize("item", [None, "question"])
def test_true_and_false_are_numbers_in_text_files_too(item, tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.random((30, 2)) < [0.7, 0.5], columns=["a", "b"])
    frame["question"] = [f"q{i:02}" for i in range(30)]
    frame.to_csv(tmp_path / "right.csv", index=False)
    asked = {"a": "a", "b": "b", "item": item, "measure": "mean", "seed": 1}
    assert str(compare(tmp_path / "right.csv", **asked)) == str(compare(frame, **asked))


def test_a_cluster_that_is_missing_in_some_rows_is_named():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"item": np.repeat(np.arange(30), 2), "system": ["a", "b"] * 30})
    frame = frame.assign(value=rng.random(60), thread=[f"t{i % 9}" for i in frame["item"]])
    frame.loc[7, "thread"] = None
    asked = {"item": "item", "system": "system", "value": "value", "cluster": "thread"}
    with pytest.raises(InputError, match=r"thread has 1 missing label, the first that of 3\."):
        compare(frame, measure="mean", **asked)


def test_a_share_of_a_mean_of_0_is_no_rope():
    values = np.array([-1.0, 1.0, -2.0, 2.0, 0.5, -0.5])
    result = compare(values, values[::-1] * 1.0, measure="mean", rope="2%", seed=1)
    with pytest.raises(InputError, match="where the observed mean is 0"):
        result.rope  # noqa: B018
