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
    result = function(next(seeds))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function(next(seeds))
        times.append(time.perf_counter() - start)
    return median(times), result


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
    settings = {"tune": 1000, "chains": 4, "cores": 2, "nuts_sampler": "pymc"}
    settings |= {"progressbar": False, "model": model}
    seconds, result = warm(lambda seed: pm.sample(1000, random_seed=seed, **settings))
    return seconds, result.posterior["delta"].values


def nutpie() -> tuple[float, Any]:
    """Nutpie on the compiled PyMC model."""
    import nutpie as sampler

    compiled = sampler.compile_pymc_model(pymc_model())
    settings = {"draws": 1000, "tune": 1000, "chains": 4, "cores": 2, "progress_bar": False}
    seconds, result = warm(lambda seed: sampler.sample(compiled, seed=seed, **settings))
    return seconds, result.posterior["delta"].values


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

    seconds, result = warm(run)
    delta = np.asarray(result["delta"])[0]  # draws of all chains in turn: draw 1 of each, and so on
    return seconds, delta.reshape(1000, 4).T


def prob_conf_mat(tables: dict[str, list], ask: Callable[[Any], Any]) -> tuple[float, Any]:
    """Compare confusion matrices in prob_conf_mat: exact, each system drawn by itself."""
    from prob_conf_mat import Study

    def run(seed: int) -> Any:
        study = Study(seed=seed, num_samples=50_000, ci_probability=0.95)
        for name, table in tables.items():
            study.add_experiment(f"{name}/run", table, prevalence_prior=1, confusion_prior=1)
        study.add_metric("f1")
        return ask(study)

    return warm(run)[0], None


def pairwise(study: Any) -> Any:
    """Compare two systems."""
    names = {"experiment_a": "a/run", "experiment_b": "b/run"}
    options = {"metric": "f1", "class_label": 1, "min_sig_diff": 0.05}
    return study.report_pairwise_comparison(**options, **names)


def listwise(study: Any) -> Any:
    """Rank all systems."""
    return study.report_listwise_comparison(metric="f1", class_label=1)


TWO = {"a": [[7064, 70], [63, 335]], "b": [[7069, 65], [68, 330]]}
FOUR = {f"s{i}": [[3400 - 8 * i, 380 + 8 * i], [370 + 8 * i, 3382 - 8 * i]] for i in range(4)}


def main(program: Path, data: Path, out: Path) -> None:
    """Measure everything; print what was measured, with versions, as the last line."""
    warnings.simplefilter("ignore")
    shown, sys.stdout = sys.stdout, sys.stderr
    peers: dict[str, tuple[str, Callable[[], tuple[float, Any]]]] = {
        "PyMC": ("pymc", pymc),
        "nutpie": ("nutpie", nutpie),
        "PyStan 3": ("pystan", lambda: pystan(program, json.loads(data.read_text()))),
        "prob_conf_mat": ("prob_conf_mat", lambda: prob_conf_mat(TWO, pairwise)),
        "prob_conf_mat listwise": ("prob_conf_mat", lambda: prob_conf_mat(FOUR, listwise)),
    }
    results = {}
    for name, (package, run) in peers.items():
        seconds, delta = run()
        results[name] = {"seconds": seconds, "version": version(package)}
        if delta is not None:
            np.save(out / f"{name}.npy", delta)
    print(json.dumps(results), file=shown)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
