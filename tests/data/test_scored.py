"""Scores from arrays: what is taken, what is pointed out, what is refused."""

import numpy as np
import pandas as pd
import pytest

from stanoff import InputError, compare
from stanoff.data.scores import ScoredClasses, build_scores

Y = np.array([1, 0, 1, 0, 1, 0] * 5)
A, B = np.linspace(0.1, 0.9, 30), np.linspace(0.8, 0.2, 30)


def read(y=Y, a=A, b=B, more=None, n=None, **chosen):
    return build_scores({"y": y, "a": a, "b": b}, n, **(more or {}), **chosen)


def test_which_label_is_positive():
    words = np.where(Y == 1, "spam", "ham")
    assert read(words, pos_label="spam").truth.tolist() == [Y.tolist()]
    assert read(words, pos_label="ham").truth.tolist() == [(1 - Y).tolist()]
    assert read(Y.astype(bool)).truth.tolist() == [Y.tolist()]
    assert read(2 * Y - 1).truth.tolist() == [Y.tolist()]
    with pytest.raises(InputError, match="The labels are 'ham', 'spam': pass pos_label="):
        read(words)
    with pytest.raises(InputError, match="'average' parameter must be None where"):
        read(average="macro")


def test_columns_of_classes():
    proba = np.column_stack([1 - A, A])
    two = read(a=proba, b=np.column_stack([1 - B, B]))
    np.testing.assert_array_equal(two.score[:, 0], [A, B])
    three = np.column_stack([A, B, 1 - A]) / (1 + B)[:, None]
    classes = np.array([*"xyz"] * 10)
    together = read(classes, three, three)
    assert isinstance(together, ScoredClasses)
    assert together.truth.tolist() == [0, 1, 2] * 10
    frame = pd.DataFrame(three, columns=[*"zyx"])
    assert read(classes, frame, frame).truth.tolist() == [2, 1, 0] * 10
    assert read(classes, three, three, labels=["z", "x", "y"]).truth.tolist() == [1, 2, 0] * 10
    rest = read(classes, three, three, average="macro")
    assert (rest.categories, rest.truth.shape, rest.score.shape) == (
        ("x", "y", "z"),
        (3, 30),
        (2, 3, 30),
    )
    with pytest.raises(InputError, match="3 classes, one per column of scores"):
        read(classes, three, three, labels=["x", "y"])
    with pytest.raises(InputError, match="all classes that are true, 'z' too"):
        read(classes, three, three, labels=["x", "y", "w"])
    with pytest.raises(InputError, match="as many columns of scores"):
        read(classes, three, three[:, :2])


def test_documents_with_several_labels():
    truth = pd.DataFrame({"x": Y, "y": 1 - Y})
    scores = np.column_stack([A, B])
    data = read(truth, scores, scores[:, ::-1], average="macro")
    assert data.categories == ("x", "y")
    np.testing.assert_array_equal(data.score[1], [B, A])
    np.testing.assert_array_equal(data.truth, [Y, 1 - Y])
    assert read(truth, scores, scores, pos_label="y").categories == ("y",)
    with pytest.raises(InputError, match="many labels need average="):
        read(truth, scores, scores)


def test_weights_repeat_documents():
    n = np.arange(30)
    data = read(n=n, more={"cluster": np.arange(30) % 4})
    assert data.n_documents() == (n.sum(),)
    np.testing.assert_array_equal(data.score[0, 0], np.repeat(A, n))
    np.testing.assert_array_equal(data.cluster, np.repeat(np.arange(30) % 4, n))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"a": np.where(A > 0.5, np.nan, A)},
            "a must have a number in every row, but 15 of 30 are missing",
        ),
        (
            {"b": np.where(B > 0.5, np.inf, B)},
            "b must be made of finite numbers, but 15 of 30 are infinite",
        ),
        (
            {"a": np.where(Y, "spam", "ham")},
            "is 'spam'. Scores are finite numbers, higher for positive, and not labels.",
        ),
        ({"a": Y}, "a must hold scores; for labels, as these are, pass measure='balanced_accur"),
        ({"b": Y.astype(bool)}, "b must hold scores; for labels"),
        ({"y": np.ones(30, int)}, "y has only documents of category '1': it takes positive and"),
        ({"y": np.zeros(30, int)}, "y has one class only (0): it takes both to compare."),
        ({"a": A[:-1]}, "The columns must have the same length, but y has 30, a has 29, b has 30"),
        ({"y": [], "a": [], "b": []}, "a must hold scores. It has float64 of the shape (0,)"),
        ({"y": A}, "y looks like scores, not labels"),
        ({"more": {"cluster": np.ones(30)}}, "'cluster' parameter must be a column of two cluste"),
    ],
)
def test_what_is_no_score_is_refused(columns, words):
    with pytest.raises(InputError) as error:
        read(**columns)
    assert words in str(error.value)


def test_what_is_odd_is_pointed_out():
    assert read().notes == ()
    rare = np.array([1, 1] + [0] * 28)
    assert read(rare).notes[0].startswith("There are only 2 positive documents: so few tell next")
    assert read(1 - rare).notes[0].startswith("There are only 2 negative documents")
    (note,) = read(a=np.where(Y, 0.9, 0.2)).notes
    assert note.startswith("a has only two different scores, 0.2 and 0.9")
    result = compare(Y, -A - 0.1 * Y, B, measure="auc", draws=200, seed=1)
    assert any("AUC of A is below 0.5" in told for told in result.warnings)


def test_probabilities_are_probabilities():
    sure = np.where(Y == 1, 1.0, 0.0)
    sure[4] = 0.0
    for a, measure, words in (
        (A * 2, "brier", "takes probabilities between 0 and 1, but the scores of A go from 0.2"),
        (-A, "log_loss", "takes probabilities between 0 and 1"),
        (
            sure,
            "log_loss",
            "A is infinite: it gave probability 0 to what happened in 1 documents, "
            "the first in row 5. Pass clip=",
        ),
    ):
        with pytest.raises(InputError) as error:
            compare(Y, a, B, measure=measure, draws=100, seed=1)
        assert words in str(error.value)
    assert compare(Y, A * 2, B, measure="auc", draws=100, seed=1).evidence().psi_A > 0
    clipped = compare(Y, sure, B, measure="log_loss", clip=1e-6, draws=100, seed=1)
    assert "log loss clipped at 1e-06" in str(clipped)
    three = np.column_stack([A, B, 1 - A])
    with pytest.raises(InputError, match="of A must sum to 1, but those of row"):
        compare([*"xyz"] * 10, three, three / 2, measure="log_loss")
    with pytest.raises(InputError, match="log_loss or brier for all classes together, or average="):
        compare([*"xyz"] * 10, three, three / 2, measure="auc")
