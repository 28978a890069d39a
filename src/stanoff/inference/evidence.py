"""What the draws of delta say: interval, direction, ROPE masses and Bayes factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff._lib.showing import ReprMixin
from stanoff.inference.decision import Decision, decide
from stanoff.inference.factors import Bound, Factor, factor_of_odds, savage_dickeys
from stanoff.inference.intervals import hdis, mcses, midpoint_error

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

TOLD_APART = 3.0  # Monte-Carlo standard errors


@dataclass(frozen=True, repr=False)
class Evidence(ReprMixin):
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
        The highest density interval of delta, and ``hdi_prob`` its mass.
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
    hdi_prob: float
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
    def direction_resolved(self) -> bool:
        """Whether the middle of the HDI is off that of the ROPE by more than draws scatter."""
        off = abs(sum(self.hdi) - sum(self.rope)) / 2
        return off > TOLD_APART * self.midpoint_error

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        from stanoff.text.sentences import evidence_blocks

        return evidence_blocks(self)


class RowInfo(NamedTuple):
    """What is known of a row beside its draws.

    Attributes
    ----------
    category : str
        Its name.
    psi, observed : tuple of float
        Posterior means of the two scores, and the scores of the data themselves.
    bf_sd_defined : bool
        Whether the prior density of delta at 0 is finite.
    """

    category: str = ""
    psi: tuple[float, float] = (nan, nan)
    observed: tuple[float, float] = (nan, nan)
    bf_sd_defined: bool = True


def summarize(
    delta: Array,
    prior_delta: Array | None,
    *,
    rope: Interval,
    hdi_prob: float = 0.95,
    category: str = "",
) -> Evidence:
    """Weigh posterior against prior draws of delta, both (chain, draw).

    Without prior draws there are no Bayes factors: they are NaN.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> delta, prior = rng.normal(0.1, 0.01, (4, 1000)), rng.normal(0, 1, (4, 1000))
    >>> said = summarize(delta, prior, rope=(-0.05, 0.05))
    >>> str(said.decision), said.p_rope
    ('>>', 0.0)
    """
    priors = None if prior_delta is None else prior_delta[None]
    about = [RowInfo(category)]
    return summarize_rows(delta[None], priors, about, rope=rope, hdi_prob=hdi_prob)[0]


def summarize_rows(
    delta: Array,
    prior_delta: Array | None,
    about: Sequence[RowInfo],
    *,
    rope: Interval,
    hdi_prob: float,
    higher_is_better: bool = True,
) -> list[Evidence]:
    """Weigh many rows at once, which is much faster than one by one.

    Parameters
    ----------
    delta, prior_delta : ndarray
        Posterior and prior draws (row, chain, draw). A row whose prior draws have a NaN, or all
        rows if there are no prior draws, have no Bayes factors.
    about : sequence of RowInfo
        What else is known of each row.
    rope, hdi_prob, higher_is_better
        What is asked, of all rows alike.
    """
    flat = delta.reshape(len(delta), -1)
    low, high = hdis(flat, hdi_prob)
    numbers = {
        "mean": np.mean(flat, axis=1),
        "std": np.std(flat, axis=1, ddof=1),
        "mcse": mcses(delta),
        "p_less": np.mean(flat < 0, axis=1),
        "p_greater": np.mean(flat > 0, axis=1),
        "p_below": np.mean(flat < rope[0], axis=1),
        "p_rope": np.mean((flat >= rope[0]) & (flat <= rope[1]), axis=1),
        "p_above": np.mean(flat > rope[1], axis=1),
    }
    columns = {name: values.tolist() for name, values in numbers.items()}
    factors = _factors(delta, prior_delta, columns["p_rope"], rope)
    rows = []
    for i, (row, ends, (bf_sd, bf_rope)) in enumerate(
        zip(about, zip(low.tolist(), high.tolist(), strict=True), factors, strict=True)
    ):
        each = {name: values[i] for name, values in columns.items()}
        rows.append(
            Evidence(
                category=row.category,
                psi_A=row.psi[0],
                psi_B=row.psi[1],
                observed_A=row.observed[0],
                observed_B=row.observed[1],
                **each,
                hdi=ends,
                hdi_prob=hdi_prob,
                midpoint_error=midpoint_error(ends, each["std"], each["mcse"]),
                rope=rope,
                bf_sd=bf_sd.value,
                bf_sd_error=bf_sd.error,
                bf_sd_defined=row.bf_sd_defined,
                bf_rope=bf_rope.value,
                bf_sd_bound=bf_sd.bound,
                bf_rope_bound=bf_rope.bound,
                decision=decide(ends, rope, higher_is_better=higher_is_better),
            )
        )
    return rows


def _factors(
    delta: Array, prior_delta: Array | None, within: list[float], rope: Interval
) -> list[tuple[Factor, Factor]]:
    """Return both Bayes factors of each row, given what share of it is within the ROPE."""
    none = Factor(), Factor()
    if prior_delta is None:
        return [none] * len(delta)
    prior = prior_delta.reshape(len(prior_delta), -1)
    odd: list[bool] = np.any(np.isnan(prior), axis=1).tolist()
    shares = np.mean((prior >= rope[0]) & (prior <= rope[1]), axis=1).tolist()
    n, prior_n = delta[0].size, prior.shape[1]
    return [
        none if undefined else (point, factor_of_odds(p, q, n, prior_n))
        for undefined, point, p, q in zip(
            odd, savage_dickeys(delta, prior_delta), within, shares, strict=True
        )
    ]
