"""A user's own Stan program: what it declares is read and checked before it is compiled."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from stanoff.counts import PairedCounts
from stanoff.errors import InputError
from stanoff.models import (
    PAIRED_DIMS,
    UNPAIRED_DIMS,
    AnyCounts,
    Data,
    Model,
    measure_data,
    stan_folder,
)
from stanoff.priors import WEIGHTS, Priors, both, single
from stanoff.singularities import always_diverges
from stanoff.toolchain import ensure_cmdstan

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
    path : the file
    inputs : its data, each with type and number of dimensions
    outputs : its parameters and what it computes of them, likewise
    problems : why it cannot be used, in sentences
    limits : what will not be available, in sentences
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
    ran = subprocess.run(
        [stanc, "--info", f"--include-paths={folders}", path], capture_output=True, text=True
    )
    if ran.returncode:
        raise InputError(f"{path} is not a Stan program: {_complaint(ran.stderr + ran.stdout)}")
    told = json.loads(ran.stdout[ran.stdout.index("{") :])
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
    """Make a model of a program that keeps to the contract."""
    program = examine(path)
    if program.problems:
        raise InputError(f"{path} cannot be used: {' '.join(program.problems)}")
    return model_of(program)


def model_of(program: Program) -> OwnModel:
    """Make a model of what a program declares; the program itself need not be there any more."""
    path, asked = program.path, program.inputs

    def data(counts: AnyCounts, prior: Priors) -> Data:
        if {"c_pos", "c_neg"} & set(asked) and not isinstance(counts, PairedCounts):
            raise InputError(f"{path} needs both classifiers on the same documents.")
        known: Data = {"c_A": counts.cells_A, "c_B": counts.cells_B}
        if isinstance(counts, PairedCounts):
            known |= {"c_pos": counts.pos, "c_neg": counts.neg}
        for name in WEIGHTS:  # a vector is for outcome pairs, two rows are for A and for B
            if name in asked and asked[name]["dimensions"] == 1:
                known[name] = single(prior).weights(name, 2 if name == "beta" else 4)
            elif name in asked:
                known[name] = np.stack([p.weights(name, 2) for p in both(prior)])
        known["kappa_location"], known["kappa_scale"] = both(prior)[0].kappa
        return {name: values for name, values in known.items() if name in asked}

    dims = {**UNPAIRED_DIMS, **PAIRED_DIMS}
    return OwnModel(
        name=path.stem,
        data=data,
        observed=tuple(name for name in COUNTS if name in asked),
        dims={
            name: names
            for name, names in dims.items()
            if {**asked, **program.outputs}.get(name, {}).get("dimensions") == len(names)
        },
        exact=None,
        diverges=always_diverges,
        file=path.resolve(),
        asked=tuple(asked),
        declared=program,
    )


@dataclass(frozen=True)
class OwnModel(Model):
    """A model whose program declares only part of the documented data."""

    asked: tuple[str, ...] = ()
    declared: Program | None = None

    def stan_data(self, counts: AnyCounts, prior: Priors, measure: Any) -> Data:
        """Gather what the program asks for, and nothing else."""
        everything = {
            "K": len(counts.categories),
            **self.data(counts, prior),
            **measure_data(measure),
            "prior_only": 0,
        }
        return {name: values for name, values in everything.items() if name in self.asked}


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


def _complaint(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    lines = [
        line for line in lines if not line.startswith(("-", "Warning")) and "|" not in line[:8]
    ]
    return " ".join(lines[:3]) or "stanc did not say why."
