"""Draws from conjugate posteriors, in NumPy: no compiler, and the yardstick for Stan.

Each sampler takes the data of the Stan program of the same name and returns its variables, with
draws along the first axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def paired(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw from the paired model: a Beta and two Dirichlets per category."""
    c_pos, c_neg = _counts(data, "c_pos", "c_neg")
    size = draws, len(c_pos)
    mu = np.empty(size)
    theta_pos, theta_neg = np.empty((*size, 4)), np.empty((*size, 4))
    for k, (pos, neg) in enumerate(zip(c_pos, c_neg, strict=True)):
        mu[:, k] = rng.beta(data["beta"][0] + pos.sum(), data["beta"][1] + neg.sum(), draws)
        theta_pos[:, k] = rng.dirichlet(data["alpha_pos"] + pos, draws)
        theta_neg[:, k] = rng.dirichlet(data["alpha_neg"] + neg, draws)
    p_both, p_only_A, p_only_B, p_neither = np.moveaxis(theta_pos, -1, 0)
    n_both, n_only_A, n_only_B, n_neither = np.moveaxis(theta_neg, -1, 0)
    return {
        "mu": mu,
        "theta_pos": theta_pos,
        "theta_neg": theta_neg,
        "cells_A": _cells(
            mu, p_both + p_only_A, p_only_B + p_neither, n_both + n_only_A, n_only_B + n_neither
        ),
        "cells_B": _cells(
            mu, p_both + p_only_B, p_only_A + p_neither, n_both + n_only_B, n_only_A + n_neither
        ),
    }


def unpaired(data: Mapping[str, Any], draws: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw from the unpaired model: three Betas per classifier and category."""
    counts = _counts(data, "c_A", "c_B")
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
    return {
        "mu": mu,
        "rho_pos": rho_pos,
        "rho_neg": rho_neg,
        **{
            f"cells_{name}": _cells(mu, yes_pos, 1 - yes_pos, yes_neg, 1 - yes_neg)
            for name, mu, yes_pos, yes_neg in (
                ("A", mu[:, 0], rho_pos[:, 0], rho_neg[:, 0]),
                ("B", mu[:, 1], rho_pos[:, 1], rho_neg[:, 1]),
            )
        },
    }


def _counts(data: Mapping[str, Any], *names: str) -> list[NDArray[np.int64]]:
    return [np.asarray(data[name]) * (1 - data["prior_only"]) for name in names]


def _cells(mu: Array, yes_pos: Array, no_pos: Array, yes_neg: Array, no_neg: Array) -> Array:
    cells = np.empty((*mu.shape, 4))
    np.multiply(mu, yes_pos, out=cells[..., 0])
    np.multiply(1 - mu, yes_neg, out=cells[..., 1])
    np.multiply(mu, no_pos, out=cells[..., 2])
    np.multiply(1 - mu, no_neg, out=cells[..., 3])
    return cells
