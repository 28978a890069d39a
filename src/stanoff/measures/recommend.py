"""Which measures suit which data, by what they see and what they do not.

The rules are those of sections 4 and 6 of Sokolova & Lapalme (2006). What is not in that paper
says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from stanoff._lib.arguments import check_choice
from stanoff.errors import invalid
from stanoff.measures.confusion import Measure
from stanoff.measures.invariance import TRANSFORMATIONS, Invariances, examine_all

_NOTHING_IN_COMMON = (
    "Such negatives have nothing in common, and there are as many as one cares to collect: how "
    "many are left alone tells little."
)
_LOPSIDED = "A measure that does not tell the classes apart may not see that results are lopsided."
_SIZES = (
    "The paper's changes alone reject balanced accuracy, which judges each class by itself and so "
    "is the same whatever their sizes."
)
_FOR_GRANTED = (
    "A measure that stays however many negatives are called positive takes the labels of the "
    "positives for granted."
)
_COUNTEREXAMPLES = (
    "These become false positives, whatever the classifier is worth. (Section 6 of the paper names "
    "accuracy, precision, recall and specificity for such data all the same.)"
)


@dataclass(frozen=True)
class Rule:
    """What a measure should do under a transformation, and why.

    Attributes
    ----------
    transformation : str
        The name of one of ``TRANSFORMATIONS``.
    sign : str
        ``"+"`` if the value should stay, ``"-"`` if it should not.
    why : str
        The reason.
    """

    transformation: str
    sign: str
    why: str

    def holds_for(self, invariances: Invariances) -> bool:
        """Return whether a measure does as it should."""
        return invariances[self.transformation].sign == self.sign

    def __str__(self) -> str:
        change = TRANSFORMATIONS[self.transformation]
        what = "stays" if self.sign == "+" else "changes"
        source = "" if change.in_paper else ", which is not in the paper"
        return (
            f"Wanted: a value that {what} when {change.title} ({change.name}{source}). {self.why}"
        )


class Situation(NamedTuple):
    """A kind of data, and what it asks of a measure."""

    title: str
    rules: tuple[Rule, ...]


SITUATIONS = {
    "multimodal_negatives": Situation(
        "The negatives are everything else, as when documents on one topic are looked for",
        (Rule("t2", "+", _NOTHING_IN_COMMON),),
    ),
    "unimodal_negatives": Situation(
        "Both classes are well defined, as reviews for and against are",
        (Rule("t2", "-", "Then recognising a negative is an achievement, too."),),
    ),
    "imbalance": Situation(
        "One class is much larger than the other, or the test sets differ in that",
        (Rule("t1", "-", _LOPSIDED), Rule("sizes", "+", _SIZES)),
    ),
    "unreliable_labels": Situation(
        "Some labels are wrong, for lack of strict rules of labelling",
        (Rule("t3", "-", _FOR_GRANTED),),
    ),
    "many_counterexamples": Situation(
        "Many documents look like the other class", (Rule("t3", "+", _COUNTEREXAMPLES),)
    ),
    "comparable_proportions": Situation(
        "Test sets differ in size, but as large a part of each is called positive",
        (Rule("t4", "+", "Values from test sets of different sizes can then be compared."),),
    ),
    "unknown_proportions": Situation(
        "Nobody knows whether the shares of positives and negatives are representative",
        (Rule("t4", "-", "The value should tell when these shares change."),),
    ),
}


def table(
    situations: str | Sequence[str], names: Iterable[str] | None = None, **settings: Any
) -> pd.DataFrame:
    """Return which measures suit a situation, or several at once: these first.

    Parameters
    ----------
    situations : str or sequence of str
        Names out of ``SITUATIONS``.
    names : iterable of str, optional
        Measures to choose from, all registered ones by default.
    **settings
        ``beta`` and ``prevalence``, as in :func:`stanoff.invariance.examine`.

    Returns
    -------
    DataFrame
        A row per measure: whether it ``suits`` (``"yes"``, ``"no"``, or by which rules only), its
        signs under the transformations that count, and a ``caution``.

    Examples
    --------
    >>> table("imbalance", ["accuracy", "balanced_accuracy", "f1", "specificity"]).iloc[:, :4]
                 measure          suits t1 sizes
    0        specificity            yes  -     +
    1              fbeta     by t1 only  -     -
    2  balanced_accuracy  by sizes only  +     +
    3           accuracy             no  +     -
    """
    rules = [rule for situation in _check_situations(situations) for rule in situation.rules]
    changes = list(dict.fromkeys(rule.transformation for rule in rules))
    measures = examine_all(names, **settings)

    def rank(invariances: Invariances) -> tuple[int, list[bool]]:
        """Put measures that fit more rules first, then those that fit the earlier rules."""
        broken = [not rule.holds_for(invariances) for rule in rules]
        return sum(broken), broken

    rows = [
        (f.measure.name, _verdict(f, rules), *(f[n].sign for n in changes), _caution(f.measure))
        for f in sorted(measures, key=rank)
    ]
    return pd.DataFrame(rows, columns=["measure", "suits", *changes, "caution"])


def advice(
    situations: str | Sequence[str], names: Iterable[str] | None = None, **settings: Any
) -> str:
    """Say in words which measures suit; :func:`table` has the same as a table.

    Examples
    --------
    >>> print(advice("unimodal_negatives", ["f1", "accuracy", "specificity"]))
    Both classes are well defined, as reviews for and against are.
    Wanted: a value that changes when the true negatives change (t2). \
Then recognising a negative is an achievement, too.
    Suits: accuracy, specificity.
    Does not: fbeta.
    Caution: specificity is best where everything is called negative.
    """
    selected = _check_situations(situations)
    measures = table(situations, names, **settings)
    lines = [line for s in selected for line in (f"{s.title}.", *map(str, s.rules))]
    for verdict, group in measures.groupby("suits", sort=False):
        heading = {"yes": "Suits", "no": "Does not"}.get(str(verdict), f"Suits {verdict}")
        lines.append(f"{heading}: {', '.join(group['measure'])}.")
    careful = measures[(measures["caution"] != "") & (measures["suits"] != "no")]
    for caution, group in careful.groupby("caution", sort=False):
        verb = "are" if len(group) > 1 else "is"
        lines.append(f"Caution: {' and '.join(group['measure'])} {verb} {caution}.")
    return "\n".join(lines)


def _check_situations(situations: str | Sequence[str]) -> list[Situation]:
    """Look situations up; refuse two that want the opposite of each other."""
    names = [situations] if isinstance(situations, str) else list(situations)
    if not names:
        raise invalid("situations", "at least one name", situations)
    selected = [SITUATIONS[check_choice("situations", n, SITUATIONS)] for n in dict.fromkeys(names)]
    signs: dict[str, str] = {}
    for rule in (rule for situation in selected for rule in situation.rules):
        if signs.setdefault(rule.transformation, rule.sign) != rule.sign:
            raise invalid("situations", f"at one about {rule.transformation}", names)
    return selected


def _verdict(invariances: Invariances, rules: Sequence[Rule]) -> str:
    fitting = [rule.transformation for rule in rules if rule.holds_for(invariances)]
    if len(fitting) == len(rules):
        return "yes"
    return f"by {' and '.join(dict.fromkeys(fitting))} only" if fitting else "no"


def _caution(measure: Measure) -> str:
    """Say whether one reaches the best value by giving all documents the same label."""
    best = measure.range[1 if measure.higher_is_better else 0]
    if not math.isfinite(best):
        return ""
    strict = replace(measure, zero_division=math.nan)
    for answer, cells in {"positive": (2, 3, 0, 0), "negative": (0, 0, 2, 3)}.items():
        if float(strict(cells)) == best:
            return f"best where everything is called {answer}"
    return ""
