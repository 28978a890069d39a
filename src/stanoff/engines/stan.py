"""Draws from a Stan program, through cmdstanpy."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import cores
from stanoff._lib.progress import step
from stanoff.cmdstan.compile import compile_model
from stanoff.data.base import Data
from stanoff.engines.draws import Draws, judged, stacked
from stanoff.errors import InputError, StanoffError, invalid
from stanoff.measures import Measure
from stanoff.models import Model, stan_folder

if TYPE_CHECKING:
    from stanoff.question import Sampling

CHAINS, DRAWS, WARMUP = 4, 1000, 1000
LEAST_DRAWS, CELLS = 250, 200_000  # with very many categories CmdStan writes large files
MOST = 2**31 - 1  # Stan's integers have 32 bits
SIG_FIGS = 18  # what it takes to write a double and read the same one
PRIOR_SEED = 20160717  # the prior does not depend on the documents: one run serves them all
PRIOR_CHAINS, PRIOR_WARMUP = 2, 500
STATS = {
    "lp__": "lp",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}

RANKS = {"delta": 3, "psi_A": 3, "psi_B": 3, "cells_A": 4, "cells_B": 4}

Variables = dict[str, NDArray[Any]]


def sample(model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Run the program, once more for its prior; :func:`stanoff.engines.sample` explains it."""
    if not model.program:
        raise invalid("engine", f"'exact' for {model.name}, which has no program", "stan")
    if len(data.systems) > model.most_in_program:
        rule = f"'exact' for {model.name} with more than {model.most_in_program} systems"
        raise invalid("engine", rule, "stan")
    block = model.stan_data(data, sampling.prior, measure)
    categories = int(block.get("K", len(data.categories)))
    if model.most_categories is not None and categories > model.most_categories:
        rule = f"'exact' for {model.name} with more than {model.most_categories} categories"
        raise invalid("engine", rule, "stan")
    documents = max(data.documents())
    if documents > MOST:
        raise InputError(
            f"Stan counts up to 2^31 - 1 = {MOST} documents, but there are {documents}: "
            "pass engine='exact', which has no such limit."
        )
    few = min(DRAWS, max(LEAST_DRAWS, CELLS // categories))
    run = _Run(
        executable=str(compile_model(model.stan_file, stan_folder())),
        data=json.dumps(_plain(block)),
        chains=sampling.chains or CHAINS,
        draws=sampling.draws or few,
        warmup=sampling.warmup or WARMUP,
        seed=sampling.seed,
        categories=categories,
        progress=sampling.progress,
    )
    drawn, stats = run.variables()
    posterior = judged(drawn, len(data.categories))
    if "prior_only" not in block:
        return Draws(posterior, {}, stats)
    nothing = {name: np.zeros_like(block[name]) for name in model.observed}
    of_prior = _Run(
        executable=run.executable,
        data=json.dumps(_plain(block | nothing | {"prior_only": 1})),
        chains=PRIOR_CHAINS,
        draws=-(-run.chains * run.draws // PRIOR_CHAINS),
        warmup=PRIOR_WARMUP,
        seed=PRIOR_SEED,
        categories=categories,
        progress=False,
    )
    return Draws(posterior, judged(_prior(of_prior), len(data.categories)), stats)


@dataclass(frozen=True)
class _Run:
    """One run of an executable: all that its draws depend on."""

    executable: str
    data: str
    chains: int
    draws: int
    warmup: int
    seed: int
    categories: int
    progress: bool

    def variables(self) -> tuple[Variables, Variables]:
        """Sample; return the variables of the program and those of the sampler."""
        import cmdstanpy

        cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
        live = self.progress and sys.stderr.isatty()  # cmdstanpy's bars need a terminal
        title = f"Sampling {self.chains} x {self.draws} draws"
        with (
            TemporaryDirectory(prefix="stanoff-") as folder,
            step(title, quiet=live or not self.progress),
        ):
            try:
                fit = cmdstanpy.CmdStanModel(exe_file=self.executable).sample(
                    data=json.loads(self.data),
                    chains=self.chains,
                    parallel_chains=min(self.chains, cores()),
                    iter_sampling=self.draws,
                    iter_warmup=self.warmup,
                    seed=self.seed + 1,  # CmdStan takes 0 for 1
                    sig_figs=SIG_FIGS,
                    output_dir=folder,
                    show_progress=live,
                )
            except (RuntimeError, ValueError) as error:
                raise StanoffError(f"{self._name} stopped: {_reason(error)}") from error
            # Read before the files are gone.
            return self._shaped(fit.stan_variables()), _stats(fit.method_variables())

    def _shaped(self, given: Mapping[str, NDArray[Any]]) -> Variables:
        """Give every variable its axes; refuse results that are not one per category."""
        variables = {
            name: values.reshape(self.chains, self.draws, *values.shape[1:])
            for name, values in given.items()
        }
        for name, rank in RANKS.items():  # a program for one category may leave out its axis
            if name not in variables:
                continue
            if variables[name].ndim == rank - 1:
                variables[name] = np.expand_dims(variables[name], 2)
            expected = (self.categories,) if rank == 3 else (self.categories, 4)
            if variables[name].shape[2:] != expected:
                told, wanted = (
                    " x ".join(map(str, size)) for size in (variables[name].shape[2:], expected)
                )
                raise StanoffError(f"{self._name} generates {name} of size {told}, not {wanted}.")
        return stacked(variables)

    @property
    def _name(self) -> str:
        return f"{Path(self.executable).name}.stan"


@lru_cache(maxsize=1)
def _prior(run: _Run) -> Variables:
    drawn, _ = run.variables()
    return drawn


def _stats(given: Mapping[str, NDArray[Any]]) -> Variables:
    return {
        STATS[name]: values.T.astype(bool if name == "divergent__" else values.dtype)
        for name, values in given.items()
        if name in STATS
    }


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: values.tolist() if isinstance(values, np.ndarray) else values
        for name, values in data.items()
    }


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    blamed = [line for line in lines if "xception" in line or "ejecting" in line]
    return (blamed or [line for line in lines if "Error during sampling" not in line] or lines)[0]
