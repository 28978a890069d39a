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

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.types import ConfusionCounts, Data, PatternCounts, patterns_of, response_patterns
from stanoff.data.types import need_classes as classes_of
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models import log_density
from stanoff.models.base import (
    COORDS,
    Array,
    Inputs,
    LogLikelihood,
    Map,
    PredictiveModel,
    Proven,
    StanData,
    Variables,
    multinomials,
    unless_prior,
)
from stanoff.models.bootstrap import break_sticks, number_of_sticks
from stanoff.models.counts import CountsModel, Paired, equal_at_an_end
from stanoff.models.inputs import KAPPA_INPUTS, MEASURE_INPUTS, collect_inputs
from stanoff.models.priors import WEIGHTS, Prior, Priors, both, single

MAX_DENSE_SYSTEMS = 6  # of so few systems all patterns are drawn one by one, as Stan does
MAX_DENSE_CLASSES = 10  # the same for pairs of classes
MIN_GAMMA_SHAPE = 0.1  # below, a Gamma may be 0 in floating point
MIN_MASS, MAX_MASS = 0.5, 25.0  # below, doubles underflow; above, it is slow
STICK_REST = 1e-3  # of the prior mass may be left when the last stick takes the rest
NUMBERS_AT_ONCE = 16_000_000  # per block of a contest, 128 MB
NUMBERS_OF_CLASSES = 4_000_000  # the same for classes

Counts = NDArray[np.int64]


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
        keep: Counts | None = None,
    ) -> dict[str, Array]:
        """Draw the prevalence of every category and the cells of all systems.

        Every category has a random generator of its own, so that it makes no difference who draws
        it. Of the draws ``keep`` the probabilities of the patterns that occurred are kept.
        """
        counts = np.stack(unless_prior(stan_data, *self.observed))
        yes = np.asarray(stan_data["said"])
        k, s = int(stan_data["K"]), int(stan_data["S"])
        rows = _rows_by_category(stan_data, k)
        beta, *weights = (stan_data[name] for name in WEIGHTS)
        draw = partial(_draw_category, beta, weights, draws, keep)
        generators = rng.spawn(k) if k > 1 else [rng]
        tasks = ((yes[here], counts[:, here], g) for here, g in zip(rows, generators, strict=True))
        mu = np.empty((draws, k))
        cells = np.empty((4, draws, s, k))  # each cell in one piece of memory
        theta = np.empty((2, 0 if keep is None else len(keep), len(yes)))
        for i, (prevalence, rates, shares) in enumerate(map_categories(draw, tasks)):
            mu[:, i] = prevalence
            for side, share in enumerate((prevalence, 1 - prevalence)):
                for system, rate in enumerate(rates[side].T):  # which is in one piece, too
                    np.multiply(share, rate, out=cells[side, :, system, i])
                    np.multiply(share, 1 - rate, out=cells[side + 2, :, system, i])
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
        names = []
        for category, yes in zip(stan_data["category"], stan_data["said"], strict=True):
            systems = (name for name, answer in zip(data.systems, yes, strict=True) if answer)
            names.append((data.categories[category - 1], " + ".join(systems) or "nobody"))
        labels = (f"{k}, {side}, {who}" for side in COORDS["truth"] for k, who in names)
        counts, theta = _of_both_classes(stan_data, draws)
        return LogLikelihood.of_counts(counts, np.concatenate([mu, 1 - mu], -1) * theta, labels)

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior of all categories."""
        n, theta = _of_both_classes(stan_data, draws)
        category = np.asarray(stan_data["category"])
        weights = [float(stan_data[name]) for name in WEIGHTS[1:]]
        density = log_density.beta(draws["mu"], stan_data["beta"]).sum(axis=-1)
        groups = np.concatenate([2 * category, 2 * category + 1])
        size = 2 ** int(stan_data["S"])
        return np.asarray(density + _log_prior_of_groups(theta, n, groups, weights, size))

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents as there are."""
        mu, s = draws["mu"], int(stan_data["S"])
        counts, theta = _of_both_classes(stan_data, draws)
        codes = pattern_index(np.asarray(stan_data["said"]))
        weights = [float(stan_data[name]) / 2**s for name in WEIGHTS[1:]]
        new = {name: np.empty((*mu.shape[:-1], len(codes)), np.int64) for name in self.observed}
        cells = []
        for k, here in enumerate(_rows_by_category(stan_data, mu.shape[-1])):
            columns = np.arange(len(codes))[here]
            both_classes = np.concatenate([columns, columns + len(codes)])
            n = int(counts[both_classes].sum())
            n_pos = rng.binomial(n, mu[..., k])
            drawn = replicate_classes(
                np.stack([n_pos, n - n_pos], axis=-1),
                theta[..., both_classes],
                np.repeat([0, 1], len(columns)),
                np.tile(codes[here], 2),
                (2,) * s,
                weights,
                rng,
            )
            new["c_pos"][..., here], new["c_neg"][..., here] = np.split(drawn["n"], 2, axis=-1)
            cells.append(drawn["cells"][..., 0, :])
        return {**new, "cells": np.stack(cells, axis=-2)}


def _of_both_classes(stan_data: StanData, draws: Variables) -> tuple[Counts, Array]:
    """Return counts and probabilities of patterns, of positive and then of negative documents."""
    counts = np.concatenate([stan_data["c_pos"], stan_data["c_neg"]])
    return counts, np.concatenate([draws["theta_pos"], draws["theta_neg"]], axis=-1)


def _rows_by_category(stan_data: StanData, categories: int) -> list[slice]:
    """Return which rows of patterns each category has: they are sorted."""
    starts = np.searchsorted(stan_data["category"], np.arange(1, categories + 2))
    return [slice(int(first), int(last)) for first, last in pairwise(starts)]


def _powers(base: int, systems: int) -> Counts:
    """Return what each answer adds to the number of a pattern."""
    return np.asarray(base ** np.arange(systems)[::-1])


def pattern_index(yes: NDArray[Any]) -> Counts:
    """Return which row of ``response_patterns(systems)`` each pattern is.

    Examples
    --------
    >>> pattern_index(np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0]])).tolist()
    [0, 2, 7]
    """
    return np.asarray((1 - yes.astype(np.int64)) @ _powers(2, yes.shape[1]))


def _draw_category(
    beta: Array,
    weights: Sequence[float],
    draws: int,
    keep: Counts | None,
    task: tuple[NDArray[np.uint8], Counts, Generator],
) -> tuple[Array, list[Array], list[Array]]:
    """Draw one category by itself, maybe elsewhere: its prevalence, rates of yes, what is kept.

    A task is the patterns (pattern, system) and counts (class, pattern) that occurred, and the
    source of randomness; rates are those of each system by class (class, draw, system).
    """
    yes, counts, rng = task
    n_pos, n_neg = counts.sum(axis=1)
    mu = rng.beta(beta[0] + n_pos, beta[1] + n_neg, draws)
    rates, theta = [], []
    for n, weight in zip(counts, weights, strict=True):
        if yes.shape[1] <= MAX_DENSE_SYSTEMS:
            shares = _draw_dense(pattern_index(yes), n, 2 ** yes.shape[1], weight, draws, rng)
            rates.append(_add_patterns(shares, response_patterns(yes.shape[1])))
            if keep is not None:
                theta.append(shares[pattern_index(yes)][:, keep].T)
        else:
            rates.append(_draw_sparse(yes, n, weight, draws, rng))
    return mu, rates, theta


def _draw_dense(
    index: Counts, counts: Counts, patterns: int, weight: float, draws: int, rng: Generator
) -> Array:
    """Draw all patterns (pattern, draw), each in one piece of memory."""
    shapes = np.full(patterns, weight / patterns)
    np.add.at(shapes, index, counts)
    if shapes.max() < MIN_GAMMA_SHAPE:  # Gammas might all be 0
        return rng.dirichlet(shapes, draws).T
    gammas = np.empty((patterns, draws))
    for shape, row in zip(shapes, gammas, strict=True):
        rng.standard_gamma(shape, out=row)
    gammas /= gammas.sum(axis=0)
    return gammas


def _add_patterns(shares: Array, patterns: Counts) -> Array:
    """Add up the shares of the patterns in which each system says yes (draw, system).

    As a product of matrices it is no quicker, but the threads of BLAS go on waiting for more.
    """
    rates = np.zeros((patterns.shape[1], shares.shape[1]))
    for system, pattern in zip(*np.nonzero(patterns.T), strict=True):
        rates[system] += shares[pattern]
    return np.minimum(rates.T, 1)


def _draw_sparse(
    yes: NDArray[np.uint8], counts: Counts, weight: float, draws: int, rng: Generator
) -> Array:
    """Draw how often each system says yes (draw, system), by the patterns that occurred."""
    order = np.argsort(counts, kind="stable")[np.count_nonzero(counts == 0) :]
    said_yes, counts = yes[order].astype(np.float64), counts[order]
    once = int(np.searchsorted(counts, 2))  # patterns of one document only
    systems, sticks = yes.shape[1], number_of_sticks(weight)
    rates = np.empty((draws, systems))
    block = max(1, NUMBERS_AT_ONCE // (len(counts) + sticks * systems))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        gammas = np.empty((size, len(counts)))
        gammas[:, :once] = rng.standard_exponential((size, once))
        gammas[:, once:] = rng.standard_gamma(counts[once:], (size, len(counts) - once))
        prior = rng.standard_gamma(weight, (size, 1))
        pieces = prior * break_sticks(size, weight, rng)
        bits = rng.integers(0, 256, (size, sticks, (systems + 7) // 8), dtype=np.uint8)
        guesses = np.unpackbits(bits, axis=2, count=systems)  # any pattern is as probable
        total = gammas.sum(axis=1) + prior[:, 0]
        sums = gammas @ said_yes + (pieces[:, None] @ guesses)[:, 0]
        rates[start : start + size] = np.minimum(sums / total[:, None], 1)
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
    predictive_draws = ("mu", "theta")

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return the combinations of classes that occurred."""
        classes, shared = classes_of(data), single(prior)
        if (shared.alpha_pos, shared.alpha_neg) != (Prior().alpha_pos, Prior().alpha_neg):
            raise invalid("prior", "of beta and mass alone in the joint model", shared)
        mass = 1.0 if shared.mass is None else shared.mass
        if not MIN_MASS <= mass <= MAX_MASS:
            raise invalid("prior.mass", f"{MIN_MASS} to {MAX_MASS} in the joint model", mass)
        weights = {"mass": mass, "beta": shared.weights("beta", classes.classes)}
        return super().stan_data(classes, Prior(), measure) | weights

    def sample_exact(
        self, stan_data: StanData, draws: int, rng: Generator, *, keep: Counts | None = None
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
        kept: list[tuple[Array, Array]] = []
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
                kept.append((mu[here], theta[:, table.occurred]))
            gammas *= (mu / total)[:, table.truth]
            table.add_cells(cells[start : start + size], mu, gammas, rest * (mu / total), rng)
        if keep is None:
            return {"cells": cells}
        prevalence, theta = map(np.concatenate, zip(*kept, strict=True))
        return {"cells": cells, "mu": prevalence, "theta": theta}

    def can_resample(self, stan_data: StanData) -> bool:
        """Return whether there is a number for each combination of what systems can say."""
        return bool(int(stan_data["K"]) ** (np.shape(stan_data["rows"])[1] - 1) < 2**62)

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return whether a class that nearly no document has makes both systems equal.

        Of a Dirichlet distribution with equal weights, the share of one class is a Beta.
        """
        beta = single(prior).weights("beta", classes_of(data).classes)
        if np.ptp(beta) > 0:
            return None
        return equal_at_an_end(measure, np.array([beta[0], beta[1:].sum()])) or None

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of each combination that occurred."""
        rows, names = np.asarray(stan_data["rows"]) - 1, _class_names(data, stan_data)
        labels = (
            f"{names[truth]}, said {' '.join(names[i] for i in predictions)}"
            for truth, *predictions in rows.tolist()
        )
        shares = draws["mu"][..., rows[:, 0]] * draws["theta"]
        return LogLikelihood.of_counts(np.asarray(stan_data["n"]), shares, labels)

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior of prevalences and of what is said of each class."""
        rows, n = np.asarray(stan_data["rows"]), np.asarray(stan_data["n"])
        size = int(stan_data["K"]) ** (rows.shape[1] - 1)
        density = log_density.dirichlet(draws["mu"], stan_data["beta"])
        mass = [float(stan_data["mass"])]
        return density + _log_prior_of_groups(draws["theta"], n, rows[:, 0], mass, size)

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents as there are."""
        rows, k = np.asarray(stan_data["rows"]) - 1, int(stan_data["K"])
        systems = rows.shape[1] - 1
        n_class = multinomials(np.asarray(int(np.sum(stan_data["n"]))), draws["mu"], rng)
        codes, weight = rows[:, 1:] @ _powers(k, systems), float(stan_data["mass"]) / k**systems
        return replicate_classes(
            n_class, draws["theta"], rows[:, 0], codes, (k,) * systems, [weight] * k, rng
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
        self.sticks = number_of_sticks(mass, STICK_REST)
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
        pieces = rng.beta(1.0, np.maximum(self.unseen, 1e-12)[:, None], (size, m, self.sticks))
        pieces[..., -1] = 1.0  # the last stick is what is left then
        left = np.cumprod(1 - pieces, axis=-1)
        pieces *= rest[..., None]
        pieces[..., 1:] *= left[..., :-1]
        sums = (shares @ self.sums).reshape(size, 2, self.systems, m)
        for system in range(self.systems):
            predicted, tp = sums[:, 0, system], sums[:, 1, system]
            guess = rng.integers(0, m, (size, m, self.sticks))
            tp += np.where(guess == np.arange(m)[:, None], pieces, 0).sum(axis=-1)
            np.add.at(predicted, (np.arange(size)[:, None, None], guess), pieces)
            cells[:, system] = _cells_of_classes(tp, predicted, mu, 1)


def _cells_of_classes(tp: Any, predicted: Any, actual: Any, total: Any) -> Any:
    """Return tp, fp, fn, tn (..., cell) of each class against the rest."""
    fp, fn = np.maximum(predicted - tp, 0), np.maximum(actual - tp, 0)
    return np.stack([tp, fp, fn, np.maximum(total - actual - fp, 0)], axis=-1)


class Multiclass(CountsModel):
    """Given the true class j, what a system says is Dir(kappa w_j), with its accuracy eta on j."""

    name = "multiclass"
    inputs = {"K": 0, **dict.fromkeys(("R", "truth", "said", "n", "beta"), 1), "alpha_pos": 2}
    inputs |= {**KAPPA_INPUTS, **MEASURE_INPUTS, "prior_only": 0}
    observed = ("n",)
    dims = {
        **dict.fromkeys(("eta", "kappa", "R"), ("classifier",)),
        **dict.fromkeys(("n", "theta", "truth_of_row", "said"), ("confusion_cell",)),
        "mu": ("classifier", "class"),
        "beta": ("class",),
        "alpha_pos": ("classifier", "answer"),
    }
    accepts = ConfusionCounts
    predictive_draws = ("mu", "eta", "kappa", "theta")
    prior_of = {"mu": (log_density.dirichlet, "beta"), "eta": (log_density.beta, "alpha_pos")}

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return the cells of both confusion tables that occurred, and the diagonals."""
        classes, (of_a, of_b) = classes_of(data), both(prior)
        if (of_a.beta, of_a.mass) != (of_b.beta, of_b.mass):
            raise invalid("prior.beta", "the same for both classifiers here", prior)
        tables = [classes.confusion(system) for system in (0, 1)]
        truth, answer, n = (np.concatenate(columns) for columns in zip(*tables, strict=True))
        cells = {
            "R": np.array([len(table[0]) for table in tables]),
            "truth": truth + 1,  # Stan counts from 1
            "said": answer + 1,
            "n": n,
            "beta": of_a.weights("beta", classes.classes),
        }
        others = {name: size for name, size in self.inputs.items() if name not in cells}
        return collect_inputs(self.name, others, classes, prior, measure) | cells

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of each cell of both confusion tables."""
        system, names = np.repeat([0, 1], stan_data["R"]), _class_names(data, stan_data)
        truth, answer = np.asarray(stan_data["truth"]) - 1, np.asarray(stan_data["said"]) - 1
        labels = (
            f"{'AB'[j]}, {names[i]}, said {names[said]}"
            for j, i, said in zip(system, truth, answer, strict=True)
        )
        shares = draws["mu"][..., system, truth] * draws["theta"]
        return LogLikelihood.of_counts(np.asarray(stan_data["n"]), shares, labels)

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents of each system as there are."""
        k = int(stan_data["K"])
        rows = np.stack([stan_data["truth"], stan_data["said"]]) - 1
        replicates = []
        for system in (0, 1):
            here = np.repeat([0, 1], stan_data["R"]) == system
            documents = np.asarray(np.sum(np.asarray(stan_data["n"])[here]))
            n_class = multinomials(documents, draws["mu"][:, :, system], rng)
            wrong = draws["kappa"][..., system] * (1 - draws["eta"][..., system]) / (k - 1)
            theta, (truth, answer) = draws["theta"][..., here], rows[:, here]
            replicates.append(
                replicate_classes(n_class, theta, truth, answer, (k,), [wrong.ravel()] * k, rng)
            )
        first, second = replicates
        return {
            "n": np.concatenate([first["n"], second["n"]], axis=-1),
            "cells": np.concatenate([first["cells"], second["cells"]], axis=2),
        }


def _class_names(data: Data, stan_data: StanData) -> list[str]:
    """Name all classes; those that are not judged have numbers."""
    others = range(int(stan_data["K"]) - len(data.categories))
    return [*data.categories, *(f"other {i + 1}" for i in others)]


def _remaining_mass(theta: Array) -> Array:
    """Return what probabilities (..., pattern) leave to all patterns that did not occur."""
    return np.asarray(np.maximum(1 - theta.sum(axis=-1, keepdims=True), 0))


def _log_prior_of_groups(
    theta: Array, n: Counts, groups: Counts, total_weights: Sequence[float], size: int
) -> Array:
    """Return the log-density of the patterns that occurred, all others taken together.

    Parameters
    ----------
    theta : ndarray
        The probabilities of patterns (..., pattern).
    n : ndarray
        How many documents have each pattern.
    groups : ndarray
        Which simplex a pattern is of.
    total_weights : sequence of float
        The prior weight of all patterns of a simplex, which they share equally; it goes by the
        number of the group.
    size : int
        How many patterns a simplex has.
    """
    density = np.zeros(theta.shape[:-1])
    for group in np.unique(groups[n > 0]).tolist():
        of_group = theta[..., (groups == group) & (n > 0)]
        occurred, weight = of_group.shape[-1], total_weights[group % len(total_weights)]
        weights = np.full(occurred, weight / size)
        if (rest := weight * (1 - occurred / size)) > 0:
            # What rounding leaves of it, at the least.
            others = np.maximum(_remaining_mass(of_group), np.finfo(float).eps)
            of_group = np.concatenate([of_group, others], axis=-1)
            weights = np.append(weights, rest)
        density += log_density.dirichlet(of_group, weights)
    return density


def replicate_classes(
    n_class: Counts,
    theta: Array,
    truth: Counts,
    codes: Counts,
    shape: tuple[int, ...],
    weights: Sequence[float | Array],
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
        The true class of each combination, from 0, and the number of what was said, as
        ``np.ravel_multi_index`` numbers answers.
    shape : tuple of int
        How many classes each system can choose from.
    weights : sequence
        Of each class, the prior weight of a combination that did not occur, for all draws or one
        per draw.
    rng : Generator
        The source of randomness.

    Returns
    -------
    dict
        ``n``, documents of the combinations that occurred, and ``cells`` of all documents (chain,
        draw, system, class, cell).
    """
    *size, m = n_class.shape
    draws = prod(size)
    flat, probabilities = n_class.reshape(draws, m), theta.reshape(draws, -1)
    n = np.empty((draws, len(truth)), dtype=np.int64)
    tp, predicted = np.zeros((2, draws, len(shape), m), dtype=np.int64)
    for k in range(m):
        here = np.flatnonzero(truth == k)
        p = probabilities[:, here]
        drawn = multinomials(flat[:, k], np.concatenate([p, _remaining_mass(p)], axis=-1), rng)
        n[:, here] = drawn[:, :-1]
        answers = np.zeros_like(predicted)
        for system, answer in enumerate(np.unravel_index(codes[here], shape)):
            is_answer = answer[:, None] == np.arange(m)
            answers[:, system] = n[:, here] @ is_answer.astype(np.int64)
        unseen = _allocate_to_unseen(drawn[:, -1], weights[k], codes[here], prod(shape), rng)
        for draw, count, code in unseen:
            for system, answer in enumerate(np.unravel_index(code, shape)):
                answers[draw, system, answer] += count
        tp[:, :, k] = answers[..., k]
        predicted += answers
    cells = _cells_of_classes(tp, predicted, flat[:, None], flat.sum(axis=1)[:, None, None])
    return {"n": n.reshape(*size, -1), "cells": cells.reshape(*size, len(shape), m, 4)}


def _allocate_to_unseen(
    n: Counts, weight: float | Array, occurred: Counts, size: int, rng: Generator
) -> Iterable[tuple[NDArray[np.intp], Counts, Counts]]:
    """Spread documents over patterns that did not occur, all of which have the same prior weight.

    Their probabilities are a Dirichlet whatever those of the others are. Documents of which one has
    a pattern for the first time follow it with a Beta probability, as guests follow to a table in
    the Chinese restaurant process. Yields draws, how many documents of each, and their pattern.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tables = list(_allocate_to_unseen(np.array([5, 0, 9]), 0.5, np.array([0, 2]), 4, rng))
    >>> sorted({int(code) for _, _, codes in tables for code in codes})
    [1, 3]
    >>> sum(int(count[draw == 2].sum()) for draw, count, _ in tables)
    9
    """
    occurred = np.unique(occurred)
    free, before = size - len(occurred), occurred - np.arange(len(occurred))
    if free == 0:
        return
    left = n.copy()
    weights = np.maximum(np.broadcast_to(weight, n.shape) * free, 1e-300)
    while len(draw := np.flatnonzero(left)):
        share = rng.beta(1.0, weights[draw])
        count = 1 + rng.binomial(left[draw] - 1, share)
        left[draw] -= count
        index = rng.integers(0, free, len(draw))
        yield draw, count, index + np.searchsorted(before, index, side="right")
