"""Which figures a comparison has, and what each of them shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from stanoff.errors import InputError
from stanoff.report.figures import as_bytes
from stanoff.result import Comparison
from stanoff.words import what_is_judged

CAPTIONS = {
    "forest": "All categories: mean and HDI of the difference, and the ROPE.",
    "posterior": "Posterior of the difference ({}), with its HDI and the ROPE.",
    "factor": "Prior and posterior density of the difference ({}); their ratio at 0 is the Bayes "
    "factor.",
    "joint": "Posterior of both scores together ({}).",
    "mosaic": "What both classifiers said of the same documents ({}).",
    "trace": "The difference along the chains ({}): a healthy sampler shows no drift and no gaps.",
}


@dataclass(frozen=True)
class Picture:
    """A figure of a comparison, saved as SVG.

    Attributes
    ----------
    name : which plot
    caption : what it shows
    svg : the figure
    """

    name: str
    caption: str
    svg: bytes


def pictures(
    result: Comparison, category: str, names: Collection[str] = tuple(CAPTIONS)
) -> Iterator[Picture]:
    """Draw what there is to draw of one row of the summary; what does not apply is left out.

    Parameters
    ----------
    result : a comparison
    category : the row
    names : which figures, all unless told
    """
    judged = what_is_judged(result, category)
    for name, caption in CAPTIONS.items():
        if name not in names:
            continue
        if name == "forest" and len(result.categories) == 1:
            continue
        try:
            plot = getattr(result, f"plot_{name}")
            ax = plot() if name == "forest" else plot(category)
        except InputError:
            continue  # no prior, no pairs, no scores, or draws that are not finite
        yield Picture(name, caption.replace("{}", judged), as_bytes(ax))
