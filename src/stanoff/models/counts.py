"""Models of counts: paired and unpaired (Zhang et al. 2016, Figures 2, 3), and hierarchies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.types import (
    SWAP_AB,
    Data,
    PairedCounts,
    UnpairedCounts,
    cells_of_patterns,
    response_patterns,
)
from stanoff.measures import Measure
from stanoff.models import log_density
from stanoff.models.base import (
    COORDS,
    Array,
    Inputs,
    LogLikelihood,
    PredictiveModel,
    Proven,
    StanData,
    Variables,
    join_labels,
    multinomials,
    require,
    unless_prior,
)
from stanoff.models.inputs import KAPPA_INPUTS, KAPPA_NEG_INPUTS, MEASURE_INPUTS
from stanoff.models.priors import WEIGHTS, Priors, both, single

CLASSES = ("pos", "neg")
CLASS_OF_MEASURE = {"recall": "pos", "fnr": "pos", "specificity": "neg", "fpr": "neg"}
GAMMAS_AT_ONCE = 12_000_000  # about 100 MB
GAMMAS_IN_CACHE = 16_384  # of each intermediate result, so that it stays near the processor
MIN_SHAPE = 0.05  # below, all Gammas of a simplex may underflow to 0 together
RATES = ("mu", "rho_pos", "rho_neg")
HYPERPARAMETERS = ("eta_pos", "eta_neg", "kappa_pos", "kappa_neg")

Blocks = Iterator[tuple[slice, Array]]
Density = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


class CountsModel(PredictiveModel):
    """A model of counts by its simplexes, of which each has a Beta or Dirichlet prior.

    Attributes
    ----------
    prior_of : mapping
        The density of each variable, and which input has its weights.
    """

    prior_of: Mapping[str, tuple[Density, str]]

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior, over all categories and systems."""
        total = np.zeros(next(iter(draws.values())).shape[:2])
        for variable, (density, name) in self.prior_of.items():
            x, weights = draws[variable], np.asarray(stan_data[name], dtype=np.float64)
            if (
                density is log_density.beta and weights.ndim == 2
            ):  # of each system, alike in categories
                weights = weights.reshape(2, *[1] * (x.ndim - 3), 2)
            total += density(x, weights).reshape(*total.shape, -1).sum(axis=-1)
        for variable in set(self.predictive_draws) & {"kappa", "kappa_pos", "kappa_neg"}:
            name = variable.removesuffix("_pos")
            prior = stan_data[f"{name}_location"], stan_data[f"{name}_scale"]
            of_kappa = log_density.lognormal(draws[variable], *prior)
            total += of_kappa.reshape(*total.shape, -1).sum(axis=-1)
        return total


class ConjugateCounts(CountsModel):
    """What the paired and the unpaired model share: their posteriors are Betas and Dirichlets.

    Categories are independent, so that many data sets can be drawn at once as such.
    """

    def rate_density_at_zero(self, side: str, stan_data: StanData) -> Array:
        """Return the density at 0 (category) of the difference of two rates of yes, or of no."""
        raise NotImplementedError

    def gamma_shapes(self, stan_data: StanData) -> list[list[Array]]:
        """List the shapes (data set) of the Gammas whose ratios the posterior consists of.

        Systems on the same documents share a list: two of the classes, then the answers to
        positive documents, then those to negative ones.
        """
        raise NotImplementedError

    def densities_at_zero(
        self, measure: Measure, data: Data, prior: Priors
    ) -> tuple[Array, Array] | None:
        """Return posterior and prior density of delta at 0 (category) for rates of one class."""
        if measure.name not in CLASS_OF_MEASURE:
            return None
        side, stan_data = CLASS_OF_MEASURE[measure.name], self.stan_data(data, prior)
        at_zero = self.rate_density_at_zero(side, stan_data | {"prior_only": 0})
        return at_zero, self.rate_density_at_zero(side, stan_data | {"prior_only": 1})

    def sample_exact_batch(
        self, stan_data: StanData, draws: int, rng: Generator, *, shared: bool = True
    ) -> Blocks:
        """Draw the cells of many data sets, out of Gammas that those with equal counts share.

        A Gamma depends on one count alone, and data sets of one size have much the same counts. The
        draws of each data set are still independent draws of its own posterior; only the
        Monte-Carlo noise of two data sets is no longer quite independent.

        Parameters
        ----------
        stan_data : mapping
            The data block, with a row per data set in the place of a category.
        draws : int
            How many of each data set.
        rng : Generator
            The source of randomness.
        shared : bool
            Whether data sets may share random numbers; not those that hardly differ.

        Yields
        ------
        tuple
            Which data sets, and their cells (data set, system, draw, cell).
        """
        groups = self.gamma_shapes(stan_data)
        shapes = [shape for group in groups for shape in group]
        n = len(shapes[0])
        if not shared or min(shape.min() for shape in shapes) < MIN_SHAPE:
            for block in _split(slice(0, n), max(1, GAMMAS_AT_ONCE // (32 * draws))):
                counts = {name: stan_data[name][block] for name in self.observed}
                drawn = self.sample_exact({**stan_data, **counts, "prior_only": 0}, draws, rng)
                yield block, np.moveaxis(drawn["cells"], 0, 2).swapaxes(0, 1)
            return
        for chunk in _chunks_that_fit(shapes, draws, slice(0, n)):
            tables = []
            for shape in shapes:
                distinct, row = np.unique(shape[chunk], return_inverse=True)
                gammas = rng.standard_gamma(distinct[:, None], (len(distinct), draws))
                tables.append((gammas, row))
            for block in _split(chunk, max(1, GAMMAS_IN_CACHE // draws)):
                rows = slice(block.start - chunk.start, block.stop - chunk.start)
                yield block, _cells_of_gammas([g[row[rows]] for g, row in tables], len(groups))


def _split(rows: slice, step: int) -> Iterator[slice]:
    for start in range(rows.start, rows.stop, step):
        yield slice(start, min(start + step, rows.stop))


def _chunks_that_fit(shapes: list[Array], draws: int, chunk: slice) -> Iterator[slice]:
    """Halve the data sets until the Gammas of each chunk fit into memory."""
    distinct = sum(len(np.unique(shape[chunk])) for shape in shapes)
    size = chunk.stop - chunk.start
    if size == 1 or distinct * draws <= GAMMAS_AT_ONCE:
        yield chunk
        return
    for half in _split(chunk, size - size // 2):
        yield from _chunks_that_fit(shapes, draws, half)


def _cells_of_gammas(gammas: list[Array], groups: int) -> Array:
    """Put cells (data set, system, draw, cell) together; each cell in one piece of memory."""
    patterns = response_patterns(2 // groups)
    cells = np.empty((4, len(gammas[0]), 2, gammas[0].shape[1]))
    per_group = len(gammas) // groups
    for group in range(groups):
        pos, neg, *answers = gammas[group * per_group : (group + 1) * per_group]
        of_pos, of_neg = answers[: len(patterns)], answers[len(patterns) :]
        total = pos + neg
        # A share of all documents per unit of Gamma.
        pos, neg = pos / total / sum(of_pos), neg / total / sum(of_neg)
        for system, yes in enumerate(patterns.T, start=group):
            columns = ((pos, of_pos, 1), (neg, of_neg, 1), (pos, of_pos, 0), (neg, of_neg, 0))
            for cell, (scale, gamma, answer) in enumerate(columns):
                of_cell = sum(gamma[i] for i in np.flatnonzero(yes == answer))
                np.multiply(scale, of_cell, out=cells[cell, :, system])
    return np.moveaxis(cells, 0, -1)


class PairedCategories(CountsModel):
    """Both systems on the same documents: what models of outcome pairs have in common."""

    inputs = {"K": 0, "c_pos": 2, "c_neg": 2, "beta": 1, "alpha_pos": 1, "alpha_neg": 1}
    inputs |= {**MEASURE_INPUTS, "prior_only": 0}
    observed = ("c_pos", "c_neg")
    dims = {
        "mu": ("category",),
        **dict.fromkeys(("theta_pos", "theta_neg", "c_pos", "c_neg"), ("category", "outcome")),
        "beta": ("truth",),
        **dict.fromkeys(("alpha_pos", "alpha_neg"), ("outcome",)),
    }
    accepts: type[Data] = PairedCounts
    predictive_draws: tuple[str, ...] = ("mu", "theta_pos", "theta_neg")

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return all that the program asks for."""
        needs = "both classifiers on the same documents; pass model='unpaired' for two test sets"
        require(data, PairedCounts, "paired", needs)
        return super().stan_data(data, single(prior), measure)

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of each outcome pair by category and class."""
        mu = draws["mu"][..., None]
        shares = np.stack([mu * draws["theta_pos"], (1 - mu) * draws["theta_neg"]], axis=-2)
        counts = np.stack([stan_data["c_pos"], stan_data["c_neg"]], axis=-2)
        labels = join_labels(data.categories, COORDS["truth"], COORDS["outcome"])
        return LogLikelihood.of_counts(counts, shares, labels)

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents as there are."""
        n = np.sum(stan_data["c_pos"], axis=-1) + np.sum(stan_data["c_neg"], axis=-1)
        n_pos = rng.binomial(n, draws["mu"])
        return {
            "c_pos": multinomials(n_pos, draws["theta_pos"], rng),
            "c_neg": multinomials(n - n_pos, draws["theta_neg"], rng),
        }


class Paired(PairedCategories, ConjugateCounts):
    """Outcome pairs given the class are Dirichlet, each category by itself."""

    name = "paired"
    prior_of = {"mu": (log_density.beta, "beta")}
    prior_of |= {f"theta_{s}": (log_density.dirichlet, f"alpha_{s}") for s in ("pos", "neg")}

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw a Beta and two Dirichlets per category."""
        c_pos, c_neg = unless_prior(stan_data, "c_pos", "c_neg")
        beta, alpha_pos, alpha_neg = (stan_data[name] for name in WEIGHTS)
        mu = np.empty((draws, len(c_pos)))
        theta_pos, theta_neg = np.empty((2, draws, len(c_pos), 4))
        for k, (pos, neg) in enumerate(zip(c_pos, c_neg, strict=True)):
            mu[:, k] = rng.beta(beta[0] + pos.sum(), beta[1] + neg.sum(), draws)
            weights = np.array([alpha_pos + pos, alpha_neg + neg])
            # In an order that A and B have no part in: where they change places, draws do.
            swap = weights[:, 2].tolist() > weights[:, 1].tolist()
            order = list(SWAP_AB) if swap else [0, 1, 2, 3]
            for theta, weight in zip((theta_pos, theta_neg), weights, strict=True):
                theta[:, k, order] = rng.dirichlet(weight[order], draws)
        cells = cells_of_pairs(mu[:, None], theta_pos, theta_neg)
        return {"mu": mu, "theta_pos": theta_pos, "theta_neg": theta_neg, "cells": cells}

    def gamma_shapes(self, stan_data: StanData) -> list[list[Array]]:
        """List the shapes of ten Gammas: two of the classes, four outcome pairs in each."""
        c_pos, c_neg = np.asarray(stan_data["c_pos"]), np.asarray(stan_data["c_neg"])
        mu = np.stack([c_pos.sum(axis=1), c_neg.sum(axis=1)], axis=1) + stan_data["beta"]
        return [[*mu.T, *(c_pos + stan_data["alpha_pos"]).T, *(c_neg + stan_data["alpha_neg"]).T]]

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return whether delta piles up at 0 faster than a density can follow.

        It does where a prevalence makes all systems equal (with no positives every F1 is 0): delta
        then shrinks like a power of the prevalence, and the prior weight of that class must be
        above that power. And it does where the weights of the outcomes on which the systems differ
        do not add up to more than 1.
        """
        weights = single(prior).weights
        if equal_at_an_end(measure, weights("beta", 2)):
            return True
        # With the other rate fixed; the middle is where AUC:acc makes all systems equal, anyway.
        differing = sum(
            weights(f"alpha_{side}", 4)[1:3].sum()
            for side, other in (("pos", "rho_neg"), ("neg", "rho_pos"))
            if np.ptp(_score_grid(measure, **{"mu": 0.5, other: 0.3})) > 1e-6
        )
        return bool(differing <= 1)

    def rate_density_at_zero(self, side: str, stan_data: StanData) -> Array:
        """Return the density at 0 of the difference of two shares of a Dirichlet.

        With the weights a of one share, b of the other and c of the rest it is
        (a + b + c - 1) / (a + b - 1) 2^-(a + b - 1) / B(a, b).
        """
        from scipy.special import betaln

        [counts] = unless_prior(stan_data, f"c_{side}")
        weights = counts + stan_data[f"alpha_{side}"]
        a, b, total = weights[:, 1], weights[:, 2], weights.sum(axis=1)
        power = a + b - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            density = (total - 1) / power * np.exp(-power * np.log(2) - betaln(a, b))
        return np.where(power > 0, density, np.inf)


PAIRED = Paired()


def cells_of_pairs(mu: Array, theta_pos: Array, theta_neg: Array) -> Array:
    """Return the probabilities of tp, fp, fn, tn from prevalences and outcome pairs."""
    cells = cells_of_patterns(theta_pos, theta_neg, 2)
    for cell, share in enumerate((mu, 1 - mu, mu, 1 - mu)):
        cells[..., cell] *= share
    return cells


class UnpairedCategories(CountsModel):
    """Each system by itself, on its own documents: what models of its cells have in common."""

    inputs = {"K": 0, "c_A": 2, "c_B": 2, "beta": 2, "alpha_pos": 2, "alpha_neg": 2}
    inputs |= {**MEASURE_INPUTS, "prior_only": 0}
    observed = ("c_A", "c_B")
    dims = {
        **dict.fromkeys(RATES, ("classifier", "category")),
        **dict.fromkeys(("c_A", "c_B"), ("category", "cell")),
        "beta": ("classifier", "truth"),
        **dict.fromkeys(("alpha_pos", "alpha_neg"), ("classifier", "answer")),
    }
    accepts = UnpairedCounts
    predictive_draws: tuple[str, ...] = (*RATES, "cells")

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of each cell by classifier and category."""
        counts = np.stack([stan_data["c_A"], stan_data["c_B"]])
        labels = join_labels(COORDS["classifier"], data.categories, COORDS["cell"])
        return LogLikelihood.of_counts(counts, draws["cells"], labels)

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents of each system as there are."""
        return {
            name: multinomials(np.sum(stan_data[name], axis=-1), draws["cells"][:, :, system], rng)
            for system, name in enumerate(("c_A", "c_B"))
        }


class Unpaired(UnpairedCategories, ConjugateCounts):
    """Prevalence and rates are Beta, each category by itself."""

    name = "unpaired"
    prior_of = {
        name: (log_density.beta, weights) for name, weights in zip(RATES, WEIGHTS, strict=True)
    }

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw three Betas per system and category."""
        weights = np.array(list(_beta_weights(stan_data, *unless_prior(stan_data, "c_A", "c_B"))))
        drawn = {name: np.empty((draws, 2, weights.shape[-1])) for name in RATES}
        # In an order that A and B have no part in: where they change places, draws do.
        for system in sorted((0, 1), key=lambda i: weights[i].tolist(), reverse=True):
            for values, (yes, no) in zip(drawn.values(), weights[system], strict=True):
                values[:, system] = rng.beta(yes, no, (draws, len(yes)))
        return drawn | {"cells": cells_of_rates(**drawn)}

    def gamma_shapes(self, stan_data: StanData) -> list[list[Array]]:
        """List the shapes of six Gammas per system: two of each Beta."""
        counts = np.asarray(stan_data["c_A"]), np.asarray(stan_data["c_B"])
        return [[*of_system.reshape(6, -1)] for of_system in _beta_weights(stan_data, *counts)]

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return whether two independent scores meet too often at one value.

        The density of their difference at 0 is the integral of the product of their densities. Near
        a value to which parameters at their ends pin a score, its density is a power of the
        distance: the sum of these parameters' weights over the power with which the score
        approaches the value, less 1. If the powers of the two add up to -1 or less, the integral is
        infinite.
        """
        # Near 0 a Beta(a, b) density goes like x^(a - 1), near 1 like (1 - x)^(b - 1).
        ends = [
            (name, end, weight)
            for name, kind in zip(RATES, WEIGHTS, strict=True)
            for end, weight in enumerate(np.mean([p.weights(kind, 2) for p in both(prior)], axis=0))
        ]
        for selected in (*((end,) for end in ends), *combinations(ends, 2)):
            power = vanishing_power(measure, **{name: end for name, end, _ in selected})
            if power and sum(weight for *_, weight in selected) <= (power + 0.01) / 2:
                return True
        return False

    def rate_density_at_zero(self, side: str, stan_data: StanData) -> Array:
        """Return the density at 0 of the difference of two Betas, B(a, b) and B(c, d).

        It is B(a + c - 1, b + d - 1) / (B(a, b) B(c, d)).
        """
        from scipy.special import betaln

        rate = 1 + CLASSES.index(side)  # after the prevalence
        counts = unless_prior(stan_data, *self.observed)
        (a, b), (c, d) = (weights[rate] for weights in _beta_weights(stan_data, *counts))
        finite = (a + c > 1) & (b + d > 1)
        log_density = betaln(a + c - 1, b + d - 1) - betaln(a, b) - betaln(c, d)
        return np.where(finite, np.exp(log_density), np.inf)


def _beta_weights(stan_data: StanData, *counts: NDArray[np.int64]) -> Iterator[Array]:
    """Return of each system the weights of prevalence and rates (parameter, 2, category)."""
    for system, cells in enumerate(counts):
        tp, fp, fn, tn = cells.T
        prior = np.stack([stan_data[name][system] for name in WEIGHTS])[..., None]
        yield prior + np.array([[tp + fn, fp + tn], [tp, fn], [fp, tn]])


def cells_of_rates(mu: Array, rho_pos: Array, rho_neg: Array) -> Array:
    """Return the probabilities of tp, fp, fn, tn (..., cell) from prevalences and rates."""
    tp_fp_fn_tn = [mu * rho_pos, (1 - mu) * rho_neg, mu * (1 - rho_pos), (1 - mu) * (1 - rho_neg)]
    return np.moveaxis(np.stack(tp_fp_fn_tn), 0, -1)


class Hierarchical(PairedCategories):
    """Categories learn from each other: theta_k ~ Dirichlet(kappa eta), Zhang et al., section 5."""

    name = "hierarchical"
    inputs = {**PairedCategories.inputs, **KAPPA_INPUTS, **KAPPA_NEG_INPUTS}
    dims = PairedCategories.dims | dict.fromkeys(("eta_pos", "eta_neg"), ("outcome",))
    predictive_draws = (*PairedCategories.predictive_draws, *HYPERPARAMETERS)
    prior_of = {"mu": (log_density.beta, "beta")}
    prior_of |= {f"eta_{s}": (log_density.dirichlet, f"alpha_{s}") for s in ("pos", "neg")}

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return whether a prevalence makes both systems equal, as in the paired model."""
        return equal_at_an_end(measure, single(prior).weights("beta", 2)) or None

    def draw_new_category(self, draws: Variables, mu: Array, rng: Generator) -> Array:
        """Draw the cells of a category that was not observed (chain, draw, system, 1, cell).

        Parameters
        ----------
        draws : mapping
            Draws of eta and kappa.
        mu : ndarray
            Its prevalence (chain, draw, 1).
        rng : Generator
            The source of randomness.
        """
        alpha = [draws[f"kappa_{side}"][..., None] * draws[f"eta_{side}"] for side in CLASSES]
        theta = [_draw_dirichlets(weights, rng)[..., None, :] for weights in alpha]
        return cells_of_pairs(mu[..., None, :], *theta)


class HierarchicalUnpaired(UnpairedCategories):
    """The unpaired model with categories that learn from each other, each system by itself."""

    name = "hierarchical_unpaired"
    inputs = {**UnpairedCategories.inputs, **KAPPA_INPUTS, **KAPPA_NEG_INPUTS}
    dims = UnpairedCategories.dims | dict.fromkeys(HYPERPARAMETERS, ("classifier",))
    predictive_draws = (*UnpairedCategories.predictive_draws, *HYPERPARAMETERS)
    prior_of = {"mu": (log_density.beta, "beta")}
    prior_of |= {f"eta_{s}": (log_density.beta, f"alpha_{s}") for s in ("pos", "neg")}

    def draw_new_category(self, draws: Variables, mu: Array, rng: Generator) -> Array:
        """Draw the cells of a category that was not observed (chain, draw, system, 1, cell).

        ``mu`` is its prevalence for each system (chain, draw, system, 1).
        """
        rho = []
        for side in CLASSES:
            eta, kappa = draws[f"eta_{side}"][..., None], draws[f"kappa_{side}"][..., None]
            rho.append(rng.beta(kappa * eta, kappa * (1 - eta)))
        return cells_of_rates(mu, *rho)


def _draw_dirichlets(alpha: Array, rng: Generator) -> Array:
    """Draw a Dirichlet for each row of weights (..., outcome), weights near 0 included.

    Examples
    --------
    >>> drawn = _draw_dirichlets(np.array([[1e-9, 1.0, 2.0, 1e-9]]), np.random.default_rng(1))
    >>> drawn.shape, bool(np.allclose(drawn.sum(axis=-1), 1))
    ((1, 4), True)
    """
    drawn = np.empty(alpha.shape)
    left = np.ones(alpha.shape[:-1])
    for i in range(alpha.shape[-1] - 1):  # of what is left, each takes a Beta share
        share = rng.beta(alpha[..., i], alpha[..., i + 1 :].sum(axis=-1))
        drawn[..., i] = left * share
        left = left * (1 - share)
    drawn[..., -1] = left
    return drawn


# How a score behaves where parameters reach their ends: there the prior density of delta at 0 may
# be infinite, so that a Savage-Dickey factor means nothing. Tests check it by simulation.


def vanishing_power(measure: Measure, **ends: int) -> float:
    """Return the power with which the score nears one value as parameters near their ends.

    It is 0 where the score does not near one value.
    """

    def scores_near(distance: float) -> Array:
        # Not in step, or what is a difference of two parameters would be 0 all the way.
        steps = enumerate(ends.items(), start=1)
        return _score_grid(measure, **{name: abs(end - distance / i) for i, (name, end) in steps})

    limit = scores_near(1e-14)
    far, close = (np.abs(scores_near(distance) - limit).max() for distance in (1e-4, 1e-7))
    if np.ptp(limit) > 1e-6 or far < 1e-12:  # it stays where it is
        return 0.0
    # If close is 0, it arrived earlier than doubles can tell.
    return float(np.log10(far / close) / 3) if close else 1.0


def equal_at_an_end(measure: Measure, beta: Array) -> bool:
    """Return whether a prevalence of 0 or 1 makes all systems equal, and is not too improbable.

    Parameters
    ----------
    measure : Measure
        The score.
    beta : ndarray
        The weights of the Beta distribution of the prevalence.
    """
    powers = [vanishing_power(measure, mu=end) for end in (0, 1)]
    return any(power and weight <= power + 0.01 for power, weight in zip(powers, beta, strict=True))


def _score_grid(measure: Measure, **fixed: float) -> Array:
    """Compute the score on a grid of the parameters that are not fixed."""
    grid = np.linspace(0.1, 0.9, 5)
    axes = [np.array([fixed[name]]) if name in fixed else grid for name in RATES]
    return measure(cells_of_rates(*np.meshgrid(*axes)))
