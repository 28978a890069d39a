"""What other correlations of the folds of a cross-validation would have said.

The correlation is not learned from the scores: n_test / (n_test + n_train) is a rule. Learners that
vary much with their training set have more of it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from stanoff.data.folds import FoldValues
from stanoff.inference.decision import Decision, decide
from stanoff.inference.posterior import StudentTPosterior

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

MAX_RHO, STEP = 0.5, 0.05
N_STEPS = 100  # between which a flip is looked for
PRECISION = 1e-4
COLUMNS = ["rho", "hdi_low", "hdi_high", "p_below", "p_rope", "p_above", "decision"]
Flips = tuple[tuple[float, Decision, Decision], ...]


def over_correlations(result: Comparison) -> tuple[pd.DataFrame, Flips] | None:
    """Judge again under correlations of the folds from 0 to 0.5.

    Parameters
    ----------
    result : Comparison
        Of scores of folds of one data set.

    Returns
    -------
    tuple or None
        A row per correlation, with that of the comparison among them; and the correlations at which
        the decision changes, each with what it is below and from there on. None where the posterior
        is no t.
    """
    data = result.data
    if type(data) is not FoldValues or _posterior(result, data.rho) is None:
        return None
    rhos = sorted({*np.arange(0, MAX_RHO + STEP / 2, STEP).round(6).tolist(), data.rho})
    rows = [_row(result, rho) for rho in rhos]
    flips = []
    grid = np.linspace(0, MAX_RHO, N_STEPS + 1).tolist()
    decisions = [_decision(result, rho) for rho in grid]
    for i, (before, after) in enumerate(pairwise(decisions)):
        if before == after:
            continue
        low, high = grid[i], grid[i + 1]
        while high - low > PRECISION:
            middle = (low + high) / 2
            low, high = (middle, high) if _decision(result, middle) == before else (low, middle)
        flips.append((high, before, after))
    return pd.DataFrame(rows, columns=COLUMNS), tuple(flips)


def _posterior(result: Comparison, rho: float) -> StudentTPosterior | None:
    """Return the posterior of the difference if the correlation were another one."""
    other = replace(result.data, test_share=np.array([rho]))  # type: ignore[call-arg]
    first, second = (np.array([index]) for index in result.pair)
    student_t = result.model.closed_form(other, result.prior, first, second)
    return None if student_t is None else StudentTPosterior(*student_t[0])


def _row(result: Comparison, rho: float) -> list[object]:
    posterior = _posterior(result, rho)
    assert posterior is not None
    low, high = (end.item() for end in posterior.hdi(result.hdi_prob))
    below, above = posterior.below(result.rope[0]).item(), posterior.above(result.rope[1]).item()
    decision = str(_decision(result, rho))
    return [rho, low, high, below, 1 - below - above, above, decision]


def _decision(result: Comparison, rho: float) -> Decision:
    posterior = _posterior(result, rho)
    assert posterior is not None
    low, high = (end.item() for end in posterior.hdi(result.hdi_prob))
    better = result.measure.higher_is_better
    return decide((low, high), result.rope, higher_is_better=better)
