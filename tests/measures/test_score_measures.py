"""Measures of scores against scikit-learn, with weights, ties and several classes."""

import pickle

import numpy as np
import pytest
from sklearn import metrics

from stanoff import InputError
from stanoff.data.scores import build_scores
from stanoff.measures import SCORES, get, register
from stanoff.models.bootstrap import BOOTSTRAP, Ranking

TWINS = {
    "auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "brier": metrics.brier_score_loss,
    "log_loss": metrics.log_loss,
}


def scores(n=200, grades=None, seed=1, classes=2):
    """Draw truth and probabilities of two systems, if need be in few grades."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    found = [1 / (1 + np.exp(-rng.normal(truth - 0.5, size))) for size in (1, 1.5)]
    if grades:
        found = [np.clip(np.round(p * grades) / grades, 0.01, 0.99) for p in found]
    return truth, *found


def observed(name, truth, *found, **chosen):
    columns = {"y": truth, **{f"s{i}": x for i, x in enumerate(found)}}
    data = build_scores(columns, **chosen)
    return BOOTSTRAP.observed_scores(data, get(name), chosen.get("average"))


@pytest.mark.parametrize("grades", [None, 5])
@pytest.mark.parametrize("name", TWINS)
def test_observed_scores_are_those_of_scikit_learn(name, grades):
    truth, a, b = scores(grades=grades)
    expected = [TWINS[name](truth, x) for x in (a, b)]
    np.testing.assert_allclose(observed(name, truth, a, b)[:, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("grades", [None, 5])
@pytest.mark.parametrize("name", ["auc", "average_precision"])
def test_weighted_ranks_are_those_of_scikit_learn(name, grades):
    truth, a, _ = scores(grades=grades)
    weight = np.random.default_rng(2).gamma(1, size=(3, len(truth)))
    masses = Ranking(truth, a).class_weights(weight)
    share = weight @ truth / weight.sum(axis=1)
    expected = [TWINS[name](truth, a, sample_weight=w) for w in weight]
    np.testing.assert_allclose(SCORES[name].function(*masses, share), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["average_precision", "brier", "log_loss"])
def test_another_share_of_positives_is_one_of_weights(name):
    truth, a, b = scores()
    weight = np.where(truth == 1, 0.1 / truth.mean(), 0.9 / (1 - truth.mean()))
    data = build_scores({"y": truth, "a": a, "b": b})
    found = BOOTSTRAP.observed_scores(data, get(name, prevalence=0.1), None)[:, 0]
    expected = [TWINS[name](truth, x, sample_weight=weight) for x in (a, b)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_several_classes_at_once_and_one_by_one():
    rng = np.random.default_rng(3)
    truth = np.array(["x", "y", "z"])[rng.integers(0, 3, 90)]
    a, b = (rng.dirichlet(np.ones(3), 90) for _ in range(2))
    for name in ("log_loss", "brier"):
        expected = [TWINS[name](truth, p, labels=["x", "y", "z"]) for p in (a, b)]
        np.testing.assert_allclose(observed(name, truth, a, b)[:, 0], expected, rtol=1e-12)
    found = observed("auc", truth, a, b, average="macro")
    yes = truth[:, None] == np.array(["x", "y", "z"])
    for system, p in enumerate((a, b)):
        each = metrics.roc_auc_score(yes, p, average=None)
        averages = [
            metrics.roc_auc_score(yes, p, average=x) for x in ("macro", "micro", "weighted")
        ]
        np.testing.assert_allclose(found[system], [*each, *averages], rtol=1e-12)
    one = observed("auc", truth, a, b, pos_label="y")
    np.testing.assert_allclose(one[:, 0], found[:, 1])


def test_functions_of_truth_score_and_weight():
    truth, a, b = scores()
    for function in (metrics.roc_auc_score, metrics.brier_score_loss):
        measure = get(function)
        assert measure.higher_is_better == (function is metrics.roc_auc_score)
        assert pickle.loads(pickle.dumps(measure)) == measure
        assert pickle.loads(pickle.dumps(get("auc", prevalence=0.2))) == get("auc", prevalence=0.2)
        expected = [function(truth, x) for x in (a, b)]
        np.testing.assert_allclose(observed(function, truth, a, b)[:, 0], expected, rtol=1e-12)

    @register("lift", kind="scores", range=(0, 10))
    def lift(truth, score, weight):
        top = score >= 0.8
        return np.average(truth[top], weights=weight[top]) / np.average(truth, weights=weight)

    try:
        expected = truth[a >= 0.8].mean() / truth.mean()
        assert observed("lift", truth, a, b)[0, 0] == pytest.approx(expected)
        with pytest.raises(InputError, match="a measure called 'lift' already"):
            register("lift")(lift)
    finally:
        del SCORES["lift"]
    with pytest.raises(InputError, match="a function of truth, score and weight"):
        get(metrics.auc)  # of x and y, without weights
    with pytest.raises(InputError, match="a function that has one"):
        get(lambda truth, score, weight: 0)
    with pytest.raises(InputError, match="accuracy takes labels"):
        observed(metrics.accuracy_score, truth, a, b)


def test_clip_is_for_probabilities():
    truth, a, b = np.array([1, 0, 1]), np.array([1.0, 0.0, 0.0]), np.array([0.5, 0.4, 0.3])
    found = BOOTSTRAP.observed_scores(
        build_scores({"y": truth, "a": a, "b": b}), get("log_loss", clip=1e-3), None
    )
    assert found[0, 0] == pytest.approx(metrics.log_loss(truth, np.clip(a, 1e-3, 1 - 1e-3)))
    with pytest.raises(InputError, match=r"'clip' parameter must be None for AUC"):
        get("auc", clip=0.1)
    with pytest.raises(InputError, match="a number above 0 and below"):
        get("log_loss", clip=0.5)
