"""The distinct rows of what annotators and systems said, for ``stan/examples/annotators.stan``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from stanoff.errors import InputError, invalid

NOT_LABELLED = -1


def annotator_counts(
    frame: Any,
    *,
    annotators: Sequence[str],
    a: str,
    b: str,
    pos_label: Any = 1,
    calibration: Sequence[Sequence[int]] | None = None,
    errors: tuple[float, float] = (1.0, 1.0),
) -> dict[str, Any]:
    """Count the distinct rows of what annotators and two systems said.

    Parameters
    ----------
    frame : DataFrame or mapping
        A row per document.
    annotators : sequence of str
        The columns of their labels; a label that is missing was not given.
    a, b : str
        The columns of the systems.
    pos_label : optional
        The positive label; all others are negative.
    calibration : sequence, optional
        Of each annotator: positives called positive, all positives, negatives called negative, all
        negatives.
    errors : tuple of float
        The prior weights of a right and of a wrong label.

    Returns
    -------
    dict
        What to pass as ``data=`` with the program ``examples/annotators.stan``.

    Examples
    --------
    >>> said = {"x": [1, 1, None], "y": [1, 1, 0], "svm": [1, 1, 0], "nb": [0, 0, 0]}
    >>> data = annotator_counts(said, annotators=["x", "y"], a="svm", b="nb")
    >>> data["labels"], data["outcome"], data["n"]
    ([[-1, 0], [1, 1]], [4, 2], [1, 2])
    """
    names = list(annotators)
    if isinstance(annotators, str) or not names or len(set(names)) < len(names):
        raise invalid("annotators", "the names of one column or more", annotators)
    try:
        columns = {
            name: pd.Series(np.asarray(frame[name], dtype=object)) for name in (*names, a, b)
        }
    except KeyError as error:
        raise invalid("frame", f"a table with the column {error.args[0]!r}", "none") from error
    for name in (a, b):
        if columns[name].isna().any():
            raise InputError(f"{name} lacks {int(columns[name].isna().sum()):,} predictions.")
    if not any((column == pos_label).any() for column in columns.values()):
        raise invalid("pos_label", "a label that occurs", pos_label)
    yes = {name: (column == pos_label).astype(np.int64) for name, column in columns.items()}
    labels = {name: yes[name].mask(columns[name].isna(), NOT_LABELLED) for name in names}
    rows = pd.DataFrame({**labels, "": 4 - 2 * yes[a] - yes[b]})
    counted = rows.value_counts(sort=False).sort_index()
    found = np.array(counted.index.to_list())
    return {
        "R": len(names),
        "M": len(found),
        "labels": found[:, :-1].tolist(),
        "outcome": found[:, -1].tolist(),
        "n": counted.tolist(),
        "calibration": [[0] * 4] * len(names) if calibration is None else calibration,
        "errors": list(errors),
    }
