"""What every answer has: a fit, and the question that is asked of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval
from stanoff.data.types import AVERAGES, Data
from stanoff.engines.provenance import Provenance
from stanoff.errors import InputError, invalid, unknown
from stanoff.fit import Fit
from stanoff.measures import Measure
from stanoff.models import Model
from stanoff.models.priors import Priors
from stanoff.models.students import Student
from stanoff.question import Question


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A question that is asked of a fit; what it is about, by name.

    Attributes
    ----------
    fit : Fit
        What was observed, fitted and drawn.
    question : Question
        What is asked: measure, average, ROPE and HDI.
    """

    fit: Fit
    question: Question

    @property
    def data(self) -> Data:
        """What was observed."""
        return self.fit.data

    @property
    def model(self) -> Model:
        """What was fitted."""
        return self.fit.model

    @property
    def prior(self) -> Priors:
        """The prior weights."""
        return self.fit.prior

    @property
    def engine(self) -> str:
        """What drew: ``"stan"`` or ``"exact"``."""
        return self.fit.engine

    @property
    def seed(self) -> int:
        """The seed of the draws."""
        return self.fit.seed

    @property
    def measure(self) -> Measure:
        """The measure behind psi and delta."""
        return self.question.measure

    @property
    def average(self) -> str | None:
        """How the categories are averaged, or None."""
        return self.question.average

    @property
    def rope(self) -> Interval:
        """The region of practical equivalence, in the unit of the score.

        A share of what was observed is rounded to three digits: what is told is what is used.
        """
        low, high = self.question.rope
        if self.question.rope_of is None:
            return low, high
        scale = self.data.scale(self.question.rope_of)
        if scale == 0 and high > 0:
            of = self.question.rope_of
            raise invalid("rope", f"in the score's own unit, where the observed {of} is 0", "0")
        return float(f"{low * scale:.3g}"), float(f"{high * scale:.3g}")

    @property
    def hdi_prob(self) -> float:
        """The probability of the highest density interval."""
        return self.question.hdi_prob

    @property
    def sampler_warnings(self) -> tuple[str, ...]:
        """What the sampler complained of, in words."""
        return self.fit.sampler_warnings

    @property
    def provenance(self) -> Provenance:
        """The versions behind it, and the program that was run."""
        return self.fit.provenance

    @property
    def categories(self) -> tuple[str, ...]:
        """The rows of the summary: every category, then the averages if one is asked for."""
        return self.data.categories + (AVERAGES if self.average else ())

    @property
    def default_category(self) -> str | None:
        """The row that is decided upon: the average, or the only category."""
        return self.average or (self.categories[0] if len(self.categories) == 1 else None)

    def closed_form(
        self, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[Student, Student | None] | None:
        """Return the posterior of differences of systems by their places, where it is a t."""
        if self.engine != "exact":
            return None
        return self.model.closed_form(self.data, self.prior, first, second)

    def resolve_category(self, category: str | None) -> str:
        """Check the name of a row; by default it is the one that is decided upon."""
        row = category if category is not None else self.default_category
        if row is None:
            raise InputError(f"Say which category: one of {', '.join(self.categories)}.")
        if row not in self.categories:
            raise unknown("category", row, self.categories)
        return row
