"""Outcomes of tests as text: for a terminal, a script, a document."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from stanoff.significance.result import Significance
from stanoff.significance.together import table

SHOWN = {">>": "≫", "<<": "≪", "~": "∼", "!=": "≠"}


def as_text(outcomes: Sequence[Significance], names: tuple[str, str], style: str) -> str:
    """Write outcomes as ``"table"``, ``"json"``, ``"csv"`` or ``"markdown"``.

    Parameters
    ----------
    outcomes : what the tests said
    names : what A and B are called
    style : one of the four
    """
    from stanoff.texts import dumped, frame_as_markdown

    if style == "csv":
        return str(table(outcomes).to_csv(index=False, lineterminator="\n")).rstrip("\n")
    if style == "json":
        rows = table(outcomes).astype(object).where(lambda cells: cells.notna(), None)
        sentences = [str(outcome) for outcome in outcomes]
        return dumped(
            {
                "names": dict(zip("AB", names, strict=True)),
                "tests": rows.assign(sentence=sentences).to_dict("records"),
            }
        )
    text = formatted(outcomes)
    return frame_as_markdown(text) if style == "markdown" else _for_terminal(text, names)


def formatted(outcomes: Sequence[Significance]) -> pd.DataFrame:
    """Format the numbers: p-values to three decimals, as in the papers.

    Examples
    --------
    >>> outcome = Significance("S-test", "F1", 9.0, n=10, k=9, p_value=0.0215, direction=1)
    >>> formatted([outcome]).to_numpy().tolist()
    [['S-test', 'F1', '9', '10', '9', '0.021', '2', '>', '']]
    """
    rows = [
        [
            o.test,
            o.measure,
            "" if o.statistic != o.statistic else f"{o.statistic:.5g}",
            f"{o.n:,}",
            "" if o.k is None else f"{o.k:,}",
            p_text(o.p_value),
            str(o.sides),
            SHOWN.get(o.symbol, o.symbol),
            o.note,
        ]
        for o in outcomes
    ]
    headings = ["test", "measure", "statistic", "n", "k", "p", "sides", "A ? B", "note"]
    return pd.DataFrame(rows, columns=headings)


def p_text(p: float) -> str:
    """Write a p-value as people do.

    Examples
    --------
    >>> p_text(0.0004), p_text(0.0215), p_text(float("nan"))
    ('<0.001', '0.021', '')
    """
    if p != p:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _for_terminal(text: pd.DataFrame, names: tuple[str, str]) -> str:
    import io

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in text.columns:
        left = heading in ("test", "measure", "note")
        shown.add_column(Text(heading), justify="left" if left else "right", no_wrap=True)
    for row in text.to_numpy().tolist():
        shown.add_row(*map(Text, row))
    file = io.StringIO()
    console = Console(file=file, width=240)
    console.print(Text(f"A is {names[0]}, B is {names[1]}."))
    console.print(shown)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()).rstrip()
