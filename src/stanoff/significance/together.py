"""All tests that apply, in one table: none of them is perfect, and they are best used jointly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stanoff import measures
from stanoff._lib.arguments import check_choice
from stanoff.data.items import ItemValues
from stanoff.data.types import Data
from stanoff.errors import InputError
from stanoff.significance import items, micro
from stanoff.significance.delong import delong_test
from stanoff.significance.macro import (
    macro_rank_test,
    macro_sign_test,
    macro_t_test,
    wilcoxon_test,
)
from stanoff.significance.micro import (
    PROPORTIONS,
    cells_of,
    check_counts,
    mcnemar_test,
    proportion_test,
    sign_test,
    welch_test,
)
from stanoff.significance.result import SignificanceResult, check_options, undoable

AVERAGES = ("both", "micro", "macro")
MACRO_TESTS = ("S-test", "T-test", "T'-test", "Wilcoxon")


def all_tests(
    counts: Data,
    *,
    average: str = "both",
    measure: str = "f1",
    alternative: str = "two-sided",
    approximation: str | None = None,
) -> list[SignificanceResult]:
    """Do every test of two classifiers that the counts allow.

    Parameters
    ----------
    counts : Data
        Of unpaired counts there are no sign tests of decisions; with fewer than two categories
        there are no tests of scores per category. Of scored documents there is DeLong's.
    average : str
        ``"micro"`` for the tests of pooled decisions, ``"macro"`` for those of scores per category,
        or ``"both"``.
    measure : str
        What the tests of scores per category compare.
    alternative, approximation : str, optional
        As in :func:`sign_test`; McNemar's are always two-sided.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("1",), [[30, 8, 1, 3]], [[2, 0, 1, 55]])
    >>> [outcome.test for outcome in all_tests(counts)][:3]
    ['s-test', 'McNemar exact', 'McNemar chi-square']
    """
    check_options(alternative, approximation)
    check_choice("average", average, AVERAGES)
    if counts.kind == "scores":
        return [delong_test(counts, alternative=alternative)]
    one = len(check_counts(counts).categories) < 2
    if average == "macro" and one:
        raise InputError("Tests of scores per category need two categories at least; there is one.")
    outcomes = []
    if average != "macro":
        if counts.paired:
            outcomes.append(sign_test(counts, alternative=alternative, approximation=approximation))
            outcomes += [mcnemar_test(counts, method=how) for how in ("exact", "chi2")]
        outcomes += [proportion_test(counts, m, alternative=alternative) for m in PROPORTIONS]
        outcomes.append(welch_test(counts, alternative=alternative))
    if average != "micro" and not one:
        odd = _infinite(counts, measure)
        if odd is not None:
            return [*outcomes, *odd]
        outcomes += [
            test(counts, measure=measure, alternative=alternative, approximation=approximation)
            for test in (macro_sign_test, macro_t_test, macro_rank_test)
        ]
        outcomes.append(wilcoxon_test(counts, measure=measure, alternative=alternative))
    return outcomes


def columns(data: Data) -> dict[str, list[float]]:
    """Return the p-values of the sign test and the t-test, a row per category.

    Of labels they are the columns of Tables 4 to 6 of Zhang et al. (2016), of values per item the
    sign test and the paired t-test.
    """
    return items.columns(data) if isinstance(data, ItemValues) else micro.columns(data)


def _infinite(counts: Data, measure: str) -> list[SignificanceResult] | None:
    """Say of every test of scores that it cannot be done, where one of the scores is infinite."""
    chosen = measures.get(measure)
    if np.isfinite(chosen(cells_of(counts))).all():
        return None
    note = f"{chosen.label} is infinite in some category"
    n = len(counts.categories)
    return [
        undoable(test, chosen.label, note, n=n, alternative="two-sided") for test in MACRO_TESTS
    ]


def table(outcomes: Sequence[SignificanceResult]) -> pd.DataFrame:
    """Put outcomes into a table, a row each.

    Examples
    --------
    >>> outcome = SignificanceResult("S-test", "F1", 9.0, n=10, k=9, p_value=0.0215, direction=1)
    >>> table([outcome])[["test", "n", "k", "leans_to"]].to_dict("records")
    [{'test': 'S-test', 'n': 10, 'k': 9, 'leans_to': 'A'}]
    """
    names = ("test", "measure", "statistic", "n", "k", "p_value", "alternative", "leans_to", "note")
    rows = [{name: getattr(outcome, name) for name in names} for outcome in outcomes]
    return pd.DataFrame(rows, columns=list(names)).astype({"k": "Int64"})
