import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from stanoff.errors import InputError
from stanoff.measures import MEASURES, averaged, get

TWINS = {
    "fbeta": lambda t, p, beta: metrics.fbeta_score(t, p, beta=beta, zero_division=0),
    "precision": lambda t, p, beta: metrics.precision_score(t, p, zero_division=0),
    "recall": lambda t, p, beta: metrics.recall_score(t, p, zero_division=0),
    "specificity": lambda t, p, beta: metrics.recall_score(t, p, pos_label=0, zero_division=0),
    "accuracy": lambda t, p, beta: metrics.accuracy_score(t, p),
    "error": lambda t, p, beta: metrics.zero_one_loss(t, p),
}


def labels_of(cells):
    """True and predicted labels with these tp, fp, fn, tn."""
    tp, fp, fn, tn = cells
    return [1] * tp + [0] * fp + [1] * fn + [0] * tn, [1] * (tp + fp) + [0] * (fn + tn)


def test_every_measure_has_a_twin_here():
    assert set(TWINS) == set(MEASURES)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 3.0])
def test_agrees_with_scikit_learn(name, beta):
    for cells in itertools.product((0, 1, 4), repeat=4):
        if sum(cells) == 0:
            continue
        ours = float(get(name, beta=beta)(cells))
        if name == "specificity" and cells[1] + cells[3] == 0:
            assert ours == 0
            continue
        assert ours == pytest.approx(TWINS[name](*labels_of(cells), beta), abs=1e-12), cells


@pytest.mark.parametrize("name", MEASURES)
@given(cells=st.lists(st.floats(0, 1e9), min_size=4, max_size=4), beta=st.floats(0, 1e6))
def test_stays_in_range_and_ignores_the_scale(name, cells, beta):
    measure = get(name, beta=beta)
    value = float(measure(cells))
    assert 0 <= value <= 1 + 1e-12
    assert float(measure(np.multiply(cells, 8.0))) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(
    ("beta", "same_as"), [(0, "precision"), (math.inf, "recall"), (1e200, "recall")]
)
def test_the_ends_of_f_beta(beta, same_as):
    cells = [[3, 1, 2, 4], [0, 5, 1, 9], [7, 0, 0, 1]]
    np.testing.assert_allclose(get("f1", beta=beta)(cells), get(same_as)(cells))


@pytest.mark.parametrize("zero", [0.0, 1.0, math.nan])
def test_zero_division(zero):
    measure = get("precision", zero_division=zero)
    np.testing.assert_equal(float(measure([0, 0, 3, 4])), zero)
    assert measure.undefined([[0, 0, 3, 4], [1, 0, 3, 4]]).tolist() == [True, False]


def test_averages_agree_with_scikit_learn():
    rng = np.random.default_rng(3)
    truth, said = rng.integers(0, 4, (2, 500))
    cells = [
        [
            np.sum((truth == k) & (said == k)),
            np.sum((truth != k) & (said == k)),
            np.sum((truth == k) & (said != k)),
            np.sum((truth != k) & (said != k)),
        ]
        for k in range(4)
    ]
    for average in ("macro", "micro", "weighted"):
        expected = metrics.f1_score(truth, said, average=average)
        assert float(averaged(get("f1"), cells, average)) == pytest.approx(expected), average


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "recal"}, "Did you mean 'recall'"),
        ({"name": "f1", "beta": -1}, "'beta' parameter must be a number >= 0. Got -1"),
        ({"name": "f1", "beta": math.nan}, "'beta' parameter"),
        ({"name": "f1", "zero_division": 0.5}, "'zero_division' parameter must be 0, 1 or NaN"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(InputError, match=words):
        get(**options)
