"""Draws from a Stan program: its executable is run by hand, once per chain."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import cores
from stanoff._lib.files import scratch
from stanoff._lib.processes import Ended, run
from stanoff._lib.progress import step
from stanoff.cmdstan.compile import compile_model
from stanoff.data.types import Data, rows
from stanoff.engines.blocks import extended, joined, repeated
from stanoff.engines.draws import Draws, judged, stacked
from stanoff.engines.output import Variables, read
from stanoff.errors import InputError, StanoffError, ToolchainError, invalid
from stanoff.measures import Measure
from stanoff.models import Model, stan_folder

if TYPE_CHECKING:
    from stanoff.question import Sampling

CHAINS, DRAWS, WARMUP = 4, 1000, 1000
LEAST_DRAWS, CELLS = 250, 200_000  # with very many categories CmdStan writes large files
BLOCK = 8  # categories that do not know of each other are sampled so many at a time
MOST = 2**31 - 1  # Stan's integers have 32 bits
SIG_FIGS = 18  # what it takes to write a double and read the same one
PRIOR_SEED = 20160717  # the prior does not depend on the documents: one run serves them all
PRIOR_CHAINS, PRIOR_WARMUP = 2, 500
_ITERATION = re.compile(r"Iteration:\s+(\d+) /")
_USUAL = re.compile(r"\w+ = |method|Iteration:|Gradient|Adjust|1000 transitions|Elapsed|\d|\(")
RANKS = {"delta": 3, "psi_A": 3, "psi_B": 3, "cells_A": 4, "cells_B": 4}


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
    documents = max(data.n_documents())
    if documents > MOST:
        raise InputError(
            f"Stan counts up to 2^31 - 1 = {MOST} documents, but there are {documents}: "
            "pass engine='exact', which has no such limit."
        )
    few = min(DRAWS, max(LEAST_DRAWS, CELLS // categories))
    asked = _Run(
        name=model.stan_file.name,
        executable=str(_executable(model)),
        data=json.dumps(_plain(block)),
        chains=sampling.chains or CHAINS,
        draws=sampling.draws or few,
        warmup=sampling.warmup or WARMUP,
        seed=sampling.seed,
        categories=categories,
        progress=sampling.progress,
    )
    runs = [asked]
    if model.in_blocks and categories > BLOCK:
        blocks = [rows(data, slice(i, i + BLOCK)) for i in range(0, categories, BLOCK)]
        runs = [
            replace(
                asked,
                data=json.dumps(_plain(model.stan_data(part, sampling.prior, measure))),
                seed=_seed_of_block(sampling.seed, number),
                categories=len(part.categories),
            )
            for number, part in enumerate(blocks)
        ]
    drawn, stats = joined(_sampled(runs), model.category_axes)
    posterior = judged(drawn, len(data.categories))
    if "prior_only" not in block:
        return Draws(posterior, {}, stats)
    prior = _prior_of(model, block, asked, measure)
    return Draws(posterior, judged(prior, len(data.categories)), stats)


def sample_blocks(
    model: Model,
    blocks: Sequence[Mapping[str, Any]],
    *,
    draws: int,
    warmup: int,
    seed: int,
    progress: bool = False,
) -> list[tuple[Variables, Variables]]:
    """Run the program on many data blocks, a chain each.

    Parameters
    ----------
    model : Model
        Whose program is run.
    blocks : sequence of mapping
        All that the program declares, once per run.
    draws, warmup, seed : int
        Of each chain; the seeds count on from the first.
    progress : bool
        Whether to show how far it is.

    Returns
    -------
    list of tuple
        The variables of the program and those of the sampler, of each block.
    """
    executable = str(_executable(model))
    runs = [
        _Run(
            name=model.stan_file.name,
            executable=executable,
            data=json.dumps(_plain(block)),
            chains=1,
            draws=draws,
            warmup=warmup,
            seed=(seed + number) % MOST,
            categories=int(block.get("K", 1)),
            progress=progress,
        )
        for number, block in enumerate(blocks)
    ]
    return _sampled(runs)


def _seed_of_block(seed: int, number: int) -> int:
    """Return a seed for each block of categories; the first has the seed of the whole."""
    if number == 0:
        return seed
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0] >> 2)


def _prior_of(model: Model, block: Mapping[str, Any], asked: _Run, measure: Measure) -> Variables:
    """Draw the prior; of many exchangeable categories Stan draws the first few.

    The others are the same draws in another order if the categories are independent, and are drawn
    given what all categories share if they are not.
    """
    categories = asked.categories
    # Without documents one run serves all data; new documents are as many as there are.
    observed = () if "simulate" in block else model.emptied
    nothing: dict[str, Any] = {name: np.zeros_like(block[name]) for name in observed}
    first = categories
    if categories > BLOCK and (model.in_blocks or model.further is not None):
        first = BLOCK
        nothing = {name: values[:first] for name, values in nothing.items()} | {"K": first}
    of_prior = replace(
        asked,
        data=json.dumps(_plain({**block, **nothing, "prior_only": 1})),
        chains=PRIOR_CHAINS,
        draws=-(-asked.chains * asked.draws // PRIOR_CHAINS),
        warmup=PRIOR_WARMUP,
        seed=PRIOR_SEED,
        categories=first,
        progress=False,
    )
    drawn = _prior(of_prior)
    if categories == first:
        return drawn
    rng = np.random.default_rng(PRIOR_SEED)
    if model.further is not None:
        more = model.further(drawn, block, categories - first, rng)
        more["psi"] = measure(more["cells"])
        with np.errstate(invalid="ignore"):  # both infinite
            more["delta"] = more["psi"][:, :, 0] - more["psi"][:, :, 1]
        return extended(drawn, [more], model.category_axes)
    return repeated(drawn, categories, model.category_axes, rng)


def _executable(model: Model) -> Path:
    """Compile the program; where that cannot be done, say what can."""
    try:
        return compile_model(model.stan_file, stan_folder())
    except ToolchainError as error:
        if model.exact is None:
            raise
        told = "Or pass engine='exact': it draws the same posterior at once, without a compiler."
        raise ToolchainError(f"{error} {told}") from error


@dataclass(frozen=True)
class _Run:
    """One run of an executable: all that its draws depend on."""

    name: str
    executable: str
    data: str
    chains: int
    draws: int
    warmup: int
    seed: int
    categories: int
    progress: bool

    @property
    def steps(self) -> int:
        """How many iterations all its chains make."""
        return self.chains * (self.warmup + self.draws)

    def command(self, chain: int, data: Path, file: Path) -> list[str]:
        return [
            self.executable,
            f"id={chain}",
            *("random", f"seed={self.seed + 1}"),  # CmdStan takes 0 for 1
            *("data", f"file={data}"),
            *("output", f"file={file}", f"sig_figs={SIG_FIGS}"),
            *("method=sample", f"num_samples={self.draws}", f"num_warmup={self.warmup}"),
            *("algorithm=hmc", "adapt", "engaged=1"),
        ]

    def shaped(self, given: Mapping[str, NDArray[Any]]) -> Variables:
        """Give every variable its axes; refuse results that are not one per category."""
        # In the order in which a saved result has them: the last digit of a sum depends on it.
        variables = {name: np.ascontiguousarray(values) for name, values in given.items()}
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
                raise StanoffError(f"{self.name} generates {name} of size {told}, not {wanted}.")
        return stacked(variables)


def _sampled(runs: Sequence[_Run]) -> list[tuple[Variables, Variables]]:
    """Sample; return the variables of the program and those of the sampler, of each run."""
    first = runs[0]
    title = f"Sampling {first.chains} x {first.draws} draws"
    total = sum(each.steps for each in runs) if sys.stderr.isatty() else None
    with scratch() as folder, step(title, total=total, quiet=not first.progress) as advance:
        commands, files = [], []
        done = [0] * (len(runs) * first.chains)

        def heard(chain: int, line: str) -> None:
            if found := _ITERATION.match(line):
                done[chain] = int(found[1])
                advance(sum(done))

        try:
            for number, each in enumerate(runs):
                data = folder / f"data-{number}.json"
                data.write_text(each.data)
                names = [folder / f"chain-{number}-{i + 1}.csv" for i in range(each.chains)]
                commands += [each.command(i, data, name) for i, name in enumerate(names, start=1)]
                files.append(names)
            for child in run(commands, at_once=cores(), tidy=[folder], heard=heard):
                if child.code:
                    raise StanoffError(f"{first.name} stopped: {_reason(child)}")
            every = []
            for each, names in zip(runs, files, strict=True):
                drawn, stats = read(names, each.draws)
                every.append((each.shaped(drawn), stats))
                for name in names:
                    name.unlink()
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) else error
            raise StanoffError(f"{first.name} stopped: {told}.") from error
    return every


@lru_cache(maxsize=1)
def _prior(run: _Run) -> Variables:
    drawn, _ = _sampled([run])[0]
    return drawn


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: values.tolist() if isinstance(values, np.ndarray) else values
        for name, values in data.items()
    }


def _reason(child: Ended) -> str:
    """Say why a chain stopped, in the program's own words if it has any."""
    lines = [line.strip() for line in (child.output + child.errors).splitlines() if line.strip()]
    blamed = [line for line in lines if "xception" in line or "ejecting" in line]
    if blamed:
        return blamed[0]
    if child.signal:
        return f"{child.signal} ended it."
    said = [line for line in lines if not _USUAL.match(line)]
    return (said or ["it did not say why."])[-1]
