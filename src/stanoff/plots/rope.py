"""What other ROPEs would have said, and where the decision flips."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from stanoff.errors import invalid
from stanoff.inference.decision import Decision, rope_flips
from stanoff.inference.sensitivity import over_ropes
from stanoff.plots import style
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from stanoff import Comparison

STEPS = 200  # from no ROPE to the widest


@style.themed
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
    evidence = result.evidence(category)
    flips = rope_flips(evidence, higher_is_better=result.measure.higher_is_better)
    low, high = evidence.rope
    in_use, middle = (high - low) / 2, (low + high) / 2
    if ropes is None:
        widest = max([2 * in_use, *(1.25 * width for width, *_ in flips)]) or 0.1
        ropes = np.linspace(0, widest, STEPS + 1).tolist()
    table = over_ropes(result, evidence, ropes).drop_duplicates("half_width")
    table = table.sort_values("half_width")
    if len(table) < 2:
        raise invalid("ropes", "two different half-widths or more", ropes)
    ax = ax or style.new_axes()
    widths = table["half_width"].to_numpy()
    for column, label, color, dash in (
        ("p_above", "above", style.BLUE, "-."),
        ("p_rope", "in the ROPE", style.GREEN, "-"),
        ("p_below", "below", style.RED, "--"),
    ):
        ax.plot(widths, table[column], color=color, linestyle=dash, linewidth=2, label=label)
    ax.set(xlim=(widths[0], widths[-1]), ylim=(-0.02, 1.12), ylabel="probability of delta")
    ax.set_yticks(np.linspace(0, 1, 6))
    shown = [flip for flip in flips if widths[0] < flip[0] < widths[-1]]
    _draw_decisions(ax, Decision(table["decision"].iloc[0]), shown)
    if widths[0] <= in_use <= widths[-1]:
        ax.axvline(in_use, ymax=0.9, color="black", linestyle=":", linewidth=1.2, label="in use")
    centre = "0" if middle == 0 else f"{middle:+.4g}"
    score = style.clean(describe_score(result, evidence.category), 50)
    score = "" if len(result.categories) == 1 else f", {score}"
    ax.set_xlabel(style.wrap_label(ax, f"half-width of the ROPE around {centre}{score}"))
    ax.set_title(style.verdict_title(result, evidence, ax))
    style.legend_right(ax)
    return ax


def _draw_decisions(
    ax: Axes, first: Decision, flips: Sequence[tuple[float, Decision, Decision]]
) -> None:
    """Shade the half-widths of each decision, and mark where one turns into the next."""
    low, high = ax.get_xlim()
    lines = list(ax.lines)
    bounds = [low, *(width for width, *_ in flips), high]
    decisions = [first, *(after for *_, after in flips)]
    for (start, stop), decision in zip(pairwise(bounds), decisions, strict=True):
        color, alpha = style.DECISION_STYLE[decision][0], 0.14 if decision.conclusive else 0.05
        ax.axvspan(start, stop, color=color, alpha=alpha, linewidth=0, zorder=0)
        middle = max((start + stop) / 2, low + 0.02 * (high - low))
        centre: dict[str, Any] = {"ha": "center", "va": "center", "size": style.points(13)}
        symbol = ax.text(
            middle, 0.955, decision.symbol, transform=ax.get_xaxis_transform(), **centre
        )
        style.GiveWay([symbol])
    for i, (width, *_) in enumerate(flips):
        ax.axvline(width, color=style.GREY, linewidth=1, zorder=1)
        share = (width - low) / (high - low)
        left = share > 0.9 or (i == 0 and share > 0.1)
        letters: dict[str, Any] = {"rotation": 90, "va": "center", "fontsize": style.points(9)}
        letters |= {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points"}
        letters |= {"xytext": (-3, 0) if left else (3, 0), "ha": "right" if left else "left"}
        curves = np.sort(
            [
                0,
                0.9,
                *(
                    np.interp(width, np.asarray(line.get_xdata()), np.asarray(line.get_ydata()))
                    / 1.14
                    for line in lines
                ),
            ]
        )
        gap = int(np.argmax(np.diff(curves)))  # of the three curves, where there is most room
        point = width, float(curves[gap : gap + 2].mean())
        style.GiveWay([ax.annotate(f"±{width:.4g}", point, **letters)])
