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
from functools import cache, wraps
from math import ceil
from threading import RLock
from typing import TYPE_CHECKING, Any, ParamSpec

import matplotlib as mpl
import matplotlib.pyplot as plt
import matplotlib.style
import numpy as np
import seaborn as sns
from cycler import cycler
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from stanoff.errors import InputError, invalid
from stanoff.inference.decision import Decision
from stanoff.text.words import what_is_judged

if TYPE_CHECKING:
    from matplotlib.legend import Legend

    from stanoff import Comparison, Evidence

P = ParamSpec("P")

# Okabe & Ito's palette, which the colour-blind can tell apart, too.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#666666"
PALETTE = (BLUE, RED, GREEN, "#CC79A7", ORANGE, "#56B4E9", "#000000", "#8C6D31")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)), (0, (3, 3)))
WHITE_BOX = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5}
# Hue, shape and filling of each decision, so that it can be told in grey as well.
DECISION_STYLE = {
    Decision.MUCH_BETTER: (BLUE, "^", True),
    Decision.BETTER: (BLUE, "^", False),
    Decision.EQUIVALENT: (GREEN, "o", True),
    Decision.WORSE: (RED, "v", False),
    Decision.MUCH_WORSE: (RED, "v", True),
}
RC_PARAMS = {
    "axes.prop_cycle": cycler(color=PALETTE),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12,
    "figure.dpi": 100,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
    "patch.force_edgecolor": False,
}
# Fonts for what DejaVu Sans lacks, used where the machine has them.
EXTRA_FONTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Arial Unicode MS", "Noto Sans Symbols2")
LETTER = 0.6  # width of a letter as a share of the font's size
LOCK = RLock()  # settings and figures of Matplotlib are shared by all threads


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
    with LOCK:
        # Load the backend now: one that is loaded inside is forgotten at the end, with all figures.
        plt.draw_if_interactive()  # type: ignore[no-untyped-call]
        fonts = {"font.family": list(_fonts())}
        with matplotlib.style.context(["default", sns.axes_style("ticks"), RC_PARAMS, fonts]):
            yield


def themed(plot: Callable[P, Axes]) -> Callable[P, Axes]:
    """Draw in the theme, or with the user's settings where the user's own axes are given."""

    @wraps(plot)
    def draw(*args: P.args, **options: P.kwargs) -> Axes:
        ax = options.get("ax")
        if ax is None:
            with theme():
                return plot(*args, **options)
        if not isinstance(ax, Axes):
            raise invalid("ax", "matplotlib Axes", ax)
        with LOCK, mpl.rc_context({"text.usetex": False}):  # LaTeX would choke on names
            return plot(*args, **options)

    return draw


def new_axes(width: float = 6.5, height: float = 4.25) -> Axes:
    """Make a figure, sized in inches, to the next quarter: whole pixels then."""
    size = ceil(4 * width) / 4, ceil(4 * height) / 4
    _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def is_drawable(result: Comparison, category: str) -> bool:
    """Return whether the draws of delta are finite as far as they would be shown."""
    extent = _extent(result.evidence(category), result.posterior_sample(category))
    return bool(np.isfinite(extent).all())


def delta_limits(evidence: Evidence, delta: np.typing.NDArray[np.float64]) -> tuple[float, float]:
    """Return the range of x: nearly all draws, the ROPE, the HDI and 0, with some room."""
    extent = _extent(evidence, delta)
    return pad_limits(min(extent), max(extent))


def pad_limits(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """Widen a range a little at both ends; it is never empty, nor infinite."""
    if not np.isfinite([low, high]).all():
        raise InputError("There is nothing to draw: the draws of delta are not finite.")
    room = share * (high - low) or 0.01 * max(abs(low), 1)
    return float(low - room), float(high + room)


def label_delta(ax: Axes, result: Comparison, evidence: Evidence) -> None:
    """Label the axis of delta, and put the verdict on top."""
    ax.set_xlabel(delta_label(ax, result, what_is_judged(result, evidence.category)))
    ax.set_title(verdict_title(result, evidence, ax))


def delta_label(ax: Axes, result: Comparison, score: str) -> str:
    """Say what delta is, on as many lines as it takes."""
    a, b = short_names(result, 30)
    lower = "" if result.measure.higher_is_better else " (lower is better)"
    return wrap_label(ax, f"δ = {clean(score, 60)} of {a} − that of {b}{lower}")


def verdict_title(result: Comparison, evidence: Evidence, ax: Axes) -> str:
    """Write the verdict as a heading."""
    a, b = short_names(result, max(8, (letters_across(ax, 12) - 3) // 2))
    return f"{a} {evidence.decision.symbol} {b}"


def short_names(result: Comparison, width: int = 24) -> tuple[str, str]:
    """Name A and B in few letters, ready to be drawn."""
    a, b = (clean(name, width) for name in result.names)
    return a, b


def decision_label(decision: Decision) -> str:
    """Write a decision as its symbol and words, for a legend."""
    return f"{decision.symbol} {decision.words.removesuffix(' than').removesuffix(' to')}"


def clean(text: str, width: int = 10_000) -> str:
    """Make a name ready to be drawn: short, no formula, no letter that cannot be drawn."""
    drawn = (letter if _has_glyph(letter) else "□" for letter in shorten(text, width))
    return "".join(drawn).replace("$", r"\$")


def shorten(text: str, width: int) -> str:
    """Leave out the middle of a name that is too long: both of its ends tell it from others.

    Examples
    --------
    >>> shorten("comp.sys.ibm.pc.hardware", 15)
    'comp.sy…ardware'
    """
    text = " ".join(text.split())
    while text_width(text) > width:
        keep = min(len(text) - 1, width) - 1
        text = f"{text[: keep - keep // 2].rstrip('…')}…{text[len(text) - keep // 2 :].lstrip('…')}"
    return text


def text_width(text: str) -> int:
    """Count letters as wide as they are drawn: Chinese and Japanese ones count twice."""
    wide = (unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + sum(wide) - sum(unicodedata.combining(letter) > 0 for letter in text)


def letters_across(ax: Axes, size: float = 10) -> int:
    """Estimate how many letters fit across the axes."""
    return max(10, int(ax.bbox.width / ax.figure.dpi * 72 / (LETTER * size)))


def points_high(ax: Axes) -> float:
    """Return how high the axes are, in points."""
    return float(ax.bbox.height / ax.figure.dpi * 72)


def wrap_label(ax: Axes, text: str, size: float = 10) -> str:
    """Break a label into lines that are no wider than the axes."""
    return textwrap.fill(text, letters_across(ax, size), break_long_words=False)


def write_inside(ax: Axes, x: float, height: float, text: str, color: str) -> None:
    """Write at a value of x, but never beyond the sides; the height is a share of the axes."""
    low, high = ax.get_xlim()
    half = 0.53 * text_width(text) / letters_across(ax) + 0.01
    share = min(max((x - low) / (high - low), half), 1 - half) if half < 0.5 else 0.5
    align: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "center"}
    ax.text(share, height, text, color=color, bbox=WHITE_BOX, **align)


def legend_above(ax: Axes, handles: list[Any], title: str, **options: Any) -> Legend:
    """Explain the marks above the axes."""
    corner = {"loc": "lower right", "bbox_to_anchor": (1, 1), "alignment": "left", "ncols": 2}
    settings = {"borderaxespad": 0.2, "frameon": False, "fontsize": 9} | corner | options
    return ax.legend(handles=handles, title=title, **settings)


def rope_patch(label: str) -> Patch:
    """Return what explains the ROPE in a legend."""
    return Patch(facecolor=GREY, alpha=0.25, edgecolor=RED, linestyle=":", label=label)


def legend_right(ax: Axes, **options: Any) -> Legend:
    """Explain the lines beside the axes."""
    return ax.legend(
        loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9, **options
    )


def _extent(evidence: Evidence, delta: np.typing.NDArray[np.float64]) -> list[float]:
    return [*np.quantile(delta, [0.0005, 0.9995]), *evidence.rope, *evidence.hdi, 0.0]


@cache
def _fonts() -> tuple[str, ...]:
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in EXTRA_FONTS if name in installed))


@cache
def _has_glyph(letter: str) -> bool:
    """Whether one of the theme's fonts can draw it, or it needs no drawing."""
    if letter.isascii():
        return letter.isprintable()
    fonts = (font_manager.get_font(font_manager.findfont(name)) for name in _fonts())
    return any(font.get_char_index(ord(letter)) for font in fonts)
