"""Whether a model expects data such as those observed, new ones and those left out."""

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
from stanoff.engines.diagnostics import check_surroundings
from stanoff.errors import InputError
from stanoff.models.base import PredictiveModel
from stanoff.models.inputs import count_runs
from stanoff.store.predictive import (
    MAX_LOG_LIKELIHOOD,
    log_likelihood,
    predictive_groups,
    stan_data_of,
)

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData
    from xarray import Dataset

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
        odd = self.table[~self.table["inside"] & (self.table["kind"] == SCORE)]
        return not self.sampler_warnings and odd.empty and self.p_outside > TOO_RARE

    def sentence(self) -> str:
        """Describe what speaks for and against the model and its draws, in words."""
        sentences = [*self.sampler_warnings]
        if not sentences:
            independent = "The draws are independent."
            sentences.append("The sampler had no trouble." if self.sampled else independent)
        if not self.table.empty:
            sentences += self._describe_table()
        elif self.predictive:
            sentences.append("These draws do not hold what it takes to draw new documents.")
        else:
            sentences.append("The model does not say what documents it would expect.")
        return " ".join(sentences)

    def _describe_table(self) -> list[str]:
        is_score = self.table["kind"] == SCORE
        counts, outside = self.table[~is_score], self.table[~is_score & ~self.table["inside"]]
        sentences = []
        if len(counts):
            kind = "counts" if (counts["kind"] == "count").all() else "values"
            sentences.append(
                f"Of {len(counts):,} {kind}, {len(counts) - len(outside):,} lie within their 95 % "
                "predictive interval."
            )
        if self.p_outside <= TOO_RARE:
            farthest = outside.loc[(outside["p"] - 0.5).abs().nlargest(MAX_NAMED).index]
            examples = "; ".join(
                f"{row.what}: {row.observed:g} observed, {row.expected:.3g} expected"
                for row in farthest.itertuples()
            )
            sentences.append(f"That is too few: the model does not fit ({examples}).")
        odd = self.table.loc[is_score & ~self.table["inside"], "what"].tolist()
        further = f" and {len(odd) - MAX_NAMED} more" if len(odd) > MAX_NAMED else ""
        if odd:
            listed = ", ".join(odd[:MAX_NAMED])
            sentences.append(f"The model does not expect the observed {listed}{further}.")
        elif is_score.any():
            sentences.append("The observed scores are such as the model expects.")
        return sentences

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

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> result.check().passed
    True
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
    names, label, tables = result.names, result.measure.label, []
    psi = psi[:, :, list(result.indices)]
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


def loo(result: Result) -> ELPDData:
    """Estimate how well a model predicts a document, or an item, that it has not seen.

    Equal documents have equal densities: these are computed once and weighed, so that the number
    of documents does not matter. An observation of a model of labels is one document in one
    category.

    Parameters
    ----------
    result : Comparison or Contest
        Of a model that says how documents come about.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> result.loo().n_data_points, round(result.loo().p)
    (7532, 7)
    """
    check_surroundings()
    from arviz_base import from_dict
    from arviz_stats import loo as arviz_loo
    from scipy.special import logsumexp

    likelihood = log_likelihood(result)
    if likelihood is None:
        raise InputError(
            f"{result.model.name} says no likelihood of documents, or its draws lost it."
        )
    values, n = likelihood.values, likelihood.counts
    name = "delta" if "delta" in result.draws.posterior else "psi"
    sampled = result.draws.posterior[name][:, :: likelihood.step]  # tells how much draws are worth
    groups = {"posterior": {name: sampled}, "log_likelihood": {"log_lik": values}}
    tree = from_dict(groups, dims={"log_lik": ["group"]}, coords={"group": list(likelihood.labels)})
    of_groups = arviz_loo(tree, pointwise=True)
    elpd, total = of_groups.elpd_i.to_numpy(), int(n.sum())
    log_density = logsumexp(values, axis=(0, 1)) - np.log(values[..., 0].size)
    variance = n @ (elpd - n @ elpd / total) ** 2
    pointwise: dict[str, Any] = {"elpd_i": None, "pareto_k": None}
    if total <= MAX_LOG_LIKELIHOOD:
        documents = np.repeat(np.arange(len(n)), n)
        pointwise = {key: of_groups[key].isel(group=documents) for key in pointwise}
    return replace(
        of_groups,
        elpd=float(n @ elpd),
        se=float(np.sqrt(variance * total / max(total - 1, 1))),
        p=float(n @ (log_density - elpd)),
        n_data_points=total,
        **pointwise,
    )


def loo_pit(result: Result) -> Dataset:
    """Return where each value or score lies in what the model predicts for it without its item.

    Of a model that fits these are uniform. Items and documents are left out whole, with the values
    of all systems.

    Parameters
    ----------
    result : Comparison or Contest
        Of values or scores.
    """
    if result.data.kind == "labels":
        raise InputError(
            "loo_pit() takes values or scores: labels are nominal, so that none is higher than "
            "another. result.check() compares their counts with what the model expects."
        )
    likelihood = log_likelihood(result)
    tree = result.tree
    if likelihood is None or "posterior_predictive" not in tree.children:
        raise InputError(f"{result.model.name} does not say what values it would expect.")
    from arviz_base import from_dict
    from arviz_stats import loo_pit as arviz_loo_pit

    predicted = tree["posterior_predictive"].to_dataset()
    names = [str(name) for name in predicted]
    values = likelihood.values
    if isinstance(result.data, ScoredDocuments):  # drawn by class, the positives first
        values = values[..., np.argsort(-result.data.truth[0], kind="stable")]
    ends = np.cumsum([predicted[name].shape[2] for name in names])
    densities = dict(zip(names, np.split(values, ends[:-1], axis=2), strict=True))
    groups: dict[str, dict[str, Any]] = {
        "posterior": {"psi": result.fit.draws.posterior["psi"][:, :: likelihood.step]},
        "log_likelihood": {
            name: np.broadcast_to(densities[name][..., None], predicted[name].shape)
            for name in names
        },
        "posterior_predictive": {name: predicted[name].to_numpy() for name in names},
        "observed_data": {name: tree["observed_data"][name].to_numpy() for name in names},
    }
    dims = {name: [str(dim) for dim in predicted[name].dims[2:]] for name in names}
    coords = {str(dim): predicted[dim].to_numpy() for dim in predicted.dims}
    pit: Dataset = arviz_loo_pit(from_dict(groups, dims=dims, coords=coords), names)
    return pit
