"""The posterior of delta, its Bayes factor, and the chains behind it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.transforms import blended_transform_factory

from stanoff.errors import InputError
from stanoff.inference.evidence import Evidence
from stanoff.inference.posterior import SampledPosterior
from stanoff.plots.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    label_axis,
    new_axes,
    themed,
    title,
    window_of,
    write,
)
from stanoff.text.numbers import digits_for, ends, level, percent

if TYPE_CHECKING:
    from stanoff import Comparison

MOST_POINTS = 5000


@themed
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
    ax = ax or new_axes()
    evidence = result.evidence(category)
    delta = result.posterior_sample(evidence.category)
    low, high = window_of(evidence, delta)
    sns.histplot(
        x=delta,
        bins=60,
        binrange=(low, high),
        stat="density",
        ax=ax,
        color=BLUE,
        alpha=0.35,
        edgecolor="none",
    )
    tallest = ax.get_ylim()[1]
    ax.set(xlim=(low, high), ylim=(0, 1.5 * tallest), ylabel="posterior density")
    label_axis(ax, result, evidence)
    d = digits_for(evidence.std)
    for end in evidence.rope:
        ax.axvline(end, ymax=0.78, color=RED, linestyle=":", linewidth=1.5)
    ax.axvline(0, ymax=0.88, color=GREEN, linestyle="--", linewidth=1.5)
    write(ax, evidence.mean, 0.965, f"mean {evidence.mean:+.{d}f}", "black")
    less, greater = 100 * evidence.p_less, 100 * evidence.p_greater
    write(ax, 0.0, 0.895, f"{less:.1f}% < 0 < {greater:.1f}%", GREEN)
    told = f"{percent(evidence.p_rope)} in ROPE {ends(evidence.rope)}"
    write(ax, sum(evidence.rope) / 2, 0.81, told, RED)
    _hdi_bar(ax, evidence, d)
    return ax


@themed
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
    ax = ax or new_axes()
    groups = {
        "prior": prior,
        "posterior": result.row_draws("posterior", "delta", evidence.category),
    }
    window = window_of(evidence, groups["posterior"].ravel())
    for (name, delta), color, line in zip(groups.items(), (ORANGE, BLUE), ("--", "-"), strict=True):
        height = SampledPosterior(delta[None]).density(0.0).value[0]
        sns.kdeplot(
            x=delta.ravel(),
            bw_method="scott",
            clip=window,
            gridsize=400,
            ax=ax,
            color=color,
            linestyle=line,
            label=f"{name}, {height:.3f} at 0",
            warn_singular=False,
        )
        if isfinite(height):
            ax.plot([0], [height], "o", color=color, markersize=8, clip_on=False, zorder=5)
    ax.axvline(0, ymax=0.78, color=GREY, linewidth=0.8, zorder=0)
    ax.set(xlim=window, ylim=(0, 1.4 * ax.get_ylim()[1]), ylabel="density")
    label_axis(ax, result, evidence)
    doubt = (
        ""
        if evidence.bf_sd_defined
        else "\n(prior density at 0 infinite:\ndepends on the bandwidth)"
    )
    factor = f"= {evidence.bf_sd:.3g} ± {evidence.bf_sd_error:.2g}"
    if evidence.bf_sd_bound is not None:
        factor = str(evidence.bf_sd_bound)
    elif evidence.bf_sd < 0.001:
        factor = "< 0.001"
    told = f"$\\mathrm{{BF}}_{{\\mathrm{{SD}}}}$ {factor}"
    ax.text(0.02, 0.97, told + doubt, transform=ax.transAxes, va="top", ha="left", fontsize=10)
    ax.legend(loc="upper right", frameon=False)
    return ax


@themed
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
    ax = ax or new_axes()
    evidence = result.evidence(category)
    delta = result.row_draws("posterior", "delta", evidence.category)
    step = -(-delta.shape[1] // MOST_POINTS)
    iteration = np.arange(0, delta.shape[1], step)
    chains = pd.DataFrame(delta[:, ::step].T, index=iteration, columns=range(1, len(delta) + 1))
    sns.lineplot(
        data=chains,
        ax=ax,
        palette=sns.color_palette("colorblind", len(delta)),
        dashes=False,
        linewidth=0.5,
        alpha=0.8,
        estimator=None,
    )
    ax.set(xlabel="draw", ylabel="δ", xlim=(0, delta.shape[1]))
    ax.set_title(title(result, evidence))
    legend = ax.legend(title="chain", loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    for line in legend.get_lines():
        line.set_linewidth(2)
    sns.despine(ax=ax)
    return ax


def _hdi_bar(ax: Axes, evidence: Evidence, digits: int) -> None:
    low, high = evidence.hdi
    place = blended_transform_factory(ax.transData, ax.transAxes)
    ax.plot(
        [low, high],
        [0.015, 0.015],
        color="black",
        linewidth=4,
        solid_capstyle="butt",
        transform=place,
        clip_on=False,
    )
    told = f"{level(evidence.hdi_prob)} HDI {ends(evidence.hdi, digits)}"
    write(ax, (low + high) / 2, 0.06, told, "black")
