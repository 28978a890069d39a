"""The scores of data as a model would draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.items import ItemValues, RatioValues
from stanoff.data.scores import ScoredDocuments
from stanoff.models import paired, unpaired
from stanoff.models.repeated import runs_of

if TYPE_CHECKING:
    from stanoff.results.base import Result

Array = NDArray[np.float64]

MOST = 400  # draws of which scores are ranked


def scored_anew(
    result: Result, drawn: Mapping[str, NDArray[Any]], block: Mapping[str, Any]
) -> Array | None:
    """Score replicated data (chain, draw, system, row) as the observed ones are scored.

    Parameters
    ----------
    result : Comparison or Contest
        What the model was fitted for.
    drawn : mapping
        Data as the model would draw them, by name; of some there are no scores: None.
    block : mapping
        What was given to the model.
    """
    if result.model.predictive is not None:
        return _of_model(result, result.model.predictive.scored(drawn, block))
    data = result.data
    if {"c_pos", "c_neg"} <= set(drawn):
        return _of_model(result, paired.cells_of(drawn, block))
    if {"c_A", "c_B"} <= set(drawn):
        return _of_model(result, unpaired.cells_of(drawn, block))
    if isinstance(data, ItemValues) and not isinstance(data, RatioValues):
        if "y" in drawn:
            return np.asarray(drawn["y"].mean(axis=2)[..., None])
        if "right" in drawn:
            return np.asarray((drawn["right"] / runs_of(data).T).mean(axis=2)[..., None])
    if isinstance(data, ScoredDocuments):
        for name in ("score", "standard_score"):
            if name in drawn and not getattr(result.measure, "probabilities", False):
                return _of_scores(result, data, drawn[name], drawn.get("truth"))
    return None


def _of_model(result: Result, scored: Mapping[str, NDArray[Any]]) -> Array:
    new = {name: values.astype(np.float64) for name, values in scored.items()}
    return result.model.scores(new, result.measure, result.average)


def _of_scores(
    result: Result,
    data: ScoredDocuments,
    drawn: NDArray[Any],
    truth: NDArray[Any] | None,
) -> Array | None:
    """Rank new scores of the same documents, draw by draw; of so many that it is soon done."""
    flat = drawn.reshape(-1, *drawn.shape[2:])[:: max(1, drawn.shape[0] * drawn.shape[1] // MOST)]
    if truth is not None:  # it may have no positives
        return None
    new = [
        result.model.observed_scores(
            replace(data, score=each.T.reshape(data.score.shape)), result.measure, None
        )
        for each in flat
    ]
    return np.array(new)[None]
