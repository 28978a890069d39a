"""Several trained copies of each system (training seeds), all of them on the same documents.

Copy r of every document is one trained model: copies are crossed with documents, and are not runs
of each document by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import as_systems
from stanoff.data.counting import encode, parse_texts, select_categories, tally
from stanoff.data.items import as_numbers
from stanoff.data.notes import names_no_system
from stanoff.data.readers import database, fetch, open_table, translate_errors
from stanoff.data.types import Data, system_roles
from stanoff.errors import InputError, invalid, unknown

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

MIN_DOCUMENTS, MIN_COPIES, FEW_COPIES = 4, 2, 5
ALLOWED = ("trained", "item", "system", "prediction", "value")
NOT_YET = "None where trained= names the copies"


@dataclass(frozen=True, eq=False)
class TrainedCopies(Data):
    """Systems that were trained several times, each copy on all documents.

    Attributes
    ----------
    owner : ndarray
        The index of the system that a copy is of, ascending (copy).
    """

    owner: Codes

    paired = True

    @property
    def copies(self) -> Codes:
        """How many copies each system has (system)."""
        return np.bincount(self.owner, minlength=len(self.systems)).astype(np.int64)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        raise NotImplementedError

    def n_documents(self, category: str | None = None) -> tuple[int]:
        """Count the documents."""
        return (self.documents,)

    def format_count(self, n: int) -> str:
        """Say how many documents there are, and how many copies of each system."""
        low, high = self.copies.min(), self.copies.max()
        copies = f"{low}" if low == high else f"{low} to {high}"
        return f"{super().format_count(n)}, {copies} trained copies of each system"

    def _of_copies(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        """Return the arrays that have a row per copy, for some copies."""
        raise NotImplementedError

    def pair(self, a: int, b: int) -> TrainedCopies:
        """Return what was observed of two systems."""
        if (a, b) == (0, 1) and len(self.systems) == 2:
            return self
        rows = np.concatenate([np.flatnonzero(self.owner == system) for system in (a, b)])
        arrays = self.arrays() | self._of_copies(rows)
        arrays["owner"] = (self.owner[rows] == b).astype(np.int64)
        return type(self)(self.categories, **arrays, **self.metadata(a, b))


@dataclass(frozen=True, eq=False)
class TrainedValues(TrainedCopies):
    """A value of every copy on every item.

    Attributes
    ----------
    values : ndarray
        The values (copy, item).
    """

    values: Array

    kind = "values"
    real: ClassVar[tuple[str, ...]] = ("values",)
    unit = "item"

    @property
    def documents(self) -> int:
        """How many items there are."""
        return int(self.values.shape[1])

    def scale(self, of: str) -> float:
        """Return what a share of the observed mean, or of the observed range, is a share of."""
        if of == "range":
            return float(self.values.max() - self.values.min())
        return float(np.abs(self.values.mean()))

    def _of_copies(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        return {"values": self.values[rows]}


@dataclass(frozen=True, eq=False)
class TrainedLabels(TrainedCopies):
    """The labels that every copy gave, one category against the rest.

    Attributes
    ----------
    truth : ndarray
        1 where a document is of the category, else 0 (category, document).
    said : ndarray
        1 where a copy predicts it (copy, category, document).
    """

    truth: Codes
    said: Codes

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(self.truth.shape[1])

    @property
    def confusion(self) -> NDArray[np.bool_]:
        """Which cell (tp, fp, fn, tn) a document is in (copy, category, cell, document)."""
        truth, said = self.truth.astype(bool), self.said.astype(bool)
        cells = [truth & said, ~truth & said, truth & ~said, ~truth & ~said]
        return np.stack(np.broadcast_arrays(*cells), axis=2)

    def _of_copies(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        return {"said": self.said[rows]}


def load_trained(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | None,
    options: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> TrainedCopies:
    """Read a table with a row per document and copy, and per system if that is a column.

    Parameters
    ----------
    kind : str
        ``"labels"`` or ``"values"``.
    data : data frame or path
        The table.
    truth : str or None
        The column of true labels.
    systems : sequence, optional
        The columns of the systems, or in long format their names; by default all.
    options : mapping
        Those of the layout that were given.
    categories : mapping
        ``pos_label``, ``labels`` and ``average``.
    """
    for name, value in options.items():
        if name not in ALLOWED:
            raise invalid(name, NOT_YET, value)
    if kind not in ("labels", "values"):
        raise InputError(f"Trained copies are compared by labels or by values, and not by {kind}.")
    if (truth is None) != (kind == "values"):
        raise InputError("Pass truth= for labels, and none for values (measure='mean').")
    if "item" not in options:
        raise InputError("Say which column names the documents: pass item=.")
    with ExitStack() as stack:
        connection = stack.enter_context(database())
        table = open_table(data, connection, stack)
        stack.enter_context(translate_errors(table.title))
        roles = {"item": options["item"], "trained": options["trained"]}
        roles |= {} if truth is None else {"truth": truth}
        answer = options.get("value", options.get("prediction"))
        if "system" in options:
            if answer is None:
                raise InputError("Say which column has what the systems answered: prediction=.")
            roles |= {"system": options["system"], "answer": answer}
        else:
            if systems is None:
                systems = [
                    c for c in table.names if c not in roles.values() and not names_no_system(c)
                ]
            roles |= dict(zip(system_roles(len(systems)), systems, strict=True))
        rows = fetch(table.select(roles))
        source = dict(table.source) | {role: str(name) for role, name in roles.items()}
        from_file = bool(table.file)
    long = rows if "system" in roles else melt_systems(rows, [str(name) for name in systems or ()])
    names = _find_systems(long, systems if "system" in roles else None)
    long = long[long["system"].isin(names)]
    facts: dict[str, Any] = {"systems": as_systems([str(name) for name in names]), "source": source}
    if kind == "values":
        long = long.assign(answer=as_numbers(str(answer or "value"), long["answer"]))
        owner, matrix = cross_copies(long, names)
        values = TrainedValues(("1",), owner, matrix.astype(np.float64), **facts)
        return _check_size(values)
    return _check_size(count_copies(long, names, from_file, categories, facts))


def melt_systems(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Give every system of a wide table a row."""
    roles = dict(zip(system_roles(len(names)), names, strict=True))
    shared = [name for name in rows if name not in roles]
    long = rows.melt(id_vars=shared, var_name="system", value_name="answer")
    return long.assign(system=long["system"].map(roles))


def _find_systems(long: pd.DataFrame, systems: Sequence[Any] | None) -> list[Any]:
    known = list(dict.fromkeys(long["system"]))
    for name in systems or ():
        if name not in known:
            raise unknown("systems", name, list(map(str, known)))
    return list(systems) if systems is not None else known


def cross_copies(long: pd.DataFrame, names: Sequence[Any]) -> tuple[Codes, NDArray[Any]]:
    """Return the system of each copy, and the answers (copy, document)."""
    keys = ["system", "trained", "item"]
    twice = long.duplicated(keys).to_numpy()
    if twice.any():
        row = long.loc[twice].iloc[0]
        raise InputError(
            f"Every copy has one answer to a document, but copy {row['trained']} of "
            f"{row['system']} has several to {row['item']}."
        )
    wide = long.pivot(index="item", columns=["system", "trained"], values="answer")
    wide = wide.reindex(list(dict.fromkeys(long["item"])))
    missing = wide.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        system, copy = list(wide.columns)[column]
        raise InputError(
            f"Every trained copy must have an answer to every document, but copy {copy} of "
            f"{system} has none to {wide.index[row]}."
        )
    columns = [column for name in names for column in wide.columns if column[0] == name]
    owner = np.array([list(names).index(column[0]) for column in columns], dtype=np.int64)
    return owner, wide[columns].to_numpy().T


def count_copies(
    long: pd.DataFrame,
    names: Sequence[Any],
    from_file: bool,
    categories: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> TrainedLabels:
    """Say of every document which categories are true, and which each copy predicts."""
    if from_file:
        long = long.assign(**parse_texts({name: long[name] for name in ("truth", "answer")}))
    columns = {"truth": long["truth"].to_numpy(), "the predictions": long["answer"].to_numpy()}
    known = tally(columns).labels
    chosen = select_categories(known, **categories)
    labels = np.array([index is not None and known[index] for _, index in chosen], dtype=object)
    truths = long.groupby("item", sort=False)["truth"].agg(["first", "nunique"])
    if (truths["nunique"] > 1).any():
        item = truths.index[int((truths["nunique"] > 1).to_numpy().argmax())]
        raise InputError(f"{item} has more than one true label.")
    owner, predicted = cross_copies(long, names)
    codes, kinds = encode("the predictions", predicted.ravel())
    is_label = np.array([[kind == label for kind in kinds] for label in labels])
    said = np.moveaxis(is_label[:, codes.reshape(predicted.shape)], 0, 1)
    truth = truths["first"].to_numpy()[None] == labels[:, None]
    return TrainedLabels(
        tuple(name for name, _ in chosen),
        owner,
        truth.astype(np.int64),
        said.astype(np.int64),
        **facts,
    )


def true_labels(
    long: pd.DataFrame, from_file: bool, categories: Mapping[str, Any]
) -> tuple[str, Codes]:
    """Return the name of the category that is judged, and which documents are of it."""
    values: Any = long["truth"]
    if from_file:
        values = parse_texts({"truth": values})["truth"]
    known = tally({"truth": values}).labels
    if categories.get("average") is not None:
        raise invalid("average", "None for scores that were predicted out of fold", "given")
    [(name, index)] = select_categories(known, **categories)
    first = long.assign(truth=values).groupby("item", sort=False)["truth"].first().to_numpy()
    positive = known[index] if index is not None else None
    return name, (first == positive).astype(np.int64)


def _check_size(data: TrainedCopies) -> TrainedCopies:
    """Refuse tables that are too small to learn from."""
    if len(data.systems) < 2:
        raise InputError(f"Two systems or more are compared, and there is {len(data.systems)}.")
    if data.documents < MIN_DOCUMENTS:
        raise InputError(f"{MIN_DOCUMENTS} documents or more are needed; there are too few.")
    for name, copies in zip(data.systems, data.copies, strict=True):
        if copies < MIN_COPIES:
            raise InputError(
                f"{name} was trained once: how much training matters is learned from "
                f"{MIN_COPIES} copies of each system or more. Without trained= the verdict is "
                "about these trained systems."
            )
    if data.copies.min() < FEW_COPIES:
        note = (
            f"There are only {data.copies.min()} trained copies of a system: with five or more the "
            "interval would be narrower."
        )
        data = replace(data, notes=(*data.notes, note))
    return data
