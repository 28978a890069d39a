"""How often is the verdict right? Decisions next to significance tests where the truth is known.

Over a grid of true differences in F1, prevalences, correlations and sizes of the test set, data
sets are drawn and judged by the paired model, the sign test and the t-test. Writes
``verdicts.csv`` beside this script, in a few minutes; ``build.py`` shows it:

    cd reports && python -m validation.verdicts
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.optimize import brentq

from stanoff import Decision, Scenario, compare_counts, plots, significance
from validation.harness import keep, run
from validation.harness import percent_range as span

ROPE, LEVEL, SEED = 0.05, 0.05, 2016
DELTAS = (0.0, 0.02, 0.04, 0.06, 0.1)
RATES_OF_B = {0.5: (0.7, 0.2), 0.1: (0.7, 0.03)}  # by prevalence: on positives, on negatives
CORRELATIONS = (0.0, 0.5)
SIZES = (500, 2000, 8000)
DECISIONS = [str(decision) for decision in Decision]


def main(n_simulations: int = 1000) -> None:
    """Run the study."""
    grid = list(product(RATES_OF_B, CORRELATIONS, DELTAS, SIZES))
    cells = [(index, *cell, n_simulations) for index, cell in enumerate(grid)]
    table = pd.DataFrame(run(judge_cell, cells))
    keep("verdicts", table)
    print(notes(table))


def scenario_with(mu: float, correlation: float, delta: float) -> Scenario:
    """Make A better than B until their F1 differ by delta."""
    pos, neg = RATES_OF_B[mu]
    alike = Scenario.from_rates(mu, rho_pos=(pos, pos), rho_neg=(neg, neg), correlation=correlation)
    shift = brentq(lambda logits: alike.shift_a(logits).delta("f1") - delta, -1, 5)
    return alike.shift_a(shift)


def judge_cell(cell: tuple) -> dict:
    """Draw the data sets of one cell, and count how often each way of judging is right.

    The data sets are the categories of one comparison, which are independent of each other.
    """
    index, mu, correlation, delta, n, n_simulations = cell
    scenario = scenario_with(mu, correlation, delta)
    rng = np.random.default_rng([SEED, index])
    drawn = rng.multinomial(n, scenario.probabilities.ravel(), n_simulations)
    pos, neg = drawn[:, :4], drawn[:, 4:]
    options = {"model": "paired", "engine": "exact", "draws": 1000, "seed": index + 1}
    result = compare_counts(pos, neg, rope=ROPE, hdi_prob=1 - LEVEL, **options)
    summary = result.summary()
    decisions, truth = summary["decision"], "=" if delta < ROPE else ">>"
    low, high = summary["hdi_low"], summary["hdi_high"]
    row = {
        "mu": mu,
        "correlation": correlation,
        "delta": delta,
        "n": n,
        **{name: float(np.mean(decisions == name)) for name in DECISIONS},
        "right": float(np.mean(decisions == truth)),
        "wrong": float(np.mean(decisions.isin(["<<", "=", ">>"]) & (decisions != truth))),
        "wrong_direction": float(np.mean(decisions == "<<")),
        "coverage": float(np.mean((low <= delta) & (delta <= high))),
    }
    right_a = pos[:, :2].sum(axis=1) + neg[:, 2:].sum(axis=1)
    right_b = pos[:, ::2].sum(axis=1) + neg[:, 1::2].sum(axis=1)
    for name, values in significance.columns(result.data).items():
        rejects = np.asarray(values) < LEVEL
        row[f"{name}_rejects"] = float(np.mean(rejects))
        row[f"{name}_wrong_direction"] = float(np.mean(rejects & (right_a < right_b)))
    return row | {"n_simulations": n_simulations}


def notes(table: pd.DataFrame) -> str:
    """Describe what the table shows."""
    small, large = table[table["delta"] < ROPE], table[table["delta"] > ROPE]
    same, some = table[table["delta"] == 0], small[small["delta"] > 0]
    many = some[some["n"] == max(SIZES)]
    return (
        f"{table['n_simulations'].max():,} data sets per row, F1, ROPE ±{ROPE:g}, 95% HDI of the "
        "paired model; the sign test and the t-test compare accuracy at the 5% level. The HDI holds "  # noqa: E501
        f"the true difference in {span(table['coverage'])} of the data sets. A settled verdict is "
        f"wrong in at most {100 * table['wrong'].max():.1f}% (a true difference inside the ROPE "
        f"called ≫ in at most {100 * small['>>'].max():.1f}%, one outside it called ≈ in at most "
        f"{100 * large['='].max():.1f}%), and points to the wrong side in at most "
        f"{100 * table['wrong_direction'].max():.1f}%. Where there is no difference the sign test "
        f"rejects in {span(same['sign_test_rejects'])} and the t-test in "
        f"{span(same['t_test_rejects'])}; where there is one that is too small to matter, on "
        f"{max(SIZES):,} documents they reject in {span(many['sign_test_rejects'])} and "
        f"{span(many['t_test_rejects'])}, while the model says ≈ in {span(many['='])}."
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
    with plots.theme():
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
        ax.bar(
            x,
            height,
            0.8,
            bottom=below,
            color=plots.decision_tint(Decision(name)),
            label=f"A {symbol} B",
        )
        below += height
    tests = (("sign_test", "D", "sign test rejects"), ("t_test", "o", "t-test rejects"))
    for name, mark, label in tests:
        ax.plot(
            x, part[f"{name}_rejects"], mark, color="black", markerfacecolor="white", label=label
        )
    ax.set_ylim(0, 1.02)
    ax.set_xticks(x, [f"{n:,}" for n in part["n"]])


if __name__ == "__main__":
    main()
