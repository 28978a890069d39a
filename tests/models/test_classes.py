"""Single-label classes: the joint model and the confusion model, against independent draws."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from sklearn import metrics

from stanoff import InputError, Prior, compare
from stanoff.data.counting import count_labels
from stanoff.inference.intervals import mcse

EXACT = {"model": "joint", "seed": 1}


def predictions(m, n, seed=0, right=(0.7, 0.6)):
    rng = np.random.default_rng(seed)
    truth = rng.choice(m, n, p=rng.dirichlet(np.full(m, 5.0)))
    said = [np.where(rng.uniform(size=n) < r, truth, rng.integers(0, m, n)) for r in right]
    return truth, *said


def averages(joint):
    """Macro, micro and weighted F1 differences from probabilities of (truth, A, B)."""
    scores = []
    for axes in ((0, 1, 2), (0, 2, 1)):
        table = joint.transpose(0, *(1 + a for a in axes)).sum(axis=3)  # draw, truth, said
        tp = np.einsum("dkk->dk", table)
        mu, called = table.sum(axis=2), table.sum(axis=1)
        f = 2 * tp / (mu + called)
        scores.append([f.mean(axis=1), tp.sum(axis=1), (mu * f).sum(axis=1)])
    return np.subtract(*scores)


@pytest.mark.parametrize(("m", "n"), [(2, 12), (3, 25), (12, 150), (15, 2000)])
def test_joint_is_the_dirichlet_it_claims_to_be(m, n):
    """Cell by cell for few classes, by sticks for many; here with all M^3 cells by hand."""
    truth, a, b = predictions(m, n)
    result = compare(truth, a, b, draws=20_000, **EXACT)
    table = np.zeros((m, m, m))
    np.add.at(table, (truth, a, b), 1)
    rng = np.random.default_rng(3)
    draws = 20_000 if m < 10 else 4000
    mu = rng.dirichlet(1 + table.sum(axis=(1, 2)), draws)
    theta = np.stack(
        [rng.dirichlet((table[k] + 1 / m**2).ravel(), draws) for k in range(m)], axis=1
    )
    expected = averages((mu[..., None] * theta).reshape(draws, m, m, m))
    assert result.categories[-3:] == ("macro", "micro", "weighted")
    for average, yardstick in zip(("macro", "micro", "weighted"), expected, strict=True):
        ours = result.row_draws("posterior", "delta", average)
        error = np.hypot(mcse(ours), yardstick.std() / np.sqrt(draws))
        assert abs(ours.mean() - yardstick.mean()) < 4.5 * error
        assert ours.std() == pytest.approx(yardstick.std(), rel=0.05)


@pytest.mark.parametrize("mass", [0.5, 1.0, 10.0, 25.0])
@pytest.mark.parametrize("m", [8, 9])
def test_the_prior_of_the_joint_model_has_the_mass_it_is_given(m, mass):
    """A recall is the sum of M of M^2 cells, so Beta with these parts of the mass a priori."""
    result = compare(*predictions(m, 40), prior=Prior(mass=mass), draws=4000, **EXACT)
    recall = result.judge(measure="recall").draws.prior["psi_A"][0, :, :m]
    law = stats.beta(mass / m, mass * (1 - 1 / m))
    assert recall.mean() == pytest.approx(1 / m, abs=0.01)
    assert recall.std() == pytest.approx(law.std(), rel=0.06)


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (Prior(mass=0.01), "'prior.mass' parameter must be 0.5 to 25"),
        (Prior(mass=100), "'prior.mass' parameter must be 0.5 to 25"),
        (Prior(alpha_pos=50), "of beta and mass alone"),
    ],
)
def test_what_the_joint_model_has_no_use_for(prior, words):
    with pytest.raises(InputError, match=words):
        compare([0, 1, 2], [0, 1, 1], [0, 2, 2], prior=prior, **EXACT)


def test_sensitivity_of_the_joint_model_varies_the_mass():
    result = compare(*predictions(4, 60), draws=500, **EXACT)
    assert result.sensitivity().priors["prior"].tolist() == ["mass 0.5", "mass 1", "mass 2"]


def test_the_factor_of_classes_is_called_undefined_where_it_is():
    result = compare(*predictions(20, 400), draws=10_000, **EXACT)
    # A class that no document has makes every F1 of it 0; an average of twenty is smooth.
    assert not result.evidence("3").bf_sd_defined
    assert result.evidence("macro").bf_sd_defined
    accuracy = result.judge(measure="accuracy")
    assert accuracy.evidence("micro").bf_sd_defined
    assert not any("infinite" in warning for warning in accuracy.warnings)
    prior = accuracy.prior_delta("micro")
    near = [np.mean(np.abs(prior) < half) / (2 * half) for half in (0.005, 0.01)]
    assert near[0] == pytest.approx(near[1], rel=0.15)
    assert near[0] < 30


def test_joint_keeps_the_pairing_and_the_dependence():
    truth, a, b = predictions(5, 1000, seed=4)
    joint = compare(truth, a, b, draws=8000, **EXACT)
    options = {"model": "paired", "engine": "exact", "draws": 8000, "seed": 1}
    rest = compare(truth, a, b, average="macro", **options)
    rng = np.random.default_rng(1)
    spread = np.std(
        [
            np.subtract(*(metrics.f1_score(truth[i], c[i], average="macro") for c in (a, b)))
            for i in rng.integers(0, 1000, (400, 1000))
        ]
    )
    # The bootstrap's own error is 1/sqrt(800); one against the rest is far too sure.
    assert joint.evidence().std == pytest.approx(spread, rel=0.12)
    assert rest.evidence().std < 0.85 * spread
    assert any("model='joint'" in warning for warning in rest.warnings)
    assert not any("independent" in warning for warning in joint.warnings)


def test_two_classes_are_counted_once():
    truth, a, b = predictions(2, 400)
    joint = compare(truth, a, b, measure="accuracy", draws=20_000, **EXACT)
    binary = compare(truth, a, b, measure="accuracy", engine="exact", draws=20_000, seed=1)
    assert joint.evidence("0").std == pytest.approx(joint.evidence("1").std)
    assert joint.evidence().std == pytest.approx(binary.evidence().std, rel=0.05)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_scores_tend_to_the_observed_ones(average):
    truth, a, b = predictions(6, 200_000)
    result = compare(truth, a, b, average=average, draws=1000, **EXACT)
    said = result.evidence()
    for score, column in ((said.psi_A, a), (said.psi_B, b)):
        assert score == pytest.approx(metrics.f1_score(truth, column, average=average), abs=0.002)
    for measure, category in (("recall", "micro"), ("accuracy", average)):
        accuracy = result.judge(measure=measure).evidence(category)
        assert accuracy.psi_A == pytest.approx(metrics.accuracy_score(truth, a), abs=0.002)
    error = result.judge(measure="error").evidence()
    assert error.psi_B == pytest.approx(metrics.zero_one_loss(truth, b), abs=0.002)
    assert error.decision == result.judge(measure="accuracy").decision


def test_cells_are_probabilities():
    result = compare(*predictions(12, 60), draws=500, **EXACT)
    for group in (result.draws.posterior, result.draws.prior):
        for name in ("cells_A", "cells_B"):
            assert group[name].min() >= 0
            np.testing.assert_allclose(group[name].sum(axis=-1), 1, rtol=1e-9)
            tp_fn = group[name][..., 0] + group[name][..., 2]
            np.testing.assert_allclose(tp_fn.sum(axis=-1), 1, rtol=1e-9)  # mu is a simplex
            called = group[name][..., 0] + group[name][..., 1]
            np.testing.assert_allclose(called.sum(axis=-1), 1, rtol=1e-9)  # so is what is said


def test_a_thousand_classes():
    truth, a, b = predictions(1000, 100_000)
    result = compare(truth, a, b, draws=200, **EXACT)
    observed = metrics.f1_score(truth, a, average="macro")
    assert result.evidence().psi_A == pytest.approx(observed, abs=0.01)
    assert result.decision == ">>"


def test_confusion_counts():
    columns = {"t": ["x", "x", "y", "z"], "a": ["x", "y", "y", "x"], "b": ["x", "x", "y", "z"]}
    counts = count_labels(columns, average="macro")
    assert counts.categories == ("x", "y", "z")
    truth, said, n = counts.confusion(0)
    cells = {(t, s): c for t, s, c in zip(truth, said, n, strict=True)}
    assert cells == {(0, 0): 1, (0, 1): 1, (1, 1): 1, (2, 0): 1, (2, 2): 0}
    assert counts.cells[1].tolist() == [[2, 0, 0, 2], [1, 0, 0, 3], [1, 0, 0, 3]]
    assert counts.n_documents() == (4,)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pos_label": 1}, "'pos_label' parameter must be None where 'average' judges all"),
        ({"labels": [7]}, "None of the labels 7 occurs: there are 0, 1, 2"),
        ({"prior": (Prior(), Prior())}, "one Prior for both classifiers"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(InputError, match=words):
        compare([0, 1, 2], [0, 1, 1], [0, 2, 2], **(EXACT | options))


def test_bad_labels():
    with pytest.raises(InputError, match="one class only \\('x'\\)"):
        compare(["x", "x"], ["x", "x"], ["x", "x"], **EXACT)
    with pytest.raises(InputError, match="one label of each classifier"):
        compare([["x"]], [["x"]], [["x"]], **EXACT)
    with pytest.raises(InputError, match="for the same documents"):
        compare(a=([0, 1], [0, 1]), b=([0, 1], [0, 1]), **EXACT)


def test_classes_with_an_average_are_kept_together_by_default():
    truth, a, b = predictions(4, 100)
    result = compare(truth, a, b, average="macro", draws=200, seed=1)
    assert (result.model.name, result.engine) == ("joint", "exact")
    pd.testing.assert_frame_equal(
        result.summary(), compare(truth, a, b, draws=200, **EXACT).summary()
    )
    assert compare(truth, a, b, pos_label=1, engine="exact", draws=200).model.name == "paired"


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_some_classes_are_judged_among_all(average):
    truth, a, b = predictions(6, 200_000)
    options = EXACT | {"average": average, "draws": 1000}
    some, every = (compare(truth, a, b, labels=labels, **options) for labels in ([3, 1], None))
    assert some.categories == ("3", "1", "macro", "micro", "weighted")
    for category in ("3", "1"):
        one, other = (result.evidence(category) for result in (some, every))
        assert one.psi_A == pytest.approx(other.psi_A, abs=5 * one.mcse)
        assert one.std == pytest.approx(other.std, rel=0.15)
    observed = metrics.f1_score(truth, a, labels=[3, 1], average=average)
    assert some.evidence().psi_A == pytest.approx(observed, abs=0.002)


def test_tables_work_as_well():
    truth, a, b = predictions(4, 100)
    frame = pd.DataFrame({"y": truth, "svm": a, "nb": b})
    table = compare(frame, truth="y", a="svm", b="nb", draws=200, **EXACT).summary()
    pd.testing.assert_frame_equal(table, compare(truth, a, b, draws=200, **EXACT).summary())


def rising(alpha, counts):
    """Add up the logs of rising factorials of alpha, with SciPy."""
    values, times = np.unique(counts, return_counts=True)
    return sum(
        t * (special.gammaln(alpha + c) - special.gammaln(alpha))
        for c, t in zip(values, times, strict=True)
    )


@pytest.mark.stan
@pytest.mark.parametrize(("m", "n"), [(3, 40), (66, 500)])
def test_multiclass_against_the_posterior_on_a_grid(m, n):
    """Two parameters per classifier, summed over; given these all means are known."""
    truth, a, b = predictions(m, n, right=(0.8, 0.4))
    result = compare(
        truth, a, b, model="multiclass", seed=2, prior=Prior(kappa=(1.5, 0.5)), draws=1200
    )
    assert result.sampler_warnings == ()
    drawn = result.draws.posterior
    grid = np.meshgrid(np.linspace(0.004, 0.996, 125), np.linspace(-1, 8, 250))
    eta, kappa = grid[0].ravel(), np.exp(grid[1].ravel())
    right, wrong = kappa * eta, kappa * (1 - eta) / (m - 1)
    for j, (name, column) in enumerate((("A", a), ("B", b))):
        table = np.zeros((m, m), dtype=int)
        np.add.at(table, (truth, column), 1)
        off = table[~np.eye(m, dtype=bool)]
        log_p = rising(right, np.diag(table)) + rising(wrong, off[off > 0])
        log_p += stats.norm(1.5, 0.5).logpdf(np.log(kappa)) - rising(kappa, table.sum(axis=1))
        weight = np.exp(log_p - log_p.max())
        weight /= weight.sum()
        mu = (1 + table.sum(axis=1)) / (m + n)
        expected = [(drawn["eta"][..., j], weight @ eta), (drawn["kappa"][..., j], weight @ kappa)]
        for k in range(min(m, 5)):
            rates = [
                weight @ ((table[i, k] + (right if i == k else wrong)) / (table[i].sum() + kappa))
                for i in range(m)
            ]
            cells = drawn[f"cells_{name}"][..., k, :]
            expected += [(cells[..., 0], mu[k] * rates[k]), (cells[..., :2].sum(-1), mu @ rates)]
        for ours, mean in expected:
            assert abs(ours.mean() - mean) < 4.5 * mcse(ours)


@pytest.mark.stan
def test_multiclass_on_20newsgroups_is_at_ease():
    from test_models import PREDICTIONS

    result = compare(
        PREDICTIONS, truth="truth", a="nb_mult", b="svm_l2", model="multiclass", seed=1
    )
    assert result.sampler_warnings == ()
    frame = pd.read_csv(PREDICTIONS)
    observed = metrics.f1_score(frame["truth"], frame["nb_mult"], average="macro")
    assert result.evidence().psi_A == pytest.approx(observed, abs=0.01)
    assert result.tree["posterior"]["eta"].dims == ("chain", "draw", "classifier")
