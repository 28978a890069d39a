"""How often intervals of values per item cover the truth.

Simulated differences of several shapes, with clusters, runs, data sets and ratios, each judged as a
comparison would be: the share of 95 % HDIs that hold the true difference. Writes ``items.csv``;
``build.py`` shows it:

    cd reports && python -m benchmark.items
"""

import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import as_csv, prose
from scipy import stats

from stanoff import Comparison, SamplingWarning
from stanoff._lib.files import write_text
from stanoff.data.items import ItemTable, build_items
from stanoff.fit import fit
from stanoff.question import Question, Sampling

HERE = Path(__file__).resolve().parent
SIZES = (10, 50, 200)
FEW_DRAWS = 4000


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


def of_items(shape: str, n: int, replications: int, rng: np.random.Generator) -> list[float]:
    """Return how often the exact t of the items model covers."""
    held = 0
    for _ in range(replications):
        a, b, truth = SHAPES[shape](rng, n)
        d = a - b
        t = stats.t(n - 1, d.mean(), d.std(ddof=1) / np.sqrt(n))
        low, high = t.interval(0.95)
        held += low <= truth <= high
    return [held / replications]


def holds(
    values: np.ndarray,
    truth: float,
    seed: int,
    options: dict[str, Any] | None = None,
    **more: Any,
) -> bool:
    """Compare two rows of values; ``more`` has their clusters, runs and the like."""
    found = ItemTable({"A": values[0], "B": values[1]}, **more)
    data = build_items(found)
    asked = Question.read(measure="ratio" if "denominator" in more else "mean")
    sampling = Sampling.read(**({"draws": FEW_DRAWS, "seed": seed} | (options or {})))
    low, high = Comparison.from_fit(fit(data, asked, sampling), "A", "B", asked).evidence().hdi
    return bool(low <= truth <= high)


def in_clusters(clusters: int, replications: int, rng: np.random.Generator) -> list[float]:
    """Return how often weights over clusters cover, and how often without the clusters."""
    held = np.zeros(2)
    for i in range(replications):
        cluster = np.repeat(np.arange(clusters), 1 + rng.poisson(6, clusters))
        n = len(cluster)
        a = 0.1 + rng.normal(0, 0.3, clusters)[cluster] + rng.normal(0, 0.5, n)
        values = np.stack([a, rng.normal(0, 0.1, n)])
        held += holds(values, 0.1, i + 1, cluster=cluster), holds(values, 0.1, i + 1)
    return list(held / replications)


def chances(rng: np.random.Generator, shared: np.ndarray) -> np.ndarray:
    """Return how probable right answers of A and B are, given what items have in common."""
    odds = np.stack([0.5 + shared, shared]) + rng.normal(0, 0.7, (2, len(shared)))
    return 1 / (1 + np.exp(-odds))


def averaged(right: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return means over runs (run, system, item), how many there are, and their scatter."""
    means = right.mean(axis=0)
    scatter = ((right - means) ** 2).sum(axis=0)
    return means, {"runs": np.full(means.shape, len(right)), "scatter": scatter}


def with_runs(n: int, runs: int, replications: int, rng: np.random.Generator) -> list[float]:
    """Return coverage of new items, of these items asked again, and of runs taken as items."""
    held = np.zeros(3)
    for i in range(replications):
        p = chances(rng, rng.normal(0, 1.5, n))
        right = rng.binomial(1, p, (runs, 2, n))
        means, known = averaged(right)
        again = {"population": "runs"}
        held += (
            holds(means, DIFFERENCE, i + 1, **known),
            holds(means, float((p[0] - p[1]).mean()), i + 1, again, **known),
            holds(np.concatenate(right, axis=1), DIFFERENCE, i + 1),
        )
    return list(held / replications)


def by_program(
    n: int, runs: int, clusters: int, replications: int, rng: np.random.Generator
) -> list[float]:
    """Return how often the repeated model, which is Stan's, covers; with clusters if there are."""
    held = 0
    for i in range(replications):
        shared, more = rng.normal(0, 1.5, n), {}
        if clusters:  # whose items share most of what makes them difficult: 1.2^2 + 0.9^2 = 1.5^2
            more["cluster"] = np.arange(n) % clusters
            shared = rng.normal(0, 1.2, clusters)[more["cluster"]] + rng.normal(0, 0.9, n)
        means, known = averaged(rng.binomial(1, chances(rng, shared), (runs, 2, n)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # chains are short
            held += holds(means, DIFFERENCE, i + 1, SHORT, **known, **more)
    return [held / replications]


def runs_in_clusters(
    clusters: int, runs: int, replications: int, rng: np.random.Generator
) -> list[float]:
    """Return coverage of items with runs in clusters, and without the clusters."""
    held = np.zeros(2)
    for i in range(replications):
        cluster = np.repeat(np.arange(clusters), 1 + rng.poisson(4, clusters))
        n = len(cluster)
        p = chances(rng, rng.normal(0, 1.2, clusters)[cluster] + rng.normal(0, 0.9, n))
        # A gains in some clusters: else the difference would hardly vary between them.
        p[0] += GAIN * (1 - p[0]) * (rng.random(clusters) < 0.5)[cluster]
        means, known = averaged(rng.binomial(1, p, (runs, 2, n)))
        held += (
            holds(means, GAINED, i + 1, **known, cluster=cluster),
            holds(means, GAINED, i + 1, **known),
        )
    return list(held / replications)


def ratios(n: int, replications: int, rng: np.random.Generator) -> list[float]:
    """Return how often weights over users cover the difference of two ratios of sums."""
    held = 0
    for i in range(replications):
        shown = rng.geometric(1 / 20, (2, n))  # a few users see most
        p = rng.beta(2, 18, n)  # on average a tenth
        clicks = rng.binomial(shown, np.stack([1.2 * p, p]).clip(max=1))
        held += holds(clicks, RATIO, i + 1, denominator=list(shown))
    return [held / replications]


def new_data_sets(sets: int, replications: int, rng: np.random.Generator) -> list[float]:
    """Return how often the interval of a new data set holds the difference on one."""
    held = 0
    for i in range(replications):
        true = rng.normal(0.1, 0.1, sets + 1)
        dataset = np.repeat(np.arange(sets), 30)
        a = true[dataset] + rng.normal(0, 0.3, len(dataset))
        values = np.stack([a, rng.normal(0, 0.01, len(dataset))])
        new = {"population": "datasets"}
        held += holds(values, true[-1], i + 1, new, dataset=dataset)
    return [held / replications]


GAIN = 0.4
SHORT = {"model": "repeated", "chains": 2, "draws": 1000, "warmup": 500}
_Z = stats.norm.ppf(GRID) * np.hypot(1.5, 0.7)
_A, _B = 1 / (1 + np.exp(-0.5 - _Z)), 1 / (1 + np.exp(-_Z))
DIFFERENCE = float(np.mean(_A - _B))
GAINED = DIFFERENCE + GAIN / 2 * float(np.mean(1 - _A))
RATIO = float(np.mean((1.2 * stats.beta(2, 18).ppf(GRID)).clip(max=1))) - 0.1


def notes(table: pd.DataFrame) -> str:
    """Describe what the simulations show."""
    covered = table.set_index(["design", "n"])["coverage"]
    usual = covered.loc[["normal", "bounded", "tied"]]
    kept, ignored = covered.loc["clusters"], covered.loc["clusters ignored"]
    by_model = table.set_index("model")["coverage"]
    return prose(
        """Of normal, bounded and tied differences {low:.1%} to {high:.1%} are covered, from 10
        items on; of log-normal ones {few:.1%} at 10 items, {some:.1%} at 50 and {many:.1%} at 200,
        where a caution points to their skewness. Weights over clusters cover {kept_low:.1%} to
        {kept_high:.1%}, the least with 8 clusters; without the clusters it would be
        {ignored_low:.1%} to {ignored_high:.1%}. Ratios of sums are covered in {ratio_low:.1%} to
        {ratio_high:.1%}, differences on a new data set in {new_low:.1%} to {new_high:.1%}. The
        repeated model is cautious with few items ({repeated_low:.1%} and {repeated_high:.1%}): its
        prior does not know how alike the systems are. Where draws are counted there are {draws:,}
        of them (repeated: 2,000), whose HDIs are a little too narrow.""",
        low=usual.min(),
        high=usual.max(),
        few=covered["skewed", 10],
        some=covered["skewed", 50],
        many=covered["skewed", 200],
        kept_low=kept.min(),
        kept_high=kept.max(),
        ignored_low=ignored.min(),
        ignored_high=ignored.max(),
        ratio_low=covered.loc["ratios"].min(),
        ratio_high=covered.loc["ratios"].max(),
        new_low=by_model.loc["datasets"].min(),
        new_high=by_model.loc["datasets"].max(),
        repeated_low=by_model.loc["repeated"].min(),
        repeated_high=by_model.loc["repeated"].max(),
        draws=FEW_DRAWS,
    )


def designs(
    replications: int, heavy: int, stan: int
) -> list[tuple[Callable, tuple, list[tuple], int]]:
    """List all simulations: a function, what it takes, what its results are, how often."""
    plan: list[tuple[Callable, tuple, list[tuple], int]] = [
        (of_items, (shape, n), [("items", shape, n)], replications)
        for shape in SHAPES
        for n in SIZES
    ]
    for c in (8, 12, 20, 50):
        told = [("clusters", "clusters", c), ("items", "clusters ignored", c)]
        plan.append((in_clusters, (c,), told, heavy))
    for n, runs in ((10, 5), (50, 5), (200, 3)):
        told = [
            ("items", f"{runs} runs, new items", n),
            ("runs", f"{runs} runs, these items again", n),
            ("items", f"{runs} runs taken as items", n),
        ]
        plan.append((with_runs, (n, runs), told, heavy))
    for c in (12, 50):
        told = [("clusters", "3 runs in clusters", c), ("items", "their clusters ignored", c)]
        plan.append((runs_in_clusters, (c, 3), told, heavy))
    plan.append((by_program, (10, 5, 0), [("repeated", "5 runs, new items", 10)], stan))
    plan.append((by_program, (20, 5, 10), [("repeated", "5 runs, 10 clusters", 20)], stan))
    plan += [(ratios, (n,), [("clusters", "ratios", n)], heavy) for n in (20, 50, 200)]
    plan += [
        (new_data_sets, (sets,), [("datasets", "a new data set", sets)], heavy)
        for sets in (5, 10, 20)
    ]
    return plan


def run(job: tuple[int, tuple[Callable, tuple, list[tuple], int]]) -> list[tuple]:
    """Simulate one design, with random numbers of its own."""
    place, (function, given, told, replications) = job
    covered = function(*given, replications, np.random.default_rng([17, place]))
    print(told[0], covered, file=sys.stderr, flush=True)
    return [(*who, share, replications) for who, share in zip(told, covered, strict=True)]


def main(replications: int = 10_000, heavy: int = 2000, stan: int = 1000) -> None:
    """Simulate all designs, two at a time."""
    with ProcessPoolExecutor(2) as pool:
        jobs = enumerate(designs(replications, heavy, stan))
        rows = [row for found in pool.map(run, jobs) for row in found]
    columns = ["model", "design", "n", "coverage", "replications"]
    write_text(HERE / "items.csv", as_csv(pd.DataFrame(rows, columns=columns)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
