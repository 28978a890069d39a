"""Leave-one-out cross-validation of models, a document or an item at a time, by ArviZ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff._lib.surroundings import check_surroundings
from stanoff.data.scores import ScoredDocuments
from stanoff.errors import InputError
from stanoff.store.predictive import MAX_LOG_LIKELIHOOD, log_likelihood

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData
    from xarray import Dataset

    from stanoff.results.base import Result


def loo(result: Result) -> ELPDData:
    """Estimate how well a model predicts a document, or an item, that it has not seen.

    Equal documents have equal densities: these are computed once and weighed, so that the number
    of documents does not matter. An observation of a model of labels is one document in one
    category.

    Parameters
    ----------
    result : Comparison or Contest
        Of a model that says how documents come about.
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
