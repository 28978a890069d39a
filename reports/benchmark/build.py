"""Show how stanoff compares with other packages, and what it leaves behind.

``bench.py`` measures speed and keeps nothing; ``bench_peers.py`` keeps a run with other packages in
``peers.csv``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from common import REPORTS, About, Output, write_report
from matplotlib.axes import Axes

from stanoff import plots
from stanoff.report.document import Section

HERE = REPORTS / "benchmark"
DRAWS, SPEED = "effective draws of delta", "effective draws per second"
ABOUT = About(
    title="How fast stanoff is",
    subtitle="The same comparison by other packages, and what is left behind when stanoff is "
    "stopped or works for long.",
    heading="How fast stanoff is",
    text="The same comparison by other packages that draw by Hamiltonian Monte Carlo, and what is "
    "left behind when stanoff is stopped or works for long.",
    figure="peers",
    caption="Effective draws of the difference per second, by package.",
)


def faults(out: Output) -> Section:
    """Show what is left behind when stanoff is stopped, and when it works for long."""
    trials, load = (pd.read_csv(HERE / f"{name}.csv") for name in ("trials", "load"))
    blocks = [
        "stanoff is stopped in every way while it samples, compiles, saves and studies. It has "
        "held if it and all its children are gone within three seconds, with the right exit "
        "code, no traceback and nothing in TMPDIR, and what was finished can still be read.",
        out.table("trials", trials, "What was tried, and how often it held."),
        out.table(
            "load", load, "What many comparisons in one process leave, after some to warm up."
        ),
    ]
    return Section("Faults", blocks)


def beside(out: Output) -> Section:
    """Show one run with other packages."""
    table = pd.read_csv(HERE / "peers.csv")
    table = table.rename(columns={"effective_draws": DRAWS, "per_second": SPEED})
    table = table.rename(columns={"stanoff_seconds": "stanoff, seconds"})
    exact = table["package"].str.startswith("prob_conf_mat")
    samplers = table.loc[~exact, ["package", "version", "seconds", DRAWS, SPEED]]
    shown = samplers.assign(
        **{name: samplers[name].map("{:,.0f}".format) for name in (DRAWS, SPEED)}
    )
    others = table.loc[exact, ["package", "version", "seconds", "stanoff, seconds"]]
    caption = "One comparison by Hamiltonian Monte Carlo."
    blocks = [
        "The paired model on the same counts, 4 chains of 1,000 draws after 1,000 to warm up, "
        "two at a time. stanoff's seconds include all evidence, but not the draws of the "
        "prior, which it keeps and the others do not make. Each number is the median of five "
        "runs after one to warm up (of stanoff ten, half of them before the others and half "
        "after), every run with a seed of its own, since PyStan's server answers a repeated "
        "seed from its cache. All were measured one after the other, on two cores: "
        "take the ratios, not the seconds.",
        out.figure("peers", lambda: figure(samplers), ABOUT.caption),
        out.table("peers", shown, caption, numbers=samplers),
        "prob_conf_mat draws 50,000 times from a confusion matrix per system, as if each had a "
        "test set of its own; stanoff's exact engine draws as often from the paired model. "
        "Listwise, four systems are ranked: by prob_conf_mat from four confusion matrices, by "
        "stanoff from the labels of 7,532 documents, with every pair and all ranks.",
        out.table("peers_exact", others, "One comparison by independent draws."),
    ]
    return Section("Beside other packages", blocks)


def figure(samplers: pd.DataFrame) -> Axes:
    """Draw effective draws per second, a bar for each package."""
    rows = samplers.sort_values(SPEED)
    with plots.theme():
        _, ax = plt.subplots(figsize=(6.5, 0.35 * len(rows) + 0.8), layout="constrained")
        colors = ["C0" if name == "stanoff" else "0.7" for name in rows["package"]]
        ax.barh(rows["package"], rows[SPEED], color=colors)
        ax.set_xlabel(SPEED)
        ax.xaxis.set_major_formatter("{x:,.0f}")
    return ax


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, (beside, faults), folder)
