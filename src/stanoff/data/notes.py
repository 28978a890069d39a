"""What is noticed while data are read, and may mislead who does not know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stanoff.data.counting import LabelTable, Tally

USUAL_LABELS = ({0, 1}, {-1, 1})  # of which 1 is the positive one
MIN_DISAGREEMENTS = 10  # fewer documents than these may all be disagreements by chance
MANY_COPIES = 10  # documents per row of a table with weights


def of_tally(tally: Tally, table: LabelTable, pos_label: Any) -> tuple[str, ...]:
    """Point out what is odd about labels: which is positive, weights, nothing but disagreements.

    Parameters
    ----------
    tally : Tally
        The truth, then a column for each system.
    table : LabelTable
        What was counted.
    pos_label : object
        The positive label that the caller named, if any.
    """
    notes = []
    labels, documents = set(tally.labels), int(tally.n.sum())
    if pos_label is None and len(labels) == 2 and 1 in labels and labels not in USUAL_LABELS:
        other = next(label for label in tally.labels if label != 1)
        notes.append(
            f"The labels are 1 and {other!r}, and 1 is taken for the positive one: pass "
            "pos_label= to say so or otherwise."
        )
    disagree = (tally.rows[:, 1:] != tally.rows[:, 1:2]).any(axis=1)
    if bool(np.all(disagree)) and documents >= MIN_DISAGREEMENTS:
        notes.append(
            f"The systems disagree on each of {documents:,} documents: if those on which they "
            "agree were left out, the scores are not those of the systems."
        )
    return tuple(notes)
