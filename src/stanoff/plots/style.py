"""What all figures have in common: one look, marks of the decisions, labels that stay inside.

A figure that stanoff makes looks the same whatever the user's rcParams are, and changes none of
them; on axes that the user made, the user's settings hold. Names are written as they are: a dollar
sign starts no formula, a long name loses its middle, and a character that no font here can draw
becomes a box.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from math import ceil
from threading import RLock
from typing import TYPE_CHECKING, ParamSpec

import matplotlib as mpl
import matplotlib.pyplot as plt
import matplotlib.style
import numpy as np
import seaborn as sns
from matplotlib import font_manager
from matplotlib.axes import Axes

from stanoff.errors import InputError, invalid
from stanoff.inference.decision import Decision
from stanoff.inference.evidence import Evidence
from stanoff.text.words import what_is_judged

if TYPE_CHECKING:
    from stanoff import Comparison

P = ParamSpec("P")

# Okabe & Ito's palette, told apart by the colour-blind too.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#666666"
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
INK = {GREEN: "#00694C", RED: "#A84A00"}  # dark enough for letters on white
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)), (0, (3, 3)))

DRAWING = RLock()  # settings and figures of Matplotlib are shared by all threads
WIDTH, HEIGHT = 6.5, 4.25  # inches
# Fonts for what DejaVu Sans lacks, used where the machine has them.
MORE_FONTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Arial Unicode MS", "Noto Sans Symbols2")
LETTER = 0.6  # width of a letter as a share of the font's size


@dataclass(frozen=True)
class Mark:
    """How a decision looks: hue, shape and filling, so that it can be told in grey as well."""

    color: str
    marker: str
    filled: bool


MARKS = {
    Decision.MUCH_BETTER: Mark(BLUE, "^", True),
    Decision.BETTER: Mark(BLUE, "^", False),
    Decision.EQUIVALENT: Mark(GREEN, "o", True),
    Decision.WORSE: Mark(RED, "v", False),
    Decision.MUCH_WORSE: Mark(RED, "v", True),
}


@contextmanager
def theme() -> Iterator[None]:
    """Let everything inside look as stanoff's figures do; outside nothing changes.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> before = mpl.rcParams["axes.spines.top"]
    >>> with theme():
    ...     print(mpl.rcParams["axes.spines.top"])
    False
    >>> mpl.rcParams["axes.spines.top"] == before
    True
    """
    with DRAWING, _ours():
        yield


@contextmanager
def _ours() -> Iterator[None]:
    ours = {
        "font.family": list(_families()),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "0.15",
        "axes.axisbelow": True,
        "axes.titlesize": 12,
        "figure.dpi": 100,
        "legend.fontsize": 9,
        "legend.frameon": False,
        "mathtext.fontset": "dejavusans",
    }
    # Load the backend now: one that is loaded inside is forgotten at the end, with all figures.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    with matplotlib.style.context(["default", ours]):
        yield


def themed(plot: Callable[P, Axes]) -> Callable[P, Axes]:
    """Draw in the theme unless the caller's own axes are given."""

    @wraps(plot)
    def draw(*args: P.args, **options: P.kwargs) -> Axes:
        ax = options.get("ax")
        if ax is None:
            with theme():
                return plot(*args, **options)
        if not isinstance(ax, Axes):
            raise invalid("ax", "matplotlib Axes", ax)
        with DRAWING, mpl.rc_context({"text.usetex": False}):  # LaTeX would choke on names
            return plot(*args, **options)

    return draw


def new_axes(width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Make a figure of its own, sized in inches, to the next quarter: whole pixels then."""
    size = ceil(4 * width) / 4, ceil(4 * height) / 4
    _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def window_of(evidence: Evidence, delta: np.typing.NDArray[np.float64]) -> tuple[float, float]:
    """Choose the range to show: nearly all draws, the ROPE and 0, with some room."""
    ends = shown_ends(evidence, delta)
    return with_room(min(ends), max(ends))


def shown_ends(evidence: Evidence, delta: np.typing.NDArray[np.float64]) -> list[float]:
    """List what a figure of delta must show: nearly all draws, the ROPE, the HDI and 0."""
    return [*np.quantile(delta, [0.0005, 0.9995]), *evidence.rope, *evidence.hdi, 0.0]


def with_room(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """Widen a range a little at both ends; it is never empty, nor infinite."""
    if not np.isfinite([low, high]).all():
        raise InputError("There is nothing to draw: the draws of delta are not finite.")
    room = share * (high - low) or 0.01 * max(abs(low), 1)
    return float(low - room), float(high + room)


def label_axis(ax: Axes, result: Comparison, evidence: Evidence) -> None:
    """Label the axis of delta, and put the verdict on top."""
    ax.set_xlabel(delta_label(ax, result, what_is_judged(result, evidence.category)))
    ax.set_title(title(result, evidence, ax))
    sns.despine(ax=ax)


def delta_label(ax: Axes, result: Comparison, what: str) -> str:
    """Say what delta is, on as many lines as it takes."""
    a, b = short_names(result, 30)
    lower = "" if result.measure.higher_is_better else " (lower is better)"
    return wrapped(ax, f"δ = {literal(shortened(what, 60))} of {a} − that of {b}{lower}")


def title(result: Comparison, evidence: Evidence, ax: Axes | None = None) -> str:
    """Write the verdict as a heading."""
    room = 60 if ax is None else letters_across(ax, 12)
    a, b = short_names(result, max(8, (room - 3) // 2))
    return f"{a} {evidence.decision.symbol} {b}"


def short_names(result: Comparison, most: int = 24) -> tuple[str, str]:
    """Name A and B in few letters, ready to be drawn."""
    a, b = (literal(shortened(name, most)) for name in result.names)
    return a, b


def shortened(text: str, most: int = 24) -> str:
    """Leave out the middle of a name that is too long: both of its ends tell it from others.

    Examples
    --------
    >>> shortened("comp.sys.ibm.pc.hardware", 15)
    'comp.sy…ardware'
    """
    text = " ".join(text.split())
    while width_of(text) > most:
        keep = min(len(text) - 1, most) - 1
        head, tail = text[: keep - keep // 2], text[len(text) - keep // 2 :]
        while tail and unicodedata.combining(tail[0]):
            tail = tail[1:]  # an accent belongs to the letter that is left out
        text = f"{head.rstrip('…')}…{tail.lstrip('…')}"
    return text


def width_of(text: str) -> int:
    """Count letters as wide as they are drawn: Chinese and Japanese ones take two places."""
    return sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
        if not unicodedata.combining(letter)
    )


def literal(text: str) -> str:
    """Keep a dollar sign from starting a formula, and leave no letter that cannot be drawn."""
    drawn = "".join(letter if _has_glyph(letter) else "□" for letter in text)
    return drawn.replace("$", r"\$")


def letters_across(ax: Axes, size: float = 10) -> int:
    """Estimate how many letters fit across the axes."""
    return max(10, int(ax.bbox.width / ax.figure.dpi * 72 / (LETTER * size)))


def points_high(ax: Axes) -> float:
    """Return how high the axes are, in points."""
    return float(ax.bbox.height / ax.figure.dpi * 72)


def wrapped(ax: Axes, text: str, size: float = 10) -> str:
    """Break a label into lines that are no wider than the axes."""
    return textwrap.fill(text, letters_across(ax, size), break_long_words=False)


def write(ax: Axes, x: float, height: float, text: str, color: str) -> None:
    """Write at a value of x, but never beyond the sides; the height is a share of the axes."""
    low, high = ax.get_xlim()
    share = (x - low) / (high - low)
    reach = 0.53 * width_of(text) / letters_across(ax) + 0.01
    share = min(max(share, reach), 1 - reach) if reach < 0.5 else 0.5
    ax.text(
        share,
        height,
        text,
        color=INK.get(color, color),
        transform=ax.transAxes,
        ha="center",
        va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5},
    )


@cache
def _families() -> tuple[str, ...]:
    known = {font.name for font in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in MORE_FONTS if name in known))


@cache
def _has_glyph(letter: str) -> bool:
    """Whether one of the theme's fonts can draw it, or it needs no drawing."""
    if letter.isascii():
        return letter.isprintable()
    fonts = (font_manager.get_font(font_manager.findfont(name)) for name in _families())
    return any(font.get_char_index(ord(letter)) for font in fonts)
