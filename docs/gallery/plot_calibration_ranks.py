"""
Ranks of the truth
==================

Simulation-based calibration of a program whose posterior of kappa is too narrow: the truth is too
often among the outermost ranks. What uniform ranks would give is behind the bars.
"""

import numpy as np
import pandas as pd

from stanoff.workbench.calibration import Calibration

rng = np.random.default_rng(1)
n = 200  # simulations; `calibrate("mine.stan")` returns their ranks among 99 draws
ranks = {"delta": rng.integers(0, 100, n), "kappa": rng.binomial(99, rng.beta(0.6, 0.6, n))}
calibration = Calibration("mine.stan", pd.DataFrame(ranks), max_rank=99, n_divergent=0, seed=1)
calibration.plot_ranks("kappa")
