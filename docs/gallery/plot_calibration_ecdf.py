"""
Ranks, all variables at once
============================

How far the distributions of the ranks are off the uniform one, with a band that holds for the whole
curve: delta is calibrated, kappa is not.
"""

import numpy as np
import pandas as pd

from stanoff.workbench.calibration import Calibration

rng = np.random.default_rng(1)
n = 200  # simulations; `calibrate("mine.stan")` returns their ranks among 99 draws
ranks = {"delta": rng.integers(0, 100, n), "kappa": rng.binomial(99, rng.beta(0.6, 0.6, n))}
calibration = Calibration("mine.stan", pd.DataFrame(ranks), max_rank=99, n_divergent=0, seed=1)
calibration.plot_ecdf()
