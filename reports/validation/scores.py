"""How often do intervals of scores hold the truth? The weights model next to DeLong's interval.

Scores of two systems are normal in each class, correlated within documents, and in some designs put
into five grades. Every data set is judged by the weights model, and AUC by DeLong's interval, too;
for average precision and the Brier score the class of a document is random. Writes
``scores.csv`` beside this script, in some minutes; ``build.py`` shows it:

    cd reports && python -m validation.scores
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy import stats

from stanoff import compare, plots, significance
from validation.harness import in_percent, keep, percent_range, run

LABELS = {"auc": "AUC", "average_precision": "average precision", "brier": "Brier score"}
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
    for measure in ("average_precision", "brier"):
        jobs += [(measure, *design[:4], 0, design[4]) for design in OTHER_DESIGNS]
    jobs = [(*job[:-1], max(10, round(share * job[-1]))) for job in jobs]
    keep("scores", pd.DataFrame(run(cover, enumerate(jobs))))


def cover(numbered: tuple[int, tuple]) -> dict:
    """Draw the data sets of one design, and count how often the intervals hold the truth."""
    index, (measure, n_pos, n_neg, auc_a, auc_b, grades, n_simulations) = numbered
    rng = np.random.default_rng([SEED, index])
    true = difference(measure, n_pos, n_neg, auc_a, auc_b, grades)
    hdis, delong = [], []
    for seed in range(n_simulations):
        truth = np.repeat([1, 0], [n_pos, n_neg])
        if measure != "auc":
            truth = classes(n_pos, n_neg, rng)
        pair = scores(truth, (auc_a, auc_b), grades, rng)
        if measure == "brier":
            aucs = zip(pair, (auc_a, auc_b), strict=True)
            pair = [probability(x, auc, n_pos, n_neg) for x, auc in aucs]
        options = {"model": "bootstrap", "hdi_prob": LEVEL, "draws": DRAWS, "seed": seed}
        result = compare(truth, *pair, measure=measure, **options)
        hdis.append(result.evidence().hdi)
        if measure == "auc":
            delong.append(significance.delong_test(result.data, level=LEVEL).interval)
    row = {"measure": measure, "n_pos": n_pos, "n_neg": n_neg, "auc_a": auc_a, "auc_b": auc_b}
    row |= {"grades": grades or "continuous", "n_simulations": n_simulations}
    low, high = np.array(hdis).T
    row |= {"weights": np.mean((low <= true) & (true <= high)), "delong": np.nan}
    row |= {"error": np.sqrt(LEVEL * (1 - LEVEL) / n_simulations), "width": np.mean(high - low)}
    low, high = np.reshape(delong, (-1, 2)).T
    if delong:
        row["delong"] = np.mean((low <= true) & (true <= high))
    return row | {"width_delong": np.mean(high - low) if delong else np.nan}


def classes(n_pos: int, n_neg: int, rng: np.random.Generator) -> np.ndarray:
    """Draw classes at random; a data set that has fewer than two of one is drawn again."""
    while True:
        truth = (rng.random(n_pos + n_neg) < n_pos / (n_pos + n_neg)).astype(int)
        if 2 <= truth.sum() <= len(truth) - 2:
            return truth


def scores(
    truth: np.ndarray, aucs: tuple[float, float], grades: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Draw normal scores with these AUCs, correlated within documents, or in few grades."""
    shared, pair = rng.normal(size=len(truth)), []
    for auc in aucs:
        noise = rng.normal(size=len(truth))
        score = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * noise
        score = score + distance(auc) * truth
        pair.append(np.digitize(score, cuts(auc, grades)).astype(float) if grades else score)
    return pair


def distance(auc: float) -> float:
    """Return how far apart the means of two standard normal classes are."""
    return float(np.sqrt(2) * stats.norm.ppf(auc))


def cuts(auc: float, grades: int) -> np.ndarray:
    """Return where grades begin: at equal steps over the range that both classes share."""
    return np.linspace(-1, distance(auc) + 1, grades + 1)[1:-1]


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
    auc = table[table["measure"] == "auc"]
    worst = 100 * (auc["weights"] - auc["delong"]).min()
    text = (
        "Scores of two systems are normal in each class, with a correlation of "
        f"{CORRELATION:g} within documents; {DRAWS:,} draws. For AUC the 95% HDI of the bootstrap "
        f"model holds the truth in {percent_range(auc['weights'])} of the data sets and DeLong's "
        f"interval in {percent_range(auc['delong'])}; in the design where it compares worst, the "
        f"model has {worst:+.1f} points."
    )
    for measure, rows in table.drop(auc.index).groupby("measure", sort=False):
        text += f" For {LABELS[measure]} it is {percent_range(rows['weights'])}."
    return text


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the rates as percentages."""
    text = table.astype(str).assign(measure=table["measure"].map(LABELS))
    for name in ("weights", "delong", "error"):
        text[name] = in_percent(table[name])
    for name in ("width", "width_delong"):
        text[name] = table[name].map(lambda x: "–" if np.isnan(x) else f"{x:.3f}")
    names = {"weights": "bootstrap", "n_simulations": "data sets"}
    return text.rename(columns=names).rename(columns=lambda name: name.replace("_", " "))


def figure(table: pd.DataFrame) -> Axes:
    """Draw how often the intervals hold the truth, design by design, with two standard errors."""
    y = np.arange(len(table))[::-1]
    with plots.theme():
        _, ax = plt.subplots(figsize=(7.5, 0.34 * len(table) + 1.2), layout="constrained")
        ax.axvline(LEVEL, color="0.4", linewidth=0.8)
        error = 2 * table["error"]
        ax.errorbar(table["weights"], y, xerr=error, fmt="o", color="C0", label="bootstrap model")
        ax.plot(table["delong"], y, "x", color="black", label="DeLong")
        labels = [
            f"{LABELS[row.measure]}, {row.n_pos} + {row.n_neg}, "
            f"{row.auc_a:.2f} and {row.auc_b:.2f}"
            + ("" if row.grades == "continuous" else f", {row.grades} grades")
            for row in table.itertuples()
        ]
        ax.set_yticks(y, labels)
        ax.set_xlabel("share of data sets whose interval holds the true difference")
        ax.legend(loc="lower left")
    return ax


if __name__ == "__main__":
    main()
