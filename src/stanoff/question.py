"""The two objects that options become at the border: what is asked, and how it is drawn.

Both are read and checked once, then handed on. To add an option, add it to its object and to the
``read`` of that object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from stanoff import measures, models
from stanoff._lib.arguments import (
    Interval,
    as_executor,
    as_rope,
    as_seed,
    as_share,
    check_bool,
    check_choice,
    check_int,
    check_probability,
)
from stanoff.data.types import AVERAGES
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models import Model
from stanoff.models.priors import Priors, as_prior

ENGINES = ("auto", "stan", "exact")
LEAST_DRAWS = 4
MOST_DRAWS = 100_000_000  # beyond the memory of most machines


class Judging(TypedDict, total=False):
    """The options of a :class:`Question`; :func:`stanoff.compare` explains them."""

    measure: str | Callable[..., Any]
    beta: float
    zero_division: float | str
    prevalence: float | None
    clip: float | None
    average: str | None
    rope: Any
    hdi_prob: float
    higher_is_better: bool | None


class Drawing(TypedDict, total=False):
    """The options of a :class:`Sampling`; :func:`stanoff.compare` explains them."""

    model: str | Path | None
    data: Mapping[str, Any] | None
    population: str | None
    prior: Priors | str | None
    engine: str | None
    chains: int | None
    draws: int | None
    warmup: int | None
    seed: int | None
    sampler_options: Mapping[str, Any] | None
    output_dir: str | Path | None
    executor: Any
    progress: bool


class Options(Judging, Drawing, total=False):
    """The options that every way of comparing takes."""


def as_engine(engine: Any) -> str | None:
    """Read which engine must draw; None if any may."""
    asked = check_choice("engine", "auto" if engine is None else engine, ENGINES)
    return None if asked == "auto" else asked


def as_chains(chains: Any) -> int | None:
    """Read how many chains to run."""
    return None if chains is None else _not_beyond("chains", check_int("chains", chains), 1000)


def as_draws(draws: Any) -> int | None:
    """Read how many draws each chain makes."""
    if draws is None:
        return None
    return _not_beyond("draws", check_int("draws", draws, least=LEAST_DRAWS), MOST_DRAWS)


def _with_data(model: Model | None, data: Mapping[str, Any] | None) -> Model | None:
    """Give a program of the user's own what only the user has."""
    if model is not None and hasattr(model, "with_data"):
        given: Model = model.with_data({} if data is None else data)
        return given
    if data is not None:
        told = "the default model" if model is None else model.name
        raise invalid("data", f"None with {told}: it is for a Stan program of your own", data)
    return model


def _not_beyond(parameter: str, value: int, most: int) -> int:
    if value > most:
        raise invalid(parameter, f"at most {most:,}", value)
    return value


@dataclass(frozen=True)
class Question:
    """What is asked of the draws; another question needs no other fit.

    Attributes
    ----------
    measure : Measure
        The score, with its settings.
    average : str or None
        How the categories are averaged.
    rope : tuple of float
        The region of practical equivalence.
    hdi_prob : float
        The probability of the highest density interval.
    rope_of : str or None
        What the ROPE is a share of: the observed ``"mean"`` or ``"range"`` of values.
    """

    measure: Measure
    average: str | None
    rope: Interval
    hdi_prob: float
    rope_of: str | None = None

    @classmethod
    def read(
        cls,
        *,
        measure: str | Callable[..., Any] = "f1",
        beta: float = 1.0,
        zero_division: float | str = 0.0,
        prevalence: float | None = None,
        clip: float | None = None,
        average: str | None = None,
        rope: Any = 0.05,
        hdi_prob: float = 0.95,
        higher_is_better: bool | None = None,
    ) -> Question:
        """Check the options and make a question of them.

        Examples
        --------
        >>> Question.read(measure="recall", rope=0.02).rope
        (-0.02, 0.02)
        """
        chosen = measures.get(
            measure, beta=beta, zero_division=zero_division, prevalence=prevalence, clip=clip
        )
        ends, of = _rope(rope, chosen)
        return cls(
            _turned(chosen, higher_is_better),
            None if average is None else check_choice("average", average, AVERAGES),
            ends,
            check_probability("hdi_prob", hdi_prob),
            of,
        )

    @property
    def rope_given(self) -> Interval | str:
        """The ROPE as the option takes it: two ends, or a share of what was observed."""
        if self.rope_of is None:
            return self.rope
        return f"{100 * self.rope[1]:.12g}% of {self.rope_of}"

    def for_model(self, model: Model | None) -> Question:
        """Return the question as a model takes it: classes are always averaged."""
        if model is None or not model.classes or self.average is not None:
            return self
        return replace(self, average="macro")

    def changed(
        self,
        *,
        measure: str | Callable[..., Any] | None = None,
        beta: float | None = None,
        zero_division: float | str | None = None,
        prevalence: float | None = None,
        clip: float | None = None,
        average: str | None = None,
        rope: Any = None,
        hdi_prob: float | None = None,
        higher_is_better: bool | None = None,
    ) -> Question:
        """Return the question with some parts replaced; None leaves a part as it is.

        Another measure keeps what 0/0 is, but neither ``beta``, ``prevalence`` nor ``clip``.
        """
        now = self.measure
        if isinstance(measure, Measure):
            now = measure
        elif measure is None and now.kind == "values":
            pass  # it has no settings but its direction
        elif any(x is not None for x in (measure, beta, zero_division, prevalence, clip)):
            same, clipped = measure is None, getattr(now, "clip", None)
            now = measures.get(
                _asked_again(now) if measure is None else measure,
                beta=beta if beta is not None else now.beta if same else 1.0,
                zero_division=now.zero_division if zero_division is None else zero_division,
                prevalence=now.prevalence if same and prevalence is None else prevalence,
                clip=clipped if same and clip is None else clip,
            )
        now = _turned(now, higher_is_better)
        ends, of = (self.rope, self.rope_of) if rope is None else _rope(rope, now)
        return Question(
            now,
            self.average if average is None else check_choice("average", average, AVERAGES),
            ends,
            self.hdi_prob if hdi_prob is None else check_probability("hdi_prob", hdi_prob),
            of,
        )


def _asked_again(measure: Measure) -> Any:
    """Return what stands for a measure: what it is registered as, or itself."""
    return measures.name_of(measure) if measure.kind == "labels" else measure


def _rope(rope: Any, measure: Measure) -> tuple[Interval, str | None]:
    """Read a ROPE, and what it is a share of; only values have a mean and a range to share."""
    if isinstance(rope, str) and measure.kind == "values":
        return as_share(rope)
    return as_rope(rope), None


def _turned(measure: Measure, higher_is_better: bool | None) -> Measure:
    """Return a measure with the direction that the user says, where it has none of its own."""
    if higher_is_better is None:
        return measure
    if measure.kind != "values" and getattr(measure, "how", "") != "anything":
        rule = f"None for {measure.label}, which has a direction of its own"
        raise invalid("higher_is_better", rule, higher_is_better)
    return replace(measure, higher_is_better=check_bool("higher_is_better", higher_is_better))


@dataclass(frozen=True)
class Sampling:
    """How the posterior is drawn.

    Attributes
    ----------
    model : Model or None
        None takes the default model of the data.
    prior : Prior or tuple of Prior
        The weights; in an unpaired model also one for A and one for B.
    engine : str or None
        None (``"auto"``) takes the default engine of the model, and exact draws where that is Stan
        and Stan is not to be had.
    chains, draws, warmup : int or None
        None takes the defaults of the engine.
    seed : int
        Makes the draws reproducible.
    sampler_options : mapping
        What else ``CmdStanModel.sample`` is told, such as ``adapt_delta``.
    output_dir : Path or None
        Where Stan's CSV files are kept.
    executor : Executor or None
        Who draws the categories of a contest, if it is not this process alone.
    progress : bool
        Whether to show on stderr how far it is.
    """

    model: Model | None
    prior: Priors
    engine: str | None
    chains: int | None
    draws: int | None
    warmup: int | None
    seed: int
    sampler_options: Mapping[str, Any] = field(default_factory=dict)
    output_dir: Path | None = None
    executor: Any = field(default=None, compare=False, repr=False)
    progress: bool = field(default=False, compare=False)

    @classmethod
    def read(
        cls,
        *,
        model: str | Path | None = None,
        data: Mapping[str, Any] | None = None,
        population: str | None = None,
        prior: Priors | str | None = None,
        engine: str | None = "auto",
        chains: int | None = None,
        draws: int | None = None,
        warmup: int | None = None,
        seed: int | None = None,
        sampler_options: Mapping[str, Any] | None = None,
        output_dir: str | Path | None = None,
        executor: Any = None,
        progress: bool = False,
    ) -> Sampling:
        """Check the options and gather them.

        Examples
        --------
        >>> Sampling.read(model="paired", engine="exact", seed=1).model.name
        'paired'
        """
        chosen = None if model is None else models.get(model)
        if population is not None:
            of_it = models.POPULATIONS[check_choice("population", population, models.POPULATIONS)]
            if chosen is not None:
                raise invalid("population", "None where 'model' is given", population)
            chosen = of_it
        return cls(
            model=_with_data(chosen, data),
            prior=as_prior(prior),
            engine=as_engine(engine),
            chains=as_chains(chains),
            draws=as_draws(draws),
            warmup=None if warmup is None else check_int("warmup", warmup),
            seed=as_seed(seed),
            sampler_options=dict(sampler_options or {}),
            output_dir=None if output_dir is None else Path(output_dir),
            executor=as_executor(executor),
            progress=progress,
        )

    def seeded(self, seed: int) -> Sampling:
        """Return the same with another seed."""
        return replace(self, seed=seed)


def check_population(population: Any, measure: Measure) -> None:
    """Refuse a population for what is not judged item by item."""
    if population is not None and measure.kind != "values":
        rule = f"None for {measure.label}: only values per item have one"
        raise invalid("population", rule, population)


def read(**options: Unpack[Options]) -> tuple[Question, Sampling]:
    """Read options of both kinds at once.

    Examples
    --------
    >>> question, sampling = read(measure="mcc", seed=1)
    >>> question.measure.label, sampling.seed
    ('mcc', 1)
    """
    judging = {name: value for name, value in options.items() if name in Judging.__annotations__}
    drawing = {name: value for name, value in options.items() if name not in judging}
    sampling = Sampling.read(**drawing)  # type: ignore[arg-type]
    question = Question.read(**judging)  # type: ignore[arg-type]
    check_population(options.get("population"), question.measure)
    return question.for_model(sampling.model), sampling
