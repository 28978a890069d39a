"""A model that is a Stan program of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from stanoff.data.items import ItemValues
from stanoff.data.types import Data
from stanoff.engines.programs import program_hash
from stanoff.errors import InputError
from stanoff.measures import Measure, ScoreMeasure
from stanoff.models import paired, unpaired
from stanoff.models.base import Array, Block, Model, Variables
from stanoff.models.declared import REPLICATED, Program, examine, observed_of, own_data
from stanoff.models.offers import COUNTED, DATA, asked_measure, gathered, kind_asked, weighted
from stanoff.models.priors import NAMED, Priors
from stanoff.models.priors import WEIGHTS as WEIGHTS_OF_PRIORS
from stanoff.models.values import ONLY
from stanoff.models.weights import WEIGHTS


def own_model(path: Path) -> Model:
    """Make a model of a program that keeps to the contract.

    A program is examined once per process, and again only where it has changed.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    return _own_model(path, program_hash(path))


@lru_cache(maxsize=64)
def _own_model(path: Path, digest: str) -> Model:
    program = examine(path)
    if program.problems:
        raise InputError(f"{path} cannot be used: {' '.join(program.problems)}")
    return model_of(program)


def model_of(program: Program, given: Mapping[str, Any] | None = None) -> OwnModel:
    """Make a model of what a program declares; the program itself need not be there any more."""
    path, asked, known = program.path, program.inputs, given or {}
    return OwnModel(
        name=path.stem,
        data=lambda data, prior: {
            **gathered(str(path), asked, data),
            **weighted(asked, prior),
            **known,
        },
        observed=observed_of(asked, program.outputs),
        dims=_dims(program),
        priors=NAMED if set(WEIGHTS_OF_PRIORS) & set(asked) else ONLY,
        file=path.resolve(),
        declared=program,
        given=known,
    )


def _dims(program: Program) -> dict[str, tuple[str, ...]]:
    """Name the dimensions of what is known by its name, and of its replications."""
    dims = {name: part.dims for name, part in DATA.items() if part.dims}
    dims |= {f"{name}{REPLICATED}": names for name, names in dims.items()}
    if kind_asked(program.inputs) == "labels":
        dims |= {**unpaired.DIMS, **paired.DIMS}
    declared = {**program.inputs, **program.outputs}
    return {
        name: names
        for name, names in dims.items()
        if declared.get(name, {}).get("dimensions") == len(names)
    }


@dataclass(frozen=True)
class OwnModel(Model):
    """A model whose program declares only part of the documented data.

    Attributes
    ----------
    declared : Program
        What the program declares.
    given : mapping
        What the user has of the data that only the user has, by name, as JSON has them.
    """

    declared: Program | None = None
    given: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return model_of, (self.declared, self.given)

    def with_data(self, data: Mapping[str, Any]) -> OwnModel:
        """Return the same program with data that only the user has, checked."""
        return model_of(self.program_of, own_data(self.program_of, data))

    @property
    def program_of(self) -> Program:
        """What the program declares."""
        assert self.declared is not None
        return self.declared

    @property
    def names_measure(self) -> bool:
        """Whether what it computes is the measure that is asked for, and not one of its own."""
        return "measure" in self.program_of.inputs or "cells_A" in self.program_of.outputs

    @property
    def emptied(self) -> tuple[str, ...]:
        """What is left out where the prior is drawn: counts of labels can be 0."""
        every = set(self.observed) <= set(COUNTED)
        return self.observed if every else ()

    def stan_data(self, data: Data, prior: Priors, measure: Measure) -> Block:
        """Gather what the program asks for, and nothing else."""
        own_data(self.program_of, self.given)  # a program by itself may lack some
        everything = super().stan_data(data, prior, measure) | asked_measure(measure)
        everything |= {"simulate": 1}
        asked = self.program_of.inputs
        return {name: values for name, values in everything.items() if name in asked}

    def named(self, measure: Measure) -> Measure:
        """Return the measure as it is called here: a program may compute a score of its own."""
        if self.names_measure:
            return measure
        name = f"the score of {self.name}"
        if isinstance(measure, ScoreMeasure):
            return replace(measure, name=name, title="")
        return replace(measure, name=name)

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Score the draws; without cells the program's own scores are all there is."""
        if "cells" in draws or average is not None:
            return super().scores(draws, measure, average)
        if "psi" in draws:
            return np.asarray(draws["psi"])
        delta = draws["delta"]
        return np.full((*delta.shape[:2], 2, delta.shape[2]), np.nan)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the data themselves; a program's own score is not known of these."""
        if not self.names_measure:
            return np.full((len(data.systems), len(data.categories)), np.nan)
        if isinstance(measure, ScoreMeasure):
            return WEIGHTS.observed_scores(data, measure, average)
        if isinstance(data, ItemValues):
            return data.observed[:, None]
        return super().observed_scores(data, measure, average)

    def has_other_measures(self, draws: Variables) -> bool:
        """Return whether the program generates cells, of which any measure can be had."""
        return "cells" in draws

    def difference(self, draws: Variables, psi: Array, pair: tuple[int, int]) -> Array:
        """Return delta, as the program tells it where it has no scores."""
        if {"cells", "psi"} & set(draws):
            return super().difference(draws, psi, pair)
        return np.asarray(draws["delta"] if pair == (0, 1) else -draws["delta"])
