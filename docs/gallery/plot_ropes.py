"""
What other ROPEs would have said
================================

The probabilities below, inside and above a ROPE of growing width, and where the decision changes.
"""

from stanoff import compare_counts

counts = [310, 25, 20, 43], [40, 30, 25, 7039]  # positive and negative documents by outcome pair
result = compare_counts(*counts, names=("svm", "nb"), engine="exact", seed=1)
result.plot_ropes()
