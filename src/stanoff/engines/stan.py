"""Draws from a Stan program, by cmdstanpy."""

from __future__ import annotations

import inspect
import json
import re
import signal
import weakref
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff._lib.arguments import cores
from stanoff._lib.files import temporary_folder
from stanoff._lib.progress import show_progress
from stanoff.data.types import Data, rows
from stanoff.engines.cmdstan import running_programs
from stanoff.engines.draws import (
    Draws,
    Later,
    Variables,
    concatenate,
    judged,
    repeat_shuffled,
    stacked,
)
from stanoff.engines.toolchain import compile_program
from stanoff.errors import InputError, StanoffError, ToolchainError, invalid
from stanoff.measures import Measure
from stanoff.models import Model, is_conjugate
from stanoff.models.base import SHARED_DIMS
from stanoff.models.counts import ConjugateCounts
from stanoff.models.custom import CustomModel
from stanoff.models.patterns import MAX_DENSE_CLASSES, MAX_DENSE_SYSTEMS

if TYPE_CHECKING:
    from cmdstanpy import CmdStanMCMC

    from stanoff.question import Sampling

CHAINS, DRAWS, WARMUP = 4, 1000, 1000
MIN_DRAWS, MAX_CELLS = 250, 200_000  # with very many categories CmdStan writes large files
COUNTED = {"c_pos", "c_neg", "c_A", "c_B", "truth", "said"}  # inputs that can be all 0
CHUNK = 8  # categories that do not know of each other are sampled so many at a time
# How many systems and classes a program of any number of systems can have.
MAX_IN_STAN: dict[str, dict[str, int]] = {
    "joint": {"systems": 2, "categories": MAX_DENSE_CLASSES},
    **{name: {"systems": MAX_DENSE_SYSTEMS} for name in ("contest", "items", "folds", "seeds")},
}
MAX_COUNT = 2**31 - 1  # Stan's integers have 32 bits
SIG_FIGS = 18  # what it takes to write a double and read the same one
PRIOR_SEED = 20160717  # the prior does not depend on the documents: one run serves them all
PRIOR_CHAINS, PRIOR_WARMUP = 2, 500
PRIOR_OPTIONS = ("adapt_delta", "max_treedepth", "step_size")  # those that fit any number of chains
ORDINARY_OUTPUT = re.compile(r"\w+ = |method|Iteration:|Gradient|Adjust|1000 trans|Elapsed|\d|\(")
STATS = {
    "lp__": "lp",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}
# How statistics of chunks become those of all: the chunks are independent, so that their log
# densities and energies add up; of the rest the worst counts.
COMBINE: dict[str, Any] = {
    **dict.fromkeys(("lp", "energy", "n_steps"), np.sum),
    **dict.fromkeys(("diverging", "tree_depth"), np.max),
    **dict.fromkeys(("step_size", "acceptance_rate"), np.min),
}
# What stanoff itself passes to CmdStanModel.sample: the option that decides it.
OURS = {name: f" by {name}=" for name in ("data", "chains", "seed", "output_dir")} | {
    "iter_sampling": " by draws=",
    "iter_warmup": " by warmup=",
    "show_progress": " by progress=",
    "sig_figs": "",
    "fixed_param": "",
}
Run = tuple["CmdStanMCMC", Variables, Variables]  # the fit, its variables and the sampler's


@dataclass(frozen=True)
class Program:
    """A compiled program: the name of its file, and its executable."""

    name: str
    executable: str

    def sample(
        self,
        data: Mapping[str, Any],
        seed: int,
        *,
        categories: int = 1,
        output_dir: Path | None = None,
        **options: Any,
    ) -> Run:
        """Draw from the posterior; errors have Stan's own words."""
        from cmdstanpy import CmdStanModel

        with ExitStack() as stack, running_programs():
            folder = output_dir or stack.enter_context(temporary_folder())
            before = set(folder.glob("*"))
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
                variables, stats = read_draws(fit)
            except (RuntimeError, ValueError, OSError) as error:
                lines = _console_lines(set(folder.glob("*")) - before)
                raise self.failed("stopped", _reason(error, lines)) from error
            self._check_numbers(variables, data, fit)
            variables = self._shape(variables, int(data.get("K", categories)))
            weakref.finalize(fit, stack.pop_all().close)  # a temporary folder goes with the fit
        return fit, variables, stats

    def failed(self, event: str, reason: str) -> StanoffError:
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
            raise self.failed("stopped in its generated quantities", exceptions[-1])
        if "zero_division" not in data:
            draws = f"{int(missing.sum())} of {missing.size} draws"
            raise self.failed("generates a delta that is not a number", f"NaN in {draws}.")

    def _shape(self, variables: Variables, categories: int) -> Variables:
        """Give every variable its axes; refuse results that are not one per category."""
        # In the order in which a saved result has them: the last digit of a sum depends on it.
        shaped = {name: np.ascontiguousarray(values) for name, values in variables.items()}
        for name in {"delta", "psi_A", "psi_B", "cells_A", "cells_B"} & set(shaped):
            expected = (categories, 4) if name.startswith("cells") else (categories,)
            if shaped[name].ndim == 1 + len(expected):  # one category may have no axis
                shaped[name] = np.expand_dims(shaped[name], 2)
            if (shape := shaped[name].shape[2:]) != expected:
                size, rule = (" x ".join(map(str, sizes)) for sizes in (shape, expected))
                raise StanoffError(f"{self.name} generates {name} of size {size}, not {rule}.")
        return stacked(shaped)


def sample(model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Run the program, and for its prior once more; :func:`stanoff.engines.sampling.sample`."""
    _check_size(model, data)
    stan_data = model.stan_data(data, sampling.prior, measure)
    judged_categories = len(data.categories)
    categories = int(stan_data.get("K", judged_categories))
    program = compile_model(model)
    options = {
        "chains": sampling.chains or CHAINS,
        "iter_sampling": sampling.draws or min(DRAWS, max(MIN_DRAWS, MAX_CELLS // categories)),
        "iter_warmup": sampling.warmup or WARMUP,
        "output_dir": sampling.output_dir,
        **check_sampler_options(sampling.sampler_options),
    }
    starts = range(0, categories, CHUNK if isinstance(model, ConjugateCounts) else categories)
    title = f"Sampling {options['chains']} x {options['iter_sampling']} draws"
    runs = []
    with show_progress(title, total=len(starts), quiet=not sampling.progress) as advance:
        for number, start in enumerate(starts):
            chunk, seed = stan_data, sampling.seed
            if len(starts) > 1:
                chunk_data = rows(data, slice(start, start + CHUNK))
                chunk = model.stan_data(chunk_data, sampling.prior, measure)
            if number:  # the first has the seed of the whole
                seed = int(np.random.SeedSequence([seed, number]).generate_state(1)[0] >> 2)
            runs.append(program.sample(chunk, seed, categories=categories, **options))
            advance(number + 1)
    fits, chunks, stats = zip(*runs, strict=True)

    def prior() -> Variables:
        drawn = _sample_prior(model, program, stan_data, categories, options)
        return judged(drawn, judged_categories)

    has_prior = "prior_only" in stan_data or stan_data.get("prior_weight", 0) > 0
    posterior = judged(concatenate(chunks, category_axes(model.dims)), judged_categories)
    return Draws(
        posterior, Later(prior) if has_prior else {}, combine_stats(stats), cmdstan_fits=fits
    )


def sample_blocks(
    model: Model,
    blocks: Sequence[Mapping[str, Any]],
    seed: int,
    inits: Sequence[Mapping[str, Any]] | None = None,
    *,
    progress: bool = False,
    **options: Any,
) -> list[tuple[Variables, Variables]]:
    """Run the program on many data blocks, a chain each.

    Parameters
    ----------
    model : Model
        Whose program is run.
    blocks : sequence of mapping
        All that the program declares, once per run.
    seed : int
        Of the first run; the seeds count on from it.
    inits : sequence of mapping, optional
        Where each run begins.
    progress : bool
        Whether to show how far it is.
    **options
        Of ``CmdStanModel.sample``.

    Returns
    -------
    list of tuple
        The variables of the program and those of the sampler, of each block.
    """
    program = compile_model(model)

    def run(number: int) -> tuple[Variables, Variables]:
        begin = {} if inits is None else {"inits": inits[number]}
        run_options = {"chains": 1, **begin, **options}
        return program.sample(blocks[number], (seed + number) % MAX_COUNT, **run_options)[1:]

    title = f"Sampling {len(blocks)} x {options['iter_sampling']} draws"
    results: list[tuple[Variables, Variables]] = []
    pool = ThreadPoolExecutor(cores())
    with (
        show_progress(title, total=len(blocks), quiet=not progress) as advance,
        running_programs(),
    ):
        try:
            for result in pool.map(run, range(len(blocks))):
                results.append(result)
                advance(len(results))
        finally:
            pool.shutdown(cancel_futures=True)
    return results


def compile_model(model: Model) -> Program:
    """Compile the program of a model; where that cannot be done, say what can."""
    try:
        compiled = compile_program(model.stan_file)
    except ToolchainError as error:
        if not is_conjugate(model):
            raise
        advice = "Or pass engine='exact': it draws the same posterior at once, without a compiler."
        raise ToolchainError(f"{error} {advice}") from error
    return Program(model.stan_file.name, str(compiled.exe_file))


def check_sampler_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse options that ``CmdStanModel.sample`` does not take, or that stanoff sets itself."""
    if not options:
        return {}
    from cmdstanpy import CmdStanModel

    accepted = list(inspect.signature(CmdStanModel.sample).parameters)[1:]
    for name in options:
        if name in OURS:
            raise invalid(
                "sampler_options", f"without {name!r}, which stanoff sets{OURS[name]}", name
            )
        if name not in accepted:
            names = ", ".join(option for option in accepted if option not in OURS)
            raise invalid("sampler_options", f"options of CmdStanModel.sample: {names}", name)
    return dict(options)


def category_axes(dims: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Return which axis of draws is that of the categories, given a model's own dimensions."""
    dims = {**SHARED_DIMS, "psi": ("system", "category"), **dims}
    return {name: 2 + axes.index("category") for name, axes in dims.items() if "category" in axes}


def combine_stats(stats: Sequence[Variables]) -> Variables:
    """Put the sampler's statistics of chunks of independent categories together."""
    if len(stats) == 1:
        return stats[0]
    return {n: np.asarray(COMBINE[n]([chunk[n] for chunk in stats], axis=0)) for n in stats[0]}


def read_draws(fit: CmdStanMCMC) -> tuple[Variables, Variables]:
    """Return the variables of the program and those of the sampler, as (chain, draw, ...)."""
    import stanio
    from pyarrow import BufferReader, csv

    # Not by fit.draws(), which would keep a second copy of everything, and by a quicker reader.
    chains = []
    for file in fit.runset.csv_files:
        with Path(file).open("rb") as content:
            lines = [line for line in content if not line.startswith(b"#")]
        table = csv.read_csv(BufferReader(b"".join(lines)))
        chains.append(np.column_stack(table.columns).astype(np.float64, copy=False))
    values = np.stack(chains)[:, -fit.num_draws_sampling :]  # without a saved warmup
    columns = stanio.stan_variables(stanio.parse_header(lines[0].decode().strip()), values)
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


def _check_size(model: Model, data: Data) -> None:
    """Refuse what only the exact engine can draw."""
    sizes = {"systems": len(data.systems), "categories": getattr(data, "classes", 0)}
    limits = MAX_IN_STAN.get(model.name, {}).items()
    rules = [f" with more than {limit} {name}" for name, limit in limits if sizes[name] > limit]
    rules += [] if model.inputs else [", which has no program"]
    for rule in rules:
        raise invalid("engine", f"'exact' for {model.name}{rule}", "stan")
    documents = max(data.n_documents())
    if documents > MAX_COUNT:
        raise InputError(
            f"Stan counts up to 2^31 - 1 = {MAX_COUNT} documents, but there are {documents}: "
            "pass engine='exact', which has no such limit."
        )


def _sample_prior(
    model: Model,
    program: Program,
    stan_data: Mapping[str, Any],
    categories: int,
    options: Mapping[str, Any],
) -> Variables:
    """Draw the prior; of many independent categories Stan draws the first few.

    The others are the same draws in another order.
    """
    rng, chains, draws = (
        np.random.default_rng(PRIOR_SEED),
        options["chains"],
        options["iter_sampling"],
    )
    if "prior_only" not in stan_data:  # the mean of values: a flat prior, which no chain can draw
        drawn = model.sample_exact({**stan_data, "prior_only": 1}, chains * draws, rng)
        return {name: v.reshape(chains, draws, *v.shape[1:]) for name, v in drawn.items()}
    # Without documents one run serves all data; new documents are as many as there are.
    # Scores and values of a user's program cannot be 0.
    zero = not isinstance(model, CustomModel) or set(model.observed) <= COUNTED
    observed = model.observed if zero and "simulate" not in stan_data else ()
    few = categories > CHUNK and isinstance(model, ConjugateCounts)
    size: dict[str, Any] = {"K": CHUNK} if few else {}
    empty = {n: np.zeros_like(stan_data[n][:CHUNK] if few else stan_data[n]) for n in observed}
    variables = _cached_prior(
        program,
        to_json({**stan_data, **empty, **size, "prior_only": 1}),
        CHUNK if few else categories,
        -(-chains * draws // PRIOR_CHAINS),
        tuple((name, options[name]) for name in PRIOR_OPTIONS if np.isscalar(options.get(name))),
    )
    return (
        repeat_shuffled(variables, categories, category_axes(model.dims), rng) if few else variables
    )


@lru_cache(maxsize=1)
def _cached_prior(
    program: Program,
    stan_data: str,
    categories: int,
    draws: int,
    options: tuple[tuple[str, Any], ...],
) -> Variables:
    size = {"chains": PRIOR_CHAINS, "iter_sampling": draws, "iter_warmup": PRIOR_WARMUP}
    all_options: dict[str, Any] = {"categories": categories, **size, **dict(options)}
    return program.sample(json.loads(stan_data), PRIOR_SEED, **all_options)[1]


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
