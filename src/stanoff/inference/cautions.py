"""What to know before trusting the numbers, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff.data.items import FEW_ITEMS, ItemValues
from stanoff.engines.sampling import NOT_STAN
from stanoff.inference.factors import grows_without_bound

if TYPE_CHECKING:
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

NO_SHARE = "the AUC does not depend on the share of positives"
CHANCE = 0.5  # the AUC of scores that know nothing
COCHRAN = 25  # items per squared skewness: a 95 % interval of a mean then misses at most 6 %
SOME_CELLS = np.array([[4.0, 1.0, 2.0, 8.0], [3.0, 5.0, 1.0, 9.0]])


def all_of(result: Comparison) -> tuple[str, ...]:
    """Gather every caution that applies to a comparison."""
    return (
        *result.data.notes,
        *spared_stan(result),
        *idle_settings(result),
        *wrong_way_round(result, result.names, result.observed),
        *undefined_scores(result, result.names),
        *undefined_draws(result),
        *pulled_scores(result),
        *skewed_differences(result),
        *undefined_factor(result),
        *independent_categories(result),
    )


def of_contest(result: Contest) -> tuple[str, ...]:
    """Gather every caution that applies to a contest."""
    return (
        *result.data.notes,
        *spared_stan(result),
        *idle_settings(result),
        *wrong_way_round(result, result.data.systems, result.observed),
        *undefined_scores(result, result.data.systems),
        *independent_categories(result),
    )


def spared_stan(result: Result) -> tuple[str, ...]:
    """Say why the draws are not Stan's where they would be by default, and what to do."""
    why = result.provenance.settings.get(NOT_STAN)
    if not why:
        return ()
    return (
        f"The draws are exact, not Stan's: {why}. The posterior is the same. "
        "For Stan run `stanoff setup`, which takes some minutes, or install the platform wheel.",
    )


def idle_settings(result: Result) -> tuple[str, ...]:
    """Say which settings of the measure were given and change nothing."""
    measure, told = result.measure, []
    if measure.beta != 1 and not measure.takes_beta:
        told.append(f"beta={measure.beta:g} changes nothing: {measure.label} does not use it.")
    if measure.prevalence is not None and not getattr(measure, "uses_share", True):
        told.append(f"prevalence={measure.prevalence:g} changes nothing: {NO_SHARE}.")
    if measure.prevalence is not None and measure.code is not None:
        at_another = replace(measure, prevalence=(1 + measure.prevalence) / 2)
        if np.array_equal(measure(SOME_CELLS), at_another(SOME_CELLS), equal_nan=True):
            told.append(
                f"prevalence={measure.prevalence:g} changes nothing: {measure.label} does not "
                "depend on the share of positives."
            )
    return tuple(told)


def wrong_way_round(
    result: Result, systems: Sequence[str], observed: NDArray[np.float64]
) -> tuple[str, ...]:
    """Point out systems that score positives lower than negatives; nothing is turned round."""
    if result.measure.name != "auc" or result.data.kind != "scores":
        return ()
    told = []
    for name, scores in zip(systems, observed, strict=True):
        low = [c for c, x in zip(result.categories, scores, strict=True) if x < CHANCE]
        if low:
            where = "" if len(result.categories) == 1 else f" in {_listed(low)}"
            told.append(
                f"The observed AUC of {shown(name)}{where} is below 0.5"
                f"{f' ({scores[0]:.3f})' if not where else ''}: it scores positives lower than "
                "negatives. Higher scores must mean positive; if its scores mean the opposite, "
                "pass them with the other sign."
            )
    return tuple(told)


def undefined_scores(result: Result, systems: Sequence[str]) -> tuple[str, ...]:
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
            told.append(
                f"The observed {measure.label} of {name} is 0/0 in category {_listed(odd)} "
                f"(zero_division={measure.zero_division:g}); its posterior owes much to the prior, "
                "and so does an average over it."
            )
    return tuple(told)


def undefined_draws(result: Comparison) -> tuple[str, ...]:
    """Say which variables are NaN in some of their draws; without such draws there is no factor."""
    told = []
    for group, scores in (("posterior", result.scores), ("prior", result.prior_scores)):
        if scores is None:
            continue
        variables = {
            "psi_A": scores.psi[:, :, 0],
            "psi_B": scores.psi[:, :, 1],
            "delta": scores.delta,
        }
        for name, values in variables.items():
            undefined = np.isnan(values)
            if name != "delta" and undefined.all():
                continue  # a program that tells delta alone
            rows = np.flatnonzero(undefined.any(axis=(0, 1)))
            if not len(rows):
                continue
            most = int(undefined.sum(axis=(0, 1)).max())
            draws = undefined.shape[0] * undefined.shape[1]
            where = _listed([result.categories[row] for row in rows])
            then = "its mean is not given" if name != "delta" else "no Bayes factor is given"
            told.append(f"{name} is NaN in {most:,} of {draws:,} {group} draws ({where}): {then}.")
    return tuple(told)


def pulled_scores(result: Comparison) -> tuple[str, ...]:
    """Say that posterior means are further from the observed scores than the ROPE is wide."""
    half = (result.rope[1] - result.rope[0]) / 2
    pulls = [
        (abs(psi - observed), name, e.category, psi, observed)
        for e in result.all_evidence()
        for name, psi, observed in zip(
            result.names, (e.psi_A, e.psi_B), (e.observed_A, e.observed_B), strict=True
        )
        if half > 0 and abs(psi - observed) > half
    ]
    if not pulls:
        return ()
    rows = {category for _, _, category, *_ in pulls}
    _, name, category, psi, observed = max(pulls, key=lambda pull: pull[0])
    if len(result.categories) == 1:
        where = ""
    elif category in result.data.categories:
        where = f" in category {shown(category)}"
    else:
        where = f", {category}-averaged,"
    more = f" ({len(rows)} of {len(result.categories)} rows differ so much)" if where else ""
    why = (
        "The prior pulls the scores of few documents toward its own mean; a weaker prior pulls "
        "less."
    )
    if result.model.custom:  # a program of one's own: labels may err, for example
        why = f"That is what {shown(result.model.name)} and its prior make of the data."
    return (
        f"The posterior mean of {shown(name)}'s {result.measure.label}{where} is {psi:.3f}, but "
        f"{observed:.3f} was observed: they differ by more than the ROPE{more}. {why}",
    )


def undefined_factor(result: Comparison) -> tuple[str, ...]:
    """Say that the Savage-Dickey factor is not well-defined, where it is so."""
    if all(row.bf_sd_defined for row in result.all_evidence()):
        return ()
    return (
        f"The prior density of delta at 0 is infinite for {result.measure.label} with this "
        "model and prior, so bf_sd depends on the kernel's bandwidth and the number of draws; "
        "bf_rope does not.",
    )


def skewed_differences(result: Comparison) -> tuple[str, ...]:
    """Say that differences of items are too skewed for the t of so few of them.

    By the Edgeworth expansion an interval of 95 % misses the mean with a probability of 5 % and
    about a quarter of skewness^2 / n; Cochran (1977, section 2.15) asks for n > 25 skewness^2. A
    skewness that normal differences would often have by chance is passed over.
    """
    data, n = result.data, max(result.n_documents())
    if result.model.name != "items" or not isinstance(data, ItemValues) or n < FEW_ITEMS:
        return ()  # that there are few is told already
    a, b = result.pair
    d = data.values[a] - data.values[b]
    d = (d - d.mean()) / (d.std() or 1.0)
    skewness = float(np.mean(d * d * d))
    by_chance = 2 * sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    if abs(skewness) <= max(by_chance, sqrt(n / COCHRAN)):
        return ()
    one, other = map(shown, result.names if skewness > 0 else result.names[::-1])
    return (
        f"The differences of the items are skewed ({skewness:+.1f}): a few values of {one} are far "
        f"above those of {other}. The interval then misses the true difference more often than it "
        f"says, mostly by lying too {'low' if skewness > 0 else 'high'}; "
        f"{ceil(COCHRAN * skewness**2):,} items or more would make up for it.",
    )


def infinite_prior_density(result: Comparison, category: str) -> bool:
    """Return whether the prior density of delta at 0 is infinite for a category or average.

    A theorem decides where there is one, else the prior draws.
    """
    prior = result.prior_delta(category)
    if prior is None:
        return False
    known, found = result.data.categories, None
    if category in known or len(known) == 1:
        found = result.prior_density_infinite_at_zero
    elif result.model.independent:
        return False  # independent categories smooth each other's singularities away
    return grows_without_bound(prior) if found is None else found


def independent_categories(result: Result) -> tuple[str, ...]:
    """Say that an average over categories takes them as independent."""
    if result.average is None or len(result.data.categories) == 1 or result.model.single_label:
        return ()
    if result.data.cells is None:  # it is about labels
        return ()
    return (
        "The categories are modelled as independent of each other, though they are about the "
        "same documents; where every document has one label only, the interval of an average "
        "is too narrow: model='joint' keeps the classes together.",
    )


def _listed(names: list[str], most: int = 5) -> str:
    told = ", ".join(map(shown, names[:most]))
    return told if len(names) <= most else f"{told} and {len(names) - most} more"
