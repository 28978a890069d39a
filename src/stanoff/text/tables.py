"""The columns of every table for people: what they are called, mean, and how they are written.

A row is a mapping: the fields of an :class:`~stanoff.inference.evidence.Evidence`, or a row of the
summary of a contest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff._lib.arguments import Interval
from stanoff._lib.escaping import one_line
from stanoff.errors import invalid, unknown
from stanoff.inference.decision import Decision
from stanoff.text.numbers import (
    bayes_factor,
    digits_for,
    format_interval,
    format_level,
    format_rope,
    half_width,
    p_value,
    percent,
    sides_of_zero,
)

if TYPE_CHECKING:
    from stanoff.inference.evidence import Evidence
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest
    from stanoff.results.pairs import Pairs

Row = Mapping[Any, Any]
Write = Callable[[Any, int], str]

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


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    heading : str
        What stands on top of it.
    meaning : str
        What the legend says of it; ``{rope}`` and ``{hdi_prob}`` are filled in where the legend is
        to tell them. Columns with the same meaning are explained together.
    write : callable
        Makes text of a row, with a number of decimals.
    latex : str
        The heading in LaTeX, where it is another one.
    """

    heading: str
    meaning: str
    write: Write
    latex: str = ""


def _number(name: str) -> Write:
    return lambda row, d: "–" if isnan(row[name]) else f"{row[name]:.{d}f}"


def _difference(name: str) -> Write:
    return lambda row, d: f"{row[name]:+.{d}f}"


def _percent(name: str) -> Write:
    return lambda row, d: percent(row[name])


def _text(name: str) -> Write:
    return lambda row, d: one_line(str(row[name]))


def _test(name: str) -> Write:
    return lambda row, d: p_value(row[name])


def _savage_dickey(row: Row, digits: int) -> str:
    factor = bayes_factor(row["bf_sd"], row["bf_sd_bound"])
    return factor if row["bf_sd_defined"] else f"{factor} ?"


def _ends(row: Row) -> Interval:
    ends: Interval = row["hdi"] if "hdi" in row else (row["hdi_low"], row["hdi_high"])
    return ends


def _ranks(row: Row, digits: int) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}–{high}"


SCORES = "posterior mean of the score"
OBSERVED = "score on these documents, as other programs compute it"
TESTS = "p-value of the test, as in the paper"
IN_ROPE = "probability of a difference within the ROPE{rope}"
HDI = "highest density interval{hdi_prob}"

COLUMNS = {
    "category": Column("category", "", _text("category"), "{}"),
    "a": Column("A", "", _text("a")),
    "b": Column("B", "", _text("b")),
    "documents": Column("n", "documents or items", lambda row, d: f"{row['documents']:,}"),
    "psi_A": Column("psi_A", SCORES, _number("psi_A"), r"$\psi_A$"),
    "psi_B": Column("psi_B", SCORES, _number("psi_B"), r"$\psi_B$"),
    "observed_A": Column("observed_A", OBSERVED, _number("observed_A"), r"$\hat{\psi}_A$"),
    "observed_B": Column("observed_B", OBSERVED, _number("observed_B"), r"$\hat{\psi}_B$"),
    "sign_test": Column("sign-test", TESTS, _test("sign_test")),
    "t_test": Column("t-test", TESTS, _test("t_test")),
    "mean": Column(
        "mean", "posterior mean of the difference A − B", _difference("mean"), r"$\delta$"
    ),
    "std": Column("std", "its posterior standard deviation", _number("std"), r"SD"),
    "mcse": Column(
        "mcse", "Monte-Carlo standard error of the mean", lambda row, d: f"{row['mcse']:.1g}"
    ),
    "hdi": Column("HDI", HDI, lambda row, d: format_interval(_ends(row), d)),
    "p_rope": Column("ROPE pct", IN_ROPE, _percent("p_rope"), r"$P_{\mathrm{ROPE}}$"),
    "p_below": Column(
        "P(<ROPE)", "probability of a difference below the ROPE", _percent("p_below")
    ),
    "p_above": Column(
        "P(>ROPE)", "probability of a difference above the ROPE", _percent("p_above")
    ),
    "p_less": Column("P(<0)", "probability of a difference below 0", _percent("p_less")),
    "p_greater": Column("P(>0)", "probability of a difference above 0", _percent("p_greater")),
    "lg_pct": Column(
        "LG pct",
        "how much of the posterior lies below (less) and above (greater) 0",
        lambda row, d: sides_of_zero(row["p_less"], row["p_greater"]),
    ),
    "bf_sd": Column(
        "BF_SD",
        "Savage-Dickey Bayes factor for no difference",
        _savage_dickey,
        r"BF$_{\mathrm{SD}}$",
    ),
    "bf_rope": Column(
        "BF_ROPE",
        "Bayes factor for a difference in the ROPE",
        lambda row, d: bayes_factor(row["bf_rope"], row["bf_rope_bound"]),
        r"BF$_{\mathrm{ROPE}}$",
    ),
    "decision": Column(
        "decision",
        "",
        lambda row, d: DECISION_SYMBOLS[row["decision"]] + " †" * row.get("no_direction", False),
        "{}",
    ),
    # Of sensitivity:
    "prior": Column("prior", "", _text("prior")),
    "half_width": Column(
        "ROPE", "", lambda row, d: half_width(row["half_width"], d) if row["half_width"] else "±0"
    ),
    "rho": Column("correlation", "", lambda row, d: f"{row['rho']:.3g}"),
    # Of contests:
    "system": Column("system", "", _text("system")),
    "tier": Column(
        "tier", "no system is significantly better than another of its tier", _text("tier")
    ),
    "psi": Column("score", SCORES, _number("psi")),
    "observed": Column("observed", OBSERVED, _number("observed")),
    "score_hdi": Column("HDI", HDI, lambda row, d: format_interval(_ends(row), d).replace("+", "")),
    "p_near": Column(
        "P(near best)",
        "probability of being within the ROPE{rope} of the best",
        _percent("p_near"),
    ),
    "p_best": Column(
        "P(best)", "probability of being the best, which near-twins share", _percent("p_best")
    ),
    "regret": Column("regret", "expected loss against the best", _number("regret")),
    "ranks": Column("ranks", "the fewest ranks that are as probable as the HDI", _ranks),
}
PAPER = (
    *("category", "sign_test", "t_test", "mean", "std", "bf_sd", "lg_pct", "p_rope", "hdi"),
    "decision",
)
TERMINAL = (
    *("category", "psi_A", "psi_B", "mean", "hdi", "p_rope", "p_greater", "bf_sd", "decision"),
)
ARTICLE = {  # columns of LaTeX, by the width of the table
    "column": ("category", "psi_A", "psi_B", "mean", "hdi", "p_rope", "decision"),
    "full": (
        *("category", "psi_A", "psi_B", "mean", "std", "hdi", "p_rope", "p_greater", "bf_sd"),
        "decision",
    ),
}
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


CONTEST_ARTICLE = {"column": ("system", "tier", "psi", "score_hdi", "p_best"), "full": CONTEST}


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
    called = headings or {}
    cells = [[COLUMNS[name].write(row, digits) for name in columns] for row in rows]
    return pd.DataFrame(cells, columns=[called.get(n, COLUMNS[n].heading) for n in columns])


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
        if "documents" in names:
            row["documents"] = max(group.n_documents(category))
        if {"sign_test", "t_test"} & {*names}:  # they take SciPy, which takes a second
            index = group.categories.index(category)
            row |= {test: values[index] for test, values in group.p_values.items()}
        rows.append(row)
    digits = max(digits_for(row["std"]) for row in rows)
    return format_table(rows, names, digits, headings_of(result) if by_name else None)


def has_no_direction(evidence: Evidence, higher_is_better: bool) -> bool:
    """Return whether a verdict is neither settled nor leans: A and B cannot be told apart yet."""
    if evidence.decision.conclusive:
        return False
    leans_up = (evidence.decision is Decision.BETTER) == higher_is_better
    p = evidence.p_greater if leans_up else evidence.p_less
    return p < PERHAPS or (p < PROBABLY and not evidence.direction_resolved)


def contest_table(result: Contest, category: str, columns: Sequence[str] = CONTEST) -> pd.DataFrame:
    """Write the numbers of a contest on one category or average as cells of text."""
    numbers = result.summary(category)
    digits = digits_for(float((numbers["hdi_high"] - numbers["hdi_low"]).max()) / 4)
    if result.groups:
        columns = ["category", *columns]
        numbers = numbers.rename(columns={"group": "category"})
    return format_table(numbers.to_dict("records"), columns, digits, contest_headings(result))


def contest_headings(result: Contest) -> dict[str, str]:
    """Name the columns of scores by the measure and the probability of the HDI."""
    headings = {"psi": result.measure_label, "score_hdi": f"{format_level(result.hdi_prob)} HDI"}
    return headings | ({"category": result.by} if result.groups else {})


def pairs_table(result: Pairs, category: str | None = None) -> pd.DataFrame:
    """Write the numbers of pairs that rest on different items as cells of text."""
    rows = result.summary(category).to_dict("records")
    for row in rows:
        row["hdi"] = row["hdi_low"], row["hdi_high"]
    return format_table(rows, PAIRS, max(digits_for(row["std"]) for row in rows))


def evidence_table(evidence: Evidence) -> pd.DataFrame:
    """Show all that is known of one category, a line for every number."""
    names = [
        *("psi_A", "psi_B", "observed_A", "observed_B", "mean", "std", "mcse", "hdi", "p_below"),
        *("p_rope", "p_above", "p_less", "p_greater", "bf_sd", "bf_rope"),
    ]
    cells = format_table([vars(evidence)], names, digits_for(evidence.std)).iloc[0]
    meanings = [meaning_of(name, evidence.rope, evidence.hdi_prob) for name in names]
    return pd.DataFrame({"evidence": cells.index, "value": cells.to_numpy(), "meaning": meanings})


def headings_of(result: Comparison) -> dict[str, str]:
    """Name the columns of scores by the systems."""
    a, b = result.names
    scores = {"psi_A": a, "psi_B": b, "observed_A": f"{a} observed", "observed_B": f"{b} observed"}
    return scores | ({"category": result.by} if result.groups else {})


def check_columns(columns: Any) -> tuple[str, ...]:
    """Check the names of columns of a comparison."""
    if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
        raise invalid("columns", "a list of names of columns", columns)
    names = [name for name in COLUMNS if name not in (*CONTEST, "prior", "half_width", "rho")]
    for name in columns:
        if name not in names:
            raise unknown("columns", name, names)
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
        if meaning := meaning_of(name, rope, hdi_prob):
            heading = (headings or {}).get(name, COLUMNS[name].heading)
            together.setdefault(meaning, []).append(one_line(heading))
    terms = {", ".join(headings): meaning for meaning, headings in together.items()}
    factors, tests = {"bf_sd", "bf_rope"} & {*columns}, {"sign_test", "t_test"} & {*columns}
    low = [*(["p < 0.05"] if tests else []), *(["Bayes factor < 1/3"] if factors else [])]
    terms |= {"⋆": " or ".join(low)} if low else {}
    terms |= {"‡": "Bayes factor > 3"} if factors else {}
    if "bf_sd" in columns and not defined:
        terms["?"] = (
            "not well-defined, as the prior density at 0 is infinite: it depends on the kernel's "
            "bandwidth and the number of draws, and BF_ROPE does not"
        )
    return terms | (DECISIONS | NO_DIRECTION if "decision" in columns else {})


def comparison_legend(
    result: Comparison, columns: Sequence[str], *, by_name: bool = True
) -> dict[str, str]:
    """Explain the columns and marks of a table of a comparison."""
    defined = all(result.evidence(category).bf_sd_defined for category in result.categories)
    return legend(columns, headings=headings_of(result) if by_name else None, defined=defined)


def contest_legend(result: Contest, columns: Sequence[str] = CONTEST) -> dict[str, str]:
    """Explain the columns of a table of a contest."""
    headings = contest_headings(result)
    return legend(columns, headings=headings, rope=result.rope, hdi_prob=result.hdi_prob)


def in_one_paragraph(terms: Mapping[str, str]) -> str:
    """Write a legend as text."""
    return "; ".join(f"{term}: {meaning}" for term, meaning in terms.items()) + "."


def meaning_of(name: str, rope: Any = None, hdi_prob: float | None = None) -> str:
    """Explain a column, with the ROPE and the probability of the HDI if they are given."""
    within = "" if rope is None else f" {format_rope(rope)}"
    level = "" if hdi_prob is None else f", with {format_level(hdi_prob)} of the posterior"
    return COLUMNS[name].meaning.format(rope=within, hdi_prob=level)
