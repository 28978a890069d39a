"""Models that are Stan programs of the user's own, checked before they are compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from stanoff.data.types import Data
from stanoff.engines.cmdstan import program_hash, program_sources
from stanoff.engines.toolchain import program_info
from stanoff.errors import InputError, invalid, unknown
from stanoff.measures import Measure, ScoreMeasure
from stanoff.models.base import Array, Inputs, Model, Variables
from stanoff.models.bootstrap import BOOTSTRAP
from stanoff.models.counts import Paired, Unpaired
from stanoff.models.inputs import INPUTS, OBSERVED, collect_inputs, data_kind, refuse_unseen
from stanoff.models.priors import Priors

LOG_PRIOR = ("log_prior", "lprior")
REP_SUFFIX = "_rep"  # c_pos_rep is c_pos as the model would draw it
OUTPUT_DIMENSIONS = {
    **dict.fromkeys(("delta", "psi_A", "psi_B"), (0, 1)),
    **dict.fromkeys(("cells_A", "cells_B"), (1, 2)),
}
Declarations = Mapping[str, Mapping[str, Any]]  # type and dimensions by name, as stanc tells them


@dataclass(frozen=True)
class Program:
    """What a Stan program declares, and what that means for stanoff.

    Attributes
    ----------
    path : Path
        The file.
    inputs : mapping
        Its data, each with type and number of dimensions.
    outputs : mapping
        Its parameters and what it computes of them, likewise.
    problems : tuple of str
        Why it cannot be used, in sentences.
    limits : tuple of str
        What will not be available, in sentences.
    parameters : mapping
        Its parameters alone; none of a program that was saved with a result.
    """

    path: Path
    inputs: Declarations
    outputs: Declarations
    problems: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    parameters: Declarations = field(default_factory=dict)

    @property
    def user_data(self) -> tuple[str, ...]:
        """The names of what only the user has."""
        return tuple(name for name in self.inputs if name not in INPUTS)

    @property
    def observed(self) -> tuple[str, ...]:
        """What it is about: of stanoff's data, and of the user's if it replicates them."""
        provided = [name for name in OBSERVED if name in self.inputs]
        users = [name for name in self.user_data if f"{name}{REP_SUFFIX}" in self.outputs]
        return (*provided, *users)

    @property
    def to_replicate(self) -> tuple[str, ...]:
        """What it must draw anew where it simulates: what it is about, less what it conditions on.

        A model of scores may condition on the truth; unless there is nothing else.
        """
        names = self.observed
        drawn = (name for name in names if name not in INPUTS or not INPUTS[name].conditioned)
        return tuple(drawn) or names


def inspect_program(path: Path) -> Program:
    """Read what a program declares, without compiling it, and hold it against the contract."""
    program_sources(path)  # which says what is wrong with a file that cannot be read
    info = program_info(path)
    blocks = ("parameters", "transformed parameters", "generated quantities")
    outputs = {name: declared for block in blocks for name, declared in info[block].items()}
    program = Program(path, info["inputs"], outputs, parameters=info["parameters"])
    problems, limits = tuple(_find_problems(program)), tuple(_find_limits(program))
    return replace(program, problems=problems, limits=limits)


def _find_problems(program: Program) -> Iterator[str]:
    """Say why a program cannot be used."""
    for name in (name for name in program.inputs if name in INPUTS):
        declared, offered = program.inputs[name], INPUTS[name]
        if declared["type"] != offered.type or declared["dimensions"] not in offered.dimensions:
            yield (
                f"Its data {name!r} must be {offered.type} with "
                f"{' or '.join(map(str, offered.dimensions))} dimensions, "
                f"not {declared['type']} with {declared['dimensions']}."
            )
    if not program.observed:
        yield f"It asks for nothing observed, none of {', '.join(OBSERVED)}."
    if "delta" not in program.outputs:
        yield "It does not generate delta, the difference that is judged."
    for name, dimensions in OUTPUT_DIMENSIONS.items():
        generated = program.outputs.get(name, {"dimensions": dimensions[0]})["dimensions"]
        if generated not in dimensions:
            yield f"{name} has {generated} dimensions, not {' or '.join(map(str, dimensions))}."
    if not program.parameters:
        yield "It has no parameters to sample."


def _find_limits(program: Program) -> Iterator[str]:
    """Say what will not be available, and why."""
    inputs, outputs = program.inputs, set(program.outputs)
    if data_kind(inputs) == "labels" and not {"cells_A", "cells_B"} <= outputs:
        yield "It does not generate cells_A and cells_B: no other measure, no averages."
    if not {"psi_A", "psi_B"} <= outputs:
        yield "It does not generate psi_A and psi_B: the two scores will not be shown."
    if "measure" not in inputs:
        yield "It does not declare measure: what it computes is called its own score."
    if "prior_only" not in inputs:
        yield "It does not declare prior_only: there will be no Bayes factors."
    replicates = [f"{name}{REP_SUFFIX}" for name in program.to_replicate]
    if not set(replicates) <= outputs:
        yield (
            f"It does not generate {' and '.join(replicates)}: no predictive checks, and to "
            "calibrate it takes a Python function that simulates."
        )
    if "log_lik" not in outputs:
        yield "It does not generate log_lik: no comparison by leave-one-out."


def check_user_data(program: Program, data: Mapping[str, Any]) -> dict[str, Any]:
    """Check what the user has of the data that only the user has; return it as JSON has it.

    Parameters
    ----------
    program : Program
        What declares them.
    data : mapping
        Numbers, lists of numbers or arrays, by name.
    """
    if not isinstance(data, Mapping):
        raise invalid("data", "a mapping of names to numbers", type(data).__name__)
    if missing := [name for name in program.user_data if name not in data]:
        near = get_close_matches(missing[0], INPUTS, n=1)
        hint = f"; or did you mean {near[0]}?" if near else "."
        listed = " and ".join(map(repr, missing))
        raise InputError(
            f"{program.path} cannot be used: It asks for data {missing[0]!r}, which stanoff does "
            f"not have: pass data= with {listed}{hint}"
        )
    for name in (name for name in data if name not in program.user_data):
        if name in program.inputs:
            raise invalid("data", f"without {name!r}, which stanoff has of its own", name)
        raise unknown("data", name, program.user_data or ["(nothing: it declares none)"])
    declared = program.inputs
    return {name: _as_declared(name, data[name], declared[name]) for name in program.user_data}


def _as_declared(name: str, value: Any, declared: Mapping[str, Any]) -> Any:
    """Read one number or array as the program declares it."""
    kind, dimensions = declared["type"], declared["dimensions"]
    if isinstance(value, str) and dimensions == 1:
        return value  # the name of a column, which is read with the data
    try:
        numbers = np.asarray(value)
    except ValueError:
        numbers = np.asarray(None)
    whole = numbers.dtype.kind == "f" and np.all(numbers == np.floor(numbers))
    if numbers.dtype == bool or (kind == "int" and whole):
        numbers = numbers.astype(np.int64)
    numeric = numbers.dtype.kind in ("iu" if kind == "int" else "iuf")
    right_shape = numbers.ndim == dimensions or not numbers.size
    if not (numeric and np.isfinite(numbers).all() and right_shape):
        rule = f"{kind} with {dimensions} dimensions" if dimensions else f"one {kind}"
        raise invalid(f"data.{name}", f"finite, {rule}", value)
    return numbers.tolist()


def custom_model(path: Path) -> Model:
    """Make a model of a program that keeps to the contract.

    A program is inspected once per process, and again only where it has changed.
    """
    return _custom_model(path, program_hash(path))


@lru_cache(maxsize=64)
def _custom_model(path: Path, digest: str) -> Model:
    program = inspect_program(path)
    if program.problems:
        raise InputError(f"{path} cannot be used: {' '.join(program.problems)}")
    return CustomModel(program)


class CustomModel(Model):
    """A model whose program declares only some of the documented data.

    Attributes
    ----------
    program : Program
        What the program declares; the file itself need not be there any more.
    user_data : mapping
        The data that only the user has, by name, as JSON has them.
    """

    def __init__(self, program: Program, user_data: Mapping[str, Any] | None = None) -> None:
        self.program, self.user_data = program, dict(user_data or {})
        self.name, self.observed = program.path.stem, program.observed
        self.inputs = {name: declared["dimensions"] for name, declared in program.inputs.items()}
        self.dims = _name_dims(program)

    def with_data(self, data: Mapping[str, Any]) -> CustomModel:
        """Return the same program with data that only the user has, checked."""
        return CustomModel(self.program, check_user_data(self.program, data))

    @property
    def own_columns(self) -> dict[str, str]:
        """Which of the user's data are names of columns."""
        return {name: value for name, value in self.user_data.items() if isinstance(value, str)}

    @property
    def by_document(self) -> bool:
        """Whether it asks for documents one by one, which then keep the user's order."""
        return bool({"truth", "said", *self.own_columns} & set(self.program.inputs))

    @property
    def stan_file(self) -> Path:
        """Where its program is."""
        return self.program.path.resolve()

    @property
    def computes_measure(self) -> bool:
        """Whether it computes the measure that is asked for, and not one of its own."""
        return "measure" in self.program.inputs or "cells_A" in self.program.outputs

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return what the program asks for, and nothing else."""
        check_user_data(self.program, self.user_data)  # a program by itself may lack some
        for name, column in self.own_columns.items():
            raise invalid(f"data.{name}", "numbers where no table has columns", column)
        path = str(self.program.path)
        stan_data = collect_inputs(path, self.inputs, data, prior, measure)
        refuse_unseen(path, self.inputs, data)
        return stan_data | self.user_data

    def label_measure(self, measure: Measure) -> Measure:
        """Return the measure as it is called here: a program may compute a score of its own."""
        if self.computes_measure:
            return measure
        untitled: dict[str, Any] = {"title": ""} if isinstance(measure, ScoreMeasure) else {}
        return replace(measure, name=f"the score of {self.name}", **untitled)

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Score the draws; without cells the program's own scores are all there is."""
        if average is None and {"cells", "psi"}.isdisjoint(draws):
            delta = draws["delta"]
            return np.full((*delta.shape[:2], 2, delta.shape[2]), np.nan)
        return super().scores(draws, measure, average)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the data themselves; a program's own score is not known of these."""
        if not self.computes_measure:
            return np.full((len(data.systems), len(data.categories)), np.nan)
        if isinstance(measure, ScoreMeasure):
            return BOOTSTRAP.observed_scores(data, measure, average)
        return super().observed_scores(data, measure, average)


def _name_dims(program: Program) -> dict[str, tuple[str, ...]]:
    """Name the dimensions of what is known by its name, and of its replications."""
    dims = {name: offered.dims for name, offered in INPUTS.items() if offered.dims}
    dims |= {f"{name}{REP_SUFFIX}": names for name, names in dims.items()}
    if data_kind(program.inputs) == "labels":
        dims |= {**Unpaired.dims, **Paired.dims}
    declared = {**program.inputs, **program.outputs}
    return {
        name: names
        for name, names in dims.items()
        if declared.get(name, {}).get("dimensions") == len(names)
    }
