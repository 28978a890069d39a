"""Single-label classes, each system by itself: confusion rows centred on its overall accuracy."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from stanoff.data.types import ConfusionCounts, Data, need_classes
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models.base import Array, Inputs, StanData, Variables
from stanoff.models.inputs import KAPPA_INPUTS, MEASURE_INPUTS, collect_inputs
from stanoff.models.patterns import class_names, replicate_classes
from stanoff.models.predictive import (
    LogLikelihood,
    PredictiveModel,
    log_beta,
    log_dirichlet,
    log_lognormal,
    multinomials,
)
from stanoff.models.priors import Priors, both


class Multiclass(PredictiveModel):
    """Given the true class j, what a system says is Dir(kappa w_j), with its accuracy eta on j."""

    name = "multiclass"
    inputs = {"K": 0, **dict.fromkeys(("R", "truth", "said", "n", "beta"), 1), "alpha_pos": 2}
    inputs |= {**KAPPA_INPUTS, **MEASURE_INPUTS, "prior_only": 0}
    observed = ("n",)
    dims = {
        **dict.fromkeys(("eta", "kappa"), ("classifier",)),
        **dict.fromkeys(("n", "theta", "truth_of_row", "said"), ("confusion_cell",)),
        "mu": ("classifier", "class"),
        "beta": ("class",),
        "alpha_pos": ("classifier", "answer"),
        "R": ("classifier",),
    }
    accepts = ConfusionCounts
    order_dependent = ("theta",)
    predictive_draws = ("mu", "eta", "kappa", "theta")

    def stan_data(self, data: Data, prior: Priors, measure: Measure | None = None) -> Inputs:
        """Return the cells of both confusion tables that occurred, and the diagonals."""
        classes, (of_a, of_b) = need_classes(data), both(prior)
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
        system, names = _classifier(stan_data), class_names(data, int(stan_data["K"]))
        mu = draws["mu"][..., system, np.asarray(stan_data["truth"]) - 1]
        labels = (
            f"{'AB'[j]}, {names[truth - 1]}, said {names[answer - 1]}"
            for j, truth, answer in zip(system, stan_data["truth"], stan_data["said"], strict=True)
        )
        return LogLikelihood.of_counts(np.asarray(stan_data["n"]), mu * draws["theta"], labels)

    def log_prior(self, draws: Variables, stan_data: StanData) -> Array:
        """Return the log-density of the prior: of mu, of eta and of kappa, of both systems."""
        density = log_dirichlet(draws["mu"], np.asarray(stan_data["beta"]))
        density = density + log_beta(draws["eta"], np.asarray(stan_data["alpha_pos"]))
        location, scale = stan_data["kappa_location"], stan_data["kappa_scale"]
        density = density + log_lognormal(draws["kappa"], location, scale)
        return np.asarray(density.sum(axis=-1))

    def replicate(self, draws: Variables, stan_data: StanData, rng: Generator) -> Variables:
        """Draw as many new documents of each system as there are."""
        k = int(stan_data["K"])
        truth, answer = np.asarray(stan_data["truth"]) - 1, np.asarray(stan_data["said"]) - 1
        replicates = []
        for system in (0, 1):
            here = _classifier(stan_data) == system
            documents = np.asarray(np.sum(np.asarray(stan_data["n"])[here]))
            n_class = multinomials(documents, draws["mu"][:, :, system], rng)
            wrong = draws["kappa"][..., system] * (1 - draws["eta"][..., system]) / (k - 1)
            theta = draws["theta"][..., here]
            replicates.append(
                replicate_classes(n_class, theta, truth[here], answer[here], (k,), wrong, rng)
            )
        first, second = replicates
        return {
            "n": np.concatenate([first["n"], second["n"]], axis=-1),
            "cells": np.concatenate([first["cells"], second["cells"]], axis=2),
        }


def _classifier(stan_data: StanData) -> NDArray[np.int64]:
    """Return which classifier a cell is of."""
    return np.repeat([0, 1], stan_data["R"])
