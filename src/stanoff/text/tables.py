"""The columns of every table for people: what they are called, mean, and how they are written.

A row is a mapping: the fields of an :class:`~stanoff.inference.evidence.Evidence`, or a row of the
summary of a contest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from stanoff._lib.arguments import Interval
from stanoff._lib.escaping import one_line
from stanoff.errors import invalid, unknown
from stanoff.inference.decision import Decision
from stanoff.text import numbers

if TYPE_CHECKING:
    from stanoff.inference.evidence import Evidence
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest, Pairs

Row = Mapping[Any, Any]

DECISION_SYMBOLS = {str(decision): decision.symbol for decision in Decision}
DECISION_OF_SYMBOL = {decision.symbol: decision for decision in Decision}
DECISIONS = {
    "≫, ≪": "significantly better, worse (the HDI lies outside the ROPE)",
    "≈": "practically equivalent (inside it)",
    ">, <": "not settled, leaning better, worse (the HDI crosses an end)",
}
NO_DIRECTION = {"†": "cannot be told apart yet"}
PROBABLY, PERHAPS = 0.9, 0.6  # from which probability on a verdict that is not settled leans
SYMBOLS = "; ".join(f"{symbols}: {meaning}" for symbols, meaning in DECISIONS.items())


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    heading : str
        What stands on top of it.
    meaning : str
        What the legend says of it; ``{rope}`` and ``{hdi_prob}`` are filled in where the legend is
        to tell them. Columns with the same meaning are explained together.
    write : callable
        Makes text of a row, given the name of the column and a number of decimals.
    latex : str
        The heading in LaTeX, where it is another one.
    """

    heading: str
    meaning: str
    write: Callable[[Row, str, int], str]
    latex: str = ""


def _text(row: Row, name: str, digits: int) -> str:
    return one_line(str(row[name]))


def _count(row: Row, name: str, digits: int) -> str:
    return f"{row[name]:,}"


def _number(row: Row, name: str, digits: int) -> str:
    return "–" if isnan(row[name]) else f"{row[name]:.{digits}f}"


def _difference(row: Row, name: str, digits: int) -> str:
    return f"{row[name]:+.{digits}f}"


def _rounded(row: Row, name: str, digits: int) -> str:
    return f"{row[name]:.{'1' if name == 'mcse' else '3'}g}"


def _percent(row: Row, name: str, digits: int) -> str:
    return numbers.percent(row[name])


def _p_value(row: Row, name: str, digits: int) -> str:
    return numbers.p_value(row[name])


def _interval(row: Row, name: str, digits: int) -> str:
    ends: Interval = row["hdi"] if "hdi" in row else (row["hdi_low"], row["hdi_high"])
    text = numbers.format_interval(ends, digits)
    return text.replace("+", "") if name == "score_hdi" else text


def _sides(row: Row, name: str, digits: int) -> str:
    return numbers.sides_of_zero(row["p_less"], row["p_greater"])


def _bayes_factor(row: Row, name: str, digits: int) -> str:
    factor = numbers.bayes_factor(row[name], row[f"{name}_bound"])
    return factor if name == "bf_rope" or row["bf_sd_defined"] else f"{factor} ?"


def _decision(row: Row, name: str, digits: int) -> str:
    mark = " †" if row.get("no_direction") else ""
    return f"{DECISION_SYMBOLS[row[name]]}{mark}"


def _half_width(row: Row, name: str, digits: int) -> str:
    return numbers.half_width(row[name], digits) if row[name] else "±0"


def _ranks(row: Row, name: str, digits: int) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}–{high}"


SCORES = "posterior mean of the score"
OBSERVED = "score on these documents, as other programs compute it"
TESTS = "p-value of the test, as in the paper"
IN_ROPE = "probability of a difference within the ROPE{rope}"
BELOW, ABOVE = (f"probability of a difference {side}" for side in ("below", "above"))
SIDES = "how much of the posterior lies below (less) and above (greater) 0"
TIERS = "no system is significantly better than another of its tier"
HDI = "highest density interval{hdi_prob}"
NEAR = "probability of being within the ROPE{rope} of the best"
BEST = "probability of being the best, which near-twins share"
MCSE = "Monte-Carlo standard error of the mean"
BF_SD = "Savage-Dickey Bayes factor for no difference"
BF_ROPE = "Bayes factor for a difference in the ROPE"
P_ROPE = r"$P_{\mathrm{ROPE}}$"

COLUMNS = {
    "category": Column("category", "", _text, "{}"),
    "a": Column("A", "", _text),
    "b": Column("B", "", _text),
    "documents": Column("n", "documents or items", _count),
    "psi_A": Column("psi_A", SCORES, _number, r"$\psi_A$"),
    "psi_B": Column("psi_B", SCORES, _number, r"$\psi_B$"),
    "observed_A": Column("observed_A", OBSERVED, _number, r"$\hat{\psi}_A$"),
    "observed_B": Column("observed_B", OBSERVED, _number, r"$\hat{\psi}_B$"),
    "sign_test": Column("sign-test", TESTS, _p_value),
    "t_test": Column("t-test", TESTS, _p_value),
    "mean": Column("mean", "posterior mean of the difference A − B", _difference, r"$\delta$"),
    "std": Column("std", "its posterior standard deviation", _number, r"SD"),
    "mcse": Column("mcse", MCSE, _rounded),
    "hdi": Column("HDI", HDI, _interval),
    "p_rope": Column("ROPE pct", IN_ROPE, _percent, P_ROPE),
    "p_below": Column("P(<ROPE)", f"{BELOW} the ROPE", _percent),
    "p_above": Column("P(>ROPE)", f"{ABOVE} the ROPE", _percent),
    "p_less": Column("P(<0)", f"{BELOW} 0", _percent),
    "p_greater": Column("P(>0)", f"{ABOVE} 0", _percent),
    "lg_pct": Column("LG pct", SIDES, _sides),
    "bf_sd": Column("BF_SD", BF_SD, _bayes_factor, r"BF$_{\mathrm{SD}}$"),
    "bf_rope": Column("BF_ROPE", BF_ROPE, _bayes_factor, r"BF$_{\mathrm{ROPE}}$"),
    "decision": Column("decision", "", _decision, "{}"),
    # Of sensitivity:
    "prior": Column("prior", "", _text),
    "half_width": Column("ROPE", "", _half_width),
    "rho": Column("correlation", "", _rounded),
    # Of contests:
    "system": Column("system", "", _text),
    "tier": Column("tier", TIERS, _text),
    "psi": Column("score", SCORES, _number),
    "observed": Column("observed", OBSERVED, _number),
    "score_hdi": Column("HDI", HDI, _interval),
    "p_near": Column("P(near best)", NEAR, _percent),
    "p_best": Column("P(best)", BEST, _percent),
    "regret": Column("regret", "expected loss against the best", _number),
    "ranks": Column("ranks", "the fewest ranks that are as probable as the HDI", _ranks),
}
PAPER = (
    *("category", "sign_test", "t_test", "mean", "std", "bf_sd", "lg_pct", "p_rope", "hdi"),
    "decision",
)
TERMINAL = (
    *("category", "psi_A", "psi_B", "mean", "hdi", "p_rope", "p_greater", "bf_sd", "decision"),
)
GROUPS = (  # observed scores beside those that have learned from other groups
    *("category", "documents", "observed_A", "observed_B", "psi_A", "psi_B", "mean", "hdi"),
    *("p_rope", "decision"),
)
PAIRS = (
    *("a", "b", "documents", "observed_A", "observed_B", "mean", "hdi", "p_rope", "p_greater"),
    "decision",
)
CONTEST = (
    *("system", "tier", "psi", "observed", "score_hdi", "p_near", "p_best", "regret", "ranks"),
)
ARTICLE = {  # columns of LaTeX, by the width of the table
    "column": ("category", "psi_A", "psi_B", "mean", "hdi", "p_rope", "decision"),
    "full": (*TERMINAL[:4], "std", *TERMINAL[4:]),
}
CONTEST_ARTICLE = {"column": ("system", "tier", "psi", "score_hdi", "p_best"), "full": CONTEST}
OF_PAIRS = [name for name in COLUMNS if name not in (*CONTEST, "prior", "half_width", "rho")]


def format_table(
    rows: Iterable[Row],
    columns: Sequence[str],
    digits: int,
    headings: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Write rows of numbers as cells of text.

    Parameters
    ----------
    rows : iterable of mapping
        The numbers.
    columns : sequence of str
        Names out of ``COLUMNS``.
    digits : int
        Decimals of differences and scores.
    headings : mapping, optional
        Other headings, by the names of columns.
    """
    cells = [[COLUMNS[name].write(row, name, digits) for name in columns] for row in rows]
    return pd.DataFrame(
        cells, columns=[(headings or {}).get(name, COLUMNS[name].heading) for name in columns]
    )


def comparison_table(
    result: Comparison,
    columns: Sequence[str] = PAPER,
    *,
    categories: Sequence[str] | None = None,
    by_name: bool = True,
) -> pd.DataFrame:
    """Write the numbers of a comparison as the paper does: with a sign and fixed decimals.

    Parameters
    ----------
    result : Comparison
        What is shown.
    columns : sequence of str
        Names out of ``COLUMNS``; ``PAPER`` has those of the paper's Tables 4 to 6.
    categories : sequence of str, optional
        The rows, all by default.
    by_name : bool
        Call the columns of scores by the systems; else psi_A, psi_B and so on.
    """
    names = check_columns(columns)
    judged = result.summary_rows
    if categories is not None:
        judged = {category: (result, category) for category in categories}
    rows = []
    for name, (group, category) in judged.items():
        e = group.evidence(category)
        no_direction = has_no_direction(e, result.measure.higher_is_better)
        row = {**vars(e), "category": name, "no_direction": no_direction}
        row["documents"] = max(group.n_documents(category))
        if {"sign_test", "t_test"} & {*names}:  # they take SciPy, which takes a second
            index = group.categories.index(category)
            row |= {test: values[index] for test, values in group.p_values.items()}
        rows.append(row)
    return format_table(rows, names, _digits(rows), headings_of(result) if by_name else None)


def _digits(rows: Iterable[Row]) -> int:
    return max(numbers.digits_for(row["std"]) for row in rows)


def has_no_direction(evidence: Evidence, higher_is_better: bool) -> bool:
    """Return whether a verdict is neither settled nor leans: A and B cannot be told apart yet."""
    if evidence.decision.conclusive:
        return False
    leans_up = (evidence.decision is Decision.BETTER) == higher_is_better
    p = evidence.p_greater if leans_up else evidence.p_less
    return p < PERHAPS or (p < PROBABLY and not evidence.direction_resolved)


def contest_table(result: Contest, category: str, columns: Sequence[str] = CONTEST) -> pd.DataFrame:
    """Write the numbers of a contest on one category or average as cells of text."""
    summary = result.summary(category).rename(columns={"group": "category"})
    digits = numbers.digits_for(float((summary["hdi_high"] - summary["hdi_low"]).max()) / 4)
    names = [*(["category"] if result.groups else []), *columns]
    return format_table(summary.to_dict("records"), names, digits, headings_of(result))


def pairs_table(result: Pairs, category: str | None = None) -> pd.DataFrame:
    """Write the numbers of pairs that rest on different items as cells of text."""
    rows = result.summary(category).to_dict("records")
    return format_table(rows, PAIRS, _digits(rows))


def evidence_table(evidence: Evidence) -> pd.DataFrame:
    """Show all that is known of one category, a line for every number."""
    names = [
        *("psi_A", "psi_B", "observed_A", "observed_B", "mean", "std", "mcse", "hdi", "p_below"),
        *("p_rope", "p_above", "p_less", "p_greater", "bf_sd", "bf_rope"),
    ]
    cells = format_table([vars(evidence)], names, _digits([vars(evidence)])).iloc[0]
    meanings = [meaning_of(name, evidence.rope, evidence.hdi_prob) for name in names]
    return pd.DataFrame({"evidence": cells.index, "value": cells.to_numpy(), "meaning": meanings})


def headings_of(result: Any) -> dict[str, str]:
    """Name the columns of scores by the two systems, or by the measure and the HDI."""
    level = numbers.format_level(result.hdi_prob)
    headings = {"psi": result.measure_label, "score_hdi": f"{level} HDI"}
    if result.is_pair:
        a, b = result.names
        headings = {"psi_A": a, "psi_B": b}
        headings |= {"observed_A": f"{a} observed", "observed_B": f"{b} observed"}
    return headings | ({"category": result.by} if result.groups else {})


def check_columns(columns: Any) -> tuple[str, ...]:
    """Check the names of columns of a comparison."""
    if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
        raise invalid("columns", "a list of names of columns", columns)
    for name in columns:
        if name not in OF_PAIRS:
            raise unknown("columns", name, OF_PAIRS)
    return tuple(columns)


def legend(
    columns: Sequence[str],
    *,
    rope: Any = None,
    hdi_prob: float | None = None,
    headings: Mapping[str, str] | None = None,
    defined: bool = True,
) -> dict[str, str]:
    """Explain the columns and marks of a table: what stands there, and what it means.

    Parameters
    ----------
    columns : sequence of str
        Names out of ``COLUMNS``.
    rope : tuple of float or str, optional
        The ROPE to tell, as :func:`stanoff.text.numbers.format_rope` takes it.
    hdi_prob : float, optional
        The probability of the HDI to tell.
    headings : mapping, optional
        Other headings, by the names of columns.
    defined : bool
        Whether all Savage-Dickey factors are well-defined.

    Examples
    --------
    >>> legend(["mcse", "hdi"], hdi_prob=0.95)
    {'mcse': 'Monte-Carlo standard error of the mean', \
'HDI': 'highest density interval, with 95% of the posterior'}
    """
    together: dict[str, list[str]] = {}
    for name in columns:
        heading = (headings or {}).get(name, COLUMNS[name].heading)
        together.setdefault(meaning_of(name, rope, hdi_prob), []).append(one_line(heading))
    together.pop("", None)
    terms = {", ".join(headings): meaning for meaning, headings in together.items()}
    factors, tests = {"bf_sd", "bf_rope"} & {*columns}, {"sign_test", "t_test"} & {*columns}
    if factors or tests:
        terms["⋆"] = " or ".join(
            ["p < 0.05"] * bool(tests) + ["Bayes factor < 1/3"] * bool(factors)
        )
    terms |= {"‡": "Bayes factor > 3"} if factors else {}
    if "bf_sd" in columns and not defined:
        terms["?"] = (
            "not well-defined, as the prior density at 0 is infinite: it depends on the kernel's "
            "bandwidth and the number of draws, and BF_ROPE does not"
        )
    return terms | (DECISIONS | NO_DIRECTION if "decision" in columns else {})


def legend_of(
    result: Any, columns: Sequence[str] = CONTEST, *, by_name: bool = True
) -> dict[str, str]:
    """Explain the columns and marks of a table of a comparison or contest."""
    headings = headings_of(result) if by_name else None
    if not result.is_pair:
        return legend(columns, headings=headings, rope=result.rope, hdi_prob=result.hdi_prob)
    defined = all(result.evidence(category).bf_sd_defined for category in result.categories)
    return legend(columns, headings=headings, defined=defined)


def in_one_paragraph(terms: Mapping[str, str]) -> str:
    """Write a legend as text."""
    return "; ".join(f"{term}: {meaning}" for term, meaning in terms.items()) + "."


def meaning_of(name: str, rope: Any = None, hdi_prob: float | None = None) -> str:
    """Explain a column, with the ROPE and the probability of the HDI if they are given."""
    within = "" if rope is None else f" {numbers.format_rope(rope)}"
    level = ""
    if hdi_prob is not None:
        level = f", with {numbers.format_level(hdi_prob)} of the posterior"
    return COLUMNS[name].meaning.format(rope=within, hdi_prob=level)
