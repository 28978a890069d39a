"""The two scores together: on which side of the diagonal their draws lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from stanoff.errors import InputError
from stanoff.plots import style
from stanoff.text.numbers import format_interval, percent
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from stanoff import Comparison, Evidence

Array = NDArray[np.float64]

MIN_DRAWS, MAX_DRAWS = 100, 4000  # that a kernel density is estimated from
TAIL = 0.005  # of the draws at either end is left outside
LEVELS = (0.95, 0.5)


@style.themed
def plot_joint(result: Comparison, category: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the score of A against that of B, with the diagonal and the ROPE beside it.

    The two regions hold 50% and 95% of the draws where they are densest. Above the diagonal A has
    the higher score, below it B; the share of the draws on either side is written there.

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or averages; the one decided upon by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> plot_joint(result).get_ylabel()
    'F1 of A'
    """
    evidence = result.evidence(category)
    row = result.categories.index(evidence.category)
    psi_A, psi_B = (result.scores.psi[:, :, system, row].ravel() for system in (0, 1))
    draws = np.stack([psi_B, psi_A])
    if not np.isfinite(draws).all():
        name = result.model.name
        raise InputError(f"{name} has no scores of A and B to show: they are not numbers.")
    ax = ax or style.new_axes(5.25, 6.25)  # high enough for a square as wide as the figure
    limits = _limits(draws, result.measure.range)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.locator_params(nbins=6)
    line = np.array(limits)
    low, high = evidence.rope
    grey: dict[str, Any] = {"color": style.GREY, "alpha": 0.13, "linewidth": 0, "zorder": 0}
    ax.fill_between(line, line + low, line + high, **grey)
    for edge in evidence.rope:
        ax.plot(line, line + edge, color=style.RED, linestyle=":", linewidth=1.2, zorder=1)
    ax.plot(line, line, color="black", linewidth=0.8, zorder=2)
    shown = _draw_regions(ax, draws[:, :: -(-len(psi_A) // MAX_DRAWS)], result.measure.range)
    ax.plot([psi_B.mean()], [psi_A.mean()], "+", color="black", markersize=9, zorder=5)
    _write_sides(ax, result, evidence, draws[:, :: -(-len(psi_A) // 500)].T)
    rope = f"ROPE {format_interval(evidence.rope)}: {percent(evidence.p_rope)}"
    handles = [
        Patch(facecolor=style.BLUE, alpha=0.6, label=shown),
        style.rope_patch(rope),
        Line2D([], [], color="black", marker="+", linestyle="none", label="means"),
    ]
    centre: dict[str, Any] = {
        "loc": "lower center",
        "bbox_to_anchor": (0.5, 1),
        "alignment": "center",
    }
    ax.set_title(style.verdict_title(result, evidence, ax))
    style.legend_above(ax, handles, columnspacing=1.0, **centre)
    a, b = style.short_names(result, 30)
    score = style.clean(describe_score(result, evidence.category), 40)
    ax.set_xlabel(style.wrap_label(ax, f"{score} of {b}"))
    ax.set_ylabel(style.wrap_label(ax, f"{score} of {a}"))
    return ax


def _limits(draws: Array, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return one range for both axes, so that the diagonal is one."""
    lows, highs = np.quantile(draws, [TAIL, 1 - TAIL], axis=1)
    span = float(highs.max() - lows.min())
    room = max(0.06, 0.25 * float((highs - lows).max()) / span) if span else 0.06
    low, high = style.pad_limits(float(lows.min()), float(highs.max()), room)
    rim = 0.02 * (high - low)  # beyond the values that are possible
    return max(low, bounds[0] - rim), min(high, bounds[1] + rim)


def _draw_regions(ax: Axes, draws: Array, bounds: tuple[float, float]) -> str:
    """Draw where the draws are densest, or the draws where no density can be had; say which."""
    middle, low, high = np.quantile(draws, [0.5, TAIL, 1 - TAIL], axis=1)
    # A long tail would make the kernels too wide; what it holds still counts for the levels.
    reach = 3 * np.maximum(high - middle, middle - low)[:, None]
    near = draws[:, (np.abs(draws - middle[:, None]) <= reach).all(axis=0)]
    share = near.shape[1] / draws.shape[1]
    variances = np.linalg.eigvalsh(np.cov(near)) if near.shape[1] > 2 else np.zeros(2)
    flat = variances[0] <= 1e-9 * variances[1]
    if near.shape[1] < MIN_DRAWS or flat or share < max(LEVELS):
        size = 6 if draws.shape[1] < MIN_DRAWS else 2.5
        ax.plot(*draws, "o", color=style.BLUE, markersize=size, alpha=0.5, zorder=3)
        return "draws"
    levels = [1 - level / share for level in LEVELS]
    x, y = near
    common: dict[str, Any] = {"x": x, "y": y, "ax": ax, "color": style.BLUE, "gridsize": 70}
    common |= {"clip": (bounds, bounds), "warn_singular": False}
    sns.kdeplot(levels=[*levels, 1.0], fill=True, alpha=0.55, **common)
    sns.kdeplot(levels=levels, linewidths=1.2, **common)
    return "50% and 95% of the draws"


def _write_sides(ax: Axes, result: Comparison, evidence: Evidence, draws: Array) -> None:
    """Write the shares of the draws at the sides of the diagonal, away from where they lie."""
    x, y = ax.transLimits.transform((evidence.psi_B, evidence.psi_A))
    a, b = style.short_names(result, 16)
    top = 0.55 if x <= 0.3 and y >= 0.8 else 0.97
    bottom = 0.4 if x > 0.7 and y < 0.2 else 0.03
    common: dict[str, Any] = {"transform": ax.transAxes, "bbox": style.WHITE_BOX, "zorder": 6}
    upper, lower = percent(evidence.p_greater), percent(evidence.p_less)
    left = ax.text(0.03, top, f"{a} higher:\n{upper}", ha="left", va="top", **common)
    right = ax.text(0.97, bottom, f"{b} higher:\n{lower}", ha="right", va="bottom", **common)
    style.GiveWay([left], [upper], points=draws)
    style.GiveWay([right], [lower], points=draws)
