"""What to know before trusting the numbers, in words."""

from __future__ import annotations

from stanoff.escaping import shown
from stanoff.result import Comparison


def undefined_scores(result: Comparison) -> tuple[str, ...]:
    """Tell of categories whose observed score is 0/0."""
    told = []
    measure, known = result.measure_used, result.counts.categories
    cells_of = zip(
        map(shown, result.names), (result.counts.cells_A, result.counts.cells_B), strict=True
    )
    for name, cells in cells_of:
        odd = [c for c, undefined in zip(known, measure.undefined(cells), strict=True) if undefined]
        if odd:
            named = ", ".join(map(shown, odd[:5]))
            more = f" and {len(odd) - 5} more" if len(odd) > 5 else ""
            told.append(
                f"The observed {measure.label} of {name} is 0/0 in category {named}{more} "
                f"(zero_division={measure.zero_division:g}); its posterior owes much to the prior, "
                "and so does an average over it."
            )
    return tuple(told)


def undefined_factor(result: Comparison) -> tuple[str, ...]:
    """Tell where the Savage-Dickey factor is not well-defined."""
    if not result.draws.prior or not result.model.diverges(result.measure_used, result.prior):
        return ()
    return (
        f"The prior density of delta at 0 is infinite for {result.measure_used.label} with this "
        "model and prior, so bf_sd depends on the kernel's bandwidth and the number of draws; "
        "bf_rope does not.",
    )


def independent_categories(result: Comparison) -> tuple[str, ...]:
    """Tell that an average over categories takes them as independent."""
    if result.average is None or len(result.counts.categories) == 1 or result.model.classes:
        return ()
    return (
        "The categories are modelled as independent of each other, though they are about the "
        "same documents; where every document has one label only, the interval of an average "
        "is too narrow: model='joint' keeps the classes together.",
    )
