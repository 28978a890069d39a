import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from stanoff import InputError, compare, count

RNG = np.random.default_rng(9)
TRUTH = RNG.uniform(size=(300, 4)) < [0.5, 0.2, 0.05, 0.3]
SAID_A = TRUTH ^ (RNG.uniform(size=(300, 4)) < 0.1)
SAID_B = TRUTH ^ (RNG.uniform(size=(300, 4)) < 0.3)
NAMES = ["a", "b", "c", "d"]


def sets(matrix, kind=list):
    return [kind(np.array(NAMES)[row].tolist()) for row in matrix]


def expected():
    pos, neg = [], []
    for k in range(4):
        t, a, b = TRUTH[:, k], SAID_A[:, k], SAID_B[:, k]
        outcomes = [a & b, a & ~b, ~a & b, ~a & ~b]
        pos.append([int((t & o).sum()) for o in outcomes])
        neg.append([int((~t & o).sum()) for o in outcomes])
    return pos, neg


SPELT = {
    "dense bool": lambda m: m,
    "dense int": lambda m: m.astype(int),
    "dense float": lambda m: m.astype(float),
    "frame": lambda m: pd.DataFrame(m, columns=NAMES),
    "csr": lambda m: sparse.csr_matrix(m.astype(int)),
    "csc array": lambda m: sparse.csc_array(m),
    "coo": lambda m: sparse.coo_matrix(m.astype(float)),
    "lists": sets,
    "sets": lambda m: sets(m, set),
    "tuples": lambda m: sets(m, tuple),
    "series": lambda m: pd.Series(sets(m)),
    "polars": lambda m: pl.Series(sets(m)),
    "arrow": lambda m: pa.array(sets(m)),
    "objects": lambda m: pd.Series(sets(m)).to_numpy(),
    "object matrix": lambda m: m.astype(int).astype(object),
    "nullable": lambda m: pd.DataFrame(m.astype(int), columns=NAMES).astype("Int64"),
}
UNNAMED = {"dense bool", "dense int", "dense float", "csr", "csc array", "coo", "object matrix"}


@pytest.mark.parametrize("kind", SPELT)
def test_inputs_of_every_kind(kind):
    columns = [SPELT[kind](m) for m in (TRUTH, SAID_A, SAID_B)]
    labels = NAMES if kind in UNNAMED else None
    counts = count(*columns, average="macro", labels=labels)
    assert counts.categories == tuple(NAMES)
    assert (counts.pos.tolist(), counts.neg.tolist()) == expected()


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "parquet", "jsonl"])
def test_tables_with_list_columns(kind, tmp_path):
    frame = pd.DataFrame({"y": sets(TRUTH), "a": sets(SAID_A), "b": sets(SAID_B)})
    data = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "lazy": lambda: pl.from_pandas(frame).lazy(),
        "parquet": lambda: frame.to_parquet(tmp_path / "p.parquet") or tmp_path / "p.parquet",
        "jsonl": lambda: (
            frame.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
            or tmp_path / "p.jsonl"
        ),
    }[kind]()
    counts = count(data, truth="y", a="a", b="b", average="macro")
    assert counts.categories == tuple(NAMES)
    assert (counts.pos.tolist(), counts.neg.tolist()) == expected()


def test_one_call_gives_every_row():
    result = compare(TRUTH, SAID_A, SAID_B, average="micro", engine="exact", draws=4000, seed=1)
    table = result.summary().set_index("category")
    assert list(table.index) == ["0", "1", "2", "3", "macro", "micro", "weighted"]
    for k in range(4):
        assert table.loc[str(k), "psi_A"] == pytest.approx(
            f1_score(TRUTH[:, k], SAID_A[:, k]), abs=0.07
        )
    for average in ("macro", "micro", "weighted"):
        observed = f1_score(TRUTH, SAID_B, average=average)
        assert table.loc[average, "psi_B"] == pytest.approx(observed, abs=0.03)
    assert result.decision == table.loc["micro", "decision"]


def test_micro_is_pooled_and_not_a_mean():
    result = compare(TRUTH, SAID_A, SAID_B, average="micro", engine="exact", draws=500, seed=1)
    cells = result.draws.posterior["cells_A"].sum(axis=2)
    tp, fp, fn = (cells[..., i] for i in range(3))
    pooled = 2 * tp / (2 * tp + fp + fn)
    np.testing.assert_allclose(result.row_draws("posterior", "psi_A", "micro"), pooled)


def test_a_category_of_ones_choice_and_absent_ones():
    counts = count(sets(TRUTH), sets(SAID_A), sets(SAID_B), pos_label="c")
    assert counts.categories == ("c",)
    both = count(sets(TRUTH), sets(SAID_A), sets(SAID_B), average="macro", labels=["c", "z"])
    assert both.pos[1].tolist() == [0, 0, 0, 0]
    assert both.neg[1].tolist() == [0, 0, 0, 300]
    nobody = [[] for _ in range(300)]
    never = count(sets(TRUTH), nobody, sets(SAID_B), average="macro")
    assert never.cells[0, :, 0].sum() == 0


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ((TRUTH, SAID_A, SAID_B), {}, r"need average= \(macro, micro or weighted\), or pos_l"),
        ((TRUTH, SAID_A[:, :3], SAID_B), {"average": "macro"}, "y_pred_a has 300 x 3"),
        ((TRUTH, SAID_A[:9], SAID_B), {"average": "macro"}, "y_pred_a has 9 x 4"),
        ((TRUTH, SAID_A * 2, SAID_B), {"average": "macro"}, "'y_pred_a' .* 0 and 1. Got 2"),
        ((TRUTH, SAID_A * np.nan, SAID_B), {"average": "macro"}, "'y_pred_a' .* 0 and 1. Got nan"),
        ((TRUTH, SAID_A, SAID_B), {"average": "macro", "labels": ["x"]}, "4 different names"),
        ((TRUTH, sets(SAID_A), SAID_B), {"average": "macro"}, "not a mixture of both"),
        (([["a"], ["b"]], [["a"], "b"], [["a"], []]), {"average": "macro"}, "'b' in row 2"),
        (
            ([["a"], ["b"]], [["a"], [None]], [["a"], []]),
            {"average": "macro"},
            "missing label, the first in row 2",
        ),
        (([["a"], [3]], [["a"], []], [["a"], []]), {"average": "macro"}, "all of one kind"),
        (([["a"]], [["a"], []], [["a"]]), {"average": "macro"}, "same length"),
        (([[], []], [[], []], [[], []]), {"average": "macro"}, "nothing to compare"),
        ((TRUTH[:0], SAID_A[:0], SAID_B[:0]), {"average": "macro"}, "nothing to compare"),
    ],
)
def test_bad_inputs(columns, options, words):
    with pytest.raises(InputError, match=words):
        count(*columns, **options)


def test_frames_are_matched_by_the_names_of_their_columns():
    frames = [pd.DataFrame(m, columns=NAMES) for m in (TRUTH, SAID_A, SAID_B)]
    straight = count(*frames, average="macro")
    shuffled = count(frames[0], frames[1][NAMES[::-1]], frames[2], average="macro")
    assert shuffled.pos.tolist() == straight.pos.tolist()
    with pytest.raises(InputError, match="The columns of y_pred_a must be a, b, c, d, but are"):
        count(frames[0], frames[1].set_axis(list("wxyz"), axis=1), frames[2], average="macro")


def test_labels_choose_columns():
    frames = [pd.DataFrame(m, columns=NAMES) for m in (TRUTH, SAID_A, SAID_B)]
    pos, _ = expected()
    assert count(*frames, average="macro", labels=["c", "a"]).pos.tolist() == [pos[2], pos[0]]
    numbered = count(TRUTH, SAID_A, SAID_B, average="macro", labels=[3, 1])
    assert numbered.categories == ("3", "1")
    assert numbered.pos.tolist() == [pos[3], pos[1]]
    for bad in ("abcd", 5, [[1], [2]]):
        with pytest.raises(InputError, match="'labels' parameter must be"):
            count(TRUTH, SAID_A, SAID_B, average="macro", labels=bad)


def test_lists_of_flags_are_not_taken_for_label_sets():
    lists = [m.astype(int).tolist() for m in (TRUTH, SAID_A, SAID_B)]
    with pytest.raises(InputError, match="a NumPy array if its rows are indicators"):
        count(*lists, average="macro")


def test_whole_numbers_in_files_can_be_chosen(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"y":[1,2],"a":[1],"b":[2]}\n{"y":[2],"a":[2],"b":[1]}\n')
    counts = count(tmp_path / "p.jsonl", truth="y", a="a", b="b", pos_label="1")
    assert counts.categories == ("1",)
    assert counts.pos.tolist() == [[0, 1, 0, 0]]


def test_two_test_sets_need_one_label_per_document():
    with pytest.raises(InputError, match="Two different test sets need one label per document"):
        compare(a=(TRUTH, SAID_A), b=(TRUTH, SAID_B), model="unpaired", average="macro")
