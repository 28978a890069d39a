"""The paired model for any number of systems: one Dirichlet over who says yes.

Of S systems there are 2^S patterns of yes and no. Those of the positive documents are Dirichlet,
and so are those of the negative ones. The prior weight that the paired model gives to its four
outcome pairs is shared equally by the patterns. Adding the patterns up to the outcome pairs of any
two systems gives the paired model's Dirichlet again: a contest never contradicts a comparison.

Where there are many patterns, those that nobody showed have a prior weight only all together. A
Gamma is the sum of one for the documents and one for the prior, and the prior is then a Dirichlet
process over the patterns, drawn by breaking sticks: time and memory grow with the patterns that
occurred.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.base import Data, said
from stanoff.data.patterns import PatternCounts, patterns_of
from stanoff.errors import invalid
from stanoff.models import paired
from stanoff.models.base import Array, Block, Each, Model, unless_prior
from stanoff.models.graphs import (
    CATEGORIES,
    PAIRS,
    RATES,
    SYSTEMS,
    WEIGHTS,
    Graph,
    edges_of,
    plate_of,
)
from stanoff.models.priors import Prior, Priors, single
from stanoff.models.weighing import number_of_sticks, sticks

FEW = 6  # so few systems that all their patterns are drawn one by one, as Stan does
TINY = 0.1  # a shape of which a Gamma may be 0 in floating point
MOST_AT_ONCE = 16_000_000  # numbers per block, 128 MB

NODES = (*PAIRS[:3], *RATES[3:])  # patterns as in the paired model, a score per system
GRAPH = Graph(
    WEIGHTS + NODES,
    edges_of(
        theta_pos="alpha_pos",
        theta_neg="alpha_neg",
        mu="beta",
        n_class="mu N",
        c_pos="theta_pos n_class",
        c_neg="theta_neg n_class",
        psi="mu theta_pos theta_neg",
        delta="psi",
    ),
    (plate_of(SYSTEMS, (NODES[-2],)), plate_of(CATEGORIES, NODES)),
)


def data(counts: Data, prior: Priors) -> Block:
    """Gather the patterns that occurred."""
    patterns, shared = patterns_of(counts), single(prior)
    return {
        "S": len(patterns.systems),
        "R": len(patterns.said),
        "category": patterns.category + 1,  # Stan counts from 1
        "said": patterns.said,
        "c_pos": patterns.pos,
        "c_neg": patterns.neg,
        "beta": shared.weights("beta", 2),
        "alpha_pos": _total(shared, "alpha_pos"),
        "alpha_neg": _total(shared, "alpha_neg"),
    }


def _total(prior: Prior, name: str) -> float:
    """Return the weight of the paired model's four outcome pairs, which all patterns share."""
    if prior.mass is None and isinstance(getattr(prior, name), tuple):
        raise invalid(f"prior.{name}", "one number for all patterns", getattr(prior, name))
    return float(prior.weights(name, 4).sum())


def draw(
    data: Mapping[str, Any], draws: int, rng: np.random.Generator, each: Each = map
) -> dict[str, Array]:
    """Draw the prevalence of every category and the cells of all systems.

    Every category has a random generator of its own, so that it makes no difference who draws it.
    """
    c_pos, c_neg = unless_prior(data, "c_pos", "c_neg")
    yes = np.asarray(data["said"])
    k, s = int(data["K"]), int(data["S"])
    starts = np.searchsorted(data["category"], np.arange(1, k + 2))
    places = [slice(starts[i], starts[i + 1]) for i in range(k)]
    own = {name: data[name] for name in ("beta", "alpha_pos", "alpha_neg")}
    mu = np.empty((draws, k))
    cells = np.empty((4, draws, s, k))  # each cell in one piece of memory
    rngs = rng.spawn(k) if k > 1 else [rng]
    tasks = (
        (yes[here], c_pos[here], c_neg[here], own, draws, one)
        for here, one in zip(places, rngs, strict=True)
    )
    for i, (share, *rates) in enumerate(each(_category, tasks)):
        mu[:, i] = share
        for cell, scale in enumerate((share[:, None], 1 - share[:, None])):
            np.multiply(scale, rates[cell], out=cells[cell, :, :, i])
            np.multiply(scale, 1 - rates[cell], out=cells[cell + 2, :, :, i])
    return {"mu": mu, "cells": np.moveaxis(cells, 0, -1)}


def _category(task: tuple[Any, ...]) -> tuple[Array, Array, Array]:
    """Draw one category: its prevalence, and how often positives and negatives get a yes."""
    yes, pos, neg, prior, draws, rng = task
    mu = rng.beta(prior["beta"][0] + pos.sum(), prior["beta"][1] + neg.sum(), draws)
    rates_pos = _rates(yes, pos, prior["alpha_pos"], draws, rng)
    return mu, rates_pos, _rates(yes, neg, prior["alpha_neg"], draws, rng)


def _rates(
    yes: NDArray[np.uint8],
    c: NDArray[np.int64],
    weight: float,
    draws: int,
    rng: np.random.Generator,
) -> Array:
    """Draw how often each system says yes, from patterns and their counts (draw, system)."""
    s = yes.shape[1]
    if s <= FEW:
        patterns = said(s)
        shapes = np.full(len(patterns), weight / len(patterns))
        np.add.at(shapes, (1 - yes) @ 2 ** np.arange(s)[::-1], c)  # a row of said() is its place
        return np.minimum(_added(_dirichlet(shapes, draws, rng), patterns), 1)
    yes, c = yes[c > 0], c[c > 0]
    order = np.argsort(c, kind="stable")
    yes, c = yes[order].astype(np.float64), c[order]
    once = int(np.searchsorted(c, 2))  # patterns of one document only
    n = number_of_sticks(weight)
    out = np.empty((draws, s))
    block = max(1, MOST_AT_ONCE // (len(c) + n * s))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        seen = np.empty((size, len(c)))
        seen[:, :once] = rng.standard_exponential((size, once))
        seen[:, once:] = rng.standard_gamma(c[once:], (size, len(c) - once))
        prior = rng.standard_gamma(weight, (size, 1))
        parts = prior * sticks(size, weight, rng)
        bits = rng.integers(0, 256, (size, n, (s + 7) // 8), dtype=np.uint8)
        guesses = np.unpackbits(bits, axis=2, count=s)  # any pattern is as probable as another
        total = seen.sum(axis=1) + prior[:, 0]
        said_yes = seen @ yes + (parts[:, None] @ guesses)[:, 0]
        out[start : start + size] = np.minimum(said_yes / total[:, None], 1)
    return out


def _dirichlet(shapes: Array, draws: int, rng: np.random.Generator) -> Array:
    """Draw a Dirichlet with every pattern in one piece of memory (pattern, draw)."""
    if shapes.max() < TINY:  # Gammas might all be 0
        return rng.dirichlet(shapes, draws).T
    out = np.empty((len(shapes), draws))
    for shape, row in zip(shapes, out, strict=True):
        rng.standard_gamma(shape, out=row)
    out /= out.sum(axis=0)
    return out


def _added(shares: Array, patterns: NDArray[np.int64]) -> Array:
    """Add up the shares of the patterns in which each system says yes (draw, system).

    As a product of matrices it is no quicker, but the threads of BLAS go on waiting for more.
    """
    out = np.zeros((patterns.shape[1], shares.shape[1]))
    for system, pattern in zip(*np.nonzero(patterns.T), strict=True):
        out[system] += shares[pattern]
    return out.T


CONTEST = Model(
    name="contest",
    data=data,
    observed=("c_pos", "c_neg"),
    dims={"mu": ("category",)} | dict.fromkeys(("c_pos", "c_neg"), ("pattern",)),
    exact=draw,
    infinite_at_zero=paired.infinite_at_zero,
    default_for=PatternCounts,
    engine="exact",
    independent=True,
    shared_out=True,
    most_systems=None,
    most_in_program=FEW,
    of_pairs=paired.PAIRED,
    graph=GRAPH,
)
