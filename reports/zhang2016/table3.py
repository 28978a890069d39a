"""Table 3 and Figure 5 of Zhang et al. (2016): the power of the models, ours next to the printed.

The report simulates 2,000 data sets per cell; ``reports/benchmark`` has a study with 5,000.
"""

from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from stanoff import power
from stanoff.plots import plot_power
from stanoff.plots.style import BLUE, RED
from zhang2016.experiment import ROPE, SEED, printed

KEYS = ["scenario", "goal", "n", "model"]
DATA_SETS, DRAWS = 2000, 2000


@cache
def powers() -> pd.DataFrame:
    """Simulate the powers of the report."""
    return simulated(DATA_SETS, draws=DRAWS)


def simulated(n_simulations: int, *, draws: int, progress: bool = False) -> pd.DataFrame:
    """Simulate the powers, a row per scenario, size and model, with the printed ones."""
    wide = printed(3).rename(columns={"size": "n"})
    wide = wide.rename(columns=lambda name: name.removeprefix("power_"))
    theirs = wide.melt(["scenario", "goal", "n"], var_name="model", value_name="printed")
    sizes = sorted(theirs["n"].unique().tolist())
    settings = {"n_simulations": n_simulations, "draws": draws, "rope": ROPE, "seed": SEED}
    ours = power(["a", "b"], sizes, progress=progress, **settings)
    return ours.merge(theirs, on=KEYS, how="left", validate="one_to_one")


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Arrange the cells as the paper does, ours with their error beside the printed ones."""
    wide = table.pivot(index=["scenario", "goal", "n"], columns="model")
    columns = {}
    for model in ("unpaired", "paired"):
        cells = wide.xs(model, axis=1, level="model")
        errors = zip(cells["power"], cells["se"], strict=True)
        columns[f"{model}, printed"] = [f"{value:.2f}" for value in cells["printed"]]
        columns[f"{model}, ours"] = [f"{value:.3f} ± {error:.3f}" for value, error in errors]
    shown = {"=": "A ≈ B", ">>": "A ≫ B"}
    frame = pd.DataFrame(columns, index=wide.index).reset_index()
    return frame.assign(goal=frame["goal"].map(shown), n=frame["n"].map("{:,}".format))


def figure(table: pd.DataFrame) -> Axes:
    """Draw our curves, and the printed numbers as crosses in their colours."""
    ax = plot_power(table)
    for (model, cells), color in zip(table.groupby("model"), (BLUE, RED), strict=True):
        ax.plot(cells["n"], cells["printed"], "x", color=color, label=f"{model}, printed")
    ax.legend(frameon=False, fontsize=9)
    return ax
