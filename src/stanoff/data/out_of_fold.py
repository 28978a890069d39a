"""Out-of-fold predictions: every document is predicted by a copy that was not trained on it.

There may be several repeats of the cross-validation, and so several predictions of a document:
these are averaged, and never count as documents of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import as_systems
from stanoff.data.items import as_numbers
from stanoff.data.notes import names_no_system
from stanoff.data.readers import database, fetch, open_table, translate_errors
from stanoff.data.trained import (
    TrainedCopies,
    TrainedLabels,
    count_copies,
    cross_copies,
    melt_systems,
    true_labels,
)
from stanoff.data.types import system_roles
from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

ALLOWED = ("fold", "repeat", "id", "item")
PREDICTED = "None beside out-of-fold predictions"


class OutOfFold(TrainedCopies):
    """What all out-of-fold predictions have: the fold of every document, in every repeat."""

    fold: Codes  # (repeat, document)
    unit = "document"

    def format_count(self, n: int) -> str:
        """Say how many documents there are, in how many folds."""
        repeats, folds = len(self.fold), int(self.fold.max()) + 1
        often = f", repeated {repeats} times" if repeats > 1 else ""
        return f"{n:,} documents in {folds} folds{often}"


@dataclass(frozen=True, eq=False)
class OutOfFoldLabels(OutOfFold, TrainedLabels):
    """Labels, as :class:`TrainedLabels` has them, whose copies are the repeats.

    Attributes
    ----------
    fold : ndarray
        The number of the fold that a document was tested in (repeat, document).
    """

    fold: Codes


@dataclass(frozen=True, eq=False)
class OutOfFoldScores(OutOfFold):
    """Scores of one category against the rest.

    Attributes
    ----------
    truth : ndarray
        1 where a document is of the category, else 0 (document).
    score : ndarray
        The scores (copy, document); copies are the repeats of each system.
    fold : ndarray
        The number of the fold that a document was tested in (repeat, document).
    """

    truth: Codes
    score: Array
    fold: Codes

    kind = "scores"
    real: ClassVar[tuple[str, ...]] = ("score",)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.truth)

    def _of_copies(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        return {"score": self.score[rows]}


def load_out_of_fold(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | None,
    options: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> OutOfFoldLabels | OutOfFoldScores:
    """Read a table with a row per document (and repeat): truth, predictions and the fold.

    Parameters
    ----------
    kind : str
        ``"labels"`` or ``"scores"``.
    data : data frame or path
        The table.
    truth : str
        The column of true labels.
    systems : sequence, optional
        The columns of the systems, by default all others.
    options : mapping
        ``fold``; with several repeats ``repeat``, and ``id`` that names the document.
    categories : mapping
        ``pos_label``, ``labels`` and ``average``.
    """
    if kind not in ("labels", "scores"):
        raise invalid("fold", f"None for {kind}: pass the predictions alone", options["fold"])
    for name, value in options.items():
        if name not in ALLOWED:
            raise invalid(name, PREDICTED, value)
    document = options.get("id", options.get("item"))
    if ("repeat" in options) and document is None:
        raise InputError("Repeats predict a document several times: pass id=, which names it.")
    with ExitStack() as stack:
        connection = stack.enter_context(database())
        table = open_table(data, connection, stack)
        stack.enter_context(translate_errors(table.title))
        roles = {"truth": truth, "fold": options["fold"]}
        roles |= {} if document is None else {"item": document}
        roles |= {"trained": options["repeat"]} if "repeat" in options else {}
        if systems is None:
            systems = [c for c in table.names if c not in roles.values() and not names_no_system(c)]
        roles |= dict(zip(system_roles(len(systems)), systems, strict=True))
        rows = fetch(table.select(roles))
        source = dict(table.source) | {role: str(name) for role, name in roles.items()}
    defaults: dict[str, Any] = {"item": np.arange(len(rows)), "trained": 0}
    rows = rows.assign(**{role: v for role, v in defaults.items() if role not in rows})
    if rows[["fold", "trained"]].isna().to_numpy().any():
        raise InputError("Every row must say its fold and its repeat.")
    names = [str(name) for name in systems]
    facts: dict[str, Any] = {"systems": as_systems(names), "source": source}
    long = melt_systems(rows, names)
    _, folds = cross_copies(
        long[long["system"] == names[0]].assign(answer=lambda t: pd.factorize(t["fold"])[0]),
        names[:1],
    )
    fold = folds.astype(np.int64)
    if kind == "labels":
        counted = count_copies(long, names, bool(table.file), categories, facts)
        arrays = counted.owner, counted.truth, counted.said, fold
        return OutOfFoldLabels(counted.categories, *arrays, **facts)
    long = long.assign(answer=as_numbers("the scores", long["answer"]))
    owner, score = cross_copies(long, names)
    label, is_category = true_labels(long, bool(table.file), categories)
    score = score.astype(np.float64)
    return OutOfFoldScores((label,), owner, is_category, score, fold, **facts)
