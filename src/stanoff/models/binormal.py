"""The binormal model: scores of two systems that are bivariate normal in each class.

AUC = Phi((m_pos - m_neg) / sqrt(s_pos^2 + s_neg^2)). It is smooth and has a proper prior, and so
Bayes factors; it is wrong where the scores of a class have several peaks. AUC does not change if
scores are stretched, but normality does: probabilities are taken as log-odds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stanoff.data.base import Data
from stanoff.data.scored import ScoredDocuments
from stanoff.errors import InputError, invalid
from stanoff.measures import SCORES, Measure
from stanoff.models.base import Array, Block, Model, Variables
from stanoff.models.graphs import Graph, Kind, Node, Plate, edges_of, given
from stanoff.models.priors import Prior, Priors, single
from stanoff.models.weights import WEIGHTS

LEAST = 2  # documents of a class
S_SCALE, LKJ_SHAPE = 0.5, 2.0
NODES = (
    Node("m_pos", "$m^{+}$", 0.5, 3.9),
    Node("s_pos", "$s^{+}$", 1.6, 3.9),
    Node("r_pos", "$r^{+}$", 2.7, 3.9),
    Node("m_neg", "$m^{-}$", 6.1, 3.9),
    Node("s_neg", "$s^{-}$", 5.0, 3.9),
    Node("r_neg", "$r^{-}$", 3.9, 3.9),
)
GRAPH = Graph(
    (
        given("alpha_pos", r"$\alpha^{+}$", 0.5, 5.1),
        given("alpha_neg", r"$\alpha^{-}$", 6.1, 5.1),
        given("lkj_shape", r"$\eta$", 3.3, 5.1),
        given("s_scale", r"$\sigma$", 3.3, 6.1),
        *NODES,
        Node("x_pos", "$x^{+}$", 1.6, 2.2, Kind.OBSERVED),
        Node("x_neg", "$x^{-}$", 5.0, 2.2, Kind.OBSERVED),
        Node("psi", r"$\psi$", 3.3, 1.4, Kind.DERIVED),
        Node("delta", r"$\delta$", 3.3, 0.2, Kind.DERIVED),
    ),
    edges_of(
        m_pos="alpha_pos",
        m_neg="alpha_neg",
        s_pos="s_scale",
        s_neg="s_scale",
        r_pos="lkj_shape",
        r_neg="lkj_shape",
        x_pos="m_pos s_pos r_pos",
        x_neg="m_neg s_neg r_neg",
        psi="m_pos s_pos m_neg s_neg",
        delta="psi",
    ),
    (Plate("$N^{+}$", ("x_pos",)), Plate("$N^{-}$", ("x_neg",))),
)


def data(scored: Data, prior: Priors) -> Block:
    """Gather number, mean and scatter of the scores of each class."""
    if not isinstance(scored, ScoredDocuments):
        raise InputError("The binormal model needs scores of documents, for measure='auc'.")
    if len(scored.categories) > 1:
        raise InputError("model='binormal' compares one category; use 'weights' for several.")
    if len(scored.cluster):
        raise invalid("cluster", "None in the binormal model, which takes documents one by one", "")
    if scored.alike(0, 1):
        raise InputError("model='binormal' cannot compare a system with itself; use 'weights'.")
    return statistics(scored.truth[0], np.stack([standardised(x[0]) for x in scored.score]), prior)


def statistics(truth: NDArray[np.int64], scores: Array, prior: Priors) -> Block:
    """Return number, mean and scatter of scores (2, N) by class, and the weights of the prior."""
    shared = single(prior)
    block: Block = {"s_scale": S_SCALE, "lkj_shape": LKJ_SHAPE}
    for name, wanted in (("pos", 1), ("neg", 0)):
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
        raise InputError("model='binormal' needs scores that differ; use 'weights'.")
    return np.asarray((score - score.mean()) / spread)


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
        rule = "'auc' in the binormal model; 'weights' has the others"
        raise invalid("measure", rule, measure.name)


BINORMAL = Binormal(
    name="binormal",
    data=data,
    observed=("N_pos", "N_neg", "center_pos", "center_neg", "scatter_pos", "scatter_neg"),
    dims=dict.fromkeys(("m_pos", "m_neg", "s_pos", "s_neg"), ("classifier",)),
    priors={"uniform": Prior.uniform(), "jeffreys": Prior.jeffreys(), "two": Prior(2, 2, 2)},
    infinite_at_zero=lambda measure, prior, data: False,
    graph=GRAPH,
)
