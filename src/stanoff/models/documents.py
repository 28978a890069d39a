"""The unpaired model document by document: to show that counting first changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data
from stanoff.errors import InputError
from stanoff.models import unpaired
from stanoff.models.base import Array, Block, Model, Variables
from stanoff.models.graphs import (
    CLASSIFIERS,
    DOCUMENTS_EACH,
    Graph,
    Kind,
    Node,
    Plate,
    edges_of,
    given,
    plate_of,
)
from stanoff.models.predictive import Predictive
from stanoff.models.priors import Priors

NODES = (
    given("alpha_pos", r"$\alpha^{+}$", 0.6, 5.1),
    given("alpha_neg", r"$\alpha^{-}$", 2.2, 5.1),
    given("beta", r"$\beta$", 4.2, 5.1),
    Node("rho_pos", r"$\rho^{+}$", 0.6, 4),
    Node("rho_neg", r"$\rho^{-}$", 2.2, 4),
    Node("mu", r"$\mu$", 4.2, 4),
    Node("said", r"$\hat{y}$", 0.9, 2.5, Kind.OBSERVED),
    Node("y", "$y$", 4.2, 2.5, Kind.OBSERVED),
    Node("psi", r"$\psi$", 3.1, 0.9, Kind.DERIVED),
    Node("delta", r"$\delta$", 3.1, -0.5, Kind.DERIVED),
)
GRAPH = Graph(
    NODES,
    edges_of(
        rho_pos="alpha_pos",
        rho_neg="alpha_neg",
        mu="beta",
        y="mu",
        said="rho_pos rho_neg y",
        psi="mu rho_pos rho_neg",
        delta="psi",
    ),
    (Plate(DOCUMENTS_EACH, ("said", "y")), plate_of(CLASSIFIERS, NODES, "delta")),
)


def data(counts: Data, prior: Priors) -> Block:
    """Write every document out again."""
    if len(counts.categories) > 1:
        raise InputError("model='documents' compares one category; use 'unpaired' for several.")
    block = unpaired.data(counts, prior)
    for name in ("A", "B"):
        cells = block.pop(f"c_{name}")[0]
        block[f"N_{name}"] = int(cells.sum())
        block[f"y_{name}"] = np.repeat([1, 0, 1, 0], cells)
        block[f"said_{name}"] = np.repeat([1, 1, 0, 0], cells)
    return block


def counted(block: Mapping[str, Any]) -> dict[str, Any]:
    """Count the documents again: the data block of the unpaired model."""
    cells = {
        f"c_{name}": np.bincount(
            (1 - np.asarray(block[f"y_{name}"])) + 2 * (1 - np.asarray(block[f"said_{name}"])),
            minlength=4,
        )[None]
        for name in "AB"
    }
    return {**block, **cells}


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw as many new documents of each system as there are, in any order."""
    new: dict[str, NDArray[Any]] = {}
    for system, name in enumerate("AB"):
        size = (*drawn["mu"].shape[:2], len(data[f"y_{name}"]))
        mu, rho_pos, rho_neg = (drawn[v][:, :, system] for v in ("mu", "rho_pos", "rho_neg"))
        new[f"y_{name}"] = y = (rng.random(size) < mu).astype(np.int64)
        new[f"said_{name}"] = (rng.random(size) < np.where(y, rho_pos, rho_neg)).astype(np.int64)
    return new


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-likelihood of each cell, as in the unpaired model."""
    return unpaired.log_likelihood(drawn, counted(data))


def cells_of(new: Variables, data: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Count the cells of new documents."""
    cells = [
        np.stack([np.sum((y == a) & (s == b), axis=-1) for a, b in CELLS], axis=-1)
        for y, s in ((new[f"y_{name}"], new[f"said_{name}"]) for name in "AB")
    ]
    return {"cells": np.stack(cells, axis=2)[..., None, :]}


CELLS = ((1, 1), (0, 1), (1, 0), (0, 0))  # what is true and what was said: tp, fp, fn, tn
DOCUMENTS = Model(
    name="documents",
    data=data,
    observed=("y_A", "said_A", "y_B", "said_B"),
    dims=unpaired.DIMS
    | dict.fromkeys(("y_A", "said_A"), ("document_A",))
    | dict.fromkeys(("y_B", "said_B"), ("document_B",)),
    prior_density_infinite_at_zero=unpaired.prior_density_infinite_at_zero,
    predictive=Predictive(
        log_likelihood,
        unpaired.LABELS,
        unpaired.log_prior,
        replicate,
        cells_of,
        unpaired.NEEDS,
        one_by_one=False,
    ),
    graph=GRAPH,
)
