"""What a significance test says, whichever test it is."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

from stanoff.errors import invalid

ALTERNATIVES = ("two-sided", "one-sided", "greater", "less")
APPROXIMATIONS = (None, "yang1999")
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class SignificanceResult:
    """The outcome of one test of "A and B are equally good".

    Attributes
    ----------
    test : str
        What the test is called: ``"s-test"``, ``"T-test"``, ``"McNemar"`` ...
    measure : str
        What was compared.
    statistic : float
        Its value; above 0 where A is better, in tests that know a direction.
    n : int
        How many trials, or pairs that differ, the test rests on.
    k : int or None
        How many of them speak for A, in tests that count them.
    p_value : float
        NaN where the test cannot be done.
    alternative : str
        ``"two-sided"``; ``"greater"`` for A better, ``"less"`` for B better; or ``"one-sided"``,
        the side that the data lean to, as in Yang and Liu (1999).
    direction : int
        1 where A did better, -1 where B did, 0 where neither did or the test cannot tell.
    note : str
        What to know about ties, empty samples and constant scores.

    Examples
    --------
    >>> outcome = SignificanceResult(
    ...     "s-test", "accuracy", 9.0, n=10, k=9, p_value=0.0215, direction=1
    ... )
    >>> print(outcome)
    s-test of accuracy: A is significantly better than B, two-sided p = 0.021, k = 9 of n = 10.
    """

    test: str
    measure: str
    statistic: float
    n: int
    p_value: float
    k: int | None = None
    alternative: str = "two-sided"
    direction: int = 0
    note: str = ""

    @property
    def sides(self) -> int:
        """2 for a two-sided p-value, else 1."""
        return 2 if self.alternative == "two-sided" else 1

    @property
    def symbol(self) -> str:
        """The sign of Yang and Liu (1999), to rebuild their tables with; elsewhere see the p-value.

        ``>>`` or ``<<`` up to p = 0.01, ``>`` or ``<`` up to 0.05, ``~`` beyond; ``!=`` where a
        test finds a difference but no direction.
        """
        if isnan(self.p_value) or self.p_value > SIGNIFICANT:
            return "~"
        if not self.direction:
            return "!="
        return (">" if self.direction > 0 else "<") * (2 if self.p_value <= 0.01 else 1)

    def __str__(self) -> str:
        rests = f"n = {self.n:,}" if self.k is None else f"k = {self.k:,} of n = {self.n:,}"
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        if isnan(self.p_value):
            told = f"{self.test} of {self.measure}: cannot be done, {rests}."
        else:
            told = f"{self.test} of {self.measure}: {self._verdict}, {self.alternative} {p}, "
            told += f"{rests}."
        return f"{told} Note: {self.note}." if self.note else told

    @property
    def _verdict(self) -> str:
        if self.p_value > SIGNIFICANT:
            return "no significant difference"
        if not self.direction:
            return "significant differences"
        return f"A is significantly {'better' if self.direction > 0 else 'worse'} than B"

    @property
    def leans_to(self) -> str:
        """Who did better: ``"A"``, ``"B"``, or nobody."""
        return {1: "A", -1: "B"}.get(self.direction, "")


def undoable(
    test: str, measure: str, note: str, *, n: int, alternative: str, k: int | None = None
) -> SignificanceResult:
    """Return the outcome of a test that cannot be done, with the reason."""
    return SignificanceResult(test, measure, nan, n, nan, k, alternative, note=note)


def check_options(alternative: str, approximation: str | None = None) -> None:
    """Refuse alternatives and approximations that do not exist."""
    if alternative not in ALTERNATIVES:
        raise invalid("alternative", f"one of {', '.join(ALTERNATIVES)}", alternative)
    if approximation not in APPROXIMATIONS:
        raise invalid("approximation", "None or 'yang1999'", approximation)


def tail(alternative: str, direction: int) -> str:
    """Turn ``"one-sided"`` into the side that the data lean to, in SciPy's words.

    Examples
    --------
    >>> tail("one-sided", -1), tail("two-sided", -1)
    ('less', 'two-sided')
    """
    if alternative != "one-sided":
        return alternative
    return "less" if direction < 0 else "greater"


def normal_p(z: float, side: str) -> float:
    """Return the p-value of a standard normal z; ``side`` is a word of SciPy's."""
    from scipy.stats import norm

    if side == "two-sided":
        return float(2 * norm.sf(abs(z)))
    return float(norm.sf(z) if side == "greater" else norm.cdf(z))
