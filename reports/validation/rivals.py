"""What other models say of the same values: an additive one, and weights of prior draws.

The additive model has an effect per system, one per item and one residual variance for all pairs.
``bayes_evals`` (Bowyer et al. 2025) compares right and wrong answers: uniform priors of two rates
and of the correlation of a bivariate normal, whose draws are weighted by the likelihood. It is on
no package index that was tried, so its model is written anew here. Writes ``rivals.csv``;
``build.py`` shows it:

    cd reports && python -m validation.rivals [TREC8]

TREC8 is ``trec8_ap.csv``, the average precision of 129 TREC-8 runs on 50 topics from
julian-urbano/sigir2019-statistical (CC BY-SA 4.0). It is not kept here: without it the rows that
were recorded from it stay.
"""

import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import REPORTS, Output, prose
from scipy import special, stats

from stanoff import compare, contest
from stanoff.report.document import Section
from validation.harness import keep, kept

TREC8 = "TREC-8"
PRIOR_DRAWS, TIMES = 10_000, 25  # the default of bayes_evals, and how often it is tried
NUMBERS = ["mean", "std", "p_less", "effective_draws", "p_least", "p_greatest"]
COLUMNS = ["data", "n", "systems", "model", *NUMBERS, "p_best", "times_as_wide"]


def additive_scale(wide: pd.DataFrame) -> tuple[float, int]:
    """Return the scale and degrees of the t that every difference has in the additive model."""
    n, s = wide.shape
    left = wide.sub(wide.mean(axis=1), axis=0).sub(wide.mean(axis=0) - wide.to_numpy().mean())
    degrees = (n - 1) * (s - 1)
    return float(np.sqrt(2 * (left.to_numpy() ** 2).sum() / degrees / n)), degrees


def both_models(data: str, wide: pd.DataFrame, a: str, b: str) -> list[dict[str, Any]]:
    """Judge two systems by the items model and by the additive one of all systems."""
    d, n = wide[a] - wide[b], len(wide)
    scale, degrees = additive_scale(wide)
    posteriors = {
        "items": stats.t(n - 1, d.mean(), d.sem()),
        "additive": stats.t(degrees, d.mean(), scale),
    }
    return [row(data, n, f"{a}, {b}", name, **of_t(t)) for name, t in posteriors.items()]


def both_right(h: np.ndarray, k: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Return the bivariate normal distribution function at h, k, by Owen's T.

    Examples
    --------
    >>> both_right(np.array([0.0]), np.array([1e-300]), np.array([0.5])).round(6).tolist()
    [0.333333]
    """
    root = np.sqrt(1 - rho**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = special.owens_t(h, (k - rho * h) / (h * root))
        t += special.owens_t(k, (h - rho * k) / (k * root))
    return (special.ndtr(h) + special.ndtr(k)) / 2 - t - 0.5 * (h * k < 0)


def weighted(
    counts: tuple[int, int, int, int], rng: np.random.Generator, draws: int = PRIOR_DRAWS
) -> tuple[np.ndarray, np.ndarray]:
    """Draw differences from the prior, and weigh them by the likelihood of right answers.

    ``counts`` are the items that both, only A, only B and neither got right.
    """
    a, b, rho = rng.random(draws), rng.random(draws), rng.uniform(-1, 1, draws)
    both = both_right(special.ndtri(a), special.ndtri(b), rho)
    cells = np.clip([both, a - both, b - both, 1 - a - b + both], 1e-300, None)
    log = np.array(counts) @ np.log(cells)
    weights = np.exp(log - log.max())
    return a - b, weights / weights.sum()


def by_prior_draws(data: str, right: pd.DataFrame, n: int) -> list[dict[str, Any]]:
    """Compare right and wrong answers on n items by weights, the paired Dirichlet and the t."""
    answers = right.sample(n, random_state=1)
    a, b = (answers[name].to_numpy() for name in answers)
    counts = tuple(int(x.sum()) for x in (a & b, a & ~b & 1, ~a & b & 1, (a | b) == 0))
    pair, d = ", ".join(answers), pd.Series(a - b)
    rng = np.random.default_rng(n)
    theta = rng.dirichlet(np.array(counts) + 1, 400_000)
    exact, trials = theta[:, 1] - theta[:, 2], []
    for _ in range(TIMES):
        delta, w = weighted(counts, rng)
        mean = w @ delta
        trials.append((mean, np.sqrt(w @ (delta - mean) ** 2), w @ (delta < 0), 1 / (w @ w)))
    low, high = np.quantile([trial[2] for trial in trials], [0, 1])
    medians = dict(zip(NUMBERS, np.median(trials, axis=0), strict=False))
    drawn = {"mean": exact.mean(), "std": exact.std(), "p_less": (exact < 0).mean()}
    return [
        row(data, n, pair, "items", **of_t(stats.t(n - 1, d.mean(), d.sem()))),
        row(data, n, pair, "paired", **drawn),
        row(data, n, pair, "weights of prior draws", **medians, p_least=low, p_greatest=high),
    ]


def row(data: str, n: int, systems: str, model: str, **numbers: float) -> dict[str, Any]:
    """Gather one row, with as many digits as are worth keeping."""
    rounded = {name: float(f"{x:.4g}") for name, x in numbers.items()}
    return {"data": data, "n": n, "systems": systems, "model": model, **rounded}


def of_t(t: Any) -> dict[str, float]:
    """Return mean, standard deviation and P(< 0) of a t distribution."""
    return {"mean": t.mean(), "std": t.std(), "p_less": t.cdf(0)}


def of_trec8(path: Path) -> list[dict[str, Any]]:
    """Judge TREC-8: two runs with a published p-value, near-twins, and who is the best."""
    wide = pd.read_csv(path)
    a, b, n = "run126", "run125", len(wide)
    rows = both_models(TREC8, wide, a, b)
    for engine, label in {"exact": "exact engine", "stan": "Stan program"}.items():
        result = compare(wide, a=a, b=b, measure="mean", engine=engine, draws=10_000, seed=1)
        numbers = {name: getattr(result.evidence(), name) for name in ("mean", "std", "p_less")}
        rows.append(row(TREC8, n, f"{a}, {b}", f"items, by stanoff's {label}", **numbers))
    errors = {pair: (wide[pair[0]] - wide[pair[1]]).sem() for pair in combinations(wide, 2)}
    errors = {pair: sem for pair, sem in errors.items() if sem > 1e-12}
    rows += both_models(TREC8, wide, *min(errors, key=errors.__getitem__))
    scale, degrees = additive_scale(wide)
    items_std = stats.t(n - 1, scale=np.array(list(errors.values()))).std()
    ratio = stats.t(degrees, scale=scale).std() / items_std
    for name, q in (("least", 0), ("median", 0.5), ("greatest", 1)):
        pairs, width = f"{name} of {len(errors):,} pairs", np.quantile(ratio, q)
        rows.append(row(TREC8, n, pairs, "additive", times_as_wide=width))
    result = contest(wide, measure="mean", seed=1, draws=100_000)
    best = _shares(result.psi[..., 0].reshape(-1, wide.shape[1]))
    rng = np.random.default_rng(1)
    stretch = scale / np.sqrt(2) * np.sqrt(degrees / rng.chisquare(degrees, (100_000, 1)))
    effects = stretch * rng.standard_normal((100_000, wide.shape[1])) + wide.mean().to_numpy()
    models = {"items": best, "additive": _shares(effects)}
    return rows + [
        row(TREC8, n, wide.columns[k], name, p_best=shares[k])
        for k in np.argsort(best)[::-1][:3]
        for name, shares in models.items()
    ]


def _shares(drawn: np.ndarray) -> np.ndarray:
    """Return how often each column is the greatest."""
    return np.bincount(drawn.argmax(axis=1), minlength=drawn.shape[1]) / len(drawn)


HEADINGS = {
    "p_less": "P(difference < 0)",
    "effective_draws": "effective draws",
    "p_least": "its least",
    "p_greatest": "its greatest",
    "p_best": "P(best)",
    "times_as_wide": "times as wide as items",
}


def section(out: Output) -> Section:
    """Show what the other models say, in two paragraphs and three tables."""
    table = kept("rivals")
    cells = table.set_index(["data", "systems", "model", "n"])
    wide = cells["times_as_wide"].dropna()
    twins = cells.loc[TREC8].loc["run27, run28"]["std"].droplevel("n")
    weights = cells.xs("weights of prior draws", level="model").droplevel(["data", "systems"])
    additive = prose(
        """An additive model, with an effect per system, one per topic and one residual
        variance for all, gives near-identical systems the interval of very different ones. Of
        the 129 runs of TREC-8 run27 and run28 differ by a standard deviation of
        {items:.5f}, of which it makes {shared:.3f}; over all pairs its intervals are {least:.2f}
        to {most:.0f} times as wide. (Recorded once from the data of
        julian-urbano/sigir2019-statistical, CC BY-SA 4.0, which are not kept here; the p-value
        published there for runs 125 and 126 is 0.0006596986.)""",
        items=twins["items"],
        shared=twins["additive"],
        least=wide.min(),
        most=wide.max(),
    )
    effective = weights["effective_draws"].items()
    by_weights = prose(
        """bayes_evals (Bowyer et al. 2025) weighs {draws:,} draws from the prior by the
        likelihood of right and wrong answers. It is on no package index that was tried, so its
        model was written anew. On the first run of the report on repeated runs these draws are
        worth {effective} independent ones, and P(words is worse) comes out between {least:.4f} and
        {most:.4f} in {times} runs on all {n} items, where the paired model says {exact:.4f}.
        It takes neither values other than 0 and 1 nor a ROPE.""",
        draws=PRIOR_DRAWS,
        effective=", ".join(f"{draws:.0f} (n = {n})" for n, draws in effective),
        least=weights["p_least"].iloc[-1],
        most=weights["p_greatest"].iloc[-1],
        times=TIMES,
        n=weights.index[-1],
        exact=cells.xs("paired", level="model")["p_less"].iloc[-1],
    )
    answers, pairs = table["data"] == "repeated", table["mean"].notna()
    tables = {
        "rivals": (
            pairs & ~answers,
            "Differences in average precision by the items model and by the additive model of all "
            "systems.",
        ),
        "rivals_trec8": (
            ~pairs,
            "TREC-8: how wide intervals of the additive model are beside those of the items model, "
            "and which run is the best.",
        ),
        "rivals_answers": (
            answers,
            f"Right and wrong answers of one run: the median of {TIMES} times {PRIOR_DRAWS:,} "
            "weighted draws from the prior, beside the items and the paired model.",
        ),
    }
    shown = [
        out.table(name, as_text(table[rows]), caption, row_headings=False)
        for name, (rows, caption) in tables.items()
    ]
    return Section("Other models of the same values", [additive, by_weights, *shown])


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in cells of text, without what none of its rows has."""
    filled = table.dropna(axis=1, how="all").astype({"n": str})
    numbers = filled.select_dtypes("number")
    text = numbers.map(lambda x: "" if np.isnan(x) else f"{x:.4g}")
    return filled.assign(**text).rename(columns=HEADINGS)


def main(trec8: str = "") -> None:
    """Judge all data by all models."""
    topics = pd.read_csv(REPORTS / "search/topics.csv")
    wide = topics.pivot(index="topic", columns="system", values="AP")
    rows = [row for pair in combinations(wide, 2) for row in both_models("search", wide, *pair)]
    answers = pd.read_csv(REPORTS / "repeated/answers.csv", dtype=str)
    first = answers[["words", "letters"]].apply(lambda column: column.str[0].astype(int))
    for n in (50, 200, len(first)):
        rows += by_prior_draws("repeated", first, n)
    recorded = kept("rivals").query("data == @TREC8")
    if trec8:
        recorded = pd.DataFrame(of_trec8(Path(trec8)), columns=COLUMNS)
    keep("rivals", pd.concat([pd.DataFrame(rows, columns=COLUMNS), recorded], ignore_index=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
