"""Changes of a confusion matrix: t1 to t4 of Sokolova & Lapalme (2006), and one more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stanoff.measures import CELLS

Tables = NDArray[np.int64]


@dataclass(frozen=True)
class Transformation:
    """A change of a confusion matrix.

    Attributes
    ----------
    name : str
        T1 to t4 as in the paper, or ``"sizes"``.
    title : str
        What happens, in words.
    rule : str
        What becomes of the cells.
    kept, changed : str
        What it says of a measure that its value stays, or does not.
    in_paper : bool
        Whether Sokolova & Lapalme (2006) have it.
    """

    name: str
    title: str
    rule: str
    kept: str
    changed: str
    function: Callable[[Tables, Tables], Tables]
    in_paper: bool = True

    def __call__(self, tables: Tables, numbers: Tables) -> Tables:
        """Change tables of (tp, fp, fn, tn), each with two whole numbers that say by how much."""
        return self.function(tables, numbers)


def _set(cell: str) -> Callable[[Tables, Tables], Tables]:
    def change(tables: Tables, numbers: Tables) -> Tables:
        after = tables.copy()
        after[:, CELLS.index(cell)] = numbers[:, 0]
        return after

    return change


TRANSFORMATIONS = {
    transformation.name: transformation
    for transformation in (
        Transformation(
            "t1",
            "the classes change places",
            "tp ↔ tn, fn ↔ fp",
            "It does not tell positives from negatives.",
            "It sees which of the classes is the positive one.",
            lambda tables, _: tables[:, ::-1],
        ),
        Transformation(
            "t2",
            "the true negatives change",
            "tn → tn'",
            "It does not look at the negatives that are left alone.",
            "It sees how well negatives are left alone.",
            _set("tn"),
        ),
        Transformation(
            "t3",
            "the false positives change",
            "fp → fp'",
            "It does not look at the negatives that are called positive.",
            "It sees the negatives that are called positive.",
            _set("fp"),
        ),
        Transformation(
            "t4",
            "what is called positive and what is called negative is scaled",
            "k₁ tp, k₁ fp, k₂ fn, k₂ tn",
            "It judges what is called positive and what is called negative each by itself.",
            "It depends on how much is called positive and how much negative.",
            lambda tables, k: tables * k[:, [0, 0, 1, 1]],
        ),
        Transformation(
            "sizes",
            "the classes grow or shrink",
            "k₁ tp, k₁ fn, k₂ fp, k₂ tn",
            "It judges the positives and the negatives each by themselves.",
            "It depends on how common the positives are.",
            lambda tables, k: tables * k[:, [0, 1, 0, 1]],
            in_paper=False,
        ),
    )
}
OF_THE_PAPER = tuple(name for name, t in TRANSFORMATIONS.items() if t.in_paper)
