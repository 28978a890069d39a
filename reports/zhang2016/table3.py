"""Table 3 and Figure 5 of Zhang et al. (2016): the power of the models, ours next to the printed.

The report simulates 2,000 data sets per cell; ``reports/validation`` has a study with 5,000.
"""

from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from stanoff import Decision, power
from stanoff.plots import plot_power
from zhang2016.experiment import ROPE, SEED, printed

DATA_SETS, DRAWS = 2000, 2000


@cache
def simulated(n_simulations: int = DATA_SETS, *, draws: int = DRAWS, progress: bool = False):
    """Simulate the powers, a row per scenario, size and model, with the printed ones."""
    wide = printed("table3").rename(columns=lambda name: name.removeprefix("power_"))
    wide = wide.rename(columns={"size": "n"})
    theirs = wide.melt(["scenario", "goal", "n"], var_name="model", value_name="printed")
    settings = {"n_simulations": n_simulations, "draws": draws, "rope": ROPE, "seed": SEED}
    sizes = sorted(theirs["n"].unique().tolist())
    ours = power(["a", "b"], sizes, progress=progress, **settings)
    keys = ["scenario", "goal", "n", "model"]
    return ours.merge(theirs, on=keys, how="left", validate="one_to_one")


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Arrange the cells as the paper does, ours with their error beside the printed ones."""
    wide = table.pivot(index=["scenario", "goal", "n"], columns="model")
    columns = {}
    for model in ("unpaired", "paired"):
        cells = wide.xs(model, axis=1, level="model")
        errors = zip(cells["power"], cells["se"], strict=True)
        columns[f"{model}, printed"] = [f"{value:.2f}" for value in cells["printed"]]
        columns[f"{model}, ours"] = [f"{value:.3f} ± {error:.3f}" for value, error in errors]
    frame = pd.DataFrame(columns, index=wide.index).reset_index()
    goal = [f"A {Decision(goal).symbol} B" for goal in frame["goal"]]
    return frame.assign(goal=goal, n=frame["n"].map("{:,}".format))


def figure(table: pd.DataFrame) -> Axes:
    """Draw our curves, and the printed numbers as crosses in their colours."""
    ax = plot_power(table)
    for (model, cells), color in zip(table.groupby("model"), ("C0", "C1"), strict=True):
        ax.plot(cells["n"], cells["printed"], "x", color=color, label=f"{model}, printed")
    ax.legend(frameon=False, fontsize=9)
    return ax
