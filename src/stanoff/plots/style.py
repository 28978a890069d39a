"""What all figures have in common: one look, marks of the decisions, labels that stay inside.

A figure that stanoff makes looks the same whatever the user's rcParams are, and changes none of
them; on axes that the user made, the user's settings hold. Names are written as they are: a dollar
sign starts no formula, a long name loses its middle, and a character that no font here can draw
becomes a box; where it is a letter, one warning names a font.
"""

from __future__ import annotations

import inspect
import textwrap
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from math import ceil
from threading import RLock
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import matplotlib.style
import numpy as np
import seaborn as sns
from cycler import cycler
from matplotlib import font_manager
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.errors import InputError, invalid, unknown
from stanoff.inference.decision import Decision
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from matplotlib.legend import Legend

    from stanoff import Comparison, Evidence

Array = NDArray[np.float64]
Draw = Callable[..., None]

# Okabe & Ito's palette, which the colour-blind can tell apart, too.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#666666"
PALETTE = (BLUE, RED, GREEN, "#CC79A7", ORANGE, "#56B4E9", "#000000", "#8C6D31")
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
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
    "patch.force_edgecolor": False,
    "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3
    "ps.fonttype": 42,
}
# Of each medium: width in inches, heights and lines against those of a page, points of the font.
MEDIA = {
    "column": (3.3, 0.65, 0.75, 7),
    "page": (6.5, 1.0, 1.0, 10),
    "slide": (10.0, 1.35, 1.6, 16),
}
MEDIUM: ContextVar[str] = ContextVar("medium", default="page")
MAX_LEGEND = 0.35  # of the height of a figure
OPTIONS = """
    ax : Axes, optional
        Where to draw; a new figure by default.
    annotate, legend : bool
        Whether numbers are written into the figure, and marks explained.
    title : bool or str
        Whether there is a title, or which."""
# Fonts for what DejaVu Sans lacks, used where the machine has them.
EXTRA_FONTS = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Source Han Sans"),
    *("Microsoft YaHei", "Hiragino Sans", "WenQuanYi Zen Hei", "Arial Unicode MS"),
    "Noto Sans Symbols2",
)
NO_FONT = (
    "No font here has all letters of these names: some are drawn as boxes. Noto Sans CJK has "
    "Chinese, Japanese and Korean ones (on Debian and Ubuntu the package fonts-noto-cjk)."
)
NEW = "new"  # label of a figure whose size may still change
LETTER = 0.6  # width of a letter as a share of the font's size
MIN_PITCH = 7.5  # points from label to label, below which some are left out
LOCK = RLock()  # settings and figures of Matplotlib are shared by all threads


@contextmanager
def theme(medium: str | None = None) -> Iterator[None]:
    """Let everything inside look as stanoff's figures do; outside nothing changes.

    Parameters
    ----------
    medium : {"column", "page", "slide"}, optional
        What figures are made for, which sets their width, fonts and lines: a column of 3.3 inches,
        a page of 6.5 or a slide of 10; that of the theme around this one, or a page, by default.

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
    medium = medium or MEDIUM.get()
    if medium not in MEDIA:
        raise unknown("medium", medium, list(MEDIA))
    width, height, line, font = MEDIA[medium]
    sizes = {
        "figure.figsize": (width, 4.25 * height),
        "font.family": list(_fonts()),
        "font.size": font,
        "axes.titlesize": 1.2 * font,
        "legend.fontsize": 0.9 * font,
        "lines.linewidth": 1.5 * line,
        "lines.markersize": 6 * line,
        "axes.linewidth": 0.8 * line,
        "hatch.linewidth": line,
    }
    token = MEDIUM.set(medium)
    with LOCK:
        # Load the backend now: one that is loaded inside is forgotten at the end, with all figures.
        plt.draw_if_interactive()  # type: ignore[no-untyped-call]
        try:
            looks = ["default", sns.axes_style("ticks"), RC_PARAMS, sizes]
            with matplotlib.style.context(looks):
                yield
        finally:
            MEDIUM.reset(token)


def themed(width: float = 6.5, height: float = 4.25) -> Callable[[Draw], Callable[..., Axes]]:
    """Draw on new axes in the theme, or on the user's own with the user's settings.

    What draws takes the axes first. Every plot gets the options ``ax``, ``annotate``, ``legend``
    and ``title``. A new figure is so many inches wide and high, unless :func:`resize` changes it.
    """

    def decorate(draw: Draw) -> Callable[..., Axes]:
        @wraps(draw, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        def plot(
            *args: Any,
            ax: Axes | None = None,
            annotate: bool = True,
            legend: bool = True,
            title: bool | str = True,
            **options: Any,
        ) -> Axes:
            if ax is not None and not isinstance(ax, Axes):
                raise invalid("ax", "matplotlib Axes", ax)
            # LaTeX would choke on names; letters that the user's font lacks come from another one.
            fonts = [*mpl.rcParams["font.family"], *_fonts()[1:]]
            settings: dict[Any, Any] = {"text.usetex": False, "font.family": fonts}
            with LOCK, theme() if ax is None else mpl.rc_context(settings):
                axes = ax or new_axes(width, height)
                axes.figure.set_label(NEW if ax is None else "")
                try:
                    draw(axes, *args, **options)
                except BaseException:
                    if ax is None:
                        plt.close()
                    raise
                axes.figure.set_label("")
                return _finish(axes, annotate, legend, title)

        shared = inspect.signature(plot, follow_wrapped=False).parameters.values()
        parameters = list(inspect.signature(draw).parameters.values())[1:]
        parameters += [p for p in shared if p.kind is p.KEYWORD_ONLY]
        plot.__signature__ = inspect.Signature(parameters, return_annotation="Axes")  # type: ignore[attr-defined]
        doc, examples, code = (draw.__doc__ or "").partition("\n\n    Examples\n")
        if "Parameters\n" in doc:
            plot.__doc__ = doc.rstrip() + OPTIONS + (examples + code or "\n    ")
        return plot

    return decorate


def _finish(ax: Axes, annotate: bool, legend: bool, title: bool | str) -> Axes:
    """Leave out what is not wanted; break labels, and keep ticks apart."""
    if title is not True:
        ax.set_title(clean(title) if title else "")
    explained = ax.get_legend()
    if explained and not legend:
        explained.remove()
    elif explained and explained.get_bbox_to_anchor().y0 >= ax.bbox.y1 - 1:
        height = explained.get_window_extent().height / ax.figure.dpi * 72
        ax.set_title(ax.get_title(), pad=height + points(6))
    for text in [] if annotate else list(ax.texts):
        text.remove()
    ax.set_ylabel(break_lines(ax.get_ylabel(), letters_in(points_high(ax))))
    letters = letters_in(room_across(ax) / ax.figure.dpi * 72)
    narrow = letters < 65  # so that names at the side take much of it
    ax.set_xlabel(break_lines(ax.get_xlabel(), int((0.65 if narrow else 0.85) * letters)))
    ax.title.set_text(break_lines(ax.get_title(), int((0.5 if narrow else 0.6) * letters)))
    locator = ax.xaxis.get_major_locator()
    if isinstance(locator, MaxNLocator) and narrow:
        locator.set_params(nbins=max(2, letters // 10))
    return ax


def break_lines(label: str, letters: int) -> str:
    """Break what is longer than so many letters; lines that are there remain."""
    breaks = textwrap.TextWrapper(max(letters, 10), break_long_words=False, break_on_hyphens=False)
    return "\n".join(breaks.fill(line) for line in label.split("\n"))


class GiveWay(Artist):
    """Texts that become shorter where there is no room for them, and are left out at last.

    This is decided whenever the axes are drawn, for then their size is known. A text must lie
    inside the axes, and neither on a text that was written before it nor on data.

    Parameters
    ----------
    texts : sequence of Text
        All of them are long, or all are short.
    shorter : sequence
        What they say instead, from the longest version to the shortest.
    points : array, optional
        Data (x, y) that must not be hidden.
    """

    def __init__(self, texts: Sequence[Text], *shorter: Sequence[str], points: Any = ()) -> None:
        super().__init__()
        self.set(zorder=-1000, in_layout=False)  # drawn before the texts
        self.texts, self.points = texts, np.reshape(points, (-1, 2))
        long = [text.get_text() for text in texts]
        self.versions = [long, *shorter, [""] * len(texts)]
        self.written = long
        for text in texts:
            text.set_in_layout(False)
        assert isinstance(texts[0].axes, Axes)
        texts[0].axes.add_artist(self)

    def draw(self, renderer: Any) -> None:
        """Choose the longest version that fits."""
        ax, texts = self.axes, self.texts
        assert isinstance(ax, Axes)
        if texts[0] not in ax.texts or [text.get_text() for text in texts] != self.written:
            return  # the user left them out, or wrote something else
        before = _boxes(list(ax.texts)[: list(ax.texts).index(texts[0])], renderer)
        taken = np.vstack([before, np.tile(ax.transData.transform(self.points), 2)])
        rim = ax.bbox.padded(3).extents
        for version in self.versions:
            self.written = list(version)
            for text, words in zip(texts, version, strict=True):
                text.set_text(words)
            boxes = _boxes(texts, renderer)
            inside = (boxes[:, :2] >= rim[:2]).all() and (boxes[:, 2:] <= rim[2:]).all()
            apart = _overlaps(boxes, boxes) <= len(boxes)  # each covers itself
            if inside and apart and not _overlaps(boxes, taken):
                break


def _boxes(texts: Sequence[Text], renderer: Any) -> Array:
    """Return left, bottom, right and top of all that is written, in pixels."""
    written = [text for text in texts if text.get_text()]
    extents = [Text.get_window_extent(text, renderer).extents for text in written]
    return np.reshape(np.array(extents, dtype=float), (-1, 4))


def _overlaps(boxes: Array, others: Array) -> int:
    """Count the pairs of boxes that cover each other by more than a pixel."""
    starts = (boxes[:, None, :2] + 1 < others[None, :, 2:]).all(axis=-1)
    ends = (others[None, :, :2] + 1 < boxes[:, None, 2:]).all(axis=-1)
    return int((starts & ends).sum())


def new_axes(width: float = 6.5, height: float = 4.25) -> Axes:
    """Make a figure of so many inches on a page; other media have others."""
    return plt.subplots(figsize=_inches(width, height), layout="constrained")[1]


def resize(ax: Axes, width: float = 6.5, height: float = 4.25) -> bool:
    """Fit a new figure to what it shows; the user's own keeps its size. Return which it is."""
    if not isinstance(ax.figure, Figure) or ax.figure.get_label() != NEW:
        return False
    ax.figure.set_size_inches(*_inches(width, height))
    return True


def _inches(width: float, height: float) -> tuple[float, float]:
    """Return the size in this medium, on a page to the next quarter: whole pixels then."""
    limit, scale, *_ = MEDIA[MEDIUM.get()]
    across, high = ceil(4 * width * limit / 6.5) / 4, ceil(4 * height * scale) / 4
    return across if MEDIUM.get() == "page" else min(limit, across), high


def points(size: float) -> float:
    """Scale a size in points, which is meant for letters of 10, to the user's font."""
    return float(size * mpl.rcParams["font.size"] / 10)


def room_across(ax: Axes) -> float:
    """Return how many pixels wide the part of the figure is that the axes have for themselves."""
    spec = ax.get_subplotspec()
    share: float = len(spec.colspan) / spec.get_gridspec().ncols if spec else 1.0
    return float(0.96 * share * ax.figure.bbox.width)


def points_high(ax: Axes) -> float:
    """Return how high the axes are, in points, with room for a legend above them."""
    legend, inch = ax.get_legend(), ax.figure.dpi
    high = float(ax.bbox.height / inch * 72)
    if legend is None:
        return high
    rest = ax.figure.bbox.height - legend.get_window_extent().height
    return float(min(high, rest / inch * 72 - points(55)))


def letters_in(size: float, font: float = 10) -> int:
    """Estimate how many letters fit into so many points."""
    return int(size / (LETTER * points(font)))


def letters_across(ax: Axes, font: float = 10) -> int:
    """Estimate how many letters fit across the axes."""
    return max(10, letters_in(ax.bbox.width / ax.figure.dpi * 72, font))


def name_letters(ax: Axes) -> int:
    """Return how long names at the side of the axes may be, in letters."""
    return min(28, letters_across(ax) // 2)


def wrap_label(ax: Axes, text: str, font: float = 10) -> str:
    """Break a label into lines that are no wider than the axes."""
    return break_lines(text, letters_across(ax, font))


def is_drawable(result: Comparison, category: str) -> bool:
    """Return whether the draws of delta are finite as far as they would be shown."""
    extent = _extent(result.evidence(category), result.posterior_sample(category))
    return bool(np.isfinite(extent).all())


def delta_limits(evidence: Evidence, delta: Array) -> Interval:
    """Return the range of x: nearly all draws, the ROPE, the HDI and 0, with some room."""
    extent = _extent(evidence, delta)
    return pad_limits(min(extent), max(extent))


def _extent(evidence: Evidence, delta: Array) -> list[float]:
    return [*np.quantile(delta, [0.0005, 0.9995]), *evidence.rope, *evidence.hdi, 0.0]


def pad_limits(low: float, high: float, share: float = 0.06) -> Interval:
    """Widen a range a little at both ends; it is never empty, nor infinite."""
    if not np.isfinite([low, high]).all():
        raise InputError("There is nothing to draw: the draws of delta are not finite.")
    room = share * (high - low) or 0.01 * max(abs(low), 1)
    return float(low - room), float(high + room)


def label_delta(ax: Axes, result: Comparison, evidence: Evidence) -> None:
    """Label the axis of delta, and put the verdict on top."""
    ax.set_xlabel(delta_label(ax, result, describe_score(result, evidence.category)))
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


def decision_mark(decision: Decision) -> dict[str, Any]:
    """Return the look of the mark of a decision."""
    color, marker, filled = DECISION_STYLE[decision]
    return {"color": color, "marker": marker, "markerfacecolor": color if filled else "white"}


def decision_tint(decision: Decision) -> tuple[float, float, float]:
    """Return the colour of a decision as a background, the paler the less is settled."""
    strength = 0.55 if decision.conclusive else 0.16
    r, g, b = (1 - strength * (1 - share) for share in to_rgb(DECISION_STYLE[decision][0]))
    return r, g, b


def clean(text: str, width: int = 10_000) -> str:
    """Make a name ready to be drawn: short, no formula, no letter that cannot be drawn."""
    text = shorten(text, width)
    missing = {letter for letter in text if not _has_glyph(letter)}
    if any(letter.isalpha() for letter in missing):
        _warn_of_boxes()
    return text.translate(dict.fromkeys(map(ord, missing), "□")).replace("$", r"\$")


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


def write_inside(ax: Axes, x: float, height: float, versions: Sequence[str], color: str) -> None:
    """Write at a value of x, but never beyond the sides; the height is a share of the axes.

    Where there is no room for the first version, the next is written.
    """
    text, *shorter = versions
    low, high = ax.get_xlim()
    half = min(0.53 * text_width(text) / letters_across(ax) + 0.01, 0.5)
    share = min(max((x - low) / (high - low), half), 1 - half)
    align: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "center"}
    GiveWay([ax.text(share, height, text, color=color, **align)], *([words] for words in shorter))


def label_rows(
    axis: Any, names: Sequence[str], pitch: float, letters: int, offset: float = 0.0
) -> tuple[int, float]:
    """Name rows along an axis, not all where there is no room; return the step and the font."""
    step = max(1, ceil(MIN_PITCH / pitch - 1e-6))
    size = float(np.clip(0.8 * pitch * step, points(6), points(10)))
    ticks = np.arange(0, len(names), step) + offset
    axis.set_ticks(ticks, [clean(name, letters) for name in names[::step]], fontsize=size)
    return step, size


def draw_rope(ax: Axes, rope: Interval) -> None:
    """Shade the ROPE along x, and mark its ends and 0."""
    ax.axvspan(*rope, color=GREY, alpha=0.13, linewidth=0, zorder=0)
    for edge in rope:
        ax.axvline(edge, color=RED, linestyle=":", linewidth=1.2, zorder=1)
    ax.axvline(0, color=GREEN, linestyle="--", linewidth=1.2, zorder=1)


def rope_patch(label: str) -> Patch:
    """Return what explains the ROPE in a legend."""
    return Patch(facecolor=GREY, alpha=0.25, edgecolor=RED, linestyle=":", label=label)


def mark(label: str, color: str = "black", **look: Any) -> Line2D:
    """Return what explains a line or a mark in a legend."""
    return Line2D([], [], color=color, label=label, **look)


def legend_above(
    ax: Axes, handles: Sequence[Any], title: str | None = None, ncols: int = 2, **options: Any
) -> Legend:
    """Explain the marks above the axes, in as many columns as there is room for, or not at all."""
    corner = {"loc": "lower right", "bbox_to_anchor": (1, 1), "alignment": "left"}
    settings = {"borderaxespad": 0.2, "frameon": False} | corner | options
    for columns in range(ncols, 0, -1):
        legend = ax.legend(handles=handles, title=title, ncols=columns, **settings)
        box = legend.get_window_extent()
        if box.width <= room_across(ax):
            break
    if box.width > room_across(ax) or box.height > MAX_LEGEND * ax.figure.bbox.height:
        legend.remove()
    return legend


def legend_right(ax: Axes, **options: Any) -> None:
    """Explain the lines beside the axes, or above them where these are narrow."""
    legend = ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, **options)
    if legend.get_window_extent().width > room_across(ax) / 3:
        legend_above(ax, ax.get_legend_handles_labels()[0], ncols=4, **options)


@cache
def _fonts() -> tuple[str, ...]:
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in EXTRA_FONTS if name in installed))


@cache
def _warn_of_boxes() -> None:
    """Warn once in a process."""
    warnings.warn(NO_FONT, UserWarning, stacklevel=2)


@cache
def _has_glyph(letter: str) -> bool:
    """Whether one of the theme's fonts can draw it, or it needs no drawing."""
    if letter.isascii():
        return letter.isprintable()
    fonts = (font_manager.get_font(font_manager.findfont(name)) for name in _fonts())
    return any(font.get_char_index(ord(letter)) for font in fonts)
