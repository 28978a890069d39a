"""Time the paired comparison in other packages, warm, and print the seconds as JSON.

Runs in the environment of peers.txt. Every number is the median of some runs after one to warm up.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

POS, NEG = [310, 25, 20, 43], [40, 30, 25, 7039]
DATA = {
    "K": 1,
    "c_pos": [POS],
    "c_neg": [NEG],
    "beta": [1, 1],
    "alpha_pos": [1] * 4,
    "alpha_neg": [1] * 4,
    "measure": 1,
    "f_beta": 1,
    "zero_division": 0,
    "prior_only": 0,
    "prevalence": 0,
}
# How many times faster than each stanoff shall be.
LEAST = {"PyMC": 15, "nutpie": 1, "PyStan 3": 1, "prob_conf_mat": 0.5, "prob_conf_mat listwise": 1}


def warm(function: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of a function once it has run before."""
    function()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return median(taken)


def pymc_model() -> object:
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


def pymc() -> float:
    """PyMC's default NUTS."""
    import pymc as pm

    model = pymc_model()
    return warm(
        lambda: pm.sample(
            1000,
            tune=1000,
            chains=4,
            cores=2,
            random_seed=1,
            progressbar=False,
            model=model,
            nuts_sampler="pymc",
        )
    )


def nutpie() -> float:
    """Nutpie on the compiled PyMC model."""
    import nutpie as sampler

    compiled = sampler.compile_pymc_model(pymc_model())
    return warm(
        lambda: sampler.sample(
            compiled, draws=1000, tune=1000, chains=4, cores=2, seed=1, progress_bar=False
        )
    )


def pystan(program: Path) -> float:
    """PyStan 3 on our own program, its includes written out, from its cache."""
    import stan

    lines = []
    for line in program.read_text().splitlines():
        name = line.strip().removeprefix("#include ")
        lines.append((program.parent / name).read_text() if name != line.strip() else line)
    code = "\n".join(lines)

    def run() -> object:
        model = stan.build(code, data=DATA, random_seed=1)
        return model.sample(num_chains=4, num_samples=1000, num_warmup=1000)

    return warm(run)


def prob_conf_mat() -> float:
    """Compare two confusion matrices in prob_conf_mat: exact, unpaired."""
    from prob_conf_mat import Study

    a = [[7064, 70], [63, 335]]
    b = [[7069, 65], [68, 330]]

    def run() -> object:
        study = Study(seed=1, num_samples=50_000, ci_probability=0.95)
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

    return warm(run)


def prob_conf_mat_listwise() -> float:
    """Rank four systems in prob_conf_mat, each of them drawn by itself."""
    from prob_conf_mat import Study

    tables = [[[3400 - 8 * i, 380 + 8 * i], [370 + 8 * i, 3382 - 8 * i]] for i in range(4)]

    def run() -> object:
        study = Study(seed=1, num_samples=50_000, ci_probability=0.95)
        for i, table in enumerate(tables):
            study.add_experiment(f"s{i}/run", table, prevalence_prior=1, confusion_prior=1)
        study.add_metric("f1")
        return study.report_listwise_comparison(metric="f1", class_label=1)

    return warm(run)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    out = sys.stdout
    sys.stdout = sys.stderr
    times = {
        "PyMC": pymc(),
        "nutpie": nutpie(),
        "PyStan 3": pystan(Path(sys.argv[1])),
        "prob_conf_mat": prob_conf_mat(),
        "prob_conf_mat listwise": prob_conf_mat_listwise(),
    }
    print(json.dumps({name: (times[name], LEAST[name]) for name in times}), file=out)
