"""The unpaired model: each system by itself, on its own documents (Zhang et al. 2016, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data, UnpairedCounts
from stanoff.errors import InputError
from stanoff.measures import Measure
from stanoff.models.base import COORDS, Array, Batch, Block, Model, Variables, unless_prior
from stanoff.models.predictive import Predictive, by_category, log_beta, multinomials
from stanoff.models.priors import WEIGHTS, Priors, both
from stanoff.models.singularities import vanishing_power

DIMS = {
    **dict.fromkeys(("mu", "rho_pos", "rho_neg"), ("classifier", "category")),
    **dict.fromkeys(("c_A", "c_B"), ("category", "cell")),
}


def data(counts: Data, prior: Priors) -> Block:
    """Gather the data of an unpaired model."""
    cells = counts.cells
    if cells is None:
        raise InputError("The unpaired model needs labels: counts of tp, fp, fn and tn.")
    weights = {name: np.stack([p.weights(name, 2) for p in both(prior)]) for name in WEIGHTS}
    return {"c_A": cells[0], "c_B": cells[1], **weights}


def draw(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw three Betas per system and category."""
    counts = unless_prior(data, "c_A", "c_B")
    mu, rho_pos, rho_neg = np.empty((3, draws, 2, len(counts[0])))
    for j, cells in enumerate(counts):
        tp, fp, fn, tn = cells.T
        for out, name, yes, no in (
            (mu, "beta", tp + fn, fp + tn),
            (rho_pos, "alpha_pos", tp, fn),
            (rho_neg, "alpha_neg", fp, tn),
        ):
            first, second = data[name][j]
            out[:, j] = rng.beta(first + yes, second + no, (draws, len(cells)))
    cells_of_both = cells_of_rates(mu, rho_pos, rho_neg)
    return {"mu": mu, "rho_pos": rho_pos, "rho_neg": rho_neg, "cells": cells_of_both}


def cells_of_rates(mu: Array, rho_pos: Array, rho_neg: Array) -> Array:
    """Return the probabilities of tp, fp, fn, tn (..., cell) from prevalences and rates."""
    tp_fp_fn_tn = [mu * rho_pos, (1 - mu) * rho_neg, mu * (1 - rho_pos), (1 - mu) * (1 - rho_neg)]
    return np.moveaxis(np.stack(tp_fp_fn_tn), 0, -1)


def shapes(data: Mapping[str, Any]) -> list[Array]:
    """List the shapes of the twelve Gammas: two of each Beta."""
    listed: list[Array] = []
    for j, name in enumerate(("c_A", "c_B")):
        tp, fp, fn, tn = np.asarray(data[name]).T
        for weights, yes, no in (
            (data["beta"][j], tp + fn, fp + tn),
            (data["alpha_pos"][j], tp, fn),
            (data["alpha_neg"][j], fp, tn),
        ):
            listed += [yes + weights[0], no + weights[1]]
    return listed


def build(gammas: list[Array]) -> Array:
    """Put the cells of both systems together; each cell is in one piece of memory."""
    first = gammas[0]
    out = np.empty((4, len(first), 2, first.shape[1]))
    for system, (pos, neg, tp, fn, fp, tn) in enumerate((gammas[:6], gammas[6:])):
        total = pos + neg
        scale_pos, scale_neg = pos / total / (tp + fn), neg / total / (fp + tn)
        for cell, (scale, part) in enumerate(
            ((scale_pos, tp), (scale_neg, fp), (scale_pos, fn), (scale_neg, tn))
        ):
            np.multiply(scale, part, out=out[cell, :, system])
    return np.moveaxis(out, 0, -1)


def prior_density_infinite_at_zero(measure: Measure, prior: Priors, data: Data) -> bool:
    """Return whether two independent scores meet too often at one value.

    The density of their difference at 0 is the integral of the product of their densities. Near
    a value to which parameters at their ends pin a score, its density is a power of the distance:
    the sum of these parameters' weights over the power with which the score approaches the value,
    less 1. If the powers of the two add up to -1 or less, the integral is infinite.
    """
    parameters = dict(zip(("mu", "rho_pos", "rho_neg"), WEIGHTS, strict=True))
    weights = {
        name: np.mean([p.weights(kind, 2) for p in both(prior)], axis=0)
        for name, kind in parameters.items()
    }
    # Near 0 a Beta(a, b) density goes like x^(a - 1), near 1 like (1 - x)^(b - 1).
    ends = [(name, end, w[end]) for name, w in weights.items() for end in (0, 1)]
    for size in (1, 2):
        for chosen in combinations(ends, size):
            power = vanishing_power(measure, **{name: end for name, end, _ in chosen})
            if power and sum(weight for *_, weight in chosen) <= (power + 0.01) / 2:
                return True
    return False


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-likelihood of each cell (chain, draw, classifier, category, cell)."""
    from scipy.special import xlogy

    return np.asarray(xlogy(np.stack([data["c_A"], data["c_B"]]), drawn["cells"]))


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior of both systems and all categories."""
    names = {"mu": "beta", "rho_pos": "alpha_pos", "rho_neg": "alpha_neg"}
    each = sum(
        log_beta(drawn[name], np.asarray(data[weights])[:, None]) for name, weights in names.items()
    )
    return np.asarray(np.sum(each, axis=(-1, -2)))


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw as many new documents of each system as there are."""
    return {
        name: multinomials(np.sum(data[name], axis=-1), drawn["cells"][:, :, system], rng)
        for system, name in enumerate(("c_A", "c_B"))
    }


def cells_of(new: Variables, data: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the cells of new documents."""
    return {"cells": np.stack([new["c_A"], new["c_B"]], axis=2)}


LABELS = by_category(COORDS["classifier"], None, COORDS["cell"])
NEEDS = ("mu", "rho_pos", "rho_neg", "cells")
PREDICTIVE = Predictive(log_likelihood, LABELS, log_prior, replicate, cells_of, NEEDS)
UNPAIRED = Model(
    name="unpaired",
    data=data,
    observed=("c_A", "c_B"),
    dims=DIMS,
    exact=draw,
    batch=Batch(shapes, build, ("c_A", "c_B")),
    prior_density_infinite_at_zero=prior_density_infinite_at_zero,
    default_for=UnpairedCounts,
    independent=True,
    in_blocks=True,
    predictive=PREDICTIVE,
)
