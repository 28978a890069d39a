"""Intervals of delta under each other, a row for each: what forest and prior plots share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import blended_transform_factory

from stanoff._lib.arguments import Interval
from stanoff.inference.decision import Decision
from stanoff.plots.style import (
    GREEN,
    GREY,
    MARKS,
    RED,
    literal,
    points_high,
    shortened,
    with_room,
)
from stanoff.text.numbers import ends, level

LEAST_PITCH = 7.5  # points from label to label, below which some are left out
FAR = 20  # an end so many times as far away as nearly all others is drawn as an arrow


@dataclass(frozen=True)
class Row:
    """One interval.

    Attributes
    ----------
    label : str
        Its name.
    mean, hdi : float or tuple of float
        Posterior mean of delta and its interval.
    decision : Decision
        What follows from them.
    bold : bool
        Whether it is the one that counts.
    """

    label: str
    mean: float
    hdi: Interval
    decision: Decision
    bold: bool = False


def draw_rows(ax: Axes, rows: Sequence[Row], rope: Interval, apart: Sequence[Row] = ()) -> int:
    """Draw intervals, the ROPE and 0; return how many rows there are to a label.

    Parameters
    ----------
    ax : Axes
        Where.
    rows : sequence of Row
        From the top.
    rope : tuple of float
        The region of practical equivalence.
    apart : sequence of Row
        Rows that stand below the others, and are always labelled.
    """
    together = [*rows, *apart]
    lines = len(rows) + 1 + (1.5 + len(apart) if apart else 0)
    pitch = points_high(ax) / lines
    step = max(1, ceil(LEAST_PITCH / pitch - 1e-6))
    if step > 1:  # what stands apart keeps its height, the others have the rest
        pitch = (points_high(ax) - LEAST_PITCH * (lines - len(rows))) / len(rows)
        step = ceil(LEAST_PITCH / pitch - 1e-6)
    line = max(1.0, LEAST_PITCH / pitch)  # as high as a label, in rows
    places = np.arange(len(rows), dtype=float)
    below = len(rows) - 1 + line * (1.5 + np.arange(len(apart)))
    bottom = below[-1] if apart else len(rows) - 1
    ax.set(xlim=_window(together, rope), ylim=(bottom + 0.7 * line, -0.7 * line))
    ax.locator_params(axis="x", nbins=6)
    ax.axvspan(*rope, color=GREY, alpha=0.13, linewidth=0, zorder=0)
    for end in rope:
        ax.axvline(end, color=RED, linestyle=":", linewidth=1.2, zorder=1)
    ax.axvline(0, color=GREEN, linestyle="--", linewidth=1.2, zorder=1)
    if apart:
        ax.axhline(len(rows) - 1 + 0.75 * line, color="0.6", linewidth=0.6)
    _draw(ax, rows, places, pitch)
    _draw(ax, apart, below, pitch * line)
    _label(
        ax,
        [*rows[::step], *apart],
        np.concatenate([places[::step], below]),
        size=float(np.clip(0.8 * pitch * line, 6, 10)),
    )
    return step


def key(ax: Axes, rows: Sequence[Row], rope: Interval, hdi_prob: float, heading: str) -> None:
    """Explain the marks above the axes, with how many rows have each."""
    marks: list[Line2D | Patch] = []
    for decision, mark in reversed(MARKS.items()):
        n = sum(row.decision == decision for row in rows)
        if not n:
            continue
        words = decision.words.removesuffix(" than").removesuffix(" to")
        marks.append(
            Line2D(
                [],
                [],
                color=mark.color,
                marker=mark.marker,
                markerfacecolor=mark.color if mark.filled else "white",
                label=f"{decision.symbol} {words}" + (f" ({n:,})" if len(rows) > 1 else ""),
            )
        )
    marks = marks[::-1]
    told = f"ROPE {ends(rope)}"
    marks.append(Patch(facecolor=GREY, alpha=0.25, edgecolor=RED, linestyle=":", label=told))
    marks.append(Line2D([], [], color=GREY, label=f"{level(hdi_prob)} HDI, mean marked"))
    legend = ax.legend(
        handles=marks,
        title=heading,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=2,
        alignment="left",
        borderaxespad=0.2,
        frameon=False,
        fontsize=9,
    )
    legend.get_title().set_fontsize(12)


def _draw(ax: Axes, rows: Sequence[Row], places: np.typing.ArrayLike, pitch: float) -> None:
    low, high = ax.get_xlim()
    width = float(np.clip(0.16 * pitch, 0.4, 2))
    size = float(np.clip(0.45 * pitch, 1, 7))
    everywhere = np.asarray(places)
    for decision, mark in MARKS.items():
        chosen = [i for i, row in enumerate(rows) if row.decision == decision]
        if not chosen:
            continue
        y = everywhere[chosen]
        starts, stops = np.array([rows[i].hdi for i in chosen]).T
        ax.hlines(
            y,
            np.clip(starts, low, high),
            np.clip(stops, low, high),
            color=mark.color,
            linewidth=width,
            zorder=2,
        )
        ax.plot(
            [rows[i].mean for i in chosen],
            y,
            linestyle="none",
            marker=mark.marker,
            markersize=size,
            color=mark.color,
            markerfacecolor=mark.color if mark.filled else "white",
            markeredgewidth=width,
            zorder=3,
        )
        for beyond, edge, arrow in ((starts < low, low, "<"), (stops > high, high, ">")):
            if beyond.any():
                ax.plot(
                    np.full(beyond.sum(), edge),
                    y[beyond],
                    linestyle="none",
                    marker=arrow,
                    markersize=size,
                    color=mark.color,
                    clip_on=False,
                    zorder=4,
                )


def _label(
    ax: Axes, rows: Sequence[Row], places: np.typing.NDArray[np.float64], size: float
) -> None:
    ax.set_yticks(places, [literal(shortened(row.label, 28)) for row in rows], fontsize=size)
    ax.tick_params(axis="y", length=0)
    side = blended_transform_factory(ax.transAxes, ax.transData)
    for row, place, tick in zip(rows, places, ax.get_yticklabels(), strict=True):
        weight = "bold" if row.bold else "normal"
        tick.set_fontweight(weight)
        ax.text(
            1.02,
            place,
            row.decision.symbol,
            transform=side,
            color=MARKS[row.decision].color,
            fontsize=size + 1,
            fontweight=weight,
            va="center_baseline",
            ha="left",
        )


def _window(rows: Sequence[Row], rope: Interval) -> tuple[float, float]:
    """Choose a range that shows all intervals, unless a few reach very far."""
    hdis = np.array([row.hdi for row in rows])
    usual = np.quantile(np.abs(hdis).max(axis=1), 0.8) if len(rows) > 3 else np.inf
    most = max(FAR * usual, *np.abs(rope))
    if np.abs(hdis).max() > most:
        near = hdis[np.abs(hdis).max(axis=1) <= most]
        hdis = 1.5 * near
    means = np.clip([row.mean for row in rows], hdis.min(), hdis.max())
    shown = [*hdis.ravel(), *means, *rope, 0.0]
    return with_room(min(shown), max(shown))
