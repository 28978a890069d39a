"""
ROC curves
==========

Both systems have given scores: true against false positives, with bands.
"""

import numpy as np

from stanoff import compare

rng = np.random.default_rng(1)
y = rng.random(400) < 0.4
a, b = (1 / (1 + np.exp(-rng.normal(shift * (y - 0.5)))) for shift in (1.8, 1.3))
result = compare(y, a, b, measure="auc", names=("svm", "nb"), draws=2000, seed=1)
result.plot_roc()
