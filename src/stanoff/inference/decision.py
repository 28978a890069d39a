"""From an HDI and a ROPE to one of five decisions."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff._lib.arguments import Interval

if TYPE_CHECKING:
    from stanoff.inference.evidence import Evidence


class Decision(StrEnum):
    """What may be said of A against B.

    Examples
    --------
    >>> Decision(">>").symbol, Decision(">>").words
    ('≫', 'significantly better than')
    """

    MUCH_WORSE = "<<"
    WORSE = "<"
    EQUIVALENT = "="
    BETTER = ">"
    MUCH_BETTER = ">>"

    @property
    def symbol(self) -> str:
        """The sign that is shown to people."""
        return {"<<": "≪", "<": "<", "=": "≈", ">": ">", ">>": "≫"}[self]

    @property
    def words(self) -> str:
        """What stands between the two names in a sentence."""
        return {
            "<<": "significantly worse than",
            "<": "slightly worse than",
            "=": "practically equivalent to",
            ">": "slightly better than",
            ">>": "significantly better than",
        }[self]

    @property
    def conclusive(self) -> bool:
        """Whether the verdict is firm; ``<`` and ``>`` ask for more documents."""
        return self not in (Decision.WORSE, Decision.BETTER)


def decide_all(
    low: ArrayLike, high: ArrayLike, rope: Interval, *, higher_is_better: bool = True
) -> NDArray[np.str_]:
    """Apply the rule of Zhang et al. (2016), section 3.2.2, with closed inequalities.

    The HDI inside the ROPE means equivalence; wholly to one side of it, a firm difference; else
    the side of the ROPE's midpoint on which the HDI's midpoint lies is named (the right one in a
    tie). Where lower is better, as for error, the sides change their meaning.

    Parameters
    ----------
    low, high : array_like
        The ends of the HDIs.
    rope : tuple of float
        The region of practical equivalence.
    higher_is_better : bool
        Which way is better.

    Examples
    --------
    >>> decide_all([0.06, -0.01], [0.12, 0.04], (-0.05, 0.05)).tolist()
    ['>>', '=']
    """
    low, high = np.asarray(low), np.asarray(high)
    inside = (rope[0] <= low) & (high <= rope[1])
    outside = (high <= rope[0]) | (low >= rope[1])
    better = (low + high >= rope[0] + rope[1]) == higher_is_better
    return np.select(
        [inside, better & outside, better, outside],
        [
            Decision.EQUIVALENT.value,
            Decision.MUCH_BETTER.value,
            Decision.BETTER.value,
            Decision.MUCH_WORSE.value,
        ],
        Decision.WORSE.value,
    )


def decide(hdi: Interval, rope: Interval, *, higher_is_better: bool = True) -> Decision:
    """Apply the rule of :func:`decide_all` to one HDI.

    Examples
    --------
    >>> decide((0.06, 0.12), (-0.05, 0.05))
    <Decision.MUCH_BETTER: '>>'>
    >>> decide((0.06, 0.12), (-0.05, 0.05), higher_is_better=False)
    <Decision.MUCH_WORSE: '<<'>
    """
    return Decision(decide_all(*hdi, rope, higher_is_better=higher_is_better).item())


def rope_flips(
    evidence: Evidence, *, higher_is_better: bool = True
) -> tuple[tuple[float, Decision, Decision], ...]:
    """Find the half-widths at which a ROPE with the same middle changes the decision.

    Returns
    -------
    tuple
        Half-width, decision below it, decision from there on; in ascending order.
    """
    middle = (evidence.rope[0] + evidence.rope[1]) / 2
    low, high = evidence.hdi[0] - middle, evidence.hdi[1] - middle
    # Firm while the HDI is outside the ROPE, slight until it is inside, equivalent from there on.
    firm_until, equivalent_from = max(low, -high, 0.0), max(abs(low), abs(high))

    def decision_at(half_width: float) -> Decision:
        rope = middle - half_width, middle + half_width
        return decide(evidence.hdi, rope, higher_is_better=higher_is_better)

    flips = []
    for half_width in dict.fromkeys((firm_until, equivalent_from)):
        before = decision_at(half_width * (1 - 1e-9))
        after = decision_at(half_width * (1 + 1e-9))
        if half_width > 0 and before != after:
            flips.append((half_width, before, after))
    return tuple(flips)
