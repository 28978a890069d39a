"""Measures of one system: how they are computed, averaged, and what they do not see."""

from stanoff.measures.averages import averaged, of_classes
from stanoff.measures.cells import CELLS, MEASURES, Array, Cells, Measure, ratio, shifted
from stanoff.measures.means import VALUES
from stanoff.measures.ranking import SCORES, ScoreMeasure
from stanoff.measures.registry import ALIASES, get, name_of, register

__all__ = [
    "ALIASES",
    "CELLS",
    "MEASURES",
    "SCORES",
    "VALUES",
    "Array",
    "Cells",
    "Measure",
    "ScoreMeasure",
    "averaged",
    "get",
    "name_of",
    "of_classes",
    "ratio",
    "register",
    "shifted",
]
