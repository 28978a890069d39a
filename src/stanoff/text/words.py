"""The verdict in words, generated from the numbers it states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stanoff._lib.escaping import shown
from stanoff.inference.decision import Decision, rope_flips
from stanoff.inference.evidence import Evidence
from stanoff.inference.populations import NEW
from stanoff.text.numbers import digits_for, ends, half_width, level, percent, signed

if TYPE_CHECKING:
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison


def documents(result: Comparison, category: str | None = None) -> str:
    """Say how many documents the comparison, or one category of it, rests on."""
    n_a, n_b = result.n_documents(category)
    counted = result.data.format_count(n_a)
    a, b = map(shown, result.names)
    if result.data.alike(*result.pair):
        return f"{counted}, on {'which' if n_a == 1 else 'all of which'} {a} and {b} agree"
    if len(result.data.n_documents(category)) == 1:
        return counted
    return f"{counted} of {a} and {n_b:,} of {b}"


def what_is_judged(result: Result, category: str) -> str:
    """Name the score: its measure, and the average or the category it is of."""
    if category not in result.data.categories:
        if category == NEW:
            return f"{result.measure.label} on {NEW}"
        return f"{category}-averaged {result.measure.label}"
    if over := result.model.population(result.data):
        return f"{result.measure.label} over {over}"
    if result.categories in (("1",), ("True",)):  # binary, and nothing else is meant
        return result.measure.label
    return f"{result.measure.label} on category {shown(category)}"


def sentence(result: Comparison, evidence: Evidence) -> str:
    """Describe the verdict, the estimate and what it rests on; then what to be wary of."""
    d = digits_for(evidence.std)
    told = (
        f"{verdict(result, evidence)}: "
        f"under the {shown(result.model.name)} model the difference is {signed(evidence.mean, d)}, "
        f"with a {level(evidence.hdi_prob)} HDI of {ends(evidence.hdi, d)}; it lies below, "
        f"inside and above the ROPE {ends(evidence.rope)} with probability "
        f"{percent(evidence.p_below)}, {percent(evidence.p_rope)} and {percent(evidence.p_above)}."
    )
    return " ".join([told, *aside(result), *result.sampler_warnings])


def aside(result: Result) -> list[str]:
    """Say what the ROPE is a share of, and which way is better if that is down."""
    told = []
    if result.question.rope_of is not None:
        share = f"{100 * result.question.rope[1]:g}%"
        told.append(f"The ROPE is {share} of the observed {result.question.rope_of}.")
    return told + direction(result)


def direction(result: Result) -> list[str]:
    """Say which way is better, if that is down."""
    return [] if result.measure.higher_is_better else ["Lower is better for this measure."]


def verdict(result: Comparison, evidence: Evidence) -> str:
    """Describe the decision in words that neither noise nor the sign of the mean contradicts."""
    a, b = map(shown, result.names)
    what = what_is_judged(result, evidence.category)
    rests_on = f"{len(result.data.categories)} were observed"
    if evidence.category != NEW:
        rests_on = documents(result, evidence.category)
    where = f"in {what} ({rests_on})"
    decision = evidence.decision
    better = decision in (Decision.BETTER, Decision.MUCH_BETTER)
    expected = 1 if better == result.measure.higher_is_better else -1
    contrary = decision is not Decision.EQUIVALENT and evidence.mean * expected < 0
    if decision.conclusive and contrary:  # of a ROPE that is not around 0
        side = "above" if evidence.hdi[0] >= evidence.rope[1] else "below"
        return f"The difference between {a} and {b} {where} lies {side} the ROPE"
    if not decision.conclusive and (contrary or not evidence.direction_resolved):
        return f"{a} and {b} cannot be told apart {where}, and which way they differ is not settled"
    more = "" if decision.conclusive else ", but this is not settled"
    return f"{a} is {decision.words} {b} {where}{more}"


def what_would_change(result: Comparison, evidence: Evidence) -> str:
    """Describe at which widths of the ROPE the decision would be another one."""
    flips = rope_flips(evidence, higher_is_better=result.measure.higher_is_better)
    if not flips:
        return "No other width of the ROPE would change it."
    middle = (evidence.rope[0] + evidence.rope[1]) / 2
    around = f" around {middle:+g}" if abs(middle) > 1e-12 else ""
    before = [one for _, one, _ in flips]
    passed = before.index(evidence.decision) if evidence.decision in before else len(flips)
    d = digits_for(evidence.std)
    others = [
        (f"{half_width(width, d)}{around} or narrower", one)
        for width, one, _ in reversed(flips[:passed])
    ]
    others += [
        (f"{half_width(width, d)}{around} or wider", one) for width, _, one in flips[passed:]
    ]
    (first, decision), *rest = others
    told = f"With a ROPE of {first} the decision would be {decision.symbol}"
    return "".join([told, *(f"; with {width}, {one.symbol}" for width, one in rest), "."])


def caption_of(result: Comparison, columns: Sequence[str]) -> str:
    """Describe in a caption what was compared, how it was judged, and what to be wary of.

    Parameters
    ----------
    result : Comparison
        What the table shows.
    columns : sequence of str
        Its columns, which are explained.
    """
    from stanoff.text.tables import legend

    a, b = result.names
    only = result.categories[0] if len(result.categories) == 1 else None
    judged = what_is_judged(result, only) if only else result.measure.label
    told = [
        f"{a} (A) against {b} (B) in {judged} ({documents(result)}): posterior of the difference "
        f"A − B, with a {level(result.hdi_prob)} HDI and the ROPE {ends(result.rope)}.",
        legend(result, columns),
    ]
    if not result.measure.higher_is_better:
        told.append("Lower is better.")
    return " ".join([*told, *result.sampler_warnings])
