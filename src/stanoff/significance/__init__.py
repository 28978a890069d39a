"""Significance tests: those of Yang and Liu (1999), and those that Zhang et al. (2016) name."""

from stanoff.significance.micro import (
    columns,
    mcnemar_test,
    proportion_test,
    sign_test,
    welch_test,
)
from stanoff.significance.result import Significance

__all__ = [
    "Significance",
    "columns",
    "mcnemar_test",
    "proportion_test",
    "sign_test",
    "welch_test",
]
