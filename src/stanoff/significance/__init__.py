"""Significance tests: those of Yang and Liu (1999), and those that Zhang et al. (2016) name."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from stanoff import measures
from stanoff._lib.arguments import check_choice
from stanoff.data.folds import DatasetFolds, FoldValues
from stanoff.data.items import ItemValues
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.significance import labels
from stanoff.significance.labels import mcnemar_test, proportion_test, sign_test, welch_test
from stanoff.significance.result import SignificanceResult, check_alternative, table
from stanoff.significance.values import (
    DeLong,
    anova_test,
    corrected_t_test,
    delong_test,
    five_by_two_test,
    fold_tests,
    friedman_test,
    item_tests,
    macro_rank_test,
    macro_sign_test,
    macro_t_test,
    paired_test,
    scores_of,
    wilcoxon_test,
)

__all__ = [
    "DeLong",
    "SignificanceResult",
    "all_tests",
    "anova_test",
    "columns",
    "corrected_t_test",
    "delong_test",
    "five_by_two_test",
    "fold_tests",
    "friedman_test",
    "item_tests",
    "macro_rank_test",
    "macro_sign_test",
    "macro_t_test",
    "mcnemar_test",
    "proportion_test",
    "sign_test",
    "table",
    "welch_test",
    "wilcoxon_test",
]

AVERAGES = ("both", "micro", "macro")
MACRO_TESTS = ("S-test", "T-test", "T'-test", "Wilcoxon")


def all_tests(
    data: Data,
    *,
    average: str = "both",
    measure: str = "f1",
    alternative: str = "two-sided",
    approximation: str | None = None,
    higher_is_better: bool = True,
) -> list[SignificanceResult]:
    """Do every test of two systems that the data allow.

    Parameters
    ----------
    data : Data
        Of unpaired counts there are no sign tests of decisions; with fewer than two categories
        there are no tests of scores per category. Of scored documents there is DeLong's test, of
        values per item there are those of :func:`item_tests`, of scores of folds those of
        :func:`fold_tests`, and of many data sets Wilcoxon's of their means (Demšar, 2006).
    average : str
        ``"micro"`` for the tests of pooled decisions, ``"macro"`` for those of scores per category,
        or ``"both"``.
    measure : str
        What the tests of scores per category compare.
    alternative, approximation : str, optional
        As in :func:`sign_test`; McNemar's are always two-sided.
    higher_is_better : bool
        Which way values per item are better.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("1",), [[30, 8, 1, 3]], [[2, 0, 1, 55]])
    >>> [result.test for result in all_tests(counts)][:3]
    ['s-test', 'McNemar exact', 'McNemar chi-square']
    """
    check_alternative(alternative)
    check_choice("average", average, AVERAGES)
    side: Any = {"alternative": alternative, "higher_is_better": higher_is_better}
    if isinstance(data, ItemValues):
        return item_tests(data, **side)
    if isinstance(data, DatasetFolds):
        a, b = data.means if higher_is_better else -data.means
        return [replace(wilcoxon_test(a, b, alternative=alternative), measure=data.metric)]
    if isinstance(data, FoldValues):
        return fold_tests(data, **side)
    if isinstance(data, Data) and data.kind == "scores":
        return [delong_test(data, alternative=alternative)]
    counts = labels.two_systems(data)
    several = len(counts.categories) > 1
    if average == "macro" and not several:
        raise InputError("Tests of scores per category need two categories at least; there is one.")
    results = []
    if average != "macro":
        if counts.paired:
            results.append(sign_test(counts, alternative=alternative, approximation=approximation))
            results += [mcnemar_test(counts, method=method) for method in ("exact", "chi2")]
        for proportion in labels.PROPORTIONS:
            results.append(proportion_test(counts, proportion, alternative=alternative))
        results.append(welch_test(counts, alternative=alternative))
    if several and average != "micro":
        score = measures.get(measure)
        if score.kind == "labels" and not np.isfinite(score(labels.confusion_of(counts))).all():
            fields: Any = {"note": f"{score.label} is infinite in some category"}
            unknown = score.label, nan, len(counts.categories), nan
            return results + [SignificanceResult(test, *unknown, **fields) for test in MACRO_TESTS]
        scores = scores_of(counts, None, measure)
        results += [paired_test(test, *scores, alternative, approximation) for test in MACRO_TESTS]
    return results


def columns(data: Data) -> dict[str, list[float]]:
    """Return the p-values of the sign test and the t-test, two-sided, a row per category.

    Of labels they are the columns "sign-test" and "t-test" of Tables 4 to 6 of Zhang et al. (2016):
    the exact s-test and Welch's t-test of accuracy. Of values per item they are the sign test and
    the paired t-test, of scores of folds there is the corrected t-test; else they are NaN.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("x", "y"), [[30, 8, 1, 3], [9, 0, 0, 1]], [[2, 0, 1, 55]] * 2)
    >>> {name: [round(p, 3) for p in column] for name, column in columns(counts).items()}
    {'sign_test': [0.021, 1.0], 't_test': [0.06, 0.701]}
    """
    if not isinstance(data, Data):
        raise invalid("data", "the data of a comparison", type(data).__name__)
    if data.cells is not None:
        return labels.label_columns(data)
    nothing = [nan] * len(data.categories)
    p_values = {"sign_test": nothing, "t_test": nothing}
    if isinstance(data, ItemValues):
        a, b = data.values[:2]
        signs, t = macro_sign_test(a, b), macro_t_test(a, b)
        p_values = {"sign_test": [signs.p_value], "t_test": [t.p_value]}
    elif type(data) is FoldValues:
        p_values["t_test"] = [corrected_t_test(data).p_value]
    return p_values
