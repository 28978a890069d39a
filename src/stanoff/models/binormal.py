"""The binormal model: scores of two systems that are bivariate normal in each class.

AUC = Phi((m_pos - m_neg) / sqrt(s_pos^2 + s_neg^2)). It is smooth and has a proper prior, and so
Bayes factors; it is wrong where the scores of a class have several peaks. AUC does not change if
scores are stretched, but normality does: probabilities are taken as log-odds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import SCORES, Measure
from stanoff.models.base import Array, Block, Model, Variables
from stanoff.models.predictive import (
    Predictive,
    log_correlation,
    log_lognormal,
    log_normal,
    numbered,
)
from stanoff.models.priors import Prior, Priors, single
from stanoff.models.weights import WEIGHTS

LEAST = 2  # documents of a class
S_SCALE, LKJ_SHAPE = 0.5, 2.0
CLASSES = (("pos", 1), ("neg", 0))


def data(scored: Data, prior: Priors) -> Block:
    """Gather number, mean and scatter of the scores of each class."""
    if not isinstance(scored, ScoredDocuments):
        raise InputError("The binormal model needs scores of documents, for measure='auc'.")
    if len(scored.categories) > 1:
        raise InputError("model='binormal' compares one category; use 'bootstrap' for several.")
    if len(scored.cluster):
        raise invalid("cluster", "None in the binormal model, which takes documents one by one", "")
    if scored.alike(0, 1):
        raise InputError("model='binormal' cannot compare a system with itself; use 'bootstrap'.")
    return statistics(scored.truth[0], every_score(scored), prior)


def every_score(scored: ScoredDocuments) -> Array:
    """Return the scores (2, N) as the model takes them."""
    return np.stack([standardised(x[0]) for x in scored.score])


def statistics(truth: NDArray[np.int64], scores: Array, prior: Priors) -> Block:
    """Return number, mean and scatter of scores (2, N) by class, and the weights of the prior."""
    shared = single(prior)
    block: Block = {"s_scale": S_SCALE, "lkj_shape": LKJ_SHAPE}
    for name, wanted in CLASSES:
        of_class = scores[:, truth == wanted]
        if of_class.shape[1] < LEAST:
            rule = f"{LEAST} documents of each class at least in the binormal model"
            raise invalid("data", rule, of_class.shape[1])
        center = of_class.mean(axis=1)
        off = of_class - center[:, None]
        block |= {
            f"N_{name}": of_class.shape[1],
            f"center_{name}": center,
            f"scatter_{name}": off @ off.T,
            f"alpha_{name}": float(shared.weights(f"alpha_{name}", 1)[0]),
        }
    return block


def standardised(score: Array) -> Array:
    """Bring scores to mean 0 and standard deviation 1; probabilities become log-odds first.

    Examples
    --------
    >>> (standardised(np.array([0.1, 0.5, 0.9])).round(3) + 0.0).tolist()
    [-1.225, 0.0, 1.225]
    """
    if score.min() > 0 and score.max() < 1:
        score = np.log(score) - np.log1p(-score)
    spread = score.std()
    if not spread > 0:
        raise InputError("model='binormal' needs scores that differ; use 'bootstrap'.")
    return np.asarray((score - score.mean()) / spread)


def with_documents(scored: ScoredDocuments, prior: Priors) -> Block:
    """Gather the data block, and the scores of every document by class (document, system)."""
    truth, scores = scored.truth[0], every_score(scored)
    of_class = {f"x_{kind}": scores[:, truth == wanted].T for kind, wanted in CLASSES}
    return {**statistics(truth, scores, prior), **of_class, "truth": truth}


def log_likelihood(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of both scores of each document (chain, draw, document)."""
    truth = np.asarray(data["truth"])
    out = np.empty((*drawn["r_pos"].shape, len(truth)))
    for kind, wanted in CLASSES:
        m, s, r = drawn[f"m_{kind}"], drawn[f"s_{kind}"], drawn[f"r_{kind}"][..., None]
        a, b = np.moveaxis((data[f"x_{kind}"] - m[..., None, :]) / s[..., None, :], -1, 0)
        far = (a**2 - 2 * r * a * b + b**2) / (1 - r**2)
        scale = np.log(2 * np.pi) + np.log(s).sum(axis=-1)[..., None] + 0.5 * np.log1p(-(r**2))
        out[..., truth == wanted] = -0.5 * far - scale
    return out


def log_prior(drawn: Variables, data: Mapping[str, Any]) -> Array:
    """Return the log-density of the prior of means, standard deviations and correlations."""
    total = np.zeros(drawn["r_pos"].shape)
    for kind, _ in CLASSES:
        scale = 1 / np.sqrt(data[f"alpha_{kind}"])
        total += log_normal(drawn[f"m_{kind}"], scale).sum(axis=-1)
        total += log_lognormal(drawn[f"s_{kind}"], 0.0, data["s_scale"]).sum(axis=-1)
        total += log_correlation(drawn[f"r_{kind}"], data["lkj_shape"])
    return total


def replicate(
    drawn: Variables, data: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw the scores of as many new documents of each class as there are."""
    new: dict[str, NDArray[Any]] = {}
    for kind, _ in CLASSES:
        m, s, r = drawn[f"m_{kind}"], drawn[f"s_{kind}"], drawn[f"r_{kind}"][..., None]
        a, b = rng.standard_normal((2, *m.shape[:-1], len(data[f"x_{kind}"])))
        z = np.stack([a, r * a + np.sqrt(1 - r**2) * b], axis=-1)
        new[f"x_{kind}"] = m[..., None, :] + s[..., None, :] * z
    return new


def areas(new: Variables, data: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the AUC of each system on new documents, by their ranks."""
    pos, neg = new["x_pos"], new["x_neg"]
    n_pos, n_neg = pos.shape[-2], neg.shape[-2]
    ranks = np.argsort(np.argsort(np.concatenate([pos, neg], axis=-2), axis=-2), axis=-2)
    beaten = ranks[..., :n_pos, :].sum(axis=-2) - n_pos * (n_pos - 1) / 2
    return {"psi": (beaten / (n_pos * n_neg))[..., None]}


class Binormal(Model):
    """The model, which knows the AUC alone."""

    def stan_data(self, data: Data, prior: Priors, measure: Measure) -> Block:
        """Gather what the program asks for."""
        _check(measure)
        return {**self.data(data, prior), "prior_only": 0}

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Return the AUCs as the program generated them."""
        _check(measure)
        psi: NDArray[np.float64] = draws["psi"]
        return psi if average is None else np.repeat(psi, 4, axis=-1)

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Score the documents as they are."""
        return WEIGHTS.observed_scores(data, measure, average)


def _check(measure: Measure) -> None:
    if measure.name != SCORES["auc"].name:
        rule = "'auc' in the binormal model; 'bootstrap' has the others"
        raise invalid("measure", rule, measure.name)


BINORMAL = Binormal(
    name="binormal",
    data=data,
    observed=("N_pos", "N_neg", "center_pos", "center_neg", "scatter_pos", "scatter_neg"),
    dims=dict.fromkeys(("m_pos", "m_neg", "s_pos", "s_neg"), ("classifier",))
    | {f"x_{kind}": (f"document_{kind}", "classifier") for kind, _ in CLASSES},
    predictive=Predictive(
        log_likelihood,
        numbered("truth"),
        log_prior,
        replicate,
        areas,
        needs=("m_pos", "m_neg", "s_pos", "s_neg", "r_pos", "r_neg"),
        block=with_documents,
        observed=("x_pos", "x_neg"),
    ),
    priors={"uniform": Prior.uniform(), "jeffreys": Prior.jeffreys(), "two": Prior(2, 2, 2)},
    prior_density_infinite_at_zero=lambda measure, prior, data: False,
)
