"""How often intervals of cross-validated scores cover the truth.

Two systems are the same learner on five features each, all as informative: the true difference is
0. Their scores on the test folds are judged as independent items (the paired t), by the corrected t
of Nadeau & Bengio from SciPy, and by ``compare(a, b, folds=10)``. Writes ``folds.csv``:

    cd reports && python -m validation.folds
"""

import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from common import prose
from scipy import stats

from stanoff import compare
from validation.harness import in_percent, run_rows

DOCUMENTS, FEATURES, FOLDS, SHIFT = 200, 5, 10, 0.25
REPEATS = (1, 3, 10)
ROPE = 0.01
METHODS = ("naive t", "corrected t", "folds")
Learner = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def nearest_centroid(x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return the accuracy of the nearest centroid on each fold."""
    accuracy = []
    for k in range(FOLDS):
        train, test = fold != k, fold == k
        centroids = [x[train & (y == label)].mean(axis=0) for label in (0, 1)]
        distance = [((x[test] - centroid) ** 2).sum(axis=1) for centroid in centroids]
        accuracy.append(((distance[1] < distance[0]) == y[test]).mean())
    return np.array(accuracy)


def nearest_neighbour(x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return the accuracy of the nearest neighbour on each fold."""
    distance = ((x[:, None] - x) ** 2).sum(axis=-1)
    distance[fold[:, None] == fold] = np.inf
    right = y[distance.argmin(axis=1)] == y
    return np.bincount(fold, right) / np.bincount(fold)


def stump(x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return the accuracy of the best threshold of the best feature on each fold."""
    accuracy = []
    columns = np.arange(x.shape[1])
    for k in range(FOLDS):
        train, test = fold != k, fold == k
        order = x[train].argsort(axis=0)
        sorted_x, sorted_y = x[train][order, columns], y[train][order]
        below = np.cumsum(1 - 2 * sorted_y, axis=0)  # zeros less ones up to each threshold
        right = below[:-1] + sorted_y.sum(axis=0)  # predict 1 above it
        row, column = np.unravel_index(right.argmax(), right.shape)
        threshold = sorted_x[row : row + 2, column].mean()
        accuracy.append(((x[test, column] > threshold) == y[test]).mean())
    return np.array(accuracy)


LEARNERS = {"nearest centroid": nearest_centroid, "1-NN": nearest_neighbour, "stump": stump}


def scores(learner: Learner, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of both systems on the same folds (repeat, fold)."""
    y = np.arange(DOCUMENTS) % 2
    x = rng.normal(size=(DOCUMENTS, 2 * FEATURES)) + SHIFT * (2 * y - 1)[:, None]
    a, b = [], []
    for _ in range(max(REPEATS)):
        fold = rng.permutation(DOCUMENTS) % FOLDS
        a.append(learner(x[:, :FEATURES], y, fold))
        b.append(learner(x[:, FEATURES:], y, fold))
    return np.array(a), np.array(b)


def intervals(a: np.ndarray, b: np.ndarray) -> list[tuple[float, float]]:
    """Return the 95 % intervals of the difference by the three methods."""
    difference = (a - b).ravel()
    n = len(difference)
    mean, sd = difference.mean(), difference.std(ddof=1)
    widths = sd * np.sqrt([1 / n, 1 / n + 1 / (FOLDS - 1)])
    naive, corrected = (stats.t(n - 1, mean, width).interval(0.95) for width in widths)
    options = {"folds": FOLDS, "repeats": len(a), "rope": ROPE, "seed": 1, "draws": 100}
    ours = compare(a.ravel(), b.ravel(), **options).evidence().hdi
    return [naive, corrected, ours]


def simulate(job: tuple[int, tuple[str, int]]) -> list[dict]:
    """Simulate one learner, with random numbers of its own."""
    index, (name, replications) = job
    rng = np.random.default_rng([31, index])
    ends = np.empty((len(REPEATS), replications, len(METHODS), 2))
    for i in range(replications):
        a, b = scores(LEARNERS[name], rng)
        while np.ptp(a[0] - b[0]) == 0:  # without variance there is no verdict
            a, b = scores(LEARNERS[name], rng)
        ends[:, i] = [intervals(a[:repeats], b[:repeats]) for repeats in REPEATS]
    low, high = ends[..., 0], ends[..., 1]
    results = {
        "coverage": ((low <= 0) & (high >= 0)).mean(axis=1),
        "wrong": ((low > ROPE) | (high < -ROPE)).mean(axis=1),
        "width": (high - low).mean(axis=1),
    }
    return [
        {"learner": name, "repeats": repeats, "method": method}
        | {result: values[j, k] for result, values in results.items()}
        | {"replications": replications}
        for j, repeats in enumerate(REPEATS)
        for k, method in enumerate(METHODS)
    ]


def notes(table: pd.DataFrame) -> str:
    """Describe what the simulations show."""
    cells = table.set_index(["method", "learner", "repeats"])
    naive, ours = cells.loc["naive t"], cells.loc["folds"]
    once, ten_times = (naive["coverage"].xs(n, level="repeats") for n in (1, 10))
    stable = ours.loc["nearest centroid", "coverage"]
    others = ours.query("learner != 'nearest centroid'")["coverage"]
    widths = ours["width"].groupby("repeats").mean()
    return prose(
        """The same learner on two sets of features, {n} documents, 10 folds: the true difference is
        0. Taken as independent, {one[0]:.0%} to {one[1]:.0%} of 95% intervals hold it with one
        repeat, and {ten[0]:.0%} to {ten[1]:.0%} with ten; up to {wrong:.0%} of the verdicts are
        then settled and wrong. Under the folds model {stable[0]:.0%} to {stable[1]:.0%} hold it for
        the nearest centroid, and {others[0]:.0%} to {others[1]:.0%} for 1-NN and stumps, which vary
        with their training set more than a correlation of 1/10 allows for. Ten repeats in the place
        of one make its interval narrower by {gain:.0%}. The corrected t is the same interval, from
        SciPy.""",
        n=DOCUMENTS,
        one=(once.min(), once.max()),
        ten=(ten_times.min(), ten_times.max()),
        wrong=naive["wrong"].max(),
        stable=(stable.min(), stable.max()),
        others=(others.min(), others.max()),
        gain=1 - widths[10] / widths[1],
    )


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers: a row per learner and repeats, coverage in percent.

    The corrected t is left out: it is the same interval as that of the folds model.
    """
    table = table[table["method"] != "corrected t"]
    text = table[["learner", "repeats", "method"]].assign(
        covers=in_percent(table["coverage"]),
        wrong=in_percent(table["wrong"]),
        width=table["width"].map("{:.3f}".format),
    )
    wide = text.pivot(index=["learner", "repeats"], columns="method")
    wide.columns = [f"{method}: {value}" for value, method in wide.columns]
    return wide.reset_index()


def main(replications: int = 1000) -> None:
    """Simulate all learners, two at a time."""
    run_rows("folds", simulate, [(name, replications) for name in LEARNERS])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
