"""From an HDI and a ROPE to one of five decisions."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from stanoff._lib.arguments import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    def settled(self) -> bool:
        """Whether the verdict is firm; ``<`` and ``>`` ask for more documents."""
        return self not in (Decision.WORSE, Decision.BETTER)


def decide(hdi: Interval, rope: Interval, *, higher_is_better: bool = True) -> Decision:
    """Apply the rule of Zhang et al. (2016), section 3.2.2, with closed inequalities.

    The HDI inside the ROPE means equivalence; wholly to one side of it, a firm difference; else
    the side of the ROPE's midpoint on which the HDI's midpoint lies is named (the right one in a
    tie). Where lower is better, as for error, the sides change their meaning.

    Examples
    --------
    >>> decide((0.06, 0.12), (-0.05, 0.05))
    <Decision.MUCH_BETTER: '>>'>
    >>> decide((0.06, 0.12), (-0.05, 0.05), higher_is_better=False)
    <Decision.MUCH_WORSE: '<<'>
    """
    if rope[0] <= hdi[0] and hdi[1] <= rope[1]:
        return Decision.EQUIVALENT
    right = hdi[0] + hdi[1] >= rope[0] + rope[1]
    apart = hdi[1] <= rope[0] or hdi[0] >= rope[1]
    if right == higher_is_better:
        return Decision.MUCH_BETTER if apart else Decision.BETTER
    return Decision.MUCH_WORSE if apart else Decision.WORSE


def rope_flips(
    said: Evidence, *, higher_is_better: bool = True
) -> tuple[tuple[float, Decision, Decision], ...]:
    """Find the half-widths at which a ROPE with the same middle changes the decision.

    Returns
    -------
    tuple
        Half-width, decision below it, decision from there on; in ascending order.
    """
    middle = (said.rope[0] + said.rope[1]) / 2
    low, high = said.hdi[0] - middle, said.hdi[1] - middle
    # Firm while the HDI is outside the ROPE, slight until it is inside, equivalent from there on.
    firm_until, equivalent_from = max(low, -high, 0.0), max(abs(low), abs(high))

    def verdict(width: float) -> Decision:
        rope = middle - width, middle + width
        return decide(said.hdi, rope, higher_is_better=higher_is_better)

    flips = []
    for width in dict.fromkeys((firm_until, equivalent_from)):
        before, after = verdict(width * (1 - 1e-9)), verdict(width * (1 + 1e-9))
        if width > 0 and before != after:
            flips.append((width, before, after))
    return tuple(flips)


def decide_all(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    rope: Interval,
    *,
    higher_is_better: bool = True,
) -> NDArray[np.str_]:
    """Apply the rule of :func:`decide` to many HDIs at once, given by their ends.

    Examples
    --------
    >>> import numpy as np
    >>> decide_all(np.array([0.06, -0.01]), np.array([0.12, 0.04]), (-0.05, 0.05)).tolist()
    ['>>', '=']
    """
    import numpy as np

    inside = (rope[0] <= low) & (high <= rope[1])
    right = low + high >= rope[0] + rope[1]
    apart = (high <= rope[0]) | (low >= rope[1])
    better = right == higher_is_better
    return np.select(
        [inside, better & apart, better, apart],
        [
            Decision.EQUIVALENT.value,
            Decision.MUCH_BETTER.value,
            Decision.BETTER.value,
            Decision.MUCH_WORSE.value,
        ],
        Decision.WORSE.value,
    )
