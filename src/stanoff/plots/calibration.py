"""Ranks of a calibration, drawn by ArviZ: histograms, and distributions with their band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import arviz_plots as azp
import numpy as np
import xarray as xr
from arviz_stats.ecdf_utils import compute_ecdf
from matplotlib.axes import Axes
from scipy.stats import binom

from stanoff.errors import unknown
from stanoff.plots import style
from stanoff.plots.posterior import NO_TEXT, collection_on

if TYPE_CHECKING:
    from stanoff.workbench import Calibration

BINS = 20


@style.themed
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
    names = calibration.variables
    matches = [name for name in names if name == variable or name.startswith(f"{variable}[")]
    if not matches:
        raise unknown("variable", variable, names)
    ax = ax or style.new_axes()
    ranks = calibration.ranks[matches[0]].to_numpy()
    n_bins = min(BINS, calibration.max_rank + 1)
    bins = np.linspace(-0.5, calibration.max_rank + 0.5, n_bins + 1)
    low, high = binom.ppf([0.025, 0.975], len(ranks), 1 / n_bins)
    data = xr.Dataset({"rank": ("simulation", ranks.astype(float))})
    collection = collection_on(ax, data)
    azp.plot_dist(
        xr.DataTree.from_dict({"prior_sbc": data}),
        group="prior_sbc",
        kind="hist",
        sample_dims=["simulation"],
        plot_collection=collection,
        stats={"dist": {"bins": bins, "density": False}},
        visuals=NO_TEXT
        | dict.fromkeys(("dist", "credible_interval", "point_estimate"), False)
        | {"face": {"color": style.BLUE, "alpha": 0.6, "linewidth": 0}},
    )
    # Where 95% of the counts lie if the ranks are uniform.
    band = {"ref_band": {"color": style.GREY, "alpha": 0.2, "linewidth": 0}}
    azp.add_bands(collection, values=[(low, high)], orientation="horizontal", visuals=band)
    ax.axhline(len(ranks) / n_bins, color=style.GREY, linewidth=0.8)
    ax.set(xlabel="rank of the truth among the draws", ylabel="simulations")
    ax.set(xlim=(bins[0], bins[-1]), ylim=(0, None))
    ax.set_title(f"{style.clean(calibration.program, 24)}: {style.clean(matches[0])}")
    return ax


@style.themed
def plot_ecdf(calibration: Calibration, *, ax: Axes | None = None) -> Axes:
    """Draw the distributions of the ranks less the uniform one, with a band that holds for all.

    Parameters
    ----------
    calibration : Calibration
        What :func:`stanoff.workbench.calibrate` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    ax = ax or style.new_axes()
    points, low, high = calibration.ecdf_band()
    grey: dict[str, Any] = {"color": style.GREY, "alpha": 0.2, "linewidth": 0}
    ax.fill_between(points, low - points, high - points, **grey)
    ax.axhline(0, color=style.GREY, linewidth=0.8)
    names = calibration.variables[: len(style.PALETTE)]
    pit = calibration.pit
    curves = np.stack([[points, compute_ecdf(pit[name], points) - points] for name in names])
    coords = {"variable": names, "plot_axis": ["x", "y"]}
    data = xr.Dataset({"ecdf": (("variable", "plot_axis", "rank"), curves)}, coords)
    lines = [("-", "--", "-.", ":")[i % 4] for i in range(len(names))]
    by_variable = {"color": ["variable"], "linestyle": ["variable"]}
    colors = list(style.PALETTE[: len(names)])
    collection = collection_on(ax, data, aes=by_variable, color=colors, linestyle=lines)
    collection.map(azp.visuals.line_xy, "ecdf", data=data, width=1.3)
    for name, color, line in zip(names, colors, lines, strict=True):
        ax.plot([], [], color=color, linestyle=line, linewidth=1.3, label=style.clean(name))
    ax.set(xlabel="rank, as a share", ylabel="distribution less the uniform one", xlim=(0, 1))
    ax.set_title(f"{style.clean(calibration.program, 24)}: {len(calibration.ranks):,} simulations")
    style.legend_right(ax)
    return ax
