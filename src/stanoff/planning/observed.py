"""Planning from what was observed: its scenario, and how many more documents would settle it."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import pandas as pd

from stanoff.counts import PairedCounts, UnpairedCounts
from stanoff.decision import Decision, as_probability, as_rope
from stanoff.engines import many
from stanoff.errors import InputError, unknown
from stanoff.planning.answers import Answer, Plan, frame_of
from stanoff.planning.goals import goal_label
from stanoff.planning.judging import DECISIONS, rows
from stanoff.planning.plan import STEP, as_levels, as_most, settling
from stanoff.planning.scenarios import Scenario
from stanoff.planning.search import Search
from stanoff.planning.settings import Options, settings
from stanoff.planning.simulation import AnyCounts, posterior_source
from stanoff.priors import Prior, Priors
from stanoff.result import Comparison
from stanoff.words import documents, what_is_judged


def scenario_of(result: Comparison, category: str | None = None) -> Scenario:
    """Return the posterior means of a comparison as a scenario; :class:`Comparison` explains it."""
    name = _category(result, category)
    row = result.counts.categories.index(name)
    drawn, counts = result.draws.posterior, _row(result, row)
    called = f"of {result.names[0]} and {result.names[1]}"
    if {"mu", "theta_pos", "theta_neg"} <= set(drawn):
        mu, pos, neg = (
            drawn[part][:, :, row].mean(axis=(0, 1)) for part in ("mu", "theta_pos", "theta_neg")
        )
        return Scenario(float(mu), tuple(pos), tuple(neg), called)
    if isinstance(counts, PairedCounts):
        pos, neg = counts.pos[0] + 1, counts.neg[0] + 1  # posterior means under the uniform prior
        mu = (counts.pos.sum() + 1) / (counts.pos.sum() + counts.neg.sum() + 2)
        return Scenario(float(mu), tuple(pos / pos.sum()), tuple(neg / neg.sum()), called)
    tp, fp, fn, tn = np.stack([counts.cells_A[0], counts.cells_B[0]], axis=1)
    mu = ((tp + fn).sum() + 1) / ((tp + fp + fn + tn).sum() + 2)
    rho_pos, rho_neg = (tp + 1) / (tp + fn + 2), (fp + 1) / (fp + tn + 2)
    return Scenario.from_rates(float(mu), rho_pos=rho_pos, rho_neg=rho_neg, name=called)


def more_documents(
    result: Comparison,
    category: str | None = None,
    *,
    goal: Any = "settled",
    assurance: Any = 0.8,
    most: int = 1_000_000,
    **options: Unpack[Options],
) -> Plan:
    """Tell how many more documents settle a comparison; :class:`Comparison` explains it."""
    name = _category(result, category)
    if result.model.name not in many.SAMPLERS:
        raise InputError(
            f"There is no plan for the model {result.model.name!r}, whose categories hang together "
            "or are not conjugate: compare this category by model='paired' or 'unpaired' and ask "
            "that comparison."
        )
    wanted, levels, top = settling(goal), as_levels(assurance), as_most(most)
    row = result.counts.categories.index(name)
    counts = _row(result, row)
    rope = as_rope(options.get("rope", result.rope_used))
    hdi = as_probability("hdi", options.get("hdi", result.hdi_used))
    said = result.evidence(name, rope=rope, hdi=hdi)
    measure = result.measure_used
    _refuse_others(options)
    given: Options = {
        "measure": measure.name,
        "beta": measure.beta,
        "zero_division": measure.zero_division,
        "prevalence": measure.prevalence,
        "prior": result.prior,
        "same_documents": isinstance(counts, PairedCounts),
        "seed": result.seed,
    }
    given.update(options)
    given.update({"rope": rope, "hdi": hdi})
    chosen = settings(result.model.name, **given)
    prior = _prior_of_documents(result, counts)
    search = Search(lambda x: posterior_source(counts, prior, int(x)), chosen, wanted, whole=True)
    reached = said.decision in wanted
    if reached:
        rates = {str(d): float(d == said.decision) for d in DECISIONS}
        answers = tuple(Answer(level, 0, 0, 0, rates) for level in levels)
        curve = pd.DataFrame([{"more": 0, "power": 1.0, "se": 0.0, **rates, "datasets": 0}])
    else:
        least = max(1, max(int(counts.cells_A.sum()), int(counts.cells_B.sum())) // 64)
        grid = sorted({1, top} | {x for x in (least * STEP**i for i in range(30)) if x < top})
        answers = tuple(
            Answer.of(level, found, search.seen, whole=True)
            for level, found in zip(levels, search.run(grid, levels), strict=True)
        )
        curve = frame_of("more", search)
    return Plan(
        question="more documents",
        goal=goal_label(wanted),
        answers=answers,
        curve=curve,
        judge=chosen.judges[0],
        measure=measure.label,
        facts={
            "names": result.names,
            "decision": said.decision,
            "documents": documents(result, name),
            "judged": what_is_judged(result, name),
            "reached": reached,
            "limit": _limit(said, wanted, measure.higher_is_better),
            "most": top,
            "same_documents": isinstance(counts, PairedCounts),
        },
        warnings=tuple(search.warned),
        seed=chosen.seed,
    )


def _category(result: Comparison, category: str | None) -> str:
    known = result.counts.categories
    if category is None and len(known) == 1:
        return known[0]
    if category is None or category in set(result.categories) - set(known):
        what = "an average" if result.average or category else "several categories at once"
        raise InputError(
            f"There is no plan for {what}, for a scenario is about one category against the rest: "
            f"name a category, one of {', '.join(known)}."
        )
    if category not in known:
        raise unknown("category", category, known)
    return category


def _row(result: Comparison, row: int) -> AnyCounts:
    counts = result.counts
    if not isinstance(counts, (PairedCounts, UnpairedCounts)):
        counts = counts.paired
    return rows(counts, slice(row, row + 1))


def _prior_of_documents(result: Comparison, counts: AnyCounts) -> Priors:
    """Return the prior of what documents will be like.

    The unpaired model knows nothing of how its two classifiers go together; where they were
    judged on the same documents, the paired model with the uniform prior tells that.
    """
    mismatch = result.model.name == many.UNPAIRED and isinstance(counts, PairedCounts)
    return Prior.uniform() if mismatch else result.prior


def _refuse_others(options: Options) -> None:
    fixed = {"measure", "beta", "zero_division", "prevalence", "prior", "engine", "same_documents"}
    for name in fixed & set(options):
        raise InputError(
            f"The {name!r} of a plan is that of the comparison: pass it there, or use "
            "stanoff.plan(result.scenario(), ...)."
        )


def _limit(said: Any, wanted: frozenset[Decision], higher_is_better: bool) -> float:
    """Return how probable it is that endless documents come to the goal."""
    above, below = Decision.MUCH_BETTER, Decision.MUCH_WORSE
    if not higher_is_better:
        above, below = below, above
    truths = {above: said.p_above, below: said.p_below, Decision.EQUIVALENT: said.p_rope}
    return float(sum(share for decision, share in truths.items() if decision in wanted))
