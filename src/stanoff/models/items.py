"""Values per item: normal differences, so that the difference of the means is Student's t.

Of S systems the means are a multivariate t with n - 1 degrees and the scale S / (n (n - 1)), S
being the scatter matrix: the posterior under the prior |Sigma|^-S. Any two of them then have
exactly the t of their differences by themselves, so that a contest never contradicts a comparison.
With a prior of the difference (``Prior(items=...)``, two systems) it is the t of the conjugate
Normal-Inverse-Gamma posterior.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.items import ClusteredValues, ItemValues, refuse_constant
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.models.base import Array, Block, Variables
from stanoff.models.predictive import Predictive, log_normal, numbered
from stanoff.models.priors import Priors, single
from stanoff.models.students import Student
from stanoff.models.values import ONLY, OfValues, values_of

FEW = 6  # systems that Stan takes
ROWS = 50_000  # of a matrix that are factorised at once


def data(data: Data, prior: Priors) -> Block:
    """Gather the values and the prior of the difference; a weight of 0 means none."""
    seen = values_of(data)
    if isinstance(seen, ClusteredValues):
        raise InputError(
            "The items model takes items as independent, but these hang together in clusters, or "
            "are ratios of sums: leave model= out, which then is 'clusters'."
        )
    known = single(prior)
    if known.items is not None and len(seen.systems) > 2:
        raise invalid("prior.items", "None for more than two systems", known.items)
    weight, sd, degrees = known.items or (0.0, 1.0, 1.0)
    return {
        "S": len(seen.systems),
        "N": seen.items,
        "y": seen.values.T,
        "prior_weight": weight,
        "prior_sd": sd,
        "prior_degrees": degrees,
    }


def draw(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the mean of every system."""
    y = np.asarray(data["y"])
    n, mean = len(y), y.mean(axis=0)
    if data["prior_weight"] > 0:
        return {"psi": _informed(data, y, draws, rng)[..., None]}
    if data["prior_only"]:
        return {}  # it is flat
    # Yc' z for n normals z is R' z for as many as there are rows of R: Yc = Q R.
    root = _factor(y - mean)
    z = rng.standard_normal((draws, len(root)))
    stretch = np.sqrt(n * rng.chisquare(n - 1, draws))
    return {"psi": (mean + z @ root / stretch[:, None])[..., None]}


def _factor(rows: Array) -> Array:
    """Return R of rows = Q R, block by block: many rows would not fit the processor's cache."""
    if len(rows) > ROWS:
        rows = np.concatenate(
            [np.linalg.qr(rows[i : i + ROWS], mode="r") for i in range(0, len(rows), ROWS)]
        )
    return np.asarray(np.linalg.qr(rows, mode="r"))


def _informed(
    data: Mapping[str, Any], y: Array, draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw two means whose difference has a prior; their level has none."""
    n = len(y)
    weight, sd, degrees = (data[f"prior_{name}"] for name in ("weight", "sd", "degrees"))
    level, d = y.mean(axis=1), y[:, 0] - y[:, 1]
    middle = level.mean()
    if data["prior_only"]:
        delta = sd / np.sqrt(weight) * rng.standard_t(degrees, draws)
    else:
        t = _posterior(n, d.mean(), ((d - d.mean()) ** 2).sum(), weight, sd, degrees)
        delta = t.location + t.scale * rng.standard_t(t.degrees, draws)
        # Given the difference, the level is a regression on it.
        s_dd, s_md = ((d - d.mean()) ** 2).sum(), (d - d.mean()) @ (level - middle)
        left = max(((level - middle) ** 2).sum() - s_md**2 / s_dd, 0.0) / rng.chisquare(n, draws)
        slope = s_md / s_dd + np.sqrt(left / s_dd) * rng.standard_normal(draws)
        noise = np.sqrt(left / n) * rng.standard_normal(draws)
        middle = middle + slope * (delta - d.mean()) + noise
    return np.stack([middle + delta / 2, middle - delta / 2], axis=1)


def _posterior(
    n: int, mean: Any, scatter: Any, weight: float, sd: float, degrees: float
) -> Student:
    """Update a Normal-Inverse-Gamma prior with n differences; without weight there is none."""
    if weight == 0:
        return Student(mean, np.sqrt(scatter / (n * (n - 1))), n - 1)
    total = weight + n
    spread = degrees * sd**2 + scatter + weight * n / total * mean**2
    return Student(n * mean / total, np.sqrt(spread / ((degrees + n) * total)), degrees + n)


def added(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Return the means, and a root of the covariance of the systems over items.

    Exact draws are of the means alone: the covariance is drawn from its posterior given them. There
    is none where items are too few, or systems too much alike, for a covariance.
    """
    y, mu = np.asarray(data["y"]), drawn["psi"][..., 0]
    if np.linalg.matrix_rank(y - y.mean(axis=0)) < y.shape[1]:
        return {}
    if "L_Omega" in drawn:
        return {"mu": mu, "root": drawn["sigma"][..., None] * drawn["L_Omega"]}
    root = _root_informed if data["prior_weight"] > 0 else _root
    return {"mu": mu, "root": root(data, y, mu, rng)}


def _root(data: Mapping[str, Any], y: Array, mu: Array, rng: np.random.Generator) -> Array:
    """Draw the covariance given the means: an inverse Wishart, by Bartlett's decomposition."""
    n, s = y.shape
    off = y.mean(axis=0) - mu
    centred = y - y.mean(axis=0)
    around = centred.T @ centred + n * off[..., :, None] * off[..., None, :]
    lower = np.zeros((*mu.shape[:-1], s, s))
    for i in range(s):
        lower[..., i, i] = np.sqrt(rng.chisquare(s + n - 1 - i, mu.shape[:-1]))
        lower[..., i, :i] = rng.standard_normal((*mu.shape[:-1], i))
    chol = np.linalg.cholesky(around)
    return np.asarray(np.linalg.solve(lower, chol.swapaxes(-1, -2)).swapaxes(-1, -2))


def _root_informed(data: Mapping[str, Any], y: Array, mu: Array, rng: np.random.Generator) -> Array:
    """Draw the covariance given the means, where the difference of two systems has a prior.

    The variance of the difference is an inverse Gamma. The level, given the difference, is a
    regression through the means, with a flat slope.
    """
    n = len(y)
    weight, sd, degrees = (data[f"prior_{name}"] for name in ("weight", "sd", "degrees"))
    delta, middle = mu[..., 0] - mu[..., 1], mu.mean(axis=-1)
    d, level = y[:, 0] - y[:, 1], y.mean(axis=1)
    s_dd = _around(d, delta, d, delta)
    s_md, s_mm = _around(level, middle, d, delta), _around(level, middle, level, middle)
    spread = degrees * sd**2 + weight * delta**2 + s_dd
    variance = spread / rng.chisquare(degrees + 1 + n, delta.shape)
    left = np.maximum(s_mm - s_md**2 / s_dd, 0) / rng.chisquare(n + 1, delta.shape)
    slope = s_md / s_dd + np.sqrt(left / s_dd) * rng.standard_normal(delta.shape)
    # A and B are half a difference above and below the level.
    of_d, of_level = np.sqrt(variance), np.sqrt(left)
    rows = [[(slope + half) * of_d, of_level] for half in (0.5, -0.5)]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _around(a: Array, at: Array, b: Array, bt: Array) -> Array:
    """Add up products of what lies between values and points."""
    means = (a.mean() - at) * (b.mean() - bt)
    return np.asarray((a - a.mean()) @ (b - b.mean()) + len(a) * means)


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the values of each item, of all systems (chain, draw, item)."""
    y, root = np.asarray(data["y"]), drawn["root"]
    off = np.moveaxis(y - drawn["mu"][..., None, :], -1, -2)
    z = np.linalg.solve(root, off)
    _, log_size = np.linalg.slogdet(root)
    scale = log_size + 0.5 * y.shape[1] * np.log(2 * np.pi)
    return np.asarray(-0.5 * (z**2).sum(axis=-2) - scale[..., None])


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array | None:
    """Return the log-density of the prior of the difference and its variance, if it has one."""
    from scipy.special import gammaln

    weight, sd, degrees = (data[f"prior_{name}"] for name in ("weight", "sd", "degrees"))
    if weight == 0:
        return None
    variance = ((drawn["root"][..., 0, :] - drawn["root"][..., 1, :]) ** 2).sum(axis=-1)
    shape, rate = degrees / 2, degrees * sd**2 / 2
    of_variance = shape * np.log(rate) - gammaln(shape) - (shape + 1) * np.log(variance)
    delta = drawn["mu"][..., 0] - drawn["mu"][..., 1]
    return np.asarray(of_variance - rate / variance + log_normal(delta, np.sqrt(variance / weight)))


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw the values of as many new items as there are."""
    n, s = np.shape(data["y"])
    z = rng.standard_normal((*drawn["mu"].shape[:-1], n, s))
    return {"y": drawn["mu"][..., None, :] + z @ drawn["root"].swapaxes(-1, -2)}


def means(new: Variables, data: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the mean of every system over new items."""
    return {"psi": new["y"].mean(axis=-2)[..., None]}


class Items(OfValues):
    """The items model, whose differences are known in closed form."""

    def student(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[Student, Student | None]:
        """Return the posterior t of differences of systems, and the prior one if there is one."""
        seen = values_of(data)
        if len(first) == 1:
            refuse_constant(seen, int(first[0]), int(second[0]))
        mean, scatter = np.empty(len(first)), np.empty(len(first))
        for i in np.unique(first):  # one after the other: all pairs at once may not fit
            here = first == i
            d = seen.values[i] - seen.values[second[here]]
            mean[here] = d.mean(axis=1)
            scatter[here] = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        informed = single(prior).items
        if informed is None:
            return _posterior(seen.items, mean, scatter, 0.0, 1.0, 1.0), None
        weight, sd, degrees = informed
        known = Student(np.zeros(len(first)), sd / np.sqrt(weight), degrees)
        return _posterior(seen.items, mean, scatter, *informed), known


def never_infinite(measure: Measure, prior: Priors, data: Data) -> bool:
    """Return False: a t has a finite density everywhere."""
    return False


ITEMS_MODEL = Items(
    name="items",
    data=data,
    observed=("y",),
    dims={"y": ("item", "system"), **dict.fromkeys(("mu", "sigma", "z", "tau"), ("system",))},
    exact=draw,
    prior_density_infinite_at_zero=never_infinite,
    default_for=ItemValues,
    engine="exact",
    most_systems=None,
    most_in_program=FEW,
    over="new items",
    predictive=Predictive(
        log_likelihood,
        numbered("y"),
        log_prior,
        replicate,
        means,
        needs=("psi",),
        added=added,
        from_prior=False,
        unit="items",
    ),
    as_fitted=("L_Omega",),
    priors=ONLY,
)
