"""Models of values per item: means of items and clusters, runs, data sets, right and wrong answers.

Of S systems the means over items are a multivariate t with n - 1 degrees and the scale S / (n (n -
1)), S being the scatter matrix: the posterior under the prior |Sigma|^-S. Any two of them then have
exactly the t of their differences by themselves, so that a contest never contradicts a comparison.
With a prior of the difference (``Prior(items=...)``, two systems) it is the t of the conjugate
Normal-Inverse-Gamma posterior.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.counting import check_enough
from stanoff.data.items import (
    ClusteredValues,
    ItemValues,
    RatioValues,
    check_clusters,
    refuse_constant,
)
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.models import log_density
from stanoff.models.base import (
    Array,
    ClosedForm,
    Inputs,
    LogLikelihood,
    Model,
    PredictiveModel,
    Proven,
    StanData,
    Variables,
    require,
)
from stanoff.models.bootstrap import cluster_weights
from stanoff.models.inputs import count_right, count_runs
from stanoff.models.priors import Prior, Priors, single

ROWS_AT_ONCE = 50_000  # of a matrix that are factorised
MANY_CLUSTERS = 5000  # weighted sums are then normal to all intents
NUMBERS_AT_ONCE = 4_000_000  # per block
MIN_DEGREES = 2.5  # with fewer there is no standard deviation
MIN_DATASETS, MIN_ITEMS_OF_DATASET = 3, 4
NO_DIFFERENCE = "The differences do not vary within any data set: there is no verdict."
GRID = 4000  # values of the standard deviation over data sets
MU_SCALE, TAU_SCALE, LKJ_SHAPE = 1.5, 1.5, 1.0
PRIOR_INPUTS = ("prior_weight", "prior_sd", "prior_degrees")  # of the difference; see Prior


class ValuesModel(Model):
    """A model of values per item, whose draws have psi in them."""

    accepts: type[Data] = ItemValues
    needs = "values per item: pass measure='mean'"

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return what the sampler or the program needs."""
        require(data, self.accepts, self.name, self.needs)
        if isinstance(data, RatioValues) and self.accepts is not ClusteredValues:
            hint = "leave denominator= out, or model= and population="
            raise InputError(f"The {self.name} model does not take ratios of sums: {hint}.")
        if measure is not None and isinstance(data, RatioValues) != (measure.name == "ratio"):
            rule = "'ratio' where denominator= is given, and only there"
            raise invalid("measure", rule, measure.name)
        shared = single(prior)
        if shared.items is not None and not isinstance(self, NormalValues):
            rule = f"None for the {self.name} model, which has no prior"
            raise invalid("prior.items", rule, shared.items)
        return self.values_data(data, shared)

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Return what only this model needs, of data that it accepts."""
        raise NotImplementedError

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return False: a t has a finite density everywhere."""
        return False


class NormalValues(ValuesModel):
    """Normal values, so that the difference of two means is Student's t."""

    inputs = {"S": 0, "N": 0, "y": 2, **dict.fromkeys(PRIOR_INPUTS, 0)}
    observed = ("y",)
    dims = {"y": ("item", "system"), **dict.fromkeys(("mu", "sigma", "z", "tau"), ("system",))}
    dims |= {"L_Omega": ("margin", "factor")}

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Return the values and the prior of the difference; a weight of 0 means none."""
        if isinstance(data, ClusteredValues):
            raise InputError("These items hang together in clusters: pass model='clusters'.")
        if prior.items is not None and len(data.systems) > 2:
            raise invalid("prior.items", "None for more than two systems", prior.items)
        weights = dict(zip(PRIOR_INPUTS, prior.items or (0.0, 1.0, 1.0), strict=True))
        return {"S": len(data.systems), "N": data.values.shape[1], "y": data.values.T, **weights}

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system."""
        y = np.asarray(stan_data["y"])
        if stan_data["prior_weight"] > 0:
            return {"psi": _draw_two_means(stan_data, y, draws, rng)[..., None]}
        # Yc' z for n normals z is R' z for as many as there are rows of R: Yc = Q R.
        n, mean = len(y), y.mean(axis=0)
        root = _qr_factor(y - mean)
        z = rng.standard_normal((draws, len(root)))
        scale = np.sqrt(n * rng.chisquare(n - 1, draws))
        return {"psi": (mean + z @ root / scale[:, None])[..., None]}

    def closed_form(
        self, data: Data, prior: Priors, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> ClosedForm:
        """Return the posterior t of differences of systems, and the prior one if there is one."""
        assert isinstance(data, ItemValues)
        if len(first) == 1:
            refuse_constant(data, int(first[0]), int(second[0]))
        return difference_t(data.values, single(prior).items, first, second)


def difference_t(
    values: Array,
    informed: tuple[float, float, float] | None,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> ClosedForm:
    """Return posterior and prior t of differences of the values of systems (system, item)."""
    n = values.shape[1]
    mean, scatter = np.empty((2, len(first)))
    for i in np.unique(first):  # one after the other: all pairs at once may not fit
        here = first == i
        d = values[i] - values[second[here]]
        mean[here] = d.mean(axis=1)
        scatter[here] = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    if informed is None:
        return (n - 1, mean, np.sqrt(scatter / (n * (n - 1)))), None
    weight, sd, degrees = informed
    prior_t = degrees, np.zeros(len(first)), np.full(len(first), sd / np.sqrt(weight))
    return _posterior_t(n, mean, scatter, informed), prior_t


class Items(NormalValues, PredictiveModel):
    """Means over items that have nothing to do with each other."""

    name = "items"
    predictive_draws = ("psi",)

    def complete_draws(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Add the means, and a root of the covariance of the systems over items.

        Exact draws are of the means alone: the covariance is drawn from its posterior given them.
        There is none where items are too few, or systems too much alike, for a covariance.
        """
        y, mu = np.asarray(stan_data["y"]), draws["psi"][..., 0]
        if np.linalg.matrix_rank(y - y.mean(axis=0)) < y.shape[1]:
            return {}
        if "L_Omega" in draws:
            root = draws["sigma"][..., None] * draws["L_Omega"]
        elif stan_data["prior_weight"] > 0:
            root = _draw_informed_root(stan_data, y, mu, rng)
        else:
            root = _draw_root(y, mu, rng)
        return {**draws, "mu": mu, "root": root}

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-density of the values of each item, of all systems."""
        y, root = np.asarray(stan_data["y"]), draws["root"]
        z = np.linalg.solve(root, np.moveaxis(y - draws["mu"][..., None, :], -1, -2))
        scale = np.linalg.slogdet(root)[1] + 0.5 * y.shape[1] * np.log(2 * np.pi)
        return LogLikelihood.of_items(-0.5 * (z**2).sum(axis=-2) - scale[..., None])

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array | None:
        """Return the log-density of the prior of the difference and its variance, if it has one."""
        from scipy.stats import invgamma

        weight, sd, degrees = (stan_data[name] for name in PRIOR_INPUTS)
        if weight == 0:
            return None
        variance = ((draws["root"][..., 0, :] - draws["root"][..., 1, :]) ** 2).sum(axis=-1)
        delta = draws["mu"][..., 0] - draws["mu"][..., 1]
        of_variance = invgamma(degrees / 2, scale=degrees * sd**2 / 2).logpdf(variance)
        return np.asarray(of_variance + log_density.normal(delta, np.sqrt(variance / weight)))

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw the values of as many new items as there are; without a covariance none."""
        if "root" not in draws:  # the prior is flat
            return {}
        z = rng.standard_normal((*draws["mu"].shape[:-1], *np.shape(stan_data["y"])))
        return {"y": draws["mu"][..., None, :] + z @ draws["root"].swapaxes(-1, -2)}


def _qr_factor(rows: Array) -> Array:
    """Return R of rows = Q R, block by block: many rows would not fit the processor's cache."""
    starts = range(0, len(rows), ROWS_AT_ONCE)
    factors = [np.linalg.qr(rows[i : i + ROWS_AT_ONCE], mode="r") for i in starts]
    return np.asarray(factors[0] if len(factors) == 1 else np.linalg.qr(np.vstack(factors), "r"))


def _posterior_t(
    n: int, mean: Any, scatter: Any, prior: tuple[float, float, float]
) -> tuple[float, Any, Any]:
    """Update a Normal-Inverse-Gamma prior with n differences."""
    weight, sd, degrees = prior
    total = weight + n
    squares = degrees * sd**2 + scatter + weight * n / total * mean**2
    return degrees + n, n * mean / total, np.sqrt(squares / ((degrees + n) * total))


def _draw_two_means(stan_data: StanData, y: Array, draws: int, rng: Generator) -> Array:
    """Draw two means whose difference has a prior; their level has none."""
    n = len(y)
    weight, sd, degrees = (stan_data[name] for name in PRIOR_INPUTS)
    level, d = y.mean(axis=1), y[:, 0] - y[:, 1]
    middle = level.mean()
    if stan_data["prior_only"]:
        delta = sd / np.sqrt(weight) * rng.standard_t(degrees, draws)
    else:
        s_dd, s_md = ((d - d.mean()) ** 2).sum(), (d - d.mean()) @ (level - middle)
        prior = weight, sd, degrees
        total, location, scale = _posterior_t(n, d.mean(), s_dd, prior)
        delta = location + scale * rng.standard_t(total, draws)
        # Given the difference, the level is a regression on it.
        left = max(((level - middle) ** 2).sum() - s_md**2 / s_dd, 0.0) / rng.chisquare(n, draws)
        slope = s_md / s_dd + np.sqrt(left / s_dd) * rng.standard_normal(draws)
        noise = np.sqrt(left / n) * rng.standard_normal(draws)
        middle = middle + slope * (delta - d.mean()) + noise
    return np.stack([middle + delta / 2, middle - delta / 2], axis=1)


def _draw_root(y: Array, mu: Array, rng: Generator) -> Array:
    """Draw the covariance given the means: an inverse Wishart, by Bartlett's decomposition."""
    n, s = y.shape
    off = y.mean(axis=0) - mu
    centred = y - y.mean(axis=0)
    scatter = centred.T @ centred + n * off[..., :, None] * off[..., None, :]
    lower = np.zeros((*mu.shape[:-1], s, s))
    for i in range(s):
        lower[..., i, i] = np.sqrt(rng.chisquare(s + n - 1 - i, mu.shape[:-1]))
        lower[..., i, :i] = rng.standard_normal((*mu.shape[:-1], i))
    cholesky = np.linalg.cholesky(scatter)
    return np.asarray(np.linalg.solve(lower, cholesky.swapaxes(-1, -2)).swapaxes(-1, -2))


def _draw_informed_root(stan_data: StanData, y: Array, mu: Array, rng: Generator) -> Array:
    """Draw the covariance given the means, where the difference of two systems has a prior.

    The variance of the difference is an inverse Gamma. The level, given the difference, is a
    regression through the means, with a flat slope.
    """
    n = len(y)
    weight, sd, degrees = (stan_data[name] for name in PRIOR_INPUTS)
    delta, middle = mu[..., 0] - mu[..., 1], mu.mean(axis=-1)
    d, level = y[:, 0] - y[:, 1], y.mean(axis=1)

    def products(a: Array, center_a: Array, b: Array, center_b: Array) -> Array:
        means = (a.mean() - center_a) * (b.mean() - center_b)
        return np.asarray((a - a.mean()) @ (b - b.mean()) + n * means)

    s_dd = products(d, delta, d, delta)
    s_md, s_mm = products(level, middle, d, delta), products(level, middle, level, middle)
    squares = degrees * sd**2 + weight * delta**2 + s_dd
    variance = squares / rng.chisquare(degrees + 1 + n, delta.shape)
    left = np.maximum(s_mm - s_md**2 / s_dd, 0) / rng.chisquare(n + 1, delta.shape)
    slope = s_md / s_dd + np.sqrt(left / s_dd) * rng.standard_normal(delta.shape)
    # A and B are half a difference above and below the level.
    rows = [[(slope + half) * np.sqrt(variance), np.sqrt(left)] for half in (0.5, -0.5)]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


class Clusters(ValuesModel):
    """Values in clusters, and ratios of sums: the Bayesian bootstrap over the clusters.

    The shape of the weights is uncertain where clusters are few: plain weights cover 83 to 91 %
    instead of 95 % at 8 clusters. A ratio of sums is the ratio of two weighted sums.
    """

    name = "clusters"
    observed = ("sums", "sizes")
    dims = {"sums": ("cluster", "system"), "sizes": ("cluster", "size")}
    accepts = ClusteredValues
    needs = "the clusters of the items: pass cluster="

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Add the values of every cluster up, and what they are divided by."""
        check_clusters(data.clusters, "clusters")
        return {"sums": data.sums, "sizes": data.sizes}

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the weighted mean, or ratio, of every system."""
        sums, sizes = np.asarray(stan_data["sums"]), np.asarray(stan_data["sizes"])
        clusters, observed = len(sums), sums.sum(axis=0) / sizes.sum(axis=0)
        if clusters > MANY_CLUSTERS:
            residuals = (sums - observed * sizes) / sizes.mean(axis=0)
            scale = np.sqrt(clusters * (clusters - 1.0))
            root = np.linalg.qr(residuals - residuals.mean(axis=0), mode="r") / scale
            return {"psi": (observed + rng.standard_normal((draws, len(root))) @ root)[..., None]}
        # The systems share their weights: the one with the most uneven clusters tells how
        # uncertain their shape is.
        uneven = sizes[:, int(np.argmax((sizes**2).sum(axis=0) / sizes.sum(axis=0) ** 2))]
        psi = np.empty((draws, sums.shape[1]))
        block = max(1, NUMBERS_AT_ONCE // clusters)
        for start in range(0, draws, block):
            weights = cluster_weights(uneven, min(block, draws - start), rng)
            psi[start : start + block] = weights @ sums / (weights @ sizes)
        return {"psi": psi[..., None]}


class Runs(ValuesModel):
    """These items asked again: only the noise of the runs is uncertain, not which items there are.

    The mean of an item over its runs has the variance s^2 / r, with s^2 from its own runs: no prior
    pulls every item toward one half. The score of a system is a t with Satterthwaite's degrees.
    """

    name = "runs"
    observed = ("mean", "variance")
    dims = {"mean": ("system",), "variance": ("system",)}

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Return the mean of every system and the variance that the runs give it."""
        if not data.repeated or (data.runs < 2).any():
            needs = "two runs or more of every system on every item"
            raise InputError(f"population='runs' needs {needs}.")
        of_items = data.scatter / (data.runs - 1) / data.runs / data.items**2
        variance = of_items.sum(axis=1)
        if not (variance > 0).any():
            runs = "All runs of an item have the same value, for every item and system"
            raise InputError(f"{runs}: asked again, nothing would change.")
        with np.errstate(invalid="ignore"):
            degrees = variance**2 / (of_items**2 / (data.runs - 1)).sum(axis=1)
        degrees = np.fmax(degrees, MIN_DEGREES)
        return {"mean": data.observed, "variance": variance, "degrees": degrees}

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw the mean of every system over these items."""
        degrees, mean, variance = (stan_data[k] for k in ("degrees", "mean", "variance"))
        t = np.empty((draws, len(mean)))
        order = np.lexsort((variance, mean))  # which the order of the systems has no part in
        t[:, order] = rng.standard_t(degrees[order], t.shape)
        return {"psi": (mean + np.sqrt(variance) * t)[..., None]}


class Datasets(ValuesModel):
    """A new data set: the differences of the data sets at hand are normal around a common one.

    The difference of data set j is delta_j ~ Normal(eta, tau), and what was observed of it is
    normal around delta_j with the variance of its mean. eta has a flat prior and tau a half-Cauchy
    one, whose scale is the standard deviation of differences between items: data sets rarely differ
    more than their items do. tau is drawn from a grid, eta and a new data set given tau.
    """

    name = "datasets"
    observed = ("difference", "difference_variance")
    dims = dict.fromkeys(("difference", "difference_variance"), ("dataset",))

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Return means of levels and differences in every data set, and their variances."""
        n = count_per_dataset(data.dataset, MIN_ITEMS_OF_DATASET)
        a, b = data.values
        stan_data: Inputs = {}
        for name, values in (("difference", a - b), ("level", (a + b) / 2)):
            mean = np.bincount(data.dataset, values) / n
            scatter = np.bincount(data.dataset, (values - mean[data.dataset]) ** 2)
            stan_data[name] = mean
            stan_data[f"{name}_variance"] = scatter / (n - 1) / n
            stan_data[f"{name}_sd"] = float(np.sqrt(scatter.sum() / (n - 1).sum()))
        if not stan_data["difference_variance"].sum() > 0:
            raise InputError(NO_DIFFERENCE)
        return stan_data

    def sample_exact(self, stan_data: StanData, draws: int, rng: Generator) -> dict[str, Array]:
        """Draw what the data sets have in common, and the scores on a new one."""
        eta, tau, delta = _draw_dataset(stan_data, "difference", draws, rng)
        *_, level = _draw_dataset(stan_data, "level", draws, rng)
        psi = np.stack([level + delta / 2, level - delta / 2], axis=1)[..., None]
        return {"eta": eta, "tau": tau, "delta_new": delta, "psi": psi}


def count_per_dataset(dataset: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """Count the rows of each data set; new ones are judged from a few, of so many rows at least."""
    n = np.bincount(dataset)
    check_enough(len(n), MIN_DATASETS, "data sets", " They are named by dataset=.")
    check_enough(int(n.min()), least, "rows of every data set", " Or pass just one of each.")
    return n


def _draw_dataset(
    stan_data: StanData, name: str, draws: int, rng: Generator
) -> tuple[Array, Array, Array]:
    """Draw the common mean, the standard deviation of data sets, and a new data set."""
    mean, variance = np.asarray(stan_data[name]), np.asarray(stan_data[f"{name}_variance"])
    scale = stan_data[f"{name}_sd"] or float(np.std(mean)) or 1.0
    # Even steps of the angle are even steps of the half-Cauchy prior.
    tau = scale * np.tan((np.arange(GRID) + 0.5) / GRID * np.pi / 2)
    precision = 1 / (variance + tau[:, None] ** 2 + 1e-300)
    total = precision.sum(axis=1)
    middle = (precision * mean).sum(axis=1) / total
    log_density = 0.5 * np.log(precision).sum(axis=1) - 0.5 * np.log(total)
    log_density -= 0.5 * (precision * (mean - middle[:, None]) ** 2).sum(axis=1)
    weights = np.exp(log_density - log_density.max())
    node = rng.choice(GRID, draws, p=weights / weights.sum())
    sign = -1.0 if mean.sum() < 0 else 1.0  # where A and B change places, draws do
    eta = middle[node] + sign * rng.standard_normal(draws) / np.sqrt(total[node])
    return eta, tau[node], eta + sign * tau[node] * rng.standard_normal(draws)


class Repeated(ValuesModel, PredictiveModel):
    """Few items, each asked several times, right or wrong: binomial counts, logit-normal items."""

    name = "repeated"
    inputs = {"N": 0, "C": 0, "cluster": 1, "runs": 2, "right": 2}
    inputs |= dict.fromkeys(("mu_scale", "tau_scale", "lkj_shape", "prior_only"), 0)
    observed = ("right",)
    dims = dict.fromkeys(("right", "runs"), ("item", "system"))
    dims |= dict.fromkeys(("mu", "tau", "omega"), ("system",))
    dims |= {"cluster": ("item",), "z": ("factor", "item"), "z_cluster": ("factor", "group")}
    dims |= dict.fromkeys(("L_Omega", "L_cluster"), ("margin", "factor"))
    predictive_draws = ("mu", "tau", "L_Omega", "z")
    prior_density_infinite_at_zero = Model.prior_density_infinite_at_zero

    def values_data(self, data: Any, prior: Prior) -> Inputs:
        """Count how many runs of every item were right."""
        clusters, cluster = 0, np.empty(0, dtype=np.int64)
        if isinstance(data, ClusteredValues):
            clusters, cluster = data.clusters, data.cluster + 1  # Stan counts from 1
        return {
            "N": data.items,
            "C": clusters,
            "cluster": cluster,
            "runs": count_runs(data).T,
            "right": count_right(data).T,
            "mu_scale": MU_SCALE,
            "tau_scale": TAU_SCALE,
            "lkj_shape": LKJ_SHAPE,
            "prior_only": 0,
        }

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-likelihood of the runs of both systems on each item, given its effects."""
        from scipy.special import gammaln, log_expit

        runs, right = np.asarray(stan_data["runs"]), np.asarray(stan_data["right"])
        odds = _log_odds(draws, stan_data)
        ways = gammaln(runs + 1) - gammaln(right + 1) - gammaln(runs - right + 1)
        density = ways + right * log_expit(odds) + (runs - right) * log_expit(-odds)
        return LogLikelihood.of_items(density.sum(axis=-1))

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior of means, standard deviations and correlations."""
        effects = [("tau", "L_Omega")] + [("omega", "L_cluster")] * bool(stan_data["C"])
        density = log_density.normal(draws["mu"], stan_data["mu_scale"]).sum(axis=-1)
        for sd, cholesky in effects:
            half_normal = np.log(2) + log_density.normal(draws[sd], stan_data["tau_scale"])
            density = density + half_normal.sum(axis=-1)
            density = density + log_density.correlation(
                draws[cholesky][..., 1, 0], stan_data["lkj_shape"]
            )
        return np.asarray(density)

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Ask these items again, as often as they were."""
        from scipy.special import expit

        odds = _log_odds(draws, stan_data)
        return {"right": rng.binomial(np.asarray(stan_data["runs"]), expit(odds))}


def _log_odds(draws: Variables, stan_data: StanData) -> Array:
    """Return the log-odds of a right answer to each item (chain, draw, item, system)."""
    effects = (draws["tau"][..., None] * draws["L_Omega"]) @ draws["z"]
    if stan_data["C"]:
        of_clusters = (draws["omega"][..., None] * draws["L_cluster"]) @ draws["z_cluster"]
        effects = effects + of_clusters[..., np.asarray(stan_data["cluster"]) - 1]
    return np.asarray(np.moveaxis(draws["mu"][..., None] + effects, -1, -2))
