"""The models without a conjugate sampler, each against something independent."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from stanoff import InputError, Prior, StanoffError, compare, compare_counts
from stanoff.data.counting import count_labels
from stanoff.data.folds import Design, build_folds
from stanoff.data.items import build_items
from stanoff.data.scores import build_scores
from stanoff.data.trained import TrainedValues
from stanoff.data.types import ConfusionCounts, PairedCounts
from stanoff.inference.intervals import mcse
from stanoff.measures import get
from stanoff.models import MODELS, stan_folder
from stanoff.models.custom import inspect_program
from stanoff.models.items import ValuesModel

PREDICTIONS = Path(__file__).parents[2] / "reports/zhang2016/predictions.csv"
EXAMPLE = stan_folder() / "examples/logistic_normal.stan"
DOCUMENTS = stan_folder() / "examples/documents.stan"
pytestmark = pytest.mark.stan


def f1(mu, rho_pos, rho_neg):
    return 2 * mu * rho_pos / (mu + mu * rho_pos + (1 - mu) * rho_neg)


def delta_f1(mu, theta_pos, theta_neg):
    a = f1(mu, theta_pos[..., 0] + theta_pos[..., 1], theta_neg[..., 0] + theta_neg[..., 1])
    return a - f1(mu, theta_pos[..., 0] + theta_pos[..., 2], theta_neg[..., 0] + theta_neg[..., 2])


def close(draws, expected, error):
    assert abs(draws.mean() - expected) < 4.5 * np.hypot(mcse(draws), error)


def weighted(weights, values):
    """Mean under importance weights, and its Monte-Carlo error."""
    mean = np.average(values, weights=weights)
    return mean, np.sqrt(np.sum(weights**2 * (values - mean) ** 2)) / weights.sum()


@pytest.fixture(scope="session")
def newsgroups():
    return {
        model: compare(
            PREDICTIONS,
            truth="truth",
            a="nb_mult",
            b="svm_l2",
            average="macro",
            model=model,
            seed=1,
        )
        for model in ("hierarchical", "hierarchical_unpaired")
    }


@pytest.mark.parametrize("model", ["hierarchical", "hierarchical_unpaired"])
def test_the_sampler_is_at_ease_with_20_categories(newsgroups, model):
    from arviz_stats.base import array_stats

    result = newsgroups[model]
    assert result.sampler_warnings == ()
    assert not result.draws.sample_stats["diverging"].any()
    for k in range(20):
        delta = result.draws.posterior["delta"][..., k]
        assert array_stats.rhat(delta, method="rank", chain_axis=0, draw_axis=1) <= 1.01
        assert array_stats.ess(delta, method="bulk", chain_axis=0, draw_axis=1) > 1000


def test_eta_is_reported(newsgroups):
    eta = newsgroups["hierarchical"].overall()
    assert eta.sum(axis=1).tolist() == pytest.approx([1, 1])
    assert eta.loc["negative", "both right"] > 0.9
    # Positives found by NB_Mult: both or only A; the counts say about two thirds.
    assert 0.6 < eta.loc["positive", "both right"] + eta.loc["positive", "only A right"] < 0.75
    with pytest.raises(InputError, match="only the paired hierarchical model"):
        newsgroups["hierarchical_unpaired"].overall()
    tree = newsgroups["hierarchical"].tree
    assert tree["posterior"]["eta_pos"].dims == ("chain", "draw", "outcome")


def test_rare_categories_borrow_strength():
    """Three positives that both missed tell little; three thousand tell all there is."""
    found = [150, 165, 180, 195, 210] * 2  # of 300 positives: recall around 0.6
    pos = [[yes - 20, 20, 20, 280 - yes] for yes in found] + [[0, 0, 0, 3], [2600, 100, 100, 200]]
    neg = [[20, 20, 20, 5000]] * len(pos)
    flat, pooled = (
        compare_counts(pos, neg, measure="recall", seed=1, **options)
        for options in ({"engine": "exact", "draws": 4000}, {"model": "hierarchical"})
    )
    rare, common = (
        [result.evidence(category).psi_A for result in (flat, pooled)] for category in ("10", "11")
    )
    assert rare[0] == pytest.approx(2 / 7, abs=0.02)
    assert 0.4 < rare[1] < 0.65
    assert common[0] == pytest.approx(0.9, abs=0.005)
    assert common[1] == pytest.approx(common[0], abs=0.005)


def test_hierarchical_against_importance_sampling():
    """Weigh draws from the prior of (eta, kappa) by SciPy's Dirichlet-multinomial."""
    pos = np.array([[9, 3, 1, 2], [2, 2, 0, 4], [5, 0, 1, 1]])
    neg = np.array([[2, 3, 1, 30], [1, 0, 2, 40], [0, 2, 2, 25]])
    rng = np.random.default_rng(8)
    n = 200_000
    eta_pos, eta_neg = rng.dirichlet(np.ones(4), (2, n))
    kappa_pos, kappa_neg = rng.lognormal(2.0, 0.7, n), rng.lognormal(3.5, 0.7, n)
    log_weight = np.zeros(n)
    for counts, eta, kappa in ((pos, eta_pos, kappa_pos), (neg, eta_neg, kappa_neg)):
        for c in counts:
            alpha = kappa[:, None] * eta
            log_weight += stats.dirichlet_multinomial(alpha, np.full(n, c.sum())).logpmf(c)
    weights = np.exp(log_weight - log_weight.max())
    result = compare_counts(
        pos,
        neg,
        model="hierarchical",
        prior=Prior(kappa=(2.0, 0.7), kappa_neg=(3.5, 0.7)),
        seed=3,
        draws=2000,
    )
    drawn = result.draws.posterior
    for i in range(4):
        close(drawn["eta_pos"][..., i], *weighted(weights, eta_pos[:, i]))
        close(drawn["eta_neg"][..., i], *weighted(weights, eta_neg[:, i]))
    close(drawn["kappa_pos"], *weighted(weights, kappa_pos))
    close(drawn["kappa_neg"], *weighted(weights, kappa_neg))
    for k in range(3):  # given eta and kappa, the mean of theta is known
        mean = (pos[k] + kappa_pos[:, None] * eta_pos) / (pos[k].sum() + kappa_pos[:, None])
        close(drawn["theta_pos"][..., k, 1], *weighted(weights, mean[:, 1]))


def test_hierarchical_unpaired_against_importance_sampling():
    cells = {"a": [[9, 3, 4, 60], [2, 2, 6, 50]], "b": [[8, 9, 5, 54], [1, 7, 7, 45]]}
    rng = np.random.default_rng(8)
    n = 200_000
    eta, kappa = rng.uniform(size=n), rng.lognormal(2.0, 0.7, n)
    log_weight = sum(
        stats.betabinom(c[0] + c[2], kappa * eta, kappa * (1 - eta)).logpmf(c[0])
        for c in cells["b"]
    )
    weights = np.exp(log_weight - log_weight.max())
    result = compare_counts(
        **cells,
        model="hierarchical_unpaired",
        prior=Prior(kappa=(2.0, 0.7), kappa_neg=(3.5, 0.7)),
        seed=3,
        draws=2000,
    )
    drawn = result.draws.posterior
    close(drawn["eta_pos"][..., 1], *weighted(weights, eta))
    close(drawn["kappa_pos"][..., 1], *weighted(weights, kappa))
    rate = (1 + kappa * eta) / (8 + kappa)
    close(drawn["rho_pos"][..., 1, 1], *weighted(weights, rate))


def test_counting_first_changes_nothing():
    pos, neg = [31, 5, 4, 9], [4, 6, 5, 74]
    by_document = compare_counts(pos, neg, model=DOCUMENTS, seed=1, draws=2000)
    compact = compare_counts(pos, neg, model="unpaired", engine="exact", seed=1)
    assert by_document.sampler_warnings == ()
    for name in ("psi_A", "psi_B", "delta"):
        ours, exact = (r.draws.posterior[name][..., 0] for r in (by_document, compact))
        assert abs(ours.mean() - exact.mean()) < 4.5 * np.hypot(mcse(ours), mcse(exact))
        assert ours.std() == pytest.approx(exact.std(), rel=0.06)


@pytest.mark.parametrize("name", ["hierarchical", "hierarchical_unpaired"])
def test_there_is_no_exact_engine_for_these(name):
    with pytest.raises(InputError, match=f"'stan' for {name}, which is not conjugate"):
        compare_counts([5, 1, 1, 1], [1, 1, 1, 9], model=name, engine="exact")


def test_a_model_of_ones_own_from_anywhere(tmp_path):
    """The example, against importance sampling from the conjugate posterior."""
    mine = Path(shutil.copy(EXAMPLE, tmp_path / "mine.stan"))
    pos, neg = [9, 3, 1, 4], [2, 3, 1, 30]
    result = compare_counts(pos, neg, model=mine, seed=1, draws=2000)
    assert result.sampler_warnings == ()
    assert result.model.name == "mine"
    rng = np.random.default_rng(1)
    n = 400_000
    mu = rng.beta(1 + sum(pos), 1 + sum(neg), n)
    theta_pos, theta_neg = rng.dirichlet(np.add(pos, 1), n), rng.dirichlet(np.add(neg, 1), n)
    log_odds = stats.multivariate_normal(
        np.zeros(3), [[2.25, 0, 0], [0, 2.25, 1.125], [0, 1.125, 2.25]]
    )
    weights = np.ones(n)
    for theta in (theta_pos, theta_neg):  # the density of log-odds, as a density of theta
        weights *= log_odds.pdf(np.log(theta[:, :3] / theta[:, 3:])) / theta.prod(axis=1)
    delta = delta_f1(mu, theta_pos, theta_neg)
    close(result.draws.posterior["delta"][..., 0], *weighted(weights, delta))
    close(result.draws.posterior["theta_pos"][..., 0, 0], *weighted(weights, theta_pos[:, 0]))
    assert result.judge(measure="recall").evidence().psi_A > 0
    assert result.tree["posterior"]["theta_pos"].dims == ("chain", "draw", "category", "outcome")


def test_a_small_model_of_ones_own(tmp_path):
    mine = tmp_path / "recall_only.stan"
    mine.write_text(
        """
data { array[1, 4] int c_A; array[1, 4] int c_B; }
parameters { real<lower=0, upper=1> a; real<lower=0, upper=1> b; }
model {
  c_A[1, 1] ~ binomial(c_A[1, 1] + c_A[1, 3], a);
  c_B[1, 1] ~ binomial(c_B[1, 1] + c_B[1, 3], b);
}
generated quantities { real delta = a - b; }
"""
    )
    limits = inspect_program(mine).limits
    assert len(limits) == 6
    result = compare_counts(
        [40, 9, 3, 10], [4, 3, 2, 91], model=str(mine), seed=1, measure="recall"
    )
    exact = compare_counts([40, 9, 3, 10], [4, 3, 2, 91], model="unpaired", engine="exact", seed=1)
    said, other = result.evidence(), exact.judge(measure="recall").evidence()
    assert said.mean == pytest.approx(other.mean, abs=5 * said.mcse)
    assert np.isnan([said.bf_sd, said.bf_rope, said.psi_A]).all()
    assert "prior" not in result.tree.children
    assert "in the score of recall only" in str(result)
    page = result.to_html(tmp_path / "p.html").read_text("utf8")
    assert "Prior and posterior density" not in page
    with pytest.raises(InputError, match="recall_only draws no prior"):
        result.plot_factor()
    with pytest.raises(InputError, match="recall_only does not generate cells_A and cells_B"):
        result.judge(measure="f1")


def test_priors_of_a_model_of_ones_own():
    given = compare_counts(
        [9, 3, 1, 4],
        [2, 3, 1, 30],
        model=EXAMPLE,
        seed=1,
        draws=500,
        warmup=500,
        prior=Prior(beta=(2, 3), alpha_pos=[1, 2, 3, 4]),
    )
    assert given.model.stan_data(given.data, given.prior, get("f1"))["beta"].tolist() == [2, 3]
    with pytest.raises(InputError, match="one Prior for both classifiers in a paired model"):
        compare_counts([9, 3, 1, 4], [2, 3, 1, 30], model=EXAMPLE, prior=(Prior(), Prior(beta=2)))
    with pytest.raises(InputError, match="needs both classifiers on the same documents"):
        compare_counts(a=[9, 3, 1, 4], b=[2, 3, 1, 30], model=EXAMPLE)


def test_kappa_is_shared():
    both = (Prior(), Prior(kappa=(9, 0.1)))
    for model in ("hierarchical_unpaired", "multiclass"):
        with pytest.raises(InputError, match=r"'prior\.kappa' parameter must be the same for both"):
            compare([0, 1, 2], [0, 1, 1], [0, 2, 2], model=model, prior=both, average="macro")
    both = (Prior(), Prior(kappa_neg=(9, 0.1)))
    with pytest.raises(InputError, match=r"'prior\.kappa_neg' parameter must be the same for both"):
        compare(
            *([0, 1, 2], [0, 1, 1], [0, 2, 2]),
            model="hierarchical_unpaired",
            prior=both,
            average="macro",
        )


def test_a_program_of_the_wrong_size_or_that_rejects(tmp_path):
    start = "data { array[1, 4] int c_A; } parameters { real x; } model { x ~ std_normal(); } "
    wide, fussy = tmp_path / "wide.stan", tmp_path / "fussy.stan"
    wide.write_text(start + "generated quantities { vector[2] delta = [x, x]'; }")
    fussy.write_text(
        start.replace("model { ", 'model { reject("no luck"); ')
        + "generated quantities { real delta = x; }"
    )
    with pytest.raises(StanoffError, match=r"wide\.stan generates delta of size 2, not 1"):
        compare_counts([1, 1, 1, 1], [1, 1, 1, 1], model=wide, seed=1)
    with pytest.raises(StanoffError, match=r"fussy\.stan stopped"):
        compare_counts([1, 1, 1, 1], [1, 1, 1, 1], model=fussy, seed=1)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("data { int K; array[K, 4] int c_positive; }", "asks for nothing observed"),
        ("data { array[2] int c_pos; }", "'c_pos' must be int with 2 dimensions, not int with 1"),
        ("data { int K; }", "asks for nothing observed"),
        ("data { array[1, 4] int c_pos; }", "does not generate delta"),
        (
            "data { array[1, 4] int c_pos } ",
            r"(?s)is not a Stan program of CmdStan .* Its stanc says:\n.*line 1.*\^",
        ),
    ],
)
def test_the_check_says_what_is_wrong(tmp_path, program, words):
    file = tmp_path / "mine.stan"
    file.write_text(program)
    with pytest.raises(InputError, match=words):
        compare_counts([1, 1, 1, 1], [1, 1, 1, 1], model=file)
    ran = subprocess.run(
        [sys.executable, "-m", "stanoff", "models", "check", file], capture_output=True, text=True
    )
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr


def test_the_check_approves_of_the_example():
    program = inspect_program(EXAMPLE)
    assert program.problems == program.limits == ()
    with pytest.raises(InputError, match="There is no file"):
        inspect_program(Path("nowhere.stan"))
    with pytest.raises(InputError, match=r"^x{200} cannot be read: File name too long"):
        inspect_program(Path(f"{'x' * 5000}.stan"))


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.inputs])
def test_every_shipped_program_keeps_to_its_own_contract(name):
    model = MODELS[name]
    program = inspect_program(model.stan_file)
    assert model.inputs == {name: info["dimensions"] for name, info in program.inputs.items()}
    two = {"cells_A", "cells_B", "psi_A", "psi_B", "delta"}
    generated = two if "psi_A" in program.outputs else {"cells", "psi"}
    if model.name == "binormal":
        assert generated - {"cells_A", "cells_B"} <= set(program.outputs)
        scored = build_scores({"y": [1, 1, 0, 0], "a": [4.0, 1, 2, 3], "b": [1.0, 4, 3, 2]})
        assert set(model.stan_data(scored, Prior(), get("auc"))) == set(program.inputs)
        return
    if isinstance(model, ValuesModel):
        assert generated - {"cells", "cells_A", "cells_B"} <= set(program.outputs)
        values = build_items({"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]})
        if model.name == "folds":
            values = build_folds(values.values, ("a", "b"), Design(0.5, 2, 2))
        if model.name == "folds_datasets":
            column = np.arange(3).repeat(2)
            frame = {"a": [1.0, 0, 1, 1, 0, 0], "b": [0.0, 0, 1, 0, 1, 0]}
            values = build_items(frame, dataset=column)
        if model.name == "seeds":
            values = TrainedValues(("1",), np.array([0, 0, 1, 1]), np.eye(4))
        assert set(model.stan_data(values, Prior(), get("mean"))) == set(program.inputs)
        return
    assert generated <= set(program.outputs)
    counts = PairedCounts(("1",), np.array([[5, 1, 1, 1]]), np.array([[1, 1, 1, 9]]))
    if model.accepts is ConfusionCounts:
        counts = count_labels({"t": [0, 1], "a": [0, 1], "b": [1, 1]}, average="macro")
    given = model.stan_data(counts, Prior.uniform(), get("f1"))
    assert set(given) == set(program.inputs)
