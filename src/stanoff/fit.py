"""A fit: what was observed, what was fitted to it, and the draws; any question is asked of it."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff import models
from stanoff._lib.arguments import check_utf8
from stanoff.data.load import Rows
from stanoff.data.types import AVERAGES, SWAP_AB, Data
from stanoff.data.types import rows as rows_of
from stanoff.engines.cmdstan import offer_cmdstan
from stanoff.engines.diagnostics import diagnose
from stanoff.engines.draws import Draws, Variables, of_systems, swapped
from stanoff.engines.sampling import NOT_STAN, Provenance, gather_provenance, sample, select_engine
from stanoff.engines.stan import WARMUP, category_axes, to_json
from stanoff.errors import InputError, SamplingWarning, invalid, unknown
from stanoff.measures import Measure
from stanoff.models import Model
from stanoff.models.base import SHARED_DIMS, score_variable
from stanoff.models.bootstrap import Bootstrap
from stanoff.models.custom import CustomModel
from stanoff.models.patterns import Contest
from stanoff.models.priors import Priors, swap_prior
from stanoff.models.seeds import SeedsOfLabels
from stanoff.options import select
from stanoff.question import Question, Sampling

if TYPE_CHECKING:
    from cmdstanpy import CmdStanMCMC

FIRST_DRAWS = "first draws"  # in the settings of a fit that was extended: of each chain
PART = "contest"  # in the settings: of how many systems
# Dimensions of variables that are about all systems in their order, or about rows of the data.
ORDERED = {"pattern", "joint_cell", "confusion_cell", "contrast", "factor"}
SWAPPED_ORDERS = {"system": [1, 0], "classifier": [1, 0], "outcome": SWAP_AB}


@dataclass(frozen=True, eq=False)
class Fit:
    """A model fitted to data.

    Attributes
    ----------
    data : Data
        What was observed, with the names of the systems.
    model : Model
        What was fitted.
    prior : Prior or tuple of Prior
        The weights it was fitted with.
    engine : str
        ``"stan"`` or ``"exact"``.
    seed : int
        Makes the draws reproducible.
    draws : Draws
        The draws, with an axis for the systems.
    sampler_warnings : tuple of str
        What the sampler complained of, in words.
    provenance : Provenance
        The versions behind it, and the program that was run.
    rows : Rows or None
        The rows behind the counts, by reference; None where counts were given, or loaded.
    seconds : float
        How long drawing took; compiling a program does not count.
    """

    data: Data
    model: Model
    prior: Priors
    engine: str
    seed: int
    draws: Draws
    sampler_warnings: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    rows: Rows | None = field(default=None, repr=False)
    seconds: float = field(default=0.0, kw_only=True)

    @property
    def cmdstan_fits(self) -> tuple[CmdStanMCMC, ...]:
        """What cmdstanpy returned, of each run of the program; none if Stan did not draw here.

        Their CSV files go with the fit, unless ``output_dir`` keeps them.
        """
        offer_cmdstan()  # summary() and diagnose() need one
        return self.draws.cmdstan_fits

    def stan_data(self, measure: Measure) -> dict[str, Any]:
        """Return the data block of the program, which computes a measure."""
        return self.model.stan_data(self.data, self.prior, measure)

    def of_pair(self, a: str, b: str, question: Question) -> tuple[Fit, Question]:
        """Return the fit of two systems alone, if their data can be that, and the question to it.

        Parameters
        ----------
        a, b : str
            Their names.
        question : Question
            What is asked.
        """
        for parameter, name in (("a", a), ("b", b)):
            if name not in self.data.systems:
                raise unknown(parameter, name, self.data.systems)
        if a == b:
            raise invalid("b", "another system than 'a'", b)
        question = self.adapt_question(question)
        fit = self._of_pair(self.data.systems.index(a), self.data.systems.index(b))
        question = fit.adapt_question(question)
        return fit.with_measure(question.measure), question

    def with_measure(self, measure: Measure) -> Fit:
        """Return the fit with draws of another measure, where the model keeps scores alone.

        The same seed gives the same weights of documents: what is drawn again is the same
        posterior, draw by draw.
        """
        keeps_scores = isinstance(self.model, (SeedsOfLabels, Bootstrap))
        if not keeps_scores or score_variable(measure) in self.draws.posterior:
            return self
        posterior = {**self.draws.posterior, **resample(self, measure).posterior}
        return replace(self, draws=replace(self.draws, posterior=posterior))

    def adapt_question(self, question: Question) -> Question:
        """Return a question as the model takes it, or refuse what the data cannot answer."""
        check_kind(self.data, question.measure)
        clash = set(AVERAGES) & set(self.data.categories)
        if question.average is not None and clash:
            raise InputError(f"A category is called {clash.pop()!r}, like an average: rename it.")
        if not isinstance(self.model, CustomModel):
            return question
        return replace(question, measure=self.model.label_measure(question.measure))

    def _of_pair(self, a: int, b: int) -> Fit:
        """Return the fit of two systems alone and in this order, if their data can be that."""
        data, dims = self.data.pair(a, b), {**SHARED_DIMS, **self.model.dims}
        if data is self.data:
            return self
        model = models.PAIRED if isinstance(self.model, Contest) else self.model
        swap = len(self.data.systems) == 2 and model is self.model

        def of_two(group: Variables) -> Variables:
            group = {name: v for name, v in group.items() if ORDERED.isdisjoint(dims.get(name, ()))}
            if swap:
                return swapped(group, dims, SWAPPED_ORDERS)
            return of_systems(group, (a, b), self.model.dims)

        fit = self._part(data, of_two)
        draws = replace(fit.draws, cmdstan_fits=())
        prior = swap_prior(self.prior) if swap else self.prior
        return replace(fit, model=model, prior=prior, draws=draws)

    def of_category(self, index: int) -> Fit:
        """Return the fit of one category alone, with what it learned from the others."""
        axes = category_axes(self.model.dims)

        def of_one(group: Variables) -> Variables:
            return {
                name: np.take(values, [index], axis=axes[name]) if name in axes else values
                for name, values in group.items()
            }

        return self._part(rows_of(self.data, slice(index, index + 1)), of_one)

    def _part(self, data: Data, select: Callable[[Variables], Variables]) -> Fit:
        """Return the fit with some of the data, and of the draws."""
        posterior, prior = select(self.draws.posterior), select(self.draws.prior)
        fit = self._with_settings({**self.provenance.settings, PART: len(self.data.systems)})
        return replace(fit, data=data, draws=replace(self.draws, posterior=posterior, prior=prior))

    def extend(self, draws: int, measure: Measure) -> Fit:
        """Go on drawing by the same seed until every chain has so many draws.

        A longer run of CmdStan begins with the shorter one.
        """
        settings = self.provenance.settings
        settings = {FIRST_DRAWS: settings["draws"], **settings, "draws": draws}
        longer = self._with_settings(settings)
        return replace(longer, draws=resample(longer, measure))

    def first_run(self, measure: Measure) -> Fit:
        """Return the fit as it was before it was extended."""
        settings = dict(self.provenance.settings)
        if FIRST_DRAWS not in settings or self.is_part:
            return self
        settings["draws"] = settings.pop(FIRST_DRAWS)
        first = self._with_settings(settings)
        if self.engine == "exact":
            return replace(first, draws=resample(first, measure))
        posterior, stats = (
            {name: values[:, : settings["draws"]] for name, values in group.items()}
            for group in (self.draws.posterior, self.draws.sample_stats)
        )
        return replace(first, draws=replace(self.draws, posterior=posterior, sample_stats=stats))

    def _with_settings(self, settings: dict[str, Any]) -> Fit:
        return replace(self, provenance=replace(self.provenance, settings=settings))

    @property
    def is_part(self) -> bool:
        """Whether the draws are part of a contest's, and cannot be drawn by themselves."""
        return PART in self.provenance.settings


def check_kind(data: Data, measure: Measure) -> None:
    """Refuse a measure that takes something else than the systems have."""
    if measure.kind == data.kind:
        stored = data.source.get("values", "values")
        if measure.kind == "values" and stored != measure.reads:
            raise InputError(
                f"{measure.label} cannot be judged by the {stored} that were kept: compare anew."
            )
        return
    message = f"{measure.label} takes {measure.kind}, but the systems have {data.kind}"
    if (measure.name, data.kind) == ("auc", "labels"):
        message += (
            "; these have one point of the ROC curve, whose area is the balanced accuracy: pass "
            "measure='balanced_accuracy'"
        )
    raise InputError(f"{message}.")


def fit(data: Data, question: Question, sampling: Sampling) -> Fit:
    """Fit a model to data.

    Parameters
    ----------
    data : Data
        What was observed.
    question : Question
        A Stan program computes its measure; any other can be asked of the fit.
    sampling : Sampling
        The model, and how it is drawn.
    """
    if max(data.n_documents()) == 0:
        raise InputError("There is nothing to compare: all counts are 0.")
    for name in (*data.systems, *data.categories):
        check_utf8("labels", name)
    check_kind(data, question.measure)
    model, data = models.suit(sampling.model, data, sampling.engine)
    engine, why_not_stan = select_engine(model, sampling.engine)
    for name in ("warmup", "sampler_options", "output_dir"):
        if engine == "exact" and getattr(sampling, name):
            rule = "None where 'engine' is exact, which has none"
            raise invalid(name, rule, getattr(sampling, name))
    start = time.perf_counter()
    draws = sample(engine, model, data, sampling, question.measure)
    seconds = time.perf_counter() - start
    if draws.cmdstan_fits:
        seconds = sum(max(t["total"] for t in run.time) for run in draws.cmdstan_fits)
    settings: dict[str, Any] = dict(zip(("chains", "draws"), draws.shape, strict=True))
    if engine == "stan":
        settings["warmup"] = sampling.warmup or WARMUP
        if sampling.sampler_options:
            settings["sampler_options"] = json.loads(to_json(sampling.sampler_options))
        if sampling.output_dir is not None:
            settings["output_dir"] = str(sampling.output_dir)
    if why_not_stan:
        settings[NOT_STAN] = why_not_stan
    complaints = _sampler_warnings(draws, sampling) if engine == "stan" else ()
    provenance, prior = gather_provenance(model, engine, settings), sampling.prior
    run = draws, complaints, provenance
    return Fit(data, model, prior, engine, sampling.seed, *run, seconds=seconds)


def resample(fit: Fit, measure: Measure) -> Draws:
    """Draw the draws of a fit once more, by its seed.

    Parameters
    ----------
    fit : Fit
        Whose settings tell how much was drawn.
    measure : Measure
        What a Stan program computes.
    """
    settings = select(fit.provenance.settings, ("chains", "draws", "warmup", "sampler_options"))
    sampling = Sampling(fit.model, fit.prior, fit.engine, seed=fit.seed, **settings)
    return sample(fit.engine, fit.model, fit.data, sampling, measure)


def _sampler_warnings(draws: Draws, sampling: Sampling) -> tuple[str, ...]:
    """Warn of what the chains look like, and say what helps."""
    problems = diagnose(draws, max_treedepth=sampling.sampler_options.get("max_treedepth"))
    if not problems:
        return ()
    advice = "; ".join(dict.fromkeys(problems.values()))
    message = f"The sampler had trouble: {'; '.join(problems)}. What may help: {advice}."
    warnings.warn(message, SamplingWarning, stacklevel=4)
    return (message,)
