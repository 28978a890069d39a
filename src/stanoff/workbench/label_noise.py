"""Labels that may be wrong: what annotators said, and at which error a verdict flips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from stanoff._lib.arguments import check_float
from stanoff.data.types import Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import InputError, invalid
from stanoff.fit import fit
from stanoff.question import read
from stanoff.results.comparison import Comparison

ERRORS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2)
CALIBRATION_SIZE = 1_000_000  # documents of a calibration set that leaves nothing open
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
    >>> labels = {"x": [1, 1, None], "y": [1, 1, 0], "svm": [1, 1, 0], "nb": [0, 0, 0]}
    >>> data = annotator_counts(labels, annotators=["x", "y"], a="svm", b="nb")
    >>> data["labels"], data["outcome"], data["n"]
    ([[-1, 0], [1, 1]], [4, 2], [1, 2])
    """
    names = list(annotators)
    if isinstance(annotators, str) or not names or len(set(names)) < len(names):
        raise invalid("annotators", "the names of one column or more", annotators)
    try:
        labels = pd.DataFrame({n: np.asarray(frame[n], dtype=object) for n in (*names, a, b)})
    except KeyError as error:
        raise invalid("frame", f"a table with the column {error.args[0]!r}", "none") from error
    for name in (a, b):
        if labels[name].isna().any():
            raise InputError(f"{name} lacks {int(labels[name].isna().sum()):,} predictions.")
    positive = (labels == pos_label).astype(np.int64)
    if not positive.to_numpy().any():
        raise invalid("pos_label", "a label that occurs", pos_label)
    rows = positive[names].mask(labels[names].isna(), NOT_LABELLED)
    rows["outcome"] = 4 - 2 * positive[a] - positive[b]  # both, only A, only B, neither
    counts = rows.groupby([*names, "outcome"], as_index=False).size()
    return {
        "R": len(names),
        "M": len(counts),
        "labels": counts[names].to_numpy().tolist(),
        "outcome": counts["outcome"].tolist(),
        "n": counts["size"].tolist(),
        "calibration": [[0] * 4] * len(names) if calibration is None else calibration,
        "errors": list(errors),
    }


def label_noise_sensitivity(
    counts: Data, errors: Sequence[float] = ERRORS, **options: Any
) -> pd.DataFrame:
    """Judge the same labels under several shares of wrong ones among them.

    The model is ``stan/examples/noisy_truth.stan``: the labels of both classes are taken to be
    wrong with this probability, independently of what the systems said.

    Parameters
    ----------
    counts : Data
        What :func:`stanoff.count` returned: by the labels, as if they were true.
    errors : sequence of float
        Shares of wrong labels, from 0 to less than 0.5.
    **options
        As in :func:`stanoff.compare`.

    Returns
    -------
    DataFrame
        A row per share: ``error``, ``mean``, ``hdi_low``, ``hdi_high``, ``decision``, and
        ``flipped``, whether the decision is another than that of the first row.
    """
    shares = [check_float("errors", error, "a number from 0 to less than 0.5") for error in errors]
    if not shares or not all(0 <= share < 0.5 for share in shares):
        raise invalid("errors", "from 0 to less than 0.5", list(errors))
    program = str(stan_folder() / "examples/noisy_truth.stan")
    a, b = counts.systems
    rows = []
    for share in shares:
        right = round(CALIBRATION_SIZE * (1 - share))
        data = {"calibration": [right, CALIBRATION_SIZE] * 2, "errors": [1, 1]}
        question, sampling = read(model=program, data=data, **options)
        comparison = Comparison.from_fit(fit(counts, question, sampling), a, b, question)
        evidence = comparison.evidence()
        rows.append((share, evidence.mean, *evidence.hdi, str(evidence.decision)))
    table = pd.DataFrame(rows, columns=["error", "mean", "hdi_low", "hdi_high", "decision"])
    return table.assign(flipped=table["decision"] != table["decision"].iloc[0])
