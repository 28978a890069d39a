"""The paired model: both systems on the same documents (Zhang et al. 2016, Figure 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data, PairedCounts, cells_of_patterns, response_patterns
from stanoff.errors import InputError
from stanoff.measures import Measure
from stanoff.models.base import COORDS, Array, Batch, Block, Model, Variables, unless_prior
from stanoff.models.predictive import (
    Predictive,
    by_category,
    log_beta,
    log_dirichlet,
    multinomials,
)
from stanoff.models.priors import Priors, single
from stanoff.models.singularities import depends, equal_at_an_end

DIMS = {
    "mu": ("category",),
    **dict.fromkeys(("theta_pos", "theta_neg", "c_pos", "c_neg"), ("category", "outcome")),
}


def data(counts: Data, prior: Priors) -> Block:
    """Gather the data of a paired model."""
    if not isinstance(counts, PairedCounts):
        raise InputError(
            "The paired model needs both classifiers on the same documents; "
            "pass model='unpaired' for two different test sets."
        )
    shared = single(prior)
    return {
        "c_pos": counts.pos,
        "c_neg": counts.neg,
        "beta": shared.weights("beta", 2),
        "alpha_pos": shared.weights("alpha_pos", 4),
        "alpha_neg": shared.weights("alpha_neg", 4),
    }


def draw(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw a Beta and two Dirichlets per category."""
    c_pos, c_neg = unless_prior(data, "c_pos", "c_neg")
    size = draws, len(c_pos)
    mu = np.empty(size)
    theta_pos, theta_neg = np.empty((*size, 4)), np.empty((*size, 4))
    for k, (pos, neg) in enumerate(zip(c_pos, c_neg, strict=True)):
        mu[:, k] = rng.beta(data["beta"][0] + pos.sum(), data["beta"][1] + neg.sum(), draws)
        theta_pos[:, k] = rng.dirichlet(data["alpha_pos"] + pos, draws)
        theta_neg[:, k] = rng.dirichlet(data["alpha_neg"] + neg, draws)
    cells = cells_of_patterns(theta_pos, theta_neg, 2)
    for cell, share in enumerate((mu, 1 - mu, mu, 1 - mu)):
        cells[..., cell] *= share[:, None]
    return {"mu": mu, "theta_pos": theta_pos, "theta_neg": theta_neg, "cells": cells}


def shapes(data: Mapping[str, Any]) -> list[Array]:
    """List the shapes of the ten Gammas: two of the classes, four outcome pairs in each."""
    c_pos, c_neg = np.asarray(data["c_pos"]), np.asarray(data["c_neg"])
    mu = np.stack([c_pos.sum(axis=1), c_neg.sum(axis=1)], axis=1) + data["beta"]
    return [*mu.T, *(c_pos + data["alpha_pos"]).T, *(c_neg + data["alpha_neg"]).T]


def build(gammas: list[Array]) -> Array:
    """Put the cells of both systems together; each cell is in one piece of memory."""
    pos, neg, *parts = gammas
    of_pos, of_neg = parts[:4], parts[4:]
    total = pos + neg
    # A share of all documents per unit of Gamma.
    pos, neg = pos / total / sum(of_pos), neg / total / sum(of_neg)
    out = np.empty((4, len(pos), 2, pos.shape[1]))
    for system, yes in enumerate(response_patterns(2).T):
        for cell, (scale, outcomes, answer) in enumerate(
            ((pos, of_pos, 1), (neg, of_neg, 1), (pos, of_pos, 0), (neg, of_neg, 0))
        ):
            i, j = np.flatnonzero(yes == answer)
            np.multiply(scale, outcomes[i] + outcomes[j], out=out[cell, :, system])
    return np.moveaxis(out, 0, -1)


def prior_density_infinite_at_zero(measure: Measure, prior: Priors, data: Data) -> bool:
    """Return whether delta piles up at 0 faster than a density can follow.

    It does where a prevalence makes all systems equal (with no positives every F1 is 0): delta
    then shrinks like a power of the prevalence, and the prior weight of that class must be above
    that power. And it does where the weights of the outcomes on which the systems differ do not
    add up to more than 1.
    """
    shared = single(prior)
    if equal_at_an_end(measure, shared.weights("beta", 2)):
        return True
    alpha_pos, alpha_neg = shared.weights("alpha_pos", 4), shared.weights("alpha_neg", 4)
    differing = 0.0  # the middle is where AUC:acc makes all systems equal, whatever the prior
    if depends(measure, mu=0.5, rho_neg=0.3):
        differing += alpha_pos[1] + alpha_pos[2]
    if depends(measure, mu=0.5, rho_pos=0.3):
        differing += alpha_neg[1] + alpha_neg[2]
    return bool(differing <= 1)


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-likelihood of each outcome pair (chain, draw, category, class, outcome)."""
    from scipy.special import xlogy

    mu = drawn["mu"][..., None]
    shares = np.stack([mu * drawn["theta_pos"], (1 - mu) * drawn["theta_neg"]], axis=-2)
    counts = np.stack([data["c_pos"], data["c_neg"]], axis=-2)
    return np.asarray(xlogy(counts, shares))


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior of all categories."""
    each = log_beta(drawn["mu"], data["beta"])
    for kind in ("pos", "neg"):
        each = each + log_dirichlet(drawn[f"theta_{kind}"], data[f"alpha_{kind}"])
    return np.asarray(each.sum(axis=-1))


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw as many new documents as there are."""
    n = np.sum(data["c_pos"], axis=-1) + np.sum(data["c_neg"], axis=-1)
    n_pos = rng.binomial(n, drawn["mu"])
    return {
        "c_pos": multinomials(n_pos, drawn["theta_pos"], rng),
        "c_neg": multinomials(n - n_pos, drawn["theta_neg"], rng),
    }


def cells_of(new: Variables, data: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Count the cells of new documents."""
    return {"cells": cells_of_patterns(new["c_pos"], new["c_neg"], 2)}


LABELS = by_category(None, COORDS["truth"], COORDS["outcome"])
NEEDS = ("mu", "theta_pos", "theta_neg")
PREDICTIVE = Predictive(log_likelihood, LABELS, log_prior, replicate, cells_of, NEEDS)
PAIRED = Model(
    name="paired",
    data=data,
    observed=("c_pos", "c_neg"),
    dims=DIMS,
    exact=draw,
    batch=Batch(shapes, build, ("c_pos", "c_neg")),
    prior_density_infinite_at_zero=prior_density_infinite_at_zero,
    default_for=PairedCounts,
    independent=True,
    in_blocks=True,
    predictive=PREDICTIVE,
)
