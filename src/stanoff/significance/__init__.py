"""Significance tests: those of Yang and Liu (1999), and those that Zhang et al. (2016) name."""

from stanoff.significance.classical import (
    all_tests,
    anova_test,
    columns,
    friedman_test,
    item_tests,
    mcnemar_test,
    welch_test,
    wilcoxon_test,
)
from stanoff.significance.delong import DeLong, delong_test
from stanoff.significance.resampled import corrected_t_test, five_by_two_test, fold_tests
from stanoff.significance.result import SignificanceResult, table
from stanoff.significance.yang1999 import (
    macro_rank_test,
    macro_sign_test,
    macro_t_test,
    proportion_test,
    sign_test,
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
