import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stanoff.data.counting import (
    check_counts,
    count_two_test_sets,
    read_labels,
    select_categories,
)
from stanoff.data.types import count_patterns
from stanoff.errors import InputError

TRUTH = [1, 1, 1, 0, 0, 0, 0]
SAID_A = [1, 1, 0, 1, 0, 0, 0]
SAID_B = [1, 0, 1, 1, 1, 0, 0]
POS, NEG = [[1, 1, 1, 0]], [[1, 0, 1, 2]]


def count(truth, a, b, pos_label=None, labels=None, average=None):
    known, pairs = read_labels({"y_true": truth, "y_pred_a": a, "y_pred_b": b}, labels)
    categories = select_categories(known, pos_label, labels, average)
    return count_patterns(categories, pairs, np.ones(len(pairs[0][0]), dtype=np.int64)).as_pair()


KINDS = ["list", "int64", "int8", "wide", "float", "bool", "str", "object", "strings"]
KINDS += ["categorical", "series", "nullable", "tuple"]


def spelt(labels, kind):
    words = np.where(labels, "spam", "ham")
    return {
        "list": labels,
        "int64": np.array(labels),
        "int8": np.array(labels, dtype=np.int8),
        "wide": np.array(labels) * 100_000,
        "float": np.array(labels, dtype=float),
        "bool": np.array(labels, dtype=bool),
        "str": words,
        "object": words.astype(object),
        "strings": pd.Series(words, dtype="string"),
        "categorical": pd.Categorical(words),
        "series": pd.Series(words, index=range(100, 107)).astype("category"),
        "nullable": pd.Series(labels, dtype="Int64"),
        "tuple": tuple(words.tolist()),
    }[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_kind(kind):
    columns = [spelt(column, kind) for column in (TRUTH, SAID_A, SAID_B)]
    positive = 100_000 if kind == "wide" else "spam" if "spam" in list(columns[0]) else None
    counts = count(*columns, pos_label=positive)
    assert counts.pos.tolist() == POS
    assert counts.neg.tolist() == NEG


def test_cells_of_each_classifier():
    counts = count(TRUTH, SAID_A, SAID_B)
    assert counts.cells.tolist() == [[[2, 1, 1, 3]], [[2, 2, 1, 2]]]
    assert counts.n_documents() == (7,)
    unpaired = counts.unpaired()
    assert unpaired.cells.tolist() == counts.cells.tolist()
    assert unpaired.cells_A.tolist() == counts.cells[0].tolist()
    assert unpaired.n_documents() == (7, 7)


def test_counts_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        count(TRUTH, SAID_A, SAID_B).pos[0, 0] = 5


labels = st.integers(0, 4)


@given(rows=st.lists(st.tuples(labels, labels, labels), min_size=1, max_size=60), data=st.data())
def test_every_category_against_the_rest(rows, data):
    truth, a, b = np.array(rows).T
    counts = count(truth, a, b, average="macro")
    for k, name in enumerate(counts.categories):
        t, x, y = (column == int(name) for column in (truth, a, b))
        outcomes = [x & y, x & ~y, ~x & y, ~x & ~y]
        assert counts.pos[k].tolist() == [int((t & o).sum()) for o in outcomes]
        assert counts.neg[k].tolist() == [int((~t & o).sum()) for o in outcomes]
    order = data.draw(st.permutations(range(len(rows))))
    shuffled = count(truth[order], a[order], b[order], average="macro")
    assert shuffled.pos.tolist() == counts.pos.tolist()
    assert shuffled.neg.tolist() == counts.neg.tolist()


def test_many_labels_are_counted_without_a_cube():
    rng = np.random.default_rng(0)
    truth, a, b = rng.integers(0, 50_000, (3, 20_000)) * 7
    a[::2], b[::3] = truth[::2], truth[::3]
    counts = count(truth, a, b, average="macro")
    k = counts.categories.index(str(truth[6]))
    assert counts.pos[k, 0] == np.sum((truth == truth[6]) & (a == truth[6]) & (b == truth[6]))
    assert (counts.pos.sum(axis=1) + counts.neg.sum(axis=1) == 20_000).all()


def test_two_test_sets():
    first = {"truth of a": ["x", "y", "y"], "a": ["x", "x", "y"]}
    second = {"truth of b": ["y", "y"], "b": ["y", "y"]}
    counts = count_two_test_sets(first, second, pos_label="x")
    assert counts.cells_A.tolist() == [[1, 1, 0, 1]]
    assert counts.cells_B.tolist() == [[0, 0, 0, 2]]
    assert counts.n_documents() == (3, 2)


def test_nothing_positive_at_all():
    counts = count([0, 0], [0, 0], [0, 0])
    assert counts.pos.tolist() == [[0, 0, 0, 0]]
    assert counts.neg.tolist() == [[0, 0, 0, 2]]


def test_a_category_nobody_has_is_kept():
    counts = count([0, 1], [0, 1], [1, 1], average="macro", labels=[0, 1, 9])
    assert counts.categories == ("0", "1", "9")
    assert counts.pos[2].tolist() == [0, 0, 0, 0]
    assert counts.neg[2].tolist() == [0, 0, 0, 2]


@pytest.mark.parametrize(
    ("columns", "chosen", "words"),
    [
        (([1, 0], [1, 0], [1]), {}, "y_true has 2, y_pred_a has 2, y_pred_b has 1"),
        (([], [], []), {}, "nothing to compare"),
        (([1, 0, None], [1, 0, 0], [1, 0, 0]), {}, "y_true has 1 missing label, .* row 3"),
        (([1, 0, 1], [1.0, np.nan, np.nan], [1, 0, 0]), {}, "y_pred_a has 2 .* row 2"),
        ((["a", "b"], ["a", pd.NA], ["a", "b"]), {"pos_label": "a"}, "y_pred_a has 1 missing"),
        ((pd.Categorical(["a", None]), ["a", "b"], ["a", "b"]), {"pos_label": "a"}, "y_true has 1"),
        ((["a", "b"], ["a", "b"], ["a", "b"]), {}, "'a', 'b': pass pos_label= to say"),
        ((["a", "b"], ["a", "b"], ["a", "b"]), {"pos_label": "c"}, "Got 'c' instead"),
        (([0, 1], [2, 1], [0, 1]), {}, "3 labels .0, 1, 2.: pass pos_label= .* or average="),
        (([0, 1], ["0", "1"], [0, 1]), {}, "all of one kind, but y_true has 0 and y_pred_a has"),
        ((np.zeros((2, 2)), [0, 1], [0, 1]), {}, "not a mixture of both"),
        ((np.zeros((2, 2, 2)), [0, 1], [0, 1]), {}, "one-dimensional"),
        (([0, 1], [0, 1], [0, 1]), {"average": "makro"}, "'average' parameter .* Got 'makro'"),
        (([0, 1], [0, 1], [0, 1]), {"labels": [1]}, "'labels' parameter"),
        (([0, 1], [0, 1], [0, 1]), {"labels": [1, 1], "average": "macro"}, "different labels"),
        (([0, 1], [0, 1], [0, 1]), {"labels": 1, "average": "macro"}, "a list of labels"),
        (([0, 1], [0, 1], [0, 1]), {"labels": ["x"], "average": "macro"}, "None of the labels 'x'"),
        (([0, 1], [0, 1], [0, 1]), {"pos_label": 1, "average": "macro"}, "'pos_label' parameter"),
        (([0, 1], [0, 1], [0, 1]), {"pos_label": [1]}, "'pos_label' parameter must be one label"),
    ],
)
def test_bad_labels(columns, chosen, words):
    with pytest.raises(InputError, match=words):
        count(*columns, **chosen)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 2, 3], "four counts"),
        ([1, 2, 3, -4], r"a whole number from 0 .*\. Got -4"),
        ([1, 2, 3, 4.5], r"a whole number .*\. Got 4\.5"),
        ([1, 2, 3, np.nan], r"a whole number .*\. Got nan"),
        ([1, 2, 3, np.inf], "a whole number"),
        (["a", "b", "c", "d"], "a whole number"),
        ([1, 2, 3, 2**70], "a whole number from 0 to"),
        ([], "four counts"),
    ],
)
def test_bad_counts(values, words):
    with pytest.raises(InputError, match=words):
        check_counts("c_pos", values)


def test_good_counts_may_be_huge_or_whole_floats():
    assert check_counts("c_pos", [10**12, 2.0, 0, 1]).tolist() == [[10**12, 2, 0, 1]]


def test_narrow_integers_do_not_overflow():
    truth = np.array([100, -100] * 20, dtype=np.int8)
    counts = count(truth, truth, truth[::-1], pos_label=100)
    assert counts.cells[0].tolist() == [[20, 0, 0, 20]]
