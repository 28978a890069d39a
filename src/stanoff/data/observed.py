"""Columns that were read, and the data that are made of them: of all rows, of groups, of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff.data.counting import check_lengths, count_documents, count_labels, missing_rows
from stanoff.data.folds import FOLD_OPTIONS
from stanoff.data.items import as_numbers, build_items
from stanoff.data.scores import (
    ERRORS,
    NUMBERS,
    NUMERIC,
    build_errors,
    build_numbers,
    build_scores,
)
from stanoff.data.types import Counts, Data
from stanoff.errors import InputError, invalid

DOCUMENTS = "documents"  # labels that are kept document by document
# What the columns of the systems hold, and what makes data of it.
BUILDERS: dict[str, Callable[..., Data]] = {
    "labels": count_labels,
    DOCUMENTS: count_documents,
    "scores": build_scores,
    "values": build_items,
    NUMBERS: build_numbers,
    **{kind: partial(build_errors, kind) for kind in ERRORS},
}
OWN = "data."  # how the roles of columns begin that only the user's program knows
EXTRA = ("cluster", "dataset", "denominator", "by")  # columns that say more of a row
ACCEPTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("labels", DOCUMENTS), ("by",)),
    **dict.fromkeys(("scores", NUMBERS), ("cluster", "by")),
    **dict.fromkeys(ERRORS, ("cluster", "dataset", "by")),
    "values": EXTRA,
}
NOT_WITH_GROUPS = ("cluster", "dataset", "trained", "repeat", *FOLD_OPTIONS)
PER_SYSTEM = ("runs", "scatter", "denominators")  # what builders take as (system, item)
MAX_GROUPS = 100
RowIndex = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Observed:
    """Columns that were read, before data are made of them.

    Attributes
    ----------
    columns : mapping
        The truth if there is one, then every system, by the names that an error shall mention.
    extra : mapping
        What else the builder of their kind takes: ``cluster``, ``ids``, ``runs`` ...
    n : ndarray or None
        Documents per row; None where every row is one.
    own : mapping
        Columns that only a program of the user's asks for.
    source, notes, systems
        As in :class:`stanoff.data.types.Data`; systems may have no names.
    by : array_like or None
        The group of each row.
    """

    columns: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)
    n: Counts | None = None
    own: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    systems: tuple[str, ...] | None = None
    by: Any = None

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(next(iter(self.columns.values()))) if self.n is None else int(self.n.sum())

    def build(self, kind: str, categories: Mapping[str, Any]) -> Data:
        """Make data of the columns, by what they hold, and of each group of the rows.

        A group that cannot be judged by itself, such as one without positives, is noted.
        """
        data = self._build(kind, categories)
        if self.by is None:
            return data
        groups: dict[str, Data] = {}
        notes = list(data.notes)
        for name, rows in rows_by_group(self.by, len(next(iter(self.columns.values())))).items():
            group = self.select(rows)
            try:
                groups[name] = group._build(kind, categories)
            except InputError as error:
                size = f"{group.n_documents:,} {data.unit}s"
                notes.append(f"Group {shown(name)} ({size}) is not judged: {error}")
        return replace(data, groups=groups, notes=tuple(notes))

    def pairs(
        self, kind: str, categories: Mapping[str, Any]
    ) -> tuple[dict[tuple[str, str], Data], dict[tuple[str, str], str]]:
        """Make data of every two systems, of the rows that both have; or say what is in the way."""
        assert self.systems is not None
        answers = list(self.columns.values())[-len(self.systems) :]
        has = [pd.DataFrame(values).notna().all(axis=1).to_numpy() for values in answers]
        pairs, refused = {}, {}
        for a, b in combinations(range(len(self.systems)), 2):
            names = self.systems[a], self.systems[b]
            both = self.select(np.flatnonzero(has[a] & has[b]), [a, b])
            try:
                pairs[names] = replace(both, systems=names).build(kind, categories)
            except InputError as error:
                refused[names] = str(error)
        return pairs, refused

    def select(self, rows: RowIndex, systems: Sequence[int] | None = None) -> Observed:
        """Keep some of the rows and, by their indices, some of the systems."""
        columns = {name: take(values, rows) for name, values in self.columns.items()}
        extra: dict[str, Any] = {}
        for name, values in self.extra.items():
            if name in PER_SYSTEM:
                of_systems = [take(column, rows) for column in values]
                if systems is not None and len(values) > 1:
                    of_systems = [of_systems[i] for i in systems]
                extra[name] = np.stack(of_systems)
            else:
                extra[name] = take(values, rows)
        if systems is not None and self.systems is not None:
            truth = len(columns) - len(self.systems)
            named = list(columns.items())
            columns = dict([*named[:truth], *(named[truth + i] for i in systems)])
        n = None if self.n is None else self.n[rows]
        own = {name: take(values, rows) for name, values in self.own.items()}
        return replace(self, columns=columns, extra=extra, n=n, own=own, notes=(), by=None)

    def _build(self, kind: str, categories: Mapping[str, Any]) -> Data:
        """Make data of all rows; columns of the user's own stay with them."""
        options = {**self.extra, **categories} | ({} if self.n is None else {"n": self.n})
        if kind == "values":
            for name, value in categories.items():
                if value is not None:
                    raise invalid(name, "None for values, which have no labels", value)
            if self.n is not None:
                raise InputError("sample_weight is about labels: give every item a row of its own.")
            options = {**self.extra, "systems": self.systems}
        data = BUILDERS[kind](self.columns, **options)
        own = {name: as_numbers(name, values) for name, values in self.own.items()}
        if self.n is not None:
            own = {name: np.repeat(values, self.n) for name, values in own.items()}
        return replace(
            data,
            columns=own,
            source={**self.source, **data.source},
            notes=(*self.notes, *data.notes),
            systems=self.systems or data.systems,
        )


def check_kind(kind: str, options: Mapping[str, Any]) -> None:
    """Refuse options that are about another kind of content, or that do not go together."""
    for role in NOT_WITH_GROUPS:
        if "by" in options and role in options:
            raise invalid("by", f"None where {role}= is given", options["by"])
    contents = {"scores": "scores, which are not averaged"}.get(kind, "labels")
    contents = "true and predicted numbers" if kind in NUMERIC else contents
    for role in EXTRA:
        if role in options and role not in ACCEPTED[kind]:
            raise invalid(role, f"None for {contents}", options[role])
    for role in FOLD_OPTIONS:
        if role in options:
            raise invalid(role, "None beside true labels: it is about scores", options[role])


def builder_options(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of the rows, by the names that builders have for it."""
    options = {role: columns[role] for role in ("cluster", "dataset") if role in columns}
    denominators = [c for role, c in columns.items() if role.startswith("denominator")]
    return options | ({"denominators": denominators} if denominators else {})


def rows_by_group(by: Any, n: int) -> dict[str, RowIndex]:
    """Return the rows of each group, by its name.

    Examples
    --------
    >>> {name: rows.tolist() for name, rows in rows_by_group(["m", "f", "m"], 3).items()}
    {'f': [1], 'm': [0, 2]}
    """
    codes, groups = pd.factorize(pd.Series(by))
    check_lengths({"truth": n, "by": len(codes)})
    missing_rows("by", codes < 0)
    if not 2 <= len(groups) <= MAX_GROUPS:
        rule = f"a column of 2 to {MAX_GROUPS} groups, such as men and women"
        raise invalid("by", rule, f"{len(groups):,} different values")
    try:
        order = sorted(range(len(groups)), key=groups.__getitem__)
    except TypeError:  # texts and numbers
        order = sorted(range(len(groups)), key=lambda code: str(groups[code]))
    return {str(groups[code]): np.flatnonzero(codes == code) for code in order}


def take(values: Any, rows: RowIndex) -> Any:
    """Return some rows of a column or a matrix of any kind."""
    if isinstance(values, (pd.Series, pd.DataFrame)):
        return values.iloc[rows]
    if isinstance(values, (list, tuple)):
        return [values[row] for row in rows]
    return values[rows]
