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

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data, PatternCounts, patterns_of, response_patterns
from stanoff.errors import invalid
from stanoff.models import paired
from stanoff.models.base import Array, Block, Each, Model, Variables, unless_prior
from stanoff.models.predictive import (
    Predictive,
    cells_counted,
    elsewhere,
    left_over,
    log_beta,
    log_dirichlet_of_some,
    multinomials,
)
from stanoff.models.priors import Prior, Priors, single
from stanoff.models.weighing import number_of_sticks, sticks

FEW = 6  # so few systems that all their patterns are drawn one by one, as Stan does
TINY = 0.1  # a shape of which a Gamma may be 0 in floating point
KINDS = ("pos", "neg")
MOST_AT_ONCE = 16_000_000  # numbers per block, 128 MB


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
    data: Mapping[str, Any],
    draws: int,
    rng: np.random.Generator,
    each: Each = map,
    keep: NDArray[np.int64] | None = None,
) -> dict[str, Array]:
    """Draw the prevalence of every category and the cells of all systems.

    Every category has a random generator of its own, so that it makes no difference who draws it.
    Of the draws in the places ``keep`` the probabilities of the patterns that occurred are kept.
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
        (yes[here], c_pos[here], c_neg[here], own, draws, one, keep)
        for here, one in zip(places, rngs, strict=True)
    )
    theta = [np.empty((0 if keep is None else len(keep), len(yes))) for _ in range(2)]
    for i, (share, *rates, kept) in enumerate(each(_category, tasks)):
        mu[:, i] = share
        for cell, scale in enumerate((share[:, None], 1 - share[:, None])):
            np.multiply(scale, rates[cell], out=cells[cell, :, :, i])
            np.multiply(scale, 1 - rates[cell], out=cells[cell + 2, :, :, i])
        for whole, part in zip(theta, kept, strict=False):
            whole[:, places[i]] = part
    drawn = {"mu": mu, "cells": np.moveaxis(cells, 0, -1)}
    return drawn if keep is None else drawn | {"theta_pos": theta[0], "theta_neg": theta[1]}


def _category(task: tuple[Any, ...]) -> tuple[Array, Array, Array, list[Array]]:
    """Draw one category: its prevalence, and how often positives and negatives get a yes."""
    yes, pos, neg, prior, draws, rng, keep = task
    kept: list[Array] = []
    mu = rng.beta(prior["beta"][0] + pos.sum(), prior["beta"][1] + neg.sum(), draws)
    rates_pos = _rates(yes, pos, prior["alpha_pos"], draws, rng, keep, kept)
    return mu, rates_pos, _rates(yes, neg, prior["alpha_neg"], draws, rng, keep, kept), kept


def _rates(
    yes: NDArray[np.uint8],
    c: NDArray[np.int64],
    weight: float,
    draws: int,
    rng: np.random.Generator,
    keep: NDArray[np.int64] | None,
    kept: list[Array],
) -> Array:
    """Draw how often each system says yes, from patterns and their counts (draw, system)."""
    s = yes.shape[1]
    if s <= FEW:
        patterns = response_patterns(s)
        shapes = np.full(len(patterns), weight / len(patterns))
        np.add.at(shapes, place_of(yes), c)
        shares = _dirichlet(shapes, draws, rng)
        if keep is not None:
            kept.append(shares[place_of(yes)][:, keep].T)
        return np.minimum(_added(shares, patterns), 1)
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


def place_of(yes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the row of ``response_patterns(systems)`` that a pattern is.

    Examples
    --------
    >>> place_of(np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0]])).tolist()
    [0, 2, 7]
    """
    return np.asarray((1 - yes.astype(np.int64)) @ 2 ** np.arange(yes.shape[1])[::-1])


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-likelihood of each pattern (chain, draw, class, pattern)."""
    from scipy.special import xlogy

    mu = drawn["mu"][..., np.asarray(data["category"]) - 1]
    shares = [mu * drawn["theta_pos"], (1 - mu) * drawn["theta_neg"]]
    return np.stack(
        [xlogy(data[f"c_{kind}"], share) for kind, share in zip(KINDS, shares, strict=True)],
        axis=-2,
    )


def labels(data: Data, block: Mapping[str, Any]) -> list[str]:
    """Name category, true class and who said yes."""
    named = []
    for category, yes in zip(block["category"], np.asarray(block["said"]), strict=True):
        who = " + ".join(name for name, one in zip(data.systems, yes, strict=True) if one)
        named.append((data.categories[category - 1], who or "nobody"))
    return [f"{name}, {kind}, {who}" for kind in ("positive", "negative") for name, who in named]


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior of all categories.

    Of each class it is that of the patterns that its documents have, all others taken together.
    """
    total = log_beta(drawn["mu"], data["beta"]).sum(axis=-1)
    patterns = 2 ** int(data["S"])
    for kind in KINDS:
        weight, counts = float(data[f"alpha_{kind}"]), np.asarray(data[f"c_{kind}"])
        for here in _categories(data):
            seen = np.arange(len(counts))[here][counts[here] > 0]
            if len(seen):
                weights = np.full(len(seen), weight / patterns)
                rest = weight * (1 - len(seen) / patterns)
                total += log_dirichlet_of_some(drawn[f"theta_{kind}"][..., seen], weights, rest)
    return np.asarray(total)


def _categories(data: Mapping[str, Any]) -> Iterator[slice]:
    """Return where the patterns of each category are: they are sorted."""
    category = np.asarray(data["category"])
    for k in range(int(category.max(initial=0))):
        first, last = np.searchsorted(category, [k + 1, k + 2])
        yield slice(int(first), int(last))


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw as many new documents as there are.

    Those with patterns that did not occur are counted in the cells alone.
    """
    size, systems = drawn["mu"].shape[:2], int(data["S"])
    yes = np.asarray(data["said"], dtype=np.int64)
    seen = place_of(yes)
    n = {kind: np.empty((*size, len(yes)), dtype=np.int64) for kind in KINDS}
    cells = np.empty((*size, systems, drawn["mu"].shape[2], 4), dtype=np.int64)
    for k, here in enumerate(_categories(data)):
        documents = int(np.sum(data["c_pos"][here]) + np.sum(data["c_neg"][here]))
        n_pos = rng.binomial(documents, drawn["mu"][..., k])
        for cell, (kind, total) in enumerate((("pos", n_pos), ("neg", documents - n_pos))):
            theta = drawn[f"theta_{kind}"][..., here]
            new = multinomials(total, np.concatenate([theta, left_over(theta)], axis=-1), rng)
            n[kind][..., here] = new[..., :-1]
            said_yes = (new[..., :-1] @ yes[here]).reshape(-1, systems)
            weight = float(data[f"alpha_{kind}"]) / 2**systems
            others = elsewhere(new[..., -1].ravel(), weight, seen[here], 2**systems, rng)
            for place, count, pattern in others:
                said_yes[place] += count[:, None] * response_patterns(systems)[pattern]
            cells[..., k, cell] = said_yes.reshape(*size, systems)
            cells[..., k, cell + 2] = total[..., None] - cells[..., k, cell]
    return {"c_pos": n["pos"], "c_neg": n["neg"], "cells": cells}


CONTEST = Model(
    name="contest",
    data=data,
    observed=("c_pos", "c_neg"),
    dims={"mu": ("category",)}
    | dict.fromkeys(("c_pos", "c_neg", "theta_pos", "theta_neg"), ("pattern",)),
    exact=draw,
    prior_density_infinite_at_zero=paired.prior_density_infinite_at_zero,
    default_for=PatternCounts,
    engine="exact",
    independent=True,
    shared_out=True,
    most_systems=None,
    most_in_program=FEW,
    of_pairs=paired.PAIRED,
    predictive=Predictive(
        log_likelihood,
        labels,
        log_prior,
        replicate,
        cells_counted,
        needs=("mu", "theta_pos", "theta_neg"),
        again=lambda block: bool(block["S"] <= FEW),
    ),
    as_fitted=("theta_pos", "theta_neg"),
)
