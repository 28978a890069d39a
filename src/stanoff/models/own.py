"""A user's own Stan program: what it declares is read and checked before it is compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from stanoff._lib.processes import run
from stanoff.cmdstan.install import ensure_cmdstan
from stanoff.cmdstan.sources import program_hash
from stanoff.data.base import Data, said
from stanoff.data.counts import PairedCounts
from stanoff.errors import InputError, ToolchainError, invalid, unknown
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
    "N": ("int", (0,)),
    **dict.fromkeys(("truth", "category"), ("int", (1,))),
    "said": ("int", (2,)),
    "measure": ("int", (0,)),
    **dict.fromkeys(("f_beta", "zero_division", "prevalence"), ("real", (0,))),
    "prior_only": ("int", (0,)),
    "simulate": ("int", (0,)),
}
COUNTS = ("c_pos", "c_neg", "c_A", "c_B")
DOCUMENTS = ("truth", "category", "said")
OBSERVED = (*COUNTS, *DOCUMENTS)
LOG_PRIOR = ("log_prior", "lprior")
REPLICATED = "_rep"  # c_pos_rep is c_pos as the model would draw it
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

    @property
    def own_data(self) -> tuple[str, ...]:
        """The names of what only the user has."""
        return tuple(name for name in self.inputs if name not in DATA)


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


def model_of(program: Program, given: Mapping[str, Any] | None = None) -> OwnModel:
    """Make a model of what a program declares; the program itself need not be there any more."""
    path, asked = program.path, program.inputs
    dims = {**unpaired.DIMS, **paired.DIMS}
    return OwnModel(
        name=path.stem,
        data=lambda data, prior: _data(program, data, prior),
        observed=tuple(name for name in OBSERVED if name in asked),
        dims={
            name: names
            for name, names in dims.items()
            if {**asked, **program.outputs}.get(name, {}).get("dimensions") == len(names)
        },
        file=path.resolve(),
        declared=program,
        given=given or {},
    )


def _data(program: Program, data: Data, prior: Priors) -> Block:
    """Gather what the program asks for of counts and prior weights."""
    asked, cells = program.inputs, data.cells
    of_pairs = {"c_pos", "c_neg", "said"} & set(asked)
    if cells is None or (of_pairs and not isinstance(data, PairedCounts)):
        raise InputError(f"{program.path} needs both classifiers on the same documents.")
    known: Block = {"c_A": cells[0], "c_B": cells[1]}
    if isinstance(data, PairedCounts):
        known |= {"c_pos": data.pos, "c_neg": data.neg}
        if {"N", *DOCUMENTS} & set(asked):
            known |= documents_of(data)
    for name in WEIGHTS:  # a vector is for outcome pairs, two rows are for A and for B
        if name in asked and asked[name]["dimensions"] == 1:
            known[name] = single(prior).weights(name, 2 if name == "beta" else 4)
        elif name in asked:
            known[name] = np.stack([p.weights(name, 2) for p in both(prior)])
    known |= kappa_data(both(prior)[0])
    return {name: values for name, values in known.items() if name in asked}


def documents_of(counts: PairedCounts) -> Block:
    """Write every document out again, by category, truth and outcome pair.

    Examples
    --------
    >>> block = documents_of(PairedCounts(("x",), [[1, 0, 0, 1]], [[0, 0, 1, 0]]))
    >>> block["truth"].tolist(), block["said"].tolist()
    ([1, 1, 0], [[1, 1], [0, 0], [0, 1]])
    """
    cells = np.stack([counts.pos, counts.neg], axis=1)  # category, truth, outcome pair
    category, negative, outcome = (
        np.repeat(place.ravel(), cells.ravel()) for place in np.indices(cells.shape)
    )
    return {
        "N": int(cells.sum()),
        "category": category + 1,  # Stan counts from 1
        "truth": 1 - negative,
        "said": said(2)[outcome],
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
        return replace(self, given=own_data(self.program_of, data))

    @property
    def program_of(self) -> Program:
        """What the program declares."""
        assert self.declared is not None
        return self.declared

    def stan_data(self, data: Data, prior: Priors, measure: Measure) -> Block:
        """Gather what the program asks for, and nothing else."""
        own_data(self.program_of, self.given)  # a program by itself may lack some
        everything = super().stan_data(data, prior, measure) | {"simulate": 1, **self.given}
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
            continue  # the user has it
        kind, dimensions = DATA[name]
        if declared["type"] != kind or declared["dimensions"] not in dimensions:
            told.append(
                f"Its data {name!r} must be {kind} with {' or '.join(map(str, dimensions))} "
                f"dimensions, not {declared['type']} with {declared['dimensions']}."
            )
    if not any(name in inputs for name in OBSERVED):
        told.append(f"It asks for nothing observed, none of {', '.join(OBSERVED)}.")
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
    observed = [name for name in OBSERVED if name in inputs]
    if not all(f"{name}{REPLICATED}" in outputs for name in observed):
        names = " and ".join(f"{name}{REPLICATED}" for name in observed)
        told.append(
            f"It does not generate {names}: no predictive checks, and to calibrate it takes a "
            "Python function that simulates."
        )
    if "log_lik" not in outputs:
        told.append("It does not generate log_lik: no comparison by leave-one-out.")
    return told


def own_data(program: Program, data: Mapping[str, Any]) -> dict[str, Any]:
    """Check what the user has of the data that only the user has.

    Parameters
    ----------
    program : Program
        What declares them.
    data : mapping
        Numbers, lists of numbers or arrays, by name.

    Returns
    -------
    dict
        The same as JSON has them.
    """
    if not isinstance(data, Mapping):
        raise invalid("data", "a mapping of names to numbers", type(data).__name__)
    if missing := [name for name in program.own_data if name not in data]:
        name = missing[0]
        near = get_close_matches(name, DATA, n=1)
        hint = f"; or did you mean {near[0]}?" if near else "."
        listed = " and ".join(map(repr, missing))
        raise InputError(
            f"{program.path} cannot be used: It asks for data {name!r}, which stanoff does not "
            f"have: pass data= with {listed}{hint}"
        )
    for name in data:
        if name not in program.own_data:
            if name in program.inputs:
                raise invalid("data", f"without {name!r}, which stanoff has of its own", name)
            raise unknown("data", name, program.own_data or ["(nothing: it declares none)"])
    return {name: _as_declared(name, data[name], program.inputs[name]) for name in program.own_data}


def _as_declared(name: str, value: Any, declared: Mapping[str, Any]) -> Any:
    """Read one number or array as the program declares it."""
    kind, dimensions = declared["type"], declared["dimensions"]
    try:
        read = np.asarray(value)
    except ValueError:
        read = np.asarray(None)
    if read.dtype == bool:
        read = read.astype(int)
    numbers = read.dtype.kind in "iu" or (read.dtype.kind == "f" and kind == "real")
    if read.dtype.kind == "f" and kind == "int" and np.all(read == np.floor(read)):
        read, numbers = read.astype(np.int64), True
    finite = numbers and bool(np.all(np.isfinite(read)))
    if not finite or (read.ndim != dimensions and read.size):
        rule = f"{kind} with {dimensions} dimensions" if dimensions else f"one {kind}"
        raise invalid(f"data.{name}", f"finite, {rule}", value)
    return read.tolist()
