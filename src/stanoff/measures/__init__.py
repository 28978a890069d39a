"""Measures of one system: how they are computed, averaged, and what they do not see."""

from stanoff.measures.confusion import (
    CELLS,
    MEASURES,
    VALUES,
    Array,
    Confusion,
    Measure,
    at_prevalence,
    ratio,
)
from stanoff.measures.multiclass import (
    MULTICLASS,
    MulticlassMeasure,
    average_categories,
    average_classes,
)
from stanoff.measures.registry import ALIASES, get, name_of, register
from stanoff.measures.scores import NUMBERS, SCORES, ScoreMeasure

__all__ = [
    "ALIASES",
    "CELLS",
    "MEASURES",
    "MULTICLASS",
    "NUMBERS",
    "SCORES",
    "VALUES",
    "Array",
    "Confusion",
    "Measure",
    "MulticlassMeasure",
    "ScoreMeasure",
    "at_prevalence",
    "average_categories",
    "average_classes",
    "get",
    "name_of",
    "ratio",
    "register",
]
