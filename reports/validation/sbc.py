"""Simulation-based calibration of every Stan program.

Draw parameters from the prior, documents given the parameters, and fit: the rank of the true value
among the posterior draws is uniform if and only if the program draws from its own posterior
(Talts et al. 2018). Writes the ranks to ``sbc.csv``, which ``build.py`` shows, or those of the
example programs to ``examples.csv``; of all programs or of those that are named:

    cd reports && python -m validation.sbc [sbc or examples] [program ...]
"""

import sys
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from common import REPORTS
from matplotlib.axes import Axes
from scipy import stats

from stanoff import Prior, SamplingWarning, compare, contest, models, plots
from stanoff.engines.stan import sample_blocks
from stanoff.models.folds import DATASET_PRIORS, NU
from stanoff.text.numbers import p_value
from stanoff.workbench import Calibration, calibrate
from validation.harness import keep, kept

PRIOR = Prior(kappa=(2.0, 0.7), kappa_neg=(2.0, 0.7))
N_RANKS, THIN, BINS = 99, 5, 10
P_VALUE = "p of the chi-square test"
# What stanoff calibrates by itself: its options, and the variables whose ranks are kept.
CALIBRATED: dict[str, dict[str, Any]] = {
    "paired": {"categories": 1},
    "unpaired": {"categories": 1},
    "hierarchical": {"prior": PRIOR},
    "hierarchical_unpaired": {"prior": PRIOR},
    "logistic_normal": {"categories": 1},
}
NAMES = {"delta[1]": "delta", "kappa_pos[1]": "kappa", "kappa_pos": "kappa"}
VARIABLES = {"hierarchical": ["kappa_pos"], "hierarchical_unpaired": ["kappa_pos[1]"]}
# Every row that three annotators and two systems can make, and 120 documents to begin with.
ROWS = list(product((0, 1), (0, 1), (0, 1), (1, 2, 3, 4)))
ANNOTATED = {
    "R": 3,
    "M": len(ROWS),
    "labels": [row[:3] for row in ROWS],
    "outcome": [row[3] for row in ROWS],
    "n": [120] + [0] * (len(ROWS) - 1),
    "calibration": [[0, 0, 0, 0]] * 3,
    "errors": [8, 2],
}


def simulate_said(
    rng: np.random.Generator, data: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw rates of saying yes, and what is said of documents whose true class stays as it is.

    The prevalences of A and B are those of one truth, which cannot be drawn from both of them;
    ``unpaired.stan``, whose posterior is the same, has its prevalences calibrated.
    """
    rho_pos, rho_neg = rng.random((2, 2))
    yes = np.where(np.array(data["truth"])[:, None] == 1, rho_pos, rho_neg)
    truth = {"rho_pos": rho_pos[:, None], "rho_neg": rho_neg[:, None]}
    return truth, {"said": rng.binomial(1, yes)}


EXAMPLES: dict[str, dict[str, Any]] = {
    "noisy_truth": {
        "data": {"calibration": [45, 50, 45, 50], "errors": [4, 1]},
        "categories": 1,
        "simulations": 100,
    },
    "drift": {"data": {"step_scale": 0.5}, "categories": 4, "documents": 60, "simulations": 60},
    "correlated_categories": {"categories": 4, "documents": 60, "simulations": 60},
    "annotators": {"data": ANNOTATED, "categories": 1, "documents": 120, "simulations": 100},
    "documents": {"simulate": simulate_said, "categories": 1, "documents": 40, "simulations": 100},
    "values": {"documents": 40, "simulations": 100},
    "runs": {"documents": 40, "simulations": 100},
    "scores": {"documents": 80, "simulations": 100},
}


def main(name: str = "sbc", *programs: str) -> None:
    """Rank the truth in every program, or in some and leave the others as they are."""
    known = {"sbc": PROGRAMS, "examples": list(EXAMPLES)}[name]
    stored = kept(name) if programs else pd.DataFrame({"program": []})
    tables = [
        rank(program) if program in (programs or known) else stored.query("program == @program")
        for program in known
    ]
    keep(name, pd.concat(tables, ignore_index=True))


def calibrated(name: str, seed: int = 1) -> Calibration:
    """Calibrate an example program."""
    path = REPORTS.parent / f"stan/examples/{name}.stan"
    calibration = calibrate(path, seed=seed, **EXAMPLES[name])
    print(calibration.sentence(), flush=True)
    return calibration


def rank(name: str, simulations: int = 200, seed: int = 2016) -> pd.DataFrame:
    """Rank the true delta, and one or two other variables, among the posterior draws."""
    if name in EXAMPLES:
        ranks = calibrated(name).ranks
    elif name in CALIBRATED:
        path = REPORTS.parent / f"stan/examples/{name}.stan"
        model, options = path if path.exists() else name, CALIBRATED[name]
        ranks = calibrate(model, simulations=simulations, seed=seed, **options).ranks
        delta = "delta" if "delta" in ranks else "delta[1]"
        ranks = ranks[[delta, *VARIABLES.get(name, [])]].rename(columns=lambda x: NAMES.get(x, x))
    else:
        rng = np.random.default_rng(seed)
        ranks = pd.DataFrame([_rank_once(name, rng, i) for i in range(simulations)])
    print(f"{name}: done", flush=True)
    table = ranks.melt(var_name="variable", value_name="rank")
    return table.assign(program=name)[["program", "variable", "rank"]]


def _rank_once(name: str, rng: np.random.Generator, i: int) -> dict[str, int]:
    """Draw a truth and documents, fit, and rank the truth."""
    model = name.partition(",")[0]
    options = {"model": model, "prior": PRIOR, "engine": "stan", "seed": i + 1}
    options |= {"chains": 1, "draws": THIN * N_RANKS, "warmup": 400}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # one short chain is all this needs
        truth, draws = SIMULATED[name](rng, options)
    return {
        variable: int((draws[variable].reshape(-1)[::THIN][:N_RANKS] < value).sum())
        for variable, value in truth.items()
    }


def notes(ranks: pd.DataFrame) -> str:
    """Say how the ranks came about."""
    return (
        "Parameters are drawn from the prior and documents given the parameters, and the "
        "program is fitted: the rank of the true value among the posterior draws is uniform if "
        "the program draws from its own posterior (Talts et al. 2018)."
    )


def figure(ranks: pd.DataFrame) -> Axes:
    """Draw a histogram of the ranks for every program and variable."""
    panel = ranks["program"] + ": " + ranks["variable"]
    size = {"col": "panel", "col_wrap": 4, "height": 1.9, "aspect": 1.3}
    bins = {"bins": BINS, "binrange": (-0.5, N_RANKS + 0.5)}
    look = {"color": "C0", "alpha": 0.35, "edgecolor": "white"}
    with plots.theme():
        grid = sns.displot(ranks.assign(panel=panel), x="rank", **size, **bins, **look)
        grid.set_titles("{col_name}", size=9)
        grid.set_axis_labels("rank", "simulations")
    for name, n in panel.value_counts().items():
        grid.axes_dict[name].axhline(n / BINS, color="0.4", linewidth=0.8)
    return grid.axes.flat[0]


def shown(ranks: pd.DataFrame) -> pd.DataFrame:
    """Test whether the ranks are uniform, a row per program and variable."""
    groups = ranks.groupby(["program", "variable"], sort=False)["rank"]
    table = groups.agg(["size", uniformity]).set_axis(["simulations", P_VALUE], axis=1)
    return table.reset_index().assign(**{P_VALUE: table[P_VALUE].map(p_value).to_numpy()})


def uniformity(ranks: pd.Series) -> float:
    """Return the p-value of a chi-square test that the ranks are uniform."""
    counts, _ = np.histogram(ranks, bins=BINS, range=(-0.5, N_RANKS + 0.5))
    return float(stats.chisquare(counts).pvalue)


def _classes(rng: np.random.Generator, options: dict, m: int = 4, n: int = 120) -> tuple:
    """Truth and labels of two classifiers on the same classes.

    What is ranked is eta of A, kappa of B and the difference of their macro-averaged recalls, into
    which the prevalence, of which the program gives each classifier its own, does not enter.
    """
    eta, kappa = rng.uniform(size=2), rng.lognormal(*PRIOR.kappa, 2)
    labels = [rng.choice(m, n, p=rng.dirichlet(np.ones(m)))]
    recall = []
    for e, kap in zip(eta, kappa, strict=True):
        weights = np.full((m, m), (1 - e) / (m - 1))
        np.fill_diagonal(weights, e)
        theta = np.stack([rng.dirichlet(np.maximum(kap * row, 1e-12)) for row in weights])
        labels.append(np.array([rng.choice(m, p=theta[t]) for t in labels[0]]))
        recall.append(np.diag(theta).mean())
    result = compare(*labels, measure="recall", average="macro", **options)
    drawn = result.draws.posterior
    draws = {"eta": drawn["eta"][..., 0], "kappa": drawn["kappa"][..., 1]}
    truth = {"delta": recall[0] - recall[1], "eta": eta[0], "kappa": kappa[1]}
    return truth, draws | {"delta": drawn["delta"][..., -3]}


def _pairs_of_classes(rng: np.random.Generator, options: dict, m: int = 4, n: int = 120) -> tuple:
    """Truth and labels of two classifiers whose predictions go together.

    A class that no document has would not be known to the fit; such documents are drawn again, and
    that does not matter: ranks are uniform given any documents.
    """
    while True:
        mu, theta = rng.dirichlet(np.ones(m)), rng.dirichlet(np.full(m * m, 1 / m**2), m)
        truth = rng.choice(m, n, p=mu)
        pair = np.array([rng.choice(m * m, p=theta[k]) for k in truth])
        if len(np.unique(truth)) == m:
            break
    pairs = theta.reshape(m, m, m)  # true class, A's, B's
    k = np.arange(m)
    recall = [pairs.sum(axis=2)[k, k].mean(), pairs.sum(axis=1)[k, k].mean()]
    labels = truth, pair // m, pair % m
    drawn = compare(*labels, measure="recall", average="macro", **options).draws.posterior
    draws = {"delta": drawn["delta"][..., -3], "mu": drawn["mu"][..., 0]}
    return {"delta": recall[0] - recall[1], "mu": mu[0]}, draws


def _systems(rng: np.random.Generator, options: dict, n: int = 120) -> tuple:
    """Truth and labels of three systems on the same documents.

    Documents of one class alone would be refused, and are drawn again: ranks are uniform given any.
    """
    truth = np.zeros(n)
    while np.ptp(truth) == 0:
        mu, theta = rng.beta(1, 1), rng.dirichlet(np.full(8, 4 / 8), 2)  # positives, negatives
        truth = (rng.random(n) < mu).astype(int)
    pattern = np.array([rng.choice(8, p=theta[1 - t]) for t in truth])
    yes = np.array(list(product((1, 0), repeat=3)))
    scores = [_f1(mu, *(theta @ yes[:, system])) for system in range(3)]
    labels = {f"s{system}": yes[pattern, system] for system in range(3)}
    psi = contest(truth, labels, **options).psi[..., 0]
    draws = {"delta": psi[:, :, 0] - psi[:, :, 1], "psi": psi[:, :, 2]}
    return {"delta": scores[0] - scores[1], "psi": scores[2]}, draws


def _items(rng: np.random.Generator, options: dict, n: int = 20) -> tuple:
    """Truth and values of two systems whose difference has the conjugate prior.

    The level of the items has a flat prior. What is learned of the difference does not depend on
    it: any level will do.
    """
    weight, sd, degrees = 2.0, 0.3, 5.0
    variance = degrees * sd**2 / rng.chisquare(degrees)
    delta = np.sqrt(variance / weight) * rng.standard_normal()
    d = delta + np.sqrt(variance) * rng.standard_normal(n)
    level = 0.5 + 0.4 * d + rng.normal(0, 0.2, n)
    right = np.stack([level + d / 2, level - d / 2])[..., None]
    prior = {"prior": Prior(items=(weight, sd, degrees))}
    drawn = compare(_long(right), **LONG, **(options | prior)).draws.posterior
    return {"delta": delta}, {"delta": drawn["psi_A"] - drawn["psi_B"]}


def _folds(rng: np.random.Generator, options: dict, folds: int = 5, repeats: int = 3) -> tuple:
    """Truth and scores of test folds, whose difference has the conjugate prior.

    All folds share a part of it, which gives them their correlation; the level is any, as of items.
    """
    weight, sd, degrees, rho, n = 2.0, 0.03, 5.0, 1 / folds, folds * repeats
    sigma = sd * np.sqrt(degrees / rng.chisquare(degrees))
    delta = sigma / np.sqrt(weight) * rng.standard_normal()
    shared = np.sqrt(rho) * rng.standard_normal()
    d = delta + sigma * (shared + np.sqrt(1 - rho) * rng.standard_normal(n))
    level = 0.8 + 0.4 * d + rng.normal(0, 0.02, n)
    design = {"folds": folds, "repeats": repeats, "prior": Prior(items=(weight, sd, degrees))}
    drawn = compare(level + d / 2, level - d / 2, **(options | design)).draws.posterior
    return {"delta": delta}, {"delta": drawn["psi_A"] - drawn["psi_B"]}


def _datasets(rng: np.random.Generator, options: dict) -> tuple:
    """Truth and sufficient statistics of three systems on the folds of twelve data sets.

    They go to the program itself: its unit is that of the prior, and not of the scores.
    """
    n, rho, contrasts = np.repeat([10, 20, 30], 4), np.full(12, 0.1), 2
    theta_0, tau = rng.normal(0, 5, contrasts), np.abs(rng.normal(0, 2, contrasts))
    nu = 1 + rng.gamma(2, 1 / 0.1)
    apart = _two(rng, 12) * np.sqrt(nu / rng.chisquare(nu, 12))
    theta = theta_0[:, None] + tau[:, None] * apart
    mean, sd = rng.normal(), abs(rng.normal())
    log_sigma = rng.normal(mean, sd, 12)
    of_mean = np.exp(log_sigma) * np.sqrt((1 + (n - 1) * rho) / n)
    scatter = (1 - rho) * rng.chisquare(contrasts * (n - 1))
    model = models.get("folds_datasets")
    loading = np.linalg.svd(np.ones((1, 3)))[2][1:].T
    block = {
        **{"S": 3, "D": 12, "n": n, "rho": rho, "loading": loading, "level": np.zeros(12)},
        "centre": theta + of_mean * rng.standard_normal((contrasts, 12)),
        "squares": np.exp(2 * log_sigma) * scatter,
        **DATASET_PRIORS["student"],
        **NU,
    }
    run = {"iter_sampling": options["draws"], "iter_warmup": options["warmup"]}
    [(draws, _)] = sample_blocks(model, [block], options["seed"], **run)
    truth = {"delta": (loading[0] - loading[1]) @ theta_0, "tau": tau[0], "sigma": log_sigma[0]}
    psi = draws["psi"][..., 0]
    drawn = {"delta": psi[..., 0] - psi[..., 1], "tau": draws["tau"][..., 0]}
    return truth, drawn | {"sigma": draws["log_sigma"][..., 0]}


def _repeated(
    rng: np.random.Generator, options: dict, n: int = 15, runs: int = 4, clusters: int = 0
) -> tuple:
    """Truth and answers of two systems, right or wrong, several to each item."""
    mu, tau, omega = rng.normal(0, 1.5, 2), *np.abs(rng.normal(0, 1.5, (2, 2)))
    odds = mu[:, None] + tau[:, None] * _two(rng, n)
    cluster = np.arange(n) % (clusters or n)
    if clusters:
        odds += omega[:, None] * _two(rng, clusters)[:, cluster]
        options = options | {"cluster": "cluster"}
    right = (rng.random((2, n, runs)) < 1 / (1 + np.exp(-odds[..., None]))).astype(float)
    nodes = np.linspace(-8, 8, 1601)
    width = np.hypot(tau, omega) if clusters else tau
    rates = 1 / (1 + np.exp(-mu[:, None] - width[:, None] * nodes))
    psi = np.average(rates, axis=1, weights=np.exp(-(nodes**2) / 2))
    frame = _long(right)
    frame["cluster"] = cluster[frame["item"]]
    drawn = compare(frame, **LONG, **(options | {"prior": Prior()})).draws.posterior
    truth = {"delta": psi[0] - psi[1], "tau": tau[0]} | ({"omega": omega[1]} if clusters else {})
    draws = {"delta": drawn["psi_A"] - drawn["psi_B"], "tau": drawn["tau"][..., 0]}
    return truth, draws | ({"omega": drawn["omega"][..., 1]} if clusters else {})


def _clustered(rng: np.random.Generator, options: dict) -> tuple:
    """Truth and answers on items in clusters of two."""
    return _repeated(rng, options, n=16, clusters=8)


def _two(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw standard normals of two systems; any correlation of them is as probable."""
    rho, z = rng.uniform(-1, 1), rng.standard_normal((2, n))
    return np.stack([z[0], rho * z[0] + np.sqrt(1 - rho**2) * z[1]])


def _long(values: np.ndarray) -> pd.DataFrame:
    system, item, _ = np.indices(values.shape).reshape(3, -1)
    names = np.array(["A", "B"])[system]
    return pd.DataFrame({"item": item, "system": names, "value": values.reshape(-1)})


def _f1(mu: float, rho_pos: float, rho_neg: float) -> float:
    return 2 * mu * rho_pos / (mu + mu * rho_pos + (1 - mu) * rho_neg)


LONG = {"item": "item", "system": "system", "value": "value", "measure": "mean"}
SIMULATED: dict[str, Callable[..., tuple]] = {
    "contest": _systems,
    "multiclass": _classes,
    "joint": _pairs_of_classes,
    "items": _items,
    "folds": _folds,
    "folds_datasets": _datasets,
    "repeated": _repeated,
    "repeated, in clusters": _clustered,
}
PROGRAMS = [*CALIBRATED, *SIMULATED]


if __name__ == "__main__":
    main(*sys.argv[1:])
