"""What every result has: a fit, the question that is asked of it, and ways to show the answer."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, prod
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from stanoff import plots
from stanoff._lib.arguments import Interval
from stanoff._lib.escaping import shown
from stanoff._lib.files import write_text
from stanoff.data.folds import FoldValues
from stanoff.data.types import AVERAGES, Data
from stanoff.engines.draws import Draws
from stanoff.engines.sampling import Provenance
from stanoff.errors import InputError, invalid, unknown
from stanoff.fit import Fit
from stanoff.inference.decision import Claim, claim_of, times_to_resolve
from stanoff.inference.posterior import Posterior, StudentTPosterior
from stanoff.measures import Measure
from stanoff.models import Model
from stanoff.models.custom import CustomModel
from stanoff.models.priors import Priors
from stanoff.options import OF_CONTESTS
from stanoff.question import Question
from stanoff.store.netcdf import save, to_datatree
from stanoff.text.envelope import flatten, result_envelope
from stanoff.text.export import result_text
from stanoff.text.render import write
from stanoff.text.sentences import describe_groups
from stanoff.workbench.predictive_check import check, loo, loo_pit

if TYPE_CHECKING:
    from cmdstanpy import CmdStanMCMC
    from matplotlib.axes import Axes

MAX_TIMES_AS_MANY = 20  # draws, where a verdict hangs on them
MAX_NUMBERS = 20_000_000  # of the posterior, in all draws
# Numbers of data and posterior, times draws: some seconds of each engine. The clock would let
# what a seed gives depend on the machine, and on what else it does.
MAX_WORK = {"exact": 200_000_000, "stan": 5_000_000}
ALL = "all"  # what the row of all documents is called beside those of groups
RULE = ("measure", "average", "rope", "rope_of", "hdi_prob")  # what a verdict depends on
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


class Exported:
    """What is written as a table, as numbers and as a page."""

    @abstractmethod
    def _as_page(self) -> str:
        """Write the result as a page of HTML."""

    def to_markdown(self, path: Target = None, **options: Any) -> str:
        """Write the table, the verdict and the notes in Markdown, and to a file if one is named.

        Parameters
        ----------
        path : path, optional
            The file.
        **options
            Of a comparison ``columns``, as in :meth:`table`.
        """
        return write(result_text(self, "markdown", **options), path)

    def to_csv(self, path: Target = None) -> str:
        """Write the numbers of the summary as comma-separated values."""
        return write(result_text(self, "csv"), path)

    def to_json(self, path: Target = None) -> str:
        """Write data, settings, numbers and words as JSON; NaN becomes null, infinity "inf".

        ``stanoff schema`` prints its JSON Schema, which all commands keep to.
        """
        return write(result_text(self, "json"), path)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the verdict, the table and the figures; it needs no network.

        Its readers can apply a ROPE of their own: the draws are in it.
        """
        return write_text(path, self._as_page())


@dataclass(frozen=True, eq=False, repr=False)
class Result(Exported):
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
    groups : mapping
        With ``by=``, the result of every group of the documents, by its name.
    """

    fit: Fit
    question: Question
    groups: Mapping[str, Self] = field(default_factory=dict, kw_only=True)

    is_pair: ClassVar[bool] = False  # whether it is about two systems, called A and B
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
    def measure_label(self) -> str:
        """What tables and pages call the measure: of scores of folds, what these are."""
        if isinstance(self.data, FoldValues):
            return self.data.metric
        return self.measure.label

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
        if high > 0 and self._in_units_of_score(high, self.question.rope_of) == 0:
            of = self.question.rope_of
            raise invalid("rope", f"in the score's own unit, where the observed {of} is 0", "0")
        return (
            self._in_units_of_score(low, self.question.rope_of),
            self._in_units_of_score(high, self.question.rope_of),
        )

    @property
    def hdi_prob(self) -> float:
        """The probability of the highest density interval."""
        return self.question.hdi_prob

    @property
    def decision_rule(self) -> dict[str, Any]:
        """What turns a posterior into a decision: ROPE, HDI and which way is better."""
        better = self.measure.higher_is_better
        return {"rope": self.rope, "hdi_prob": self.hdi_prob, "higher_is_better": better}

    def _in_units_of_score(self, share: float, of: str | None) -> float:
        """Return a share of what was observed, rounded to three digits, or a number as it is."""
        if of is None:
            return share
        scale = self.data.scale(of)
        if self.data.kind == "numbers" and of == "mean":
            scale = float(np.abs(self.observed.mean()))
        return float(f"{share * scale:.3g}")

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What ``not_worse_by`` or ``better_by`` claims, of every candidate; nothing without."""
        if self.question.claim is None:
            return ()
        option, margin = self.question.claim
        margin = self._in_units_of_score(margin, self.question.margin_of)
        rule = {name: value for name, value in self.decision_rule.items() if name != "rope"}
        return tuple(claim_of(p, about, option, margin, **rule) for about, p in self._claimed())

    def claims_of(self, category: str | None) -> list[Claim]:
        """Return the claims about one row, by default the one that is decided upon."""
        row = self.default_category if category is None else category
        return [claim for claim in self.claims if claim.category == row]

    @abstractmethod
    def _claimed(self) -> Iterator[tuple[tuple[str, str, str], Posterior]]:
        """Yield category, candidate and baseline with the posterior of their difference."""

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
        """What to know before trusting the numbers: of the sampler, the data and this question.

        Then comes what is true of a group only.
        """
        messages = (message for check in self._checks for message in check(self))
        of_whole = (*self.sampler_warnings, *self.data.notes, *messages)
        of_groups = (
            f"{shown(self.by)} {shown(name)}: {message}"
            for name, group in self.groups.items()
            for message in group.warnings
            if message not in of_whole
        )
        return (*of_whole, *of_groups)

    @property
    def by(self) -> str:
        """What the groups are groups of: the name of their column."""
        return self.data.source.get("by", "group")

    @property
    def whole(self) -> Self:
        """The same without groups."""
        return replace(self, groups={}) if self.groups else self

    @property
    def summary_rows(self) -> dict[str, tuple[Self, str]]:
        """The rows of the summary: a result and its category, by name; groups before the whole."""
        if not self.groups:
            return {category: (self, category) for category in self.categories}
        results = {**self.groups, ALL: self}
        return {name: (result, result.resolve_category(None)) for name, result in results.items()}

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
        known = self.model.closed_form(self.data, self.prior, first, second)
        if known is None:
            return None
        posterior, prior = known
        return StudentTPosterior(*posterior), None if prior is None else StudentTPosterior(*prior)

    @cached_property
    def exact_differences(self) -> tuple[StudentTPosterior, StudentTPosterior | None] | None:
        """Posterior and prior of the difference of every pair, where they are a t."""
        indices = np.array(self.indices)
        first, second = np.triu_indices(len(indices), 1)
        return self.closed_form(indices[first], indices[second])

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
        for name in OF_CONTESTS:
            if self.is_pair and changes.get(name) is not None:
                raise invalid(name, "None where two systems are compared", changes[name])
        judged = self._judge(self.question.changed(**changes))
        groups = {name: group.judge(**changes) for name, group in self.groups.items()}
        return replace(judged, groups=groups)

    def _judge(self, question: Question) -> Self:
        """Ask another question of the same draws, and not of groups."""
        result = self
        if any(getattr(question, name) != getattr(self.question, name) for name in RULE):
            # Another verdict must not depend on how many draws this one took.
            first = self.fit.first_run(self.measure)
            result = self if first is self.fit else self._ask(first, self.question)
        if (question.measure, question.average) == (self.measure, self.average):
            return replace(result, question=question)
        lone_score = isinstance(self.model, CustomModel) and "cells" not in self.fit.draws.posterior
        if lone_score and question.measure != self.measure:
            raise InputError(
                f"{self.model.name} does not generate cells_A and cells_B, so that there are no "
                "averages and no other measures."
            )
        return result._ask(result.fit, question)

    @abstractmethod
    def _ask(self, fit: Fit, question: Question) -> Self:
        """Ask a question of draws of the same systems."""

    def with_enough_draws(self) -> Self:
        """Go on drawing where an end of the HDI is within Monte-Carlo error of the ROPE's.

        Up to twenty times as many draws as at first, fewer of large data, and no more of a program
        of the user's: that the verdict may depend on the seed is in the sentence all the same.
        """
        arrays = (values for values in vars(self.data).values() if isinstance(values, np.ndarray))
        n_data, draws = sum(values.size for values in arrays), prod(self.fit.draws.shape)
        size = sum(values.size for values in self.fit.draws.posterior.values())
        most = MAX_NUMBERS // max(1, size), MAX_WORK[self.fit.engine] // (size + draws * n_data)
        limit = min(MAX_TIMES_AS_MANY, *most)
        settled = self.default_category is None or self.exact_differences is not None
        if settled or isinstance(self.model, CustomModel):
            return self
        result, first, times = self, self.fit.draws.shape[1], 1
        while times < limit and (wanted := times_to_resolve(result._ends(), self.rope)) > 1:
            times = ceil(min(limit, times * wanted))
            longer = self.fit.extend(first * times, self.measure)
            result = self._ask(longer, self.question)
        return result

    @abstractmethod
    def _ends(self) -> Iterator[tuple[float, float, float]]:
        """Yield the HDIs that are judged, each with the Monte-Carlo error of its ends."""

    # The draws as an ArviZ DataTree: posterior, prior, sample_stats, observed_data.
    tree = cached_property(to_datatree)

    check = check
    loo = loo
    loo_pit = loo_pit
    save = save

    @abstractmethod
    def sentence(self, category: str | None = None) -> str:
        """Describe the verdict in words to paste into a paper."""

    def to_latex(
        self,
        path: Target = None,
        *,
        columns: str | Sequence[str] = "column",
        caption: str | None = None,
        label: str | None = None,
        longtable: bool = False,
    ) -> str:
        """Write the table in LaTeX, for booktabs; it fits a column of an article.

        Parameters
        ----------
        path : path, optional
            The file.
        columns : str or sequence of str
            ``"column"``, or ``"full"`` for a table as wide as the page (``table*``); of a
            comparison also columns as in :meth:`table`.
        caption, label : str, optional
            Of the table; by default the caption says what it shows.
        longtable : bool
            Let it go over several pages, in a document of one column.
        """
        text = result_text(
            self, "latex", columns=columns, caption=caption, label=label, longtable=longtable
        )
        return write(text, path)

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return what :meth:`to_json` writes.

        Parameters
        ----------
        flat : bool
            Return flat keys with numbers and texts, as MLflow and other loggers take them: what is
            not there is left out.

        Examples
        --------
        >>> from stanoff import compare_counts
        >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
        >>> numbers = result.to_dict(flat=True)
        >>> numbers["decision"], numbers["results.1.p_rope"] == result.evidence().p_rope
        ('=', True)
        """
        content = result_envelope(self)
        return dict(flatten(content)) if flat else content

    @property
    def sentences(self) -> list[str]:
        """The verdict; where there is no average, that of every category."""
        if self.default_category is None:
            return [self.sentence(category) for category in self.categories]
        return [self.sentence(), *([describe_groups(self)] if self.groups else [])]

    @property
    def notes(self) -> list[str]:
        """The warnings that the sentences do not have."""
        return [f"Note: {w}" for w in self.warnings if w not in self.sampler_warnings]

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *self.notes])


R = TypeVar("R", bound=Result)


def with_groups(whole: R, groups: Mapping[str, Data], judge: Callable[[Data], R]) -> R:
    """Judge every group of the documents by itself; say which cannot be."""
    judged: dict[str, R] = {}
    notes = []
    for name, data in groups.items():
        try:
            judged[name] = judge(data)
        except InputError as error:
            notes.append(f"Group {shown(name)} is not judged: {error}")
    data = replace(whole.data, notes=(*whole.data.notes, *notes))
    return replace(whole, fit=replace(whole.fit, data=data), groups=judged)
