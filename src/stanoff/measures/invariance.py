"""Which changes of a confusion matrix a measure does not see (Sokolova & Lapalme 2006).

Whether a measure keeps its value is looked up on all small tables and on random larger ones.
Measures are quotients of polynomials of low degree, or roots of such: two that agree on dozens of
tables with random cells up to 99 agree everywhere, but for a chance too small to matter. One table
on which they differ proves the contrary, and the smallest is shown. All cells are above 0: with
empty ones a measure may be 0/0, and what it is then is a convention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.errors import invalid, unknown
from stanoff.measures.confusion import CELLS, MEASURES, Measure
from stanoff.measures.registry import get

Tables = NDArray[np.int64]  # (table, cell)
RANDOM_TABLES = 64
TOLERANCE = 1e-9  # rounding of floats; values that differ on small tables differ by far more


class Transformation(NamedTuple):
    """A change of a confusion matrix.

    Attributes
    ----------
    name : str
        T1 to t4 as in the paper, or ``"sizes"``, which is not in it.
    title, rule : str
        What happens, in words, and what becomes of the cells.
    if_equal, if_changed : str
        What it says of a measure that its value stays, or does not.
    apply : callable
        Changes tables of (tp, fp, fn, tn), each with two whole numbers that say by how much.
    cell : str
        The one cell that changes, if it is one.
    """

    name: str
    title: str
    rule: str
    if_equal: str
    if_changed: str
    apply: Callable[[Tables, Tables], Tables]
    cell: str = ""

    @property
    def in_paper(self) -> bool:
        """Whether Sokolova & Lapalme (2006) have it."""
        return self.name != "sizes"

    @property
    def description(self) -> str:
        """What happens, in words and in cells."""
        return f"{self.title}: {self.rule}"


TRANSFORMATIONS = {
    transformation.name: transformation
    for transformation in (
        Transformation(
            "t1",
            "the classes change places",
            "tp ↔ tn, fn ↔ fp",
            "It does not tell positives from negatives.",
            "It sees which of the classes is the positive one.",
            lambda tables, _: tables[:, ::-1],
        ),
        Transformation(
            "t2",
            "the true negatives change",
            "tn → tn'",
            "It does not look at the negatives that are left alone.",
            "It sees how well negatives are left alone.",
            lambda tables, n: np.column_stack([tables[:, :3], n[:, 0]]),
            "tn",
        ),
        Transformation(
            "t3",
            "the false positives change",
            "fp → fp'",
            "It does not look at the negatives that are called positive.",
            "It sees the negatives that are called positive.",
            lambda tables, n: np.column_stack([tables[:, 0], n[:, 0], tables[:, 2:]]),
            "fp",
        ),
        Transformation(
            "t4",
            "what is called positive and what is called negative is scaled",
            "k₁ tp, k₁ fp, k₂ fn, k₂ tn",
            "It judges what is called positive and what is called negative each by itself.",
            "It depends on how much is called positive and how much negative.",
            lambda tables, k: tables * k[:, [0, 0, 1, 1]],
        ),
        Transformation(
            "sizes",
            "the classes grow or shrink",
            "k₁ tp, k₁ fn, k₂ fp, k₂ tn",
            "It judges the positives and the negatives each by themselves.",
            "It depends on how common the positives are.",
            lambda tables, k: tables * k[:, [0, 1, 0, 1]],
        ),
    )
}
OF_THE_PAPER = tuple(name for name, t in TRANSFORMATIONS.items() if t.in_paper)


class Example(NamedTuple):
    """A table before and after a change, (tp, fp, fn, tn), and the measure of each."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    value_before: float
    value_after: float

    def __str__(self) -> str:
        before, after = (
            ", ".join(f"{cell} {n}" for cell, n in zip(CELLS, table, strict=True))
            for table in (self.before, self.after)
        )
        values = _as_fraction(self.value_before), _as_fraction(self.value_after)
        return f"{before} gives {values[0]}; {after} gives {values[1]}"


class Finding(NamedTuple):
    """Whether a measure keeps its value under a change.

    Attributes
    ----------
    measure, transformation : Measure or Transformation
        Of what, under what.
    example : Example or None
        The smallest table on which the value changes; None if there is none.
    trend : str
        Of a changed cell: ``"rises"``, ``"falls"`` or ``"either"``, what the measure does when the
        cell grows.
    """

    measure: Measure
    transformation: Transformation
    example: Example | None
    trend: str = ""

    @property
    def invariant(self) -> bool:
        """Whether the value stays."""
        return self.example is None

    @property
    def sign(self) -> str:
        """``"+"`` if the value stays, ``"-"`` if not: as in the paper's Table 10."""
        return "+" if self.invariant else "-"

    @property
    def reason(self) -> str:
        """What is known, in words."""
        change = self.transformation
        if self.example is None:
            return f"Equal on {RANDOM_TABLES} random tables. {change.if_equal}"
        message = f"{self.example}. {change.if_changed}"
        verb = {"either": "may rise or fall", "": "changes"}.get(self.trend, self.trend)
        return f"{message} It {verb} as {change.cell} grows." if change.cell else message

    def row(self) -> dict[str, str]:
        """Return what is known as texts by name."""
        e, change = self.example, self.transformation
        return {
            "transformation": change.name,
            "rule": change.rule,
            "invariant": self.sign,
            "before": " ".join(map(str, e.before)) if e else "",
            "value_before": _as_fraction(e.value_before) if e else "",
            "after": " ".join(map(str, e.after)) if e else "",
            "value_after": _as_fraction(e.value_after) if e else "",
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Invariances:
    """What a measure sees and what it does not: a finding per transformation."""

    measure: Measure
    findings: tuple[Finding, ...]

    def __getitem__(self, name: str) -> Finding:
        """Return the finding under a transformation by its name."""
        if name not in TRANSFORMATIONS:
            raise unknown("transformation", name, TRANSFORMATIONS)
        return next(f for f in self.findings if f.transformation.name == name)

    @property
    def signature(self) -> str:
        """The signs under t1 to t4, such as ``"-+--"``."""
        return "".join(self[name].sign for name in OF_THE_PAPER)

    def frame(self) -> pd.DataFrame:
        """Tabulate the findings, a row per transformation, with the examples."""
        return pd.DataFrame([finding.row() for finding in self.findings])

    def explain(self) -> str:
        """Describe everything in words, a paragraph per transformation."""
        lines = [f"{self.measure.label} = {self.measure.formula}"]
        for finding in self.findings:
            change = finding.transformation
            source = "" if change.in_paper else "; not in the paper"
            lines.append(f"\n{change.name} {finding.sign}  {change.description}{source}")
            lines.append(f"    {finding.reason}")
        return "\n".join(lines)


def examine(
    measure: str | Measure, *, beta: float = 1.0, prevalence: float | None = None
) -> Invariances:
    """Find out which changes of a confusion matrix a measure does not see.

    Parameters
    ----------
    measure : str or Measure
        The name of a registered measure, or one with its settings.
    beta : float
        Of F-beta.
    prevalence : float, optional
        As in :func:`stanoff.measures.get`.

    Examples
    --------
    >>> result = examine("f1")
    >>> result.signature, result["t2"].invariant
    ('-+--', True)
    >>> print(result["t3"].example)
    tp 1, fp 1, fn 1, tn 1 gives 1/2; tp 1, fp 2, fn 1, tn 1 gives 2/5
    """
    if not isinstance(measure, Measure):
        measure = get(measure, beta=beta, prevalence=prevalence)
    elif (beta, prevalence) != (1.0, None):
        raise invalid("measure", "a name where beta or prevalence is given", measure)
    if measure.kind != "labels":
        rule = "a measure of labels, which has a confusion matrix; for labels pass "
        raise invalid("measure", f"{rule}measure='balanced_accuracy'", measure.name)
    return _examine(measure)


def examine_all(names: Iterable[str] | None = None, **settings: Any) -> list[Invariances]:
    """Examine measures by their names, by default all registered ones; else as :func:`examine`."""
    return [examine(name, **settings) for name in (MEASURES if names is None else names)]


def table(names: Iterable[str] | None = None, **settings: Any) -> pd.DataFrame:
    """Tabulate the signs of measures, by default of all, under every change.

    ``beta`` and ``prevalence`` are as in :func:`examine`.

    Examples
    --------
    >>> table(["accuracy", "recall"])
        measure t1 t2 t3 t4 sizes
    0  accuracy  +  -  -  -     -
    1    recall  -  +  +  -     +
    """
    rows = [
        {"measure": result.measure.name} | {f.transformation.name: f.sign for f in result.findings}
        for result in examine_all(names, **settings)
    ]
    return pd.DataFrame(rows, columns=["measure", *TRANSFORMATIONS])


def clusters(names: Iterable[str] | None = None, **settings: Any) -> dict[str, tuple[str, ...]]:
    """Group measures that keep their value under the same of t1 to t4.

    ``beta`` and ``prevalence`` are as in :func:`examine`.

    Examples
    --------
    >>> clusters(["f1", "accuracy", "jaccard", "kappa"])
    {'-+--': ('fbeta', 'jaccard'), '+---': ('accuracy', 'kappa')}
    """
    groups: dict[str, tuple[str, ...]] = {}
    for result in examine_all(names, **settings):
        groups[result.signature] = (*groups.get(result.signature, ()), result.measure.name)
    return groups


def legend(names: Iterable[str] | None = None, **settings: Any) -> list[str]:
    """Explain the signs of :func:`table` and list the clusters, line by line."""
    lines = ["+ the value stays, - it does not, when"]
    for change in TRANSFORMATIONS.values():
        source = "" if change.in_paper else " (not in the paper)"
        lines.append(f"{change.name:>7}  {change.description}{source}")
    groups = clusters(names, **settings).items()
    lines += ["", "Alike under t1 to t4:"]
    return lines + [f"{signature:>7}  {', '.join(group)}" for signature, group in groups]


@lru_cache(maxsize=256)
def _examine(measure: Measure) -> Invariances:
    return Invariances(measure, tuple(_find(measure, t) for t in TRANSFORMATIONS.values()))


def _find(measure: Measure, change: Transformation) -> Finding:
    """Look for the smallest table that changes the value; else look at random ones."""
    random = np.random.default_rng(2006).integers(1, 100, (RANDOM_TABLES, 6))
    large = random[:, :4], change.apply(random[:, :4], random[:, 4:])
    for before, after in (_small_tables(change), large):
        value_before, value_after = measure(before), measure(after)
        differing = np.flatnonzero(~_equal(value_before, value_after))
        if differing.size:
            arrays = before, after, value_before, value_after
            table, changed, *values = (array[differing[0]].tolist() for array in arrays)
            example = Example(tuple(table), tuple(changed), *values)
            return Finding(measure, change, example, _trend(measure, change))
    return Finding(measure, change, None)


@lru_cache(maxsize=len(TRANSFORMATIONS))
def _small_tables(change: Transformation) -> tuple[Tables, Tables]:
    """List the changes of all tables with cells from 1 to 4 by 1 to 3, smallest numbers first."""
    cells, numbers = range(1, 5), range(1, 4)
    rows = np.array([*product(*[cells] * 4, *[numbers] * 2)])
    before = rows[:, :4]
    after = change.apply(before, rows[:, 4:])
    order = np.lexsort([*rows.T[::-1], before.sum(axis=1) + after.sum(axis=1)])
    return before[order], after[order]


def _equal(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.isclose(x, y, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))


def _trend(measure: Measure, change: Transformation) -> str:
    """Return what a measure does as the one cell that changes grows."""
    if not change.cell:
        return ""
    random = np.random.default_rng(2007).integers(1, 100, (1000, 4))
    tables = np.concatenate([random, *_small_tables(change)])
    grown = tables.copy()
    grown[:, CELLS.index(change.cell)] += 1
    x, y = measure(tables), measure(grown)
    signs = set(np.sign((y - x)[~_equal(x, y)]).tolist())
    return "either" if len(signs) > 1 else {1.0: "rises", -1.0: "falls"}.get(sum(signs), "")


def _as_fraction(value: float) -> str:
    """Write a fraction if it can be read, else decimals."""
    if not np.isfinite(value):
        return f"{value:.4f}"
    fraction = Fraction(value).limit_denominator(999)
    return str(fraction) if abs(float(fraction) - value) < 1e-12 else f"{value:.4f}"
