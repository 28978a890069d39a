"""Figures of a result: each takes ``ax`` and returns it, and the caller owns the figure.

A function loads its module, and Matplotlib with it, when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.plots.comparisons import plot_joint, plot_mosaic, plot_rope
    from stanoff.plots.contests import plot_matrix, plot_ranks
    from stanoff.plots.curves import (
        plot_precision_recall,
        plot_reliability,
        plot_roc,
        plot_roc_difference,
    )
    from stanoff.plots.gallery import CONTEST_GALLERY, GALLERY
    from stanoff.plots.intervals import plot_answers as plot_answers
    from stanoff.plots.intervals import plot_forest, plot_prior, plot_scores
    from stanoff.plots.posterior import plot_ecdf, plot_factor, plot_posterior, plot_rank
    from stanoff.plots.posterior import plot_trace as plot_trace
    from stanoff.plots.power import plot_plan, plot_power
    from stanoff.plots.style import decision_tint, is_drawable, theme

_MODULES = {
    "comparisons": "plot_joint plot_mosaic plot_rope",
    "contests": "plot_matrix plot_ranks",
    "curves": "plot_precision_recall plot_reliability plot_roc plot_roc_difference",
    "gallery": "CONTEST_GALLERY GALLERY",
    "intervals": "plot_answers plot_forest plot_prior plot_scores",
    "posterior": "plot_ecdf plot_factor plot_posterior plot_rank plot_trace",
    "power": "plot_plan plot_power",
    "style": "decision_tint is_drawable theme",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "CONTEST_GALLERY",
    "GALLERY",
    "decision_tint",
    "is_drawable",
    "plot_ecdf",
    "plot_factor",
    "plot_forest",
    "plot_joint",
    "plot_matrix",
    "plot_mosaic",
    "plot_plan",
    "plot_posterior",
    "plot_power",
    "plot_precision_recall",
    "plot_prior",
    "plot_rank",
    "plot_ranks",
    "plot_reliability",
    "plot_roc",
    "plot_roc_difference",
    "plot_rope",
    "plot_scores",
    "plot_trace",
    "theme",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'stanoff.plots' has no attribute {name!r}")
    return getattr(import_module(f"stanoff.plots.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
