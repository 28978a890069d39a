"""Trained copies (seeds) crossed with documents: what a new training would do on new documents.

The mean of R copies on N documents has the variance (MS_document + MS_seed - MS_residual) / (N R),
by the mean squares of a two-way table. Systems share their documents and not their copies, so that
the variance of a difference has one term of documents and a term of copies of each system. The
degrees of freedom are Satterthwaite's. Labels are linearised: a measure of a copy is, but for terms
that vanish, the mean over the documents of numbers which say what each of them does to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.trained import TrainedLabels, TrainedValues
from stanoff.data.types import AVERAGES, Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure, average_categories, get
from stanoff.models.base import Array, Inputs, Model, Proven, StanData, StudentT, Variables
from stanoff.models.items import MAX_STAN_SYSTEMS, MIN_DEGREES, OWN_PRIOR, ValuesModel
from stanoff.models.priors import Priors

STEP = 1e-6  # of a share, to find how a measure changes with it


class Seeds(ValuesModel):
    """Values of trained copies on items: document, copy and residual effects."""

    name = "seeds"
    inputs = {
        **dict.fromkeys(("S", "N"), 0),
        **dict.fromkeys(("copies", "centre"), 1),
        "documents": 2,
        **dict.fromkeys(("seeds", "residuals", "seed_scale"), 1),
    }
    observed = ("centre", "documents", "seeds", "residuals")
    dims = {
        **dict.fromkeys(("centre", "seeds", "residuals", "copies"), ("system",)),
        **dict.fromkeys(("mu", "z", "tau", "sigma_seed", "sigma"), ("system",)),
        "documents": ("system", "other_system"),
        "L_Omega": ("margin", "factor"),
        "seed_scale": ("system",),
    }
    accepts = TrainedValues
    max_systems = None
    max_in_stan = {"systems": MAX_STAN_SYSTEMS}
    order_dependent = ("L_Omega", "documents")

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return means and sums of squares, which are all that the values tell."""
        if not isinstance(data, TrainedValues):
            raise InputError("The seeds model needs trained copies: pass trained=.")
        if measure is not None and measure.name != "mean":
            raise invalid("measure", "'mean' for values of trained copies", measure.name)
        return crossed_squares(data.values, data.owner)

    def population(self, data: Data) -> str:
        """Say what is averaged over."""
        return "new items and a new training of each system"

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Return the mean over copies of each system (system, 1)."""
        assert isinstance(data, TrainedValues)
        return np.asarray(crossed_squares(data.values, data.owner)["centre"])[:, None]

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system over new copies."""
        return {"psi": _draw_means(stan_data, draws, rng)[..., None]}

    def closed_form(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[StudentT, StudentT | None] | None:
        """Return the posterior t of the difference of two systems."""
        if len(data.systems) > 2:
            return None  # each pair has degrees of its own
        stan_data = self.stan_data(data, prior)
        centre = np.asarray(stan_data["centre"])
        location = centre[first] - centre[second]
        variance, degrees = variance_of_difference(stan_data, 0, 1)
        return (degrees, location, np.full(len(first), np.sqrt(variance))), None


class SeedsOfLabels(Model):
    """Labels of trained copies: measures, linearised document by document."""

    name = "seeds_labels"
    observed = ("truth", "predictions")
    dims = {"truth": ("category", "document"), "predictions": ("copy", "category", "document")}
    accepts: type[Data] = TrainedLabels
    max_systems = None
    priors = OWN_PRIOR

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return the sums of squares of every category, and of every average."""
        if not isinstance(data, TrainedLabels):
            raise InputError("The seeds_labels model needs trained copies: pass trained=.")
        stan_data: Inputs = {"truth": data.truth, "predictions": data.predictions}
        if measure is not None:
            rows = [crossed_squares(y, data.owner) for y in linearise(data, measure)]
            stan_data |= {"measure": measure, "rows": rows}
        return stan_data

    def population(self, data: Data) -> str:
        """Say what is averaged over."""
        return "new documents and a new training of each system"

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the scores of every system over new copies, of categories and averages."""
        psi = [_draw_means(row, draws, rng) for row in stan_data["rows"]]
        return {score_variable(stan_data["measure"]): np.stack(psi, axis=-1)}

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Look the scores up: of the categories and, with an average, of every average."""
        psi = draws[score_variable(measure)]
        return psi if average is not None else psi[..., : psi.shape[-1] - len(AVERAGES)]

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Return the mean over copies of the scores (system, row)."""
        assert isinstance(data, TrainedLabels)
        rows = [crossed_squares(y, data.owner)["centre"] for y in linearise(data, measure)]
        return np.stack(rows if average else rows[: len(data.categories)], axis=-1)

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return False: a t has a finite density everywhere."""
        return False


def score_variable(measure: Measure) -> str:
    """Name the scores by a measure in the draws, with the settings that are not the usual ones."""
    usual = get(measure.name) if measure.code is not None else measure
    settings = ("beta", "zero_division", "prevalence")
    changed = [
        f"{name}_{getattr(measure, name)}"
        for name in settings
        if str(getattr(measure, name)) != str(getattr(usual, name))
    ]
    return re.sub(r"\W", "_", "_".join([f"psi_of_{measure.name}", *changed]))


def linearise(data: TrainedLabels, measure: Measure) -> list[Array]:
    """Return numbers (copy, document) whose mean over documents is the score of a copy.

    A row per category, then one per average. What a document does to the score is the derivative of
    the measure by the shares of the cells, times the cell that it is in.

    Parameters
    ----------
    data : TrainedLabels
        What every copy predicted.
    measure : Measure
        A measure of confusion matrices.
    """
    confusion = data.confusion
    shares = confusion.mean(axis=-1)  # (copy, category, cell)

    def score_category(shares: Array) -> Array:
        return measure(shares[:, 0])

    rows = [
        _linearise(score_category, shares[:, [k]], confusion[:, [k]])
        for k in range(len(data.categories))
    ]
    if len(rows) == 1:
        return rows + rows * len(AVERAGES)
    for average in AVERAGES:
        averaged = partial(average_categories, measure, average=average)
        rows.append(_linearise(averaged, shares, confusion))
    return rows


def _linearise(
    score: Callable[[Array], Array], shares: Array, confusion: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the score of each copy, plus what each document adds to it (copy, document)."""
    scores = score(shares)
    if not np.isfinite(scores).all():
        raise InputError(
            "The measure is not a number for some trained copy, where it is 0/0: choose another "
            "zero_division or another measure."
        )
    slopes = np.empty_like(shares)
    for k, j in np.ndindex(shares.shape[1:]):
        up, down = shares.copy(), shares.copy()
        up[:, k, j] += STEP
        down[:, k, j] = np.maximum(down[:, k, j] - STEP, 0)
        slopes[:, k, j] = (score(up) - score(down)) / (up - down)[:, k, j]
    added = np.einsum("rkj,rkjn->rn", slopes, confusion.astype(np.float64))
    centre = (slopes * shares).sum(axis=(1, 2))
    return np.asarray(scores[:, None] + added - centre[:, None])


def crossed_squares(values: Array, owner: NDArray[np.int64]) -> dict[str, Any]:
    """Return the means and sums of squares of copies crossed with documents.

    Parameters
    ----------
    values : ndarray
        A row per copy (copy, document).
    owner : ndarray
        The system of each copy.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [1.0, 1.0, 1.0], [1.0, 1.0, 4.0]])
    >>> squares = crossed_squares(table, np.array([0, 0, 1, 1]))
    >>> squares["centre"].tolist(), squares["seeds"].tolist(), squares["residuals"].tolist()
    ([2.5, 1.5], [1.5, 1.5], [0.0, 3.0])
    """
    systems, n = int(owner.max()) + 1, values.shape[1]
    tables = [values[owner == s] for s in range(systems)]
    copies = np.array([len(table) for table in tables])
    centre = np.array([table.mean() for table in tables])
    away = [table - table.mean() for table in tables]
    documents = np.stack([table.mean(axis=0) for table in away])
    seeds = n * np.array([(table.mean(axis=1) ** 2).sum() for table in away])
    left = [table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) for table in away]
    residuals = np.array([(table**2).sum() for table in left])
    # Copies rarely differ by much more than chance would make them differ.
    noise = (seeds + residuals) / (n * (n * (copies - 1)))
    return {
        "S": systems,
        "N": n,
        "copies": copies,
        "centre": centre,
        "documents": documents @ documents.T,
        "seeds": seeds,
        "residuals": residuals,
        "seed_scale": np.sqrt(np.maximum(noise, 1e-300)),
    }


def _copy_variances(stan_data: StanData) -> tuple[Array, Array]:
    """Return what copies, and residuals, add to the variance of the mean of each system."""
    n, copies = stan_data["N"], np.asarray(stan_data["copies"])
    of_copies = np.asarray(stan_data["seeds"]) / (copies - 1) / (n * copies)
    of_residuals = np.asarray(stan_data["residuals"]) / ((n - 1) * (copies - 1)) / (n * copies)
    return of_copies, of_residuals


def variance_of_difference(stan_data: StanData, a: int, b: int) -> tuple[float, float]:
    """Return the variance of the difference of two systems, and its degrees of freedom."""
    n, squares = stan_data["N"], np.asarray(stan_data["documents"])
    copies = np.asarray(stan_data["copies"])[[a, b]]
    of_documents = (squares[a, a] + squares[b, b] - 2 * squares[a, b]) / (n * (n - 1))
    of_copies, of_residuals = (v[[a, b]] for v in _copy_variances(stan_data))
    total = of_documents + (of_copies - of_residuals).sum()
    total = max(total, of_documents / 2, of_copies.sum() / 2)  # a difference may be negative
    uncertain = of_documents**2 / (n - 1) + (of_copies**2 / (copies - 1)).sum()
    uncertain += (of_residuals**2 / ((n - 1) * (copies - 1))).sum()
    if not uncertain > 0:
        raise InputError("The systems differ by the same amount on all documents: no verdict.")
    return float(total), float(max(total**2 / uncertain, MIN_DEGREES))


def _draw_means(stan_data: StanData, draws: int, rng: Generator) -> Array:
    """Draw the means of all systems (draw, system): a multivariate t.

    Its degrees are those of the pair that has the fewest. The order of the systems has no part in
    the draws.
    """
    n, systems = stan_data["N"], stan_data["S"]
    of_copies, of_residuals = _copy_variances(stan_data)
    covariance = np.asarray(stan_data["documents"]) / (n * (n - 1))
    covariance = covariance + np.diag(of_copies - of_residuals)
    centre = np.asarray(stan_data["centre"])
    order = np.lexsort((np.diag(covariance), centre))
    variances, axes = np.linalg.eigh(covariance[np.ix_(order, order)])
    root = np.empty(axes.shape)
    root[order] = axes * np.sqrt(np.maximum(variances, 0))
    degrees = min(
        variance_of_difference(stan_data, a, b)[1] for a, b in combinations(range(systems), 2)
    )
    z: Array = rng.standard_normal((draws, systems)) @ root.T
    stretch = np.sqrt(degrees / rng.chisquare(degrees, draws))
    return centre + z * stretch[:, None]
