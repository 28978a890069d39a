import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from stanoff import compare_counts, measures
from stanoff.errors import InputError
from stanoff.measures import MEASURES, average_categories, get


def ours_by_hand(function):
    def twin(truth, said, beta):
        recall = metrics.recall_score(truth, said, zero_division=0)
        specificity = metrics.recall_score(truth, said, pos_label=0, zero_division=0)
        precision = metrics.precision_score(truth, said, zero_division=0)
        return function(recall, specificity, precision, metrics.accuracy_score(truth, said))

    return twin


def sklearn_of(function, **options):
    return lambda truth, said, beta: function(truth, said, **options)


def over(x, y):
    return x / y if y else (math.inf if x else 0.0)


TWINS = {
    "fbeta": lambda t, p, beta: metrics.fbeta_score(t, p, beta=beta, zero_division=0),
    "precision": sklearn_of(metrics.precision_score, zero_division=0),
    "recall": sklearn_of(metrics.recall_score, zero_division=0),
    "specificity": sklearn_of(metrics.recall_score, pos_label=0, zero_division=0),
    "accuracy": sklearn_of(metrics.accuracy_score),
    "error": sklearn_of(metrics.zero_one_loss),
    "npv": sklearn_of(metrics.precision_score, pos_label=0, zero_division=0),
    "fpr": lambda t, p, beta: 1 - metrics.recall_score(t, p, pos_label=0),
    "fnr": lambda t, p, beta: 1 - metrics.recall_score(t, p),
    "balanced_accuracy": sklearn_of(metrics.balanced_accuracy_score),
    "auc_acc": ours_by_hand(lambda r, s, p, acc: over((r + s) / 2, acc)),
    "rho_plus": ours_by_hand(lambda r, s, p, acc: over(r, 1 - s)),
    "rho_minus": ours_by_hand(lambda r, s, p, acc: over(1 - r, s)),
    "break_even": ours_by_hand(lambda r, s, p, acc: (p + r) / 2),
    "g_mean": ours_by_hand(lambda r, s, p, acc: math.sqrt(r * s)),
    "jaccard": sklearn_of(metrics.jaccard_score, zero_division=0),
    "mcc": sklearn_of(metrics.matthews_corrcoef),
    "kappa": sklearn_of(metrics.cohen_kappa_score),
    "youden_j": sklearn_of(metrics.balanced_accuracy_score, adjusted=True),
    "dor": ours_by_hand(lambda r, s, p, acc: over(r * s, (1 - r) * (1 - s))),
}
# What scikit-learn does not define as we do where a class is absent.
BOTH_CLASSES = {"fpr", "fnr", "balanced_accuracy", "auc_acc", "rho_plus", "rho_minus", "g_mean"}
BOTH_CLASSES |= {"kappa", "mcc", "youden_j", "dor", "specificity", "npv", "recall"}


def labels_of(cells):
    """True and predicted labels with these tp, fp, fn, tn."""
    tp, fp, fn, tn = cells
    return [1] * tp + [0] * fp + [1] * fn + [0] * tn, [1] * (tp + fp) + [0] * (fn + tn)


def test_every_measure_has_a_twin_here():
    assert set(TWINS) == set(MEASURES)


@pytest.mark.parametrize("name", MEASURES)
def test_agrees_with_scikit_learn(name):
    for cells in itertools.product((0, 1, 4), repeat=4):
        tp, fp, fn, tn = cells
        if sum(cells) == 0 or (name in BOTH_CLASSES and (tp + fn == 0 or fp + tn == 0)):
            continue
        for beta in (0.0, 0.5, 1.0, 3.0) if name == "fbeta" else (1.0,):
            ours = float(get(name, beta=beta)(cells))
            assert ours == pytest.approx(TWINS[name](*labels_of(cells), beta), abs=1e-12), cells


@pytest.mark.parametrize("name", MEASURES)
@given(
    cells=st.lists(st.sampled_from([0.0, 1e-3, 0.3, 1.0, 7.0, 1e6]), min_size=4, max_size=4),
    beta=st.floats(0, 1e6),
)
def test_stays_in_range_and_ignores_the_scale(name, cells, beta):
    measure = get(name, beta=beta)
    value = float(measure(cells))
    low, high = measure.range
    assert low - 1e-12 <= value <= high + 1e-12
    assert float(measure(np.multiply(cells, 8.0))) == pytest.approx(value, rel=1e-9, abs=1e-12)


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


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("prevalence", [0.1, 0.7])
def test_another_prevalence_is_another_sample_with_the_same_rates(name, prevalence):
    rho_pos, rho_neg = 0.8, 0.3
    mu = np.array([0.5, prevalence])
    cells = np.stack(
        [mu * rho_pos, (1 - mu) * rho_neg, mu * (1 - rho_pos), (1 - mu) * (1 - rho_neg)], axis=-1
    )
    shifted = get(name, prevalence=prevalence)
    assert float(shifted(cells[0])) == pytest.approx(float(get(name)(cells[1])), rel=1e-12)
    assert shifted.label.endswith(f"at prevalence {prevalence}")


def test_a_measure_of_ones_own():
    @measures.register("net", formula="tp - fp", range=(-1, 1))
    def net(tp, fp, fn, tn):
        return tp - fp

    try:
        result = compare_counts([30, 9, 1, 5], [1, 1, 1, 90], engine="exact", draws=500, seed=1)
        cells = result.draws.posterior["cells_A"]
        said = result.judge(measure="net").evidence()
        assert said.psi_A == pytest.approx(np.mean(cells[..., 0] - cells[..., 1]))
        again = compare_counts(
            [30, 9, 1, 5], [1, 1, 1, 90], engine="exact", draws=500, seed=1, measure="net"
        )
        assert again.evidence().mean == said.mean
        with pytest.raises(InputError, match="There is a measure called 'net' already"):
            measures.register("net")(net)
    finally:
        del MEASURES["net"]
    with pytest.raises(InputError, match="letters, digits and underscores"):
        measures.register("a b")


def test_a_measure_that_returns_the_wrong_shape():
    measures.register("bad")(lambda tp, fp, fn, tn: 1.0)
    try:
        with pytest.raises(InputError, match="'measure bad' parameter must be of the shape"):
            get("bad")([[1, 2, 3, 4]])
    finally:
        del MEASURES["bad"]


def test_a_measure_of_ones_own_is_averaged_over_probabilities():
    measures.register("found")(lambda tp, fp, fn, tn: 1 * tp)
    try:
        cells = np.array([[0.1, 0.2, 0.3, 0.4], [0.3, 0.2, 0.1, 0.4]])
        for average in ("macro", "micro"):
            assert float(average_categories(get("found"), cells, average)) == pytest.approx(0.2)
    finally:
        del MEASURES["found"]


@pytest.mark.parametrize(
    "function",
    [
        lambda tp, fp, fn, tn: math.sqrt(tp),
        lambda tp: tp,
        lambda tp, fp, fn, tn: "x",
        lambda tp, fp, fn, tn: tp.__imul__(2),
    ],
)
def test_a_measure_that_does_not_work_on_arrays(function):
    measures.register("odd")(function)
    cells = np.ones((3, 4))
    try:
        with pytest.raises(InputError, match="measure odd must work on arrays"):
            get("odd")(cells)
    finally:
        del MEASURES["odd"]
    assert (cells == 1).all()


def test_what_is_not_a_number_stays_so():
    assert math.isnan(float(get("recall")([math.nan, 1, 1, 1])))


def test_aliases():
    for alias, name in measures.ALIASES.items():
        assert get(alias).name == name


def test_auc_takes_scores_and_says_so():
    with pytest.raises(InputError, match=r"AUC takes scores, .* measure='balanced_accuracy'"):
        compare_counts([1, 1, 1, 1], [1, 1, 1, 1], measure="auc")
    with pytest.raises(InputError, match=r"AUC takes scores, .* measure='balanced_accuracy'"):
        compare_counts([1, 1, 1, 1], [1, 1, 1, 1], engine="exact").judge(measure="auc")
    with pytest.raises(InputError, match="There is a measure called 'auc' already"):
        measures.register("auc")(lambda tp, fp, fn, tn: tp)


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
        assert float(average_categories(get("f1"), cells, average)) == pytest.approx(expected), (
            average
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "recal"}, "Did you mean 'recall'"),
        ({"name": "f1", "beta": -1}, "'beta' parameter must be a number >= 0. Got -1"),
        ({"name": "f1", "beta": math.nan}, "'beta' parameter"),
        ({"name": "f1", "prevalence": 1.0}, "'prevalence' parameter must be a number between"),
        ({"name": "f1", "zero_division": 0.5}, "'zero_division' parameter must be 0, 1 or NaN"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(InputError, match=words):
        get(**options)


def test_a_cost_of_ones_own_is_observed_per_document():
    """What the data cost is a mean over documents, as what the draws cost is."""
    measures.register("mean_cost", higher_is_better=False)(lambda tp, fp, fn, tn: 5 * fn + fp)
    try:
        result = compare_counts(
            [300, 90, 10, 50], [10, 10, 10, 900], engine="exact", seed=1, measure="mean_cost"
        )
        # A misses 10 + 50 of 450 positives and calls 20 of 930 negatives positive.
        assert result.observed[0, 0] == pytest.approx((5 * 60 + 20) / 1380)
        assert abs(result.evidence().psi_A - result.observed[0, 0]) < 0.01
    finally:
        del MEASURES["mean_cost"]
