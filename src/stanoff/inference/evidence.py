"""What the draws of delta say: interval, direction, ROPE masses and Bayes factors."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff._lib.showing import Shown
from stanoff.inference.decision import Decision, decide
from stanoff.inference.intervals import hdi, mcse

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Evidence(Shown):
    """All that is said of one category, or of one average, under one ROPE.

    Attributes
    ----------
    category : str
        Which one.
    psi_A, psi_B : float
        Posterior means of the two scores.
    mean, std, mcse : float
        Posterior mean and standard deviation of delta = psi_A - psi_B, and the Monte-Carlo standard
        error of the mean.
    hdi : tuple of float
        The highest density interval of delta, and ``hdi_probability`` its mass.
    rope : tuple of float
        The region of practical equivalence.
    p_less, p_greater : float
        Probability that delta is below, above 0.
    p_below, p_rope, p_above : float
        Probability that delta is below, inside, above the ROPE.
    bf_sd, bf_sd_error : float
        Savage-Dickey Bayes factor for delta = 0 against delta != 0, and its Monte-Carlo standard
        error.
    bf_sd_defined : bool
        False where the prior density of delta at 0 is infinite, so that ``bf_sd`` says more about
        the kernel's bandwidth than about the classifiers.
    bf_rope : float
        Interval Bayes factor: posterior odds of the ROPE over its prior odds.
    decision : Decision
        The verdict.
    """

    category: str
    psi_A: float
    psi_B: float
    mean: float
    std: float
    mcse: float
    hdi: Interval
    hdi_probability: float
    rope: Interval
    p_less: float
    p_greater: float
    p_below: float
    p_rope: float
    p_above: float
    bf_sd: float
    bf_sd_error: float
    bf_sd_defined: bool
    bf_rope: float
    decision: Decision

    def _parts(self) -> list[str | pd.DataFrame]:
        from stanoff.text.parts import of_evidence

        return of_evidence(self)


def weigh(
    delta: Array,
    prior_delta: Array | None,
    *,
    rope: Interval,
    hdi_probability: float = 0.95,
    category: str = "",
    psi_A: float = nan,
    psi_B: float = nan,
    bf_sd_defined: bool = True,
    higher_is_better: bool = True,
) -> Evidence:
    """Weigh posterior against prior draws of delta, both (chain, draw).

    Without prior draws there are no Bayes factors: they are NaN.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> delta, prior = rng.normal(0.1, 0.01, (4, 1000)), rng.normal(0, 1, (4, 1000))
    >>> said = weigh(delta, prior, rope=(-0.05, 0.05))
    >>> str(said.decision), said.p_rope
    ('>>', 0.0)
    """
    interval = hdi(delta, hdi_probability)
    bf_sd, bf_sd_error, bf_rope = nan, nan, nan
    p_below, p_above = float(np.mean(delta < rope[0])), float(np.mean(delta > rope[1]))
    p_rope = mass_within(delta, rope)
    if prior_delta is not None:
        bf_sd, bf_sd_error = savage_dickey(delta, prior_delta)
        bf_rope = odds_ratio(p_rope, mass_within(prior_delta, rope))
    return Evidence(
        category=category,
        psi_A=psi_A,
        psi_B=psi_B,
        mean=float(np.mean(delta)),
        std=float(np.std(delta, ddof=1)),
        mcse=mcse(delta),
        hdi=interval,
        hdi_probability=hdi_probability,
        rope=rope,
        p_less=float(np.mean(delta < 0)),
        p_greater=float(np.mean(delta > 0)),
        p_below=p_below,
        p_rope=p_rope,
        p_above=p_above,
        bf_sd=bf_sd,
        bf_sd_error=bf_sd_error,
        bf_sd_defined=bf_sd_defined,
        bf_rope=bf_rope,
        decision=decide(interval, rope, higher_is_better=higher_is_better),
    )


def mass_within(draws: Array, interval: Interval) -> float:
    """Return the share of the draws inside a closed interval."""
    return float(np.mean((draws >= interval[0]) & (draws <= interval[1])))


def odds_ratio(p: float, q: float) -> float:
    """Return the odds of p over the odds of q; NaN where both are 0 or both infinite.

    Examples
    --------
    >>> odds_ratio(0.5, 0.2)
    4.0
    """
    above, below = p * (1 - q), q * (1 - p)
    if below == 0:
        return nan if above == 0 else inf
    return above / below


def density_at(draws: Array, at: float = 0.0) -> tuple[float, float]:
    """Estimate a density at one point by a Gaussian kernel with Scott's bandwidth.

    The same as ``scipy.stats.gaussian_kde(draws)(at)``, together with the Monte-Carlo standard
    error that the draws give it.

    Examples
    --------
    >>> density_at(np.array([[-1.0, 0.0, 1.0]]))[0].__round__(4)
    0.3182
    """
    width = np.std(draws, ddof=1) * draws.size ** (-1 / 5)
    if width == 0:
        return (inf if draws.flat[0] == at else 0.0), nan
    kernel = np.exp(-0.5 * ((draws - at) / width) ** 2) / (width * sqrt(2 * np.pi))
    return float(np.mean(kernel)), mcse(kernel)


def savage_dickey(delta: Array, prior_delta: Array, at: float = 0.0) -> tuple[float, float]:
    """Return BF01, posterior over prior density of delta at the null value, and its error.

    Above 3 it speaks for equality, below 1/3 against it. The error is the Monte-Carlo standard
    error, to first order; it does not cover the bias of the kernel.
    """
    density, density_error = density_at(delta, at)
    prior, prior_error = density_at(prior_delta, at)
    if prior == 0:
        return nan, nan
    factor = density / prior
    if density == 0:
        return 0.0, 0.0
    return factor, factor * sqrt((density_error / density) ** 2 + (prior_error / prior) ** 2)
