"""Draws as an ArviZ DataTree, with the groups and names that ArviZ expects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff._lib.surroundings import check_surroundings
from stanoff.data.types import AVERAGES
from stanoff.engines.draws import Variables
from stanoff.models.base import COORDS, SHARED_DIMS
from stanoff.store.predictive import MAX_LOG_LIKELIHOOD, predictive_groups

if TYPE_CHECKING:
    from xarray import DataTree

    from stanoff.results.base import Result

COORDINATES = ("category", "truth")  # names of dimensions that parts of a data block have, too


def to_datatree(result: Result) -> DataTree:
    """Gather the draws of a comparison or contest, and what they say of the documents.

    The groups are posterior, prior, sample_stats, observed_data and constant_data; of models that
    say how documents came about also log_likelihood, log_prior, posterior_predictive and
    prior_predictive. A contest has delta of every pair, unless these are very many.
    """
    posterior, prior = _draws(result)
    rows: dict[str, Sequence[Any]] = {}
    pair_dims: dict[str, list[str]] = {}
    if _pair(result) is None:
        rows["row"] = list(result.categories)
        first, second = np.triu_indices(len(result.names), 1)
        psi = posterior["psi"]
        if psi[:, :, 0].size * len(first) <= MAX_LOG_LIKELIHOOD:
            with np.errstate(invalid="ignore"):
                posterior = {**posterior, "delta": psi[:, :, first] - psi[:, :, second]}
            rows["pair"] = [
                f"{result.names[i]} - {result.names[j]}" for i, j in zip(first, second, strict=True)
            ]
            pair_dims["delta"] = ["pair", "row"]
    predictive = predictive_groups(result)
    apart = {name for group in predictive.values() for name in group.own}
    groups: dict[str, Variables] = {
        "posterior": {name: values for name, values in posterior.items() if name not in apart},
        "prior": {name: values for name, values in prior.items() if name not in apart},
        "sample_stats": result.fit.draws.sample_stats,
        **{name: group.variables for name, group in predictive.items()},
        "constant_data": _constant_data(result),
    }
    coords: dict[str, Sequence[Any]] = {
        name: values for group in predictive.values() for name, values in group.coords.items()
    }
    tree = data_tree(result, groups, coords | rows, {"log_lik": list(coords), **pair_dims})
    for name, group in predictive.items():
        dataset = tree[name].to_dataset()
        if group.step > 1:  # say which of the draws they are
            dataset = dataset.assign_coords(draw=np.arange(dataset.sizes["draw"]) * group.step)
        for dim in group.coords:
            dataset = dataset.assign_coords(group=(dim, list(group.labels)))
        tree[name] = dataset
    return tree


def data_tree(
    result: Result,
    groups: Mapping[str, Variables],
    extra_coords: Mapping[str, Sequence[Any]] | None = None,
    extra_dims: Mapping[str, list[str]] | None = None,
) -> DataTree:
    """Give groups of variables their dimensions, and add what was observed and how."""
    check_surroundings()
    from arviz_base import from_dict

    stan_data = result.model.stan_data(result.data, result.prior)
    observed = {name: np.asarray(stan_data[name]) for name in result.model.observed}
    observed |= {**_observed_scores(result), **groups.get("observed_data", {})}
    names = {"category": result.data.categories, "system": result.data.systems}
    coords = {**COORDS, **names, **(extra_coords or {})}
    dims = {**SHARED_DIMS, **result.model.dims, **(extra_dims or {})}
    tree = from_dict(
        {k: dict(group) for k, group in {**groups, "observed_data": observed}.items() if group},
        coords={name: list(values) for name, values in coords.items()},
        dims={name: list(names) for name, names in dims.items()},
    )
    for node in (tree, tree["posterior"]):
        node.attrs.update(_attrs(result))
    return tree


def _pair(result: Result) -> tuple[int, int] | None:
    """Return the indices of the two systems of a comparison; a contest has all of them."""
    return getattr(result, "pair", None)


def _draws(result: Any) -> tuple[Variables, Variables]:
    """Return posterior and prior with the scores that the question is about."""
    if _pair(result) is not None:
        return result.draws.posterior, result.draws.prior
    posterior, prior = result.fit.draws.posterior, dict(result.fit.draws.prior)
    if prior:
        prior["psi"] = result.model.scores(prior, result.measure, result.average)
    return {**posterior, "psi": result.psi}, prior


def _constant_data(result: Result) -> dict[str, Any]:
    """Return the numbers that were given to the model beside what was observed."""
    stan_data = result.model.stan_data(result.data, result.prior)
    numbers = {name: np.asarray(value) for name, value in stan_data.items()}
    return {
        f"{name}_of_row" if name in COORDINATES else name: values
        for name, values in numbers.items()
        if name not in (*result.model.observed, "prior_only", "simulate")
        and values.dtype.kind in "iuf"
    }


def _observed_scores(result: Any) -> dict[str, Any]:
    """Name the scores of the data themselves as psi is named."""
    if _pair(result) is None:
        return {"observed": result.observed}
    count = len(result.data.categories)
    named: dict[str, Any] = {}
    for letter, scores in zip("AB", result.observed, strict=True):
        if not np.isnan(scores).all():
            named[f"observed_{letter}"] = scores[:count]
            averages = zip(AVERAGES, scores[count:], strict=False)
            named |= {f"observed_{letter}_{name}": score for name, score in averages}
    return named


def _attrs(result: Any) -> dict[str, Any]:
    attrs = {name: getattr(result, name) for name in ("engine", "seed")}
    attrs |= {"model": result.model.name, "measure": result.measure.label}
    attrs |= {"rope": list(result.rope), "hdi_prob": result.hdi_prob}
    provenance, library = result.provenance, "cmdstanpy" if result.engine == "stan" else "stanoff"
    attrs["inference_library"] = library
    attrs["inference_library_version"] = provenance.versions.get(library, "")
    arguments = {name: x for name, x in provenance.settings.items() if name != "output_dir"}
    attrs["tuning_steps"] = arguments.get("warmup", 0)
    attrs["arguments"] = json.dumps(arguments, sort_keys=True)
    if _pair(result) is not None:
        attrs["name_A"], attrs["name_B"] = result.names
    return attrs
