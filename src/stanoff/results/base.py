"""What every result has: a fit, the question that is asked of it, and ways to show the answer."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from stanoff import plots
from stanoff._lib.arguments import Interval
from stanoff._lib.files import write_text
from stanoff.data.types import AVERAGES, Data
from stanoff.engines.draws import Draws
from stanoff.engines.provenance import Provenance
from stanoff.errors import InputError, invalid, unknown
from stanoff.fit import Fit
from stanoff.inference.posterior import StudentTPosterior
from stanoff.measures import Measure
from stanoff.models import Model
from stanoff.models.priors import Priors
from stanoff.question import Question
from stanoff.store.datatree import to_datatree
from stanoff.store.netcdf import save
from stanoff.text.render import write
from stanoff.workbench.predictive_check import Check, check

if TYPE_CHECKING:
    from cmdstanpy import CmdStanMCMC
    from matplotlib.axes import Axes
    from xarray import DataTree

Array = NDArray[np.float64]
Target = str | os.PathLike[str] | None


class PlotMethod:
    """A method that is a function of :mod:`stanoff.plots`, with its signature and docstring.

    The function, and Matplotlib with it, is loaded when the method is first used.

    Parameters
    ----------
    name : str
        The name of the function, which takes the result first.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, result: object | None, owner: type) -> Callable[..., Axes]:
        function: Callable[..., Axes] = getattr(plots, self.name)
        return function if result is None else MethodType(function, result)


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A question that is asked of a fit, and the answer.

    Nothing in it changes; what another ROPE, HDI, measure or average would say is had by
    :meth:`judge`, without fitting again. Where a ``category`` can be named, the average or the only
    category is meant by default.

    Attributes
    ----------
    fit : Fit
        What was observed, fitted and drawn.
    question : Question
        What is asked: measure, average, ROPE and HDI.
    """

    fit: Fit
    question: Question

    _checks: ClassVar[tuple[Callable[[Any], Iterator[str]], ...]]

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

        A share of what was observed is rounded to three digits: what is reported is what is used.
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
    def cmdstan_fits(self) -> tuple[CmdStanMCMC, ...]:
        """What cmdstanpy returned, of each run of the program; none if Stan did not draw here."""
        return self.fit.cmdstan_fits

    @property
    def stan_data(self) -> dict[str, Any]:
        """The data block of the program: with it, cmdstanpy can do what stanoff does not."""
        return self.fit.stan_data(self.measure)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the numbers, in words."""
        messages = (message for check in self._checks for message in check(self))
        return (*self.sampler_warnings, *self.data.notes, *messages)

    @property
    @abstractmethod
    def indices(self) -> tuple[int, ...]:
        """The indices of the systems among those of the fit."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the systems are called."""
        return tuple(self.data.systems[index] for index in self.indices)

    @property
    def categories(self) -> tuple[str, ...]:
        """The rows of the summary: every category, then the averages if one is asked for."""
        return self.data.categories + (AVERAGES if self.average else ())

    @property
    def default_category(self) -> str | None:
        """The row that is decided upon: the average, or the only category."""
        return self.average or (self.categories[0] if len(self.categories) == 1 else None)

    def resolve_category(self, category: str | None) -> str:
        """Check the name of a row; by default it is the one that is decided upon."""
        row = category if category is not None else self.default_category
        if row is None:
            raise InputError(f"Say which category: one of {', '.join(self.categories)}.")
        if row not in self.categories:
            raise unknown("category", row, self.categories)
        return row

    @cached_property
    def observed(self) -> Array:
        """The scores of the data themselves (system, row); NaN where there are none."""
        scores = self.model.observed_scores(self.data, self.measure, self.average)
        return scores[list(self.indices)]

    @property
    @abstractmethod
    def draws(self) -> Draws:
        """All draws by the names of the Stan programs, with the scores of this question."""

    def closed_form(
        self, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[StudentTPosterior, StudentTPosterior | None] | None:
        """Return posterior and prior of differences of systems by index, where they are a t."""
        if self.engine != "exact":
            return None
        students = self.model.closed_form(self.data, self.prior, first, second)
        if students is None:
            return None
        posterior, prior = (
            None if t is None else StudentTPosterior(t.degrees, t.location, t.scale)
            for t in students
        )
        assert posterior is not None
        return posterior, prior

    def judge(self, **changes: Any) -> Self:
        """Ask another question of the same draws; nothing is fitted again.

        Parameters
        ----------
        measure : str, optional
            Another measure. What 0/0 is stays as it was; ``beta`` and ``prevalence`` do not.
        beta, zero_division, prevalence : float, optional
            Other settings of the measure.
        average : str, optional
            Another average.
        rope : float or tuple of float, optional
            Another region of practical equivalence.
        hdi_prob : float, optional
            Another probability of the interval.

        Examples
        --------
        >>> from stanoff import compare_counts
        >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
        >>> str(result.decision), str(result.judge(rope=0.01).decision)
        ('=', '>')
        """
        question = self.question.changed(**changes)
        if (question.measure, question.average) == (self.measure, self.average):
            return replace(self, question=question)
        return self._score_again(question)

    @abstractmethod
    def _score_again(self, question: Question) -> Self:
        """Compute the scores of another measure or average from the same draws."""

    @cached_property
    def tree(self) -> DataTree:
        """The draws as an ArviZ DataTree: posterior, prior, sample_stats, observed_data."""
        return to_datatree(self)

    def check(self) -> Check:
        """Describe in words what diagnostics and predictive checks say of the model and its draws.

        Examples
        --------
        >>> from stanoff import compare_counts
        >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
        >>> result.check().passed
        True
        """
        return check(self)

    @abstractmethod
    def sentence(self, category: str | None = None) -> str:
        """Describe the verdict in words to paste into a paper."""

    @abstractmethod
    def _as_text(self, style: str, **options: Any) -> str:
        """Write the result in one of the formats of tables."""

    @abstractmethod
    def _as_page(self) -> str:
        """Write the result as a page of HTML."""

    def to_markdown(self, path: Target = None) -> str:
        """Write the table, the verdict and the notes in Markdown, and to a file if one is named."""
        return write(self._as_text("markdown"), path)

    def to_latex(
        self, path: Target = None, *, caption: str | None = None, label: str | None = None
    ) -> str:
        """Write the table in LaTeX, for booktabs; by default the caption says what it shows."""
        return write(self._as_text("latex", caption=caption, label=label), path)

    def to_csv(self, path: Target = None) -> str:
        """Write the numbers of the summary as comma-separated values."""
        return write(self._as_text("csv"), path)

    def to_json(self, path: Target = None) -> str:
        """Write settings, numbers and words as JSON; NaN becomes null, infinity "inf"."""
        return write(self._as_text("json"), path)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the verdict, the table and the figures; it needs no network.

        Its readers can apply a ROPE of their own: the draws are in it.
        """
        return write_text(path, self._as_page())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all of it to a NetCDF file, which :func:`stanoff.load` and ArviZ read."""
        return save(self, path)

    def __str__(self) -> str:
        if self.default_category is None:
            return "\n".join(self.sentence(category) for category in self.categories)
        return self.sentence()
