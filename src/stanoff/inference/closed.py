"""What is known of differences in closed form: Student's t, weighed without a single draw."""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.inference.decision import decide, decide_all
from stanoff.inference.evidence import Evidence, RowInfo
from stanoff.inference.factors import Factor
from stanoff.inference.ranks import Pairs
from stanoff.models.students import Student

NOTHING = RowInfo()


def summarize_student(
    posterior: Student,
    prior: Student | None,
    about: RowInfo = NOTHING,
    *,
    rope: Interval,
    hdi_prob: float = 0.95,
    higher_is_better: bool = True,
) -> Evidence:
    """Weigh a difference whose posterior is a t; there is no Monte-Carlo error.

    Parameters
    ----------
    posterior, prior : Student
        One t each. Without a prior there are no Bayes factors: they are NaN.
    about : RowInfo
        What else is told of the row.
    rope, hdi_prob, higher_is_better
        As in :func:`stanoff.inference.evidence.weigh`.

    Examples
    --------
    >>> said = summarize_student(Student(0.1, 0.01, 49.0), None, rope=(-0.05, 0.05))
    >>> str(said.decision), said.mcse, round(said.hdi[0], 4)
    ('>>', 0.0, 0.0799)
    """
    posterior, prior = posterior.only, None if prior is None else prior.only
    low, high = posterior.interval(hdi_prob)
    interval = float(low), float(high)
    inside = _inside(posterior, rope)
    bf_sd, bf_rope = Factor(), Factor()
    if prior is not None:
        bf_sd = Factor(float(posterior.density(0.0) / prior.density(0.0)), 0.0)
        bf_rope = _interval_factor(posterior, prior, rope)
    return Evidence(
        category=about.category,
        psi_A=about.psi[0],
        psi_B=about.psi[1],
        observed_A=about.observed[0],
        observed_B=about.observed[1],
        mean=float(np.asarray(posterior.location)),
        std=float(posterior.std),
        mcse=0.0,
        hdi=interval,
        hdi_prob=hdi_prob,
        midpoint_error=0.0,
        rope=rope,
        p_less=float(posterior.below(0.0)),
        p_greater=float(posterior.above(0.0)),
        p_below=float(posterior.below(rope[0])),
        p_rope=inside,
        p_above=float(posterior.above(rope[1])),
        bf_sd=bf_sd.value,
        bf_sd_error=bf_sd.error,
        bf_sd_defined=about.bf_sd_defined,
        bf_rope=bf_rope.value,
        bf_sd_bound=None,
        bf_rope_bound=None,
        decision=decide(interval, rope, higher_is_better=higher_is_better),
    )


def _inside(t: Student, rope: Interval) -> float:
    return max(0.0, 1.0 - float(t.below(rope[0])) - float(t.above(rope[1])))


def _interval_factor(posterior: Student, prior: Student, rope: Interval) -> Factor:
    """Return the posterior odds of the ROPE over its prior odds; a ROPE without width has none."""
    odds = []
    for t in (posterior, prior):
        outside = float(t.below(rope[0])) + float(t.above(rope[1]))
        odds.append(_inside(t, rope) / outside if outside > 0 else nan)
    return Factor(odds[0] / odds[1]) if odds[1] > 0 and odds[0] == odds[0] else Factor()


def pairs_of(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    t: Student,
    *,
    rope: Interval,
    hdi_prob: float,
    higher_is_better: bool,
) -> Pairs:
    """Weigh the differences of many pairs of systems.

    Parameters
    ----------
    first, second : ndarray
        The places of the systems (pair).
    t : Student
        The posteriors of their differences (pair).
    rope, hdi_prob, higher_is_better
        As in :func:`stanoff.inference.ranks.standings`.
    """
    low, high = t.interval(hdi_prob)
    below, above = t.below(rope[0]), t.above(rope[1])
    same = np.asarray(t.scale) == 0  # two systems that are one: all of it is at their difference
    less, greater = t.below(0.0), t.above(0.0)
    location = np.asarray(t.location)
    less, greater = np.where(same, location < 0, less), np.where(same, location > 0, greater)
    below = np.where(same, location < rope[0], below)
    above = np.where(same, location > rope[1], above)
    return Pairs(
        first=first,
        second=second,
        mean=location,
        std=t.std,
        low=low,
        high=high,
        p_less=less,
        p_greater=greater,
        p_below=below,
        p_rope=np.clip(1 - below - above, 0, 1),
        p_above=above,
        decision=decide_all(low, high, rope, higher_is_better=higher_is_better),
    )
