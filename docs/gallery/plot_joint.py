"""
Both scores together
====================

The score of A against that of B; on the diagonal they are equal.
"""

from stanoff import compare_counts

counts = [310, 25, 20, 43], [40, 30, 25, 7039]  # positive and negative documents by outcome pair
result = compare_counts(*counts, names=("svm", "nb"), engine="exact", seed=1)
result.plot_joint()
