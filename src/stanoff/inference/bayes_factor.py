"""Bayes factors for no difference, what the number of draws can show, and where they mean nothing.

No factor is infinite, or 0, because draws ran out. Where only their number bounds it, there is a
:class:`Bound` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.inference.intervals import mcse
from stanoff.inference.posterior import Density, Posterior

Array = NDArray[np.float64]

RULE_OF_THREE = 3.0  # what none of n draws did has a probability below 3/n, with 95 % confidence
MIN_Z = 3.0  # by how many standard errors a density must go on growing
INNERMOST_SHARE = 1 / 64  # of the draws: those nearest to 0, which show the density there
MIN_INNERMOST, MIN_ZEROS = 40, 5


class Bound(NamedTuple):
    """A number that a factor is above or below, where the draws show nothing more.

    Examples
    --------
    >>> str(Bound(">", 1327.3)), str(Bound("<", 0.00021))
    ('> 1,300', '< 0.00021')
    """

    side: str
    value: float

    def __str__(self) -> str:
        if not self.value > 0:
            return f"{self.side} {self.value:g}"
        # Two digits, rounded to the side that keeps it true.
        unit = 10.0 ** (floor(log10(self.value)) - 1)
        steps = self.value / unit
        whole = floor(steps + 1e-9) if self.side == ">" else ceil(steps - 1e-9)
        rounded = float(f"{whole * unit:.2g}")
        return f"{self.side} {rounded:,.0f}" if rounded >= 10 else f"{self.side} {rounded:g}"


class BayesFactor(NamedTuple):
    """A Bayes factor; it is NaN where there is none, or a bound only.

    Attributes
    ----------
    value : float
        The factor.
    error : float
        Its Monte-Carlo standard error, where there is one.
    bound : Bound or None
        What the factor is above or below, if that is all the draws can show.
    densities : tuple of float
        The posterior and the prior density that it is the ratio of.
    """

    value: float = nan
    error: float = nan
    bound: Bound | None = None
    densities: tuple[float, float] = (nan, nan)


def savage_dickey(
    posterior: Posterior, prior: Posterior, defined: Sequence[bool] | None = None
) -> list[BayesFactor]:
    """Return BF01 of each row: posterior over prior density at 0.

    Above 3 it speaks for equality, below 1/3 against it. The error is the Monte-Carlo standard
    error, to first order. A density lower than a single draw at 0 would give is bounded by the
    number of draws, and so is the factor. Rows where the prior density is infinite, so that the
    factor is not ``defined``, get that of kernels, as in Zhang et al. (2016).
    """
    densities = [d.density(0.0) for d in (posterior, prior)]
    if defined is not None and not all(defined):
        kernels = [d.kernel_density(0.0) for d in (posterior, prior)]
        densities = [
            Density(
                *(np.where(defined, local, kernel) for local, kernel in zip(*both, strict=True))
            )
            for both in zip(densities, kernels, strict=True)
        ]
    columns = [column.tolist() for density in densities for column in density]
    return [_density_ratio(*row) for row in zip(*columns, strict=True)]


def _density_ratio(
    density: float, error: float, floor: float, prior: float, prior_error: float, prior_floor: float
) -> BayesFactor:
    densities = (density, prior)
    if density < floor:
        bound = Bound("<", floor / prior) if prior >= prior_floor else None
        return BayesFactor(bound=bound, densities=densities)
    if prior < prior_floor:
        return BayesFactor(bound=Bound(">", density / prior_floor), densities=densities)
    factor = density / prior
    error = sqrt(error**2 + (factor * prior_error) ** 2) / prior
    return BayesFactor(factor, error, densities=densities)


def interval_bayes_factor(
    posterior: Posterior, prior: Posterior, interval: Interval
) -> list[BayesFactor]:
    """Return the posterior odds of an interval over its prior odds, for each row.

    Examples
    --------
    >>> from stanoff.inference.posterior import SampledPosterior
    >>> inside, half = np.zeros((1, 1, 300)), np.array([[[0.0, 1.0]]])
    >>> [factor] = interval_bayes_factor(*map(SampledPosterior, (inside, half)), (-0.1, 0.1))
    >>> str(factor.bound)
    '> 99'
    """
    factors = []
    columns = [
        masses.tolist()
        for p in (posterior, prior)
        for masses in (p.within(interval), p.below(interval[0]) + p.above(interval[1]))
    ]
    for inside, outside, prior_inside, prior_outside in zip(*columns, strict=True):
        odds = _odds(inside, outside, posterior.n_draws)
        prior_odds = _odds(prior_inside, prior_outside, prior.n_draws)
        value = odds / prior_odds if prior_odds > 0 else nan
        above, below = 0 in (outside, prior_inside), 0 in (inside, prior_outside)
        if value > 0 and above != below:
            factors.append(BayesFactor(bound=Bound(">" if above else "<", value)))
        else:  # both have everything inside, or nothing, or the draws bound neither
            factors.append(NO_FACTOR if value > 0 and above else BayesFactor(value))
    return factors


def _odds(inside: float, outside: float, n_draws: float) -> float:
    """Return inside over outside, as far from 0 and infinity as the number of draws can show."""
    smallest = min(RULE_OF_THREE / n_draws, 0.5)
    if inside == 0:
        return smallest / (1 - smallest)
    if outside == 0:
        inside, outside = 1 - smallest, smallest
    return inside / outside if outside > 0 else nan


NO_FACTOR = BayesFactor()


def density_diverges_at_zero(draws: Array) -> bool:
    """Return whether draws (chain, draw) show that their density at 0 is infinite.

    The density within e of 0 is P(|x| < e) / 2e. Its growth from 16e to 4e is held against that
    from 4e to e. Towards a finite peak, the growth dies out: even a cusp leaves half of it to the
    next step at most. Towards an infinite one it does not: it stays the same where the density
    grows like a logarithm, and increases where it grows like a power. With the counts n1 below e,
    n2 from e to 4e and n3 from 4e to 16e, the densities are n1, (n1 + n2)/4 and (n1 + n2 + n3)/16
    but for a factor, and the last growth less half of the one before is

        [n1 - (n1 + n2)/4] - [(n1 + n2)/4 - (n1 + n2 + n3)/16] / 2,

    a contrast of Poisson counts. The answer is yes only where it is beyond its Monte-Carlo error,
    or where several draws are 0 exactly.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> density_diverges_at_zero(rng.normal(size=(1, 10_000)))
    False
    >>> density_diverges_at_zero(rng.normal(size=(1, 10_000)) ** 3)
    True
    """
    distance = np.sort(np.abs(draws), axis=None)
    if np.count_nonzero(distance == 0) >= MIN_ZEROS:
        return True
    n_inner = max(MIN_INNERMOST, int(len(distance) * INNERMOST_SHARE))
    if n_inner >= len(distance):
        return False
    radii = distance[n_inner - 1] * np.array([1, 4, 16])
    counts = np.diff(np.searchsorted(distance, radii, side="right"), prepend=0)
    last_growth, growth_before = np.array([[12, -4, 0], [3, 3, -1]]) / 16
    contrast = last_growth - growth_before / 2
    # Draws that depend on each other count as often as they do for the mean.
    inefficiency = max(1.0, len(distance) * (mcse(draws) / np.std(draws, ddof=1)) ** 2)
    error = sqrt(contrast**2 @ counts * inefficiency)
    return bool(contrast @ counts > MIN_Z * error)
