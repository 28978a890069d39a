"""Two systems at once: both scores, who is right where, and what other ROPEs would have said."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.data.types import PairedCounts
from stanoff.errors import InputError, invalid
from stanoff.inference.decision import Decision, rope_flips
from stanoff.inference.sensitivity import over_ropes
from stanoff.plots import style
from stanoff.text.numbers import format_interval, percent
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from stanoff import Comparison, Evidence

MIN_DRAWS, MAX_DRAWS = 100, 4000  # that a kernel density is estimated from
TAIL = 0.005  # of the draws at either end is left outside
LEVELS = (0.95, 0.5)
WHITE_BOX = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5}
BAR, STEP = 0.75, 2.9  # width of a column of the mosaic, and from column to column
# Both right, only A, only B, both wrong: colour and hatching, so that grey tells them as well.
HATCHES = ("", "////", "\\" * 4, "..")
CELL_STYLE = tuple(zip((style.GREEN, style.BLUE, style.ORANGE, "#BBBBBB"), HATCHES, strict=True))
N_ROPES = 200  # from none to the widest


@style.themed(5.25, 6.25)
def plot_joint(
    ax: Axes, result: Comparison, category: str | None = None, *, show_rope: bool = True
) -> None:
    """Draw the score of A against that of B, with the diagonal and the ROPE beside it.

    The two regions hold 50% and 95% of the draws where they are densest. Above the diagonal A has
    the higher score, below it B; the share of the draws on either side is written there.

    Parameters
    ----------
    result : Comparison
        A comparison.
    category : str, optional
        One of its categories or averages; the one decided upon by default.
    show_rope : bool
        Draw the ROPE, too.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> plot_joint(result).get_ylabel()
    'F1 of A'
    """
    e = result.evidence(category)
    psi = result.scores.psi[..., result.categories.index(e.category)]
    draws = np.stack([psi[:, :, system].ravel() for system in (1, 0)])
    if not np.isfinite(draws).all():
        name = result.model.name
        raise InputError(f"{name} has no scores of A and B to show: they are not numbers.")
    limits = _square_limits(draws, result.measure.range)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.locator_params(nbins=6)
    line = np.array(limits)
    grey: dict[str, Any] = {"color": style.GREY, "alpha": 0.13, "linewidth": 0, "zorder": 0}
    if show_rope:
        ax.fill_between(line, line + e.rope[0], line + e.rope[1], **grey)
    for edge in e.rope if show_rope else ():
        ax.plot(line, line + edge, color=style.RED, linestyle=":", linewidth=1.2, zorder=1)
    ax.plot(line, line, color="black", linewidth=0.8, zorder=2)
    n = draws.shape[1]
    label = _draw_regions(ax, draws[:, :: -(-n // MAX_DRAWS)], result.measure.range)
    ax.plot(*draws.mean(axis=1)[:, None], "+", color="black", markersize=9, zorder=5)
    _write_sides(ax, result, e, draws[:, :: -(-n // 500)].T)
    handles = [
        Patch(facecolor=style.BLUE, alpha=0.6, label=label),
        style.rope_patch(f"ROPE {format_interval(e.rope)}: {percent(e.p_rope)}"),
        style.mark("means", marker="+", linestyle="none"),
    ]
    if not show_rope:
        del handles[1]
    ax.set_title(style.verdict_title(result, e, ax))
    centre: dict[str, Any] = {"loc": "lower center", "alignment": "center", "columnspacing": 1.0}
    style.legend_above(ax, handles, bbox_to_anchor=(0.5, 1), **centre)
    a, b = style.short_names(result, 30)
    score = style.clean(describe_score(result, e.category), 40)
    ax.set_xlabel(style.wrap_label(ax, f"{score} of {b}"))
    ax.set_ylabel(style.wrap_label(ax, f"{score} of {a}"))


def _square_limits(draws: style.Array, bounds: Interval) -> Interval:
    """Return one range for both axes, so that the diagonal is one."""
    lows, highs = np.quantile(draws, [TAIL, 1 - TAIL], axis=1)
    span = float(highs.max() - lows.min())
    room = max(0.06, 0.25 * float((highs - lows).max()) / span) if span else 0.06
    low, high = style.pad_limits(float(lows.min()), float(highs.max()), room)
    rim = 0.02 * (high - low)  # beyond the values that are possible
    return max(low, bounds[0] - rim), min(high, bounds[1] + rim)


def _draw_regions(ax: Axes, draws: style.Array, bounds: Interval) -> str:
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
    common: dict[str, Any] = {"x": near[0], "y": near[1], "ax": ax, "color": style.BLUE}
    common |= {"gridsize": 70, "clip": (bounds, bounds), "warn_singular": False}
    sns.kdeplot(levels=[*levels, 1.0], fill=True, alpha=0.55, **common)
    sns.kdeplot(levels=levels, linewidths=1.2, **common)
    return "50% and 95% of the draws"


def _write_sides(ax: Axes, result: Comparison, evidence: Evidence, draws: style.Array) -> None:
    """Write the shares of the draws at the sides of the diagonal, away from where they lie."""
    x, y = ax.transLimits.transform((evidence.psi_B, evidence.psi_A))
    top = 0.55 if x <= 0.3 and y >= 0.8 else 0.97
    bottom = 0.4 if x > 0.7 and y < 0.2 else 0.03
    a, b = style.short_names(result, 16)
    common: dict[str, Any] = {"transform": ax.transAxes, "bbox": WHITE_BOX, "zorder": 6}
    for name, probability, x, y, ha, va in (
        (a, evidence.p_greater, 0.03, top, "left", "top"),
        (b, evidence.p_less, 0.97, bottom, "right", "bottom"),
    ):
        share = percent(probability)
        text = ax.text(x, y, f"{name} higher:\n{share}", ha=ha, va=va, **common)
        style.GiveWay([text], [share], points=draws)


@style.themed(7.2, 4.2)
def plot_mosaic(ax: Axes, result: Comparison, category: str | None = None) -> None:
    """Draw the outcome pairs: both, only A, only B, neither said yes, of positives and negatives.

    Heights are shares of the documents of the class; for an average, of the pairs of a document and
    a category. The two columns are equally wide, for true
    widths would hide rare positives; how many documents each stands for is written above it.
    Colours tell who is right.

    Parameters
    ----------
    result : Comparison
        A comparison on the same documents.
    category : str, optional
        One of its categories; all of them together for an average, which is the default where there
        is one.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> plot_mosaic(result).texts[0].get_text()
    'both said yes: 310 (77.9%)'
    """
    counts = result.data.one_vs_rest()
    if not isinstance(counts, PairedCounts):
        raise InputError(
            "A mosaic needs outcome pairs, but A and B were counted apart "
            f"({result.model.name}): pass both predictions of the same documents."
        )
    name, names = result.resolve_category(category), counts.categories
    rows, unit = [i for i, row in enumerate(names) if row == name], " document"
    heading = f", category {style.clean(name, 28)}" if len(names) > 1 else ""
    if not rows:  # of several categories together, a document is counted once for each of them
        rows, unit = list(range(len(names))), "\ndocument-category pair"
        heading = f", {len(names):,} categories together"
    ax.set(xlim=(-0.1, 2 * STEP - 0.15), ylim=(0, 1))
    ax.set_yticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    ax.spines["bottom"].set_visible(False)
    a, b = style.short_names(result, 14)
    labels, headings = ("both said yes", f"only {a}", f"only {b}", "neither"), []
    for x, kind, cells, styles in (
        (0.0, "positive", counts.pos, CELL_STYLE),
        (STEP, "negative", counts.neg, CELL_STYLE[::-1]),
    ):
        table = cells[rows].sum(axis=0)
        _draw_column(ax, x, table, labels, styles)
        text = f"{table.sum():,} {kind}{unit}{'' if table.sum() == 1 else 's'}"
        headings.append(style.wrap_label(ax, text, 24))
    ax.set_xticks([0, STEP], headings, ha="left", fontweight="bold", fontsize=style.points(10))
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    right = ("both right", f"only {a} right", f"only {b} right", "both wrong")
    handles = [
        Patch(facecolor=color, hatch=hatch, edgecolor="white", label=label)
        for label, (color, hatch) in zip(right, CELL_STYLE, strict=True)
    ]
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.02)}
    style.legend_above(ax, handles, ncols=4, **below)
    ax.set_ylabel(f"share of the {unit.strip()}s")
    names_AB = " and ".join(style.short_names(result, 22))
    ax.set_title(f"{names_AB}{heading}", fontsize=style.points(11))


def _draw_column(
    ax: Axes, x: float, table: NDArray[np.int64], labels: Sequence[str], styles: Any
) -> None:
    """Stack the four cells from the top, and write beside each what it is."""
    total = int(table.sum())
    shares = table / total if total else np.zeros(4)
    bottoms = 1 - np.cumsum(shares)
    for share, bottom, (color, hatch) in zip(shares, bottoms, styles, strict=True):
        edge = {"edgecolor": "white", "linewidth": 0.6 if share > 0.01 else 0}
        ax.bar(x, share, BAR, bottom, align="edge", color=color, hatch=hatch, **edge)
    if not total:
        ax.bar(x, 1, BAR, align="edge", facecolor="none", edgecolor="0.6", linestyle=":")
    middles = bottoms + shares / 2 if total else np.array([0.8, 0.6, 0.4, 0.2])
    heights = _spread(middles, style.points(14) / style.points_high(ax))
    counts = [f"{n:,}" for n in table]
    shorter = [
        n + (f" ({100 * s:.1f}%)" if total else "") for n, s in zip(counts, shares, strict=True)
    ]
    texts = []
    for label, short, middle, height in zip(labels, shorter, middles, heights, strict=True):
        leader = x + BAR + np.array([0, 0.06, 0.14])
        ax.plot(leader, [middle, middle, height], color="0.4", linewidth=0.7)
        text = ax.text(x + BAR + 0.18, height, f"{label}: {short}", va="center")
        text.set_fontsize(style.points(9))
        texts.append(text)
    next_column = np.column_stack([np.full(200, STEP - 0.05), np.linspace(0, 1, 200)])
    style.GiveWay(texts, shorter, counts, points=next_column if x < STEP else ())


def _spread(heights: style.Array, distance: float) -> style.Array:
    """Move labels, given from the top, so far apart that none covers the next."""
    steps = distance * np.arange(len(heights))
    # Lower each as far as the label above it demands, then raise each from the bottom.
    lowered = np.minimum.accumulate(np.minimum(heights, 1 - distance / 2) + steps) - steps
    raised = np.maximum.accumulate(np.maximum(lowered[::-1], distance / 2) - steps) + steps
    return np.asarray(raised[::-1])


@style.themed()
def plot_rope(
    ax: Axes,
    result: Comparison,
    category: str | None = None,
    *,
    ropes: Sequence[float] | None = None,
) -> None:
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

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> plot_rope(result).get_xlabel()
    'half-width of the ROPE around 0'
    """
    e = result.evidence(category)
    flips = rope_flips(e, higher_is_better=result.measure.higher_is_better)
    in_use, middle = (e.rope[1] - e.rope[0]) / 2, (e.rope[0] + e.rope[1]) / 2
    if ropes is None:
        widest = max([2 * in_use, *(1.25 * width for width, *_ in flips)]) or 0.1
        ropes = np.linspace(0, widest, N_ROPES + 1).tolist()
    table = over_ropes(result, e, ropes).drop_duplicates("half_width").sort_values("half_width")
    if len(table) < 2:
        raise invalid("ropes", "two different half-widths or more", ropes)
    widths = table["half_width"].to_numpy()
    for column, label, color, dash in (
        ("p_above", "above", style.BLUE, "-."),
        ("p_rope", "in the ROPE", style.GREEN, "-"),
        ("p_below", "below", style.RED, "--"),
    ):
        ax.plot(widths, table[column], dash, color=color, linewidth=2, label=label)
    ax.set(xlim=(widths[0], widths[-1]), ylim=(-0.02, 1.12), ylabel="probability of delta")
    ax.set_yticks(np.linspace(0, 1, 6))
    shown = [flip for flip in flips if widths[0] < flip[0] < widths[-1]]
    _mark_decisions(ax, Decision(table["decision"].iloc[0]), shown)
    if widths[0] <= in_use <= widths[-1]:
        ax.axvline(in_use, ymax=0.9, color="black", linestyle=":", linewidth=1.2, label="in use")
    centre = "0" if middle == 0 else f"{middle:+.4g}"
    score = style.clean(describe_score(result, e.category), 50)
    score = "" if len(result.categories) == 1 else f", {score}"
    ax.set_xlabel(style.wrap_label(ax, f"half-width of the ROPE around {centre}{score}"))
    ax.set_title(style.verdict_title(result, e, ax))
    style.legend_right(ax)


def _mark_decisions(
    ax: Axes, first: Decision, flips: Sequence[tuple[float, Decision, Decision]]
) -> None:
    """Shade the half-widths of each decision, its symbol above them; mark where it turns."""
    low, high = ax.get_xlim()
    bounds = [low, *(width for width, *_ in flips), high]
    decisions = [first, *(after for *_, after in flips)]
    for (start, stop), decision in zip(pairwise(bounds), decisions, strict=True):
        color, alpha = style.DECISION_STYLE[decision][0], 0.14 if decision.conclusive else 0.05
        ax.axvspan(start, stop, color=color, alpha=alpha, linewidth=0, zorder=0)
        middle = max((start + stop) / 2, low + 0.02 * (high - low))
        symbol = ax.text(middle, 0.955, decision.symbol, transform=ax.get_xaxis_transform())
        symbol.set(ha="center", va="center", fontsize=style.points(13))
        style.GiveWay([symbol])
    curves = [np.asarray(line.get_data()) for line in ax.lines]
    for i, (width, *_) in enumerate(flips):
        ax.axvline(width, color=style.GREY, linewidth=1, zorder=1)
        share = (width - low) / (high - low)
        left = share > 0.9 or (i == 0 and share > 0.1)
        heights = np.sort([0, 0.9, *(np.interp(width, x, y) / 1.14 for x, y in curves)])
        gap = int(np.argmax(np.diff(heights)))  # where the curves leave most room
        side = {"xytext": (-3, 0) if left else (3, 0), "ha": "right" if left else "left"}
        letters: dict[str, Any] = {"xycoords": ax.get_xaxis_transform(), **side}
        letters |= {"rotation": 90, "va": "center", "fontsize": style.points(9)}
        point = width, float(heights[gap : gap + 2].mean())
        style.GiveWay([ax.annotate(f"±{width:.4g}", point, textcoords="offset points", **letters)])
