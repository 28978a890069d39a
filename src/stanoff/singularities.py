"""Where the prior density of delta at 0 is infinite, so that a Savage-Dickey factor means nothing.

Each function takes a measure and a prior and tells whether it is so for one model. The theory is
checked against simulations in the tests.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stanoff.measures import Measure
from stanoff.priors import WEIGHTS, Priors, both, single


def always_diverges(measure: Measure, prior: Priors) -> bool:
    """Tell that a small kappa, which is never impossible, drives all categories into corners."""
    return True


def paired_diverges(measure: Measure, prior: Priors) -> bool:
    """Tell whether delta piles up at 0 faster than a density can follow.

    It does where a prevalence makes all classifiers equal (with no positives every F1 is 0): delta
    then shrinks like a power of the prevalence, and the prior weight of that class must be above
    that power. And it does where the weights of the outcomes on which the classifiers differ do
    not add up to more than 1.
    """
    shared = single(prior)
    for end, weight in zip((0, 1), shared.weights("beta", 2), strict=True):
        power = _vanishing_power(measure, mu=end)
        if power and weight <= power + 0.01:
            return True
    alpha_pos, alpha_neg = shared.weights("alpha_pos", 4), shared.weights("alpha_neg", 4)
    differing = 0.0  # the middle is where AUC:acc makes all classifiers equal, whatever the prior
    if _depends(measure, mu=0.5, rho_neg=0.3):
        differing += alpha_pos[1] + alpha_pos[2]
    if _depends(measure, mu=0.5, rho_pos=0.3):
        differing += alpha_neg[1] + alpha_neg[2]
    return bool(differing <= 1)


def unpaired_diverges(measure: Measure, prior: Priors) -> bool:
    """Tell whether two independent scores meet too often at one value.

    The density of their difference at 0 is the integral of the product of their densities. Near
    a value to which parameters at their ends pin a score, its density is a power of the distance:
    the sum of these parameters' weights over the power with which the score approaches the value,
    less 1. If the powers of the two add up to -1 or less, the integral is infinite.
    """
    parameters = dict(zip(("mu", "rho_pos", "rho_neg"), WEIGHTS, strict=True))
    weights = {
        name: np.mean([p.weights(kind, 2) for p in both(prior)], axis=0)
        for name, kind in parameters.items()
    }
    # Near 0 a Beta(a, b) density goes like x^(a - 1), near 1 like (1 - x)^(b - 1).
    ends = [(name, end, w[end]) for name, w in weights.items() for end in (0, 1)]
    for size in (1, 2):
        for chosen in combinations(ends, size):
            power = _vanishing_power(measure, **{name: end for name, end, _ in chosen})
            if power and sum(weight for *_, weight in chosen) <= (power + 0.01) / 2:
                return True
    return False


def _vanishing_power(measure: Measure, **ends: int) -> float:
    """Tell with which power the score nears one value as parameters near their ends, 0 if none."""
    limit, near, nearer = (
        # Not in step, or what is a difference of two parameters would be 0 all the way.
        _scores(
            measure, **{n: abs(end - epsilon / (i + 1)) for i, (n, end) in enumerate(ends.items())}
        )
        for epsilon in (1e-14, 1e-4, 1e-7)
    )
    if np.ptp(limit) > 1e-6:
        return 0.0
    far, close = np.abs(near - limit).max(), np.abs(nearer - limit).max()
    if far < 1e-12:  # it stays where it is
        return 0.0
    if close == 0:  # it arrived earlier than doubles can tell
        return 1.0
    return float(np.log10(far / close) / 3)


def _depends(measure: Measure, **fixed: float) -> bool:
    """Tell whether the score moves when these parameters are fixed and the others vary."""
    return bool(np.ptp(_scores(measure, **fixed)) > 1e-6)


def _scores(measure: Measure, **fixed: float) -> NDArray[np.float64]:
    """Compute the score on a grid of the parameters that are not fixed."""
    axes = [
        np.array([fixed[name]]) if name in fixed else np.linspace(0.1, 0.9, 5)
        for name in ("mu", "rho_pos", "rho_neg")
    ]
    mu, rho_pos, rho_neg = np.meshgrid(*axes)
    cells = [mu * rho_pos, (1 - mu) * rho_neg, mu * (1 - rho_pos), (1 - mu) * (1 - rho_neg)]
    return measure(np.stack(cells, axis=-1))
