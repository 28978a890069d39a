"""Single-label classes: one Dirichlet over the true class and what each of S systems said.

The classes are Dirichlet, and given the true class so are the M^S combinations of predictions, with
a prior of a small total mass spread evenly over them, so that any two systems have the posterior
that they have by themselves. Of the combinations that never occurred only that prior mass is left.
Spread over so many cells it falls on a few of them, as a Dirichlet process does, and is drawn by
breaking sticks: time and memory grow with the cells that occurred, not with M^S.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import ConfusionCounts, Data, need_classes
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models.base import Array, Block, Model, Variables
from stanoff.models.confusing import Combinations, confused
from stanoff.models.predictive import (
    Predictive,
    cells_counted,
    log_dirichlet,
    log_dirichlet_of_some,
    multinomials,
)
from stanoff.models.priors import Prior, Priors, single
from stanoff.models.singularities import equal_at_an_end

LEAST_MASS, MOST_MASS = 0.5, 25.0  # below, doubles underflow; above, it is slow
FEW = 10  # so few classes that all cells of two systems can be drawn one by one, as Stan does
LEFT = 1e-3  # of the prior mass may be left when the last stick takes the rest
MOST_AT_ONCE = 4_000_000  # numbers per block
DRAWS = 10_000  # every one of these takes longer


def data(counts: Data, prior: Priors) -> Block:
    """Gather the combinations of classes that occurred."""
    classes, shared = need_classes(counts), single(prior)
    if (shared.alpha_pos, shared.alpha_neg) != (Prior().alpha_pos, Prior().alpha_neg):
        raise invalid("prior", "of beta and mass alone in the joint model", shared)
    mass = 1.0 if shared.mass is None else shared.mass
    if not LEAST_MASS <= mass <= MOST_MASS:
        raise invalid("prior.mass", f"{LEAST_MASS} to {MOST_MASS} in the joint model", mass)
    return {
        "K": classes.classes,
        "R": len(classes.n),
        "rows": classes.rows + 1,  # Stan counts from 1
        "n": classes.n,
        "mass": mass,
        "beta": shared.weights("beta", classes.classes),
    }


def draw(
    data: Mapping[str, Any],
    draws: int,
    rng: np.random.Generator,
    keep: NDArray[np.int64] | None = None,
) -> dict[str, Array]:
    """Draw the cells of all systems, every class against the rest.

    Of the draws in the places ``keep`` the prevalences and the probabilities of the combinations
    that occurred, given the true class, are kept.
    """
    from scipy.sparse import csr_array, hstack

    m, mass = int(data["K"]), float(data["mass"])
    rows, n = np.asarray(data["rows"]) - 1, np.asarray(data["n"])
    systems = rows.shape[1] - 1
    few = m**systems <= FEW**2
    if data["prior_only"]:
        rows, n = rows[:0], n[:0]
    wanted: Any = slice(None)
    if few:
        wanted = np.ravel_multi_index(tuple(rows.T), (m,) * rows.shape[1])
        rows, n = _all_cells(rows, n, m)
    sticks_each = 1 if few else int(np.ceil(np.log(LEFT) / np.log(mass / (1 + mass))))
    truth = rows[:, 0]
    per_class = np.bincount(truth, weights=n, minlength=m)
    unseen = mass * (
        1 - np.bincount(truth, minlength=m) / m**systems
    )  # prior mass of the other cells
    r = len(rows)
    ones = np.ones(r)
    place = np.arange(r)
    by_class = csr_array((ones, (place, truth)), shape=(r, m))
    by_said = [csr_array((ones, (place, said)), shape=(r, m)) for said in rows.T[1:]]
    right = [
        csr_array((ones * (said == truth), (place, truth)), shape=(r, m)) for said in rows.T[1:]
    ]
    sums = hstack([*by_said, *right], format="csr")
    cells = np.empty((draws, systems, m, 4))
    kept: list[tuple[Array, Array]] = []
    block = max(1, MOST_AT_ONCE // (r + m * sticks_each))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        mu = rng.dirichlet(data["beta"] + per_class, size)
        seen = rng.standard_gamma(n + mass / m**systems, (size, r))
        rest = rng.standard_gamma(np.maximum(unseen, 1e-300), (size, m))
        total = seen @ by_class + rest
        scale = mu / total
        if keep is not None:
            here = keep[(keep >= start) & (keep < start + size)] - start
            shares = seen[here] / total[here][:, truth]
            kept.append((mu[here], shares[:, wanted]))
        seen *= scale[:, truth]
        sticks = _sticks(rest * scale, unseen, sticks_each, rng)
        added = (seen @ sums).reshape(size, 2, systems, m)
        for j in range(systems):
            said, tp = added[:, 0, j], added[:, 1, j]
            guess = rng.integers(0, m, (size, m, sticks_each))
            hit = guess == np.arange(m)[:, None]
            tp += np.where(hit, sticks, 0).sum(axis=-1)
            np.add.at(said, (np.arange(size)[:, None, None], guess), sticks)
            out = cells[start : start + size, j]
            out[..., 0], out[..., 1] = tp, np.maximum(said - tp, 0)
            out[..., 2] = np.maximum(mu - tp, 0)
            out[..., 3] = np.maximum(1 - mu - out[..., 1], 0)
    if keep is None:
        return {"cells": cells}
    prevalence, theta = (np.concatenate(parts) for parts in zip(*kept, strict=True))
    return {"cells": cells, "mu": prevalence, "theta": theta}


def _all_cells(
    rows: NDArray[np.intp], n: NDArray[np.int64], m: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Write out the cells that never occurred as well, so that nothing is left to spread."""
    table = np.zeros((m,) * rows.shape[1], dtype=np.int64)
    np.add.at(table, tuple(rows.T), n)
    return np.stack(np.unravel_index(np.arange(table.size), table.shape), axis=1), table.ravel()


def _sticks(total: Array, concentration: Array, n: int, rng: np.random.Generator) -> Array:
    """Break every total into sticks, the last of which is what is left."""
    shares = rng.beta(1.0, np.maximum(concentration, 1e-12)[:, None], (*total.shape, n))
    shares[..., -1] = 1.0
    left = np.cumprod(1 - shares, axis=-1)
    left = np.concatenate([np.ones((*total.shape, 1)), left[..., :-1]], axis=-1)
    return np.asarray(total[..., None] * shares * left)


def prior_density_infinite_at_zero(measure: Measure, prior: Priors, data: Data) -> bool | None:
    """Return whether a class that nearly no document has makes both systems equal.

    Of a Dirichlet distribution with equal weights, the share of one class is a Beta.
    """
    beta = single(prior).weights("beta", need_classes(data).classes)
    if np.ptp(beta) > 0:
        return None
    return equal_at_an_end(measure, np.array([beta[0], beta[1:].sum()])) or None


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-likelihood of each combination that occurred (chain, draw, combination)."""
    from scipy.special import xlogy

    truth = np.asarray(data["rows"])[:, 0] - 1
    return np.asarray(xlogy(data["n"], drawn["mu"][..., truth] * drawn["theta"]))


def labels(data: Data, block: Mapping[str, Any]) -> list[str]:
    """Name the true class and what each system said."""
    named = class_names(data, int(block["K"]))
    return [
        f"{named[truth - 1]}, said {' '.join(named[one - 1] for one in said)}"
        for truth, *said in np.asarray(block["rows"]).tolist()
    ]


def class_names(data: Data, classes: int) -> list[str]:
    """Name all classes; those that are not judged have numbers."""
    judged = len(data.categories)
    return [*data.categories, *(f"other {i + 1}" for i in range(classes - judged))]


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior of the prevalences and of what is said of each class.

    It is that of the combinations that occurred, all others taken together.
    """
    total = log_dirichlet(drawn["mu"], np.asarray(data["beta"]))
    rows, mass = np.asarray(data["rows"]), float(data["mass"])
    size = int(data["K"]) ** (rows.shape[1] - 1)
    for truth in np.unique(rows[:, 0]):
        here = np.flatnonzero(rows[:, 0] == truth)
        weights, rest = np.full(len(here), mass / size), mass * (1 - len(here) / size)
        total = total + log_dirichlet_of_some(drawn["theta"][..., here], weights, rest)
    return np.asarray(total)


def countable(data: Mapping[str, Any]) -> bool:
    """Return whether there is a number for each combination of what systems can say."""
    return bool(int(data["K"]) ** (np.shape(data["rows"])[1] - 1) < 2**62)


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw as many new documents as there are.

    Those with combinations that did not occur are counted in the cells alone.
    """
    rows, m = np.asarray(data["rows"]) - 1, int(data["K"])
    systems = rows.shape[1] - 1
    codes = rows[:, 1:] @ m ** np.arange(systems)[::-1]
    documents = int(np.sum(data["n"]))
    in_class = multinomials(np.asarray(documents), drawn["mu"], rng)
    return confused(
        in_class,
        Combinations(rows[:, 0], codes, (m,) * systems),
        drawn["theta"],
        float(data["mass"]) / m**systems,
        rng,
    )


JOINT = Model(
    name="joint",
    data=data,
    observed=("n",),
    dims={"n": ("joint_cell",), "theta": ("joint_cell",), "mu": ("class",)},
    exact=draw,
    prior_density_infinite_at_zero=prior_density_infinite_at_zero,
    default_for=ConfusionCounts,
    engine="exact",
    most_categories=FEW,
    most_systems=None,
    exact_draws=DRAWS,
    classes=True,
    predictive=Predictive(
        log_likelihood,
        labels,
        log_prior,
        replicate,
        cells_counted,
        needs=("mu", "theta"),
        again=countable,
    ),
    as_fitted=("theta",),
    priors={f"mass {mass:g}": Prior(mass=mass) for mass in (0.5, 1.0, 2.0)},
)
