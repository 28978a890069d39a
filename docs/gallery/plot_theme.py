"""
Figures of your own in the same look
====================================

``plots.theme()`` lends the look to what you draw yourself.
"""

import matplotlib.pyplot as plt

from stanoff import compare_counts, plots

counts = [310, 25, 20, 43], [40, 30, 25, 7039]  # positive and negative documents by outcome pair
result = compare_counts(*counts, names=("svm", "nb"), engine="exact", seed=1)

with plots.theme():
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    result.plot_posterior(ax=left)
    right.hist(result.draws.posterior["psi_A"].ravel(), bins=60)
    right.set_xlabel("F1 of svm")
