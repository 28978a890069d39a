"""What an engine returns: arrays whose first two axes are chain and draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Variables = Mapping[str, NDArray[Any]]

PER_SYSTEM = ("cells", "psi")
OF_MEASURES = ("psi_of_", "micro_of_")  # with the name of a measure, of models that keep scores


class Later(Mapping[str, NDArray[Any]]):
    """Variables that are drawn when they are first asked for: a contest needs no prior at once."""

    def __init__(self, draw: Callable[[], Variables]) -> None:
        self._draw = draw

    @cached_property
    def _drawn(self) -> Variables:
        return _read_only(self._draw())

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._drawn,)


def _read_only(variables: Variables) -> Variables:
    for values in variables.values():
        values.flags.writeable = False
    return variables


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws of a model's variables.

    Attributes
    ----------
    posterior, prior : mapping
        The variables of the model, by name: ``cells`` (chain, draw, system, category, cell) and
        whatever else it has. The prior is empty where a program cannot draw it.
    sample_stats : mapping
        What the sampler tells of itself, with ArviZ's names.
    cmdstan_fits : tuple of CmdStanMCMC
        What cmdstanpy returned, of each run of a program; they stay in this process.
    """

    posterior: Variables
    prior: Variables
    sample_stats: Variables
    cmdstan_fits: tuple[Any, ...] = field(default=(), kw_only=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return Draws, (self.posterior, self.prior, self.sample_stats)

    def __post_init__(self) -> None:
        for group in (self.posterior, self.prior, self.sample_stats):
            if not isinstance(group, Later):
                _read_only(group)

    @property
    def shape(self) -> tuple[int, int]:
        """How many chains, and how many draws of each."""
        chains, draws = next(iter(self.posterior.values())).shape[:2]
        return chains, draws


def _is_per_system(name: str) -> bool:
    return name in PER_SYSTEM or name.startswith(OF_MEASURES)


def stacked(variables: Variables) -> Variables:
    """Put ``cells_A`` and ``cells_B``, ``psi_A`` and ``psi_B`` on one axis of systems."""
    out = dict(variables)
    for name in PER_SYSTEM:
        if f"{name}_A" in out and f"{name}_B" in out:
            out[name] = np.stack([out.pop(f"{name}_A"), out.pop(f"{name}_B")], axis=2)
    return out


def unstacked(variables: Variables, pair: tuple[int, int]) -> Variables:
    """Undo :func:`stacked` for two of the systems."""
    out = {name: values for name, values in variables.items() if not _is_per_system(name)}
    for name in set(PER_SYSTEM) & set(variables):
        for letter, system in zip("AB", pair, strict=True):
            out[f"{name}_{letter}"] = variables[name][:, :, system]
    return out


def judged(variables: Variables, categories: int) -> Variables:
    """Keep the cells and scores of the categories that are judged, which come first."""
    slices: dict[str, Any] = {"cells": (..., slice(categories), slice(None))}
    slices["psi"] = slices["delta"] = (..., slice(categories))
    return {name: values[slices.get(name, ...)] for name, values in variables.items()}


def of_systems(
    variables: Variables, indices: tuple[int, ...], dims: Mapping[str, tuple[str, ...]]
) -> Variables:
    """Keep some of the systems, given the dimensions of variables after chain and draw."""
    first = {name for name, axes in dims.items() if axes[:1] == ("system",)}
    return {
        name: values[:, :, list(indices)] if name in first or _is_per_system(name) else values
        for name, values in variables.items()
    }


def swapped(
    variables: Variables, dims: Mapping[str, tuple[str, ...]], orders: Mapping[str, list[int]]
) -> Variables:
    """Let two systems change places in every variable.

    Parameters
    ----------
    variables : mapping
        One group of draws.
    dims : mapping
        The dimensions of its variables, after chain and draw. Scores, which are named after their
        measure, are not among them: their first is that of systems.
    orders : mapping
        By dimension, the new order of its positions.
    """
    out = dict(variables)
    for name, values in variables.items():
        of_scores = ("system",) if _is_per_system(name) else ()
        for axis, dimension in enumerate(dims.get(name, of_scores), start=2):
            if dimension in orders and axis < values.ndim:
                out[name] = np.take(values, orders[dimension], axis=axis)
    # delta has no axis of systems: it is A less B.
    return out | ({"delta": -out["delta"]} if "delta" in out else {})


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
    chains, draws, n_drawn = first["delta"].shape
    copies = [first]
    while len(copies) * n_drawn < categories:
        order = np.unravel_index(rng.permutation(chains * draws), (chains, draws))
        copies.append({name: values[order].reshape(values.shape) for name, values in first.items()})
    return {
        name: np.take(values, range(categories), axis=axes[name]) if name in axes else values
        for name, values in concatenate(copies, axes).items()
    }
