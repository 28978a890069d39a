"""The unpaired model with categories that learn from each other, each system by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stanoff.data.types import Data
from stanoff.models import unpaired
from stanoff.models.base import Array, Block, Model, Variables, kappa_data
from stanoff.models.predictive import log_beta, log_lognormal
from stanoff.models.priors import Priors, shared


def data(counts: Data, prior: Priors) -> Block:
    """Gather the data of the unpaired model, and the prior of the concentrations."""
    return unpaired.data(counts, prior) | kappa_data(shared(prior, "kappa"))


def further(
    drawn: Variables, data: Mapping[str, Any], number: int, rng: np.random.Generator
) -> dict[str, Array]:
    """Draw more categories of the prior, given the eta and kappa of all."""
    size = (*drawn["kappa_pos"].shape, number)
    beta = np.asarray(data["beta"])
    out = {"mu": rng.beta(beta[:, :1], beta[:, 1:], size)}
    for kind in ("pos", "neg"):
        eta, kappa = drawn[f"eta_{kind}"][..., None], drawn[f"kappa_{kind}"][..., None]
        out[f"rho_{kind}"] = rng.beta(kappa * eta, kappa * (1 - eta), size)
    return out | {"cells": unpaired.cells_of_rates(out["mu"], out["rho_pos"], out["rho_neg"])}


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior: of mu, of eta and of kappa, of both systems."""
    total = log_beta(drawn["mu"], np.asarray(data["beta"])[:, None]).sum(axis=-1)
    for kind in ("pos", "neg"):
        total += log_beta(drawn[f"eta_{kind}"], np.asarray(data[f"alpha_{kind}"]))
        kappa = drawn[f"kappa_{kind}"]
        total += log_lognormal(kappa, data["kappa_location"], data["kappa_scale"])
    return np.asarray(total.sum(axis=-1))


NEEDS = (
    *unpaired.NEEDS,
    *(f"{name}_{kind}" for name in ("eta", "kappa") for kind in ("pos", "neg")),
)
HIERARCHICAL_UNPAIRED = Model(
    name="hierarchical_unpaired",
    data=data,
    observed=("c_A", "c_B"),
    dims=unpaired.DIMS
    | dict.fromkeys(("eta_pos", "eta_neg", "kappa_pos", "kappa_neg"), ("classifier",)),
    further=further,
    predictive=replace(unpaired.PREDICTIVE, log_prior=log_prior, needs=NEEDS),
)
