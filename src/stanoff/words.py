"""The verdict in words, generated from the numbers it states."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from stanoff.counts import UnpairedCounts
from stanoff.decision import rope_flips
from stanoff.escaping import shown
from stanoff.evidence import Evidence

if TYPE_CHECKING:
    from stanoff.result import Comparison


def digits_for(std: float) -> int:
    """Say how many decimals show two significant digits of a standard deviation, at least 3."""
    return max(3, 1 - floor(log10(std))) if std > 0 else 3


def percent(probability: float) -> str:
    """Write a probability as a percentage; what is not certain never reads as if it were.

    Examples
    --------
    >>> percent(0.5), percent(0.99996), percent(1.0)
    ('50.0%', '>99.9%', '100.0%')
    """
    if 0 < probability < 0.0005:
        return "<0.1%"
    if 0.9995 < probability < 1:
        return ">99.9%"
    return f"{100 * probability:.1f}%"


def documents(result: Comparison, category: str | None = None) -> str:
    """Say how many documents the comparison, or one category of it, rests on."""
    n_a, n_b = result.counts.documents
    if category in result.counts.categories:
        row = result.counts.categories.index(category)
        n_a, n_b = int(result.counts.cells_A[row].sum()), int(result.counts.cells_B[row].sum())
    plural = "document" if n_a == 1 else "documents"
    if not isinstance(result.counts, UnpairedCounts):
        return f"{n_a:,} {plural}"
    a, b = map(shown, result.names)
    return f"{n_a:,} {plural} of {a} and {n_b:,} of {b}"


def what_is_judged(result: Comparison, category: str) -> str:
    """Name the score: its measure, and the average or the category it is of."""
    if category not in result.counts.categories:
        return f"{category}-averaged {result.measure_used.label}"
    if result.categories in (("1",), ("True",)):  # binary, and nothing else is meant
        return result.measure_used.label
    return f"{result.measure_used.label} on category {shown(category)}"


def sentence(result: Comparison, evidence: Evidence) -> str:
    """Tell the verdict, the estimate and what it rests on; then what to be wary of."""
    a, b = map(shown, result.names)
    low, high = evidence.hdi
    d = digits_for(evidence.std)
    more = "" if evidence.decision.settled else ", but this is not settled"
    told = (
        f"{a} is {evidence.decision.words} {b} ({a} {evidence.decision.symbol} {b}) by "
        f"{what_is_judged(result, evidence.category)}, on "
        f"{documents(result, evidence.category)}{more}: "
        f"the difference is {evidence.mean:+.{d}f}, with a {100 * evidence.hdi_probability:g}% HDI "
        f"of [{low:+.{d}f}, {high:+.{d}f}]; it lies below, inside and above the ROPE "
        f"[{evidence.rope[0]:+g}, {evidence.rope[1]:+g}] with probability "
        f"{percent(evidence.p_below)}, {percent(evidence.p_rope)} and {percent(evidence.p_above)}."
    )
    lower = "" if result.measure_used.higher_is_better else " Lower is better for this measure."
    return " ".join([told + lower, *result.sampler_warnings])


def what_would_change(result: Comparison, evidence: Evidence) -> str:
    """Tell at which widths of the ROPE the decision would be another one."""
    flips = rope_flips(evidence, higher_is_better=result.measure_used.higher_is_better)
    if not flips:
        return "No other width of the ROPE would change it."
    d = max(4, digits_for(evidence.std))
    middle = (evidence.rope[0] + evidence.rope[1]) / 2
    around = f" around {middle:+g}" if abs(middle) > 1e-12 else ""
    before = [one for _, one, _ in flips]
    passed = before.index(evidence.decision) if evidence.decision in before else len(flips)
    others = [("below", width, one, "") for width, one, _ in reversed(flips[:passed])]
    others += [("from", width, one, " on") for width, _, one in flips[passed:]]
    parts = [
        f"{side} {'a ROPE of ' * (i == 0)}±{width:.{d}f}{around}{on} "
        f"{'the decision would be ' * (i == 0)}{one.symbol}"
        for i, (side, width, one, on) in enumerate(others)
    ]
    told = ", ".join(parts)
    return f"{told[0].upper()}{told[1:]}."
