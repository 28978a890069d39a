"""The speed of contests: against the same steps by hand, and with fifty systems."""

import json
import resource
import sys
import time
from itertools import combinations, product

import numpy as np

from stanoff import contest

SYSTEMS, DRAWS = 4, 50_000


def labels(n: int, systems: int, errors: float = 0.1) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Make a truth and what systems say who err by themselves."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    said = {
        f"s{i}": np.where(rng.random(n) < errors + 0.002 * i, 1 - truth, truth)
        for i in range(systems)
    }
    return truth, said


TRUTH, SAID = labels(7532, SYSTEMS)


def ours(seed: int = 1) -> None:
    """Hold a contest, and ask for all that it tells."""
    result = contest(TRUTH, SAID, rope=0.02, draws=DRAWS, seed=seed)
    result.summary(), result.pairs(), result.ranks()


def by_hand(seed: int = 1) -> dict[str, object]:
    """Draw the same posterior, and compute the same numbers, in plain NumPy."""
    rng = np.random.default_rng(seed)
    patterns = np.array(list(product((1, 0), repeat=SYSTEMS)))
    code = (1 - np.stack(list(SAID.values()), axis=1)) @ 2 ** np.arange(SYSTEMS)[::-1]
    counts = [np.bincount(code[y == TRUTH], minlength=len(patterns)) for y in (1, 0)]
    mu = rng.beta(1 + counts[0].sum(), 1 + counts[1].sum(), DRAWS)[:, None]
    rates = [rng.dirichlet(c + 4 / len(patterns), DRAWS) @ patterns for c in counts]
    tp, fp = mu * rates[0], (1 - mu) * rates[1]
    psi = 2 * tp / (mu + tp + fp)
    best = psi.max(axis=1, keepdims=True)
    order = np.argsort(-psi, axis=1)
    rank = np.argsort(order, axis=1)
    found: dict[str, object] = {
        "mean": psi.mean(axis=0),
        "hdi": [interval(column) for column in psi.T],
        "p_near": np.mean(psi >= best - 0.02, axis=0),
        "p_best": np.mean(psi == best, axis=0),
        "regret": np.mean(best - psi, axis=0),
        "ranks": [np.bincount(column, minlength=SYSTEMS) / DRAWS for column in rank.T],
    }
    for a, b in combinations(range(SYSTEMS), 2):
        delta = psi[:, a] - psi[:, b]
        found[f"{a} {b}"] = (
            delta.mean(),
            delta.std(ddof=1),
            interval(delta),
            np.mean(delta < 0),
            np.mean(delta > 0),
            np.mean(delta < -0.02),
            np.mean(np.abs(delta) <= 0.02),
            np.mean(delta > 0.02),
        )
    return found


def interval(draws: np.ndarray) -> tuple[float, float]:
    """Return the narrowest interval with 95% of the draws."""
    ordered, inside = np.sort(draws), int(0.95 * len(draws))
    start = np.argmin(ordered[inside:] - ordered[:-inside])
    return ordered[start], ordered[start + inside]


def n_patterns(n: int) -> int:
    """Count the different answers that fifty systems give."""
    truth, predictions = labels(n, 50)
    return len(np.unique(np.stack([truth, *predictions.values()]), axis=1).T)


if __name__ == "__main__":  # bench.py reads the seconds and the memory of this process
    truth, predictions = labels(int(sys.argv[1]), 50)
    start = time.perf_counter()
    result = contest(truth, predictions, seed=1)
    result.summary(), result.pairs()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # kB on Linux
    print(json.dumps({"seconds": seconds, "gigabytes": peak}))
