"""Simulation-based calibration of a Stan program (Talts et al. 2018).

Draw parameters from the prior and documents given the parameters, and fit. The rank of the true
value among the posterior draws is uniform if the program draws from its own posterior.
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

from stanoff import models
from stanoff._lib.arguments import as_seed, check_int
from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.engines.draws import stacked
from stanoff.engines.stan import sample_blocks
from stanoff.errors import InputError, StanoffError, invalid
from stanoff.models import Model
from stanoff.models.custom import REP_SUFFIX, CustomModel
from stanoff.question import read
from stanoff.workbench.designs import MEASURES, design, kind_of
from stanoff.workbench.uniformity import named_deviations, p_uniform

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Simulate = Callable[
    [np.random.Generator, dict[str, Any]], tuple[Mapping[str, Any], Mapping[str, Any]]
]

KEPT, THIN, WARMUP = 99, 5, 500  # of each fit; ranks go from 0 to KEPT
PRIOR_THIN, PRIOR_WARMUP = 10, 1000
MOST_VARIABLES = 16
LEAST_SIMULATIONS = 20
SURE = 0.05
NOT_RANKED = ("cells", "log_lik")
TOLD = {  # how ranks deviate, and what it means
    "low": "too high (the truth ranks low)",
    "high": "too low (the truth ranks high)",
    "ends": "too narrow (the truth ranks at the ends)",
    "middle": "too wide (the truth ranks in the middle)",
}


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(ReprMixin):
    """The ranks of true values among posterior draws.

    Attributes
    ----------
    program : str
        What was calibrated.
    ranks : DataFrame
        A column per variable, a row per simulation: ranks from 0 to ``kept``.
    kept : int
        How many draws of each fit were kept.
    divergent : int
        In how many fits transitions diverged.
    seed : int
        Makes it reproducible.
    """

    program: str
    ranks: pd.DataFrame
    kept: int
    divergent: int
    seed: int

    @property
    def variables(self) -> list[str]:
        """What was ranked."""
        return [str(name) for name in self.ranks]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per variable: the p-value of uniform ranks, alone and among all, and a verdict."""
        p = [p_uniform(self.ranks[name].to_numpy(), self.kept) for name in self.variables]
        together = holm(np.array(p))
        verdicts = [
            "uniform" if adjusted >= SURE else self._deviation(name)
            for name, adjusted in zip(self.variables, together, strict=True)
        ]
        columns = {"variable": self.variables, "p": p, "p_adjusted": together}
        return pd.DataFrame({**columns, "verdict": verdicts})

    @property
    def calibrated(self) -> bool:
        """Whether no variable's ranks speak against the program, all looked at together."""
        return bool((self.table["p_adjusted"] >= SURE).all())

    def _deviation(self, name: str) -> str:
        """Say in words in which way ranks deviate from uniform ones."""
        named = named_deviations(self.ranks[name].to_numpy(), self.kept, SURE)
        if not named:
            return "the ranks are not uniform"
        return f"the posterior is {' and '.join(TOLD[way] for way in named)}"

    def sentence(self) -> str:
        """Describe the verdict in words."""
        n, names = len(self.ranks), self.variables
        odd = self.table[self.table["p_adjusted"] < SURE]
        what = f"{n:,} simulations of {shown(self.program)} (ranks of {', '.join(names)})"
        if odd.empty:
            told = f"{what} do not speak against it: the ranks are uniform as far as they can tell."
        else:
            each = "; ".join(f"{row.variable}: {row.verdict}" for row in odd.itertuples())
            told = f"{what} show that it does not draw from its own posterior: {each}."
        if self.divergent:
            told += f" Transitions diverged in {self.divergent} of {n:,} fits."
        return told

    def plot_ranks(self, variable: str = "delta", *, ax: Axes | None = None) -> Axes:
        """Draw a histogram of the ranks of one variable, with what uniform ranks would give."""
        from stanoff.plots.calibration import plot_rank

        return plot_rank(self, variable, ax=ax)

    def plot_ecdf(self, *, ax: Axes | None = None) -> Axes:
        """Draw how far the distributions of the ranks are off the uniform one, with its band."""
        from stanoff.plots.calibration import plot_ecdf

        return plot_ecdf(self, ax=ax)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the verdict, the table and the figures; it needs no network."""
        from stanoff._lib.files import write_text
        from stanoff.workbench.page import page

        return write_text(path, page(self))

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return [self.sentence(), self.shown_table()]

    def shown_table(self) -> pd.DataFrame:
        """Return the table in cells of text."""
        from stanoff.text.numbers import p_value

        table = self.table
        return pd.DataFrame(
            {
                "variable": table["variable"],
                "p": table["p"].map(p_value),
                "p, all together": table["p_adjusted"].map(p_value),
                "verdict": table["verdict"],
            }
        )


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
    number = check_int("simulations", simulations, least=LEAST_SIMULATIONS)
    n = check_int("documents", documents)
    k = check_int("categories", categories)
    seed = as_seed(seed)
    asked: Any = Path(model) if str(model).endswith(".stan") else str(model)
    options.setdefault("measure", MEASURES[kind_of(models.get(asked))])
    question, sampling = read(model=asked, **options)
    fitted = sampling.model
    assert fitted is not None
    if fitted.single_label or not fitted.has_program or fitted.max_systems != 2:
        raise invalid("model", "a Stan program of two systems and of categories", fitted.name)
    block = fitted.stan_data(design(fitted, n, k), sampling.prior, question.measure)
    rng = np.random.default_rng(seed)
    if simulate is None:
        truths, blocks = _by_program(fitted, block, number, seed, rng)
    else:
        truths, blocks = _by_function(simulate, block, number, rng)
    runs = sample_blocks(
        fitted, blocks, draws=KEPT * THIN, warmup=WARMUP, seed=seed + 1, progress=progress
    )
    variables = _ranked(truths, runs[0][0])
    ranks = {
        told: [
            _rank(truth[name][place], drawn[name][0][(slice(None), *place)], rng)
            for truth, (drawn, _) in zip(truths, runs, strict=True)
        ]
        for told, (name, place) in variables.items()
    }
    divergent = sum(bool(np.any(stats["diverging"])) for _, stats in runs)
    return Calibration(fitted.stan_file.name, pd.DataFrame(ranks), KEPT, divergent, seed)


def _by_program(
    model: Model, block: dict[str, Any], number: int, seed: int, rng: np.random.Generator
) -> tuple[list[dict[str, NDArray[Any]]], list[dict[str, Any]]]:
    """Let the program draw its prior, and documents; return true values and data blocks."""
    if "prior_only" not in block:
        raise InputError(
            f"{model.name} does not declare prior_only, so that it cannot draw its prior: pass a "
            "Python function as simulate=."
        )
    of_prior = {**block, "prior_only": 1} | ({"simulate": 1} if "simulate" in block else {})
    drawn, _ = sample_blocks(
        model, [of_prior], draws=number * PRIOR_THIN, warmup=PRIOR_WARMUP, seed=seed
    )[0]
    kept = {name: values[:, ::PRIOR_THIN] for name, values in drawn.items()}
    if model.predictive_draws:
        replicated: Mapping[str, Any] = model.replicate(kept, block, rng)
    else:
        found = {name: kept.get(f"{name}{REP_SUFFIX}") for name in block}  # also data of one's own
        replicated = {name: values for name, values in found.items() if values is not None}
        if missing := set(_to_draw(model)) - set(replicated):
            listed = " and ".join(f"{name}{REP_SUFFIX}" for name in sorted(missing))
            raise InputError(
                f"{model.name} does not generate {listed}: let it do so where simulate is 1, or "
                "pass a Python function as simulate=."
            )
    for name, values in replicated.items():
        if not np.all(np.isfinite(values)):
            told = f"{model.name} draws {name}{REP_SUFFIX} that is no number"
            raise StanoffError(f"{told}: did its generated quantities stop?")
    whole = {name for name, values in block.items() if _is_whole(model, name, values)}
    replicated = {
        name: values.astype(np.int64) if name in whole else values
        for name, values in replicated.items()
    }
    truths = [{name: values[0, i] for name, values in kept.items()} for i in range(number)]
    blocks = [
        {**block, **{name: values[0, i] for name, values in replicated.items()}}
        for i in range(number)
    ]
    return truths, blocks


def _to_draw(model: Model) -> tuple[str, ...]:
    """Return what a program must draw anew."""
    if not isinstance(model, CustomModel):
        return model.observed
    return model.program.to_replicate


def _is_whole(model: Model, name: str, values: Any) -> bool:
    """Return whether a part of the data block holds whole numbers."""
    if isinstance(model, CustomModel):
        return bool(model.program.inputs[name]["type"] == "int")
    return np.asarray(values).dtype.kind in "iu"


def _by_function(
    simulate: Simulate, block: dict[str, Any], number: int, rng: np.random.Generator
) -> tuple[list[dict[str, NDArray[Any]]], list[dict[str, Any]]]:
    """Let a function of the user's draw true values and documents."""
    truths, blocks = [], []
    for _ in range(number):
        made = simulate(rng, dict(block))
        if not isinstance(made, tuple) or len(made) != 2:
            raise invalid("simulate", "a function that returns true values and data", made)
        truth, changes = made
        if odd := set(changes) - set(block):
            raise invalid("simulate", f"of data that the program declares, {', '.join(block)}", odd)
        truths.append(
            stacked({name: np.asarray(value)[None, None] for name, value in truth.items()})
        )
        blocks.append({**block, **changes})
    return [{name: v[0, 0] for name, v in truth.items()} for truth in truths], blocks


def _ranked(
    truths: list[dict[str, NDArray[Any]]], drawn: Mapping[str, NDArray[Any]]
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Choose what is ranked: delta first, then scores and parameters, as far as there is room."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    first = truths[0]
    for name in sorted(first, key=lambda name: (name != "delta", name != "psi")):
        if name in NOT_RANKED or name.endswith(REP_SUFFIX):
            continue
        if name not in drawn or drawn[name].shape[2:] != first[name].shape:
            raise StanoffError(f"The program does not generate {name!r} of that size.")
        for place in np.ndindex(first[name].shape):
            values = np.array([truth[name][place] for truth in truths])
            if np.ptp(values) == 0 or len(found) == MOST_VARIABLES:
                continue
            ending = ",".join(str(i + 1) for i in place)
            found[f"{name}[{ending}]" if first[name].size > 1 else name] = (name, place)
    if not found:
        raise InputError("There is nothing to rank: no variable has a true value.")
    return found


def _rank(truth: float, drawn: NDArray[Any], rng: np.random.Generator) -> int:
    """Count the draws below the truth; draws that equal it fall to either side by chance."""
    kept = drawn[::THIN][:KEPT]
    below, ties = int(np.sum(kept < truth)), int(np.sum(kept == truth))
    return below + (int(rng.integers(0, ties + 1)) if ties else 0)


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p-values that may be looked at together, after Holm (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    scaled = p[order] * np.arange(len(p), 0, -1)
    out = np.empty_like(p)
    out[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return out
