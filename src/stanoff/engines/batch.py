"""Conjugate draws of many data sets at once, for studies of thousands of them.

A Beta or a Dirichlet is a vector of independent Gammas over their sum, and a Gamma depends on one
count alone. Data sets of one size have much the same counts, so every count's Gammas are drawn once
and all data sets that have the count in that place share them. The draws of each data set are still
independent draws of its own posterior; only two data sets are no longer quite independent of each
other in their Monte-Carlo noise, which is small next to how their documents differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.models import Model

Array = NDArray[np.float64]

NUMBERS_AT_ONCE = 12_000_000  # of Gammas, about 100 MB
NUMBERS_IN_CACHE = 16_384  # of each intermediate result, so that it stays near the processor
LEAST_SHAPE = 0.05  # below, all Gammas of a simplex may underflow to 0 together


def cells(
    model: Model,
    data: Mapping[str, Any],
    draws: int,
    rng: np.random.Generator,
    *,
    shared: bool = True,
) -> Iterator[tuple[slice, Array]]:
    """Draw the cells of all systems, some data sets at a time.

    Parameters
    ----------
    model : Model
        One with a batch sampler.
    data : mapping
        As its Stan program takes them, with a row per data set.
    draws : int
        How many of each data set.
    rng : Generator
        Where the random numbers come from.
    shared : bool
        False for data sets that hardly differ: sharing draws, they would all err alike.

    Yields
    ------
    tuple
        Which data sets, and their cells (data set, system, draw, cell).
    """
    assert model.batch is not None
    shapes = model.batch.shapes(data)
    if not shared or min(part.min() for part in shapes) < LEAST_SHAPE:
        yield from _one_by_one(model, data, draws, rng)
        return
    for part in _repr_blocks(shapes, draws, slice(0, len(shapes[0]))):
        gammas = [_Gammas(shape[part], draws, rng) for shape in shapes]
        step = max(1, NUMBERS_IN_CACHE // draws)
        for start in range(part.start, part.stop, step):
            block = slice(start, min(start + step, part.stop))
            here = slice(block.start - part.start, block.stop - part.start)
            yield block, model.batch.build([g.of(here) for g in gammas])


class _Gammas:
    """Gamma draws for one place in the table: a row per count, shared by those who have it."""

    def __init__(self, shapes: Array, draws: int, rng: np.random.Generator) -> None:
        distinct, self.row = np.unique(shapes, return_inverse=True)
        self.drawn = rng.standard_gamma(distinct[:, None], (len(distinct), draws))

    def of(self, which: slice) -> Array:
        return self.drawn[self.row[which]]


def _repr_blocks(shapes: list[Array], draws: int, part: slice) -> Iterator[slice]:
    """Halve the data sets until the Gammas of each part fit into memory."""
    distinct = sum(len(np.unique(shape[part])) for shape in shapes)
    size = part.stop - part.start
    if size > 1 and distinct * draws > NUMBERS_AT_ONCE:
        middle = part.start + size // 2
        yield from _repr_blocks(shapes, draws, slice(part.start, middle))
        yield from _repr_blocks(shapes, draws, slice(middle, part.stop))
    else:
        yield part


def _one_by_one(
    model: Model, data: Mapping[str, Any], draws: int, rng: np.random.Generator
) -> Iterator[tuple[slice, Array]]:
    assert model.batch is not None
    assert model.exact is not None
    counts = model.batch.counts
    step = max(1, NUMBERS_AT_ONCE // (32 * draws))
    for start in range(0, len(data[counts[0]]), step):
        block = slice(start, min(start + step, len(data[counts[0]])))
        some = {**data, **{name: data[name][block] for name in counts}, "prior_only": 0}
        drawn = model.exact(some, draws, rng)
        yield block, np.moveaxis(drawn["cells"], 0, 2).swapaxes(0, 1)
