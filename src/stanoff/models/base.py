"""What a model is: a Stan program, the inputs it asks for, and what Stan cannot say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.types import AVERAGES, OUTCOMES, ConfusionCounts, Data
from stanoff.engines.cmdstan import stan_folder
from stanoff.errors import InputError, invalid
from stanoff.measures import CELLS, Measure, ScoreMeasure, average_categories, average_classes, get
from stanoff.models.inputs import collect_inputs
from stanoff.models.priors import Priors

Array = NDArray[np.float64]
StanData = Mapping[str, Any]
Inputs = dict[str, Any]
Variables = Mapping[str, NDArray[Any]]
StudentT = tuple[float, NDArray[np.float64], NDArray[np.float64]]  # degrees, location, scale
ClosedForm = tuple[StudentT, StudentT | None] | None  # of the posterior, and of the prior if any
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
    says how single documents come about is a :class:`PredictiveModel`.

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
    """

    name: str = ""
    accepts: type[Data] = Data
    inputs: Mapping[str, int] = {}
    observed: tuple[str, ...] = ()
    dims: Mapping[str, tuple[str, ...]] = {}

    @property
    def stan_file(self) -> Path:
        """Where its program is, if it has one."""
        return stan_folder() / f"{self.name}.stan"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.name)

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return all that the program asks for; what depends on the measure only with one."""
        return collect_inputs(self.name, self.inputs, data, prior, measure)

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw from the posterior, or from the prior where ``prior_only`` is 1, if it has one."""
        raise NotImplementedError

    def closed_form(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> ClosedForm:
        """Return posterior and prior of differences of systems (by index), if these are a t.

        A t is given by its degrees of freedom and, for each difference, location and scale.
        """
        return None

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return whether the prior density of delta at 0 is infinite; None if no theorem tells."""
        return None

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Score the draws: psi with the dimensions (chain, draw, system, row).

        The rows are the categories and, with an average, every kind of average after them.
        """
        if "cells" in draws:
            averages = average_classes if self.accepts is ConfusionCounts else average_categories
            return _score_cells(draws["cells"], measure, average, averages)
        psi = draws.get("psi", np.empty((0, 0)))
        if average is None:
            return psi
        if self.accepts.kind == "values":
            raise invalid("average", "None for values per item, which have no categories", average)
        if psi.shape[-1] != 1:
            without = "cells_A and cells_B: no averages, no other measures"
            raise InputError(f"{self.name} does not generate {without}.")
        return np.repeat(psi, 1 + len(AVERAGES), axis=-1)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the data themselves (system, row), with the rows of :meth:`scores`."""
        if hasattr(data, "observed"):  # values per item
            return np.asarray(data.observed)[:, None]
        if data.cells is None:
            rows = len(data.categories) + (len(AVERAGES) if average else 0)
            return np.full((len(data.systems), rows), np.nan)
        cells = data.cells.astype(np.float64)
        if measure.code is None:  # a measure of the user's own gets shares, as of the draws
            cells /= cells.sum(axis=-1, keepdims=True).clip(min=1)
        return self.scores({"cells": cells}, measure, average)


def is_conjugate(model: Model) -> bool:
    """Return whether a model can be drawn exactly."""
    return type(model).sample_exact is not Model.sample_exact


def require(data: Data, kind: type[Data], model: str, needs: str) -> None:
    """Refuse data of another kind than a model needs."""
    if not isinstance(data, kind):
        raise InputError(f"The {model} model needs {needs}.")


def unless_prior(stan_data: StanData, *names: str) -> list[NDArray[np.int64]]:
    """Return these counts of a data block; without documents where the prior is drawn."""
    return [np.asarray(stan_data[name]) * (1 - stan_data["prior_only"]) for name in names]


def _score_cells(
    cells: Array, measure: Measure, average: str | None, averages: Callable[..., Array]
) -> Array:
    psi = measure(cells)
    if average is None:
        return psi
    averaged = [averages(measure, cells, kind) for kind in AVERAGES]
    return np.concatenate([psi, np.stack(averaged, axis=-1)], axis=-1)


def score_variable(measure: Measure) -> str:
    """Name the scores by a measure in the draws, with the settings that are not the usual ones."""
    if isinstance(measure, ScoreMeasure):
        return measure.variable
    usual = get(measure.name) if measure.code is not None else measure
    changed = [
        f"{name}_{getattr(measure, name)}"
        for name in ("beta", "zero_division", "prevalence")
        if str(getattr(measure, name)) != str(getattr(usual, name))
    ]
    return re.sub(r"\W", "_", "_".join([f"psi_of_{measure.name}", *changed]))


class LogLikelihood(NamedTuple):
    """The log-likelihood of single documents or items, equal documents once.

    Attributes
    ----------
    values : ndarray
        Of one document of each kind (chain, draw, kind).
    counts : ndarray
        How many documents there are of each kind.
    labels : sequence of str
        What the kinds are called.
    step : int
        It has every so-manieth draw.
    """

    values: Array
    counts: NDArray[np.int64]
    labels: Sequence[str]
    step: int = 1

    @classmethod
    def of_counts(cls, counts: NDArray[Any], shares: Array, labels: Iterable[str]) -> LogLikelihood:
        """Return that of kinds of documents, each with its share of all, which may have axes."""
        n, names = counts.ravel(), list(labels)
        occurred = np.flatnonzero(n)
        values = np.log(shares.reshape(*shares.shape[:2], -1)[..., occurred])
        return cls(values, n[occurred], [names[i] for i in occurred.tolist()])

    @classmethod
    def of_items(cls, values: Array) -> LogLikelihood:
        """Return that of items or documents, each by itself."""
        n = values.shape[-1]
        return cls(values, np.ones(n, dtype=np.int64), [str(i + 1) for i in range(n)])


class PredictiveModel(Model):
    """A model that says how single documents, or items, come about.

    Functions here and in the families are twins of ``predictive.stanfunctions``: computing from the
    draws is quicker than letting Stan write and reading again.

    Attributes
    ----------
    predictive_draws : tuple of str
        The variables that log-likelihoods and replicates are computed from.
    """

    predictive_draws: tuple[str, ...] = ()

    def predictive_data(self, data: Data, prior: Priors) -> Inputs:
        """Return the data block that log-likelihoods and replicates are computed with."""
        return self.stan_data(data, prior)

    def complete_draws(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Add variables that follow from the draws; return nothing where that cannot be."""
        return draws

    def can_resample(self, stan_data: StanData) -> bool:
        """Return whether ``sample_exact(..., keep=)`` can keep what it usually does not."""
        return False

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of a document of each kind that occurred, or of each item."""
        raise NotImplementedError

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array | None:
        """Return the log-density of the prior (chain, draw); None where it is flat."""
        raise NotImplementedError

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents as there are, by the names of the observed inputs.

        Where some could be of a kind that did not occur, ``cells`` counts them all.
        """
        raise NotImplementedError


def join_labels(*names: Iterable[str]) -> list[str]:
    """Name every combination of names, the last changing fastest."""
    return [", ".join(map(str, combination)) for combination in product(*names)]


def multinomials(n: NDArray[Any], p: NDArray[Any], rng: Generator) -> NDArray[np.int64]:
    """Draw counts (..., part), given how many documents there are and their probabilities."""
    total = p.sum(axis=-1, keepdims=True)
    return rng.multinomial(n, p / np.where(total > 0, total, 1.0))
