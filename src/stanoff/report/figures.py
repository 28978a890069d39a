"""Figures of a result as bytes that are the same whenever the numbers are, and inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from stanoff import plots
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

_NOT_WRITTEN = {"svg": "Date", "pdf": "CreationDate", "png": "Software"}
_DROPPED = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>\s*", re.DOTALL)
_STYLE = re.compile(r'<style type="text/css">\s*\*\s*\{(.*?)\}\s*</style>', re.DOTALL)
_OWN_ID = re.compile(r'(\sid="|(?:xlink:)?href="#|url\(#)')
_PATH = re.compile(r'(?<=\sd=")[^"]*')
_LONG = re.compile(r"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class Picture:
    """A figure of a result, saved.

    Attributes
    ----------
    name : str
        Which plot.
    caption : str
        What it shows.
    svg : bytes
        The figure, as pages show it.
    files : mapping
        The figure in the formats that were asked for.
    """

    name: str
    caption: str
    svg: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)


def draw_figures(
    result: Comparison | Contest,
    category: str,
    names: Collection[str] | None = None,
    formats: Collection[str] = (),
    saved_before: Mapping[str, Mapping[str, bytes]] | None = None,
) -> list[Picture]:
    """Draw what there is to draw of one category; what does not apply is left out.

    Parameters
    ----------
    result : Comparison or Contest
        What is shown.
    category : str
        The category or average.
    names : collection of str, optional
        Which figures, all by default.
    formats : collection of str
        Out of svg, pdf and png: the files to make besides what pages show.
    saved_before : mapping, optional
        Figures that need not be drawn: their files by name and format.
    """
    gallery = plots.GALLERY if result.is_pair else plots.CONTEST_GALLERY
    pictures = []
    for name in gallery if names is None else [name for name in gallery if name in names]:
        plot = gallery[name]
        if plot.applies(result, category):
            files = (saved_before or {}).get(name) or saved(
                plot.draw(result, category), dict.fromkeys(["svg", *formats])
            )
            caption = plot.caption.replace("{}", describe_score(result, category))
            requested = {ending: files[ending] for ending in formats}
            pictures.append(Picture(name, caption, files["svg"], requested))
    return pictures


def as_bytes(ax: Axes, style: str = "svg") -> bytes:
    """Save the figure of an ``Axes`` as svg, pdf or png, without the date, and close it."""
    return saved(ax, [style])[style]


def saved(ax: Axes, styles: Iterable[str]) -> dict[str, bytes]:
    """Save the figure of an ``Axes`` in several of these styles, and close it."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    buffers = {style: io.BytesIO() for style in styles}
    figure = ax.get_figure(root=True)
    assert figure is not None
    with plots.theme(), mpl.rc_context({"svg.hashsalt": "stanoff", "svg.fonttype": "path"}):
        for style, buffer in buffers.items():
            figure.savefig(buffer, format=style, metadata={_NOT_WRITTEN[style]: None})
    plt.close(figure)
    return {style: buffer.getvalue() for style, buffer in buffers.items()}


def inline(svg: bytes, prefix: str, alt: str) -> Markup:
    """Make an SVG of Matplotlib a part of a page.

    Comments and metadata are dropped, coordinates keep two decimals, and ids get a prefix, so that
    they are different in every figure of the page.

    Parameters
    ----------
    svg : bytes
        What ``as_bytes`` returned.
    prefix : str
        Letters and digits that no other figure of the page has.
    alt : str
        What the figure shows, for those who do not see it.

    Examples
    --------
    >>> inline(b'<?xml version="1.0"?><svg><path id="p" d="M 1.23456 2"/></svg>', "f1", "a line")
    Markup('<svg role="img" aria-label="a line"><path id="f1-p" d="M 1.23 2"/></svg>')
    """
    text = svg.decode("utf-8")
    text = _DROPPED.sub("", text[text.index("<svg") :])
    text = _OWN_ID.sub(rf"\g<1>{prefix}-", text)
    text = _PATH.sub(lambda path: _LONG.sub(_rounded, path[0]), text)
    # Matplotlib's rule for all elements would hold for the page around the figure, too.
    shared = _STYLE.search(text)
    text = _STYLE.sub("", text)
    style = f' style="{" ".join(shared[1].split())}"' if shared else ""
    label = f'role="img" aria-label="{escape(" ".join(alt.split()))}"'
    return Markup(text.replace("<svg", f"<svg {label}{style}", 1).rstrip())


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
