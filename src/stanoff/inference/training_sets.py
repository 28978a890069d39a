"""Trained copies: what else they say, of new training sets and of the copies themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stanoff.data.trained import OutOfFold, TrainedCopies, TrainedLabels, TrainedValues
from stanoff.data.types import AVERAGES
from stanoff.errors import InputError
from stanoff.inference.evidence import Evidence, RowInfo, summarize
from stanoff.inference.posterior import StudentTPosterior
from stanoff.models.folds import Folds
from stanoff.models.priors import Prior
from stanoff.models.seeds import linearise, scores_of_folds

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

THESE_COPIES = "new documents, these trained copies"


def judge_copies(result: Comparison) -> Evidence:
    """Return what the documents say of the trained copies at hand, and not of others.

    It is Student's t of the differences, each averaged over the copies.

    Parameters
    ----------
    result : Comparison
        Of trained copies.
    """
    data = result.data
    assert isinstance(data, TrainedCopies)
    if isinstance(data, TrainedLabels):
        row = 0 if result.average is None else len(data.categories) + AVERAGES.index(result.average)
        values = linearise(data, result.measure)[row]
    else:
        assert isinstance(data, TrainedValues)
        values = data.values
    a, b = (values[data.owner == system].mean(axis=0) for system in result.pair)
    scale = (a - b).std(ddof=1) / np.sqrt(data.documents)
    posterior = StudentTPosterior(data.documents - 1, (a - b).mean(), scale)
    return summarize(posterior, None, [RowInfo()], **result.decision_rule)[0]


def judge_training_sets(result: Comparison) -> Evidence | None:
    """Return what the scores of the folds say of new training sets, or None where they cannot.

    It is the correlated t of the folds model, as for scores of ``cross_validate``.

    Parameters
    ----------
    result : Comparison
        Of out-of-fold predictions.
    """
    if not isinstance(result.data, OutOfFold):
        return None
    try:
        folds = scores_of_folds(result.data, result.measure, result.average)
        pair = (np.array([index]) for index in result.pair)
        exact = Folds().closed_form(folds, Prior(), *pair)
    except InputError:
        return None  # too few folds, or scores that never differ
    assert exact is not None
    return summarize(StudentTPosterior(*exact[0]), None, [RowInfo()], **result.decision_rule)[0]
