"""Scores of cross-validation as scikit-learn returns them, as arrays and as tables."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from agreement import same_evidence
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from stanoff import InputError, compare, contest, count, load
from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds, read_design
from stanoff.sklearn import cross_validate as cross_validate_all

X, Y = make_classification(150, 6, random_state=1)
CV = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=1)
SCORING = ["accuracy", "neg_log_loss"]


def run(estimator, cv=CV, scoring="accuracy", **options):
    """Cross-validate on the shared data."""
    return cross_validate(estimator, X, Y, cv=cv, scoring=scoring, **options)


@pytest.fixture(scope="module")
def fitted():
    """What scikit-learn returns for two estimators, with indices."""
    estimators = {"nb": GaussianNB(), "lr": LogisticRegression()}
    return {
        name: run(estimator, scoring=SCORING, return_indices=True)
        for name, estimator in estimators.items()
    }


def long_table(folds=5, repeats=2, seed=1):
    """Scores in long format."""
    rng = np.random.default_rng(seed)
    rows = [
        (name, repeat, fold, rng.normal(0.8, 0.05))
        for repeat in range(repeats)
        for fold in range(folds)
        for name in ("svm", "rf", "nb")
    ]
    return pd.DataFrame(rows, columns=["model", "rep", "fold", "score"])


def test_dictionaries_of_cross_validate_are_taken_unchanged(fitted):
    result = compare(fitted["nb"], fitted["lr"], metric="accuracy", rope=0.01, seed=1)
    data = result.data
    assert type(data) is FoldValues
    np.testing.assert_array_equal(data.values[0], fitted["nb"]["test_accuracy"])
    assert (data.rho, data.repeats.tolist(), data.metric) == (pytest.approx(0.2), [2], "accuracy")
    assert "in accuracy over new training sets of this size" in str(result)
    assert "(5-fold cross-validation repeated 2 times)" in str(result)
    many = contest(fitted, metric="test_accuracy", seed=1)
    assert many.systems == ("nb", "lr")
    one = run(GaussianNB()), run(LogisticRegression())
    frames = map(pd.DataFrame, one)
    same_evidence(compare(*frames, cv=CV, seed=1), compare(*one, cv=CV, seed=1))
    assert compare(*one, cv=CV, seed=1).data.rho == pytest.approx(0.2)


def test_one_of_several_scores_must_be_named(fitted):
    with pytest.raises(InputError, match="pass metric=, one of accuracy, neg_log_loss"):
        compare(fitted["nb"], fitted["lr"])
    with pytest.raises(InputError, match="'metric' parameter must be one of accuracy, neg_log"):
        compare(fitted["nb"], fitted["lr"], metric="f1")
    with pytest.raises(InputError, match=r"'measure' parameter must be left out .* Got 'f1'"):
        compare(fitted["nb"], fitted["lr"], metric="accuracy", measure="f1")


def test_negated_losses_are_turned_round_openly(fitted):
    result = compare(fitted["nb"], fitted["lr"], metric="neg_log_loss", rope=0.01, seed=1)
    assert not result.measure.higher_is_better
    assert (result.data.values > 0).all()
    assert result.data.metric == "log_loss"
    assert any("neg_log_loss was turned round" in note for note in result.warnings)
    losses = {name: -cv["test_neg_log_loss"] for name, cv in fitted.items()}
    same = contest(losses, folds=5, repeats=2, higher_is_better=False, rope=0.01, seed=1)
    assert str(same.between("nb", "lr").decision) == str(result.decision)
    with pytest.raises(InputError, match="higher_is_better"):
        compare(fitted["nb"], fitted["lr"], metric="neg_log_loss", higher_is_better=True)


def test_other_folds_are_refused_where_indices_tell():
    other = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=2)
    a, b = run(GaussianNB(), return_indices=True), run(GaussianNB(), other, return_indices=True)
    with pytest.raises(InputError, match="A and B were not tested on the same folds"):
        compare(a, b)
    apart = compare(a, b, paired=False, seed=1)
    assert isinstance(apart.data, UnpairedFolds)
    assert apart.model.name == "folds_unpaired"
    assert any("had folds of their own" in note for note in apart.warnings)


def test_arrays_need_a_word_about_their_folds():
    a, b = np.random.default_rng(1).normal(size=(2, 100))
    with pytest.raises(
        InputError, match=r"100-fold cross-validation or 10 folds repeated 10 times"
    ):
        compare({"test_score": a}, {"test_score": b})
    assert compare(a, b, folds=10, repeats=10, seed=1).data.rho == 0.1
    assert compare(a, b, folds=10, seed=1).data.repeats.tolist() == [10]
    assert compare(a, b, folds=100, seed=1).data.rho == 0.01
    assert compare(a, b, n_train=150, n_test=50, seed=1).data.rho == 0.25
    with pytest.raises(InputError, match="'cv' parameter must be None where folds= is given"):
        compare(a, b, folds=10, cv=10)
    with pytest.raises(InputError, match=r"folds=10 and repeats=3 means .* 30 scores; there are"):
        compare(a, b, folds=10, repeats=3)
    with pytest.raises(InputError, match="n_train= and n_test= go together"):
        compare(a, b, n_test=10)
    with pytest.raises(InputError, match="'repeats' parameter must be given together with folds="):
        compare(a, b, repeats=10)


@pytest.mark.parametrize(
    ("cv", "share", "folds", "repeats"),
    [
        (5, 0.2, 5, 1),
        (KFold(4), 0.25, 4, 1),
        (StratifiedKFold(10), 0.1, 10, 1),
        (RepeatedKFold(n_splits=10, n_repeats=3), 0.1, 10, 3),
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=5), 0.5, 2, 5),
        (ShuffleSplit(7, test_size=0.3), 0.3, 7, 1),
        (ShuffleSplit(7), 0.1, 7, 1),
        (StratifiedShuffleSplit(7, train_size=0.5, test_size=0.25), 1 / 3, 7, 1),
        (ShuffleSplit(7, train_size=90, test_size=10), 0.1, 7, 1),
        (list(KFold(5).split(X)), 0.2, 5, 1),
        (GroupKFold(6), 1 / 6, 6, 1),
        (GroupShuffleSplit(8, test_size=0.25), 0.25, 8, 1),
        (PredefinedSplit(np.arange(100) % 4), 0.25, 4, 1),
    ],
    ids=str,
)
def test_splitters_tell_share_folds_and_repeats(cv, share, folds, repeats):
    design = read_design({"cv": cv})
    assert (design.folds, design.repeats) == (folds, repeats)
    assert design.test_share == pytest.approx(share)
    splits = cv if isinstance(cv, list) else None
    if splits is None and not isinstance(cv, (int, PredefinedSplit)):
        groups = np.arange(len(Y)) if "Group" in type(cv).__name__ else None
        splits = list(cv.split(X, Y, groups))
    for train, test in splits or []:
        assert len(test) / (len(test) + len(train)) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("cv", [LeaveOneOut(), TimeSeriesSplit(5), "ten", 2.5])
def test_other_splitters_are_refused_with_advice(cv):
    with pytest.raises(InputError, match=r"'cv' parameter must be .* n_train= and n_test="):
        read_design({"cv": cv})
    with pytest.raises(InputError, match="pass n_train= and n_test="):
        read_design({"cv": ShuffleSplit(5, test_size=10)})


def test_candidates_of_a_search_are_systems():
    grid = {"C": [0.01, 1.0], "fit_intercept": [True, False]}
    search = GridSearchCV(LogisticRegression(), grid, cv=CV, scoring="accuracy").fit(X, Y)
    result = contest(search.cv_results_, cv=CV, rope=0.01, seed=1)
    assert result.systems[0] == "C=0.01, fit_intercept=True"
    np.testing.assert_allclose(
        sorted(result.observed[:, 0]), sorted(search.cv_results_["mean_test_score"])
    )
    frame = pd.DataFrame(search.cv_results_).set_index(pd.Index(list("pqrs"), name="name"))
    two = compare(frame, a="q", b="r", cv=CV, seed=1)
    assert two.names == ("q", "r")
    assert two.observed[0, 0] == pytest.approx(search.cv_results_["mean_test_score"][1])
    with pytest.raises(InputError, match=r"There are 10 scores of every system .* cv="):
        contest(search.cv_results_)


def test_long_and_wide_tables_and_files_say_the_same(tmp_path):
    table = long_table()
    layout = {"fold": "fold", "repeat": "rep", "seed": 1}
    result = contest(table, system="model", value="score", **layout)
    shuffled = table.sample(frac=1, random_state=1)
    again = contest(shuffled, system="model", value="score", systems=["svm", "rf", "nb"], **layout)
    pd.testing.assert_frame_equal(result.summary(), again.summary())
    wide = table.pivot(index=["rep", "fold"], columns="model", values="score").reset_index()
    files = [tmp_path / "long.csv", tmp_path / "wide.csv"]
    table.to_csv(files[0], index=False)
    wide.to_csv(files[1], index=False)
    for data in (wide, str(files[1])):
        other = contest(data, **layout)
        assert sorted(other.systems) == ["nb", "rf", "svm"]
        assert other.between("rf", "nb").evidence().hdi == result.between("rf", "nb").evidence().hdi
    in_order = compare(wide, a="rf", b="nb", folds=5, repeats=2, seed=1)
    assert in_order.evidence().hdi == result.between("rf", "nb").evidence().hdi
    command = ["contest", str(files[1]), "--fold", "fold", "--repeat", "rep", "--seed", "1"]
    ran = subprocess.run(
        [sys.executable, "-m", "stanoff", *command], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert "new training sets of this size" in " ".join(ran.stdout.split())


def test_several_data_sets_have_folds_of_their_own():
    tables = [long_table(5, 2).assign(data="iris"), long_table(10, 1, 2).assign(data="wine")]
    options = {"fold": "fold", "repeat": "rep", "dataset": "data", "kind": "values"}
    table = pd.concat(tables)
    data = count(table, a="rf", b="nb", system="model", value="score", **options)
    assert isinstance(data, DatasetFolds)
    assert data.dataset_names.tolist() == ["iris", "wine"]
    assert (np.bincount(data.dataset).tolist(), data.repeats.tolist()) == ([10, 10], [2, 1])
    assert data.test_share.tolist() == [0.2, 0.1]
    means = table.groupby(["data", "model"])["score"].mean().groupby("model").mean()
    np.testing.assert_allclose(data.observed, means[["rf", "nb"]])


def test_what_does_not_fit_together_is_one_sentence():
    table = long_table()
    layout = {"system": "model", "value": "score", "fold": "fold", "repeat": "rep"}
    with pytest.raises(InputError, match=r"rf has none in 1 of 10 test folds"):
        contest(table.drop(index=4), **layout)
    kept = contest(table.drop(index=4), unmatched="drop", seed=1, **layout)
    assert kept.data.resamples == 9
    assert "were left out: rf has none in 1 of 10" in kept.warnings[0]
    gone = table[(table["rep"] == 0) | (table["fold"] < 4)]
    with pytest.raises(InputError, match="Every repeat must have the same folds"):
        contest(gone, **layout)
    with pytest.raises(InputError, match="has several values of fold 0: name the columns"):
        contest(table, system="model", value="score", fold="fold")
    wide = table.pivot(index=["rep", "fold"], columns="model", values="score").reset_index()
    with pytest.raises(InputError, match="name the column of the repeats in repeat="):
        contest(wide, fold="fold", systems=["rf", "nb"])
    many = wide.assign(fold=range(10), rep=0).loc[np.repeat(range(10), 3)].assign(fold=range(30))
    with pytest.raises(InputError, match=r"30-fold cross-validation or 10 folds repeated 3 times"):
        contest(many, fold="fold", systems=["rf", "nb"])
    assert contest(many, fold="fold", folds=10, systems=["rf", "nb"], seed=1).data.rho == 0.1


def test_failed_fits_and_scores_without_verdict_are_refused():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 10))
    failed = np.where(np.arange(10) == 3, np.nan, a)
    with pytest.raises(InputError, match=r"a fit failed .scikit-learn then gives NaN"):
        compare(failed, b, folds=10)
    with pytest.raises(InputError, match="A must be made of finite numbers"):
        compare(np.where(np.arange(10) == 3, np.inf, a), b, folds=10)
    with pytest.raises(InputError, match=r"differ by -0\.1 on each of 10 test folds"):
        compare(a, a + 0.1, folds=10)
    with pytest.raises(InputError, match=r"a and b differ by .* on each of 10"):
        contest({"a": a, "b": a + 0.1, "c": a}, folds=10)
    with pytest.raises(InputError, match=r"there are 2 test folds\. RepeatedKFold"):
        compare(a[:2], b[:2], folds=2)
    with pytest.raises(InputError, match="4 test folds or more are needed; there is 1 test fold"):
        compare(a[:1], b[:1], n_train=90, n_test=10)
    with pytest.raises(InputError, match="A has 10, B has 9"):
        compare(a, b[:9], folds=10)
    with pytest.raises(InputError, match="what cross_validate returned for one system"):
        contest({"test_score": a}, folds=10)


def test_series_name_their_systems_and_arrays_may_have_their_folds_beside_them():
    wide = long_table().pivot(index=["rep", "fold"], columns="model", values="score").reset_index()
    by_columns = compare(wide, a="rf", b="nb", fold="fold", repeat="rep", seed=1)
    result = compare(wide["rf"], wide["nb"], folds=5, repeats=2, seed=1)
    assert result.names == ("rf", "nb")
    same_evidence(result, by_columns)
    arrays = {"fold": wide["fold"].tolist(), "repeat": wide["rep"].to_numpy()}
    same_evidence(compare(wide["rf"], wide["nb"], **arrays, seed=1), by_columns)
    with pytest.raises(InputError, match="'fold' parameter must be an entry for each score"):
        compare(wide["rf"], wide["nb"], fold="fold")
    assert contest(wide.drop(columns="fold"), folds=5, repeats=2).systems == ("nb", "rf", "svm")


def test_a_failed_fit_may_be_a_blank_of_a_file(tmp_path):
    wide = long_table().pivot(index=["rep", "fold"], columns="model", values="score").reset_index()
    wide.loc[3, "rf"] = np.nan
    file = tmp_path / "scores.csv"
    wide.to_csv(file, index=False)
    with pytest.raises(InputError, match=r"rf has none in 1 of 10 test folds"):
        contest(str(file), fold="fold", repeat="rep")
    dropped = contest(str(file), fold="fold", repeat="rep", unmatched="drop", seed=1)
    assert dropped.data.resamples == 9


def test_fold_scores_are_never_silently_items():
    a, b = np.random.default_rng(1).normal(size=(2, 30))
    with pytest.raises(InputError, match=r"measure='mean' for one value per item, with folds="):
        compare(a, b)
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 2)), columns=["a", "b"])
    plain = compare(frame["a"], frame["b"], measure="mean", seed=1)
    assert any("pass folds=" in note for note in plain.warnings)
    columns = frame.assign(rep=0, fold=range(30))
    named = compare(columns, a="a", b="b", measure="mean", seed=1)
    assert any("pass fold='fold'" in note for note in named.warnings)
    with pytest.raises(InputError, match="'folds' parameter must be None beside true labels"):
        compare([1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0], folds=2)


def test_results_are_saved_with_their_folds(tmp_path, fitted):
    result = compare(fitted["nb"], fitted["lr"], metric="neg_log_loss", rope=0.01, seed=1)
    again = load(result.save(tmp_path / "folds.nc"))
    assert str(again) == str(result)
    assert again.data.rho == result.data.rho
    assert again.data.dataset_names.tolist() == [""]


def test_estimators_are_cross_validated_on_the_same_folds():
    estimators = {"nb": GaussianNB(), "lr": LogisticRegression()}
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2)  # other folds at every call
    result = cross_validate_all(estimators, X, Y, cv=cv, scoring="accuracy", rope=0.01, seed=1)
    assert (result.data.rho, result.data.resamples) == (pytest.approx(0.2), 10)
    assert result.data.metric == "accuracy"
    twice = cross_validate_all(estimators, X, Y, scoring=SCORING, metric="neg_log_loss", seed=1)
    expected = -run(GaussianNB(), StratifiedKFold(10), "neg_log_loss")["test_score"]
    np.testing.assert_allclose(twice.data.values[0], expected)
    renamed = cross_validate_all(estimators, X, Y, scoring={"loss": "neg_log_loss"}, seed=1)
    assert renamed.data.metric == "log_loss"
    np.testing.assert_allclose(renamed.data.values[0], expected)
    with pytest.raises(InputError, match="There are several scores: pass metric="):
        cross_validate_all(estimators, X, Y, scoring=SCORING)
