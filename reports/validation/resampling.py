"""How often intervals cover where systems are trained several times, or compared on many data sets.

Simulated accuracies of trained copies (seeds) on documents, out-of-fold predictions of learners
that vary with their training set, and differences in several data sets; beside them what is often
done instead. Writes ``resampling.csv``:

    cd reports && python -m validation.resampling
"""

import sys
from functools import partial

import numpy as np
import pandas as pd
from common import prose
from scipy import stats

from stanoff.data.trained import TrainedLabels
from stanoff.measures import get
from stanoff.models.seeds import crossed_squares, linearise, variance_of_difference
from validation.harness import Design, cover, run_rows

COPIES, DOCUMENTS, DATA_SETS = 10, 500, 15
SPREADS = (0.003, 0.01, 0.02)


def copies(rng: np.random.Generator, sd: float) -> tuple[np.ndarray, np.ndarray]:
    """Return right answers (copy, document) of two systems that are equally good."""
    difficulty = rng.normal(0, 1.5, DOCUMENTS)
    tables = []
    for _ in range(2):
        odds = 4 + 1.5 * difficulty + rng.normal(0, 1, DOCUMENTS)
        slope = np.mean(np.exp(-odds) / (1 + np.exp(-odds)) ** 2)
        odds = odds + rng.normal(0, sd / slope, (COPIES, 1))
        tables.append((rng.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(float))
    return tables[0], tables[1]


def holds(difference: float, variance: float, degrees: float) -> bool:
    """Return whether the 95 % interval of a t around the difference holds 0."""
    return bool(abs(difference) <= stats.t.ppf(0.975, degrees) * np.sqrt(variance))


def of_seeds(rng: np.random.Generator, seed: int, sd: float) -> tuple[bool, ...]:
    """Judge by the seeds model, by that of labels, and by runs taken as independent."""
    owner, (a, b) = np.repeat([0, 1], COPIES), copies(rng, sd)
    squares = crossed_squares(np.concatenate([a, b]), owner)
    d = a.mean(axis=0) - b.mean(axis=0)
    truth = (rng.random(DOCUMENTS) < 0.4).astype(np.int64)
    right = np.concatenate([a, b]) > 0
    predicted = np.where(right, truth, 1 - truth)[:, None].astype(np.int64)
    labels = TrainedLabels(("1",), owner, truth[None], predicted)
    f1 = crossed_squares(linearise(labels, get("f1"))[0], owner)
    return (
        holds(d.mean(), *variance_of_difference(squares, 0, 1)),
        holds(f1["centre"][0] - f1["centre"][1], *variance_of_difference(f1, 0, 1)),
        holds(d.mean(), d.var(ddof=1) / DOCUMENTS, DOCUMENTS - 1),
    )


def of_data_sets(rng: np.random.Generator, seed: int, spread: float) -> tuple[bool, ...]:
    """Judge the mean over data sets, the next one, and folds taken as items."""
    true = spread * rng.standard_t(5, DATA_SETS + 1)
    folds = true[:-1, None] + rng.normal(0, 0.02, (DATA_SETS, 10))
    d, n = folds.mean(axis=1), DATA_SETS
    return (
        holds(d.mean(), d.var(ddof=1) / n, n - 1),
        holds(d.mean() - true[-1], d.var(ddof=1) * (1 + 1 / n), n - 1),
        holds(folds.mean(), folds.var(ddof=1) / folds.size, folds.size - 1),
    )


def out_of_fold(rng: np.random.Generator, seed: int, k: int, sd: float) -> tuple[bool, ...]:
    """Judge equally good learners by documents, and by the correlated t of folds.

    What a training set does to a learner is shared by all folds to the extent that these share
    their training sets, (k - 2) / (k - 1).
    """
    n, shared = DOCUMENTS // k * k, np.sqrt((k - 2) / (k - 1))
    ability, fold, right = 2 + rng.normal(0, 1, n), np.arange(n) % k, []
    for _system in range(2):
        effect = shared * rng.normal(0, sd) + np.sqrt(1 - shared**2) * rng.normal(0, sd, k)
        odds = ability + rng.normal(0, 1, n) + effect[fold]
        right.append((rng.random(n) < 1 / (1 + np.exp(-odds))).astype(float))
    d = right[0] - right[1]
    x = np.array([d[fold == i].mean() for i in range(k)])
    return (
        holds(d.mean(), d.var(ddof=1) / n, n - 1),
        holds(d.mean(), x.var(ddof=1) * (1 / k + 1 / (k - 1)), k - 1),
    )


def designs(replications: int) -> list[Design]:
    """List all simulations."""
    seeds = ["seeds, accuracy", "seeds, F1", "copies taken as independent runs"]
    sets = ["mean over data sets", "the next data set", "folds taken as items"]
    folds = ["out of fold, documents", "out of fold, scores of folds"]
    plan = [
        *((of_seeds, (sd,), seeds, replications) for sd in SPREADS),
        *((of_data_sets, (sd,), sets, 4 * replications) for sd in (0.005, 0.03)),
        *((out_of_fold, (10, sd), folds, 4 * replications) for sd in (0.0, 0.1, 0.3)),
    ]
    return [
        (judge, arguments, [{"design": name, "sd": arguments[-1]} for name in names], n)
        for judge, arguments, names, n in plan
    ]


simulate = partial(cover, seed=31)


def notes(table: pd.DataFrame) -> str:
    """Describe what the simulations show."""
    covers = table.set_index("design")["coverage"]
    seeds, items = covers[["seeds, accuracy", "seeds, F1"]], covers["folds taken as items"]
    return prose(
        """Systems that are equally good. With {copies} trained copies of each on {n} documents,
        {seeds[0]:.0%} to {seeds[1]:.0%} of 95% intervals of the seeds model hold the difference,
        and down to {runs:.0%} where copies are taken as independent runs. On {sets} data sets with
        ten folds each, {mean:.0%} or more hold the mean over data sets; taken as items, folds hold
        it in {items[0]:.0%} to {items[1]:.0%}. Out-of-fold predictions tell of new training sets as
        often as they should only where these have no effect: with the largest effect here,
        documents hold the difference in {documents:.0%}, the scores of folds in {folds:.0%}.""",
        copies=COPIES,
        n=DOCUMENTS,
        seeds=(seeds.min(), seeds.max()),
        runs=covers["copies taken as independent runs"].min(),
        sets=DATA_SETS,
        mean=covers["mean over data sets"].min(),
        items=(items.min(), items.max()),
        documents=covers["out of fold, documents"].min(),
        folds=covers["out of fold, scores of folds"].min(),
    )


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers: coverage in percent."""
    columns = {"sd": table["sd"].map("{:g}".format), "replications": table["replications"].map(str)}
    return table.assign(coverage=table["coverage"].map("{:.1%}".format), **columns)


def main(replications: int = 400) -> None:
    """Simulate all designs, two at a time."""
    columns = ["design", "coverage", "sd", "replications"]
    run_rows("resampling", simulate, designs(replications), columns)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
