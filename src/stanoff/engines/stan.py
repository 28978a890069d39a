"""Draws from a Stan program, by cmdstanpy."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import signal
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff._lib.arguments import cores
from stanoff._lib.progress import show_progress
from stanoff.data.types import Data, rows
from stanoff.engines.chunks import Variables, combine_stats, concatenate, repeat_shuffled
from stanoff.engines.cmdstan import running_programs
from stanoff.engines.draws import Draws, judged, stacked
from stanoff.engines.toolchain import compile_program
from stanoff.errors import InputError, StanoffError, ToolchainError, invalid
from stanoff.measures import Measure
from stanoff.models import Model

if TYPE_CHECKING:
    from cmdstanpy import CmdStanMCMC

    from stanoff.question import Sampling

CHAINS, DRAWS, WARMUP = 4, 1000, 1000
MIN_DRAWS, MAX_CELLS = 250, 200_000  # with very many categories CmdStan writes large files
CHUNK = 8  # categories that do not know of each other are sampled so many at a time
MAX_COUNT = 2**31 - 1  # Stan's integers have 32 bits
SIG_FIGS = 18  # what it takes to write a double and read the same one
PRIOR_SEED = 20160717  # the prior does not depend on the documents: one run serves them all
PRIOR_CHAINS, PRIOR_WARMUP = 2, 500
PRIOR_OPTIONS = ("adapt_delta", "max_treedepth", "step_size")  # those that fit any number of chains
ORDINARY_OUTPUT = re.compile(r"\w+ = |method|Iteration:|Gradient|Adjust|1000 trans|Elapsed|\d|\(")
RANKS = {"delta": 3, "psi_A": 3, "psi_B": 3, "cells_A": 4, "cells_B": 4}
STATS = {
    "lp__": "lp",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}
OURS = {  # what stanoff itself passes to CmdStanModel.sample: the option that decides it
    "data": "data",
    "chains": "chains",
    "seed": "seed",
    "iter_sampling": "draws",
    "iter_warmup": "warmup",
    "output_dir": "output_dir",
    "show_progress": "progress",
    "sig_figs": None,
    "fixed_param": None,
}


def sample(model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Run the program, and once more for its prior; :func:`stanoff.engines.sampling.sample`."""
    _check_size(model, data)
    stan_data = model.stan_data(data, sampling.prior, measure)
    categories = int(stan_data.get("K", len(data.categories)))
    program = _compile(model)
    options = {
        "chains": sampling.chains or CHAINS,
        "iter_sampling": sampling.draws or min(DRAWS, max(MIN_DRAWS, MAX_CELLS // categories)),
        "iter_warmup": sampling.warmup or WARMUP,
        "output_dir": sampling.output_dir,
        **check_sampler_options(sampling.sampler_options),
    }
    chunks = [(stan_data, sampling.seed)]
    if model.has_batches and categories > CHUNK:
        parts = [rows(data, slice(i, i + CHUNK)) for i in range(0, categories, CHUNK)]
        chunks = [
            (model.stan_data(part, sampling.prior, measure), _chunk_seed(sampling.seed, number))
            for number, part in enumerate(parts)
        ]
    title = f"Sampling {options['chains']} x {options['iter_sampling']} draws"
    with show_progress(title, total=len(chunks), quiet=not sampling.progress) as advance:
        runs = []
        for number, (chunk, seed) in enumerate(chunks):
            runs.append(program.sample(chunk, seed, categories=categories, **options))
            advance(number + 1)
    variables = concatenate([run.variables for run in runs], model.category_axes)
    stats = combine_stats([run.stats for run in runs]) if len(runs) > 1 else runs[0].stats
    prior: Variables = {}
    if "prior_only" in stan_data:
        prior = _sample_prior(model, program, stan_data, categories, options)
    return Draws(
        judged(variables, len(data.categories)),
        judged(prior, len(data.categories)) if prior else {},
        stats,
        cmdstan_fits=tuple(run.fit for run in runs),
    )


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
    program = _compile(model)

    def run(number: int) -> tuple[Variables, Variables]:
        result = program.sample(
            blocks[number],
            (seed + number) % MAX_COUNT,
            categories=1,
            chains=1,
            iter_sampling=draws,
            iter_warmup=warmup,
        )
        return result.variables, result.stats

    title = f"Sampling {len(blocks)} x {draws} draws"
    with (
        show_progress(title, total=len(blocks), quiet=not progress) as advance,
        running_programs(),
        ThreadPoolExecutor(cores()) as pool,
    ):
        futures = [pool.submit(run, number) for number in range(len(blocks))]
        results = []
        try:
            for future in futures:
                results.append(future.result())
                advance(len(results))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def check_sampler_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse options that ``CmdStanModel.sample`` does not take, or that stanoff sets itself."""
    if not options:
        return {}
    from cmdstanpy import CmdStanModel

    accepted = [
        name for name in inspect.signature(CmdStanModel.sample).parameters if name != "self"
    ]
    for name in options:
        if name not in accepted:
            names = ", ".join(option for option in accepted if option not in OURS)
            raise invalid("sampler_options", f"options of CmdStanModel.sample: {names}", name)
        if name in OURS:
            rule = f"without {name!r}, which stanoff sets"
            raise invalid(
                "sampler_options", rule + (f" by {OURS[name]}=" if OURS[name] else ""), name
            )
    return dict(options)


def _check_size(model: Model, data: Data) -> None:
    """Refuse what only the exact engine can draw."""
    if limit := model.stan_limit(data):
        raise invalid("engine", f"'exact' for {limit}", "stan")
    documents = max(data.n_documents())
    if documents > MAX_COUNT:
        raise InputError(
            f"Stan counts up to 2^31 - 1 = {MAX_COUNT} documents, but there are {documents}: "
            "pass engine='exact', which has no such limit."
        )


def _chunk_seed(seed: int, number: int) -> int:
    """Return a seed for each chunk of categories; the first has the seed of the whole."""
    if number == 0:
        return seed
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0] >> 2)


def _sample_prior(
    model: Model,
    program: _Program,
    stan_data: Mapping[str, Any],
    categories: int,
    options: Mapping[str, Any],
) -> Variables:
    """Draw the prior; of many independent categories Stan draws the first few.

    The others are the same draws in another order.
    """
    # Without documents one run serves all data; new documents are as many as there are.
    observed = () if "simulate" in stan_data else model.zeroed_for_prior
    empty: dict[str, Any] = {name: np.zeros_like(stan_data[name]) for name in observed}
    few = categories > CHUNK and model.has_batches
    if few:
        empty = {name: values[:CHUNK] for name, values in empty.items()} | {"K": CHUNK}
    variables = _cached_prior(
        program,
        to_json({**stan_data, **empty, "prior_only": 1}),
        CHUNK if few else categories,
        -(-options["chains"] * options["iter_sampling"] // PRIOR_CHAINS),
        tuple((name, options[name]) for name in PRIOR_OPTIONS if np.isscalar(options.get(name))),
    )
    if not few:
        return variables
    rng = np.random.default_rng(PRIOR_SEED)
    return repeat_shuffled(variables, categories, model.category_axes, rng)


@lru_cache(maxsize=1)
def _cached_prior(
    program: _Program,
    stan_data: str,
    categories: int,
    draws: int,
    options: tuple[tuple[str, Any], ...],
) -> Variables:
    run = program.sample(
        json.loads(stan_data),
        PRIOR_SEED,
        categories=categories,
        chains=PRIOR_CHAINS,
        iter_sampling=draws,
        iter_warmup=PRIOR_WARMUP,
        **dict(options),
    )
    return run.variables


@dataclass(frozen=True, eq=False)
class _Run:
    """One run of a program: what cmdstanpy returned, and what it drew."""

    fit: CmdStanMCMC
    variables: Variables
    stats: Variables


@dataclass(frozen=True)
class _Program:
    """A compiled program: the name of its file, and its executable."""

    name: str
    executable: str

    def sample(
        self,
        data: Mapping[str, Any],
        seed: int,
        *,
        categories: int,
        output_dir: Path | None = None,
        **options: Any,
    ) -> _Run:
        """Sample, and read what was drawn; errors are told in Stan's own words."""
        from cmdstanpy import CmdStanModel

        with _output_folder(output_dir) as folder, running_programs():
            before = set(folder.iterdir())
            try:
                fit = CmdStanModel(exe_file=self.executable).sample(
                    data=data,
                    seed=seed + 1,  # CmdStan takes 0 for 1
                    output_dir=folder,
                    sig_figs=SIG_FIGS,
                    show_progress=False,
                    time_fmt="%Y%m%d%H%M%S%f",  # runs within a second have files of their own
                    **{"parallel_chains": min(cores(), options["chains"]), **options},
                )
                variables, stats = _read(fit)
            except (RuntimeError, ValueError, OSError) as error:
                lines = _console_lines(set(folder.iterdir()) - before)
                raise self._stopped("stopped", _reason(error, lines)) from error
            self._check_numbers(variables, data, fit)
        if output_dir is None:
            weakref.finalize(fit, _remove, folder, os.getpid())
        return _Run(fit, self._shape(variables, int(data.get("K", categories))), stats)

    def _stopped(self, event: str, reason: str) -> StanoffError:
        """Build the error of a run, in Stan's words; it was compiled from a copy of the file."""
        copy = re.compile(rf"'[^']*/{re.escape(Path(self.executable).name)}\.stan'")
        return StanoffError(f"{self.name} {event}: {copy.sub(repr(self.name), reason)}")

    def _check_numbers(
        self, variables: Variables, data: Mapping[str, Any], fit: CmdStanMCMC
    ) -> None:
        """Refuse a delta that is no number, unless the measure may have none."""
        missing = np.isnan(variables.get("delta", np.zeros(1)))
        if not missing.any() or np.isnan(data.get("zero_division", 0.0)):
            return
        lines = _console_lines(map(Path, fit.runset.stdout_files))
        if exceptions := [line for line in lines if "Exception" in line]:
            raise self._stopped("stopped in its generated quantities", exceptions[-1])
        if "zero_division" not in data:
            draws = f"{int(missing.sum())} of {missing.size} draws"
            raise self._stopped("generates a delta that is not a number", f"NaN in {draws}.")

    def _shape(self, variables: Variables, categories: int) -> Variables:
        """Give every variable its axes; refuse results that are not one per category."""
        # In the order in which a saved result has them: the last digit of a sum depends on it.
        variables = {name: np.ascontiguousarray(values) for name, values in variables.items()}
        for name, rank in RANKS.items():  # a program for one category may leave out its axis
            if name not in variables:
                continue
            if variables[name].ndim == rank - 1:
                variables[name] = np.expand_dims(variables[name], 2)
            expected = (categories,) if rank == 3 else (categories, 4)
            if variables[name].shape[2:] != expected:
                size, rule = (
                    " x ".join(map(str, shape)) for shape in (variables[name].shape[2:], expected)
                )
                raise StanoffError(f"{self.name} generates {name} of size {size}, not {rule}.")
        return stacked(variables)


def _compile(model: Model) -> _Program:
    """Compile the program of a model; where that cannot be done, say what can."""
    try:
        compiled = compile_program(model.stan_file)
    except ToolchainError as error:
        if not model.is_conjugate:
            raise
        advice = "Or pass engine='exact': it draws the same posterior at once, without a compiler."
        raise ToolchainError(f"{error} {advice}") from error
    return _Program(model.stan_file.name, str(compiled.exe_file))


@contextmanager
def _output_folder(output_dir: Path | None) -> Iterator[Path]:
    """Make the folder of the CSV files; a temporary one is removed again where a run fails."""
    try:
        if output_dir is not None:
            output_dir.mkdir(parents=True, exist_ok=True)
        folder = output_dir or Path(tempfile.mkdtemp(prefix="stanoff-"))
    except OSError as error:
        option = "TMPDIR" if output_dir is None else "output_dir"
        raise StanoffError(
            f"No folder for CmdStan's files can be made ({error.strerror}): set {option} to one "
            "that can be written."
        ) from error
    try:
        yield folder
    except BaseException:
        if output_dir is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _remove(folder: Path, process: int) -> None:
    """Remove the files of a fit that is gone; a forked process leaves those of its parent."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _read(fit: CmdStanMCMC) -> tuple[Variables, Variables]:
    """Return the variables of the program and those of the sampler, as (chain, draw, ...)."""
    import stanio

    # Not by fit.draws(), which would keep a second copy of everything.
    header, values = stanio.read_csv(fit.runset.csv_files)
    values = values[:, -fit.num_draws_sampling :]  # without a saved warmup
    columns = stanio.stan_variables(stanio.parse_header(header), values)
    variables = {name: values for name, values in columns.items() if not name.endswith("__")}
    stats = {label: columns[name] for name, label in STATS.items() if name in columns}
    if "diverging" in stats:
        stats["diverging"] = stats["diverging"].astype(bool)
    return variables, stats


def to_json(data: Mapping[str, Any]) -> str:
    """Write data for Stan as JSON.

    Examples
    --------
    >>> to_json({"K": 2, "counts": np.array([3, 4])})
    '{"K": 2, "counts": [3, 4]}'
    """
    return json.dumps(data, default=np.ndarray.tolist)


def _console_lines(files: Iterable[Path]) -> list[str]:
    """Read what the chains of a run printed."""
    consoles = [file for file in sorted(files) if file.name.endswith("-stdout.txt")]
    text = "\n".join(file.read_text("utf8", errors="replace") for file in consoles)
    return [line.strip() for line in text.splitlines() if line.strip()]


def _reason(error: Exception, lines: Sequence[str]) -> str:
    """Say why a run failed, in the program's own words if it has any."""
    for word in ("Exception", "improper", "log(0)"):
        if matches := [line for line in lines if word in line]:
            return matches[0]
    if ended := re.search(r"retcodes=\[.*?-(\d+)", str(error)):
        return f"{signal.Signals(int(ended[1])).name} ended it."
    if messages := [line for line in lines if not ORDINARY_OUTPUT.match(line)]:
        return messages[-1]
    message = str(error).partition("\n")[0]
    return "it did not say why." if message.startswith("Error during sampling") else message
