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

from stanoff.engines import exact

Array = NDArray[np.float64]
Block = tuple[slice, Array, Array]

NUMBERS_AT_ONCE = 12_000_000  # of Gammas, about 100 MB
NUMBERS_IN_CACHE = 16_384  # of each intermediate result, so that it stays near the processor
LEAST_SHAPE = 0.05  # below, all Gammas of a simplex may underflow to 0 together

PAIRED, UNPAIRED = "paired", "unpaired"
SAMPLERS = {PAIRED: exact.paired, UNPAIRED: exact.unpaired}


def cells(
    model: str,
    data: Mapping[str, Any],
    draws: int,
    rng: np.random.Generator,
    *,
    shared: bool = True,
) -> Iterator[Block]:
    """Draw the cells of both classifiers, some data sets at a time.

    Parameters
    ----------
    model : ``"paired"`` or ``"unpaired"``
    data : as the Stan program of that name takes them, with a row per data set
    draws : how many of each data set
    rng : where the random numbers come from
    shared : False for data sets that hardly differ: sharing draws, they would all err alike

    Yields
    ------
    which data sets, and the cells (data set, draw, cell) of A and of B
    """
    shapes = _shapes_paired(data) if model == PAIRED else _shapes_unpaired(data)
    if not shared or min(part.min() for part in shapes) < LEAST_SHAPE:
        yield from _one_by_one(model, data, draws, rng)
        return
    build = _build_paired if model == PAIRED else _build_unpaired
    for part in _parts(shapes, draws, slice(0, len(shapes[0]))):
        gammas = [_Gammas(shape[part], draws, rng) for shape in shapes]
        step = max(1, NUMBERS_IN_CACHE // draws)
        for start in range(part.start, part.stop, step):
            block = slice(start, min(start + step, part.stop))
            here = slice(block.start - part.start, block.stop - part.start)
            yield (block, *build([g.of(here) for g in gammas]))


class _Gammas:
    """Gamma draws for one place in the table: a row per count, shared by those who have it."""

    def __init__(self, shapes: Array, draws: int, rng: np.random.Generator) -> None:
        distinct, self.row = np.unique(shapes, return_inverse=True)
        self.drawn = rng.standard_gamma(distinct[:, None], (len(distinct), draws))

    def of(self, which: slice) -> Array:
        return self.drawn[self.row[which]]


def _parts(shapes: list[Array], draws: int, part: slice) -> Iterator[slice]:
    """Halve the data sets until the Gammas of each part fit into memory."""
    distinct = sum(len(np.unique(shape[part])) for shape in shapes)
    size = part.stop - part.start
    if size > 1 and distinct * draws > NUMBERS_AT_ONCE:
        middle = part.start + size // 2
        yield from _parts(shapes, draws, slice(part.start, middle))
        yield from _parts(shapes, draws, slice(middle, part.stop))
    else:
        yield part


def _shapes_paired(data: Mapping[str, Any]) -> list[Array]:
    c_pos, c_neg = np.asarray(data["c_pos"]), np.asarray(data["c_neg"])
    mu = np.stack([c_pos.sum(axis=1), c_neg.sum(axis=1)], axis=1) + data["beta"]
    return [*mu.T, *(c_pos + data["alpha_pos"]).T, *(c_neg + data["alpha_neg"]).T]


def _build_paired(gammas: list[Array]) -> tuple[Array, Array]:
    pos, neg, p_both, p_a, p_b, p_neither, n_both, n_a, n_b, n_neither = gammas
    total = pos + neg
    pos, neg = pos / total, neg / total
    pos /= p_both + p_a + p_b + p_neither  # a share of all documents per unit of Gamma
    neg /= n_both + n_a + n_b + n_neither
    return (
        _stack(pos, neg, p_both + p_a, n_both + n_a, p_b + p_neither, n_b + n_neither),
        _stack(pos, neg, p_both + p_b, n_both + n_b, p_a + p_neither, n_a + n_neither),
    )


def _shapes_unpaired(data: Mapping[str, Any]) -> list[Array]:
    shapes: list[Array] = []
    for j, name in enumerate(("c_A", "c_B")):
        tp, fp, fn, tn = np.asarray(data[name]).T
        for weights, yes, no in (
            (data["beta"][j], tp + fn, fp + tn),
            (data["alpha_pos"][j], tp, fn),
            (data["alpha_neg"][j], fp, tn),
        ):
            shapes += [yes + weights[0], no + weights[1]]
    return shapes


def _build_unpaired(gammas: list[Array]) -> tuple[Array, Array]:
    both = []
    for pos, neg, tp, fn, fp, tn in (gammas[:6], gammas[6:]):
        total = pos + neg
        both.append(_stack(pos / total / (tp + fn), neg / total / (fp + tn), tp, fp, fn, tn))
    return both[0], both[1]


def _stack(pos: Array, neg: Array, tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Put the cells last as everywhere, but each of them in one piece of memory."""
    out = np.empty((4, *pos.shape))
    for place, (scale, cell) in enumerate(((pos, tp), (neg, fp), (pos, fn), (neg, tn))):
        np.multiply(scale, cell, out=out[place])
    return np.moveaxis(out, 0, -1)


def _one_by_one(
    model: str, data: Mapping[str, Any], draws: int, rng: np.random.Generator
) -> Iterator[Block]:
    counts = ("c_pos", "c_neg") if model == PAIRED else ("c_A", "c_B")
    step = max(1, NUMBERS_AT_ONCE // (32 * draws))
    for start in range(0, len(data[counts[0]]), step):
        block = slice(start, min(start + step, len(data[counts[0]])))
        some = {**data, **{name: data[name][block] for name in counts}, "prior_only": 0}
        drawn = SAMPLERS[model](some, draws, rng)
        yield block, drawn["cells_A"].swapaxes(0, 1), drawn["cells_B"].swapaxes(0, 1)
