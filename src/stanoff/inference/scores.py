"""The scores of two systems under a question: from draws of a model to psi and delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.engines.draws import Variables
from stanoff.errors import InputError
from stanoff.inference.posterior import SampledPosterior
from stanoff.measures import Measure
from stanoff.models import Model

if TYPE_CHECKING:
    from stanoff.question import Question

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Draws of the scores of two systems, and of their difference.

    Attributes
    ----------
    psi : ndarray
        The scores of A and B (chain, draw, 2, row); NaN where a program generates delta alone.
    delta : ndarray
        Their difference (chain, draw, row).
    """

    psi: Array
    delta: Array

    @classmethod
    def of(
        cls, model: Model, draws: Variables, question: Question, pair: tuple[int, int]
    ) -> Scores:
        """Score one group of draws for two of its systems.

        Parameters
        ----------
        model : Model
            The model that was drawn from.
        draws : mapping
            The posterior or the prior.
        question : Question
            The measure and the average.
        pair : tuple of int
            The indices of the two systems.
        """
        psi = model.scores(draws, question.measure, question.average)
        if pair != (0, 1) or psi.shape[2] > 2:
            psi = psi[:, :, list(pair)]
        psi = np.ascontiguousarray(psi)  # the last digit of a mean depends on the order in memory
        if "delta" in draws and {"cells", "psi"}.isdisjoint(draws):  # of a program without scores
            return cls(psi, draws["delta"] if pair == (0, 1) else -draws["delta"])
        with np.errstate(invalid="ignore"):  # both infinite: whoever asked finds out
            return cls(psi, np.asarray(psi[..., 0, :] - psi[..., 1, :]))

    def difference(self, rows: list[int], density_at_zero: Array) -> SampledPosterior:
        """Return the distribution of delta on some rows; its density at 0 may be known."""
        delta = np.ascontiguousarray(np.moveaxis(self.delta[..., rows], -1, 0))
        return SampledPosterior(delta, density_at_zero)

    def named(self) -> dict[str, NDArray[Any]]:
        """Return psi_A, psi_B and delta, the categories first and then the averages."""
        variables = {"delta": self.delta}
        if not np.isnan(self.psi).all():
            variables |= {"psi_A": self.psi[..., 0, :], "psi_B": self.psi[..., 1, :]}
        return variables


def check_defined(n_undefined: int, measure: Measure) -> None:
    """Raise an error if the measure has no difference in some posterior draws."""
    if not n_undefined:
        return
    reason = "0/0, and zero_division is NaN"
    if not np.isnan(measure.zero_division):
        reason = "infinite for both classifiers, or not a number"
    raise InputError(
        f"{measure.label} has no difference (delta is NaN) in {n_undefined} posterior draws, "
        f"where it is {reason}: choose another zero_division, another measure or a stronger prior."
    )
