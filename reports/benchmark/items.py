"""How often intervals of values per item cover the truth, and what other models say instead.

Simulated differences of several shapes, with clusters and with runs, each judged as a comparison
would be: the share of 95 % HDIs that hold the true difference. Writes ``items.csv``; ``build.py``
shows it:

    cd reports && python -m benchmark.items
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from common import as_csv, prose
from scipy import stats

from stanoff import compare
from stanoff._lib.files import write_text

HERE = Path(__file__).resolve().parent
SIZES = (10, 50, 200)
FEW_DRAWS = 2000


def normal(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return values of A and B, and the true difference."""
    level = rng.normal(0, 1, n)
    return level + rng.normal(0.1, 0.5, n), level, 0.1


def skewed(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return differences that are log-normal: a few items gain much."""
    level = rng.normal(0, 1, n)
    return level + rng.lognormal(-1, 1, n) - 0.5, level, float(np.exp(-0.5) - 0.5)


def bounded(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return values between 0 and 1, as average precision is."""
    p = rng.beta(1, 3, n)
    return rng.beta(4 * p + 0.2, 4 * (1 - p)), rng.beta(4 * p, 4 * (1 - p) + 0.2), BOUNDED


def tied(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return tenths, as P@10 has them: a fifth of the differences are ties."""
    p = rng.beta(1, 1, n)
    a, b = rng.binomial(10, np.stack([np.minimum(p + 0.05, 1), p])) / 10
    return a, b, float(np.mean(np.minimum(GRID + 0.05, 1) - GRID))


GRID = (np.arange(100_000) + 0.5) / 100_000
_P = stats.beta(1, 3).ppf(GRID)
BOUNDED = float(np.mean((4 * _P + 0.2) / 4.2 - 4 * _P / 4.2))
SHAPES = {"normal": normal, "skewed": skewed, "bounded": bounded, "tied": tied}


def of_items(shape: str, n: int, replications: int, rng: np.random.Generator) -> float:
    """Return how often the exact t of the items model covers."""
    held = 0
    for _ in range(replications):
        a, b, truth = SHAPES[shape](rng, n)
        d = a - b
        t = stats.t(n - 1, d.mean(), d.std(ddof=1) / np.sqrt(n))
        low, high = t.interval(0.95)
        held += low <= truth <= high
    return held / replications


def in_clusters(clusters: int, replications: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return how often weights over clusters cover, and how often without the clusters."""
    held = np.zeros(2)
    for i in range(replications):
        sizes = 1 + rng.poisson(6, clusters)
        cluster = np.repeat(np.arange(clusters), sizes)
        shared = rng.normal(0, 0.3, clusters)[cluster]
        n = len(cluster)
        frame = pd.DataFrame({"a": 0.1 + shared + rng.normal(0, 0.5, n), "b": 0.0, "c": cluster})
        frame["b"] = rng.normal(0, 0.1, n)
        asked = {"a": "a", "b": "b", "measure": "mean", "seed": i + 1, "draws": FEW_DRAWS}
        for k, more in enumerate(({"cluster": "c"}, {})):
            low, high = compare(frame, **asked, **more).evidence().hdi
            held[k] += low <= 0.1 <= high
    return tuple(held / replications)


def with_runs(
    n: int, runs: int, replications: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return coverage of new items, of these items asked again, and of runs taken as items."""
    held = np.zeros(3)
    for i in range(replications):
        shared = rng.normal(0, 1.5, n)
        odds = np.stack([0.5 + shared, shared]) + rng.normal(0, 0.7, (2, n))
        p = 1 / (1 + np.exp(-odds))
        right = rng.binomial(1, p, (runs, 2, n))
        frame = pd.DataFrame(
            {
                "item": np.tile(np.arange(n), 2 * runs),
                "system": np.tile(np.repeat(["A", "B"], n), runs),
                "value": right.reshape(-1),
            }
        )
        frame["answer"] = frame["item"] + n * np.repeat(np.arange(runs), 2 * n)
        asked = {"system": "system", "value": "value", "measure": "mean", "seed": i + 1}
        asked["draws"] = FEW_DRAWS
        truths = (DIFFERENCE, float((p[0] - p[1]).mean()), DIFFERENCE)
        more = ({"item": "item"}, {"item": "item", "population": "runs"}, {"item": "answer"})
        for k, (truth, options) in enumerate(zip(truths, more, strict=True)):
            low, high = compare(frame, **asked, **options).evidence().hdi
            held[k] += low <= truth <= high
    return tuple(held / replications)


_Z = stats.norm.ppf(GRID) * np.hypot(1.5, 0.7)
DIFFERENCE = float(np.mean(1 / (1 + np.exp(-0.5 - _Z)) - 1 / (1 + np.exp(-_Z))))


def new_data_sets(sets: int, replications: int, rng: np.random.Generator) -> float:
    """Return how often the interval of a new data set holds the difference on one."""
    held = 0
    for i in range(replications):
        true = rng.normal(0.1, 0.1, sets + 1)
        dataset = np.repeat(np.arange(sets), 30)
        a = true[dataset] + rng.normal(0, 0.3, len(dataset))
        frame = pd.DataFrame({"a": a, "b": rng.normal(0, 0.01, len(dataset)), "s": dataset})
        asked = {"a": "a", "b": "b", "measure": "mean", "seed": i + 1, "draws": FEW_DRAWS}
        result = compare(frame, dataset="s", population="datasets", **asked)
        low, high = result.evidence().hdi
        held += low <= true[-1] <= high
    return held / replications


def notes(table: pd.DataFrame) -> str:
    """Describe what the simulations show."""
    covered = table.set_index(["design", "n"])["coverage"]
    usual = covered.loc[["normal", "bounded", "tied"]]
    kept, ignored = covered.loc["clusters"], covered.loc["clusters ignored"]
    return prose(
        """Of normal, bounded and tied differences {low:.1%} to {high:.1%} are covered, from 10
        items on; of log-normal ones {few:.1%} at 10 items, {some:.1%} at 50 and {many:.1%} at 200.
        Weights over clusters cover {kept_low:.1%} to {kept_high:.1%}; without the clusters it would
        be {ignored_low:.1%} to {ignored_high:.1%}. Where draws are counted there are {draws:,} of
        them, whose HDIs are a little too narrow.""",
        low=usual.min(),
        high=usual.max(),
        few=covered["skewed", 10],
        some=covered["skewed", 50],
        many=covered["skewed", 200],
        kept_low=kept.min(),
        kept_high=kept.max(),
        ignored_low=ignored.min(),
        ignored_high=ignored.max(),
        draws=FEW_DRAWS,
    )


def additive() -> pd.DataFrame:
    """Compare the items model with an additive one on the average precision of search systems."""
    frame = pd.read_csv(HERE.parent / "search/topics.csv")
    wide = frame.pivot(index="topic", columns="system", values="AP")
    n, s = wide.shape
    left = wide.sub(wide.mean(axis=1), axis=0).sub(wide.mean(axis=0) - wide.to_numpy().mean())
    degrees = (n - 1) * (s - 1)
    scale = np.sqrt(2 * (left.to_numpy() ** 2).sum() / degrees / n)
    rows = []
    for a, b in combinations(wide.columns, 2):
        d = wide[a] - wide[b]
        own, shared = stats.t(n - 1, scale=d.sem()).std(), stats.t(degrees, scale=scale).std()
        rows.append((a, b, own, shared, f"{shared / own:.1f}"))
    return pd.DataFrame(rows, columns=["A", "B", "items", "additive", "times as wide"])


def main(replications: int = 2000, heavy: int = 600) -> None:
    """Simulate all designs."""
    rng = np.random.default_rng(17)
    rows = [
        ("items", shape, n, of_items(shape, n, 5 * replications, rng), 5 * replications)
        for shape in SHAPES
        for n in SIZES
    ]
    for clusters in (8, 12, 20, 50):
        kept, ignored = in_clusters(clusters, heavy, rng)
        rows.append(("clusters", "clusters", clusters, kept, heavy))
        rows.append(("items", "clusters ignored", clusters, ignored, heavy))
    for n, runs in ((10, 5), (50, 5), (200, 3)):
        new, again, naive = with_runs(n, runs, heavy, rng)
        rows.append(("items", f"{runs} runs, new items", n, new, heavy))
        rows.append(("runs", f"{runs} runs, these items again", n, again, heavy))
        rows.append(("items", f"{runs} runs taken as items", n, naive, heavy))
    rows += [
        ("datasets", "a new data set", sets, new_data_sets(sets, heavy, rng), heavy)
        for sets in (5, 10, 20)
    ]
    columns = ["model", "design", "n", "coverage", "replications"]
    write_text(HERE / "items.csv", as_csv(pd.DataFrame(rows, columns=columns)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
