"""Single-label classes, each system by itself: confusion rows centred on its overall accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data, need_classes
from stanoff.models.base import Array, Block, Model, Variables, kappa_data
from stanoff.models.confusing import Combinations, confused
from stanoff.models.joint import class_names
from stanoff.models.predictive import (
    Predictive,
    cells_counted,
    log_beta,
    log_dirichlet,
    log_lognormal,
    multinomials,
)
from stanoff.models.priors import Priors, both, shared


def data(counts: Data, prior: Priors) -> Block:
    """Gather the cells of both confusion tables that occurred, and the diagonals."""
    classes, one = need_classes(counts), shared(prior, "beta", "kappa")
    cells = [classes.confusion(j) for j in (0, 1)]
    truth, said, n = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    return {
        "K": classes.classes,
        "R": np.array([len(part[0]) for part in cells]),
        "truth": truth + 1,  # Stan counts from 1
        "said": said + 1,
        "n": n,
        "beta": one.weights("beta", classes.classes),
        "alpha_pos": np.stack([p.weights("alpha_pos", 2) for p in both(prior)]),
        **kappa_data(one),
    }


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-likelihood of each cell of both confusion tables (chain, draw, cell)."""
    from scipy.special import xlogy

    mu = drawn["mu"][..., _classifier(data), np.asarray(data["truth"]) - 1]
    return np.asarray(xlogy(data["n"], mu * drawn["theta"]))


def _classifier(data: Mapping[str, Any]) -> NDArray[np.int64]:
    """Return which classifier a cell is of."""
    return np.repeat([0, 1], data["R"])


def labels(data: Data, block: Mapping[str, Any]) -> list[str]:
    """Name the system, the true class and what was said."""
    named = class_names(data, int(block["K"]))
    return [
        f"{'AB'[j]}, {named[truth - 1]}, said {named[said - 1]}"
        for j, truth, said in zip(_classifier(block), block["truth"], block["said"], strict=True)
    ]


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior: of mu, of eta and of kappa, of both systems."""
    total = log_dirichlet(drawn["mu"], np.asarray(data["beta"]))
    total = total + log_beta(drawn["eta"], np.asarray(data["alpha_pos"]))
    total = total + log_lognormal(drawn["kappa"], data["kappa_location"], data["kappa_scale"])
    return np.asarray(total.sum(axis=-1))


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw as many new documents of each system as there are.

    Those of cells that did not occur are counted in ``cells`` alone.
    """
    k, truth, said = int(data["K"]), np.asarray(data["truth"]) - 1, np.asarray(data["said"]) - 1
    parts = []
    for j in (0, 1):
        own = _classifier(data) == j
        documents = np.asarray(np.sum(np.asarray(data["n"])[own]))
        in_class = multinomials(documents, drawn["mu"][:, :, j], rng)
        wrong = drawn["kappa"][..., j] * (1 - drawn["eta"][..., j]) / (k - 1)
        seen = Combinations(truth[own], said[own], (k,))
        parts.append(confused(in_class, seen, drawn["theta"][..., own], wrong, rng))
    return {
        "n": np.concatenate([part["n"] for part in parts], axis=-1),
        "cells": np.concatenate([part["cells"] for part in parts], axis=2),
    }


MULTICLASS = Model(
    name="multiclass",
    data=data,
    observed=("n",),
    dims=dict.fromkeys(("eta", "kappa"), ("classifier",))
    | dict.fromkeys(("n", "theta"), ("confusion_cell",))
    | {"mu": ("classifier", "class")},
    predictive=Predictive(
        log_likelihood,
        labels,
        log_prior,
        replicate,
        cells_counted,
        needs=("mu", "eta", "kappa", "theta"),
    ),
    as_fitted=("theta",),
    classes=True,
)
