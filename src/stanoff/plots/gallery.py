"""The figures of a comparison or contest: what each shows, and when it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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


@dataclass(frozen=True)
class Plot:
    """A figure of one row of the summary.

    Attributes
    ----------
    caption : str
        What it shows; ``{}`` stands for what is judged.
    draw : callable
        A result and a category to axes.
    applies : callable
        Whether a result has it for a category.
    """

    caption: str
    draw: Callable[[Any, str], Axes]
    applies: Callable[[Any, str], bool]


def _several(result: Comparison, category: str) -> bool:
    return len(result.categories) > 1 and all(
        is_drawable(result, name) for name in result.categories
    )


def _with_prior(result: Comparison, category: str) -> bool:
    return result.prior_delta(category) is not None and is_drawable(result, category)


def _with_scores(result: Comparison, category: str) -> bool:
    row = result.categories.index(category)
    return bool(np.isfinite(result.scores.psi[..., row]).all())


def _with_pairs(result: Comparison, category: str) -> bool:
    return isinstance(result.data.one_vs_rest(), PairedCounts)


def _with_curves(result: Comparison, category: str) -> bool:
    return isinstance(result.data, ScoredDocuments) and category in result.data.categories


def _with_probabilities(result: Comparison, category: str) -> bool:
    scored = isinstance(result.data, ScoredDocuments) and are_probabilities(result.data)
    return scored and category in result.data.categories


def _has_finite_scores(result: Contest, category: str) -> bool:
    return result.drawable(category)


GALLERY = {
    "forest": Plot(
        "All categories: mean and HDI of the difference, and the ROPE.",
        lambda result, _: plot_forest(result),
        _several,
    ),
    "posterior": Plot(
        "Posterior of the difference ({}), with its HDI and the ROPE.", plot_posterior, is_drawable
    ),
    "factor": Plot(
        "Prior and posterior density of the difference ({}); their ratio at 0 is the Bayes factor.",
        plot_factor,
        _with_prior,
    ),
    "joint": Plot("Posterior of both scores together ({}).", plot_joint, _with_scores),
    "mosaic": Plot(
        "What both classifiers said of the same documents ({}).", plot_mosaic, _with_pairs
    ),
    "roc": Plot("ROC curves of both systems ({}), with bands.", plot_roc, _with_curves),
    "roc_difference": Plot(
        "How many more positives A finds than B ({}), with its band and the ROPE.",
        plot_roc_difference,
        _with_curves,
    ),
    "precision_recall": Plot(
        "Precision against recall of both systems ({}), with bands.",
        plot_precision_recall,
        _with_curves,
    ),
    "reliability": Plot(
        "How often what was given a probability happens ({}).",
        plot_reliability,
        _with_probabilities,
    ),
    "trace": Plot(
        "The difference along the chains ({}): a healthy sampler shows no drift and no gaps.",
        plot_trace,
        lambda result, category: True,
    ),
}

CONTEST_GALLERY = {
    "scores": Plot(
        "Posterior mean, HDI and observed score of every system.", plot_scores, _has_finite_scores
    ),
    "matrix": Plot(
        "The decision on every pair, and the probability that the row is better.",
        plot_matrix,
        _has_finite_scores,
    ),
    "ranks": Plot(
        "Probability of every rank; framed, the interval of ranks.",
        plot_ranks,
        _has_finite_scores,
    ),
}
