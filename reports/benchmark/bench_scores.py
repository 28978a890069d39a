"""The speed of scores: against the same draws by hand, a bootstrap, and very many documents."""

import json
import resource
import sys
import time

import numpy as np

from stanoff import compare

DRAWS = 4000


def documents(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make a truth and the scores of two systems."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    shared = rng.normal(truth)
    return truth, shared + rng.normal(size=n), shared + rng.normal(size=n)


def ours(n: int = 10**4, measure: str = "auc") -> None:
    """Compare two systems."""
    compare(*documents(n), measure=measure, draws=DRAWS, seed=1).evidence()


def by_hand(n: int = 10**4) -> tuple[float, float]:
    """Draw the same posterior in plain NumPy: sort once, then a cumulative sum per draw."""
    truth, *scores = documents(n)
    rng = np.random.default_rng(1)
    orders = [np.argsort(-score) for score in scores]
    shape = np.where(truth == 1, 1 - 2 / truth.sum(), 1 - 2 / (n - truth.sum()))
    delta = np.empty(DRAWS)
    for start in range(0, DRAWS, 100):
        weight = rng.standard_gamma(shape, (100, n))
        extra = rng.dirichlet(np.full(n, 1 / n), (2, 100)) * rng.standard_gamma(1, (2, 100, 1))
        pos, neg = weight * truth + extra[0], weight * (1 - truth) + extra[1]
        auc = []
        for order in orders:
            p, q = pos[:, order], neg[:, order]
            above = np.cumsum(q, axis=1) - q / 2
            auc.append(1 - (p * above).sum(axis=1) / p.sum(axis=1) / q.sum(axis=1))
        delta[start : start + 100] = auc[0] - auc[1]
    low, high = np.quantile(delta, [0.025, 0.975])
    return float(low), float(high)


def bootstrap(n: int = 10**4, draws: int = 50) -> float:
    """Return the seconds of one draw of a bootstrap with scikit-learn's roc_auc_score."""
    from sklearn.metrics import roc_auc_score

    truth, a, b = documents(n)
    rng = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(draws):
        chosen = rng.integers(0, n, n)
        roc_auc_score(truth[chosen], a[chosen]) - roc_auc_score(truth[chosen], b[chosen])
    return (time.perf_counter() - start) / draws


if __name__ == "__main__":  # bench.py reads the seconds and the memory of this process
    start = time.perf_counter()
    ours(int(sys.argv[1]))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # kB on Linux
    print(json.dumps({"seconds": seconds, "gigabytes": peak}))
