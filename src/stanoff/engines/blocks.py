"""Categories that are drawn apart, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Variables = dict[str, NDArray[Any]]
Run = tuple[Variables, Variables]

# How the sampler's statistics of blocks become those of all: the blocks are independent, so their
# log densities and energies add up; of the rest the worst counts.
TOGETHER: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("lp", "energy", "n_steps"), np.sum),
    **dict.fromkeys(("diverging", "tree_depth"), np.max),
    **dict.fromkeys(("step_size", "acceptance_rate"), np.min),
}


def joined(runs: Sequence[Run], axes: Mapping[str, int]) -> Run:
    """Put blocks of independent categories together.

    Parameters
    ----------
    runs : sequence of tuple
        Variables and sampler statistics of each block, in the order of the categories.
    axes : mapping
        Which axis of each variable is that of the categories.
    """
    (drawn, stats), *others = runs
    if not others:
        return drawn, stats
    every = [each for _, each in runs]
    together = {
        name: np.asarray(TOGETHER[name]([each[name] for each in every], axis=0)) for name in stats
    }
    return extended(drawn, [more for more, _ in others], axes), together


def extended(first: Variables, more: Sequence[Variables], axes: Mapping[str, int]) -> Variables:
    """Append further categories to every variable that has an axis of categories.

    Examples
    --------
    >>> one = {"mu": np.zeros((1, 3, 2)), "kappa": np.ones((1, 3))}
    >>> longer = extended(one, [one, one], {"mu": 2})
    >>> longer["mu"].shape, longer["kappa"].shape
    ((1, 3, 6), (1, 3))
    """
    return {
        name: np.concatenate([values, *(each[name] for each in more)], axis=axes[name])
        if name in axes
        else values
        for name, values in first.items()
    }


def repeated(
    first: Variables, categories: int, axes: Mapping[str, int], rng: np.random.Generator
) -> Variables:
    """Let draws of some independent categories stand for more of them, in other orders."""
    some = first["delta"].shape[axes["delta"]]
    more = [_shuffled(first, rng) for _ in range(-(-categories // some) - 1)]
    return {
        name: np.take(values, range(categories), axis=axes[name]) if name in axes else values
        for name, values in extended(first, more, axes).items()
    }


def _shuffled(drawn: Variables, rng: np.random.Generator) -> Variables:
    chains, draws = next(iter(drawn.values())).shape[:2]
    order = rng.permutation(chains * draws)
    return {
        name: values.reshape(chains * draws, *values.shape[2:])[order].reshape(values.shape)
        for name, values in drawn.items()
    }
