"""Are the probabilities of a contest right? Simulations in which the best system is known.

Five systems are drawn, either from the model's own prior or as on a leaderboard: all of them good,
and all of them wrong rather on the same difficult documents. Their contest is judged, and what it
says of every system is held against the truth. Writes ``contests.csv`` beside this script, in a few
minutes; ``build.py`` shows it:

    cd reports && python -m benchmark.contests
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from common import as_csv
from matplotlib.axes import Axes
from scipy.stats import norm

from stanoff import contest
from stanoff._lib.files import write_text
from stanoff.data.types import response_patterns
from stanoff.inference.ranking import max_loss_within_rope
from stanoff.planning.simulate import run_parallel
from stanoff.plots.style import BLUE, GREY, theme

HERE = Path(__file__).resolve().parent
SYSTEMS, DOCUMENTS, ROPE, DRAWS = 5, 500, 0.02, 2000
BINS = (0.0, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.0)
DIFFICULTY = 1.0  # how much the documents differ, in units of the systems' noise
QUANTITIES = {"best": "P(best)", "near": "P(within the ROPE of the best)"}


def main(simulations: int = 2000) -> None:
    """Simulate, and count by how probable each statement was said to be."""
    tasks = [(design, seed) for design in DESIGNS for seed in range(simulations)]
    told = pd.concat(
        run_parallel(simulated, tasks, title="Judging", progress=True), ignore_index=True
    )
    write_text(HERE / "contests.csv", as_csv(counted(told)))


def from_prior(rng: np.random.Generator) -> tuple[np.ndarray, dict, np.ndarray]:
    """Draw the systems from the prior of the contest model."""
    patterns = response_patterns(SYSTEMS)
    mu = rng.beta(1, 1)
    theta = rng.dirichlet(np.full(len(patterns), 4 / len(patterns)), 2)  # positives, negatives
    truth = (rng.random(DOCUMENTS) < mu).astype(int)
    shown = np.array([rng.choice(len(patterns), p=theta[1 - t]) for t in truth])
    yes = patterns[shown]
    return truth, _named(yes), _f1(mu, theta[0] @ patterns, theta[1] @ patterns)


def leaderboard(rng: np.random.Generator) -> tuple[np.ndarray, dict, np.ndarray]:
    """Draw good systems that find the same documents difficult."""
    mu, skill = 0.3, rng.uniform(1.4, 1.9, SYSTEMS)
    truth = (rng.random(DOCUMENTS) < mu).astype(int)
    difficulty = DIFFICULTY * rng.normal(size=(DOCUMENTS, 1))
    right = rng.normal(skill - difficulty) > 0
    yes = np.where(right, truth[:, None], 1 - truth[:, None])
    rate = norm.cdf(skill / np.hypot(1, DIFFICULTY))
    return truth, _named(yes), _f1(mu, rate, 1 - rate)


DESIGNS = {"prior": from_prior, "leaderboard": leaderboard}


def _named(yes: np.ndarray) -> dict[str, np.ndarray]:
    return {f"s{i}": column for i, column in enumerate(yes.T)}


def _f1(mu: float, rho_pos: np.ndarray, rho_neg: np.ndarray) -> np.ndarray:
    return 2 * mu * rho_pos / (mu + mu * rho_pos + (1 - mu) * rho_neg)


def simulated(task: tuple[str, int]) -> pd.DataFrame:
    """Hold what one contest says of each system against what is true."""
    design, seed = task
    truth, labels, scores = DESIGNS[design](np.random.default_rng([seed, len(design)]))
    result = contest(truth, labels, rope=ROPE, draws=DRAWS, seed=seed)
    found = result.ranking()
    loss = scores.max() - scores
    rank = 1 + (scores[:, None] < scores).sum(axis=1)
    return pd.DataFrame(
        {
            "design": design,
            "p_best": found.p_best,
            "best": loss == 0,
            "p_near": found.p_within_rope_of_best,
            "near": loss <= max_loss_within_rope(result.rope, True),
            "ranked": (found.rank_low <= rank) & (rank <= found.rank_high),
            "inside": (found.low <= scores) & (scores <= found.high),
            "kept": (found.tier == 1) & (loss == 0),
        }
    )


def counted(told: pd.DataFrame) -> pd.DataFrame:
    """Count how often what was said with about the same probability is true."""
    rows = []
    for design, some in told.groupby("design", sort=False):
        for name in QUANTITIES:
            place = np.clip(np.digitize(some[f"p_{name}"], BINS) - 1, 0, len(BINS) - 2)
            for i, part in some.groupby(place):
                rows.append(
                    {"design": design, "what": name, "low": BINS[i], "high": BINS[i + 1]}
                    | {"systems": len(part), "said": part[f"p_{name}"].mean()}
                    | {"true": part[name].mean()}
                )
        for name in ("ranked", "inside"):
            rows.append(
                {"design": design, "what": name, "low": 0.95, "high": 0.95}
                | {"systems": len(some), "said": 0.95, "true": some[name].mean()}
            )
        best = some[some["best"]]
        rows.append(
            {"design": design, "what": "kept", "low": 0.95, "high": 1.0}
            | {"systems": len(best), "said": 0.95, "true": best["kept"].mean()}
        )
    return pd.DataFrame(rows).round(4)


def figure(table: pd.DataFrame) -> Axes:
    """Draw how often statements are true against how probable they were said to be."""
    with theme():
        _, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", sharey=True)
    for ax, (name, label) in zip(axes, QUANTITIES.items(), strict=True):
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        for design, marker, color in (("prior", "o", GREY), ("leaderboard", "s", BLUE)):
            some = table[(table["what"] == name) & (table["design"] == design)]
            error = 2 * np.sqrt(some["said"] * (1 - some["said"]) / some["systems"])
            ax.errorbar(
                some["said"],
                some["true"],
                yerr=error,
                fmt=marker,
                color=color,
                markersize=4,
                linewidth=1,
                label=design,
            )
        ax.set(xlabel=f"{label} as said")
        ax.legend(loc="upper left")
    axes[0].set(ylabel="share that is true")
    return axes[0]


def notes(table: pd.DataFrame) -> str:
    """Say in words what came out."""
    around = table[(table["what"] == "best") & (table["low"] == 0.85)]
    told = "; ".join(
        f"{row.design}: {100 * row.true:.1f}% of {row.systems:,}" for row in around.itertuples()
    )
    shares = {
        name: ", ".join(f"{100 * x:.1f}%" for x in table.loc[table["what"] == name, "true"])
        for name in ("ranked", "inside", "kept")
    }
    return (
        f"Of the systems with P(best) from .85 to .95 so many are the best: {told}. The intervals "
        f"of ranks hold the true rank of {shares['ranked']} of all systems (they are made of whole "
        f"ranks, so they hold more than 95%), and the HDIs the true score of {shares['inside']}. "
        f"The best system is in the first tier in {shares['kept']} of the contests."
    )


if __name__ == "__main__":
    main()
