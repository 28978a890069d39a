"""What to know before trusting the numbers: each check yields sentences, most yield none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from stanoff._lib.escaping import shown
from stanoff.data.folds import FoldValues
from stanoff.data.items import FEW_ITEMS, ItemValues
from stanoff.data.types import ConfusionCounts
from stanoff.engines.sampling import NOT_STAN
from stanoff.inference.bayes_factor import density_diverges_at_zero
from stanoff.measures import MULTICLASS
from stanoff.models.counts import ConjugateCounts
from stanoff.models.custom import CustomModel

if TYPE_CHECKING:
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison

MAX_NAMES = 5  # that are listed
DEFAULT_ROPE = (-0.05, 0.05)
COCHRAN = 25  # items per squared skewness: a 95 % interval of a mean then misses at most 6 %
EXAMPLE_CELLS = np.array([[4.0, 1.0, 2.0, 8.0], [3.0, 5.0, 1.0, 9.0]])


def spared_stan(result: Result) -> Iterator[str]:
    """Say why the draws are not Stan's where they would be by default, and what to do."""
    reason = result.provenance.settings.get(NOT_STAN)
    if reason:
        yield (
            f"The draws are exact, not Stan's: {reason}. The posterior is the same. For Stan run "
            "`stanoff setup`, which takes some minutes, or install the platform wheel."
        )


def idle_settings(result: Result) -> Iterator[str]:
    """Say which settings of the measure were given and change nothing."""
    measure = result.measure
    if measure.beta != 1 and not measure.takes_beta:
        yield f"beta={measure.beta:g} changes nothing: {measure.label} does not use it."
    if measure.prevalence is None:
        return
    idle = f"prevalence={measure.prevalence:g} changes nothing"
    if not getattr(measure, "uses_share", True):
        yield f"{idle}: the AUC does not depend on the share of positives."
    elif measure.code is not None:
        shifted = replace(measure, prevalence=(1 + measure.prevalence) / 2)
        if np.array_equal(measure(EXAMPLE_CELLS), shifted(EXAMPLE_CELLS), equal_nan=True):
            yield f"{idle}: {measure.label} does not depend on the share of positives."


def inverted_scores(result: Result) -> Iterator[str]:
    """Point out systems that score positives lower than negatives; nothing is turned round."""
    if result.measure.name != "auc" or result.data.kind != "scores":
        return
    for name, aucs in zip(result.names, result.observed, strict=True):
        low = [c for c, auc in zip(result.categories, aucs, strict=True) if auc < 0.5]
        if not low:
            continue
        single = len(result.categories) == 1
        where, value = ("", f" ({aucs[0]:.3f})") if single else (f" in {_listed(low)}", "")
        yield (
            f"The observed AUC of {shown(name)}{where} is below 0.5{value}: it scores positives "
            "lower than negatives. Higher scores must mean positive; if its scores mean the "
            "opposite, pass them with the other sign."
        )


def rope_of_another_scale(result: Result) -> Iterator[str]:
    """Point out that the default ROPE, which suits shares, meets values of another scale."""
    low, high = result.rope
    if result.measure.kind != "values" or result.question.rope_of or (low, high) != DEFAULT_ROPE:
        return
    means = result.observed[:, 0]
    largest = float(np.abs(means).max())
    if high <= largest <= 1 or not np.isfinite(largest):
        return
    pairs = list(zip(result.names, means, strict=True))
    listed = ", ".join(f"{mean:.3g} ({shown(name)})" for name, mean in pairs[:MAX_NAMES])
    yield (
        f"The ROPE ±{high:g} suits scores between 0 and 1, but what was observed is {listed}: pass "
        "a ROPE in the unit of the values, or a share of them such as rope='2%'."
    )


def undefined_scores(result: Result) -> Iterator[str]:
    """Say which categories have an observed score that is 0/0."""
    measure, confusion = result.measure, result.data.cells
    if confusion is None:
        return
    for name in result.names:
        undefined = measure.undefined(confusion[result.data.systems.index(name)])
        categories = [result.data.categories[row] for row in np.flatnonzero(undefined)]
        if categories:
            yield (
                f"The observed {measure.label} of {shown(name)} is 0/0 in category "
                f"{_listed(categories)} (zero_division={measure.zero_division:g}); its posterior "
                "owes much to the prior, and so does an average over it."
            )


def independent_categories(result: Result) -> Iterator[str]:
    """Say that an average over categories takes them as independent."""
    if (
        result.average is None
        or len(result.data.categories) == 1
        or result.model.accepts is ConfusionCounts
    ):
        return
    if result.data.cells is not None:  # it is about labels
        yield (
            "The categories are modelled as independent of each other, though they are about the "
            "same documents; where every document has one label only, the interval of an average "
            "is too narrow: model='joint' keeps the classes together."
        )


def one_against_rest(result: Result) -> Iterator[str]:
    """Say that an average is of one class against the rest where scikit-learn has another."""
    name = f"multiclass_{result.measure.name}"
    of_classes = result.average is not None and result.model.accepts is ConfusionCounts
    if of_classes and name in MULTICLASS:
        yield (
            f"The averages of {result.measure.label} are of each class against the rest. What "
            f"scikit-learn computes of all classes at once is measure={name!r}."
        )


def undefined_draws(result: Comparison) -> Iterator[str]:
    """Say which variables are NaN in some of their draws; without such draws there is no factor."""
    for group, scores in (("posterior", result.scores), ("prior", result.prior_scores)):
        variables = scores.named() if scores else {}
        for name in ("psi_A", "psi_B", "delta"):
            values = variables.get(name, np.zeros((1, 1, 1)))
            per_row = np.isnan(values).sum(axis=(0, 1))
            if not per_row.any():
                continue
            where = _listed(result.categories[row] for row in np.flatnonzero(per_row))
            consequence = "no Bayes factor is given" if name == "delta" else "its mean is not given"
            yield (
                f"{name} is NaN in {per_row.max():,} of {values[..., 0].size:,} {group} draws "
                f"({where}): {consequence}."
            )


def prior_pulls(result: Comparison) -> Iterator[str]:
    """Say that posterior means are further from the observed scores than the ROPE is wide."""
    half_width = (result.rope[1] - result.rope[0]) / 2
    psi = result.scores.psi.mean(axis=(0, 1)).T  # (row, system)
    pull = np.abs(psi - result.observed.T)
    far = pull > half_width
    if not far.any() or half_width == 0:
        return
    row, system = np.unravel_index(np.argmax(np.where(far, pull, 0)), pull.shape)
    category, name = result.categories[row], result.names[system]
    where = count = ""
    if len(result.categories) > 1:
        is_average = category not in result.data.categories
        where = f", {category}-averaged," if is_average else f" in category {shown(category)}"
        n_rows = far.any(axis=1).sum()
        count = f" ({n_rows} of {len(result.categories)} rows differ so much)"
    reason = (
        "The prior pulls the scores of few documents toward its own mean; a weaker prior pulls "
        "less."
    )
    if isinstance(result.model, CustomModel):  # labels may err, for example
        reason = f"That is what {shown(result.model.name)} and its prior make of the data."
    observed = result.observed[system, row]
    yield (
        f"The posterior mean of {shown(name)}'s {result.measure.label}{where} is "
        f"{psi[row, system]:.3f}, but {observed:.3f} was observed: they differ by more than the "
        f"ROPE{count}. {reason}"
    )


def skewed_differences(result: Comparison) -> Iterator[str]:
    """Say that differences of items are too skewed for the t of so few of them.

    By the Edgeworth expansion an interval of 95 % misses the mean with a probability of 5 % and
    about a quarter of skewness^2 / n; Cochran (1977, section 2.15) asks for n > 25 skewness^2. A
    skewness that normal differences would often have by chance is passed over.
    """
    data, n = result.data, max(result.n_documents())
    if result.model.name != "items" or not isinstance(data, ItemValues) or n < FEW_ITEMS:
        return  # the data warn of few items themselves
    a, b = result.pair
    difference = data.values[a] - data.values[b]
    z = (difference - difference.mean()) / (difference.std() or 1.0)
    skewness = float(np.mean(z * z * z))
    by_chance = 2 * sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    if abs(skewness) <= max(by_chance, sqrt(n / COCHRAN)):
        return
    higher, lower = map(shown, result.names if skewness > 0 else result.names[::-1])
    yield (
        f"The differences of the items are skewed ({skewness:+.1f}): a few values of {higher} are "
        f"far above those of {lower}. The interval then misses the true difference more often than "
        f"it says, mostly by lying too {'low' if skewness > 0 else 'high'}; "
        f"{ceil(COCHRAN * skewness**2):,} items or more would make up for it."
    )


def more_systems_than_folds(result: Result) -> Iterator[str]:
    """Say that few folds tell about pairs of systems, and little about all of them together."""
    data, systems = result.data, len(result.names)
    if isinstance(data, FoldValues) and data.paired and systems >= data.resamples:
        yield (
            f"There are {systems} systems and {data.resamples} test folds: every pair has a "
            "posterior of its own, but p_best and the ranks rest on how these few folds fell; more "
            "repeats help here."
        )


CONTEST_CHECKS = (
    *(spared_stan, rope_of_another_scale, idle_settings, inverted_scores, undefined_scores),
    *(independent_categories, one_against_rest, more_systems_than_folds),
)
COMPARISON_CHECKS = (
    *(spared_stan, rope_of_another_scale, idle_settings, inverted_scores, undefined_scores),
    *(undefined_draws, prior_pulls, skewed_differences, independent_categories, one_against_rest),
)


def infinite_prior_density(result: Comparison, category: str) -> bool:
    """Return whether the prior density of delta at 0 is infinite for a category or average.

    A theorem decides where there is one, else the prior draws.
    """
    prior = result.prior_delta(category)
    if prior is None:
        return False
    categories, theorem = result.data.categories, None
    if category in categories or len(categories) == 1:
        theorem = result.prior_density_infinite_at_zero
    elif isinstance(result.model, ConjugateCounts):
        return False  # independent categories smooth each other's singularities away
    return density_diverges_at_zero(prior) if theorem is None else theorem


def _listed(names: Iterable[str]) -> str:
    labels = [shown(name) for name in names]
    text = ", ".join(labels[:MAX_NAMES])
    return text if len(labels) <= MAX_NAMES else f"{text} and {len(labels) - MAX_NAMES} more"
