"""What all figures have in common: colours, sizes, labels that stay inside."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes

from stanoff.evidence import Evidence
from stanoff.result import Comparison
from stanoff.words import what_is_judged

# Okabe & Ito's palette, told apart by the colour-blind too.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#666666"


def new_axes() -> Axes:
    """Make a figure of its own."""
    with sns.axes_style("ticks"):
        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    return ax


def window_of(evidence: Evidence, delta: np.typing.NDArray[np.float64]) -> tuple[float, float]:
    """Choose the range to show: nearly all draws, the ROPE and 0, with some room."""
    ends = [*np.quantile(delta, [0.0005, 0.9995]), *evidence.rope, *evidence.hdi, 0.0]
    room = 0.06 * (max(ends) - min(ends)) or 0.01
    return float(min(ends) - room), float(max(ends) + room)


def label_axis(ax: Axes, result: Comparison, evidence: Evidence) -> None:
    """Label the axis of delta, and put the verdict on top."""
    a, b = (literal(name) for name in result.names)
    ax.set_xlabel(f"δ = {literal(what_is_judged(result, evidence.category))} of {a} − that of {b}")
    ax.set_title(title(result, evidence))
    sns.despine(ax=ax)


def title(result: Comparison, evidence: Evidence) -> str:
    """Write the verdict as a heading."""
    a, b = (literal(name) for name in result.names)
    return f"{a} {evidence.decision.symbol} {b}"


def literal(text: str) -> str:
    """Keep a dollar sign from starting a formula."""
    return text.replace("$", r"\$")


def write(ax: Axes, x: float, height: float, text: str, color: str) -> None:
    """Write at a value of x, but never beyond the sides; the height is a share of the axes."""
    low, high = ax.get_xlim()
    share = (x - low) / (high - low)
    reach = 0.009 * len(text) + 0.01
    share = min(max(share, reach), 1 - reach) if reach < 0.5 else 0.5
    ax.text(
        share,
        height,
        text,
        color=color,
        transform=ax.transAxes,
        ha="center",
        va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5},
    )
