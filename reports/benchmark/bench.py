"""Speed, as ratios of things measured side by side in one run.

    python reports/benchmark/bench.py [SECTION ...]

Every ratio has a bar; the exit code is 1 if one is missed. What needs much memory or much time runs
in a process of its own (``bench.py alone WHAT ARGUMENT``), which prints its seconds and gigabytes.
``bench_peers.py`` measures other packages.
"""

import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import duckdb
import narwhals  # noqa: F401 - loaded before the clock starts, as DuckDB is
import numpy as np
import pandas as pd
from scipy import stats

from stanoff import compare, compare_counts, contest, count
from stanoff.workbench import cmdstan_model

POS, NEG = [310, 25, 20, 43], [40, 30, 25, 7039]
PAIRED_DATA = {
    **{"K": 1, "c_pos": [POS], "c_neg": [NEG], "beta": [1, 1], "prevalence": 0},
    **{"alpha_pos": [1] * 4, "alpha_neg": [1] * 4, "prior_only": 0},
    **{"measure": 1, "f_beta": 1, "zero_division": 0},
}
ROOT = Path(__file__).resolve().parents[2]
SYSTEMS, DRAWS, SCORE_DRAWS = 4, 50_000, 4000
ROWS, IDS, DASK_ROWS, ITEMS = 10**8, 10**7, 10**7, 10**7
WORDS = "['art', 'law', 'sport', 'war']"
MISSED: list[str] = []


def in_turn(
    first: Callable[[], object], second: Callable[[], object], repeats: int = 5
) -> tuple[float, float]:
    """Time both alternately after one warm-up each; the median seconds of each."""
    times: tuple[list[float], list[float]] = ([], [])
    first(), second()
    for _ in range(repeats):
        for function, seconds in zip((first, second), times, strict=True):
            start = time.perf_counter()
            function()
            seconds.append(time.perf_counter() - start)
    return float(np.median(times[0])), float(np.median(times[1]))


def ratio(what: str, ours: float, beside: float, bar: float) -> None:
    """Print one line; remember it if the ratio is above its bar."""
    limit(what, ours / beside, bar, f"{ours:9.3f}s {beside:9.3f}s {ours / beside:8.2f}")


def limit(what: str, value: float, bar: float, numbers: str = "") -> None:
    """Print one line; remember it if the number is above its bar."""
    numbers = numbers or f"{value:9.3f}  {'':19}"
    print(f"{what:58} {numbers}  <= {bar:.3g}{'  MISSED' * (value > bar)}", flush=True)
    if value > bar:
        MISSED.append(what)


def alone(what: str, argument: object) -> tuple[float, float]:
    """Run a function of ``ALONE`` in a process of its own: its seconds, its most memory in GB."""
    command = [sys.executable, __file__, "alone", what, str(argument)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, gigabytes = json.loads(ran.stdout.splitlines()[-1])
    return seconds, gigabytes


def narrowest(draws: np.ndarray) -> tuple[float, float]:
    """Return the narrowest interval with 95% of the draws."""
    ordered, inside = np.sort(draws), int(0.95 * len(draws))
    start = np.argmin(ordered[inside:] - ordered[:-inside])
    return ordered[start], ordered[start + inside]


def exact_by_hand(rng: np.random.Generator, draws: int = DRAWS) -> dict[str, object]:
    """Draw the paired posterior and prior from gammas, and gather all evidence."""
    deltas = []
    for weights in (np.add(POS + NEG, 1.0), np.ones(8)):
        gammas = rng.standard_gamma(weights, (draws, 8))
        pos, neg = (g / g.sum(axis=1, keepdims=True) for g in (gammas[:, :4], gammas[:, 4:]))
        n_pos, n_neg = (sum(POS), sum(NEG)) if weights[0] > 1 else (0, 0)
        mu = rng.beta(1 + n_pos, 1 + n_neg, draws)
        tp, fp = (
            [share * (cells[:, 0] + cells[:, other]) for other in (1, 2)]
            for share, cells in ((mu, pos), (1 - mu, neg))
        )
        a, b = (2 * hits / (mu + hits + false) for hits, false in zip(tp, fp, strict=True))
        deltas.append(a - b)
    delta, prior = deltas
    p_rope, q_rope = (np.mean(np.abs(d) <= 0.05) for d in deltas)
    density, prior_density = (stats.gaussian_kde(d)(0)[0] for d in (delta, prior))
    return {
        **{"mean": delta.mean(), "std": delta.std(), "hdi": narrowest(delta)},
        **{"p_less": np.mean(delta < 0), "p_rope": p_rope, "bf_sd": density / prior_density},
        "bf_rope": p_rope / (1 - p_rope) / (q_rope / (1 - q_rope)),
    }


def engines() -> None:
    """One comparison with all evidence: by hand in NumPy, and cmdstanpy's sample alone."""
    rng = np.random.default_rng(1)

    def exact() -> None:
        compare_counts(POS, NEG, engine="exact", draws=DRAWS, seed=1).summary()

    times = in_turn(exact, lambda: exact_by_hand(rng))
    ratio("exact engine / by hand in NumPy and SciPy", *times, bar=2)
    logging.getLogger("cmdstanpy").setLevel(logging.WARNING)
    model = cmdstan_model("paired")
    options = {"sig_figs": 18, "show_progress": False}
    times = in_turn(
        lambda: compare_counts(POS, NEG, engine="stan", seed=1).summary(),
        lambda: model.sample(PAIRED_DATA, seed=2, **options),
        repeats=9,
    )
    ratio("stan engine / cmdstanpy's sample of the same program", *times, bar=2)


def loading() -> None:
    """Import and help, in processes of their own."""

    def run(*arguments: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, *arguments], capture_output=True, check=True)

    bare, imported = in_turn(run("-c", "pass"), run("-c", "import stanoff"))
    limit("import stanoff (s, without Python's own start)", imported - bare, bar=0.05)
    helped, _ = in_turn(run("-m", "stanoff", "--help"), run("-c", "pass"))
    limit("stanoff --help (s)", helped, bar=0.5)


def counting(n: int = 10**7) -> None:
    """Count ten million rows of labels, and bincount on encoded labels plus the encoding."""
    rng = np.random.default_rng(0)
    words = np.array(["ham", "spam"], dtype=object)
    for kind, make in {
        "int": lambda: rng.integers(0, 2, n),
        "bool": lambda: rng.uniform(size=n) < 0.5,
        "20 classes": lambda: rng.integers(0, 20, n),
        "categorical": lambda: pd.Categorical.from_codes(rng.integers(0, 2, n), ["ham", "spam"]),
        "text": lambda: words[rng.integers(0, 2, n)],
    }.items():
        columns = [make() for _ in range(3)]

        def plain(columns: list[Any] = columns) -> None:
            codes = [pd.factorize(column)[0] for column in columns]
            m = max(int(c.max()) for c in codes) + 1
            np.bincount((codes[0] * m + codes[1]) * m + codes[2])

        def ours(columns: list[Any] = columns) -> None:
            count(*columns, average="macro")

        times = in_turn(ours, plain, repeats=3)
        ratio(f"counting 10^7 labels ({kind}) / encoding and bincount", *times, bar=2)


def growing() -> None:
    """Compare few and many documents, less the time it takes to count them."""
    rng = np.random.default_rng(0)
    times = []
    for n in (10**3, 10**6):
        labels = rng.integers(0, 2, (3, n))
        compared, counted = in_turn(
            lambda labels=labels: compare(*labels, engine="exact", seed=1).summary(),
            lambda labels=labels: count(*labels),
        )
        times.append(compared - counted)
    ratio("10^6 documents / 10^3, without counting them", times[1], times[0], bar=1.5)


def many_classes(n: int = 10**6) -> None:
    """Fit the joint model, whose cost shall follow the cells that occur and not the classes."""
    measured = []
    for classes, wrong in ((300, 30), (1000, 9), (1000, 90)):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, classes, n)
        # Errors fall on few neighbours, so that the number of cells is ours to choose.
        a, b = (
            np.where(rng.uniform(size=n) < 0.8, truth, (truth + errors) % classes)
            for errors in (rng.integers(1, wrong, n) for _ in range(2))
        )
        cells = len(np.unique((truth * classes + a) * classes + b))
        tracemalloc.start()
        start = time.perf_counter()
        compare(truth, a, b, model="joint", draws=200, seed=1).evidence()
        seconds = time.perf_counter() - start
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(f"joint model, {classes} classes, {cells} cells: {seconds:.1f} s, {peak:.0f} MB")
        measured.append((seconds, cells))
    (few_s, few), (same_s, same), (many_s, many) = measured
    name = "joint model, seconds, 1000 classes, more cells / fewer"
    ratio(name, many_s, same_s, bar=1.5 * many / same)
    print(f"seconds per cell, 1000 / 300 classes: {same_s / same / (few_s / few):.2f}  (M^2: 11)")


def many_categories() -> None:
    """Sample many categories with Stan, summarise thousands, and go document by document."""

    def counts(k: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(k)
        pos = rng.multinomial(40, [0.6, 0.1, 0.1, 0.2], k)
        return pos, rng.multinomial(400, [0.02, 0.03, 0.03, 0.92], k)

    def fit(k: int, model: str) -> Callable[[], object]:
        return lambda: compare_counts(*counts(k), model=model, engine="stan", seed=1)

    for model, many, few, bar in (("paired", 100, 1, 60), ("hierarchical", 1000, 100, 10)):
        times = in_turn(fit(many, model), fit(few, model), repeats=1)
        ratio(f"{model} with Stan, {many} categories / {few}", *times, bar=bar)
    result = compare_counts(*counts(5000), engine="exact", seed=1, average="macro")
    start = time.perf_counter()
    result.summary()
    limit("summary of 5,000 categories (s)", time.perf_counter() - start, bar=5)
    small = [155, 12, 10, 22], [20, 15, 12, 754]
    times = in_turn(
        lambda: compare_counts(*small, model="unpaired", seed=1),
        lambda: compare_counts(*small, model=ROOT / "stan/examples/documents.stan", seed=1),
        repeats=1,
    )
    ratio("compact unpaired model / document by document, N = 1000", *times, bar=1)


def labels(n: int, systems: int, errors: float = 0.1) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Make a truth and the predictions of systems that err by themselves."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    rates = errors + 0.002 * np.arange(systems)
    predictions = [np.where(rng.random(n) < rate, 1 - truth, truth) for rate in rates]
    return truth, {f"s{i}": column for i, column in enumerate(predictions)}


def contest_of_four(seed: int = 1) -> None:
    """Hold a contest, and ask for all that it tells."""
    result = contest(*labels(7532, SYSTEMS), rope=0.02, draws=DRAWS, seed=seed)
    result.summary(), result.pairs(), result.ranks()


def contest_by_hand(seed: int = 1) -> dict[str, object]:
    """Draw the same posterior, and compute the same numbers, in plain NumPy."""
    truth, predictions = labels(7532, SYSTEMS)
    rng = np.random.default_rng(seed)
    patterns = np.array(list(product((1, 0), repeat=SYSTEMS)))
    code = (1 - np.stack(list(predictions.values()), axis=1)) @ 2 ** np.arange(SYSTEMS)[::-1]
    counts = [np.bincount(code[y == truth], minlength=len(patterns)) for y in (1, 0)]
    mu = rng.beta(1 + counts[0].sum(), 1 + counts[1].sum(), DRAWS)[:, None]
    rates = [rng.dirichlet(c + 4 / len(patterns), DRAWS) @ patterns for c in counts]
    tp, fp = mu * rates[0], (1 - mu) * rates[1]
    psi = 2 * tp / (mu + tp + fp)
    best = psi.max(axis=1, keepdims=True)
    rank = np.argsort(np.argsort(-psi, axis=1), axis=1)
    results: dict[str, object] = {
        **{"mean": psi.mean(axis=0), "hdi": [narrowest(column) for column in psi.T]},
        **{"p_near": np.mean(psi >= best - 0.02, axis=0), "p_best": np.mean(psi == best, axis=0)},
        "regret": np.mean(best - psi, axis=0),
        "ranks": [np.bincount(column, minlength=SYSTEMS) / DRAWS for column in rank.T],
    }
    for a, b in combinations(range(SYSTEMS), 2):
        delta = psi[:, a] - psi[:, b]
        masses = (delta < 0, delta > 0, delta < -0.02, np.abs(delta) <= 0.02, delta > 0.02)
        moments = delta.mean(), delta.std(ddof=1), narrowest(delta)
        results[f"{a} {b}"] = (*moments, *(np.mean(mass) for mass in masses))
    return results


def contest_of_fifty(n: str) -> None:
    """Hold a contest of fifty systems on so many documents."""
    result = contest(*labels(int(n), 50), seed=1)
    result.summary(), result.pairs()


def contests() -> None:
    """Hold contests of four systems and of fifty."""
    times = in_turn(contest_of_four, contest_by_hand)
    ratio("contest of 4 systems, 50,000 draws / by hand in NumPy", *times, bar=1.0)
    measured = []
    for n in (10**4, 10**5):
        truth, predictions = labels(n, 50)
        patterns = len(np.unique(np.stack([truth, *predictions.values()]), axis=1).T)
        seconds, peak = alone("contest_of_fifty", n)
        print(f"contest of 50 systems, {patterns} patterns: {seconds:.1f} s, {peak:.2f} GB")
        measured.append((patterns, seconds))
    limit("contest of 50 systems, 10^5 documents (GB)", peak, bar=2)
    (few, quick), (many, slow) = measured
    ratio("seconds, more patterns / fewer", slow, quick, bar=1.5 * many / few)


def scored_documents(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make a truth and the scores of two systems."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    shared = rng.normal(truth)
    return truth, shared + rng.normal(size=n), shared + rng.normal(size=n)


def compare_scores(n: str) -> None:
    """Compare two systems by AUC on so many documents."""
    compare(*scored_documents(int(n)), measure="auc", draws=SCORE_DRAWS, seed=1).evidence()


def scores_by_hand(n: int = 10**4) -> np.ndarray:
    """Draw the same posterior in plain NumPy: sort once, then a cumulative sum per draw."""
    truth, *columns = scored_documents(n)
    rng = np.random.default_rng(1)
    orders = [np.argsort(-score) for score in columns]
    shape = np.where(truth == 1, 1 - 2 / truth.sum(), 1 - 2 / (n - truth.sum()))
    delta = np.empty(SCORE_DRAWS)
    for start in range(0, SCORE_DRAWS, 100):
        weight = rng.standard_gamma(shape, (100, n))
        extra = rng.dirichlet(np.full(n, 1 / n), (2, 100)) * rng.standard_gamma(1, (2, 100, 1))
        pos, neg = weight * truth + extra[0], weight * (1 - truth) + extra[1]
        auc = []
        for order in orders:
            p, q = pos[:, order], neg[:, order]
            above = np.cumsum(q, axis=1) - q / 2
            auc.append(1 - (p * above).sum(axis=1) / p.sum(axis=1) / q.sum(axis=1))
        delta[start : start + 100] = auc[0] - auc[1]
    return np.quantile(delta, [0.025, 0.975])


def bootstrap(n: int = 10**4, draws: int = 50) -> float:
    """Return the seconds of one draw of a bootstrap with scikit-learn's roc_auc_score."""
    from sklearn.metrics import roc_auc_score

    truth, a, b = scored_documents(n)
    rng = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(draws):
        rows = rng.integers(0, n, n)
        roc_auc_score(truth[rows], a[rows]) - roc_auc_score(truth[rows], b[rows])
    return (time.perf_counter() - start) / draws


def scores() -> None:
    """Compare two systems by AUC: against NumPy by hand and a bootstrap, and on many documents."""
    times = in_turn(lambda: compare_scores("10_000"), scores_by_hand, repeats=1)
    ratio("AUC, 10^4 documents, 4,000 draws / by hand in NumPy", *times, bar=1.5)
    per_draw = times[0] / SCORE_DRAWS
    ratio("one draw of AUC / of a bootstrap with scikit-learn", per_draw, bootstrap(), bar=1 / 30)
    for power, most_seconds, memory in ((5, 10, 1), (6, 90, 2)):
        seconds, peak = alone("compare_scores", 10**power)
        limit(f"AUC of 10^{power} documents (s)", seconds, bar=most_seconds)
        limit(f"AUC of 10^{power} documents (GB)", peak, bar=memory)


def duck(query: str, **config: str) -> object:
    """Let DuckDB answer by itself, and fetch what comes out."""
    with duckdb.connect(config=config) as connection:
        connection.execute("SET enable_progress_bar = false")
        return connection.sql(query).df()


def items() -> None:
    """Compare by values: ten million items beside DuckDB's own grouping, and fifty systems."""
    options = {"measure": "mean", "rope": 0.01, "seed": 1}
    pair = {"a": "a", "b": "b"}
    with tempfile.TemporaryDirectory() as folder:
        wide, long = Path(folder, "wide.parquet"), Path(folder, "long.parquet")
        duckdb.sql(
            f"""COPY (SELECT range AS item, (range * 7919) % 2000 AS thread, 0.5 + 0.1 * random()
            AS a, 0.49 + 0.1 * random() AS b FROM range({ITEMS})) TO '{wide}'"""
        )
        duckdb.sql(
            f"""COPY (SELECT range AS item, name AS system, random() AS value FROM
            range({ITEMS // 2}), (VALUES ('a'), ('b')) s(name)) TO '{long}'"""
        )
        by_name = {"item": "item", "system": "system", "value": "value"}
        runs = {
            "10^7 long rows by item": (
                lambda: compare(long, **by_name, **options).decision,
                f"SELECT item, avg(value) FILTER (system = 'a'), avg(value) FILTER (system = 'b') "
                f"FROM '{long}' GROUP BY item",
            ),
            "10^7 items by name": (
                lambda: compare(wide, item="item", **pair, **options).decision,
                f"SELECT item, avg(a), avg(b) FROM '{wide}' GROUP BY item",
            ),
            "10^7 items by cluster, read": (
                lambda: count(wide, cluster="thread", kind="values", **pair).sums,
                f"SELECT thread, sum(a), sum(b), count(*) FROM '{wide}' GROUP BY thread",
            ),
        }
        for name, (ours, query) in runs.items():
            times = in_turn(ours, lambda query=query: duck(query), repeats=3)
            ratio(f"{name} / DuckDB's GROUP BY", *times, bar=2)
    rng = np.random.default_rng(1)
    values = rng.normal(size=(1000, 1)) + rng.normal(np.linspace(0, 0.1, 50), 1.0, (1000, 50))
    systems = {f"s{k}": values[:, k] for k in range(50)}
    seconds, _ = in_turn(
        lambda: contest(systems, measure="mean", seed=1).summary(), lambda: None, repeats=3
    )
    limit("contest of 50 systems on 1,000 items (s)", seconds, bar=2)


def make_tables(folder: str) -> None:
    """Write 10^8 rows of labels, two tables to join, and parts for Dask."""
    with duckdb.connect() as connection:
        connection.sql("SELECT setseed(0.5)")
        columns = ", ".join(f"{WORDS}[1 + floor(4 * random())::INT] AS {name}" for name in "yab")
        target = f"{folder}/labels.parquet"
        connection.sql(f"SELECT {columns} FROM range({ROWS}) t(i)").write_parquet(target)
        for k, name in enumerate("ab"):
            connection.sql(
                f"SELECT (i * 7919 + {k}) % {IDS} AS doc, {WORDS}[1 + (doc % 4)::INT] AS label, "
                f"{WORDS}[1 + (hash(doc, {k}) % 4)::INT] AS pred FROM range({IDS}) t(i)"
            ).write_parquet(f"{folder}/{name}.parquet")
        Path(folder, "parts").mkdir()
        table = connection.sql(f"SELECT * FROM '{target}' LIMIT {DASK_ROWS}")
        for k in range(8):
            size = DASK_ROWS // 8
            table.limit(size, k * size).write_parquet(f"{folder}/parts/{k}.parquet")


def count_file(folder: str) -> None:
    """Count 10^8 rows of a file."""
    count(Path(folder, "labels.parquet"), truth="y", a="a", b="b", average="macro")


def count_file_by_hand(folder: str) -> None:
    """Do the same with DuckDB."""
    duck(f"SELECT y, a, b, count(*) FROM '{folder}/labels.parquet' GROUP BY ALL")


def join_files(folder: str) -> None:
    """Join two files of 10^7 ids, with 1 GB of memory for DuckDB."""
    os.environ["STANOFF_MEMORY"] = "1GB"
    files = Path(folder, "a.parquet"), Path(folder, "b.parquet")
    count(files, id="doc", truth="label", a="pred", b="pred", average="macro")


def join_files_by_hand(folder: str) -> None:
    """Do the same with DuckDB."""
    query = f"""SELECT a.label, a.pred, b.pred, count(*) FROM '{folder}/a.parquet' a
        JOIN '{folder}/b.parquet' b USING (doc) GROUP BY ALL"""
    duck(query, memory_limit="1GB", temp_directory=folder)


def count_dask(folder: str) -> float:
    """Count 10^7 rows on a Dask cluster of two processes."""
    return _on_dask(folder, lambda frame: count(frame, truth="y", a="a", b="b", average="macro"))


def count_dask_by_hand(folder: str) -> float:
    """Do the same with value_counts in every partition."""
    return _on_dask(
        folder, lambda frame: frame.map_partitions(lambda rows: rows.value_counts()).compute()
    )


def _on_dask(folder: str, work: Callable[[Any], object]) -> float:
    """Time a run after one on some partitions, which warms the workers up but leaves nothing."""
    from dask import dataframe
    from dask.distributed import Client, LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1}
    with (
        LocalCluster(**workers, dashboard_address=None, silence_logs="ERROR") as cluster,
        Client(cluster),
    ):
        frame = dataframe.read_parquet(f"{folder}/parts")
        work(frame.partitions[:2])
        start = time.perf_counter()
        work(frame)
        return time.perf_counter() - start


def tables() -> None:
    """Count and join tables that are larger than most, beside the same by hand."""
    with tempfile.TemporaryDirectory() as folder:
        alone("make_tables", folder)
        for what, name, beside, bar, memory in (
            ("count_file", "10^8 rows of Parquet", "DuckDB's GROUP BY", 1.5, 1.0),
            ("join_files", "joining 10^7 ids within 1 GB", "DuckDB's join", 1.5, 2.0),
            ("count_dask", "10^7 rows on Dask", "value_counts", 2.0, None),
        ):
            runs = [(alone(f"{what}_by_hand", folder), alone(what, folder)) for _ in range(3)]
            by_hand, ours = (float(np.median([run[i][0] for run in runs])) for i in (0, 1))
            ratio(f"{name} / {beside}", ours, by_hand, bar=bar)
            if memory is not None:
                limit(f"{name} (GB)", max(run[1][1] for run in runs), bar=memory)


SECTIONS = (
    *(engines, loading, counting, growing, many_classes, many_categories),
    *(contests, scores, items, tables),
)


def main(*names: str) -> None:
    """Measure everything, or the sections that are named; print a line each."""
    print(f"{'what':58} {'stanoff':>10} {'beside it':>10} {'ratio':>8}  bar")
    for section in SECTIONS:
        if not names or section.__name__ in names:
            section()
    if MISSED:
        sys.exit(f"missed: {', '.join(MISSED)}")


def main_alone(what: str, argument: str) -> None:
    """Run one function, and print its seconds and the memory of this process."""
    count([0, 1], [0, 1], [1, 1])  # loads what is loaded when it is used
    start = time.perf_counter()
    seconds = globals()[what](argument)
    if seconds is None:
        seconds = time.perf_counter() - start
    # Not ru_maxrss: a process begins with that of the one that started it.
    status = Path("/proc/self/status").read_text().splitlines()
    [peak] = [line.split()[1] for line in status if line.startswith("VmHWM")]
    print(json.dumps([seconds, int(peak) / 1e6]))  # from kB


if __name__ == "__main__":
    if sys.argv[1:2] == ["alone"]:
        main_alone(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
