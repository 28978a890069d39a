"""Random weights of documents, items or clusters: Rubin's Bayesian bootstrap for small samples.

Plain Dirichlet weights make the variance of a mean (n - 1) / (n + 1) of what it should be. Gamma
weights of shape 1 - 2/n give exactly s^2 / n.
"""

from __future__ import annotations

from math import ceil, log

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEFT = 1e-4  # of the prior weight may be left when the last stick takes the rest
SEEN = 1e-9  # a factor that is closer to 1 than this is not drawn
RARE = 0.1  # so few factors differ from 1 that they are put where they belong one by one


def shape_of(n: int) -> float:
    """Return the shape of the Gamma weights of n units.

    Examples
    --------
    >>> shape_of(100), shape_of(1)
    (0.98, 1.0)
    """
    return max(1 - 2 / n, 1 / n)


def weights(
    n: int, draws: int, rng: np.random.Generator, shape: float | Array | None = None
) -> Array:
    """Draw weights of n units that sum to 1 (draw, unit).

    Parameters
    ----------
    n : int
        How many documents, items or clusters there are.
    draws : int
        How many draws.
    rng : Generator
        The source of randomness.
    shape : float or ndarray, optional
        The shape of the Gammas, one for all draws or one per draw; :func:`shape_of` by default.

    Examples
    --------
    >>> drawn = weights(5, 3, np.random.default_rng(1))
    >>> drawn.shape, drawn.sum(axis=1).round(12).tolist()
    ((3, 5), [1.0, 1.0, 1.0])
    """
    shapes = np.asarray(shape_of(n) if shape is None else shape)
    if shapes.ndim:
        gammas = rng.standard_gamma(shapes[:, None], (draws, n))
    else:
        gammas = thinned(rng.standard_exponential((draws, n)), float(shapes), rng)
    gammas /= gammas.sum(axis=1, keepdims=True)
    return gammas


def cluster_shapes(sizes: NDArray[np.int64], draws: int, rng: np.random.Generator) -> Array:
    """Draw the shapes of the weights of clusters, one per draw.

    With few clusters the variance between them is itself uncertain, as in a t-test: the shape
    of :func:`shape_of` times a chi-square over its degrees of freedom. These are Kish's effective
    number of clusters, which falls short of their number where their sizes differ, less 1.

    Parameters
    ----------
    sizes : ndarray of int
        How many documents each cluster has.
    draws : int
        How many draws.
    rng : Generator
        The source of randomness.
    """
    degrees = max(sizes.sum() ** 2 / (sizes.astype(np.float64) ** 2).sum() - 1, 1)
    return np.asarray(shape_of(len(sizes)) * rng.chisquare(degrees, draws) / degrees)


def thinned(
    gammas: Array,
    shape: float,
    rng: np.random.Generator,
    units: NDArray[np.intp] | None = None,
) -> Array:
    """Turn Gammas of shape 1 (draw, unit) into ones of a smaller shape, in place.

    A Gamma of shape 1 times a Beta(shape, 1 - shape) is a Gamma of that shape. Of many units most
    get a factor that is 1 to nine digits: only the others are drawn.

    Parameters
    ----------
    gammas : ndarray
        Gammas of shape 1.
    shape : float
        The shape they shall have, up to 1.
    rng : Generator
        The source of randomness.
    units : ndarray, optional
        Which units; all by default.
    """
    if shape > 1:
        raise ValueError(f"shape must be at most 1, got {shape}")
    if shape == 1:
        return gammas
    from scipy.special import betaincc, betainccinv

    rest, draws = 1 - shape, len(gammas)
    each = gammas.shape[1] if units is None else len(units)
    share = float(betaincc(rest, shape, SEEN))  # of the factors differ from 1
    if share > RARE:
        factors = rng.beta(shape, rest, (draws, each))
        if units is None:
            gammas *= factors
        else:
            gammas[:, units] *= factors
        return gammas
    n = rng.binomial(draws * each, share)
    draw, unit = np.divmod(rng.choice(draws * each, n, replace=False, shuffle=False), each)
    gammas[draw, unit if units is None else units[unit]] *= 1 - betainccinv(
        rest, shape, share * rng.random(n)
    )
    return gammas


def number_of_sticks(mass: float) -> int:
    """Return how many sticks leave next to nothing of a Dirichlet process of this mass."""
    return ceil(log(LEFT) / log(mass / (1 + mass)))


def sticks(draws: int, mass: float, rng: np.random.Generator) -> Array:
    """Break 1 into sticks (draw, stick), as a Dirichlet process of this mass does.

    What is left after each is the exponential of an arrival time.
    """
    n = number_of_sticks(mass)
    left = np.exp(-np.cumsum(rng.standard_exponential((draws, n - 1)), axis=1) / mass)
    return -np.diff(left, axis=1, prepend=1.0, append=0.0)
