"""
How often a goal is reached
===========================

The power of a test set of growing size, for the two scenarios of Zhang et al. (2016).
"""

from stanoff import plots, power

table = power(["a", "b"], [500, 1000, 2000, 3000], n_simulations=200, draws=500, seed=1)
plots.plot_power(table)
