"""Figures of a comparison: each takes ``ax`` and returns it, and the caller owns the figure."""

from stanoff.plots.posterior import factor_plot, posterior_plot, trace_plot

__all__ = ["factor_plot", "posterior_plot", "trace_plot"]
