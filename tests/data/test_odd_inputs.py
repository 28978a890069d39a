"""Inputs that are odd rather than wrong, and files that end too early."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from stanoff import InputError, compare
from stanoff.study.config import read_study

K = {"engine": "exact", "seed": 1, "draws": 100}
TRUTH, A, B = (np.array(row * 5) for row in ([0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]))
ROWS = [{"t": int(t), "a": int(a), "b": int(b)} for t, a, b in zip(TRUTH, A, B, strict=True)]
COLUMNS = {"truth": "t", "a": "a", "b": "b", "pos_label": 1}


def test_sparse_arrays_of_one_dimension_are_labels():
    told = compare(*(sparse.coo_array(x) for x in (TRUTH, A, B)), pos_label=1, **K)
    assert str(told) == str(compare(TRUTH, A, B, pos_label=1, **K))


def test_a_positive_label_that_is_missing():
    with pytest.raises(InputError, match=r"'pos_label' parameter must be one label. Got <NA>"):
        compare(TRUTH, A, B, pos_label=pd.NA, **K)


def test_a_lazy_frame_that_fails_is_one_sentence():
    def fail(value):
        raise RuntimeError("boom")

    frame = pl.DataFrame({"t": TRUTH, "a": A, "b": B}).lazy()
    broken = frame.with_columns(pl.col("t").map_elements(fail, return_dtype=pl.Int64))
    with pytest.raises(InputError, match=r"lazy frame cannot be collected: .*boom"):
        compare(broken, **COLUMNS, **K)


@pytest.mark.parametrize("cut", ["}", "}, ", "},\n"])
def test_a_json_array_that_is_cut_off_after_an_element(tmp_path, cut):
    file = tmp_path / "x.json"
    file.write_text(json.dumps(ROWS)[:-2] + cut)
    with pytest.raises(InputError, match=r"x\.json is cut off: the array in it does not end"):
        compare(file, **COLUMNS, **K)


def test_columns_of_json_that_differ_in_case(tmp_path):
    file = tmp_path / "x.json"
    file.write_text(json.dumps([{"T": 1 - row["t"]} | row for row in ROWS]))
    with pytest.raises(InputError, match=r"no column 't' for 'truth'; did you mean 't_1'"):
        compare(file, **COLUMNS, **K)
    file.write_text(json.dumps([{"t_1": 1 - row["t"]} | row for row in ROWS]))
    assert str(compare(file, **COLUMNS, **K)) == str(compare(pd.DataFrame(ROWS), **COLUMNS, **K))


def test_a_user_that_is_not_there():
    with pytest.raises(InputError, match=r"'table' parameter must be .* there is no such user"):
        compare("~no-such-user/x.csv", **COLUMNS, **K)


@pytest.mark.parametrize("odd", ["Spam", "spam ", " SPAM"])
def test_labels_that_differ_in_case_or_blanks_are_refused(odd):
    truth = np.array(["spam", "ham"] * 20, object)
    said = np.where(truth == "spam", odd, truth)
    words = "differ in case or blanks only"
    for options in ({"average": "macro"}, {"pos_label": "spam"}):
        with pytest.raises(InputError, match=words) as error:
            compare(truth, truth, said, **options, **K)
        assert repr(odd) in str(error.value)
        assert "'spam'" in str(error.value)
    both = compare(truth, truth, said, average="macro", labels=["spam", odd], **K)
    assert both.data.categories == ("spam", odd)


@pytest.mark.parametrize("average", [None, "macro"])
def test_a_truth_of_one_class_is_refused(average):
    for label, words in ((0, "no positive documents: all are 0, none is '1'"), (1, "class only")):
        truth = np.full(30, label)
        if average:
            words = rf"one class only \({label}\): documents of another class are missing"
        with pytest.raises(InputError, match=words):
            compare(truth, np.arange(30) % 2, truth, average=average, **K)


def test_which_of_two_numbers_is_positive_is_told():
    truth = np.array([1, 2] * 20)
    (note,) = compare(truth, truth, np.full(40, 2), **K).data.notes
    assert note.startswith("The labels are 1 and 2, and 1 is taken for the positive one")
    assert compare(truth, truth, np.full(40, 2), pos_label=2, **K).data.notes == ()


def test_nothing_but_disagreements_is_pointed_out():
    truth = np.array([1, 0] * 20)
    said = np.array([1, 1, 0, 0] * 10)
    (note,) = compare(truth, said, 1 - said, **K).data.notes
    assert note.startswith("The systems disagree on each of 40 documents")


def test_a_study_that_is_nested_too_deeply(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text("a = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(InputError, match=r"study\.toml is nested too deeply"):
        read_study(file)


def test_of_many_columns_the_first_are_listed():
    frame = pd.DataFrame({f"column{i}": [1, 0] for i in range(50)})
    with pytest.raises(InputError, match=r"it has column0, .*column19 and 30 more\.$"):
        compare(frame, truth="zzz", a="column1", b="column2", engine="exact")
