"""What the posterior of a difference says: interval, direction, ROPE masses and Bayes factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff._lib.showing import ReprMixin
from stanoff.inference.bayes_factor import NO_FACTOR, Bound, interval_bayes_factor, savage_dickey
from stanoff.inference.decision import MIN_MCSES, Decision, decide_all
from stanoff.inference.intervals import hdi_end_mcse, hdi_midpoint_mcse
from stanoff.inference.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


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
    midpoint_error, end_error : float
        The Monte-Carlo standard errors of the middle of the HDI, and of its ends.
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
    densities_at_zero : tuple of float
        The posterior and the prior density of delta at 0, whose ratio ``bf_sd`` is.
    bf_rope : float
        Interval Bayes factor: posterior odds of the ROPE over its prior odds; NaN where there is
        none, or only ``bf_rope_bound``.
    bf_sd_bound, bf_rope_bound : Bound or None
        What the factor is above or below, where only the number of draws bounds it.
    regret_A, regret_B : float
        How much the score is expected to be worse by taking this system, where the other is better.
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
    end_error: float
    rope: Interval
    p_less: float
    p_greater: float
    p_below: float
    p_rope: float
    p_above: float
    regret_A: float
    regret_B: float
    bf_sd: float
    bf_sd_error: float
    bf_sd_defined: bool
    bf_rope: float
    densities_at_zero: tuple[float, float]
    bf_sd_bound: Bound | None
    bf_rope_bound: Bound | None
    decision: Decision

    @property
    def direction_resolved(self) -> bool:
        """Whether the middle of the HDI is off that of the ROPE by more than draws scatter."""
        off = abs(sum(self.hdi) - sum(self.rope)) / 2
        return off > MIN_MCSES * self.midpoint_error

    @property
    def decision_resolved(self) -> bool:
        """Whether the ends of the HDI are off those of the ROPE by more than draws scatter."""
        return all(
            abs(end - edge) >= MIN_MCSES * self.end_error for end in self.hdi for edge in self.rope
        )

    def as_row(self) -> dict[str, Any]:
        """Return the fields as a row of a table: the HDI as two numbers, the decision as text."""
        ends = {"hdi_low": self.hdi[0], "hdi_high": self.hdi[1]}
        return vars(self) | ends | {"decision": str(self.decision)}

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        from stanoff.text.sentences import evidence_blocks

        return evidence_blocks(self)


class RowInfo(NamedTuple):
    """What is reported of a row beside its posterior; the fields are those of :class:`Evidence`."""

    category: str = ""
    psi_A: float = nan
    psi_B: float = nan
    observed_A: float = nan
    observed_B: float = nan
    bf_sd_defined: bool = True


def summarize_rows(
    posterior: Posterior, *, rope: Interval, hdi_prob: float, higher_is_better: bool = True
) -> dict[str, NDArray[Any]]:
    """Return columns of numbers: mean, interval, masses and decision of each row.

    Examples
    --------
    >>> from stanoff.inference.posterior import StudentTPosterior
    >>> posterior = StudentTPosterior(49.0, np.array([0.1, 0.0]), np.array([0.01, 0.01]))
    >>> columns = summarize_rows(posterior, rope=(-0.05, 0.05), hdi_prob=0.95)
    >>> columns["hdi_low"].round(2).tolist(), columns["decision"].tolist()
    ([0.08, -0.02], ['>>', '='])
    """
    low, high = posterior.hdi(hdi_prob)
    return {
        "mean": posterior.mean(),
        "std": posterior.sd(),
        "hdi_low": low,
        "hdi_high": high,
        "p_less": posterior.below(0.0),
        "p_greater": posterior.above(0.0),
        "p_below": posterior.below(rope[0]),
        "p_rope": posterior.within(rope),
        "p_above": posterior.above(rope[1]),
        "decision": decide_all(low, high, rope, higher_is_better=higher_is_better),
    }


def summarize(
    posterior: Posterior,
    prior: Posterior | None = None,
    rows: Sequence[RowInfo] = (RowInfo(),),
    *,
    rope: Interval,
    hdi_prob: float = 0.95,
    higher_is_better: bool = True,
) -> list[Evidence]:
    """Gather the evidence on each row.

    Parameters
    ----------
    posterior, prior : Posterior
        Of the difference. A row whose prior is undefined somewhere, or all rows if there is no
        prior, have no Bayes factors: they are NaN.
    rows : sequence of RowInfo
        What else is reported of each row.
    rope, hdi_prob, higher_is_better
        The question, which is the same for all rows.

    Examples
    --------
    >>> from stanoff.inference.posterior import SampledPosterior
    >>> rng = np.random.default_rng(1)
    >>> delta, prior = rng.normal(0.1, 0.01, (1, 4, 1000)), rng.normal(0, 1, (1, 4, 1000))
    >>> [e] = summarize(SampledPosterior(delta), SampledPosterior(prior), rope=(-0.05, 0.05))
    >>> str(e.decision), e.p_rope
    ('>>', 0.0)
    """
    columns = summarize_rows(
        posterior, rope=rope, hdi_prob=hdi_prob, higher_is_better=higher_is_better
    )
    low, high, mcse = columns.pop("hdi_low"), columns.pop("hdi_high"), posterior.mcse()
    columns["mcse"] = mcse
    columns["midpoint_error"] = hdi_midpoint_mcse(low, high, columns["std"], mcse)
    columns["end_error"] = hdi_end_mcse(low, high, columns["std"], mcse, hdi_prob)
    gain, loss = posterior.mean_above_zero(), posterior.mean_below_zero()
    columns["regret_A"], columns["regret_B"] = (loss, gain) if higher_is_better else (gain, loss)
    fields = {name: values.tolist() for name, values in columns.items()}
    fields["decision"] = map(Decision, fields["decision"])
    fields["hdi"] = zip(low.tolist(), high.tolist(), strict=True)
    bf_sd = bf_rope = [NO_FACTOR] * len(rows)
    if prior is not None:
        bf_sd = savage_dickey(posterior, prior, [row.bf_sd_defined for row in rows])
        bf_rope = interval_bayes_factor(posterior, prior, rope)
        for i in np.flatnonzero(prior.has_nan()):
            bf_sd[i] = bf_rope[i] = NO_FACTOR
    names = ("bf_sd", "bf_sd_error", "bf_sd_bound", "densities_at_zero")
    fields |= dict(zip(names, zip(*bf_sd, strict=True), strict=True))
    fields["bf_rope"], _, fields["bf_rope_bound"], _ = zip(*bf_rope, strict=True)
    records = zip(*fields.values(), strict=True)
    return [
        Evidence(
            **row._asdict(), **dict(zip(fields, record, strict=True)), hdi_prob=hdi_prob, rope=rope
        )
        for row, record in zip(rows, records, strict=True)
    ]
