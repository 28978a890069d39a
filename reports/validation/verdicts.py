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
from common import prose
from matplotlib.axes import Axes
from scipy.optimize import brentq

from stanoff import Decision, Scenario, compare_counts, plots, significance
from validation.harness import in_percent, keep, percent_range, run

ROPE, LEVEL, SEED = 0.05, 0.05, 2016
DELTAS = (0.0, 0.02, 0.04, 0.06, 0.1)
RATES_OF_B = {0.5: (0.7, 0.2), 0.1: (0.7, 0.03)}  # by prevalence: on positives, on negatives
CORRELATIONS = (0.0, 0.5)
SIZES = (500, 2000, 8000)
DECISIONS = list(Decision)
TESTS = {"sign_test": "sign test", "t_test": "t-test"}
KEYS = ("mu", "correlation", "delta", "n")


def main(n_simulations: int = 1000) -> None:
    """Run the study."""
    grid = list(product(RATES_OF_B, CORRELATIONS, DELTAS, SIZES))
    cells = [(index, *cell, n_simulations) for index, cell in enumerate(grid)]
    keep("verdicts", pd.DataFrame(run(judge_cell, cells)))


def scenario_with(mu: float, correlation: float, delta: float) -> Scenario:
    """Make A better than B until their F1 differ by delta."""
    pos, neg = RATES_OF_B[mu]
    equal = Scenario.from_rates(mu, rho_pos=(pos, pos), rho_neg=(neg, neg), correlation=correlation)
    shift = brentq(lambda logits: equal.shift_a(logits).delta("f1") - delta, -1, 5)
    return equal.shift_a(shift)


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
    settled = decisions.isin(["<<", "=", ">>"])
    held = (summary["hdi_low"] <= delta) & (delta <= summary["hdi_high"])
    row = {"mu": mu, "correlation": correlation, "delta": delta, "n": n}
    row |= {name: np.mean(decisions == name) for name in DECISIONS}
    row |= {"right": np.mean(decisions == truth), "wrong": np.mean(settled & (decisions != truth))}
    row |= {"wrong_direction": np.mean(decisions == "<<"), "coverage": np.mean(held)}
    right_a = pos[:, :2].sum(axis=1) + neg[:, 2:].sum(axis=1)
    right_b = pos[:, ::2].sum(axis=1) + neg[:, 1::2].sum(axis=1)
    for name, values in significance.columns(result.data).items():
        rejects = np.asarray(values) < LEVEL
        row[f"{name}_rejects"] = np.mean(rejects)
        row[f"{name}_wrong_direction"] = np.mean(rejects & (right_a < right_b))
    return row | {"n_simulations": n_simulations}


def notes(table: pd.DataFrame) -> str:
    """Describe what the table shows."""
    small, large = table[table["delta"] < ROPE], table[table["delta"] > ROPE]
    same = table[table["delta"] == 0]
    many = small[(small["delta"] > 0) & (small["n"] == max(SIZES))]
    return prose(
        """{n:,} data sets per row, F1, ROPE ±{rope:g}, 95% HDI of the paired model; the sign test
        and the t-test compare accuracy at the 5% level. The HDI holds the true difference in
        {covers} of the data sets. A settled verdict is wrong in at most {wrong:.1%} (a true
        difference inside the ROPE called ≫ in at most {called:.1%}, one outside it called ≈ in at
        most {missed:.1%}), and points to the wrong side in at most {side:.1%}. Where there is no
        difference the sign test rejects in {same[0]} and the t-test in {same[1]}; where there is
        one that is too small to matter, on {most:,} documents they reject in {many[0]} and
        {many[1]}, while the model says ≈ in {equal}.""",
        n=table["n_simulations"].max(),
        rope=ROPE,
        covers=percent_range(table["coverage"]),
        wrong=table["wrong"].max(),
        called=small[">>"].max(),
        missed=large["="].max(),
        side=table["wrong_direction"].max(),
        same=[percent_range(same[f"{test}_rejects"]) for test in TESTS],
        most=max(SIZES),
        many=[percent_range(many[f"{test}_rejects"]) for test in TESTS],
        equal=percent_range(many["="]),
    )


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Write the rates as percentages, under short headings."""
    names = {name: Decision(name).symbol for name in DECISIONS}
    names |= {"correlation": "corr.", "wrong_direction": "side", "coverage": "covers"}
    for test, short in TESTS.items():
        names |= {f"{test}_rejects": short, f"{test}_wrong_direction": f"{short}: side"}
    text = table.drop(columns="n_simulations").apply(
        lambda column: in_percent(column) if column.name not in KEYS else column
    )
    return text.assign(n=table["n"].map("{:,}".format)).rename(columns=names)


def figure(table: pd.DataFrame) -> Axes:
    """Draw the decisions as stacked bars and the tests as marks on them."""
    rows = list(product(RATES_OF_B, CORRELATIONS))
    grid = {"figsize": (11, 8.5), "sharex": True, "sharey": True, "layout": "constrained"}
    with plots.theme():
        fig, axes = plt.subplots(len(rows), len(DELTAS), **grid)
        for i, (mu, correlation) in enumerate(rows):
            cells = table[(table["mu"] == mu) & (table["correlation"] == correlation)]
            for j, delta in enumerate(DELTAS):
                _draw_bars(axes[i, j], cells[cells["delta"] == delta])
            axes[i, 0].set_ylabel(f"prevalence {mu:g}\ncorrelation {correlation:g}")
        for ax, delta in zip(axes[0], DELTAS, strict=True):
            inside = "inside" if delta < ROPE else "outside"
            ax.set_title(f"true difference {delta:g}\n({inside} the ROPE)", fontsize=10)
        fig.supxlabel("documents in the test set")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return axes[0, 0]


def _draw_bars(ax: Axes, cells: pd.DataFrame) -> None:
    x, below = np.arange(len(cells)), np.zeros(len(cells))
    for name in DECISIONS:
        look = {"color": plots.decision_tint(name), "label": f"A {Decision(name).symbol} B"}
        ax.bar(x, cells[name], 0.8, bottom=below, **look)
        below += cells[name].to_numpy()
    for (test, short), mark in zip(TESTS.items(), "Do", strict=True):
        look = {"color": "black", "markerfacecolor": "white", "label": f"{short} rejects"}
        ax.plot(x, cells[f"{test}_rejects"], mark, **look)
    ax.set_ylim(0, 1.02)
    ax.set_xticks(x, cells["n"].map("{:,}".format))


if __name__ == "__main__":
    main()
