"""The documents on which systems differ, with the user's ids and columns."""

import numpy as np
import pandas as pd
import pytest

from stanoff import InputError, compare, compare_counts, contest, load

RNG = np.random.default_rng(5)
N = 120
TRUTH = RNG.choice(["art", "law", "war"], N)
SYSTEMS = {
    name: np.where(RNG.random(N) < right, TRUTH, RNG.choice(["art", "law", "war"], N))
    for name, right in (("old", 0.8), ("new", 0.85), ("odd", 0.5))
}
TABLE = pd.DataFrame(
    {
        "doc": [f"d{i}" for i in range(N)],
        "y": TRUTH,
        **SYSTEMS,
        "text": [f"text {i}" for i in range(N)],
    },
    index=np.arange(N) + 1000,
)
OPTIONS = {"average": "macro", "measure": "f1", "seed": 1, "draws": 200}
COLUMNS = {"truth": "y", "a": "old", "b": "new"}


def expected(table, category=None):
    """What pandas alone says."""
    labels = table[["y", "old", "new"]]
    if category is not None:
        labels = labels == category
    rows = table[labels["old"] != labels["new"]]
    right = [(labels[name] == labels["y"]).loc[rows.index] for name in ("old", "new")]
    names = {True: "right", False: "wrong"}
    return rows, right[0].map(names) + " to " + right[1].map(names)


@pytest.mark.parametrize("category", [None, "law"])
def test_a_table_gives_its_rows_with_all_columns_and_its_index(category):
    listed = compare(TABLE, **COLUMNS, **OPTIONS).disagreements(category)
    rows, change = expected(TABLE, category)
    assert len(rows) > 5
    pd.testing.assert_frame_equal(
        listed[["doc", "text", "old", "new"]],
        rows[["doc", "text", "old", "new"]],
        check_dtype=False,
    )
    assert listed["change"].tolist() == change.tolist()
    assert listed["truth"].tolist() == rows["y"].tolist()


def test_with_one_positive_label_only_that_counts():
    result = compare(TABLE, **COLUMNS, pos_label="war", engine="exact", seed=1)
    listed, (rows, change) = result.disagreements(), expected(TABLE, "war")
    assert listed["change"].tolist() == change.tolist()
    assert listed["doc"].tolist() == rows["doc"].tolist()
    only_a, only_b = (result.data.pos + result.data.neg)[0, 1:3]
    assert len(listed) == only_a + only_b
    assert set(listed["change"]) == {"right to wrong", "wrong to right"}


def test_every_layout_lists_the_same_documents(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    for name in ("old", "new"):
        TABLE[["doc", "y", name]].to_csv(tmp_path / f"{name}.csv", index=False)
    long = TABLE.melt(["doc", "y"], list(SYSTEMS), "system", "said")
    files = (tmp_path / "old.csv", tmp_path / "new.csv")
    rows, change = expected(TABLE)
    expected_changes = dict(zip(rows["doc"], change, strict=True))
    for result in (
        compare(tmp_path / "table.csv", **COLUMNS, **OPTIONS),
        compare(files, id="doc", **COLUMNS, **OPTIONS),
        compare(long, item="doc", system="system", prediction="said", **COLUMNS, **OPTIONS),
        contest(TABLE, truth="y", systems=["odd", "old", "new"], **OPTIONS).between("old", "new"),
        contest(long, item="doc", system="system", prediction="said", truth="y", **OPTIONS).between(
            "old", "new"
        ),
    ):
        listed = result.disagreements()
        assert dict(zip(listed["doc"], listed["change"], strict=True)) == expected_changes


def test_arrays_are_listed_by_number_or_by_their_index():
    arrays = [TABLE[name].to_numpy() for name in ("y", "old", "new")]
    rows, _ = expected(TABLE)
    named = compare(*arrays, names=("old", "new"), **OPTIONS).disagreements()
    assert (named.index + 1000).tolist() == rows.index.tolist()
    assert list(named.columns) == ["truth", "old", "new", "change"]
    series = compare(TABLE["y"], TABLE["old"], TABLE["new"], **OPTIONS)
    assert series.disagreements().index.tolist() == rows.index.tolist()
    by_contest = contest(arrays[0], {"a": arrays[1], "b": arrays[2], "c": arrays[0]}, **OPTIONS)
    assert len(by_contest.between("a", "b").disagreements()) == len(rows)


def test_other_questions_and_the_other_order_keep_the_rows():
    result = compare(TABLE, **COLUMNS, **OPTIONS).judge(rope=0.01, measure="recall")
    there = result.disagreements()["change"].value_counts()
    back = contest(TABLE, truth="y", systems=["old", "new"], **OPTIONS).between("new", "old")
    back = back.disagreements()["change"].value_counts()
    assert there["right to wrong"] == back["wrong to right"]
    assert there["wrong to right"] == back["right to wrong"]


def test_weights_are_a_column():
    n = RNG.integers(1, 4, N)
    arrays = [TABLE[name].to_numpy() for name in ("y", "old", "new")]
    listed = compare(*arrays, sample_weight=n, **OPTIONS).disagreements()
    assert listed["sample_weight"].tolist() == n[listed.index].tolist()
    table = compare(TABLE.assign(n=n), sample_weight="n", **COLUMNS, **OPTIONS).disagreements()
    assert table["n"].tolist() == listed["sample_weight"].tolist()


@pytest.mark.parametrize("form", ["sets", "array", "frame"])
@pytest.mark.parametrize("category", [None, "law"])
def test_documents_with_several_labels_are_right_where_all_labels_are(form, category):
    names = ["art", "law", "war"]
    truth = RNG.random((N, 3)) < 0.4
    flips = [RNG.random((N, 3)) < p for p in (0.1, 0.15)]
    columns = [truth, truth ^ flips[0], truth ^ flips[1]]
    lists = [[[x for x, yes in zip(names, row, strict=True) if yes] for row in m] for m in columns]
    given = {
        "sets": lists,
        "array": [column.astype(int) for column in columns],
        "frame": [pd.DataFrame(column.astype(int), columns=names) for column in columns],
    }[form]
    labels = {"labels": names} if form == "array" else {}
    result = compare(*given, names=("old", "new"), engine="exact", **labels, **OPTIONS)
    listed = result.disagreements(category)
    judged = slice(None) if category is None else [names.index(category)]
    rows = np.flatnonzero((columns[1] != columns[2])[:, judged].any(axis=1))
    assert listed.index.tolist() == rows.tolist()
    for system, flipped in zip(("old", "new"), flips, strict=True):
        right = ~flipped[rows][:, judged].any(axis=1)
        side = 0 if system == "old" else 1
        words = [change.split(" to ")[side] == "right" for change in listed["change"]]
        assert words == right.tolist()
    assert listed["old"].tolist() == [lists[1][row] for row in rows]


def test_what_has_no_rows_says_so(tmp_path):
    result = compare(TABLE, **COLUMNS, **OPTIONS)
    loaded = load(result.save(tmp_path / "result.nc"))
    counts = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    values = compare(RNG.random(20), RNG.random(20), measure="mean", seed=1)
    for without in (loaded, counts, values):
        with pytest.raises(InputError, match="document by document"):
            without.disagreements()
    with pytest.raises(InputError, match="category"):
        result.disagreements("sport")


def test_a_page_folds_a_short_list(tmp_path):
    some = TABLE.assign(text="<b>bold</b>").iloc[:60]
    page = compare(some, **COLUMNS, **OPTIONS).to_html(tmp_path / "page.html").read_text("utf-8")
    rows, _ = expected(some)
    assert f"<summary>{len(rows)} documents on which old and new differ" in page
    assert "&lt;b&gt;bold" in page
    assert "<b>bold" not in page
    many = pd.concat([TABLE] * 5)
    page = compare(many, **COLUMNS, **OPTIONS).to_html(tmp_path / "page.html").read_text("utf-8")
    assert "on which" not in page
