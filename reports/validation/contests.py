"""Are the probabilities of a contest right? Simulations in which the best system is known.

The true scores of a leaderboard come from a normal distribution, whose spread is drawn
log-uniformly from 0.2 to 5 standard errors, or is 0.2, 1 or 5. The systems are judged on the same
documents, some of which are difficult for all of them; the ROPE is two standard errors. What the
contest says of every system is held against the truth, with systems that learn from each other
(``shrink``) and without. Writes ``contests.csv`` beside this script, in a quarter of an hour;
``build.py`` shows it:

    cd reports && python -m validation.contests
"""

import os
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes

from stanoff import contest, plots
from validation.harness import keep, percent_range, run

SYSTEMS, DOCUMENTS, DRAWS = (6, 20), 400, 2000
N_LEADERBOARDS = {"accuracy": 2000, "f1": 2000, "mean": 2000, "auc": 800}
N_AT_FIXED_SPREADS = 150
FIXED_SPREADS, ANY_SPREAD = (0.2, 1.0, 5.0), (0.2, 5.0)  # in standard errors
POSITIVES, CENTRES = 0.3, {"accuracy": 0.8, "f1": 0.7, "mean": 0.0, "auc": 0.85}
ROPE = 2.0  # in standard errors
TENTHS = np.linspace(0, 1, 11)
QUANTITIES = {"best": "P(best)", "near": "P(within the ROPE of the best)"}
MIN_CASES = 300  # of a tenth that is shown


def main() -> None:
    """Simulate, and count by how probable each statement was said to be."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the workers
    tasks = [
        (measure, n_systems, spread, seed)
        for measure, n in N_LEADERBOARDS.items()
        for n_systems in SYSTEMS
        for spread in (None, *FIXED_SPREADS)
        for seed in range(n if spread is None else N_AT_FIXED_SPREADS)
    ]
    keep("contests", count_true(pd.concat(run(simulate, tasks), ignore_index=True)))


def draw_data(measure: str, psi: np.ndarray, rng: np.random.Generator) -> tuple:
    """Draw what systems of these true scores do on the same documents: arguments of a contest."""
    names = [f"s{i}" for i in range(len(psi))]
    shared, own = rng.normal(size=(DOCUMENTS, 1)), rng.normal(size=(DOCUMENTS, len(psi)))
    noise = (shared + own) / np.sqrt(2)
    if measure == "mean":
        return (pd.DataFrame(psi + noise, columns=names),)
    truth = (rng.random(DOCUMENTS) < POSITIVES).astype(int)
    if measure == "auc":
        answers = noise + np.sqrt(2) * scipy.special.ndtri(psi) * truth[:, None]
    else:  # as often right on positives as on negatives
        share = 2 * POSITIVES + (1 - 2 * POSITIVES) * psi
        rate = psi if measure == "accuracy" else psi / share
        right = noise < scipy.special.ndtri(rate)
        answers = np.where(right, truth[:, None], 1 - truth[:, None])
    return truth, dict(zip(names, answers.T, strict=True))


@cache
def standard_error(measure: str) -> float:
    """Return the standard deviation of a difference of observed scores, over the root of 2."""
    rng, equal = np.random.default_rng(1), np.full(2, CENTRES[measure])
    differences = []
    for _ in range(400):
        result = contest(*draw_data(measure, equal, rng), measure=measure, draws=10, seed=1)
        differences.append(np.subtract(*result.observed[:, 0]))
    return float(np.std(differences) / np.sqrt(2))


def simulate(task: tuple[str, int, float | None, int]) -> pd.DataFrame:
    """Hold what one contest says of each system against what is true."""
    measure, n_systems, fixed_spread, seed = task
    rng = np.random.default_rng([seed, n_systems, *measure.encode()])
    error = standard_error(measure)
    spread = fixed_spread or np.exp(rng.uniform(*np.log(ANY_SPREAD)))
    psi = CENTRES[measure] + spread * error * rng.normal(size=n_systems)
    if measure != "mean":
        psi = np.clip(psi, 0.01, 0.995)
    data, rope = draw_data(measure, psi, rng), ROPE * error
    result = contest(*data, measure=measure, rope=rope, draws=DRAWS, seed=seed)
    loss, rank = psi.max() - psi, 1 + (psi[:, None] < psi).sum(axis=1)
    frames = []
    for shrink in (True, False):
        ranking = result.judge(shrink=shrink).ranking()
        about = {"measure": measure, "systems": n_systems, "spread": fixed_spread, "shrink": shrink}
        statements = {
            "p_best": ranking.p_best,
            "best": loss == 0,
            "p_near": ranking.p_within_rope_of_best,
            "near": loss <= rope,
            "ranked": (ranking.rank_low <= rank) & (rank <= ranking.rank_high),
            "inside": (ranking.hdi_low <= psi) & (psi <= ranking.hdi_high),
            "in_set": ranking.tier == 1,
        }
        frames.append(pd.DataFrame(about | statements))
    return pd.concat(frames)


def count_true(statements: pd.DataFrame) -> pd.DataFrame:
    """Count how often what was said with about the same probability is true."""
    rows = []
    at_any_spread = statements[statements["spread"].isna()]
    for design, group in at_any_spread.groupby(["measure", "systems", "shrink"], sort=False):
        for name in QUANTITIES:
            tenth = np.clip(np.digitize(group[f"p_{name}"], TENTHS) - 1, 0, 9)
            for i, cases in group.groupby(tenth):
                said, true = cases[f"p_{name}"].mean(), cases[name].mean()
                rows.append((*design, "0.2 to 5", name, TENTHS[i], len(cases), said, true))
    by_spread = statements.fillna({"spread": "0.2 to 5"})
    for design, group in by_spread.groupby(["measure", "systems", "shrink", "spread"], sort=False):
        best = group[group["best"]]
        for name, cases in {"ranked": group, "inside": group, "in_set": best}.items():
            rows.append((*design, name, np.nan, len(cases), 0.95, cases[name].mean()))
    names = ["measure", "systems", "shrink", "spread", "what", "low", "cases", "said", "true"]
    return pd.DataFrame(rows, columns=names).round(4)


def figure(table: pd.DataFrame) -> Axes:
    """Draw how often statements are true against how probable they were said to be."""
    with plots.theme():
        _, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", sharey=True)
    shown = table[table["cases"] >= MIN_CASES]
    for ax, (name, label) in zip(axes, QUANTITIES.items(), strict=True):
        ax.plot([0, 1], [0, 1], color="0.4", linewidth=0.8)
        for shrink, marker, color in ((False, "o", "0.6"), (True, "s", "C0")):
            cases = shown[(shown["what"] == name) & (shown["shrink"] == shrink)]
            label_of_color = "systems learn from each other" if shrink else "shrink=False"
            ax.plot(cases["said"], cases["true"], marker, color=color, markersize=4, alpha=0.7)
            ax.plot([], [], marker, color=color, label=label_of_color)
        ax.set(xlabel=f"{label} as said")
    axes[0].legend(loc="upper left")
    axes[0].set(ylabel="share that is true")
    return axes[0]


def largest_gap(table: pd.DataFrame, *, shrink: bool) -> float:
    """Return how far what is said is from what is true, at most, where there are many cases."""
    many = table[(table["cases"] >= MIN_CASES) & (table["shrink"] == shrink)]
    many = many[many["what"].isin(QUANTITIES)]
    return float((many["said"] - many["true"]).abs().max())


def notes(table: pd.DataFrame) -> str:
    """Say in words what came out."""
    shares = {
        (name, shrink): percent_range(rows["true"])
        for (name, shrink), rows in table.groupby(["what", "shrink"])
    }
    return (
        f"In every tenth of P(best) and P(within the ROPE of the best) with {MIN_CASES} cases or "
        f"more, the share that is true is within {largest_gap(table, shrink=True):.2f} of what was "
        f"said; without learning from each other, within {largest_gap(table, shrink=False):.2f}. "
        f"The intervals of ranks hold {shares['ranked', True]} of the true ranks (without, "
        f"{shares['ranked', False]}), and the HDIs {shares['inside', True]} of the true scores. "
        f"The best system is in the first tier in {shares['in_set', True]} of the contests."
    )


if __name__ == "__main__":
    main()
