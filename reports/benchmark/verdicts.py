"""How often is the verdict right? Decisions next to significance tests where the truth is known.

Over a grid of true differences in F1, prevalences, correlations and sizes of the test set, data
sets are drawn and judged by the paired model, the sign test and the t-test. Writes
``verdicts.csv`` beside this script, in a few minutes; ``build.py`` shows it:

    cd reports && python -m benchmark.verdicts
"""

from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from common import as_csv
from matplotlib.axes import Axes
from scipy.optimize import brentq

from stanoff import Scenario, significance
from stanoff._lib.files import write_text
from stanoff.inference.decision import Decision
from stanoff.inference.goals import verdict_of
from stanoff.planning.generators import ScenarioDocuments
from stanoff.planning.simulate import N_DRAWS, Analysis, Chunk, run_parallel
from stanoff.plots.style import theme
from stanoff.question import Question, Sampling

HERE = Path(__file__).resolve().parent
ROPE, LEVEL, SEED = 0.05, 0.05, 2016
DELTAS = (0.0, 0.02, 0.04, 0.06, 0.1)
RATES_OF_B = {0.5: (0.7, 0.2), 0.1: (0.7, 0.03)}  # by prevalence: on positives, on negatives
CORRELATIONS = (0.0, 0.5)
SIZES = (500, 2000, 8000)
DECISIONS = [str(decision) for decision in Decision]
COLORS = dict(zip(DECISIONS, ("#b2182b", "#f4a582", "#bbbbbb", "#92c5de", "#2166ac"), strict=True))


def main(n_simulations: int = 1000) -> None:
    """Run the study."""
    grid = list(product(RATES_OF_B, CORRELATIONS, DELTAS, SIZES))
    cells = [(place, *cell, n_simulations) for place, cell in enumerate(grid)]
    table = pd.DataFrame(run_parallel(judge_cell, cells, title="Judging", progress=True))
    write_text(HERE / "verdicts.csv", as_csv(table))
    print(notes(table))


def scenario_with(mu: float, correlation: float, delta: float) -> Scenario:
    """Make A better than B until their F1 differ by delta."""
    pos, neg = RATES_OF_B[mu]
    alike = Scenario.from_rates(mu, rho_pos=(pos, pos), rho_neg=(neg, neg), correlation=correlation)
    shift = brentq(lambda logits: alike.shift_a(logits).delta("f1") - delta, -1, 5)
    return alike.shift_a(shift)


def judge_cell(cell: tuple) -> dict:
    """Draw the data sets of one cell, and count how often each way of judging is right."""
    place, mu, correlation, delta, n, datasets = cell
    scenario = scenario_with(mu, correlation, delta)
    sampling = Sampling.read(model="paired", engine="exact", draws=N_DRAWS)
    analysis = Analysis(Question.read(measure="f1", rope=ROPE, hdi_prob=1 - LEVEL), sampling)
    seed = np.random.SeedSequence(SEED, spawn_key=(place,))
    chunk = Chunk(ScenarioDocuments(scenario, n), datasets, (analysis,), seed)
    counts, [(low, high)] = chunk.simulate()
    said = analysis.decide(low, high)
    truth = verdict_of(delta, (-ROPE, ROPE), higher_is_better=True)
    row = {
        "mu": mu,
        "correlation": correlation,
        "delta": delta,
        "n": n,
        **{name: float(np.mean(said == name)) for name in DECISIONS},
        "right": float(np.mean(said == str(truth))),
        "wrong": float(np.mean(np.isin(said, ["<<", "=", ">>"]) & (said != str(truth)))),
        "wrong_direction": float(np.mean(said == "<<")),
        "coverage": float(np.mean((low <= delta) & (delta <= high))),
    }
    right_a, right_b = counts.cells[..., [0, 3]].sum(axis=-1)
    for name, values in significance.columns(counts).items():
        rejects = np.asarray(values) < LEVEL
        row[f"{name}_rejects"] = float(np.mean(rejects))
        row[f"{name}_wrong_direction"] = float(np.mean(rejects & (right_a < right_b)))
    return row | {"n_simulations": datasets}


def notes(table: pd.DataFrame) -> str:
    """Describe what the table shows."""
    small, large = table[table["delta"] < ROPE], table[table["delta"] > ROPE]
    same, some = table[table["delta"] == 0], small[small["delta"] > 0]
    many = some[some["n"] == max(SIZES)]
    return (
        f"{table['datasets'].max():,} data sets per row, F1, ROPE ±{ROPE:g}, 95% HDI of the paired "
        "model; the sign test and the t-test compare accuracy at the 5% level. The HDI holds the "
        f"true difference in {_range(table['coverage'])} of the data sets. A settled verdict is "
        f"wrong in at most {100 * table['wrong'].max():.1f}% (a true difference inside the ROPE "
        f"called ≫ in at most {100 * small['>>'].max():.1f}%, one outside it called ≈ in at most "
        f"{100 * large['='].max():.1f}%), and points to the wrong side in at most "
        f"{100 * table['wrong_direction'].max():.1f}%. Where there is no difference the sign test "
        f"rejects in {_range(same['sign_test_rejects'])} and the t-test in "
        f"{_range(same['t_test_rejects'])}; where there is one that is too small to matter, on "
        f"{max(SIZES):,} documents they reject in {_range(many['sign_test_rejects'])} and "
        f"{_range(many['t_test_rejects'])}, while the model says ≈ in {_range(many['='])}."
    )


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the rates as percentages."""
    text = table.drop(columns="n_simulations").copy()
    for name in text.columns[4:]:
        text[name] = [f"{100 * rate:.1f}" for rate in table[name]]
    symbols = {name: Decision(name).symbol for name in DECISIONS}
    text["n"] = table["n"].map("{:,}".format)
    return text.rename(columns=symbols).rename(columns=lambda name: name.replace("_", " "))


def figure(table: pd.DataFrame) -> Axes:
    """Draw the decisions as stacked bars and the tests as marks on them."""
    rows = list(product(RATES_OF_B, CORRELATIONS))
    with theme():
        fig, axes = plt.subplots(
            len(rows),
            len(DELTAS),
            figsize=(11, 8.5),
            sharex=True,
            sharey=True,
            layout="constrained",
        )
        for i, (mu, correlation) in enumerate(rows):
            part = table[(table.mu == mu) & (table.correlation == correlation)]
            for j, delta in enumerate(DELTAS):
                _bars(axes[i, j], part[part.delta == delta])
            axes[i, 0].set_ylabel(f"prevalence {mu:g}\ncorrelation {correlation:g}")
        for ax, delta in zip(axes[0], DELTAS, strict=True):
            inside = "inside" if delta < ROPE else "outside"
            ax.set_title(f"true difference {delta:g}\n({inside} the ROPE)", fontsize=10)
        fig.supxlabel("documents in the test set")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return axes[0, 0]


def _bars(ax: Axes, part: pd.DataFrame) -> None:
    x, below = np.arange(len(part)), np.zeros(len(part))
    for name in DECISIONS:
        height = part[name].to_numpy()
        symbol = Decision(name).symbol
        ax.bar(x, height, 0.8, bottom=below, color=COLORS[name], label=f"A {symbol} B")
        below += height
    tests = (("sign_test", "D", "sign test rejects"), ("t_test", "o", "t-test rejects"))
    for name, mark, label in tests:
        ax.plot(
            x, part[f"{name}_rejects"], mark, color="black", markerfacecolor="white", label=label
        )
    ax.set_ylim(0, 1.02)
    ax.set_xticks(x, [f"{n:,}" for n in part["n"]])


def _range(rates: pd.Series) -> str:
    return f"{100 * rates.min():.1f}% to {100 * rates.max():.1f}%"


if __name__ == "__main__":
    main()
