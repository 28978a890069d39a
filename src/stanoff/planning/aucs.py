"""Planning for AUC: what may be true of two systems' scores, and test sets of them.

Thousands of data sets are judged by the first two moments of the weights model's posterior, which
are sums over the documents, as in DeLong's test, and the normal distribution that has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import check_float, check_probability
from stanoff._lib.showing import ReprMixin
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models.bootstrap import bootstrap_shape
from stanoff.models.priors import Priors, single

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

LARGE = 5_000  # documents; in larger test sets only the spread differs
EQUAL = 0.5  # the share of positives, by default


@dataclass(frozen=True, repr=False)
class AucScenario(ReprMixin):
    """Two true AUCs, how alike the scores are, and how common positives are.

    The scores of a class are bivariate normal, with the same variances in both classes.

    Attributes
    ----------
    auc_a, auc_b : float
        The AUC of A and of B.
    correlation : float
        Between the scores of A and of B within a class.
    positives : float
        The share of positive documents, 0.5 by default.
    name : str
        What it is called in tables and figures.

    Examples
    --------
    >>> round(AucScenario(0.85, 0.8, correlation=0.5, positives=0.3).delta(), 3)
    0.05
    """

    auc_a: float
    auc_b: float
    correlation: float
    positives: float = EQUAL
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for part in ("auc_a", "auc_b", "positives"):
            object.__setattr__(self, part, check_probability(part, getattr(self, part)))
        rule = "a number from -1 to 1"
        correlation = check_float("correlation", self.correlation, rule)
        if not -1 <= correlation <= 1:
            raise invalid("correlation", rule, self.correlation)
        object.__setattr__(self, "correlation", correlation)
        if not isinstance(self.name, str):
            raise invalid("name", "text", self.name)

    def psi(self, measure: str | Measure = "auc") -> tuple[float, float]:
        """Return the true AUCs of A and of B."""
        called = measure if isinstance(measure, str) else measure.name
        if called != "auc":
            raise invalid("measure", "'auc' for a scenario of two AUCs", called)
        return self.auc_a, self.auc_b

    def delta(self, measure: str | Measure = "auc") -> float:
        """Return the true difference of the AUCs, A's less B's."""
        a, b = self.psi(measure)
        return a - b

    def better_A(self, logits: float) -> AucScenario:
        """Make the AUC of A higher by so many logits, and leave the rest."""
        from scipy.special import expit, logit

        return replace(self, auc_a=float(expit(logit(self.auc_a) + logits)))

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        from stanoff.planning.telling import auc_scenario_parts

        return auc_scenario_parts(self)


@dataclass(frozen=True)
class FromAucs:
    """Scored documents of a scenario of two AUCs.

    Attributes
    ----------
    scenario : AucScenario
        What is true.
    n : int
        Documents per data set.
    """

    scenario: AucScenario
    n: int

    @property
    def alike(self) -> bool:
        """Whether its data sets hardly differ from each other."""
        return False

    def draw(self, size: int, rng: np.random.Generator) -> ScoreSets:
        """Draw so many data sets, each when its turn comes."""
        return ScoreSets(self.scenario, self.n, size, rng)


@dataclass(frozen=True, eq=False)
class ScoreSets:
    """Data sets of scored documents.

    Attributes
    ----------
    scenario : AucScenario
        What is true.
    n, size : int
        Documents per data set, and how many data sets.
    rng : Generator
        The source of randomness.
    """

    scenario: AucScenario
    n: int
    size: int
    rng: np.random.Generator

    def sets(self) -> Iterator[tuple[Array, Array]]:
        """Draw the scores of positives and of negatives (system, document), set by set.

        There are at most ``LARGE`` documents in each.
        """
        from scipy.special import ndtri

        true, rng = self.scenario, self.rng
        means = np.sqrt(2) * ndtri([true.auc_a, true.auc_b])  # AUC = Phi(mean / sqrt 2)
        left = np.sqrt(1 - true.correlation**2)
        n = min(self.n, LARGE)
        for _ in range(self.size):
            score = rng.standard_normal((2, n))
            score[1] = true.correlation * score[0] + left * score[1]
            positive = rng.binomial(n, true.positives)
            score[:, :positive] += means[:, None]
            yield score[:, :positive], score[:, positive:]

    def moments(self, prior: Priors) -> tuple[Array, Array]:
        """Return mean and standard deviation of delta under the weights model, by data set.

        A set without positives or without negatives says nothing: its deviation is infinite.
        """
        found = np.array([moments(pos, neg, prior) for pos, neg in self.sets()]).reshape(-1, 2)
        narrower = np.sqrt(max(1.0, self.n / LARGE))
        true = self.scenario.delta()
        return true + (found[:, 0] - true) / narrower, found[:, 1] / narrower

    def intervals(self, prior: Priors, hdi_prob: float) -> tuple[Array, Array]:
        """Return the ends of the HDI of delta, by data set; no difference of AUCs exceeds 1."""
        from scipy.special import ndtri

        mean, std = self.moments(prior)
        reach = ndtri((1 + hdi_prob) / 2) * std
        return np.maximum(mean - reach, -1.0), np.minimum(mean + reach, 1.0)


def moments(pos: Array, neg: Array, prior: Priors) -> tuple[float, float]:
    """Compute mean and standard deviation of the difference of two AUCs under the weights model.

    Each class has Dirichlet weights, to which its prior document adds, which may be any document.
    The mean is exact. The variance is that of the two classes' mean placements, as in DeLong's,
    without what only pairs of documents add: it is of the order 1/n of the rest.

    Parameters
    ----------
    pos, neg : ndarray
        The scores of positives and of negatives (system, document), without ties.
    prior : Prior
        The weights of the prior documents.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> from stanoff import Prior
    >>> mean, std = moments(rng.normal(1, 1, (2, 100)), rng.normal(0, 1, (2, 100)), Prior())
    >>> abs(mean) < 0.2, 0.03 < std < 0.06
    (True, True)
    """
    sizes = pos.shape[1], neg.shape[1]
    if not min(sizes):
        return 0.0, np.inf
    shared = single(prior)
    masses = [float(shared.weights(name, 1)[0]) for name in ("alpha_pos", "alpha_neg")]
    totals = [n * bootstrap_shape(n) for n in sizes]
    # which share of each class lies below each document: A's less B's (class, document)
    scores = np.concatenate([pos, neg], axis=1)
    below = np.stack([_below(scores, own) for own in (pos, neg)])
    every = sum(sizes)
    is_pos = np.arange(every) < sizes[0]
    weights = []
    for own, size, total, mass in zip((is_pos, ~is_pos), sizes, totals, masses, strict=True):
        weights.append((own * total / size + mass / every) / (total + mass))
    share_of_pos = [weight[is_pos].sum() for weight in weights]  # documents of a class are alike
    placed_pos, placed_neg = (share * below[0] + (1 - share) * below[1] for share in share_of_pos)
    mean = float(weights[0] @ placed_neg)
    variance = 0.0
    for weight, placed, total, mass in zip(
        weights, (placed_neg, placed_pos), totals, masses, strict=True
    ):
        variance += float(weight @ (placed - weight @ placed) ** 2) / (total + mass + 1)
    return mean, float(np.sqrt(variance))


def _below(scores: Array, own: Array) -> Array:
    """Return which share of a class A scores below each document, less what B does; ties halved."""
    shares = []
    for every, one in zip(scores, own, strict=True):
        ranked = np.sort(one)
        low, high = (np.searchsorted(ranked, every, side) for side in ("left", "right"))
        shares.append((low + high) / (2 * len(ranked)))
    return np.asarray(shares[0] - shares[1])


def as_auc_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what a scenario of two AUCs means: AUC, on the same documents; refuse others."""
    asked = {"measure": "auc", **options}
    if asked["measure"] != "auc":
        raise invalid("measure", "'auc' for a scenario of two AUCs", asked["measure"])
    if not asked.get("same_documents", True):
        raise invalid("same_documents", "True for AUC: both score the same documents", False)
    return asked
