"""What the draws of delta say: interval, direction, ROPE masses and Bayes factors."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff._lib.showing import Shown
from stanoff.inference.decision import Decision, decide
from stanoff.inference.factors import (
    Bound,
    Factor,
    interval_factor,
    mass_within,
    savage_dickey,
)
from stanoff.inference.intervals import hdi, mcse, midpoint_error

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

TOLD_APART = 3.0  # Monte-Carlo standard errors


@dataclass(frozen=True, repr=False)
class Evidence(Shown):
    """All that is said of one category, or of one average, under one ROPE.

    Attributes
    ----------
    category : str
        Which one.
    psi_A, psi_B : float
        Posterior means of the two scores.
    observed_A, observed_B : float
        The scores of the data themselves, as scikit-learn computes them; NaN where there are none.
    mean, std, mcse : float
        Posterior mean and standard deviation of delta = psi_A - psi_B, and the Monte-Carlo standard
        error of the mean.
    hdi : tuple of float
        The highest density interval of delta, and ``hdi_probability`` its mass.
    midpoint_error : float
        The Monte-Carlo standard error of the middle of the HDI.
    rope : tuple of float
        The region of practical equivalence.
    p_less, p_greater : float
        Probability that delta is below, above 0.
    p_below, p_rope, p_above : float
        Probability that delta is below, inside, above the ROPE.
    bf_sd, bf_sd_error : float
        Savage-Dickey Bayes factor for delta = 0 against delta != 0, and its Monte-Carlo standard
        error; NaN where there is none, or only ``bf_sd_bound``.
    bf_sd_defined : bool
        False where the prior density of delta at 0 is infinite, so that ``bf_sd`` says more about
        the kernel's bandwidth than about the classifiers.
    bf_rope : float
        Interval Bayes factor: posterior odds of the ROPE over its prior odds; NaN where there is
        none, or only ``bf_rope_bound``.
    bf_sd_bound, bf_rope_bound : Bound or None
        What the factor is above or below, where only the number of draws bounds it.
    decision : Decision
        The verdict.
    """

    category: str
    psi_A: float
    psi_B: float
    observed_A: float
    observed_B: float
    mean: float
    std: float
    mcse: float
    hdi: Interval
    hdi_probability: float
    midpoint_error: float
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
    bf_sd_bound: Bound | None
    bf_rope_bound: Bound | None
    decision: Decision

    @property
    def told_apart(self) -> bool:
        """Whether the middle of the HDI is off that of the ROPE by more than draws scatter."""
        off = abs(sum(self.hdi) - sum(self.rope)) / 2
        return off > TOLD_APART * self.midpoint_error

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
    psi: tuple[float, float] = (nan, nan),
    observed: tuple[float, float] = (nan, nan),
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
    std, error = float(np.std(delta, ddof=1)), mcse(delta)
    bf_sd, bf_rope = Factor(), Factor()
    if prior_delta is not None:
        bf_sd = savage_dickey(delta, prior_delta)
        bf_rope = interval_factor(delta, prior_delta, rope)
    return Evidence(
        category=category,
        psi_A=psi[0],
        psi_B=psi[1],
        observed_A=observed[0],
        observed_B=observed[1],
        mean=float(np.mean(delta)),
        std=std,
        mcse=error,
        hdi=interval,
        hdi_probability=hdi_probability,
        midpoint_error=midpoint_error(interval, std, error),
        rope=rope,
        p_less=float(np.mean(delta < 0)),
        p_greater=float(np.mean(delta > 0)),
        p_below=float(np.mean(delta < rope[0])),
        p_rope=mass_within(delta, rope),
        p_above=float(np.mean(delta > rope[1])),
        bf_sd=bf_sd.value,
        bf_sd_error=bf_sd.error,
        bf_sd_defined=bf_sd_defined,
        bf_rope=bf_rope.value,
        bf_sd_bound=bf_sd.bound,
        bf_rope_bound=bf_rope.bound,
        decision=decide(interval, rope, higher_is_better=higher_is_better),
    )
