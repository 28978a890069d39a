"""What a significance test says, whichever test it is, and how its arguments are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import check_choice
from stanoff._lib.escaping import shown
from stanoff.errors import invalid
from stanoff.text.envelope import envelope
from stanoff.text.numbers import p_value
from stanoff.text.render import render
from stanoff.text.sentences import join_names

Array = NDArray[np.float64]

ALTERNATIVES = ("two-sided", "one-sided", "greater", "less")
SIGNIFICANT = 0.05
COLUMNS = ["test", "measure", "statistic", "n", "k", "p_value", "alternative", "leans_to", "note"]


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
    >>> result = SignificanceResult(
    ...     "s-test", "accuracy", 9.0, n=10, k=9, p_value=0.0215, direction=1
    ... )
    >>> print(result)
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

    @property
    def leans_to(self) -> str:
        """Who did better: ``"A"``, ``"B"``, or nobody."""
        return {1: "A", -1: "B"}.get(self.direction, "")

    def __str__(self) -> str:
        trials = f"n = {self.n:,}" if self.k is None else f"k = {self.k:,} of n = {self.n:,}"
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        if isnan(self.p_value):
            verdict = "cannot be done"
        elif self.p_value > SIGNIFICANT:
            verdict = f"no significant difference, {self.alternative} {p}"
        elif not self.direction:
            verdict = f"significant differences, {self.alternative} {p}"
        else:
            better = "better" if self.direction > 0 else "worse"
            verdict = f"A is significantly {better} than B, {self.alternative} {p}"
        note = f" Note: {self.note}." if self.note else ""
        return f"{self.test} of {self.measure}: {verdict}, {trials}.{note}"


def check_alternative(alternative: Any, approximation: Any = None) -> None:
    """Check which side a test looks at, and whether its p-value is that of Yang and Liu (1999)."""
    check_choice("alternative", alternative, ALTERNATIVES)
    if approximation is not None and approximation != "yang1999":
        raise invalid("approximation", "None or 'yang1999'", approximation)


def one_tail(alternative: str, direction: float) -> Any:
    """Turn ``"one-sided"`` into the side that the data lean to, in SciPy's words.

    Examples
    --------
    >>> one_tail("one-sided", -1), one_tail("two-sided", -1)
    ('less', 'two-sided')
    """
    if alternative != "one-sided":
        return alternative
    return "less" if direction < 0 else "greater"


def tail_probability(distribution: Any, statistic: float, alternative: str) -> float:
    """Return the p-value of a statistic under a symmetric distribution of SciPy's."""
    above, below = float(distribution.sf(statistic)), float(distribution.cdf(statistic))
    side = one_tail(alternative, statistic)
    return {"greater": above, "less": below}.get(side, 2 * min(above, below))


def table(results: Sequence[SignificanceResult]) -> pd.DataFrame:
    """Put the results of tests into a table, a row per test.

    Examples
    --------
    >>> result = SignificanceResult("S-test", "F1", 9.0, n=10, k=9, p_value=0.0215, direction=1)
    >>> table([result])[["test", "n", "k", "leans_to"]].to_dict("records")
    [{'test': 'S-test', 'n': 10, 'k': 9, 'leans_to': 'A'}]
    """
    if not isinstance(results, Sequence) or not all(
        isinstance(result, SignificanceResult) for result in results
    ):
        raise invalid("results", "a list of SignificanceResult, as of all_tests", results)
    rows = [[getattr(result, name) for name in COLUMNS] for result in results]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"k": "Int64"})


def formatted(results: Sequence[SignificanceResult]) -> pd.DataFrame:
    """Format the numbers for people: p-values to three decimals, as in the papers.

    Examples
    --------
    >>> result = SignificanceResult("S-test", "F1", 9.0, n=10, k=9, p_value=0.0215, direction=1)
    >>> formatted([result]).to_numpy().tolist()
    [['S-test', 'F1', '9', '10', '9', '⋆ 0.021', '2', 'A']]
    """
    cells = table(results).drop(columns="alternative").rename(columns={"leans_to": "leans to"})
    cells.insert(6, "sides", [str(result.sides) for result in results])
    cells["statistic"] = [f"{x:.5g}".replace("nan", "") for x in cells["statistic"]]
    cells["n"] = [f"{n:,}" for n in cells["n"]]
    cells["k"] = ["" if result.k is None else f"{result.k:,}" for result in results]
    cells.insert(5, "p", [p_value(p) for p in cells.pop("p_value")])
    return cells if cells["note"].any() else cells.drop(columns="note")


def describe_tests(results: Sequence[SignificanceResult], names: tuple[str, str]) -> str:
    """Say how many tests find a significant difference, and which.

    Examples
    --------
    >>> result = SignificanceResult("S-test", "F1", 9.0, n=10, k=9, p_value=0.0215, direction=1)
    >>> describe_tests([result], ("svm", "nb"))
    '1 of 1 tests finds a significant difference between svm and nb: S-test of F1.'
    """
    significant = [f"{r.test} of {r.measure}" for r in results if r.p_value <= SIGNIFICANT]
    verb = "finds" if len(significant) == 1 else "find"
    count = f"{len(significant) or 'None'} of {len(results)} tests {verb}"
    which = f": {join_names(significant)}" if significant else ""
    return f"{count} a significant difference between {' and '.join(map(shown, names))}{which}."


def as_text(
    results: Sequence[SignificanceResult], names: tuple[str, str], style: str, **about: Any
) -> str:
    """Write the results of tests in one of ``stanoff.text.render.FORMATS``.

    Parameters
    ----------
    results : sequence of SignificanceResult
        One per test.
    names : tuple of str
        What A and B are called.
    style : str
        The format.
    **about
        ``data`` and ``settings``, for JSON.
    """
    a, b = names
    sentences, numbers = list(map(str, results)), table(results)
    rows = numbers.assign(sentence=sentences).to_dict("records")
    about |= {"sentences": sentences, "systems": names}
    return render(
        formatted(results),
        style,
        numbers=numbers,
        record=lambda: envelope("significance", rows, **about),
        above=[describe_tests(results, names)] if style == "table" else [],
        below=[f"A is {a}, B is {b}."],
        legend={
            "p": "how probable a difference like this or larger is where there is none",
            "⋆": "p < 0.05",
            "leans to": "who did better, significantly or not",
        },
        caption=f"Significance tests of {a} (A) against {b} (B).",
    )
