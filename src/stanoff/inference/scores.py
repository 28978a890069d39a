"""The scores of two systems under a question: from draws of a model to psi and delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.engines.draws import Variables
from stanoff.errors import InputError
from stanoff.measures import Measure
from stanoff.models import Model

if TYPE_CHECKING:
    from stanoff.question import Question

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """What everything after the model knows of the draws.

    Attributes
    ----------
    psi : ndarray
        The scores of A and B (chain, draw, 2, row); NaN where a program tells only delta.
    delta : ndarray
        Their difference (chain, draw, row).
    """

    psi: Array
    delta: Array

    def check(self, measure: Measure) -> None:
        """Refuse posterior draws in which the measure has no difference."""
        refuse_undefined(int(np.isnan(self.delta).sum()), measure)

    def named(self, categories: int, averages: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        """Return psi_A, psi_B and delta of the categories, and of each average by its name."""
        rows: dict[str, int | slice] = {"": slice(0, categories)}
        rows |= {f"_{name}": categories + i for i, name in enumerate(averages)}
        out: dict[str, NDArray[Any]] = {}
        for ending, row in rows.items():
            if not np.isnan(self.psi[..., row]).all():
                for system, letter in enumerate("AB"):
                    out[f"psi_{letter}{ending}"] = self.psi[..., system, row]
            out[f"delta{ending}"] = self.delta[..., row]
        return out


def refuse_undefined(draws: int, measure: Measure) -> None:
    """Refuse draws in which the measure has no difference, if there are any."""
    if not draws:
        return
    why = "0/0, and zero_division is NaN"
    if not np.isnan(measure.zero_division):
        why = "infinite for both classifiers, or not a number"
    raise InputError(
        f"{measure.label} has no difference (delta is NaN) in {draws} posterior draws, "
        f"where it is {why}: choose another zero_division, another measure or a stronger prior."
    )


def scored(model: Model, draws: Variables, question: Question, pair: tuple[int, int]) -> Scores:
    """Score one group of draws for two of its systems.

    Parameters
    ----------
    model : Model
        What was drawn from.
    draws : mapping
        The posterior or the prior.
    question : Question
        The measure and the average.
    pair : tuple of int
        The places of the two systems.
    """
    psi = model.scores(draws, question.measure, question.average)
    if pair != (0, 1) or psi.shape[2] > 2:
        psi = psi[:, :, list(pair)]
    psi = np.ascontiguousarray(psi)  # the last digit of a mean depends on the order in memory
    return Scores(psi, model.difference(draws, psi, pair))
