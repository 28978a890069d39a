"""
The posterior of the difference
===============================

Mean, HDI and ROPE of delta, the score of A minus that of B; the paper's Figure 6.
"""

from stanoff import compare_counts

counts = [310, 25, 20, 43], [40, 30, 25, 7039]  # positive and negative documents by outcome pair
result = compare_counts(*counts, names=("svm", "nb"), engine="exact", seed=1)
result.plot_posterior()
