"""Table 3 and Figure 5 of Zhang et al. (2016): the power of the models, ours next to the printed.

The report simulates 2,000 data sets per cell. The whole study with 5,000 is kept in
``reports/benchmark`` as ``table3.csv``, ``table3.md`` and ``table3.svg``, made by

    python reports/zhang2016/table3.py
"""

import pandas as pd
from experiment import HERE, ROPE, SEED, printed
from matplotlib.axes import Axes

from stanoff import power
from stanoff.files import write_bytes, write_text
from stanoff.plots import power_plot
from stanoff.plots.theme import BLUE, RED
from stanoff.report.figures import as_bytes
from stanoff.texts import frame_as_markdown

KEPT = HERE.parent / "benchmark"
KEYS = ["scenario", "goal", "n", "model"]


def main(datasets: int = 5000) -> None:
    """Simulate the whole study, and write table and figure."""
    table = simulated(datasets, draws=4000, progress=True)
    away = (table["power"] - table["printed"]).abs()
    write_text(KEPT / "table3.csv", table.to_csv(index=False, float_format="%.6g"))
    notes = (
        f"{datasets:,} data sets per cell, 4,000 draws each; ROPE ±0.05, 95% HDI; the unpaired "
        "model judges the same data sets. The greatest deviation from the printed numbers is "
        f"{away.max():.3f}, the mean {away.mean():.3f}. Given the class, A and B of scenario a are "
        "independent, so what the paired model gains there comes from the prevalence they share."
    )
    write_text(KEPT / "table3.md", f"{frame_as_markdown(side_by_side(table))}\n\n{notes}\n")
    write_bytes(KEPT / "table3.svg", as_bytes(figure(table)))
    print(notes)


def simulated(datasets: int, *, draws: int, progress: bool = False) -> pd.DataFrame:
    """Simulate the powers, a row per scenario, size and model, with the printed ones."""
    wide = printed(3).rename(columns={"size": "n"})
    wide = wide.rename(columns=lambda name: name.removeprefix("power_"))
    theirs = wide.melt(["scenario", "goal", "n"], var_name="model", value_name="printed")
    sizes = sorted(theirs["n"].unique().tolist())
    settings = {"datasets": datasets, "draws": draws, "rope": ROPE, "seed": SEED}
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
    ax = power_plot(table)
    for (model, cells), color in zip(table.groupby("model"), (BLUE, RED), strict=True):
        ax.plot(cells["n"], cells["printed"], "x", color=color, label=f"{model}, printed")
    ax.legend(frameon=False, fontsize=9)
    return ax


if __name__ == "__main__":
    main()
