"""How much of a verdict is due to the prior and to the ROPE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff import models
from stanoff._lib.arguments import Interval, as_rope
from stanoff._lib.showing import ReprMixin
from stanoff.errors import invalid
from stanoff.inference.decision import Decision, decide, rope_flips
from stanoff.inference.evidence import Evidence
from stanoff.inference.factors import mass_within
from stanoff.models.custom import CustomModel
from stanoff.models.priors import Prior, as_prior
from stanoff.question import Sampling

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison


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
    """

    category: str
    priors: pd.DataFrame
    ropes: pd.DataFrame
    flips: tuple[tuple[float, Decision, Decision], ...]

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
    """Judge again under other priors and other ROPEs.

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
    said = result.evidence(category)
    chosen: Mapping[str, Any] = result.model.priors
    if priors is not None:
        if not isinstance(priors, Mapping) or not priors:
            raise invalid("priors", "a mapping of names to stanoff.Prior", priors)
        chosen = priors
    rows = []
    for name, prior in chosen.items():
        e = _refit(result, prior).evidence(said.category)
        hdi = {"hdi_low": e.hdi[0], "hdi_high": e.hdi[1]}
        rows.append(
            {
                "prior": name,
                "mean": e.mean,
                "std": e.std,
                **hdi,
                "p_rope": e.p_rope,
                "decision": str(e.decision),
            }
        )
    flips = rope_flips(said, higher_is_better=result.measure.higher_is_better)
    if ropes is None:
        widest = max([said.rope[1] - said.rope[0], *(1.25 * width for width, *_ in flips)])
        ropes = np.linspace(0, widest, 21).tolist()
    return Sensitivity(said.category, pd.DataFrame(rows), over_ropes(result, said, ropes), flips)


def over_ropes(result: Comparison, said: Evidence, ropes: Sequence[float]) -> pd.DataFrame:
    """Judge again under ROPEs of these half-widths, with the same middle: a row for each."""
    if isinstance(ropes, str) or not isinstance(ropes, Iterable):
        raise invalid("ropes", "a list of half-widths", ropes)
    delta = result.posterior_sample(said.category)
    middle = (said.rope[0] + said.rope[1]) / 2
    rows: list[dict[str, Any]] = []
    for width in ropes:
        if not isinstance(width, Real):
            raise invalid("ropes", "a list of half-widths", width)
        half = as_rope(width)[1]
        rope: Interval = (middle - half, middle + half)
        p_below, p_rope = float(np.mean(delta < rope[0])), mass_within(delta, rope)
        better = result.measure.higher_is_better
        rows.append(
            {
                "half_width": half,
                "p_below": p_below,
                "p_rope": p_rope,
                "p_above": 1 - p_below - p_rope,
                "decision": str(decide(said.hdi, rope, higher_is_better=better)),
            }
        )
    return pd.DataFrame(rows)


def _refit(result: Comparison, prior: Prior) -> Comparison:
    """Fit the same data again with another prior, by conjugacy where that is possible."""
    from stanoff.fit import fit

    engine = "exact" if result.model.is_conjugate else "stan"
    chains, draws = result.fit.draws.shape if result.engine == engine else (None, None)
    model = models.get(
        result.model.stan_file if result.model.custom else result.model.name
    )  # a program may have changed
    if isinstance(model, CustomModel) and isinstance(result.model, CustomModel):
        model = model.with_data(result.model.user_data)
    sampling = Sampling(
        model=model,
        prior=as_prior(prior),
        engine=engine,
        chains=chains,
        draws=draws,
        warmup=None,
        seed=result.seed,
    )
    return fit(result.data, result.question, sampling).between(*result.names, result.question)
