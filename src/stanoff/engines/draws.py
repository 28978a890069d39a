"""What an engine returns: arrays whose first two axes are chain and draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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

    def __init__(self, draw: Callable[[], dict[str, NDArray[Any]]]) -> None:
        self._draw = draw

    @cached_property
    def _drawn(self) -> dict[str, NDArray[Any]]:
        return _fixed(self._draw())

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._drawn,)


def _fixed(variables: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
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
                _fixed(dict(group))

    @property
    def shape(self) -> tuple[int, int]:
        """How many chains, and how many draws of each."""
        chains, draws = next(iter(self.posterior.values())).shape[:2]
        return chains, draws


def _is_per_system(name: str) -> bool:
    return name in PER_SYSTEM or name.startswith(OF_MEASURES)


def stacked(variables: Variables) -> dict[str, NDArray[Any]]:
    """Put ``cells_A`` and ``cells_B``, ``psi_A`` and ``psi_B`` on one axis of systems."""
    out = dict(variables)
    for name in PER_SYSTEM:
        if f"{name}_A" in out and f"{name}_B" in out:
            out[name] = np.stack([out.pop(f"{name}_A"), out.pop(f"{name}_B")], axis=2)
    return out


def judged(variables: Variables, categories: int) -> dict[str, NDArray[Any]]:
    """Keep the cells and scores of the categories that are judged, which come first."""
    kept = {"cells": (..., slice(categories), slice(None)), "psi": (..., slice(categories))}
    kept["delta"] = kept["psi"]
    return {
        name: values[kept[name]] if name in kept else values for name, values in variables.items()
    }


def of_systems(
    variables: Variables, places: tuple[int, ...], dims: Mapping[str, tuple[str, ...]]
) -> dict[str, NDArray[Any]]:
    """Keep some of the systems, given the dimensions of variables after chain and draw."""
    first = {name for name, axes in dims.items() if axes[:1] == ("system",)}
    return {
        name: values[:, :, list(places)] if name in first or _is_per_system(name) else values
        for name, values in variables.items()
    }


def turned(
    variables: Variables, dims: Mapping[str, tuple[str, ...]], places: Mapping[str, list[int]]
) -> dict[str, NDArray[Any]]:
    """Let two systems change places in every variable.

    Parameters
    ----------
    variables : mapping
        One group of draws.
    dims : mapping
        The dimensions of its variables, after chain and draw.
    places : mapping
        By dimension, in which order its places come.
    """
    out = dict(variables)
    for name, values in variables.items():
        for axis, dimension in enumerate(dims.get(name, ()), start=2):
            if dimension in places and axis < values.ndim:
                out[name] = np.take(values, places[dimension], axis=axis)
        if name == "delta":
            out[name] = -values
    return out


def unstacked(variables: Variables, pair: tuple[int, int]) -> dict[str, NDArray[Any]]:
    """Undo :func:`stacked` for two of the systems."""
    out = {name: values for name, values in variables.items() if not _is_per_system(name)}
    for name in PER_SYSTEM:
        if name in variables:
            for letter, system in zip("AB", pair, strict=True):
                out[f"{name}_{letter}"] = variables[name][:, :, system]
    return out
