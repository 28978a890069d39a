"""Who said yes, of any number of systems, against the counts of every pair of them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from contestants import labels
from sklearn import metrics

from stanoff import count
from stanoff.data.counting import count_labels, read_labels, tally
from stanoff.data.load import load_systems
from stanoff.data.types import PairedCounts, PatternCounts, patterns_of


def same_counts(ours, theirs):
    assert ours.categories == theirs.categories
    np.testing.assert_array_equal(ours.pos, theirs.pos)
    np.testing.assert_array_equal(ours.neg, theirs.neg)


def every_pair(counts, truth, said, **chosen):
    for i, j in itertools.permutations(range(len(said)), 2):
        columns = list(said.values())
        expected = count(truth, columns[i], columns[j], **chosen)
        same_counts(counts.pair(i, j), expected.one_vs_rest())


@pytest.mark.parametrize("systems", [3, 5, 12])
def test_pairs_of_binary_labels(systems):
    truth, said = labels(systems=systems)
    counts = count_labels({"y": truth, **said})
    assert isinstance(counts, PatternCounts)
    every_pair(counts, truth, said)
    assert counts.n_documents() == (200,)
    for cells, column in zip(counts.cells, said.values(), strict=True):
        tn, fp, fn, tp = metrics.confusion_matrix(truth, column).ravel()
        assert cells[0].tolist() == [tp, fp, fn, tn]
    assert len(np.unique(counts.said, axis=0)) == len(counts.said)


def test_pairs_of_one_label_of_many():
    truth, said = labels(classes=5)
    every_pair(count_labels({"y": truth, **said}, pos_label=3), truth, said, pos_label=3)


def test_pairs_of_classes():
    truth, said = labels(classes=5)
    counts = count_labels({"y": truth, **said}, average="macro")
    every_pair(counts.one_vs_rest(), truth, said, average="macro")
    columns = list(said.values())
    for i, j in itertools.permutations(range(4), 2):
        ours = counts.pair(i, j)
        theirs = count(truth, columns[i], columns[j], average="macro")
        np.testing.assert_array_equal(ours.rows, theirs.rows)
        np.testing.assert_array_equal(ours.n, theirs.n)


@pytest.mark.parametrize("kind", ["matrices", "sets"])
def test_pairs_of_documents_with_many_labels(kind):
    rng = np.random.default_rng(3)
    truth = rng.random((60, 7)) < 0.2
    said = {f"s{i}": truth ^ (rng.random(truth.shape) < 0.1) for i in range(4)}
    if kind == "sets":
        names = np.array(list("abcdefg"))
        truth, *columns = [
            [set(names[row].tolist()) for row in matrix] for matrix in (truth, *said.values())
        ]
        said = dict(zip(said, columns, strict=True))
    counts = load_systems("labels", truth, said, None, None, {}, {"average": "macro"})
    assert isinstance(counts, PatternCounts)
    every_pair(counts, truth, said, average="macro")


def test_a_label_that_nobody_has_is_counted():
    truth, said = labels(classes=3)
    counts = count_labels({"y": truth, **said}, labels=[7, 1], average="macro").one_vs_rest()
    every_pair(counts, truth, said, average="macro", labels=[7, 1])


def test_more_columns_than_whole_numbers_have_bits():
    truth, said = labels(n=500, systems=100, classes=3)
    columns = {"y": truth, **said}
    known, pairs = read_labels(columns)
    counted = tally([codes for _, codes in pairs], len(known))
    rows = np.column_stack([truth, *said.values()])
    expected, n = np.unique(rows, axis=0, return_counts=True)
    found = sorted(zip(*(values.tolist() for values in counted), strict=True))
    assert found == list(zip(expected.tolist(), n.tolist(), strict=True))
    every = count_labels(columns, pos_label=2)
    columns = list(said.values())
    same_counts(every.pair(99, 3), count(truth, columns[99], columns[3], pos_label=2))


def test_two_systems_are_patterns_too():
    pairs = PairedCounts(("x", "y"), [[3, 1, 2, 4], [1, 0, 0, 0]], [[5, 6, 7, 8], [9, 0, 1, 2]])
    counts = patterns_of(pairs)
    same_counts(counts.pair(0, 1), pairs)
    np.testing.assert_array_equal(counts.cells, pairs.cells)
    assert counts.pair(1, 0).pos[0].tolist() == [3, 2, 1, 4]


def test_files_count_as_arrays_do(tmp_path):
    truth, said = labels()
    pd.DataFrame({"y": truth, **said}).to_csv(tmp_path / "x.csv", index=False)
    ours = load_systems("labels", str(tmp_path / "x.csv"), None, "y", list(said), {}, {})
    theirs = load_systems("labels", truth, said, None, None, {}, {})
    for name, values in ours.arrays().items():
        np.testing.assert_array_equal(values, theirs.arrays()[name])
