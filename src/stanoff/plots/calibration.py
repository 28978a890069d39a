"""Ranks of a calibration: histograms, and distributions with their band."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from stanoff.errors import unknown
from stanoff.plots.style import BLUE, DASHES, GREY, LINES, literal, new_axes, shortened, themed

if TYPE_CHECKING:
    from stanoff.workbench.calibration import Calibration

BINS = 20
MOST_LINES = 8


@themed
def plot_rank(calibration: Calibration, variable: str = "delta", *, ax: Axes | None = None) -> Axes:
    """Draw a histogram of the ranks of one variable.

    Parameters
    ----------
    calibration : Calibration
        What :func:`stanoff.workbench.calibrate` returned.
    variable : str
        One of the columns of its ranks; the first that begins so.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    from scipy.stats import binom

    ax = ax or new_axes()
    names = calibration.variables
    found = [name for name in names if name == variable or name.startswith(f"{variable}[")]
    if not found:
        raise unknown("variable", variable, names)
    ranks = calibration.ranks[found[0]].to_numpy()
    bins = min(BINS, calibration.max_rank + 1)
    low, high = binom.ppf([0.025, 0.975], len(ranks), 1 / bins)
    ax.axhspan(low, high, color=GREY, alpha=0.2, linewidth=0)
    ax.axhline(len(ranks) / bins, color=GREY, linewidth=0.8)
    ax.hist(
        ranks,
        bins=np.linspace(-0.5, calibration.max_rank + 0.5, bins + 1).tolist(),
        color=BLUE,
        alpha=0.6,
        edgecolor="white",
    )
    ax.set(xlabel="rank of the truth among the draws", ylabel="simulations")
    ax.set_xlim(-0.5, calibration.max_rank + 0.5)
    ax.set_title(f"{literal(shortened(calibration.program))}: {literal(found[0])}")
    return ax


@themed
def plot_ecdf(calibration: Calibration, *, ax: Axes | None = None) -> Axes:
    """Draw the distributions of the ranks less the uniform one, with a band that holds for all.

    Parameters
    ----------
    calibration : Calibration
        What :func:`stanoff.workbench.calibrate` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    from stanoff.workbench.ranks import ecdf_band

    ax = ax or new_axes()
    n, kept = len(calibration.ranks), calibration.max_rank
    expected, low, high = ecdf_band(n, kept)
    place = (np.arange(kept) + 1) / (kept + 1)
    ax.fill_between(place, low - expected, high - expected, color=GREY, alpha=0.2, linewidth=0)
    ax.axhline(0, color=GREY, linewidth=0.8)
    names = calibration.variables[:MOST_LINES]
    for name, color, dash in zip(names, LINES, DASHES, strict=False):
        seen = np.bincount(calibration.ranks[name], minlength=kept + 1).cumsum()[:-1] / n
        ax.plot(
            place, seen - expected, color=color, linestyle=dash, linewidth=1.3, label=literal(name)
        )
    ax.set(xlabel="rank, as a share", ylabel="distribution less the uniform one")
    ax.set_xlim(0, 1)
    ax.set_title(f"{literal(shortened(calibration.program))}: {n:,} simulations")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax
