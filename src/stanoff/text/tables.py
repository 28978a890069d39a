"""The summary as cells of text: which columns there are, and how their numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from stanoff._lib.escaping import one_line
from stanoff.errors import invalid, unknown
from stanoff.text.numbers import bayes_factor, digits_for, ends, p_value, percent

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.inference.evidence import Evidence
    from stanoff.results.comparison import Comparison

HEADINGS = {
    "category": "category",
    "psi_A": "A",
    "psi_B": "B",
    "observed_A": "A observed",
    "observed_B": "B observed",
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
# What decides comes first: a narrow screen shows only the first columns.
ALL = (
    *("category", "psi_A", "psi_B", "mean", "hdi", "p_rope", "decision", "observed_A"),
    *("observed_B", "p_less", "p_greater", "std", "bf_sd", "bf_rope", "sign_test", "t_test"),
    "mcse",
)
SYMBOLS = (
    "≫, ≪: significantly better, worse (the HDI lies outside the ROPE); ≈: practically equivalent "
    "(inside it); >, <: not settled, and to which side of the ROPE's middle the HDI's lies"
)


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
    headings = headings_of(result)
    return pd.DataFrame(table, columns=[headings[name] for name in chosen])


def cells_of(evidence: Evidence) -> dict[str, str]:
    """Format the numbers of one category, by the names of the columns; there are no tests in it."""
    writers = _writers(digits_for(evidence.std))
    return {name: write(evidence) for name, write in writers.items() if not name.endswith("_test")}


def headings_of(result: Comparison) -> dict[str, str]:
    """Return what the columns are called: scores by the names of the systems."""
    a, b = result.names
    observed = {"observed_A": f"{a} observed", "observed_B": f"{b} observed"}
    return dict(HEADINGS, psi_A=a, psi_B=b, **observed)


def legend(result: Comparison, columns: Sequence[str] = ALL) -> str:
    """Explain the columns and symbols of a table in one paragraph.

    Parameters
    ----------
    result : Comparison
        What the table shows.
    columns : sequence of str
        Its columns, by the names in ``HEADINGS``.
    """
    a, b = map(one_line, result.names)
    shared = {  # columns that are explained together, by the first of them
        "psi_A": f"{a}, {b}: posterior means of their scores",
        "observed_A": "observed: the scores of the data themselves",
        "mean": "mean, std: of the posterior of the difference",
        "mcse": "mcse: Monte-Carlo standard error of the mean",
        "hdi": "HDI: its highest density interval",
        "p_rope": "ROPE pct: how much of it lies in the ROPE, the region of practical equivalence",
        "lg_pct": "LG pct: how much of it lies below (less) and above (greater) 0",
        "p_less": "P(<0): probability that the difference is below 0",
        "p_greater": "P(>0): probability that it is above 0",
        "bf_sd": "BF_SD: Savage-Dickey Bayes factor for no difference",
        "bf_rope": "BF_ROPE: Bayes factor for a difference in the ROPE",
        "sign_test": "sign-test, t-test: p-values, as in the paper",
        "decision": SYMBOLS,
    }
    told = [words for name, words in shared.items() if name in columns]
    factors, tests = {"bf_sd", "bf_rope"} & set(columns), {"sign_test", "t_test"} & set(columns)
    below = [*(["p < 0.05"] if tests else []), *(["Bayes factor < 1/3"] if factors else [])]
    told += [f"⋆: {' or '.join(below)}"] if below else []
    told += ["‡: Bayes factor > 3"] if factors else []
    if "bf_sd" in columns and any(not result.evidence(c).bf_sd_defined for c in result.categories):
        told.append("?: not well-defined, as the prior density at 0 is infinite")
    return f"{'; '.join(told)}."


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
        "observed_A": lambda e: "–" if isnan(e.observed_A) else f"{e.observed_A:.{d}f}",
        "observed_B": lambda e: "–" if isnan(e.observed_B) else f"{e.observed_B:.{d}f}",
        "sign_test": p_value,
        "t_test": p_value,
        "mean": lambda e: f"{e.mean:+.{d}f}",
        "std": lambda e: f"{e.std:.{d}f}",
        "mcse": lambda e: f"{e.mcse:.1g}",
        "bf_sd": lambda e: (
            f"{bayes_factor(e.bf_sd, e.bf_sd_bound)}{'' if e.bf_sd_defined else ' ?'}"
        ),
        "bf_rope": lambda e: bayes_factor(e.bf_rope, e.bf_rope_bound),
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
