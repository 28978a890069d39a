"""Categories that are drawn apart, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Variables = dict[str, NDArray[Any]]

# How the sampler's statistics of chunks become those of all: the chunks are independent, so their
# log densities and energies add up; of the rest the worst counts.
COMBINE: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("lp", "energy", "n_steps"), np.sum),
    **dict.fromkeys(("diverging", "tree_depth"), np.max),
    **dict.fromkeys(("step_size", "acceptance_rate"), np.min),
}


def combine_stats(stats: Sequence[Variables]) -> Variables:
    """Put the sampler's statistics of chunks of independent categories together."""
    return {
        name: np.asarray(COMBINE[name]([chunk[name] for chunk in stats], axis=0))
        for name in stats[0]
    }


def concatenate(chunks: Sequence[Variables], axes: Mapping[str, int]) -> Variables:
    """Put chunks of categories together, in every variable that has an axis of categories.

    Parameters
    ----------
    chunks : sequence of mapping
        The variables of each chunk, in the order of the categories.
    axes : mapping
        Which axis of each variable is that of the categories.

    Examples
    --------
    >>> chunk = {"mu": np.zeros((1, 3, 2)), "kappa": np.ones((1, 3))}
    >>> whole = concatenate([chunk, chunk, chunk], {"mu": 2})
    >>> whole["mu"].shape, whole["kappa"].shape
    ((1, 3, 6), (1, 3))
    """
    if len(chunks) == 1:
        return chunks[0]
    return {
        name: np.concatenate([chunk[name] for chunk in chunks], axis=axes[name])
        if name in axes
        else values
        for name, values in chunks[0].items()
    }


def repeat_shuffled(
    first: Variables, categories: int, axes: Mapping[str, int], rng: np.random.Generator
) -> Variables:
    """Let draws of a few independent categories stand for many of them, in other orders."""
    n_drawn = first["delta"].shape[axes["delta"]]
    others = [_shuffle(first, rng) for _ in range(-(-categories // n_drawn) - 1)]
    return {
        name: np.take(values, range(categories), axis=axes[name]) if name in axes else values
        for name, values in concatenate([first, *others], axes).items()
    }


def _shuffle(variables: Variables, rng: np.random.Generator) -> Variables:
    chains, draws = next(iter(variables.values())).shape[:2]
    order = rng.permutation(chains * draws)
    return {
        name: values.reshape(chains * draws, *values.shape[2:])[order].reshape(values.shape)
        for name, values in variables.items()
    }
