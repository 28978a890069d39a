"""Figures of a result: each takes ``ax`` and returns it, and the caller owns the figure.

A function loads its module, and Matplotlib with it, when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.plots.calibration import plot_ecdf, plot_rank
    from stanoff.plots.contests import plot_matrix, plot_ranks, plot_scores
    from stanoff.plots.curves import (
        plot_precision_recall,
        plot_reliability,
        plot_roc,
        plot_roc_difference,
    )
    from stanoff.plots.forest import plot_forest, plot_prior
    from stanoff.plots.gallery import CONTEST_GALLERY, GALLERY
    from stanoff.plots.joint import plot_joint
    from stanoff.plots.mosaic import plot_mosaic
    from stanoff.plots.posterior import plot_factor, plot_posterior, plot_trace
    from stanoff.plots.power import plot_plan, plot_power
    from stanoff.plots.rope import plot_rope
    from stanoff.plots.study import plot_answers as plot_answers
    from stanoff.plots.style import decision_tint, is_drawable, theme

_MODULES = {
    "calibration": ["plot_ecdf", "plot_rank"],
    "contests": ["plot_matrix", "plot_ranks", "plot_scores"],
    "curves": ["plot_precision_recall", "plot_reliability", "plot_roc", "plot_roc_difference"],
    "forest": ["plot_forest", "plot_prior"],
    "gallery": ["CONTEST_GALLERY", "GALLERY"],
    "joint": ["plot_joint"],
    "mosaic": ["plot_mosaic"],
    "posterior": ["plot_factor", "plot_posterior", "plot_trace"],
    "power": ["plot_plan", "plot_power"],
    "rope": ["plot_rope"],
    "study": ["plot_answers"],
    "style": ["decision_tint", "is_drawable", "theme"],
}

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
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"stanoff.plots.{module}"), name)
    raise AttributeError(f"module 'stanoff.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
