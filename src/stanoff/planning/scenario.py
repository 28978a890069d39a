"""What may be true of two systems: a suspected state of the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from stanoff import measures
from stanoff._lib.arguments import check_float, check_probability
from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.errors import invalid, unknown

Array = NDArray[np.float64]
Four = tuple[float, ...]

# The two of section 4.1 of Zhang et al. (2016).
NAMED: dict[str, tuple[float, Four, Four]] = {
    "a": (0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3)),
    "b": (0.5, (0.3, 0.2, 0.2, 0.3), (0.3, 0.2, 0.2, 0.3)),
}


@dataclass(frozen=True, repr=False)
class Scenario(ReprMixin):
    """The probabilities that a document is positive, and of each outcome pair given its class.

    Attributes
    ----------
    mu : float
        Prevalence, the share of positive documents.
    theta_pos : tuple of float
        Probabilities that both, only A, only B and neither say yes to a positive document.
    theta_neg : tuple of float
        The same for a negative document.
    name : str
        What it is called in tables and figures.

    Examples
    --------
    >>> Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3)) == Scenario.named("a")
    True
    >>> round(Scenario.named("a").delta("f1"), 6)
    0.1
    """

    mu: float
    theta_pos: Four
    theta_neg: Four
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_probability("mu", self.mu)
        for parameter in ("theta_pos", "theta_neg"):
            rule = "four probabilities that sum to 1"
            shares = _check_shares(parameter, getattr(self, parameter), rule, 4)
            total = float(np.sum(shares))
            if abs(total - 1) > 1e-6:
                raise invalid(parameter, rule, getattr(self, parameter))
            object.__setattr__(self, parameter, tuple(share / total for share in shares))
        _check_name(self.name)

    @classmethod
    def named(cls, name: str) -> Scenario:
        """Look up a scenario of the paper: ``"a"``, A is better by 0.1 F1; ``"b"``, no difference.

        The paper calls the classifiers of both somewhat correlated. In (a) they are independent
        given the class, so that all a paired model gains there is that both share one prevalence.
        """
        if not isinstance(name, str) or name not in NAMED:
            raise unknown("scenario", name, NAMED)
        return cls(*NAMED[name], name=name)

    @classmethod
    def from_rates(
        cls,
        mu: float,
        *,
        rho_pos: Sequence[float],
        rho_neg: Sequence[float],
        correlation: float | Sequence[float] = 0.0,
        name: str = "",
    ) -> Scenario:
        """Build a scenario from how often each system says yes, and how alike they do it.

        Parameters
        ----------
        mu : float
            Prevalence.
        rho_pos : sequence of float
            How often A and B say yes to positive documents: their recalls.
        rho_neg : sequence of float
            How often A and B say yes to negative documents: their false positive rates.
        correlation : float or sequence of float
            Phi coefficient between the two answers given the class; one number, or one for positive
            and one for negative documents.
        name : str
            What it is called in tables and figures.

        Examples
        --------
        >>> Scenario.from_rates(0.5, rho_pos=(0.6, 0.5), rho_neg=(0.4, 0.5)).theta_pos
        (0.3, 0.3, 0.2, 0.2)
        """
        phis = (correlation, correlation) if isinstance(correlation, Real) else correlation
        rule = "a number from -1 to 1, or two of them"
        phi_pos, phi_neg = _check_shares("correlation", phis, rule, 2, least=-1.0)
        rule = "two numbers from 0 to 1, of A and of B"
        pos = _check_shares("rho_pos", rho_pos, rule, 2)
        neg = _check_shares("rho_neg", rho_neg, rule, 2)
        theta_pos = joint_probabilities("rho_pos", pos[0], pos[1], phi_pos)
        theta_neg = joint_probabilities("rho_neg", neg[0], neg[1], phi_neg)
        return cls(mu, theta_pos, theta_neg, name)

    @property
    def probabilities(self) -> Array:
        """Of the eight kinds of documents: the outcome pairs of positives, then of negatives."""
        pos, neg = np.array(self.theta_pos), np.array(self.theta_neg)
        return np.concatenate([self.mu * pos, (1 - self.mu) * neg])

    @property
    def rho_pos(self) -> tuple[float, float]:
        """How often A and B say yes to positive documents."""
        return _margins(self.theta_pos)

    @property
    def rho_neg(self) -> tuple[float, float]:
        """How often A and B say yes to negative documents."""
        return _margins(self.theta_neg)

    @property
    def correlation(self) -> tuple[float, float]:
        """The phi coefficients on positive and on negative documents; 0 where one is constant."""
        return _phi(self.theta_pos), _phi(self.theta_neg)

    @property
    def cells(self) -> Array:
        """tp, fp, fn, tn of A and of B, as shares of all documents (2, 4)."""
        tp, fp = self.mu * np.array(self.rho_pos), (1 - self.mu) * np.array(self.rho_neg)
        return np.stack([tp, fp, self.mu - tp, 1 - self.mu - fp], axis=1)

    def psi(self, measure: str | measures.Measure = "f1", **settings: Any) -> tuple[float, float]:
        """Return the true scores of A and of B.

        Parameters
        ----------
        measure : str or measures.Measure
            Its name, or a :class:`stanoff.measures.Measure`.
        **settings
            ``beta``, ``zero_division``, ``prevalence``, as in :func:`stanoff.compare`.
        """
        if not isinstance(measure, measures.Measure):
            measure = measures.get(measure, **settings)
        a, b = measure(self.cells).tolist()
        return a, b

    def delta(self, measure: str | measures.Measure = "f1", **settings: Any) -> float:
        """Return the true difference of the scores, A's less B's; see :meth:`psi`."""
        a, b = self.psi(measure, **settings)
        return a - b

    def shift_a(self, logits: float) -> Scenario:
        """Make A better at both classes by so many logits, and leave B and the prevalence.

        The correlation stays as it is, or goes to the nearest that is possible.
        """
        thetas = []
        rates = zip((self.rho_pos, self.rho_neg), self.correlation, (1, -1), strict=True)
        for (a, b), phi, sign in rates:
            shifted = _shift(a, sign * logits)
            phi = float(np.clip(phi, *phi_bounds(shifted, b)))
            thetas.append(joint_probabilities("rho", shifted, b, phi))
        return Scenario(self.mu, thetas[0], thetas[1], self.name)

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        a, b = self.psi("f1")
        shares = [[*self.theta_pos, *self.rho_pos], [*self.theta_neg, *self.rho_neg]]
        table = pd.DataFrame(shares, columns=["both", "only A", "only B", "neither", "A", "B"])
        table = table.map(lambda share: f"{100 * share:.3g} %")
        table.insert(0, "documents", ["positive", "negative"])
        table["correlation"] = [f"{phi:+.3f}" for phi in self.correlation]
        return [
            f"{_title(self)}: {100 * self.mu:.3g} % of the documents are positive. The F1 of A "
            f"is {a:.3f}, that of B {b:.3f}, the difference {a - b:+.3f}. How often they say yes:",
            table,
        ]


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
    positives: float = 0.5
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("auc_a", "auc_b", "positives"):
            check_probability(name, getattr(self, name))
        rule = "a number from -1 to 1"
        if not -1 <= check_float("correlation", self.correlation, rule) <= 1:
            raise invalid("correlation", rule, self.correlation)
        _check_name(self.name)

    def psi(self, measure: str | measures.Measure = "auc") -> tuple[float, float]:
        """Return the true AUCs of A and of B."""
        name = measure.name if isinstance(measure, measures.Measure) else measure
        if name != "auc":
            raise invalid("measure", "'auc' for a scenario of two AUCs", name)
        return self.auc_a, self.auc_b

    def delta(self, measure: str | measures.Measure = "auc") -> float:
        """Return the true difference of the AUCs, A's less B's."""
        a, b = self.psi(measure)
        return a - b

    def shift_a(self, logits: float) -> AucScenario:
        """Make the AUC of A higher by so many logits, and leave the rest."""
        return replace(self, auc_a=_shift(self.auc_a, logits))

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return [
            f"{_title(self)}: {100 * self.positives:.3g} % of the documents are positive. The "
            f"AUC of A is {self.auc_a:.3f}, that of B {self.auc_b:.3f}, the difference "
            f"{self.delta():+.3f}. The scores of a class correlate by {self.correlation:.3g}."
        ]


AnyScenario = Scenario | AucScenario


def check_scenario(scenario: Any) -> AnyScenario:
    """Read a scenario, or the name of one."""
    if isinstance(scenario, AnyScenario):
        return scenario
    if isinstance(scenario, str):
        return Scenario.named(scenario)
    raise invalid("scenario", "a stanoff.Scenario, an AucScenario or a name", scenario)


def joint_probabilities(parameter: str, a: float, b: float, phi: float) -> Four:
    """Return the probabilities of the outcome pairs of two answers with correlation phi."""
    low, high = phi_bounds(a, b)
    if not low - 1e-9 <= phi <= high + 1e-9:
        rule = (
            f"from {low:.4g} to {high:.4g} where A and B say yes with probability {a:g} and {b:g} "
            f"({parameter}=)"
        )
        raise invalid("correlation", rule, phi)
    both = a * b + phi * np.sqrt(a * (1 - a) * b * (1 - b))
    both = float(np.clip(both, max(0.0, a + b - 1), min(a, b)))
    pairs = [both, a - both, b - both, max(0.0, 1 - a - b + both)]
    return tuple(round(p, 15) + 0.0 for p in pairs)  # 0.3, not 0.30000000000004


def phi_bounds(a: float, b: float) -> tuple[float, float]:
    """Return the least and the greatest correlation of two yes-no answers (Fréchet's bounds).

    Examples
    --------
    >>> low, high = phi_bounds(0.9, 0.8)
    >>> round(low, 3), round(high, 3)
    (-0.167, 0.667)
    """
    spread = float(np.sqrt(a * (1 - a) * b * (1 - b)))
    if spread == 0:
        return 0.0, 0.0
    low, high = (max(0.0, a + b - 1) - a * b) / spread, (min(a, b) - a * b) / spread
    return max(-1.0, low), min(1.0, high)  # rounding may lead beyond


def _margins(theta: Four) -> tuple[float, float]:
    return theta[0] + theta[1], theta[0] + theta[2]


def _phi(theta: Four) -> float:
    a, b = _margins(theta)
    spread = float(np.sqrt(max(0.0, a * (1 - a) * b * (1 - b))))
    return (theta[0] - a * b) / spread if spread > 0 else 0.0


def _shift(rate: float, logits: float) -> float:
    return float(scipy.special.expit(scipy.special.logit(rate) + logits))


def _title(scenario: AnyScenario) -> str:
    return f"Scenario {shown(scenario.name)}" if scenario.name else "Scenario"


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise invalid("name", "text", name)


def _check_shares(
    parameter: str, values: Any, rule: str, size: int, *, least: float = 0.0
) -> list[float]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise invalid(parameter, rule, values) from None
    if array.shape != (size,) or not ((array >= least) & (array <= 1)).all():
        raise invalid(parameter, rule, values)
    return [float(share) for share in array]
