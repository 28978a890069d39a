"""The figures of a comparison, drawn and saved for a page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stanoff.plots.gallery import GALLERY
from stanoff.report.figures import saved
from stanoff.text.sentences import describe_score

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison


@dataclass(frozen=True)
class Picture:
    """A figure of a comparison, saved.

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


def pictures(
    result: Comparison,
    category: str,
    names: Collection[str] = tuple(GALLERY),
    formats: Collection[str] = (),
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
    formats : collection of str
        Out of svg, pdf and png: the files to make besides what pages show.
    """
    judged = describe_score(result, category)
    for name, plot in GALLERY.items():
        if name in names and plot.applies(result, category):
            files = saved(plot.draw(result, category), dict.fromkeys(["svg", *formats]))
            asked = {style: files[style] for style in formats}
            yield Picture(name, plot.caption.replace("{}", judged), files["svg"], asked)
