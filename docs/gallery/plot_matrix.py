"""
Every pair of a contest
=======================

The decision on every pair, and the probability that the row is better than the column.
"""

import numpy as np

from stanoff import contest

rng = np.random.default_rng(1)
truth = rng.random(2000) < 0.3
right = {"svm": 0.93, "tree": 0.92, "forest": 0.925, "nb": 0.88, "knn": 0.8}
said = {name: np.where(rng.random(2000) < p, truth, ~truth) for name, p in right.items()}
result = contest(truth, said, rope=0.02, draws=5000, seed=1)
result.plot_matrix()
