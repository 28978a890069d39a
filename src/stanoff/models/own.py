"""A user's own Stan program: what it declares is read and checked before it is compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from stanoff._lib.processes import run
from stanoff.cmdstan.install import ensure_cmdstan
from stanoff.cmdstan.sources import program_hash
from stanoff.data.base import Data
from stanoff.data.counts import PairedCounts
from stanoff.errors import InputError, ToolchainError
from stanoff.measures import Measure
from stanoff.models import paired, unpaired
from stanoff.models.base import Array, Block, Model, Variables, kappa_data, stan_folder
from stanoff.models.priors import WEIGHTS, Priors, both, single

# What a program may ask for: the type and the numbers of dimensions it may declare.
DATA: dict[str, tuple[str, tuple[int, ...]]] = {
    "K": ("int", (0,)),
    **dict.fromkeys(("c_pos", "c_neg", "c_A", "c_B"), ("int", (2,))),
    **dict.fromkeys(("beta", "alpha_pos", "alpha_neg"), ("real", (1, 2))),
    **dict.fromkeys(("kappa_location", "kappa_scale"), ("real", (0,))),
    "measure": ("int", (0,)),
    **dict.fromkeys(("f_beta", "zero_division", "prevalence"), ("real", (0,))),
    "prior_only": ("int", (0,)),
}
COUNTS = ("c_pos", "c_neg", "c_A", "c_B")
DIMENSIONS = {
    "delta": (0, 1),
    "psi_A": (0, 1),
    "psi_B": (0, 1),
    "cells_A": (1, 2),
    "cells_B": (1, 2),
}


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
    """

    path: Path
    inputs: Mapping[str, Mapping[str, Any]]
    outputs: Mapping[str, Mapping[str, Any]]
    problems: tuple[str, ...]
    limits: tuple[str, ...]


def examine(path: Path) -> Program:
    """Read what a program declares, without compiling it, and hold it against the contract."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    stanc = ensure_cmdstan().path / "bin" / "stanc"
    folders = f"{stan_folder()},{path.resolve().parent}"
    try:
        (ran,) = run([[stanc, "--info", f"--include-paths={folders}", path.absolute()]])
    except OSError as error:
        raise ToolchainError(f"{stanc} cannot be run: {error.strerror}.") from error
    if ran.code or "{" not in ran.output:
        told = (ran.errors + ran.output).strip() or "stanc did not say why."
        raise InputError(f"{path} is not a Stan program. stanc says:\n{told}")
    told = json.loads(ran.output[ran.output.index("{") :])
    inputs = told["inputs"]
    outputs = {
        **told["parameters"],
        **told["transformed parameters"],
        **told["generated quantities"],
    }
    problems, limits = _problems(inputs, outputs), _limits(inputs, outputs)
    if not told["parameters"]:
        problems.append("It has no parameters to sample.")
    return Program(path, inputs, outputs, tuple(problems), tuple(limits))


def own_model(path: Path) -> Model:
    """Make a model of a program that keeps to the contract.

    A program is examined once per process, and again only where it has changed.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    return _own_model(path, program_hash(path, stan_folder()))


@lru_cache(maxsize=64)
def _own_model(path: Path, digest: str) -> Model:
    program = examine(path)
    if program.problems:
        raise InputError(f"{path} cannot be used: {' '.join(program.problems)}")
    return model_of(program)


def model_of(program: Program) -> OwnModel:
    """Make a model of what a program declares; the program itself need not be there any more."""
    path, asked = program.path, program.inputs
    dims = {**unpaired.DIMS, **paired.DIMS}
    return OwnModel(
        name=path.stem,
        data=lambda data, prior: _data(program, data, prior),
        observed=tuple(name for name in COUNTS if name in asked),
        dims={
            name: names
            for name, names in dims.items()
            if {**asked, **program.outputs}.get(name, {}).get("dimensions") == len(names)
        },
        file=path.resolve(),
        declared=program,
    )


def _data(program: Program, data: Data, prior: Priors) -> Block:
    """Gather what the program asks for of counts and prior weights."""
    asked, cells = program.inputs, data.cells
    if cells is None or ({"c_pos", "c_neg"} & set(asked) and not isinstance(data, PairedCounts)):
        raise InputError(f"{program.path} needs both classifiers on the same documents.")
    known: Block = {"c_A": cells[0], "c_B": cells[1]}
    if isinstance(data, PairedCounts):
        known |= {"c_pos": data.pos, "c_neg": data.neg}
    for name in WEIGHTS:  # a vector is for outcome pairs, two rows are for A and for B
        if name in asked and asked[name]["dimensions"] == 1:
            known[name] = single(prior).weights(name, 2 if name == "beta" else 4)
        elif name in asked:
            known[name] = np.stack([p.weights(name, 2) for p in both(prior)])
    known |= kappa_data(both(prior)[0])
    return {name: values for name, values in known.items() if name in asked}


@dataclass(frozen=True)
class OwnModel(Model):
    """A model whose program declares only part of the documented data."""

    declared: Program | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return model_of, (self.declared,)

    @property
    def program_of(self) -> Program:
        """What the program declares."""
        assert self.declared is not None
        return self.declared

    def stan_data(self, data: Data, prior: Priors, measure: Measure) -> Block:
        """Gather what the program asks for, and nothing else."""
        everything = super().stan_data(data, prior, measure)
        asked = self.program_of.inputs
        return {name: values for name, values in everything.items() if name in asked}

    def named(self, measure: Measure) -> Measure:
        """Return the measure as it is called here: a program may compute a score of its own."""
        if "measure" in self.program_of.inputs or "cells_A" in self.program_of.outputs:
            return measure
        return replace(measure, name=f"the score of {self.name}")

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
        scores = super().observed_scores(data, measure, average)
        return scores if self.named(measure) == measure else np.full_like(scores, np.nan)

    def has_other_measures(self, draws: Variables) -> bool:
        """Return whether the program generates cells, of which any measure can be had."""
        return "cells" in draws

    def difference(self, draws: Variables, psi: Array, pair: tuple[int, int]) -> Array:
        """Return delta, as the program tells it where it has no scores."""
        if {"cells", "psi"} & set(draws):
            return super().difference(draws, psi, pair)
        return np.asarray(draws["delta"] if pair == (0, 1) else -draws["delta"])


def _problems(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[str]:
    told = []
    for name, declared in inputs.items():
        if name not in DATA:
            near = get_close_matches(name, DATA, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(DATA)}."
            told.append(f"It asks for data {name!r}, which stanoff does not have; {hint}")
            continue
        kind, dimensions = DATA[name]
        if declared["type"] != kind or declared["dimensions"] not in dimensions:
            told.append(
                f"Its data {name!r} must be {kind} with {' or '.join(map(str, dimensions))} "
                f"dimensions, not {declared['type']} with {declared['dimensions']}."
            )
    if not any(name in inputs for name in COUNTS):
        told.append(f"It asks for none of the counts {', '.join(COUNTS)}.")
    if "delta" not in outputs:
        told.append("It does not generate delta, the difference that is judged.")
    for name, dimensions in DIMENSIONS.items():
        if name in outputs and outputs[name]["dimensions"] not in dimensions:
            told.append(
                f"{name} has {outputs[name]['dimensions']} dimensions, "
                f"not {' or '.join(map(str, dimensions))}."
            )
    return told


def _limits(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[str]:
    told = []
    if not {"cells_A", "cells_B"} <= set(outputs):
        told.append("It does not generate cells_A and cells_B: no other measure, no averages.")
    if not {"psi_A", "psi_B"} <= set(outputs):
        told.append("It does not generate psi_A and psi_B: the two scores will not be shown.")
    if "measure" not in inputs:
        told.append("It does not declare measure: what it computes is called its own score.")
    if "prior_only" not in inputs:
        told.append("It does not declare prior_only: there will be no Bayes factors.")
    return told
