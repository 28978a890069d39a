"""Outcomes of tests as text: for a terminal, a script, a document."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from stanoff.significance.result import SignificanceResult
from stanoff.significance.together import table
from stanoff.text.numbers import p_value
from stanoff.text.render import render, to_json, to_records


def as_text(outcomes: Sequence[SignificanceResult], names: tuple[str, str], style: str) -> str:
    """Write outcomes in one of ``stanoff.text.render.FORMATS``.

    Parameters
    ----------
    outcomes : sequence of SignificanceResult
        What the tests said.
    names : tuple of str
        What A and B are called.
    style : str
        The format.
    """
    numbers = table(outcomes)
    if style == "json":
        rows = numbers.assign(sentence=[str(outcome) for outcome in outcomes])
        return to_json({"names": dict(zip("AB", names, strict=True)), "tests": to_records(rows)})
    below = [
        f"A is {names[0]}, B is {names[1]}. p: how probable a difference like this or larger is "
        "where there is none; ⋆: p < 0.05; leans to: who did better, significantly or not."
    ]
    return render(formatted(outcomes), style, numbers=numbers, below=below)


def formatted(outcomes: Sequence[SignificanceResult]) -> pd.DataFrame:
    """Format the numbers: p-values to three decimals, as in the papers.

    Examples
    --------
    >>> outcome = SignificanceResult("S-test", "F1", 9.0, n=10, k=9, p_value=0.0215, direction=1)
    >>> formatted([outcome]).to_numpy().tolist()
    [['S-test', 'F1', '9', '10', '9', '⋆ 0.021', '2', 'A']]
    """
    rows = [
        [
            o.test,
            o.measure,
            "" if o.statistic != o.statistic else f"{o.statistic:.5g}",
            f"{o.n:,}",
            "" if o.k is None else f"{o.k:,}",
            p_value(o.p_value),
            str(o.sides),
            o.leans_to,
            o.note,
        ]
        for o in outcomes
    ]
    headings = ["test", "measure", "statistic", "n", "k", "p", "sides", "leans to", "note"]
    table = pd.DataFrame(rows, columns=headings)
    return table if table["note"].any() else table.drop(columns="note")
