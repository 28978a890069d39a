"""
Chains
======

The difference along the chains: a healthy sampler shows no drift and no gaps.
"""

from stanoff import compare_counts

counts = [310, 25, 20, 43], [40, 30, 25, 7039]  # positive and negative documents by outcome pair
result = compare_counts(*counts, names=("svm", "nb"), engine="exact", chains=4, draws=1000, seed=1)
result.plot_trace()
