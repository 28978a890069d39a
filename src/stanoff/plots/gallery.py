"""The figures of a comparison or contest: what each shows, and when it applies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import PairedCounts
from stanoff.plots.contests import plot_matrix, plot_ranks, plot_scores
from stanoff.plots.curves import (
    are_probabilities,
    plot_precision_recall,
    plot_reliability,
    plot_roc,
    plot_roc_difference,
)
from stanoff.plots.forest import plot_forest
from stanoff.plots.joint import plot_joint
from stanoff.plots.mosaic import plot_mosaic
from stanoff.plots.posterior import plot_factor, plot_posterior, plot_trace
from stanoff.plots.style import is_drawable

if TYPE_CHECKING:
    from stanoff import Comparison, Contest


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
    shows_rope : bool
        Whether another ROPE makes it another figure.
    """

    draw: Callable[[Any, str], Axes]
    applies: Callable[[Any, str], bool]
    caption: str
    shows_rope: bool = True


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
    return _has_curves(result, category) and are_probabilities(result.data)


def _contest_drawable(result: Contest, category: str) -> bool:
    return result.drawable(category)


GALLERY = {
    "forest": Plot(
        lambda result, _: plot_forest(result),
        _all_drawable,
        "All categories or groups: mean and HDI of the difference, and the ROPE.",
    ),
    "posterior": Plot(
        plot_posterior, is_drawable, "Posterior of the difference ({}), with its HDI and the ROPE."
    ),
    "factor": Plot(
        plot_factor,
        _has_prior,
        "Prior and posterior density of the difference ({}); their ratio at 0 is the Bayes factor.",
    ),
    "joint": Plot(plot_joint, _has_finite_scores, "Posterior of both scores together ({})."),
    "mosaic": Plot(
        plot_mosaic,
        _has_pairs,
        "What both classifiers said of the same documents ({}).",
        shows_rope=False,
    ),
    "roc": Plot(
        plot_roc, _has_curves, "ROC curves of both systems ({}), with bands.", shows_rope=False
    ),
    "roc_difference": Plot(
        plot_roc_difference,
        _has_curves,
        "How many more positives A finds than B ({}), with its band and the ROPE.",
    ),
    "precision_recall": Plot(
        plot_precision_recall,
        _has_curves,
        "Precision against recall of both systems ({}), with bands.",
        shows_rope=False,
    ),
    "reliability": Plot(
        plot_reliability,
        _has_probabilities,
        "How often what was given a probability happens ({}).",
        shows_rope=False,
    ),
    "trace": Plot(
        plot_trace,
        lambda result, _: result.engine == "stan",  # exact draws have no chains to look at
        "The difference along the chains ({}): a healthy sampler shows no drift and no gaps.",
    ),
}

CONTEST_GALLERY = {
    "scores": Plot(
        plot_scores, _contest_drawable, "Posterior mean, HDI and observed score of every system."
    ),
    "matrix": Plot(
        plot_matrix,
        _contest_drawable,
        "The decision on every pair, and the probability that the row is better.",
    ),
    "ranks": Plot(
        plot_ranks, _contest_drawable, "Probability of every rank; framed, the interval of ranks."
    ),
}
