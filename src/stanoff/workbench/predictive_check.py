"""Whether a model expects data such as those observed, and its draws can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.data.items import ItemValues, RatioValues
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import cells_of_patterns
from stanoff.models.base import PredictiveModel
from stanoff.models.inputs import count_runs
from stanoff.store.predictive import predictive_groups, stan_data_of

if TYPE_CHECKING:
    from stanoff.results.base import Result

Array = NDArray[np.float64]

LEVEL = 0.95
TOO_RARE = 0.01  # a share of new data sets
MAX_NAMED = 3
ROUNDING = 1e-12
SCORE = "score"  # the kind of a row; others are counts and values
MAX_RANKED_DRAWS = 400  # of which scores are ranked, which is slow
COLUMNS = ["what", "kind", "observed", "expected", "low", "high", "p", "inside"]


@dataclass(frozen=True, eq=False, repr=False)
class Check(ReprMixin):
    """What diagnostics and predictive checks say of a comparison.

    Attributes
    ----------
    sampler_warnings : tuple of str
        What the sampler complained of; empty if it did not, or if the draws are independent.
    sampled : bool
        Whether a sampler drew at all.
    table : DataFrame
        A row per observed count or value and per observed score: ``what``, ``kind``, ``observed``,
        ``expected`` (the mean of what the model would draw), ``low``, ``high`` (its 95 %
        interval), ``p`` (how much of that is below what was observed; half of what equals it
        counts), ``inside``.
    p_outside : float
        The share of new data sets of which as many counts or values lie outside these intervals.
    predictive : bool
        Whether the model says at all how data come about.
    """

    sampler_warnings: tuple[str, ...]
    sampled: bool
    table: pd.DataFrame
    p_outside: float
    predictive: bool

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the model or its draws.

        One count of twenty may lie outside its interval by chance, a score must not.
        """
        return not self.sampler_warnings and not self._odd_scores and self._enough_inside

    @property
    def _odd_scores(self) -> list[str]:
        odd = self.table[~self.table["inside"] & (self.table["kind"] == SCORE)]
        return [str(name) for name in odd["what"]]

    @property
    def _enough_inside(self) -> bool:
        return self.p_outside > TOO_RARE

    def sentence(self) -> str:
        """Describe what speaks for and against the model and its draws, in words."""
        sentences = [*self.sampler_warnings]
        if not sentences:
            independent = "The draws are independent."
            sentences.append("The sampler had no trouble." if self.sampled else independent)
        if not self.table.empty:
            sentences += [*self._describe_counts(), *self._describe_scores()]
        elif self.predictive:
            sentences.append("These draws do not hold what it takes to draw new documents.")
        else:
            sentences.append("The model does not say what documents it would expect.")
        return " ".join(sentences)

    def _describe_counts(self) -> list[str]:
        counts = self.table[self.table["kind"] != SCORE]
        outside = counts[~counts["inside"]]
        sentences = []
        if len(counts):
            kind = "counts" if (counts["kind"] == "count").all() else "values"
            sentences.append(
                f"Of {len(counts):,} {kind}, {len(counts) - len(outside):,} lie within their 95 % "
                "predictive interval."
            )
        if not self._enough_inside:
            farthest = (outside["p"] - 0.5).abs().nlargest(MAX_NAMED).index
            examples = "; ".join(
                f"{row['what']}: {row['observed']:g} observed, {row['expected']:.3g} expected"
                for _, row in outside.loc[farthest].iterrows()
            )
            sentences.append(f"That is too few: the model does not fit ({examples}).")
        return sentences

    def _describe_scores(self) -> list[str]:
        if odd := self._odd_scores:
            further = f" and {len(odd) - MAX_NAMED} more" if len(odd) > MAX_NAMED else ""
            listed = ", ".join(odd[:MAX_NAMED])
            return [f"The model does not expect the observed {listed}{further}."]
        if (self.table["kind"] == SCORE).any():
            return ["The observed scores are such as the model expects."]
        return []

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        scores = self.table[self.table["kind"] == SCORE].drop(columns=["kind", "inside"])
        cells = scores.map(lambda x: f"{x:.3f}" if isinstance(x, float) else str(x))
        return [self.sentence(), cells] if len(scores) else [self.sentence()]


def check(result: Result) -> Check:
    """Compare what was observed with what the fitted model would draw.

    Parameters
    ----------
    result : Comparison or Contest
        What is checked.
    """
    tables = [pd.DataFrame(columns=COLUMNS)]
    n_outside: NDArray[Any] = np.zeros(1)  # of each new data set
    predicted = predictive_groups(result, new_only=True).get("posterior_predictive")
    if predicted is not None:
        stan_data = stan_data_of(result)
        for name, draws in predicted.variables.items():
            if name in stan_data:
                rows, outside = _describe(name, np.asarray(stan_data[name]), np.asarray(draws))
                tables.append(rows)
                n_outside = n_outside + outside
        tables += _describe_observed_scores(result, predicted.variables, stan_data)
    table = pd.concat([t for t in tables if len(t)] or tables).reset_index(drop=True)
    table["inside"] = table["inside"].astype(bool)
    observed_outside = int((~table["inside"] & (table["kind"] != SCORE)).sum())
    return Check(
        result.sampler_warnings,
        result.engine == "stan",
        table,
        float(np.mean(n_outside >= observed_outside)),
        isinstance(result.model, PredictiveModel),
    )


def _describe(
    name: str, observed: NDArray[Any], draws: NDArray[Any]
) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Describe every number, and count how many of each new data set lie outside."""
    kind = "count" if draws.dtype.kind in "iu" else "value"
    names = [f"{name}[{','.join(str(i + 1) for i in at)}]" for at in np.ndindex(observed.shape)]
    flat = draws.reshape(-1, observed.size)
    table = _rows(names, kind, observed.ravel(), flat)
    outside = (flat < table["low"].to_numpy()) | (flat > table["high"].to_numpy())
    return table, outside.sum(axis=1)


def _rows(names: list[str], kind: str, observed: NDArray[Any], draws: NDArray[Any]) -> pd.DataFrame:
    """Describe numbers, given as many columns of draws."""
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    with np.errstate(invalid="ignore"):  # both infinite
        equal = (draws == observed) | (np.abs(draws - observed) <= ROUNDING)
    return pd.DataFrame(
        {
            "what": names,
            "kind": kind,
            "observed": observed.astype(np.float64),
            "expected": draws.mean(axis=0),
            "low": low,
            "high": high,
            "p": ((draws < observed) & ~equal).mean(axis=0) + equal.mean(axis=0) / 2,
            "inside": (low - ROUNDING <= observed) & (observed <= high + ROUNDING),
        }
    )


def _describe_observed_scores(
    result: Result, replicated: Mapping[str, NDArray[Any]], stan_data: Mapping[str, Any]
) -> list[pd.DataFrame]:
    """Score new data as the observed ones are scored."""
    if np.isnan(result.observed).any():
        return []
    psi = score_replicates(result, replicated, stan_data)
    if psi is None:
        return []
    names, label = result.names, result.measure.label
    psi = psi[:, :, list(result.indices)]
    tables = []
    for row, category in enumerate(result.categories):
        where = "" if len(result.categories) == 1 else f", {shown(category)}"
        labels = [f"{label} of {shown(name)}{where}" for name in names]
        observed, draws = result.observed[:, row], psi[..., row].reshape(-1, len(names))
        if len(names) == 2:
            labels.append(f"difference in {label}{where}")
            observed = np.append(observed, observed[0] - observed[1])
            draws = np.column_stack([draws, draws[:, 0] - draws[:, 1]])
        tables.append(_rows(labels, SCORE, observed, draws))
    return tables


def score_replicates(
    result: Result, draws: Mapping[str, NDArray[Any]], stan_data: Mapping[str, Any]
) -> Array | None:
    """Score replicated data (chain, draw, system, row) as the observed ones are scored.

    Parameters
    ----------
    result : Comparison or Contest
        What the model was fitted for.
    draws : mapping
        Data as the model would draw them, by name; of some there are no scores: None.
    stan_data : mapping
        What was given to the model.
    """
    data = result.data
    new = dict(draws)
    if {"c_pos", "c_neg"} <= set(new) and "cells" not in new:
        new["cells"] = cells_of_patterns(new["c_pos"], new["c_neg"], 2)
    elif {"c_A", "c_B"} <= set(new):
        new["cells"] = np.stack([new["c_A"], new["c_B"]], axis=2)
    elif {"x_pos", "x_neg"} <= set(new):
        new["psi"] = _rank_new_documents(new["x_pos"], new["x_neg"])
    elif isinstance(data, ItemValues) and not isinstance(data, RatioValues):
        if "right" in new:
            new["y"] = new["right"] / count_runs(data).T
        if "y" in new:
            new["psi"] = new["y"].mean(axis=2)[..., None]
    scores: dict[str, Array] = {}
    for name in {"cells", "psi"} & set(new):
        scores[name] = new[name].astype(np.float64)
    if scores:
        return result.model.scores(scores, result.measure, result.average)
    probabilities = getattr(result.measure, "probabilities", False)
    if isinstance(data, ScoredDocuments) and not probabilities and "truth" not in draws:
        for name in ("score", "standard_score"):
            if name in draws:
                return _score_documents(result, data, draws[name])
    return None


def _rank_new_documents(pos: Array, neg: Array) -> Array:
    """Return the AUC of scores of new documents (chain, draw, document, system)."""
    n_pos, n_neg = pos.shape[-2], neg.shape[-2]
    ranks = np.argsort(np.argsort(np.concatenate([pos, neg], axis=-2), axis=-2), axis=-2)
    beaten = ranks[..., :n_pos, :].sum(axis=-2) - n_pos * (n_pos - 1) / 2
    return np.asarray((beaten / (n_pos * n_neg))[..., None])


def _score_documents(result: Result, data: ScoredDocuments, draws: NDArray[Any]) -> Array:
    """Rank new scores of the same documents, draw by draw; of so many that it is soon done."""
    flat = draws.reshape(-1, *draws.shape[2:])
    thinned = flat[:: max(1, len(flat) // MAX_RANKED_DRAWS)]
    replicates = (replace(data, score=scores.T.reshape(data.score.shape)) for scores in thinned)
    observed_scores = result.model.observed_scores
    return np.array([[observed_scores(new, result.measure, None) for new in replicates]])
