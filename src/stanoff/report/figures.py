"""Figures as bytes that are the same whenever the numbers are, and as parts of a page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NO_DATE: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
_STYLE = re.compile(r'<style type="text/css">\s*\*\s*\{(.*?)\}\s*</style>', re.DOTALL)
_OWN_ID = re.compile(r'(\sid="|(?:xlink:)?href="#|url\(#)')
_PATH = re.compile(r'(?<=\sd=")[^"]*')
_LONG = re.compile(r"-?\d+\.\d{3,}")


def as_bytes(ax: Axes, style: str = "svg") -> bytes:
    """Save the figure of an ``Axes`` as svg, pdf or png, without the date, and close it."""
    return saved(ax, [style])[style]


def saved(ax: Axes, styles: Iterable[str]) -> dict[str, bytes]:
    """Save the figure of an ``Axes`` in several of these styles, and close it."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from stanoff.plots.style import theme

    buffers = {style: io.BytesIO() for style in styles}
    figure = ax.get_figure(root=True)
    assert figure is not None
    with theme(), mpl.rc_context({"svg.hashsalt": "stanoff", "svg.fonttype": "path"}):
        for style, buffer in buffers.items():
            figure.savefig(buffer, format=style, metadata=_NO_DATE[style])
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
    text = _METADATA.sub("", _COMMENT.sub("", text[text.index("<svg") :]))
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
