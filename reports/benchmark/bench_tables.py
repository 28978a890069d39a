"""Counting and joining large tables, beside the same by hand.

    python reports/benchmark/bench_tables.py WHAT FOLDER

``bench.py`` runs every WHAT in a process of its own, and reads its seconds and its memory.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import narwhals  # noqa: F401 - loaded before the clock starts, as DuckDB is
import pandas as pd  # noqa: F401

from stanoff import count

ROWS, IDS, DASK_ROWS = 10**8, 10**7, 10**7
WORDS = "['art', 'law', 'sport', 'war']"


def make(folder: Path) -> None:
    """Write the tables."""
    with duckdb.connect() as connection:
        connection.sql("SELECT setseed(0.5)")
        said = ", ".join(f"{WORDS}[1 + floor(4 * random())::INT] AS {name}" for name in "yab")
        target = folder / "labels.parquet"
        connection.sql(f"SELECT {said} FROM range({ROWS}) t(i)").write_parquet(str(target))
        for k, name in enumerate(("a", "b")):
            table = connection.sql(
                f"SELECT (i * 7919 + {k}) % {IDS} AS doc, {WORDS}[1 + (doc % 4)::INT] AS label, "
                f"{WORDS}[1 + (hash(doc, {k}) % 4)::INT] AS pred FROM range({IDS}) t(i)"
            )
            table.write_parquet(str(folder / f"{name}.parquet"))
        table = connection.sql(f"SELECT * FROM '{target}' LIMIT {DASK_ROWS}")
        parts = folder / "parts"
        parts.mkdir()
        for k in range(8):
            size = DASK_ROWS // 8
            table.limit(size, k * size).write_parquet(str(parts / f"{k}.parquet"))


def count_file(folder: Path) -> object:
    """Count 10^8 rows of a file."""
    return count(folder / "labels.parquet", truth="y", a="a", b="b", average="macro")


def count_file_by_hand(folder: Path) -> object:
    """Do the same with DuckDB."""
    query = f"SELECT y, a, b, count(*) FROM '{folder}/labels.parquet' GROUP BY ALL"
    with duckdb.connect() as connection:
        return connection.sql(query).fetchall()


def join_files(folder: Path) -> object:
    """Join two files of 10^7 ids, with 1 GB of memory for DuckDB."""
    os.environ["STANOFF_MEMORY"] = "1GB"
    files = folder / "a.parquet", folder / "b.parquet"
    return count(files, id="doc", truth="label", a="pred", b="pred", average="macro")


def join_files_by_hand(folder: Path) -> object:
    """Do the same with DuckDB."""
    query = (
        "SELECT a.label, a.pred, b.pred, count(*) "
        f"FROM '{folder}/a.parquet' a JOIN '{folder}/b.parquet' b USING (doc) GROUP BY ALL"
    )
    settings = {"memory_limit": "1GB", "temp_directory": str(folder)}
    with duckdb.connect(config=settings) as connection:
        return connection.sql(query).fetchall()


def count_dask(folder: Path) -> object:
    """Count 10^7 rows on a Dask cluster of two processes."""

    def ours(frame: object) -> object:
        return count(frame, truth="y", a="a", b="b", average="macro")

    return _on_dask(folder, ours)


def count_dask_by_hand(folder: Path) -> object:
    """Do the same with value_counts in every partition."""
    return _on_dask(
        folder,
        lambda frame: frame.map_partitions(lambda part: part.value_counts()).compute(),
    )


def _on_dask(folder: Path, work: Callable[[object], object]) -> float:
    """Time a run after one on some partitions, which warms the workers up but leaves nothing."""
    from dask import dataframe
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR"
        ) as cluster,
        Client(cluster),
    ):
        frame = dataframe.read_parquet(folder / "parts")
        work(frame.partitions[:2])
        start = time.perf_counter()
        work(frame)
        return time.perf_counter() - start


if __name__ == "__main__":
    what, where = sys.argv[1], Path(sys.argv[2])
    count([0, 1], [0, 1], [1, 1])  # loads what is loaded when it is used
    started = time.perf_counter()
    answer = globals()[what](where)
    taken = answer if isinstance(answer, float) else time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # kB on Linux
    print(json.dumps({"seconds": taken, "gigabytes": peak}))
