"""The figures of a comparison, drawn and saved for a page."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from stanoff.comparison import Comparison
from stanoff.plots.gallery import GALLERY
from stanoff.report.figures import as_bytes
from stanoff.text.words import what_is_judged


@dataclass(frozen=True)
class Picture:
    """A figure of a comparison, saved as SVG.

    Attributes
    ----------
    name : str
        Which plot.
    caption : str
        What it shows.
    svg : bytes
        The figure.
    """

    name: str
    caption: str
    svg: bytes


def pictures(
    result: Comparison, category: str, names: Collection[str] = tuple(GALLERY)
) -> Iterator[Picture]:
    """Draw what there is to draw of one row of the summary; what does not apply is left out.

    Parameters
    ----------
    result : Comparison
        What is shown.
    category : str
        The row.
    names : collection of str
        Which figures, all by default.
    """
    judged = what_is_judged(result, category)
    for name, plot in GALLERY.items():
        if name in names and plot.applies(result, category):
            svg = as_bytes(plot.draw(result, category))
            yield Picture(name, plot.caption.replace("{}", judged), svg)
