"""What a Stan program declares, held against the contract before it is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from stanoff.engines.toolchain import program_info
from stanoff.errors import InputError, invalid, unknown
from stanoff.models.offers import DATA, OBSERVED, kind_asked

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
    told = program_info(path)
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


def _problems(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[str]:
    told = []
    for name, declared in inputs.items():
        if name not in DATA:
            continue  # the user has it
        part = DATA[name]
        if declared["type"] != part.type or declared["dimensions"] not in part.dimensions:
            told.append(
                f"Its data {name!r} must be {part.type} with "
                f"{' or '.join(map(str, part.dimensions))} dimensions, "
                f"not {declared['type']} with {declared['dimensions']}."
            )
    if not observed_of(inputs, outputs):
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
    if kind_asked(inputs) == "labels" and not {"cells_A", "cells_B"} <= set(outputs):
        told.append("It does not generate cells_A and cells_B: no other measure, no averages.")
    if not {"psi_A", "psi_B"} <= set(outputs):
        told.append("It does not generate psi_A and psi_B: the two scores will not be shown.")
    if "measure" not in inputs:
        told.append("It does not declare measure: what it computes is called its own score.")
    if "prior_only" not in inputs:
        told.append("It does not declare prior_only: there will be no Bayes factors.")
    modelled = to_replicate(inputs, outputs)
    if not all(f"{name}{REPLICATED}" in outputs for name in modelled):
        names = " and ".join(f"{name}{REPLICATED}" for name in modelled)
        told.append(
            f"It does not generate {names}: no predictive checks, and to calibrate it takes a "
            "Python function that simulates."
        )
    if "log_lik" not in outputs:
        told.append("It does not generate log_lik: no comparison by leave-one-out.")
    return told


def observed_of(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a program is about: of stanoff's data, and of its own if it replicates them."""
    own = [n for n in inputs if n not in DATA and f"{n}{REPLICATED}" in outputs]
    return (*(name for name in OBSERVED if name in inputs), *own)


def to_replicate(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a program that simulates must draw anew: what it is about, less what is given.

    The truth may be given, as in a model of scores of either class; unless there is nothing else.
    """
    names = observed_of(inputs, outputs)
    drawn = tuple(name for name in names if name not in DATA or not DATA[name].given)
    return drawn or names


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
