"""Draws from a Stan program, through cmdstanpy."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff import toolchain
from stanoff.errors import InputError, StanoffError
from stanoff.models import Model, stan_folder
from stanoff.posterior import Draws
from stanoff.progress import step

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


def sample(
    model: Model,
    data: Mapping[str, Any],
    *,
    documents: int,
    categories: int,
    chains: int,
    draws: int,
    warmup: int,
    seed: int,
    progress: bool,
) -> Draws:
    """Run the program on the data, and once more for its prior.

    Parameters
    ----------
    model : whose program
    data : all that the program asks for
    documents, categories : how many there are
    chains, draws, warmup : how many chains, and how many draws of each to keep and to discard
    seed : makes the draws reproducible
    progress : show a bar for every chain
    """
    if documents > MOST:
        raise InputError(
            f"Stan counts up to 2^31 - 1 = {MOST} documents, but there are {documents}: "
            "pass engine='exact', which has no such limit."
        )
    executable = str(toolchain.compile_model(model.stan_file, stan_folder()))
    posterior, stats = _run(
        executable, _plain(data), chains, draws, warmup, seed, progress, categories
    )
    if "prior_only" not in data:
        return Draws(posterior, {}, stats)
    prior_data = {
        name: np.zeros_like(values) if name in model.observed else values
        for name, values in data.items()
    } | {"prior_only": 1}
    prior_draws = -(-chains * draws // PRIOR_CHAINS)
    prior = _prior(executable, json.dumps(_plain(prior_data)), prior_draws, categories)
    return Draws(posterior, prior, stats)


@lru_cache(maxsize=1)
def _prior(executable: str, data: str, draws: int, categories: int) -> Variables:
    drawn, _ = _run(
        executable,
        json.loads(data),
        PRIOR_CHAINS,
        draws,
        PRIOR_WARMUP,
        PRIOR_SEED,
        False,
        categories,
    )
    return drawn


def _run(
    executable: str,
    data: Mapping[str, Any],
    chains: int,
    draws: int,
    warmup: int,
    seed: int,
    progress: bool,
    categories: int,
) -> tuple[Variables, Variables]:
    import cmdstanpy

    cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
    live = progress and sys.stderr.isatty()  # cmdstanpy's bars need a terminal
    with (
        TemporaryDirectory(prefix="stanoff-") as folder,
        step(f"Sampling {chains} x {draws} draws", quiet=live or not progress),
    ):
        try:
            fit = cmdstanpy.CmdStanModel(exe_file=executable).sample(
                data=data,
                chains=chains,
                parallel_chains=min(chains, os.cpu_count() or 1),
                iter_sampling=draws,
                iter_warmup=warmup,
                seed=seed + 1,  # CmdStan takes 0 for 1
                sig_figs=SIG_FIGS,
                output_dir=folder,
                show_progress=live,
            )
        except (RuntimeError, ValueError) as error:
            raise StanoffError(f"{Path(executable).name}.stan stopped: {_reason(error)}") from error
        # Read before the files are gone.
        variables = {
            name: values.reshape(chains, draws, *values.shape[1:])
            for name, values in fit.stan_variables().items()
        }
        for name, rank in RANKS.items():  # a program for one category may leave out its axis
            if name in variables and variables[name].ndim == rank - 1:
                variables[name] = np.expand_dims(variables[name], 2)
        _check_shapes(Path(executable).name, variables, categories)
        stats = {
            STATS[name]: values.T.astype(bool if name == "divergent__" else values.dtype)
            for name, values in fit.method_variables().items()
            if name in STATS
        }
    return variables, stats


def _check_shapes(name: str, variables: Variables, categories: int) -> None:
    """Refuse a program whose results are not one per category."""
    for variable, rank in RANKS.items():
        expected = (categories,) if rank == 3 else (categories, 4)
        if variable in variables and variables[variable].shape[2:] != expected:
            told = " x ".join(map(str, variables[variable].shape[2:]))
            wanted = " x ".join(map(str, expected))
            raise StanoffError(f"{name}.stan generates {variable} of size {told}, not {wanted}.")


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: values.tolist() if isinstance(values, np.ndarray) else values
        for name, values in data.items()
    }


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    blamed = [line for line in lines if "xception" in line or "ejecting" in line]
    return (blamed or [line for line in lines if "Error during sampling" not in line] or lines)[0]
