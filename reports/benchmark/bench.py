"""Speed, as ratios of things measured side by side in one run.

    python reports/benchmark/bench.py

Every ratio has a bar; the exit code is 1 if one is missed. ``bench_peers.py`` measures other
packages.
"""

import json
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import bench_contests
import bench_items
import bench_scores
import numpy as np
import pandas as pd
from scipy import stats

from stanoff import compare, compare_counts, count

POS, NEG = [310, 25, 20, 43], [40, 30, 25, 7039]
PAIRED_DATA = {
    **{"K": 1, "c_pos": [POS], "c_neg": [NEG], "beta": [1, 1], "prevalence": 0},
    **{"alpha_pos": [1] * 4, "alpha_neg": [1] * 4, "prior_only": 0},
    **{"measure": 1, "f_beta": 1, "zero_division": 0},
}
HERE = Path(__file__).resolve().parent
MISSED: list[str] = []


def main() -> None:
    """Measure everything, print a line each."""
    print(f"{'what':58} {'stanoff':>10} {'beside it':>10} {'ratio':>8}  bar")
    exact_engine()
    stan_engine()
    loading()
    counting()
    growing()
    many_classes()
    many_categories()
    by_document()
    contests()
    scores()
    items()
    tables()
    if MISSED:
        sys.exit(f"missed: {', '.join(MISSED)}")


def exact_engine() -> None:
    """One comparison with 50,000 draws and all evidence, and the same steps by hand."""
    rng = np.random.default_rng(1)

    def ours() -> None:
        compare_counts(POS, NEG, engine="exact", draws=50_000, seed=1).summary()

    ratio("exact engine / by hand in NumPy and SciPy", *in_turn(ours, lambda: by_hand(rng)), bar=2)


def by_hand(rng: np.random.Generator, draws: int = 50_000) -> dict[str, float]:
    """Draw the paired posterior and prior from gammas, and gather all evidence."""
    deltas = []
    for weights in (np.add(POS + NEG, 1.0), np.ones(8)):
        gammas = rng.standard_gamma(weights, (draws, 8))
        pos, neg = (g / g.sum(axis=1, keepdims=True) for g in (gammas[:, :4], gammas[:, 4:]))
        if weights[0] > 1:
            mu = rng.beta(1 + sum(POS), 1 + sum(NEG), draws)
        else:
            mu = rng.beta(1, 1, draws)
        scores = []
        for other in (1, 2):
            tp = mu * (pos[:, 0] + pos[:, other])
            fp = (1 - mu) * (neg[:, 0] + neg[:, other])
            scores.append(2 * tp / (mu + tp + fp))
        deltas.append(scores[0] - scores[1])
    delta, prior = deltas
    ordered = np.sort(delta)
    inside = int(0.95 * draws)
    start = np.argmin(ordered[inside:] - ordered[:-inside])
    p_rope, q_rope = (np.mean(np.abs(d) <= 0.05) for d in deltas)
    return {
        "mean": delta.mean(),
        "std": delta.std(),
        "low": ordered[start],
        "high": ordered[start + inside],
        "p_less": np.mean(delta < 0),
        "p_rope": p_rope,
        "bf_sd": stats.gaussian_kde(delta)(0)[0] / stats.gaussian_kde(prior)(0)[0],
        "bf_rope": p_rope / (1 - p_rope) / (q_rope / (1 - q_rope)),
    }


def stan_engine() -> None:
    """One comparison of 4 x 1000 draws with all evidence, and CmdStan's four chains alone."""
    fit = compare_counts(POS, NEG, seed=1).cmdstan_fits[0]  # compiles it, too
    executable = fit.runset.cmd(0)[0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "data.json")
        file.write_text(json.dumps(PAIRED_DATA))

        def chains() -> None:
            for pair in ((1, 2), (3, 4)):  # two at a time, as there are two cores
                running = [
                    subprocess.Popen(
                        [
                            executable,
                            "sample",
                            "random",
                            "seed=1",
                            f"id={i}",
                            "data",
                            f"file={file}",
                            "output",
                            f"file={folder}/{i}.csv",
                        ],
                        stdout=subprocess.DEVNULL,
                    )
                    for i in pair
                ]
                for process in running:
                    if process.wait():
                        sys.exit("CmdStan failed when run by hand")

        def ours() -> None:
            compare_counts(POS, NEG, seed=1).summary()

        times = in_turn(ours, chains, repeats=9)
    ratio("stan engine / CmdStan's four chains by hand", *times, bar=3)


def loading() -> None:
    """Import and help, in processes of their own."""

    def run(*arguments: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, *arguments], capture_output=True, check=True)

    bare, imported = in_turn(run("-c", "pass"), run("-c", "import stanoff"))
    limit("import stanoff (s, without Python's own start)", imported - bare, bar=0.05)
    limit(
        "stanoff --help (s)",
        in_turn(run("-m", "stanoff", "--help"), run("-c", "pass"))[0],
        bar=0.5,
    )


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
        columns = {name: make() for name in ("truth", "a", "b")}

        def plain(columns: dict[str, object] = columns) -> None:
            codes = [pd.factorize(column)[0] for column in columns.values()]
            m = max(int(c.max()) for c in codes) + 1
            np.bincount((codes[0] * m + codes[1]) * m + codes[2])

        def ours(columns: dict[str, object] = columns) -> None:
            count(*columns.values(), average="macro")

        ratio(
            f"counting 10^7 labels ({kind}) / encoding and bincount",
            *in_turn(ours, plain, repeats=3),
            bar=2,
        )


def growing() -> None:
    """Compare few and many documents, less the time it takes to count them."""
    rng = np.random.default_rng(0)
    times = []
    for n in (10**3, 10**6):
        columns = rng.integers(0, 2, (3, n))
        whole, counting_time = in_turn(
            lambda columns=columns: compare(*columns, engine="exact", seed=1).summary(),
            lambda columns=columns: count(*columns),
        )
        times.append(whole - counting_time)
    ratio("10^6 documents / 10^3, without counting them", times[1], times[0], bar=1.5)


def many_classes(n: int = 10**6) -> None:
    """Fit the joint model, whose cost shall follow the cells that occur and not the classes."""
    times, peaks, seen = {}, {}, {}
    for classes, wrong in ((300, 30), (1000, 9), (1000, 90)):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, classes, n)
        # Errors fall on few neighbours, so that the number of cells is ours to choose.
        said = [
            np.where(
                rng.uniform(size=n) < 0.8, truth, (truth + rng.integers(1, wrong, n)) % classes
            )
            for _ in (0, 1)
        ]
        cells = len(np.unique((truth * classes + said[0]) * classes + said[1]))
        key = classes, cells
        seen[classes, wrong] = key
        tracemalloc.start()
        start = time.perf_counter()
        compare(truth, *said, model="joint", draws=200, seed=1).evidence()
        times[key] = time.perf_counter() - start
        peaks[key] = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(
            f"joint model, {classes} classes, {cells} cells, 10^6 documents, 200 draws: "
            f"{times[key]:.1f} s, {peaks[key]:.0f} MB"
        )
    few, same, more = (seen[key] for key in ((300, 30), (1000, 9), (1000, 90)))
    cells = more[1] / same[1]
    ratio(
        "joint model, seconds, 1000 classes, more cells / fewer",
        times[more],
        times[same],
        bar=1.5 * cells,
    )
    per_cell = (times[same] / same[1]) / (times[few] / few[1])
    print(f"{'seconds per cell, 1000 classes / 300 classes':58} {'':21} {per_cell:8.2f}  (M^2: 11)")


def many_categories() -> None:
    """Sample many categories with Stan, and summarise thousands."""

    def counts(k: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(k)
        pos = rng.multinomial(40, [0.6, 0.1, 0.1, 0.2], k)
        return pos, rng.multinomial(400, [0.02, 0.03, 0.03, 0.92], k)

    def fitted(k: int, model: str) -> Callable[[], object]:
        return lambda: compare_counts(*counts(k), model=model, engine="stan", seed=1)

    for model, many, few, most in (("paired", 100, 1, 60), ("hierarchical", 1000, 100, 10)):
        times = in_turn(fitted(many, model), fitted(few, model), repeats=1)
        ratio(f"{model} with Stan, {many} categories / {few}", *times, bar=most)
    result = compare_counts(*counts(5000), engine="exact", seed=1, average="macro")
    start = time.perf_counter()
    result.summary()
    limit("summary of 5,000 categories (s)", time.perf_counter() - start, bar=5)


def by_document() -> None:
    """Fit the model that does not count first, which is the same and slower."""
    pos, neg = [155, 12, 10, 22], [20, 15, 12, 754]
    documents = HERE.parents[1] / "stan/examples/documents.stan"
    ratio(
        "compact unpaired model / document by document, N = 1000",
        *in_turn(
            lambda: compare_counts(pos, neg, model="unpaired", seed=1),
            lambda: compare_counts(pos, neg, model=documents, seed=1),
            repeats=1,
        ),
        bar=1,
    )


def tables() -> None:
    """Count and join tables that are larger than most, beside the same by hand."""
    with tempfile.TemporaryDirectory() as folder:

        def run(what: str) -> tuple[float, float]:
            return measure_alone("bench_tables.py", what, folder)

        run("make")
        for what, told, most, memory in (
            ("count_file", "10^8 rows of Parquet / DuckDB's GROUP BY", 1.5, 1.0),
            ("join_files", "joining 10^7 ids within 1 GB / DuckDB's join", 1.5, 2.0),
            ("count_dask", "10^7 rows on Dask / value_counts", 2.0, None),
        ):
            ours, beside = [], []
            for _ in range(3):
                beside.append(run(f"{what}_by_hand"))
                ours.append(run(what))
            seconds = [float(np.median([s for s, _ in times])) for times in (ours, beside)]
            ratio(told, *seconds, bar=most)
            if memory is not None:
                limit(f"{told.partition(' / ')[0]} (GB)", max(gb for _, gb in ours), bar=memory)


def contests() -> None:
    """Hold contests of four systems and of fifty."""
    times = in_turn(bench_contests.ours, bench_contests.by_hand)
    ratio("contest of 4 systems, 50,000 draws / by hand in NumPy", *times, bar=1.5)
    times = {}
    for n in (10**4, 10**5):
        patterns = bench_contests.n_patterns(n)
        times[patterns], peak = measure_alone("bench_contests.py", n)
        print(f"contest of 50 systems, {patterns} patterns: {times[patterns]:.1f} s, {peak:.2f} GB")
    limit("contest of 50 systems, 10^5 documents (GB)", peak, bar=2)
    (few, quick), (many, slow) = times.items()
    ratio("seconds, more patterns / fewer", slow, quick, bar=1.5 * many / few)


def scores() -> None:
    """Compare two systems by AUC: against NumPy by hand and a bootstrap, and on many documents."""
    times = in_turn(bench_scores.ours, bench_scores.by_hand, repeats=1)
    ratio("AUC, 10^4 documents, 4,000 draws / by hand in NumPy", *times, bar=1.5)
    each = times[0] / bench_scores.DRAWS
    theirs = bench_scores.bootstrap()
    ratio("one draw of AUC / of a bootstrap with scikit-learn", each, theirs, bar=1 / 30)
    for n, told, most, memory in ((10**5, "10^5", 10, 1), (10**6, "10^6", 90, 2)):
        seconds, peak = measure_alone("bench_scores.py", n)
        limit(f"AUC of {told} documents (s)", seconds, bar=most)
        limit(f"AUC of {told} documents (GB)", peak, bar=memory)


def items() -> None:
    """Compare by values: ten million items beside DuckDB, and fifty systems."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench_items.make(folder)
        for told, ours, query in bench_items.CASES:
            times = in_turn(
                partial(ours, folder), partial(bench_items.grouped, folder, query), repeats=3
            )
            ratio(told, *times, bar=2)
    seconds, _ = in_turn(bench_items.fifty, lambda: None, repeats=3)
    limit("contest of 50 systems on 1,000 items (s)", seconds, bar=2)


def measure_alone(script: str, *arguments: object) -> tuple[float, float]:
    """Run a script in a process of its own; return its seconds and its most memory in GB."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    measured = json.loads(ran.stdout.splitlines()[-1])
    return measured["seconds"], measured["gigabytes"]


def in_turn(
    first: Callable[[], object], second: Callable[[], object], repeats: int = 5
) -> tuple[float, float]:
    """Time both alternately after one warm-up each; the median seconds of each."""
    times: tuple[list[float], list[float]] = ([], [])
    first(), second()
    for _ in range(repeats):
        for function, taken in zip((first, second), times, strict=True):
            start = time.perf_counter()
            function()
            taken.append(time.perf_counter() - start)
    return float(np.median(times[0])), float(np.median(times[1]))


def ratio(what: str, ours: float, beside: float, bar: float) -> None:
    """Print one line; remember it if the ratio is above its bar."""
    missed = ours / beside > bar
    print(
        f"{what:58} {ours:9.3f}s {beside:9.3f}s {ours / beside:8.2f}  <= {bar:.3g}"
        f"{'  MISSED' if missed else ''}",
        flush=True,
    )
    if missed:
        MISSED.append(what)


def limit(what: str, ours: float, bar: float) -> None:
    """Print one line; remember it if the number is above its bar."""
    print(
        f"{what:58} {ours:9.3f}  {'':10} {'':8}  <= {bar:g}{'  MISSED' if ours > bar else ''}",
        flush=True,
    )
    if ours > bar:
        MISSED.append(what)


if __name__ == "__main__":
    main()
