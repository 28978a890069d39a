"""One Dirichlet over response patterns: any number of systems, labels or single-label classes.

Given the true class of a document, what S systems answer is one of C^S patterns (C is 2 for yes and
no, or the number of classes), and the patterns are Dirichlet with equal prior weights. Adding
patterns up to those of any two systems gives the posterior that these have by themselves: a contest
never contradicts a comparison.

Where there are many patterns, those that nobody showed have a prior weight only all together.
Spread over so many it falls on a few of them, as in a Dirichlet process, and is drawn by breaking
sticks: time and memory grow with the patterns that occurred, not with C^S.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.types import (
    ConfusionCounts,
    Data,
    PatternCounts,
    need_classes,
    patterns_of,
    response_patterns,
)
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models.base import (
    COORDS,
    Array,
    Inputs,
    Map,
    Proven,
    StanData,
    Variables,
    unless_prior,
)
from stanoff.models.bootstrap import break_sticks, number_of_sticks
from stanoff.models.counts import CLASSES, Paired, equal_at_an_end
from stanoff.models.inputs import MEASURE_INPUTS
from stanoff.models.predictive import (
    LogLikelihood,
    PredictiveModel,
    log_beta,
    log_dirichlet,
    log_prior_of_patterns,
    multinomials,
    replicate_patterns,
)
from stanoff.models.priors import WEIGHTS, Prior, Priors, single

MAX_DENSE_SYSTEMS = 6  # of so few systems all patterns are drawn one by one, as Stan does
MAX_DENSE_CLASSES = 10  # the same for pairs of classes
MIN_GAMMA_SHAPE = 0.1  # below, a Gamma may be 0 in floating point
MIN_MASS, MAX_MASS = 0.5, 25.0  # below, doubles underflow; above, it is slow
STICK_REST = 1e-3  # of the prior mass may be left when the last stick takes the rest
NUMBERS_AT_ONCE = 16_000_000  # per block of a contest, 128 MB
NUMBERS_OF_CLASSES = 4_000_000  # the same for classes


class CategoryTask(NamedTuple):
    """One category of a contest, to be drawn by itself, maybe elsewhere.

    ``yes`` (pattern, system) and ``counts`` (class, pattern) are the patterns that occurred;
    ``keep`` are the draws of which their probabilities are kept, if any.
    """

    yes: NDArray[np.uint8]
    counts: NDArray[np.int64]
    beta: Array
    weights: list[float]
    draws: int
    rng: Generator
    keep: NDArray[np.int64] | None


class Contest(PredictiveModel):
    """The paired model for any number of systems: who says yes given the class is Dirichlet."""

    name = "contest"
    inputs = {"K": 0, "S": 0, "R": 0, "category": 1, "said": 2, "c_pos": 1, "c_neg": 1, "beta": 1}
    inputs |= {"alpha_pos": 0, "alpha_neg": 0, **MEASURE_INPUTS, "prior_only": 0}
    observed = ("c_pos", "c_neg")
    dims = dict.fromkeys(("c_pos", "c_neg", "theta_pos", "theta_neg"), ("pattern",))
    dims |= {"mu": ("category",), "beta": ("truth",)}
    dims |= {"category_of_row": ("pattern",), "said": ("pattern", "system")}
    accepts = PatternCounts
    max_systems = None
    max_in_stan = {"systems": MAX_DENSE_SYSTEMS}
    order_dependent = ("theta_pos", "theta_neg")
    predictive_draws = ("mu", "theta_pos", "theta_neg")
    prior_density_infinite_at_zero = Paired.prior_density_infinite_at_zero

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return the patterns that occurred; they share the weight of four outcome pairs."""
        stan_data = super().stan_data(patterns_of(data), prior, measure)
        for name in WEIGHTS[1:]:
            weights = getattr(single(prior), name)
            if single(prior).mass is None and isinstance(weights, tuple):
                raise invalid(f"prior.{name}", "one number for all patterns", weights)
            stan_data[name] = float(single(prior).weights(name, 4).sum())
        return stan_data

    def sample_exact(
        self,
        stan_data: StanData,
        draws: int,
        rng: Generator,
        *,
        map_categories: Map = map,
        keep: NDArray[np.int64] | None = None,
    ) -> dict[str, Array]:
        """Draw the prevalence of every category and the cells of all systems.

        Every category has a random generator of its own, so that it makes no difference who draws
        it. Of the draws ``keep`` the probabilities of the patterns that occurred are kept.
        """
        counts = np.stack(unless_prior(stan_data, *self.observed))
        yes = np.asarray(stan_data["said"])
        k, s = int(stan_data["K"]), int(stan_data["S"])
        rows = list(_rows_by_category(stan_data, k))
        beta, *weights = (stan_data[name] for name in WEIGHTS)
        tasks = (
            CategoryTask(yes[here], counts[:, here], beta, weights, draws, generator, keep)
            for here, generator in zip(rows, rng.spawn(k) if k > 1 else [rng], strict=True)
        )
        mu = np.empty((draws, k))
        cells = np.empty((4, draws, s, k))  # each cell in one piece of memory
        theta = np.empty((2, 0 if keep is None else len(keep), len(yes)))
        for i, (prevalence, rates, shares) in enumerate(map_categories(_draw_category, tasks)):
            mu[:, i] = prevalence
            for side, share in enumerate((prevalence[:, None], 1 - prevalence[:, None])):
                np.multiply(share, rates[side], out=cells[side, :, :, i])
                np.multiply(share, 1 - rates[side], out=cells[side + 2, :, :, i])
                if shares:
                    theta[side][:, rows[i]] = shares[side]
        drawn = {"mu": mu, "cells": np.moveaxis(cells, 0, -1)}
        return drawn if keep is None else drawn | {"theta_pos": theta[0], "theta_neg": theta[1]}

    def can_resample(self, stan_data: StanData) -> bool:
        """Return whether all patterns are drawn one by one."""
        return bool(stan_data["S"] <= MAX_DENSE_SYSTEMS)

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of each pattern by class; its name is who said yes."""
        mu = draws["mu"][..., np.asarray(stan_data["category"]) - 1]
        shares = np.stack([mu * draws["theta_pos"], (1 - mu) * draws["theta_neg"]], axis=-2)
        names = []
        for category, yes in zip(stan_data["category"], stan_data["said"], strict=True):
            systems = (name for name, answer in zip(data.systems, yes, strict=True) if answer)
            names.append((data.categories[category - 1], " + ".join(systems) or "nobody"))
        labels = (f"{k}, {side}, {who}" for side in COORDS["truth"] for k, who in names)
        counts = np.stack([stan_data["c_pos"], stan_data["c_neg"]])
        return LogLikelihood.of_counts(counts, shares, labels)

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior of all categories."""
        density = log_beta(draws["mu"], stan_data["beta"]).sum(axis=-1)
        size = 2 ** int(stan_data["S"])
        for side in CLASSES:
            counts = np.asarray(stan_data[f"c_{side}"])
            for here in _rows_by_category(stan_data, draws["mu"].shape[-1]):
                if (counts[here] > 0).any():
                    theta = draws[f"theta_{side}"][..., here][..., counts[here] > 0]
                    density += log_prior_of_patterns(theta, float(stan_data[f"alpha_{side}"]), size)
        return np.asarray(density)

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents as there are."""
        (*shape, categories), s = draws["mu"].shape, int(stan_data["S"])
        flat = {name: draws[name].reshape(np.prod(shape), -1) for name in self.predictive_draws}
        codes = pattern_index(np.asarray(stan_data["said"]))
        sizes = {"c_pos": (len(codes),), "c_neg": (len(codes),), "cells": (s, categories, 4)}
        new = {name: np.empty((len(flat["mu"]), *n), np.int64) for name, n in sizes.items()}
        for k, here in enumerate(_rows_by_category(stan_data, categories)):
            n = int(np.sum(stan_data["c_pos"][here]) + np.sum(stan_data["c_neg"][here]))
            n_pos = rng.binomial(n, flat["mu"][:, k])
            for cell, (side, total) in enumerate(zip(CLASSES, (n_pos, n - n_pos), strict=True)):
                theta = flat[f"theta_{side}"][:, here]
                weight = float(stan_data[f"alpha_{side}"]) / 2**s
                new[f"c_{side}"][:, here], answers = replicate_patterns(
                    total, theta, codes[here], (2,) * s, weight, rng
                )
                new["cells"][:, :, k, [cell, cell + 2]] = answers
        return {name: values.reshape(*shape, *values.shape[1:]) for name, values in new.items()}


def _rows_by_category(stan_data: StanData, categories: int) -> Iterator[slice]:
    """Return which rows of patterns each category has: they are sorted."""
    starts = np.searchsorted(stan_data["category"], np.arange(1, categories + 2))
    for first, last in pairwise(starts):
        yield slice(int(first), int(last))


def _powers(base: int, systems: int) -> NDArray[np.int64]:
    """Return what each answer adds to the number of a pattern."""
    return np.asarray(base ** np.arange(systems)[::-1])


def pattern_index(yes: NDArray[Any]) -> NDArray[np.int64]:
    """Return which row of ``response_patterns(systems)`` each pattern is.

    Examples
    --------
    >>> pattern_index(np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0]])).tolist()
    [0, 2, 7]
    """
    return np.asarray((1 - yes.astype(np.int64)) @ _powers(2, yes.shape[1]))


def _draw_category(task: CategoryTask) -> tuple[Array, list[Array], list[Array]]:
    """Draw its prevalence, how often systems say yes (class, draw, system), and what is kept."""
    n_pos, n_neg = task.counts.sum(axis=1)
    mu = task.rng.beta(task.beta[0] + n_pos, task.beta[1] + n_neg, task.draws)
    rates, theta = [], []
    for counts, weight in zip(task.counts, task.weights, strict=True):
        if task.yes.shape[1] <= MAX_DENSE_SYSTEMS:
            shares = _draw_dense(task, counts, weight)
            rates.append(_add_patterns(shares, response_patterns(task.yes.shape[1])))
            if task.keep is not None:
                theta.append(shares[pattern_index(task.yes)][:, task.keep].T)
        else:
            rates.append(_draw_sparse(task, counts, weight))
    return mu, rates, theta


def _draw_dense(task: CategoryTask, counts: NDArray[np.int64], weight: float) -> Array:
    """Draw all patterns (pattern, draw), each in one piece of memory."""
    patterns = 2 ** task.yes.shape[1]
    shapes = np.full(patterns, weight / patterns)
    np.add.at(shapes, pattern_index(task.yes), counts)
    if shapes.max() < MIN_GAMMA_SHAPE:  # Gammas might all be 0
        return task.rng.dirichlet(shapes, task.draws).T
    gammas = np.empty((patterns, task.draws))
    for shape, row in zip(shapes, gammas, strict=True):
        task.rng.standard_gamma(shape, out=row)
    gammas /= gammas.sum(axis=0)
    return gammas


def _add_patterns(shares: Array, patterns: NDArray[np.int64]) -> Array:
    """Add up the shares of the patterns in which each system says yes (draw, system).

    As a product of matrices it is no quicker, but the threads of BLAS go on waiting for more.
    """
    rates = np.zeros((patterns.shape[1], shares.shape[1]))
    for system, pattern in zip(*np.nonzero(patterns.T), strict=True):
        rates[system] += shares[pattern]
    return np.minimum(rates.T, 1)


def _draw_sparse(task: CategoryTask, counts: NDArray[np.int64], weight: float) -> Array:
    """Draw how often each system says yes (draw, system), by the patterns that occurred."""
    occurred = np.flatnonzero(counts)
    order = occurred[np.argsort(counts[occurred], kind="stable")]
    yes, counts = task.yes[order].astype(np.float64), counts[order]
    once = int(np.searchsorted(counts, 2))  # patterns of one document only
    systems, sticks = yes.shape[1], number_of_sticks(weight)
    rates = np.empty((task.draws, systems))
    block = max(1, NUMBERS_AT_ONCE // (len(counts) + sticks * systems))
    for start in range(0, task.draws, block):
        size, rng = min(block, task.draws - start), task.rng
        gammas = np.empty((size, len(counts)))
        gammas[:, :once] = rng.standard_exponential((size, once))
        gammas[:, once:] = rng.standard_gamma(counts[once:], (size, len(counts) - once))
        prior = rng.standard_gamma(weight, (size, 1))
        pieces = prior * break_sticks(size, weight, rng)
        bits = rng.integers(0, 256, (size, sticks, (systems + 7) // 8), dtype=np.uint8)
        guesses = np.unpackbits(bits, axis=2, count=systems)  # any pattern is as probable
        total = gammas.sum(axis=1) + prior[:, 0]
        said_yes = gammas @ yes + (pieces[:, None] @ guesses)[:, 0]
        rates[start : start + size] = np.minimum(said_yes / total[:, None], 1)
    return rates


class Joint(PredictiveModel):
    """Single-label classes: given the true class, what the systems say together is Dirichlet."""

    name = "joint"
    inputs = {"K": 0, "R": 0, "rows": 2, "n": 1, "beta": 1, "mass": 0}
    inputs |= {**MEASURE_INPUTS, "prior_only": 0}
    observed = ("n",)
    dims = {"n": ("joint_cell",), "theta": ("joint_cell",), "mu": ("class",), "beta": ("class",)}
    dims |= {"rows": ("joint_cell", "label")}  # the truth, and what every system said
    accepts = ConfusionCounts
    max_systems = None
    max_in_stan = {"systems": 2, "categories": MAX_DENSE_CLASSES}
    exact_draws = 10_000  # every one of these takes longer
    order_dependent = ("theta",)
    priors = {f"mass {mass:g}": Prior(mass=mass) for mass in (0.5, 1.0, 2.0)}
    predictive_draws = ("mu", "theta")

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return the combinations of classes that occurred."""
        classes, shared = need_classes(data), single(prior)
        if (shared.alpha_pos, shared.alpha_neg) != (Prior().alpha_pos, Prior().alpha_neg):
            raise invalid("prior", "of beta and mass alone in the joint model", shared)
        mass = 1.0 if shared.mass is None else shared.mass
        if not MIN_MASS <= mass <= MAX_MASS:
            raise invalid("prior.mass", f"{MIN_MASS} to {MAX_MASS} in the joint model", mass)
        weights = {"mass": mass, "beta": shared.weights("beta", classes.classes)}
        return super().stan_data(classes, Prior(), measure) | weights

    def sample_exact(
        self,
        stan_data: StanData,
        draws: int,
        rng: Generator,
        *,
        map_categories: Map = map,
        keep: NDArray[np.int64] | None = None,
    ) -> dict[str, Array]:
        """Draw the cells of all systems, every class against the rest.

        Of the draws ``keep`` the prevalences and the probabilities of the combinations that
        occurred, given the true class, are kept.
        """
        rows, n = np.asarray(stan_data["rows"]), np.asarray(stan_data["n"])
        if rows.shape[1] == 3:  # two systems: where they change places, draws do
            order = np.lexsort((rows[:, 1], rows[:, 2], rows[:, 0]))
            swapped = {"rows": rows[order][:, [0, 2, 1]], "n": n[order]}
            if (swapped["rows"].tobytes(), swapped["n"].tobytes()) < (rows.tobytes(), n.tobytes()):
                drawn = self.sample_exact({**stan_data, **swapped}, draws, rng, keep=keep)
                drawn["cells"] = drawn["cells"][:, ::-1]
                if keep is not None:
                    drawn["theta"] = drawn["theta"][:, np.argsort(order)]
                return drawn
        table = _ClassTable(stan_data)
        cells = np.empty((draws, table.systems, table.classes, 4))
        whole: list[tuple[Array, Array]] = []
        block = max(1, NUMBERS_OF_CLASSES // (len(table.n) + table.classes * table.sticks))
        for start in range(0, draws, block):
            size = min(block, draws - start)
            mu = rng.dirichlet(stan_data["beta"] + table.n_class, size)
            gammas = rng.standard_gamma(table.n + table.weight, (size, len(table.n)))
            rest = rng.standard_gamma(np.maximum(table.unseen, 1e-300), (size, table.classes))
            total = gammas @ table.by_class + rest
            if keep is not None:
                here = keep[(keep >= start) & (keep < start + size)] - start
                theta = gammas[here] / total[here][:, table.truth]
                whole.append((mu[here], theta[:, table.occurred]))
            gammas *= (mu / total)[:, table.truth]
            table.add_cells(cells[start : start + size], mu, gammas, rest * (mu / total), rng)
        if keep is None:
            return {"cells": cells}
        prevalence, theta = map(np.concatenate, zip(*whole, strict=True))
        return {"cells": cells, "mu": prevalence, "theta": theta}

    def can_resample(self, stan_data: StanData) -> bool:
        """Return whether there is a number for each combination of what systems can say."""
        return bool(int(stan_data["K"]) ** (np.shape(stan_data["rows"])[1] - 1) < 2**62)

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return whether a class that nearly no document has makes both systems equal.

        Of a Dirichlet distribution with equal weights, the share of one class is a Beta.
        """
        beta = single(prior).weights("beta", need_classes(data).classes)
        if np.ptp(beta) > 0:
            return None
        return equal_at_an_end(measure, np.array([beta[0], beta[1:].sum()])) or None

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of each combination that occurred."""
        rows, names = np.asarray(stan_data["rows"]) - 1, class_names(data, int(stan_data["K"]))
        labels = (
            f"{names[truth]}, said {' '.join(names[i] for i in predictions)}"
            for truth, *predictions in rows.tolist()
        )
        shares = draws["mu"][..., rows[:, 0]] * draws["theta"]
        return LogLikelihood.of_counts(np.asarray(stan_data["n"]), shares, labels)

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior of prevalences and of what is said of each class."""
        density = log_dirichlet(draws["mu"], np.asarray(stan_data["beta"]))
        rows = np.asarray(stan_data["rows"])
        size = int(stan_data["K"]) ** (rows.shape[1] - 1)
        for truth in np.unique(rows[:, 0]):
            theta = draws["theta"][..., rows[:, 0] == truth]
            density = density + log_prior_of_patterns(theta, float(stan_data["mass"]), size)
        return np.asarray(density)

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents as there are."""
        rows, k = np.asarray(stan_data["rows"]) - 1, int(stan_data["K"])
        systems = rows.shape[1] - 1
        n_class = multinomials(np.asarray(int(np.sum(stan_data["n"]))), draws["mu"], rng)
        codes, weight = rows[:, 1:] @ _powers(k, systems), float(stan_data["mass"]) / k**systems
        return replicate_classes(
            n_class, draws["theta"], rows[:, 0], codes, (k,) * systems, weight, rng
        )


class _ClassTable:
    """The combinations of true class and predictions, with what the sampler adds up."""

    def __init__(self, stan_data: StanData) -> None:
        from scipy.sparse import csr_array, hstack

        mass, m = float(stan_data["mass"]), int(stan_data["K"])
        rows, n = np.asarray(stan_data["rows"]) - 1, np.asarray(stan_data["n"])
        systems = rows.shape[1] - 1
        if stan_data["prior_only"]:
            rows, n = rows[:0], n[:0]
        self.occurred: Any = slice(None)
        self.sticks = int(np.ceil(np.log(STICK_REST) / np.log(mass / (1 + mass))))
        if m**systems <= MAX_DENSE_CLASSES**2:  # so few that nothing is left to spread
            table = np.zeros((m,) * rows.shape[1], dtype=np.int64)
            np.add.at(table, tuple(rows.T), n)
            self.occurred = np.ravel_multi_index(tuple(rows.T), table.shape)
            self.sticks = 1
            rows = np.stack(np.unravel_index(np.arange(table.size), table.shape), axis=1)
            n = table.ravel()
        self.n, self.truth, self.classes, self.systems = n, rows[:, 0], m, systems
        self.weight = mass / m**systems
        self.n_class = np.bincount(self.truth, weights=n, minlength=m)
        # prior mass of the cells that are not in the table
        self.unseen = mass * (1 - np.bincount(self.truth, minlength=m) / m**systems)

        def table_of(weights: Array, column: NDArray[Any]) -> csr_array:
            return csr_array((weights, (np.arange(len(n)), column)), shape=(len(n), m))

        ones = np.ones(len(n))
        self.by_class = table_of(ones, self.truth)
        predictions = [table_of(ones, predicted) for predicted in rows.T[1:]]
        right = [table_of(1.0 * (predicted == self.truth), self.truth) for predicted in rows.T[1:]]
        self.sums = hstack([*predictions, *right], format="csr")

    def add_cells(
        self, cells: Array, mu: Array, shares: Array, rest: Array, rng: Generator
    ) -> None:
        """Fill in cells (draw, system, class, 4); the mass of other cells is broken into sticks."""
        size, m = mu.shape
        pieces = _break_rest(rest, self.unseen, self.sticks, rng)
        sums = (shares @ self.sums).reshape(size, 2, self.systems, m)
        for system in range(self.systems):
            predicted, tp = sums[:, 0, system], sums[:, 1, system]
            guess = rng.integers(0, m, (size, m, self.sticks))
            tp += np.where(guess == np.arange(m)[:, None], pieces, 0).sum(axis=-1)
            np.add.at(predicted, (np.arange(size)[:, None, None], guess), pieces)
            fp = np.maximum(predicted - tp, 0)
            fn, tn = np.maximum(mu - tp, 0), np.maximum(1 - mu - fp, 0)
            cells[:, system] = np.stack([tp, fp, fn, tn], axis=-1)


def _break_rest(rest: Array, mass: Array, n: int, rng: Generator) -> Array:
    """Break what is left of every class into sticks, the last of which is what is left then."""
    shares = rng.beta(1.0, np.maximum(mass, 1e-12)[:, None], (*rest.shape, n))
    shares[..., -1] = 1.0
    left = np.cumprod(1 - shares, axis=-1)
    left = np.concatenate([np.ones((*rest.shape, 1)), left[..., :-1]], axis=-1)
    return np.asarray(rest[..., None] * shares * left)


def class_names(data: Data, classes: int) -> list[str]:
    """Name all classes; those that are not judged have numbers."""
    others = range(classes - len(data.categories))
    return [*data.categories, *(f"other {i + 1}" for i in others)]


def replicate_classes(
    n_class: NDArray[np.int64],
    theta: Array,
    truth: NDArray[Any],
    codes: NDArray[Any],
    shape: tuple[int, ...],
    weight: float | Array,
    rng: Generator,
) -> dict[str, NDArray[Any]]:
    """Draw what systems say of new documents of single-label classes.

    Parameters
    ----------
    n_class : ndarray
        How many documents each true class has (chain, draw, class).
    theta : ndarray
        Probabilities of the combinations that occurred, given the class (chain, draw, combination).
    truth, codes : ndarray
        The true class of each combination, from 0, and the number of what was said.
    shape : tuple of int
        How many classes each system can choose from.
    weight : float or ndarray
        The prior weight of a combination that did not occur; one for all draws, or one per draw.
    rng : Generator
        The source of randomness.

    Returns
    -------
    dict
        ``n``, documents of the combinations that occurred, and ``cells`` of all documents (chain,
        draw, system, class, cell).
    """
    *size, m = n_class.shape
    draws = int(np.prod(size))
    flat, probabilities = n_class.reshape(draws, m), theta.reshape(draws, -1)
    n = np.empty((draws, len(truth)), dtype=np.int64)
    tp, predicted = np.zeros((2, draws, len(shape), m), dtype=np.int64)
    weights = np.broadcast_to(weight, size).ravel()
    for k in range(m):
        here = np.flatnonzero(truth == k)
        n[:, here], answers = replicate_patterns(
            flat[:, k], probabilities[:, here], codes[here], shape, weights, rng
        )
        tp[:, :, k] = answers[..., k]
        predicted += answers
    total = flat.sum(axis=1)[:, None, None]
    fp = predicted - tp
    cells = [tp, fp, flat[:, None] - tp, total - flat[:, None] - fp]
    return {
        "n": n.reshape(*size, -1),
        "cells": np.stack(cells, axis=-1).reshape(*size, len(shape), m, 4),
    }
