"""Measures of one system: how they are computed, averaged, and what they do not see."""

from stanoff.measures.averages import average_categories, average_classes
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
from stanoff.measures.registry import ALIASES, get, name_of, register
from stanoff.measures.scores import SCORES, ScoreMeasure

__all__ = [
    "ALIASES",
    "CELLS",
    "MEASURES",
    "SCORES",
    "VALUES",
    "Array",
    "Confusion",
    "Measure",
    "ScoreMeasure",
    "at_prevalence",
    "average_categories",
    "average_classes",
    "get",
    "name_of",
    "ratio",
    "register",
]
