"""Labels of any number of systems, for the tests of contests."""

import numpy as np


def labels(n=200, systems=4, classes=2, seed=0):
    """Make a truth, and predictions that are right seven times in ten or guessed."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    said = {
        f"s{i}": np.where(rng.random(n) < 0.7, truth, rng.integers(0, classes, n))
        for i in range(systems)
    }
    return truth, said


def noisy(n, errors, seed=0):
    """Make a truth, and predictions that are wrong with the given probabilities."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    said = {f"s{i}": np.where(rng.random(n) < e, 1 - truth, truth) for i, e in enumerate(errors)}
    return truth, said
