"""The two scores together: on which side of the diagonal their draws lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from stanoff.errors import InputError
from stanoff.inference.evidence import Evidence
from stanoff.plots.style import (
    BLUE,
    GREY,
    RED,
    literal,
    new_axes,
    short_names,
    shortened,
    themed,
    title,
    with_room,
    wrapped,
)
from stanoff.text.numbers import ends, percent
from stanoff.text.words import what_is_judged

if TYPE_CHECKING:
    from stanoff import Comparison

LEAST_DRAWS, MOST_DRAWS = 100, 4000  # that a kernel density is estimated from
TAILS = 0.005  # of the draws at either end are left outside
LEVELS = (0.95, 0.5)
WIDTH, HEIGHT = 5.25, 6.25  # inches: so high that the square is as wide as the figure lets it be


@themed
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
    if not (np.isfinite(psi_A).all() and np.isfinite(psi_B).all()):
        raise InputError(
            f"{result.model.name} has no scores of A and B to show: they are not numbers."
        )
    ax = ax or new_axes(WIDTH, HEIGHT)
    low, high = _window(psi_A, psi_B, result.measure.range)
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    ax.locator_params(nbins=6)
    line = np.array([low, high])
    start, stop = evidence.rope
    ax.fill_between(line, line + start, line + stop, color=GREY, alpha=0.13, linewidth=0, zorder=0)
    for end in evidence.rope:
        ax.plot(line, line + end, color=RED, linestyle=":", linewidth=1.2, zorder=1)
    ax.plot(line, line, color="black", linewidth=0.8, zorder=2)
    shown = _regions(ax, psi_A, psi_B, result.measure.range)
    ax.plot([psi_B.mean()], [psi_A.mean()], "+", color="black", markersize=9, zorder=5)
    _sides(ax, result, evidence)
    _key(ax, result, evidence, shown)
    a, b = short_names(result, 30)
    what = literal(shortened(what_is_judged(result, evidence.category), 40))
    ax.set_xlabel(wrapped(ax, f"{what} of {b}"))
    ax.set_ylabel(wrapped(ax, f"{what} of {a}"))
    return ax


def _window(
    psi_A: NDArray[np.float64], psi_B: NDArray[np.float64], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Choose one range for both axes, so that the diagonal is one."""
    low, high = np.quantile([psi_A, psi_B], [TAILS, 1 - TAILS], axis=1)
    span = float(high.max() - low.min())
    room = max(0.06, 0.25 * float((high - low).max()) / span) if span else 0.06
    start, stop = with_room(float(low.min()), float(high.max()), room)
    rim = 0.02 * (stop - start)  # beyond the values that there are
    return max(start, bounds[0] - rim), min(stop, bounds[1] + rim)


def _regions(
    ax: Axes,
    psi_A: NDArray[np.float64],
    psi_B: NDArray[np.float64],
    bounds: tuple[float, float],
) -> str:
    """Draw where the draws are densest, or the draws where no density can be had; say which."""
    step = -(-len(psi_A) // MOST_DRAWS)
    draws = np.stack([psi_B, psi_A])[:, ::step]
    middle, low, high = np.quantile(draws, [0.5, TAILS, 1 - TAILS], axis=1)
    # A long tail would make the kernels too wide; what it holds still counts for the levels.
    reach = 3 * np.maximum(high - middle, middle - low)[:, None]
    near = draws[:, (np.abs(draws - middle[:, None]) <= reach).all(axis=0)]
    kept = near.shape[1] / draws.shape[1]
    spread = np.linalg.eigvalsh(np.cov(near)) if near.shape[1] > 2 else np.zeros(2)
    if near.shape[1] < LEAST_DRAWS or spread[0] <= 1e-9 * spread[1] or kept < max(LEVELS):
        size = 6 if draws.shape[1] < LEAST_DRAWS else 2.5
        ax.plot(*draws, "o", color=BLUE, markersize=size, alpha=0.5, zorder=3)
        return "draws"
    levels = [1 - level / kept for level in LEVELS]
    common = {"ax": ax, "clip": (bounds, bounds), "gridsize": 120, "warn_singular": False}
    x, y = near
    sns.kdeplot(x=x, y=y, levels=[*levels, 1.0], fill=True, color=BLUE, alpha=0.55, **common)
    sns.kdeplot(x=x, y=y, levels=levels, color=BLUE, linewidths=1.2, **common)
    return "50% and 95% of the draws"


def _sides(ax: Axes, result: Comparison, evidence: Evidence) -> None:
    """Write the shares of the draws at the sides of the diagonal, away from where they lie."""
    x, y = ax.transAxes.inverted().transform(
        ax.transData.transform((evidence.psi_B, evidence.psi_A))
    )
    a, b = short_names(result, 16)
    upper = (0.03, 0.97, "left", "top") if x > 0.3 or y < 0.8 else (0.03, 0.55, "left", "top")
    lower = (0.97, 0.03, "right", "bottom")
    if x > 0.7 and y < 0.2:
        lower = (0.97, 0.4, "right", "bottom")
    for name, p, (left, height, ha, va) in (
        (a, evidence.p_greater, upper),
        (b, evidence.p_less, lower),
    ):
        ax.text(
            left,
            height,
            f"{name} higher:\n{percent(p)}",
            transform=ax.transAxes,
            ha=ha,
            va=va,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5},
            zorder=6,
        )


def _key(ax: Axes, result: Comparison, evidence: Evidence, shown: str) -> None:
    rope = f"ROPE {ends(evidence.rope)}: {percent(evidence.p_rope)}"
    legend = ax.legend(
        handles=[
            Patch(facecolor=BLUE, alpha=0.6, label=shown),
            Patch(facecolor=GREY, alpha=0.25, edgecolor=RED, linestyle=":", label=rope),
            Line2D([], [], color="black", marker="+", linestyle="none", label="means"),
        ],
        title=title(result, evidence, ax),
        loc="lower center",
        bbox_to_anchor=(0.5, 1),
        ncols=2,
        frameon=False,
        fontsize=9,
        columnspacing=1.0,
    )
    legend.get_title().set_fontsize(12)
