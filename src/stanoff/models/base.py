"""What a model is: a Stan program, the data it asks for, its conjugate sampler if it has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import AVERAGES, OUTCOMES, Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import InputError
from stanoff.measures import CELLS, Measure, average_categories, average_classes
from stanoff.models.predictive import Predictive
from stanoff.models.priors import NAMED, Prior, Priors
from stanoff.models.students import Student

Array = NDArray[np.float64]
Block = dict[str, Any]
Variables = Mapping[str, NDArray[Any]]
Sampler = Callable[..., dict[str, Array]]  # of a data block, a number of draws, a generator
Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
Further = Callable[[Variables, Mapping[str, Any], int, np.random.Generator], dict[str, Array]]

EXACT_DRAWS = 50_000

COORDS = {
    "outcome": OUTCOMES,
    "cell": CELLS,
    "classifier": ("A", "B"),
    "truth": ("positive", "negative"),
}
SHARED_DIMS = {
    "cells": ("system", "category", "cell"),
    "psi": ("system", "row"),
    "scores": ("system", "row"),
    "observed": ("system", "row"),
    "cells_A": ("category", "cell"),
    "cells_B": ("category", "cell"),
    "psi_A": ("category",),
    "psi_B": ("category",),
    "delta": ("category",),
    "observed_A": ("category",),
    "observed_B": ("category",),
}


@dataclass(frozen=True)
class Batch:
    """How a conjugate model draws many data sets at once, out of Gammas.

    Attributes
    ----------
    shapes : callable
        The data block to the shapes of the Gammas, an array (data set) for each.
    build : callable
        Draws of these Gammas to cells (data set, system, draw, cell).
    counts : tuple of str
        Which parts of the data block have a row per data set.
    """

    shapes: Callable[[Mapping[str, Any]], list[Array]]
    build: Callable[[list[Array]], Array]
    counts: tuple[str, ...]


def no_theorem(measure: Measure, prior: Priors, data: Data) -> None:
    """Leave it to the prior draws whether the density of delta at 0 is infinite."""


@dataclass(frozen=True)
class Model:
    """A model of how systems came to their answers.

    Attributes
    ----------
    name : str
        The word that ``compare(model=...)`` takes; its program is ``stan/<name>.stan``.
    data : callable
        Data and prior to what only this program asks for.
    observed : tuple of str
        Which of these are counts.
    dims : mapping
        The dimensions of its own variables, after chain and draw.
    exact : callable or None
        Its conjugate sampler.
    batch : Batch or None
        Its conjugate sampler of many data sets.
    prior_density_infinite_at_zero : callable
        Whether the prior density of delta at 0 is infinite for each category, given a measure, a
        prior and data; it returns None where no theorem tells.
    default_for : type or None
        The kind of data for which it is the default.
    engine : str
        The default engine.
    program : bool
        Whether it has a Stan program.
    most_categories : int or None
        How many categories its program takes at most.
    most_systems : int or None
        How many systems it can have at most; None if any number.
    most_in_program : int
        How many systems its program takes at most.
    of_pairs : Model or None
        The model that any two of its systems have; itself by default.
    exact_draws : int
        How many draws the exact engine takes by default.
    classes : bool
        Whether it is about single-label classes rather than categories against the rest.
    independent : bool
        Whether its categories do not know of each other.
    shared_out : bool
        Whether its conjugate sampler takes ``each``, by which others draw its categories.
    in_blocks : bool
        Whether its program can be run for some of its categories at a time.
    further : callable or None
        Given prior draws of what exchangeable categories share, the data block, a number and a
        random generator: that many further categories.
    predictive : Predictive or None
        How it sees documents: their likelihood, and new ones.
    as_fitted : tuple of str
        Variables that are about all systems in their order, or about rows of the data: they are
        left out where some systems are looked at, or these change places.
    priors : mapping
        Priors worth comparing, by name.
    over : str
        The population that values are averaged over, in words; nothing for labels.
    file : Path or None
        Its program, where that is not ``stan/<name>.stan``.
    """

    name: str
    data: Callable[[Any, Priors], Block]
    observed: tuple[str, ...]
    dims: Mapping[str, tuple[str, ...]]
    exact: Sampler | None = None
    batch: Batch | None = None
    prior_density_infinite_at_zero: Callable[[Measure, Priors, Data], bool | None] = no_theorem
    default_for: type[Data] | None = None
    engine: str = "stan"
    program: bool = True
    most_categories: int | None = None
    most_systems: int | None = 2
    most_in_program: int = 2
    of_pairs: Model | None = None
    exact_draws: int = EXACT_DRAWS
    classes: bool = False
    independent: bool = False
    shared_out: bool = False
    in_blocks: bool = False
    further: Further | None = None
    predictive: Predictive | None = None
    as_fitted: tuple[str, ...] = ()
    priors: Mapping[str, Prior] = field(default_factory=lambda: NAMED)
    over: str = ""
    file: Path | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        from stanoff.models import get

        return get, (self.name,)  # by name: its functions may not travel to other processes

    @property
    def stan_file(self) -> Path:
        """Where its program is."""
        return self.file or stan_folder() / f"{self.name}.stan"

    @property
    def category_axes(self) -> dict[str, int]:
        """Which axis of its draws is that of the categories, after chain and draw."""
        every = SHARED_DIMS | {"psi": ("system", "category")} | dict(self.dims)
        return {
            name: 2 + dims.index("category") for name, dims in every.items() if "category" in dims
        }

    @property
    def emptied(self) -> tuple[str, ...]:
        """What of the data is set to 0 where the prior is drawn, so that one run serves all."""
        return self.observed

    def stan_data(self, data: Data, prior: Priors, measure: Measure) -> Block:
        """Gather all that the program asks for."""
        return {
            "K": len(data.categories),
            **self.data(data, prior),
            **measure_data(measure),
            "prior_only": 0,
        }

    def prepare(self, data: Data) -> Data:
        """Return the data as this model sees them: classes, or categories against the rest."""
        return data if self.classes else data.one_vs_rest()

    def named(self, measure: Measure) -> Measure:
        """Return the measure as it is called under this model."""
        return measure

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Score the draws: psi with the dimensions (chain, draw, system, row).

        The rows are the categories and, with an average, every kind of average after them.

        Parameters
        ----------
        draws : mapping
            The variables of one group, as an engine returned them.
        measure : Measure
            How to score.
        average : str or None
            None for the categories alone.
        """
        if "cells" not in draws:
            raise InputError(
                f"{self.name} does not generate cells_A and cells_B, so that there are no "
                "averages and no other measures."
            )
        cells = draws["cells"]
        psi = measure(cells)
        if average is None:
            return psi
        take = average_classes if self.classes else average_categories
        more = [take(measure, cells, kind) for kind in AVERAGES]
        return np.concatenate([psi, np.stack(more, axis=-1)], axis=-1)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the data themselves (system, row), with the rows of :meth:`scores`."""
        if data.cells is None:
            rows = len(data.categories) + (len(AVERAGES) if average else 0)
            return np.full((len(data.systems), rows), np.nan)
        return self.scores({"cells": data.cells.astype(np.float64)}, measure, average)

    def has_other_measures(self, draws: Variables) -> bool:
        """Return whether these draws can be scored by another measure than that of the fit."""
        return True

    def knows(self, draws: Variables, measure: Measure) -> bool:
        """Return whether the draws hold what it takes to score by a measure."""
        return True

    def population(self, data: Data) -> str:
        """Say in words what values are averaged over; nothing of labels."""
        return self.over

    def student(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[Student, Student | None] | None:
        """Return the posterior of differences between systems, and the prior, where they are a t.

        Parameters
        ----------
        data, prior : Data, Prior
            What was fitted.
        first, second : ndarray
            The places of the systems of each difference.
        """
        return None

    def difference(self, draws: Variables, psi: Array, pair: tuple[int, int]) -> Array:
        """Return delta (chain, draw, row) of two systems from their psi (chain, draw, 2, row)."""
        with np.errstate(invalid="ignore"):  # both infinite: whoever asked finds out
            return np.asarray(psi[..., 0, :] - psi[..., 1, :])


def measure_data(measure: Measure) -> Block:
    """Say to a program which measure is meant; one that it does not know is computed later."""
    return {
        "measure": measure.code or 1,
        "f_beta": measure.beta,
        "zero_division": measure.zero_division,
        "prevalence": measure.prevalence or 0.0,
    }


def unless_prior(data: Mapping[str, Any], *names: str) -> list[NDArray[np.int64]]:
    """Return these counts of a data block; without documents where the prior is drawn."""
    return [np.asarray(data[name]) * (1 - data["prior_only"]) for name in names]


def kappa_data(prior: Prior) -> Block:
    """Return the hyper-parameters of a concentration."""
    location, scale = prior.kappa
    return {"kappa_location": location, "kappa_scale": scale}
