"""Measures of all classes at once are those of scikit-learn."""

import numpy as np
import pytest
from sklearn import datasets, metrics
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from stanoff import InputError, compare, compare_counts, contest, load, measures

FUNCTIONS = {
    "multiclass_balanced_accuracy": metrics.balanced_accuracy_score,
    "multiclass_mcc": metrics.matthews_corrcoef,
    "multiclass_kappa": metrics.cohen_kappa_score,
}
DATA = {"iris": datasets.load_iris, "wine": datasets.load_wine, "digits": datasets.load_digits}
CELLS = (True, True), (True, False), (False, True), (False, False)  # tp, fp, fn, tn
OPTIONS = {"seed": 1, "draws": 300, "rope": 0.02}


@pytest.fixture(scope="module", params=DATA)
def labels(request):
    x, y = DATA[request.param](return_X_y=True)
    x, y = x[:600], y[:600]
    trained = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)
    return y, *(cross_val_predict(model, x, y, cv=3) for model in trained)


@pytest.mark.parametrize("measure", FUNCTIONS)
def test_observed_values_are_those_of_scikit_learn(measure, labels):
    y, *predictions = labels
    result = compare(*labels, measure=measure, **OPTIONS)
    expected = [FUNCTIONS[measure](y, prediction) for prediction in predictions]
    for row in range(-3, 0):  # all averages are the same
        np.testing.assert_allclose(result.observed[:, row], expected, rtol=1e-12)
    evidence = result.evidence()
    assert abs(evidence.mean - (expected[0] - expected[1])) < 4 * evidence.std
    assert f"in {measures.get(measure).label} (" in result.sentence()


@pytest.mark.parametrize("measure", FUNCTIONS)
def test_draws_are_computed_as_tables_of_weighted_documents(measure):
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 4, (2, 50))
    weight = rng.dirichlet(np.ones(50), 20)
    cells = np.array(
        [
            [
                [w @ (((p == k) == said) & ((y == k) == true)) for said, true in CELLS]
                for k in range(4)
            ]
            for w in weight
        ]
    )
    expected = [FUNCTIONS[measure](y, p, sample_weight=w) for w in weight]
    np.testing.assert_allclose(measures.get(measure).of_classes(cells), expected, rtol=1e-10)


def test_posterior_agrees_with_the_bootstrap():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 300)
    a, b = (np.where(rng.random(300) < p, y, rng.integers(0, 3, 300)) for p in (0.7, 0.5))
    result = compare(y, a, b, measure="multiclass_mcc", seed=1)
    rows = rng.integers(0, 300, (1000, 300))
    mcc = metrics.matthews_corrcoef
    resampled = [mcc(y[i], a[i]) - mcc(y[i], b[i]) for i in rows]
    assert result.evidence().std == pytest.approx(np.std(resampled), rel=0.1)


def test_what_has_no_classes_of_its_own_is_refused(labels):
    y, a, b = labels
    with pytest.raises(InputError, match="of all classes together: leave labels= out"):
        compare(y, a, b, labels=[0, 1], measure="multiclass_kappa", **OPTIONS)
    with pytest.raises(InputError, match="every document has one"):
        compare_counts([[9, 1, 2, 3]] * 2, [[1, 1, 2, 9]] * 2, measure="multiclass_mcc", seed=1)


def test_contests_and_saved_results(labels, tmp_path):
    y, a, b = labels
    result = contest(y, {"a": a, "b": b, "y": y}, measure="multiclass_kappa", **OPTIONS)
    assert result.best() == ("y",)
    pair = result.between("a", "b")
    again = load(pair.save(tmp_path / "pair.nc"))
    assert again.sentence() == pair.sentence()
    assert again.judge(measure="multiclass_mcc").observed[0, -1] == pytest.approx(
        metrics.matthews_corrcoef(y, a)
    )


def test_averages_of_one_class_against_the_rest_are_called_that(labels):
    result = compare(*labels, measure="mcc", average="macro", **OPTIONS)
    [note] = [message for message in result.warnings if "against the rest" in message]
    assert "measure='multiclass_mcc'" in note
    for other in ({"measure": "f1", "average": "macro"}, {"measure": "multiclass_mcc"}):
        assert "against the rest" not in " ".join(result.judge(**other).warnings)
