"""The two objects that options become at the border: what is asked, and how it is drawn.

Each checks its own fields, however it is made. Options are declared in ``options.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stanoff import measures, models
from stanoff._lib.arguments import (
    Interval,
    as_executor,
    as_path,
    as_rope,
    as_seed,
    as_share,
    check_bool,
    check_choice,
    check_int,
    check_probability,
)
from stanoff.data.types import AVERAGES, ConfusionCounts
from stanoff.errors import InputError, invalid, no_option
from stanoff.measures import Measure, MulticlassMeasure
from stanoff.models import Model
from stanoff.models.custom import CustomModel
from stanoff.models.priors import Prior, Priors, as_prior
from stanoff.options import ENGINES, FIT, QUESTION, SAMPLING, select

# How many there may be at the least and at the most, which is for memory to hold.
COUNTS = (("chains", 1, 1000), ("draws", 4, 100_000_000), ("warmup", 1, None))
CLAIMS = ("not_worse_by", "better_by")
MARGIN_RULE = "a number from 0 on, or of values a share such as '2%'"
MEASURE_SETTINGS = ("beta", "zero_division", "prevalence", "clip", "higher_is_better")


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
    shrink : bool or None
        Whether the systems of a contest learn from each other where they are ranked; by default
        from four systems on.
    not_worse_by, better_by : float or None
        The margin of a claim to be judged, in the unit of the ROPE.
    margin_of : str or None
        What the margin is a share of.
    compare_to : str or None
        The system of a contest that claims are against; by default the leader.
    """

    measure: Measure
    average: str | None = None
    rope: Interval = (-0.05, 0.05)
    hdi_prob: float = 0.95
    rope_of: str | None = None
    shrink: bool | None = None
    not_worse_by: float | None = None
    better_by: float | None = None
    margin_of: str | None = None
    compare_to: str | None = None

    def __post_init__(self) -> None:
        rope, rope_of = _read_rope(self.rope, self.rope_of, self.measure)
        if self.average is None and isinstance(self.measure, MulticlassMeasure):
            _set(self, average="macro")  # all averages are the same
        if self.average is not None:
            check_choice("average", self.average, AVERAGES)
        if self.shrink is not None:
            check_bool("shrink", self.shrink)
        hdi_prob = check_probability("hdi_prob", self.hdi_prob)
        _set(self, rope=rope, rope_of=rope_of, hdi_prob=hdi_prob)
        if None not in (self.not_worse_by, self.better_by):
            raise invalid("better_by", "None where 'not_worse_by' is given", self.better_by)
        if self.claim is None and self.compare_to is not None:
            rule = "None without 'not_worse_by' or 'better_by', the claim that is against it"
            raise invalid("compare_to", rule, self.compare_to)
        if self.claim is not None:
            margin, of = _read_margin(*self.claim, self.measure)
            _set(self, **{self.claim[0]: margin}, margin_of=of or self.margin_of)

    @classmethod
    def read(cls, **options: Any) -> Question:
        """Make a question of options; None stands for the default.

        Examples
        --------
        >>> Question.read(measure="recall", rope=0.02).rope
        (-0.02, 0.02)
        """
        return cls(measures.get("f1")).changed(**options)

    @property
    def claim(self) -> tuple[str, float] | None:
        """Which claim is to be judged, and its margin."""
        claims = ((name, getattr(self, name)) for name in CLAIMS)
        return next((claim for claim in claims if claim[1] is not None), None)

    @property
    def rope_option(self) -> Interval | str:
        """The ROPE as the option takes it: two ends, or a share of what was observed."""
        if self.rope_of is None:
            return self.rope
        return f"{100 * self.rope[1]:.12g}% of {self.rope_of}"

    def for_model(self, model: Model | None) -> Question:
        """Return the question as a model takes it: classes are always averaged."""
        if model is None or model.accepts is not ConfusionCounts or self.average is not None:
            return self
        return replace(self, average="macro")

    def changed(self, **options: Any) -> Question:
        """Return the question with some options replaced; None leaves an option as it is.

        Another measure keeps what 0/0 is, but neither ``beta``, ``prevalence`` nor ``clip``.
        """
        _check_names("judge", options, QUESTION)
        changes = select(options, QUESTION)
        settings = select(changes, MEASURE_SETTINGS)
        changes = {name: value for name, value in changes.items() if name not in settings}
        if "measure" in changes or settings:
            changes["measure"] = self._changed_measure(changes.get("measure"), settings)
        for replaced, unit in (({"rope"}, "rope_of"), (set(CLAIMS), "margin_of")):
            if replaced & set(changes):
                changes[unit] = None
        question = replace(self, **changes)
        if "rope" in changes:
            _check_width(question, changes["rope"])
        return question

    def _changed_measure(self, name: Any, settings: dict[str, Any]) -> Measure:
        """Return another measure, or this one with other settings."""
        higher_is_better = settings.pop("higher_is_better", None)
        measure = self.measure
        if isinstance(name, Measure):
            measure = name
        elif name is not None:
            measure = measures.get(name, **({"zero_division": measure.zero_division} | settings))
        elif settings and measure.kind != "values":  # whose only setting is their direction
            present = {key: getattr(measure, key, None) for key in MEASURE_SETTINGS[:-1]}
            named = measures.name_of(measure) if measure.kind == "labels" else measure
            measure = measures.get(named, **(present | settings))  # type: ignore[arg-type]
        if higher_is_better is None:
            return measure
        if not _has_free_direction(measure):
            rule = f"None for {measure.label}, which has a direction of its own"
            raise invalid("higher_is_better", rule, higher_is_better)
        return replace(measure, higher_is_better=check_bool("higher_is_better", higher_is_better))


def _read_margin(name: str, margin: Any, measure: Measure) -> tuple[float, str | None]:
    """Read the margin of a claim, which is written as the half-width of a ROPE is."""
    try:
        number = float(margin) if isinstance(margin, str) and "%" not in margin else margin
        (low, high), of = _read_rope(number, None, measure)
    except ValueError:  # what InputError is, too
        raise invalid(name, MARGIN_RULE, margin) from None
    if low != -high:
        raise invalid(name, MARGIN_RULE, margin)
    return high, of


def _has_free_direction(measure: Measure) -> bool:
    """Return whether only the user knows which values of a measure are good."""
    if measure.name in measures.NUMBERS or measure.reads != measure.kind:
        return False  # rmse, r2, mae, mse
    return measure.kind == "values" or getattr(measure, "computed_from", "") == "callable"


def _read_rope(rope: Any, rope_of: str | None, measure: Measure) -> tuple[Interval, str | None]:
    """Read a ROPE, and what it is a share of; only values have a mean and a range to share."""
    if isinstance(rope, str) and measure.kind in ("values", "numbers"):
        return as_share(rope)
    if rope_of is not None:
        check_choice("rope_of", rope_of, ("mean", "range"))
    return as_rope(rope), rope_of


def _check_width(question: Question, rope: Any) -> None:
    """Refuse a ROPE that holds half of all scores; it was probably meant in hundredths."""
    low, high = question.measure.range
    if question.rope_of is not None or not question.rope[1] - question.rope[0] > (high - low) / 2:
        return
    label, hint = question.measure.label, " It holds the differences that do not matter."
    if isinstance(rope, int | float) and 1 <= rope < 50:
        hint = f" For {rope:g} of a hundred pass {rope / 100:g}."
    rule = f"at most half as wide as the range of {label}, which is {low:g} to {high:g}"
    raise invalid("rope", rule, rope, hint)


# Columns of values of which small ones are good.
COSTS = re.compile(r"(?:^|[^a-z])(?:errors?|loss(?:es)?|latency|latencies)(?:$|[^a-z])", re.I)


def check_direction(measure: Measure, higher_is_better: bool | None, names: Iterable[Any]) -> None:
    """Ask which way is better where the name of a column of values suggests that it is down.

    Examples
    --------
    >>> check_direction(measures.get("mean"), None, ["loss_a", "loss_b"])
    Traceback (most recent call last):
        ...
    stanoff.errors.InputError: 'loss_a' seems to hold values of which small ones are good: pass \
higher_is_better=False, or True if they are not.
    """
    if measure.kind != "values" or higher_is_better is not None or not measure.higher_is_better:
        return
    for name in names:
        if isinstance(name, str) and COSTS.search(name):
            hint = "pass higher_is_better=False, or True if they are not"
            raise InputError(f"{name!r} seems to hold values of which small ones are good: {hint}.")


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
        and Stan is not installed.
    chains, draws, warmup : int or None
        None takes the defaults of the engine.
    seed : int
        Makes the draws reproducible; a random one by default.
    sampler_options : mapping
        What else ``CmdStanModel.sample`` is told, such as ``adapt_delta``.
    output_dir : Path or None
        Where Stan's CSV files are kept.
    executor : Executor or None
        Who draws the categories of a contest, if it is not this process alone.
    progress : bool
        Whether to show on stderr how far it is.
    """

    model: Model | None = None
    prior: Priors = field(default_factory=Prior.uniform)
    engine: str | None = None
    chains: int | None = None
    draws: int | None = None
    warmup: int | None = None
    seed: int = field(default_factory=lambda: as_seed(None))
    sampler_options: Mapping[str, Any] = field(default_factory=dict)
    output_dir: Path | None = None
    executor: Any = field(default=None, compare=False, repr=False)
    progress: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        engine = check_choice("engine", "auto" if self.engine is None else self.engine, ENGINES)
        for name, least, most in COUNTS:
            if (count := getattr(self, name)) is not None:
                _set(self, **{name: check_int(name, count, least=least, most=most)})
        _set(
            self,
            prior=as_prior(self.prior),
            engine=None if engine == "auto" else engine,
            seed=as_seed(self.seed),
            output_dir=None if self.output_dir is None else as_path("output_dir", self.output_dir),
            executor=as_executor(self.executor),
        )

    @classmethod
    def read(cls, **options: Any) -> Sampling:
        """Make this object of options; None stands for the default.

        Beside the fields these are ``population``, which stands for a model, and ``data``: what
        a Stan program of the user's own declares and only the user has.

        Examples
        --------
        >>> Sampling.read(model="paired", engine="exact", seed=1).model.name
        'paired'
        """
        model = _read_model(*(options.pop(name, None) for name in ("model", "population", "data")))
        return cls(model, **select(options, tuple(options)))


def _set(frozen: Any, **values: Any) -> None:
    """Put checked values into a frozen dataclass while it is being made."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def _read_model(model: Any, population: Any, data: Mapping[str, Any] | None) -> Model | None:
    """Return the model that is named, or that of a population, with the user's own data."""
    selected = None if model is None else models.get(model)
    if population is not None:
        default = models.POPULATIONS[check_choice("population", population, models.POPULATIONS)]
        if selected is not None:
            raise invalid("population", "None where 'model' is given", population)
        selected = default
    if isinstance(selected, CustomModel):
        return selected.with_data({} if data is None else data)
    if data is not None:
        name = "the default model" if selected is None else selected.name
        raise invalid("data", f"None with {name}: it is for a Stan program of your own", data)
    return selected


def check_population(population: Any, measure: Measure) -> None:
    """Refuse a population for what is not judged item by item; all measures know new trainings."""
    if population not in (None, "trainings") and measure.kind != "values":
        rule = f"None for {measure.label}: only values per item have one"
        raise invalid("population", rule, population)


def read(**options: Any) -> tuple[Question, Sampling]:
    """Read options of both kinds at once.

    Examples
    --------
    >>> question, sampling = read(measure="mcc", seed=1)
    >>> question.measure.label, sampling.seed
    ('mcc', 1)
    """
    _check_names("compare", options, FIT)
    sampling = Sampling.read(**select(options, SAMPLING))
    question = Question.read(**select(options, QUESTION))
    check_population(options.get("population"), question.measure)
    return question.for_model(sampling.model), sampling


def _check_names(function: str, options: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in options:
        if name not in known:
            raise no_option(function, name, known)
