"""
Prior and posterior at no difference
====================================

The ratio of the two densities at 0 is the Savage-Dickey Bayes factor. Under this prior the
prior density there is finite.
"""

from stanoff import Prior, compare_counts

counts = [310, 25, 20, 43], [40, 30, 25, 7039]  # positive and negative documents by outcome pair
result = compare_counts(*counts, names=("svm", "nb"), prior=Prior(beta=2), engine="exact", seed=1)
result.plot_factor()
