"""How a score behaves where parameters reach their ends.

With this the models find out where the prior density of delta at 0 is infinite, so that a
Savage-Dickey factor means nothing. The theory is checked against simulations in the tests.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stanoff.measures import Measure


def vanishing_power(measure: Measure, **ends: int) -> float:
    """Return the power with which the score nears one value as parameters near their ends.

    It is 0 where the score does not near one value.
    """
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


def equal_at_an_end(measure: Measure, beta: NDArray[np.float64]) -> bool:
    """Return whether a prevalence of 0 or 1 makes all systems equal, and is not too improbable.

    Parameters
    ----------
    measure : Measure
        The score.
    beta : ndarray
        The weights of the Beta distribution of the prevalence.
    """
    powers = [vanishing_power(measure, mu=end) for end in (0, 1)]
    return any(power and weight <= power + 0.01 for power, weight in zip(powers, beta, strict=True))


def depends(measure: Measure, **fixed: float) -> bool:
    """Return whether the score moves when these parameters are fixed and the others vary."""
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
