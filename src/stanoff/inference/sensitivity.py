"""How much of a verdict is due to the prior, to the ROPE and to the correlation of folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff import models
from stanoff._lib.arguments import as_rope
from stanoff._lib.showing import ReprMixin
from stanoff.data.folds import FoldValues
from stanoff.errors import invalid
from stanoff.inference.decision import Decision, decide, rope_flips
from stanoff.inference.evidence import Evidence, summarize_rows
from stanoff.inference.posterior import StudentTPosterior
from stanoff.models.custom import CustomModel
from stanoff.models.priors import Prior, as_prior
from stanoff.question import Sampling

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

PRIOR_COLUMNS = ["prior", "mean", "std", "hdi_low", "hdi_high", "p_rope", "decision"]
ROPE_COLUMNS = ["half_width", "p_below", "p_rope", "p_above", "decision"]
RHO_COLUMNS = ["rho", "hdi_low", "hdi_high", "p_below", "p_rope", "p_above", "decision"]
N_ROPES = 21  # of the table, by default
MAX_RHO, STEP = 0.5, 0.05
N_STEPS = 100  # between which a flip is looked for
PRECISION = 1e-4
Flips = tuple[tuple[float, Decision, Decision], ...]


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
    flips: Flips
    correlations: pd.DataFrame | None = None
    correlation_flips: Flips = ()

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
    if not isinstance(ropes, Iterable) or not all(isinstance(width, Real) for width in ropes):
        raise invalid("ropes", "a list of half-widths", ropes)
    delta = result.posterior_sample(evidence.category)
    middle, better = sum(evidence.rope) / 2, result.measure.higher_is_better
    rows = []
    for half in (as_rope(half_width)[1] for half_width in ropes):
        rope = middle - half, middle + half
        below, above = float(np.mean(delta < rope[0])), float(np.mean(delta > rope[1]))
        inside = float(np.mean((delta >= rope[0]) & (delta <= rope[1])))
        decision = str(decide(evidence.hdi, rope, higher_is_better=better))
        rows.append((half, below, inside, above, decision))
    return pd.DataFrame(rows, columns=ROPE_COLUMNS)


def over_correlations(result: Comparison) -> tuple[pd.DataFrame, Flips] | None:
    """Judge again under correlations of the folds from 0 to 0.5.

    The correlation is not learned from the scores: n_test / (n_test + n_train) is a rule. Learners
    that vary much with their training set have more of it.

    Parameters
    ----------
    result : Comparison
        Of scores of folds of one data set.

    Returns
    -------
    tuple or None
        A row per correlation, with that of the comparison among them; and the correlations at which
        the decision changes, each with what it is below and from there on. None where the posterior
        is no t.
    """
    data = result.data
    if type(data) is not FoldValues or not _under_correlation(result, data.rho):
        return None
    rhos = sorted({*np.arange(0, MAX_RHO + STEP / 2, STEP).round(6).tolist(), data.rho})
    rows = [{"rho": rho} | _under_correlation(result, rho) for rho in rhos]
    flips = []
    grid = np.linspace(0, MAX_RHO, N_STEPS + 1).tolist()
    decisions = [_under_correlation(result, rho)["decision"] for rho in grid]
    for ends, (before, after) in zip(pairwise(grid), pairwise(decisions), strict=True):
        low, high = ends
        while before != after and high - low > PRECISION:
            middle = (low + high) / 2
            same = _under_correlation(result, middle)["decision"] == before
            low, high = (middle, high) if same else (low, middle)
        if before != after:
            flips.append((high, Decision(before), Decision(after)))
    return pd.DataFrame(rows, columns=RHO_COLUMNS), tuple(flips)


def _under_correlation(result: Comparison, rho: float) -> dict[str, Any]:
    """Judge as if the correlation were another one; nothing where the posterior is no t."""
    other = replace(result.data, test_share=np.array([rho]))  # type: ignore[call-arg]
    first, second = (np.array([index]) for index in result.pair)
    student_t = result.model.closed_form(other, result.prior, first, second)
    if student_t is None:
        return {}
    columns = summarize_rows(StudentTPosterior(*student_t[0]), **result.decision_rule)
    return {name: values.item() for name, values in columns.items()}


def _with_prior(result: Comparison, prior: Prior) -> Comparison:
    """Fit the same data again with another prior, by conjugacy where that is possible."""
    engine = "exact" if models.is_conjugate(result.model) else "stan"
    chains, draws = result.fit.draws.shape if result.engine == engine else (None, None)
    model = result.model
    if isinstance(model, CustomModel):
        again = models.get(model.stan_file)  # the program may have changed
        assert isinstance(again, CustomModel)
        model = again.with_data(model.user_data)
    sampling = Sampling(model, as_prior(prior), engine, chains, draws, seed=result.seed)
    return result.refit(sampling)
