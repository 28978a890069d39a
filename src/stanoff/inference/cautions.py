"""What to know before trusting the numbers, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stanoff._lib.escaping import shown

if TYPE_CHECKING:
    from stanoff.answer import Answer
    from stanoff.judgement import Judgement


def all_of(result: Judgement) -> tuple[str, ...]:
    """Gather every caution that applies to a comparison."""
    return (*of_scores(result, result.names), *undefined_factor(result))


def of_scores(result: Answer, systems: Sequence[str]) -> tuple[str, ...]:
    """Gather the cautions about the scores of some systems."""
    return (*undefined_scores(result, systems), *independent_categories(result))


def undefined_scores(result: Answer, systems: Sequence[str]) -> tuple[str, ...]:
    """Say which categories have an observed score that is 0/0."""
    told = []
    measure, known, cells = result.measure, result.data.categories, result.data.cells
    if cells is None:
        return ()
    for system in systems:
        name = shown(system)
        undefined = measure.undefined(cells[result.data.systems.index(system)])
        odd = [category for category, is_odd in zip(known, undefined, strict=True) if is_odd]
        if odd:
            named = ", ".join(map(shown, odd[:5]))
            more = f" and {len(odd) - 5} more" if len(odd) > 5 else ""
            told.append(
                f"The observed {measure.label} of {name} is 0/0 in category {named}{more} "
                f"(zero_division={measure.zero_division:g}); its posterior owes much to the prior, "
                "and so does an average over it."
            )
    return tuple(told)


def undefined_factor(result: Judgement) -> tuple[str, ...]:
    """Say that the Savage-Dickey factor is not well-defined, where it is so."""
    if not any(infinite_prior_density(result, category) for category in result.data.categories):
        return ()
    return (
        f"The prior density of delta at 0 is infinite for {result.measure.label} with this "
        "model and prior, so bf_sd depends on the kernel's bandwidth and the number of draws; "
        "bf_rope does not.",
    )


def infinite_prior_density(result: Judgement, category: str) -> bool:
    """Return whether the prior density of delta at 0 is infinite for a category or average."""
    if result.prior_scores is None:
        return False
    known = result.data.categories
    if result.model.independent and len(known) > 1 and category not in known:
        return False  # independent categories smooth each other's singularities away
    theorem = result.model.infinite_at_zero
    return theorem is None or theorem(result.measure, result.prior)


def independent_categories(result: Answer) -> tuple[str, ...]:
    """Say that an average over categories takes them as independent."""
    if result.average is None or len(result.data.categories) == 1 or result.model.classes:
        return ()
    if result.data.cells is None:  # it is about labels
        return ()
    return (
        "The categories are modelled as independent of each other, though they are about the "
        "same documents; where every document has one label only, the interval of an average "
        "is too narrow: model='joint' keeps the classes together.",
    )
