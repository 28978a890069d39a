"""What the draws of many systems say together: who can still be the best, ranks, tiers, pairs.

A system can still be the best while no other is significantly better than it (``>>``). That is
the first tier. A later tier is what would be the first if the tiers before it were not there. So
no system of a tier is significantly better than another one of it, and every system has one in the
tier before it that is significantly better. A system that joins at the bottom changes no other
tier.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.inference.decision import Decision, decide_all
from stanoff.inference.intervals import hdis

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The differences of all pairs of systems, the earlier one minus the later one.

    Attributes
    ----------
    first, second : ndarray
        The places of the two systems (pair).
    mean, std, low, high : ndarray
        Posterior mean and standard deviation of the difference, and the ends of its HDI.
    p_less, p_greater : ndarray
        Probability that it is below, above 0.
    p_below, p_rope, p_above : ndarray
        Probability that it is below, inside, above the ROPE.
    decision : ndarray
        The verdict on the first against the second.
    """

    first: Whole
    second: Whole
    mean: Array
    std: Array
    low: Array
    high: Array
    p_less: Array
    p_greater: Array
    p_below: Array
    p_rope: Array
    p_above: Array
    decision: NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class Ranking:
    """All that is said of the systems together, on one category or average.

    Attributes
    ----------
    mean, low, high : ndarray
        Posterior mean of each system's score, and the ends of its HDI.
    loss : ndarray
        How much worse than the best of its draw each system is (system, draw).
    p_near : ndarray
        Probability that a system is within the ROPE of the best.
    regret : ndarray
        How much worse than the best a system is expected to be.
    ranks : ndarray
        Probability of each rank (system, rank); systems that tie share their ranks.
    rank_low, rank_high : ndarray
        The fewest neighbouring ranks that have the probability of the HDI.
    pairs : Pairs
        All differences.
    better : ndarray
        Probability that each system (row) is better than each other (column).
    decisions : ndarray
        The verdict on each system (row) against each other (column); nothing on the diagonal.
    tier : ndarray
        The tier of each system, from 1.
    """

    mean: Array
    low: Array
    high: Array
    loss: Array
    p_near: Array
    regret: Array
    ranks: Array
    rank_low: Whole
    rank_high: Whole
    pairs: Pairs
    better: Array
    decisions: NDArray[np.str_]
    tier: Whole

    @property
    def p_best(self) -> Array:
        """Probability that a system is the best; those that tie share it."""
        return self.ranks[:, 0]

    @cached_property
    def order(self) -> list[int]:
        """The places of the systems, by tier and then by how little they are expected to lose."""
        return [int(i) for i in np.lexsort((self.regret, self.tier))]


def standings(
    psi: Array,
    *,
    rope: Interval,
    hdi_prob: float,
    higher_is_better: bool,
    pairs: Pairs | None = None,
) -> Ranking:
    """Weigh the scores of all systems.

    Parameters
    ----------
    psi : ndarray
        Their draws (draw, system).
    rope, hdi_prob : tuple of float, float
        The region of practical equivalence, and the probability of the intervals.
    higher_is_better : bool
        Which way is better.
    pairs : Pairs, optional
        All differences, where they are known otherwise than from the draws.

    Examples
    --------
    >>> psi = np.random.default_rng(1).normal([0.9, 0.9, 0.5], 0.01, (1000, 3))
    >>> found = standings(psi, rope=(-0.05, 0.05), hdi_prob=0.95, higher_is_better=True)
    >>> found.tier.tolist(), found.decisions[0].tolist()
    ([1, 1, 2], ['', '=', '>>'])
    """
    of_systems = np.ascontiguousarray(psi.T, dtype=np.float64)
    low, high = hdis(of_systems, hdi_prob)
    goodness = of_systems if higher_is_better else -of_systems
    best = goodness.max(axis=0)
    with np.errstate(invalid="ignore"):
        loss = best - goodness
    loss[goodness == best] = 0.0  # of infinite scores, too
    ranks = rank_shares(goodness)
    rank_low, rank_high = _narrowest(ranks, hdi_prob)
    if pairs is None:
        pairs = _all_pairs(of_systems, rope, hdi_prob, higher_is_better)
    decisions = matrix(pairs.low, pairs.high, len(of_systems), rope, higher_is_better)
    return Ranking(
        mean=of_systems.mean(axis=1),
        low=low,
        high=high,
        loss=loss,
        p_near=_share(loss <= reach(rope, higher_is_better)),
        regret=loss.mean(axis=1),
        ranks=ranks,
        rank_low=rank_low,
        rank_high=rank_high,
        pairs=pairs,
        better=_better(pairs, len(of_systems), higher_is_better),
        decisions=decisions,
        tier=tiers(decisions),
    )


def reach(rope: Interval, higher_is_better: bool) -> float:
    """Return how much worse than the best a system may be and still be within its ROPE.

    Examples
    --------
    >>> reach((-0.01, 0.03), True), reach((-0.01, 0.03), False)
    (0.01, 0.03)
    """
    return max(0.0, -rope[0] if higher_is_better else rope[1])


def rank_shares(goodness: Array) -> Array:
    """Return the probability of each rank (system, rank), the best having the first.

    Where g systems tie, each has each of their g ranks with probability 1/g.

    Parameters
    ----------
    goodness : ndarray
        Draws of which more is better (system, draw).

    Examples
    --------
    >>> rank_shares(np.array([[0.9, 0.9], [0.9, 0.9], [0.1, 1.0]])).tolist()
    [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.5, 0.0, 0.5]]
    """
    systems, draws = goodness.shape
    above = np.zeros((systems, draws), dtype=np.int64)  # how many are better
    equal = np.zeros((systems, draws), dtype=np.int64)
    for i in range(systems - 1):
        ahead, behind = goodness[i + 1 :] > goodness[i], goodness[i + 1 :] < goodness[i]
        above[i] += np.count_nonzero(ahead, axis=0)
        above[i + 1 :] += behind
        ties = ~(ahead | behind)
        if ties.any():
            equal[i] += np.count_nonzero(ties, axis=0)
            equal[i + 1 :] += ties
    out = np.empty((systems, systems))
    for i in range(systems):  # shares begin at the first rank of a tie and end after the last
        share = 1 / (1 + equal[i])
        begun = np.bincount(above[i], share, systems + 1)
        ended = np.bincount(above[i] + equal[i] + 1, share, systems + 1)
        out[i] = np.cumsum(begun - ended)[:-1]
    return np.asarray(np.clip(out / draws, 0.0, 1.0))  # rounding


def _narrowest(ranks: Array, probability: float) -> tuple[Whole, Whole]:
    """Return the first and the last of the fewest neighbouring ranks that have a probability."""
    systems = len(ranks)
    total = np.concatenate([np.zeros((systems, 1)), np.cumsum(ranks, axis=1)], axis=1)
    low = np.zeros(systems, dtype=np.int64)
    high = np.full(systems, systems, dtype=np.int64)
    for i in range(systems):
        for width in range(1, systems + 1):
            held = total[i, width:] - total[i, :-width]
            if held.max() >= probability - 1e-12:
                low[i] = int(np.argmax(held)) + 1
                high[i] = low[i] + width - 1
                break
    return low, high


def _all_pairs(psi: Array, rope: Interval, hdi_prob: float, higher_is_better: bool) -> Pairs:
    first, second = np.triu_indices(len(psi), 1)
    names = ("mean", "std", "low", "high", "p_less", "p_greater", "p_below", "p_rope", "p_above")
    out = {name: np.empty(len(first)) for name in names}
    for i in range(len(psi) - 1):
        here = first == i
        delta = psi[i] - psi[i + 1 :]
        out["mean"][here], out["std"][here] = delta.mean(axis=1), delta.std(axis=1, ddof=1)
        out["low"][here], out["high"][here] = hdis(delta, hdi_prob)
        out["p_less"][here], out["p_greater"][here] = _share(delta < 0), _share(delta > 0)
        out["p_below"][here], out["p_above"][here] = (
            _share(delta < rope[0]),
            _share(delta > rope[1]),
        )
        out["p_rope"][here] = _share((delta >= rope[0]) & (delta <= rope[1]))
    decision = decide_all(out["low"], out["high"], rope, higher_is_better=higher_is_better)
    return Pairs(first, second, **out, decision=decision)


def _share(held: NDArray[np.bool_]) -> Array:
    return np.asarray(np.count_nonzero(held, axis=1) / held.shape[1])


def _better(pairs: Pairs, systems: int, higher_is_better: bool) -> Array:
    out = np.full((systems, systems), np.nan)
    ahead, behind = pairs.p_greater, pairs.p_less
    if not higher_is_better:
        ahead, behind = behind, ahead
    out[pairs.first, pairs.second] = ahead
    out[pairs.second, pairs.first] = behind
    return out


def matrix(
    low: Array, high: Array, systems: int, rope: Interval, higher_is_better: bool
) -> NDArray[np.str_]:
    """Decide on each system against each other, given the HDIs of all pairs."""
    upper = np.triu_indices(systems, 1)
    out = np.full((systems, systems), "", dtype="<U2")
    out[upper] = decide_all(low, high, rope, higher_is_better=higher_is_better)
    out.T[upper] = decide_all(-high, -low, rope, higher_is_better=higher_is_better)
    return out


def tiers(decisions: NDArray[np.str_]) -> Whole:
    """Put every system in the tier after the last that has a system significantly better.

    Examples
    --------
    >>> tiers(np.array([["", "=", ">>"], ["=", "", ">"], ["<<", "<", ""]])).tolist()
    [1, 1, 2]
    """
    beats = decisions == Decision.MUCH_BETTER.value
    out = np.zeros(len(decisions), dtype=np.int64)
    tier = 0
    while (out == 0).any():
        tier += 1
        left = out == 0
        front = left & ~beats[left].any(axis=0)
        out[front if front.any() else left] = tier  # a low HDI allows of circles
    return out
