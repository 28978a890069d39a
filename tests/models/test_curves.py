"""Curves of scores: those of the data as in scikit-learn, their draws around them."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

from stanoff import Prior
from stanoff.data.scores import build_scores
from stanoff.measures import SCORES
from stanoff.models.bootstrap import (
    BOOTSTRAP,
    of_category,
    precision_curves,
    reliability,
    roc_curves,
)

AT = np.linspace(0, 1, 401)


@pytest.fixture(scope="module", params=[None, 6], ids=["continuous", "graded"])
def documents(request):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 150)
    found = [1 / (1 + np.exp(-rng.normal(m * truth))) for m in (1.5, 0.8)]
    if request.param:
        found = [np.round(p * request.param) / request.param for p in found]
    return truth, *found, build_scores({"y": truth, "a": found[0], "b": found[1]})


def test_roc_curves(documents):
    truth, *found, data = documents
    curves = roc_curves(data, Prior(), 1, AT)
    block = BOOTSTRAP.stan_data(data, Prior(), SCORES["auc"])
    areas = BOOTSTRAP.sample_exact(block, 4000, np.random.default_rng(2))["psi_of_auc"][..., 0]
    for system, score in enumerate(found):
        wrong, right, _ = roc_curve(truth, score, drop_intermediate=False)
        inside = np.abs(curves[0, system] - np.interp(AT, wrong, right))
        assert np.quantile(inside, 0.9) < 1e-12  # corners of the steps apart
        assert curves[:, system].mean(axis=1)[0] == pytest.approx(
            roc_auc_score(truth, score), abs=0.005
        )
        drawn = curves[1:, system]
        assert (np.diff(drawn, axis=1) >= -1e-12).all()
        auc = areas[:, system].mean()
        assert drawn.mean() == pytest.approx(
            auc, abs=4 * areas[:, system].std() / 1000**0.5 + 0.003
        )
        assert 0.02 < drawn[:, 100].std() < 0.12


def test_precision_curves(documents):
    truth, *found, data = documents
    at = AT[1:]
    curves = precision_curves(data, Prior(), 1, at)
    for system, score in enumerate(found):
        precision, recall, _ = precision_recall_curve(truth, score)
        expected = [precision[np.flatnonzero(recall >= r - 1e-12)[-1]] for r in at]
        np.testing.assert_allclose(curves[0, system], expected, atol=1e-12)
    assert curves[1:, :, -1].max() <= 1


def test_reliability(documents):
    truth, *found, data = documents
    mean, happened = reliability(data, Prior(), 1)
    for system, score in enumerate(found):
        share, given = calibration_curve(truth, score, n_bins=10)
        there = np.isfinite(mean[system])
        if len(np.unique(score)) > 20:  # no score is at an edge
            np.testing.assert_allclose(mean[system, there], given)
            np.testing.assert_allclose(happened[0, system, there], share)
        assert happened[1:, system][:, there].std(axis=0).max() > 0.01


def test_one_of_several_categories(documents):
    truth, a, b, data = documents
    both = np.column_stack([1 - truth, truth])
    two = build_scores(
        {"y": both, "a": np.column_stack([-a, a]), "b": np.column_stack([-b, b])},
        average="macro",
    )
    one = of_category(two, "1")
    np.testing.assert_array_equal(roc_curves(one, Prior(), 1, AT), roc_curves(data, Prior(), 1, AT))
