"""How often intervals of values per item cover the truth.

Simulated differences of several shapes, with clusters, runs, data sets and ratios, each judged as a
comparison would be: the share of 95 % HDIs that hold the true difference. Writes ``items.csv``;
``build.py`` shows it:

    cd reports && python -m validation.items
"""

import sys
import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from common import prose
from scipy import stats

from stanoff import SamplingWarning, compare
from validation.harness import Design, cover, percent_range, run_rows

SIZES = (10, 50, 200)
N_DRAWS = 4000


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


def of_items(rng: np.random.Generator, seed: int, shape: str, n: int) -> tuple[bool, ...]:
    """Judge by the exact t of the items model."""
    a, b, truth = SHAPES[shape](rng, n)
    d = a - b
    low, high = stats.t(n - 1, d.mean(), d.std(ddof=1) / np.sqrt(n)).interval(0.95)
    return (bool(low <= truth <= high),)


def holds(values: np.ndarray, truth: float, seed: int, columns: Any = None, **options: Any) -> bool:
    """Compare values (system, item) or (run, system, item); return whether the HDI holds the truth.

    ``columns`` are further columns of the items, by the options that take them (``cluster``,
    ``dataset``), or of the values (``denominator``).
    """
    shape = values.shape if values.ndim == 3 else (1, *values.shape)
    _, system, item = np.indices(shape)  # rows of the same item and system are runs
    frame = pd.DataFrame({"item": item.ravel(), "system": np.array(["A", "B"])[system.ravel()]})
    frame["value"] = np.ravel(values)
    for name, column in (columns or {}).items():
        frame[name] = np.ravel(column) if np.ndim(column) == 2 else column[item.ravel()]
        options[name] = name
    settings = {"measure": "ratio" if "denominator" in frame else "mean", "draws": N_DRAWS}
    settings |= {"item": "item", "system": "system", "value": "value", "seed": seed} | options
    low, high = compare(frame, **settings).evidence().hdi
    return bool(low <= truth <= high)


def in_clusters(rng: np.random.Generator, seed: int, clusters: int) -> tuple[bool, ...]:
    """Judge by weights over clusters, and without the clusters."""
    cluster = np.repeat(np.arange(clusters), 1 + rng.poisson(6, clusters))
    n = len(cluster)
    a = 0.1 + rng.normal(0, 0.3, clusters)[cluster] + rng.normal(0, 0.5, n)
    values = np.stack([a, rng.normal(0, 0.1, n)])
    return holds(values, 0.1, seed, {"cluster": cluster}), holds(values, 0.1, seed)


def chances(rng: np.random.Generator, shared: np.ndarray) -> np.ndarray:
    """Return how probable right answers of A and B are, given what items have in common."""
    odds = np.stack([0.5 + shared, shared]) + rng.normal(0, 0.7, (2, len(shared)))
    return 1 / (1 + np.exp(-odds))


def with_runs(rng: np.random.Generator, seed: int, n: int, runs: int) -> tuple[bool, ...]:
    """Judge new items, these items asked again, and runs taken as items."""
    p = chances(rng, rng.normal(0, 1.5, n))
    right = rng.binomial(1, p, (runs, 2, n))
    return (
        holds(right, DIFFERENCE, seed),
        holds(right, float((p[0] - p[1]).mean()), seed, population="runs"),
        holds(np.concatenate(right, axis=1), DIFFERENCE, seed),
    )


def by_program(
    rng: np.random.Generator, seed: int, n: int, runs: int, clusters: int
) -> tuple[bool, ...]:
    """Judge by the repeated model, which is Stan's; with clusters if there are."""
    shared, columns = rng.normal(0, 1.5, n), {}
    if clusters:  # whose items share most of what makes them difficult: 1.2^2 + 0.9^2 = 1.5^2
        columns["cluster"] = np.arange(n) % clusters
        shared = rng.normal(0, 1.2, clusters)[columns["cluster"]] + rng.normal(0, 0.9, n)
    right = rng.binomial(1, chances(rng, shared), (runs, 2, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # chains are short
        return (holds(right, DIFFERENCE, seed, columns, **SHORT),)


def runs_in_clusters(
    rng: np.random.Generator, seed: int, clusters: int, runs: int
) -> tuple[bool, ...]:
    """Judge items with runs in clusters, and without the clusters."""
    cluster = np.repeat(np.arange(clusters), 1 + rng.poisson(4, clusters))
    n = len(cluster)
    p = chances(rng, rng.normal(0, 1.2, clusters)[cluster] + rng.normal(0, 0.9, n))
    # A gains in some clusters: else the difference would hardly vary between them.
    p[0] += GAIN * (1 - p[0]) * (rng.random(clusters) < 0.5)[cluster]
    right = rng.binomial(1, p, (runs, 2, n))
    return holds(right, GAINED, seed, {"cluster": cluster}), holds(right, GAINED, seed)


def ratios(rng: np.random.Generator, seed: int, n: int) -> tuple[bool, ...]:
    """Judge the difference of two ratios of sums by weights over users."""
    shown = rng.geometric(1 / 20, (2, n))  # a few users see most
    p = rng.beta(2, 18, n)  # on average a tenth
    clicks = rng.binomial(shown, np.stack([1.2 * p, p]).clip(max=1))
    return (holds(clicks, RATIO, seed, {"denominator": shown}),)


def new_data_sets(rng: np.random.Generator, seed: int, sets: int) -> tuple[bool, ...]:
    """Judge the difference on a new data set."""
    true = rng.normal(0.1, 0.1, sets + 1)
    dataset = np.repeat(np.arange(sets), 30)
    a = true[dataset] + rng.normal(0, 0.3, len(dataset))
    values = np.stack([a, rng.normal(0, 0.01, len(dataset))])
    return (holds(values, true[-1], seed, {"dataset": dataset}, population="datasets"),)


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
    by_model = table.set_index("model")["coverage"]
    designs = ("clusters", "clusters ignored", "ratios")
    clusters, ignored, ratios = (percent_range(covered.loc[design]) for design in designs)
    return prose(
        """Of normal, bounded and tied differences {usual} are covered, from 10
        items on; of log-normal ones {few:.1%} at 10 items, {some:.1%} at 50 and {many:.1%} at 200,
        where a warning points to their skewness. Weights over clusters cover {clusters}, the least
        with 8 clusters; without the clusters it would be {ignored}. Ratios of sums are covered in
        {ratios}, differences on a new data set in {new}. The repeated model is cautious with few
        items ({repeated[0]:.1%} and {repeated[1]:.1%}): its
        prior does not know how similar the systems are. Where draws are counted there are {draws:,}
        of them (repeated: 2,000), whose HDIs are a little too narrow.""",
        usual=percent_range(covered.loc[["normal", "bounded", "tied"]]),
        few=covered["skewed", 10],
        some=covered["skewed", 50],
        many=covered["skewed", 200],
        **{"clusters": clusters, "ignored": ignored, "ratios": ratios, "draws": N_DRAWS},
        new=percent_range(by_model.loc["datasets"]),
        repeated=sorted(by_model.loc["repeated"]),
    )


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers: coverage in percent."""
    text = table.assign(coverage=table["coverage"].map("{:.1%}".format), n=table["n"].map(str))
    return text.drop(columns="replications")


def results(*rows: tuple[str, str, int]) -> list[dict]:
    """Label the results of a design: by which model, what, of how many."""
    return [dict(zip(("model", "design", "n"), row, strict=True)) for row in rows]


def designs(replications: int, heavy: int, stan: int) -> list[Design]:
    """List all simulations."""
    plan: list[Design] = [
        (of_items, (shape, n), results(("items", shape, n)), replications)
        for shape in SHAPES
        for n in SIZES
    ]
    for c in (8, 12, 20, 50):
        labels = results(("clusters", "clusters", c), ("items", "clusters ignored", c))
        plan.append((in_clusters, (c,), labels, heavy))
    for n, runs in ((10, 5), (50, 5), (200, 3)):
        labels = results(
            ("items", f"{runs} runs, new items", n),
            ("runs", f"{runs} runs, these items again", n),
            ("items", f"{runs} runs taken as items", n),
        )
        plan.append((with_runs, (n, runs), labels, heavy))
    for c in (12, 50):
        clustered = ("clusters", "3 runs in clusters", c), ("items", "their clusters ignored", c)
        plan.append((runs_in_clusters, (c, 3), results(*clustered), heavy))
    plan.append((by_program, (10, 5, 0), results(("repeated", "5 runs, new items", 10)), stan))
    plan.append((by_program, (20, 5, 10), results(("repeated", "5 runs, 10 clusters", 20)), stan))
    plan += [(ratios, (n,), results(("clusters", "ratios", n)), heavy) for n in (20, 50, 200)]
    sets = [(n, results(("datasets", "a new data set", n))) for n in (5, 10, 20)]
    return plan + [(new_data_sets, (n,), labels, heavy) for n, labels in sets]


simulate = partial(cover, seed=17)


def main(replications: int = 10_000, heavy: int = 2000, stan: int = 1000) -> None:
    """Simulate all designs, two at a time."""
    run_rows("items", simulate, designs(replications, heavy, stan))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
