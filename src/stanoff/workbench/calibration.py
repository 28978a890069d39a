"""Simulation-based calibration of a Stan program (Talts et al. 2018).

Draw parameters from the prior and data given the parameters, and fit. The rank of the true value
among the posterior draws is uniform if the program draws from its own posterior: of every variable,
and of the log-likelihood of all data, which looks at all parameters together (Modrák et al. 2023).
The band of Säilynoja, Bürkner and Vehtari (2022) holds at all ranks at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff import models, plots
from stanoff._lib.arguments import as_seed, check_int
from stanoff._lib.escaping import shown
from stanoff._lib.files import write_text
from stanoff._lib.showing import ReprMixin
from stanoff.data.items import NO_CODES, ClusteredValues, ItemValues, RatioValues
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import ConfusionCounts, Data, PairedCounts
from stanoff.engines.draws import Variables, stacked
from stanoff.engines.stan import sample_blocks
from stanoff.errors import InputError, StanoffError, invalid
from stanoff.models import Model
from stanoff.models import inputs as stan_inputs
from stanoff.models.base import PredictiveModel
from stanoff.models.counts import PAIRED, Unpaired
from stanoff.models.custom import REP_SUFFIX, CustomModel
from stanoff.question import read
from stanoff.report.document import Figure, Paragraph, Section, Table, document
from stanoff.report.figures import as_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
StanData = dict[str, Any]
Fits = Sequence[tuple[Variables, Variables]]
Simulated = tuple[list[Variables], list[StanData]]  # true values, and the data drawn given them
Simulate = Callable[[Generator, StanData], tuple[Mapping[str, Any], Mapping[str, Any]]]

N_RANKED, THIN, WARMUP = 99, 5, 500  # of each fit; ranks go from 0 to N_RANKED
PRIOR_THIN, PRIOR_WARMUP = 10, 1000
MAX_VARIABLES = 300
MAX_HISTOGRAMS, MAX_NAMED = 6, 16
MIN_SIMULATIONS = 20
LEVEL = 0.05  # of a verdict; the log-likelihood has half of it, all variables the other half
NUMBERS_OF_BAND, MAX_NUMBERS_OF_BAND = 1_000_000, 10_000_000  # that are simulated for a band
OUTSIDE_OF_BAND = 10  # of the simulated ECDFs, where that takes no more numbers
LOG_LIK = "log_lik"
NOT_RANKED = ("cells", LOG_LIK)
MEASURES = {"labels": "f1", "scores": "auc", "values": "mean"}  # by default
RUNS = 5  # of each item, where a program counts right ones
CLUSTER_SIZE = 6  # items or documents


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(ReprMixin):
    """The ranks of true values among posterior draws.

    Attributes
    ----------
    program : str
        What was calibrated.
    ranks : DataFrame
        A column per variable, a row per simulation: ranks from 0 to ``max_rank``. ``log_lik`` is
        the log-likelihood of all data.
    max_rank : int
        How many draws of each fit were kept.
    n_divergent : int
        In how many fits transitions diverged.
    seed : int
        Makes it reproducible.
    left_out : tuple of str
        What was not tested: variables without a true value, or too many, and the log-likelihood
        where it is not known at the truth.
    """

    program: str
    ranks: pd.DataFrame
    max_rank: int
    n_divergent: int
    seed: int
    left_out: tuple[str, ...] = ()

    @property
    def variables(self) -> list[str]:
        """What was ranked."""
        return [str(name) for name in self.ranks]

    @cached_property
    def pit(self) -> pd.DataFrame:
        """The ranks as numbers between 0 and 1, as ArviZ takes them: uniform if the ranks are."""
        within = np.random.default_rng(self.seed).random(self.ranks.shape)
        return (self.ranks + within) / (self.max_rank + 1)

    def _probability(self, variable: str) -> float:
        """Return the probability of the band by which a variable is judged."""
        if LOG_LIK not in self.ranks:
            return 1 - LEVEL / len(self.variables)
        return 1 - LEVEL / 2 / (1 if variable == LOG_LIK else max(1, len(self.variables) - 1))

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per variable: whether the ranks stay inside their band, and a verdict."""
        names = self.variables
        inside = [is_inside(self.pit[name].to_numpy(), self._probability(name)) for name in names]
        ways = [describe_deviation(self.ranks[name].to_numpy(), self.max_rank) for name in names]
        verdict = np.where(inside, "uniform", ways)
        return pd.DataFrame({"variable": names, "inside": inside, "verdict": verdict})

    @property
    def calibrated(self) -> bool:
        """Whether all ranks stay inside, which those of a right program do with 95 %."""
        return bool(self.table["inside"].all())

    def sentence(self) -> str:
        """Describe the verdict in words."""
        n = len(self.ranks)
        deviating = self.table[~self.table["inside"]]
        bands = [self.ecdf_band(self._probability(name)) for name in self.variables]
        width = max(float(np.max(high - points)) for points, _, high in bands)
        verdict = (
            "do not speak against it: the ranks are uniform, as far as they can tell (a "
            f"distribution that is off by less than {width:.2f} goes unseen)"
        )
        if not deviating.empty:
            listed = "; ".join(f"{row.variable}: {row.verdict}" for row in deviating.itertuples())
            verdict = f"show that it does not draw from its own posterior: {listed}"
        names = _list_names(self.variables)
        sentences = [f"{n:,} simulations of {shown(self.program)} (ranks of {names}) {verdict}."]
        if self.left_out:
            sentences.append(f"Not tested: {_list_names(self.left_out)}.")
        if self.n_divergent:
            sentences.append(f"Transitions diverged in {self.n_divergent} of {n:,} fits.")
        return " ".join(sentences)

    def ecdf_band(self, probability: float = 0.95) -> tuple[Array, Array, Array]:
        """Return points inside (0, 1), and the band for the ECDF of uniform ranks there."""
        return ecdf_band(len(self.ranks), probability)

    def plot_ranks(self, variable: str = "delta", *, ax: Axes | None = None) -> Axes:
        """Draw a histogram of the ranks of one variable, with what uniform ranks would give."""
        return plots.plot_rank(self, variable, ax=ax)

    def plot_ecdf(self, *, ax: Axes | None = None) -> Axes:
        """Draw how far the distributions of the ranks are off the uniform one, with its band."""
        return plots.plot_ecdf(self, ax=ax)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the verdict, the table and the figures; it needs no network."""
        method = (
            f"{len(self.ranks):,} times, true values were drawn from the prior and data given "
            "these; the program was fitted to the data, and the true values were ranked among "
            f"{self.max_rank} of its draws. If it draws from its own posterior, all ranks are "
            f"equally probable (Talts et al. 2018). Seed {self.seed}."
        )
        inside = (
            "Whether the whole distribution of the ranks is inside its band, as ArviZ computes it "
            "(Säilynoja et al. 2022). Of a right program all are inside with a probability of "
            "95 %."
        )
        band = (
            "Distribution of the ranks less the uniform one. With a probability of 95 %, all of a "
            "line stays within the band if its ranks are uniform."
        )
        histograms = [
            Figure(as_bytes(self.plot_ranks(name), "svg"), f"Ranks of {name}.")
            for name in self.variables[:MAX_HISTOGRAMS]
        ]
        sections = [
            Section("Verdict", [Paragraph(self.sentence()), Table(self.table, inside)]),
            Section("All ranks", [Figure(as_bytes(self.plot_ecdf(), "svg"), band)]),
            Section("Histograms", histograms),
            Section("How it was done", [Paragraph(method)]),
        ]
        return write_text(path, document(f"Calibration of {self.program}", sections))

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return [self.sentence(), self.table]


def _list_names(names: Sequence[str]) -> str:
    further = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {further} more" if further > 0 else "")


@lru_cache(maxsize=32)
def ecdf_band(n: int, probability: float) -> tuple[Array, Array, Array]:
    """Return points inside (0, 1), and both ends of a band for the ECDF of n uniform numbers there.

    Parameters
    ----------
    n : int
        How many numbers there are.
    probability : float
        With which the whole ECDF stays inside the band.
    """
    from arviz_stats.ecdf_utils import ecdf_pit

    # The more rarely an ECDF may leave the band, the more of them must be simulated. ArviZ seeds
    # them; the values only say how many there are, and their own ECDF is not needed.
    wanted = min(round(OUTSIDE_OF_BAND / (1 - probability)), MAX_NUMBERS_OF_BAND // n)
    simulations = max(wanted, NUMBERS_OF_BAND // n)
    points, _, low, high = ecdf_pit(np.linspace(0, 1, n), probability, simulations)
    return points, low, high


def is_inside(pit: Array, probability: float) -> bool:
    """Return whether the distribution of numbers between 0 and 1 stays inside the band.

    Examples
    --------
    >>> even = (np.arange(100) + 0.5) / 100
    >>> is_inside(even, 0.95), is_inside(even / 2, 0.95)
    (True, False)
    """
    from arviz_stats.ecdf_utils import compute_ecdf

    points, low, high = ecdf_band(len(pit), probability)
    ecdf = compute_ecdf(pit, points)
    return bool(((low <= ecdf) & (ecdf <= high)).all())


def describe_deviation(ranks: NDArray[np.int64], max_rank: int, level: float = 0.05) -> str:
    """Say in which way a posterior is off whose ranks of the truth are not uniform.

    Uniform ranks are standard normal once turned into normal scores: their mean tells whether the
    posterior lies too high or too low, their variance whether it is too narrow or too wide.

    Examples
    --------
    >>> describe_deviation(np.arange(100) // 2, 99)
    'the posterior is too high (the truth ranks low) and too wide (the truth ranks in the middle)'
    """
    scores = scipy.special.ndtri((ranks + 0.5) / (max_rank + 1))
    n, mean, variance = len(scores), scores.mean(), scores.var(ddof=1)
    limit = -scipy.special.ndtri(level / 4)  # two questions, two sides each
    ways = []
    if abs(mean) > limit * np.sqrt(variance / n):
        ways.append(
            "too low (the truth ranks high)" if mean > 0 else "too high (the truth ranks low)"
        )
    narrow = scipy.special.chdtrc(n - 1, (n - 1) * variance)
    # Ranks that pile up at one end are close together, whatever the width of the posterior.
    piled_up = ways and max((ranks == 0).mean(), (ranks == max_rank).mean()) > 0.1
    if narrow < level / 4:
        ways.append("too narrow (the truth ranks at the ends)")
    elif narrow > 1 - level / 4 and not piled_up:
        ways.append("too wide (the truth ranks in the middle)")
    return f"the posterior is {' and '.join(ways)}" if ways else "the ranks are not uniform"


def calibrate(
    model: str | os.PathLike[str],
    *,
    simulate: Simulate | None = None,
    simulations: int = 200,
    documents: int = 120,
    categories: int = 3,
    seed: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Calibration:
    """Find out by simulation whether a Stan program draws from its own posterior.

    Parameters
    ----------
    model : str or path
        The path of a program, or the name of a model.
    simulate : callable, optional
        ``simulate(rng, data)`` draws true values from the prior and documents given them: it
        returns the true values of some variables of the program, by name, and the parts of the data
        block to replace. By default the program does both: with ``prior_only`` and ``simulate`` at
        1 it generates ``c_pos_rep`` for ``c_pos``, ``y_rep`` for ``y`` and so on. Models of stanoff
        need neither.
    simulations : int
        How many data sets to draw and fit.
    documents, categories : int
        How many documents each category has, or how many items there are, and how many categories.
    seed : int, optional
        Makes it reproducible.
    progress : bool
        Show on stderr how far it is.
    **options
        ``data``, ``prior``, ``measure``, ``beta``, ``zero_division`` and ``prevalence``, as in
        :func:`stanoff.compare`.

    Returns
    -------
    Calibration
        The ranks, the verdict, figures and a page.
    """
    check_int("simulations", simulations, least=MIN_SIMULATIONS)
    seed = as_seed(seed)
    rng = np.random.default_rng(seed)
    name: Any = Path(model) if str(model).endswith(".stan") else str(model)
    options.setdefault("measure", MEASURES[data_kind(models.get(name))])
    question, sampling = read(model=name, **options)
    fitted = sampling.model
    assert fitted is not None
    classes = fitted.accepts is ConfusionCounts
    if classes or not fitted.inputs or models.takes_contests(fitted):
        raise invalid("model", "a Stan program of two systems and of categories", fitted.name)
    data = empty_data(
        fitted, check_int("documents", documents), check_int("categories", categories)
    )
    stan_data = fitted.stan_data(data, sampling.prior, question.measure)
    if simulate is None:
        truths, blocks = _simulate_by_program(fitted, stan_data, simulations, seed, rng)
    else:
        truths, blocks = _simulate_by_function(simulate, stan_data, simulations, rng)
    fits = sample_blocks(
        *(fitted, blocks, seed + 1),
        progress=progress,
        iter_sampling=N_RANKED * THIN,
        iter_warmup=WARMUP,
    )
    _check_truths(truths, fits)
    likelihoods = _log_likelihoods(fitted, data, truths, blocks, fits)
    ranks = {} if likelihoods is None else _rank(LOG_LIK, *likelihoods, rng)
    for name in sorted(_ranked(truths[0]), key=lambda name: (name != "delta", name != "psi")):
        truth = np.stack([truth[name] for truth in truths])
        ranks |= _rank(name, truth, [draws[name][0] for draws, _ in fits], rng)
    if not ranks:
        raise InputError("There is nothing to rank: no variable has a true value.")
    without_truth = [name for name in _ranked(fits[0][0]) if name not in truths[0]]
    return Calibration(
        fitted.stan_file.name,
        pd.DataFrame(dict(list(ranks.items())[:MAX_VARIABLES])),
        N_RANKED,
        sum(bool(np.any(stats["diverging"])) for _, stats in fits),
        seed,
        (*({LOG_LIK} - set(ranks)), *without_truth, *list(ranks)[MAX_VARIABLES:]),
    )


def _ranked(names: Iterable[str]) -> list[str]:
    """Return the variables that are ranked by themselves."""
    return [n for n in names if n not in NOT_RANKED and not n.endswith(REP_SUFFIX)]


def data_kind(model: Model) -> str:
    """Return which kind of data a model is about: labels, scores or values."""
    is_labels = not isinstance(model, CustomModel)
    return "labels" if is_labels else stan_inputs.data_kind(model.inputs)


def empty_data(model: Model, n: int, categories: int) -> Data:
    """Return data such as a model takes, of which only the size matters: they are drawn anew.

    Parameters
    ----------
    model : Model
        Whose program is to draw them.
    n : int
        How many documents each category has, or how many items there are.
    categories : int
        How many there are; values have none.
    """
    inputs = set(model.program.inputs) if isinstance(model, CustomModel) else set()
    kind, names = data_kind(model), tuple(str(i + 1) for i in range(categories))
    if kind == "labels":
        counts = np.zeros((2, categories, 4), dtype=np.int64)
        counts[:, :, 3] = [[n // 2], [n - n // 2]]
        return PairedCounts(names, *counts)
    cluster = np.arange(n) // CLUSTER_SIZE if "cluster" in inputs else NO_CODES
    normal = scipy.special.ndtri((np.arange(n) + 0.5) / n)
    values = np.stack([normal, np.roll(normal, n // 3)])
    if kind == "scores":
        names = names if {"K", "category"} & inputs else ("1",)
        truth = np.tile(np.arange(n) % 2, (len(names), 1))
        return ScoredDocuments(names, truth, values[:, None] + truth, cluster)
    arrays: dict[str, Any] = {"categories": ("1",), "dataset": NO_CODES}
    arrays |= {"runs": np.empty((2, 0), dtype=np.int64), "scatter": np.empty((2, 0))}
    if {"right", "runs"} & inputs:
        values = np.stack([np.arange(n), np.arange(n)[::-1]]) % (RUNS + 1) / RUNS
        arrays |= {"runs": np.full((2, n), RUNS), "scatter": RUNS * values * (1 - values)}
    arrays["values"] = values
    if "denominator" in inputs:
        groups = cluster if len(cluster) else np.arange(n)
        return RatioValues(cluster=groups, denominator=np.ones((2, n)), **arrays)
    return ClusteredValues(cluster=cluster, **arrays) if len(cluster) else ItemValues(**arrays)


def _simulate_by_program(
    model: Model, stan_data: StanData, n: int, seed: int, rng: Generator
) -> Simulated:
    """Let the program draw its prior, and data; return true values and data sets."""
    if "prior_only" not in stan_data:
        raise InputError(
            f"{model.name} does not declare prior_only, so that it cannot draw its prior: pass a "
            "Python function as simulate=."
        )
    switches = {name: 1 for name in ("prior_only", "simulate") if name in stan_data}
    [(draws, _)] = sample_blocks(
        *(model, [stan_data | switches], seed),
        iter_sampling=n * PRIOR_THIN,
        iter_warmup=PRIOR_WARMUP,
    )
    draws = {name: values[:, ::PRIOR_THIN] for name, values in draws.items()}
    replicated = _replicate(model, draws, stan_data, rng)
    truths, changes = (
        [{name: values[0, i] for name, values in group.items()} for i in range(n)]
        for group in (draws, replicated)
    )
    return list(truths), [{**stan_data, **changed} for changed in changes]


def _replicate(
    model: Model, draws: Variables, stan_data: Mapping[str, Any], rng: Generator
) -> dict[str, NDArray[Any]]:
    """Return data as the model draws them, of the types that its program declares."""
    if isinstance(model, PredictiveModel):
        replicated = dict(model.replicate(draws, stan_data, rng))
    else:  # also of data of the user's own
        names = [name for name in stan_data if f"{name}{REP_SUFFIX}" in draws]
        replicated = {name: draws[f"{name}{REP_SUFFIX}"] for name in names}
        wanted = model.program.to_replicate if isinstance(model, CustomModel) else model.observed
        if missing := set(wanted) - set(names):
            listed = " and ".join(f"{name}{REP_SUFFIX}" for name in sorted(missing))
            raise InputError(
                f"{model.name} does not generate {listed}: let it do so where simulate is 1, or "
                "pass a Python function as simulate=."
            )
    for name, values in replicated.items():
        if not np.all(np.isfinite(values)):
            message = f"{model.name} draws {name}{REP_SUFFIX} that is no number"
            raise StanoffError(f"{message}: did its generated quantities stop?")
        is_integer = np.asarray(stan_data[name]).dtype.kind in "iu"
        if isinstance(model, CustomModel):
            is_integer = model.program.inputs[name]["type"] == "int"
        if is_integer:
            replicated[name] = values.astype(np.int64)
    return replicated


def _simulate_by_function(
    simulate: Simulate, stan_data: StanData, n: int, rng: Generator
) -> Simulated:
    """Let a function of the user's draw true values and data."""
    truths: list[Variables] = []
    blocks = []
    for _ in range(n):
        returned = simulate(rng, dict(stan_data))
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise invalid("simulate", "a function that returns true values and data", returned)
        truth, changes = returned
        if foreign := set(changes) - set(stan_data):
            declared = ", ".join(stan_data)
            raise invalid("simulate", f"of data that the program declares, {declared}", foreign)
        values = stacked({name: np.asarray(value)[None, None] for name, value in truth.items()})
        truths.append({name: value[0, 0] for name, value in values.items()})
        blocks.append({**stan_data, **changes})
    return truths, blocks


def _check_truths(truths: list[Variables], fits: Fits) -> None:
    """Refuse true values of what the program does not generate."""
    draws, _ = fits[0]
    for name, value in truths[0].items():
        if name not in draws or draws[name].shape[2:] != value.shape:
            raise StanoffError(f"The program does not generate {name!r} of that size.")


def _log_likelihoods(
    model: Model, data: Data, truths: list[Variables], blocks: list[StanData], fits: Fits
) -> tuple[NDArray[Any], list[NDArray[Any]]] | None:
    """Return the log-likelihood of each data set at the truth, and at the draws of its fit."""
    documents = _model_of_documents(model, truths[0], blocks[0])
    if documents is None:
        return _log_likelihoods_by_stan(model, truths, blocks, fits)

    def total(variables: Variables, block: StanData) -> NDArray[Any]:
        values, counts, *_ = documents.log_likelihood(variables, data, block)
        return np.asarray(values[0] @ counts)

    as_draws = [{name: value[None, None] for name, value in truth.items()} for truth in truths]
    of_fits = [total(draws, block) for (draws, _), block in zip(fits, blocks, strict=True)]
    return np.concatenate(list(map(total, as_draws, blocks))), of_fits


def _model_of_documents(model: Model, truth: Variables, block: StanData) -> PredictiveModel | None:
    """Return the model whose likelihood is computed here: that of labels with these variables."""
    if isinstance(model, PredictiveModel):
        return model if set(model.predictive_draws) <= set(truth) else None
    shapes = {name: np.shape(truth.get(name, 0)) for name in PAIRED.predictive_draws}
    pairs = np.shape(block.get("c_pos", 0))
    if pairs and shapes == {"mu": pairs[:1], "theta_pos": pairs, "theta_neg": pairs}:
        return PAIRED
    return Unpaired() if "cells" in truth and {"c_A", "c_B"} <= set(block) else None


def _log_likelihoods_by_stan(
    model: Model, truths: list[Variables], blocks: list[StanData], fits: Fits
) -> tuple[NDArray[Any], list[NDArray[Any]]] | None:
    """Return what a program generates as log_lik, at the truth and at the draws of each fit.

    At the truth it is generated by a chain that begins there, and stays. If any other variable is
    not the true one then, it depends on data or chance, and so may log_lik.
    """
    parameters = model.program.parameters if isinstance(model, CustomModel) else {}
    if LOG_LIK not in fits[0][0] or not parameters or not set(parameters) <= set(truths[0]):
        return None
    inits = [
        {
            name: truth[name] if declared["dimensions"] else truth[name].item()
            for name, declared in parameters.items()
        }
        for truth in truths
    ]
    at_truths = sample_blocks(model, blocks, 1, inits, iter_sampling=2, fixed_param=True)
    for truth, (draws, _) in zip(truths, at_truths, strict=True):
        if not all(np.allclose(draws[n][0, 0], truth[n], equal_nan=True) for n in _ranked(truth)):
            return None
    of_truths, of_fits = (
        [draws[LOG_LIK][0].reshape(draws[LOG_LIK].shape[1], -1).sum(axis=1) for draws, _ in runs]
        for runs in (at_truths, fits)
    )
    return np.array([of_truth[0] for of_truth in of_truths]), of_fits


def _rank(
    name: str, truth: NDArray[Any], draws: Sequence[NDArray[Any]], rng: Generator
) -> dict[str, NDArray[np.int64]]:
    """Rank the true values of a variable (simulation, ...) among draws (draw, ...), by name.

    Draws that equal the truth fall to either side by chance. What never varies has no ranks.
    """
    thinned = np.stack([of_fit[::THIN][:N_RANKED] for of_fit in draws])
    below, ties = ((compare(thinned, truth[:, None])).sum(1) for compare in (np.less, np.equal))
    ranks = below + rng.integers(0, ties + 1)
    varies = np.ptp(truth, axis=0) > 0
    return {
        f"{name}[{','.join(str(i + 1) for i in index)}]" if varies.size > 1 else name: (
            ranks[(slice(None), *index)]
        )
        for index in np.ndindex(varies.shape)
        if varies[index]
    }
