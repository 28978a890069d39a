"""The study of cross-validated scores in reports/validation: its learners, and the kept table."""

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, module
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

study = module("validation.folds")


def data(n=60, seed=1):
    """Return documents of two classes, their labels and their folds."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + 0.4 * (2 * y - 1)[:, None], y, rng.permutation(n) % study.FOLDS


@pytest.mark.parametrize(
    ("learner", "estimator"),
    [
        (study.nearest_centroid, NearestCentroid()),
        (study.nearest_neighbour, KNeighborsClassifier(1)),
    ],
)
def test_learners_are_those_of_scikit_learn(learner, estimator):
    x, y, fold = data()
    expected = [
        estimator.fit(x[fold != k], y[fold != k]).score(x[fold == k], y[fold == k])
        for k in range(study.FOLDS)
    ]
    np.testing.assert_allclose(learner(x, y, fold), expected)


def test_a_stump_takes_the_threshold_that_is_right_most_often():
    x, y, fold = data()
    for k, accuracy in enumerate(study.stump(x, y, fold)):
        train, test = fold != k, fold == k
        rules = []
        for column in range(x.shape[1]):
            values = np.sort(x[train, column])
            for threshold in (values[1:] + values[:-1]) / 2:
                right = ((x[train, column] > threshold) == y[train]).mean()
                rules.append((right, ((x[test, column] > threshold) == y[test]).mean()))
        best = max(rules)[0]
        assert accuracy in [score for right, score in rules if right == best]


def test_the_kept_table_says_that_folds_are_the_corrected_t():
    table = pd.read_csv(REPORTS / "validation/folds.csv")
    cells = table.set_index(["learner", "repeats", "method"])
    ours, corrected = (cells.xs(name, level="method") for name in ("folds", "corrected t"))
    pd.testing.assert_frame_equal(ours, corrected, rtol=1e-6)
    naive = cells.xs("naive t", level="method")
    assert (naive["coverage"] < ours["coverage"]).all()
    assert (ours.xs("nearest centroid")["coverage"] > 0.94).all()
    rows = study.simulate((0, ("nearest centroid", 20)))
    found = pd.DataFrame(rows).set_index(["repeats", "method"])
    kept = table[table["learner"] == "nearest centroid"].set_index(["repeats", "method"])
    np.testing.assert_allclose(found["width"], kept["width"], rtol=0.2)


def test_the_page_describes_the_table():
    table = pd.read_csv(REPORTS / "validation/folds.csv")
    text = study.notes(table)
    assert "with one repeat, and 29% to 44% with ten" in text
    assert len(study.shown(table)) == 9
