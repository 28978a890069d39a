"""What other priors and other ROPEs would have said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import blended_transform_factory

from stanoff.errors import invalid
from stanoff.inference.decision import Decision, rope_flips
from stanoff.inference.sensitivity import over_ropes
from stanoff.models.priors import Prior
from stanoff.plots.rows import Row, draw_rows, key
from stanoff.plots.style import (
    BLUE,
    GREEN,
    GREY,
    MARKS,
    RED,
    delta_label,
    literal,
    new_axes,
    short_names,
    shortened,
    themed,
    title,
    wrapped,
)
from stanoff.text.words import what_is_judged

if TYPE_CHECKING:
    from stanoff import Comparison

FINE = 200  # steps from no ROPE to the widest


@themed
def plot_prior(
    result: Comparison,
    category: str | None = None,
    *,
    priors: Mapping[str, Prior] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the interval of delta under each of several priors, and what would be decided.

    Parameters
    ----------
    result : Comparison
        A comparison; it is fitted again for every prior.
    category : str, optional
        One of its categories or averages; the one decided upon by default.
    priors : mapping, optional
        Priors by name; uniform, Jeffreys and Perks by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([31, 2, 2, 4], [4, 3, 2, 70], engine="exact", seed=1)
    >>> [label.get_text() for label in plot_prior(result).get_yticklabels()]
    ['as fitted', 'uniform', 'jeffreys', 'perks']
    """
    said = result.evidence(category)
    table = result.sensitivity(said.category, priors=priors).priors
    rows = [Row("as fitted", said.mean, said.hdi, said.decision, bold=True)]
    rows += [
        Row(str(name), float(mean), (float(low), float(high)), Decision(decision))
        for name, mean, low, high, decision in table[
            ["prior", "mean", "hdi_low", "hdi_high", "decision"]
        ].to_numpy()
    ]
    ax = ax or new_axes(height=min(2.0 + 0.3 * len(rows), 14.0))
    draw_rows(ax, rows, said.rope)
    ax.set(
        xlabel=delta_label(ax, result, what_is_judged(result, said.category)),
        ylabel="prior",
    )
    a, b = short_names(result, 20)
    key(ax, rows, said.rope, said.hdi_prob, f"{a} against {b}")
    return ax


@themed
def plot_rope(
    result: Comparison,
    category: str | None = None,
    *,
    ropes: Sequence[float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how probable delta is below, inside and above a ROPE, against its half-width.

    The background tells the decision at each half-width; where it turns, the half-width is
    written. The dotted line is the ROPE in use. Nothing is fitted again.

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or averages; the one decided upon by default.
    ropes : sequence of float, optional
        Two half-widths or more, around the middle of the comparison's ROPE; from 0 to beyond the
        last flip by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> plot_rope(result).get_xlabel()
    'half-width of the ROPE around 0'
    """
    said = result.evidence(category)
    flips = rope_flips(said, higher_is_better=result.measure.higher_is_better)
    used = (said.rope[1] - said.rope[0]) / 2
    if ropes is None:
        widest = max([2 * used, *(1.25 * width for width, *_ in flips)]) or 0.1
        ropes = np.linspace(0, widest, FINE + 1).tolist()
    table = over_ropes(result, said, ropes).drop_duplicates("half_width").sort_values("half_width")
    if len(table) < 2:
        raise invalid("ropes", "two different half-widths or more", ropes)
    ax = ax or new_axes()
    widths = table["half_width"].to_numpy()
    low, high = float(widths[0]), float(widths[-1])
    lines = (("p_above", "above", BLUE, "-."), ("p_rope", "in the ROPE", GREEN, "-"))
    for column, where, color, line in (*lines, ("p_below", "below", RED, "--")):
        ax.plot(widths, table[column], color=color, linestyle=line, linewidth=2, label=where)
    ax.set(xlim=(low, high), ylim=(-0.02, 1.12), ylabel="probability of delta")
    ax.set_yticks(np.linspace(0, 1, 6))
    _regions(ax, Decision(table["decision"].iloc[0]), [f for f in flips if low < f[0] < high])
    if low <= used <= high:
        ax.axvline(used, ymax=0.9, color="black", linestyle=":", linewidth=1.2, label="in use")
    middle = (said.rope[0] + said.rope[1]) / 2
    around = "0" if middle == 0 else f"{middle:+.4g}"
    judged = what_is_judged(result, said.category)
    where = "" if len(result.categories) == 1 else f", {shortened(judged, 50)}"
    ax.set_xlabel(wrapped(ax, f"half-width of the ROPE around {around}{literal(where)}"))
    ax.set_title(title(result, said, ax))
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    return ax


def _regions(ax: Axes, first: Decision, flips: Sequence[tuple[float, Decision, Decision]]) -> None:
    """Shade the half-widths of each decision, and mark where one turns into the next."""
    place = blended_transform_factory(ax.transData, ax.transAxes)
    low, high = ax.get_xlim()
    bounds = [low, *(width for width, *_ in flips), high]
    decisions = [first, *(after for *_, after in flips)]
    for (start, stop), decision in zip(pairwise(bounds), decisions, strict=True):
        color = MARKS[decision].color
        alpha = 0.14 if decision.conclusive else 0.05
        ax.axvspan(start, stop, color=color, alpha=alpha, linewidth=0, zorder=0)
        middle = np.clip((start + stop) / 2, low + 0.02 * (high - low), high)
        ax.text(
            middle, 0.955, decision.symbol, transform=place, ha="center", va="center", fontsize=13
        )
    for i, (width, *_) in enumerate(flips):
        ax.axvline(width, color=GREY, linewidth=1, zorder=1)
        share = (width - low) / (high - low)
        left = share > 0.9 or (i == 0 and share > 0.1)
        ax.annotate(
            f"±{width:.4g}",
            (width, 0.62 - 0.3 * i),
            xycoords=place,
            xytext=(-3 if left else 3, 0),
            textcoords="offset points",
            rotation=90,
            ha="right" if left else "left",
            va="center",
            fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1},
        )
