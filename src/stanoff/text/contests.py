"""A contest as text: the sentence, the table, all that a script reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.escaping import one_line, shown
from stanoff.text.frames import dumped, finite, frame_text, records
from stanoff.text.numbers import digits_for, ends, level, percent
from stanoff.text.words import aside, what_is_judged

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.inference.ranking import Ranking
    from stanoff.results.contest import Contest

Decisions = NDArray[np.str_]
MOST_NAMES = 5  # in a sentence


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Join names to a list in words; of very many, say how many more there are.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a', 'a, b and c', 'a, b and 1 more')
    """
    told = list(names) if len(names) <= most else [*names[:most], f"{len(names) - most} more"]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def documents(result: Contest, category: str | None = None) -> str:
    """Say how many documents a contest, or one category of it, rests on."""
    low, high = min(result.data.n_documents(category)), max(result.data.n_documents(category))
    counted = result.data.format_count(high)
    return counted if low == high else f"{low:,} to {counted}"


def sentence(result: Contest, category: str) -> str:
    """Describe who can still be the best, how surely, and what to be wary of."""
    found = result.ranking(category)
    best = [i for i in found.order if found.tier[i] == 1]
    others = [i for i in found.order if found.tier[i] > 1]
    names = [shown(name) for name in result.systems]
    told = [
        f"{listed([names[i] for i in best])} {_verdict(found.decisions, best)} in "
        f"{what_is_judged(result, category)} ({documents(result, category)})"
        f"{_worse(names, found.decisions, best, others)}.",
        f"Under the {shown(result.model.name)} model {_probabilities(result, names, found, best)}.",
    ]
    told += aside(result)
    return " ".join([*told, *result.sampler_warnings])


def _verdict(decisions: Decisions, best: list[int]) -> str:
    """Say what holds among those that can still be the best."""
    if len(best) == 1:
        return f"is the best of {len(decisions)} systems"
    alike = np.isin(decisions[np.ix_(best, best)], ("", "=")).all()
    return "are practically equivalent" if alike else "cannot be told apart by more than the ROPE"


def _worse(names: list[str], decisions: Decisions, best: list[int], others: list[int]) -> str:
    """Say that the others are worse, and than whom."""
    if not others:
        return ""
    many = len(others) > MOST_NAMES
    who = f"the other {len(others)}" if many else listed([names[i] for i in others])
    verb = "is" if len(others) == 1 else "are"
    if (decisions[np.ix_(best, others)] == ">>").all():
        return f"; {who} {verb} significantly worse"
    each = "" if len(others) == 1 else " each"
    return f"; {who} {verb}{each} significantly worse than at least one system"


def _probabilities(result: Contest, names: list[str], found: Ranking, best: list[int]) -> str:
    few = best[:MOST_NAMES]
    near = listed([percent(float(found.p_within_rope_of_best[i])) for i in few])
    first = listed([percent(float(found.p_best[i])) for i in few])
    verb = "is" if len(few) == 1 else "are"
    return (
        f"{listed([names[i] for i in few])} {verb} within the ROPE {ends(result.rope)} of the best "
        f"with probability {near}, and the best with {first}"
    )


def formatted(result: Contest, category: str) -> pd.DataFrame:
    """Write the numbers of the summary in cells of text."""
    import pandas as pd

    numbers = result.summary(category)
    d = digits_for(float((numbers["hdi_high"] - numbers["hdi_low"]).max()) / 4)
    return pd.DataFrame(
        {
            "system": [one_line(name) for name in numbers["system"]],
            "tier": numbers["tier"].astype(str),
            result.measure.label: [f"{x:.{d}f}" for x in numbers["psi"]],
            "observed": ["–" if x != x else f"{x:.{d}f}" for x in numbers["observed"]],
            f"{level(result.hdi_prob)} HDI": [
                f"[{low:.{d}f}, {high:.{d}f}]"
                for low, high in zip(numbers["hdi_low"], numbers["hdi_high"], strict=True)
            ],
            "P(near best)": [percent(p) for p in numbers["p_near"]],
            "P(best)": [percent(p) for p in numbers["p_best"]],
            "regret": [f"{x:.{d}f}" for x in numbers["regret"]],
            "ranks": [
                f"{low}" if low == high else f"{low}–{high}"
                for low, high in zip(numbers["rank_low"], numbers["rank_high"], strict=True)
            ],
        }
    )


def caption_of(result: Contest, category: str) -> str:
    """Describe in a caption what was compared and what the columns mean."""
    prob = level(result.hdi_prob)
    told = [
        f"{len(result.systems)} systems in {what_is_judged(result, category)} "
        f"({documents(result, category)}): posterior mean, observed score, {prob} "
        f"HDI, probability of being within the ROPE {ends(result.rope)} of the best and of being "
        f"the best, expected loss against the best, and the ranks that have {prob} of "
        "the probability. No system of a tier is significantly better than another one of it."
    ]
    if not result.measure.higher_is_better:
        told.append("Lower is better.")
    return " ".join([*told, *result.sampler_warnings])


def as_text(
    result: Contest,
    style: str,
    *,
    category: str | None = None,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Write a contest in one of ``stanoff.text.frames.FORMATS``.

    Parameters
    ----------
    result : Contest
        What is written.
    style : str
        The format.
    category : str, optional
        The category or average, the one decided upon by default.
    caption, label : str, optional
        Of a table in LaTeX; by default the caption says what it shows.
    """
    if style == "json":
        return dumped(as_json(result, category))
    row = result.resolve_category(category)
    known = result.sampler_warnings  # the sentence has these
    return frame_text(
        formatted(result, row),
        style,
        numbers=result.summary(row),
        below=[
            result.sentence(row),
            f"Based on {documents(result)}; {result.model.name} model, {result.engine} engine, "
            f"seed {result.seed}.",
            *(f"Note: {warning}" for warning in result.warnings if warning not in known),
        ],
        caption=caption_of(result, row) if caption is None else caption,
        label=label,
    )


def as_json(result: Contest, category: str | None = None) -> dict[str, Any]:
    """Gather settings, numbers and words for a script; NaN becomes null, infinity "inf"."""
    rows = [result.resolve_category(category)] if category is not None else list(result.categories)
    return {
        "systems": list(result.systems),
        "documents": max(result.data.n_documents()),
        "measure": result.measure.label,
        "average": result.average,
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "rope": list(result.rope),
        "hdi_prob": result.hdi_prob,
        "results": [_row(result, row) for row in rows],
        "warnings": list(result.warnings),
    }


def _row(result: Contest, category: str) -> dict[str, Any]:
    ranks = result.ranks(category)
    return {
        "category": category,
        "best": list(result.best(category)),
        "tiers": [list(tier) for tier in result.tiers(category)],
        "systems": records(result.summary(category)),
        "ranks": {
            name: [finite(p) for p in row]
            for name, row in zip(ranks.index, ranks.to_numpy(), strict=True)
        },
        "pairs": records(result.pairs(category)),
        "sentence": result.sentence(category),
    }
