"""Simulation-based calibration of a Stan program (Talts et al. 2018).

Draw parameters from the prior and data given the parameters, and fit. The rank of the true value
among the posterior draws is uniform if the program draws from its own posterior.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import models, plots
from stanoff._lib.arguments import as_seed, check_int
from stanoff._lib.escaping import shown
from stanoff._lib.files import write_text
from stanoff._lib.showing import ReprMixin
from stanoff.engines.draws import stacked
from stanoff.engines.stan import sample_blocks
from stanoff.errors import InputError, StanoffError, invalid
from stanoff.models import Model
from stanoff.models.custom import REP_SUFFIX, CustomModel
from stanoff.question import read
from stanoff.report.document import Figure, Paragraph, Section, Table, document
from stanoff.report.figures import as_bytes
from stanoff.text.numbers import p_value
from stanoff.workbench.designs import MEASURES, data_kind, empty_data
from stanoff.workbench.ranks import describe_deviation, ecdf_band, ecdf_p_value, holm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values = Mapping[str, NDArray[Any]]
Simulate = Callable[
    [np.random.Generator, dict[str, Any]], tuple[Mapping[str, Any], Mapping[str, Any]]
]

N_RANKED, THIN, WARMUP = 99, 5, 500  # of each fit; ranks go from 0 to N_RANKED
PRIOR_THIN, PRIOR_WARMUP = 10, 1000
MAX_VARIABLES = 100
MAX_HISTOGRAMS, MAX_NAMED = 6, 16
MIN_SIMULATIONS = 20
SIGNIFICANT = 0.05
NOT_RANKED = ("cells", "log_lik")


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(ReprMixin):
    """The ranks of true values among posterior draws.

    Attributes
    ----------
    program : str
        What was calibrated.
    ranks : DataFrame
        A column per variable, a row per simulation: ranks from 0 to ``max_rank``.
    max_rank : int
        How many draws of each fit were kept.
    n_divergent : int
        In how many fits transitions diverged.
    seed : int
        Makes it reproducible.
    left_out : int
        How many variables were not ranked, for there were too many.
    """

    program: str
    ranks: pd.DataFrame
    max_rank: int
    n_divergent: int
    seed: int
    left_out: int = 0

    @property
    def variables(self) -> list[str]:
        """What was ranked."""
        return [str(name) for name in self.ranks]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per variable: the p-value of uniform ranks, alone and among all, and a verdict."""
        columns = [self.ranks[name].to_numpy() for name in self.variables]
        p = np.array([ecdf_p_value(ranks, self.max_rank) for ranks in columns])
        table = pd.DataFrame({"variable": self.variables, "p": p, "p_adjusted": holm(p)})
        table["verdict"] = [
            "uniform" if p >= SIGNIFICANT else describe_deviation(ranks, self.max_rank)
            for ranks, p in zip(columns, table["p_adjusted"], strict=True)
        ]
        return table

    @property
    def calibrated(self) -> bool:
        """Whether no variable's ranks speak against the program, all looked at together."""
        return bool((self.table["p_adjusted"] >= SIGNIFICANT).all())

    def sentence(self) -> str:
        """Describe the verdict in words."""
        n, further = len(self.ranks), len(self.variables) - MAX_NAMED
        names = ", ".join(self.variables[:MAX_NAMED])
        names += f" and {further} more" if further > 0 else ""
        deviating = self.table[self.table["p_adjusted"] < SIGNIFICANT]
        verdict = "do not speak against it: the ranks are uniform as far as they can tell"
        if not deviating.empty:
            listed = "; ".join(f"{row.variable}: {row.verdict}" for row in deviating.itertuples())
            verdict = f"show that it does not draw from its own posterior: {listed}"
        subject = f"{n:,} simulations of {shown(self.program)} (ranks of {names})"
        sentences = [f"{subject} {verdict}."]
        if self.left_out:
            sentences.append(f"{self.left_out:,} further variables were not ranked.")
        if self.n_divergent:
            sentences.append(f"Transitions diverged in {self.n_divergent} of {n:,} fits.")
        return " ".join(sentences)

    def ecdf_band(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the distribution of uniform ranks, and the low and high end of its 95% band."""
        return ecdf_band(len(self.ranks), self.max_rank)

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
        table = Table(
            self._text_table(),
            "p-values of uniform ranks, each alone and all together (Holm). The test looks at the "
            "whole distribution at once (Säilynoja et al. 2022).",
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
            Section("Verdict", [Paragraph(self.sentence()), table]),
            Section("All ranks", [Figure(as_bytes(self.plot_ecdf(), "svg"), band)]),
            Section("Histograms", histograms),
            Section("How it was done", [Paragraph(method)]),
        ]
        return write_text(path, document(f"Calibration of {self.program}", sections))

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return [self.sentence(), self._text_table()]

    def _text_table(self) -> pd.DataFrame:
        p_values = {name: self.table[name].map(p_value) for name in ("p", "p_adjusted")}
        return self.table.assign(**p_values).rename(columns={"p_adjusted": "p, all together"})


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
    if fitted.single_label or not fitted.has_program or fitted.max_systems != 2:
        raise invalid("model", "a Stan program of two systems and of categories", fitted.name)
    data = empty_data(
        fitted, check_int("documents", documents), check_int("categories", categories)
    )
    stan_data = fitted.stan_data(data, sampling.prior, question.measure)
    if simulate is None:
        truths, data_sets = _simulate_by_program(fitted, stan_data, simulations, seed, rng)
    else:
        truths, data_sets = _simulate_by_function(simulate, stan_data, simulations, rng)
    fits = sample_blocks(
        fitted, data_sets, draws=N_RANKED * THIN, warmup=WARMUP, seed=seed + 1, progress=progress
    )
    variables = _variables_to_rank(truths, fits[0][0])
    ranks = {
        label: [
            _rank(truth[name][index], draws[name][0][(slice(None), *index)], rng)
            for truth, (draws, _) in zip(truths, fits, strict=True)
        ]
        for label, (name, index) in list(variables.items())[:MAX_VARIABLES]
    }
    n_divergent = sum(bool(np.any(stats["diverging"])) for _, stats in fits)
    left_out = len(variables) - len(ranks)
    program = fitted.stan_file.name
    return Calibration(program, pd.DataFrame(ranks), N_RANKED, n_divergent, seed, left_out)


def _simulate_by_program(
    model: Model, stan_data: dict[str, Any], n: int, seed: int, rng: np.random.Generator
) -> tuple[list[Values], list[dict[str, Any]]]:
    """Let the program draw its prior, and data; return true values and data sets."""
    if "prior_only" not in stan_data:
        raise InputError(
            f"{model.name} does not declare prior_only, so that it cannot draw its prior: pass a "
            "Python function as simulate=."
        )
    switches = {name: 1 for name in ("prior_only", "simulate") if name in stan_data}
    [(draws, _)] = sample_blocks(
        model, [stan_data | switches], draws=n * PRIOR_THIN, warmup=PRIOR_WARMUP, seed=seed
    )
    draws = {name: values[:, ::PRIOR_THIN] for name, values in draws.items()}
    replicated = _replicate(model, draws, stan_data, rng)
    truths: list[Values] = [{name: v[0, i] for name, v in draws.items()} for i in range(n)]
    changes = [{name: v[0, i] for name, v in replicated.items()} for i in range(n)]
    return truths, [{**stan_data, **changed} for changed in changes]


def _replicate(
    model: Model, draws: Values, stan_data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Return data as the model draws them, of the types that its program declares."""
    if model.predictive_draws:
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
    simulate: Simulate, stan_data: dict[str, Any], n: int, rng: np.random.Generator
) -> tuple[list[Values], list[dict[str, Any]]]:
    """Let a function of the user's draw true values and data."""
    truths: list[Values] = []
    data_sets = []
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
        data_sets.append({**stan_data, **changes})
    return truths, data_sets


def _variables_to_rank(
    truths: list[Values], draws: Values
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """List names and indices of what can be ranked: delta, the scores, then the parameters."""
    variables: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name in sorted(truths[0], key=lambda name: (name != "delta", name != "psi")):
        if name in NOT_RANKED or name.endswith(REP_SUFFIX):
            continue
        shape = truths[0][name].shape
        if name not in draws or draws[name].shape[2:] != shape:
            raise StanoffError(f"The program does not generate {name!r} of that size.")
        varies = np.ptp([truth[name] for truth in truths], axis=0) > 0
        for index in np.ndindex(shape):
            if varies[index]:
                subscript = ",".join(str(i + 1) for i in index)
                variables[f"{name}[{subscript}]" if varies.size > 1 else name] = (name, index)
    if not variables:
        raise InputError("There is nothing to rank: no variable has a true value.")
    return variables


def _rank(truth: float, draws: NDArray[Any], rng: np.random.Generator) -> int:
    """Count the draws below the truth; draws that equal it fall to either side by chance."""
    thinned = draws[::THIN][:N_RANKED]
    below, ties = int(np.sum(thinned < truth)), int(np.sum(thinned == truth))
    return below + (int(rng.integers(0, ties + 1)) if ties else 0)
