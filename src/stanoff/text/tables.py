"""The summary as cells of text: which columns there are, and how their numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stanoff._lib.escaping import one_line
from stanoff.errors import invalid, unknown
from stanoff.text.numbers import bayes_factor, digits_for, ends, p_value, percent

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.comparison import Comparison

HEADINGS = {
    "category": "category",
    "psi_A": "A",
    "psi_B": "B",
    "sign_test": "sign-test",
    "t_test": "t-test",
    "mean": "mean",
    "std": "std",
    "mcse": "mcse",
    "bf_sd": "BF_SD",
    "bf_rope": "BF_ROPE",
    "p_less": "P(<0)",
    "p_greater": "P(>0)",
    "lg_pct": "LG pct",
    "p_rope": "ROPE pct",
    "hdi": "HDI",
    "decision": "decision",
}
PAPER = (
    *("category", "sign_test", "t_test", "mean", "std", "bf_sd", "lg_pct", "p_rope", "hdi"),
    "decision",
)
ALL = tuple(name for name in HEADINGS if name != "lg_pct")  # it has nothing that P(<0) has not


def formatted(
    result: Comparison,
    columns: Sequence[str] = ALL,
    *,
    categories: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Format the numbers of the summary as the paper does: sign and fixed width.

    Parameters
    ----------
    result : Comparison
        What is shown.
    columns : sequence of str
        Names out of ``HEADINGS``; ``PAPER`` has those of the paper's Tables 4 to 6.
    categories : sequence of str, optional
        The rows, all by default.
    """
    import pandas as pd

    chosen = _as_columns(columns)
    rows = result.categories if categories is None else tuple(categories)
    evidence = [result.evidence(category) for category in rows]
    tests = result.p_values
    writers = _writers(max(digits_for(e.std) for e in evidence))
    table = [
        [
            writers[name](tests[name][result.categories.index(e.category)] if name in tests else e)
            for name in chosen
        ]
        for e in evidence
    ]
    headings = dict(HEADINGS, psi_A=result.names[0], psi_B=result.names[1])
    return pd.DataFrame(table, columns=[headings[name] for name in chosen])


def sides_of_zero(less: float, greater: float) -> str:
    """Write how much of the posterior is below and above 0, as the paper's "LG pct" does.

    Examples
    --------
    >>> sides_of_zero(0.957, 0.043)
    '95.7% < 0 < 4.3%'
    """
    return f"{100 * less:.1f}% < 0 < {100 * greater:.1f}%"


def _writers(d: int) -> dict[str, Callable[[Any], str]]:
    """Return how each column is written with d decimals."""
    return {
        "category": lambda e: one_line(e.category),
        "psi_A": lambda e: f"{e.psi_A:.{d}f}",
        "psi_B": lambda e: f"{e.psi_B:.{d}f}",
        "sign_test": p_value,
        "t_test": p_value,
        "mean": lambda e: f"{e.mean:+.{d}f}",
        "std": lambda e: f"{e.std:.{d}f}",
        "mcse": lambda e: f"{e.mcse:.1g}",
        "bf_sd": lambda e: f"{bayes_factor(e.bf_sd)}{'' if e.bf_sd_defined else ' ?'}",
        "bf_rope": lambda e: bayes_factor(e.bf_rope),
        "p_less": lambda e: percent(e.p_less),
        "p_greater": lambda e: percent(e.p_greater),
        "lg_pct": lambda e: sides_of_zero(e.p_less, e.p_greater),
        "p_rope": lambda e: percent(e.p_rope),
        "hdi": lambda e: ends(e.hdi, d),
        "decision": lambda e: e.decision.symbol,
    }


def _as_columns(columns: Any) -> tuple[str, ...]:
    if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
        raise invalid("columns", "a list of names of columns", columns)
    for name in columns:
        if not isinstance(name, str) or name not in HEADINGS:
            raise unknown("columns", name, HEADINGS)
    return tuple(columns)
