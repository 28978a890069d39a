"""Time the paired comparison in other packages, warm, and keep the seconds and the draws.

    python peers.py PROGRAM DATA OUT

Runs in the environment of peers.txt, with our program and its data block in JSON for PyStan. OUT
gets a file of draws of delta (chain, draw) per sampler; the seconds are printed as JSON. Every
number is the median of some runs after one to warm up, each with a seed of its own: PyStan's server
answers what it was asked before from its cache.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

POS, NEG = [310, 25, 20, 43], [40, 30, 25, 7039]


def warm(function: Callable[[int], Any], repeats: int = 5) -> tuple[float, Any]:
    """Return the seconds of a function of a seed once it has run before, and what it returned."""
    seeds = count(int(time.time()))  # none that a server may remember
    made = function(next(seeds))
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        made = function(next(seeds))
        taken.append(time.perf_counter() - start)
    return median(taken), made


def pymc_model() -> Any:
    """Write the paired model in PyMC."""
    import pymc as pm

    with pm.Model() as model:
        mu = pm.Beta("mu", 1, 1)
        theta_pos = pm.Dirichlet("theta_pos", np.ones(4))
        theta_neg = pm.Dirichlet("theta_neg", np.ones(4))
        pm.Binomial("n_pos", sum(POS + NEG), mu, observed=sum(POS))
        pm.Multinomial("c_pos", sum(POS), theta_pos, observed=POS)
        pm.Multinomial("c_neg", sum(NEG), theta_neg, observed=NEG)
        scores = []
        for other in (1, 2):
            tp = mu * (theta_pos[0] + theta_pos[other])
            fp = (1 - mu) * (theta_neg[0] + theta_neg[other])
            scores.append(2 * tp / (mu + tp + fp))
        pm.Deterministic("delta", scores[0] - scores[1])
    return model


def pymc() -> tuple[float, Any]:
    """PyMC's default NUTS."""
    import pymc as pm

    model = pymc_model()
    seconds, made = warm(
        lambda seed: pm.sample(
            1000,
            tune=1000,
            chains=4,
            cores=2,
            random_seed=seed,
            progressbar=False,
            model=model,
            nuts_sampler="pymc",
        )
    )
    return seconds, made.posterior["delta"].values


def nutpie() -> tuple[float, Any]:
    """Nutpie on the compiled PyMC model."""
    import nutpie as sampler

    compiled = sampler.compile_pymc_model(pymc_model())
    seconds, made = warm(
        lambda seed: sampler.sample(
            compiled, draws=1000, tune=1000, chains=4, cores=2, seed=seed, progress_bar=False
        )
    )
    return seconds, made.posterior["delta"].values


def pystan(program: Path, data: dict[str, Any]) -> tuple[float, Any]:
    """PyStan 3 on our own program, its includes written out and its model compiled before."""
    import stan

    lines = []
    for line in program.read_text().splitlines():
        name = line.strip().removeprefix("#include ")
        lines.append((program.parent / name).read_text() if name != line.strip() else line)
    code = "\n".join(lines)

    def run(seed: int) -> Any:
        model = stan.build(code, data=data, random_seed=seed)
        return model.sample(num_chains=4, num_samples=1000, num_warmup=1000)

    seconds, made = warm(run)
    delta = np.asarray(made["delta"])[0]  # draws of all chains in turn: draw 1 of each, and so on
    return seconds, delta.reshape(1000, 4).T


def prob_conf_mat() -> tuple[float, Any]:
    """Compare two confusion matrices in prob_conf_mat: exact, unpaired."""
    from prob_conf_mat import Study

    a = [[7064, 70], [63, 335]]
    b = [[7069, 65], [68, 330]]

    def run(seed: int) -> Any:
        study = Study(seed=seed, num_samples=50_000, ci_probability=0.95)
        study.add_experiment("a/run", a, prevalence_prior=1, confusion_prior=1)
        study.add_experiment("b/run", b, prevalence_prior=1, confusion_prior=1)
        study.add_metric("f1")
        return study.report_pairwise_comparison(
            metric="f1",
            class_label=1,
            experiment_a="a/run",
            experiment_b="b/run",
            min_sig_diff=0.05,
        )

    return warm(run)[0], None


def prob_conf_mat_listwise() -> tuple[float, Any]:
    """Rank four systems in prob_conf_mat, each of them drawn by itself."""
    from prob_conf_mat import Study

    tables = [[[3400 - 8 * i, 380 + 8 * i], [370 + 8 * i, 3382 - 8 * i]] for i in range(4)]

    def run(seed: int) -> Any:
        study = Study(seed=seed, num_samples=50_000, ci_probability=0.95)
        for i, table in enumerate(tables):
            study.add_experiment(f"s{i}/run", table, prevalence_prior=1, confusion_prior=1)
        study.add_metric("f1")
        return study.report_listwise_comparison(metric="f1", class_label=1)

    return warm(run)[0], None


def main(program: Path, data: Path, out: Path) -> None:
    """Measure everything; print what was measured, with versions, as the last line."""
    warnings.simplefilter("ignore")
    shown, sys.stdout = sys.stdout, sys.stderr
    peers: dict[str, tuple[str, Callable[[], tuple[float, Any]]]] = {
        "PyMC": ("pymc", pymc),
        "nutpie": ("nutpie", nutpie),
        "PyStan 3": ("pystan", lambda: pystan(program, json.loads(data.read_text()))),
        "prob_conf_mat": ("prob_conf_mat", prob_conf_mat),
        "prob_conf_mat listwise": ("prob_conf_mat", prob_conf_mat_listwise),
    }
    told = {}
    for name, (package, run) in peers.items():
        seconds, delta = run()
        told[name] = {"seconds": seconds, "version": version(package)}
        if delta is not None:
            np.save(out / f"{name}.npy", delta)
    print(json.dumps(told), file=shown)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
