"""Out-of-fold predictions: every document is predicted by a copy that was not trained on it.

There may be several repeats of the cross-validation, and so several predictions of a document:
these are averaged, and never count as documents of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import as_systems
from stanoff.data.answers import ROW, read_answers
from stanoff.data.counting import check_lengths, label_documents, missing_rows, parse_texts
from stanoff.data.scores import ScoredDocuments, build_scores
from stanoff.data.trained import (
    TrainedCopies,
    TrainedLabels,
    cross_copies,
    true_answers,
)
from stanoff.errors import InputError, invalid

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

ALLOWED = ("fold", "repeat", "id", "item", "system", "prediction", "value")
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
    """Scores of every category against the rest.

    Attributes
    ----------
    truth : ndarray
        1 where a document is of the category, else 0 (category, document).
    score : ndarray
        The scores (copy, category, document); copies are the repeats of each system.
    fold : ndarray
        The number of the fold that a document was tested in (repeat, document).
    """

    truth: Codes
    score: Array
    fold: Codes

    kind = "scores"
    answers = "score"
    real: ClassVar[tuple[str, ...]] = ("score",)


def load_out_of_fold(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | Mapping[str, Any] | None,
    options: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> OutOfFoldLabels | OutOfFoldScores:
    """Read what was predicted out of fold: a row per document (and repeat), with its fold.

    Parameters
    ----------
    kind : str
        ``"labels"`` or ``"scores"``.
    data : data frame or path
        The table; None where there are arrays.
    truth : str or array_like
        The column of true labels, or these.
    systems : sequence or mapping, optional
        The columns of the systems, by default all others; or the predictions of each.
    options : mapping
        ``fold``; with several repeats ``repeat``, and ``id`` that names the document; in long
        format ``system`` and ``prediction``, too.
    categories : mapping
        ``pos_label``, ``labels`` and ``average``.
    """
    if kind not in ("labels", "scores"):
        raise invalid("fold", f"None for {kind}: pass the predictions alone", options["fold"])
    for name, value in options.items():
        if name not in ALLOWED:
            raise invalid(name, PREDICTED, value)
    if isinstance(systems, Mapping):
        return _build(kind, *_read_arrays(truth, systems, options), categories)
    item = options.get("id", options.get("item"))
    if item is None and not {"repeat", "system"}.isdisjoint(options):
        raise InputError("A document is predicted several times: pass id=, which names it.")
    keys = {"truth": truth, "fold": options["fold"]}
    keys |= {} if item is None else {"item": item}
    keys |= {"trained": options["repeat"]} if "repeat" in options else {}
    answers = read_answers(data, keys, systems, options)
    if item is None:
        answers.rows["item"] = answers.rows[ROW]
    if "repeat" not in options:
        answers.rows["trained"] = 0
    owner, copies = cross_copies(answers)
    if (answers.rows.groupby(["trained", "item"])["fold"].nunique() > 1).any():
        raise InputError("The systems were not tested on the same folds: their fold= differs.")
    rows = answers.rows[answers.rows["system"] == answers.systems[0]]
    folds = rows.assign(fold=pd.factorize(rows["fold"])[0])
    folds = folds.pivot(index="trained", columns="item", values="fold")
    fold = folds[list(dict.fromkeys(rows["item"]))].to_numpy(dtype=np.int64)
    columns = {"truth": true_answers(answers), **copies}
    if answers.from_file:
        columns |= parse_texts(columns)
    metadata = {"systems": answers.systems, "source": answers.source}
    return _build(kind, columns, owner, fold, metadata, categories)


def _read_arrays(
    truth: Any, systems: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], Codes, Codes, dict[str, Any]]:
    """Take arrays, as ``cross_val_predict`` returns them, with the fold of each document."""
    for name in options:
        if name != "fold":
            raise invalid(name, "None where no table has columns", options[name])
    if isinstance(options["fold"], str) or np.ndim(options["fold"]) != 1:
        raise invalid("fold", "the test fold of each document, in its order", options["fold"])
    names = as_systems(list(systems))
    codes, _ = pd.factorize(np.asarray(options["fold"]))
    missing_rows("fold", codes < 0, "entry")
    columns = {"y_true": truth, **dict(zip(names, systems.values(), strict=True))}
    check_lengths({"fold": len(codes), **{name: len(values) for name, values in columns.items()}})
    return columns, np.arange(len(names)), codes.astype(np.int64)[None], {"systems": names}


def _build(
    kind: str,
    columns: Mapping[str, Any],
    owner: Codes,
    fold: Codes,
    metadata: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> OutOfFoldLabels | OutOfFoldScores:
    """Check truth and predictions of all copies, which say what is wrong by their names."""
    if fold.max() == 0:
        raise invalid("fold", "a column of two folds or more", "one")
    if kind == "labels":
        names, positive, predictions = label_documents(columns, **categories)
        return OutOfFoldLabels(names, owner, positive, predictions, fold, **metadata)
    scored = build_scores(columns, **categories)
    if not isinstance(scored, ScoredDocuments):
        raise InputError(
            "Probabilities of several classes are judged out of fold one class against the rest: "
            "pass average=, or pos_label=."
        )
    return OutOfFoldScores(
        scored.categories, owner, scored.truth, scored.score, fold, notes=scored.notes, **metadata
    )
