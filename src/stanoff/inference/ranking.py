"""What the draws of many systems say together: who can still be the best, ranks, tiers, pairs.

A system can still be the best while no other is significantly better than it (``>>``). That is
the first tier. A later tier is what would be the first if the tiers before it were not there. So
no system of a tier is significantly better than another one of it, and every system has one in the
tier before it that is significantly better. A system that joins at the bottom changes no other
tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stanoff._lib.arguments import Interval
from stanoff.inference.decision import Decision, decide_all
from stanoff.inference.evidence import summarize_rows
from stanoff.inference.intervals import hdi
from stanoff.inference.posterior import Posterior, SampledPosterior

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


class PairMatrix(NamedTuple):
    """The decision on each system (row) against each other (column).

    Attributes
    ----------
    systems : sequence of str
        The systems, in the order in which they are shown.
    decisions : ndarray
        The symbol, or an empty text where there is none (row, column).
    better : ndarray
        Probability that the row is better than the column.
    ends : sequence of int
        After how many systems each tier ends but the last.
    """

    systems: Sequence[str]
    decisions: NDArray[np.str_]
    better: NDArray[np.float64]
    ends: Sequence[int]


@dataclass(frozen=True, eq=False)
class Ranking:
    """All that is said of the systems together, on one category or average.

    Attributes
    ----------
    mean, hdi_low, hdi_high : ndarray
        Posterior mean of each system's score, and the ends of its HDI.
    loss : ndarray
        How much worse than the best of its draw each system is (system, draw).
    p_within_rope_of_best : ndarray
        Probability that a system is within the ROPE of the best.
    regret : ndarray
        How much worse than the best a system is expected to be.
    ranks : ndarray
        Probability of each rank (system, rank); systems that tie share their ranks.
    rank_low, rank_high : ndarray
        The ranks between which a rank lies with the probability of the HDI, with as much on
        either side.
    pairs : DataFrame
        The difference of each pair of systems, the ``first`` minus the ``second``.
    better : ndarray
        Probability that each system (row) is better than each other (column).
    decisions : ndarray
        The verdict on each system (row) against each other (column); nothing on the diagonal.
    tier : ndarray
        The tier of each system, from 1.
    """

    mean: Array
    hdi_low: Array
    hdi_high: Array
    loss: Array
    p_within_rope_of_best: Array
    regret: Array
    ranks: Array
    rank_low: IntArray
    rank_high: IntArray
    pairs: pd.DataFrame
    better: Array
    decisions: NDArray[np.str_]
    tier: IntArray

    @property
    def p_best(self) -> Array:
        """Probability that a system is the best; those that tie share it."""
        return self.ranks[:, 0]

    @cached_property
    def order(self) -> list[int]:
        """The indices of the systems, by tier and then by how little they are expected to lose."""
        return [int(i) for i in np.lexsort((self.regret, self.tier))]


def rank_systems(
    psi: Array,
    *,
    rope: Interval,
    hdi_prob: float,
    higher_is_better: bool,
    differences: Posterior | None = None,
    learned: Array | None = None,
) -> Ranking:
    """Rank systems by the draws of their scores.

    Parameters
    ----------
    psi : ndarray
        The draws (draw, system).
    rope, hdi_prob : tuple of float, float
        The region of practical equivalence, and the probability of the intervals.
    higher_is_better : bool
        Which way is better.
    differences : Posterior, optional
        All differences in the order of ``np.triu_indices``, where they are known in closed form.
    learned : ndarray, optional
        The draws (draw, system) of systems that learn from each other: ranks, regret and what is
        said of the best come from these, scores and pairs from ``psi``.

    Examples
    --------
    >>> psi = np.random.default_rng(1).normal([0.9, 0.9, 0.5], 0.01, (1000, 3))
    >>> ranking = rank_systems(psi, rope=(-0.05, 0.05), hdi_prob=0.95, higher_is_better=True)
    >>> ranking.tier.tolist(), ranking.decisions[0].tolist()
    ([1, 1, 2], ['', '=', '>>'])
    """
    scores = np.ascontiguousarray(psi.T, dtype=np.float64)
    ranked = scores if learned is None else np.ascontiguousarray(learned.T)
    utility = ranked if higher_is_better else -ranked
    best = utility.max(axis=0)
    with np.errstate(invalid="ignore"):
        loss = best - utility
    loss[utility == best] = 0.0  # of infinite scores, too
    near = loss <= max_loss_within_rope(rope, higher_is_better)
    ranks = rank_probabilities(utility)
    hdi_low, hdi_high = hdi(scores, hdi_prob)
    rank_low, rank_high = rank_interval(ranks, hdi_prob)
    question: dict[str, Any] = {"rope": rope, "higher_is_better": higher_is_better}
    pairs = _summarize_pairs(scores, differences, hdi_prob=hdi_prob, **question)
    decisions = decision_matrix(pairs["hdi_low"], pairs["hdi_high"], len(scores), **question)
    better, upper = np.full(decisions.shape, np.nan), np.triu_indices(len(scores), 1)
    ahead, behind = ("p_greater", "p_less") if higher_is_better else ("p_less", "p_greater")
    better[upper], better.T[upper] = pairs[ahead], pairs[behind]
    return Ranking(
        mean=scores.mean(axis=1),
        hdi_low=hdi_low,
        hdi_high=hdi_high,
        loss=loss,
        p_within_rope_of_best=near.mean(axis=1),
        regret=loss.mean(axis=1),
        ranks=ranks,
        rank_low=rank_low,
        rank_high=rank_high,
        pairs=pairs,
        better=better,
        decisions=decisions,
        tier=tiers(decisions),
    )


def max_loss_within_rope(rope: Interval, higher_is_better: bool) -> float:
    """Return how much worse than the best a system may be and still be within its ROPE.

    Examples
    --------
    >>> max_loss_within_rope((-0.01, 0.03), True), max_loss_within_rope((-0.01, 0.03), False)
    (0.01, 0.03)
    """
    return max(0.0, -rope[0] if higher_is_better else rope[1])


def rank_probabilities(utility: Array) -> Array:
    """Return the probability of each rank (system, rank), the best having the first.

    Where g systems tie, each has each of their g ranks with probability 1/g.

    Parameters
    ----------
    utility : ndarray
        Draws of which more is better (system, draw).

    Examples
    --------
    >>> rank_probabilities(np.array([[0.9, 0.9], [0.9, 0.9], [0.1, 1.0]])).tolist()
    [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.5, 0.0, 0.5]]
    """
    n_systems, n_draws = utility.shape
    ranks = np.empty((n_systems, n_systems))
    for i, values in enumerate(utility):
        n_better = np.count_nonzero(utility > values, axis=0)
        n_equal = np.count_nonzero(utility == values, axis=0)  # with itself
        if n_equal.max() == 1:
            ranks[i] = np.bincount(n_better, minlength=n_systems)
            continue
        # A draw's share begins at the first rank of a tie, and ends after the last.
        begins = np.bincount(n_better, 1 / n_equal, n_systems + 1)
        ends = np.bincount(n_better + n_equal, 1 / n_equal, n_systems + 1)
        ranks[i] = np.cumsum(begins - ends)[:-1]
    return np.asarray(np.clip(ranks / n_draws, 0.0, 1.0))  # rounding


def rank_interval(ranks: Array, prob: float) -> tuple[IntArray, IntArray]:
    """Return the first and the last rank between which a system lies with this probability.

    At most half of the rest lies on either side: of whole ranks that is more than ``prob``, and of
    close systems the fewest ranks would be too few.

    Examples
    --------
    >>> low, high = rank_interval(np.array([[0.02, 0.9, 0.06, 0.02]]), 0.95)
    >>> low.tolist(), high.tolist()
    ([2], [3])
    """
    cumulated, outside = np.cumsum(ranks, axis=1), (1 - prob) / 2 + 1e-12
    low = (cumulated <= outside).sum(axis=1) + 1
    high = (cumulated < 1 - outside).sum(axis=1) + 1
    return low, np.minimum(high, ranks.shape[1])


def _summarize_pairs(scores: Array, differences: Posterior | None, **question: Any) -> pd.DataFrame:
    first, second = np.triu_indices(len(scores), 1)
    if differences is not None:
        columns = summarize_rows(differences, **question)
    else:  # system by system, for all differences of many systems would fill the memory
        groups = [
            summarize_rows(SampledPosterior((scores[i] - scores[i + 1 :])[:, None]), **question)
            for i in range(len(scores) - 1)
        ]
        columns = {name: np.concatenate([group[name] for group in groups]) for name in groups[0]}
    return pd.DataFrame({"first": first, "second": second, **columns})


def decision_matrix(
    low: ArrayLike, high: ArrayLike, n_systems: int, rope: Interval, higher_is_better: bool
) -> NDArray[np.str_]:
    """Decide on each system against each other, given the HDIs of all pairs."""
    upper = np.triu_indices(n_systems, 1)
    decisions = np.full((n_systems, n_systems), "", dtype="<U2")
    low, high = np.asarray(low), np.asarray(high)
    decisions[upper] = decide_all(low, high, rope, higher_is_better=higher_is_better)
    decisions.T[upper] = decide_all(-high, -low, rope, higher_is_better=higher_is_better)
    return decisions


def tiers(decisions: NDArray[np.str_]) -> IntArray:
    """Put every system in the tier after the last that has a system significantly better.

    Examples
    --------
    >>> tiers(np.array([["", "=", ">>"], ["=", "", ">"], ["<<", "<", ""]])).tolist()
    [1, 1, 2]
    """
    beats = decisions == Decision.MUCH_BETTER.value
    tier = np.zeros(len(decisions), dtype=np.int64)
    n_tiers = 0
    while (tier == 0).any():
        n_tiers += 1
        left = tier == 0
        front = left & ~beats[left].any(axis=0)
        tier[front if front.any() else left] = n_tiers  # a low hdi_prob allows of circles
    return tier
