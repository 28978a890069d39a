"""Figures of a result: each takes ``ax`` and returns it, and the caller owns the figure."""

import stanoff.plots.backend  # noqa: F401 - first
from stanoff.plots.calibration import ecdf_plot, rank_plot
from stanoff.plots.contests import matrix_plot, ranks_plot, scores_plot
from stanoff.plots.curves import (
    precision_recall_plot,
    reliability_plot,
    roc_difference_plot,
    roc_plot,
)
from stanoff.plots.forest import forest_plot
from stanoff.plots.frequency import frequency_plot
from stanoff.plots.graphical import graph_plot
from stanoff.plots.joint import joint_plot
from stanoff.plots.mosaic import mosaic_plot
from stanoff.plots.plan import plan_plot
from stanoff.plots.posterior import factor_plot, posterior_plot, trace_plot
from stanoff.plots.power import power_plot
from stanoff.plots.sensitivity import prior_plot, rope_plot
from stanoff.plots.theme import theme

__all__ = [
    "ecdf_plot",
    "factor_plot",
    "forest_plot",
    "frequency_plot",
    "graph_plot",
    "joint_plot",
    "matrix_plot",
    "mosaic_plot",
    "plan_plot",
    "posterior_plot",
    "power_plot",
    "precision_recall_plot",
    "prior_plot",
    "rank_plot",
    "ranks_plot",
    "reliability_plot",
    "roc_difference_plot",
    "roc_plot",
    "rope_plot",
    "scores_plot",
    "theme",
    "trace_plot",
]
