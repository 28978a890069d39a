"""Which changes of a confusion matrix a measure does not see (Sokolova & Lapalme 2006).

Whether a measure keeps its value is decided by exact arithmetic on random tables. Measures are
quotients of polynomials of low degree, or roots of such: two that agree on dozens of tables with
random cells up to 99 agree everywhere, but for a chance too small to matter. One table on which
they differ proves the contrary, and the smallest is shown. All cells are above 0: with empty ones a
measure may be 0/0, and what it is then is a convention.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff import measures
from stanoff.errors import invalid, unknown
from stanoff.measures import CELLS, Measure
from stanoff.measures.surds import Surd
from stanoff.measures.transformations import OF_THE_PAPER, TRANSFORMATIONS, Tables, Transformation

if TYPE_CHECKING:
    import pandas as pd

RANDOM_TABLES = 64
ROUNDING = 1e-9  # what floats may differ by, where a measure cannot be computed exactly


@dataclass(frozen=True)
class Example:
    """A table before and after a change, (tp, fp, fn, tn), and the measure of each."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    value_before: Surd
    value_after: Surd

    def __str__(self) -> str:
        before, after = (
            ", ".join(f"{cell} {n}" for cell, n in zip(CELLS, cells, strict=True))
            for cells in (self.before, self.after)
        )
        first, second = (_shown(value) for value in (self.value_before, self.value_after))
        return f"{before} gives {first}; {after} gives {second}"


@dataclass(frozen=True)
class Finding:
    """Whether a measure keeps its value under a change.

    Attributes
    ----------
    measure, transformation : Measure or Transformation
        Of what, under what.
    example : Example or None
        The smallest table on which the value changes; None if there is none.
    exact : bool
        False if the measure could be computed in floating point only.
    trend : str
        Of a changed cell: ``"rises"``, ``"falls"`` or ``"either"``, what the measure does when the
        cell grows.
    """

    measure: Measure
    transformation: Transformation
    example: Example | None
    exact: bool
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
        if self.example is not None:
            told = f"{self.example}. {self.transformation.changed}"
            cell = {"t2": "tn", "t3": "fp"}.get(self.transformation.name)
            trend = {"either": "may rise or fall", "": "changes"}.get(self.trend, self.trend)
            return f"{told} It {trend} as {cell} grows." if cell else told
        how = "Exactly equal" if self.exact else "Equal but for rounding"
        return f"{how} on {RANDOM_TABLES} random tables. {self.transformation.kept}"

    def row(self) -> dict[str, str]:
        """Return what is known as texts by name."""
        example = self.example
        pairs = (
            [(example.before, example.value_before), (example.after, example.value_after)]
            if example
            else []
        )
        texts = [" ".join(map(str, cells)) for cells, _ in pairs] or ["", ""]
        values = [_shown(value) for _, value in pairs] or ["", ""]
        return {
            "transformation": self.transformation.name,
            "rule": self.transformation.rule,
            "invariant": self.sign,
            "before": texts[0],
            "value_before": values[0],
            "after": texts[1],
            "value_after": values[1],
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
        import pandas as pd

        return pd.DataFrame([finding.row() for finding in self.findings])

    def explain(self) -> str:
        """Describe everything in words, a paragraph per transformation."""
        lines = [f"{self.measure.label} = {self.measure.formula}"]
        for finding in self.findings:
            change = finding.transformation
            source = "" if change.in_paper else "; not in the paper"
            lines += [
                "",
                f"{change.name} {finding.sign}  {change.title}: {change.rule}{source}",
                f"    {finding.reason}",
            ]
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
    >>> found = examine("f1")
    >>> found.signature, found["t2"].invariant
    ('-+--', True)
    >>> print(found["t3"].example)
    tp 1, fp 1, fn 1, tn 1 gives 1/2; tp 1, fp 2, fn 1, tn 1 gives 2/5
    """
    if isinstance(measure, Measure):
        if (beta, prevalence) != (1.0, None):
            raise invalid("measure", "a name where beta or prevalence is given", measure)
        chosen = measure
    else:
        chosen = measures.get(measure, beta=beta, prevalence=prevalence)
    if chosen.kind != "labels":
        rule = "a measure of labels, which has a confusion matrix; for labels pass "
        raise invalid("measure", f"{rule}measure='balanced_accuracy'", chosen.name)
    return _examined(chosen)


def table(
    names: Iterable[str] | None = None, *, beta: float = 1.0, prevalence: float | None = None
) -> pd.DataFrame:
    """Tabulate the signs of measures, by default of all, under every change.

    Examples
    --------
    >>> table(["accuracy", "recall"])
        measure t1 t2 t3 t4 sizes
    0  accuracy  +  -  -  -     -
    1    recall  -  +  +  -     +
    """
    import pandas as pd

    rows = [
        {"measure": found.measure.name} | {f.transformation.name: f.sign for f in found.findings}
        for found in _all(names, beta, prevalence)
    ]
    return pd.DataFrame(rows, columns=["measure", *TRANSFORMATIONS])


def clusters(
    names: Iterable[str] | None = None, *, beta: float = 1.0, prevalence: float | None = None
) -> dict[str, tuple[str, ...]]:
    """Group measures that keep their value under the same of t1 to t4.

    Examples
    --------
    >>> clusters(["f1", "accuracy", "jaccard", "kappa"])
    {'-+--': ('fbeta', 'jaccard'), '+---': ('accuracy', 'kappa')}
    """
    groups: dict[str, tuple[str, ...]] = {}
    for found in _all(names, beta, prevalence):
        groups[found.signature] = (*groups.get(found.signature, ()), found.measure.name)
    return groups


def overview(
    names: Iterable[str] | None = None, *, beta: float = 1.0, prevalence: float | None = None
) -> str:
    """Describe signs and clusters of measures in words, with what the signs mean."""
    from stanoff.text.render import to_terminal

    lines = ["+ the value stays, - it does not, when"]
    for change in TRANSFORMATIONS.values():
        source = "" if change.in_paper else " (not in the paper)"
        lines.append(f"{change.name:>7}  {change.title}: {change.rule}{source}")
    lines += ["", "Alike under t1 to t4:"]
    groups = clusters(names, beta=beta, prevalence=prevalence)
    lines += [f"{signature:>7}  {', '.join(alike)}" for signature, alike in groups.items()]
    signs = table(names, beta=beta, prevalence=prevalence)
    return "\n".join([to_terminal([signs]), *lines])


def _all(
    names: Iterable[str] | None, beta: float, prevalence: float | None
) -> Iterable[Invariances]:
    for name in measures.MEASURES if names is None else names:
        yield examine(name, beta=beta, prevalence=prevalence)


@lru_cache(maxsize=256)
def _examined(measure: Measure) -> Invariances:
    findings = tuple(_find(measure, change) for change in TRANSFORMATIONS.values())
    return Invariances(measure, findings)


def _find(measure: Measure, change: Transformation) -> Finding:
    """Look for the smallest table that changes the value; else look at random ones."""
    before, after = _small(change)
    apart = ~_close(measure(before), measure(after))
    for i in np.flatnonzero(apart):
        example, exact = _changed(measure, before[i : i + 1], after[i : i + 1])
        if example is not None:
            return Finding(measure, change, example, exact, _trend(measure, change))
    random = np.random.default_rng(2006).integers(1, 100, (RANDOM_TABLES, 6))
    example, exact = _changed(measure, random[:, :4], change(random[:, :4], random[:, 4:]))
    trend = "" if example is None else _trend(measure, change)
    return Finding(measure, change, example, exact, trend)


@lru_cache(maxsize=len(TRANSFORMATIONS))
def _small(change: Transformation) -> tuple[Tables, Tables]:
    """List the changes of all tables with cells from 1 to 4 by 1 to 3, smallest numbers first."""
    cells, numbers = range(1, 5), range(1, 4)
    rows = np.array([*product(*[cells] * 4, *[numbers] * 2)])
    before = rows[:, :4]
    after = change(before, rows[:, 4:])
    order = np.lexsort([*rows.T[::-1], before.sum(axis=1) + after.sum(axis=1)])
    return before[order], after[order]


def _changed(measure: Measure, before: Tables, after: Tables) -> tuple[Example | None, bool]:
    """Return the first table whose value changes, and whether that is proven."""
    values, exact = _values(measure, np.concatenate([before, after]))
    first, second = values[: len(before)], values[len(before) :]
    for i, (x, y) in enumerate(zip(first, second, strict=True)):
        same = x == y if exact else bool(_close(np.array(float(x)), np.array(float(y))))
        if not same and (x == x or y == y):  # NaN twice is no change
            return Example(tuple(before[i].tolist()), tuple(after[i].tolist()), x, y), exact
    return None, exact


def _values(measure: Measure, tables: Tables) -> tuple[list[Surd], bool]:
    """Compute a measure exactly, or, where its function cannot, in floating point."""
    exact_tables = np.frompyfunc(Surd, 1, 1)(tables.astype(object))
    if measure.prevalence is not None:
        measure = replace(measure, prevalence=Surd(Fraction(str(measure.prevalence))))  # type: ignore[arg-type]
    try:
        computed = measure.computed(exact_tables).tolist()
    except (TypeError, ValueError, AttributeError, ArithmeticError):
        computed = [0.1]  # a logarithm, or the like
    conventional = (measure.zero_division, np.inf, -np.inf)
    if all(isinstance(v, Surd | int) or v in conventional or v != v for v in computed):
        return [v if isinstance(v, Surd) else Surd(v) for v in computed], True
    return [Surd(v) for v in measure(tables).tolist()], False


def _close(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(np.isclose(x, y, rtol=ROUNDING, atol=ROUNDING, equal_nan=True))


def _trend(measure: Measure, change: Transformation) -> str:
    """Return what a measure does as the one cell that changes grows."""
    if change.name not in ("t2", "t3"):
        return ""
    random = np.random.default_rng(2007).integers(1, 100, (1000, 5))
    tables = np.concatenate([random[:, :4], *(t for t in _small(change))])
    grown = tables.copy()
    grown[:, CELLS.index("tn" if change.name == "t2" else "fp")] += 1
    x, y = measure(tables), measure(grown)
    signs = set(np.sign((y - x)[~_close(x, y)]).tolist())
    return "either" if len(signs) > 1 else {1.0: "rises", -1.0: "falls"}.get(sum(signs), "")


def _shown(value: Surd) -> str:
    """Write a fraction if it can be read, else decimals."""
    fraction = value.rational
    if fraction is not None and fraction.denominator < 1000:
        return str(fraction)
    return f"{float(value):.4f}"
