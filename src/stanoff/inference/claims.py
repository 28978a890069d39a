"""Claims that people want to make: not worse by more than a margin, or better by one."""

from __future__ import annotations

from dataclasses import dataclass

from stanoff.inference.posterior import Posterior


@dataclass(frozen=True)
class Claim:
    """That a candidate is not worse than a baseline by more than a margin, or better by more.

    Attributes
    ----------
    category : str
        The row of the summary that it is about.
    candidate, baseline : str
        The systems.
    option : str
        ``"not_worse_by"`` or ``"better_by"``.
    margin : float
        In the unit of the score.
    probability : float
        Of the claim.
    holds : bool
        Whether the whole HDI says so.
    """

    category: str
    candidate: str
    baseline: str
    option: str
    margin: float
    probability: float
    holds: bool


def claim_of(
    posterior: Posterior,
    about: tuple[str, str, str],
    option: str,
    margin: float,
    *,
    hdi_prob: float,
    higher_is_better: bool,
) -> Claim:
    """Judge a claim by the posterior of the difference, candidate minus baseline.

    What it is ``about`` is the category, the candidate and the baseline.

    Examples
    --------
    >>> import numpy as np
    >>> from stanoff.inference.posterior import StudentTPosterior
    >>> posterior = StudentTPosterior(49.0, np.zeros(1), np.array([0.01]))
    >>> rule = {"hdi_prob": 0.95, "higher_is_better": True}
    >>> claim_of(posterior, ("1", "A", "B"), "not_worse_by", 0.03, **rule).holds
    True
    >>> claim_of(posterior, ("1", "A", "B"), "better_by", 0.03, **rule).holds
    False
    """
    low, high = (float(end[0]) for end in posterior.hdi(hdi_prob))
    least = -margin if option == "not_worse_by" else margin  # of what is good
    if higher_is_better:
        probability, holds = posterior.above(least), low > least
    else:
        probability, holds = posterior.below(-least), high < -least
    return Claim(*about, option, margin, float(probability[0]), holds)
