"""
How many documents it takes
===========================

The assurance along the number of documents, and where it reaches what was asked for.
"""

from stanoff import plan

answer = plan("a", assurance=0.8, n_simulations=200, draws=500, seed=1)
answer.plot()
