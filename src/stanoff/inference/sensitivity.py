"""How much of a verdict is due to the prior and to the ROPE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff import models
from stanoff._lib.arguments import as_rope
from stanoff._lib.showing import ReprMixin
from stanoff.errors import invalid
from stanoff.inference.correlation import over_correlations
from stanoff.inference.decision import Decision, decide, rope_flips
from stanoff.inference.evidence import Evidence
from stanoff.models.custom import CustomModel
from stanoff.models.priors import Prior, as_prior
from stanoff.question import Sampling

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

PRIOR_COLUMNS = ["prior", "mean", "std", "hdi_low", "hdi_high", "p_rope", "decision"]
ROPE_COLUMNS = ["half_width", "p_below", "p_rope", "p_above", "decision"]
N_ROPES = 21  # of the table, by default


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(ReprMixin):
    """What would have been said under other priors and other ROPEs.

    Attributes
    ----------
    category : str
        What it is about.
    priors : DataFrame
        A row per prior: mean, std, hdi_low, hdi_high, p_rope, decision.
    ropes : DataFrame
        A row per half-width: p_below, p_rope, p_above, decision.
    flips : tuple of tuple
        Half-widths of the ROPE at which the decision changes, each with what it is below and from
        there on.
    correlations : DataFrame or None
        Of scores of folds, a row per correlation of the folds: rho, hdi_low, hdi_high, p_below,
        p_rope, p_above, decision.
    correlation_flips : tuple of tuple
        Correlations at which the decision changes, each with what it is below and from there on.
    """

    category: str
    priors: pd.DataFrame
    ropes: pd.DataFrame
    flips: tuple[tuple[float, Decision, Decision], ...]
    correlations: pd.DataFrame | None = None
    correlation_flips: tuple[tuple[float, Decision, Decision], ...] = ()

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        from stanoff.text.sentences import sensitivity_blocks

        return sensitivity_blocks(self)


def sensitivity(
    result: Comparison,
    category: str | None = None,
    *,
    priors: Mapping[str, Prior] | None = None,
    ropes: Sequence[float] | None = None,
) -> Sensitivity:
    """Describe what other priors and ROPEs would have said, and where the decision flips.

    Parameters
    ----------
    result : Comparison
        A comparison; it is fitted again for every prior, by conjugacy where that is possible.
    category : str, optional
        One of its categories or averages; the one decided upon by default.
    priors : mapping, optional
        Priors by name; uniform, Jeffreys and Perks by default.
    ropes : sequence of float, optional
        Half-widths around the middle of the comparison's ROPE; from 0 to beyond the last flip by
        default.
    """
    evidence = result.evidence(category)
    if priors is not None and (not isinstance(priors, Mapping) or not priors):
        raise invalid("priors", "a mapping of names to stanoff.Prior", priors)
    named_priors: Mapping[str, Any] = models.priors_of(result.model) if priors is None else priors
    rows = [
        {"prior": name} | _with_prior(result, prior).evidence(evidence.category).as_row()
        for name, prior in named_priors.items()
    ]
    flips = rope_flips(evidence, higher_is_better=result.measure.higher_is_better)
    if ropes is None:
        widest = max([evidence.rope[1] - evidence.rope[0], *(1.25 * width for width, *_ in flips)])
        ropes = np.linspace(0, widest, N_ROPES).tolist()
    return Sensitivity(
        evidence.category,
        pd.DataFrame(rows, columns=PRIOR_COLUMNS),
        over_ropes(result, evidence, ropes),
        flips,
        *(over_correlations(result) or ()),
    )


def over_ropes(result: Comparison, evidence: Evidence, ropes: Sequence[float]) -> pd.DataFrame:
    """Judge again under ROPEs of these half-widths, with the same middle: a row for each."""
    if isinstance(ropes, str) or not isinstance(ropes, Iterable):
        raise invalid("ropes", "a list of half-widths", ropes)
    delta = result.posterior_sample(evidence.category)
    middle = (evidence.rope[0] + evidence.rope[1]) / 2
    rows: list[tuple[float, float, float, float, str]] = []
    for half_width in ropes:
        if not isinstance(half_width, Real):
            raise invalid("ropes", "a list of half-widths", half_width)
        half = as_rope(half_width)[1]
        low, high = middle - half, middle + half
        p_below, p_rope = np.mean(delta < low), np.mean((delta >= low) & (delta <= high))
        better = result.measure.higher_is_better
        decision = str(decide(evidence.hdi, (low, high), higher_is_better=better))
        rows.append((half, p_below, p_rope, 1 - p_below - p_rope, decision))
    return pd.DataFrame(rows, columns=ROPE_COLUMNS)


def _with_prior(result: Comparison, prior: Prior) -> Comparison:
    """Fit the same data again with another prior, by conjugacy where that is possible."""
    engine = "exact" if models.is_conjugate(result.model) else "stan"
    chains, draws = result.fit.draws.shape if result.engine == engine else (None, None)
    custom = isinstance(result.model, CustomModel)
    # A program may have changed.
    model = models.get(result.model.stan_file if custom else result.model.name)
    if isinstance(model, CustomModel) and isinstance(result.model, CustomModel):
        model = model.with_data(result.model.user_data)
    sampling = Sampling(model, as_prior(prior), engine, chains, draws, seed=result.seed)
    return result.refit(sampling)
