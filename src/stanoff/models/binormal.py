"""The binormal model: scores of two systems that are bivariate normal in each class.

AUC = Phi((m_pos - m_neg) / sqrt(s_pos^2 + s_neg^2)). It is smooth and has a proper prior, and so
Bayes factors; it is wrong where the scores of a class have several peaks. AUC does not change if
scores are stretched, but normality does: probabilities are taken as log-odds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.counting import check_enough
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.models import log_density
from stanoff.models.base import (
    Array,
    Inputs,
    LogLikelihood,
    PredictiveModel,
    Proven,
    StanData,
    Variables,
    require,
)
from stanoff.models.bootstrap import BOOTSTRAP
from stanoff.models.inputs import standardize_scores
from stanoff.models.priors import Priors, single

MIN_DOCUMENTS = 2  # of each class
S_SCALE, LKJ_SHAPE = 0.5, 2.0
CLASSES = (("pos", 1), ("neg", 0))


class Binormal(PredictiveModel):
    """Scores are bivariate normal given the class; it knows the AUC alone."""

    name = "binormal"
    inputs = {"N_pos": 0, "N_neg": 0, "center_pos": 1, "center_neg": 1}
    inputs |= {"scatter_pos": 2, "scatter_neg": 2}
    inputs |= dict.fromkeys(("alpha_pos", "alpha_neg", "s_scale", "lkj_shape", "prior_only"), 0)
    observed = tuple(inputs)[:6]
    dims = {
        **dict.fromkeys(("m_pos", "m_neg", "s_pos", "s_neg"), ("classifier",)),
        **dict.fromkeys(("center_pos", "center_neg"), ("classifier",)),
        **dict.fromkeys(("scatter_pos", "scatter_neg"), ("classifier", "other_classifier")),
        "x_pos": ("document_pos", "classifier"),
        "x_neg": ("document_neg", "classifier"),
    }
    accepts = ScoredDocuments
    predictive_draws = ("m_pos", "m_neg", "s_pos", "s_neg", "r_pos", "r_neg")

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return number, mean and scatter of the scores of each class."""
        if measure is not None:
            _check_measure(measure)
        full = self.predictive_data(data, prior)
        return {name: full[name] for name in self.inputs}

    def predictive_data(self, data: Data, prior: Priors) -> Inputs:
        """Return the data block, and the scores of every document by class (document, system)."""
        require(data, ScoredDocuments, self.name, "scores of documents, for measure='auc'")
        assert isinstance(data, ScoredDocuments)
        if len(data.cluster):
            rule = "None in the binormal model, which takes documents one by one"
            raise invalid("cluster", rule, "")
        if len(data.categories) > 1 or data.alike(0, 1):
            task = "several categories" if len(data.categories) > 1 else "a system with itself"
            raise InputError(f"model='binormal' cannot compare {task}; use 'bootstrap'.")
        truth = data.truth[0]
        scores = np.stack([standardize_scores(score[0]) for score in data.score])
        stan_data: Inputs = {"s_scale": S_SCALE, "lkj_shape": LKJ_SHAPE, "prior_only": 0}
        for side, label in CLASSES:
            of_class = scores[:, truth == label]
            check_enough(of_class.shape[1], MIN_DOCUMENTS, f"documents of class {label}")
            center = of_class.mean(axis=1)
            centred = of_class - center[:, None]
            stan_data |= {
                f"N_{side}": of_class.shape[1],
                f"center_{side}": center,
                f"scatter_{side}": centred @ centred.T,
                f"alpha_{side}": float(single(prior).weights(f"alpha_{side}", 1)[0]),
                f"x_{side}": of_class.T,
            }
        return stan_data | {"truth": truth}

    def prior_density_infinite_at_zero(self, measure: Measure, prior: Priors, data: Data) -> Proven:
        """Return False: all densities are smooth."""
        return False

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Return the AUCs as the program generated them."""
        _check_measure(measure)
        return super().scores(draws, measure, average)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the documents as they are."""
        return BOOTSTRAP.observed_scores(data, measure, average)

    def log_likelihood(self, draws: Variables, data: Data, stan_data: StanData) -> LogLikelihood:
        """Return the log-density of both scores of each document."""
        truth = np.asarray(stan_data["truth"])
        density = np.empty((*draws["r_pos"].shape, len(truth)))
        for side, label in CLASSES:
            m, s, r = (draws[f"{name}_{side}"][..., None] for name in "msr")
            a, b = np.moveaxis((stan_data[f"x_{side}"].T - m) / s, -2, 0)
            distance = (a**2 - 2 * r * a * b + b**2) / (1 - r**2)
            scale = np.log(2 * np.pi) + np.log(s).sum(axis=-2) + 0.5 * np.log1p(-(r**2))
            density[..., truth == label] = -0.5 * distance - scale
        return LogLikelihood.of_items(density)

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior of means, standard deviations and correlations."""
        density = np.zeros(draws["r_pos"].shape)
        for side, _ in CLASSES:
            m, s, r = (draws[f"{name}_{side}"] for name in "msr")
            density += log_density.normal(m, stan_data[f"alpha_{side}"] ** -0.5).sum(axis=-1)
            density += log_density.lognormal(s, 0.0, stan_data["s_scale"]).sum(axis=-1)
            density += log_density.correlation(r, stan_data["lkj_shape"])
        return density

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw the scores of as many new documents of each class as there are."""
        new: dict[str, NDArray[Any]] = {}
        for side, _ in CLASSES:
            m, s, r = draws[f"m_{side}"], draws[f"s_{side}"], draws[f"r_{side}"][..., None]
            a, b = rng.standard_normal((2, *m.shape[:-1], len(stan_data[f"x_{side}"])))
            z = np.stack([a, r * a + np.sqrt(1 - r**2) * b], axis=-1)
            new[f"x_{side}"] = m[..., None, :] + s[..., None, :] * z
        return new


def _check_measure(measure: Measure) -> None:
    if measure.name != "auc":
        rule = "'auc' in the binormal model; 'bootstrap' has the others"
        raise invalid("measure", rule, measure.name)
