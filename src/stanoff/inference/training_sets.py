"""Out-of-fold predictions, judged for these trained systems and for new training sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stanoff.data.out_of_fold import OutOfFold
from stanoff.errors import InputError
from stanoff.inference.evidence import Evidence, RowInfo, summarize
from stanoff.inference.posterior import StudentTPosterior
from stanoff.models.folds import Folds
from stanoff.models.out_of_fold import scores_of_folds
from stanoff.models.priors import Prior

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison


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
