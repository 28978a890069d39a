"""DeLong's test: two AUCs on the same documents, by the placements of each document."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from stanoff._lib.arguments import Interval, check_choice, check_probability
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures.scores import share_below
from stanoff.significance.result import (
    Array,
    SignificanceResult,
    check_alternative,
    one_tail,
    tail_probability,
)


@dataclass(frozen=True)
class DeLong(SignificanceResult):
    """The outcome of DeLong's test.

    Attributes
    ----------
    auc : tuple of float
        The AUC of A and of B.
    difference, error : float
        A - B, and its standard error.
    interval : tuple of float
        The confidence interval of the difference; it may reach beyond [-1, 1].
    level : float
        The confidence of that interval.
    """

    auc: tuple[float, float] = (nan, nan)
    difference: float = nan
    error: float = nan
    interval: Interval = (nan, nan)
    level: float = 0.95


def delong_test(
    data: Data, *, alternative: str = "two-sided", level: float = 0.95, category: str | None = None
) -> DeLong:
    """Compare two AUCs of the same documents, after DeLong, DeLong and Clarke-Pearson (1988).

    Parameters
    ----------
    data : Data
        Scored documents, as ``result.data`` or ``stanoff.count(..., kind="scores")`` has them.
    alternative : str
        As in :func:`stanoff.significance.sign_test`.
    level : float
        The confidence of the interval.
    category : str, optional
        Which one; needed where there are several.

    Examples
    --------
    >>> from stanoff import count
    >>> truth, a, b = [1, 1, 1, 0, 0, 0], [6, 5, 3, 4, 2, 1], [6, 2, 1, 5, 4, 3]
    >>> result = delong_test(count(truth, a, b, kind="scores"))
    >>> round(result.difference, 4), round(result.p_value, 4)
    (0.5556, 0.0771)
    """
    check_alternative(alternative)
    level = check_probability("level", level)
    truth, scores = _select_category(data, category)
    pos, neg = scores[:, truth == 1], scores[:, truth != 1]
    above = [share_below(n, p) for p, n in zip(pos, neg, strict=True)]  # the placements
    below = [share_below(p, n) for p, n in zip(pos, neg, strict=True)]
    variance = sum(np.var(x[0] - x[1], ddof=1) / len(x[0]) for x in (above, below))
    auc_a, auc_b = (float(x.mean()) for x in above)
    difference, error = auc_a - auc_b, sqrt(variance)
    direction = int(np.sign(difference))
    z, p, note = nan, nan, "no difference"
    if error > 0:
        z, note = difference / error, ""
        p = tail_probability(scipy.stats.norm, z, one_tail(alternative, direction))
    elif difference:
        note = "the difference does not vary over documents"
    half_width = float(scipy.stats.norm.ppf((1 + level) / 2)) * error
    interval = difference - half_width, difference + half_width
    numbers: Any = {"difference": difference, "error": error, "interval": interval, "level": level}
    fields = "DeLong", "AUC", z, len(truth), p, None, alternative, direction, note
    return DeLong(*fields, auc=(auc_a, auc_b), **numbers)


def _select_category(data: Data, category: str | None) -> tuple[NDArray[np.int64], Array]:
    if not isinstance(data, ScoredDocuments) or len(data.systems) != 2:
        raise InputError("DeLong's test compares the scores of two systems on the same documents.")
    if len(data.cluster):
        raise InputError("DeLong's test takes documents as independent; these are in clusters.")
    if category is None and len(data.categories) > 1:
        raise InputError(f"Say which category: one of {', '.join(data.categories)}.")
    row = 0
    if category is not None:
        row = data.categories.index(check_choice("category", category, data.categories))
    truth = data.truth[row]
    if min(int(truth.sum()), int((truth == 0).sum())) < 2:
        raise invalid("data", "two positive and two negative documents at least", int(truth.sum()))
    return truth, data.score[:, row]
