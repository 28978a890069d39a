"""The speed of values per item: ten million of them, beside DuckDB's own grouping of the same."""

from pathlib import Path

import numpy as np

from stanoff import compare, contest, count

N = 10**7
ASKED = {"measure": "mean", "rope": 0.01, "seed": 1}
WIDE = {"a": "a", "b": "b"}


def make(folder: Path) -> None:
    """Write values of two systems on N items in wide format, and on half as many in long format."""
    import duckdb

    wide = f"""SELECT range AS item, (range * 7919) % 2000 AS thread,
        0.5 + 0.1 * random() AS a, 0.49 + 0.1 * random() AS b FROM range({N})"""
    long = f"""SELECT range AS item, name AS system, random() AS value
        FROM range({N // 2}), (VALUES ('a'), ('b')) s(name)"""
    for name, query in (("wide", wide), ("long", long)):
        duckdb.sql(f"COPY ({query}) TO '{folder / name}.parquet'")


def grouped(folder: Path, query: str) -> object:
    """Let DuckDB group by itself, and fetch what comes out."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    return connection.sql(query.format(folder=folder)).df()


# What is told, what stanoff does, and what DuckDB does beside it.
CASES = (
    (
        "10^7 long rows by item / DuckDB's GROUP BY",
        lambda folder: (
            compare(
                folder / "long.parquet", item="item", system="system", value="value", **ASKED
            ).decision
        ),
        """SELECT item, avg(value) FILTER (system = 'a'), avg(value) FILTER (system = 'b')
        FROM '{folder}/long.parquet' GROUP BY item""",
    ),
    (
        "10^7 items by name / DuckDB's GROUP BY",
        lambda folder: compare(folder / "wide.parquet", item="item", **WIDE, **ASKED).decision,
        "SELECT item, avg(a), avg(b) FROM '{folder}/wide.parquet' GROUP BY item",
    ),
    (
        "10^7 items by cluster, read / DuckDB's GROUP BY",
        lambda folder: count(folder / "wide.parquet", cluster="thread", kind="values", **WIDE).sums,
        "SELECT thread, sum(a), sum(b), count(*) FROM '{folder}/wide.parquet' GROUP BY thread",
    ),
)


def fifty() -> object:
    """Hold a contest of 50 systems on 1,000 items."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(1000, 1)) + rng.normal(np.linspace(0, 0.1, 50), 1.0, (1000, 50))
    return contest({f"s{k}": values[:, k] for k in range(50)}, measure="mean", seed=1).summary()
