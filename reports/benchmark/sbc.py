"""Simulation-based calibration of every Stan program.

Draw parameters from the prior, documents given the parameters, and fit: the rank of the true value
among the posterior draws is uniform if and only if the program draws from its own posterior
(Talts et al. 2018). Writes the ranks to ``sbc.csv``; ``build.py`` shows them:

    cd reports && python -m benchmark.sbc
"""

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import seaborn as sns
from common import as_csv
from matplotlib.axes import Axes
from scipy import stats

from stanoff import Prior, SamplingWarning, compare, compare_counts, contest, count
from stanoff._lib.files import write_text
from stanoff.data.types import response_patterns
from stanoff.fit import fit
from stanoff.models import MODELS, binormal, stan_folder
from stanoff.plots.style import BLUE, GREY, theme
from stanoff.question import Question, Sampling
from stanoff.text.numbers import p_value

HERE = Path(__file__).resolve().parent
PROGRAMS = {name: name for name, model in MODELS.items() if model.has_program}
PROGRAMS["repeated, in clusters"] = "repeated"
PROGRAMS["logistic_normal"] = str(stan_folder() / "examples/logistic_normal.stan")
PRIOR = Prior(kappa=(2.0, 0.7))
SOME_SCORES = count([1, 0, 1], [0.2, 0.1, 0.4], [0.3, 0.2, 0.1], kind="scores")  # of any kind
KEPT, THIN, BINS = 99, 5, 10


def main(simulations: int = 200) -> None:
    """Rank the truth in every program."""
    ranks = pd.concat([calibrate(name, simulations) for name in PROGRAMS], ignore_index=True)
    write_text(HERE / "sbc.csv", as_csv(ranks))


def figure(ranks: pd.DataFrame) -> Axes:
    """Draw a histogram of the ranks for every program and variable."""
    panel = ranks["program"] + ": " + ranks["variable"]
    simulations = panel.value_counts()
    with theme():
        grid = sns.displot(
            ranks.assign(panel=panel),
            x="rank",
            col="panel",
            col_wrap=4,
            bins=BINS,
            binrange=(-0.5, KEPT + 0.5),
            height=1.9,
            aspect=1.3,
            color=BLUE,
            alpha=0.35,
            edgecolor="white",
        )
        grid.set_titles("{col_name}", size=9)
        grid.set_axis_labels("rank", "simulations")
    for name, ax in grid.axes_dict.items():
        ax.axhline(simulations[name] / BINS, color=GREY, linewidth=0.8)
    return grid.axes.flat[0]


def shown(ranks: pd.DataFrame) -> pd.DataFrame:
    """Test whether the ranks are uniform, a row per program and variable."""
    rows = [
        {
            "program": program,
            "variable": variable,
            "simulations": str(len(found)),
            "p of the chi-square test": p_value(uniformity(found["rank"])),
        }
        for (program, variable), found in ranks.groupby(["program", "variable"], sort=False)
    ]
    return pd.DataFrame(rows)


def calibrate(name: str, simulations: int, seed: int = 2016) -> pd.DataFrame:
    """Rank the true delta, and the true kappa where there is one, among the posterior draws."""
    rng = np.random.default_rng(seed)
    ranks = []
    for i in range(simulations):
        truth, fitted = simulate(name, rng, i)
        for variable, value in truth.items():
            drawn = fitted[variable].reshape(-1)[::THIN][:KEPT]
            ranks.append(
                {"program": name, "variable": variable, "rank": int((drawn < value).sum())}
            )
        if sys.stderr.isatty():
            print(f"\r{name} {i + 1}/{simulations}", end="", file=sys.stderr)
    print(f"\r{name}: done", file=sys.stderr, flush=True)
    return pd.DataFrame(ranks)


def uniformity(ranks: pd.Series) -> float:
    """Return the p-value of a chi-square test that the ranks are uniform."""
    seen, _ = np.histogram(ranks, bins=BINS, range=(-0.5, KEPT + 0.5))
    return float(stats.chisquare(seen).pvalue)


def simulate(name: str, rng: np.random.Generator, i: int) -> tuple[dict, dict]:
    """Draw a truth and documents, fit, and pick from the draws what the truth is compared with."""
    options = {
        "model": PROGRAMS[name],
        "prior": PRIOR,
        "engine": "stan",
        "seed": i + 1,
        "chains": 1,
        "draws": THIN * KEPT,
        "warmup": 400,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # one short chain is all this needs
        if name == "contest":
            truth, labels = _systems(rng)
            psi = contest(*labels, **options).fit.draws.posterior["psi"][..., 0]
            fitted = {"delta": psi[:, :, 0] - psi[:, :, 1], "psi": psi[:, :, 2]}
        elif name in OF_VALUES:
            truth, values, prior = OF_VALUES[name](rng)
            more = LONG | ({"cluster": "cluster"} if "cluster" in values else {})
            drawn = compare(values, **more, **(options | {"prior": prior})).draws.posterior
            fitted = {"delta": (drawn["psi_A"] - drawn["psi_B"]).reshape(1, -1)}
            if name != "items":
                fitted["tau"] = drawn["tau"][..., 0]
            if "omega" in truth:
                fitted["omega"] = drawn["omega"][..., 1]
        elif name == "binormal":
            truth, block = _scores(rng)
            model = FixedData(block)
            sampling = replace(Sampling.read(**options), model=model)
            drawn = fit(SOME_SCORES, Question.read(measure="auc"), sampling).draws.posterior
            fitted = {"delta": drawn["delta"], "r": drawn["r_pos"]}
        elif name in OF_CLASSES:
            truth, labels = OF_CLASSES[name](rng)
            drawn = compare(*labels, measure="recall", average="macro", **options).draws.posterior
            fitted = {"delta": drawn["delta_macro"]}
            if name == "multiclass":
                fitted |= {"eta": drawn["eta"][..., 0], "kappa": drawn["kappa"][..., 1]}
            else:
                fitted["mu"] = drawn["mu"][..., 0]
        else:
            truth, counts = _categories(name, rng)
            drawn = compare_counts(**counts, **options).draws.posterior
            fitted = {"delta": drawn["delta"][..., 0]}
            if "kappa" in truth:
                fitted["kappa"] = drawn["kappa_pos"].reshape(1, THIN * KEPT, -1)[..., 0]
    return truth, fitted


class FixedData(binormal.Binormal):
    """The binormal model of statistics that were simulated, not computed from scores."""

    def __init__(self, block: dict) -> None:
        self.block = block

    def stan_data(self, data: object, prior: object, measure: object = None) -> dict:
        """Return what was simulated."""
        return self.block


def _categories(name: str, rng: np.random.Generator) -> tuple[dict, dict]:
    """Truth and counts of one category, or of three that share eta and kappa."""
    k = 3 if name.startswith("hierarchical") else 1
    n = 120
    kappa_pos, kappa_neg = rng.lognormal(*PRIOR.kappa, (2, 2))
    if name in ("paired", "hierarchical", "logistic_normal"):
        mu = rng.beta(1, 1, k)
        if name == "hierarchical":
            theta = [
                rng.dirichlet(kap * rng.dirichlet(np.ones(4)), k)
                for kap in (kappa_pos[0], kappa_neg[0])
            ]
        elif name == "logistic_normal":
            sigma = [[2.25, 0, 0], [0, 2.25, 1.125], [0, 1.125, 2.25]]
            odds = np.exp(rng.multivariate_normal(np.zeros(3), sigma, (2, k)))
            odds = np.concatenate([odds, np.ones((2, k, 1))], axis=-1)
            theta = odds / odds.sum(axis=-1, keepdims=True)
        else:
            theta = rng.dirichlet(np.ones(4), (2, k))
        n_pos = rng.binomial(n, mu)
        counts = {
            "c_pos": rng.multinomial(n_pos, theta[0]),
            "c_neg": rng.multinomial(n - n_pos, theta[1]),
        }
        rates = [(t[:, 0] + t[:, j]) for j in (1, 2) for t in theta]
        mus, rates = [mu, mu], [rates[:2], rates[2:]]
    else:
        mus = rng.beta(1, 1, (2, k))
        rates, cells = [], []
        for j in (0, 1):
            rho = rng.uniform(size=(2, k))
            if k > 1:
                eta = rng.uniform(size=2)
                rho = [
                    rng.beta(kap * e, kap * (1 - e), k)
                    for kap, e in zip((kappa_pos[j], kappa_neg[j]), eta, strict=True)
                ]
            n_pos = rng.binomial(n, mus[j])
            tp, fp = rng.binomial(n_pos, rho[0]), rng.binomial(n - n_pos, rho[1])
            cells.append(np.stack([tp, fp, n_pos - tp, n - n_pos - fp], axis=1))
            rates.append(rho)
        counts = {"a": cells[0], "b": cells[1]}
    scores = [_f1(m[0], r[0][0], r[1][0]) for m, r in zip(mus, rates, strict=True)]
    truth = {"delta": scores[0] - scores[1]}
    return (truth | {"kappa": kappa_pos[0]} if k > 1 else truth), counts


def _classes(rng: np.random.Generator, m: int = 4, n: int = 120) -> tuple[dict, tuple]:
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
    return {"eta": eta[0], "kappa": kappa[1], "delta": recall[0] - recall[1]}, tuple(labels)


def _pairs_of_classes(
    rng: np.random.Generator, m: int = 4, n: int = 120
) -> tuple[dict, tuple[np.ndarray, ...]]:
    """Truth and labels of two classifiers whose predictions go together.

    A class that no document has would not be known to the fit; such documents are drawn again, and
    that does not matter: ranks are uniform given any documents.
    """
    while True:
        mu, theta = rng.dirichlet(np.ones(m)), rng.dirichlet(np.full(m * m, 1 / m**2), m)
        truth = rng.choice(m, n, p=mu)
        said = np.array([rng.choice(m * m, p=theta[k]) for k in truth])
        if len(np.unique(truth)) == m:
            break
    pairs = theta.reshape(m, m, m)  # true class, A's, B's
    own = np.arange(m)
    recall = [pairs.sum(axis=2)[own, own].mean(), pairs.sum(axis=1)[own, own].mean()]
    return {"delta": recall[0] - recall[1], "mu": mu[0]}, (truth, said // m, said % m)


def _systems(rng: np.random.Generator, n: int = 120) -> tuple[dict, tuple]:
    """Truth and labels of three systems on the same documents."""
    mu, theta = rng.beta(1, 1), rng.dirichlet(np.full(8, 4 / 8), 2)  # positives, negatives
    truth = (rng.random(n) < mu).astype(int)
    pattern = np.array([rng.choice(8, p=theta[1 - t]) for t in truth])
    yes = response_patterns(3)
    scores = [_f1(mu, *(theta @ yes[:, system])) for system in range(3)]
    labels = {f"s{system}": yes[pattern, system] for system in range(3)}
    return {"delta": scores[0] - scores[1], "psi": scores[2]}, (truth, labels)


def _items(rng: np.random.Generator, n: int = 20) -> tuple[dict, pd.DataFrame, Prior]:
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
    return {"delta": delta}, _long(right), Prior(items=(weight, sd, degrees))


def _repeated(
    rng: np.random.Generator, n: int = 15, runs: int = 4, clusters: int = 0
) -> tuple[dict, pd.DataFrame, Prior]:
    """Truth and answers of two systems, right or wrong, several to each item."""
    mu, tau = rng.normal(0, 1.5, 2), np.abs(rng.normal(0, 1.5, 2))
    odds = mu[:, None] + tau[:, None] * _two(rng, n)
    truth, width = {"tau": tau[0]}, tau
    if clusters:
        cluster = np.arange(n) % clusters
        omega = np.abs(rng.normal(0, 1.5, 2))
        odds += omega[:, None] * _two(rng, clusters)[:, cluster]
        truth["omega"], width = omega[1], np.hypot(tau, omega)
    right = (rng.random((2, n, runs)) < 1 / (1 + np.exp(-odds[..., None]))).astype(float)
    nodes = np.linspace(-8, 8, 1601)
    psi = np.average(
        1 / (1 + np.exp(-mu[:, None] - width[:, None] * nodes)),
        axis=1,
        weights=np.exp(-(nodes**2) / 2),
    )
    frame = _long(right)
    if clusters:
        frame["cluster"] = cluster[frame["item"]]
    return {"delta": psi[0] - psi[1], **truth}, frame, Prior()


def _clustered(rng: np.random.Generator) -> tuple[dict, pd.DataFrame, Prior]:
    """Truth and answers on items that hang together two by two."""
    return _repeated(rng, n=16, clusters=8)


def _two(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw standard normals of two systems; any correlation of them is as probable."""
    rho, z = rng.uniform(-1, 1), rng.standard_normal((2, n))
    return np.stack([z[0], rho * z[0] + np.sqrt(1 - rho**2) * z[1]])


def _long(values: np.ndarray) -> pd.DataFrame:
    system, item, _ = np.indices(values.shape).reshape(3, -1)
    names = np.array(["A", "B"])[system]
    return pd.DataFrame({"item": item, "system": names, "value": values.reshape(-1)})


OF_VALUES = {"items": _items, "repeated": _repeated, "repeated, in clusters": _clustered}
LONG = {"item": "item", "system": "system", "value": "value", "measure": "mean"}


def _scores(rng: np.random.Generator, n: int = 40) -> tuple[dict, dict]:
    """Truth and scores of two systems that are normal in each class, on the scale of the prior."""
    m, s = rng.normal(size=(2, 2)), rng.lognormal(0, binormal.S_SCALE, (2, 2))
    r = 2 * rng.beta(binormal.LKJ_SHAPE, binormal.LKJ_SHAPE, 2) - 1
    truth = np.repeat([1, 0], n)
    classes = []
    for place in (0, 1):
        z = rng.normal(size=(2, n))
        z[1] = r[place] * z[0] + np.sqrt(1 - r[place] ** 2) * z[1]
        classes.append(m[place][:, None] + s[place][:, None] * z)
    auc = stats.norm.cdf((m[0] - m[1]) / np.sqrt((s**2).sum(axis=0)))
    block = binormal.class_statistics(truth, np.concatenate(classes, axis=1), Prior())
    return {"delta": auc[0] - auc[1], "r": r[0]}, block


def _f1(mu: float, rho_pos: float, rho_neg: float) -> float:
    return 2 * mu * rho_pos / (mu + mu * rho_pos + (1 - mu) * rho_neg)


OF_CLASSES = {"multiclass": _classes, "joint": _pairs_of_classes}


if __name__ == "__main__":
    main()
