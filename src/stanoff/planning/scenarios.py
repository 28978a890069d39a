"""What may be true of two classifiers: a suspected state of the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff import measures
from stanoff._lib.showing import ReprMixin
from stanoff.errors import InputError, invalid, unknown
from stanoff.planning.aucs import AucScenario

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Four = tuple[float, float, float, float]

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
        object.__setattr__(self, "mu", _probability("mu", self.mu))
        for part in ("theta_pos", "theta_neg"):
            object.__setattr__(self, part, _simplex(part, getattr(self, part)))
        if not isinstance(self.name, str):
            raise invalid("name", "text", self.name)

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
        """Build a scenario from how often each classifier says yes, and how alike they do it.

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
        phi_pos, phi_neg = _two("correlation", phis, least=-1.0)
        return cls(
            mu,
            joined("rho_pos", *_two("rho_pos", rho_pos), phi_pos),
            joined("rho_neg", *_two("rho_neg", rho_neg), phi_neg),
            name,
        )

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
        yes_pos, yes_neg = np.array(self.rho_pos), np.array(self.rho_neg)
        tp, fp = self.mu * yes_pos, (1 - self.mu) * yes_neg
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
        chosen = (
            measure if isinstance(measure, measures.Measure) else measures.get(measure, **settings)
        )
        a, b = chosen(self.cells)
        return float(a), float(b)

    def delta(self, measure: str | measures.Measure = "f1", **settings: Any) -> float:
        """Return the true difference of the scores, A's less B's; see :meth:`psi`."""
        a, b = self.psi(measure, **settings)
        return a - b

    def better_A(self, logits: float) -> Scenario:
        """Make A better at both classes by so many logits, and leave B and the prevalence.

        The correlation stays as it is, or goes to the nearest that is possible.
        """
        from scipy.special import expit, logit

        rates = (
            (float(expit(logit(self.rho_pos[0]) + logits)), self.rho_pos[1]),
            (float(expit(logit(self.rho_neg[0]) - logits)), self.rho_neg[1]),
        )
        phis = [
            float(np.clip(phi, *phi_bounds(*pair)))
            for pair, phi in zip(rates, self.correlation, strict=True)
        ]
        moved = [joined("rho", *pair, phi) for pair, phi in zip(rates, phis, strict=True)]
        return Scenario(self.mu, moved[0], moved[1], self.name)

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        from stanoff.planning.telling import scenario_parts

        return scenario_parts(self)


def as_scenario(scenario: Any) -> Scenario | AucScenario:
    """Read a scenario, or the name of one."""
    if isinstance(scenario, Scenario | AucScenario):
        return scenario
    if isinstance(scenario, str):
        return Scenario.named(scenario)
    raise invalid("scenario", "a stanoff.Scenario, an AucScenario or a name", scenario)


def joined(parameter: str, a: float, b: float, phi: float) -> Four:
    """Return the probabilities of the outcome pairs of two answers with correlation phi."""
    low, high = phi_bounds(a, b)
    if not low - 1e-9 <= phi <= high + 1e-9:
        raise InputError(
            f"The 'correlation' parameter must be from {low:.4g} to {high:.4g} where A and B say "
            f"yes with probability {a:g} and {b:g} ({parameter}). Got {phi!r} instead."
        )
    both = a * b + phi * np.sqrt(a * (1 - a) * b * (1 - b))
    both = float(np.clip(both, max(0.0, a + b - 1), min(a, b)))
    four = [both, a - both, b - both, max(0.0, 1 - a - b + both)]
    rounded = [round(p, 15) + 0.0 for p in four]  # 0.3, not 0.30000000000000004
    return rounded[0], rounded[1], rounded[2], rounded[3]


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


def _probability(parameter: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise invalid(parameter, "a number between 0 and 1, both excluded", value)
    return float(value)


def _numbers(parameter: str, values: Any, rule: str) -> Array:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid(parameter, rule, values) from None
    if not np.isfinite(array).all():
        raise invalid(parameter, rule, values)
    return array


def _simplex(parameter: str, values: Any) -> Four:
    rule = "four probabilities that sum to 1"
    array = _numbers(parameter, values, rule)
    if array.shape != (4,) or (array < 0).any() or abs(array.sum() - 1) > 1e-6:
        raise invalid(parameter, rule, values)
    both, only_a, only_b, neither = (array if array.sum() == 1 else array / array.sum()).tolist()
    return both, only_a, only_b, neither


def _two(parameter: str, values: Any, least: float = 0.0) -> tuple[float, float]:
    rule = f"two numbers from {least:g} to 1, of A and of B"
    if least < 0:
        rule = "a number from -1 to 1, or two of them"
    array = _numbers(parameter, values, rule)
    if array.shape != (2,) or (array < least).any() or (array > 1).any():
        raise invalid(parameter, rule, values)
    return float(array[0]), float(array[1])
