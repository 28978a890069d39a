"""The report on cross-validated classifiers: its scores, and its numbers against SciPy."""

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, module
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

report, train = module("crossvalidation.build"), module("crossvalidation.train")


def differences(row, scheme):
    wide = report.on(row["data set"], scheme).pivot(
        index=["repeat", "fold"], columns="system", values="accuracy"
    )
    return (wide[row["A"]] - wide[row["B"]]).to_numpy()


def test_the_scores_are_those_of_scikit_learn():
    kept = report.on("iris").query("system == 'centroid'")["accuracy"]
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=1)
    model = make_pipeline(StandardScaler(), train.CLASSIFIERS["centroid"])
    found = cross_val_score(model, *load_iris(return_X_y=True), cv=cv)
    np.testing.assert_allclose(kept, found, atol=1e-6)


def test_every_pair_is_the_corrected_t():
    table = pd.read_csv(REPORTS / "crossvalidation/tables/pairs.csv")
    assert len(table) == 40
    for row in table.to_dict("records"):
        x = differences(row, "10x3")
        t = stats.t(29, x.mean(), x.std(ddof=1) * np.sqrt(1 / 30 + 1 / 9))
        assert (row["low"], row["high"]) == pytest.approx(t.interval(0.95), abs=1e-5)
        assert row["p_rope"] == pytest.approx(t.cdf(0.01) - t.cdf(-0.01), abs=1e-5)
        p = 2 * min(t.cdf(0), t.sf(0))
        assert row["corrected t-test"] == pytest.approx(p, rel=1e-3, abs=1e-12)
        halves = differences(row, "2x5").reshape(5, 2)
        squares = ((halves - halves.mean(axis=1, keepdims=True)) ** 2).sum()
        f = (halves**2).sum() / (2 * squares)
        assert row["5x2cv F-test"] == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-3, abs=1e-12)


def test_the_page_has_the_tests_over_data_sets():
    page = (REPORTS / "crossvalidation/index.html").read_text("utf8")
    means = report.scores().groupby(["dataset", "system"])["accuracy"].mean().unstack()
    p = stats.friedmanchisquare(*means.to_numpy().T).pvalue
    assert f"p = {p:.3f}" in page
