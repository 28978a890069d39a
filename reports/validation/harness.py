"""What the studies of this folder share: they run in parallel, and keep their rows as CSV."""

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import as_csv

HERE = Path(__file__).resolve().parent
# What judges one data set (rng, seed, *arguments), the labels of its results, and how many times.
Design = tuple[Callable[..., tuple[bool, ...]], tuple, list[dict], int]


def run(function: Callable[[Any], Any], tasks: Iterable[Any], workers: int = 2) -> list[Any]:
    """Call a function for every task, and say how far it is."""
    tasks, results = list(tasks), []
    with ProcessPoolExecutor(workers) as pool:
        for n, result in enumerate(pool.map(function, tasks), start=1):
            results.append(result)
            if n % max(1, len(tasks) // 20) == 0:
                print(f"{n:,} of {len(tasks):,}", flush=True)
    return results


def run_rows(
    name: str,
    simulate: Callable[[Any], list[dict]],
    designs: Iterable[Any],
    columns: list[str] | None = None,
) -> None:
    """Simulate numbered designs, each of which gives some rows, and keep all rows."""
    results = run(simulate, enumerate(designs))
    keep(name, pd.DataFrame([row for rows in results for row in rows], columns=columns))


def coverage(
    judge: Callable[..., tuple[bool, ...]], arguments: tuple, n: int, rng: np.random.Generator
) -> list[float]:
    """Return how often the intervals of a design hold the truth, of so many."""
    return list(np.mean([judge(rng, i + 1, *arguments) for i in range(n)], axis=0))


def cover(job: tuple[int, Design], seed: int) -> list[dict]:
    """Simulate one design, with random numbers of its own; return a row per result."""
    index, (judge, arguments, labels, n) = job
    shares = coverage(judge, arguments, n, np.random.default_rng([seed, index]))
    rows = zip(labels, shares, strict=True)
    return [label | {"coverage": share, "replications": n} for label, share in rows]


def keep(name: str, table: pd.DataFrame) -> None:
    """Write a table beside these scripts."""
    (HERE / f"{name}.csv").write_text(as_csv(table), "utf-8", newline="\n")


def kept(name: str) -> pd.DataFrame:
    """Read a table that a study has written."""
    return pd.read_csv(HERE / f"{name}.csv")


def percent_range(shares: pd.Series) -> str:
    """Write the lowest and the highest share.

    Examples
    --------
    >>> percent_range(pd.Series([0.5, 0.123]))
    '12.3% to 50.0%'
    """
    return f"{100 * shares.min():.1f}% to {100 * shares.max():.1f}%"


def in_percent(shares: pd.Series) -> pd.Series:
    """Write shares with one decimal, and a dash where there is none."""
    return shares.map(lambda share: "–" if pd.isna(share) else f"{100 * share:.1f}")
