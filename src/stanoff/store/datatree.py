"""Draws as an ArviZ DataTree, with the groups and names that ArviZ expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff._lib.surroundings import check_surroundings
from stanoff.data.types import AVERAGES
from stanoff.engines.draws import Variables
from stanoff.models.base import COORDS, SHARED_DIMS
from stanoff.store.predictive import predictive_groups

if TYPE_CHECKING:
    from xarray import DataTree

    from stanoff.results.base import Result

COORDINATES = ("category", "truth")  # names of dimensions that parts of a data block have, too


def to_datatree(result: Result) -> DataTree:
    """Gather the draws of a comparison or contest, and what they say of the documents.

    The groups are posterior, prior, sample_stats, observed_data and constant_data; of models that
    say how documents came about also log_likelihood, log_prior, posterior_predictive and
    prior_predictive.
    """
    posterior, prior = _draws(result)
    predictive = predictive_groups(result)
    apart = {name for group in predictive.values() for name in group.own}
    groups: dict[str, Variables] = {
        "posterior": {name: values for name, values in posterior.items() if name not in apart},
        "prior": {name: values for name, values in prior.items() if name not in apart},
        "sample_stats": result.fit.draws.sample_stats,
        **{name: group.variables for name, group in predictive.items()},
        "constant_data": _constant_data(result),
    }
    coords = {name: v for group in predictive.values() for name, v in group.coords.items()}
    rows = {"row": list(result.categories)} if _pair(result) is None else {}
    tree = data_tree(result, groups, coords | rows, {"log_lik": list(coords)})
    for name, group in predictive.items():
        if group.step > 1:  # say which of the draws they are
            dataset = tree[name].to_dataset()
            tree[name] = dataset.assign_coords(draw=np.arange(dataset.sizes["draw"]) * group.step)
    return tree


def data_tree(
    result: Result,
    groups: Mapping[str, Variables],
    extra_coords: Mapping[str, list[str]] | None = None,
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
    tree.attrs.update(_attrs(result))
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
    if _pair(result) is not None:
        attrs["name_A"], attrs["name_B"] = result.names
    return attrs
