"""The hierarchical model: the paired one, with categories that learn from each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stanoff.data.types import Data, cells_of_patterns
from stanoff.measures import Measure
from stanoff.models import paired
from stanoff.models.base import Array, Block, Model, Variables, kappa_data
from stanoff.models.predictive import log_beta, log_dirichlet, log_lognormal
from stanoff.models.priors import Priors, single
from stanoff.models.singularities import equal_at_an_end


def data(counts: Data, prior: Priors) -> Block:
    """Gather the data of the paired model, and the prior of the concentrations."""
    return paired.data(counts, prior) | kappa_data(single(prior))


def prior_density_infinite_at_zero(measure: Measure, prior: Priors, data: Data) -> bool | None:
    """Return whether a prevalence makes both systems equal, as in the paired model."""
    return equal_at_an_end(measure, single(prior).weights("beta", 2)) or None


def further(
    drawn: Variables, data: Mapping[str, Any], number: int, rng: np.random.Generator
) -> dict[str, Array]:
    """Draw more categories of the prior, given the eta and kappa of all."""
    size = (*drawn["kappa_pos"].shape, number)
    mu = rng.beta(data["beta"][0], data["beta"][1], size)
    theta_pos, theta_neg = (
        dirichlets(drawn[f"kappa_{kind}"][..., None] * drawn[f"eta_{kind}"], number, rng)
        for kind in ("pos", "neg")
    )
    cells = cells_of_patterns(theta_pos, theta_neg, 2)
    for cell, share in enumerate((mu, 1 - mu, mu, 1 - mu)):
        cells[..., cell] *= share[..., None, :]
    return {"mu": mu, "theta_pos": theta_pos, "theta_neg": theta_neg, "cells": cells}


def dirichlets(alpha: Array, number: int, rng: np.random.Generator) -> Array:
    """Draw this many Dirichlets for each row of weights (..., part), weights near 0 included.

    Examples
    --------
    >>> drawn = dirichlets(np.array([[1e-9, 1.0, 2.0, 1e-9]]), 5, np.random.default_rng(1))
    >>> drawn.shape, bool(np.allclose(drawn.sum(axis=-1), 1))
    ((1, 5, 4), True)
    """
    parts = alpha.shape[-1]
    out = np.empty((*alpha.shape[:-1], number, parts))
    left = np.ones(out.shape[:-1])
    for part in range(parts - 1):  # of what is left, a part takes a Beta share
        rest = alpha[..., part + 1 :].sum(axis=-1)
        share = rng.beta(alpha[..., part, None], rest[..., None], left.shape)
        out[..., part] = left * share
        left = left * (1 - share)
    out[..., -1] = left
    return out


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior: of mu, of eta and of kappa."""
    total = log_beta(drawn["mu"], data["beta"]).sum(axis=-1)
    for kind in ("pos", "neg"):
        total += log_dirichlet(drawn[f"eta_{kind}"], data[f"alpha_{kind}"])
        kappa = drawn[f"kappa_{kind}"]
        total += log_lognormal(kappa, data["kappa_location"], data["kappa_scale"])
    return np.asarray(total)


NEEDS = (*paired.NEEDS, *(f"{name}_{kind}" for name in ("eta", "kappa") for kind in ("pos", "neg")))
HIERARCHICAL = Model(
    name="hierarchical",
    data=data,
    observed=("c_pos", "c_neg"),
    dims=paired.DIMS | dict.fromkeys(("eta_pos", "eta_neg"), ("outcome",)),
    prior_density_infinite_at_zero=prior_density_infinite_at_zero,
    further=further,
    predictive=replace(paired.PREDICTIVE, log_prior=log_prior, needs=NEEDS),
)
