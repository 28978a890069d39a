"""What a model is: a Stan program, the inputs it asks for, and what Stan cannot say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.types import AVERAGES, OUTCOMES, ConfusionCounts, Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import InputError
from stanoff.measures import CELLS, Measure, average_categories, average_classes
from stanoff.models.inputs import collect_inputs
from stanoff.models.priors import NAMED, Prior, Priors

Array = NDArray[np.float64]
StanData = Mapping[str, Any]
Inputs = dict[str, Any]
Variables = Mapping[str, NDArray[Any]]
StudentT = tuple[float, NDArray[np.float64], NDArray[np.float64]]  # degrees, location, scale
Proven = bool | None  # None where there is none
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

COORDS = {
    "outcome": OUTCOMES,
    "cell": CELLS,
    "classifier": ("A", "B"),
    "truth": ("positive", "negative"),
}
SHARED_DIMS: dict[str, tuple[str, ...]] = {
    "cells": ("system", "category", "cell"),
    **dict.fromkeys(("psi", "scores", "observed"), ("system", "row")),
    **dict.fromkeys(("cells_A", "cells_B"), ("category", "cell")),
    **dict.fromkeys(("psi_A", "psi_B", "delta", "observed_A", "observed_B"), ("category",)),
}


class Model:
    """A model of how systems came to their answers.

    A subclass says what is true of one model; :data:`stanoff.models.MODELS` registers it. Draws are
    mappings of arrays (chain, draw, ...), and ``stan_data`` is the data block of the program. What
    says how single documents come about is a :class:`stanoff.models.predictive.PredictiveModel`.

    Attributes
    ----------
    name : str
        The word that ``compare(model=...)`` takes; its program is ``stan/<name>.stan``.
    accepts : type
        The kind of data that it is about. The first registered model that accepts data is their
        default.
    inputs : mapping
        What the program declares as data, each with its number of dimensions; empty where there
        is no program.
    observed : tuple of str
        Which of the inputs are observed.
    dims : mapping
        The dimensions of its own variables, after chain and draw.
    max_systems : int or None
        How many systems it can have; None if any number, which the exact engine then draws.
    max_in_stan : mapping
        How many systems or classes (K) its program can have, if there are limits.
    exact_draws : int
        How many draws the exact engine takes by default.
    order_dependent : tuple of str
        Variables that are about all systems in their order, or about rows of the data: they are
        left out where some systems are looked at, or these change places.
    priors : mapping
        Priors worth comparing, by name.
    has_batches : bool
        Whether categories are independent, so that many data sets can be drawn at once as such;
        see :class:`stanoff.models.counts.ConjugateCounts`.
    """

    name: str = ""
    accepts: type[Data] = Data
    inputs: Mapping[str, int] = {}
    observed: tuple[str, ...] = ()
    dims: Mapping[str, tuple[str, ...]] = {}
    max_systems: int | None = 2
    max_in_stan: Mapping[str, int] = {}
    exact_draws: int = 50_000
    order_dependent: tuple[str, ...] = ()
    priors: Mapping[str, Prior] = NAMED
    has_batches: bool = False

    @property
    def single_label(self) -> bool:
        """Whether it is about single-label classes rather than categories against the rest."""
        return issubclass(self.accepts, ConfusionCounts)

    @property
    def has_program(self) -> bool:
        """Whether it has a Stan program."""
        return bool(self.inputs)

    @property
    def stan_file(self) -> Path:
        """Where its program is, if it has one."""
        return stan_folder() / f"{self.name}.stan"

    @property
    def is_conjugate(self) -> bool:
        """Whether it can be drawn exactly."""
        return type(self).sample_exact is not Model.sample_exact

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.name)

    # What goes into the program.

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return all that the program asks for; what depends on the measure only with one."""
        return collect_inputs(self.name, self.inputs, data, prior, measure)

    # Draws without Stan.

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw from the posterior, or from the prior where ``prior_only`` is 1, if it has one.

        Parameters
        ----------
        stan_data : mapping
            The data block of the program.
        draws : int
            How many draws.
        rng : Generator
            The source of randomness.
        """
        raise NotImplementedError

    def closed_form(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[StudentT, StudentT | None] | None:
        """Return posterior and prior of differences of systems (by index), if these are a t.

        A t is given by its degrees of freedom and, for each difference, location and scale.
        """
        return None

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return whether the prior density of delta at 0 is infinite; None if no theorem tells."""
        return None

    # From draws to scores.

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Score the draws: psi with the dimensions (chain, draw, system, row).

        The rows are the categories and, with an average, every kind of average after them.
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
        average_over = average_classes if self.single_label else average_categories
        averages = [average_over(measure, cells, kind) for kind in AVERAGES]
        return np.concatenate([psi, np.stack(averages, axis=-1)], axis=-1)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the data themselves (system, row), with the rows of :meth:`scores`."""
        if data.cells is None:
            rows = len(data.categories) + (len(AVERAGES) if average else 0)
            return np.full((len(data.systems), rows), np.nan)
        cells = data.cells.astype(np.float64)
        if measure.code is None:  # a measure of the user's own gets shares, as of the draws
            cells /= cells.sum(axis=-1, keepdims=True).clip(min=1)
        return self.scores({"cells": cells}, measure, average)

    def population(self, data: Data) -> str:
        """Say in words what values are averaged over; nothing of labels."""
        return ""


def unless_prior(stan_data: StanData, *names: str) -> list[NDArray[np.int64]]:
    """Return these counts of a data block; without documents where the prior is drawn."""
    return [np.asarray(stan_data[name]) * (1 - stan_data["prior_only"]) for name in names]
