"""How much of a verdict is due to the prior and to the ROPE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from stanoff.decision import Decision, Interval, as_rope, decide, rope_flips
from stanoff.errors import invalid
from stanoff.evidence import Evidence, mass_within
from stanoff.fitting import fit
from stanoff.measures import MEASURES, Measure
from stanoff.priors import Prior
from stanoff.result import Comparison

MASSES = {f"mass {mass:g}": Prior(mass=mass) for mass in (0.5, 1.0, 2.0)}  # of the joint model
PRIORS = {"uniform": Prior.uniform(), "jeffreys": Prior.jeffreys(), "perks": Prior.perks()}


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """What would have been said under other priors and other ROPEs.

    Attributes
    ----------
    category : what it is about
    priors : a row per prior: mean, std, hdi_low, hdi_high, p_rope, decision
    ropes : a row per half-width: p_below, p_rope, p_above, decision
    flips : half-widths of the ROPE at which the decision changes, each with what it is below and
        from there on
    """

    category: str
    priors: pd.DataFrame
    ropes: pd.DataFrame
    flips: tuple[tuple[float, Decision, Decision], ...]

    def __str__(self) -> str:
        told = [str(self.priors.to_string(index=False)), str(self.ropes.to_string(index=False))]
        for width, before, after in self.flips:
            told.append(f"The decision turns from {before} to {after} at a ROPE of ±{width:.4f}.")
        return "\n\n".join(told)


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
    result : a comparison; it is fitted again for every prior, by conjugacy where that is possible
    category : one of its categories or averages; the one decided upon unless told
    priors : priors by name; uniform, Jeffreys and Perks unless told
    ropes : half-widths around the middle of the comparison's ROPE; from 0 to beyond the last
        flip unless told
    """
    said = result.evidence(category)
    chosen: Mapping[str, Any] = MASSES if result.model.name == "joint" else PRIORS
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
    flips = rope_flips(said, higher_is_better=result.measure_used.higher_is_better)
    if ropes is None:
        widest = max([said.rope[1] - said.rope[0], *(1.25 * width for width, *_ in flips)])
        ropes = np.linspace(0, widest, 21).tolist()
    return Sensitivity(said.category, pd.DataFrame(rows), over_ropes(result, said, ropes), flips)


def over_ropes(result: Comparison, said: Evidence, ropes: Sequence[float]) -> pd.DataFrame:
    """Judge again under ROPEs of these half-widths, with the same middle: a row for each."""
    if isinstance(ropes, str) or not isinstance(ropes, Iterable):
        raise invalid("ropes", "a list of half-widths", ropes)
    delta = result.row_draws("posterior", "delta", said.category)
    middle = (said.rope[0] + said.rope[1]) / 2
    rows: list[dict[str, Any]] = []
    for width in ropes:
        if not isinstance(width, Real):
            raise invalid("ropes", "a list of half-widths", width)
        half = as_rope(width)[1]
        rope: Interval = (middle - half, middle + half)
        p_below, p_rope = float(np.mean(delta < rope[0])), mass_within(delta, rope)
        better = result.measure_used.higher_is_better
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


def _refit(result: Comparison, prior: Any) -> Comparison:
    measure = result.measure_used
    settings: dict[str, Any] = {"engine": "exact" if result.model.exact else "stan"}
    if result.engine == settings["engine"]:
        chains, draws = result.draws.posterior["delta"].shape[:2]
        settings |= {"chains": chains, "draws": draws}
    return fit(
        result.counts,
        measure=_name_of(measure),
        beta=measure.beta,
        zero_division=measure.zero_division,
        prevalence=measure.prevalence,
        average=result.average,
        rope=result.rope_used,
        hdi=result.hdi_used,
        model=result.model.file or result.model.name,
        prior=prior,
        seed=result.seed,
        names=result.names,
        **settings,
    )


def _name_of(measure: Measure) -> str:
    """Find what a measure is registered as; a user's program may have another name for it."""
    named = {known.code: known.name for known in MEASURES.values()}
    return measure.name if measure.code is None else named[measure.code]
