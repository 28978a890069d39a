"""The posterior of delta, its Bayes factor, and the chains behind it, drawn by ArviZ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import arviz_plots as azp
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from stanoff.errors import InputError
from stanoff.plots import style
from stanoff.text.numbers import digits_for, format_interval, format_level, percent

if TYPE_CHECKING:
    from stanoff import Comparison, Evidence

MAX_POINTS = 5000  # of a chain that are drawn
DARK_GREEN, DARK_RED = "#00694C", "#A84A00"  # dark enough for letters on white
COLORS, LINES = [style.ORANGE, style.BLUE], ["--", "-"]  # of prior and posterior
# What ArviZ would write, and is written in other words here.
NO_TEXT = {"title": False, "point_estimate_text": False, "remove_axis": False}


@style.themed
def plot_posterior(
    result: Comparison, category: str | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the posterior of delta: histogram, mean, the null value, ROPE and HDI.

    After Figure 6 of Zhang et al. (2016). The two percentages at the line through 0 are the
    probabilities that delta is below and above it; the one at the ROPE is that of lying inside.

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or its average; the one decided upon by default.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    ax = ax or style.new_axes()
    evidence = result.evidence(category)
    delta = result.posterior_sample(evidence.category)
    limits = style.delta_limits(evidence, delta)
    data = xr.Dataset({"delta": ("draw", delta)})
    collection = collection_on(ax, data)
    line = float(
        np.clip(style.points(14) / style.points_high(ax), 0.075, 0.15)
    )  # of text, as a share of the height
    rope_band = {"color": style.GREY, "alpha": 0.13, "linewidth": 0, "ymax": 1 - 4 * line}
    azp.add_bands(collection, values=[evidence.rope], visuals={"ref_band": rope_band})
    azp.plot_dist(
        xr.DataTree.from_dict({"posterior": data}),
        kind="hist",
        sample_dims=["draw"],
        point_estimate="mean",
        ci_kind="hdi",
        ci_prob=evidence.hdi_prob,
        plot_collection=collection,
        stats={"dist": {"bins": np.linspace(*limits, 61)}},
        visuals=NO_TEXT
        | {
            "dist": False,
            "face": {"color": style.BLUE, "alpha": 0.35, "linewidth": 0},
            "credible_interval": {"color": "black", "width": 4, "solid_capstyle": "butt"},
            "point_estimate": {"facecolor": "white", "edgecolor": "black", "size": 40, "zorder": 4},
        },
    )
    rope_line = {"color": style.RED, "linestyle": ":", "width": 1.5, "ymax": 1 - 4 * line}
    zero_line = {"color": style.GREEN, "linestyle": "--", "width": 1.5, "ymax": 1 - 4 * line}
    azp.add_lines(collection, values=list(evidence.rope), visuals={"ref_line": rope_line})
    azp.add_lines(collection, values=0, visuals={"ref_line": zero_line})
    top = ax.get_ylim()[1] / (1 - 4.2 * line)
    ax.set(xlim=limits, ylim=(-0.012 * top, top), ylabel="posterior density")
    style.label_delta(ax, result, evidence)
    _write_numbers(ax, evidence, line)
    return ax


def _write_numbers(ax: Axes, evidence: Evidence, line: float) -> None:
    """Write mean, probabilities and interval, each at its value of delta."""
    digits = digits_for(evidence.std)
    below, above = 100 * evidence.p_less, 100 * evidence.p_greater
    in_rope = f"{percent(evidence.p_rope)} in ROPE {format_interval(evidence.rope)}"
    interval = f"{format_level(evidence.hdi_prob)} HDI {format_interval(evidence.hdi, digits)}"
    shorter = in_rope.partition(" [")[0], interval.partition("HDI ")[2]
    for row, (x, versions, color) in enumerate(
        (
            (evidence.mean, [f"mean {evidence.mean:+.{digits}f}"], "black"),
            (0.0, [f"{below:.1f}% < 0 < {above:.1f}%"], DARK_GREEN),
            (sum(evidence.rope) / 2, [in_rope, shorter[0]], DARK_RED),
            (sum(evidence.hdi) / 2, [interval, shorter[1]], "black"),
        )
    ):
        style.write_inside(ax, x, 1 - (row + 0.5) * line, versions, color)


@style.themed
def plot_factor(result: Comparison, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw prior and posterior density of delta; their ratio at 0 is the Bayes factor.

    After Figure 6 of Zhang et al. (2016). Where the prior density at 0 is infinite the figure says
    so: then the height of its dot depends on the bandwidth.

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or its average; the one decided upon by default.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    evidence = result.evidence(category)
    prior = result.prior_delta(evidence.category)
    if prior is None:
        raise InputError(
            f"{result.model.name} draws no prior of this, so there is no Bayes factor to show."
        )
    ax = ax or style.new_axes()
    posterior = result.row_draws("posterior", "delta", evidence.category)
    limits = style.delta_limits(evidence, posterior.ravel())
    groups = {"prior": prior, "posterior": posterior}
    if all(np.ptp(delta) > 0 for delta in groups.values()):
        _draw_densities(ax, groups)
    heights = dict(zip(("posterior", "prior"), evidence.densities_at_zero, strict=True))
    handles: list[Line2D] = []
    for name, color, line in zip(groups, COLORS, LINES, strict=True):
        height = heights[name]
        label = f"{name}, {height:.3f} at 0"
        handles.append(Line2D([], [], color=color, linestyle=line, label=label))
        ax.plot([0], [height], "o", color=color, markersize=8, clip_on=False, zorder=5)
    text = f"$\\mathrm{{BF}}_{{\\mathrm{{SD}}}}$ {_factor_text(evidence)}"
    ax.set(xlim=limits, ylim=(0, None), ylabel="density")
    ax.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
    style.label_delta(ax, result, evidence)
    style.legend_above(ax, handles, text)
    return ax


def _draw_densities(ax: Axes, groups: dict[str, np.typing.NDArray[np.float64]]) -> None:
    """Draw the two densities by the kernel that the Bayes factor is estimated with."""
    dims = ("chain", "draw")
    # Scott's rule is 1.06 times as wide for ArviZ as for SciPy.
    kernel = {"bw": "scott", "bw_fct": 1 / 1.06, "bound_correction": False, "grid_len": 2000}
    kernel |= {"extend": True, "extend_fct": 0.5}
    tree = xr.DataTree.from_dict(
        {name: xr.Dataset({"delta": (dims, delta)}) for name, delta in groups.items()}
    )
    rows = xr.Dataset({"delta": ("group", [0.0, 0.0])}, coords={"group": list(groups)})
    by_group = {"color": ["group"], "linestyle": ["group"]}
    legends = list(ax.figure.legends)
    azp.plot_prior_posterior(
        tree,
        var_names="delta",
        kind="kde",
        plot_collection=collection_on(ax, rows, aes=by_group, color=COLORS, linestyle=LINES),
        stats={"dist": kernel},
        visuals=NO_TEXT,
    )
    for legend in set(ax.figure.legends).difference(legends):  # 1.3 lets none be switched off
        legend.remove()


def _factor_text(evidence: Evidence) -> str:
    if evidence.bf_sd_bound is not None:
        factor = str(evidence.bf_sd_bound)
    elif evidence.bf_sd < 0.001:
        factor = "< 0.001"
    else:
        factor = f"= {evidence.bf_sd:.3g} ± {evidence.bf_sd_error:.2g}"
    if evidence.bf_sd_defined:
        return factor
    return f"{factor}\n(prior density at 0 infinite:\ndepends on the bandwidth)"


@style.themed
def plot_trace(result: Comparison, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw delta along the chains; a healthy sampler shows no drift and no gaps.

    After Figure 4 of Zhang et al. (2016).

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or its average; the one decided upon by default.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    ax = ax or style.new_axes()
    evidence = result.evidence(category)
    delta = result.row_draws("posterior", "delta", evidence.category)
    chains, draws = delta.shape
    coords = {"chain": np.arange(1, chains + 1), "draw": np.arange(draws)}
    data = xr.Dataset({"delta": (("chain", "draw"), delta)}, coords)
    data = data.isel(draw=slice(None, None, -(-draws // MAX_POINTS)))
    colors = [style.PALETTE[chain % len(style.PALETTE)] for chain in range(chains)]
    azp.plot_trace(
        xr.DataTree.from_dict({"posterior": data}),
        plot_collection=collection_on(ax, data, aes={"color": ["chain"]}, color=colors),
        visuals={"trace": {"width": 0.5, "alpha": 0.8}, "title": False, "ticklabels": False},
    )
    for chain, color in enumerate(colors):
        ax.plot([], [], color=color, linewidth=2, label=str(chain + 1))
    ax.set(xlabel="draw", ylabel="δ", xlim=(0, draws))
    ax.set_title(style.verdict_title(result, evidence, ax))
    style.legend_right(ax, title="chain")
    return ax


def collection_on(ax: Axes, data: xr.Dataset, **options: Any) -> Any:
    """Return a PlotCollection of ArviZ that draws on these axes."""
    targets = xr.DataTree(xr.Dataset({"figure": ax.figure, "plot": ax}))
    return azp.PlotCollection(data, viz_dt=targets, backend="matplotlib", **options)
