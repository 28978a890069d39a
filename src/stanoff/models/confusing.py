"""New documents of single-label classes: what systems say of them, given their true class."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.models.predictive import Array, elsewhere, left_over, multinomials


@dataclass(frozen=True)
class Combinations:
    """The combinations of a true class and what was said of it that occurred.

    Attributes
    ----------
    truth : ndarray
        The true class (combination), from 0.
    code : ndarray
        The place of what was said among all that could be (combination).
    shape : tuple of int
        How many classes each system can choose from.
    """

    truth: NDArray[Any]
    code: NDArray[Any]
    shape: tuple[int, ...]


def confused(
    in_class: NDArray[np.int64],
    seen: Combinations,
    theta: Array,
    weight: float | Array,
    rng: np.random.Generator,
) -> dict[str, NDArray[Any]]:
    """Draw what is said of new documents.

    Parameters
    ----------
    in_class : ndarray
        How many documents each true class has (chain, draw, class).
    seen : Combinations
        Those that occurred.
    theta : ndarray
        Their probabilities, given the true class (chain, draw, combination).
    weight : float or ndarray
        The prior weight of a combination that did not occur; one for all draws, or one per draw.
    rng : Generator
        The source of randomness.

    Returns
    -------
    dict
        ``n``, documents of the combinations that occurred, and ``cells``, tp, fp, fn, tn of all
        documents (chain, draw, system, class, cell).
    """
    size, m = in_class.shape[:2], in_class.shape[2]
    systems, draws = len(seen.shape), size[0] * size[1]
    flat, each = in_class.reshape(draws, m), np.arange(draws)
    n = np.empty((draws, len(seen.truth)), dtype=np.int64)
    tp, called = np.zeros((2, draws, systems, m), dtype=np.int64)
    weights = np.broadcast_to(weight, size).ravel()
    for k in range(m):
        here = np.flatnonzero(seen.truth == k)
        given = theta[..., here].reshape(draws, len(here))
        new = multinomials(flat[:, k], np.concatenate([given, left_over(given)], axis=-1), rng)
        n[:, here] = new[:, :-1]
        parts = [(each, new[:, i], np.full(draws, seen.code[row])) for i, row in enumerate(here)]
        parts += elsewhere(new[:, -1], weights, seen.code[here], prod(seen.shape), rng)
        for place, count, code in parts:
            for system, said in enumerate(np.unravel_index(code, seen.shape)):
                called[place, system, said] += count
                tp[place, system, k] += np.where(said == k, count, 0)
    total = flat.sum(axis=1)[:, None, None]
    cells = [tp, called - tp, flat[:, None] - tp, total - flat[:, None] - (called - tp)]
    return {
        "n": n.reshape(*size, -1),
        "cells": np.stack(cells, axis=-1).reshape(*size, systems, m, 4),
    }
