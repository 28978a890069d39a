"""Numeric truth and numeric predictions: MAE, MSE, RMSE, R2, and scikit-learn's own functions."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.linear_model import LinearRegression

from stanoff import InputError, compare, contest, count, load, measures

RNG = np.random.default_rng(3)
N = 200
TRUTH = RNG.normal(100, 20, N)
NOISE = RNG.normal(0, 8, N)
A, B = TRUTH + NOISE + RNG.normal(0, 4, N), TRUTH + NOISE + RNG.normal(2, 8, N)
FRAME = pd.DataFrame({"y": TRUTH, "a": A, "b": B, "house": np.arange(N) // 4})
PAIR = {"truth": "y", "a": "a", "b": "b"}
FUNCTIONS = {
    "mae": metrics.mean_absolute_error,
    "mse": metrics.mean_squared_error,
    "rmse": metrics.root_mean_squared_error,
    "r2": metrics.r2_score,
}


@pytest.mark.parametrize("measure", FUNCTIONS)
def test_observed_values_are_those_of_scikit_learn(measure):
    result = compare(TRUTH, A, B, measure=measure, seed=1, draws=500)
    expected = [FUNCTIONS[measure](TRUTH, prediction) for prediction in (A, B)]
    np.testing.assert_allclose(result.observed[:, 0], expected, rtol=1e-12)
    assert result.measure.higher_is_better == (measure == "r2")


def test_errors_are_judged_by_the_paired_t():
    result = compare(TRUTH, A, B, measure="mae", seed=1)
    difference = np.abs(TRUTH - A) - np.abs(TRUTH - B)
    low, high = stats.t.interval(0.95, N - 1, difference.mean(), stats.sem(difference))
    np.testing.assert_allclose(result.evidence().hdi, (low, high), rtol=1e-9)


@pytest.mark.parametrize("measure", ["rmse", "r2"])
def test_what_is_no_mean_agrees_with_the_bootstrap(measure):
    result = compare(TRUTH, A, B, measure=measure, seed=1)
    rows = np.random.default_rng(1).integers(0, N, (4000, N))
    function = FUNCTIONS[measure]
    resampled = [function(TRUTH[i], A[i]) - function(TRUTH[i], B[i]) for i in rows[:1500]]
    evidence = result.evidence()
    assert evidence.std == pytest.approx(np.std(resampled), rel=0.1)
    assert evidence.mean == pytest.approx(np.mean(resampled), abs=0.1 * evidence.std)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (metrics.f1_score, "fbeta"),
        (metrics.matthews_corrcoef, "mcc"),
        (metrics.cohen_kappa_score, "kappa"),
        (metrics.roc_auc_score, "auc"),
        *((function, name) for name, function in FUNCTIONS.items()),
    ],
)
def test_functions_of_scikit_learn_mean_the_measure_of_their_name(function, name):
    assert measures.get(function) == measures.get(name)


def test_every_name_of_scikit_learn_is_a_function_there_and_a_measure_here():
    for function, name in measures.registry.SCIKIT_LEARN.items():
        assert callable(getattr(metrics, function))
        assert measures.get(name).name


def test_f1_score_judges_labels():
    labels = (TRUTH > 100), (A > 100), (B > 100)
    by_function = compare(*labels, measure=metrics.f1_score, engine="exact", seed=1, pos_label=True)
    by_name = compare(*labels, measure="f1", engine="exact", seed=1, pos_label=True)
    pd.testing.assert_frame_equal(by_function.summary(), by_name.summary())


def test_other_regression_metrics_are_computed_under_weights():
    result = compare(TRUTH, A, B, measure=metrics.mean_pinball_loss, seed=1, draws=200)
    expected = [metrics.mean_pinball_loss(TRUTH, prediction) for prediction in (A, B)]
    np.testing.assert_allclose(result.observed[:, 0], expected, rtol=1e-12)
    assert not result.measure.higher_is_better


def test_a_registered_function_of_numbers(monkeypatch):
    monkeypatch.setattr(measures.registry, "NUMBERS", dict(measures.NUMBERS))

    @measures.register("bias_of_numbers", kind="numbers", higher_is_better=False)
    def bias_of_numbers(truth, prediction, weight):
        return abs(np.average(prediction - truth, weights=weight))

    result = compare(TRUTH, A, B, measure="bias_of_numbers", seed=1, draws=200)
    assert result.observed[0, 0] == pytest.approx(abs((A - TRUTH).mean()))
    del measures.confusion.FUNCTIONS["bias_of_numbers"]


@pytest.mark.parametrize("measure", ["mae", "r2"])
def test_all_layouts_give_the_same(measure, tmp_path):
    options = {"measure": measure, "rope": "2%", "seed": 1, "draws": 200}
    expected = compare(TRUTH, A, B, **options).summary()
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    long = FRAME.reset_index().melt(["index", "y"], ["a", "b"], "system", "said")
    columns = {"truth": "y", "a": "a", "b": "b"}
    for result in (
        compare(FRAME, **columns, **options),
        compare(tmp_path / "table.csv", **columns, **options),
        compare(long, item="index", system="system", prediction="said", **columns, **options),
        contest(FRAME[["y", "a", "b"]], truth="y", **options).between("a", "b"),
    ):
        pd.testing.assert_frame_equal(result.summary(), expected, rtol=1e-9)


def test_rows_that_are_copies_count_once_as_clusters():
    copies = [np.repeat(x, 4) for x in (TRUTH, A, B, np.arange(N))]
    for measure in ("mae", "rmse"):
        options = {"measure": measure, "seed": 1}
        expected = compare(TRUTH, A, B, **options).evidence().std
        alone = compare(*copies[:3], **options).evidence().std
        together = compare(*copies[:3], cluster=copies[3], **options).evidence().std
        assert alone == pytest.approx(expected / 2, rel=0.1)
        assert together == pytest.approx(expected, rel=0.1)


def test_weights_write_documents_out():
    n = RNG.integers(0, 4, N)
    for measure in ("mae", "rmse"):
        weighted = compare(TRUTH, A, B, sample_weight=n, measure=measure, seed=1, draws=200)
        written = compare(
            *(np.repeat(x, n) for x in (TRUTH, A, B)), measure=measure, seed=1, draws=200
        )
        np.testing.assert_allclose(weighted.observed, written.observed)
        assert weighted.evidence().std == pytest.approx(written.evidence().std)


def test_a_rope_in_per_cent_is_of_the_observed_measure():
    result = compare(TRUTH, A, B, measure="rmse", rope="10%", seed=1, draws=200)
    assert result.rope[1] == pytest.approx(0.1 * result.observed.mean(), rel=0.01)
    of_range = result.judge(rope="1% of range")
    assert of_range.rope[1] == pytest.approx(0.01 * np.ptp(TRUTH), rel=0.01)


@pytest.mark.parametrize("measure", ["mse", "rmse"])
def test_saved_results_are_loaded(measure, tmp_path):
    result = compare(TRUTH, A, B, measure=measure, seed=1, draws=200)
    again = load(result.save(tmp_path / "result.nc"))
    pd.testing.assert_frame_equal(again.summary(), result.summary())
    assert again.judge(rope=1).sentence() == result.judge(rope=1).sentence()


@pytest.mark.parametrize("measure", ["mae", "r2"])
def test_pages_are_written(measure, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = compare(TRUTH, A, B, measure=measure, seed=1).to_html(tmp_path / "page.html")
    assert measure.upper() in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda m: compare(TRUTH, m, B),
            "y_pred_a is an estimator .LinearRegression.*predict.X_test",
        ),
        (lambda m: contest(TRUTH, {"lr": m, "b": B}), "lr is an estimator"),
        (lambda m: compare(FRAME, truth="y", a=m, b="b"), "a is an estimator"),
        (lambda m: compare(a=(TRUTH, m), b=(TRUTH, B)), "the predictions of a is an estimator"),
        (lambda m: compare(TRUTH, A, B, measure="mae", average="macro"), "average"),
        (lambda m: compare(TRUTH, A, B, measure="r2", pos_label=1), "pos_label"),
        (lambda m: compare(TRUTH, A, B, measure="r2", prevalence=0.2), "prevalence"),
        (lambda m: compare(TRUTH, A, B, measure="mae", higher_is_better=True), "direction"),
        (
            lambda m: compare(TRUTH, A, B, measure="mae", seed=1).judge(measure="mse"),
            "compare anew",
        ),
        (lambda m: compare(A, B, measure="mean", seed=1).judge(measure="mae"), "compare anew"),
        (lambda m: compare(TRUTH, A, B[:9], measure="mae"), "same length"),
        (lambda m: compare(TRUTH, A, np.r_[np.nan, B[1:]], measure="rmse"), "are missing"),
        (lambda m: compare(np.ones(9), A[:9], B[:9], measure="r2"), "R2 needs true values"),
        (lambda m: compare(TRUTH[:3], A[:3], B[:3], measure="mae"), "4 documents or more"),
        (lambda m: compare(TRUTH, A, B, measure="r2", cluster=[1, 2] * 3), "cluster"),
        (lambda m: compare(TRUTH, A, B, measure="mae", folds=5), "folds"),
        (
            lambda m: compare(FRAME, **PAIR, measure="mae", fold="house"),
            "'fold'.*None for absolute",
        ),
        (
            lambda m: compare(FRAME, **PAIR, measure="r2", trained="house", item="y"),
            "Trained copies",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    model = LinearRegression().fit(A[:, None], TRUTH)
    with pytest.raises(InputError, match=message):
        call(model)


def test_count_gathers_numbers():
    assert count(TRUTH, A, B, kind="numbers").score.shape == (2, N)
    np.testing.assert_allclose(
        count(TRUTH, A, B, kind="squared errors").values[0], (TRUTH - A) ** 2
    )
