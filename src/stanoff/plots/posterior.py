"""The posterior of delta, its Bayes factor, the chains, and ranks of a calibration: by ArviZ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import arviz_plots as azp
import numpy as np
import xarray as xr
from arviz_stats.ecdf_utils import compute_ecdf
from matplotlib.axes import Axes
from scipy.stats import binom

from stanoff.errors import InputError, unknown
from stanoff.plots import style
from stanoff.text.numbers import digits_for, format_interval, format_level, percent

if TYPE_CHECKING:
    from stanoff import Comparison, Evidence
    from stanoff.workbench import Calibration

MAX_POINTS = 5000  # of a chain that are drawn
MAX_BINS = 20  # of ranks
DARK_GREEN, DARK_RED = "#00694C", "#A84A00"  # dark enough for letters on white
COLORS, LINES = [style.ORANGE, style.BLUE], ["--", "-"]  # of prior and posterior
# What ArviZ would write, and is written in other words here.
NO_TEXT = {"title": False, "point_estimate_text": False, "remove_axis": False}
MEAN_AND_HDI = {
    "credible_interval": {"color": "black", "width": 4, "solid_capstyle": "butt"},
    "point_estimate": {"facecolor": "white", "edgecolor": "black", "size": 40, "zorder": 4},
}
HIDDEN = {"credible_interval": False, "point_estimate": False}
# Scott's rule is 1.06 times as wide for ArviZ as for SciPy.
KERNEL = {"bw": "scott", "bw_fct": 1 / 1.06, "bound_correction": False, "grid_len": 2000}
KERNEL |= {"extend": True, "extend_fct": 0.5}


@style.themed()
def plot_posterior(ax: Axes, result: Comparison, category: str | None = None) -> None:
    """Draw the posterior of delta: histogram, mean, the null value, ROPE and HDI.

    After Figure 6 of Zhang et al. (2016). The two percentages at the line through 0 are the
    probabilities that delta is below and above it; the one at the ROPE is that of lying inside.

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or its average; the one decided upon by default.
    """
    e = result.evidence(category)
    delta = result.posterior_sample(e.category)
    limits = style.delta_limits(e, delta)
    # The height of a line of text, as a share; four of them stand above the histogram.
    line = float(np.clip(style.points(14) / style.points_high(ax), 0.075, 0.15))
    below = {"ymax": 1 - 4 * line}
    collection = _collection(ax, xr.Dataset({"delta": ("draw", delta)}))
    rope_band = {"color": style.GREY, "alpha": 0.13, "linewidth": 0} | below
    azp.add_bands(collection, values=[e.rope], visuals={"ref_band": rope_band})
    visuals = {"face": {"color": style.BLUE, "alpha": 0.35, "linewidth": 0}} | MEAN_AND_HDI
    hdi = {"ci_kind": "hdi", "ci_prob": e.hdi_prob, "point_estimate": "mean"}
    _draw_histogram(collection, np.linspace(*limits, 61), visuals, density=True, **hdi)
    for values, color, dash in ((list(e.rope), style.RED, ":"), (0, style.GREEN, "--")):
        look = {"color": color, "linestyle": dash, "width": 1.5} | below
        azp.add_lines(collection, values=values, visuals={"ref_line": look})
    top = ax.get_ylim()[1] / (1 - 4.2 * line)
    ax.set(xlim=limits, ylim=(-0.012 * top, top), ylabel="posterior density")
    style.label_delta(ax, result, e)
    _write_numbers(ax, e, line)


def _write_numbers(ax: Axes, e: Evidence, line: float) -> None:
    """Write mean, probabilities and interval, each at its value of delta."""
    digits = digits_for(e.std)
    sides = f"{100 * e.p_less:.1f}% < 0 < {100 * e.p_greater:.1f}%"
    in_rope, hdi = f"{percent(e.p_rope)} in ROPE", format_interval(e.hdi, digits)
    rows: list[tuple[float, list[str], str]] = [
        (e.mean, [f"mean {e.mean:+.{digits}f}"], "black"),
        (0.0, [sides], DARK_GREEN),
        (sum(e.rope) / 2, [f"{in_rope} {format_interval(e.rope)}", in_rope], DARK_RED),
        (sum(e.hdi) / 2, [f"{format_level(e.hdi_prob)} HDI {hdi}", hdi], "black"),
    ]
    for row, (x, versions, color) in enumerate(rows):
        style.write_inside(ax, x, 1 - (row + 0.5) * line, versions, color)


@style.themed()
def plot_factor(
    ax: Axes, result: Comparison, category: str | None = None, *, show_rope: bool = True
) -> None:
    """Draw prior and posterior density of delta; their ratio at 0 is the Bayes factor.

    After Figure 6 of Zhang et al. (2016). Where the prior density at 0 is infinite the figure says
    so: then the height of its dot depends on the bandwidth.

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or its average; the one decided upon by default.
    show_rope : bool
        Let the axis reach as far as the ROPE.
    """
    e = result.evidence(category)
    prior = result.prior_delta(e.category)
    if prior is None:
        raise InputError(
            f"{result.model.name} draws no prior of this, so there is no Bayes factor to show."
        )
    posterior = result.row_draws("posterior", "delta", e.category)
    reach = e if show_rope else replace(e, rope=e.hdi)
    limits = style.delta_limits(reach, posterior.ravel())
    if np.ptp(prior) > 0 and np.ptp(posterior) > 0:
        _draw_densities(ax, {"prior": prior, "posterior": posterior})
    heights = zip(("prior", "posterior"), e.densities_at_zero[::-1], COLORS, LINES, strict=True)
    handles = []
    for name, height, color, line in heights:
        handles.append(style.mark(f"{name}, {height:.3f} at 0", color, linestyle=line))
        ax.plot([0], [height], "o", color=color, markersize=8, clip_on=False, zorder=5)
    ax.set(xlim=limits, ylim=(0, None), ylabel="density")
    ax.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
    style.label_delta(ax, result, e)
    style.legend_above(ax, handles, f"$\\mathrm{{BF}}_{{\\mathrm{{SD}}}}$ {_factor_text(e)}")


def _draw_densities(ax: Axes, groups: dict[str, style.Array]) -> None:
    """Draw the two densities by the kernel that the Bayes factor is estimated with."""
    draws = {name: xr.Dataset({"delta": (("chain", "draw"), x)}) for name, x in groups.items()}
    rows = xr.Dataset({"delta": ("group", [0.0, 0.0])}, coords={"group": list(groups)})
    legends = list(ax.figure.legends)
    azp.plot_prior_posterior(
        xr.DataTree.from_dict(draws),
        var_names="delta",
        kind="kde",
        plot_collection=_collection(ax, rows, "group", color=COLORS, linestyle=LINES),
        stats={"dist": KERNEL},
        visuals=NO_TEXT,
    )
    for legend in set(ax.figure.legends).difference(legends):  # 1.3 lets none be switched off
        legend.remove()


def _factor_text(e: Evidence) -> str:
    if e.bf_sd_bound is not None:
        factor = str(e.bf_sd_bound)
    else:
        number = f"= {e.bf_sd:.3g} ± {e.bf_sd_error:.2g}"
        factor = number if e.bf_sd >= 0.001 else "< 0.001"
    infinite = "\n(prior density at 0 infinite:\ndepends on the bandwidth)"
    return factor if e.bf_sd_defined else f"{factor}{infinite}"


@style.themed()
def plot_trace(ax: Axes, result: Comparison, category: str | None = None) -> None:
    """Draw delta along the chains; a healthy sampler shows no drift and no gaps.

    After Figure 4 of Zhang et al. (2016).

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or its average; the one decided upon by default.
    """
    e = result.evidence(category)
    delta = result.row_draws("posterior", "delta", e.category)
    chains, draws = delta.shape
    coords = {"chain": np.arange(1, chains + 1), "draw": np.arange(draws)}
    data = xr.Dataset({"delta": (("chain", "draw"), delta)}, coords)
    data = data.isel(draw=slice(None, None, -(-draws // MAX_POINTS)))
    colors = [style.PALETTE[chain % len(style.PALETTE)] for chain in range(chains)]
    azp.plot_trace(
        xr.DataTree.from_dict({"posterior": data}),
        plot_collection=_collection(ax, data, "chain", color=colors),
        visuals={"trace": {"width": 0.5, "alpha": 0.8}, "title": False, "ticklabels": False},
    )
    for chain, color in enumerate(colors):
        ax.plot([], [], color=color, linewidth=2, label=str(chain + 1))
    ax.set(xlabel="draw", ylabel="δ", xlim=(0, draws))
    ax.set_title(style.verdict_title(result, e, ax))
    style.legend_right(ax, title="chain")


@style.themed()
def plot_rank(ax: Axes, calibration: Calibration, variable: str = "delta") -> None:
    """Draw a histogram of the ranks of one variable.

    Parameters
    ----------
    calibration : Calibration
        What :func:`stanoff.workbench.calibrate` returned.
    variable : str
        One of the columns of its ranks; the first that begins so.
    """
    names = calibration.variables
    matches = [name for name in names if name == variable or name.startswith(f"{variable}[")]
    if not matches:
        raise unknown("variable", variable, names)
    ranks = calibration.ranks[matches[0]].to_numpy(dtype=float)
    n_bins = min(MAX_BINS, calibration.max_rank + 1)
    bins = np.linspace(-0.5, calibration.max_rank + 0.5, n_bins + 1)
    collection = _collection(ax, xr.Dataset({"rank": ("simulation", ranks)}))
    visuals = {"face": {"color": style.BLUE, "alpha": 0.6, "linewidth": 0}} | HIDDEN
    _draw_histogram(collection, bins, visuals, density=False)
    # Where 95% of the counts lie if the ranks are uniform.
    middle = binom.ppf([0.025, 0.975], len(ranks), 1 / n_bins)
    band = {"ref_band": {"color": style.GREY, "alpha": 0.2, "linewidth": 0}}
    azp.add_bands(collection, values=[middle], orientation="horizontal", visuals=band)
    ax.axhline(len(ranks) / n_bins, color=style.GREY, linewidth=0.8)
    ax.set(xlabel="rank of the truth among the draws", ylabel="simulations")
    ax.set(xlim=(bins[0], bins[-1]), ylim=(0, None))
    ax.set_title(f"{style.clean(calibration.program, 24)}: {style.clean(matches[0])}")


@style.themed()
def plot_ecdf(ax: Axes, calibration: Calibration) -> None:
    """Draw the distributions of the ranks less the uniform one, with a band that holds for all.

    Parameters
    ----------
    calibration : Calibration
        What :func:`stanoff.workbench.calibrate` returned.
    """
    points, low, high = calibration.ecdf_band()
    ax.fill_between(points, low - points, high - points, color=style.GREY, alpha=0.2, linewidth=0)
    ax.axhline(0, color=style.GREY, linewidth=0.8)
    names = calibration.variables[: len(style.PALETTE)]
    curves = [[points, compute_ecdf(calibration.pit[name], points) - points] for name in names]
    coords = {"variable": names, "plot_axis": ["x", "y"]}
    data = xr.Dataset({"ecdf": (("variable", "plot_axis", "rank"), curves)}, coords)
    colors, lines = list(style.PALETTE[: len(names)]), (["-", "--", "-.", ":"] * 2)[: len(names)]
    collection = _collection(ax, data, "variable", color=colors, linestyle=lines)
    collection.map(azp.visuals.line_xy, "ecdf", data=data, width=1.3)
    for name, color, line in zip(names, colors, lines, strict=True):
        ax.plot([], [], color=color, linestyle=line, linewidth=1.3, label=style.clean(name))
    ax.set(xlabel="rank, as a share", ylabel="distribution less the uniform one", xlim=(0, 1))
    ax.set_title(f"{style.clean(calibration.program, 24)}: {len(calibration.ranks):,} simulations")
    style.legend_right(ax)


def _collection(ax: Axes, data: xr.Dataset, by: str = "", **looks: list[str]) -> Any:
    """Return a PlotCollection of ArviZ that draws on these axes, with a look per coordinate."""
    targets = xr.DataTree(xr.Dataset({"figure": ax.figure, "plot": ax}))
    options: dict[str, Any] = {"aes": {look: [by] for look in looks}, **looks} if looks else {}
    return azp.PlotCollection(data, viz_dt=targets, backend="matplotlib", **options)


def _draw_histogram(
    collection: Any, bins: style.Array, visuals: dict[str, Any], density: bool, **options: Any
) -> None:
    azp.plot_dist(
        xr.DataTree.from_dict({"posterior": collection.data}),
        kind="hist",
        sample_dims=list(collection.data.dims),
        plot_collection=collection,
        stats={"dist": {"bins": bins, "density": density}},
        visuals=NO_TEXT | {"dist": False} | visuals,
        **options,
    )
