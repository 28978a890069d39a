"""Planning from what was observed: its scenario, and how many more documents would settle it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from stanoff.data.items import ItemValues
from stanoff.data.scores import Scores
from stanoff.data.types import Data, PairedCounts, rows
from stanoff.errors import InputError, unknown
from stanoff.inference.decision import Decision
from stanoff.inference.evidence import Evidence
from stanoff.inference.goals import goal_label
from stanoff.models.priors import Prior, Priors
from stanoff.planning.answers import Answer, Plan, frame_of
from stanoff.planning.judging import DECISIONS
from stanoff.planning.plan import ASSURANCE, STEP, as_levels, as_max_n, settling
from stanoff.planning.scenarios import Scenario
from stanoff.planning.search import Search
from stanoff.planning.settings import Options, settings
from stanoff.planning.simulation import FromPosterior
from stanoff.text.words import documents, what_is_judged

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison


def scenario_of(result: Comparison, category: str | None = None) -> Scenario:
    """Return the posterior means of a comparison as a scenario; :class:`Comparison` explains it."""
    name = _category(result, category)
    if result.data.cells is None:
        raise InputError("A scenario needs labels: counts of what the two systems said.")
    row = result.data.categories.index(name)
    drawn, counts = result.fit.draws.posterior, _row(result, name)
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
    assert counts.cells is not None
    tp, fp, fn, tn = counts.cells[:, 0].T
    mu = ((tp + fn).sum() + 1) / ((tp + fp + fn + tn).sum() + 2)
    rho_pos, rho_neg = (tp + 1) / (tp + fn + 2), (fp + 1) / (fp + tn + 2)
    return Scenario.from_rates(float(mu), rho_pos=rho_pos, rho_neg=rho_neg, name=called)


def more_documents(
    result: Comparison,
    category: str | None = None,
    *,
    goal: Any = "settled",
    assurance: Any = ASSURANCE,
    max_n: int = 1_000_000,
    **options: Unpack[Options],
) -> Plan:
    """Compute how many more documents settle a comparison; :class:`Comparison` explains it."""
    if isinstance(result.data, ItemValues | Scores):
        from stanoff.planning.items import more_items, more_scored

        _refuse_others(options)
        asked: dict[str, Any] = {"goal": goal, "assurance": assurance, "max_n": max_n}
        asked |= {key: value for key, value in options.items() if key in ("n_simulations", "seed")}
        if isinstance(result.data, ItemValues):
            return more_items(result, **asked)
        return more_scored(result, category, **asked)
    name = _category(result, category)
    if not result.model.has_batches:
        raise InputError(
            f"There is no plan for the model {result.model.name!r}, whose categories hang together "
            "or are not conjugate: compare this category by model='paired' or 'unpaired' and ask "
            "that comparison."
        )
    _refuse_others(options)
    wanted, levels, top = settling(goal), as_levels(assurance), as_max_n(max_n)
    counts, said = _row(result, name), result.evidence(name)
    given: Options = {"seed": result.seed, **options}
    given.update({"prior": result.prior, "same_documents": counts.paired})
    chosen = settings(result.model.name, **given)
    judge = replace(chosen.judges[0], question=result.question)
    chosen = replace(chosen, judges=(judge,))
    prior = _prior_of_documents(result, counts)
    search = Search(lambda x: FromPosterior(counts, prior, int(x)), chosen, wanted, whole=True)
    reached = said.decision in wanted
    if reached:
        rates = {str(d): float(d == said.decision) for d in DECISIONS}
        answers = tuple(Answer(level, 0, 0, 0, rates) for level in levels)
        curve = pd.DataFrame([{"more": 0, "power": 1.0, "se": 0.0, **rates, "n_simulations": 0}])
    else:
        least = max(1, max(counts.n_documents()) // 64)
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
        judge=judge,
        facts={
            "names": result.names,
            "decision": said.decision,
            "documents": documents(result, name),
            "judged": what_is_judged(result, name),
            "reached": reached,
            "limit": _limit(said, wanted, result.measure.higher_is_better),
            "max_n": top,
            "same_documents": counts.paired,
        },
        warnings=tuple(search.warned),
        seed=chosen.seed,
    )


def _category(result: Comparison, category: str | None) -> str:
    known = result.data.categories
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


def _row(result: Comparison, category: str) -> Data:
    """Return the counts of one category against the rest."""
    row = result.data.categories.index(category)
    return rows(result.data.one_vs_rest(), slice(row, row + 1))


def _prior_of_documents(result: Comparison, counts: Data) -> Priors:
    """Return the prior of what documents will be like.

    The unpaired model knows nothing of how its two systems go together; where they were judged on
    the same documents, the paired model with the uniform prior knows that.
    """
    mismatch = counts.paired and result.model.default_for is not PairedCounts
    return Prior.uniform() if mismatch else result.prior


def _refuse_others(options: Options) -> None:
    free = {"n_simulations", "draws", "seed", "jobs", "executor", "progress"}
    for name in sorted(set(options) - free):
        raise InputError(
            f"The {name!r} of a plan is that of the comparison: pass it there, judge(...) by it, "
            "or use stanoff.plan(result.scenario(), ...)."
        )


def _limit(said: Evidence, wanted: frozenset[Decision], higher_is_better: bool) -> float:
    """Return how probable it is that endless documents come to the goal."""
    above, below = Decision.MUCH_BETTER, Decision.MUCH_WORSE
    if not higher_is_better:
        above, below = below, above
    truths = {above: said.p_above, below: said.p_below, Decision.EQUIVALENT: said.p_rope}
    return float(sum(share for decision, share in truths.items() if decision in wanted))
