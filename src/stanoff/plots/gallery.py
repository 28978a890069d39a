"""The figures of a comparison or contest: what each shows, and when it applies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import PairedCounts
from stanoff.plots import contests, curves
from stanoff.plots.comparisons import plot_joint, plot_mosaic
from stanoff.plots.intervals import plot_forest, plot_scores
from stanoff.plots.posterior import plot_factor, plot_posterior, plot_trace
from stanoff.plots.style import is_drawable

if TYPE_CHECKING:
    from stanoff import Comparison, Contest


def _rope(result: Comparison | Contest, _: str) -> Any:
    return result.rope


def _order(result: Contest, category: str) -> Any:
    return result.ranking(category).order


def _nothing(_result: Any, _category: str) -> Any:
    return None


class Plot(NamedTuple):
    """A figure of one row of the summary.

    Attributes
    ----------
    draw : callable
        A result and a category to axes.
    applies : callable
        Whether a result has it for a category.
    caption : str
        What it shows; ``{}`` stands for what is judged.
    of_rope : callable
        What another ROPE may change in it: while that is equal, it is the same figure.
    """

    draw: Callable[[Any, str], Axes]
    applies: Callable[[Any, str], bool]
    caption: str
    of_rope: Callable[[Any, str], Any] = _rope


def _draw_forest(result: Comparison, _: str) -> Axes:
    return plot_forest(result)


def _all_drawable(result: Comparison, _: str) -> bool:
    rows = result.summary_rows.values()
    return len(rows) > 1 and all(is_drawable(group, category) for group, category in rows)


def _has_prior(result: Comparison, category: str) -> bool:
    return result.prior_delta(category) is not None and is_drawable(result, category)


def _has_finite_scores(result: Comparison, category: str) -> bool:
    return bool(np.isfinite(result.scores.psi[..., result.categories.index(category)]).all())


def _has_pairs(result: Comparison, _: str) -> bool:
    return isinstance(result.data.one_vs_rest(), PairedCounts)


def _has_curves(result: Comparison, category: str) -> bool:
    return isinstance(result.data, ScoredDocuments) and category in result.data.categories


def _has_probabilities(result: Any, category: str) -> bool:
    return _has_curves(result, category) and curves.are_probabilities(result.data)


def _was_sampled(result: Comparison, _: str) -> bool:
    return result.engine == "stan"  # exact draws have no chains to look at


def _scores_are_finite(result: Contest, category: str) -> bool:
    return result.drawable(category)


FOREST = "All categories or groups: mean and HDI of the difference, and the ROPE."
POSTERIOR = "Posterior of the difference ({}), with its HDI and the ROPE."
FACTOR = "Prior and posterior density of the difference ({}); their ratio at 0 is the Bayes factor."
JOINT = "Posterior of both scores together ({})."
MOSAIC = "What both classifiers said of the same documents ({})."
ROC = "ROC curves of both systems ({}), with bands."
ROC_DIFFERENCE = "How many more positives A finds than B ({}), with its band and the ROPE."
CURVE = "Precision against recall of both systems ({}), with bands."
RELIABILITY = "How often what was given a probability happens ({})."
TRACE = "The difference along the chains ({}): a healthy sampler shows no drift and no gaps."
SCORES = "Posterior mean, HDI and observed score of every system."
MATRIX = "The decision on every pair, and the probability that the row is better."
RANKS = "Probability of every rank; framed, the interval of ranks."

# Pages have the ROPE in other figures. These, which take long to draw, are then the same under any.
WITHOUT_ROPE: dict[str, Any] = {"show_rope": False, "title": False}

GALLERY = {
    "forest": Plot(_draw_forest, _all_drawable, FOREST),
    "posterior": Plot(plot_posterior, is_drawable, POSTERIOR),
    "factor": Plot(partial(plot_factor, **WITHOUT_ROPE), _has_prior, FACTOR, _nothing),
    "joint": Plot(partial(plot_joint, **WITHOUT_ROPE), _has_finite_scores, JOINT, _nothing),
    "mosaic": Plot(plot_mosaic, _has_pairs, MOSAIC, of_rope=_nothing),
    "roc": Plot(curves.plot_roc, _has_curves, ROC, of_rope=_nothing),
    "roc_difference": Plot(curves.plot_roc_difference, _has_curves, ROC_DIFFERENCE),
    "precision_recall": Plot(curves.plot_precision_recall, _has_curves, CURVE, of_rope=_nothing),
    "reliability": Plot(curves.plot_reliability, _has_probabilities, RELIABILITY, of_rope=_nothing),
    "trace": Plot(partial(plot_trace, title=False), _was_sampled, TRACE, _nothing),
}
CONTEST_GALLERY = {
    "scores": Plot(plot_scores, _scores_are_finite, SCORES),
    "matrix": Plot(contests.plot_matrix, _scores_are_finite, MATRIX),
    "ranks": Plot(contests.plot_ranks, _scores_are_finite, RANKS, _order),
}
