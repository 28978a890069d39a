"""The summary as cells of text: which columns there are, and how their numbers are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stanoff.errors import invalid, unknown
from stanoff.escaping import one_line
from stanoff.words import digits_for, percent

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.result import Comparison

COLUMNS = [  # of the summary
    "category",
    "psi_A",
    "psi_B",
    "sign_test",
    "t_test",
    "mean",
    "std",
    "mcse",
    "bf_sd",
    "bf_rope",
    "p_less",
    "p_greater",
    "p_rope",
    "hdi_low",
    "hdi_high",
    "decision",
]
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
    "category",
    "sign_test",
    "t_test",
    "mean",
    "std",
    "bf_sd",
    "lg_pct",
    "p_rope",
    "hdi",
    "decision",
)
ALL = tuple(name for name in HEADINGS if name != "lg_pct")  # it has nothing that P(<0) has not
SIGNIFICANT = 0.05


def formatted(
    result: Comparison,
    columns: Sequence[str] = ALL,
    *,
    categories: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Format the numbers of the summary as the paper does: sign and fixed width.

    Parameters
    ----------
    result : a comparison
    columns : names out of ``HEADINGS``; ``PAPER`` has those of the paper's Tables 4 to 6
    categories : the rows, all unless told
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


def bayes_factor(factor: float) -> str:
    """Write a Bayes factor with the paper's marks: ‡ above 3, ⋆ below 1/3.

    Examples
    --------
    >>> bayes_factor(9.551), bayes_factor(0.075), bayes_factor(1.2)
    ('‡ 9.551', '⋆ 0.075', '1.200')
    """
    if math.isnan(factor):
        return "undefined"
    mark = "‡ " if factor > 3 else "⋆ " if factor < 1 / 3 else ""
    return f"{mark}{factor:.3g}" if factor >= 1000 else f"{mark}{factor:.3f}"


def p_value(p: float) -> str:
    """Write a p-value with the paper's mark: ⋆ below 0.05; a dash where there is no test.

    Examples
    --------
    >>> p_value(0.0081), p_value(0.064), p_value(math.nan)
    ('⋆ 0.008', '0.064', '–')
    """
    if math.isnan(p):
        return "–"
    return f"⋆ {p:.3f}" if p < SIGNIFICANT else f"{p:.3f}"


def sides_of_zero(less: float, greater: float) -> str:
    """Write how much of the posterior is below and above 0, as the paper's "LG pct" does.

    Examples
    --------
    >>> sides_of_zero(0.957, 0.043)
    '95.7% < 0 < 4.3%'
    """
    return f"{100 * less:.1f}% < 0 < {100 * greater:.1f}%"


def _writers(d: int) -> dict[str, Callable[[Any], str]]:
    """Tell how each column is written with d decimals."""
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
        "hdi": lambda e: f"[{e.hdi[0]:+.{d}f}, {e.hdi[1]:+.{d}f}]",
        "decision": lambda e: e.decision.symbol,
    }


def _as_columns(columns: Any) -> tuple[str, ...]:
    if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
        raise invalid("columns", "a list of names of columns", columns)
    for name in columns:
        if not isinstance(name, str) or name not in HEADINGS:
            raise unknown("columns", name, HEADINGS)
    return tuple(columns)
