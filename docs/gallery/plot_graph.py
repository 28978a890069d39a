"""
A model in plate notation
=========================

Which variable depends on which: the hierarchical model.
"""

from stanoff import plots

plots.plot_graph("hierarchical")
