"""How often do intervals of scores hold the truth? The weights model next to DeLong's interval.

Scores of two systems are normal in each class, correlated within documents, and in some designs put
into five grades. Every data set is judged by the weights model, and AUC by DeLong's interval, too;
for average precision and the Brier score the class of a document is random. Writes
``scores.csv`` beside this script, in some minutes; ``build.py`` shows it:

    cd reports && python -m benchmark.scores
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from common import as_csv
from matplotlib.axes import Axes
from scipy import stats

from stanoff import Prior
from stanoff._lib.files import write_text
from stanoff.data.scores import ScoreTable, build_scores
from stanoff.data.types import Data
from stanoff.inference.intervals import hdi
from stanoff.measures import SCORES
from stanoff.models.bootstrap import BOOTSTRAP
from stanoff.planning.simulate import run_parallel
from stanoff.plots.style import BLUE, GREY, theme
from stanoff.significance.delong import delong_test

HERE = Path(__file__).resolve().parent
SEED, LEVEL, DRAWS, CORRELATION = 1988, 0.95, 4000, 0.5
GRADES = 5
AUC_DESIGNS = (  # positives, negatives, AUC of A and B, grades, data sets
    (20, 20, 0.80, 0.75, 0, 700),
    (20, 20, 0.80, 0.75, GRADES, 700),
    (20, 200, 0.80, 0.75, 0, 525),
    (20, 20, 0.97, 0.93, 0, 700),
    (100, 100, 0.80, 0.75, 0, 350),
    (100, 100, 0.97, 0.93, 0, 350),
    (1000, 1000, 0.80, 0.75, 0, 88),
    (10, 10, 0.80, 0.70, 0, 700),
)
OTHER_DESIGNS = (  # documents of either class on average, AUC of A and B, data sets
    (20, 20, 0.80, 0.75, 280),
    (20, 200, 0.80, 0.75, 175),
    (100, 100, 0.80, 0.75, 175),
    (100, 900, 0.90, 0.85, 105),
)


def main(share: float = 1.0) -> None:
    """Run the study, or a share of its data sets."""
    jobs = [("auc", *design) for design in AUC_DESIGNS]
    jobs += [
        (measure, *design[:4], 0, design[4])
        for measure in ("average_precision", "brier")
        for design in OTHER_DESIGNS
    ]
    jobs = [(*job[:-1], max(10, round(share * job[-1]))) for job in jobs]
    rows = run_parallel(cover, list(enumerate(jobs)), title="Covering", progress=True)
    table = pd.DataFrame(rows)
    write_text(HERE / "scores.csv", as_csv(table))
    print(notes(table))


def cover(numbered: tuple[int, tuple]) -> dict:
    """Draw the data sets of one design, and count how often the intervals hold the truth."""
    place, (measure, n_pos, n_neg, auc_a, auc_b, grades, datasets) = numbered
    rng = np.random.default_rng([SEED, place])
    true = difference(measure, n_pos, n_neg, auc_a, auc_b, grades)
    held, by_delong, width, width_delong = [], [], [], []
    for _ in range(datasets):
        truth = np.repeat([1, 0], [n_pos, n_neg])
        if measure != "auc":
            truth = classes(n_pos, n_neg, rng)
        found = scores(truth, (auc_a, auc_b), grades, rng)
        if measure == "brier":
            aucs = zip(found, (auc_a, auc_b), strict=True)
            found = [probability(x, auc, n_pos, n_neg) for x, auc in aucs]
        data = build_scores(ScoreTable({"y": truth, "a": found[0], "b": found[1]}))
        low, high = interval(data, measure, rng)
        held.append(low <= true <= high)
        width.append(high - low)
        if measure == "auc":
            test = delong_test(data, level=LEVEL)
            low, high = test.interval
            by_delong.append(low <= true <= high)
            width_delong.append(high - low)
    return {
        "measure": measure,
        "n_pos": n_pos,
        "n_neg": n_neg,
        "auc_a": auc_a,
        "auc_b": auc_b,
        "grades": grades or "continuous",
        "n_simulations": datasets,
        "weights": np.mean(held),
        "delong": np.mean(by_delong) if by_delong else np.nan,
        "error": np.sqrt(LEVEL * (1 - LEVEL) / datasets),
        "width": np.mean(width),
        "width_delong": np.mean(width_delong) if width_delong else np.nan,
    }


def interval(data: Data, measure: str, rng: np.random.Generator) -> tuple[float, float]:
    """Return the HDI of the difference under the weights model."""
    chosen = SCORES[measure]
    block = BOOTSTRAP.stan_data(data, Prior.uniform(), chosen)
    psi = BOOTSTRAP.sample_exact(block, DRAWS, rng)[chosen.variable][..., 0]
    return hdi(psi[:, 0] - psi[:, 1], LEVEL)


def classes(n_pos: int, n_neg: int, rng: np.random.Generator) -> np.ndarray:
    """Draw classes at random; a data set that has fewer than two of one is drawn again."""
    while True:
        truth = (rng.random(n_pos + n_neg) < n_pos / (n_pos + n_neg)).astype(int)
        if 2 <= truth.sum() <= len(truth) - 2:
            return truth


def scores(
    truth: np.ndarray, aucs: tuple[float, float], grades: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Draw normal scores with these AUCs, correlated within documents."""
    shared = rng.normal(size=len(truth))
    found = []
    for auc in aucs:
        own = rng.normal(size=len(truth))
        score = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own
        score = score + distance(auc) * truth
        found.append(grade(score, auc, grades) if grades else score)
    return found


def distance(auc: float) -> float:
    """Return how far apart the means of two standard normal classes are."""
    return float(np.sqrt(2) * stats.norm.ppf(auc))


def cuts(auc: float, grades: int) -> np.ndarray:
    """Return where grades begin: at equal steps over the range that both classes share."""
    return np.linspace(-1, distance(auc) + 1, grades + 1)[1:-1]


def grade(score: np.ndarray, auc: float, grades: int) -> np.ndarray:
    """Put scores into few grades."""
    return np.digitize(score, cuts(auc, grades)).astype(float)


def probability(score: np.ndarray, auc: float, n_pos: int, n_neg: int) -> np.ndarray:
    """Return the probability of the positive class, which the normal model knows."""
    d = distance(auc)
    return 1 / (1 + n_neg / n_pos * np.exp(-d * score + d**2 / 2))


def difference(
    measure: str, n_pos: int, n_neg: int, auc_a: float, auc_b: float, grades: int
) -> float:
    """Return the true difference of the scores."""
    if measure == "auc":
        if not grades:
            return auc_a - auc_b
        return _graded_auc(auc_a, grades) - _graded_auc(auc_b, grades)
    share = n_pos / (n_pos + n_neg)
    x = np.linspace(-10, 14, 400_001)
    step = x[1] - x[0]
    values = []
    for auc in (auc_a, auc_b):
        d = distance(auc)
        pos, neg = stats.norm.pdf(x - d), stats.norm.pdf(x)
        if measure == "brier":
            p = probability(x, auc, n_pos, n_neg)
            values.append(np.sum(share * pos * (1 - p) ** 2 + (1 - share) * neg * p**2) * step)
        else:
            recall, wrong = stats.norm.sf(x - d), stats.norm.sf(x)
            precision = share * recall / (share * recall + (1 - share) * wrong)
            values.append(np.sum(pos * np.nan_to_num(precision, nan=1.0)) * step)
    return float(values[0] - values[1])


def _graded_auc(auc: float, grades: int) -> float:
    edges = np.concatenate([[-np.inf], cuts(auc, grades), [np.inf]])
    pos = np.diff(stats.norm.cdf(edges - distance(auc)))
    neg = np.diff(stats.norm.cdf(edges))
    return float((pos * (np.cumsum(neg) - neg / 2)).sum())


def notes(table: pd.DataFrame) -> str:
    """Describe what the table shows."""
    auc, others = table[table["measure"] == "auc"], table[table["measure"] != "auc"]
    worst = (auc["weights"] - auc["delong"]).min()
    told = [
        f"95% HDI of the difference, {DRAWS:,} draws. For AUC the weights model holds the truth in "
        f"{_range(auc['weights'])} of the data sets and DeLong's interval in "
        f"{_range(auc['delong'])}; in the design where it compares worst, the model has "
        f"{100 * worst:+.1f} points."
    ]
    for measure, rows in others.groupby("measure", sort=False):
        told.append(f"For {SCORES[measure].label} it is {_range(rows['weights'])}.")
    return " ".join(told)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the rates as percentages."""
    text = table[["measure", "n_pos", "n_neg", "auc_a", "auc_b", "grades", "n_simulations"]].astype(
        str
    )
    text["measure"] = [SCORES[name].label for name in table["measure"]]
    for name in ("weights", "delong", "error"):
        text[name] = ["–" if np.isnan(x) else f"{100 * x:.1f}" for x in table[name]]
    for name in ("width", "width_delong"):
        text[name] = ["–" if np.isnan(x) else f"{x:.3f}" for x in table[name]]
    return text.rename(columns=lambda name: name.replace("_", " "))


def figure(table: pd.DataFrame) -> Axes:
    """Draw how often the intervals hold the truth, design by design, with two standard errors."""
    places = np.arange(len(table))[::-1]
    with theme():
        _, ax = plt.subplots(figsize=(7.5, 0.34 * len(table) + 1.2), layout="constrained")
        ax.axvline(LEVEL, color=GREY, linewidth=0.8)
        for name, mark, color, off in (("weights", "o", BLUE, 0.0), ("delong", "x", "black", 0.0)):
            ax.errorbar(
                table[name],
                places + off,
                xerr=2 * table["error"] if name == "weights" else None,
                fmt=mark,
                color=color,
                label={"weights": "weights model", "delong": "DeLong"}[name],
            )
        labels = [
            f"{SCORES[row.measure].label}, {row.n_pos} + {row.n_neg}, "
            f"{row.auc_a:.2f} and {row.auc_b:.2f}"
            + ("" if row.grades == "continuous" else f", {row.grades} grades")
            for row in table.itertuples()
        ]
        ax.set_yticks(places, labels)
        ax.set_xlabel("share of data sets whose interval holds the true difference")
        ax.legend(loc="lower left")
    return ax


def _range(rates: pd.Series) -> str:
    return f"{100 * rates.min():.1f}% to {100 * rates.max():.1f}%"


if __name__ == "__main__":
    main()
